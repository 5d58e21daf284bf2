"""The log of tables on disk."""

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from skfair_ofi.counts import OutcomeCounts

from ._lines import (
    Entry,
    Fault,
    Tag,
    append_line,
    check_tags,
    check_time,
    read_lines,
    show_time,
    to_line,
)
from ._points import When, make_frame, measure_windows
from ._verdicts import Adjustment, Bound, WatchResult, resolve_bands, share_level
from ._windows import Every, TagFilter, Window, make_windows


class JournalWarning(UserWarning):
    """A line of a journal was skipped."""


class OutcomeJournal:
    """A log of tables in a file: one line of JSON for each batch, and only appended to.

    A line holds counts, a time and tags, never rows. Several processes may append to one
    file at once. A process that is killed loses at most the line it was writing: readers
    skip it and say so.

    Parameters
    ----------
    path : str or path
        The file; ``append`` makes it where it is not there.
    fsync : bool, default=False
        Whether ``append`` waits until the disk has the line. Without it, a line survives
        the end of the process, but perhaps not a power failure.

    Attributes
    ----------
    path : Path
        The file.
    fsync : bool
        As given.

    Raises
    ------
    ValueError
        If the path is a folder.

    Notes
    -----
    Appending locks the file where the system has ``flock``. Windows has not: there, give
    each process a file of its own.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "outcomes.jsonl"
    >>> journal = OutcomeJournal(path)
    >>> for day, y_corrected in [(1, [1, 1, 0]), (2, [1, 0, 0])]:
    ...     batch = OutcomeCounts.from_arrays(
    ...         y_pred=[1, 0, 0], y_corrected=y_corrected, sensitive_features=["a", "a", "b"]
    ...     )
    ...     journal.append(batch, time=f"2026-03-0{day}T12:00:00Z", tags={"model": "v2"})
    >>> for entry in journal:
    ...     print(entry.time.date(), entry.counts.n, entry.tags)
    2026-03-01 3 {'model': 'v2'}
    2026-03-02 3 {'model': 'v2'}
    """

    def __init__(self, path: str | os.PathLike[str], *, fsync: bool = False) -> None:
        self.path = Path(path)
        self.fsync = fsync
        if self.path.is_dir():
            raise ValueError(f"path must be a file, got the folder {str(path)!r}.")

    def append(
        self,
        counts: OutcomeCounts,
        *,
        time: datetime | str | None = None,
        tags: Mapping[str, Tag] | None = None,
    ) -> None:
        """Add a line.

        Parameters
        ----------
        counts : OutcomeCounts
            A batch of people.
        time : datetime or str, default=None
            When they were decided on, with a time zone; text in ISO 8601. None is now.
        tags : mapping of str to str, int, float or bool, default=None
            What to tell batches apart by, such as the model's version. Nothing personal.

        Raises
        ------
        ValueError
            If the time has no time zone, a tag is neither short text nor a number, or the
            table is too large for a line.
        TypeError
            If it is no table, or a group or label is none of str, int, float, bool and None.
        """
        if not isinstance(counts, OutcomeCounts):
            raise TypeError(f"counts must be an OutcomeCounts, got {counts!r}.")
        moment = datetime.now(UTC) if time is None else check_time("time", time)
        append_line(self.path, to_line(counts, moment, check_tags(tags)), fsync=self.fsync)

    def read(self) -> tuple[list[Entry], list[Fault]]:
        """Return what the file holds.

        Returns
        -------
        tuple of (list of Entry, list of Fault)
            Entries in the order of the file, and the lines that were skipped because they
            are not whole.

        Raises
        ------
        FileNotFoundError
            If there is no file.
        ValueError
            If no line is one of a journal, or a whole line says what cannot be.
        """
        lines = list(read_lines(self.path))
        entries = [line for line in lines if isinstance(line, Entry)]
        faults = [line for line in lines if isinstance(line, Fault)]
        if faults and not entries and not any(fault.torn for fault in faults):
            raise ValueError(
                f"path must be a journal of outcomes, got {self.path.name!r}, in which line "
                f"{faults[0].line} is {faults[0].reason}."
            )
        return entries, faults

    def __iter__(self) -> Iterator[Entry]:
        """Return the entries in the order of the file, and warn of lines that are skipped."""
        entries, faults = self.read()
        for fault in faults:
            warnings.warn(
                f"{self.path.name}, line {fault.line} was skipped: {fault.reason}.",
                JournalWarning,
                stacklevel=2,
            )
        return iter(entries)

    def windows(
        self,
        every: Every = "1D",
        *,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        tags: TagFilter = None,
    ) -> list[Window]:
        """Return the people of each window of time, windows without anyone among them.

        Parameters
        ----------
        every : str, timedelta, pandas offset or int, default="1D"
            Length of a window as a frequency of pandas, such as "15min", "6h", "D", "7D",
            "W" or "MS", or a number of batches. Windows of one length start at whole
            multiples since midnight of a Monday, those of the calendar where its weeks,
            months and years do, in UTC.
        since, until : datetime or str, default=None
            From when, and until before when, with a time zone.
        tags : mapping of str to str, int, float, bool or list of them, default=None
            Tags that lines must have to be counted; of a list, any value is enough. Values
            compare as by ``==``: 1, 1.0 and True are one, "1" is another.

        Returns
        -------
        list of Window
            By time, each with the groups of all of them.

        Raises
        ------
        ValueError
            If an option is not what it must be, or lines do not go together: it says which.

        Examples
        --------
        >>> import tempfile
        >>> journal = OutcomeJournal(Path(tempfile.mkdtemp()) / "outcomes.jsonl")
        >>> batch = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=["a", "b"])
        >>> for hour in (9, 9, 11):
        ...     journal.append(batch, time=f"2026-03-01T{hour:02}:30:00Z")
        >>> [(window.start.hour, window.counts.n) for window in journal.windows("1h")]
        [(9, 4), (10, 0), (11, 2)]
        """
        start = None if since is None else check_time("since", since)
        end = None if until is None else check_time("until", until)
        if start is not None and end is not None and start >= end:
            raise ValueError(
                f"since must be before until, got {show_time(start)} and {show_time(end)}."
            )
        try:
            return make_windows(self, every, start, end, tags)
        except ValueError as error:
            about_line = str(error).startswith("line ")
            raise ValueError(f"{self.path.name}, {error}" if about_line else str(error)) from error

    def series(
        self,
        measures: Iterable[Any] | None = None,
        *,
        every: Every = "1D",
        level: float = 0.95,
        privileged: Any = None,
        when: When = "after",
        reference: int | OutcomeCounts | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        tags: TagFilter = None,
    ) -> pd.DataFrame:
        """Return measures by window, with intervals, and how far they moved.

        Parameters
        ----------
        measures : iterable of callable or str, default=None
            Measures. None takes OFI (disparate impact where no true labels are counted),
            the flip rate and its difference between groups.
        every : str, timedelta or int, default="1D"
            As in ``windows``.
        level : float, default=0.95
            Confidence level of each interval, not of all at once.
        privileged : group or collection of groups, default=None
            The group that everyone else is compared with. None takes the largest gaps.
        when : {"before", "after"}, default="after"
            Whether measures of labels read predicted or corrected ones, where both are
            counted.
        reference : int, OutcomeCounts or None, default=None
            What to measure changes from: so many first windows with people together, or a
            table, such as ``training_counts_`` of a classifier.
        since, until : datetime or str, default=None
            As in ``windows``.
        tags : mapping of str to str, int, float, bool or list of them, default=None
            As in ``windows``.

        Returns
        -------
        DataFrame
            One row a measure and window: measure, start, end, batches, people, value, low,
            high, reason (why a value is undefined); with a reference also change,
            change_low, change_high and change_reason.

        Raises
        ------
        ValueError
            As in ``windows``, and if there is nothing in the journal.

        Notes
        -----
        A change is the difference of two independent values, with an interval by MOVER. The
        largest gap over groups is larger by chance where people are few: with windows of
        unequal sizes, name a privileged group.

        Examples
        --------
        >>> import tempfile
        >>> journal = OutcomeJournal(Path(tempfile.mkdtemp()) / "outcomes.jsonl")
        >>> for day, flips in ((1, 2), (2, 30)):
        ...     batch = OutcomeCounts(["a", "b"], [[[[50, 0], [0, 50]]], [[[50, flips], [0, 50]]]])
        ...     journal.append(batch, time=f"2026-03-0{day}T12:00:00Z")
        >>> found = journal.series(["flip_rate"], reference=1)
        >>> found[["value", "change", "change_low", "change_high"]].round(3)
           value  change  change_low  change_high
        0   0.01     NaN         NaN          NaN
        1   0.13   0.121       0.075        0.171
        """
        result = self.watch(
            measures,
            every=every,
            level=level,
            adjust="none",
            privileged=privileged,
            when=when,
            reference=reference,
            since=since,
            until=until,
            tags=tags,
        )
        return make_frame(result.points)

    def watch(
        self,
        measures: Iterable[Any] | None = None,
        *,
        bands: Mapping[Any, Bound] | None = None,
        every: Every = "1D",
        level: float = 0.95,
        adjust: Adjustment = "bonferroni",
        privileged: Any = None,
        when: When = "after",
        reference: int | OutcomeCounts | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        tags: TagFilter = None,
    ) -> WatchResult:
        """Return the series, judged by the ranges that measures must lie in.

        Parameters
        ----------
        measures : iterable of callable or str, default=None
            Measures to show. None takes those with ranges, or where there are none, those of
            ``series``.
        bands : mapping of callable or str to range, default=None
            By measure: a number (the distance from an ideal of 0, a ratio that is taken both
            ways, or the worst value of a rate), a lowest and a highest value of which one may
            be None, `Bands`, of which the acceptable range judges, or None for the measure's
            own. Measures have names, and symbols such as "DI".
        every : str, timedelta or int, default="1D"
            As in ``windows``.
        level : float, default=0.95
            Confidence level of all judged intervals together, or, without adjustment, of each.
        adjust : {"bonferroni", "none"}, default="bonferroni"
            Whether the chance of a false alarm, 1 - level, is divided among all windows with
            people and all ranges. Without it, the more windows, the more false alarms.
        privileged : group or collection of groups, default=None
            The group that everyone else is compared with. None takes the largest gaps.
        when : {"before", "after"}, default="after"
            As in ``series``.
        reference : int, OutcomeCounts or None, default=None
            As in ``series``.
        since, until : datetime or str, default=None
            As in ``windows``.
        tags : mapping of str to str, int, float, bool or list of them, default=None
            As in ``windows``.

        Returns
        -------
        WatchResult
            Points, verdicts, and an exit code.

        Raises
        ------
        ValueError
            If an option is not what it must be, or there is nothing in the journal.

        Examples
        --------
        >>> import tempfile
        >>> journal = OutcomeJournal(Path(tempfile.mkdtemp()) / "outcomes.jsonl")
        >>> for day, flips in ((1, 2), (2, 30)):
        ...     batch = OutcomeCounts(["a", "b"], [[[[50, 0], [0, 50]]], [[[50, flips], [0, 50]]]])
        ...     journal.append(batch, time=f"2026-03-0{day}T12:00:00Z")
        >>> found = journal.watch(bands={"flip_rate": 0.05})
        >>> found.verdicts, found.exit_code
        (('within bounds', 'outside bounds'), 1)
        """
        windows = self.windows(every, since=since, until=until, tags=tags)
        if not windows:
            raise ValueError(f"path must hold lines to measure, got none in {self.path.name!r}.")
        ranges = resolve_bands(bands)
        listed = [measures] if isinstance(measures, str) else list(measures or ())
        looks = max(sum(window.counts.n > 0 for window in windows) * len(ranges), 1)
        each = share_level(level, adjust, looks)
        points = measure_windows(
            windows,
            [*listed, *ranges] if listed or ranges else None,
            level=each,
            privileged=privileged,
            when=when,
            reference=reference,
        )
        return WatchResult(tuple(points), ranges, level, each, adjust, looks)

    def __repr__(self) -> str:
        """Return the path."""
        return f"OutcomeJournal({str(self.path)!r})"
