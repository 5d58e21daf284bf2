"""Measures of each window, and how far they are from a reference, with intervals."""

from collections.abc import Iterable, Sequence
from math import hypot, isinf, isnan, nan
from typing import Any, Literal, NamedTuple

import pandas as pd

from skfair_ofi._validation import check_choice, resolve_privileged
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import Interval, find_intervals
from skfair_ofi.metrics import METRICS, Metric, get_metric

from ._windows import Window, check_features

When = Literal["before", "after"]
# What a series shows unasked: of each line, the first measure that tables count enough for.
SERIES_MEASURES = (
    ("objective_fairness_index", "disparate_impact"),
    ("flip_rate",),
    ("flip_rate_difference",),
)
# What a frame calls an interval and that of a change.
_COLUMNS = (
    ("value", "low", "high", "reason"),
    ("change", "change_low", "change_high", "change_reason"),
)


class Point(NamedTuple):
    """A measure of a window, and its change since the reference, where there is one."""

    metric: Metric
    window: Window
    interval: Interval
    change: Interval | None


def resolve_measures(measures: Iterable[Any] | None, counts: OutcomeCounts) -> list[Metric]:
    """Return the measures asked for, or those that suit a table."""
    if measures is None:
        fitting = (
            [name for name in line if METRICS[name].fits(counts)] for line in SERIES_MEASURES
        )
        measures = [names[0] for names in fitting if names]
        if not measures:
            raise ValueError(f"measures must be given for tables that count {counts.roles}.")
    return list(dict.fromkeys(get_metric(one, parameter="measures") for one in measures))


def _measure(
    metrics: Sequence[Metric], counts: OutcomeCounts, level: float, privileged: Any, when: When
) -> list[Interval]:
    """Return the intervals of some measures of one table."""
    corrected = when == "after" and "y_corrected" in counts.roles
    found: dict[str, Interval] = {}
    for table, flips in ((counts, True), (counts.after if corrected else counts, False)):
        same = [metric for metric in metrics if (metric.family == "flip") == flips]
        if same:
            found |= find_intervals(table, same, level, privileged)
    return [found[metric.name] for metric in metrics]


def subtract_intervals(later: Interval, earlier: Interval) -> Interval:
    """Return the interval of a difference of two independent values.

    Distances to the ends of both are added in squares (MOVER; G. Y. Zou and A. Donner
    2008, doi 10.1002/sim.3095).

    Examples
    --------
    >>> now, then = (Interval(e - 0.3, e + 0.3, e, 0.95, "Wilson") for e in (0.5, 0.1))
    >>> change = subtract_intervals(now, then)
    >>> round(change.estimate, 3), round(change.low, 3), round(change.high, 3)
    (0.4, -0.024, 0.824)
    """
    level = later.level
    for name, one in (("", later), ("reference: ", earlier)):
        if isnan(one.estimate) or isnan(one.low) or isinf(one.estimate):
            reason = one.note if isnan(one.estimate) or isnan(one.low) else "infinite"
            return Interval(nan, nan, nan, level, "none", f"{name}{reason or 'undefined'}")
    value = later.estimate - earlier.estimate
    down = hypot(later.estimate - later.low, earlier.high - earlier.estimate)
    up = hypot(later.high - later.estimate, earlier.estimate - earlier.low)
    return Interval(value - down, value + up, value, level, "MOVER")


class Reference(NamedTuple):
    """What windows are compared with: a table, and which windows it is made of."""

    counts: OutcomeCounts
    windows: frozenset[int]


def resolve_reference(reference: int | OutcomeCounts, windows: Sequence[Window]) -> Reference:
    """Return what windows are compared with."""
    if isinstance(reference, OutcomeCounts):
        tables = [window.counts for window in windows]
        named = next((table for table in tables if table.feature_names is not None), tables[0])
        try:
            check_features(reference, named)
            # first, since empty tables go with any: do all people go together?
            sum((table.pooled() for table in tables), start=reference.pooled())
            return Reference(tables[0].pick() + reference, frozenset())
        except ValueError as error:
            raise ValueError(f"reference does not go with the journal: {error}") from error
    if type(reference) is not int or reference < 1:
        raise ValueError(
            f"reference must be a number of windows or an OutcomeCounts, got {reference!r}."
        )
    held = [place for place, window in enumerate(windows) if window.counts.n > 0]
    if len(held) <= reference:
        raise ValueError(
            f"reference must leave a window to compare, got {reference} of {len(held)} with people."
        )
    first = held[:reference]
    return Reference(
        sum((windows[i].counts for i in first[1:]), start=windows[first[0]].counts),
        frozenset(first),
    )


def measure_windows(
    windows: Sequence[Window],
    measures: Iterable[Any] | None,
    *,
    level: float,
    privileged: Any,
    when: When,
    reference: int | OutcomeCounts | None,
) -> list[Point]:
    """Return the measures of all windows, measure by measure."""
    check_choice("when", when, ("before", "after"))
    metrics = resolve_measures(measures, windows[0].counts)
    compared = None if reference is None else resolve_reference(reference, windows)
    if privileged is not None:  # whatever is measured: rates do not look at it
        privileged = list(resolve_privileged(privileged, windows[0].counts.groups))
    rows = [_measure(metrics, window.counts, level, privileged, when) for window in windows]
    earlier = _measure(metrics, compared.counts, level, privileged, when) if compared else []
    points = []
    for column, metric in enumerate(metrics):
        for place, (window, row) in enumerate(zip(windows, rows, strict=True)):
            change = None
            if compared is not None:
                change = subtract_intervals(row[column], earlier[column])
                if place in compared.windows:
                    change = Interval(nan, nan, nan, level, "none", "part of the reference")
            points.append(Point(metric, window, row[column], change))
    return points


def make_frame(points: Sequence[Point]) -> pd.DataFrame:
    """Return points as a frame."""
    records = []
    for point in points:
        window = point.window
        row: dict[str, Any] = {
            "measure": point.metric.name,
            "start": window.start,
            "end": window.end,
            "batches": window.batches,
            "people": window.counts.n,
        }
        for columns, interval in zip(_COLUMNS, (point.interval, point.change), strict=True):
            if interval is not None:
                reason = (interval.note or "undefined") if isnan(interval.low) else None
                ends = interval.estimate, interval.low, interval.high
                row |= zip(columns, (*ends, reason), strict=True)
        records.append(row)
    # As objects, since among text, pandas makes NaN of None.
    reasons = {
        name: pd.Series([record[name] for record in records], dtype=object)
        for name in ("reason", "change_reason")
        if name in records[0]
    }
    return pd.DataFrame.from_records(records).assign(**reasons)
