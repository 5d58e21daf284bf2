"""Intervals from tables that are drawn instead of rows.

Drawing people anew, with replacement, changes nothing but the table's cells, and these are
multinomial. So a thousand tables are drawn in one call, whatever the number of rows.
Chunks of tables have seeds of their own, so that workers that share them change nothing.

>>> table = OutcomeCounts(["a", "b"], [[[[300], [700]]], [[[500], [500]]]])
>>> drawn = bootstrap_values("statistical_parity_difference", table, random_state=0)
>>> drawn.shape, round(float(drawn.mean()), 2)
((2000,), 0.2)
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import isinf, isnan
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from skfair_ofi._validation import check_choice, resolve_privileged
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Convention, Metric

from ._chunks import chunk_sizes, in_chunks
from ._closed import Source
from ._forms import check_counts, form_of, is_signed, metric_of, options_of, put_together
from ._interval import HIDDEN, Interval, finished, no_interval
from ._samples import Sample, rates_of, replicate_values, samples_of, score_variances

Ends = Literal["percentile", "basic", "bca"]

_NAMES = {"percentile": "percentile bootstrap", "basic": "basic bootstrap", "bca": "BCa bootstrap"}


def check_number(name: str, value: int, least: int = 1) -> int:
    """Return a number of draws."""
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if number < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    return number


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


class Tables(NamedTuple):
    """Cells, and sums of scores where there are any, of shape (n_tables, n_groups, n_cells)."""

    cells: np.ndarray
    sums: np.ndarray | None


class _People(NamedTuple):
    """A table as people who weigh the same within each cell; all of shape (n_groups, n_cells)."""

    numbers: np.ndarray
    weight: np.ndarray
    mean: np.ndarray | None
    std: np.ndarray | None


def _quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """A quotient, 0 where there is no one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, 0.0)


def _flat(table: Any, groups: int) -> np.ndarray:
    return np.asarray(table, dtype=np.float64).reshape(groups, -1)


def _people(counts: OutcomeCounts) -> _People:
    groups = len(counts.groups)
    numbers, weight = _flat(counts.cells, groups), np.ones((groups, 1))
    if counts.weight_squares is not None:
        squares = _flat(counts.weight_squares, groups)
        numbers, weight = _quotient(numbers**2, squares), _quotient(squares, numbers)
    if counts.score_sums is None:
        return _People(numbers, weight, None, None)
    cells = _flat(counts.cells, groups)
    sums = _flat(counts.score_sums, groups)
    squares = np.full_like(sums, np.nan)
    if counts.score_squares is not None:
        squares = _flat(counts.score_squares, groups)
    variance, _ = score_variances(cells, sums, squares, numbers)
    # One person has one score, whatever is rounded
    alone = (numbers < 1.5) & (variance * cells <= 1e-14 * squares)
    std = np.sqrt(np.where((numbers == 0) | alone, 0.0, variance))
    return _People(numbers, weight, _quotient(sums, cells), std)


def _drawn_numbers(people: _People, plan: Resampling, rng: np.random.Generator) -> np.ndarray:
    groups, cells = people.numbers.shape
    if not plan.stratified:
        whole = people.numbers.ravel()
        total = int(np.rint(whole.sum()))
        drawn = rng.multinomial(total, whole / whole.sum(), size=plan.n_resamples)
        return drawn.reshape(-1, groups, cells)
    sizes = people.numbers.sum(axis=1)
    # A group of no one draws no one, whatever the chances
    chances = np.where(sizes[:, None] > 0, people.numbers, 1.0)
    chances = chances / chances.sum(axis=1, keepdims=True)
    whole_sizes = np.rint(sizes).astype(np.int64)
    return rng.multinomial(whole_sizes, chances, size=(plan.n_resamples, groups))


def draw(counts: OutcomeCounts, plan: Resampling) -> Tables:
    """Return tables of people drawn anew."""
    rng = np.random.default_rng(plan.random_state)
    people = _people(counts)
    if not people.numbers.any():
        return Tables(np.zeros((plan.n_resamples, *people.numbers.shape)), None)
    numbers = _drawn_numbers(people, plan, rng)
    if people.mean is None or people.std is None:
        return Tables(numbers * people.weight, None)
    noise = np.sqrt(numbers) * people.std * rng.standard_normal(numbers.shape)
    return Tables(numbers * people.weight, people.weight * (numbers * people.mean + noise))


