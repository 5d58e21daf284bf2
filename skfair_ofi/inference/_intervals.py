"""Confidence intervals from the table alone.

Every interval but the bootstrap is in closed form, up to the quantile of largest gaps, and takes
a few milliseconds at most, whatever the number of people. The largest gap over several groups
needs a method of its own: a resampled largest gap is nearly always larger than the true one, and
never 0.

>>> alike = OutcomeCounts(["a", "b", "c"], [[[[50], [50]]], [[[40], [60]]], [[[45], [55]]]])
>>> interval = confidence_interval("statistical_parity_difference", alike)
>>> interval.method, interval.low, round(interval.high, 3)
('simultaneous MOVER of Jeffreys limits', 0.0, 0.234)
"""

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Literal, get_args

import numpy as np

from skfair_ofi._validation import check_choice, finite_number
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, Convention, Metric

from ._closed import RATIOS, Source, comparison_interval, rate_intervals
from ._forms import check_counts, form_of, has_roles, metric_of
from ._interval import Interval, table_notes
from ._resampling import Ends, Resampling, bootstrap_interval
from ._samples import parts_of, rates_of

Method = Literal["auto", "score", "newcombe", "koopman", "bootstrap"]
Measure = Callable[..., float] | str

_HIGHEST = 1 - 1e-12


def check_share(name: str, value: Any) -> float:
    """Return a share that is neither none nor all."""
    number = finite_number(value)
    if number is None or not 0 < number < 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}.")
    if number > _HIGHEST:
        raise ValueError(f"{name} must be at most 1 - 1e-12, got {value!r}.")
    return number


def check_level(level: float) -> float:
    """Return a confidence level."""
    return check_share("level", level)


def _methods(metric: Metric, counts: OutcomeCounts) -> tuple[str, ...]:
    """The methods that a measure has on a table, whose scores may take a prediction's place."""
    if form_of(metric) in RATIOS:
        return "auto", "koopman", "bootstrap"
    if metric.name in ("objective_fairness_index", "marginal_benefit"):
        return "auto", "score", "bootstrap"
    shares = [METRICS[part] for rate in rates_of(metric, counts) for part in parts_of(rate.name)]
    if form_of(metric) in ("difference", "larger gap") and all(
        rate.bounds == (0.0, 1.0) for rate in shares
    ):
        return "auto", "newcombe", "bootstrap"
    return "auto", "bootstrap"


def _closed_form(
    metric: Metric, source: Source, level: float, method: str, convention: str
) -> Interval:
    if metric.kind == "rate":
        return rate_intervals(metric, source.pooled, level, source.notes)[0]
    return comparison_interval(metric, source, level, method, convention)


