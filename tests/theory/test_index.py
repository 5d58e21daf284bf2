"""Distribution of the Objective Fairness Index, against enumeration of all pairs."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import isnan, nan, sqrt

import numpy as np
import pytest

from skfair_ofi.theory import MarginalBenefit, OFIDistribution, ofi_threshold

SIZES = [(1, 1), (2, 3), (5, 5), (7, 4)]


def benefits(n: int) -> list[Fraction]:
    """Return the marginal benefit of every confusion matrix of n people."""
    cells = product(range(n + 1), repeat=3)
    return [Fraction(fp - fn, n) for fp, fn, tp in cells if fp + fn + tp <= n]


def indices(n_i: int, n_j: int) -> list[Fraction]:
    """Return the index of every pair of confusion matrices."""
    return [i - j for i in benefits(n_i) for j in benefits(n_j)]


@pytest.mark.parametrize(("n_i", "n_j"), SIZES)
def test_counts_are_those_of_all_pairs(n_i: int, n_j: int) -> None:
    """Support and counts are those of all pairs of matrices, counted one by one."""
    counted = Counter(indices(n_i, n_j))
    index = OFIDistribution(n_i, n_j)
    assert index.support == pytest.approx([float(value) for value in sorted(counted)], abs=1e-15)
    assert index.table_counts.tolist() == [counted[value] for value in sorted(counted)]
    assert index.probabilities.sum() == pytest.approx(1)
    assert index.total == sum(counted.values())


@pytest.mark.parametrize(("n_i", "n_j"), SIZES)
def test_probabilities_without_the_support_are_the_same(n_i: int, n_j: int) -> None:
    """Neither pmf nor cdf needs a list of all values; they take fractions as well as floats."""
    found, index = indices(n_i, n_j), OFIDistribution(n_i, n_j)
    for value in set(found):
        up_to = sum(other <= value for other in found)
        assert index.count_up_to(value) == index.count_up_to(float(value)) == up_to
        assert index.cdf(float(value)) == up_to / len(found)
        assert index.pmf(value) == index.pmf(float(value)) == found.count(value) / len(found)
        assert index.pmf(float(value) + 1e-6) == 0


@pytest.mark.parametrize(("n_i", "n_j"), SIZES)
def test_quantiles_invert_the_cdf(n_i: int, n_j: int) -> None:
    """The quantile of a value's cdf is that value, and of a little more the next one."""
    index = OFIDistribution(n_i, n_j)
    values = index.support.tolist()
    for value, after in zip(values, [*values[1:], 2.0], strict=True):
        assert index.quantile(index.cdf(value)) == value
        assert index.quantile(min(index.cdf(value) + 1e-9, 1)) == after


@pytest.mark.parametrize(("n_i", "n_j"), [*SIZES, (6000, 8000)])
def test_moments(n_i: int, n_j: int) -> None:
    """The variance is the sum of both marginal benefits' variances."""
    index = OFIDistribution(n_i, n_j)
    assert index.mean == 0
    assert index.variance == pytest.approx((n_i + 4) / (10 * n_i) + (n_j + 4) / (10 * n_j))
    if index.method == "exact":
        assert index.std == pytest.approx(np.std([float(value) for value in indices(n_i, n_j)]))


def test_standard_deviation_of_the_index_is_not_that_of_the_benefit() -> None:
    """0.4472 and 0.3162 are the limits of two different things."""
    assert ofi_threshold(10**9, 10**9) == pytest.approx(sqrt(0.2))
    assert MarginalBenefit(10**9).std == pytest.approx(sqrt(0.1))
    assert f"{ofi_threshold(10**9, 10**9):.4f} {MarginalBenefit(10**9).std:.4f}" == "0.4472 0.3162"


@pytest.mark.parametrize(("n_i", "n_j"), [*SIZES, (18, 6), (1918, 26)])
def test_standard_deviation_as_published(n_i: int, n_j: int) -> None:
    """It is sqrt((n_i + 4) / (10 n_i) + (n_j + 4) / (10 n_j)), by either name."""
    expected = sqrt((n_i + 4) / (10 * n_i) + (n_j + 4) / (10 * n_j))
    assert OFIDistribution(n_i, n_j).std == pytest.approx(expected)
    assert ofi_threshold(n_i, n_j) == pytest.approx(expected)


