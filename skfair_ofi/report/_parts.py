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
    """A measured value, its verdict, and why it is not a finite number where it is none.

    Parameters
    ----------
    value : float
        The value; NaN where it is undefined.
    verdict : str or None, default=None
        The verdict, None where the value has no bounds to be judged by.
    reason : str or None, default=None
        Why the value is undefined or infinite.
    interval : Interval or None, default=None
        Its confidence interval; None where there is none, or none was asked for.
    """

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
    """A measure of fairness or accuracy before and after the correction.

    Parameters
    ----------
    name : str
        The measure's name in the registry.
    before, after : Measured
        The value for predicted and for corrected labels.
    change : Measured
        After minus before.
    limits : tuple of (float, float) or None
        The acceptable interval, None where there is none.
    pair_before, pair_after : tuple of (str, str) or None
        The groups compared, first against second: everyone else against the
        privileged ones, or the pair with the largest gap.
    """

    before: Measured
    after: Measured
    change: Measured
    limits: tuple[float, float] | None
    pair_before: tuple[str, str] | None
    pair_after: tuple[str, str] | None


@dataclass(frozen=True)
class FlipRow(MeasureRow):
    """A measure of how unevenly the flips fall on the groups.

    Parameters
    ----------
    name : str
        The measure's name in the registry.
    result : Measured
        The value and its verdict.
    acceptable, moderate : tuple of (float, float) or None
        The intervals of the verdicts.
    pair : tuple of (str, str) or None
        The groups compared, first against second.
    sentence : str
        What the value says, in plain words.
    """

    result: Measured
    acceptable: tuple[float, float] | None
    moderate: tuple[float, float] | None
    pair: tuple[str, str] | None
    sentence: str


@dataclass(frozen=True)
class RateChange(MeasureRow):
    """A rate within one group, before and after the correction.

    Parameters
    ----------
    name : str
        The rate's name in the registry.
    before, after : Measured
        The rate for predicted and for corrected labels.
    """

    before: Measured
    after: Measured


@dataclass(frozen=True)
class GroupRow:
    """Who was flipped in one group, or in all of them.

    Parameters
    ----------
    group : hashable
        The group's key; None for all groups together, and for the missing group.
    name : str
        How the group is shown.
    privileged : bool
        Whether it is among the privileged groups.
    n, gained, lost : int or float
        People, people flipped to the favorable label, and from it.
    flip_rate, harmful_flip_proportion, directional_flip_ratio : Measured
        The group's flip measures.
    made_wrong, put_right : int, float or None
        Flips that made a right prediction wrong, and a wrong one right; None
        where true labels are not counted.
    rates : tuple of RateChange
        Rates before and after.
    """

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
    """What OFI and DI say together.

    Parameters
    ----------
    when : {"before", "after"}
        Of the predicted or of the corrected labels.
    kind : {"algorithmic", "systemic", "both", "neither", "undefined", "uncertain"}
        Where a disparity arises.
    sentence : str
        The same in words, with the numbers.
    """

    when: str
    kind: str
    sentence: str


@dataclass(frozen=True)
class PairTable(MeasureRow):
    """A measure between all pairs of groups, row against column.

    Parameters
    ----------
    name : str
        The measure's name in the registry.
    when : {"before", "after"}
        Of the predicted or of the corrected labels.
    values : tuple of tuple of float
        One row a group; NaN where undefined.
    limits : tuple of (float, float) or None
        The acceptable interval.
    """

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
