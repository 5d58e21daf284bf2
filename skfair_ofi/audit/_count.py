"""One pass over the data: every distinct row of what the criteria need, counted."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np

from skfair_ofi._validation import check_choice, is_missing_group, sort_keys
from skfair_ofi.counts import encode, group_frame, simplify_key

from ._distinct import Rows
from ._faults import Faults
from ._files import Source, read_batches, reading, to_duckdb
from ._grouping import PRIVILEGED, UNPRIVILEGED, Grouping
from ._models import PREDICTION, PROBABILITY, find_features, predict_columns
from ._spec import AboveMedian, Spec, Where
from .predicates import (
    MISSING,
    NO,
    YES,
    Bins,
    ColumnKind,
    Predicate,
    Rowwise,
    Truth,
    Value,
    expressions,
)

_MOST_ROWS, _MOST_GROUPS, _MOST_SCORES = 1 << 20, 500, 100
ROLES = ("truth", "positive", "corrected")


def find_functions(spec: Spec) -> dict[str, Any]:
    """Predicates that are Python functions, by the column that holds their states."""
    named = {role: spec.predicates.get(role) for role in ROLES}
    named |= {f"group{i}": grouping.privileged for i, grouping in enumerate(spec.groupings)}
    named |= {f"where{i}": where.predicate for i, where in enumerate(spec.conditions)}
    return {
        name: predicate
        for name, predicate in named.items()
        if predicate is not None and not isinstance(predicate, Predicate | AboveMedian)
    }


def list_columns(spec: Spec) -> set[str]:
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


def _name_states(name: str) -> str:
    return f"state of {name}"


def _list_keys(column: Any) -> list[Hashable]:
    if len(column) == 0:
        return []
    encoded = encode(column)
    codes = encoded.codes.astype(np.intp) - encoded.low
    return [encoded.keys[code] for code in codes.tolist()]


# What a new column is made of; text is a column as it stands.
_Part = Truth | Bins | Value | str


class Plan:
    """What is derived from each row, once the columns are known."""

    def __init__(self, spec: Spec, columns: Mapping[str, ColumnKind]) -> None:
        self.spec, self.columns = spec, columns
        self.faults = Faults()
        self.uses: set[tuple[str, str]] = set()
        self.keys: dict[str, _Part] = {}
        self.numbers: dict[str, Value | str] = {}
        self._fill()

    def _fill(self) -> None:
        spec = self.spec
        for role in ROLES:
            if role in spec.predicates:
                with self.faults.of(role):
                    self.keys[role] = self._compile(spec.predicates[role], role)
        for i, grouping in enumerate(spec.groupings):
            with self.faults.of("groups"):
                self.keys |= self._compile_group(grouping, i)
        for i, where in enumerate(spec.conditions):
            with self.faults.of("calibration" if where.kind != "legitimate" else "legitimate"):
                self.keys[f"where{i}"] = self._compile_condition(where, i)
        if spec.score is not None:
            with self.faults.of("score"):
                score = self._read_number(spec.score)
                self.keys["unscored"] = expressions.is_missing(score)
                if spec.scored:
                    self.numbers["score"] = score
        if spec.weight is not None:
            with self.faults.of("weight"):
                # Raw, so that a missing weight is found and refused.
                self.numbers["weight"] = Value(self._read_number(spec.weight).expr, "number")

    def _find_column(self, name: str) -> ColumnKind:
        if name not in self.columns and f"{name}#1" in self.columns:
            raise ValueError(
                f"{name!r} must be one column, and the header has it more than once: write "
                f"'{name}#1' or '{name}#2'."
            )
        return self.columns[check_choice("column", name, self.columns)]

    def _read_number(self, name: str) -> Value:
        value = expressions.column(self._find_column(name))
        if value.kind == "cell":
            self.uses.add((value.source, "number"))
            return expressions.as_number(value)
        if value.kind != "number":
            raise ValueError(f"{name!r} must hold numbers, got {self.columns[name].dtype}.")
        return value

    def _compile(self, predicate: Any, name: str) -> Truth:
        if isinstance(predicate, AboveMedian):
            # The median is put in its place once there are rows.
            return expressions.compare(
                ">", self._read_number(str(self.spec.score)), expressions.literal(0.0)
            )
        if isinstance(predicate, Predicate):
            return predicate.compile(self.columns, self.uses)
        return expressions.coded(self.columns[_name_states(name)].source)

    def _compile_group(self, grouping: Grouping, place: int) -> dict[str, _Part]:
        if grouping.privileged is not None:
            return {f"group{place}": self._compile(grouping.privileged, f"group{place}")}
        names = list(grouping.columns or ())
        if grouping.bins is not None:
            return {f"group{place}_0": Bins(self._read_number(names[0]), tuple(grouping.bins))}
        found: dict[str, _Part] = {}
        for i, name in enumerate(names):
            kind = self._find_column(name)
            if kind.kind == "other":
                raise ValueError(f"{name!r} must hold text, numbers or booleans, got {kind.dtype}.")
            found[f"group{place}_{i}"] = kind.source
            self.uses.add((kind.source, "text"))
        return found

    def _compile_condition(self, where: Where, place: int) -> Truth | Value | str:
        if where.kind == "legitimate":
            return self._compile(where.predicate, f"where{place}")
        score = self._read_number(str(self.spec.score))
        if where.kind == "each":
            return score
        return expressions.between(score, *where.limits)

    @property
    def number_columns(self) -> set[str]:
        """Columns of CSV that are only ever used as numbers."""
        others = {source for source, kind in self.uses if kind != "number"}
        used = {source for source, kind in self.uses if kind == "number"} - others
        return {name for name, kind in self.columns.items() if kind.source in used}

    def count(self, source: Source) -> tuple[dict[str, list[Hashable]], dict[str, np.ndarray]]:
        """Return the distinct rows of one source."""
        self.faults.check()
        frame = source.load(self.number_columns)
        parts = {**self.keys, **self.numbers}
        if isinstance(self.spec.predicates.get("positive"), AboveMedian):
            score = self._read_number(str(self.spec.score))
            middle = expressions.literal(expressions.median(frame, score))
            parts["positive"] = expressions.compare(">", score, middle)
        weight = "weight" if "weight" in self.numbers else None
        score_sums = "score" if "score" in self.numbers else None
        try:
            derived = expressions.derive(frame, parts)
            columns, found = group_frame(derived, list(self.keys), weight, score_sums)
        except RecursionError:
            raise ValueError("predicates must be simpler, got some too deep to run.") from None
        if len(found["n"]) > _MOST_ROWS:
            raise ValueError(
                f"groups must have few distinct values, got {len(found['n'])} combinations."
            )
        return dict(zip(self.keys, map(_list_keys, columns), strict=True)), found


def count_columns(
    source: Source, names: Sequence[str], weight: str | None, titles: Mapping[str, str]
) -> tuple[list[list[Hashable]], dict[str, np.ndarray]]:
    """Return the distinct rows of columns as they stand, and the sums of people and weights."""
    keys = [f"key{place}" for place in range(len(names))]
    parts: dict[str, _Part] = {
        key: source.columns[name].source for key, name in zip(keys, names, strict=True)
    }
    if weight is not None:
        number = expressions.as_number(expressions.column(source.columns[weight]))
        parts["weight"] = Value(number.expr, "number")
    with reading(source):
        derived = expressions.derive(source.frame, parts)
        summed = None if weight is None else "weight"
        columns, found = group_frame(derived, keys, summed, None, titles=titles)
    return list(map(_list_keys, columns)), found


def _ask_function(predicate: Any, frame: Any) -> np.ndarray:
    """Return what a function says of each row of an eager frame."""
    if isinstance(predicate, Rowwise):
        records = expressions.pandas_frame(frame).to_dict("records")
        answers: Any = [
            predicate.function({key: simplify_key(value) for key, value in row.items()})
            for row in records
        ]
    else:
        answers = predicate(frame)
    column = encode(answers, "predicate")
    known = {True: YES, False: NO, None: MISSING}
    codes = column.codes.astype(np.intp) - column.low
    used = {column.keys[code] for code in np.unique(codes).tolist()}
    if not all(key is None or isinstance(key, bool) for key in used):
        raise ValueError(
            f"A predicate must return True, False or None, got {sorted(map(repr, used))[:3]}."
        )
    states = np.array([known.get(key, MISSING) for key in column.keys], dtype=np.int64)  # type: ignore[call-overload]
    return states[codes]


def _add_columns(source: Source, spec: Spec, model: Any) -> Iterator[Source]:
    """The data with the model's predictions and the functions' answers as columns."""
    functions, wanted = find_functions(spec), list_columns(spec)
    plain_functions = any(not isinstance(item, Rowwise) for item in functions.values())
    features = [] if model is None else find_features(model, spec.features, wanted)
    new = {PREDICTION, PROBABILITY} if model is not None else set()
    if taken := new & wanted & set(source.columns):
        raise ValueError(f"data must not have a column {min(taken)!r} where a model is given.")
    for name in features:
        check_choice("features", name, source.columns)
    names = list(source.columns) if functions else list(dict.fromkeys([*(wanted - new), *features]))
    present = [name for name in names if name in source.columns]
    whole = plain_functions or any(isinstance(p, AboveMedian) for p in spec.predicates.values())
    shown = present if functions else list(dict.fromkeys(features))
    for piece, seen, columns in read_batches(source, present, shown, whole=whole):
        more: dict[str, Any] = {}
        if model is not None:
            rows = expressions.pandas_frame(seen, [columns[name].source for name in features])
            more |= predict_columns(model, rows, with_probability=PROBABILITY in wanted)
        for name, predicate in functions.items():
            more[_name_states(name)] = _ask_function(predicate, seen)
        needed = [name for name in present if name in wanted and name not in new]
        # An error names the file and the column that a user knows.
        yield replace(to_duckdb(piece, columns, needed, more), hashing=source.hashing)


def _split_source(source: Source, spec: Spec, model: Any) -> Iterator[Source]:
    if model is not None or find_functions(spec):
        yield from _add_columns(source, spec, model)
    elif source.connection is not None or expressions.is_lazy(source.frame):
        yield source
    else:
        # Columns that are not there are left for the plan, which names all of them.
        needed = [name for name in source.columns if name in list_columns(spec)]
        yield to_duckdb(source.frame, source.columns, needed, {})


def count_rows(
    source: Source,
    spec: Spec,
    model: Any = None,
    progress: Callable[[str, float], None] | None = None,
) -> Rows:
    """Count the distinct rows of a source in one pass."""
    keys: dict[str, list[Hashable]] = {}
    sums: dict[str, list[np.ndarray]] = {}
    plan: Plan | None = None
    with reading(source, progress):
        for part in _split_source(source, spec, model):
            with ExitStack() as stack, reading(part):
                if part is not source:
                    stack.enter_context(part.stack)
                if plan is None or plan.columns != part.columns:
                    plan = Plan(spec, part.columns)
                listed, found = plan.count(part)
            for name, values in listed.items():
                keys.setdefault(name, []).extend(values)
            for name, array in found.items():
                sums.setdefault(name, []).append(array)
    joined = {name: np.concatenate(arrays) for name, arrays in sums.items()}
    if joined["n"].sum() == 0:
        raise ValueError("data must have at least one row, got none.")
    return _arrange_rows(spec, keys, joined)


def _arrange_rows(spec: Spec, keys: dict[str, list[Hashable]], sums: dict[str, np.ndarray]) -> Rows:
    n = sums.pop("n")
    states = {role: np.array(keys[role], dtype=np.int64) for role in ROLES if role in keys}
    left_out = {role: int(n[codes == MISSING].sum()) for role, codes in states.items()}
    scored = np.ones(len(n), dtype=bool)
    if "unscored" in keys:
        scored = np.array(keys["unscored"], dtype=np.int64) == NO
        left_out["score"] = int(n[~scored].sum())
    conditions: dict[tuple[str, str], np.ndarray] = {}
    for i, where in enumerate(spec.conditions):
        conditions |= _read_condition(where, keys[f"where{i}"], scored)
        if where.kind == "legitimate":
            left_out[f"condition {where.name}"] = int(n[conditions[where.key] == MISSING].sum())
    groups = tuple(
        _assign_groups(grouping, i, keys, n, spec) for i, grouping in enumerate(spec.groupings)
    )
    for grouping, (codes, _) in zip(spec.groupings, groups, strict=True):
        left_out[f"group {grouping.title}"] = int(n[codes < 0].sum())
    return Rows(n, sums, states, conditions, scored, groups, left_out)


def _read_condition(
    where: Where, values: list[Hashable], scored: np.ndarray
) -> dict[tuple[str, str], np.ndarray]:
    if where.kind != "each":
        return {where.key: np.array(values, dtype=np.int64)}
    numbers = np.array(values, dtype=np.float64)
    distinct = np.unique(numbers[scored])
    if len(distinct) > _MOST_SCORES:
        raise ValueError(
            f"calibration must be ranges where the score has more than {_MOST_SCORES} values, got "
            f"'each' for {len(distinct)}."
        )
    found = {
        (where.field, f"score {value:.12g}"): np.where(scored, numbers == value, MISSING)
        for value in distinct.tolist()
    }
    return {key: states.astype(np.int64) for key, states in found.items()}


def _assign_groups(
    grouping: Grouping, place: int, keys: dict[str, list[Hashable]], n: np.ndarray, spec: Spec
) -> tuple[np.ndarray, tuple[Hashable, ...]]:
    """The group of each distinct row: its place among the keys, -1 where it is left out."""
    listed = _read_groups(grouping, place, keys)
    missing = np.array([is_missing_group(key) for key in listed], dtype=bool)
    count = int(n[missing].sum())
    if count and spec.missing_groups == "error":
        raise ValueError(
            f"groups: {grouping.title!r} must not be missing, got {count} missing in "
            f"{int(n.sum())} rows. Set missing_groups to 'drop' or 'group' to leave them out or to "
            "count them as a group."
        )
    known = [key for key in listed if spec.missing_groups == "group" or not is_missing_group(key)]
    if grouping.privileged is not None:
        found: tuple[Hashable, ...] = (UNPRIVILEGED, PRIVILEGED)
        found += (None,) if None in known else ()
    elif grouping.bins is not None:
        found = tuple(key for key in (*grouping.labels, None) if key in set(known))
    else:
        found = sort_keys(dict.fromkeys(known))
    if not found:
        raise ValueError(f"groups: {grouping.title!r} must be known in some row, got none.")
    if len(found) > _MOST_GROUPS:
        raise ValueError(
            f"groups: {grouping.title!r} must have at most {_MOST_GROUPS} groups, got "
            f"{len(found)}; numbers can be cut by bins."
        )
    places = {key: i for i, key in enumerate(found)}
    return np.array([places.get(key, -1) for key in listed], dtype=np.int64), found


def _read_groups(grouping: Grouping, place: int, keys: dict[str, list[Hashable]]) -> list[Hashable]:
    if grouping.privileged is not None:
        names = {YES: PRIVILEGED, NO: UNPRIVILEGED}
        return [names.get(state) for state in keys[f"group{place}"]]  # type: ignore[call-overload]
    columns = [keys[f"group{place}_{i}"] for i in range(len(grouping.columns or ()))]
    if grouping.bins is not None:
        labels = grouping.labels
        return [None if code == -1 else labels[code] for code in columns[0]]  # type: ignore[call-overload]
    columns = [read_whole_numbers(column) for column in columns]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def read_whole_numbers(column: list[Hashable]) -> list[Hashable]:
    """Text that is a whole number in every row, as CSV has it, as numbers; "01" stays text."""
    known = {key for key in column if key is not None}
    if not known or not all(isinstance(key, str) and _is_whole(key) for key in known):
        return [None if isinstance(key, float) and isnan(key) else key for key in column]
    return [None if key is None else int(key) for key in column]  # type: ignore[call-overload]


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 16 and str(int(text)) == text
