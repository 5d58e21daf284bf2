"""Criteria on tables: which groups are compared, and what comes out."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, isfinite, isnan, log10, nan

import numpy as np

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import confidence_interval, significance_test
from skfair_ofi.metrics import METRICS, Metric, read_together

from ._criteria import Criterion
from ._distinct import Rows, Tables
from ._grouping import PRIVILEGED, UNPRIVILEGED, Grouping
from ._result import Finding, GroupFacts, GroupingFacts, JointReading, RateOf, SelectionTests
from ._spec import Spec

_REST = "everyone else"
# Sums of scores and of weights depend in the last digits on the order of the rows.
_DIGITS = 10


@dataclass(frozen=True)
class _Pair:
    """Two sides: a group against a reference, or None against None for the largest gap."""

    group: Hashable
    reference: Hashable
    kind: str

    def table(self, counts: OutcomeCounts) -> OutcomeCounts:
        """The counts of the two sides."""
        if self.kind == "pairs":
            return counts
        if self.kind == "rest":
            names = {key: (key if key == self.group else self.reference) for key in counts.groups}
            return counts.merge_groups(names).pick(self.reference, self.group)
        return counts.pick(self.reference, self.group)

    @property
    def privileged(self) -> list[Hashable] | None:
        """The side that is subtracted."""
        if self.kind == "pairs":
            return None
        return [self.reference]


class GroupingAudit:
    """All criteria on one grouping."""

    def __init__(self, spec: Spec, rows: Rows, place: int) -> None:
        self.spec, self.rows = spec, rows
        self.grouping: Grouping = spec.groupings[place]
        self.tables = Tables(rows, place)
        self.everyone = self.tables.get(())
        self.facts = self._facts()
        included = [facts.group for facts in self.facts.groups if not facts.excluded]
        self.included: tuple[Hashable, ...] = tuple(included)

    def _rate(self, name: str) -> np.ndarray:
        metric = METRICS[name]
        fields = {"y_true": "truth", "y_pred": "positive"}
        if all(fields[role] in self.rows.states for role in metric.roles):
            return metric.values(self.tables.get(metric.roles))
        return np.full(len(self.tables.groups), nan)

    def _facts(self) -> GroupingFacts:
        sizes, total = self.everyone.group_sizes.tolist(), self.everyone.n
        selection, base = self._rate("selection_rate"), self._rate("base_rate")
        small_share = self.spec.preset.small_share if self.spec.preset else None
        lowest = self.spec.exclude_below or 0
        groups = tuple(
            GroupFacts(
                group=key,
                n=self._size(size),
                share=self._size(size / total if total else nan),
                selection_rate=self._size(float(rate)),
                base_rate=self._size(float(true)),
                small=size < self.spec.minimum_group_size,
                excluded=bool(total) and size / total < lowest and not self._is_reference(key),
                below_share=bool(total) and size / total < (small_share or 0),
            )
            for key, size, rate, true in zip(
                self.tables.groups, sizes, selection, base, strict=True
            )
        )
        return GroupingFacts(self.grouping.title, groups, self._reference(groups))

    def _reference(self, groups: Sequence[GroupFacts]) -> Hashable:
        """The group that the others are compared with, None where there is none."""
        if self.grouping.privileged is not None and self.grouping.against is None:
            return PRIVILEGED
        if self.grouping.against == "highest":
            compared = [g for g in groups if not g.excluded and not isnan(g.selection_rate)]
            return max(compared, key=lambda g: g.selection_rate).group if compared else None
        if self.grouping.reference is None:
            return None
        named = [g.group for g in groups if self._is_reference(g.group)]
        if not named:
            check_choice("reference", self.grouping.reference, [g.group for g in groups])
        return named[0]

    def _is_reference(self, group: Hashable) -> bool:
        """Whether a group is the named reference; 1 in a specification is "1" in a file."""
        reference = self.grouping.reference
        if reference is None:
            return False
        if isinstance(group, tuple) and isinstance(reference, tuple):
            return tuple(map(str, group)) == tuple(map(str, reference))
        return group == reference or str(group) == str(reference)

    def _pairs(self) -> list[_Pair]:
        others = [key for key in self.included if key != self.facts.reference]
        whole = _Pair(None, None, "pairs")
        if len(self.included) < 2:
            return [whole]
        if self.facts.reference == PRIVILEGED and self.grouping.against is None:
            return [_Pair(UNPRIVILEGED, PRIVILEGED, "reference")]
        if self.grouping.against == "rest":
            rest = _REST
            while rest in self.included:
                rest += " (all)"
            return [_Pair(key, rest, "rest") for key in self.included]
        if self.facts.reference is not None:
            return [_Pair(key, self.facts.reference, "reference") for key in others]
        return [whole]

    def findings(self) -> Iterator[Finding]:
        """Yield one finding for each criterion, condition and pair."""
        pairs = self._pairs()
        for criterion in self.spec.criteria:
            for condition in self._conditions(criterion):
                counts = self._counts(criterion, condition)
                for pair in pairs:
                    yield self._finding(criterion, condition, pair, pair.table(counts))

    def readings(self, findings: Sequence[Finding]) -> Iterator[JointReading]:
        """Yield OFI and DI read together, wherever both compare the same groups.

        Where each has its largest gap between other groups, both are taken of either pair.
        """
        for name in dict.fromkeys(finding.condition for finding in findings):
            ofi, di = (
                [item for item in findings if (item.measure, item.condition) == (measure, name)]
                for measure in ("objective_fairness_index", "disparate_impact")
            )
            if len(ofi) == len(di):
                # Both are in the order of the comparisons.
                for both in zip(ofi, di, strict=True):
                    for pair in self._alike(*both):
                        yield _read_jointly(*pair)

    def _alike(self, ofi: Finding, di: Finding) -> list[tuple[Finding, Finding]]:
        """Two findings, or those of either one's groups where these differ."""
        sides = [frozenset((item.group, item.reference)) for item in (ofi, di)]
        if sides[0] == sides[1] or any(len(side) < 2 for side in sides):
            return [(ofi, di)]
        condition = None if ofi.condition is None else ("legitimate", ofi.condition)

        def restate(item: Finding, side: Finding) -> Finding:
            criterion, metric = item.criterion, item.criterion.metric
            counts = self._counts(criterion, condition).pick(side.reference, side.group)
            value = _round_off(metric.of(counts), self._scale(metric, counts))
            first, second = _sides(metric, counts, _Pair(None, None, "pairs"))
            return replace(
                item,
                group=None if first is None else counts.groups[first],
                reference=None if second is None else counts.groups[second],
                value=value,
                verdict=criterion.judge(value),
            )

        return [(restate(ofi, side), restate(di, side)) for side in (ofi, di)]

    def _counts(self, criterion: Criterion, condition: tuple[str, str] | None) -> OutcomeCounts:
        return self.tables.get(criterion.metric.roles, condition).pick(*self.included)

    def _conditions(self, criterion: Criterion) -> Sequence[tuple[str, str] | None]:
        if criterion.condition is not None:
            return [("legitimate", criterion.condition)]
        if criterion.metric.needs is None:
            return [None]
        field = "legitimate" if criterion.metric.needs == "where" else "calibration"
        return [key for key in self.rows.conditions if key[0] == field]

    def _finding(
        self,
        criterion: Criterion,
        condition: tuple[str, str] | None,
        pair: _Pair,
        counts: OutcomeCounts,
    ) -> Finding:
        metric = criterion.metric
        scale = self._scale(metric, counts)
        value = _round_off(metric.of(counts, privileged=pair.privileged), scale)
        interval = confidence_interval(counts, metric.name, privileged=pair.privileged)
        first, second = _sides(metric, counts, pair)
        ordered = not criterion.npv_gap_larger or _npv_gap_is_larger(counts)
        reason = metric.reason(counts, privileged=pair.privileged)
        sizes = [self._size(size) for size in counts.group_sizes.tolist()]
        compared = [place for place in (first, second) if place is not None]
        everyone = dict(zip(self.everyone.groups, self.everyone.group_sizes.tolist(), strict=True))
        names = [counts.groups[place] for place in compared] or list(counts.groups)
        known = [everyone[name] for name in names if name in everyone]
        return Finding(
            grouping=self.grouping.title,
            criterion=criterion,
            condition=None if condition is None else condition[1],
            group=pair.group if first is None else counts.groups[first],
            reference=pair.reference if second is None else counts.groups[second],
            value=value,
            verdict=criterion.judge(value, ordered=ordered),
            sentence=criterion.explain(value, ordered=ordered, reason=reason),
            n=(nan if first is None else sizes[first], nan if second is None else sizes[second]),
            rates=_rates(metric, counts, (first, second), scale),
            small=any(size < self.spec.minimum_group_size for size in known),
            interval=(_round_off(interval.low, scale), _round_off(interval.high, scale)),
            tests=self._tests(counts, pair),
        )

    def _tests(self, counts: OutcomeCounts, pair: _Pair) -> SelectionTests | None:
        wanted = self.spec.preset is not None and self.spec.preset.significance
        if not wanted or pair.kind == "pairs" or "y_pred" not in counts.roles:
            return None
        z = significance_test(counts, "disparate_impact", method="z", privileged=pair.privileged)
        fisher = nan
        if counts.weight_squares is None:
            fisher = significance_test(
                counts, "disparate_impact", method="fisher", privileged=pair.privileged
            ).p_value
        return SelectionTests(fisher, self._size(z.statistic))

    def _size(self, value: float) -> float:
        """A sum of weights; a number of people is exact."""
        return value if self.spec.weight is None else _round_off(value, abs(value))

    def _scale(self, metric: Metric, counts: OutcomeCounts) -> float:
        """The largest rate that sums went into, or 0 where nothing but whole numbers did."""
        if self.spec.weight is None and "y_score" not in metric.roles:
            return 0.0
        values = np.abs([rate.values(counts) for rate in metric.rates])
        return float(values[np.isfinite(values)].max(initial=0.0))


