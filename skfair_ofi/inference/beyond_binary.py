"""Intervals of the indices beyond two labels: of benefits, of numbers and of rankings.

>>> interval = benefit_interval(
...     [0, 1, 2, 2] * 10,
...     [1, 1, 2, 1] * 10,
...     sensitive_features=["a", "a", "b", "b"] * 10,
...     benefit={0: 0, 1: 1, 2: 2},
...     privileged="b",
... )
>>> interval.estimate, round(interval.low, 2), round(interval.high, 2)
(1.0, 0.62, 1.28)
"""

from dataclasses import replace
from functools import partial
from math import inf, isnan, nan
from typing import Any

import numpy as np

from skfair_ofi._validation import check_choice, check_level, resolve_privileged
from skfair_ofi.counts import OutcomeCounts, encode_features
from skfair_ofi.metrics import Contrast
from skfair_ofi.metrics.beyond_binary import (
    NO_MERIT,
    NO_SPREAD,
    Benefit,
    Discount,
    Per,
    Ranking,
    Scale,
    benefit_table,
    benefits_of,
    discounts,
    gap_of_means,
    gap_of_rankings,
    ranking_of,
    ranking_table,
    regression_table,
)

from ._bootstrap import check_number, draw_in_chunks
from ._differences import PairLimits
from ._intervals import Interval, confidence_interval, leave_undefined, make_interval
from ._largest_gap import limit_largest_gap
from ._limits import Sample, get_normal_quantile, note_table, sample_quotient

__all__ = ["benefit_interval", "ranking_interval", "regression_interval"]


def _make_index_interval(
    estimate: float,
    limits: PairLimits,
    contrast: Contrast,
    level: float,
    *,
    widest: float,
    notes: list[str],
) -> Interval:
    """Return the interval of an index that lies between minus and plus the widest gap."""
    groups = len(contrast.counts.groups)
    if contrast.signed:
        lower = limits.lower(get_normal_quantile(level))
        ends = (float(lower[0, 1]), float(-lower[1, 0]))
    else:
        ends = limit_largest_gap([limits.lower], level, groups)
    name = f"simultaneous {limits.method}" if groups > 2 else limits.method
    return make_interval(ends, estimate, level, name, bounds=(-widest, widest), notes=notes)


def _add_step(sample: Sample, step: float, z: float) -> np.ndarray:
    """Return Wald's limits after half a person a step up and half a one down join each group.

    Without them, groups without an error would leave no uncertainty.
    """
    size = sample.size + 1
    mean = sample.size * sample.value / size
    # A single person has no variance of scores, and 0 times that
    squares = np.nan_to_num(sample.spread) * (sample.size - 1) + sample.size * sample.value**2
    variance = ((squares + step**2) / size - mean**2) / size
    total = np.sqrt(np.add(variance[:, None], variance[None, :]))
    lower: np.ndarray = mean[:, None] - mean[None, :] - z * total
    return lower


def benefit_interval(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    benefit: Benefit,
    privileged: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
) -> Interval:
    """Confidence interval of ``benefit_index``.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    benefit : mapping of label to float
        What each label is worth to the person who gets it, higher for more favorable.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None takes the largest gap.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    Interval
        Its ends hold the estimate, and are NaN with a note where that is undefined.

    Raises
    ------
    ValueError
        As in ``benefit_index``, or if the level is not between 0 and 1.

    Notes
    -----
    Wald's interval of a difference of means, after half a person whose benefit is a step too high
    and half a one whose is a step too low have joined each group. A step is the mean distance
    between neighboring benefits of the mapping. The ends stay within twice the range of the
    benefits. Where the mapping has two benefits, it is the interval of the Objective Fairness Index
    times their difference, whatever the numbers of people. Weighted people count with Kish's
    number, and where there are two benefits as in ``confidence_interval``.

    Examples
    --------
    >>> interval = benefit_interval(
    ...     ["low", "high"] * 20,
    ...     ["low", "high"] * 20,
    ...     sensitive_features=["a"] * 20 + ["b"] * 20,
    ...     benefit={"low": 0, "mid": 1, "high": 2},
    ... )
    >>> interval.method, interval.low, round(interval.high, 3)
    ('adjusted Wald', 0.0, 0.132)
    """
    level = check_level(level)
    table = benefit_table(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        benefit=benefit,
        sample_weight=sample_weight,
    )
    estimate, reason = gap_of_means(table, privileged)
    if isnan(estimate):
        return leave_undefined(estimate, level, reason)
    levels = set(benefit.values())
    span = max(levels) - min(levels)
    if len(levels) == 2:
        # The table of scores has lost which errors weigh how much
        binary = OutcomeCounts.from_arrays(
            benefits_of(y_true, "y_true", benefit) == max(levels),
            benefits_of(y_pred, "y_pred", benefit) == max(levels),
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
        )
        # The interval of the Objective Fairness Index, in the unit of the benefits
        found = confidence_interval(
            binary, "objective_fairness_index", level=level, privileged=privileged
        )
        low, high = min(found.low * span, estimate), max(found.high * span, estimate)
        return replace(found, low=low, high=high, estimate=estimate)
    contrast, step = Contrast(table, privileged), span / max(len(levels) - 1, 1)
    lower = partial(_add_step, sample_quotient("mean_score", contrast.counts), step)
    limits = PairLimits(lower, "adjusted Wald")
    notes = note_table(table)
    return _make_index_interval(estimate, limits, contrast, level, widest=2 * span, notes=notes)


