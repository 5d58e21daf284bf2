"""Test statistics of rates that are equal in all groups, and their p-values."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import bdtr, chdtrc, fdtrc, ndtr, stdtr

from skfair_ofi.counts import OutcomeCounts

from ._limits import Sample, find_cells, get_parts


class Statistic(NamedTuple):
    """A statistic, its p-value and its degrees of freedom, NaN where it has none."""

    value: float
    p_value: float
    degrees: float = float("nan")


NO_STATISTIC = Statistic(float("nan"), float("nan"))


class WholeCounts(NamedTuple):
    """Whole counts of a quotient, each of shape (n_groups,): what it adds, subtracts, and of."""

    plus: np.ndarray
    minus: np.ndarray
    people: np.ndarray


def find_expected(sample: Sample) -> np.ndarray:
    """Return the numbers that equal shares would give, of shape (2, n_groups)."""
    hits = sample.value * sample.size
    share = hits.sum() / sample.size.sum()
    return np.stack([sample.size * share, sample.size * (1 - share)])


def compare_proportions(sample: Sample) -> Statistic:
    """Return the two-proportion z statistic with the pooled share, of two groups."""
    share = find_expected(sample)[0].sum() / sample.size.sum()
    variance = share * (1 - share) * (1 / sample.size).sum()
    if variance == 0:
        return NO_STATISTIC
    z = float((sample.value[0] - sample.value[1]) / np.sqrt(variance))
    return Statistic(z, float(2 * ndtr(-abs(z))))


def apply_chi_square(samples: list[Sample], *, corrected: bool = False) -> Statistic:
    """Return Pearson's chi-square statistic of equal shares, summed over independent rates."""
    value, degrees = 0.0, 0.0
    for sample in samples:
        expected, hits = find_expected(sample), sample.value * sample.size
        if not expected.all():
            return NO_STATISTIC
        away = abs(np.stack([hits, sample.size - hits]) - expected)
        if corrected:
            away -= np.minimum(away, 0.5)  # Yates' correction
        value += float((away**2 / expected).sum())
        degrees += float(len(sample.size) - 1)
    return Statistic(value, float(chdtrc(degrees, value)), degrees)


def apply_fisher(whole: WholeCounts) -> Statistic:
    """Return the odds ratio of two groups with the p-value of Fisher's exact test."""
    from scipy.stats import fisher_exact  # noqa: PLC0415 - half a second that few need

    table = np.stack([whole.plus, whole.people - whole.plus], axis=1)
    ratio, p_value = fisher_exact(table)
    return Statistic(float(ratio), float(p_value))


