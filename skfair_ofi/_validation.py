"""Checks of public arguments, each returning what the caller must use.

A check raises ``ValueError`` with the parameter's name, what it must be, and
what was given.
"""

import difflib
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain
from math import isfinite
from numbers import Real
from typing import Any, TypeVar

import numpy as np
import pandas as pd

T = TypeVar("T", bound=Hashable)
# Integers name columns where the frame's columns are integers.
# Beyond it, quantiles of the normal distribution lose their digits.
_HIGHEST_SHARE = 1 - 1e-12
ColumnNames = str | int | Sequence[str | int]


def suggest(value: Any, known: Iterable[Any], most: int = 3) -> str:
    """Return " Did you mean ...?" with the nearest known values, or nothing where none is near.

    Examples
    --------
    >>> suggest("flip_rat", ["flip_rate", "accuracy"])
    " Did you mean 'flip_rate'?"
    """
    named = {str(option).casefold().strip(): option for option in known}
    near = difflib.get_close_matches(str(value).casefold().strip(), named, n=most)
    if not near:
        return ""
    *others, last = [repr(named[name]) for name in near]
    return f" Did you mean {', '.join(others) + ' or ' if others else ''}{last}?"


def check_choice(name: str, value: T, options: Iterable[T]) -> T:
    """Return ``value`` where it is one of ``options``."""
    allowed = list(options)
    if value in allowed:
        return value
    listed = ", ".join(repr(option) for option in allowed)
    hint = suggest(value, allowed, most=1)
    raise ValueError(f"{name} must be one of {listed}, got {value!r}.{hint}")


def check_share(name: str, value: Any) -> float:
    """Return a share that is neither none nor all."""
    number = finite_number(value)
    if number is None or not 0 < number < 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}.")
    if number > _HIGHEST_SHARE:
        raise ValueError(f"{name} must be at most 1 - 1e-12, got {value!r}.")
    return number


def check_level(level: Any) -> float:
    """Return a confidence level."""
    return check_share("level", level)


def check_range(name: str, value: Any) -> tuple[float, float]:
    """Return a lowest and a highest number."""
    numbers = isinstance(value, tuple | list) and all(isinstance(end, Real) for end in value)
    # NaN is in no order.
    if not numbers or len(value) != 2 or not value[0] <= value[1]:
        raise ValueError(f"{name} must be (lowest, highest), got {value!r}.")
    return float(value[0]), float(value[1])


def check_lengths(**lengths: int | None) -> int:
    """Return the one length that all given arrays share."""
    if len(set(lengths.values()) - {None}) > 1:
        given = {name: length for name, length in lengths.items() if length is not None}
        listed = ", ".join(f"{name} {length}" for name, length in given.items())
        raise ValueError(f"Arrays must have the same number of rows, got {listed}.")
    return next(length for length in lengths.values() if length is not None)


def show_values(values: Iterable[Any], most: int = 8) -> str:
    listed = list(values)
    more = f", ... ({len(listed)} in all)" if len(listed) > most else ""
    return "[" + ", ".join(repr(value) for value in listed[:most]) + more + "]"