def regression_interval(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    scale: Scale = None,
    privileged: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
) -> Interval:
    """Confidence interval of ``regression_fairness_index``.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted numbers, higher for more favorable.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    scale : float, {"std", "range"} or None, default=None
        What errors are divided by.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None takes the largest gap.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.
    level : float, default=0.95
        Confidence level.

    Returns
    -------
    Interval
        Its ends hold the estimate, and are NaN with a note where that is undefined or a group
        has a single person.

    Raises
    ------
    ValueError
        As in ``regression_fairness_index``, or if the level is not between 0 and 1.

    Notes
    -----
    Welch's interval of a difference of mean errors; a scale taken from the data counts as known.
    Weighted people count with Kish's number.

    Examples
    --------
    >>> interval = regression_interval(
    ...     [10, 20, 30, 20, 30, 40],
    ...     [14, 20, 38, 20, 28, 40],
    ...     sensitive_features=list("aaabbb"),
    ...     privileged="b",
    ... )
    >>> interval.method, round(interval.low, 2), round(interval.high, 2)
    ('Welch', -4.39, 13.72)
    """
    level = check_level(level)
    table = regression_table(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        scale=scale,
        sample_weight=sample_weight,
    )
    if table is None:
        return leave_undefined(nan, level, NO_SPREAD)
    return confidence_interval(table, "mean_difference", level=level, privileged=privileged)


def _subtract_errors(values: np.ndarray, drawn: np.ndarray, z: float) -> np.ndarray:
    """Return differences of all pairs of groups, less a multiple of their drawn standard errors."""
    if len(drawn) < 2:
        return np.full((len(values), len(values)), np.nan)
    errors = (drawn[:, :, None] - drawn[:, None, :]).std(axis=0, ddof=1)
    lower: np.ndarray = values[:, None] - values[None, :] - z * errors
    return lower


