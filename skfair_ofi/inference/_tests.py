"""Tests of whether a rate is the same in all groups, from the table alone.

One test of a comparison, tests of all pairs of groups, and of the direction of flips.
"""

from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from skfair_ofi._validation import check_choice, check_level
from skfair_ofi.counts import OutcomeCounts, check_counts
from skfair_ofi.metrics import Metric, get_metric

from ._bootstrap import check_number
from ._intervals import Measure, confidence_interval
from ._limits import Sample, SampledTable
from ._statistics import (
    Statistic,
    apply_chi_square,
    apply_fisher,
    apply_mcnemar,
    apply_welch,
    compare_proportions,
    count_parts,
    find_expected,
    lacks_variance,
    permute,
)

TestMethod = Literal[
    "auto", "z", "chi_square", "chi_square_corrected", "fisher", "welch", "permutation"
]
Adjustment = Literal["holm", "benjamini_hochberg", "none"]
FlipTest = Literal["exact", "chi_square", "chi_square_corrected"]

_NAMES = {
    "z": "two-proportion z",
    "chi_square": "chi-square without continuity correction",
    "chi_square_corrected": "chi-square with Yates' continuity correction",
    "fisher": "Fisher's exact",
    "welch": "Welch",
    "permutation": "permutation",
}
# Cochran's rule: below this many expected people, the chi-square distribution is not near.
_FEW_EXPECTED = 5
# Below this many people, the distribution of a mean of errors is not near the normal one.
_FEW_PEOPLE = 30
# NumPy draws no more from a hypergeometric distribution, and Fisher's test takes seconds.
_MOST_EXACT = 10**9

_TOO_MANY = "no exact test, since there are 10**9 people or more"
_HIDDEN = "no variance that numbers of this size can show"
_HALF = "a group shows no variance, so half a person of each kind is added to each"


@dataclass(frozen=True)
class Significance:
    """Result of a test.

    Attributes
    ----------
    statistic : float
        The test's statistic; NaN where there is none.
    p_value : float
        Two-sided p-value; NaN where there is none.
    degrees : float
        Degrees of freedom, of the numerator where there are two; NaN where there are none.
    estimate : float
        The measure of the table.
    method : str
        The test.
    null : str
        What is tested, in words.
    note : str or None
        Why there is no p-value, or what to know about it.
    """

    statistic: float
    p_value: float
    degrees: float
    estimate: float
    method: str
    null: str
    note: str | None = None


def is_whole(counts: OutcomeCounts) -> bool:
    """Return whether a table counts people, neither weighted nor expected."""
    squares = counts.weight_squares
    whole = not (counts.cells % 1).any()
    return whole and (squares is None or np.array_equal(squares, counts.cells))


def _list_methods(kind: str, rates: int, groups: int) -> tuple[str, ...]:
    """Return the tests that a comparison has."""
    if kind == "mean":
        return "auto", "welch"
    if kind in ("benefit", "average"):
        return "auto", "welch", "permutation"
    if rates > 1 or groups > 2:
        return "auto", "chi_square", "permutation"
    return "auto", "z", "chi_square", "chi_square_corrected", "fisher", "permutation"


def _choose(kind: str, samples: list[tuple[Sample, ...]], groups: int, *, exact: bool) -> str:
    """Return the test for these numbers of people, an exact one or not."""
    if kind in ("mean", "benefit", "average"):
        few = min(part.size.min() for parts in samples for part in parts) < _FEW_PEOPLE
        wanted = kind != "mean" and (few or lacks_variance(samples[0]))
        return "permutation" if exact and wanted else "welch"
    few = min(find_expected(parts[0]).min() for parts in samples) < _FEW_EXPECTED
    if len(samples) > 1 or groups > 2:
        return "permutation" if few and exact else "chi_square"
    return "fisher" if few and exact else "z"


def _check_exact(method: str, people: float, *, whole: bool) -> None:
    if method not in ("fisher", "permutation"):
        return
    if not whole:
        raise ValueError(
            f"counts must be whole and without weights for method={method!r}, got others."
        )
    if people >= _MOST_EXACT:
        raise ValueError(
            f"counts must hold fewer than 10**9 people for method={method!r}, got {people:.0f}."
        )


