"""An interval, what it says about bands, and its notes in words."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan, nan
from typing import Literal

import numpy as np

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Bands, Metric, Verdict
from skfair_ofi.metrics._comparisons import Contrast

from ._samples import Sample

_EXPECTED = (
    "fractional counts are read as expected ones: the interval is for people drawn anew and "
    "treated once, not for the randomness of the rule"
)


HIDDEN = "scores vary less than numbers of their size can show, and are taken to vary by that much"
_NO_WIDTH = "everyone in a group is alike, so the width says nothing of the doubt"


@dataclass(frozen=True)
class Interval:
    """Confidence interval of a measure.

    Attributes
    ----------
    low, high : float
        Its ends, which may be infinite; NaN where there is no interval.
    estimate : float
        The measure of the table, always inside; NaN where undefined.
    level : float
        Confidence level.
    method : str
        What it was computed by; "none" where there is no interval.
    note : str or None
        Why there is no interval, or what to know about this one.

    Examples
    --------
    >>> interval = Interval(0.1, 0.4, 0.25, 0.95, "Wilson")
    >>> 0.3 in interval, round(interval.width, 3)
    (True, 0.3)
    """

    low: float
    high: float
    estimate: float
    level: float
    method: str
    note: str | None = None

    def __contains__(self, value: float) -> bool:
        """Return whether a value lies between the ends, or on one."""
        return self.low <= value <= self.high

    @property
    def width(self) -> float:
        """Distance between the ends."""
        return self.high - self.low

    def judge(self, bands: Bands) -> Verdict | Literal["uncertain"]:
        """Return the verdict that holds for every value inside, or "uncertain".

        Parameters
        ----------
        bands : Bands
            Ranges of verdicts.

        Returns
        -------
        {"acceptable", "moderate", "disproportionate", "undefined", "uncertain"}
            "uncertain" where a bound lies inside the interval, "undefined" without interval.

        Examples
        --------
        >>> bands = Bands.within(0.1)
        >>> ends = [(-0.05, 0.08), (0.02, 0.3), (0.12, 0.3)]
        >>> [Interval(low, high, high, 0.95, "Newcombe").judge(bands) for low, high in ends]
        ['acceptable', 'uncertain', 'disproportionate']
        """
        if isnan(self.low) or isnan(self.high):
            return "undefined"
        edges = [*bands.acceptable, *(bands.moderate or ())]
        inside = any(self.low < edge < self.high for edge in edges)
        verdict = bands.judge(self.low)
        return "uncertain" if inside or bands.judge(self.high) != verdict else verdict


def no_interval(estimate: float, level: float, reason: str | None) -> Interval:
    """Return an interval without ends."""
    return Interval(nan, nan, estimate, level, "none", reason)


def finished(
    ends: tuple[float, float],
    estimate: float,
    level: float,
    method: str,
    *,
    metric: Metric,
    notes: Iterable[str],
) -> Interval:
    """Return an interval that holds its estimate and stays within the measure's bounds."""
    return holding(ends, estimate, level, method, bounds=metric.bounds, notes=notes)


def holding(
    ends: tuple[float, float],
    estimate: float,
    level: float,
    method: str,
    *,
    bounds: tuple[float, float],
    notes: Iterable[str],
) -> Interval:
    """Return an interval that holds its estimate and stays within bounds."""
    said = list(dict.fromkeys(notes))
    if isnan(ends[0]) or isnan(ends[1]):
        return no_interval(estimate, level, "; ".join(said) or None)
    # Plus 0, for there is a -0
    low = float(min(max(ends[0], bounds[0]), estimate)) + 0.0
    high = float(max(min(ends[1], bounds[1]), estimate)) + 0.0
    if ends[0] == ends[1] and method.endswith(("Welch", "Student's t", "adjusted Wald")):
        said.append(_NO_WIDTH)
    return Interval(low, high, estimate, level, method, "; ".join(said) or None)


def table_notes(counts: OutcomeCounts) -> list[str]:
    """Return what to know about intervals of a weighted or an expected table."""
    if counts.weight_squares is not None:
        if np.array_equal(counts.weight_squares, counts.cells):
            return []
        return ["weighted: sizes are effective numbers of people"]
    if counts.cells.dtype.kind == "f" and (counts.cells % 1).any():
        return [_EXPECTED]
    return []


def empty_note(metric: Metric, samples: tuple[Sample, ...], place: int) -> list[str]:
    """Return what to know of a rate in one group: a value by convention, or no variance."""
    sample = samples[0]
    if sample.kind == "mean" and isnan(sample.spread[place]):
        return ["no variance of scores"]
    if sample.hidden is not None and sample.hidden[place]:
        return [HIDDEN]
    if sample.size[place] == 0 and not isnan(metric.empty):
        return [f"{metric.empty:g} by convention, since there are no {metric.whole}"]
    return []


def sample_notes(metric: Metric, samples: tuple[Sample, ...], contrast: Contrast) -> list[str]:
    """Return what to know of a rate in the groups that are compared."""
    return [
        f"{contrast.name(group)}: {note}"
        for place, group in enumerate(contrast.counts.groups)
        for note in empty_note(metric, samples, place)
    ]
