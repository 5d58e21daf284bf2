"""Tests of many hypotheses: of all pairs of groups, and of the direction of flips."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.special import bdtr, chdtrc

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts

from ._forms import check_counts, metric_of
from ._intervals import Measure, check_level, confidence_interval
from ._significance import TestMethod, is_whole, significance_test

Adjustment = Literal["holm", "benjamini_hochberg", "none"]
FlipTest = Literal["exact", "chi_square", "chi_square_corrected"]


def adjust_p_values(p_values: Any, *, method: Adjustment = "holm") -> np.ndarray:
    """P-values adjusted for the number of tests.

    Parameters
    ----------
    p_values : array-like of shape (n_tests,)
        P-values; NaN stands for a test that could not be done, and is left out.
    method : {"holm", "benjamini_hochberg", "none"}, default="holm"
        Holm keeps the chance of any false finding below the level, whatever the tests have to
        do with one another; Benjamini and Hochberg the expected share of false findings.

    Returns
    -------
    ndarray of shape (n_tests,)
        Adjusted p-values, at least as large; NaN where NaN was given.

    Raises
    ------
    ValueError
        If a p-value does not lie in [0, 1], or the method is none of the options.

    Notes
    -----
    S. Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure"; Y. Benjamini and
    Y. Hochberg 1995, doi 10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice("method", method, ("holm", "benjamini_hochberg", "none"))
    values = np.array(p_values, dtype=np.float64)
    known = ~np.isnan(values)
    if not ((values[known] >= 0) & (values[known] <= 1)).all():
        raise ValueError(f"p_values must lie in [0, 1], got {p_values!r}.")
    order = np.argsort(values[known], kind="stable")
    ranked, number = values[known][order], int(known.sum())
    if method == "holm":
        ranked = np.maximum.accumulate(ranked * np.arange(number, 0, -1))
    if method == "benjamini_hochberg":
        scaled = ranked * number / np.arange(1, number + 1)
        ranked = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(number)
    adjusted[order] = np.minimum(ranked, 1)
    values[known] = adjusted
    return values


def pairwise_tests(
    measure: Measure,
    counts: OutcomeCounts,
    *,
    method: TestMethod = "auto",
    adjust: Adjustment = "holm",
    level: float = 0.95,
    n_resamples: int = 9_999,
    random_state: int | np.random.Generator | None = 0,
) -> pd.DataFrame:
    """Tests of a comparison for all pairs of groups, adjusted for their number.

    Parameters
    ----------
    measure : callable or str
        A comparison of this package, or its name.
    counts : OutcomeCounts
        The table.
    method : str, default="auto"
        The test, as in ``significance_test``.
    adjust : {"holm", "benjamini_hochberg", "none"}, default="holm"
        How p-values are adjusted, as in ``adjust_p_values``.
    level : float, default=0.95
        Confidence level of each pair's interval, which is not adjusted.
    n_resamples : int, default=9999
        Number of draws of the permutation test.
    random_state : int, Generator or None, default=0
        Seed of the permutation tests. None draws anew each time.

    Returns
    -------
    DataFrame
        One row a pair: first, second, estimate (first minus second, or first over second; flip
        measures are absolute), low, high, statistic, p_value, adjusted, method.

    Raises
    ------
    ValueError
        As in ``significance_test`` and ``confidence_interval``.

    Examples
    --------
    >>> table = OutcomeCounts(list("abc"), [[[[14], [56]]], [[[32], [48]]], [[[30], [45]]]])
    >>> found = pairwise_tests("statistical_parity_difference", table)
    >>> found[["first", "second", "estimate", "adjusted"]].round(3)
      first second  estimate  adjusted
    0     a      b       0.2     0.024
    1     a      c       0.2     0.024
    2     b      c       0.0     1.000
    """
    metric = metric_of(measure, "comparison")
    check_choice("adjust", adjust, ("holm", "benjamini_hochberg", "none"))
    check_level(level)
    check_counts(counts)
    rng = np.random.default_rng(random_state)
    rows = []
    for first, second in combinations(counts.groups, 2):
        pair = counts.pick(first, second).merge_groups({first: 0, second: 1})
        interval = confidence_interval(metric.name, pair, level=level, privileged=1)
        found = significance_test(
            metric.name,
            pair,
            method=method,
            privileged=1,
            n_resamples=n_resamples,
            random_state=rng,
        )
        rows.append((first, second, interval.estimate, interval.low, interval.high, *_shown(found)))
    columns = ["first", "second", "estimate", "low", "high", "statistic", "p_value", "method"]
    frame = pd.DataFrame.from_records(rows, columns=columns)
    frame.insert(7, "adjusted", adjust_p_values(frame["p_value"], method=adjust))
    return frame