def _apply(
    test: str,
    rates: tuple[Metric, ...],
    samples: list[tuple[Sample, ...]],
    counts: OutcomeCounts,
    draws: tuple[int, Any],
) -> Statistic:
    if test == "z":
        return compare_proportions(samples[0][0])
    if test == "welch":
        return apply_welch(samples[0])
    if test in ("chi_square", "chi_square_corrected"):
        firsts = [parts[0] for parts in samples]
        return apply_chi_square(firsts, corrected=test == "chi_square_corrected")
    wholes = [count_parts(rate.name, counts) for rate in rates]
    if test == "fisher":
        return apply_fisher(wholes[0][0])
    n_resamples, random_state = draws
    return permute(wholes, n_resamples, np.random.default_rng(random_state))


def _name_empty(rates: tuple[Metric, ...], table: SampledTable) -> str | None:
    """Return which groups have no one to test, in words."""
    names = [table.contrast.name(group) for group in table.contrast.counts.groups]
    missing = [
        f"no {rate.denominator} in {name}"
        for rate in rates
        for sample in table.sample(rate)
        for name, size in zip(names, sample.size, strict=True)
        if size == 0
    ]
    return "; ".join(dict.fromkeys(missing)) or None


def significance_test(
    counts: OutcomeCounts,
    measure: Measure,
    *,
    method: TestMethod = "auto",
    privileged: Any = None,
    n_resamples: int = 9_999,
    random_state: int | np.random.Generator | None = 0,
) -> Significance:
    """Test of whether what a comparison compares is the same in all groups.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measure : callable or str
        A comparison of this package, or its name. Differences, ratios and disparities of one
        rate have the same test.
    method : {"auto", "z", "chi_square", "chi_square_corrected", "fisher", "welch", \
"permutation"}, default="auto"
        The test. "auto" takes for shares in two groups z, or Fisher's where fewer than 5 people
        are expected somewhere; for shares in several groups, or two rates at once, chi-square,
        or permutation by the same rule; for marginal benefits and average odds Welch's, or
        permutation below 30 people or where a group shows no variance; for scores Welch's.
        Of weighted and expected counts, and of 10^9 people or more, neither Fisher's nor
        permutation.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None tests all groups at once.
    n_resamples : int, default=9999
        Number of draws of the permutation test.
    random_state : int, Generator or None, default=0
        Seed of the permutation test, so that a table has one p-value. None draws anew each time.

    Returns
    -------
    Significance
        With a p-value of NaN, and the reason, where a group has no one to test, everyone is
        alike, or scores show no variance.

    Raises
    ------
    ValueError
        If it is no comparison, the measure does not have the test, the table does not count
        what it needs, or Fisher's test or a permutation is asked of weighted or expected counts,
        or of 10^9 people or more.

    Notes
    -----
    The permutation test deals out groups anew among those whom the rate is a share of, and
    draws the table instead of rows, so its time does not grow with the number of people.
    Welch's test of several groups is his F test (B. L. Welch 1951, doi
    10.1093/biomet/38.3-4.330). Where a group shows no variance of errors or shares, as where all
    are false positives, it is taken after half a person of each kind has joined each group, as in
    the interval. Weighted people count with their effective number.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[14], [56]]], [[[32], [48]]]])
    >>> found = significance_test(table, "disparate_impact", privileged="b")
    >>> found.method, round(found.statistic, 3), round(found.p_value, 4)
    ('two-proportion z', 2.65, 0.008)
    """
    metric = get_metric(measure, "comparison")
    check_number("n_resamples", n_resamples)
    estimate = metric.of(check_counts(counts), privileged=privileged)
    table, rates = SampledTable(counts, privileged), metric.compared(counts)
    samples = [table.sample(rate) for rate in rates]
    kind = "average" if len(samples[0]) > 1 else samples[0][0].kind
    groups = len(table.contrast.counts.groups)
    check_choice("method", method, _list_methods(kind, len(rates), groups))
    people = float(max(part.size.sum() for parts in samples for part in parts))
    whole = is_whole(counts)
    _check_exact(method, people, whole=whole)
    null = f"equal {' and '.join(rate.name for rate in rates)} in all groups compared"
    reason = metric.reason(counts, privileged=privileged) if isnan(estimate) else None
    if reason := reason or _name_empty(rates, table):
        return Significance(nan, nan, nan, estimate, "none", null, reason)
    test: str = method
    notes: list[str] = []
    if method == "auto":
        test = _choose(kind, samples, groups, exact=whole and people < _MOST_EXACT)
        notes = [] if test == _choose(kind, samples, groups, exact=whole) else [_TOO_MANY]
    if test == "welch" and kind != "mean" and lacks_variance(samples[0]):
        notes.append(_HALF)
    found = _apply(test, rates, samples, table.contrast.counts, (n_resamples, random_state))
    if kind == "mean":
        notes += table.note_rate(rates[0])
    if isnan(found.p_value):
        alike = "everyone is alike" if kind in ("proportion", "odds") else "no variance"
        hidden = samples[0][0].hidden
        notes = [_HIDDEN if hidden is not None and hidden.any() else alike]
    note = "; ".join([*table.notes, *notes]) or None
    name = _NAMES[test]
    return Significance(found.value, found.p_value, found.degrees, estimate, name, null, note)


