"""The numbers of a report as CSV, which no spreadsheet takes for formulas."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._report import Report

# A spreadsheet takes a cell that starts with one of these for a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def _disarm(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell


def render_csv(report: "Report") -> str:
    """Return the data frame of a report as CSV."""
    frame = report.to_frame().apply(lambda column: column.map(_disarm))
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text