def _shown(found: Any) -> Sequence[Any]:
    return found.statistic, found.p_value, found.method


def _mcnemar(favorable: np.ndarray, harmful: np.ndarray, method: str) -> tuple[np.ndarray, ...]:
    flips = favorable + harmful
    if method == "exact":
        fewer = np.minimum(favorable, harmful)
        return harmful.astype(np.float64), np.minimum(2 * bdtr(fewer, flips, 0.5), 1.0)
    away = abs(favorable - harmful)
    if method == "chi_square_corrected":
        away = np.maximum(away - 1, 0)
    statistic = away**2 / np.maximum(flips, 1)
    return statistic, chdtrc(1, statistic)


def flip_direction_tests(
    counts: OutcomeCounts, *, method: FlipTest = "exact", adjust: Adjustment = "holm"
) -> pd.DataFrame:
    """Tests of whether favorable and harmful flips are as many, in every group.

    Parameters
    ----------
    counts : OutcomeCounts
        A table of predicted and corrected labels.
    method : {"exact", "chi_square", "chi_square_corrected"}, default="exact"
        McNemar's test: by the binomial distribution, or by chi-square without or with
        continuity correction.
    adjust : {"holm", "benjamini_hochberg", "none"}, default="holm"
        How p-values are adjusted, as in ``adjust_p_values``.

    Returns
    -------
    DataFrame
        One row a group: group, favorable, harmful, statistic (of the exact test, the number of
        harmful flips), p_value, adjusted. Without flips both p-values are NaN.

    Raises
    ------
    ValueError
        If predicted and corrected labels are not both counted, counts are weighted or
        expected, or an argument is none of its options.

    Notes
    -----
    Q. McNemar 1947, doi 10.1007/BF02295996. The test is paired: it is of the same people before
    and after the correction, and says whether the group as a whole gained or lost by it.

    Examples
    --------
    >>> table = OutcomeCounts.from_arrays(
    ...     y_pred=[0] * 9 + [1] * 3,
    ...     y_corrected=[1] * 9 + [1, 1, 0],
    ...     sensitive_features=["a"] * 12,
    ... )
    >>> flip_direction_tests(table).round(4)
      group  favorable  harmful  statistic  p_value  adjusted
    0     a          9        1        1.0   0.0215    0.0215
    """
    check_choice("method", method, ("exact", "chi_square", "chi_square_corrected"))
    table = check_counts(counts).over("y_pred", "y_corrected").cells[:, 0]
    if not is_whole(counts):
        raise ValueError("counts must be whole and without weights, got others.")
    favorable, harmful = (table[:, i, 1 - i].astype(np.int64) for i in (0, 1))
    statistic, p_value = _mcnemar(favorable, harmful, method)
    p_value = np.where(favorable + harmful > 0, p_value, np.nan)
    return pd.DataFrame(
        {
            "group": pd.Series(list(counts.groups), dtype=object),
            "favorable": favorable,
            "harmful": harmful,
            "statistic": np.where(favorable + harmful > 0, statistic, np.nan),
            "p_value": p_value,
            "adjusted": adjust_p_values(p_value, method=adjust),
        }
    )
