"""Rates of groups as samples, and their limits in closed form.

Every rate of the registry is a quotient of two sums over the cells of a table; only average
odds is the mean of two such quotients. Which cells are added is read from the registry's own
functions, by giving them tables of one person each, so a new rate needs no entry here.

>>> find_cells("true_positive_rate", (2, 2, 1)).denominator.reshape(2, 2).tolist()
[[0, 0], [1, 1]]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf, isnan, prod
from typing import Any, Literal

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri, stdtrit

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, Contrast, Metric

Kind = Literal["proportion", "benefit", "odds", "mean"]
Ends = tuple[float, float]

# Numbers are rounded to this share of themselves, and sums of more numbers not one by one.
_EPSILON, _MOST_ADDED = float(np.finfo(np.float64).eps), 1e9

_EXPECTED = (
    "fractional counts are read as expected ones: the interval is for people drawn anew and "
    "treated once, not for the randomness of the rule"
)
HIDDEN = "scores vary less than numbers of their size can show, and are taken to vary by that much"


def get_parts(name: str) -> tuple[str, ...]:
    """Return the names of the quotients that a rate is the mean of: mostly its own."""
    return tuple(part.name for part in METRICS[name].parts) or (name,)


@dataclass(frozen=True)
class Cells:
    """Which cells a rate adds up, as coefficients."""

    kind: Kind
    numerator: np.ndarray
    denominator: np.ndarray


@lru_cache
def find_cells(name: str, shape: tuple[int, ...]) -> Cells:
    """Return which cells a rate adds up; of odds, those of the share that they are odds of."""
    metric = METRICS[name]
    if metric.share is None:
        raise TypeError(f"name must be that of a rate, got {name!r}.")
    one_each = np.eye(prod(shape), dtype=np.int64).reshape(-1, *shape)
    scores = one_each if "y_score" in metric.roles else None
    table = OutcomeCounts(range(prod(shape)), one_each, score_sums=scores)
    numerator, denominator = (np.asarray(part) for part in metric.share(table))
    if scores is not None:
        return Cells("mean", numerator, denominator)
    if (numerator < 0).any():
        return Cells("benefit", numerator, denominator)
    if metric.bounds == (0.0, inf):
        return Cells("odds", numerator, denominator + numerator)
    return Cells("proportion", numerator, denominator)


@dataclass(frozen=True)
class Sample:
    """One quotient in every group, and what its uncertainty depends on."""

    kind: Kind
    value: np.ndarray
    # Effective number of people
    size: np.ndarray
    # Mean of squared values; of scores, their variance
    spread: np.ndarray
    # Where the variance of scores is only the most that rounding can hide
    hidden: np.ndarray | None = None


def flatten_cells(table: np.ndarray) -> np.ndarray:
    """Return one row a group, one column a cell."""
    return table.reshape(len(table), -1).astype(np.float64)


def _find_effective_size(
    counts: OutcomeCounts, cells: Cells, value: np.ndarray, people: np.ndarray
) -> np.ndarray:
    """Return the size of a sample without weights that would be as uncertain.

    The smaller of two: Kish's, (sum of w)^2 / sum of w^2, which holds where weights have nothing
    to do with outcomes, and that of the linearized variance of the quotient, which holds for many
    people.
    """
    if counts.weight_squares is None:
        return people
    squares = flatten_cells(counts.weight_squares)
    residuals = (cells.numerator - value[:, None] * cells.denominator) ** 2
    plain = (flatten_cells(counts.cells) * residuals).sum(axis=1)
    weighted = (squares * residuals).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        kish = people**2 / (squares @ cells.denominator)
        linear = people * plain / weighted
    # NaN where there is no one (Kish) or no variance to be seen (linear)
    size: np.ndarray = np.fmin(np.where(people == 0, 0.0, kish), linear)
    return size


def find_score_variances(
    people: np.ndarray, sums: np.ndarray, squares: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return variances of scores, and where they are only the most that rounding can hide.

    Where scores are large and alike, squares cancel: 10^8 and 10^8 + 1 have a variance that no sum
    of squares shows. A variance of 0 is one only where that holds of the sums without rounding.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_square = squares / people
        variance = np.maximum(mean_square - (sums / people) ** 2, 0)
        least = 2 * np.minimum(size, _MOST_ADDED) * _EPSILON * mean_square
    # One person's variance is not asked for
    hidden = (variance < least) & (size >= 1.5)
    for place in zip(*np.nonzero(hidden), strict=True):
        n, total, square = (Fraction(float(part[place])) for part in (people, sums, squares))
        hidden[place] = n * square != total**2
    return np.where(hidden, least, variance), hidden


def _sample_mean(counts: OutcomeCounts, cells: Cells) -> Sample:
    """Return mean scores; without squared scores their variance is unknown."""
    people = flatten_cells(counts.cells) @ cells.denominator
    sums = flatten_cells(np.asarray(counts.score_sums)) @ cells.numerator
    squares = np.full_like(sums, np.nan)
    if counts.score_squares is not None:
        squares = flatten_cells(counts.score_squares) @ cells.numerator
    size = people
    with np.errstate(divide="ignore", invalid="ignore"):
        if counts.weight_squares is not None:
            size = people**2 / (flatten_cells(counts.weight_squares) @ cells.denominator)
        variance, hidden = find_score_variances(people, sums, squares, size)
        variance = variance * size / (size - 1)  # Bessel's correction
        value = sums / people
    return Sample("mean", value, size, np.where(size > 1, variance, np.nan), hidden & (size > 1))


def sample_quotient(name: str, counts: OutcomeCounts) -> Sample:
    """Return one quotient's value and effective size in every group."""
    cells = find_cells(name, counts.cells.shape[1:])
    if cells.kind == "mean":
        return _sample_mean(counts, cells)
    table = flatten_cells(counts.cells)
    people = table @ cells.denominator
    with np.errstate(invalid="ignore"):
        value = (table @ cells.numerator) / people
        spread = (table @ cells.numerator**2) / people
    size = _find_effective_size(counts, cells, np.nan_to_num(value), people)
    # Of no one, the measure's own convention, which is one of odds where the rate is odds
    empty = METRICS[name].empty
    empty = empty / (1 + empty) if cells.kind == "odds" else empty
    return Sample(cells.kind, np.where(people == 0, empty, value), size, spread)


