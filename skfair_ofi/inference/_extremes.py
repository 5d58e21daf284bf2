"""Limits of the largest gap between any two of several groups.

Its upper end is the largest upper limit of single pairs. Its lower end must hold for all pairs
that may be the farthest apart. How many these are depends on the gap itself: where it is 0 all
pairs may be, where it is large often one. So a gap is inside if what is seen would not be rare,
were the groups moved together until none is farther from another than this gap. A gap is never
below 0, so that near it the upper end cannot be too low, and the lower end has the level to itself.

>>> def quantile(*values: float) -> float:
...     apart = np.subtract.outer(values, values)
...     return round(lower_quantile([lambda z: apart - z], 0.95, len(values)), 2)
>>> quantile(0, 0, 0), quantile(0, 0, 4), quantile(0, 2.5), quantile(0, 9)
(2.34, 1.96, 1.65, 1.96)
"""

from collections.abc import Callable
from functools import lru_cache, partial
from math import pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from ._limits import two_sided
from ._pairs import Lows

_GRID = np.linspace(-9.0, 9.0, 721)
_DENSITY = np.exp(-(_GRID**2) / 2) / sqrt(2 * pi)
_STEP = float(_GRID[1] - _GRID[0])
_WIDEST = 40.0
# Sums of so few values of smooth functions are right to four digits or more.
_COARSE = np.linspace(-7.0, 7.0, 57)[:, None]
_COARSE_STEP = 0.25
# Of more groups, the quantile is that of all pairs: it takes too long to find a smaller one.
_MANY = 30
# So far from both ends, a group is neither the highest nor the lowest.
_BETWEEN, _FAR = 8.0, 100.0
# Errors of pairs of groups: of those that do not differ, and of those without a limit.
_LEAST, _MOST = 1e-200, 1e100


def _range_cdf(width: float, groups: int) -> float:
    """Probability that the range of so many standard normal values is at most a width."""
    within = (ndtr(_GRID + width) - ndtr(_GRID)) ** (groups - 1)
    return float(groups * (_DENSITY * within).sum() * _STEP)


@lru_cache
def simultaneous(level: float, groups: int) -> float:
    """Return the quantile for differences of all pairs of groups at once."""
    if groups == 2:
        return two_sided(level)
    low, high = 0.0, _WIDEST
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if _range_cdf(middle, groups) < level else (low, middle)
    return high / sqrt(2)


class Placed(NamedTuple):
    """How far groups are from where they would be farthest apart, in standard errors."""

    below: np.ndarray
    above: np.ndarray


def apart_cdf(width: float, placed: Placed) -> float:
    """Return the probability that no group is higher above another than a width."""
    below, above = placed
    lows = _COARSE - above
    within = np.maximum(ndtr(_COARSE + width + below) - ndtr(lows), 1e-300)
    # A group is not compared with itself, but cannot be in two places
    lowest = np.exp(-(lows**2) / 2) * (below + above >= -width) / within
    return float((lowest.sum(axis=1) * within.prod(axis=1)).sum() * _COARSE_STEP / sqrt(2 * pi))


def _hub_cdf(quantile: float, room: np.ndarray, shares: np.ndarray) -> float:
    """Probability that one group is not too far from any other.

    Exact whatever the variances: ``shares`` are the group's own in the variances of its pairs, and
    ``room`` is how much nearer than allowed they are, in errors of the pair.
    """
    free = (quantile + room - np.sqrt(shares) * _COARSE) / np.sqrt(1 - shares)
    chances = ndtr(free).prod(axis=1) * np.exp(-(_COARSE[:, 0] ** 2) / 2)
    return float(chances.sum() * _COARSE_STEP / sqrt(2 * pi))


def _doubt(shares: np.ndarray) -> np.ndarray:
    """How much nearer to an end groups are taken to be than they look, in standard errors.

    Groups at an end ask for a larger quantile. Those that are there are seen with errors, which
    count the more the less of a difference's variance is that of the other group, and the more
    groups there are. Simulation gave this: half an error of many groups of one size, and two where
    only they have errors.
    """
    doubt: np.ndarray = 2 * (1 - shares) ** (2 + 12 / max(len(shares) - 2, 1) ** 2)
    return doubt


