"""Test statistics of rates that are equal in all groups, and their p-values."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, fdtrc, ndtr, stdtr

from skfair_ofi.counts import OutcomeCounts

from ._samples import Sample, cells_of, parts_of


class Statistic(NamedTuple):
    """A statistic, its p-value and its degrees of freedom, NaN where it has none."""

    value: float
    p_value: float
    degrees: float = float("nan")


NO_STATISTIC = Statistic(float("nan"), float("nan"))


class Whole(NamedTuple):
    """Whole counts of a quotient, each of shape (n_groups,): what it adds, subtracts, and of."""

    plus: np.ndarray
    minus: np.ndarray
    people: np.ndarray


def expected_hits(sample: Sample) -> np.ndarray:
    """Return the numbers that equal shares would give, of shape (2, n_groups)."""
    hits = sample.value * sample.size
    share = hits.sum() / sample.size.sum()
    return np.stack([sample.size * share, sample.size * (1 - share)])


def z_statistic(sample: Sample) -> Statistic:
    """Return the two-proportion z statistic with the pooled share, of two groups."""
    share = expected_hits(sample)[0].sum() / sample.size.sum()
    variance = share * (1 - share) * (1 / sample.size).sum()
    if variance == 0:
        return NO_STATISTIC
    z = float((sample.value[0] - sample.value[1]) / np.sqrt(variance))
    return Statistic(z, float(2 * ndtr(-abs(z))))


def chi_square_statistic(sample: Sample, *, corrected: bool = False) -> Statistic:
    """Return Pearson's chi-square statistic of equal shares."""
    expected = expected_hits(sample)
    if not expected.all():
        return NO_STATISTIC
    hits = sample.value * sample.size
    away = abs(np.stack([hits, sample.size - hits]) - expected)
    if corrected:
        away -= np.minimum(away, 0.5)
    value, degrees = float((away**2 / expected).sum()), float(len(sample.size) - 1)
    return Statistic(value, float(chdtrc(degrees, value)), degrees)


def summed_chi_square(samples: list[Sample]) -> Statistic:
    """Return the sum of chi-square statistics of independent rates."""
    found = [chi_square_statistic(sample) for sample in samples]
    value = sum(each.value for each in found)
    degrees = sum(each.degrees for each in found)
    return Statistic(value, float(chdtrc(degrees, value)), degrees)


def fisher_statistic(whole: Whole) -> Statistic:
    """Return the odds ratio of two groups with the p-value of Fisher's exact test."""
    from scipy.stats import fisher_exact  # noqa: PLC0415 - half a second that few need

    table = np.stack([whole.plus, whole.people - whole.plus], axis=1)
    ratio, p_value = fisher_exact(table)
    return Statistic(float(ratio), float(p_value))


