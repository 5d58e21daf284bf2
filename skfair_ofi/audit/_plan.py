"""What is asked of each row: expressions on the columns, and what cells of CSV must be."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from skfair_ofi import _predicate_frames as frames
from skfair_ofi._predicate_frames import Bins, ColumnKind, Truth, Value
from skfair_ofi._validation import check_choice
from skfair_ofi.counts import encode, group_frame

from ._faults import Faults
from ._grouping import Grouping
from ._predicates import Predicate
from ._spec import AboveMedian, Spec, Where
from ._syntax import MAX_STEPS_OF_ALL

_MOST_ROWS = 1 << 20
ROLES = ("truth", "positive", "corrected")


def functions_of(spec: Spec) -> dict[str, Any]:
    """Predicates that are Python functions, by the column that holds their states."""
    named = {role: spec.predicates.get(role) for role in ROLES}
    named |= {f"group{i}": grouping.privileged for i, grouping in enumerate(spec.groupings)}
    named |= {f"where{i}": where.predicate for i, where in enumerate(spec.conditions)}
    return {
        name: predicate
        for name, predicate in named.items()
        if predicate is not None and not isinstance(predicate, Predicate | AboveMedian)
    }


def wanted_columns(spec: Spec) -> set[str]:
    """Return the columns that a specification names."""
    names = {name for name in (spec.score, spec.weight) if name is not None}
    predicates = [
        *spec.predicates.values(),
        *(grouping.privileged for grouping in spec.groupings),
        *(where.predicate for where in spec.conditions),
    ]
    for predicate in predicates:
        if isinstance(predicate, Predicate):
            names |= predicate.columns
    return names.union(*(grouping.columns or () for grouping in spec.groupings))


def state_name(name: str) -> str:
    return f"state of {name}"


def _listed(column: Any) -> list[Hashable]:
    if len(column) == 0:
        return []
    encoded = encode(column)
    codes = encoded.codes.astype(np.intp) - encoded.low
    return [encoded.keys[code] for code in codes.tolist()]


class Plan:
    """What is derived from each row, once the columns are known."""

    def __init__(self, spec: Spec, columns: Mapping[str, ColumnKind], median: float | None) -> None:
        self.spec, self.columns, self.median = spec, columns, median
        self.faults = Faults()
        self.uses: set[tuple[str, str]] = set()
        self.steps = 0
        self.keys: dict[str, Truth | Bins | Value | str] = {}
        self.numbers: dict[str, Value | str] = {}
        self._fill()

    def _fill(self) -> None:
        spec = self.spec
        for role in ROLES:
            if role in spec.predicates:
                with self.faults.of(role):
                    self.keys[role] = self._truth(spec.predicates[role], role)
        for i, grouping in enumerate(spec.groupings):
            with self.faults.of("groups"):
                self.keys |= self._group(grouping, i)
        for i, where in enumerate(spec.conditions):
            with self.faults.of("calibration" if where.kind != "legitimate" else "legitimate"):
                self.keys[f"where{i}"] = self._where(where, i)
        if spec.score is not None:
            with self.faults.of("score"):
                score = self.number(spec.score)
                self.keys["unscored"] = frames.is_missing(score)
                if spec.scored:
                    self.numbers["score"] = score
        if spec.weight is not None:
            with self.faults.of("weight"):
                self.numbers["weight"] = self._weight(spec.weight)
        if self.steps > MAX_STEPS_OF_ALL:
            self.faults.add(
                "predicates",
                f"must be simpler, got more than {MAX_STEPS_OF_ALL} steps in all of them.",
            )

    def _kind(self, name: str) -> ColumnKind:
        if name not in self.columns and f"{name}#1" in self.columns:
            raise ValueError(
                f"{name!r} must be one column, and the header has it more than once: write "
                f"'{name}#1' or '{name}#2'."
            )
        return self.columns[check_choice("column", name, self.columns)]

    def number(self, name: str) -> Value:
        value = frames.column(self._kind(name))
        if value.kind == "cell":
            self.uses.add((value.source, "number"))
            return frames.as_number(value)
        if value.kind != "number":
            raise ValueError(f"{name!r} must hold numbers, got {self.columns[name].dtype}.")
        return value

    def _weight(self, name: str) -> Value:
        """Raw, so that a missing weight is found and refused."""
        value = self.number(name)
        return Value(value.expr, "number")

    def _truth(self, predicate: Any, name: str) -> Truth:
        if isinstance(predicate, AboveMedian):
            score = self.number(str(self.spec.score))
            limit = float("nan") if self.median is None else self.median
            return frames.compare(">", score, frames.literal(limit))
        if isinstance(predicate, Predicate):
            truth = predicate.compile(self.columns, self.uses)
            self.steps += truth.steps
            return truth
        return frames.coded(self.columns[state_name(name)].source)

    def _group(self, grouping: Grouping, place: int) -> dict[str, Truth | Bins | Value | str]:
        if grouping.privileged is not None:
            return {f"group{place}": self._truth(grouping.privileged, f"group{place}")}
        names = list(grouping.columns or ())
        if grouping.bins is not None:
            return {f"group{place}_0": Bins(self.number(names[0]), tuple(grouping.bins))}
        found: dict[str, Truth | Bins | Value | str] = {}
        for i, name in enumerate(names):
            kind = self._kind(name)
            if kind.kind == "other":
                raise ValueError(f"{name!r} must hold text, numbers or booleans, got {kind.dtype}.")
            found[f"group{place}_{i}"] = kind.source
            self.uses.add((kind.source, "text"))
        return found

    def _where(self, where: Where, place: int) -> Truth | Value | str:
        if where.kind == "legitimate":
            return self._truth(where.predicate, f"where{place}")
        score = self.number(str(self.spec.score))
        if where.kind == "each":
            return score
        return frames.between(score, *where.limits)

    def count(self, frame: Any) -> tuple[dict[str, list[Hashable]], dict[str, np.ndarray]]:
        """The distinct rows of one frame."""
        self.faults.check()
        weight = "weight" if "weight" in self.numbers else None
        score = "score" if "score" in self.numbers else None
        try:
            derived = frames.derive(frame, {**self.keys, **self.numbers})
            columns, found = group_frame(derived, list(self.keys), weight, score)
        except RecursionError:
            raise ValueError("predicates must be simpler, got some too deep to run.") from None
        if len(found["n"]) > _MOST_ROWS:
            raise ValueError(
                f"groups must have few distinct values, got {len(found['n'])} combinations."
            )
        return dict(zip(self.keys, map(_listed, columns), strict=True)), found


def number_columns(spec: Spec, names: Sequence[str]) -> set[str]:
    """Return the columns of a CSV file that a specification only ever uses as numbers.

    They can be read as such, which is faster than casting text.
    """
    if functions_of(spec):
        return set()
    plan = Plan(spec, {name: ColumnKind(name, "cell") for name in names}, None)
    others = {name for name, kind in plan.uses if kind != "number"}
    return {name for name, kind in plan.uses if kind == "number"} - others
