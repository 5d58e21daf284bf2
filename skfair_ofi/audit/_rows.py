"""One pass over the data: every distinct row of what the criteria need, counted."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from skfair_ofi import _predicate_frames as frames
from skfair_ofi._predicate_frames import MISSING, NO, YES
from skfair_ofi._validation import check_choice, is_missing_group, sorted_keys
from skfair_ofi.counts import encode, simplify_key

from ._batches import batches
from ._grouping import PRIVILEGED, UNPRIVILEGED, Grouping
from ._models import PREDICTION, PROBABILITY, feature_names, predicted
from ._plan import ROLES, Plan, functions_of, state_name, wanted_columns
from ._predicates import Rowwise
from ._sources import Source, reading, to_duckdb
from ._spec import AboveMedian, Spec, Where

_MOST_GROUPS, _MOST_SCORES = 500, 100


@dataclass(frozen=True)
class Rows:
    """Distinct rows of states, groups and conditions, each with its number of people."""

    n: np.ndarray
    sums: dict[str, np.ndarray]
    states: dict[str, np.ndarray]
    conditions: dict[tuple[str, str], np.ndarray]
    scored: np.ndarray
    groups: tuple[tuple[np.ndarray, tuple[Hashable, ...]], ...]
    left_out: dict[str, int]


def _states(predicate: Any, frame: Any) -> np.ndarray:
    """What a function says of each row of an eager frame."""
    if isinstance(predicate, Rowwise):
        records = frames.pandas_frame(frame).to_dict("records")
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


def _enriched(source: Source, spec: Spec, model: Any) -> Iterator[Source]:
    """The data with the model's predictions and the functions' answers as columns."""
    functions, wanted = functions_of(spec), wanted_columns(spec)
    plain_functions = any(not isinstance(item, Rowwise) for item in functions.values())
    features = [] if model is None else feature_names(model, spec.features, wanted)
    new = {PREDICTION, PROBABILITY} if model is not None else set()
    if taken := new & wanted & set(source.columns):
        raise ValueError(f"data must not have a column {min(taken)!r} where a model is given.")
    for name in features:
        check_choice("features", name, source.columns)
    names = list(source.columns) if functions else list(dict.fromkeys([*(wanted - new), *features]))
    present = [name for name in names if name in source.columns]
    whole = plain_functions or any(isinstance(p, AboveMedian) for p in spec.predicates.values())
    shown = present if functions else list(dict.fromkeys(features))
    for piece, seen, columns in batches(source, present, shown, whole=whole):
        more: dict[str, Any] = {}
        if model is not None:
            rows = frames.pandas_frame(seen, [columns[name].source for name in features])
            more |= predicted(model, rows, with_probability=PROBABILITY in wanted)
        for name, predicate in functions.items():
            more[state_name(name)] = _states(predicate, seen)
        needed = [name for name in present if name in wanted and name not in new]
        # An error names the file and the column that a user knows.
        yield replace(to_duckdb(piece, columns, needed, more), hashing=source.hashing)


def _parts(source: Source, spec: Spec, model: Any) -> Iterator[Source]:
    if model is not None or functions_of(spec):
        yield from _enriched(source, spec, model)
    elif frames.is_lazy(source.frame):
        yield source
    else:
        # Columns that are not there are left for the plan, which names all of them.
        needed = [name for name in source.columns if name in wanted_columns(spec)]
        yield to_duckdb(source.frame, source.columns, needed, {})


def _median(source: Source, spec: Spec) -> float | None:
    if not any(isinstance(item, AboveMedian) for item in spec.predicates.values()):
        return None
    plan = Plan(spec, source.columns, None)
    plan.faults.check()
    return frames.median(source.frame, plan.number(str(spec.score)))


def count_rows(
    source: Source,
    spec: Spec,
    model: Any = None,
    progress: Callable[[str, float], None] | None = None,
) -> Rows:
    """Count the distinct rows of a source in one pass."""
    keys: dict[str, list[Hashable]] = {}
    sums: dict[str, list[np.ndarray]] = {}
    with reading(source, progress):
        for part in _parts(source, spec, model):
            with ExitStack() as opened, reading(part):
                if part is not source:
                    opened.enter_context(part.kept)
                listed, found = Plan(spec, part.columns, _median(part, spec)).count(part.frame)
            for name, values in listed.items():
                keys.setdefault(name, []).extend(values)
            for name, array in found.items():
                sums.setdefault(name, []).append(array)
    joined = {name: np.concatenate(arrays) for name, arrays in sums.items()}
    if joined["n"].sum() == 0:
        raise ValueError("data must have at least one row, got none.")
    return _settled(spec, keys, joined)


def _settled(spec: Spec, keys: dict[str, list[Hashable]], sums: dict[str, np.ndarray]) -> Rows:
    n = sums.pop("n")
    states = {role: np.array(keys[role], dtype=np.int64) for role in ROLES if role in keys}
    left_out = {role: int(n[codes == MISSING].sum()) for role, codes in states.items()}
    scored = np.ones(len(n), dtype=bool)
    if "unscored" in keys:
        scored = np.array(keys["unscored"], dtype=np.int64) == NO
        left_out["score"] = int(n[~scored].sum())
    conditions: dict[tuple[str, str], np.ndarray] = {}
    for i, where in enumerate(spec.conditions):
        conditions |= _where_states(where, keys[f"where{i}"], scored)
        if where.kind == "legitimate":
            left_out[f"condition {where.name}"] = int(n[conditions[where.key] == MISSING].sum())
    groups = tuple(
        _grouped(grouping, i, keys, n, spec) for i, grouping in enumerate(spec.groupings)
    )
    for grouping, (codes, _) in zip(spec.groupings, groups, strict=True):
        left_out[f"group {grouping.title}"] = int(n[codes < 0].sum())
    return Rows(n, sums, states, conditions, scored, groups, left_out)


def _where_states(
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


def _grouped(
    grouping: Grouping, place: int, keys: dict[str, list[Hashable]], n: np.ndarray, spec: Spec
) -> tuple[np.ndarray, tuple[Hashable, ...]]:
    """The group of each distinct row: its place among the keys, -1 where it is left out."""
    listed = _group_keys(grouping, place, keys)
    missing = np.array([is_missing_group(key) for key in listed], dtype=bool)
    count = int(n[missing].sum())
    if count and spec.missing_groups == "error":
        raise ValueError(
            f"groups: {grouping.title!r} must not be missing, got {count} missing in "
            f"{int(n.sum())} rows. Set missing_groups to 'drop' or 'group' to leave them out or to "
            "count them as a group."
        )
    kept = [key for key in listed if spec.missing_groups == "group" or not is_missing_group(key)]
    if grouping.privileged is not None:
        found: tuple[Hashable, ...] = (UNPRIVILEGED, PRIVILEGED)
        found += (None,) if None in kept else ()
    elif grouping.bins is not None:
        found = tuple(key for key in (*grouping.labels, None) if key in set(kept))
    else:
        found = sorted_keys(dict.fromkeys(kept))
    if not found:
        raise ValueError(f"groups: {grouping.title!r} must be known in some row, got none.")
    if len(found) > _MOST_GROUPS:
        raise ValueError(
            f"groups: {grouping.title!r} must have at most {_MOST_GROUPS} groups, got "
            f"{len(found)}; numbers can be cut by bins."
        )
    places = {key: i for i, key in enumerate(found)}
    return np.array([places.get(key, -1) for key in listed], dtype=np.int64), found


def _group_keys(grouping: Grouping, place: int, keys: dict[str, list[Hashable]]) -> list[Hashable]:
    if grouping.privileged is not None:
        names = {YES: PRIVILEGED, NO: UNPRIVILEGED}
        return [names.get(state) for state in keys[f"group{place}"]]  # type: ignore[call-overload]
    columns = [keys[f"group{place}_{i}"] for i in range(len(grouping.columns or ()))]
    if grouping.bins is not None:
        labels = grouping.labels
        return [None if code == -1 else labels[code] for code in columns[0]]  # type: ignore[call-overload]
    columns = [_whole_numbers(column) for column in columns]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _whole_numbers(column: list[Hashable]) -> list[Hashable]:
    """Text that is a whole number in every row, as CSV has it, as numbers; "01" stays text."""
    known = {key for key in column if key is not None}
    if not known or not all(isinstance(key, str) and _is_whole(key) for key in known):
        return [None if isinstance(key, float) and isnan(key) else key for key in column]
    return [None if key is None else int(key) for key in column]  # type: ignore[call-overload]


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 16 and str(int(text)) == text
