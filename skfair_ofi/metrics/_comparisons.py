"""Arithmetic of shares, and the two sides that a comparison compares.

Whole counts are compared as exact fractions and rounded once at the end, so a
ratio of exactly four fifths is 0.8 and not 0.7999. Weighted counts that are
not whole are compared as floats.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import inf, isinf, isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from skfair_ofi._validation import resolve_privileged
from skfair_ofi.counts import OutcomeCounts

if TYPE_CHECKING:
    from ._registry import Metric

Number = Fraction | float
# Numerators and denominators, one of each a group.
Share = tuple[np.ndarray, np.ndarray]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or float(value).is_integer()


def divide(numerator: Any, denominator: Any) -> Number:
    """Return a quotient, exact for whole numbers; x/0 is infinite and 0/0 is NaN.

    Examples
    --------
    >>> divide(4, 50) / divide(5, 50)
    Fraction(4, 5)
    >>> divide(0, 0), divide(1, 0)
    (nan, inf)
    """
    if type(numerator) is int and type(denominator) is int and denominator:
        return Fraction(numerator, denominator)  # as most often, and quickly asked
    if isnan(numerator) or isnan(denominator):
        return nan
    if denominator == 0:
        return nan if numerator == 0 else (inf if numerator > 0 else -inf)
    if isinstance(numerator, Fraction) or isinstance(denominator, Fraction):
        return numerator / denominator  # type: ignore[no-any-return]
    if _is_whole(numerator) and _is_whole(denominator):
        return Fraction(int(numerator), int(denominator))
    # Of Python's own floats, next to nothing in a denominator gives infinity without a warning
    return float(numerator) / float(denominator)


def quotients(share: Share, empty: float = nan) -> np.ndarray:
    """Return one quotient a group as floats; x/0 is infinite and 0/0 is ``empty``."""
    numerator, denominator = share[0].astype(np.float64), share[1].astype(np.float64)
    # As most often, nothing is undefined or overflows; a position is found sooner than a minimum.
    if denominator.size and denominator[denominator.argmin()] > 1e-200:
        return numerator / denominator
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: np.ndarray = numerator / denominator
    return np.where((numerator == 0) & (denominator == 0), empty, result)


class Contrast:
    """The groups of a table as a comparison sees them."""

    def __init__(self, counts: OutcomeCounts, privileged: Any = None) -> None:
        self.signed = privileged is not None
        self.counts = counts
        self._given = counts.groups
        self._names: dict[Hashable, str] = {}
        if self.signed:
            chosen = resolve_privileged(privileged, counts.groups)
            self.counts = counts.merge_groups({key: key in chosen for key in counts.groups})
            named = f"group {chosen[0]!r}" if len(chosen) == 1 else f"groups {list(chosen)!r}"
            others = [key for key in counts.groups if key not in chosen]
            rest = f"group {others[0]!r}" if len(others) == 1 else "the other groups"
            self._names = {True: named, False: rest}

    def name(self, group: Hashable) -> str:
        """Return what a message calls a group of this contrast."""
        return self._names.get(group, f"group {group!r}")

    @property
    def alone(self) -> bool:
        """Whether there is only one side, and nothing to compare."""
        return len(self.counts.groups) < 2

    def extremes(self, rate: "Metric", shares: Share | None = None) -> tuple[int, int] | None:
        """Return the positions of the two compared groups, or None where undefined.

        With privileged: everyone else, then the privileged. Without: the group
        of the highest value, then that of the lowest.
        """
        if self.alone:
            return None
        values = rate.values(self.counts, shares)
        highest = int(values.argmax())  # the first NaN, where there is any
        if isnan(values[highest]):
            return None
        return (0, 1) if self.signed else (highest, int(values.argmin()))

    def sides(self, rate: "Metric") -> tuple[Number, Number]:
        """Return the two compared values of a rate; NaN where undefined."""
        shares = rate.shares(self.counts)
        places = self.extremes(rate, shares)
        if places is None:
            return nan, nan
        first, second = places
        return rate.exact(self.counts, first, shares), rate.exact(self.counts, second, shares)

    def difference(self, rate: "Metric") -> Number:
        """Return everyone else minus privileged, or the largest gap."""
        first, second = self.sides(rate)
        return first - second

    def gap(self, rate: "Metric") -> Number:
        """Return the absolute difference."""
        difference = self.difference(rate)
        return -difference if difference < 0 else difference

    def ratio(self, rate: "Metric") -> Number:
        """Return everyone else over privileged, or the smallest ratio."""
        first, second = self.sides(rate)
        return divide(first, second) if self.signed else divide(second, first)

    def overall(self, rate: "Metric") -> Number:
        """Return the rate among all people together."""
        return rate.exact(self.counts.pooled(), 0)

    def reason(self, rates: "Sequence[Metric]") -> str | None:
        """Return why a difference of rates is undefined, in words, or None where none is."""
        if self.alone:
            return (
                f"only one group, {self._given[0]!r}" if len(self._given) == 1 else "no other group"
            )
        empty = [
            f"no {rate.denominator if size else 'people'} in {self.name(group)}"
            for rate in rates
            for group, size, value in zip(
                self.counts.groups, self.counts.group_sizes, rate.values(self.counts), strict=True
            )
            if isnan(value)
        ]
        return "; ".join(dict.fromkeys(empty)) or None

    def zero_reason(self, rate: "Metric") -> str:
        """Return why a comparison of rates that are defined is not."""
        first, _ = self.sides(rate)
        return f"{rate.name} is {'infinite' if isinf(first) else 0} in all groups compared"