class _Gaps:
    """Differences of all pairs of groups and their errors, from lower limits of two quantiles."""

    def __init__(self, lows: Lows, quantiles: tuple[float, float]) -> None:
        first, second = (lows(quantile) for quantile in quantiles)
        np.fill_diagonal(first, -np.inf)
        open_ended = np.isinf(first) | np.isinf(second)
        with np.errstate(invalid="ignore"):
            errors = np.maximum((first - second) / (quantiles[1] - quantiles[0]), _LEAST)
            self.pairs = np.where(open_ended, -np.inf, first + quantiles[0] * errors)
        self.open_ended, self.errors = open_ended, np.where(open_ended, _MOST, errors)
        known = np.where(np.isfinite(self.pairs), self.pairs, -self.pairs.T)
        self.places = np.where(np.isfinite(known), known, 0.0).mean(axis=1)
        self.top, self.bottom = int(self.places.argmax()), int(self.places.argmin())
        nearest = np.minimum(self.errors, self.errors.T)
        scale = np.max(nearest, where=nearest < _MOST, initial=1e-200)
        self.nearest = np.clip(nearest, _LEAST, scale * 1e50) / scale
        self.hubs = [self._hub(place) for place in (self.top, self.bottom)]

    def _hub(self, place: int) -> np.ndarray:
        """A group's own shares in the variances of its pairs with others."""
        groups = len(self.places)
        if groups == 2:
            return np.full(2, 0.5)
        rows = np.where(self.nearest > 1, 0.0, self.nearest**2).sum(axis=1)
        own = (rows[place] - rows.sum() / (2 * (groups - 1))) / (groups - 2)
        shares: np.ndarray = np.clip(own / np.clip(self.nearest[place], 1e-50, 1) ** 2, 0.0, 0.98)
        return shares

    def limit(self, quantile: float) -> float:
        """Return the largest lower limit."""
        return float((self.pairs - quantile * self.errors).max())

    def excess(self, gap: float) -> float:
        """Return by how many errors a pair is farther apart than a gap, at most."""
        return float(((self.pairs - gap) / self.errors).max())

    def placed(self, gap: float) -> Placed:
        """Return the places of groups after they were moved together to within a gap."""
        floor = _floor(self.places, self.nearest.min(axis=1), gap)
        moved = np.clip(self.places, floor, floor + gap)
        top, bottom = self.top, self.bottom
        own, others = self.errors[:, bottom].copy(), self.errors[top].copy()
        own[bottom] = others[top] = self.errors[bottom, top]
        below = np.maximum(sqrt(2) * (floor + gap - moved) / own - _doubt(self.hubs[1]), 0.0)
        above = np.maximum(sqrt(2) * (moved - floor) / others - _doubt(self.hubs[0]), 0.0)
        # A pair without a limit is never seen to be too far apart
        below[own == _MOST], above[others == _MOST] = np.inf, np.inf
        if self.places[top] - self.places[bottom] >= gap:  # then these two are as far apart as that
            below[bottom] = above[top] = sqrt(2) * gap / self.errors[bottom, top]
        return Placed(np.minimum(below, _FAR), np.minimum(above, _FAR))

    def within(self, quantile: float, placed: Placed) -> float:
        """Return the probability that no pair seems too far apart by so many errors."""
        kept = np.minimum(*placed) < _BETWEEN
        if not kept.any():
            return 1.0
        chance = apart_cdf(sqrt(2) * quantile, Placed(placed.below[kept], placed.above[kept]))
        # Equal errors make pairs of one group more alike than they are if it has a small one
        alike = min(float(shares[kept].min()) for shares in self.hubs)
        return chance if alike > 0.45 else min(chance, self._hub_chance(quantile, placed, kept))

    def too_low(self, quantile: float, placed: Placed) -> float:
        """Return a bound on the probability that all pairs seem nearer by so many errors."""
        ends, every = [self.top, self.bottom], np.ones(len(self.places), dtype=bool)
        pair = Placed(placed.below[ends], placed.above[ends])
        chance = apart_cdf(-sqrt(2) * quantile, pair)
        return min(chance, self._hub_chance(-quantile, placed, every)) if chance > 1e-6 else chance

    def _hub_chance(self, quantile: float, placed: Placed, kept: np.ndarray) -> float:
        """The smaller of the chances of the pairs of the highest group and of the lowest."""
        rooms = (
            (self.top, placed.above + placed.below[self.top]),
            (self.bottom, placed.below + placed.above[self.bottom]),
        )
        found = []
        for (place, room), shares in zip(rooms, self.hubs, strict=True):
            others = kept & (np.arange(len(kept)) != place)
            found.append(_hub_cdf(quantile, room[others] / sqrt(2), shares[others]))
        return min(found)


