"""From the columns of a file to the table of counts: what values are, and which are meant."""

import csv
import io
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from skfair_ofi import OutcomeCounts
from skfair_ofi._validation import sorted_keys

from ._errors import InputError, input_errors
from ._source import Source, hint, listed, quoted, reading

# More distinct rows than this are no groups and labels; the columns are wrong.
_MOST_ROWS = 20_000
_MISSING = "(missing)"
# "01" is no number, since it would come out as another text.
_INTEGER = re.compile(r"\s*-?(0|[1-9]\d{0,17})\s*")
_DECIMAL = re.compile(r"\s*-?\d{1,17}(\.\d{1,17})?\s*")
_TRUTH = {"true": True, "false": False}

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class Wanted:
    """Which columns hold what."""

    groups: Sequence[str]
    roles: Mapping[str, str]
    weight: str | None = None
    favorable: str | None = None
    missing_groups: Literal["error", "drop", "group"] = "error"


_ROLE_OPTIONS = {"y_true": "--truth", "y_pred": "--pred", "y_corrected": "--corrected"}


def choose(option: str, text: str, shown: Mapping[T, Collection[str]]) -> T:
    """Return the value that is shown as a text.

    Examples
    --------
    >>> choose("--favorable", "1", {0: {"0"}, 1: {"1", "1.0"}})
    1
    """
    found = [value for value, texts in shown.items() if text in texts]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"{option} must say which value is meant, got {text!r}, which stands for "
            f"{' and '.join(map(repr, found))}: give the columns the same type."
        )
    names = [min(sorted(texts), key=len) for texts in shown.values()]
    raise InputError(f"{option} must be one of {listed(names)}, got {text!r}.{hint(text, names)}")


def _kind(texts: Iterable[str], kinds: Sequence[str]) -> str:
    """The first of some types that all cells of a text column are of."""
    fits: dict[str, Callable[[str], object]] = {
        "BIGINT": _INTEGER.fullmatch,
        "DOUBLE": _DECIMAL.fullmatch,
        "BOOLEAN": lambda text: text.casefold() in _TRUTH,
    }
    listed_texts = list(texts)
    return next((kind for kind in kinds if all(map(fits[kind], listed_texts))), "VARCHAR")


_VALUES: dict[str, Callable[[str], Any]] = {
    "BIGINT": int,
    "DOUBLE": float,
    "BOOLEAN": lambda text: _TRUTH[text.casefold()],
    "VARCHAR": str,
}


def _texts(value: Any, cell: Any) -> set[str]:
    """How a label may be written: as in the file, as Python shows it, whole numbers as such."""
    whole = {str(int(value))} if isinstance(value, float) and value.is_integer() else set()
    return {str(value), str(cell).strip(), *whole}


