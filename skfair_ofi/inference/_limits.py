"""Limits of one group's rate, in closed form."""

from dataclasses import dataclass
from functools import lru_cache
from math import pi, sqrt

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from ._samples import Sample


def two_sided(level: float) -> float:
    """Return the normal quantile of a two-sided level, 1.96 for 0.95.

    Parameters
    ----------
    level : float
        Confidence level.

    Returns
    -------
    float
        The quantile.
    """
    return float(ndtri((1 + level) / 2))


def _range_cdf(width: float, groups: int) -> float:
    """Probability that the range of so many standard normal values is at most a width."""
    lowest = np.linspace(-9.0, 9.0, 721)
    density = np.exp(-(lowest**2) / 2) / sqrt(2 * pi)
    within = (ndtr(lowest + width) - ndtr(lowest)) ** (groups - 1)
    return float(groups * (density * within).sum() * (lowest[1] - lowest[0]))


@lru_cache
def simultaneous(level: float, groups: int, rates: int = 1) -> float:
    """Return the quantile for differences of all pairs of groups at once.

    Parameters
    ----------
    level : float
        Confidence level of all pairs together.
    groups : int
        Number of groups, at least 2.
    rates : int, default=1
        Number of independent rates that are compared.

    Returns
    -------
    float
        Tukey's studentized-range quantile over sqrt(2); the normal one for two groups.
    """
    each = level ** (1 / rates)
    if groups == 2:
        return two_sided(each)
    low, high = 0.0, 40.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if _range_cdf(middle, groups) < each else (low, middle)
    return high / sqrt(2)


@dataclass(frozen=True)
class Limits:
    """A rate and its limits in every group, in the rate's own unit.

    Attributes
    ----------
    value, low, high : ndarray of shape (n_groups,)
        NaN where undefined.
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def wilson(value: np.ndarray, size: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's score limits of proportions; 0 and 1 without people.

    Parameters
    ----------
    value, size : ndarray of shape (n_groups,)
        Proportions, and numbers of people.
    z : float
        Normal quantile.

    Returns
    -------
    tuple of ndarray
        Lower and upper limits.
    """
    share = np.where(size > 0, value, 0.5)
    center = size * share + z * z / 2
    half = z * np.sqrt(size * share * (1 - share) + z * z / 4)
    low = np.where(share == 0, 0.0, (center - half) / (size + z * z))
    high = np.where(share == 1, 1.0, (center + half) / (size + z * z))
    known = ~np.isnan(value)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def benefit_score(sample: Sample, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return score limits of the mean of values -1, 0 and 1.

    Solves (b - mean)^2 = z^2 (s - b^2) / n for b. The share s of people with an error is
    taken with one more of each kind, else people without errors would leave no doubt.

    Parameters
    ----------
    sample : Sample
        Marginal benefits.
    z : float
        Normal quantile.

    Returns
    -------
    tuple of ndarray
        Lower and upper limits, inside [-1, 1].
    """
    mean, size = sample.value, sample.size
    errors = (size * sample.spread + 2) / (size + 2)
    root = z * np.sqrt(np.maximum((size + z * z) * errors - size * mean**2, 0))
    return (size * mean - root) / (size + z * z), (size * mean + root) / (size + z * z)


def student_factor(degrees: np.ndarray, z: float) -> np.ndarray:
    """Return Student's quantile of the same tail as a normal one.

    Parameters
    ----------
    degrees : ndarray
        Degrees of freedom.
    z : float
        Normal quantile.

    Returns
    -------
    ndarray
        The quantiles.
    """
    factor: np.ndarray = stdtrit(degrees, ndtr(z))
    return factor


def _part_limits(sample: Sample, z: float) -> Limits:
    if sample.kind == "benefit":
        return Limits(sample.value, *benefit_score(sample, z))
    if sample.kind == "mean":
        half = student_factor(sample.size - 1, z) * np.sqrt(sample.spread / sample.size)
        return Limits(sample.value, sample.value - half, sample.value + half)
    low, high = wilson(sample.value, sample.size, z)
    if sample.kind == "proportion":
        return Limits(sample.value, low, high)
    with np.errstate(divide="ignore"):
        return Limits(*(share / (1 - share) for share in (sample.value, low, high)))


def limits_of(samples: tuple[Sample, ...], z: float) -> Limits:
    """Return a rate's limits in every group.

    Parameters
    ----------
    samples : tuple of Sample
        The rate's samples; of two, the mean is taken, and their errors are added in squares
        as in Newcombe's method.
    z : float
        Normal quantile.

    Returns
    -------
    Limits
        Value and limits.
    """
    found = [_part_limits(sample, z) for sample in samples]
    if len(found) == 1:
        return found[0]
    first, second = found
    down = np.hypot(first.value - first.low, second.value - second.low) / 2
    up = np.hypot(first.high - first.value, second.high - second.value) / 2
    value = (first.value + second.value) / 2
    return Limits(value, value - down, value + up)
