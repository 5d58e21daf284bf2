"""The numbers of a summary as what JSON holds, and back, and as a data frame.

The schema is named in ``schema`` and changes its number when a key changes its
meaning or goes; keys may be added. Every part of a summary is an object with the
fields of its class; a measured value is ``{"value": number or null, "state": "finite",
"infinite", "minus infinity" or "undefined", "verdict": text or null, "reason": text or
null, "interval": null or {"low", "high", "level", "method", "note"}}``.

``interval`` is null where there is none, or none was asked for; then ``level`` is null
and ``certainty``, the sentences on intervals, empty. A verdict is ``"uncertain"`` only
where ``uncertain`` is true.
"""

import dataclasses
import json
import math
import types
import typing
from typing import Any

import pandas as pd

from skfair_ofi.inference import Interval

from ._parts import FairnessRow, FlipRow, Measured
from ._summary import Summary
from .document import decode_float, encode

SCHEMA = "skfair_ofi/proportionality-report/2"


def to_payload(summary: Summary) -> dict[str, Any]:
    """Return a summary as what JSON holds."""
    return {"schema": SCHEMA, **encode(summary)}


def _decode_interval(data: dict[str, Any] | None, value: float) -> Interval | None:
    if data is None:
        return None
    low, high = decode_float(data["low"]), decode_float(data["high"])
    return Interval(low, high, value, data["level"], data["method"], data["note"])


def _decode_part(kind: Any, data: dict[str, Any]) -> Any:
    if kind is Measured:
        value = decode_float(data["state"] if data["value"] is None else data["value"])
        interval = _decode_interval(data["interval"], value)
        return Measured(value, data["verdict"], data["reason"], interval)
    hints = typing.get_type_hints(kind)
    fields = (field.name for field in dataclasses.fields(kind))
    return kind(**{name: _decode(hints[name], data[name]) for name in fields})


def _decode_list(kind: Any, data: list[Any]) -> tuple[Any, ...]:
    kinds = typing.get_args(kind)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_decode(kinds[0], item) for item in data)
    if len(kinds) == len(data):
        return tuple(_decode(each, item) for each, item in zip(kinds, data, strict=True))
    return tuple(_decode(Any, item) for item in data)


def _decode(kind: Any, data: Any) -> Any:
    """Data as the type says, or a list as a tuple where it says nothing."""
    if isinstance(kind, types.UnionType):
        kind = next((each for each in typing.get_args(kind) if each is not types.NoneType), Any)
    if dataclasses.is_dataclass(kind):
        return _decode_part(kind, data)
    if isinstance(data, list):
        return _decode_list(kind, data)
    return decode_float(data) if kind is float else data


def from_json(text: str) -> Summary:
    """Return the summary that ``to_json`` wrote.

    Parameters
    ----------
    text : str
        The JSON text.

    Returns
    -------
    Summary
        The summary; all renderers give what they gave for the first one.

    Raises
    ------
    ValueError
        If the text has another schema.

    Examples
    --------
    >>> from skfair_ofi.report import proportionality_report
    >>> report = proportionality_report(
    ...     [1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> from_json(report.json()).decision == report.summary.decision
    True
    """
    data = json.loads(text)
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"text must have the schema {SCHEMA!r}, got {schema!r}.")
    summary: Summary = _decode_part(Summary, data)
    return summary


def _record_value(name: str, measured: Measured) -> dict[str, object]:
    ends = measured.interval
    return {
        name: measured.value,
        f"{name}_low": ends.low if ends else math.nan,
        f"{name}_high": ends.high if ends else math.nan,
        f"{name}_verdict": measured.verdict,
        f"{name}_reason": measured.reason,
    }


def _get_method(measured: Measured) -> str | None:
    return measured.interval.method if measured.interval else None


def _record_pair(pair: tuple[str, str] | None) -> dict[str, object]:
    first, second = pair or (None, None)
    return {"first": first, "second": second}


def _record_fairness(row: FairnessRow) -> dict[str, object]:
    return {
        "measure": row.name,
        "symbol": row.symbol,
        "of": "labels",
        **_record_value("before", row.before),
        **_record_value("after", row.after),
        "change": row.change.value,
        "method": _get_method(row.after) or _get_method(row.before),
        **_record_pair(row.pair_after),
    }


def _record_flip(row: FlipRow) -> dict[str, object]:
    return {
        "measure": row.name,
        "symbol": row.symbol,
        "of": "flips",
        **_record_value("after", row.result),
        "method": _get_method(row.result),
        **_record_pair(row.pair),
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
        *(_record_fairness(row) for row in summary.fairness),
        *(_record_flip(row) for row in summary.measures),
    ]
    columns = [*_COLUMNS, *(_INTERVALS if summary.level else ())]
    return pd.DataFrame.from_records(records, columns=_COLUMNS + _INTERVALS)[columns]
