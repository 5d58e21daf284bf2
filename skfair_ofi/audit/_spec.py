"""A specification as it is used: every field read and checked, all faults at once."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Integral
from reprlib import repr as brief
from typing import Any, Literal

from skfair_ofi._validation import check_choice, finite_number, plain_value, suggest
from skfair_ofi.counts import MissingGroups
from skfair_ofi.metrics import FEW_PEOPLE

from ._criteria import Criterion
from ._csv_files import ReadOptions
from ._faults import Faults, SpecError
from ._grouping import Condition, Grouping, read_predicate
from ._presets import PRESETS, Preset
from .predicates import MAX_SIZE_OF_ALL, Predicate

MOST_GROUPINGS, MOST_CONDITIONS, MOST_CRITERIA = 20, 100, 500
MOST_BYTES, _MOST_PEOPLE = 1 << 20, 10**9

# The role that each field gives to the measures.
ROLES = {"truth": "y_true", "positive": "y_pred", "corrected": "y_corrected", "score": "y_score"}


@dataclass(frozen=True)
class AboveMedian:
    """In the place of a predicate: the score is above the median of all people."""

    text: str = "the score is above its median"


@dataclass(frozen=True)
class Where:
    """A condition that some people meet, by which a table of its own is counted."""

    name: str
    kind: Literal["legitimate", "range", "each"]
    predicate: Condition = None
    limits: tuple[float, float] = (0.0, 0.0)

    @property
    def field(self) -> str:
        """The field of the specification that it is from."""
        return "legitimate" if self.kind == "legitimate" else "calibration"

    @property
    def key(self) -> tuple[str, str]:
        """By what its rows are found, apart from the roles and from other fields' conditions."""
        return self.field, self.name


@dataclass(frozen=True)
class Spec:
    """A specification that has been checked; see ``Audit`` for its fields."""

    predicates: Mapping[str, Condition]
    groupings: tuple[Grouping, ...]
    conditions: tuple[Where, ...]
    criteria: tuple[Criterion, ...]
    skipped: tuple[str, ...]
    score: str | None
    weight: str | None
    epsilon: float
    minimum_group_size: int
    missing_groups: MissingGroups
    exclude_below: float | None
    features: tuple[str, ...] | None
    preset: Preset | None
    title: str
    data: ReadOptions

    @property
    def scored(self) -> bool:
        """Whether any criterion needs sums of scores."""
        return any("y_score" in criterion.metric.roles for criterion in self.criteria)


