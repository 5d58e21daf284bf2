"""Tests of whether a rate is the same in all groups, from the table alone."""

from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Literal

import numpy as np

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Metric

from ._closed import Source
from ._forms import check_counts, metric_of
from ._interval import sample_notes
from ._intervals import Measure
from ._resampling import check_number
from ._samples import Sample, rates_of
from ._statistics import (
    Statistic,
    chi_square_statistic,
    expected_hits,
    fisher_statistic,
    lacks_variance,
    permutation_statistic,
    summed_chi_square,
    welch_statistic,
    whole_parts,
    z_statistic,
)

TestMethod = Literal[
    "auto", "z", "chi_square", "chi_square_corrected", "fisher", "welch", "permutation"
]

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


def _methods(kind: str, rates: int, groups: int) -> tuple[str, ...]:
    """The tests that a comparison has."""
    if kind == "mean":
        return "auto", "welch"
    if kind in ("benefit", "average"):
        return "auto", "welch", "permutation"
    if rates > 1 or groups > 2:
        return "auto", "chi_square", "permutation"
    return "auto", "z", "chi_square", "chi_square_corrected", "fisher", "permutation"


def _people(samples: list[tuple[Sample, ...]]) -> float:
    """The most people that a rate is a share of."""
    return float(max(part.size.sum() for parts in samples for part in parts))


def _automatic(kind: str, samples: list[tuple[Sample, ...]], groups: int, *, exact: bool) -> str:
    """The test for these numbers of people, exact ones or not."""
    if kind in ("mean", "benefit", "average"):
        few = min(part.size.min() for parts in samples for part in parts) < _FEW_PEOPLE
        wanted = kind != "mean" and (few or lacks_variance(samples[0]))
        return "permutation" if exact and wanted else "welch"
    few = min(expected_hits(parts[0]).min() for parts in samples) < _FEW_EXPECTED
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


def _chosen(
    method: str, kind: str, samples: list[tuple[Sample, ...]], groups: int, *, whole: bool
) -> tuple[str, list[str]]:
    """The test, and what to know about it."""
    test, notes = method, []
    if method == "auto":
        wanted = _automatic(kind, samples, groups, exact=whole)
        test = _automatic(kind, samples, groups, exact=whole and _people(samples) < _MOST_EXACT)
        notes = [_TOO_MANY] if test != wanted else []
    if test == "welch" and kind != "mean" and lacks_variance(samples[0]):
        notes.append(_HALF)
    return test, notes


def _tested(
    method: str,
    rates: tuple[Metric, ...],
    samples: list[tuple[Sample, ...]],
    counts: OutcomeCounts,
    plan: tuple[int, Any],
) -> Statistic:
    first = samples[0][0]
    if method == "z":
        return z_statistic(first)
    if method == "welch":
        return welch_statistic(samples[0])
    if method == "chi_square_corrected":
        return chi_square_statistic(first, corrected=True)
    if method == "chi_square":
        return summed_chi_square([parts[0] for parts in samples])
    wholes = [whole_parts(rate.name, counts) for rate in rates]
    if method == "fisher":
        return fisher_statistic(wholes[0][0])
    n_resamples, random_state = plan
    return permutation_statistic(wholes, n_resamples, np.random.default_rng(random_state))


def _empty(rates: tuple[Metric, ...], source: Source) -> str | None:
    """Which groups have no one to test, in words."""
    names = [source.contrast.name(group) for group in source.contrast.counts.groups]
    missing = [
        f"no {rate.whole} in {name}"
        for rate in rates
        for sample in source.samples(rate)
        for name, size in zip(names, sample.size, strict=True)
        if size == 0
    ]
    return "; ".join(dict.fromkeys(missing)) or None


def _alike(kind: str, sample: Sample) -> str:
    """Why there is no p-value."""
    if sample.hidden is not None and sample.hidden.any():
        return "no variance that numbers of this size can show"
    return "no variance" if kind in ("mean", "benefit", "average") else "everyone is alike"


def significance_test(
    measure: Measure,
    counts: OutcomeCounts,
    *,
    method: TestMethod = "auto",
    privileged: Any = None,
    n_resamples: int = 9_999,
    random_state: int | np.random.Generator | None = 0,
) -> Significance:
    """Test of whether what a comparison compares is the same in all groups.

    Parameters
    ----------
    measure : callable or str
        A comparison of this package, or its name. Differences, ratios and disparities of one
        rate have the same test.
    counts : OutcomeCounts
        The table.
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
    >>> found = significance_test("disparate_impact", table, privileged="b")
    >>> found.method, round(found.statistic, 3), round(found.p_value, 4)
    ('two-proportion z', 2.65, 0.008)
    """
    metric = metric_of(measure, "comparison")
    check_number("n_resamples", n_resamples)
    estimate = metric.of(check_counts(counts), privileged=privileged)
    source, rates = Source(counts, privileged), rates_of(metric, counts)
    samples = [source.samples(rate) for rate in rates]
    kind = "average" if len(samples[0]) > 1 else samples[0][0].kind
    groups = len(source.contrast.counts.groups)
    check_choice("method", method, _methods(kind, len(rates), groups))
    whole = is_whole(counts)
    _check_exact(method, _people(samples), whole=whole)
    null = f"equal {' and '.join(rate.name for rate in rates)} in all groups compared"
    reason = metric.reason(counts, privileged=privileged) if isnan(estimate) else None
    if reason := reason or _empty(rates, source):
        return Significance(nan, nan, nan, estimate, "none", null, reason)
    chosen, notes = _chosen(method, kind, samples, groups, whole=whole)
    plan = (n_resamples, random_state)
    found = _tested(chosen, rates, samples, source.contrast.counts, plan)
    if kind == "mean":
        notes += sample_notes(rates[0], samples[0], source.contrast)
    if isnan(found.p_value):
        notes = [_alike(kind, samples[0][0])]
    note = "; ".join([*source.notes, *notes]) or None
    return Significance(
        found.value, found.p_value, found.degrees, estimate, _NAMES[chosen], null, note
    )