def confidence_interval(
    measure: Measure,
    counts: OutcomeCounts,
    *,
    level: float = 0.95,
    method: Method = "auto",
    privileged: Any = None,
    convention: Convention = "paper",
    ends: Ends = "percentile",
    n_resamples: int = 2000,
    stratified: bool = True,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> Interval:
    """Confidence interval of a measure, from a table of counts.

    Parameters
    ----------
    measure : callable or str
        A measure of this package, or its name. Of a rate, the interval is that of all people
        together; ``group_intervals`` gives one a group.
    counts : OutcomeCounts
        The table.
    level : float, default=0.95
        Confidence level.
    method : {"auto", "score", "newcombe", "koopman", "bootstrap"}, default="auto"
        How: in closed form; by score limits for marginal benefits, whatever the numbers of
        people; by Newcombe's method, of Wilson's limits, for differences of shares; by Koopman's
        score limits for ratios; or by drawing tables.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None takes the largest gap.
    convention : {"paper", "equation"}, default="paper"
        For rates of 0 in ``flip_rate_disparity`` and ``harmful_flip_disparity``.
    ends : {"percentile", "basic", "bca"}, default="percentile"
        How the bootstrap takes its ends from the drawn values.
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
        measure does not have the method, the table does not count what the measure needs, or the
        bootstrap is given an ``n_jobs`` of 0.
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
    difference of shares                 MOVER of Jeffreys' limits, as Newcombe's of Wilson's
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
    each gap (Chuang and Lai 2000). Of more than 30 groups it is Tukey's. These parameters change
    with the level, so in rare tables of several groups the interval of a largest gap starts a
    little above where that of a lower level does. Weighted people count with their effective
    number, the smaller of Kish's and that of the linearized variance; for integer weights that
    stand for repeated rows, give a table without ``weight_squares``. An expected table of a
    randomized rule gives the interval for people drawn anew and treated once.
    Sources: E. B. Wilson 1927, doi 10.1080/01621459.1927.10502953; R. G. Newcombe 1998,
    doi 10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I; G. Y. Zou and
    A. Donner 2008, doi 10.1002/sim.3095; P. J. Laud 2017, doi 10.1002/pst.1813; P. A. R.
    Koopman 1984, doi 10.2307/2531405; C.-S. Chuang and T. L. Lai 2000, Statistica Sinica 10, 1-50.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[14], [56]]], [[[32], [48]]]])
    >>> interval = confidence_interval("statistical_parity_difference", table, privileged="b")
    >>> interval.method, round(interval.low, 4), round(interval.high, 4)
    ('MOVER of Jeffreys limits', 0.0537, 0.3358)
    """
    metric, level = metric_of(measure), check_level(level)
    check_choice("method", method, _methods(metric, check_counts(counts)))
    check_choice("ends", ends, get_args(Ends))
    check_choice("convention", convention, ("paper", "equation"))
    source = Source(counts, privileged)
    if method != "bootstrap":
        return _closed_form(metric, source, level, method, convention)
    plan = Resampling(n_resamples, stratified, random_state, n_jobs)
    return bootstrap_interval(metric, source, level, plan, ends=ends, convention=convention)


def confidence_intervals(
    counts: OutcomeCounts,
    *,
    measures: Iterable[Measure] | None = None,
    level: float = 0.95,
    privileged: Any = None,
    convention: Convention = "paper",
) -> dict[str, Interval]:
    """Confidence intervals of many measures, sharing what they have in common.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measures : iterable of callable or str, default=None
        Measures; None takes every one that the table counts enough for.
    level : float, default=0.95
        Confidence level of each.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None takes the largest gaps.
    convention : {"paper", "equation"}, default="paper"
        As in ``confidence_interval``.

    Returns
    -------
    dict of str to Interval
        Intervals by the measures' names.

    Raises
    ------
    ValueError
        As in ``confidence_interval``.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[14], [56]]], [[[32], [48]]]])
    >>> found = confidence_intervals(table, privileged="b")
    >>> round(found["selection_rate"].low, 3), round(found["disparate_impact"].low, 3)
    (0.615, 1.078)
    """
    level, counts = check_level(level), check_counts(counts)
    check_choice("convention", convention, ("paper", "equation"))
    every = [metric for metric in METRICS.values() if has_roles(metric, counts)]
    wanted = every if measures is None else [metric_of(measure) for measure in measures]
    source = Source(counts, privileged)
    return {
        metric.name: _closed_form(metric, source, level, "auto", convention) for metric in wanted
    }


def group_intervals(
    rate: Measure, counts: OutcomeCounts, *, level: float = 0.95
) -> dict[Hashable, Interval]:
    """Confidence interval of a rate in every group.

    Parameters
    ----------
    rate : callable or str
        A rate of this package, or its name.
    counts : OutcomeCounts
        The table.
    level : float, default=0.95
        Confidence level of each group's interval, not of all at once.

    Returns
    -------
    dict of hashable to Interval
        Intervals by group.

    Raises
    ------
    ValueError
        If it is no rate, the level is not between 0 and 1, or the table does not count what
        the rate needs.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[14], [56]]], [[[32], [48]]]])
    >>> found = group_intervals("selection_rate", table)
    >>> {group: round(interval.low, 3) for group, interval in found.items()}
    {'a': 0.692, 'b': 0.49}
    """
    metric = metric_of(rate, "rate")
    level, notes = check_level(level), table_notes(check_counts(counts))
    intervals = rate_intervals(metric, counts, level, notes)
    return dict(zip(counts.groups, intervals, strict=True))
