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
from skfair_ofi.cli._correction import Correction, Experiment
from skfair_ofi.cli._experiment import correct_compas
from skfair_ofi.cli._findings import comparison, findings, spread

STEMS = ("fairlearn-thresholdoptimizer", "aif360-eqoddspostprocessing")


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


@pytest.fixture(scope="module")
def experiment() -> Experiment:
    """Another split of the data."""
    return correct_compas(7)


def test_files(demo: Run) -> None:
    """Each correction has a page, its numbers and its plots, besides one picture of both."""
    names = {f"{stem}{suffix}" for stem in STEMS for suffix in (".html", ".json", ".png")}
    assert {path.name for path in demo.folder.iterdir()} == {"flips.png", *names}
    for path in demo.folder.iterdir():
        assert f"\n  {path}\n" in demo.text
        assert path.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("stem", "name"),
    [(STEMS[0], "ThresholdOptimizer"), (STEMS[1], "EqOddsPostprocessing")],
)
def test_words_are_the_numbers(demo: Run, stem: str, name: str) -> None:
    """What is printed of a correction is what its JSON says."""
    report = json.loads((demo.folder / f"{stem}.json").read_text(encoding="utf-8"))
    overall, favorable = report["overall"], report["favorable"]
    assert favorable == 0
    assert report["privileged"] == ["Caucasian"]
    flips = overall["gained"] + overall["lost"]
    assert f"{name} flipped {flips} of {overall['n']:,} people" in demo.words
    assert f"{overall['gained']} gained the favorable label and {overall['lost']}" in demo.words
    assert f"{overall['made_wrong']} flips made a right prediction wrong" in demo.words
    assert f"The figures lead to: {report['decision']['outcome']} (rule:" in demo.words
    for row in report["measures"]:
        value = row["result"]["value"]
        shown = "infinite" if value is None else f"{value:.3f}"
        assert f"{shown} {row['result']['verdict']}" in demo.words


def test_groups_in_the_tables(demo: Run) -> None:
    """Every group of both corrections has its row of people, gained and lost."""
    for stem in STEMS:
        report = json.loads((demo.folder / f"{stem}.json").read_text(encoding="utf-8"))
        for row in report["groups"]:
            name = f"{row['name']} (privileged)" if row["privileged"] else row["name"]
            assert f"{name} {row['n']:,} {row['gained']} {row['lost']} " in demo.words


def test_reproducible() -> None:
    """The same random state gives the same labels and the same report; another one, others."""
    first, second, other = (correct_compas(seed).corrections for seed in (3, 3, 4))
    for one, same, differing in zip(first, second, other, strict=True):
        assert np.array_equal(one.y_corrected, same.y_corrected)
        assert one.report.json() == same.report.json()
        assert one.report.json() != differing.report.json()


def test_race_is_no_predictor(experiment: Experiment) -> None:
    """Both corrections start from the same predictions, which race takes no part in."""
    first, second = (correction.summary for correction in experiment.corrections)
    assert [row.before for row in first.fairness] == [row.before for row in second.fairness]


def test_findings_follow_the_numbers(experiment: Experiment) -> None:
    """Sentences are made of the numbers of the split at hand."""
    for correction in experiment.corrections:
        summary = correction.summary
        text = findings(correction)
        fairness = [row for row in summary.fairness if row.limits is not None]
        before, after = (
            sum(getattr(row, when).verdict == "outside bounds" for row in fairness)
            for when in ("before", "after")
        )
        assert f"Of {len(fairness)} fairness measures" in text
        assert f"{before} were outside them before and {after} after" in text
        large = sorted((row.flip_rate.value, row.name) for row in summary.groups if row.n >= 30)
        assert f"most common in {large[-1][1]} " in text
        assert f"least common in {large[0][1]} " in text


def test_comparison_follows_the_numbers(experiment: Experiment) -> None:
    """The comparison counts the people on whom the corrections disagree."""
    first, second = experiment.corrections
    differing = sum(a != b for a, b in zip(first.y_corrected, second.y_corrected, strict=True))
    assert f"different labels to {differing:,} of the {experiment.held_out:,}" in comparison(
        first, second
    )
    more = max(experiment.corrections, key=lambda each: each.summary.overall.flips)
    assert f"{more.name} flipped " in comparison(second, first)


def test_spread_names_the_extremes(experiment: Experiment) -> None:
    """The smallest and the largest number of flips among the splits are told."""
    others = [correct_compas(seed) for seed in (8, 9)]
    text = spread([each.corrections for each in (experiment, *others)])
    for place in range(2):
        rows: list[Correction] = [each.corrections[place] for each in (experiment, *others)]
        flips = [row.summary.overall.flips for row in rows]
        assert f"{rows[0].name} flipped {min(flips)} to {max(flips)} people" in text


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