class _Reader:
    """Reads the fields one by one, so that a fault in one does not hide the next."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = {
            name: plain_value(value) for name, value in given.items() if value is not None
        }
        self.faults = Faults()

    def text(self, field: str) -> str | None:
        value = self.given.get(field)
        if value is not None and not isinstance(value, str):
            self.faults.add(field, f"must be text, got {value!r}.")
            return None
        return value

    def number(self, field: str, default: float, low: float, high: float) -> float:
        value = self.given.get(field, default)
        number = finite_number(value)
        if number is None or not low <= number <= high:
            self.faults.add(
                field, f"must be a number from {low:g} to {high:g}, got {brief(value)}."
            )
            return default
        return number

    def size(self, field: str, default: int) -> int:
        value = self.given.get(field, default)
        wrong = isinstance(value, bool) or not isinstance(value, Integral)
        if wrong or not 0 <= value <= _MOST_PEOPLE:
            self.faults.add(
                field, f"must be a whole number from 0 to {_MOST_PEOPLE:,}, got {brief(value)}."
            )
            return default
        return int(value)

    def choice(self, field: str, options: Sequence[str], default: str | None) -> Any:
        value = self.given.get(field, default)
        if value is None:
            return None
        return self.faults.attempt(field, default, lambda: check_choice(field, value, options))

    def predicates(self) -> dict[str, Condition]:
        found: dict[str, Condition] = {}
        for field in ("truth", "positive", "corrected"):
            if field in self.given:
                with self.faults.of(field):
                    found[field] = read_predicate(self.given[field])
        return found

    def groupings(self, preset: Preset | None) -> tuple[Grouping, ...]:
        given = self.given.get("groups", [])
        listed = list(given) if isinstance(given, list | tuple) else [given]
        if "privileged" in self.given:
            listed.append({"privileged": self.given["privileged"]})
        if not listed or len(listed) > MOST_GROUPINGS:
            self.faults.add("groups", f"must be 1 to {MOST_GROUPINGS}, got {len(listed)}.")
            return ()
        found = []
        for place, item in enumerate(listed, start=1):
            with self.faults.of("groups" if len(listed) == 1 else f"groups {place}"):
                found.append(_set_reference(_grouping(item), preset))
        titles = [grouping.title for grouping in found]
        if len(set(titles)) < len(titles):
            self.faults.add("groups", f"must have different names, got {titles!r}.")
        return tuple(_cross_groupings(found, preset))

    def legitimate(self) -> list[Where]:
        given = self.given.get("legitimate", {})
        named = given if isinstance(given, Mapping) else {_named(given): given}
        found = []
        for name, predicate in named.items():
            with self.faults.of("legitimate"):
                if not str(name).strip():
                    raise ValueError(f"a condition's name must not be empty, got {name!r}.")
                found.append(Where(str(name), "legitimate", read_predicate(predicate)))
        return found

    def calibration(self, score: str | None) -> list[Where]:
        given = self.given.get("calibration")
        if given is None:
            return []
        if score is None:
            self.faults.add("calibration", "must be given with a score, got none.")
        if given == "each":
            return [Where("each score", "each")]
        one = isinstance(given, list | tuple) and given and not isinstance(given[0], list | tuple)
        ranges = [given] if one else given
        found: list[Where] = []
        with self.faults.of("calibration"):
            if not isinstance(ranges, list | tuple) or not ranges:
                raise ValueError(
                    f"must be [lowest, highest], a list of such, or 'each', got {given!r}."
                )
            found += [_range(limits) for limits in ranges]
        return found

    def criteria(self, preset: Preset | None, epsilon: float) -> list[Criterion]:
        given = self.given.get("criteria", [])
        if not isinstance(given, list | tuple) or len(given) > MOST_CRITERIA:
            self.faults.add(
                "criteria", f"must be a list of at most {MOST_CRITERIA}, got {given!r}."
            )
            return []
        found = []
        for place, item in enumerate(given, start=1):
            with self.faults.of(f"criteria {place}"):
                found.append(_criterion(item))
        for criterion, times in Counter(found).items():
            if times > 1:
                self.faults.add(
                    "criteria", f"must be different, got {criterion.measure} {times} times."
                )
        return found

    def columns(self, field: str) -> tuple[str, ...] | None:
        value = self.given.get(field)
        if value is None:
            return None
        if not isinstance(value, list | tuple) or not all(isinstance(x, str) for x in value):
            self.faults.add(field, f"must be a list of column names, got {value!r}.")
            return None
        return tuple(value)

    def options(self) -> ReadOptions:
        value = self.given.get("data", ReadOptions())
        if isinstance(value, ReadOptions):
            return value
        return self.faults.attempt("data", ReadOptions(), lambda: _build(ReadOptions, value))


def _named(predicate: Any) -> str:
    return predicate if isinstance(predicate, str) else "legitimate"


def _build(kind: type, value: Any) -> Any:
    """Make a small object from a table of its fields."""
    if not isinstance(value, Mapping):
        raise TypeError(f"must be a table, got {brief(value)}.")
    known = [field.name for field in fields(kind)]
    unknown = _unknown(value, known)
    if unknown:
        raise SpecError(unknown)
    return kind(**value)


def _unknown(given: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    found = []
    for name in given:
        if name not in known:
            hint = suggest(name, known, most=1) or f" Known are {', '.join(known)}."
            found.append(f"unknown key {name!r}.{hint}")
    return found


def _grouping(item: Any) -> Grouping:
    if isinstance(item, Grouping):
        return item
    if isinstance(item, str | list | tuple):
        return Grouping(item)
    if not isinstance(item, Mapping):
        raise TypeError(f"must be a column, a list of columns or a table, got {brief(item)}.")
    grouping: Grouping = _build(Grouping, item)
    return grouping


def _set_reference(grouping: Grouping, preset: Preset | None) -> Grouping:
    """The grouping, compared as its preset asks for."""
    wanted = None if preset is None else preset.against
    if wanted is None or grouping.against == wanted:
        return grouping
    if grouping.against is not None or grouping.reference is not None:
        raise ValueError(
            f"against must be {wanted!r} under the preset, got {grouping.against or 'reference'!r}."
        )
    return replace(grouping, against=wanted)


def _cross_groupings(groupings: list[Grouping], preset: Preset | None) -> list[Grouping]:
    """Two features and their intersection, where the preset asks for it."""
    single = [len(grouping.columns or ()) == 1 and not grouping.bins for grouping in groupings]
    if preset is None or not preset.crosses_two or len(groupings) != 2 or not all(single):
        return groupings
    both = [column for grouping in groupings for column in grouping.columns or ()]
    return [*groupings, Grouping(both, against=preset.against)]


def _range(limits: Any) -> Where:
    pair = [finite_number(x) for x in limits] if isinstance(limits, list | tuple) else []
    low, high = pair if len(pair) == 2 else (None, None)
    if low is None or high is None or low > high:
        raise ValueError(f"must be [lowest, highest], got {brief(limits)}.")
    return Where(f"score {low:.12g} to {high:.12g}", "range", limits=(low, high))


def _criterion(item: Any) -> Criterion:
    if isinstance(item, Criterion):
        return item
    if isinstance(item, str):
        return Criterion.default(item)
    if not isinstance(item, Mapping):
        raise TypeError(f"must be a measure's name or a table, got {item!r}.")
    table = dict(item)
    if "measure" not in table:
        raise ValueError("measure must be given, got none.")
    bounds = {"at_least", "at_most"} & set(table)
    distance = table.pop("within", None)
    if distance is not None and bounds:
        raise ValueError("within must stand without at_least and at_most, got both.")
    criterion: Criterion = _build(Criterion, table)
    if bounds:
        return criterion
    if distance is None:
        bounded = Criterion.default(criterion.measure)
    else:
        bounded = Criterion.within(criterion.measure, distance)
    return replace(criterion, at_least=bounded.at_least, at_most=bounded.at_most)


def _lacking(criterion: Criterion, roles: set[str], conditions: Sequence[Where]) -> str | None:
    """What a criterion needs and the audit does not give, or None."""
    fields_by_role = {role: field for field, role in ROLES.items()}
    lacking = [fields_by_role[role] for role in criterion.metric.roles if role not in roles]
    kinds = {where.kind for where in conditions}
    if criterion.metric.needs == "where" and "legitimate" not in kinds:
        lacking.append("legitimate")
    if criterion.metric.needs == "score_range" and not kinds & {"range", "each"}:
        lacking.append("calibration")
    return " and ".join(lacking) or None


def _check_condition(condition: str, names: Sequence[str]) -> None:
    if not names:
        raise ValueError(f"legitimate must be given for condition {condition!r}, got none.")
    check_choice("condition", condition, names)


def _check_different(conditions: Sequence[Where], faults: Faults) -> None:
    """A condition is found by its name, in the data and in the report."""
    counted = Counter((where.field, where.name) for where in conditions)
    for (field, name), times in counted.items():
        if times > 1:
            faults.add(field, f"must be different conditions, got {name!r} {times} times.")


def _check_size(predicates: Sequence[Condition], faults: Faults) -> None:
    size = sum(item.size for item in predicates if isinstance(item, Predicate))
    if size > MAX_SIZE_OF_ALL:
        faults.add(
            "predicates",
            f"must have at most {MAX_SIZE_OF_ALL} comparisons and operations in all, got {size}.",
        )


def _check_criteria(
    reader: _Reader,
    preset: Preset | None,
    epsilon: float,
    roles: set[str],
    conditions: Sequence[Where],
) -> tuple[list[Criterion], list[str]]:
    """The criteria that are asked for, and what a preset would ask for but lacks the fields."""
    own = reader.criteria(preset, epsilon)
    names = [where.name for where in conditions if where.kind == "legitimate"]
    for criterion in own:
        if lacking := _lacking(criterion, roles, conditions):
            reader.faults.add(
                "criteria", f"{criterion.measure} needs {lacking}, which is not given."
            )
        if criterion.condition is not None:
            with reader.faults.of("criteria"):
                _check_condition(criterion.condition, names)
    if preset is None and own:
        return own, []
    skipped, chosen = [], []
    for criterion in (preset or PRESETS["yuan2024"]).criteria(epsilon):
        lacking = _lacking(criterion, roles, conditions)
        if lacking is None:
            chosen.append(criterion)
        else:
            skipped.append(f"{criterion.measure} needs {lacking}, which is not given.")
    return [*chosen, *own], skipped


def resolve(given: Mapping[str, Any], known: Sequence[str]) -> Spec:
    """Return a specification from its fields."""
    reader = _Reader(given)
    reader.faults.found += _unknown(given, known)
    name = reader.choice("preset", list(PRESETS), None)
    preset = None if name is None else PRESETS[name]
    predicates, score = reader.predicates(), reader.text("score")
    above_median = preset is not None and preset.above_median
    if above_median and score is not None and "positive" not in reader.given:
        predicates["positive"] = AboveMedian()
    groupings = reader.groupings(preset)
    conditions = [*reader.legitimate(), *reader.calibration(score)]
    _check_different(conditions, reader.faults)
    if len(conditions) > MOST_CONDITIONS:
        reader.faults.add("legitimate", f"must be at most {MOST_CONDITIONS} conditions.")
    _check_size(
        [
            *predicates.values(),
            *(g.privileged for g in groupings),
            *(c.predicate for c in conditions),
        ],
        reader.faults,
    )
    epsilon = reader.number("epsilon", 0.2, 0, 0.999)
    roles = {ROLES[field] for field in ROLES if field in reader.given or field in predicates}
    criteria, skipped = _check_criteria(reader, preset, epsilon, roles, conditions)
    if not criteria and not reader.faults.found:
        reader.faults.add("criteria", "must be computable from what is given, got none that is.")
    default = "error" if preset is None else preset.missing_groups
    below = reader.number("exclude_below", 0.0, 0, 1)
    spec = Spec(
        predicates=predicates,
        groupings=groupings,
        conditions=tuple(conditions),
        criteria=tuple(criteria),
        skipped=tuple(skipped),
        score=score,
        weight=reader.text("weight"),
        epsilon=epsilon,
        minimum_group_size=reader.size("minimum_group_size", FEW_PEOPLE),
        missing_groups=reader.choice("missing_groups", ("error", "drop", "group"), default),
        exclude_below=below or None,
        features=reader.columns("features"),
        preset=preset,
        title=reader.text("title") or (preset.title if preset else "Fairness audit"),
        data=reader.options(),
    )
    reader.faults.check()
    return spec


def read_toml(content: bytes, name: str) -> dict[str, Any]:
    """Return the fields that a TOML file holds."""
    if len(content) > MOST_BYTES:
        raise SpecError([f"{name} must be at most 1 MB, got more."])
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SpecError([f"{name} must be UTF-8 text, got byte {error.start}."]) from None
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split()) or "too deeply nested"
        raise SpecError([f"{name} must be TOML, got: {reason[:200]}."]) from None
