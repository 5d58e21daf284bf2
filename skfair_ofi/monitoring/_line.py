"""One line of a journal: a table with its time and tags, as JSON of one format version.

>>> from datetime import datetime, timezone
>>> table = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=["a", "b"])
>>> line = to_line(table, datetime(2026, 1, 31, 12, tzinfo=timezone.utc), {"model": "v2"})
>>> line[:64]
b'{"skfair_ofi_journal":1,"time":"2026-01-31T12:00:00Z","tags":{"m'
>>> from_line(line, 1).counts == table
True
"""

import json
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import Any, NoReturn

import numpy as np

from skfair_ofi.counts import OutcomeCounts

from ._file import LONGEST

VERSION = 1
_FORMAT = "skfair_ofi_journal"
_KEYS = {_FORMAT, "time", "tags", "counts"}
_START = f'{{"{_FORMAT}":'.encode()
_LONGEST_TAG = 200
Tag = str | int | float | bool


@dataclass(frozen=True)
class Entry:
    """One table of a journal.

    Attributes
    ----------
    time : datetime
        When the people were decided on, in UTC.
    counts : OutcomeCounts
        Their table.
    tags : dict of str to str, int, float or bool
        What was said about them.
    line : int
        Number of the line, from 1.
    """

    time: datetime
    counts: OutcomeCounts
    tags: dict[str, Tag]
    line: int


class DamagedLineError(ValueError):
    """A line is not whole: torn, or no line of a journal at all."""

    def __init__(self, reason: str, *, torn: bool = False) -> None:
        super().__init__(reason)
        self.torn = torn


def check_time(name: str, time: datetime | str) -> datetime:
    """Return a moment in UTC."""
    try:
        moment = datetime.fromisoformat(time) if isinstance(time, str) else time
    except ValueError:
        moment = None
    if not isinstance(moment, datetime) or moment != moment:  # noqa: PLR0124 - pandas' NaT
        raise ValueError(f"{name} must be a datetime or text in ISO 8601, got {time!r}.")
    if moment.utcoffset() is None:
        raise ValueError(f"{name} must have a time zone, such as UTC, got {time!r}.")
    try:
        # without it, a subclass such as pandas' keeps nanoseconds, which no other reader knows
        return datetime.fromisoformat(moment.isoformat()).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{name} must be a time that UTC can hold, got {time!r}.") from None


def show_time(time: datetime) -> str:
    """Return a moment of UTC in ISO 8601, with Z for its zone.

    Examples
    --------
    >>> show_time(datetime(2026, 1, 31, 12, tzinfo=UTC))
    '2026-01-31T12:00:00Z'
    """
    return f"{time.replace(tzinfo=None).isoformat()}Z"


def check_tags(tags: Mapping[str, Tag] | None) -> dict[str, Tag]:
    """Return tags, refused where they could hold more than short words and numbers."""
    if tags is not None and not isinstance(tags, Mapping):
        raise ValueError(f"tags must be a mapping of names to text or numbers, got {tags!r}.")
    found = dict(tags or {})
    for name, value in found.items():
        finite = isinstance(value, int) or (isinstance(value, float) and np.isfinite(value))
        short = isinstance(value, str) and len(value) <= _LONGEST_TAG
        if not (finite or short) or str(name) != name:
            raise ValueError(
                f"tags must be text of at most {_LONGEST_TAG} characters or finite numbers by "
                f"name, got {name!r}: {value!r}."
            )
    return found


def to_line(counts: OutcomeCounts, time: datetime, tags: dict[str, Tag]) -> bytes:
    """Return the line of a table."""
    data = counts.to_dict()
    _check_keys(data["groups"], data["labels"])
    content = {_FORMAT: VERSION, "time": show_time(time), "tags": tags, "counts": data}
    line = json.dumps(content, separators=(",", ":")).encode("ascii")
    if len(line) > LONGEST:
        raise ValueError(
            f"counts must fit in a line of {LONGEST:,} bytes, got {len(line):,} for "
            f"{len(counts.groups):,} groups."
        )
    from_line(line, 0)
    return line


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"numbers must be finite, got {text}.")