def adjust_p_values(p_values: np.ndarray, method: Adjustment) -> np.ndarray:
    """Return p-values adjusted for the number of tests; NaN, a test not done, is left out.

    Holm keeps the chance of any false finding below the level, whatever the tests have to do with
    one another (S. Holm 1979); Benjamini and Hochberg the expected share of false findings (1995,
    doi 10.1111/j.2517-6161.1995.tb02031.x).
    """
    adjusted = np.array(p_values, dtype=np.float64)
    known = ~np.isnan(adjusted)
    values, number = adjusted[known], int(known.sum())
    if method == "holm":
        order = np.argsort(values, kind="stable")
        steps = np.maximum.accumulate(values[order] * np.arange(number, 0, -1))
        values[order] = np.minimum(steps, 1)
    if method == "benjamini_hochberg" and number:
        from scipy.stats import false_discovery_control  # noqa: PLC0415 - half a second

        values = false_discovery_control(values)
    adjusted[known] = values
    return adjusted


def pairwise_tests(
    counts: OutcomeCounts,
    measure: Measure,
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
    counts : OutcomeCounts
        The table.
    measure : callable or str
        A comparison of this package, or its name.
    method : str, default="auto"
        The test, as in ``significance_test``.
    adjust : {"holm", "benjamini_hochberg", "none"}, default="holm"
        How p-values are adjusted for their number: Holm keeps the chance of any false finding
        below the level, whatever the tests have to do with one another; Benjamini and Hochberg
        the expected share of false findings. A test that cannot be done does not count.
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

    Notes
    -----
    S. Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure"; Y. Benjamini and
    Y. Hochberg 1995, doi 10.1111/j.2517-6161.1995.tb02031.x.

    Examples
    --------
    >>> table = OutcomeCounts(list("abc"), [[[[14], [56]]], [[[32], [48]]], [[[30], [45]]]])
    >>> found = pairwise_tests(table, "statistical_parity_difference")
    >>> found[["first", "second", "estimate", "adjusted"]].round(3)
      first second  estimate  adjusted
    0     a      b       0.2     0.024
    1     a      c       0.2     0.024
    2     b      c       0.0     1.000
    """
    metric = get_metric(measure, "comparison")
    check_choice("adjust", adjust, get_args(Adjustment))
    check_level(level)
    check_counts(counts)
    rng = np.random.default_rng(random_state)
    rows = []
    for first, second in combinations(counts.groups, 2):
        pair = counts.pick(first, second).merge_groups({first: 0, second: 1})
        interval = confidence_interval(pair, metric.name, level=level, privileged=1)
        found = significance_test(
            pair,
            metric.name,
            method=method,
            privileged=1,
            n_resamples=n_resamples,
            random_state=rng,
        )
        ends = (interval.estimate, interval.low, interval.high)
        rows.append((first, second, *ends, found.statistic, found.p_value, found.method))
    columns = ["first", "second", "estimate", "low", "high", "statistic", "p_value", "method"]
    frame = pd.DataFrame.from_records(rows, columns=columns)
    frame.insert(7, "adjusted", adjust_p_values(frame["p_value"].to_numpy(), adjust))
    return frame


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
        How p-values are adjusted, as in ``pairwise_tests``.

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
    check_choice("method", method, get_args(FlipTest))
    check_choice("adjust", adjust, get_args(Adjustment))
    table = check_counts(counts).over("y_pred", "y_corrected").cells[:, 0]
    if not is_whole(counts):
        raise ValueError("counts must be whole and without weights, got others.")
    favorable, harmful = (table[:, i, 1 - i].astype(np.int64) for i in (0, 1))
    statistic, p_value = apply_mcnemar(favorable, harmful, method)
    p_value = np.where(favorable + harmful > 0, p_value, np.nan)
    return pd.DataFrame(
        {
            "group": pd.Series(list(counts.groups), dtype=object),
            "favorable": favorable,
            "harmful": harmful,
            "statistic": np.where(favorable + harmful > 0, statistic, np.nan),
            "p_value": p_value,
            "adjusted": adjust_p_values(p_value, adjust),
        }
    )
