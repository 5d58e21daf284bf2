"""The parts of a summary: frozen, with every number and every sentence.

A measured value that is not a finite number says why, in ``reason``; nothing
else in a summary, ends of intervals, limits and pairwise tables apart, is ever
NaN or infinite.
"""

import dataclasses
import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from skfair_ofi._text import show_number
from skfair_ofi.inference import Interval
from skfair_ofi.metrics import METRICS


@dataclass(frozen=True)
class Measured:
    """A measured value, its verdict, and why it is not a finite number where it is none."""

    value: float
    verdict: str | None = None
    reason: str | None = None
    interval: Interval | None = None

    def to_payload(self) -> dict[str, Any]:
        """Return what JSON holds; the estimate of the interval is the value itself."""
        finite = math.isfinite(self.value)
        ends = {} if self.interval is None else dataclasses.asdict(self.interval)
        ends.pop("estimate", None)
        return {
            "value": self.value if finite else None,
            "state": "finite" if finite else show_number(self.value),
            "verdict": self.verdict,
            "reason": self.reason,
            "interval": ends or None,
        }


@dataclass(frozen=True)
class MeasureRow:
    """What all rows of measures know: the name, and what the registry says of it."""

    name: str

    def to_payload(self) -> dict[str, Any]:
        """Return what JSON holds: the fields, and the symbol."""
        fields = (field.name for field in dataclasses.fields(self))
        return {**{name: getattr(self, name) for name in fields}, "symbol": self.symbol}

    @property
    def title(self) -> str:
        """The measure's name in words, with its symbol."""
        metric = METRICS[self.name]
        words = metric.name.replace("_", " ").capitalize()
        return words if metric.symbol.lower() == words.lower() else f"{words} ({metric.symbol})"

    @property
    def symbol(self) -> str:
        """The measure's symbol."""
        return METRICS[self.name].symbol

    @property
    def ideal(self) -> float | None:
        """The value when groups are treated alike."""
        return METRICS[self.name].ideal


@dataclass(frozen=True)
class FairnessRow(MeasureRow):
    """A measure of fairness or accuracy before and after the correction."""

    before: Measured
    after: Measured
    change: Measured
    limits: tuple[float, float] | None
    pair_before: tuple[str, str] | None
    pair_after: tuple[str, str] | None


@dataclass(frozen=True)
class FlipRow(MeasureRow):
    """A measure of how unevenly the flips fall on the groups."""

    result: Measured
    acceptable: tuple[float, float] | None
    moderate: tuple[float, float] | None
    pair: tuple[str, str] | None
    sentence: str


@dataclass(frozen=True)
class RateChange(MeasureRow):
    """A rate within one group, before and after the correction."""

    before: Measured
    after: Measured


@dataclass(frozen=True)
class GroupRow:
    """Who was flipped in one group, or in all of them."""

    group: Hashable
    name: str
    privileged: bool
    n: float
    gained: float
    lost: float
    flip_rate: Measured
    harmful_flip_proportion: Measured
    directional_flip_ratio: Measured
    made_wrong: float | None
    put_right: float | None
    rates: tuple[RateChange, ...]

    @property
    def flips(self) -> float:
        """People flipped in either direction."""
        return self.gained + self.lost


@dataclass(frozen=True)
class Reading:
    """What OFI and DI say together."""

    when: str
    kind: str
    sentence: str


@dataclass(frozen=True)
class PairTable(MeasureRow):
    """A measure between all pairs of groups, row against column."""

    when: str
    values: tuple[tuple[float, ...], ...]
    limits: tuple[float, float] | None


@dataclass(frozen=True)
class Decision:
    """The decision that the figures lead to.

    Parameters
    ----------
    outcome : {"accept", "review", "change the correction", "change the model"}
        What to do.
    rule : str
        The rule that decided.
    reasons : tuple of str
        All findings, that of the deciding rule first.
    """

    outcome: str
    rule: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """What a report says: every number and every sentence, and nothing of how it looks.

    Parameters
    ----------
    title : str
        The report's title.
    source : str or None
        Where the data came from.
    in_sample : bool
        Whether these are the people that the model was fitted on.
    counting : {"people", "weighted people", "expected people"}
        What the counts count.
    unfavorable, favorable : object
        The two labels.
    feature_names : tuple of str or None
        Names of the sensitive features.
    privileged : tuple of hashable or None
        The privileged groups, None where none is named.
    level : float or None
        Confidence level of the intervals, None where there are none.
    uncertain : bool
        Whether verdicts are "uncertain" where the interval spans a bound.
    facts : tuple of (str, str)
        The first lines: term and description.
    overall : GroupRow
        All people together.
    groups : tuple of GroupRow
        Each group.
    fairness : tuple of FairnessRow
        Fairness and accuracy before and after.
    measures : tuple of FlipRow
        The flip measures.
    correctness : tuple of str
        Sentences on flips that made predictions wrong or right.
    readings : tuple of Reading
        OFI and DI read together, before and after.
    pairs : tuple of PairTable
        OFI and DI between all pairs of groups.
    certainty : tuple of str
        Sentences on the intervals: methods, and verdicts whose interval spans a bound.
    decision : Decision
        What the figures lead to.
    left_out : tuple of str
        What is not said, and why.
    notes : tuple of str
        Cautions, and notes of who made the report.
    """

    title: str
    source: str | None
    in_sample: bool
    counting: str
    unfavorable: Any
    favorable: Any
    feature_names: tuple[str, ...] | None
    privileged: tuple[Hashable, ...] | None
    level: float | None
    uncertain: bool
    facts: tuple[tuple[str, str], ...]
    overall: GroupRow
    groups: tuple[GroupRow, ...]
    fairness: tuple[FairnessRow, ...]
    measures: tuple[FlipRow, ...]
    correctness: tuple[str, ...]
    readings: tuple[Reading, ...]
    pairs: tuple[PairTable, ...]
    certainty: tuple[str, ...]
    decision: Decision
    left_out: tuple[str, ...]
    notes: tuple[str, ...]
