"""The documented search on COMPAS."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_example_chooses_within_its_bounds(tmp_path: Path) -> None:
    """The script runs without a warning, draws its plot, and takes a corrected candidate."""
    script, plot = ROOT / "docs/examples/compas_search.py", tmp_path / "plot.png"
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(plot)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert plot.stat().st_size > 10_000
    chosen = done.stdout.partition("Chosen:")[2].split()
    odds, harm = (float(value) for value in chosen[-2:])
    assert odds <= 0.15
    assert harm <= 0.04
    assert " none " not in done.stdout.partition("Chosen:")[2]
