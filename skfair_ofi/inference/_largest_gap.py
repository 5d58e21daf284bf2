"""Limits of the largest gap between any two of several groups.

The upper end is the largest upper limit of single pairs. The lower end is the smallest gap that a
test does not reject: that no group is farther above another than this gap. docs/largest-gap.md
derives it, and its symbols are those of this file: d and e of a pair are its difference and
standard error, delta is the gap that is tested, t the quantile, and kappa how many standard errors
nearer to an end than it looks a group is taken to be.

>>> def find_quantile(*values: float) -> float:
...     d = np.subtract.outer(values, values)
...     return round(find_lower_quantile([lambda z: d - z], 0.95, len(values)), 2)
>>> find_quantile(0, 0, 0), find_quantile(0, 0, 4), find_quantile(0, 2.5), find_quantile(0, 9)
(2.34, 1.96, 1.65, 1.96)
"""

from collections.abc import Callable
from functools import lru_cache, partial
from math import inf, pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from ._differences import LimitPairs
from ._limits import Ends, get_normal_quantile

# Sums of so few values of smooth functions are right to four digits or more.
_GRID = np.linspace(-7.0, 7.0, 57)[:, None]
_STEP = 0.25
# Of more groups the quantile is Tukey's: it takes too long to find a smaller one.
_MOST_GROUPS = 30
# So many standard errors from both ends, a group is neither the highest nor the lowest.
_BETWEEN, _FAR = 8.0, 100.0
# Standard errors of pairs of groups that do not differ, and of those without a limit.
_LEAST, _MOST = 1e-200, 1e100


@lru_cache
def get_tukey_quantile(level: float, groups: int) -> float:
    """Return the quantile for differences of all pairs of groups at once."""
    if groups == 2:
        return get_normal_quantile(level)
    from scipy.stats import studentized_range  # noqa: PLC0415 - half a second that few need

    return float(studentized_range.ppf(level, groups, inf)) / sqrt(2)


class Room(NamedTuple):
    """How far each group is below the upper end of the range tested, and above the lower one.

    In standard errors of a group, which are those of a pair over sqrt(2).
    """

    below: np.ndarray
    above: np.ndarray


def find_range_chance(width: float, room: Room) -> float:
    """Return the chance that no group seems higher above another than a width (section 4).

    An integral over the place x of the lowest: each other one is above x, and at most x + width.
    """
    low = _GRID - room.above
    inside = np.maximum(ndtr(_GRID + width + room.below) - ndtr(low), 1e-300)
    # A group is not compared with itself, but cannot be in two places
    lowest = np.exp(-(low**2) / 2) * (room.below + room.above >= -width) / inside
    return float((lowest.sum(axis=1) * inside.prod(axis=1)).sum() * _STEP / sqrt(2 * pi))


def _find_hub_chance(t: float, room: np.ndarray, shares: np.ndarray) -> float:
    """Return the chance that one group, the hub, seems too far from no other (section 5).

    Exact whatever the variances: ``shares`` are the hub's own in the variances of its pairs, and
    ``room`` is how much nearer than the gap they are, in standard errors of the pair.
    """
    free = (t + room - np.sqrt(shares) * _GRID) / np.sqrt(1 - shares)
    chances = ndtr(free).prod(axis=1) * np.exp(-(_GRID[:, 0] ** 2) / 2)
    return float(chances.sum() * _STEP / sqrt(2 * pi))


def _find_kappa(shares: np.ndarray) -> np.ndarray:
    """Return how much nearer to an end groups are taken to be than they look (section 3).

    The constant of generalized moment selection. Its form was found by simulation: half a standard
    error of many groups of one size, and two where only the other groups have errors.
    """
    kappa: np.ndarray = 2 * (1 - shares) ** (2 + 12 / max(len(shares) - 2, 1) ** 2)
    return kappa


