"""Confidence intervals from the table alone.

Every interval but the bootstrap is in closed form, up to the quantile of largest gaps, and takes
a few milliseconds at most, whatever the number of people. The largest gap over several groups
needs a method of its own: a resampled largest gap is nearly always larger than the true one, and
never 0.

>>> alike = OutcomeCounts(["a", "b", "c"], [[[[50], [50]]], [[[40], [60]]], [[[45], [55]]]])
>>> interval = confidence_interval(alike, "statistical_parity_difference")
>>> interval.method, interval.low, round(interval.high, 3)
('simultaneous MOVER of Jeffreys limits', 0.0, 0.234)
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isnan, nan, tanh
from typing import Any, Literal

import numpy as np
import pandas as pd

from skfair_ofi._validation import check_choice, check_level
from skfair_ofi.counts import OutcomeCounts, check_counts
from skfair_ofi.metrics import METRICS, Bands, Metric, Verdict, get_metric

from ._bootstrap import Resampling, limit_by_bootstrap
from ._differences import limit_differences, limit_log_ratios, limit_quotients
from ._largest_gap import find_lower_quantile, limit_largest_gap
from ._limits import (
    Ends,
    Limits,
    SampledTable,
    get_normal_quantile,
    limit_by_jeffreys,
    limit_rate,
    note_sample,
    note_table,
    sample_rate,
)

Method = Literal["auto", "bootstrap"]
Measure = Callable[..., float] | str

_NO_WIDTH = "everyone in a group is alike, so the width says nothing of the uncertainty"
_RATE_METHODS = {
    "proportion": "Wilson",
    "benefit": "score",
    "odds": "Wilson, as odds",
    "mean": "Student's t",
}


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

    def judge(self, bands: Bands) -> Verdict:
        """Return the verdict that holds for every value inside, or "uncertain".

        Parameters
        ----------
        bands : Bands
            Ranges of verdicts.

        Returns
        -------
        {"within bounds", "moderate", "outside bounds", "undefined", "uncertain"}
            "uncertain" where a bound lies inside the interval, "undefined" without interval.

        Examples
        --------
        >>> bands = Bands.within(0.1)
        >>> ends = [(-0.05, 0.08), (0.02, 0.3), (0.12, 0.3)]
        >>> [Interval(low, high, high, 0.95, "Newcombe").judge(bands) for low, high in ends]
        ['within bounds', 'uncertain', 'outside bounds']
        """
        return bands.judge_interval(self.low, self.high)


def leave_undefined(estimate: float, level: float, reason: str | None) -> Interval:
    """Return an interval without ends."""
    return Interval(nan, nan, estimate, level, "none", reason)


def make_interval(
    ends: Ends, estimate: float, level: float, method: str, *, bounds: Ends, notes: Iterable[str]
) -> Interval:
    """Return an interval that holds its estimate and stays within bounds."""
    told = list(dict.fromkeys(notes))
    if isnan(ends[0]) or isnan(ends[1]):
        return leave_undefined(estimate, level, "; ".join(told) or None)
    # Plus 0, for there is a -0
    low = float(min(max(ends[0], bounds[0]), estimate)) + 0.0
    high = float(max(min(ends[1], bounds[1]), estimate)) + 0.0
    if ends[0] == ends[1] and method.endswith(("Welch", "Student's t", "adjusted Wald")):
        told.append(_NO_WIDTH)
    return Interval(low, high, estimate, level, method, "; ".join(told) or None)


def find_rate_intervals(metric: Metric, counts: OutcomeCounts, level: float) -> list[Interval]:
    """Return the interval of a rate in every group."""
    # First, since it refuses a table that lacks what the rate needs
    estimates = [float(metric.exact(counts, place)) for place in range(len(counts.groups))]
    samples, notes = sample_rate(metric.name, counts), note_table(counts)
    limits = limit_rate(samples, get_normal_quantile(level))
    method = _RATE_METHODS[samples[0].kind] if len(samples) == 1 else "MOVER of Wilson limits"
    intervals = []
    for place, estimate in enumerate(estimates):
        if isnan(estimate):
            intervals.append(leave_undefined(estimate, level, f"no {metric.denominator}"))
            continue
        told = [*notes, *note_sample(metric, samples[0], place)]
        ends = (float(limits.low[place]), float(limits.high[place]))
        bounds = metric.bounds
        intervals.append(make_interval(ends, estimate, level, method, bounds=bounds, notes=told))
    return intervals


def _transform_ends(form: str, ends: Ends, *, signed: bool) -> Ends:
    """Return ends on the scale of the measure, from those of differences or logarithms."""
    low, high = ends
    if form == "ratio" and not signed:
        # The smallest ratio is the largest gap of logarithms, turned around
        low, high = -high, -low
    if form in ("ratio", "index"):
        with np.errstate(over="ignore"):
            return float(np.exp(low)), float(np.exp(high))
    # (r - 1) / (r + 1) of a ratio r
    return (tanh(low / 2), tanh(high / 2)) if form == "relative" else (low, high)


def _limit_pairs(metric: Metric, table: SampledTable, level: float) -> tuple[Ends, str]:
    """Return the ends of a comparison of pairs of groups, and the method's name."""
    form, groups = metric.form, len(table.contrast.counts.groups)
    limit = limit_log_ratios if form in ("ratio", "index", "relative") else limit_differences
    limits = [limit(table.sample(rate)) for rate in metric.compared(table.counts)]
    signed = table.contrast.signed and metric.is_directed
    if signed:
        lower = limits[0].lower(get_normal_quantile(level))
        ends = (lower[0, 1], -lower[1, 0])
    else:
        ends = limit_largest_gap([each.lower for each in limits], level, groups)
    name = limits[0].method + (", transformed" if form == "relative" else "")
    many = groups > 2 or len(limits) > 1
    return _transform_ends(form, ends, signed=signed), f"simultaneous {name}" if many else name