class ListDraws:
    """Lists drawn with replacement from a ranking and ranked anew.

    A person drawn twice takes two ranks, with one score, so that a list is a row of numbers of
    copies, and the ranks of all people are sums of these.
    """

    def __init__(self, ranking: Ranking, codes: np.ndarray, discount: Discount, per: Per) -> None:
        order = np.argsort(ranking.places, kind="stable")
        self.merit, self.places = ranking.merit[order], ranking.places[order]
        self.members = np.eye(codes.max() + 1)[codes[order]]
        self.first = np.flatnonzero(np.diff(self.places, prepend=-1))
        self.exposed = np.append(0.0, np.cumsum(discounts(discount, len(codes))))
        self.per = per

    def find_exposure(self, copies: np.ndarray) -> np.ndarray:
        """Return the exposure of each person, all copies together."""
        sizes = np.add.reduceat(copies, self.first, axis=1)
        ends = np.cumsum(sizes, axis=1)
        each = (self.exposed[ends] - self.exposed[ends - sizes]) / np.maximum(sizes, 1)
        found: np.ndarray = copies * each[:, self.places]
        return found

    def find_values(self, copies: np.ndarray) -> np.ndarray:
        """Return the value of each group, NaN where a list lacks it or has no merit."""
        merit = (copies * self.merit) @ self.members
        people, total = copies @ self.members, merit.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = self.find_exposure(copies) @ self.members / self.exposed[-1] - merit / total
            found = found * total / people if self.per == "person" else found
        return np.where((people > 0) & (total > 0), found, np.nan)

    def draw(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Return the values of each group in some lists."""
        n = len(self.merit)
        return self.find_values(rng.multinomial(n, np.full(n, 1 / n), size=size))


def _place_people(sensitive_features: Any, table: OutcomeCounts, privileged: Any) -> np.ndarray:
    """Return each person's group as a position in the contrast: others 0, privileged 1."""
    column, _ = encode_features(sensitive_features)
    chosen = None if privileged is None else resolve_privileged(privileged, table.groups)
    places = {
        key: place if chosen is None else int(key in chosen)
        for place, key in enumerate(table.groups)
    }
    by_code = np.array([places.get(key, -1) for key in column.keys])
    found: np.ndarray = by_code[column.codes.astype(np.intp) - column.low]
    return found


def ranking_interval(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    discount: Discount = "log2",
    per: Per = "group",
    privileged: Any = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> Interval:
    """Confidence interval of ``ranking_fairness_index``.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Merit of each person, not negative.
    y_score : array-like of shape (n_samples,)
        What people are ranked by, the highest first.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    discount : {"log2", "reciprocal"} or int, default="log2"
        Exposure of a rank.
    per : {"group", "person"}, default="group"
        Whether shares are compared, or means.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None takes the largest gap.
    level : float, default=0.95
        Confidence level.
    n_resamples : int, default=2000
        Number of lists that are drawn.
    random_state : int, Generator or None, default=None
        Seed of the draws.
    n_jobs : int, default=None
        Number of joblib's workers that share the draws, -1 for one a processor. The interval is
        the same for any number.

    Returns
    -------
    Interval
        Its ends hold the estimate, and are NaN with a note where that is undefined.

    Raises
    ------
    ValueError
        As in ``ranking_fairness_index``, or if the level is not between 0 and 1, there are
        fewer than two lists, or ``n_jobs`` is 0.

    Notes
    -----
    The estimate, plus and minus normal quantiles times the standard error, which is that of lists
    as long, drawn from these people with replacement and ranked anew: people are the sample, and
    the number of a group's people is random, too. Lists without a group, or without merit, are
    left out, and a note says so.

    Examples
    --------
    >>> interval = ranking_interval(
    ...     [1, 0] * 50,
    ...     range(100),
    ...     sensitive_features=["a"] * 50 + ["b"] * 50,
    ...     privileged="b",
    ...     random_state=0,
    ... )
    >>> interval.method, round(interval.estimate, 2), interval.high < 0
    ('bootstrap standard error', -0.23, True)
    """
    level = check_level(level)
    check_choice("per", per, ("group", "person"))
    check_number("n_resamples", n_resamples, 2)
    ranking = ranking_of(y_true, y_score, discount)
    table = ranking_table(ranking, sensitive_features)
    if table is None:
        return leave_undefined(nan, level, NO_MERIT)
    merit = float(ranking.merit.sum())
    estimate, reason = gap_of_rankings(table, merit, per, privileged)
    if isnan(estimate):
        return leave_undefined(estimate, level, reason)
    codes = _place_people(sensitive_features, table, privileged)
    draws = ListDraws(ranking, codes, discount, per)
    drawn = draw_in_chunks(draws.draw, n_resamples, len(codes), random_state, n_jobs)
    known = drawn[~np.isnan(drawn).any(axis=1)]
    lost = len(drawn) - len(known)
    notes = [f"{lost} of {len(drawn)} lists drawn lack a group or merit"] if lost else []
    values = draws.find_values(np.ones((1, len(codes)), dtype=np.int64))[0]
    limits = PairLimits(partial(_subtract_errors, values, known), "bootstrap standard error")
    contrast, widest = Contrast(table, privileged), 2.0 if per == "group" else inf
    return _make_index_interval(estimate, limits, contrast, level, widest=widest, notes=notes)
