"""``skfair-ofi watch`` shows the Python functions' series, and exits by what is certain."""

import json
from pathlib import Path

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.cli import main
from skfair_ofi.monitoring import OutcomeJournal

Capsys = pytest.CaptureFixture[str]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Three days of a journal, with one day missing and flips that become many."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    for day, flips in ((1, 2), (2, 4), (4, 200)):
        cells = [[[[500, 0], [0, 500]]], [[[500 - flips, flips], [0, 500]]]]
        counts = OutcomeCounts(["a<b>", "b|c"], cells)
        journal.append(counts, time=f"2026-03-0{day}T12:00:00Z", tags={"model": "v2", "run": 1})
    return journal.path


@pytest.fixture
def log_with_newcomers(log: Path) -> Path:
    """The journal, with one more day of a group that was not there before."""
    counts = OutcomeCounts(["c"], [[[[50, 0], [0, 50]]]])
    OutcomeJournal(log).append(counts, time="2026-03-05T12:00:00Z")
    return log


def test_undefined(capsys: Capsys, log_with_newcomers: Path) -> None:
    """A comparison without one of its groups is undefined: exit code 3, and the reason."""
    options = ("--bound", "flip_rate_difference=0.9", "--format", "csv")
    assert main(["watch", str(log_with_newcomers), *options]) == 3
    assert "no people in group 'c'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 0),
        (("--bound", "flip_rate=0.05"), 1),
        (("--bound", "flip_rate=0.5"), 0),
        (("--bound", "flip_rate=..0.05"), 1),
        (("--bound", "flip_rate=0.1"), 0),
        (("--bound", "flip_rate=0.05", "--until", "2026-03-03"), 0),
        (("--bound", "flip_rate_difference", "--tag", "model=v2", "--tag", "run=1"), 1),
        (("--bound", "flip_disparity_index=9", "--until", "2026-03-03"), 0),
        (("--bound", "relative_harmful_flip_disparity", "--measure", "flip_rate"), 0),
        (("--bound", "disparate_impact=0.8", "--measure", "selection_rate", "--before"), 0),
        (("--bound", "DI=0.8", "--measure", "SR", "--before"), 0),
        (("--bound", "flip_rate=0.05", "--every", "2", "--adjust", "none"), 1),
    ],
)
def test_exit_codes(capsys: Capsys, log: Path, options: tuple[str, ...], code: int) -> None:
    """1 where a whole interval is outside, 3 where that cannot be known, else 0."""
    assert main(["watch", str(log), *options]) == code
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json", "csv"])
def test_forms(capsys: Capsys, log: Path, form: str) -> None:
    """Every form has the windows, empty ones too, and every verdict."""
    options = ("--bound", "flip_rate=0.05", "--reference", "1", "--format", form)
    assert main(["watch", str(log), *options]) == 1
    shown = capsys.readouterr().out
    for text in ("2026-03-03", "no people", "within bounds", "outside bounds"):
        assert text in shown
    assert "a<b>" not in shown or form != "html"