def _limit_overall(metric: Metric, table: SampledTable, level: float) -> tuple[Ends, str]:
    """Return the ends of a gap over the flip rate of all, and the method's name."""
    counts, rate = table.contrast.counts, metric.rates[0]
    groups = len(counts.groups)
    first, second = np.nonzero(~np.eye(groups, dtype=bool))
    pairs = np.eye(groups)[first] - np.eye(groups)[second]
    samples, divisor = table.sample(rate), counts.group_sizes / (counts.n or 1)
    pooled = sample_rate("flip_rate", table.pooled)
    if rate.name != "flip_rate":
        # The flip rate of all is one more rate, independent of those compared
        pairs = np.pad(pairs, ((0, 0), (0, 1)))
        divisor = np.append(np.zeros(groups), 1.0)

    def limit(z: float) -> tuple[np.ndarray, np.ndarray]:
        own, every = (limit_rate(each, z, limit_by_jeffreys) for each in (samples, pooled))
        parts = ((own.value, every.value), (own.low, every.low), (own.high, every.high))
        limits = Limits(*(np.append(*part)[: len(divisor)] for part in parts))
        return limit_quotients(pairs, divisor, limits)

    t = find_lower_quantile([limit_differences(samples).lower], level, groups)
    low, high = limit(t)[0].max(), limit(get_normal_quantile(level))[1].max()
    name = "MOVER of a quotient"
    return (low, high), f"simultaneous {name}" if groups > 2 else name


def find_interval(
    metric: Metric, table: SampledTable, level: float, plan: Resampling | None = None
) -> Interval:
    """Return the interval of a measure: in closed form, or by the bootstrap where there is a plan.

    A rate is that of all people together.
    """
    if metric.kind == "rate" and plan is None:
        return find_rate_intervals(metric, table.pooled, level)[0]
    estimate = metric.of(table.counts, privileged=table.privileged)
    if isnan(estimate):
        reason = metric.reason(table.counts, privileged=table.privileged)
        return leave_undefined(estimate, level, reason)
    if plan is not None:
        ends, notes = limit_by_bootstrap(metric, table, level, plan)
        method = "percentile bootstrap"
    else:
        limit = _limit_overall if metric.form == "overall" else _limit_pairs
        ends, method = limit(metric, table, level)
        rates = metric.compared(table.counts)
        notes = [*table.notes, *(note for rate in rates for note in table.note_rate(rate))]
    return make_interval(ends, estimate, level, method, bounds=metric.bounds, notes=notes)


def find_intervals(
    counts: OutcomeCounts, metrics: Iterable[Metric], level: float, privileged: Any = None
) -> dict[str, Interval]:
    """Return intervals of many measures by their names, sharing what they have in common."""
    table = SampledTable(counts, privileged)
    return {metric.name: find_interval(metric, table, level) for metric in metrics}


