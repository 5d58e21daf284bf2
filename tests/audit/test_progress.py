from pathlib import Path

import duckdb
import pytest

from skfair_ofi.audit import Audit, _files


def test_progress_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits is told the share of each file that is read, and of the rows that are counted."""
    monkeypatch.setattr(_files, "_SECONDS", 0.0001)
    path = tmp_path / "people.csv"
    path.write_text("g,p\n" + "a,1\nb,0\n" * 300_000)
    told: list[tuple[str, float]] = []
    Audit(positive="p == 1", groups="g").run(path, progress=lambda *what: told.append(what))
    assert ("Reading people.csv", 1.0) in told
    counting = [share for what, share in told if what == "Counting"]
    assert counting or not hasattr(duckdb.connect(), "query_progress")
    assert all(0 <= share <= 1 for _, share in told)