def _without_one(counts: OutcomeCounts, people: _People, places: np.ndarray) -> Tables:
    """Tables that each lack one person of a cell."""
    groups, cells = people.numbers.shape
    lost = np.zeros((len(places), groups * cells))
    lost[np.arange(len(places)), places] = 1.0
    lost = np.minimum(lost.reshape(-1, groups, cells), people.numbers) * people.weight
    whole = _flat(counts.cells, groups) - lost
    sums = None
    if people.mean is not None:
        sums = _flat(counts.score_sums, groups) - lost * people.mean
    return Tables(whole, sums)


def _sides(source: Source, *, one: bool) -> np.ndarray | None:
    """Which groups are added up into which side, of shape (n_groups, n_sides)."""
    groups = source.counts.groups
    if one:
        return np.ones((len(groups), 1))
    if not source.contrast.signed:
        return None
    chosen = resolve_privileged(source.privileged, groups)
    privileged = np.array([group in chosen for group in groups])
    return np.stack([~privileged, privileged], axis=1).astype(np.float64)


def _measured(metric: Metric, source: Source, tables: Tables, convention: str) -> np.ndarray:
    """The measure of every table."""
    shape = source.counts.cells.shape[1:]
    sides = _sides(source, one=metric.kind == "rate")
    cells, sums = tables
    if sides is not None:
        cells, sums = sides.T @ cells, None if sums is None else sides.T @ sums
    if metric.kind == "rate":
        return replicate_values(metric.name, cells, sums, shape)[:, 0]
    rates = [
        replicate_values(rate.name, cells, sums, shape) for rate in rates_of(metric, source.counts)
    ]
    form, everyone = form_of(metric), np.zeros(len(cells))
    if form == "overall":
        pooled = cells.sum(axis=1, keepdims=True)
        everyone = replicate_values("flip_rate", pooled, None, shape)[:, 0]
    return put_together(
        form,
        rates,
        signed=is_signed(metric, source.contrast),
        all_flips=everyone,
        convention=convention,
    )


def _chunk(
    name: str, source: Source, size: int, rng: Any, *, plan: Resampling, convention: str
) -> np.ndarray:
    tables = draw(source.counts, replace(plan, n_resamples=size, random_state=rng))
    return _measured(metric_of(name), source, tables, convention)


def _drawn_values(metric: Metric, source: Source, plan: Resampling, convention: str) -> np.ndarray:
    """The measure of every table that is drawn, by as many workers as there are."""
    source = _needed(metric, source)
    chunk = partial(
        _chunk,
        metric.name,
        source,
        plan=replace(plan, random_state=None),
        convention=convention,
    )
    width = source.counts.cells.size
    return in_chunks(chunk, plan.n_resamples, width, plan.random_state, plan.n_jobs)


def _estimate(metric: Metric, source: Source, convention: str) -> tuple[float, str | None]:
    options = options_of(metric, convention)
    value = metric.of(source.counts, privileged=source.privileged, **options)
    reason = metric.reason(source.counts, privileged=source.privileged, **options)
    return value, reason


def _needed(metric: Metric, source: Source) -> Source:
    """The table without labels that the measure does not need, which is drawn faster."""
    roles = [role for role in source.counts.roles if role in metric.roles]
    return Source(source.counts.over(*roles), source.privileged)


def _quantiles(values: np.ndarray, low: float, high: float) -> tuple[float, float]:
    # Order statistics: between two of them there may be an infinite one.
    found = np.quantile(values, [low, high], method="inverted_cdf")
    return float(found[0]), float(found[1])


def _percentile(values: np.ndarray, level: float) -> tuple[float, float]:
    return _quantiles(values, (1 - level) / 2, (1 + level) / 2)


def _basic(values: np.ndarray, level: float, estimate: float) -> tuple[float, float]:
    low, high = _percentile(values, level)
    return 2 * estimate - high, 2 * estimate - low


def _acceleration(left_out: np.ndarray, people: np.ndarray) -> float:
    """A sixth of the skewness of the values that leave one person out."""
    known = np.isfinite(left_out)
    if not known.any():
        return 0.0
    values, weight = left_out[known], people[known]
    away = np.average(values, weights=weight) - values
    # Skewness has no unit, so that ratios of any size can be scaled
    away = away / (abs(away).max() or 1.0)
    square = (weight * away**2).sum()
    return float((weight * away**3).sum() / (6 * square**1.5)) if square > 1e-30 else 0.0


