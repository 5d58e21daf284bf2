"""Measures of each window, and how far they are from a reference, with intervals."""

from collections.abc import Iterable, Sequence
from math import hypot, isinf, isnan, nan
from typing import Any, Literal, NamedTuple

import pandas as pd

from skfair_ofi._validation import check_choice, resolve_privileged
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import Interval, confidence_intervals
from skfair_ofi.inference._forms import has_roles, metric_of
from skfair_ofi.metrics import METRICS, Metric

from ._windows import Window, check_features

When = Literal["before", "after"]
# In this order, as far as the tables count enough for them.
_DEFAULTS = ("objective_fairness_index", "flip_rate", "flip_rate_difference")
_WITHOUT_TRUTH = ("disparate_impact", "flip_rate", "flip_rate_difference")


class Point(NamedTuple):
    """A measure of a window, and its change since the reference, where there is one."""

    metric: Metric
    window: Window
    interval: Interval
    change: Interval | None


def resolve_measures(measures: Iterable[Any] | None, counts: OutcomeCounts) -> list[Metric]:
    """Return the measures asked for, or those that suit a table."""
    if isinstance(measures, str):
        measures = [measures]
    if measures is not None:
        found = list(dict.fromkeys(metric_of(measure).name for measure in measures))
    else:
        suited = _DEFAULTS if "y_true" in counts.roles else _WITHOUT_TRUTH
        found = [name for name in suited if has_roles(METRICS[name], counts)]
    if not found:
        raise ValueError(f"measures must name at least one, got none for roles {counts.roles}.")
    return [METRICS[name] for name in found]


def read_by(metric: Metric, counts: OutcomeCounts, when: When) -> OutcomeCounts:
    """Return the table that a measure reads."""
    check_choice("when", when, ("before", "after"))
    corrected = when == "after" and "y_corrected" in counts.roles
    return counts.after if corrected and metric.family != "flip" else counts


def intervals_of(
    metrics: Sequence[Metric], counts: OutcomeCounts, level: float, privileged: Any, when: When
) -> list[Interval]:
    """Return the intervals of some measures of one table."""
    found: dict[str, Interval] = {}
    for flips in (True, False):
        same = [metric for metric in metrics if (metric.family == "flip") == flips]
        if same:
            table = read_by(same[0], counts, when)
            names = [metric.name for metric in same]
            found |= confidence_intervals(table, measures=names, level=level, privileged=privileged)
    return [found[metric.name] for metric in metrics]


def difference(later: Interval, earlier: Interval) -> Interval:
    """Return the interval of a difference of two independent values.

    Distances to the ends of both are added in squares (MOVER; G. Y. Zou and A. Donner
    2008, doi 10.1002/sim.3095).

    Examples
    --------
    >>> now, then = (Interval(e - 0.3, e + 0.3, e, 0.95, "Wilson") for e in (0.5, 0.1))
    >>> change = difference(now, then)
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


def _named(windows: Sequence[Window]) -> OutcomeCounts:
    """A table that names its sensitive features, if there is one."""
    tables = [window.counts for window in windows]
    return next((table for table in tables if table.feature_names is not None), tables[0])


def resolve_reference(
    reference: int | OutcomeCounts | None, windows: Sequence[Window]
) -> Reference | None:
    """Return what windows are compared with."""
    if reference is None:
        return None
    if isinstance(reference, OutcomeCounts):
        try:
            check_features(reference, _named(windows))
            # first, since empty tables go with any: do all people go together?
            sum((window.counts.pooled() for window in windows), start=reference.pooled())
            return Reference(windows[0].counts.pick() + reference, frozenset())
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


def points_of(
    windows: Sequence[Window],
    metrics: Sequence[Metric],
    *,
    level: float,
    privileged: Any,
    when: When,
    reference: Reference | None,
) -> list[Point]:
    """Return the measures of all windows, measure by measure."""
    if privileged is not None:  # whatever is measured: rates do not look at it
        privileged = list(resolve_privileged(privileged, windows[0].counts.groups))
    rows = [intervals_of(metrics, window.counts, level, privileged, when) for window in windows]
    earlier = (
        None
        if reference is None
        else intervals_of(metrics, reference.counts, level, privileged, when)
    )
    points = []
    for column, metric in enumerate(metrics):
        for place, (window, row) in enumerate(zip(windows, rows, strict=True)):
            change = None
            if earlier is not None and reference is not None:
                change = difference(row[column], earlier[column])
                if place in reference.windows:
                    change = Interval(nan, nan, nan, level, "none", "part of the reference")
            points.append(Point(metric, window, row[column], change))
    return points


def reason_of(interval: Interval) -> str | None:
    """Return why an interval is not there, or None where it is."""
    return (interval.note or "undefined") if isnan(interval.low) else None


def frame_of(points: Sequence[Point]) -> pd.DataFrame:
    """Return points as a frame."""
    records = [_record(point) for point in points]
    frame = pd.DataFrame.from_records(records)
    # As objects, since among text, pandas makes NaN of None.
    reasons = {
        name: pd.Series([record[name] for record in records], dtype=object)
        for name in ("reason", "change_reason")
        if name in frame
    }
    return frame.assign(**reasons)


def _record(point: Point) -> dict[str, Any]:
    window, interval = point.window, point.interval
    row = {
        "measure": point.metric.name,
        "start": window.start,
        "end": window.end,
        "batches": window.batches,
        "people": window.counts.n,
        "value": interval.estimate,
        "low": interval.low,
        "high": interval.high,
        "reason": reason_of(interval),
    }
    if point.change is not None:
        change = point.change
        row |= {"change": change.estimate, "change_low": change.low, "change_high": change.high}
        row["change_reason"] = reason_of(change)
    return row