def sort_keys(keys: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """Return keys sorted, missing ones last, or in the given order where they do not sort.

    Examples
    --------
    >>> sort_keys(["b", None, "a"])
    ('a', 'b', None)
    >>> sort_keys([("a", 2), ("a", None), ("a", 1)])
    (('a', 1), ('a', 2), ('a', None))
    """
    listed: list[Any] = list(keys)

    def rank(key: Any) -> Any:
        if isinstance(key, tuple):
            return (False, tuple(rank(part) for part in key))
        return (key is None, 0 if key is None else key)

    for order in (None, rank):  # ranks are needed where some key, or part of one, is missing
        try:
            return tuple(sorted(listed, key=order))
        except TypeError:
            continue
    return tuple(listed)


def is_missing_group(key: Hashable) -> bool:
    """Return whether a group key, or any part of it, is missing."""
    return key is None or (isinstance(key, tuple) and any(part is None for part in key))


def _hint_at_type(value: Any, known: Iterable[Any]) -> str:
    """A hint where a value differs from a known one by its type only."""
    alike = [other for other in known if str(other) == str(value)]
    return f" The data hold {alike[0]!r}, of another type." if alike else ""


def _is_text(value: Any) -> bool:
    return isinstance(value, str | bytes)


def _list_labels(seen: Mapping[str, Sequence[Any]]) -> str:
    return "; ".join(f"{role} has {show_values(values)}" for role, values in seen.items())


def _infer_other_label(favorable: Any) -> Any:
    """The unfavorable label where no row holds it: known only for 0 and 1."""
    if isinstance(favorable, bool):
        return not favorable
    return 1 - favorable if favorable in (0, 1) else None


def _find_labels(
    values: list[Any], pos_label: Any, seen: Mapping[str, Sequence[Any]], name: str
) -> tuple[Any, Any]:
    others = [value for value in values if value != pos_label]
    favorable = next((value for value in values if value == pos_label), pos_label)
    known = len(values) > len(others)
    if len(others) > 1 and not known:
        raise ValueError(
            f"{name} must be one of the labels {show_values(values)}, got {pos_label!r}."
            f"{_hint_at_type(pos_label, values)}"
        )
    if len(others) > 1:
        raise ValueError(f"Labels must be two, got {len(values)}: {_list_labels(seen)}.")
    if not known and others and _is_text(others[0]) != _is_text(pos_label):
        raise ValueError(
            f"{name} must be of the labels' type {show_values(values)}, got {pos_label!r}."
        )
    return (others[0] if others else _infer_other_label(favorable)), favorable


def resolve_labels(
    seen: Mapping[str, Sequence[Any]], pos_label: Any = None, name: str = "pos_label"
) -> tuple[Any, Any]:
    """Return the unfavorable and the favorable label; errors call the parameters as they are named.

    Examples
    --------
    >>> resolve_labels({"y_pred": [0, 1]})
    (0, 1)
    >>> resolve_labels({"y_pred": ["no", "yes"]}, pos_label="yes")
    ('no', 'yes')
    """
    for role, values in seen.items():
        if None in values:
            raise ValueError(f"{role} must not contain missing labels, got some.")
    values = list(dict.fromkeys(chain.from_iterable(seen.values())))
    if pos_label is not None:
        return _find_labels(values, pos_label, seen, name)
    if len(values) > 2:
        raise ValueError(f"Labels must be two, got {len(values)}: {_list_labels(seen)}.")
    for unfavorable, favorable in ((0, 1), (-1, 1)):
        if {unfavorable, favorable}.issuperset(values):
            are_bool = set(map(type, values)) == {bool}
            return (False, True) if are_bool else (unfavorable, favorable)
    ordered = sort_keys(values)
    options = " or ".join(f"{name}={value!r}" for value in ordered)
    raise ValueError(
        f"{name} must be given for the labels {show_values(ordered)}: pass the label that is "
        f"the favorable outcome, {options}."
    )


def resolve_privileged(privileged: Any, groups: Sequence[Hashable]) -> tuple[Hashable, ...]:
    """Return the privileged groups as a tuple.

    Examples
    --------
    >>> resolve_privileged("a", ["a", "b", "c"])
    ('a',)
    >>> resolve_privileged(["c", "a"], ["a", "b", "c"])
    ('a', 'c')
    """
    if isinstance(privileged, pd.Series | pd.Index | np.ndarray):
        privileged = privileged.tolist()
    one = not isinstance(privileged, list | set | frozenset) and (
        not isinstance(privileged, tuple) or privileged in groups
    )
    wanted = [privileged] if one else list(privileged)
    unknown = [group for group in wanted if group not in groups]
    if unknown or not wanted:
        hint = _hint_at_type(unknown[0], groups) if unknown else ""
        got = repr(unknown[0]) if unknown else repr(privileged)
        raise ValueError(
            f"privileged must be one of the groups {show_values(groups)}, got {got}.{hint}"
        )
    return tuple(group for group in groups if group in wanted)


def finite_number(value: Any) -> float | None:
    """Return a finite real number as a float, or None where it is none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def plain_value(value: Any) -> Any:
    """Return NumPy's scalars and arrays inside a value as plain Python."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain_value(item) for item in value)
    if isinstance(value, Mapping):
        return {key: plain_value(item) for key, item in value.items()}
    return value


def gather_names(names: ColumnNames) -> list[Any]:
    """Return one or several column names as a list."""
    if isinstance(names, str | int | np.integer):
        return [names]
    if not hasattr(names, "__iter__"):
        raise ValueError(f"sensitive_features must be a column name or several, got {names!r}.")
    return list(names)


def warn_undefined(message: str, stacklevel: int) -> None:
    """Warn of a measure that is undefined, as scikit-learn's own measures do."""
    # Loads all of scikit-learn, which most runs of the command line do without.
    from sklearn.exceptions import UndefinedMetricWarning  # noqa: PLC0415

    warnings.warn(message, UndefinedMetricWarning, stacklevel=stacklevel + 1)