def _bca(
    values: np.ndarray, level: float, estimate: float, acceleration: float
) -> tuple[float, float]:
    """Percentiles, moved for bias and skewness."""
    # One value may come of several sums, which differ in their last digit
    tied = 0.0 if isinf(estimate) else 1e-12 * max(1.0, abs(estimate))
    share = ((values < estimate - tied).mean() + (values <= estimate + tied).mean()) / 2
    bias = ndtri(np.clip(share, 0.5 / len(values), 1 - 0.5 / len(values)))

    def moved(tail: float) -> float:
        reach = bias + ndtri(tail)
        return float(ndtr(bias + reach / (1 - acceleration * reach)))

    return _quantiles(values, moved((1 - level) / 2), moved((1 + level) / 2))


def _hides(sample: Sample) -> bool:
    return sample.hidden is not None and bool(sample.hidden.any())


def _notes(metric: Metric, source: Source, undefined: int, plan: Resampling) -> list[str]:
    notes = list(source.notes)
    rates = (metric,) if metric.kind == "rate" else rates_of(metric, source.counts)
    if any(_hides(sample) for rate in rates for sample in samples_of(rate.name, source.counts)):
        notes.append(HIDDEN)
    if undefined:
        notes.append(f"{undefined} of {plan.n_resamples} drawn tables were undefined and left out")
    gap = metric.kind == "comparison" and not is_signed(metric, source.contrast)
    if gap and len(source.contrast.counts.groups) > 2:
        notes.append("a drawn largest gap is nearly always larger than the true one")
    return notes


def bootstrap_interval(
    metric: Metric,
    source: Source,
    level: float,
    plan: Resampling,
    *,
    ends: str,
    convention: str,
) -> Interval:
    """Return the interval of a measure from drawn tables."""
    estimate, reason = _estimate(metric, source, convention)
    if isnan(estimate):
        return no_interval(estimate, level, reason)
    source = _needed(metric, source)
    drawn = _drawn_values(metric, source, plan, convention)
    known = drawn[~np.isnan(drawn)]
    notes = _notes(metric, source, len(drawn) - len(known), plan)
    if not len(known):
        return no_interval(estimate, level, "; ".join(notes))
    found = _ends_of(known, level, estimate, ends, lambda: _skew(metric, source, convention))
    if isinf(estimate) and ends == "basic":
        found = (float("nan"), float("nan"))
        notes.append("the basic bootstrap has no ends around an infinite estimate")
    if known.min() == known.max() and not isnan(found[0]):
        notes.append("all drawn tables give the same value, which says nothing of the doubt")
    return finished(found, estimate, level, _NAMES[ends], metric=metric, notes=notes)


def _skew(metric: Metric, source: Source, convention: str) -> float:
    people = _people(source.counts)
    numbers = people.numbers.ravel()
    places = np.flatnonzero(numbers)
    blocks = np.split(places, np.cumsum(chunk_sizes(len(places), numbers.size))[:-1])
    values = [
        _measured(metric, source, _without_one(source.counts, people, block), convention)
        for block in blocks
    ]
    return _acceleration(np.concatenate(values), numbers[places])


def _ends_of(
    values: np.ndarray, level: float, estimate: float, ends: str, skew: Callable[[], float]
) -> tuple[float, float]:
    if ends == "bca":
        return _bca(values, level, estimate, skew())
    return _percentile(values, level) if ends == "percentile" else _basic(values, level, estimate)


def bootstrap_values(
    measure: Callable[..., float] | str,
    counts: OutcomeCounts,
    *,
    privileged: Any = None,
    convention: Convention = "paper",
    n_resamples: int = 2000,
    stratified: bool = True,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Values of a measure in tables of people drawn anew.

    Parameters
    ----------
    measure : callable or str
        A measure of this package, or its name.
    counts : OutcomeCounts
        The table.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None takes the largest gap.
    convention : {"paper", "equation"}, default="paper"
        For rates of 0 in ``flip_rate_disparity`` and ``harmful_flip_disparity``.
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
    >>> bootstrap_values("disparate_impact", table, n_resamples=3, random_state=1).round(2)
    array([0.7 , 0.74, 0.74])
    """
    metric = metric_of(measure)
    check_choice("convention", convention, ("paper", "equation"))
    plan = Resampling(n_resamples, stratified, random_state, n_jobs)
    # Refuses what the table cannot give
    _estimate(metric, Source(check_counts(counts), privileged), convention)
    return _drawn_values(metric, Source(counts, privileged), plan, convention)
