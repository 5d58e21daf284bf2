"""A summary as a data frame of one row a measure, and as CSV."""

import math

import pandas as pd

from ._parts import FairnessRow, FlipRow, Measured
from ._summary import Summary

# A spreadsheet takes a cell that starts with one of these for a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def _value(name: str, measured: Measured) -> dict[str, object]:
    ends = measured.interval
    return {
        name: measured.value,
        f"{name}_low": ends.low if ends else math.nan,
        f"{name}_high": ends.high if ends else math.nan,
        f"{name}_verdict": measured.verdict,
        f"{name}_reason": measured.reason,
    }


def _method(measured: Measured) -> str | None:
    return measured.interval.method if measured.interval else None


def _pair(pair: tuple[str, str] | None) -> dict[str, object]:
    first, second = pair or (None, None)
    return {"first": first, "second": second}


def _fairness_record(row: FairnessRow) -> dict[str, object]:
    return {
        "measure": row.name,
        "symbol": row.symbol,
        "of": "labels",
        **_value("before", row.before),
        **_value("after", row.after),
        "change": row.change.value,
        "method": _method(row.after) or _method(row.before),
        **_pair(row.pair_after),
    }


def _flip_record(row: FlipRow) -> dict[str, object]:
    return {
        "measure": row.name,
        "symbol": row.symbol,
        "of": "flips",
        **_value("after", row.result),
        "method": _method(row.result),
        **_pair(row.pair),
        "analysis": row.sentence,
    }


_COLUMNS = (
    *("measure", "symbol", "of", "before", "after", "change", "before_verdict", "after_verdict"),
    *("before_reason", "after_reason", "first", "second", "analysis"),
)
_INTERVALS = ("before_low", "before_high", "after_low", "after_high", "method")


def to_frame(summary: Summary) -> pd.DataFrame:
    """Return a summary as a data frame of one row a measure."""
    records = [
        *(_fairness_record(row) for row in summary.fairness),
        *(_flip_record(row) for row in summary.measures),
    ]
    columns = [*_COLUMNS, *(_INTERVALS if summary.level else ())]
    return pd.DataFrame.from_records(records, columns=_COLUMNS + _INTERVALS)[columns]


def _inert(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA_STARTS) else cell


def to_csv(summary: Summary) -> str:
    """Return the data frame of a summary as CSV."""
    frame = to_frame(summary).apply(lambda column: column.map(_inert))
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text
