"""Distribution of the Objective Fairness Index over all pairs of confusion matrices."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isnan, lcm, nan, sqrt
from typing import Literal, NamedTuple

import numpy as np

from ._marginal_benefit import (
    MarginalBenefit,
    check_probability,
    check_size,
    count_tables_up_to,
    find_first_step,
    find_last_step,
)

Method = Literal["exact", "asymptotic"]

# Where both groups have more people, the limit is right to four digits, and much faster.
_MOST_EXACT = 5_000
# Cumulative counts of this many people fit in 64 bits.
_MOST_64_BIT = 1_000_000


class Rank(NamedTuple):
    """Where an Objective Fairness Index lies among those of all pairs of confusion matrices.

    ``below``, ``equal`` and ``above`` are shares of pairs and add up to 1; ``beyond`` is the
    share of pairs at least as far from 0 in either direction.
    """

    below: float
    equal: float
    above: float
    beyond: float
    method: Method


def _compute_limit_cdf(value: float) -> float:
    """The cdf of the difference of two values of density 3 (1 - abs(b))^2 / 2."""
    x = min(abs(value), 2.0)
    if x > 1:
        upper = 1 - (2 - x) ** 6 / 80
    else:
        upper = 0.5 + x * (0.9 + x * x * (-1 + x * (0.75 + x * (-0.15 - x / 80))))
    return upper if value > 0 else 1 - upper


@dataclass(frozen=True)
class OFIDistribution:
    """Objective Fairness Index of two confusion matrices, each drawn evenly from all there are.

    Parameters
    ----------
    n_i, n_j : int
        Numbers of people in the two groups, at least 1.

    Attributes
    ----------
    method : {"exact", "asymptotic"}
        How probabilities are computed: exactly, by convolution in integers, where a group has
        at most 5,000 people; beyond, by the distribution that it tends to for many people.

    Raises
    ------
    ValueError
        If ``n_i`` or ``n_j`` is not a whole number of at least 1.

    Notes
    -----
    OFI = B_i - B_j with independent marginal benefits, so it is symmetric about 0, and its
    variance is the sum of theirs. Its standard deviation tends to sqrt(2 / 10) = 0.447 for many
    people; 0.316, often rounded to 0.3, is that of one marginal benefit.

    Examples
    --------
    >>> index = OFIDistribution(18, 6)
    >>> index.method, round(index.std, 4), round(index.cdf(0.2), 4)
    ('exact', 0.5375, 0.642)
    >>> round(index.rank(-1 / 18).beyond, 4)
    0.9577
    """

    n_i: int
    n_j: int

    def __post_init__(self) -> None:
        """Refuse what are no numbers of people."""
        for name in ("n_i", "n_j"):
            object.__setattr__(self, name, check_size(name, getattr(self, name)))

    @property
    def method(self) -> Method:
        """How probabilities are computed."""
        return "exact" if min(self.n_i, self.n_j) <= _MOST_EXACT else "asymptotic"

    @property
    def total(self) -> int:
        """Number of pairs of confusion matrices, N(n_i) N(n_j)."""
        return MarginalBenefit(self.n_i).total * MarginalBenefit(self.n_j).total

    @property
    def mean(self) -> float:
        """Mean, which is 0."""
        return 0.0

    @property
    def variance(self) -> float:
        """Variance, (n_i + 4) / (10 n_i) + (n_j + 4) / (10 n_j); exact for all sizes."""
        return MarginalBenefit(self.n_i).variance + MarginalBenefit(self.n_j).variance

    @property
    def std(self) -> float:
        """Standard deviation; exact for all sizes."""
        return sqrt(self.variance)

    @property
    def _steps(self) -> int:
        """Every value is a whole number of steps of one part in this many."""
        return lcm(self.n_i, self.n_j)

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Possible values in steps, ascending, and the number of pairs with each."""
        first, second = MarginalBenefit(self.n_i), MarginalBenefit(self.n_j)
        if self.total >= 2**63:
            raise ValueError(
                f"n_i and n_j must be smaller for counts of all values, got {self.n_i} and "
                f"{self.n_j}; pmf, cdf, quantile and rank take any."
            )
        steps = np.add.outer(
            np.arange(-self.n_i, self.n_i + 1) * (self._steps // self.n_i),
            np.arange(-self.n_j, self.n_j + 1) * (self._steps // self.n_j),
        )
        values, places = np.unique(steps, return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        pairs = np.multiply.outer(first.table_counts, second.table_counts)
        np.add.at(counts, places.ravel(), pairs.ravel())
        return values, counts

    @property
    def support(self) -> np.ndarray:
        """Possible values, ascending, where counts of all values fit in 64 bits."""
        support: np.ndarray = self._pairs[0] / self._steps
        return support

    @property
    def table_counts(self) -> np.ndarray:
        """Number of pairs of matrices with each value of the support, as integers."""
        return self._pairs[1]

    @property
    def probabilities(self) -> np.ndarray:
        """Probability of each value of the support."""
        probabilities: np.ndarray = self._pairs[1] / self.total
        return probabilities

    def _count_up_to(self, step: int) -> int:
        """Number of pairs with a value of at most so many steps."""
        small, large = sorted((self.n_i, self.n_j))
        kind = np.int64 if large <= _MOST_64_BIT else object
        own = np.arange(-small, small + 1).astype(kind)
        # By symmetry, adding the other group's benefit is as good as subtracting it.
        room = (step - own * (self._steps // small)) // (self._steps // large)
        ways = MarginalBenefit(small).table_counts.astype(object)
        return int(ways @ count_tables_up_to(room, large).astype(object))

    def count_up_to(self, value: float | Fraction) -> int:
        """Return the number of pairs of matrices whose index is at most a value.

        Parameters
        ----------
        value : float or Fraction
            The value; a fraction is compared exactly.

        Returns
        -------
        int
            The number, exact whatever the sizes; the time grows with the smaller group.

        Raises
        ------
        ValueError
            If the value is NaN.
        """
        return self._count_up_to(find_last_step(value, self._steps).number)

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
        if isnan(value):
            return nan
        if self.method == "asymptotic":
            return _compute_limit_cdf(float(value))
        return self.count_up_to(value) / self.total

    def pmf(self, value: float | Fraction) -> float:
        """Return the probability of a value, 0 where it is not in the support.

        Parameters
        ----------
        value : float or Fraction
            The value.

        Returns
        -------
        float
            The probability; NaN of NaN, and 0 where the method is asymptotic.
        """
        if isnan(value):
            return nan
        step, reached = find_last_step(value, self._steps)
        if not reached or self.method == "asymptotic":
            return 0.0
        return (self._count_up_to(step) - self._count_up_to(step - 1)) / self.total

    def quantile(self, probability: float) -> float:
        """Return the smallest value whose cdf is at least a probability.

        Parameters
        ----------
        probability : float
            A probability in [0, 1].

        Returns
        -------
        float
            The value, in [-2, 2]; where the method is asymptotic, to 12 digits.

        Raises
        ------
        ValueError
            If it does not lie in [0, 1].
        """
        wanted = check_probability("probability", probability)
        if self.method == "exact":
            # A step may lie between two values, but then the value after it is the one.
            most = 2 * self._steps
            return find_first_step(self._count_up_to, most, self.total, wanted) / self._steps
        if wanted in (0, 1):
            return 4 * wanted - 2
        low, high = -2.0, 2.0
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (low, middle) if _compute_limit_cdf(middle) >= wanted else (middle, high)
        return high

    def rank(self, value: float | Fraction) -> Rank:
        """Return where an observed index lies among those of all pairs of matrices.

        Parameters
        ----------
        value : float or Fraction
            The observed index, in [-2, 2].

        Returns
        -------
        Rank
            Shares of pairs below, at and above the value, and at least as far from 0.

        Raises
        ------
        ValueError
            If it does not lie in [-2, 2].
        """
        if not -2 <= value <= 2:
            raise ValueError(f"value must lie in [-2, 2], got {value!r}.")
        if self.method == "asymptotic":
            below = _compute_limit_cdf(float(value))
            return Rank(below, 0.0, 1 - below, 2 * min(below, 1 - below), self.method)
        step, reached = find_last_step(value, self._steps)
        up_to = self._count_up_to(step)
        below = self._count_up_to(step - 1) if reached else up_to
        far = 2 * min(up_to, self.total - below) if value else self.total
        pairs = (below, up_to - below, self.total - up_to, far)
        shares = [count / self.total for count in pairs]
        return Rank(shares[0], shares[1], shares[2], shares[3], self.method)


def ofi_threshold(n_i: int, n_j: int, k: float = 1.0) -> float:
    """Bound on the Objective Fairness Index by group sizes: k standard deviations.

    Parameters
    ----------
    n_i, n_j : int
        Numbers of people in the two groups, at least 1.
    k : float, default=1.0
        How many standard deviations, at least 0.

    Returns
    -------
    float
        The bound; it tends to 0.447 k for many people.

    Raises
    ------
    ValueError
        If a size is not a whole number of at least 1, or ``k`` is negative or not finite.

    Notes
    -----
    The standard deviation of the index over all pairs of confusion matrices, sqrt((n_i + 4) /
    (10 n_i) + (n_j + 4) / (10 n_j)). Briscoe2025 takes 0.3, which is the limit of the standard
    deviation of one marginal benefit: ``MarginalBenefit(n).std``.

    Examples
    --------
    >>> round(ofi_threshold(18, 6), 4), round(ofi_threshold(10**6, 10**6), 4)
    (0.5375, 0.4472)
    """
    if not 0 <= k < float("inf"):
        raise ValueError(f"k must be finite and at least 0, got {k!r}.")
    return k * OFIDistribution(n_i, n_j).std
