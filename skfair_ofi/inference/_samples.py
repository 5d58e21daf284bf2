"""What a rate's uncertainty depends on, group by group.

Every rate of the registry is a quotient of two sums over the cells of a table; only average
odds is the mean of two such quotients. Which cells are added is read from the registry's own
functions, by giving them tables of one person each, so a new rate needs no entry here.

>>> cells_of("true_positive_rate", (2, 2, 1)).denominator.reshape(2, 2).tolist()
[[0, 0], [1, 1]]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, prod
from typing import Literal

import numpy as np

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, Metric

Kind = Literal["proportion", "benefit", "odds", "mean"]

# Numbers are rounded to this share of themselves, and sums of more numbers not one by one.
_EPSILON, _MOST_ADDED = float(np.finfo(np.float64).eps), 1e9

_PARTS = {"average_odds": ("true_positive_rate", "false_positive_rate")}


@dataclass(frozen=True)
class Cells:
    """Which cells a rate adds up, as coefficients."""

    kind: Kind
    numerator: np.ndarray
    denominator: np.ndarray


def parts_of(name: str) -> tuple[str, ...]:
    """Return the names of the quotients that a rate is the mean of: mostly its own."""
    return _PARTS.get(name, (name,))


def rates_of(metric: Metric, counts: OutcomeCounts) -> tuple[Metric, ...]:
    """Return the rates that a comparison compares on a given table."""
    if metric.name == "mean_difference" and counts.score_sums is not None:
        return (METRICS["mean_score"],)
    return metric.rates


def _kind(metric: Metric, numerator: np.ndarray) -> Kind:
    if "y_score" in metric.roles:
        return "mean"
    if (numerator < 0).any():
        return "benefit"
    return "odds" if metric.bounds == (0.0, inf) else "proportion"


@lru_cache
def cells_of(name: str, shape: tuple[int, ...]) -> Cells:
    """Return which cells a rate adds up."""
    metric = METRICS[name]
    if metric.share is None:
        raise TypeError(f"name must be that of a rate, got {name!r}.")
    one_each = np.eye(prod(shape), dtype=np.int64).reshape(-1, *shape)
    scores = one_each if "y_score" in metric.roles else None
    table = OutcomeCounts(range(prod(shape)), one_each, score_sums=scores)
    numerator, denominator = (np.asarray(part) for part in metric.share(table))
    kind = _kind(metric, numerator)
    return Cells(kind, numerator, denominator + numerator if kind == "odds" else denominator)


@dataclass(frozen=True)
class Sample:
    """One quotient in every group, and what its uncertainty depends on."""

    kind: Kind
    value: np.ndarray
    size: np.ndarray
    spread: np.ndarray
    hidden: np.ndarray | None = None


def _empty_value(metric: Metric, kind: Kind) -> float:
    """The share of no one: by the measure's own convention, else undefined."""
    return metric.empty / (1 + metric.empty) if kind == "odds" else metric.empty


def _by_cell(table: np.ndarray) -> np.ndarray:
    return table.reshape(len(table), -1).astype(np.float64)


def _effective_size(
    counts: OutcomeCounts, cells: Cells, value: np.ndarray, people: np.ndarray
) -> np.ndarray:
    """The size of a sample without weights that would be as uncertain.

    The smaller of two: Kish's, which holds where weights have nothing to do with outcomes, and
    that of the linearized variance of the quotient, which holds for many people.
    """
    if counts.weight_squares is None:
        return people
    squares = _by_cell(counts.weight_squares)
    residuals = (cells.numerator - value[:, None] * cells.denominator) ** 2
    plain = (_by_cell(counts.cells) * residuals).sum(axis=1)
    weighted = (squares * residuals).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        kish = people**2 / (squares @ cells.denominator)
        linear = people * plain / weighted
    # NaN where there is no one (Kish) or no variance to be seen (linear)
    size: np.ndarray = np.fmin(np.where(people == 0, 0.0, kish), linear)
    return size


def score_variances(
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


def _mean_sample(counts: OutcomeCounts, cells: Cells) -> Sample:
    """Means of scores; without squared scores their variance is unknown."""
    people = _by_cell(counts.cells) @ cells.denominator
    sums = _by_cell(np.asarray(counts.score_sums)) @ cells.numerator
    squares = np.full_like(sums, np.nan)
    if counts.score_squares is not None:
        squares = _by_cell(counts.score_squares) @ cells.numerator
    size = people
    with np.errstate(divide="ignore", invalid="ignore"):
        if counts.weight_squares is not None:
            size = people**2 / (_by_cell(counts.weight_squares) @ cells.denominator)
        variance, hidden = score_variances(people, sums, squares, size)
        variance = variance * size / (size - 1)  # Bessel's correction
        value = sums / people
    return Sample("mean", value, size, np.where(size > 1, variance, np.nan), hidden & (size > 1))


def sample_of(name: str, counts: OutcomeCounts) -> Sample:
    """Return one quotient's value and effective size in every group."""
    cells = cells_of(name, counts.cells.shape[1:])
    if cells.kind == "mean":
        return _mean_sample(counts, cells)
    table = _by_cell(counts.cells)
    people = table @ cells.denominator
    with np.errstate(invalid="ignore"):
        value = (table @ cells.numerator) / people
        spread = (table @ cells.numerator**2) / people
    size = _effective_size(counts, cells, np.nan_to_num(value), people)
    value = np.where(people == 0, _empty_value(METRICS[name], cells.kind), value)
    return Sample(cells.kind, value, size, spread)


def samples_of(name: str, counts: OutcomeCounts) -> tuple[Sample, ...]:
    """Return the samples of the quotients that a rate is the mean of."""
    return tuple(sample_of(part, counts) for part in parts_of(name))


def replicate_values(
    name: str, tables: np.ndarray, sums: np.ndarray | None, shape: Sequence[int]
) -> np.ndarray:
    """Return a rate's value in every group of many tables."""
    values = [_quotients(part, tables, sums, tuple(shape)) for part in parts_of(name)]
    mean: np.ndarray = np.mean(values, axis=0)
    return np.where(tables.sum(axis=-1) == 0, np.nan, mean)


def _quotients(
    name: str, tables: np.ndarray, sums: np.ndarray | None, shape: tuple[int, ...]
) -> np.ndarray:
    cells = cells_of(name, shape)
    numerator = (tables if sums is None or cells.kind != "mean" else sums) @ cells.numerator
    denominator = tables @ cells.denominator
    if cells.kind == "odds":
        denominator = denominator - numerator
    with np.errstate(divide="ignore", invalid="ignore"):
        values: np.ndarray = numerator / denominator
    return np.where((numerator == 0) & (denominator == 0), METRICS[name].empty, values)
