"""From the table of counts to the rows of a summary."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from skfair_ofi._counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, Bands, Metric, pairwise_counts

from ._analysis import compared, flip_sentence, infinite_reason
from ._parts import FairnessRow, FlipRow, GroupRow, Measured, PairTable, RateChange
from ._wording import show_keys

_FAIRNESS_VERDICTS = {
    "acceptable": "within bounds",
    "moderate": "moderate",
    "disproportionate": "outside bounds",
}
# measures of flips that have two conventions for rates of 0
_CONVENTIONAL = ("flip_rate_disparity", "harmful_flip_disparity")
# the same as the difference in selection rates where no scores and no condition are given
_REPEATED = ("mean_difference", "conditional_statistical_parity_difference")
_GROUP_RATES = ("selection_rate", "accuracy", "true_positive_rate", "false_positive_rate")
_PAIRED = ("objective_fairness_index", "disparate_impact")
# Nobody reads the pairs of more groups than this.
_MOST_PAIRED_GROUPS = 12


@dataclass(frozen=True)
class Terms:
    """How measures are compared and judged.

    Parameters
    ----------
    privileged : tuple of hashable or None
        The privileged groups, None where all pairs are compared.
    thresholds : mapping of str to Bands
        Bands that replace those of the registry.
    convention : {"paper", "equation"}
        For rates of 0 in two of the flip measures.
    """

    privileged: tuple[Hashable, ...] | None
    thresholds: Mapping[str, Bands]
    convention: str

    def bands(self, metric: Metric) -> Bands | None:
        """Return the bands that a measure is judged by."""
        return self.thresholds.get(metric.name, metric.bands)

    @property
    def compared_with(self) -> list[Hashable] | None:
        """The privileged groups as the measures take them."""
        return None if self.privileged is None else list(self.privileged)


def has_roles(metric: Metric, counts: OutcomeCounts) -> bool:
    """Return whether a table counts what a measure needs.

    Parameters
    ----------
    metric : Metric
        The measure.
    counts : OutcomeCounts
        The table.

    Returns
    -------
    bool
        Whether it does.
    """
    return set(metric.roles) <= set(counts.roles)


def _comparison(metric: Metric, counts: OutcomeCounts, terms: Terms) -> Measured:
    """A comparison of labels with its verdict."""
    value = metric.of(counts, privileged=terms.compared_with)
    if math.isnan(value):
        return Measured(value, "undefined", metric.reason(counts, privileged=terms.compared_with))
    bands = terms.bands(metric)
    verdict = None if bands is None else _FAIRNESS_VERDICTS[bands.judge(value)]
    if math.isinf(value):
        reason = infinite_reason(metric, compared(metric, counts, terms.privileged))
        return Measured(value, verdict, reason)
    return Measured(value, verdict)


def _change(before: Measured, after: Measured) -> Measured:
    value = after.value - before.value
    if math.isfinite(value):
        return Measured(value)
    return Measured(math.nan, None, "one of the values is not a finite number")


def _pair(metric: Metric, counts: OutcomeCounts, terms: Terms) -> tuple[str, str] | None:
    sides = compared(metric, counts, terms.privileged)
    return None if sides is None else sides.pair


def _fairness_row(metric: Metric, counts: OutcomeCounts, terms: Terms) -> FairnessRow:
    before, after = (_comparison(metric, table, terms) for table in (counts.before, counts.after))
    bands = terms.bands(metric)
    return FairnessRow(
        name=metric.name,
        before=before,
        after=after,
        change=_change(before, after),
        limits=_limits(bands),
        pair_before=_pair(metric, counts.before, terms),
        pair_after=_pair(metric, counts.after, terms),
    )


def _rate_row(metric: Metric, counts: OutcomeCounts) -> FairnessRow:
    before, after = (Measured(metric.of(table)) for table in (counts.before, counts.after))
    return FairnessRow(metric.name, before, after, _change(before, after), None, None, None)


def fairness_rows(counts: OutcomeCounts, terms: Terms) -> tuple[FairnessRow, ...]:
    """Return accuracy, and every comparison of labels in the registry, before and after.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    terms : Terms
        How to compare and judge.

    Returns
    -------
    tuple of FairnessRow
        Without true labels, only what does not need them.
    """
    comparisons = [
        metric
        for metric in METRICS.values()
        if metric.family == "label" and metric.kind == "comparison" and metric.name not in _REPEATED
    ]
    rates = [_rate_row(METRICS["accuracy"], counts)] if "y_true" in counts.roles else []
    return (
        *rates,
        *(
            _fairness_row(metric, counts, terms)
            for metric in comparisons
            if has_roles(metric, counts)
        ),
    )


def _flip_verdict(metric: Metric, value: float, counts: OutcomeCounts, terms: Terms) -> str | None:
    if METRICS["flip_rate"].of(counts) == 0:
        return "no flips"
    harmful = metric.rate is not None and metric.rate.name == "harmful_flip_proportion"
    if harmful and METRICS["harmful_flip_rate"].of(counts) == 0:
        return "no harmful flips"
    bands = terms.bands(metric)
    return None if bands is None else bands.judge(value)


def _flip_row(metric: Metric, counts: OutcomeCounts, terms: Terms) -> FlipRow:
    options = {"convention": terms.convention} if metric.name in _CONVENTIONAL else {}
    value = metric.of(counts, privileged=terms.compared_with, **options)
    sides = compared(metric, counts, terms.privileged)
    if math.isnan(value):
        reason = metric.reason(counts, privileged=terms.compared_with, **options)
        result = Measured(value, "undefined", reason)
    else:
        reason = infinite_reason(metric, sides) if math.isinf(value) else None
        result = Measured(value, _flip_verdict(metric, value, counts, terms), reason)
    bands = terms.bands(metric)
    return FlipRow(
        name=metric.name,
        result=result,
        acceptable=_limits(bands),
        moderate=None if bands is None else bands.moderate,
        pair=None if sides is None else sides.pair,
        sentence=flip_sentence(metric, result, sides, counts),
    )


def flip_rows(counts: OutcomeCounts, terms: Terms) -> tuple[FlipRow, ...]:
    """Return every comparison of flips in the registry.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    terms : Terms
        How to compare and judge.

    Returns
    -------
    tuple of FlipRow
        One row a measure.
    """
    return tuple(
        _flip_row(metric, counts, terms)
        for metric in METRICS.values()
        if metric.family == "flip" and metric.kind == "comparison" and has_roles(metric, counts)
    )


def _rate(name: str, counts: OutcomeCounts) -> Measured:
    """A rate of a table of one group."""
    value = METRICS[name].of(counts)
    if math.isinf(value):
        return Measured(value, None, "no one was harmed")
    return Measured(value, None, METRICS[name].reason(counts))


def group_row(
    counts: OutcomeCounts, name: str, *, group: Hashable = None, privileged: bool = False
) -> GroupRow:
    """Return who was flipped in a table, all its groups together.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    name : str
        What to call its people.
    group : hashable, default=None
        The group's key.
    privileged : bool, default=False
        Whether it is privileged.

    Returns
    -------
    GroupRow
        The row.
    """
    flips = counts.over("y_pred", "y_corrected").cells.sum(axis=(0, 1)).tolist()
    truth = "y_true" in counts.roles
    cells = counts.cells.sum(axis=0).tolist()
    rates = (METRICS[rate] for rate in _GROUP_RATES)
    return GroupRow(
        group=group,
        name=name,
        privileged=privileged,
        n=counts.n,
        gained=flips[0][1],
        lost=flips[1][0],
        flip_rate=_rate("flip_rate", counts),
        harmful_flip_proportion=_rate("harmful_flip_proportion", counts),
        directional_flip_ratio=_rate("directional_flip_ratio", counts),
        made_wrong=cells[0][0][1] + cells[1][1][0] if truth else None,
        put_right=cells[0][1][0] + cells[1][0][1] if truth else None,
        rates=tuple(
            RateChange(rate.name, _rate(rate.name, counts.before), _rate(rate.name, counts.after))
            for rate in rates
            if has_roles(rate, counts)
        ),
    )


def group_rows(counts: OutcomeCounts, privileged: Sequence[Hashable]) -> tuple[GroupRow, ...]:
    """Return who was flipped in each group.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    privileged : sequence of hashable
        The privileged groups.

    Returns
    -------
    tuple of GroupRow
        One row a group.
    """
    return tuple(
        group_row(counts.pick(group), name, group=group, privileged=group in privileged)
        for group, name in zip(counts.groups, show_keys(counts.groups), strict=True)
    )


def _limits(bands: Bands | None) -> tuple[float, float] | None:
    return None if bands is None else bands.acceptable


def _pairs_of(name: str, counts: OutcomeCounts) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, pairwise_counts(name, counts).to_numpy().tolist()))


def pair_tables(counts: OutcomeCounts, terms: Terms) -> tuple[PairTable, ...]:
    """Return OFI and DI between all pairs of groups, before and after.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    terms : Terms
        How to judge.

    Returns
    -------
    tuple of PairTable
        None where there are more than twelve groups; no OFI without true labels.
    """
    if len(counts.groups) > _MOST_PAIRED_GROUPS:
        return ()
    return tuple(
        PairTable(name, when, _pairs_of(name, table), _limits(terms.bands(METRICS[name])))
        for when, table in (("before", counts.before), ("after", counts.after))
        for name in _PAIRED
        if has_roles(METRICS[name], counts)
    )
