"""The smallest gap that the people at hand can show."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from skfair_ofi._validation import check_level, check_share, resolve_privileged
from skfair_ofi.counts import OutcomeCounts, check_counts
from skfair_ofi.metrics import METRICS, Metric, get_metric

from ._intervals import Measure
from ._limits import Sample, SampledTable, get_normal_quantile, get_parts


def _find_person_variance(sample: Sample) -> float:
    """Return the variance of one person's value where groups are alike, with one more a kind."""
    people = sample.size.sum()
    if sample.kind == "mean":
        return float((sample.spread * sample.size).sum() / people)
    if sample.kind == "benefit":
        mean = (sample.value * sample.size).sum() / people
        return float(((sample.spread * sample.size).sum() + 2) / (people + 2) - mean**2)
    share = ((sample.value * sample.size).sum() + 1) / (people + 2)
    return float(share * (1 - share))


def _name_people(size: float, whole: str) -> str:
    """Return with whom, in words: no one, one, or a number that may be a fraction."""
    number = f"{round(size, 1):.10g}"
    if number == "0":
        return f"Without {whole}"
    one = "person" if whole == "people" else whole.removesuffix("s")
    return f"With {number} {one if number == '1' else whole}"


def _find_detectable(
    rate: Metric, table: SampledTable, group: Hashable, level: float, power: float
) -> tuple[Hashable, float, float, float, str]:
    """Return a row: the group, the gap, the sizes of the group and of the others, a sentence."""
    samples = table.sample(rate)
    reach = get_normal_quantile(level) + float(ndtri(power))
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = sum(_find_person_variance(each) * (1 / each.size).sum() for each in samples)
        gap = float(reach * np.sqrt(variance) / len(samples))
    # Of two quotients, the one of fewer people in the group decides
    place = int(np.argmin([sample.size[1] for sample in samples]))
    other, size = samples[place].size.tolist()
    gap = gap if min(sample.size.min() for sample in samples) > 0 else float("nan")
    whole = METRICS[get_parts(rate.name)[place]].denominator
    seen = "no gap can be seen"
    if gap < rate.bounds[1] - rate.bounds[0]:
        seen = f"a gap under {gap:.2g} cannot be seen with a power of {power:.0%}"
    return group, gap, size, other, f"{_name_people(size, whole)} in group {group!r}, {seen}."


def _pair_with_others(counts: OutcomeCounts, privileged: Any) -> dict[Hashable, OutcomeCounts]:
    """Return a table of those that each group is compared with, then the group."""
    if privileged is None:
        return {group: counts.against_rest(group) for group in counts.groups}
    chosen = resolve_privileged(privileged, counts.groups)
    merged = dict.fromkeys(chosen, chosen[0])
    others = [group for group in counts.groups if group not in chosen]
    return {
        group: counts.pick(group, *chosen).merge_groups(merged).reindex((chosen[0], group))
        for group in others
    }


def detectable_differences(
    counts: OutcomeCounts,
    measure: Measure,
    *,
    privileged: Any = None,
    level: float = 0.95,
    power: float = 0.8,
) -> pd.DataFrame:
    """Smallest gap that the people at hand would show, for every group.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measure : callable or str
        A difference between groups, or its name.
    privileged : group or collection of groups, default=None
        The group that each other one is compared with. None compares each with everyone else.
    level : float, default=0.95
        Confidence level of the test.
    power : float, default=0.8
        Share of times that the gap is to be found.

    Returns
    -------
    DataFrame
        One row a group, but the privileged ones: group, gap (NaN where a side has no one, or no
        variance is known), size and other_size (people on the two sides whom the rate is a share
        of; effective numbers, where weighted), and sentence, which says the same in words.

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
    >>> found = detectable_differences(table, "statistical_parity_difference", privileged="a")
    >>> found[["group", "gap", "size", "other_size"]].round(3)
      group    gap  size  other_size
    0     b  0.254  32.0       600.0
    >>> found["sentence"][0]
    "With 32 people in group 'b', a gap under 0.25 cannot be seen with a power of 80%."
    """
    metric = get_metric(measure, "comparison")
    level, power = check_level(level), check_share("power", power)
    # Refuses what the table cannot give
    metric.of(check_counts(counts), privileged=privileged)
    rate = metric.compared(counts)[0]
    tables = _pair_with_others(counts, privileged)
    if metric.form != "difference" or rate.name == "treatment_ratio":
        raise ValueError(f"measure must be a difference of shares or means, got {metric.name!r}.")
    rows = [
        _find_detectable(rate, SampledTable(table), group, level, power)
        for group, table in tables.items()
    ]
    groups, gaps, sizes, others, sentences = zip(*rows, strict=True)
    return pd.DataFrame(
        {
            # Tuples and None are keys as they are, and no text is refused
            "group": pd.Series(groups, dtype=object),
            "gap": gaps,
            "size": sizes,
            "other_size": others,
            "sentence": pd.Series(sentences, dtype=object),
        }
    )
