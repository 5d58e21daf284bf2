"""Distribution of the marginal benefit over all confusion matrices of n people.

Each of the N(n) matrices counts once. The distribution is exact: counts of
matrices are integers, and a probability is a quotient of two of them.

>>> MarginalBenefit(2).table_counts.tolist()
[1, 2, 4, 2, 1]
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, isclose, isnan, nan, sqrt
from typing import NamedTuple, SupportsIndex

import numpy as np


def check_size(name: str, value: SupportsIndex) -> int:
    """Return a number of people as an integer."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}.")
    return number


def count_tables(n: int) -> int:
    """Return N(n), the ways to write n as an ordered sum of four cells (Briscoe2025, appendix)."""
    return (n + 1) * (n + 2) * (n + 3) // 6


class Step(NamedTuple):
    """The largest multiple of a step that is at most a value, and whether it is the value."""

    number: int
    reached: bool


def find_last_step(value: float | Fraction, steps: int) -> Step:
    """Return the largest k for which k / steps is at most a value.

    A float that is the nearest one to k / steps counts as k / steps.
    """
    if isnan(value):
        raise ValueError(f"value must be a number, got {value!r}.")
    # Nothing here is larger than 2, and infinity has no floor.
    bounded = max(min(value, 4), -4)
    scaled = (bounded if isinstance(bounded, Fraction) else Fraction(float(bounded))) * steps
    near = round(scaled)
    if not isinstance(bounded, Fraction) and isclose(
        near / steps, bounded, rel_tol=1e-13, abs_tol=1e-15
    ):
        return Step(near, reached=True)
    return Step(floor(scaled), reached=scaled.denominator == 1)


def count_tables_up_to(difference: np.ndarray, n: int) -> np.ndarray:
    """Return the number of matrices of n people with FP - FN of at most a difference."""
    negative = difference < 0
    # The larger differences are counted on the other side, by symmetry.
    left = n - np.clip(np.where(negative, -difference, difference + 1), 0, n + 1)
    # The sum of floor((m + 2)^2 / 4) over m = 0 .. left; it is 0 for left = -1.
    below = (left + 2) * (left + 4) * (2 * left + 3) // 24
    counts: np.ndarray = np.where(negative, below, count_tables(n) - below)
    return counts


def find_first_step(
    count_up_to: Callable[[int], int], most: int, total: int, probability: float
) -> int:
    """Return the smallest step up to which a share of all tables lies, by bisection in integers."""
    if probability == 1:
        return most
    needed = Fraction(probability) * total * (1 - Fraction(1, 10**14))
    low, high = -most, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if count_up_to(middle) >= needed else (middle + 1, high)
    return low


def check_probability(name: str, value: float) -> float:
    """Return a probability."""
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie in [0, 1], got {value!r}.")
    return float(value)


@dataclass(frozen=True)
class MarginalBenefit:
    """Marginal benefit B = (FP - FN) / n of a confusion matrix drawn evenly from all of n people.

    Parameters
    ----------
    n : int
        Number of people, at least 1.

    Raises
    ------
    ValueError
        If ``n`` is not a whole number of at least 1.

    Notes
    -----
    floor((n - abs(d) + 2)^2 / 4) matrices have FP - FN = d. The mean is 0 and the variance is
    (n + 4) / (10 n). The appendix of Briscoe2025 prints (n + 4) / 10: an n is missing there.
    For many people the standard deviation tends to 1 / sqrt(10) = 0.316, and the distribution
    to the density 3 (1 - abs(b))^2 / 2, which is not triangular.

    Examples
    --------
    >>> benefit = MarginalBenefit(5)
    >>> benefit.table_counts.tolist()
    [1, 2, 4, 6, 9, 12, 9, 6, 4, 2, 1]
    >>> benefit.pmf(0.2), benefit.cdf(0), round(benefit.std, 4)
    (0.16071428571428573, 0.6071428571428571, 0.4243)
    """

    n: int

    def __post_init__(self) -> None:
        """Refuse what is no number of people."""
        object.__setattr__(self, "n", check_size("n", self.n))

    @property
    def total(self) -> int:
        """Number of confusion matrices, N(n)."""
        return count_tables(self.n)

    @cached_property
    def support(self) -> np.ndarray:
        """Possible values, -1 to 1 in steps of 1/n, of shape (2 n + 1,)."""
        support: np.ndarray = np.arange(-self.n, self.n + 1) / self.n
        return support

    @cached_property
    def table_counts(self) -> np.ndarray:
        """Number of matrices with each value of the support, as integers."""
        counts: np.ndarray = (self.n - abs(np.arange(-self.n, self.n + 1)) + 2) ** 2 // 4
        return counts

    @cached_property
    def probabilities(self) -> np.ndarray:
        """Probability of each value of the support."""
        probabilities: np.ndarray = self.table_counts / self.total
        return probabilities

    @property
    def mean(self) -> float:
        """Mean, which is 0."""
        return 0.0

    @property
    def variance(self) -> float:
        """Variance, (n + 4) / (10 n)."""
        return (self.n + 4) / (10 * self.n)

    @property
    def std(self) -> float:
        """Standard deviation, sqrt((n + 4) / (10 n))."""
        return sqrt(self.variance)

    def _count_up_to(self, step: int) -> int:
        """Number of matrices whose FP - FN is at most so many."""
        # An axis, since NumPy would turn a lone Python integer into one of 64 bits.
        return int(count_tables_up_to(np.array([step], dtype=object), self.n)[0])

    def count_up_to(self, value: float | Fraction) -> int:
        """Return the number of matrices whose marginal benefit is at most a value.

        Parameters
        ----------
        value : float or Fraction
            The value; a fraction is compared exactly.

        Returns
        -------
        int
            The number, exact.

        Raises
        ------
        ValueError
            If the value is NaN.
        """
        return self._count_up_to(find_last_step(value, self.n).number)

    def pmf(self, value: float | Fraction) -> float:
        """Return the probability of a value, 0 where it is not in the support.

        Parameters
        ----------
        value : float or Fraction
            The value.

        Returns
        -------
        float
            The probability; NaN of NaN.
        """
        if isnan(value):
            return nan
        step, reached = find_last_step(value, self.n)
        if not reached or abs(step) > self.n:
            return 0.0
        return ((self.n - abs(step) + 2) ** 2 // 4) / self.total

    def cdf(self, value: float | Fraction) -> float:
        """Return the probability of at most a value.

        Parameters
        ----------
        value : float or Fraction
            The value.

        Returns
        -------
        float
            The probability; NaN of NaN.
        """
        return nan if isnan(value) else self.count_up_to(value) / self.total

    def quantile(self, probability: float) -> float:
        """Return the smallest value whose cdf is at least a probability.

        Parameters
        ----------
        probability : float
            A probability in [0, 1].

        Returns
        -------
        float
            A value of the support.

        Raises
        ------
        ValueError
            If it does not lie in [0, 1].
        """
        wanted = check_probability("probability", probability)
        return find_first_step(self._count_up_to, self.n, self.total, wanted) / self.n

    @staticmethod
    def limit_density(value: float) -> float:
        """Return the density that the distribution tends to for many people.

        Parameters
        ----------
        value : float
            The value.

        Returns
        -------
        float
            3 (1 - abs(value))^2 / 2, and 0 outside [-1, 1].
        """
        return 1.5 * max(1 - abs(value), 0.0) ** 2

    @staticmethod
    def limit_std() -> float:
        """Return the standard deviation for many people, 1 / sqrt(10)."""
        return sqrt(0.1)
