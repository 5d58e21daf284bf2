"""Distribution of the marginal benefit, against enumeration, algebra and the appendix."""

from fractions import Fraction
from itertools import product
from math import inf, isnan, nan, sqrt

import numpy as np
import pytest

from skfair_ofi.theory import MarginalBenefit

SIZES = [1, 2, 3, 5, 8, 13]


def differences(n: int) -> np.ndarray:
    """Return FP - FN of every confusion matrix of n people."""
    cells = product(range(n + 1), repeat=3)
    return np.array([fp - fn for fp, fn, tp in cells if fp + fn + tp <= n])


@pytest.mark.parametrize(
    ("n", "counts"), [(2, [1, 2, 4, 2, 1]), (5, [1, 2, 4, 6, 9, 12, 9, 6, 4, 2, 1])]
)
def test_published_counts(n: int, counts: list[int]) -> None:
    """The numbers of matrices by FP - FN are those of the appendix of Briscoe2025."""
    assert MarginalBenefit(n).table_counts.tolist() == counts


@pytest.mark.parametrize("n", SIZES)
def test_counts_are_those_of_the_enumeration(n: int) -> None:
    """Counts, probabilities and support are those of all matrices, counted one by one."""
    benefit = MarginalBenefit(n)
    counted = np.bincount(differences(n) + n, minlength=2 * n + 1)
    assert benefit.table_counts.tolist() == counted.tolist()
    assert benefit.probabilities == pytest.approx(counted / len(differences(n)), rel=1e-15)
    assert benefit.support.tolist() == [d / n for d in range(-n, n + 1)]
    assert benefit.total == len(differences(n))


@pytest.mark.parametrize("n", [1, 30, 10**9])
def test_number_of_matrices_as_published(n: int) -> None:
    """N(n) is (n + 1)(n + 2)(n + 3) / 6 in the appendix; of 10^9 people all 27 digits are right."""
    assert MarginalBenefit(n).total == (n + 1) * (n + 2) * (n + 3) // 6


@pytest.mark.parametrize("n", SIZES)
def test_moments_are_those_of_the_enumeration(n: int) -> None:
    """The mean is 0 and the variance (n + 4) / (10 n), not (n + 4) / 10 as the appendix prints."""
    values = differences(n) / n
    benefit = MarginalBenefit(n)
    assert benefit.mean == 0 == differences(n).sum()
    assert benefit.variance == (n + 4) / (10 * n)
    assert benefit.variance == pytest.approx(values.var())
    assert (benefit.variance == pytest.approx((n + 4) / 10)) == (n == 1)
    assert benefit.std == pytest.approx(values.std())


@pytest.mark.parametrize("n", [*SIZES, 40])
def test_mode_is_zero(n: int) -> None:
    """No marginal benefit has as many matrices as 0."""
    benefit = MarginalBenefit(n)
    counts = benefit.table_counts
    assert benefit.support[counts == counts.max()].tolist() == [0] or n == 1


def test_standard_deviation_tends_to_a_third_and_not_to_the_triangular_one() -> None:
    """For many people it is 1 / sqrt(10) = 0.3162; a triangular density would give 0.4082."""
    assert MarginalBenefit(10**9).std == pytest.approx(MarginalBenefit.limit_std(), abs=1e-9)
    assert MarginalBenefit.limit_std() == pytest.approx(1 / sqrt(10))
    assert f"{MarginalBenefit.limit_std():.4f}" == "0.3162"
    assert f"{1 / sqrt(6):.4f}" == "0.4082"
    assert abs(MarginalBenefit.limit_std() - 1 / sqrt(6)) > 0.09


@pytest.mark.parametrize("n", SIZES)
def test_standard_deviation_as_published(n: int) -> None:
    """It is sqrt((n + 4) / (10 n)): above the limit of 0.3162 for any number of people."""
    assert MarginalBenefit(n).std == pytest.approx(sqrt((n + 4) / (10 * n)))
    assert MarginalBenefit(n).std > 1 / sqrt(10)


