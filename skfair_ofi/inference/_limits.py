"""Limits of one group's rate, in closed form."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from ._samples import Sample


def two_sided(level: float) -> float:
    """Return the normal quantile of a two-sided level, 1.96 for 0.95."""
    return float(ndtri((1 + level) / 2))


@dataclass(frozen=True)
class Limits:
    """A rate and its limits in every group, in the rate's own unit."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def wilson(value: np.ndarray, size: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's score limits of proportions; 0 and 1 without people."""
    share = np.where(size > 0, value, 0.5)
    center = size * share + z * z / 2
    half = z * np.sqrt(size * share * (1 - share) + z * z / 4)
    # Rounding can leave a little less than 0, or more than 1
    low = np.where(share == 0, 0.0, np.maximum((center - half) / (size + z * z), 0))
    high = np.where(share == 1, 1.0, np.minimum((center + half) / (size + z * z), 1))
    known = ~np.isnan(value)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def jeffreys(value: np.ndarray, size: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Jeffreys' limits of proportions: equal tails of a beta distribution."""
    share, people = np.where(size > 0, value, 0.5), np.where(size > 0, size, 0.0)
    shapes, tail = (people * share + 0.5, people * (1 - share) + 0.5), ndtr(-z)
    # Of low levels, equal tails can leave the share outside
    low = np.minimum(betaincinv(*shapes, tail), share)
    high = np.maximum(betaincinv(*shapes, 1 - tail), share)
    open_low, open_high = (share == 0) | (people == 0), (share == 1) | (people == 0)
    known = ~np.isnan(value)
    return (
        np.where(known, np.where(open_low, 0.0, low), np.nan),
        np.where(known, np.where(open_high, 1.0, high), np.nan),
    )


def benefit_score(sample: Sample, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return score limits of the mean of values -1, 0 and 1.

    Solves (b - mean)^2 = z^2 (s - b^2) / n for b. The share s of people with an error is
    taken with one more of each kind, else people without errors would leave no doubt.
    """
    mean, size = sample.value, sample.size
    errors = (size * sample.spread + 2) / (size + 2)
    root = z * np.sqrt(np.maximum((size + z * z) * errors - size * mean**2, 0))
    return (size * mean - root) / (size + z * z), (size * mean + root) / (size + z * z)


def student_factor(degrees: np.ndarray, z: float) -> np.ndarray:
    """Return Student's quantile of the same tail as a normal one."""
    factor: np.ndarray = stdtrit(degrees, ndtr(z))
    return factor


ShareLimits = Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, np.ndarray]]


def _part_limits(sample: Sample, z: float, shares: ShareLimits) -> Limits:
    if sample.kind == "benefit":
        return Limits(sample.value, *benefit_score(sample, z))
    if sample.kind == "mean":
        half = student_factor(sample.size - 1, z) * np.sqrt(sample.spread / sample.size)
        return Limits(sample.value, sample.value - half, sample.value + half)
    if sample.kind == "proportion":
        return Limits(sample.value, *shares(sample.value, sample.size, z))
    low, high = shares(sample.value, sample.size, z)
    with np.errstate(divide="ignore"):
        return Limits(*(share / (1 - share) for share in (sample.value, low, high)))


def limits_of(samples: tuple[Sample, ...], z: float, shares: ShareLimits = wilson) -> Limits:
    """Return a rate's limits in every group."""
    found = [_part_limits(sample, z, shares) for sample in samples]
    if len(found) == 1:
        return found[0]
    first, second = found
    down = np.hypot(first.value - first.low, second.value - second.low) / 2
    up = np.hypot(first.high - first.value, second.high - second.value) / 2
    value = (first.value + second.value) / 2
    return Limits(value, value - down, value + up)