def _floor(places: np.ndarray, errors: np.ndarray, gap: float) -> float:
    """The lower end of the range of a length that groups have to be moved least to, in squares."""
    weights = (errors.min() / errors) ** 2
    ends = np.concatenate([places - gap, places])
    order = ends.argsort()
    ends = ends[order]
    # The pull on the range is linear between the ends of groups' own ranges
    slopes = weights.sum() + np.concatenate([-weights, weights])[order].cumsum()
    start = weights @ np.maximum(places - gap - ends[0], 0)
    pull = np.append(0.0, slopes[:-1] * np.diff(ends)).cumsum() - start
    # Where there is room, they stay where they are, the lowest at the lower end
    return max(float(np.interp(0.0, pull, ends)), float(places.min()))


def _surplus(gaps: list[_Gaps], level: float, gap: float) -> float:
    """By how much the chance of what is nearer than what is seen exceeds the level, at a gap."""
    quantile, inside, too_low = max(each.excess(gap) for each in gaps), 1.0, 1.0
    for each in gaps:
        placed = each.placed(gap)
        inside *= each.within(quantile, placed)
        too_low *= each.too_low(two_sided(level), placed)
    return inside - too_low - level


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls from above 0 to below crosses it, by regula falsi."""
    above, below = falling(low), falling(high)
    if below >= 0:
        return high
    for _ in range(40):
        middle = (low * below - high * above) / (below - above)
        value = falling(middle)
        if abs(value) < 2e-4:
            return middle
        # The end that stays is halved, else it might stay for ever
        if value > 0:
            low, above, below = middle, value, below / 2
        else:
            high, below, above = middle, value, above / 2
    return middle


def lower_quantile(every: list[Lows], level: float, groups: int) -> float:
    """Return the quantile for the lower end of the largest gap, over all pairs and rates."""
    most = simultaneous(level ** (1 / len(every)), groups)
    if groups > _MANY:
        return most
    least = max(float(ndtri(level)), most / 10)
    gaps = [_Gaps(lows, (least, most)) for lows in every]
    surplus = partial(_surplus, gaps, level)
    low, high = (max(each.limit(z) for each in gaps) for z in (most, least))
    if high <= 0 or surplus(max(low, 0.0)) <= 0:
        return most
    gap = _root(surplus, max(low, 0.0), high)
    return min(max(0.0, *(each.excess(gap) for each in gaps)), most)


def largest_gap(every: list[Lows], level: float, groups: int) -> tuple[float, float]:
    """Return the ends of the largest gap over all pairs of groups, and over several rates.

    It is at most the largest upper limit already if that of the truly largest pair holds, so there
    the quantile of a single pair is enough.
    """
    pairs, single = ~np.eye(groups, dtype=bool), two_sided(level)
    high = max((-lows(single).T)[pairs].max() for lows in every)
    if np.isnan(high):
        return high, high
    quantile = lower_quantile(every, level, groups)
    return max(0.0, *(float(lows(quantile)[pairs].max()) for lows in every)), float(high)