def test_limit_density_is_that_of_many_people() -> None:
    """The probability per unit tends to 3 (1 - |b|)^2 / 2."""
    benefit = MarginalBenefit(20_000)
    values = [-0.9, -0.5, 0.0, 0.25, 0.8]
    densities = [benefit.pmf(value) * benefit.n for value in values]
    limits = [MarginalBenefit.limit_density(value) for value in values]
    assert densities == pytest.approx(limits, rel=2e-3)
    assert MarginalBenefit.limit_density(1.5) == 0


@pytest.mark.parametrize("n", SIZES)
def test_cumulative_counts_are_exact_at_and_between_values(n: int) -> None:
    """The cdf steps at every value of the support, given as a fraction or as a float."""
    benefit, found = MarginalBenefit(n), differences(n)
    for d in range(-n - 1, n + 2):
        expected = int((found <= d).sum())
        assert benefit.count_up_to(Fraction(d, n)) == expected
        assert benefit.count_up_to(d / n) == expected
        assert benefit.count_up_to(Fraction(2 * d + 1, 2 * n)) == expected
        assert benefit.cdf(d / n) == expected / benefit.total


@pytest.mark.parametrize("n", SIZES)
def test_quantiles_invert_the_cdf(n: int) -> None:
    """The quantile of a value's cdf is that value."""
    benefit = MarginalBenefit(n)
    for value in benefit.support.tolist():
        assert benefit.quantile(benefit.cdf(value)) == value
    assert benefit.quantile(0) == -1
    assert benefit.quantile(1) == 1


@pytest.mark.parametrize(
    ("value", "probability"), [(0.2, 9 / 56), (0.25, 0), (-1, 1 / 56), (1.2, 0), (inf, 0)]
)
def test_probability_of_a_value(value: float, probability: float) -> None:
    """Only values of the support have any."""
    assert MarginalBenefit(5).pmf(value) == pytest.approx(probability)


@pytest.mark.parametrize(("value", "probability"), [(-inf, 0), (inf, 1), (-7, 0), (3, 1)])
def test_cdf_beyond_the_support(value: float, probability: float) -> None:
    """It is 0 below and 1 above."""
    assert MarginalBenefit(5).cdf(value) == probability


def test_nan_stays_nan() -> None:
    """An undefined value has no probability, and no count."""
    assert isnan(MarginalBenefit(5).cdf(nan))
    assert isnan(MarginalBenefit(5).pmf(nan))
    with pytest.raises(ValueError, match=r"value must be a number, got nan\.$"):
        MarginalBenefit(5).count_up_to(nan)


def test_many_people_are_counted_exactly() -> None:
    """Counts beyond 64 bits keep all digits: half of the rest lies on either side of 0."""
    benefit = MarginalBenefit(10**8)
    zero = (10**8 + 2) ** 2 // 4
    assert benefit.count_up_to(0.0) == (benefit.total + zero) // 2


@pytest.mark.parametrize("n", [0, -3, 2.5])
def test_size_is_refused(n: float) -> None:
    """A group of no one has no marginal benefit."""
    with pytest.raises(ValueError, match=rf"n must be a whole number of at least 1, got {n}\.$"):
        MarginalBenefit(n)  # type: ignore[arg-type]


@pytest.mark.parametrize("probability", [-0.1, 1.1, nan])
def test_probability_is_refused(probability: float) -> None:
    """Quantiles are of probabilities."""
    message = rf"probability must lie in \[0, 1\], got {probability}\.$"
    with pytest.raises(ValueError, match=message):
        MarginalBenefit(3).quantile(probability)


@pytest.mark.parametrize("n", [1, 50, 10**6, 10**8])
def test_ends_of_the_quantiles(n: int) -> None:
    """The quantile of 1 is the largest value and that of 0 the smallest, of any size."""
    benefit = MarginalBenefit(n)
    assert (benefit.quantile(0), benefit.quantile(0.5), benefit.quantile(1)) == (-1, 0, 1)
