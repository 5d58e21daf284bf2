"""Lower limits of differences and ratios between all pairs of groups, in closed form.

Each function returns a matrix of lower limits of row minus column, or of the logarithm of row
over column. The upper limits are minus the transposed ones, since a difference of two groups
changes only its sign where the groups change places.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ._limits import (
    Limits,
    Sample,
    get_student_quantile,
    limit_by_jeffreys,
    limit_by_wilson,
    limit_rate,
)

LimitPairs = Callable[[float], np.ndarray]

# Below this many people in a group, score limits of marginal benefits keep the level better.
_FEWEST_WALD = 30


class PairLimits(NamedTuple):
    """The lower limits of all pairs as a function of the quantile, and the method's name."""

    lower: LimitPairs
    method: str


def _subtract_pairs(values: np.ndarray) -> np.ndarray:
    """Return row minus column."""
    difference: np.ndarray = values[:, None] - values[None, :]
    return difference


def _add_squares(samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """Return the limits of MOVER: distances to Jeffreys' limits are added in squares.

    x_i - x_j - sqrt((x_i - low_i)^2 + (high_j - x_j)^2): G. Y. Zou and A. Donner 2008; R. G.
    Newcombe 1998 with Wilson's limits; P. J. Laud 2017 with those of Jeffreys.
    """
    limits = limit_rate(samples, z, limit_by_jeffreys)
    value = limits.value
    if samples[0].kind == "odds":
        # Odds after half a person joins each side: finite, and nearly without bias on logarithms
        size, share = samples[0].size, samples[0].value
        odds = (size * share + 0.5) / (size * (1 - share) + 0.5)
        value = np.clip(odds, limits.low, limits.high)
    down, up = value - limits.low, limits.high - value
    lower: np.ndarray = _subtract_pairs(value) - np.hypot(down[:, None], up[None, :])
    return lower


def _add_log_squares(samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """Return the limits of MOVER for logarithms of ratios of proportions, of Wilson's limits."""
    sample = samples[0]
    low, high = limit_by_wilson(sample.value, sample.size, z)
    # No logarithm of 0: half a person stands for no one
    center = np.where(sample.value == 0, 0.5 / (sample.size + 1), sample.value)
    with np.errstate(divide="ignore"):
        down, up = np.log(center) - np.log(low), np.log(high) - np.log(center)
    lower: np.ndarray = _subtract_pairs(np.log(center)) - np.hypot(down[:, None], up[None, :])
    return lower


def _adjust_wald(samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """Return Wald's limits after half a false positive and half a false negative join a group."""
    sample = samples[0]
    size = sample.size + 1
    mean = sample.size * sample.value / size
    variance = ((sample.size * sample.spread + 1) / size - mean**2) / size
    lower: np.ndarray = _subtract_pairs(mean) - z * np.sqrt(variance[:, None] + variance[None, :])
    return lower


def _apply_welch(samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """Return Welch's limits: Student's quantile, with the degrees of freedom of both variances."""
    sample = samples[0]
    variance, freedom = sample.spread / sample.size, sample.size - 1
    own, other = variance[:, None], variance[None, :]
    total = own + other
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of shares of the total, since squares of small variances vanish
        inverse = (own / total) ** 2 / freedom[:, None] + (other / total) ** 2 / freedom[None, :]
        half = get_student_quantile(1 / inverse, z) * np.sqrt(total)
    lower: np.ndarray = _subtract_pairs(sample.value) - np.where(total == 0, 0.0, half)
    return lower


def limit_differences(samples: tuple[Sample, ...]) -> PairLimits:
    """Return the limits of differences between all pairs of groups."""
    sample = samples[0]
    if sample.kind == "mean":
        return PairLimits(partial(_apply_welch, samples), "Welch")
    if sample.kind == "benefit" and (sample.size >= _FEWEST_WALD).all():
        return PairLimits(partial(_adjust_wald, samples), "adjusted Wald")
    names = {
        "benefit": "MOVER of score limits",
        "odds": "MOVER of Jeffreys odds",
        "proportion": "MOVER of Jeffreys limits",
    }
    return PairLimits(partial(_add_squares, samples), names[sample.kind])


def limit_log_ratios(samples: tuple[Sample, ...]) -> PairLimits:
    """Return the limits of logarithms of ratios between all pairs of groups."""
    return PairLimits(partial(_add_log_squares, samples), "MOVER on logs of Wilson limits")


def limit_quotients(
    pairs: np.ndarray, divisor: np.ndarray, limits: Limits
) -> tuple[np.ndarray, np.ndarray]:
    """Return limits of quotients of two sums of independent rates, as Fieller's method does.

    A quotient q is inside where 0 lies within the limits of numerator - q x denominator, which
    are added up in squares from the limits of the rates. Its ends solve a quadratic equation.
    """
    value = limits.value
    down, up = (value - limits.low) ** 2, (limits.high - value) ** 2
    top, bottom = pairs @ value, divisor @ value

    def find_coefficients(reach: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        square = bottom**2 - reach @ divisor**2
        linear = top * bottom - (reach * pairs) @ divisor
        constant = top**2 - (reach * pairs**2).sum(axis=1)
        return square, linear, constant

    square, linear, constant = find_coefficients(np.where(pairs > 0, down, up))
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(linear**2 - square * constant, 0))
        lower = np.where((top > 0) & (constant > 0), constant / (linear + root), 0.0)
        square, linear, constant = find_coefficients(np.where(pairs > 0, up, down))
        root = np.sqrt(np.maximum(linear**2 - square * constant, 0))
        upper = np.where(square > 0, (linear + root) / square, np.inf)
        # No quotient is larger than where the first rate alone makes up the denominator
        upper = np.minimum(upper, 1 / ((pairs > 0) @ divisor))
    return lower, np.where((top < 0) & (constant > 0), 0.0, upper)
