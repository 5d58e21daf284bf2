"""The series of a journal against bounds: what is crossed with certainty."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, isinf, isnan
from numbers import Real
from typing import Any, Literal

import pandas as pd

from skfair_ofi._validation import check_choice, check_level
from skfair_ofi.metrics import Bands, Metric, Range, Verdict, get_metric

from ._points import Point, make_frame

Bound = float | tuple[float | None, float | None] | Bands | None
Adjustment = Literal["bonferroni", "none"]
# Where there is nobody, there is nothing to judge.
WindowVerdict = Verdict | Literal["no people"]


def _check_number(metric: Metric, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or isnan(value):
        raise ValueError(f"bands must hold numbers, got {value!r} for {metric.name}.")
    return float(value)


def _read_number(metric: Metric, value: float) -> Range:
    """The range that one number means: near the ideal, or on the better side of a rate."""
    if isinf(value):
        raise ValueError(f"bands must be finite for {metric.name}, got {value!r}.")
    if metric.ideal == 0 and value >= 0:
        return Range(-value, value)
    if metric.ideal == 1 and value > 0:
        return Range(*sorted((value, 1 / value)))
    if metric.better is not None:
        return Range(-inf, value) if metric.better == "lower" else Range(value, inf)
    rules = {0.0: "at least 0", 1.0: "above 0"}
    rule = "a lowest and a highest value" if metric.ideal is None else rules[metric.ideal]
    raise ValueError(f"bands must be {rule} for {metric.name}, got {value!r}.")


def resolve_bound(metric: Metric, bound: Bound) -> Range:
    """Return the range that a measure must lie in.

    Examples
    --------
    >>> from skfair_ofi.metrics import METRICS
    >>> resolve_bound(METRICS["objective_fairness_index"], 0.1)
    Range(low=-0.1, high=0.1)
    >>> resolve_bound(METRICS["disparate_impact"], 0.8)
    Range(low=0.8, high=1.25)
    >>> resolve_bound(METRICS["flip_rate"], 0.2)
    Range(low=-inf, high=0.2)
    """
    bands: Any = metric.bands if bound is None else bound
    if bands is None:
        raise ValueError(f"bands must be given for {metric.name}, which has none of its own.")
    if isinstance(bands, Bands):
        return Range(*bands.acceptable)
    if not isinstance(bands, tuple | list):
        return _read_number(metric, _check_number(metric, bands))
    ends = [
        default if end is None else _check_number(metric, end)
        for end, default in zip(bands, (-inf, inf), strict=False)
    ]
    # A range without an end, or at infinity, judges nothing.
    if len(bands) != 2 or ends[0] > ends[1] or not any(map(isfinite, ends)):
        raise ValueError(f"bands must be (lowest, highest), got {bound!r} for {metric.name}.")
    return Range(*ends)


def resolve_bands(bands: Mapping[Any, Bound] | None) -> dict[str, Range]:
    """Return ranges by the names of measures."""
    if bands is not None and not isinstance(bands, Mapping):
        raise ValueError(f"bands must be a mapping of measures to ranges, got {bands!r}.")
    found = {
        get_metric(measure, parameter="bands"): bound for measure, bound in (bands or {}).items()
    }
    return {metric.name: resolve_bound(metric, bound) for metric, bound in found.items()}


@dataclass(frozen=True)
class WatchResult:
    """The series of a journal against bounds; see `OutcomeJournal.watch`.

    Attributes
    ----------
    points : tuple of Point
        Measures by window.
    bands : dict of str to Range
        Lowest and highest value of each judged measure.
    level, level_of_each : float
        Confidence level of all judged intervals together, and that of each of them.
    adjust : {"bonferroni", "none"}
        How the one follows from the other.
    looks : int
        Number of judged intervals that the level is shared by.
    """

    points: tuple[Point, ...]
    bands: dict[str, Range]
    level: float
    level_of_each: float
    adjust: Adjustment
    looks: int

    def verdict(self, point: Point) -> WindowVerdict | None:
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
        if not point.window.counts.n:
            return "no people"
        return Bands(bound).judge_interval(point.interval.low, point.interval.high)

    @property
    def verdicts(self) -> tuple[WindowVerdict | None, ...]:
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
