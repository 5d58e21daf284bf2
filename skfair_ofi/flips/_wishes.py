"""What a user wants of a correction, as constraints that a linear program takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from skfair_ofi._validation import finite_number
from skfair_ofi.metrics import get_metric

from ._linear import CONSTRAINTS, MEANS, LinearRate, get_rates, make_linear

Kind = Literal["gap", "ratio", "most", "least", "keep"]


@dataclass(frozen=True, eq=False)
class Wish:
    """One constraint as the user states it; several rates share its level.

    "gap": the largest difference between any two groups is at most the level. "ratio": the
    smallest ratio is at least it. "most", "least": a bound on a rate, of everyone or of
    each group. "keep": the rate falls in no group by more than the level.
    Several rates are constrained each by itself in gaps and ratios, and else by their mean.
    `level` is one number, or one a group.
    """

    name: str
    kind: Kind
    rates: tuple[LinearRate, ...]
    level: Any
    each: bool = False

    @property
    def compares(self) -> bool:
        """Whether groups are held against one another."""
        return self.kind in ("gap", "ratio")

    @property
    def sense(self) -> str:
        """How the level bounds what is wished for."""
        return "at least" if self.kind in ("least", "ratio") else "at most"

    def describe(self, level: float) -> str:
        """Return the wish at another level, in words."""
        what = {"gap": "gap of ", "ratio": "ratio of ", "keep": "fall of "}.get(self.kind, "")
        name = self.name.removeprefix("keep ")
        return f"{what}{name} {self.sense} {show_level(level, self.sense)}"


def show_level(level: float, sense: str) -> str:
    """Return a level with four digits, rounded so that what is said can be reached."""
    scaled = level * 1e4
    rounded = np.floor(scaled + 1e-6) if sense == "at least" else np.ceil(scaled - 1e-6)
    return f"{rounded / 1e4 + 0.0:.4g}"


def _find_rates(measure: Any, parameter: str) -> tuple[str, tuple[LinearRate, ...], bool]:
    """Name of a measure, the rates that it is made of, and whether it compares groups."""
    if isinstance(measure, str) and measure in MEANS:
        return measure, get_rates(measure), False
    known = CONSTRAINTS.get(measure, measure) if isinstance(measure, str) else measure
    metric = get_metric(known, parameter=parameter)
    is_gap = metric.form in ("difference", "larger gap") and metric.needs is None
    parts = metric.rates if is_gap else (metric,) if metric.kind == "rate" else ()
    rates = [rate for part in parts if (rate := make_linear(part.name)) and rate.effect.any()]
    if not parts or len(rates) < len(parts):
        raise ValueError(f"{parameter} must be linear in flips, and {metric.name} is not.")
    return metric.name, tuple(rates), metric.kind == "comparison"


def check_level(parameter: str, value: Any, bounds: tuple[float, float]) -> float:
    """Return a level within bounds."""
    number = finite_number(value)
    if number is None or not bounds[0] <= number <= bounds[1]:
        raise ValueError(
            f"{parameter} must be a number from {bounds[0]:g} to {bounds[1]:g}, got {value!r}."
        )
    return number


def make_fairness(fairness: Any, tolerance: Any, ratio: Any) -> list[Wish]:
    """Return the constraints between groups: a largest gap, or a smallest ratio."""
    if fairness is None:
        return []
    listed = [fairness] if isinstance(fairness, str) or callable(fairness) else list(fairness)
    wishes = []
    for measure in dict.fromkeys(listed):
        name, rates, compares = _find_rates(measure, "fairness")
        if not compares:
            raise ValueError(
                f"fairness must compare groups, such as {', '.join(CONSTRAINTS)}, got {measure!r}."
            )
        label = measure if isinstance(measure, str) else name
        if ratio is None:
            width = max(rate.bounds[1] - rate.bounds[0] for rate in rates)
            wishes.append(
                Wish(label, "gap", rates, check_level("tolerance", tolerance, (0, width)))
            )
        elif any(rate.bounds[0] < 0 for rate in rates):
            raise ValueError(
                f"ratio must be None for {label}, which can be below 0, got {ratio!r}."
            )
        else:
            wishes.append(Wish(label, "ratio", rates, check_level("ratio", ratio, (0, 1))))
    return wishes


def make_limits(limits: Any, parameter: str, *, keys: tuple[Any, ...] | None = None) -> list[Wish]:
    """Return bounds on rates and gaps, of everyone, or with `keys` of each group."""
    if limits is not None and not isinstance(limits, Mapping):
        raise ValueError(f"{parameter} must map measures to levels, got {limits!r}.")
    wishes = []
    for measure, level in (limits or {}).items():
        name, rates, compares = _find_rates(measure, parameter)
        bounds = (min(rate.bounds[0] for rate in rates), max(rate.bounds[1] for rate in rates))
        if compares and keys is not None:
            raise ValueError(f"{parameter} must hold rates of one group, got {name}.")
        label = f"{parameter}[{name!r}]"
        kind: Kind = "gap" if compares else "least" if rates[0].at_least else "most"
        if keys is None or not isinstance(level, Mapping):
            checked: Any = check_level(label, level, bounds)
        else:
            unknown = [key for key in level if key not in keys]
            if unknown:
                raise ValueError(f"{label} must name groups of {list(keys)}, got {unknown[0]!r}.")
            free = bounds[1] if kind == "most" else bounds[0]
            checked = np.array([check_level(label, level.get(key, free), bounds) for key in keys])
        label = name if keys is None else f"{name} by group"
        wishes.append(Wish(label, kind, rates, checked, each=keys is not None))
    return wishes


def make_keep_wishes(keep: Any) -> list[Wish]:
    """Return the rates that may fall in no group."""
    listed = [keep] if isinstance(keep, str) or callable(keep) else list(keep or ())
    wishes = []
    for measure in dict.fromkeys(listed):
        name, rates, compares = _find_rates(measure, "keep")
        if compares:
            raise ValueError(f"keep must hold rates of one group, got {name}.")
        wishes.append(Wish(f"keep {name}", "keep", rates, 0.0, each=True))
    return wishes
