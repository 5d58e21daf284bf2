"""Lower limits of comparisons of all ordered pairs of groups, in closed form.

Each function returns a matrix of lower limits of row minus column, or of the logarithm of row
over column. The upper limits are minus the transposed ones, since a difference of two groups
changes only its sign where the groups change places.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ._limits import Limits, ShareLimits, jeffreys, limits_of, student_factor, wilson
from ._samples import Sample

Lows = Callable[[float], np.ndarray]

# Below this many people in a group, the score limits keep the level better.
_FEW = 30


class Compared(NamedTuple):
    """The lower limits of all pairs as a function of the quantile, and the method's name."""

    lows: Lows
    method: str


def _grid(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return values[:, None], values[None, :]


def _squares_added(shares: ShareLimits, samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """Newcombe's method, also called MOVER: distances to the limits are added in squares."""
    limits = limits_of(samples, z, shares)
    value = _even_odds(samples[0], limits) if samples[0].kind == "odds" else limits.value
    first, second = _grid(value)
    low: np.ndarray = first - second - np.hypot(*_reach(value, limits))
    return low


def _even_odds(sample: Sample, limits: Limits) -> np.ndarray:
    """Odds after half a person joins each side: finite, and nearly without bias on logarithms."""
    hits, others = sample.size * sample.value, sample.size * (1 - sample.value)
    odds: np.ndarray = np.clip((hits + 0.5) / (others + 0.5), limits.low, limits.high)
    return odds


def _reach(value: np.ndarray, limits: Limits) -> tuple[np.ndarray, np.ndarray]:
    """How far a row's value may be too high, and a column's too low."""
    return (value - limits.low)[:, None], (limits.high - value)[None, :]


def _logs_squared(samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """The same for the logarithm of a ratio of proportions."""
    sample = samples[0]
    low, high = wilson(sample.value, sample.size, z)
    # No logarithm of 0: half a person stands for no one
    center = np.where(sample.value == 0, 0.5 / (sample.size + 1), sample.value)
    with np.errstate(divide="ignore"):
        down, up = np.log(center) - np.log(low), np.log(high) - np.log(center)
    first, second = _grid(np.log(center))
    lows: np.ndarray = first - second - np.hypot(down[:, None], up[None, :])
    return lows


def _adjusted_wald(samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """Wald's method after half a false positive and half a false negative join each group."""
    sample = samples[0]
    size = sample.size + 1
    mean = sample.size * sample.value / size
    variance = ((sample.size * sample.spread + 1) / size - mean**2) / size
    first, second = _grid(mean)
    low: np.ndarray = first - second - z * np.sqrt(np.add(*_grid(variance)))
    return low


def _welch(samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """Welch's method: Student's quantile with the degrees of freedom of both variances."""
    sample = samples[0]
    variance = sample.spread / sample.size
    own, other = _grid(variance)
    total, freedom = own + other, _grid(sample.size - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of shares of the total, since squares of small variances vanish
        degrees = 1 / ((own / total) ** 2 / freedom[0] + (other / total) ** 2 / freedom[1])
    first, second = _grid(sample.value)
    half = np.where(total == 0, 0.0, student_factor(degrees, z) * np.sqrt(total))
    low: np.ndarray = first - second - half
    return low


def _score_part(hits: np.ndarray, people: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Squared distance from an expected number over its variance; 0/0 is 0."""
    variance = people * share * (1 - share)
    away = (hits - people * share) ** 2
    part: np.ndarray = np.divide(away, variance, out=np.zeros_like(away), where=variance > 0)
    return part


def _koopman_excess(ratio: np.ndarray, counts: tuple[np.ndarray, ...]) -> np.ndarray:
    """Koopman's statistic for ratios of row over column."""
    hits_i, n_i, hits_j, n_j = counts
    linear = ratio * (n_i + hits_j) + hits_i + n_j
    with np.errstate(over="ignore"):
        square = linear**2
    root = np.sqrt(np.maximum(square - 4 * ratio * (n_i + n_j) * (hits_i + hits_j), 0))
    # The most likely share of the column's group where the ratio holds; no cancellation
    below = linear + root
    share = np.divide(2 * (hits_i + hits_j), below, out=np.zeros_like(below), where=below > 0)
    share = np.minimum(share, 1.0)
    own = np.minimum(ratio * share, 1.0)
    excess: np.ndarray = _score_part(hits_i, n_i, own) + _score_part(hits_j, n_j, share)
    return excess


def _koopman(samples: tuple[Sample, ...], z: float) -> np.ndarray:
    """Koopman's score limits of a ratio, by bisection on its logarithm."""
    sample = samples[0]
    hits = sample.value * sample.size
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.subtract(*_grid(np.log(hits / sample.size)))
    counts = (hits[:, None], sample.size[:, None], hits, sample.size)
    none = hits == 0
    high = np.where(none[None, :], np.log(1e30), np.where(none[:, None], 0.0, inside))
    low = np.full_like(high, np.log(1e-30))
    for _ in range(80):
        middle = (low + high) / 2
        out = _koopman_excess(np.exp(middle), counts) > z * z
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return np.where(none[:, None], -np.inf, high)


def compare_differences(samples: tuple[Sample, ...], method: str) -> Compared:
    """Return the limits of differences between all pairs of groups."""
    sample = samples[0]
    if sample.kind == "mean":
        return Compared(partial(_welch, samples), "Welch")
    if sample.kind == "benefit" and method == "auto" and (sample.size >= _FEW).all():
        return Compared(partial(_adjusted_wald, samples), "adjusted Wald")
    kind, shares = ("Wilson", wilson) if method == "newcombe" else ("Jeffreys", jeffreys)
    names = {
        "benefit": "MOVER of score limits",
        "odds": f"MOVER of {kind} odds",
        "proportion": f"MOVER of {kind} limits",
    }
    plain = method == "newcombe" and sample.kind == "proportion" and len(samples) == 1
    name = "Newcombe" if plain else names[sample.kind]
    return Compared(partial(_squares_added, shares, samples), name)


def compare_ratios(samples: tuple[Sample, ...], method: str) -> Compared:
    """Return the limits of logarithms of ratios between all pairs of groups."""
    if method == "koopman":
        return Compared(partial(_koopman, samples), "Koopman score")
    return Compared(partial(_logs_squared, samples), "MOVER on logs of Wilson limits")


def quotient_ends(
    pairs: np.ndarray, divisor: np.ndarray, components: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Return limits of quotients of two sums of independent rates, as Fieller's method does.

    A quotient q is inside where 0 lies within the limits of numerator - q x denominator, which
    are added up in squares from the limits of the rates. Its ends solve a quadratic equation.
    """
    value, low, high = components
    down, up = (value - low) ** 2, (high - value) ** 2
    top, bottom = pairs @ value, divisor @ value

    def equation(reach: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        square = bottom**2 - reach @ divisor**2
        linear = top * bottom - (reach * pairs) @ divisor
        constant = top**2 - (reach * pairs**2).sum(axis=1)
        return square, linear, constant

    square, linear, constant = equation(np.where(pairs > 0, down, up))
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(np.maximum(linear**2 - square * constant, 0))
        lower = np.where((top > 0) & (constant > 0), constant / (linear + root), 0.0)
        square, linear, constant = equation(np.where(pairs > 0, up, down))
        root = np.sqrt(np.maximum(linear**2 - square * constant, 0))
        upper = np.where(square > 0, (linear + root) / square, np.inf)
        # No quotient is larger than where the first rate alone makes up the denominator
        upper = np.minimum(upper, 1 / ((pairs > 0) @ divisor))
    return lower, np.where((top < 0) & (constant > 0), 0.0, upper)
