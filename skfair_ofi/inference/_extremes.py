"""Limits of the largest gap between any two of several groups.

Its lower limit must hold for all pairs that may be the farthest apart, and these are mostly fewer
than all pairs: a group that is surely below another cannot be the highest. So the quantile is that
of the pairs of a group that may be the highest with one that may be the lowest.

>>> alike = np.full((3, 3), -0.1)
>>> apart = np.array([[-1, -0.1, -0.6], [-0.1, -1, -0.6], [0.4, 0.4, -1]])
>>> [round(quantile_of(lows, 0.95), 3) for lows in (alike, apart)]
[2.344, 2.212]
"""

from functools import lru_cache
from math import pi, sqrt

import numpy as np
from scipy.special import ndtr

from ._limits import two_sided
from ._pairs import Lows

_GRID = np.linspace(-9.0, 9.0, 721)
_DENSITY = np.exp(-(_GRID**2) / 2) / sqrt(2 * pi)
_STEP = float(_GRID[1] - _GRID[0])
_WIDEST = 40.0


def _range_cdf(width: float, groups: int) -> float:
    """Probability that the range of so many standard normal values is at most a width."""
    within = (ndtr(_GRID + width) - ndtr(_GRID)) ** (groups - 1)
    return float(groups * (_DENSITY * within).sum() * _STEP)


def _apart_cdf(width: float, tops: int, bottoms: int) -> float:
    """Probability that the highest of some normal values is at most so far above others' lowest."""
    highest = tops * _DENSITY * ndtr(_GRID) ** (tops - 1)
    return float((highest * ndtr(width - _GRID) ** bottoms).sum() * _STEP)


@lru_cache
def simultaneous(level: float, groups: int) -> float:
    """Return the quantile for differences of all pairs of groups at once.

    Parameters
    ----------
    level : float
        Confidence level of all pairs together.
    groups : int
        Number of groups, at least 2.

    Returns
    -------
    float
        Tukey's studentized-range quantile over sqrt(2); the normal one for two groups.
    """
    if groups == 2:
        return two_sided(level)
    low, high = 0.0, _WIDEST
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if _range_cdf(middle, groups) < level else (low, middle)
    return high / sqrt(2)


@lru_cache
def separated(level: float, tops: int, bottoms: int) -> float:
    """Return the quantile for how far any of some groups lies above any of some others.

    Parameters
    ----------
    level : float
        Two-sided confidence level, of which one side is used.
    tops, bottoms : int
        Numbers of groups, at least 1.

    Returns
    -------
    float
        The normal quantile for one group each.
    """
    if tops == bottoms == 1:
        return two_sided(level)
    low, high = 0.0, _WIDEST
    while high - low > 1e-12:
        middle = (low + high) / 2
        below = _apart_cdf(middle, tops, bottoms) < (1 + level) / 2
        low, high = (middle, high) if below else (low, middle)
    return high / sqrt(2)


def quantile_of(lows: np.ndarray, level: float) -> float:
    """Return the quantile for the lower limit of a largest gap.

    Parameters
    ----------
    lows : ndarray of shape (n_groups, n_groups)
        Lower limits of row minus column that tell which groups are surely apart.
    level : float
        Confidence level.

    Returns
    -------
    float
        Where a group may be both the highest and the lowest, that of all pairs of groups that may
        be one or the other; else that of pairs of a highest and a lowest.
    """
    above = lows > 0
    tops, bottoms = ~above.any(axis=0), ~above.any(axis=1)
    if (tops & bottoms).any():
        return simultaneous(level, max(int((tops | bottoms).sum()), 2))
    return separated(level, int(tops.sum()), int(bottoms.sum()))


def largest_gap(every: list[Lows], level: float, groups: int) -> tuple[float, float]:
    """Return the ends of the largest gap over all pairs of groups, and over several rates.

    The gap is at least every lower limit, if all of them hold at once. It is at most the largest
    upper limit already if that of the truly largest pair holds, so there the quantile of a single
    pair is enough.

    Parameters
    ----------
    every : list of callable
        For each rate, lower limits of row minus column, from a quantile.
    level : float
        Confidence level.
    groups : int
        Number of groups.

    Returns
    -------
    tuple of float
        Lower end, at least 0, and upper end; NaN where a limit is.
    """
    pairs, each = ~np.eye(groups, dtype=bool), level ** (1 / len(every))
    single = [low(two_sided(level)) for low in every]
    high = max((-lows.T)[pairs].max() for lows in single)
    found = [
        low(quantile_of(np.where(pairs, lows, 0.0), each))[pairs].max()
        for low, lows in zip(every, single, strict=True)
    ]
    return max(float(max(found)), 0.0), float(high)
