"""From the table of counts to a summary: its rows, its sentences, its decision."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from skfair_ofi._text import show_keys
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import Interval
from skfair_ofi.metrics import METRICS, Bands, Metric, pairwise

from ._analysis import (
    ComparedSides,
    explain_infinite,
    explain_left_out,
    find_sides,
    read_sides,
    write_flip_sentence,
)
from ._certainty import (
    Heading,
    describe_certainty,
    describe_correctness,
    list_blind_spots,
    list_cautions,
    list_facts,
)
from ._decision import Figures, decide
from ._summary import (
    FairnessRow,
    FlipRow,
    GroupRow,
    Measured,
    PairTable,
    RateChange,
    Reading,
    Summary,
)
from ._terms import GROUP_RATES, REPORT_MEASURES, Terms

_PAIRED = ("objective_fairness_index", "disparate_impact")
# Nobody reads the pairs of more groups than this.
_MOST_PAIRED_GROUPS = 12


@dataclass(frozen=True)
class _Judged:
    """A table with the intervals of the measures that are to be judged in it."""

    counts: OutcomeCounts
    terms: Terms
    intervals: Mapping[str, Interval]

    @classmethod
    def of(cls, metrics: Sequence[Metric], counts: OutcomeCounts, terms: Terms) -> "_Judged":
        return cls(counts, terms, terms.find_intervals(metrics, counts))

    @cached_property
    def names(self) -> dict[Hashable, str]:
        """What each group is called."""
        return dict(zip(self.counts.groups, show_keys(self.counts.groups), strict=True))

    def sides(self, metric: Metric) -> ComparedSides | None:
        return find_sides(metric, self.counts, self.terms.privileged, self.names)

    @cached_property
    def nothing(self) -> str | None:
        """The verdict where there were no flips, or none that harmed."""
        if METRICS["flip_rate"].of(self.counts) == 0:
            return "no flips"
        return "no harmful flips" if METRICS["harmful_flip_rate"].of(self.counts) == 0 else None

    def pair(self, metric: Metric) -> tuple[str, str] | None:
        sides = self.sides(metric)
        return None if sides is None else sides.pair

    def interval(self, metric: Metric) -> Interval | None:
        """The interval of a measure, None where it has no ends."""
        found = self.intervals.get(metric.name)
        return None if found is None or math.isnan(found.low) else found

    def rate(self, metric: Metric) -> Measured:
        """A rate of all people together."""
        return Measured(metric.of(self.counts), interval=self.interval(metric))

    def comparison(self, metric: Metric) -> Measured:
        """A comparison with its verdict."""
        found, privileged = self.intervals.get(metric.name), self.terms.compared_with
        value = found.estimate if found else metric.of(self.counts, privileged=privileged)
        if math.isnan(value):
            reason = metric.explain_undefined(self.counts, privileged)
            return Measured(value, "undefined", reason)
        interval = self.interval(metric)
        why = explain_infinite(metric, self.sides(metric)) if math.isinf(value) else None
        return Measured(value, self.terms.judge(metric, value, interval), why, interval)


def _change(before: Measured, after: Measured) -> Measured:
    value = after.value - before.value
    if math.isfinite(value):
        return Measured(value)
    return Measured(math.nan, None, "one of the values is not a finite number")


def _fairness_row(metric: Metric, tables: tuple[_Judged, _Judged]) -> FairnessRow:
    before, after = (table.comparison(metric) for table in tables)
    return FairnessRow(
        name=metric.name,
        before=before,
        after=after,
        change=_change(before, after),
        limits=_limits(tables[0].terms.get_bands(metric)),
        pair_before=tables[0].pair(metric),
        pair_after=tables[1].pair(metric),
    )


def _rate_row(metric: Metric, tables: tuple[_Judged, _Judged]) -> FairnessRow:
    before, after = (table.rate(metric) for table in tables)
    return FairnessRow(metric.name, before, after, _change(before, after), None, None, None)


def _list_comparisons(family: str, counts: OutcomeCounts) -> list[Metric]:
    metrics = (METRICS[name] for name in REPORT_MEASURES[family])
    return [metric for metric in metrics if metric.fits(counts)]


def fairness_rows(counts: OutcomeCounts, terms: Terms) -> tuple[FairnessRow, ...]:
    """Return accuracy, and the comparisons of labels, before and after."""
    rates = [METRICS["accuracy"]] if "y_true" in counts.roles else []
    comparisons = _list_comparisons("label", counts)
    every = [*rates, *comparisons]
    tables = (_Judged.of(every, counts.before, terms), _Judged.of(every, counts.after, terms))
    return (
        *(_rate_row(rate, tables) for rate in rates),
        *(_fairness_row(metric, tables) for metric in comparisons),
    )


def _flip_row(metric: Metric, table: _Judged) -> FlipRow:
    result, sides, bands = (
        table.comparison(metric),
        table.sides(metric),
        table.terms.get_bands(metric),
    )
    harmful = metric.rate is not None and metric.rate.name == "harmful_flip_proportion"
    nothing = table.nothing if harmful or table.nothing == "no flips" else None
    if nothing and result.verdict != "undefined":
        result = replace(result, verdict=nothing)
    return FlipRow(
        name=metric.name,
        result=result,
        acceptable=_limits(bands),
        moderate=None if bands is None else bands.moderate,
        pair=None if sides is None else sides.pair,
        sentence=write_flip_sentence(metric, result, sides, table.counts),
    )


def flip_rows(counts: OutcomeCounts, terms: Terms) -> tuple[FlipRow, ...]:
    """Return the comparisons of flips."""
    metrics = _list_comparisons("flip", counts)
    table = _Judged.of(metrics, counts, terms)
    return tuple(_flip_row(metric, table) for metric in metrics)


def _rate(name: str, counts: OutcomeCounts) -> Measured:
    """A rate of a table of one group."""
    value = METRICS[name].of(counts)
    if math.isinf(value):
        return Measured(value, None, "no one was harmed")
    return Measured(
        value, None, METRICS[name].explain_undefined(counts) if math.isnan(value) else None
    )


def group_row(
    counts: OutcomeCounts, name: str, *, group: Hashable = None, privileged: bool = False
) -> GroupRow:
    """Return who was flipped in a table, all its groups together."""
    flips = counts.over("y_pred", "y_corrected").cells.sum(axis=(0, 1)).tolist()
    truth = "y_true" in counts.roles
    cells = counts.cells.sum(axis=0).tolist()
    before, after = counts.before, counts.after
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
            RateChange(rate, _rate(rate, before), _rate(rate, after))
            for rate in GROUP_RATES
            if METRICS[rate].fits(counts)
        ),
    )


def group_rows(counts: OutcomeCounts, privileged: Sequence[Hashable]) -> tuple[GroupRow, ...]:
    """Return who was flipped in each group."""
    return tuple(
        group_row(counts.pick(group), name, group=group, privileged=group in privileged)
        for group, name in zip(counts.groups, show_keys(counts.groups), strict=True)
    )


def _limits(bands: Bands | None) -> tuple[float, float] | None:
    return None if bands is None else bands.acceptable


def _pairs_of(name: str, counts: OutcomeCounts) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, pairwise(counts, name).to_numpy().tolist()))


def pair_tables(counts: OutcomeCounts, terms: Terms) -> tuple[PairTable, ...]:
    """Return OFI and DI between all pairs of groups, before and after."""
    if len(counts.groups) > _MOST_PAIRED_GROUPS:
        return ()
    return tuple(
        PairTable(name, when, _pairs_of(name, table), _limits(terms.get_bands(METRICS[name])))
        for when, table in (("before", counts.before), ("after", counts.after))
        for name in _PAIRED
        if METRICS[name].fits(counts)
    )


EVERYONE = "All groups"


def _printable(text: str) -> str:
    """Text on one line, without control characters."""
    return "".join(char if char.isprintable() else " " for char in text)


def _counting(counts: OutcomeCounts) -> str:
    if counts.weight_squares is not None:
        return "weighted people"
    return "people" if counts.cells.dtype.kind == "i" else "expected people"


def _check_counts(counts: OutcomeCounts) -> OutcomeCounts:
    if not {"y_pred", "y_corrected"} <= set(counts.roles):
        raise ValueError(f"counts must count y_pred and y_corrected, got roles {counts.roles!r}.")
    if not counts.n:
        raise ValueError("counts must count at least one person, got 0.")
    return counts


def _readings(counts: OutcomeCounts, rows: Sequence[FairnessRow]) -> tuple[Reading, ...]:
    named = {row.name: row for row in rows}
    ofi, di = named.get("objective_fairness_index"), named.get("disparate_impact")
    if ofi is None or di is None:
        return ()
    return (
        read_sides("before", ofi.before, di.before, counts.before),
        read_sides("after", ofi.after, di.after, counts.after),
    )


def _summary(
    counts: OutcomeCounts, terms: Terms, heading: Heading, title: str, notes: tuple[str, ...]
) -> Summary:
    overall, groups = group_row(counts, EVERYONE), group_rows(counts, terms.privileged or ())
    fairness, measures = fairness_rows(counts, terms), flip_rows(counts, terms)
    decision = decide(Figures(overall, fairness, measures))
    return Summary(
        title=title,
        source=heading.source,
        in_sample=heading.in_sample,
        counting=heading.counting,
        unfavorable=heading.labels[0],
        favorable=heading.labels[1],
        feature_names=heading.feature_names,
        privileged=terms.privileged,
        level=terms.level,
        uncertain=terms.uncertain,
        facts=list_facts(heading, overall, groups, decision),
        overall=overall,
        groups=groups,
        fairness=fairness,
        measures=measures,
        correctness=describe_correctness(overall, groups),
        readings=_readings(counts, fairness),
        pairs=pair_tables(counts, terms),
        certainty=describe_certainty(counts, terms, fairness, measures),
        decision=decision,
        left_out=explain_left_out(counts),
        notes=(*list_cautions(groups), *list_blind_spots(counts, terms, groups), *notes),
    )


def summarize(
    counts: OutcomeCounts,
    *,
    privileged: Any = None,
    bands: Mapping[str, Bands] | None = None,
    level: float | None = 0.95,
    uncertain: bool = False,
    title: str | None = None,
    source: str | None = None,
    in_sample: bool = False,
    notes: Sequence[str] = (),
) -> Summary:
    """Return every number and every sentence of a report on who was flipped.

    Parameters
    ----------
    counts : OutcomeCounts
        The table, with predicted and corrected labels, and true labels where
        they are known.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None compares
        all pairs of groups, and shows the largest gap.
    bands : mapping of str to Bands, default=None
        Bands by name or symbol of a measure, in place of those of ``METRICS``.
    level : float or None, default=0.95
        Confidence level of the intervals; None leaves them out.
    uncertain : bool, default=False
        Whether a verdict is "uncertain" where its interval spans a bound, and the
        decision a review where one is.
    title : str, default=None
        The title; None is "Proportionality report".
    source : str, default=None
        Where the data came from.
    in_sample : bool, default=False
        Whether these are the people that the model was fitted on.
    notes : sequence of str, default=()
        Sentences to add.

    Returns
    -------
    Summary
        The summary, which the renderers read.

    Raises
    ------
    ValueError
        If predicted or corrected labels are not counted, nobody is, a privileged
        group is not in the table, the name in ``bands`` is not one of a measure, the
        level is not between 0 and 1, or None with ``uncertain``.

    Notes
    -----
    The rules that lead to the decision are listed in ``decide``. A flip measure has
    the verdict "no flips" where no one was flipped, and a measure of harm "no
    harmful flips" where no one lost the favorable label: nothing is
    disproportionate about flips that did not happen.

    Examples
    --------
    >>> from skfair_ofi.counts import OutcomeCounts
    >>> counts = OutcomeCounts.from_arrays(
    ...     y_pred=[1, 1, 0, 0], y_corrected=[1, 0, 1, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> summary = summarize(counts, privileged="a")
    >>> summary.overall.gained, summary.overall.lost, summary.decision.outcome
    (1, 1, 'change the correction')
    """
    _check_counts(counts)
    terms = Terms.choose(counts.groups, privileged, bands, level, uncertain=uncertain)
    origin = None if source is None else _printable(source)
    heading = Heading(counts.labels, counts.feature_names, origin, in_sample, _counting(counts))
    named = "Proportionality report" if title is None else _printable(title)
    return _summary(counts, terms, heading, named, tuple(map(_printable, notes)))