def _round_off(value: float, scale: float) -> float:
    """A value without the digits that hang on the order in which numbers were summed."""
    if not isfinite(value) or not isfinite(scale) or scale <= 0:
        return float(value)
    return round(float(value), _DIGITS - 1 - floor(log10(scale)))


def _sides(metric: Metric, counts: OutcomeCounts, pair: _Pair) -> tuple[int | None, int | None]:
    """Places of the two groups compared; of the largest gap where no pair is asked for."""
    if pair.kind != "pairs":
        return 1, 0
    best: tuple[float, int | None, int | None] = (-1.0, None, None)
    for rate in metric.rates:
        values = rate.values(counts)
        if len(values) < 2 or np.isnan(values).any():
            return None, None
        high, low = int(values.argmax()), int(values.argmin())
        if high == low:  # all are alike, and nobody is compared with themselves
            low = len(values) - 1
        with np.errstate(invalid="ignore"):
            gap = float(np.nan_to_num(values[high] - values[low]))
        if gap > best[0]:
            best = (gap, low, high) if metric.ideal == 1 else (gap, high, low)
    return best[1], best[2]


def _rates(
    metric: Metric, counts: OutcomeCounts, sides: tuple[int | None, int | None], scale: float
) -> tuple[RateOf, ...]:
    first, second = sides
    if first is None or second is None:
        return ()
    return tuple(
        RateOf(rate.name, _round_off(values[first], scale), _round_off(values[second], scale))
        for rate in metric.rates
        for values in (rate.values(counts),)
    )


def _npv_gap_is_larger(counts: OutcomeCounts) -> bool:
    gaps = []
    for name in ("positive_predictive_value", "negative_predictive_value"):
        values = METRICS[name].values(counts)
        gaps.append(float(values.max() - values.min()))
    return gaps[0] < gaps[1]


def _describe(finding: Finding) -> str:
    symbol = finding.criterion.metric.symbol
    if isnan(finding.value):
        return f"{symbol} undefined"
    return f"{symbol} {finding.criterion.show(finding.value)} ({finding.verdict})"


def _read_jointly(ofi: Finding, di: Finding) -> JointReading:
    kind, words = read_together(ofi.verdict, di.verdict)
    sentence = f"{_describe(ofi)} and {_describe(di)}: {words}."
    return JointReading(ofi.grouping, ofi.group, ofi.reference, kind, sentence)