def confidence_interval(
    counts: OutcomeCounts,
    measure: Measure,
    *,
    level: float = 0.95,
    method: Method = "auto",
    privileged: Any = None,
    n_resamples: int = 2000,
    stratified: bool = True,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> Interval:
    """Confidence interval of a measure, from a table of counts.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measure : callable or str
        A measure of this package, or its name. Of a rate, the interval is that of all people
        together; ``confidence_intervals`` gives one a group.
    level : float, default=0.95
        Confidence level.
    method : {"auto", "bootstrap"}, default="auto"
        How: in closed form, or by the percentiles of the measure in drawn tables.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None takes the largest gap.
    n_resamples : int, default=2000
        Number of tables that the bootstrap draws.
    stratified : bool, default=True
        Whether the bootstrap keeps the number of people in each group.
    random_state : int, Generator or None, default=None
        Seed of the bootstrap.
    n_jobs : int, default=None
        Number of joblib's workers that share the bootstrap's tables, -1 for one a processor. The
        interval is the same for any number.

    Returns
    -------
    Interval
        Its ends hold the estimate, and are NaN with a note where that is undefined.

    Raises
    ------
    ValueError
        If an argument is none of its options, the level is not between 0 and 1 - 1e-12, the
        table does not count what the measure needs, or the bootstrap is given an ``n_jobs`` of 0.
    TypeError
        If ``counts`` is no table.

    Notes
    -----
    ==================================== ==================================================
    measure                              method
    ==================================== ==================================================
    share of people                      Wilson
    marginal benefit                     score, with one more error of each kind
    treatment ratio, directional ratio   Wilson, as odds
    average odds                         MOVER: distances to Wilson's limits added in squares
    mean score                           Student's t
    difference of shares                 MOVER of Jeffreys' limits
    difference of treatment ratios       the same, of odds
    Objective Fairness Index             Wald, with 1/2 added to FP and FN of each group;
                                         MOVER of score limits below 30 people in a group
    difference of mean scores            Welch
    ratios, and what follows from them   MOVER on logarithms of Wilson's limits
    gap over the flip rate of all        MOVER of a quotient, as in Fieller's method
    ==================================== ==================================================

    Largest gaps, larger gaps of two rates, and gaps without a sign take the upper ends of single
    pairs, and the lower ends of all pairs at once. Their quantile is Tukey's of the studentized
    range over sqrt(2) where all groups are alike, and smaller where the gap seen tells that fewer
    pairs may be the farthest apart: it inverts a test whose other parameters are estimated under
    each gap (Chuang and Lai 2000), which the documentation derives under "The largest gap". Of
    more than 30 groups it is Tukey's. These parameters change with the level, so in rare tables of
    several groups the interval of a largest gap starts a little above where that of a lower level
    does. Weighted people count with their effective number, the smaller of Kish's and that of the
    linearized variance; for integer weights that stand for repeated rows, give a table without
    ``weight_squares``. An expected table of a randomized rule gives the interval for people drawn
    anew and treated once.
    Sources: E. B. Wilson 1927, doi 10.1080/01621459.1927.10502953; R. G. Newcombe 1998,
    doi 10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I; G. Y. Zou and
    A. Donner 2008, doi 10.1002/sim.3095; P. J. Laud 2017, doi 10.1002/pst.1813; C.-S. Chuang and
    T. L. Lai 2000, Statistica Sinica 10, 1-50.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[14], [56]]], [[[32], [48]]]])
    >>> interval = confidence_interval(table, "statistical_parity_difference", privileged="b")
    >>> interval.method, round(interval.low, 4), round(interval.high, 4)
    ('MOVER of Jeffreys limits', 0.0537, 0.3358)
    """
    metric, level = get_metric(measure), check_level(level)
    check_choice("method", method, ("auto", "bootstrap"))
    table, plan = SampledTable(check_counts(counts), privileged), None
    if method == "bootstrap":
        plan = Resampling(n_resamples, stratified, random_state, n_jobs)
    return find_interval(metric, table, level, plan)


def confidence_intervals(
    counts: OutcomeCounts,
    measures: Iterable[Measure] | None = None,
    *,
    level: float = 0.95,
    privileged: Any = None,
) -> pd.DataFrame:
    """Confidence intervals of many measures: of rates in every group, and of comparisons.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measures : iterable of callable or str, default=None
        Measures of this package, or their names; None takes every one that the table counts
        enough for.
    level : float, default=0.95
        Confidence level of each interval, not of all at once.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None takes the largest gaps.

    Returns
    -------
    DataFrame
        Columns measure, group, estimate, low, high, method and note. A rate has one row a group;
        a comparison has one row, and None for its group.

    Raises
    ------
    ValueError
        As in ``confidence_interval``.
    TypeError
        If ``counts`` is no table.

    See Also
    --------
    confidence_interval : The interval of one measure as an object, and by the bootstrap.

    Notes
    -----
    A rate of all people together is that of the table ``counts.pooled()``.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[14], [56]]], [[[32], [48]]]])
    >>> found = confidence_intervals(table, ["selection_rate", "disparate_impact"], privileged="b")
    >>> found[["measure", "group", "estimate", "low", "high"]].round(3)
                measure group  estimate    low   high
    0    selection_rate     a     0.800  0.692  0.877
    1    selection_rate     b     0.600  0.490  0.700
    2  disparate_impact  None     1.333  1.078  1.664
    """
    level, counts = check_level(level), check_counts(counts)
    if measures is None:
        metrics = [metric for metric in METRICS.values() if metric.fits(counts)]
    else:
        metrics = [get_metric(measure) for measure in measures]
    table = SampledTable(counts, privileged)
    found: list[tuple[str, Any, Interval]] = []
    for metric in metrics:
        if metric.kind == "rate":
            each = find_rate_intervals(metric, counts, level)
            found += [(metric.name, key, one) for key, one in zip(counts.groups, each, strict=True)]
        else:
            found.append((metric.name, None, find_interval(metric, table, level)))
    every = [one for _, _, one in found]
    return pd.DataFrame(
        {
            "measure": [name for name, _, _ in found],
            # Tuples and None are keys as they are, and no text is refused
            "group": pd.Series([key for _, key, _ in found], dtype=object),
            "estimate": [one.estimate for one in every],
            "low": [one.low for one in every],
            "high": [one.high for one in every],
            "method": [one.method for one in every],
            "note": pd.Series([one.note for one in every], dtype=object),
        }
    )