def _damage(line: bytes, error: Any) -> DamagedLineError:
    """What is wrong with a line that is not JSON: torn, edited, or somebody else's."""
    if not line.startswith(_START[: len(line)]):
        return DamagedLineError("no line of a journal of outcomes")
    known = isinstance(error, json.JSONDecodeError)
    # A torn line lacks its last brace, or more of it is expected after its end.
    wants_more = known and (
        error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    )
    if wants_more or not line.rstrip().endswith(b"}"):
        return DamagedLineError(f"cut off after {len(line):,} bytes", torn=True)
    where = f" from character {error.pos + 1:,} on" if known else ""
    return DamagedLineError(f"no JSON{where}")


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        content = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise _damage(line, error) from None
    if not isinstance(content, dict) or _FORMAT not in content:
        raise DamagedLineError("no line of a journal of outcomes")
    # Versions are whole: 1.0 and true are no version, though they equal 1.
    if type(content[_FORMAT]) is not int or content[_FORMAT] != VERSION:
        raise ValueError(f"the format must be version {VERSION}, got {content[_FORMAT]!r}.")
    if set(content) != _KEYS:
        raise ValueError(f"a line must have the keys {sorted(_KEYS)}, got {sorted(content)}.")
    return content


def _check_key(key: Any, what: str, *, nested: bool = True) -> None:
    if nested and isinstance(key, tuple):
        for part in key:
            _check_key(part, what, nested=False)
    elif not (key is None or isinstance(key, str | int | float)):
        raise ValueError(f"{what} must be text, numbers, true, false or null, got {key!r}.")
    elif isinstance(key, float) and not isfinite(key):
        raise ValueError(f"{what} must be finite, got {key!r}.")


def _check_keys(groups: Iterable[Any], labels: Iterable[Any]) -> None:
    for what, keys in (("groups", groups), ("labels", labels)):
        for key in keys:
            _check_key(_keyed(key), what)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _check_counts(data: Any) -> OutcomeCounts:
    if not isinstance(data, dict):
        raise ValueError(f"counts must be an object, got {data!r}.")  # noqa: TRY004 - of a file
    for name in ("groups", "labels"):
        if not isinstance(data.get(name, []), list):
            raise ValueError(f"{name} must be a list, got {data[name]!r}.")  # noqa: TRY004
    if len(data.get("labels", [0, 0])) != 2:
        raise ValueError(f"labels must be (unfavorable, favorable), got {data['labels']!r}.")
    _check_keys(data.get("groups", []), data.get("labels", []))
    names = data.get("feature_names")
    if names is not None and not (isinstance(names, list) and all(map(_is_text, names))):
        raise ValueError(f"feature_names must be a list of text or null, got {names!r}.")
    counts = OutcomeCounts.from_dict(data)
    for name in ("score_sums", "score_squares", "weight_squares"):
        table = getattr(counts, name)
        if table is not None and not np.isfinite(table).all():
            raise ValueError(f"{name} must be finite, got {table.max()}.")
    if counts.weight_squares is not None and (counts.weight_squares < 0).any():
        raise ValueError(f"weight_squares must not be negative, got {counts.weight_squares.min()}.")
    return counts


def _keyed(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key


def from_line(line: bytes, number: int) -> Entry:
    """Return the entry that a line holds."""
    content = _parsed(line)
    if not isinstance(content["time"], str):
        raise ValueError(f"time must be text, got {content['time']!r}.")  # noqa: TRY004
    time, tags = check_time("time", content["time"]), check_tags(content["tags"])
    try:
        return Entry(time, _check_counts(content["counts"]), tags, number)
    except TypeError as error:  # lists of other things than numbers
        raise ValueError(f"counts must be a table of numbers: {error}.") from error


def spelling(key: Hashable) -> Hashable:
    """Return what a key has in common with keys of other types that look like it.

    Examples
    --------
    >>> {spelling(key) for key in (1, "1", 1.0, True)}
    {'1'}
    """
    if isinstance(key, tuple):
        return tuple(spelling(part) for part in key)
    if isinstance(key, int) or (isinstance(key, float) and key.is_integer()):
        return str(int(key))
    return repr(key) if isinstance(key, float) else key