def test_empty_windows_are_folded(capsys: Capsys, log: Path) -> None:
    """Windows without anyone that follow one another are one row of text, and all in CSV."""
    assert main(["watch", str(log), "--every", "6h"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "no people" in line]
    assert len(rows) == 2 * 3
    assert "2026-03-02 18:00, 7 windows" in rows[1]
    assert main(["watch", str(log), "--every", "6h", "--format", "csv"]) == 0
    assert sum("no people" in line for line in capsys.readouterr().out.splitlines()) == 10 * 3


def test_tags_that_are_text_or_numbers(capsys: Capsys, log: Path) -> None:
    """A tag on the command line is the number 1 and the text 1."""
    counts = OutcomeCounts(["a<b>", "b|c"], np.full((2, 1, 2, 2), 5))
    OutcomeJournal(log).append(counts, time="2026-03-05T12:00:00Z", tags={"run": "1"})
    assert main(["watch", str(log), "--tag", "run=1"]) == 0
    assert "People:          6,040\n" in capsys.readouterr().out


def test_json_is_strict(capsys: Capsys, log: Path) -> None:
    """JSON says what the level is, and how many intervals share it."""
    main(["watch", str(log), "--bound", "flip_rate=0.05", "--format", "json"])
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["exit_code"] == 1
    assert found["level_of_each"] == pytest.approx(1 - 0.05 / 3)
    assert [row["verdict"] for row in found["series"]] == [
        *["within bounds"] * 2,
        "no people",
        "outside bounds",
    ]


def test_level_is_stated(capsys: Capsys, log: Path) -> None:
    """The output says that several looks share the level."""
    main(["watch", str(log), "--bound", "flip_rate=0.05"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "3 are judged, and share a chance of 5% of any false alarm (Bonferroni" in shown


def test_torn_line_on_standard_error(capsys: Capsys, log: Path) -> None:
    """A torn last line is reported once, and the rest is shown."""
    log.write_bytes(log.read_bytes()[:-40])
    assert main(["watch", str(log)]) == 0
    err = capsys.readouterr().err
    assert err.startswith("skfair-ofi: outcomes.jsonl, line 3 was skipped: cut off after ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("suffix", ["png", "svg"])
@pytest.mark.slow
def test_plot(capsys: Capsys, log: Path, suffix: str) -> None:
    """The plot is written once, and only overwritten when told to."""
    path = log.with_name(f"series.{suffix}")
    options = ["watch", str(log), "--plot", str(path)]
    assert main(options) == 0
    assert path.stat().st_size > 1000
    assert main(options) == 2
    assert "--force overwrites it" in capsys.readouterr().err
    assert main([*options, "--force"]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--bound", "flip_rate=much"), "must be NAME=VALUE, NAME=LOW..HIGH or NAME, got"),
        (("--bound", "flip_rat=1"), "--bound must name a measure, got 'flip_rat'. Did you mean"),
        (("--bound", "selection_rate=0.5"), "--bound must be a lowest and a highest value for"),
        (("--every", "soon"), "every must be a frequency of pandas, such as"),
        (("--every", "0"), "every must be positive, got 0."),
        (("--since", "yesterday"), "must be a date or time in ISO 8601, got 'yesterday'"),
        (("--since", "2027-01-01"), "No lines to measure in outcomes.jsonl."),
        (("--privileged", "nobody"), "--privileged"),
        (("--level", "2"), "--level must lie between 0 and 1, got 2.0."),
        (("--tag", "v2"), "must be NAME=VALUE, got 'v2'"),
        (("--plot", "nowhere/x.png"), "--plot must be a file in a folder that exists, got"),
        (("--bound", "flip_rate=inf"), "--bound must be finite for flip_rate, got inf."),
        (
            ("--since", "2026-03-05", "--until", "2026-03-04"),
            "since must be before until, got 2026-03-05T00:00:00Z and 2026-03-04T00:00:00Z.",
        ),
        (("--plot", "series.pdf"), "--plot must end in one of .png, .svg, got series.pdf."),
        (("--reference", "3"), "reference must leave a window to compare, got 3 of 3 with people."),
        (("--measure", "accuracy"), "accuracy needs"),
        (("--measure", "flip_rat"), "--measure must name a measure, got 'flip_rat'. Did you mean"),
    ],
)
def test_refusals(capsys: Capsys, log: Path, options: tuple[str, ...], message: str) -> None:
    """What cannot be used is refused on one line."""
    assert main(["watch", str(log), *options]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == ""
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("kind", ["missing", "folder", "binary", "empty"])
def test_not_a_journal(capsys: Capsys, tmp_path: Path, kind: str) -> None:
    """What is no journal is refused on one line."""
    path = tmp_path / "log"
    if kind == "folder":
        path.mkdir()
    elif kind != "missing":
        path.write_bytes(b"\x00\xff\n" if kind == "binary" else b"")
    assert main(["watch", str(path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
