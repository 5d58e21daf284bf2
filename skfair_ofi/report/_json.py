"""A summary as strict JSON, and back.

The schema is named in ``schema`` and changes its number when a key changes its
meaning or goes; keys may be added. Every part of a summary is an object with the
fields of its class. Two things are spelled out, since JSON has neither:

- a measured value is ``{"value": number or null, "state": "finite", "infinite",
  "minus infinity" or "undefined", "verdict": text or null, "reason": text or null,
  "interval": null or {"low", "high", "level", "method", "note"}}``;
- any other number that is not finite (ends of intervals, limits, pairwise tables) is the text
  ``"infinite"``, ``"minus infinity"`` or ``"undefined"``.

``interval`` is null where there is none, or none was asked for; then ``level`` is null
and ``certainty``, the sentences on intervals, empty. A verdict is ``"uncertain"`` only
where ``uncertain`` is true.

Group keys and labels are strings, numbers, booleans, null (the missing group) or
lists of these (several features crossed); keys of other types, such as dates, are
written as text.
"""

import dataclasses
import json
import math
import re
import types
import typing
from typing import Any

from skfair_ofi.inference import Interval

from ._parts import Measured, MeasureRow
from ._summary import Summary

SCHEMA = "skfair_ofi/proportionality-report/1"
# the estimate is the value itself
_INTERVAL = ("low", "high", "level", "method", "note")
# halves of characters, as Python reads bytes that are no UTF-8: nothing encodes them
_SURROGATES = re.compile("[\ud800-\udfff]")
_STATES = {"infinite": math.inf, "minus infinity": -math.inf, "undefined": math.nan}


def _state(value: float) -> str:
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinity"
    return "finite"


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {name: _encoded(getattr(interval, name)) for name in _INTERVAL}


def _measured(measured: Measured) -> dict[str, Any]:
    state = _state(measured.value)
    value = measured.value if state == "finite" else None
    words = {"verdict": measured.verdict, "reason": measured.reason}
    return {"value": value, "state": state, **words, "interval": _interval(measured.interval)}


def _encoded(part: Any) -> Any:
    if isinstance(part, Measured):
        return _measured(part)
    if dataclasses.is_dataclass(part):
        symbol = {"symbol": part.symbol} if isinstance(part, MeasureRow) else {}
        fields = (field.name for field in dataclasses.fields(part))
        return {**{name: _encoded(getattr(part, name)) for name in fields}, **symbol}
    if isinstance(part, tuple):
        return [_encoded(item) for item in part]
    if isinstance(part, float):
        return part if math.isfinite(part) else _state(part)
    return part if part is None or isinstance(part, str | bool | int) else str(part)


def strict_json(content: Any, *, indent: int | None = 2) -> str:
    r"""Return data as strict JSON that can be written as UTF-8.

    Examples
    --------
    >>> print(strict_json(["é", chr(0xDCFF)], indent=None))
    ["é", "\udcff"]
    """
    text = json.dumps(content, indent=indent, allow_nan=False, ensure_ascii=False)
    return _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_json(summary: Summary, *, indent: int | None = 2) -> str:
    """Return a summary as strict JSON."""
    return strict_json({"schema": SCHEMA, **_encoded(summary)}, indent=indent)


def _decoded_interval(data: dict[str, Any] | None, value: float) -> Interval | None:
    if data is None:
        return None
    low, high = (_decoded(float, data[end]) for end in ("low", "high"))
    return Interval(low, high, value, data["level"], data["method"], data["note"])


def _decoded_part(kind: Any, data: dict[str, Any]) -> Any:
    if kind is Measured:
        value = _STATES[data["state"]] if data["value"] is None else data["value"]
        interval = _decoded_interval(data["interval"], value)
        return Measured(value, data["verdict"], data["reason"], interval)
    hints = typing.get_type_hints(kind)
    fields = (field.name for field in dataclasses.fields(kind))
    return kind(**{name: _decoded(hints[name], data[name]) for name in fields})


def _decoded_list(kind: Any, data: list[Any]) -> tuple[Any, ...]:
    kinds = typing.get_args(kind)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_decoded(kinds[0], item) for item in data)
    if len(kinds) == len(data):
        return tuple(_decoded(each, item) for each, item in zip(kinds, data, strict=True))
    return tuple(_decoded(Any, item) for item in data)


def _decoded(kind: Any, data: Any) -> Any:
    """Data as the type says, or a list as a tuple where it says nothing."""
    if isinstance(kind, types.UnionType):
        kind = next((each for each in typing.get_args(kind) if each is not types.NoneType), Any)
    if dataclasses.is_dataclass(kind):
        return _decoded_part(kind, data)
    if isinstance(data, list):
        return _decoded_list(kind, data)
    return _STATES[data] if kind is float and isinstance(data, str) else data


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
    summary: Summary = _decoded_part(Summary, data)
    return summary
