"""The series of a journal against bounds: what is crossed with certainty."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf, isinf, isnan
from numbers import Real
from typing import Any, Literal

import pandas as pd

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import Interval
from skfair_ofi.inference._forms import metric_of
from skfair_ofi.inference._intervals import check_level
from skfair_ofi.metrics import Metric

from ._journal import OutcomeJournal
from ._series import Point, When, frame_of, points_of, resolve_measures, resolve_reference
from ._windows import Every, TagFilter

Bound = float | tuple[float | None, float | None] | None
Adjustment = Literal["bonferroni", "none"]
Verdict = Literal["within bounds", "outside bounds", "uncertain", "undefined", "no people"]


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or isnan(value):
        raise ValueError(f"bounds must hold numbers, got {value!r} for {name}.")
    return float(value)


def _one_number(metric: Metric, value: float) -> tuple[float, float]:
    """The range that one number means: near the ideal, or on the better side of a rate."""
    if isinf(value):
        raise ValueError(f"bounds must be finite for {metric.name}, got {value!r}.")
    if metric.ideal == 0 and value >= 0:
        return -value, value
    if metric.ideal == 1 and value > 0:
        return min(value, 1 / value), max(value, 1 / value)
    if metric.better == "lower":
        return -inf, value
    if metric.better == "higher":
        return value, inf
    if metric.ideal is None:
        raise ValueError(
            f"bounds must be a lowest and a highest value for {metric.name}, got {value!r}."
        )
    raise ValueError(
        f"bounds must be {'at least' if metric.ideal == 0 else 'above'} 0 for {metric.name}, "
        f"got {value!r}."
    )


def resolve_bound(metric: Metric, bound: Bound) -> tuple[float, float]:
    """Return the range that a measure must lie in.

    Examples
    --------
    >>> from skfair_ofi.metrics import METRICS
    >>> resolve_bound(METRICS["objective_fairness_index"], 0.1)
    (-0.1, 0.1)
    >>> resolve_bound(METRICS["disparate_impact"], 0.8)
    (0.8, 1.25)
    >>> resolve_bound(METRICS["flip_rate"], 0.2)
    (-inf, 0.2)
    """
    if bound is None:
        if metric.bands is None:
            raise ValueError(f"bounds must be given for {metric.name}, which has none of its own.")
        return metric.bands.acceptable
    if not isinstance(bound, tuple | list):
        return _one_number(metric, _number(metric.name, bound))
    if len(bound) != 2:
        raise ValueError(f"bounds must be (lowest, highest), got {bound!r} for {metric.name}.")
    low, high = (
        default if end is None else _number(metric.name, end)
        for end, default in zip(bound, (-inf, inf), strict=True)
    )
    if low > high or (low == -inf and high == inf) or (low == high and isinf(low)):
        raise ValueError(f"bounds must be (lowest, highest), got {bound!r} for {metric.name}.")
    return low, high


def resolve_bounds(
    bounds: Mapping[Any, Bound] | None, name: str = "bounds"
) -> dict[str, tuple[float, float]]:
    """Return ranges by the names of measures."""
    if bounds is not None and not isinstance(bounds, Mapping):
        raise ValueError(f"{name} must be a mapping of measures to numbers, got {bounds!r}.")
    found = {metric_of(measure): bound for measure, bound in (bounds or {}).items()}
    return {metric.name: resolve_bound(metric, bound) for metric, bound in found.items()}


def judge(interval: Interval, bound: tuple[float, float]) -> Verdict:
    """Return what an interval says about a range.

    Examples
    --------
    >>> [
    ...     judge(Interval(low, high, high, 0.95, "Wald"), (-0.1, 0.1))
    ...     for low, high in ((-0.1, 0.05), (0.05, 0.2), (0.11, 0.2))
    ... ]
    ['within bounds', 'uncertain', 'outside bounds']
    """
    if isnan(interval.low) or isnan(interval.high):
        return "undefined"
    low, high = bound
    if interval.low > high or interval.high < low:
        return "outside bounds"
    return "within bounds" if low <= interval.low and interval.high <= high else "uncertain"


def resolve_names(measures: Iterable[Any], bounds: Mapping[str, Any]) -> list[str]:
    """Return the measures asked for, and those with bounds behind them."""
    listed = [measures] if isinstance(measures, str) else list(measures)
    return [*(metric_of(measure).name for measure in listed), *bounds]


@dataclass(frozen=True)
class Watch:
    """The series of a journal against bounds; see `watch`.

    Attributes
    ----------
    points : tuple of Point
        Measures by window.
    bounds : dict of str to tuple of (float, float)
        The range of each judged measure.
    level, each : float
        Confidence level of all judged intervals together, and that of each of them.
    adjust : {"bonferroni", "none"}
        How the one follows from the other.
    looks : int
        Number of judged intervals that the level is shared by.
    """

    points: tuple[Point, ...]
    bounds: dict[str, tuple[float, float]]
    level: float
    each: float
    adjust: Adjustment
    looks: int

    def verdict(self, point: Point) -> Verdict | None:
        """Return the verdict on a point; None where its measure has no bounds.

        Parameters
        ----------
        point : Point
            One of the points.

        Returns
        -------
        {"within bounds", "outside bounds", "uncertain", "undefined", "no people"} or None
            "outside bounds" only where the whole interval is.
        """
        bound = self.bounds.get(point.metric.name)
        if bound is None:
            return None
        return judge(point.interval, bound) if point.window.counts.n else "no people"

    @property
    def verdicts(self) -> tuple[Verdict | None, ...]:
        """The verdicts, in the order of the points."""
        return tuple(self.verdict(point) for point in self.points)

    @property
    def frame(self) -> pd.DataFrame:
        """One row a measure and window: as in ``series``, with lowest, highest and verdict."""
        frame = frame_of(self.points)
        ends = [self.bounds.get(point.metric.name, (None, None)) for point in self.points]
        frame["lowest"] = pd.Series([low for low, _ in ends], dtype="float64")
        frame["highest"] = pd.Series([high for _, high in ends], dtype="float64")
        frame["verdict"] = pd.Series(list(self.verdicts), dtype=object)
        return frame

    @property
    def exit_code(self) -> int:
        """1 where something is outside its bounds, else 3 where nothing can be known of it.

        0 otherwise. Windows without anyone leave nothing to judge, unless all are.
        """
        found = [verdict for verdict in self.verdicts if verdict is not None]
        if "outside bounds" in found:
            return 1
        empty = bool(self.bounds) and set(found) <= {"no people"}
        return 3 if empty or "undefined" in found else 0


def share_level(
    level: float, adjust: Adjustment, bounds: Mapping[str, Any], windows: Sequence[Any]
) -> tuple[float, int]:
    """Return the level of each interval, and how many share the level of all."""
    check_choice("adjust", adjust, ("bonferroni", "none"))
    held = sum(1 for window in windows if window.counts.n > 0)
    looks = max(held * len(bounds), 1)
    return (level if adjust == "none" else 1 - (1 - level) / looks), looks


def watch(
    journal: OutcomeJournal,
    measures: Iterable[Any] | None = None,
    *,
    bounds: Mapping[Any, Bound] | None = None,
    every: Every = "1D",
    level: float = 0.95,
    adjust: Adjustment = "bonferroni",
    privileged: Any = None,
    when: When = "after",
    reference: int | OutcomeCounts | None = None,
    since: datetime | str | None = None,
    until: datetime | str | None = None,
    tags: TagFilter = None,
) -> Watch:
    """The series of a journal, judged by bounds.

    Parameters
    ----------
    journal : OutcomeJournal
        The journal.
    measures : iterable of callable or str, default=None
        Measures to show. None takes those with bounds, or where there are none, those of
        ``OutcomeJournal.series``.
    bounds : mapping of callable or str to bound, default=None
        By measure: a number (the distance from an ideal of 0, a ratio that is taken both
        ways, or the worst value of a rate), a lowest and a highest value of which one may
        be None, or None for the measure's own range.
    every : str, timedelta or int, default="1D"
        As in ``OutcomeJournal.windows``.
    level : float, default=0.95
        Confidence level of all judged intervals together, or, without adjustment, of each.
    adjust : {"bonferroni", "none"}, default="bonferroni"
        Whether the chance of a false alarm, 1 - level, is divided among all windows with
        people and all bounds. Without it, the more windows, the more false alarms.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None takes the largest gaps.
    when : {"before", "after"}, default="after"
        As in ``OutcomeJournal.series``.
    reference : int, OutcomeCounts or None, default=None
        As in ``OutcomeJournal.series``.
    since, until : datetime or str, default=None
        As in ``OutcomeJournal.windows``.
    tags : mapping of str to str, int, float, bool or list of them, default=None
        As in ``OutcomeJournal.windows``.

    Returns
    -------
    Watch
        Points, verdicts, and an exit code.

    Raises
    ------
    ValueError
        If an option is not what it must be, or there is nothing in the journal.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> journal = OutcomeJournal(Path(tempfile.mkdtemp()) / "outcomes.jsonl")
    >>> for day, flips in ((1, 2), (2, 30)):
    ...     batch = OutcomeCounts(["a", "b"], [[[[50, 0], [0, 50]]], [[[50, flips], [0, 50]]]])
    ...     journal.append(batch, time=f"2026-03-0{day}T12:00:00Z")
    >>> found = watch(journal, bounds={"flip_rate": 0.05})
    >>> found.verdicts, found.exit_code
    (('within bounds', 'outside bounds'), 1)
    """
    ranges = resolve_bounds(bounds)
    asked = None if measures is None else resolve_names(measures, ranges)
    windows = journal.windows(every, since=since, until=until, tags=tags)
    if not windows:
        raise ValueError(f"journal must hold lines to measure, got none in {journal.path.name!r}.")
    each, looks = share_level(check_level(level), adjust, ranges, windows)
    points = points_of(
        windows,
        resolve_measures(asked or (ranges or None), windows[0].counts),
        level=each,
        privileged=privileged,
        when=when,
        reference=resolve_reference(reference, windows),
    )
    return Watch(tuple(points), ranges, level, each, adjust, looks)