def sample_rate(name: str, counts: OutcomeCounts) -> tuple[Sample, ...]:
    """Return the samples of the quotients that a rate is the mean of."""
    return tuple(sample_quotient(part, counts) for part in get_parts(name))


def compute_replicates(
    name: str, tables: np.ndarray, sums: np.ndarray | None, shape: Sequence[int]
) -> np.ndarray:
    """Return a rate's value in every group of many tables."""
    values = []
    for part in get_parts(name):
        cells = find_cells(part, tuple(shape))
        numerator = (tables if sums is None or cells.kind != "mean" else sums) @ cells.numerator
        denominator = tables @ cells.denominator
        if cells.kind == "odds":
            denominator = denominator - numerator
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient = numerator / denominator
        empty = (numerator == 0) & (denominator == 0)
        values.append(np.where(empty, METRICS[part].empty, quotient))
    mean: np.ndarray = np.mean(values, axis=0)
    return np.where(tables.sum(axis=-1) == 0, np.nan, mean)


class SampledTable:
    """A table and its two sides, with samples that several measures share."""

    def __init__(self, counts: OutcomeCounts, privileged: Any = None) -> None:
        self.counts = counts
        self.privileged = privileged
        self._samples: dict[str, tuple[Sample, ...]] = {}

    @cached_property
    def contrast(self) -> Contrast:
        """The sides that comparisons compare."""
        return Contrast(self.counts, self.privileged)

    @cached_property
    def pooled(self) -> OutcomeCounts:
        """Everyone as one group."""
        return self.counts.pooled()

    @cached_property
    def notes(self) -> list[str]:
        """What to know of a weighted or an expected table."""
        return note_table(self.counts)

    def sample(self, rate: Metric) -> tuple[Sample, ...]:
        """Return the samples of a rate on the two sides, or in all groups."""
        if rate.name not in self._samples:
            self._samples[rate.name] = sample_rate(rate.name, self.contrast.counts)
        return self._samples[rate.name]

    def note_rate(self, rate: Metric) -> list[str]:
        """Return what to know of a rate in the groups that are compared."""
        return [
            f"{self.contrast.name(group)}: {note}"
            for place, group in enumerate(self.contrast.counts.groups)
            for note in note_sample(rate, self.sample(rate)[0], place)
        ]