def _find_floor(places: np.ndarray, errors: np.ndarray, delta: float) -> float:
    """Return the lower end f of the range that groups are moved least to (section 2).

    The range has length delta; least is in squares, weighted by the inverse of variances.
    """
    weights = (errors.min() / errors) ** 2
    ends = np.concatenate([places - delta, places])
    order = ends.argsort()
    ends = ends[order]
    # The derivative of the sum of squares is linear between the ends of groups' own ranges
    slopes = weights.sum() + np.concatenate([-weights, weights])[order].cumsum()
    start = weights @ np.maximum(places - delta - ends[0], 0)
    derivative = np.append(0.0, slopes[:-1] * np.diff(ends)).cumsum() - start
    # Where there is room, they stay where they are, the lowest at the lower end
    return max(float(np.interp(0.0, derivative, ends)), float(places.min()))


class PairGaps:
    """Differences d and standard errors e of all pairs, from lower limits at two quantiles."""

    def __init__(self, limit_pairs: LimitPairs, quantiles: tuple[float, float]) -> None:
        first, second = (limit_pairs(quantile) for quantile in quantiles)
        np.fill_diagonal(first, -np.inf)
        no_limit = np.isinf(first) | np.isinf(second)
        with np.errstate(invalid="ignore"):
            e = np.maximum((first - second) / (quantiles[1] - quantiles[0]), _LEAST)
            self.d = np.where(no_limit, -np.inf, first + quantiles[0] * e)
        self.e = np.where(no_limit, _MOST, e)
        # The place of a group is its mean distance from all others
        known = np.where(np.isfinite(self.d), self.d, -self.d.T)
        self.places = np.where(np.isfinite(known), known, 0.0).mean(axis=1)
        self.top, self.bottom = int(self.places.argmax()), int(self.places.argmin())
        nearest = np.minimum(self.e, self.e.T)
        scale = np.max(nearest, where=nearest < _MOST, initial=1e-200)
        self.nearest = np.clip(nearest, _LEAST, scale * 1e50) / scale
        self.shares = [self._find_shares(place) for place in (self.top, self.bottom)]

    def _find_shares(self, place: int) -> np.ndarray:
        """Return a group's own shares in the variances of its pairs with others.

        The sum over its pairs is (G - 2) times its own variance plus those of all groups.
        """
        groups = len(self.places)
        if groups == 2:
            return np.full(2, 0.5)
        rows = np.where(self.nearest > 1, 0.0, self.nearest**2).sum(axis=1)
        own = (rows[place] - rows.sum() / (2 * (groups - 1))) / (groups - 2)
        shares: np.ndarray = np.clip(own / np.clip(self.nearest[place], 1e-50, 1) ** 2, 0.0, 0.98)
        return shares

    def limit(self, t: float) -> float:
        """Return the largest lower limit, max(d - t e)."""
        return float((self.d - t * self.e).max())

    def find_statistic(self, delta: float) -> float:
        """Return the test's statistic, max((d - delta) / e)."""
        return float(((self.d - delta) / self.e).max())

    def find_room(self, delta: float) -> Room:
        """Return the room of groups that were moved together to within delta (sections 2 and 3)."""
        floor = _find_floor(self.places, self.nearest.min(axis=1), delta)
        moved = np.clip(self.places, floor, floor + delta)
        top, bottom = self.top, self.bottom
        to_bottom, to_top = self.e[:, bottom].copy(), self.e[top].copy()
        to_bottom[bottom] = to_top[top] = self.e[bottom, top]
        below = sqrt(2) * (floor + delta - moved) / to_bottom - _find_kappa(self.shares[1])
        above = sqrt(2) * (moved - floor) / to_top - _find_kappa(self.shares[0])
        below, above = np.maximum(below, 0.0), np.maximum(above, 0.0)
        # A pair without a limit is never seen to be too far apart
        below[to_bottom == _MOST], above[to_top == _MOST] = np.inf, np.inf
        if self.places[top] - self.places[bottom] >= delta:
            # Then these two are as far apart as delta
            below[bottom] = above[top] = sqrt(2) * delta / self.e[bottom, top]
        return Room(np.minimum(below, _FAR), np.minimum(above, _FAR))

    def find_chance_inside(self, t: float, room: Room) -> float:
        """Return the chance that no pair seems farther apart than delta by t standard errors."""
        near = np.minimum(*room) < _BETWEEN
        if not near.any():
            return 1.0
        chance = find_range_chance(sqrt(2) * t, Room(room.below[near], room.above[near]))
        # Equal errors make pairs of one group more alike than they are if it has a small one
        alike = min(float(shares[near].min()) for shares in self.shares)
        return chance if alike > 0.45 else min(chance, self._find_hub_chances(t, room, near))

    def find_chance_too_low(self, z: float, room: Room) -> float:
        """Return a bound on the chance that the upper end is below delta (section 6)."""
        ends, every = [self.top, self.bottom], np.ones(len(self.places), dtype=bool)
        chance = find_range_chance(-sqrt(2) * z, Room(room.below[ends], room.above[ends]))
        return min(chance, self._find_hub_chances(-z, room, every)) if chance > 1e-6 else chance

    def _find_hub_chances(self, t: float, room: Room, near: np.ndarray) -> float:
        """Return the smaller chance of the pairs of the highest group and of the lowest."""
        hubs = (
            (self.top, room.above + room.below[self.top]),
            (self.bottom, room.below + room.above[self.bottom]),
        )
        chances = []
        for (place, rooms), shares in zip(hubs, self.shares, strict=True):
            others = near & (np.arange(len(near)) != place)
            chances.append(_find_hub_chance(t, rooms[others] / sqrt(2), shares[others]))
        return min(chances)


