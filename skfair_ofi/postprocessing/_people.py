"""People as codes: labels as 0 and 1, groups as positions among those known since `fit`."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d, validate_data

from skfair_ofi._validation import ColumnNames, is_missing_group, resolve_labels, sorted_keys
from skfair_ofi.counts import check_labels, drop_columns, encode, encode_features, select_columns

from ._correctors import Groups

# The name of the one group where no sensitive features are given, as in a pooled table.
EVERYONE = "all"


def check_features(classifier: Any, X: Any, *, reset: bool) -> None:
    """Learn, or compare, number and names of features, without converting them."""
    if getattr(X, "ndim", 2) == 1:
        raise ValueError(
            f"X must have two dimensions, got one, of {len(X)} values. Reshape your data: "
            "X.reshape(1, -1) is one person, X.reshape(-1, 1) one feature."
        )
    validate_data(classifier, X, reset=reset, skip_check_array=True)


def check_target(y: Any) -> np.ndarray:
    """Return labels as a one-dimensional array, refusing more than two classes."""
    labels = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O" and (missing := sum(label is None for label in labels)):
        raise ValueError(f"y must not contain missing labels, got {missing}.")
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    if kind in ("continuous", "continuous-multioutput"):
        raise ValueError(f"Unknown label type: {kind}. y must hold the labels of two classes.")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )
    return np.asarray(labels)


def order_classes(classes: list[Any], pos_label: Any, *, divided: bool) -> tuple[Any, Any]:
    """Return the unfavorable and the favorable class."""
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The estimator has classes {classes}."
        )
    if divided or pos_label is not None or is_countable(classes, pos_label):
        return resolve_labels({"y": classes}, pos_label)
    return classes[0], classes[-1]


def is_countable(classes: list[Any], pos_label: Any) -> bool:
    """Return whether it is known which class is favorable."""
    try:
        resolve_labels({"y": classes}, pos_label)
    except ValueError:
        return False
    return True


def label_codes(y: Any, labels: tuple[Any, Any], name: str) -> np.ndarray:
    """Return labels as codes, 1 favorable.

    Examples
    --------
    >>> label_codes(["yes", "no"], ("no", "yes"), "y")
    array([1, 0], dtype=int8)
    """
    column = check_labels(encode(y, name), name)
    codes_of = {labels[0]: 0, labels[1]: 1}
    meaning = [-1 if key is None else codes_of.get(key, -1) for key in column.keys]
    positions = column.codes.astype(np.intp) - column.low
    codes = np.array(meaning, dtype=np.int8)[positions]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(
            f"{name} must hold the labels {list(labels)}, "
            f"got {column.keys[positions[row]]!r} at row {row}."
        )
    return codes


def without_columns(X: Any, names: ColumnNames | None) -> Any:
    """Return a frame without its sensitive columns, in its own library."""
    if names is None:
        raise ValueError(
            "sensitive_features must name columns of X for drop_sensitive_features, got None."
        )
    return drop_columns(X, list(select_columns(X, names)))


@dataclass(frozen=True)
class Members:
    """Which group each person at hand is in, those of unknown groups included."""

    codes: np.ndarray
    labels: np.ndarray

    def take(self, rows: np.ndarray) -> "Members":
        """Return some of the people."""
        return Members(self.codes[rows], self.labels[rows])


@dataclass(frozen=True)
class KnownGroups:
    """The groups that `fit` saw."""

    keys: tuple[Hashable, ...]
    names: tuple[str, ...] | None = None
    divided: bool = True

    @classmethod
    def undivided(cls) -> Self:
        """Everyone as one group."""
        return cls((EVERYONE,), divided=False)

    @classmethod
    def seen_in(cls, features: Any, weight: np.ndarray | None) -> Self:
        """The groups among some people, missing ones left out."""
        column, names = encode_features(features)
        positions = column.codes.astype(np.intp) - column.low
        sizes = np.bincount(positions, weights=weight, minlength=len(column.keys))
        seen = dict.fromkeys(column.keys[i] for i in np.flatnonzero(sizes))
        keys = sorted_keys(key for key in seen if not is_missing_group(key))
        if not keys:
            raise ValueError(
                "sensitive_features must hold a known group of a positive weight, got none in "
                f"{len(column)} rows."
            )
        return cls(keys, names)

    def members(self, features: Any, n_samples: int) -> Members:
        """Return which group each person is in."""
        if not self.divided:
            return Members(np.zeros(n_samples, dtype=np.intp), np.full(n_samples, EVERYONE, object))
        column, names = encode_features(features)
        if names is not None and self.names is not None and names != self.names:
            raise ValueError(
                f"sensitive_features must be those of fit, {list(self.names)}, got {list(names)}."
            )
        if len(column) != n_samples:
            raise ValueError(
                f"sensitive_features must have one row for each of X's {n_samples}, "
                f"got {len(column)}."
            )
        positions = column.codes.astype(np.intp) - column.low
        place = {key: i for i, key in enumerate(self.keys)}
        known = np.array([place.get(key, -1) for key in column.keys], dtype=np.intp)
        keys = np.empty(len(column.keys), dtype=object)
        keys[:] = column.keys
        members = Members(known[positions], keys[positions])
        self._check_types(members)
        return members

    def _check_types(self, members: Members) -> None:
        """Refuse 1, or "1.0", for "1": all people would be strangers."""
        by_text = {_text(key): key for key in self.keys}
        for key in dict.fromkeys(members.labels[members.codes < 0]):
            alike = by_text.get(_text(key))
            if alike is not None and _type(alike) != _type(key) and not is_missing_group(key):
                raise ValueError(
                    f"sensitive_features must hold groups as fit saw them, such as {alike!r} "
                    f"({_type(alike)}), got {key!r} ({_type(key)})."
                )

    def check_known(self, members: Members, present: np.ndarray | None) -> None:
        """Refuse people of unknown and missing groups."""
        rows = members.codes < 0
        strangers = members.labels[rows if present is None else rows & present]
        if not len(strangers):
            return
        missing = sum(map(is_missing_group, strangers))
        unseen = [key for key in dict.fromkeys(strangers) if not is_missing_group(key)]
        got = [f"the unseen groups {unseen[:8]}"] if unseen else []
        got += [f"{missing} missing values"] if missing else []
        raise ValueError(
            f"sensitive_features must hold groups that fit saw {list(self.keys)[:20]}, got "
            f"{' and '.join(got)} in {len(strangers)} of {len(members.codes)} rows. "
            'unseen_groups="base" keeps the prediction of such people.'
        )

    def as_groups(
        self, members: Members, rows: np.ndarray, privileged: tuple[Hashable, ...] | None
    ) -> Groups:
        """Return some of the people as a corrector takes them."""
        return Groups(members.codes[rows], self.keys, privileged, self.names, self.divided)


def _text(key: Hashable) -> tuple[str, ...]:
    """How a key reads, numbers without a fraction as integers."""
    if isinstance(key, tuple):
        return tuple(text for part in key for text in _text(part))
    text = str(key)
    whole = text.removesuffix(".0")
    return (whole if whole.lstrip("-").isdecimal() else text,)


def _type(key: Hashable) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(type(part).__name__ for part in key)})"
    return type(key).__name__