def note_table(counts: OutcomeCounts) -> list[str]:
    """Return what to know about intervals of a weighted or an expected table."""
    if counts.weight_squares is not None:
        if np.array_equal(counts.weight_squares, counts.cells):
            return []
        return ["weighted: sizes are effective numbers of people"]
    if counts.cells.dtype.kind == "f" and (counts.cells % 1).any():
        return [_EXPECTED]
    return []


def note_sample(rate: Metric, sample: Sample, place: int) -> list[str]:
    """Return what to know of a rate in one group: a value by convention, or no variance."""
    if sample.kind == "mean" and isnan(sample.spread[place]):
        return ["no variance of scores"]
    if sample.hidden is not None and sample.hidden[place]:
        return [HIDDEN]
    if sample.size[place] == 0 and not isnan(rate.empty):
        return [f"{rate.empty:g} by convention, since there are no {rate.denominator}"]
    return []


def get_normal_quantile(level: float) -> float:
    """Return the normal quantile z of a two-sided level, 1.96 for 0.95."""
    return float(ndtri((1 + level) / 2))


def get_student_quantile(degrees: np.ndarray, z: float) -> np.ndarray:
    """Return Student's quantile of the same tail as a normal one."""
    quantile: np.ndarray = stdtrit(degrees, ndtr(z))
    return quantile


@dataclass(frozen=True)
class Limits:
    """A rate and its limits in every group, in the rate's own unit."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


LimitShares = Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, np.ndarray]]


def limit_by_wilson(value: np.ndarray, size: np.ndarray, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return Wilson's score limits of proportions; 0 and 1 without people.

    (n p + z^2 / 2 -+ z sqrt(n p (1 - p) + z^2 / 4)) / (n + z^2): E. B. Wilson 1927.
    """
    share = np.where(size > 0, value, 0.5)
    center = size * share + z * z / 2
    half = z * np.sqrt(size * share * (1 - share) + z * z / 4)
    # Rounding can leave a little less than 0, or more than 1
    low = np.where(share == 0, 0.0, np.maximum((center - half) / (size + z * z), 0))
    high = np.where(share == 1, 1.0, np.minimum((center + half) / (size + z * z), 1))
    known = ~np.isnan(value)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def limit_by_jeffreys(
    value: np.ndarray, size: np.ndarray, z: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return Jeffreys' limits of proportions: equal tails of Beta(n p + 1/2, n (1 - p) + 1/2)."""
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


def _limit_benefit(sample: Sample, z: float) -> tuple[np.ndarray, np.ndarray]:
    """Return score limits of the mean of values -1, 0 and 1.

    Solves (b - mean)^2 = z^2 (s - b^2) / n for b. The share s of people with an error is taken
    with one more of each kind, else people without errors would leave no uncertainty.
    """
    mean, size = sample.value, sample.size
    errors = (size * sample.spread + 2) / (size + 2)
    root = z * np.sqrt(np.maximum((size + z * z) * errors - size * mean**2, 0))
    return (size * mean - root) / (size + z * z), (size * mean + root) / (size + z * z)


def _limit_quotient(sample: Sample, z: float, limit_shares: LimitShares) -> Limits:
    if sample.kind == "benefit":
        return Limits(sample.value, *_limit_benefit(sample, z))
    if sample.kind == "mean":
        half = get_student_quantile(sample.size - 1, z) * np.sqrt(sample.spread / sample.size)
        return Limits(sample.value, sample.value - half, sample.value + half)
    low, high = limit_shares(sample.value, sample.size, z)
    if sample.kind == "proportion":
        return Limits(sample.value, low, high)
    with np.errstate(divide="ignore"):
        return Limits(*(share / (1 - share) for share in (sample.value, low, high)))


def limit_rate(
    samples: tuple[Sample, ...], z: float, limit_shares: LimitShares = limit_by_wilson
) -> Limits:
    """Return a rate's limits in every group; of a mean of two, distances add in squares (MOVER)."""
    found = [_limit_quotient(sample, z, limit_shares) for sample in samples]
    if len(found) == 1:
        return found[0]
    first, second = found
    down = np.hypot(first.value - first.low, second.value - second.low) / 2
    up = np.hypot(first.high - first.value, second.high - second.value) / 2
    value = (first.value + second.value) / 2
    return Limits(value, value - down, value + up)