def _find_surplus(rates: list[PairGaps], level: float, delta: float) -> float:
    """Return by how much the chance that delta is held exceeds the level (section 6)."""
    t, inside, too_low = max(each.find_statistic(delta) for each in rates), 1.0, 1.0
    for each in rates:
        room = each.find_room(delta)
        inside *= each.find_chance_inside(t, room)
        too_low *= each.find_chance_too_low(get_normal_quantile(level), room)
    return inside - too_low - level


def _find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that falls from above 0 to below crosses it, by regula falsi."""
    above, below = function(low), function(high)
    if below >= 0:
        return high
    for _ in range(40):
        middle = (low * below - high * above) / (below - above)
        value = function(middle)
        if abs(value) < 2e-4:
            return middle
        # The end that stays is halved, else it might stay for ever (the Illinois algorithm)
        if value > 0:
            low, above, below = middle, value, below / 2
        else:
            high, below, above = middle, value, above / 2
    return middle


def find_lower_quantile(rates: list[LimitPairs], level: float, groups: int) -> float:
    """Return the quantile t of the lower end of the largest gap, over all pairs and rates.

    Of several rates chances are multiplied, and of many groups it is Tukey's (section 7).
    """
    most = get_tukey_quantile(level ** (1 / len(rates)), groups)
    if groups > _MOST_GROUPS:
        return most
    least = max(float(ndtri(level)), most / 10)
    gaps = [PairGaps(limit_pairs, (least, most)) for limit_pairs in rates]
    find_surplus = partial(_find_surplus, gaps, level)
    low, high = (max(each.limit(t) for each in gaps) for t in (most, least))
    if high <= 0 or find_surplus(max(low, 0.0)) <= 0:
        return most
    delta = _find_root(find_surplus, max(low, 0.0), high)
    return min(max(0.0, *(each.find_statistic(delta) for each in gaps)), most)


def limit_largest_gap(rates: list[LimitPairs], level: float, groups: int) -> Ends:
    """Return the ends of the largest gap over all pairs of groups, and over several rates."""
    pairs, z = ~np.eye(groups, dtype=bool), get_normal_quantile(level)
    high = max((-limit_pairs(z).T)[pairs].max() for limit_pairs in rates)
    if np.isnan(high):
        return high, high
    t = find_lower_quantile(rates, level, groups)
    return max(0.0, *(float(limit_pairs(t)[pairs].max()) for limit_pairs in rates)), float(high)