class People:
    """The columns that are asked for, and their distinct values."""

    def __init__(self, source: Source, wanted: Wanted) -> None:
        self._source, self._wanted = source, wanted
        self._names = list(dict.fromkeys((*wanted.groups, *wanted.roles.values())))
        groups = {name: source.column("--group", name) for name in wanted.groups}
        roles = {
            name: source.column(_ROLE_OPTIONS[role], name) for role, name in wanted.roles.items()
        }
        self._weight = wanted.weight and source.column("--weight", wanted.weight)
        self._columns = groups | roles
        self._check_names()
        self._values = self._distinct()

    def _check_names(self) -> None:
        """DuckDB, which counts, does not tell names apart by case."""
        used = [*self._names, *filter(None, [self._wanted.weight])]
        folded = [name.casefold() for name in dict.fromkeys(used)]
        twice = [name for name in used if folded.count(name.casefold()) > 1]
        if twice:
            raise InputError(f"Columns must differ in more than case, got {listed(twice)}.")

    def _distinct(self) -> dict[str, set[Any]]:
        columns = ", ".join(self._columns[name] for name in self._names)
        with reading(self._source.paths, self._source):
            relation = self._source.relation.project(columns).distinct().limit(_MOST_ROWS + 1)
            rows = relation.fetchall()
        if not rows:
            raise InputError(f"FILE must have at least one row, got none in {self._source.name}.")
        values = {
            name: set(cells)
            for name, cells in zip(self._names, zip(*rows, strict=True), strict=True)
        }
        if len(rows) > _MOST_ROWS:
            self._refuse_many(values)
        return values

    def _refuse_many(self, values: Mapping[str, set[Any]]) -> None:
        many = max(values, key=lambda name: len(values[name]))
        role = next((role for role, name in self._wanted.roles.items() if name == many), None)
        what = f"{_ROLE_OPTIONS[role]} must hold two labels" if role else "--group must hold groups"
        raise InputError(f"{what}, got column {many!r} with {len(values[many]):,} values and more.")

    def _casts(self) -> dict[str, str]:
        """The type of each column: for text, what all of its cells look like."""
        if not self._source.is_text:
            return {}
        known = {name: values - {None} for name, values in self._values.items()}
        labels = set().union(*(known[name] for name in self._wanted.roles.values()))
        kind = _kind(labels, ("BIGINT", "DOUBLE", "BOOLEAN"))
        casts = {name: _kind(known[name], ("BIGINT",)) for name in self._wanted.groups}
        return casts | dict.fromkeys(self._wanted.roles.values(), kind)

    def _favorable(self, casts: Mapping[str, str]) -> Any:
        if self._wanted.favorable is None:
            return None
        shown: dict[Any, set[str]] = {}
        for name in self._wanted.roles.values():
            for cell in self._values[name] - {None}:
                value = _VALUES[casts[name]](cell) if casts else cell
                # 1, 1.0 and True are one value, with several texts
                shown.setdefault(value, set()).update(_texts(value, cell))
        ordered = {key: shown[key] for key in sorted_keys(shown)}
        return choose("--favorable", self._wanted.favorable, ordered)

    def counts(self) -> OutcomeCounts:
        """Return the people counted by group and labels."""
        wanted, casts = self._wanted, self._casts()
        pos_label = self._favorable(casts)
        columns = [
            f"CAST({self._columns[name]} AS {casts[name]}) AS {quoted(name)}"
            if casts
            else f"{self._columns[name]} AS {quoted(name)}"
            for name in self._names
        ]
        if wanted.weight is not None and wanted.weight not in self._names:
            columns.append(f"CAST({self._weight} AS DOUBLE) AS {quoted(wanted.weight)}")
        with reading(self._source.paths, self._source), input_errors():
            return OutcomeCounts.from_frame(
                self._source.relation.project(", ".join(columns)),
                sensitive_features=list(wanted.groups),
                **wanted.roles,
                sample_weight=wanted.weight,
                pos_label=pos_label,
                missing_groups=wanted.missing_groups,
            )


def _record(parts: Iterable[str]) -> str:
    """Texts as one record of CSV, so that no two groups look alike."""
    record = io.StringIO()
    csv.writer(record, lineterminator="").writerow(parts)
    return record.getvalue()


def _shown(key: Hashable) -> str:
    if isinstance(key, tuple):
        return _record(map(_shown, key))
    return _MISSING if key is None else str(key)


def _normal(text: str, features: Sequence[str]) -> str:
    """A group on the command line as ``_shown`` shows it."""
    if len(features) == 1:
        return text
    parts = next(csv.reader([text], skipinitialspace=True), [])
    if len(parts) != len(features):
        raise InputError(
            f"--privileged must give one value for each of {', '.join(features)}, separated by "
            f"commas, got {text!r}."
        )
    return _record(parts)


def privileged_groups(texts: Sequence[str], counts: OutcomeCounts) -> list[Hashable] | None:
    """Return the groups that are named on the command line.

    Examples
    --------
    >>> table = OutcomeCounts.from_arrays(
    ...     y_pred=[0, 1], sensitive_features={"race": ["a", "b"], "sex": [1, 2]}
    ... )
    >>> privileged_groups(["b,2"], table)
    [('b', 2)]
    """
    if not texts:
        return None
    features = counts.feature_names or ("group",)
    shown = {key: {_shown(key)} for key in counts.groups}
    return [choose("--privileged", _normal(text, features), shown) for text in texts]
