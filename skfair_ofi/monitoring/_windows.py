"""Entries of a journal by windows of time, or by number of batches.

>>> from datetime import timedelta
>>> check_every("1h") == timedelta(hours=1), check_every(20)
(True, 20)
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeGuard

import numpy as np
import pandas as pd

from skfair_ofi._validation import sorted_keys
from skfair_ofi.counts import OutcomeCounts

from ._line import Entry, Tag, check_tags, show_time, spelling

Every = str | timedelta | int
# A Monday: weeks start on one, and days and hours at midnight of UTC.
_ORIGIN = datetime(1970, 1, 5, tzinfo=UTC)
# A value, or several of which a tag must be one.
TagFilter = Mapping[str, Tag | list[Any]] | None
_MOST = 100_000
# pandas warns of the first, and means the second.
_UNITS = {"d": "D", "H": "h", "S": "s"}


@dataclass(frozen=True)
class Window:
    """The people of a stretch of time.

    Attributes
    ----------
    start, end : datetime
        From when, and until before when, in UTC; of a window of some batches, the
        times of the first and of the last.
    counts : OutcomeCounts
        Their table, with the groups of all windows.
    batches : int
        Number of lines they come from.
    """

    start: datetime
    end: datetime
    counts: OutcomeCounts
    batches: int


def _is_batches(every: object) -> TypeGuard[int]:
    is_whole = isinstance(every, int | np.integer)
    return is_whole and not isinstance(every, bool | np.timedelta64)


def check_every(every: Every) -> timedelta | int:
    """Return the length of a window."""
    length = int(every) if _is_batches(every) else _duration(every)
    if length in (timedelta(0), 0) or abs(length) != length:
        raise ValueError(f"every must be positive, got {every!r}.")
    return length


def _lacks_unit(every: object) -> bool:
    """Whether it is a bare number, which pandas takes for nanoseconds."""
    if isinstance(every, np.timedelta64):
        return np.datetime_data(every.dtype)[0] == "generic"
    return isinstance(every, str) and not re.search("[A-Za-z:]", every)


def _in_units(every: Any) -> Any:
    """Text with the letters of units that pandas will keep."""
    if not isinstance(every, str):
        return every
    return re.sub(r"(?<=[\d\s])[dHS](?![A-Za-z])", lambda found: _UNITS[found[0]], every)


def _duration(every: object) -> timedelta:
    if not isinstance(every, str | timedelta | np.timedelta64):
        raise ValueError(f"every must be a length of time or a number of batches, got {every!r}.")  # noqa: TRY004
    try:
        length = pd.NaT if _lacks_unit(every) else pd.Timedelta(_in_units(every))
    except ValueError:
        length = pd.NaT
    if pd.isna(length):
        raise ValueError(
            f"every must be a length of time, such as '15min', '1h', '1D' or '7D', got {every!r}."
        )
    return length.to_pytimedelta()


def _wanted(tags: TagFilter) -> dict[str, list[Tag]]:
    """What each tag may be."""
    if not isinstance(tags, Mapping):
        return {name: [value] for name, value in check_tags(tags).items()}
    found = {name: value if isinstance(value, list) else [value] for name, value in tags.items()}
    for name, values in found.items():
        for value in values:
            check_tags({name: value})
    return found


def chosen_entries(
    entries: Iterable[Entry],
    *,
    since: datetime | None,
    until: datetime | None,
    tags: TagFilter,
) -> list[Entry]:
    """Return the entries of some time and of some tags, by time."""
    wanted = _wanted(tags)
    kept = [
        entry
        for entry in entries
        if (since is None or entry.time >= since)
        and (until is None or entry.time < until)
        and all(entry.tags.get(name) in values for name, values in wanted.items())
    ]
    return sorted(kept, key=lambda entry: entry.time)


def _depth(counts: OutcomeCounts) -> int:
    """Of how many sensitive features the groups are."""
    return max((len(key) if isinstance(key, tuple) else 1 for key in counts.groups), default=1)


def check_features(counts: OutcomeCounts, first: OutcomeCounts) -> None:
    """Refuse tables of different sensitive features, whose groups say nothing of each other."""
    names = counts.feature_names, first.feature_names
    if None not in names and names[0] != names[1]:
        raise ValueError(
            f"Tables must have the same sensitive features, got {names[0]} and {names[1]}."
        )
    depths = _depth(counts), _depth(first)
    if counts.groups and first.groups and depths[0] != depths[1]:
        raise ValueError(
            f"Tables must have groups of as many sensitive features, got {depths[0]} and "
            f"{depths[1]}."
        )


def _check_groups(entries: Sequence[Entry]) -> tuple[Hashable, ...]:
    """All groups, none of which is another one in another type."""
    seen: dict[Hashable, tuple[Hashable, int]] = {}
    for entry in entries:
        for group in entry.counts.groups:
            known, line = seen.setdefault(spelling(group), (group, entry.line))
            if repr(known) != repr(group):
                raise ValueError(
                    f"line {entry.line}: groups must have one type, got {group!r} here and "
                    f"{known!r} in line {line}."
                )
    return sorted_keys(group for group, _ in seen.values())


def _check_features(entries: Sequence[Entry]) -> None:
    # With one that names them, since tables without names go with any.
    named = next((e for e in entries if e.counts.feature_names is not None), entries[0])
    for entry in entries:
        try:
            check_features(entry.counts, named.counts)
        except ValueError as error:
            raise ValueError(
                f"line {entry.line} does not go with line {named.line}: {error}"
            ) from error


def _added(entries: Sequence[Entry]) -> OutcomeCounts:
    """Everyone in one group: it fails where tables do not go together, and says which."""
    first, *rest = entries
    total = first.counts.pooled()
    for entry in rest:
        try:
            total = total + entry.counts.pooled()
        except ValueError as error:
            raise ValueError(
                f"line {entry.line} does not go with line {first.line}: {error}"
            ) from error
    return total


def _said(entry: Entry) -> str:
    return f"{show_time(entry.time)} (line {entry.line})"


def _numbered(
    entries: Sequence[Entry], length: timedelta, since: datetime | None, until: datetime | None
) -> dict[int, list[Entry]]:
    """Entries by the number of their window, which are consecutive."""
    first = (since or entries[0].time) - _ORIGIN
    last = (until - timedelta(microseconds=1) if until else entries[-1].time) - _ORIGIN
    low, high = first // length, last // length
    if high - low >= _MOST:
        raise ValueError(
            f"every must give at most {_MOST:,} windows, got {length} and {high - low + 1:,} from "
            f"{_said(entries[0])} to {_said(entries[-1])}: take longer ones, or leave out wrong "
            "times by since and until."
        )
    found: dict[int, list[Entry]] = {number: [] for number in range(low, high + 1)}
    for entry in entries:
        found[(entry.time - _ORIGIN) // length].append(entry)
    return found


def _split(
    entries: Sequence[Entry],
    length: timedelta | int,
    since: datetime | None,
    until: datetime | None,
) -> list[tuple[datetime, datetime, Sequence[Entry]]]:
    if isinstance(length, int):
        parts = [entries[start : start + length] for start in range(0, len(entries), length)]
        return [(part[0].time, part[-1].time, part) for part in parts]
    numbered = _numbered(entries, length, since, until)
    return [
        (_ORIGIN + number * length, _ORIGIN + (number + 1) * length, part)
        for number, part in numbered.items()
    ]


def _sum(entries: Sequence[Entry], empty: OutcomeCounts) -> OutcomeCounts:
    return sum((entry.counts for entry in entries), start=empty).reindex(empty.groups)


def windows_of(
    entries: Sequence[Entry],
    every: Every,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
) -> list[Window]:
    """Return the people of each window of time, windows without anyone among them."""
    length = check_every(every)
    if not entries:
        return []
    by_line = sorted(entries, key=lambda entry: entry.line)
    _check_features(by_line)
    empty = _added(by_line).pick().reindex(_check_groups(by_line))
    return [
        Window(start, end, _sum(part, empty), len(part))
        for start, end, part in _split(entries, length, since, until)
    ]
