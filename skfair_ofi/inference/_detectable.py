"""The smallest gap that the people at hand can show."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from skfair_ofi._validation import resolve_privileged
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, Metric

from ._closed import Source
from ._forms import check_counts, form_of, metric_of
from ._intervals import Measure, check_level, check_share
from ._limits import two_sided
from ._samples import Sample, parts_of, rates_of


@dataclass(frozen=True)
class DetectableDifference:
    """Smallest gap that would mostly be found between a group and those it is compared with.

    Attributes
    ----------
    value : float
        The gap; NaN where a side has no one, or no variance is known.
    size, other_size : float
        People on the two sides whom the rate is a share of; effective numbers, where weighted.
    level, power : float
        Confidence level, and the share of times that such a gap would be found.
    sentence : str
        The same in words.
    """

    value: float
    size: float
    other_size: float
    level: float
    power: float
    sentence: str


def _person_variance(sample: Sample) -> float:
    """Variance of one person's value where groups are alike, with one more of each kind."""
    people = sample.size.sum()
    if sample.kind == "mean":
        return float((sample.spread * sample.size).sum() / people)
    if sample.kind == "benefit":
        mean = (sample.value * sample.size).sum() / people
        return float(((sample.spread * sample.size).sum() + 2) / (people + 2) - mean**2)
    share = ((sample.value * sample.size).sum() + 1) / (people + 2)
    return float(share * (1 - share))


def _them(size: float, whole: str) -> str:
    """With whom, in words: no one, one, or a number that may be a fraction."""
    number = f"{round(size, 1):.10g}"
    if number == "0":
        return f"Without {whole}"
    one = "person" if whole == "people" else whole.removesuffix("s")
    return f"With {number} {one if number == '1' else whole}"


def _sentence(metric: Metric, them: str, value: float, power: float) -> str:
    widest = metric.bounds[1] - metric.bounds[0]
    if not value < widest:
        return f"{them}, no gap can be seen."
    return f"{them}, a gap under {value:.2g} cannot be seen with a power of {power:.0%}."


def _detectable(
    rate: Metric, source: Source, name: str, level: float, power: float
) -> DetectableDifference:
    samples = source.samples(rate)
    reach = two_sided(level) + float(ndtri(power))
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = sum(_person_variance(each) * (1 / each.size).sum() for each in samples)
        value = float(reach * np.sqrt(variance) / len(samples))
    # Of two quotients, the one of fewer people in the group decides
    place = int(np.argmin([sample.size[1] for sample in samples]))
    other, size = samples[place].size.tolist()
    value = value if min(sample.size.min() for sample in samples) > 0 else float("nan")
    whole = METRICS[parts_of(rate.name)[place]].whole
    sentence = _sentence(rate, f"{_them(size, whole)} in {name}", value, power)
    return DetectableDifference(value, size, other, level, power, sentence)


def _contrasts(counts: OutcomeCounts, privileged: Any) -> dict[Hashable, OutcomeCounts]:
    """Those that each group is compared with, then the group."""
    if privileged is None:
        return {group: counts.against_rest(group) for group in counts.groups}
    chosen = resolve_privileged(privileged, counts.groups)
    merged = dict.fromkeys(chosen, chosen[0])
    others = [group for group in counts.groups if group not in chosen]
    return {
        group: counts.pick(group, *chosen).merge_groups(merged).reindex((chosen[0], group))
        for group in others
    }


def minimum_detectable_differences(
    measure: Measure,
    counts: OutcomeCounts,
    *,
    privileged: Any = None,
    level: float = 0.95,
    power: float = 0.8,
) -> dict[Hashable, DetectableDifference]:
    """Smallest gap that the people at hand would show, for every group.

    Parameters
    ----------
    measure : callable or str
        A difference between groups, or its name.
    counts : OutcomeCounts
        The table.
    privileged : group or collection of groups, default=None
        The group that each other one is compared with. None compares each with everyone else.
    level : float, default=0.95
        Confidence level of the test.
    power : float, default=0.8
        Share of times that the gap is to be found.

    Returns
    -------
    dict of hashable to DetectableDifference
        By group, but the privileged ones.

    Raises
    ------
    ValueError
        If the measure is no difference of shares or means, there is one group only, or the
        level or the power does not lie between 0 and 1.

    Notes
    -----
    (z of the level + z of the power) sqrt(v / n_1 + v / n_2), with v the variance of one
    person's value where groups are alike, taken from the table with one more person of each
    kind. Of shares, v changes with the gap, which the formula leaves out: a group whose share is
    farther from 1/2 than the others' is told from them somewhat more often than the power says,
    and one whose share is nearer to 1/2 somewhat less often.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[300], [300]]], [[[16], [16]]]])
    >>> found = minimum_detectable_differences(
    ...     "statistical_parity_difference", table, privileged="a"
    ... )
    >>> found["b"].sentence
    "With 32 people in group 'b', a gap under 0.25 cannot be seen with a power of 80%."
    """
    metric = metric_of(measure, "comparison")
    level, power = check_level(level), check_share("power", power)
    # Refuses what the table cannot give
    metric.of(check_counts(counts), privileged=privileged)
    rate = rates_of(metric, counts)[0]
    sources = {key: Source(table) for key, table in _contrasts(counts, privileged).items()}
    if form_of(metric) != "difference" or rate.name == "treatment_ratio":
        raise ValueError(f"measure must be a difference of shares or means, got {metric.name!r}.")
    return {
        group: _detectable(rate, source, f"group {group!r}", level, power)
        for group, source in sources.items()
    }