def _variances(samples: tuple[Sample, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Variances of a mean in every group, and their degrees of freedom."""
    parts = []
    for sample in samples:
        spread = sample.spread
        if sample.kind != "mean":
            spread = (sample.spread - sample.value**2) * sample.size / (sample.size - 1)
        parts.append(spread / sample.size / len(samples) ** 2)
    total = np.sum(parts, axis=0)
    weights = [part**2 / (each.size - 1) for part, each in zip(parts, samples, strict=True)]
    return total, total**2 / np.sum(weights, axis=0)


def _means(samples: tuple[Sample, ...]) -> np.ndarray:
    means: np.ndarray = np.mean([sample.value for sample in samples], axis=0)
    return means


def lacks_variance(samples: tuple[Sample, ...]) -> bool:
    """Return whether a group shows no variance, though not everyone is alike."""
    with np.errstate(divide="ignore", invalid="ignore"):
        variances, _ = _variances(samples)
    differ = bool(np.ptp(_means(samples)) > 0 or variances.any())
    return differ and not (variances > 0).all()


def _half_added(sample: Sample) -> Sample:
    """Half a person of each kind joins each group, as in the adjusted Wald interval."""
    size, value = sample.size + 1, sample.size * sample.value
    if sample.kind == "benefit":
        spread = (sample.size * sample.spread + 1) / size
        return replace(sample, size=size, value=value / size, spread=spread)
    share = (value + 0.5) / size
    return replace(sample, size=size, value=share, spread=share)


def welch_statistic(samples: tuple[Sample, ...]) -> Statistic:
    """Return Welch's t of two groups, or his F of several; variances may differ."""
    if samples[0].kind != "mean" and lacks_variance(samples):
        samples = tuple(_half_added(sample) for sample in samples)
    values, hidden = _means(samples), samples[0].hidden
    with np.errstate(divide="ignore", invalid="ignore"):
        variances, degrees = _variances(samples)
    if hidden is not None and (hidden | (variances == 0)).all():
        return NO_STATISTIC
    if len(values) == 2 and variances.sum() > 0:
        parts = np.where(variances > 0, variances**2 / degrees, 0.0)
        t = float((values[0] - values[1]) / np.sqrt(variances.sum()))
        freedom = float(variances.sum() ** 2 / parts.sum())
        return Statistic(t, float(2 * stdtr(freedom, -abs(t))), freedom)
    if len(values) == 2 or not (variances > 0).all():
        return NO_STATISTIC
    return _welch_f(values, 1 / variances, degrees)


def _welch_f(values: np.ndarray, weights: np.ndarray, degrees: np.ndarray) -> Statistic:
    between = len(values) - 1
    share = weights / weights.sum()
    spread = (weights * (values - share @ values) ** 2).sum() / between
    loss = ((1 - share) ** 2 / degrees).sum() / (len(values) ** 2 - 1)
    f, within = spread / (1 + 2 * (between - 1) * loss), 1 / (3 * loss)
    return Statistic(float(f), float(fdtrc(between, within, f)), float(between))


def whole_parts(name: str, counts: OutcomeCounts) -> list[Whole]:
    """Return the whole counts of the quotients that a rate is the mean of."""
    table = counts.cells.reshape(len(counts.groups), -1).astype(np.int64)
    parts = [cells_of(part, counts.cells.shape[1:]) for part in parts_of(name)]
    return [
        Whole(
            table @ np.maximum(cells.numerator, 0),
            table @ np.maximum(-cells.numerator, 0),
            table @ cells.denominator,
        )
        for cells in parts
    ]


def _spread(rng: np.random.Generator, room: np.ndarray, total: int) -> np.ndarray:
    """Spread a total over groups as if drawn without replacement, once a row of ``room``."""
    left, rest = room.sum(axis=1), np.full(len(room), total)
    drawn = np.empty_like(room)
    for group in range(room.shape[1] - 1):
        left = left - room[:, group]
        drawn[:, group] = rng.hypergeometric(room[:, group], left, rest)
        rest = rest - drawn[:, group]
    drawn[:, -1] = rest
    return drawn


def _shuffled(rng: np.random.Generator, whole: Whole, n_resamples: int) -> np.ndarray:
    """Values in every group after groups are dealt out anew, of shape (n_resamples, n_groups)."""
    people = np.tile(whole.people, (n_resamples, 1))
    plus = _spread(rng, people, int(whole.plus.sum()))
    minus = _spread(rng, people - plus, int(whole.minus.sum()))
    values: np.ndarray = (plus - minus) / people
    return values


def _gap(rates: list[list[np.ndarray]]) -> np.ndarray:
    """Largest gap between groups, over all rates."""
    gaps = [np.ptp(np.mean(values, axis=0), axis=-1) for values in rates]
    return np.asarray(np.max(gaps, axis=0))


def permutation_statistic(
    rates: list[list[Whole]], n_resamples: int, rng: np.random.Generator
) -> Statistic:
    """Return the largest gap of rates with its permutation p-value.

    Groups are dealt out anew among the people that a rate is a share of. Only the table
    changes by this, so it is drawn from its hypergeometric distribution.
    """
    seen = [[(each.plus - each.minus) / each.people for each in parts] for parts in rates]
    observed = float(_gap(seen))
    drawn = _gap([[_shuffled(rng, each, n_resamples) for each in parts] for parts in rates])
    at_least = int((drawn >= observed - 1e-12).sum())
    return Statistic(observed, (1 + at_least) / (1 + n_resamples))
