"""The series of a journal against bounds: what is crossed with certainty."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isinf, isnan
from numbers import Real
from typing import Any, Literal

import pandas as pd

from skfair_ofi._validation import check_choice, check_level
from skfair_ofi.inference import Interval
from skfair_ofi.metrics import Metric, get_metric

from ._points import Point, make_frame

Bound = float | tuple[float | None, float | None] | None
Adjustment = Literal["bonferroni", "none"]
Verdict = Literal["within bounds", "outside bounds", "uncertain", "undefined", "no people"]


def _check_number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or isnan(value):
        raise ValueError(f"bands must hold numbers, got {value!r} for {name}.")
    return float(value)


def _read_number(metric: Metric, value: float) -> tuple[float, float]:
    """The range that one number means: near the ideal, or on the better side of a rate."""
    if isinf(value):
        raise ValueError(f"bands must be finite for {metric.name}, got {value!r}.")
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
            f"bands must be a lowest and a highest value for {metric.name}, got {value!r}."
        )
    raise ValueError(
        f"bands must be {'at least' if metric.ideal == 0 else 'above'} 0 for {metric.name}, "
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
            raise ValueError(f"bands must be given for {metric.name}, which has none of its own.")
        return metric.bands.acceptable
    if not isinstance(bound, tuple | list):
        return _read_number(metric, _check_number(metric.name, bound))
    if len(bound) != 2:
        raise ValueError(f"bands must be (lowest, highest), got {bound!r} for {metric.name}.")
    low, high = (
        default if end is None else _check_number(metric.name, end)
        for end, default in zip(bound, (-inf, inf), strict=True)
    )
    if low > high or (low == -inf and high == inf) or (low == high and isinf(low)):
        raise ValueError(f"bands must be (lowest, highest), got {bound!r} for {metric.name}.")
    return low, high


def resolve_bands(bands: Mapping[Any, Bound] | None) -> dict[str, tuple[float, float]]:
    """Return ranges by the names of measures."""
    if bands is not None and not isinstance(bands, Mapping):
        raise ValueError(f"bands must be a mapping of measures to ranges, got {bands!r}.")
    found = {get_metric(measure): bound for measure, bound in (bands or {}).items()}
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


@dataclass(frozen=True)
class WatchResult:
    """The series of a journal against bounds; see `OutcomeJournal.watch`.

    Attributes
    ----------
    points : tuple of Point
        Measures by window.
    bands : dict of str to tuple of (float, float)
        The range of each judged measure.
    level, level_of_each : float
        Confidence level of all judged intervals together, and that of each of them.
    adjust : {"bonferroni", "none"}
        How the one follows from the other.
    looks : int
        Number of judged intervals that the level is shared by.
    """

    points: tuple[Point, ...]
    bands: dict[str, tuple[float, float]]
    level: float
    level_of_each: float
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
        bound = self.bands.get(point.metric.name)
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
        frame = make_frame(self.points)
        ends = [self.bands.get(point.metric.name, (None, None)) for point in self.points]
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
        empty = bool(self.bands) and set(found) <= {"no people"}
        return 3 if empty or "undefined" in found else 0


def share_level(level: float, adjust: Adjustment, looks: int) -> float:
    """Return the level of each of some intervals that are judged.

    Examples
    --------
    >>> share_level(0.95, "bonferroni", 5), share_level(0.95, "none", 5)
    (0.99, 0.95)
    """
    check_choice("adjust", adjust, ("bonferroni", "none"))
    check_level(level)
    return level if adjust == "none" else 1 - (1 - level) / looks
