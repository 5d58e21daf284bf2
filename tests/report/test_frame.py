"""One row a measure, as a frame and as CSV."""

import csv
import io

import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import show_keys
from skfair_ofi.report import ProportionalityReport, summarize


def test_columns_and_rows(paper: OutcomeCounts) -> None:
    """The documented columns, one row a measure, each named once."""
    frame = ProportionalityReport(summarize(paper, privileged=1)).to_frame()
    assert list(frame.columns) == [
        *("measure", "symbol", "of", "before", "after", "change", "before_verdict"),
        *("after_verdict", "before_reason", "after_reason", "first", "second", "analysis"),
        *("before_low", "before_high", "after_low", "after_high", "method"),
    ]
    assert frame["measure"].is_unique
    assert frame["of"].value_counts().to_dict() == {"labels": 12, "flips": 8}


def test_figures_of_the_paper(paper: OutcomeCounts) -> None:
    """The published figures stand in their cells."""
    frame = ProportionalityReport(summarize(paper, privileged=1)).to_frame().set_index("measure")
    assert frame.loc["accuracy", "before"] == pytest.approx(957 / 1320)
    assert frame.loc["flip_rate_difference", "after"] == pytest.approx(136 / 799 - 38 / 521)
    row = frame.loc["disparate_impact", ["before_verdict", "after_verdict", "first", "second"]]
    assert row.tolist() == ["outside bounds", "within bounds", "0", "1"]


def test_csv_parses(paper: OutcomeCounts) -> None:
    """Infinite is inf, undefined is empty."""
    rows = list(csv.DictReader(io.StringIO(ProportionalityReport(summarize(paper)).csv())))
    told = {row["symbol"]: row["after"] for row in rows}
    assert told["HDI"] == "inf"
    assert rows[-1]["before"] == ""


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1", "@sum"])
def test_formulas_are_inert(paper: OutcomeCounts, name: str) -> None:
    """A name that a spreadsheet would run has an apostrophe before it, in CSV only."""
    summary = summarize(OutcomeCounts([name, "b"], paper.cells))
    rows = list(csv.DictReader(io.StringIO(ProportionalityReport(summary).csv())))
    assert rows[-1]["first"] == f"'{name}"
    assert ProportionalityReport(summary).to_frame()["first"].iloc[-1] == name


def test_hostile_names(hostile: OutcomeCounts) -> None:
    """No cell is a formula, no name breaks a row, and the names are whole."""
    summary = summarize(hostile, privileged=[name for name in hostile.groups if name != "=cmd()"])
    rows = list(csv.reader(io.StringIO(ProportionalityReport(summary).csv())))
    assert {len(row) for row in rows} == {18}
    text = [cell for row in rows for cell in row if not _is_number(cell)]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in text)
    assert {row[10] for row in rows[2:]} == {"'=cmd()"}
    assert show_keys(hostile.groups)[0] in rows[2][11]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
