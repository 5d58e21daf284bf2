"""Entries of a journal by windows of time, or by number of batches.

Lengths of windows are pandas' own frequencies. Those of one length, such as "6h" or "7D",
start at whole multiples since midnight of a Monday, in UTC; those of the calendar, such as
"W" or "MS", where their weeks or months do.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any, cast

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from skfair_ofi._validation import sort_keys
from skfair_ofi.counts import OutcomeCounts

from ._lines import Entry, Tag, check_tags, show_time

Every = str | timedelta | pd.offsets.BaseOffset | int
# A value, or several of which a tag must be one.
TagFilter = Mapping[str, Tag | list[Any]] | None
_ORIGIN = datetime(1970, 1, 5, tzinfo=UTC)  # a Monday
_MOST = 100_000


@dataclass(frozen=True)
class Window:
    """The people of a stretch of time."""

    # From when, and until before when, in UTC; of a window of some batches, the times of
    # the first and of the last.
    start: datetime
    end: datetime
    counts: OutcomeCounts  # with the groups of all windows
    batches: int  # number of lines they come from


def check_every(every: Every) -> timedelta | pd.offsets.BaseOffset | int:
    """Return the length of a window, or the steps of the calendar that it follows.

    Examples
    --------
    >>> check_every("6h"), check_every("MS"), check_every(20)
    (datetime.timedelta(seconds=21600), <MonthBegin>, 20)
    """
    found: Any = every.item() if isinstance(every, np.generic) else every
    try:
        if isinstance(found, str | timedelta | pd.offsets.BaseOffset):
            found = to_offset(found)
    except ValueError:
        found = None
    # A duration of NumPy without a unit is a number, and so are truth values.
    is_number = isinstance(found, int) and not isinstance(every, bool | np.bool_ | np.timedelta64)
    if not (is_number or isinstance(found, pd.offsets.BaseOffset)):
        raise ValueError(
            "every must be a frequency of pandas, such as '15min', '6h', 'D', 'W' or 'MS', or a "
            f"number of batches, got {every!r}."
        )
    steps = found if is_number else found.n
    if isinstance(found, pd.offsets.Tick | pd.offsets.Day):
        found = ((pd.Timestamp(_ORIGIN) + found) - _ORIGIN).to_pytimedelta()
    if steps < 1 or not found:
        raise ValueError(f"every must be positive, got {every!r}.")
    return cast("timedelta | pd.offsets.BaseOffset | int", found)


def _choose_entries(
    entries: Iterable[Entry], since: datetime | None, until: datetime | None, tags: TagFilter
) -> list[Entry]:
    """Entries of some time and of some tags, by time."""
    items = tags.items() if isinstance(tags, Mapping) else check_tags(tags).items()
    wanted = {name: value if isinstance(value, list) else [value] for name, value in items}
    for name, values in wanted.items():
        for value in values:
            check_tags({name: value})
    found = [
        entry
        for entry in entries
        if (since is None or entry.time >= since)
        and (until is None or entry.time < until)
        and all(entry.tags.get(name) in values for name, values in wanted.items())
    ]
    return sorted(found, key=lambda entry: entry.time)


def check_features(counts: OutcomeCounts, first: OutcomeCounts) -> None:
    """Refuse tables of different sensitive features, whose groups say nothing of each other."""
    names = counts.feature_names, first.feature_names
    if None not in names and names[0] != names[1]:
        raise ValueError(
            f"Tables must have the same sensitive features, got {names[0]} and {names[1]}."
        )
    here, there = (
        max((len(key) if isinstance(key, tuple) else 1 for key in table.groups), default=1)
        for table in (counts, first)
    )
    if counts.groups and first.groups and here != there:
        raise ValueError(
            f"Tables must have groups of as many sensitive features, got {here} and {there}."
        )


def spell_key(key: Hashable) -> Hashable:
    """Return what a key has in common with keys of other types that look like it.

    Examples
    --------
    >>> {spell_key(key) for key in (1, "1", 1.0, True)}
    {'1'}
    """
    if isinstance(key, tuple):
        return tuple(spell_key(part) for part in key)
    if isinstance(key, int) or (isinstance(key, float) and key.is_integer()):
        return str(int(key))
    return repr(key) if isinstance(key, float) else key


def _collect_groups(entries: Sequence[Entry]) -> tuple[Hashable, ...]:
    """All groups, none of which is another one in another type."""
    seen: dict[Hashable, tuple[Hashable, int]] = {}
    for entry in entries:
        for group in entry.counts.groups:
            known, line = seen.setdefault(spell_key(group), (group, entry.line))
            if repr(known) != repr(group):
                raise ValueError(
                    f"line {entry.line}: groups must have one type, got {group!r} here and "
                    f"{known!r} in line {line}."
                )
    return sort_keys(group for group, _ in seen.values())


def _make_empty(entries: Sequence[Entry]) -> OutcomeCounts:
    """A table of no one with all groups; lines that do not go together are named."""
    # Features are compared with a line that names them, since tables without names go with any.
    named = next((e for e in entries if e.counts.feature_names is not None), entries[0])
    total = entries[0].counts.pooled()
    for entry in entries:
        other = named
        try:
            check_features(entry.counts, named.counts)
            other = entries[0]
            total = total + entry.counts.pooled()
        except ValueError as error:
            raise ValueError(
                f"line {entry.line} does not go with line {other.line}: {error}"
            ) from error
    return total.pick().reindex(_collect_groups(entries))


def _split_calendar(
    offset: pd.offsets.BaseOffset, first: datetime, last: datetime
) -> list[datetime]:
    """Where windows of the calendar start and end, from one that holds the first moment on."""
    # From one and the same day, so that windows of two weeks are the same ones tomorrow.
    start = offset.rollback(pd.Timestamp(min(first, _ORIGIN)).floor("D"))
    days = pd.date_range(start - 2 * offset, last + 2 * offset, freq=offset)
    # Weeks and months that are named by their last day end with it.
    after = timedelta(days=1) if pd.Grouper(freq=offset).closed == "right" else timedelta(0)
    edges = [day.to_pydatetime() + after for day in days]
    return edges[bisect_right(edges, first) - 1 : bisect_right(edges, last) + 1]


def _find_edges(
    entries: Sequence[Entry],
    every: timedelta | pd.offsets.BaseOffset,
    since: datetime | None,
    until: datetime | None,
) -> list[datetime]:
    first = since or entries[0].time
    last = until - timedelta(microseconds=1) if until else entries[-1].time
    if isinstance(every, timedelta):
        length, low = every, (first - _ORIGIN) // every
        number = (last - _ORIGIN) // every - low + 1
    else:
        length, low = (_ORIGIN + 2 * every) - (_ORIGIN + every), 0
        number = (last - first) // length + 1
    if number > _MOST:  # before they are made, since one wrong time would make millions
        ends = (f"{show_time(entries[i].time)} (line {entries[i].line})" for i in (0, -1))
        raise ValueError(
            f"every must give at most {_MOST:,} windows, got {length} and {number:,} from "
            f"{' to '.join(ends)}: take longer ones, or leave out wrong times by since and until."
        )
    if isinstance(every, timedelta):
        return [_ORIGIN + place * every for place in range(low, low + number + 1)]
    return _split_calendar(every, first, last)


def make_windows(
    entries: Iterable[Entry],
    every: Every,
    since: datetime | None,
    until: datetime | None,
    tags: TagFilter,
) -> list[Window]:
    """Return the people of each window of time, windows without anyone among them."""
    length = check_every(every)
    chosen = _choose_entries(entries, since, until, tags)
    if not chosen:
        return []
    empty = _make_empty(sorted(chosen, key=lambda entry: entry.line))
    if isinstance(length, int):
        batches = [chosen[start : start + length] for start in range(0, len(chosen), length)]
        parts = [(part[0].time, part[-1].time, part) for part in batches]
    else:
        edges = _find_edges(chosen, length, since, until)
        times = [entry.time for entry in chosen]
        cuts = [bisect_left(times, edge) for edge in edges]
        parts = [
            (start, end, chosen[low:high])
            for (start, low), (end, high) in pairwise(zip(edges, cuts, strict=True))
        ]
    return [
        Window(start, end, sum((entry.counts for entry in part), start=empty), len(part))
        for start, end, part in parts
    ]