def apply_mcnemar(
    favorable: np.ndarray, harmful: np.ndarray, method: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return McNemar's statistics and p-values: Q. McNemar 1947, doi 10.1007/BF02295996."""
    flips = favorable + harmful
    if method == "exact":
        # Twice the smaller tail of a binomial distribution with a share of 1/2
        fewer = np.minimum(favorable, harmful)
        return harmful.astype(np.float64), np.minimum(2 * bdtr(fewer, flips, 0.5), 1.0)
    away = abs(favorable - harmful)
    if method == "chi_square_corrected":
        away = np.maximum(away - 1, 0)
    statistic = away**2 / np.maximum(flips, 1)
    return statistic, chdtrc(1, statistic)


def _find_variances(samples: tuple[Sample, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return variances of a mean in every group, and their degrees of freedom."""
    parts = []
    for sample in samples:
        spread = sample.spread
        if sample.kind != "mean":
            spread = (sample.spread - sample.value**2) * sample.size / (sample.size - 1)
        parts.append(spread / sample.size / len(samples) ** 2)
    total = np.sum(parts, axis=0)
    # Welch and Satterthwaite: (sum of v)^2 / sum of v^2 / (n - 1)
    weights = [part**2 / (each.size - 1) for part, each in zip(parts, samples, strict=True)]
    return total, total**2 / np.sum(weights, axis=0)


def _average(samples: tuple[Sample, ...]) -> np.ndarray:
    means: np.ndarray = np.mean([sample.value for sample in samples], axis=0)
    return means


def lacks_variance(samples: tuple[Sample, ...]) -> bool:
    """Return whether a group shows no variance, though not everyone is alike."""
    with np.errstate(divide="ignore", invalid="ignore"):
        variances, _ = _find_variances(samples)
    differ = bool(np.ptp(_average(samples)) > 0 or variances.any())
    return differ and not (variances > 0).all()


def _add_half_people(sample: Sample) -> Sample:
    """Return a sample whom half a person of each kind joins, as in the adjusted Wald interval."""
    size, value = sample.size + 1, sample.size * sample.value
    if sample.kind == "benefit":
        spread = (sample.size * sample.spread + 1) / size
        return replace(sample, size=size, value=value / size, spread=spread)
    share = (value + 0.5) / size
    return replace(sample, size=size, value=share, spread=share)


def apply_welch(samples: tuple[Sample, ...]) -> Statistic:
    """Return Welch's t of two groups, or his F of several; variances may differ.

    B. L. Welch 1951, doi 10.1093/biomet/38.3-4.330.
    """
    if samples[0].kind != "mean" and lacks_variance(samples):
        samples = tuple(_add_half_people(sample) for sample in samples)
    means, hidden = _average(samples), samples[0].hidden
    with np.errstate(divide="ignore", invalid="ignore"):
        variances, degrees = _find_variances(samples)
    if hidden is not None and (hidden | (variances == 0)).all():
        return NO_STATISTIC
    if len(means) == 2 and variances.sum() > 0:
        parts = np.where(variances > 0, variances**2 / degrees, 0.0)
        t = float((means[0] - means[1]) / np.sqrt(variances.sum()))
        freedom = float(variances.sum() ** 2 / parts.sum())
        return Statistic(t, float(2 * stdtr(freedom, -abs(t))), freedom)
    if len(means) == 2 or not (variances > 0).all():
        return NO_STATISTIC
    weights, between = 1 / variances, len(means) - 1
    share = weights / weights.sum()
    spread = (weights * (means - share @ means) ** 2).sum() / between
    loss = ((1 - share) ** 2 / degrees).sum() / (len(means) ** 2 - 1)
    f, within = spread / (1 + 2 * (between - 1) * loss), 1 / (3 * loss)
    return Statistic(float(f), float(fdtrc(between, within, f)), float(between))


def count_parts(name: str, counts: OutcomeCounts) -> list[WholeCounts]:
    """Return the whole counts of the quotients that a rate is the mean of."""
    table = counts.cells.reshape(len(counts.groups), -1).astype(np.int64)
    parts = [find_cells(part, counts.cells.shape[1:]) for part in get_parts(name)]
    return [
        WholeCounts(
            table @ np.maximum(cells.numerator, 0),
            table @ np.maximum(-cells.numerator, 0),
            table @ cells.denominator,
        )
        for cells in parts
    ]


def _deal_out(rng: np.random.Generator, room: np.ndarray, total: int) -> np.ndarray:
    """Deal out a total over groups as if without replacement, once a row of ``room``."""
    left, rest = room.sum(axis=1), np.full(len(room), total)
    drawn = np.empty_like(room)
    for group in range(room.shape[1] - 1):
        left = left - room[:, group]
        drawn[:, group] = rng.hypergeometric(room[:, group], left, rest)
        rest = rest - drawn[:, group]
    drawn[:, -1] = rest
    return drawn


def _shuffle(rng: np.random.Generator, whole: WholeCounts, n_resamples: int) -> np.ndarray:
    """Return values in every group after groups are dealt out anew, (n_resamples, n_groups)."""
    people = np.tile(whole.people, (n_resamples, 1))
    plus = _deal_out(rng, people, int(whole.plus.sum()))
    minus = _deal_out(rng, people - plus, int(whole.minus.sum()))
    values: np.ndarray = (plus - minus) / people
    return values


def _find_gap(rates: list[list[np.ndarray]]) -> np.ndarray:
    """Return the largest gap between groups, over all rates."""
    gaps = [np.ptp(np.mean(values, axis=0), axis=-1) for values in rates]
    return np.asarray(np.max(gaps, axis=0))


def permute(
    rates: list[list[WholeCounts]], n_resamples: int, rng: np.random.Generator
) -> Statistic:
    """Return the largest gap of rates with its permutation p-value.

    Groups are dealt out anew among the people that a rate is a share of. Only the table
    changes by this, so it is drawn from its hypergeometric distribution.
    """
    seen = [[(each.plus - each.minus) / each.people for each in parts] for parts in rates]
    observed = float(_find_gap(seen))
    drawn = _find_gap([[_shuffle(rng, each, n_resamples) for each in parts] for parts in rates])
    at_least = int((drawn >= observed - 1e-12).sum())
    return Statistic(observed, (1 + at_least) / (1 + n_resamples))