def test_threshold_is_a_multiple_of_the_standard_deviation() -> None:
    """The factor counts standard deviations."""
    assert ofi_threshold(18, 6, k=2) == pytest.approx(2 * sqrt(22 / 180 + 10 / 60))


@pytest.mark.parametrize("k", [-1, nan, float("inf")])
def test_threshold_refuses_other_multiples(k: float) -> None:
    """A bound is finite and not negative."""
    with pytest.raises(ValueError, match=rf"k must be finite and at least 0, got {k}\.$"):
        ofi_threshold(3, 3, k)


@pytest.mark.parametrize("value", [Fraction(1, 3), -0.5, 0, 0.37, 2])
def test_rank_counts_pairs_on_both_sides(value: float) -> None:
    """Shares of pairs below, at, above, and at least as far from 0."""
    found = [float(other) for other in indices(6, 4)]
    rank = OFIDistribution(6, 4).rank(value)
    near = [abs(other - value) < 1e-12 for other in found]
    assert rank.equal == sum(near) / len(found)
    below = sum(other < value and not at for other, at in zip(found, near, strict=True))
    assert rank.below == below / len(found)
    assert rank.below + rank.equal + rank.above == pytest.approx(1)
    assert rank.beyond == sum(abs(other) >= abs(value) - 1e-12 for other in found) / len(found)
    assert rank.method == "exact"


@pytest.mark.parametrize("value", [-2.1, 2.5, nan])
def test_rank_refuses_what_is_no_index(value: float) -> None:
    """An index lies in [-2, 2]."""
    with pytest.raises(ValueError, match=rf"value must lie in \[-2, 2\], got {value}\.$"):
        OFIDistribution(3, 3).rank(value)


@pytest.mark.parametrize("value", [-1.5, -0.3, 0.0, 0.2, 0.9, 1.3])
def test_limit_is_near_the_exact_distribution(value: float) -> None:
    """Just where the limit takes over, it is right to three digits."""
    exact, limit = OFIDistribution(5_000, 5_000), OFIDistribution(5_001, 5_001)
    assert (exact.method, limit.method) == ("exact", "asymptotic")
    assert limit.cdf(value) == pytest.approx(exact.cdf(value), abs=3e-4)
    assert limit.rank(value).beyond == pytest.approx(exact.rank(value).beyond, abs=6e-4)
    assert limit.quantile(exact.cdf(value)) == pytest.approx(value, abs=1e-2)
    assert limit.pmf(value) == 0


def test_one_small_group_keeps_it_exact() -> None:
    """A group of 3 against a million is not large: its four benefits still show."""
    index = OFIDistribution(3, 10**6)
    assert index.method == "exact"
    assert index.cdf(0) == pytest.approx((1 + index.pmf(0)) / 2)
    assert OFIDistribution(10**6, 3).cdf(0.25) == index.cdf(0.25)


def test_counts_of_all_values_are_refused_where_they_overflow() -> None:
    """No number is wrapped around in silence."""
    message = (
        r"n_i and n_j must be smaller for counts of all values, got 4000 and 4000; "
        r"pmf, cdf, quantile and rank take any\.$"
    )
    with pytest.raises(ValueError, match=message):
        _ = OFIDistribution(4000, 4000).table_counts


def test_nan_stays_nan() -> None:
    """An undefined index has no probability."""
    assert isnan(OFIDistribution(3, 2).cdf(nan))
    assert isnan(OFIDistribution(3, 2).pmf(nan))


@pytest.mark.parametrize("name", ["n_i", "n_j"])
def test_sizes_are_refused_by_name(name: str) -> None:
    """A group of no one has no index."""
    message = rf"{name} must be a whole number of at least 1, got 0\.$"
    with pytest.raises(ValueError, match=message):
        OFIDistribution(**{"n_i": 2, "n_j": 2, name: 0})


@pytest.mark.parametrize("sizes", [(3, 2), (100, 100), (6000, 8000), (10**6, 10**6)])
def test_ends_of_the_quantiles(sizes: tuple[int, int]) -> None:
    """The quantile of 1 is 2 and that of 0 is -2, exact or asymptotic."""
    index = OFIDistribution(*sizes)
    assert (index.quantile(0), index.quantile(1)) == (-2, 2)
