"""``skfair-ofi demo`` says in words what its reports say in numbers."""

import io
import json
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from skfair_ofi.cli import main
from skfair_ofi.cli._demo_command import correct_compas, describe_correction

NAMES = ("ThresholdOptimizer", "EqOddsPostprocessing")


class Run(NamedTuple):
    """What one run printed and wrote."""

    folder: Path
    text: str
    words: str


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One run, into a folder that is not there yet."""
    folder = tmp_path_factory.mktemp("demo") / "new" / "reports"
    with redirect_stdout(io.StringIO()) as printed:
        assert main(["demo", "--out", str(folder)]) == 0
    text = printed.getvalue()
    return Run(folder, text, " ".join(text.split()))


@pytest.mark.slow
def test_files(demo: Run) -> None:
    """Each correction has a page, its numbers and its plots, besides one picture of both."""
    names = {f"{name.lower()}{suffix}" for name in NAMES for suffix in (".html", ".json", ".png")}
    assert {path.name for path in demo.folder.iterdir()} == {"flips.png", *names}
    for path in demo.folder.iterdir():
        assert f"\n  {path}\n" in demo.text
        assert path.stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_words_are_the_numbers(demo: Run, name: str) -> None:
    """What is printed of a correction is what its JSON says."""
    report = json.loads((demo.folder / f"{name.lower()}.json").read_text(encoding="utf-8"))
    overall, favorable = report["overall"], report["favorable"]
    assert favorable == 0
    assert report["privileged"] == ["Caucasian"]
    flips = overall["gained"] + overall["lost"]
    assert f"{name} flipped {flips} of {overall['n']:,} people" in demo.words
    assert f"{overall['gained']} gained the favorable label and {overall['lost']}" in demo.words
    assert f"{overall['made_wrong']} flips made a right prediction wrong" in demo.words
    assert f"The figures lead to: {report['decision']['outcome']} (rule:" in demo.words
    for row in report["groups"]:
        group = f"{row['name']} (privileged)" if row["privileged"] else row["name"]
        assert f"{group} {row['n']:,} {row['gained']} {row['lost']} " in demo.words


@pytest.mark.slow
def test_reproducible() -> None:
    """The same random state gives the same report; another one, another."""
    first, second, other = (correct_compas(seed) for seed in (3, 3, 4))
    for name in NAMES:
        assert first[name].json() == second[name].json()
        assert first[name].json() != other[name].json()


@pytest.mark.slow
def test_sentences_follow_the_numbers() -> None:
    """Both start from the same predictions; sentences are made of the numbers at hand."""
    summaries = {name: report.summary for name, report in correct_compas(7).items()}
    first, second = summaries.values()
    assert [row.before for row in first.fairness] == [row.before for row in second.fairness]
    for name, summary in summaries.items():
        accuracy = summary.fairness[0]
        assert np.isclose(
            summary.overall.put_right - summary.overall.made_wrong,
            summary.overall.n * accuracy.change.value,
        )
        text = describe_correction(name, summary)
        assert f"flipped {summary.overall.flips} of {summary.overall.n:,} people" in text
        assert f"to {100 * accuracy.after.value:.1f}%, since {summary.overall.made_wrong}" in text


@pytest.mark.slow
def test_default_folder_and_narrow_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --out the folder is new and temporary; at 40 columns, only paths are longer."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["demo", "--random-state", "11"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("skfair-ofi-demo-")
    lines = [line for line in captured.out.splitlines() if str(folder) not in line]
    assert max(map(len, lines)) <= 40
    assert len(lines) == len(captured.out.splitlines()) - len(list(folder.iterdir()))


@pytest.mark.parametrize(
    ("target", "end"),
    [
        ("file", "--out must be a folder, got the file {folder}/file.\n"),
        ("file/below", "Cannot write {folder}/file/below: Not a directory.\n"),
    ],
)
def test_unusable_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str, end: str
) -> None:
    """A folder that cannot be is refused before any work is done."""
    (tmp_path / "file").touch()
    assert main(["demo", "--out", str(tmp_path / target)]) == 2
    assert capsys.readouterr().err == f"skfair-ofi: {end.format(folder=tmp_path)}"
