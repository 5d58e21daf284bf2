"""Intervals from tables that are drawn instead of rows.

Drawing people anew, with replacement, changes nothing but the table's cells, and these are
multinomial. So a thousand tables are drawn in one call, whatever the number of rows.
Chunks of tables have seeds of their own, so that workers that share them change nothing.

>>> table = OutcomeCounts(["a", "b"], [[[[300], [700]]], [[[500], [500]]]])
>>> drawn = bootstrap_values(table, "statistical_parity_difference", random_state=0)
>>> drawn.shape, round(float(drawn.mean()), 2)
((2000,), 0.2)
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from skfair_ofi._validation import resolve_privileged
from skfair_ofi.counts import OutcomeCounts, check_counts
from skfair_ofi.metrics import Metric, get_metric

from ._limits import (
    HIDDEN,
    Ends,
    SampledTable,
    compute_replicates,
    find_score_variances,
    flatten_cells,
    sample_rate,
)

# Numbers that a chunk may hold, two megabytes an array, and replicates at most.
_NUMBERS, _REPLICATES = 1 << 18, 1000


def check_number(name: str, value: int, least: int = 1) -> int:
    """Return a number of draws."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    return number


def split_chunks(number: int, width: int) -> list[int]:
    """Return how many replicates each chunk has, whoever draws them."""
    rows = min(max(_NUMBERS // max(width, 1), 1), _REPLICATES)
    return [min(rows, number - start) for start in range(0, number, rows)]


def _draw_chunk(
    draw: Callable[[int, np.random.Generator], np.ndarray], size: int, seed: np.random.SeedSequence
) -> np.ndarray:
    return draw(size, np.random.default_rng(seed))


def draw_in_chunks(
    draw: Callable[[int, np.random.Generator], np.ndarray],
    number: int,
    width: int,
    random_state: Any,
    n_jobs: int | None,
) -> np.ndarray:
    """Return replicates that joblib's workers draw chunk by chunk, each chunk with its own seed.

    >>> def draw_uniform(size, rng):
    ...     return rng.random(size)
    >>> alone, shared = (draw_in_chunks(draw_uniform, 2500, 1, 7, n_jobs) for n_jobs in (None, 2))
    >>> alone.shape, bool((alone == shared).all())
    ((2500,), True)
    """
    sizes = split_chunks(number, width)
    entropy = np.random.default_rng(random_state).integers(2**63 - 1, size=2)
    seeds = np.random.SeedSequence(entropy.tolist()).spawn(len(sizes))
    tasks = zip(sizes, seeds, strict=True)
    # Asked in any case, so that joblib refuses what it would refuse of many chunks
    if min(effective_n_jobs(n_jobs), len(sizes)) == 1:
        return np.concatenate([_draw_chunk(draw, *task) for task in tasks])
    shared = Parallel(n_jobs=n_jobs)(delayed(_draw_chunk)(draw, *task) for task in tasks)
    return np.concatenate(shared)


@dataclass(frozen=True)
class Resampling:
    """How tables are drawn."""

    n_resamples: int
    stratified: bool
    random_state: int | np.random.Generator | None
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is no number of tables."""
        check_number("n_resamples", self.n_resamples)


class Replicates(NamedTuple):
    """Cells, and sums of scores where there are any, of shape (n_tables, n_groups, n_cells)."""

    cells: np.ndarray
    sums: np.ndarray | None


class WeightedCells(NamedTuple):
    """A table as people who weigh the same within each cell; all of shape (n_groups, n_cells)."""

    numbers: np.ndarray
    weight: np.ndarray
    mean: np.ndarray | None
    std: np.ndarray | None


def _divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Return a quotient, 0 where there is no one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, 0.0)


def _find_people(counts: OutcomeCounts) -> WeightedCells:
    groups = len(counts.groups)
    numbers, weight = flatten_cells(counts.cells), np.ones((groups, 1))
    if counts.weight_squares is not None:
        squares = flatten_cells(counts.weight_squares)
        numbers, weight = _divide(numbers**2, squares), _divide(squares, numbers)
    if counts.score_sums is None:
        return WeightedCells(numbers, weight, None, None)
    cells = flatten_cells(counts.cells)
    sums = flatten_cells(counts.score_sums)
    squares = np.full_like(sums, np.nan)
    if counts.score_squares is not None:
        squares = flatten_cells(counts.score_squares)
    variance, _ = find_score_variances(cells, sums, squares, numbers)
    # One person has one score, whatever is rounded
    alone = (numbers < 1.5) & (variance * cells <= 1e-14 * squares)
    std = np.sqrt(np.where((numbers == 0) | alone, 0.0, variance))
    return WeightedCells(numbers, weight, _divide(sums, cells), std)


def _draw_numbers(people: WeightedCells, plan: Resampling, rng: np.random.Generator) -> np.ndarray:
    groups, cells = people.numbers.shape
    if not plan.stratified:
        every = people.numbers.ravel()
        total = int(np.rint(every.sum()))
        drawn = rng.multinomial(total, every / every.sum(), size=plan.n_resamples)
        return drawn.reshape(-1, groups, cells)
    sizes = people.numbers.sum(axis=1)
    # A group of no one draws no one, whatever the chances
    chances = np.where(sizes[:, None] > 0, people.numbers, 1.0)
    chances = chances / chances.sum(axis=1, keepdims=True)
    whole_sizes = np.rint(sizes).astype(np.int64)
    return rng.multinomial(whole_sizes, chances, size=(plan.n_resamples, groups))


def draw_tables(counts: OutcomeCounts, plan: Resampling) -> Replicates:
    """Return tables of people drawn anew."""
    rng = np.random.default_rng(plan.random_state)
    people = _find_people(counts)
    if not people.numbers.any():
        return Replicates(np.zeros((plan.n_resamples, *people.numbers.shape)), None)
    numbers = _draw_numbers(people, plan, rng)
    if people.mean is None or people.std is None:
        return Replicates(numbers * people.weight, None)
    noise = np.sqrt(numbers) * people.std * rng.standard_normal(numbers.shape)
    return Replicates(numbers * people.weight, people.weight * (numbers * people.mean + noise))


def _find_sides(table: SampledTable, *, pooled: bool) -> np.ndarray | None:
    """Return which groups are added up into which side, of shape (n_groups, n_sides)."""
    groups = table.counts.groups
    if pooled:
        return np.ones((len(groups), 1))
    if not table.contrast.signed:
        return None
    chosen = resolve_privileged(table.privileged, groups)
    privileged = np.array([group in chosen for group in groups])
    return np.stack([~privileged, privileged], axis=1).astype(np.float64)


def measure_tables(metric: Metric, table: SampledTable, drawn: Replicates) -> np.ndarray:
    """Return the measure of every drawn table."""
    shape = table.counts.cells.shape[1:]
    sides = _find_sides(table, pooled=metric.kind == "rate")
    cells, sums = drawn
    if sides is not None:
        cells, sums = sides.T @ cells, None if sums is None else sides.T @ sums
    if metric.kind == "rate":
        return compute_replicates(metric.name, cells, sums, shape)[:, 0]
    rates = [
        compute_replicates(rate.name, cells, sums, shape) for rate in metric.compared(table.counts)
    ]
    everyone = None
    if metric.form == "overall":
        pooled = cells.sum(axis=1, keepdims=True)
        everyone = compute_replicates("flip_rate", pooled, None, shape)[:, 0]
    return metric.combine(rates, signed=table.contrast.signed, overall=everyone)


def _measure_chunk(
    name: str, table: SampledTable, size: int, rng: Any, *, plan: Resampling
) -> np.ndarray:
    drawn = draw_tables(table.counts, replace(plan, n_resamples=size, random_state=rng))
    return measure_tables(get_metric(name), table, drawn)


def _draw_values(metric: Metric, table: SampledTable, plan: Resampling) -> np.ndarray:
    """Return the measure of every table that is drawn, by as many workers as there are."""
    # Without labels that the measure does not need, tables are drawn faster
    roles = [role for role in table.counts.roles if role in metric.roles]
    needed = SampledTable(table.counts.over(*roles), table.privileged)
    # By name, which a worker looks up in its own registry
    draw = partial(_measure_chunk, metric.name, needed, plan=replace(plan, random_state=None))
    width = needed.counts.cells.size
    return draw_in_chunks(draw, plan.n_resamples, width, plan.random_state, plan.n_jobs)


def _note_draws(
    metric: Metric, table: SampledTable, drawn: np.ndarray, known: np.ndarray
) -> list[str]:
    notes = list(table.notes)
    rates = (metric,) if metric.kind == "rate" else metric.compared(table.counts)
    every = [sample for rate in rates for sample in sample_rate(rate.name, table.counts)]
    if any(sample.hidden is not None and sample.hidden.any() for sample in every):
        notes.append(HIDDEN)
    if len(known) < len(drawn):
        notes.append(
            f"{len(drawn) - len(known)} of {len(drawn)} drawn tables were undefined and left out"
        )
    gap = metric.kind == "comparison" and not (table.contrast.signed and metric.is_directed)
    if gap and len(table.contrast.counts.groups) > 2:
        notes.append("a drawn largest gap is nearly always larger than the true one")
    if len(known) and known.min() == known.max():
        notes.append("all drawn tables give the same value, which says nothing of the uncertainty")
    return notes


def limit_by_bootstrap(
    metric: Metric, table: SampledTable, level: float, plan: Resampling
) -> tuple[Ends, list[str]]:
    """Return percentiles of the measure in drawn tables, and what to know about them."""
    drawn = _draw_values(metric, table, plan)
    known = drawn[~np.isnan(drawn)]
    notes = _note_draws(metric, table, drawn, known)
    if not len(known):
        return (nan, nan), notes
    # Order statistics: between two of them there may be an infinite one
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(known, tails, method="inverted_cdf").tolist()
    return (low, high), notes


def bootstrap_values(
    counts: OutcomeCounts,
    measure: Callable[..., float] | str,
    *,
    privileged: Any = None,
    n_resamples: int = 2000,
    stratified: bool = True,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Values of a measure in tables of people drawn anew.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measure : callable or str
        A measure of this package, or its name.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None takes the largest gap.
    n_resamples : int, default=2000
        Number of tables.
    stratified : bool, default=True
        Whether each group keeps its number of people.
    random_state : int, Generator or None, default=None
        Seed.
    n_jobs : int, default=None
        Number of joblib's workers that share the tables, -1 for one a processor. The values are
        the same for any number.

    Returns
    -------
    ndarray of shape (n_resamples,)
        One value a table, NaN where it is undefined, as where a group has no one left.

    Raises
    ------
    ValueError
        If it is no measure, the table does not count what it needs, the number of tables is
        not a whole number of at least 1, or ``n_jobs`` is 0.

    Notes
    -----
    Without weights, cells are multinomial, and values are distributed as those of resampled
    rows. Weighted people are taken to weigh the same within each cell, and scores to be
    normal within each cell, with its mean and variance. Workers pay off where draws take
    seconds, as of many groups; 2,000 tables of two groups take two milliseconds.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[30], [70]]], [[[50], [50]]]])
    >>> bootstrap_values(table, "disparate_impact", n_resamples=3, random_state=1).round(2)
    array([0.7 , 0.74, 0.74])
    """
    metric = get_metric(measure)
    plan = Resampling(n_resamples, stratified, random_state, n_jobs)
    # Refuses what the table cannot give
    metric.of(check_counts(counts), privileged=privileged)
    return _draw_values(metric, SampledTable(counts, privileged), plan)
