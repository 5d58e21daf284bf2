"""The one table that every measure reads.

People are counted by group, true label, predicted label and corrected label.
Tables add up, so batches, folds, files and partitions of a cluster all end in
the same table. What touches data fills it, what speaks to a user reads it.

>>> table = OutcomeCounts.from_arrays([1, 0, 1], [1, 1, 0], sensitive_features=["a", "a", "b"])
>>> table.groups, table.n
(('a', 'b'), 3)
>>> table + table == OutcomeCounts.from_arrays(
...     [1, 0, 1] * 2, [1, 1, 0] * 2, sensitive_features=["a", "a", "b"] * 2
... )
True
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Self

import numpy as np
import pandas as pd

from skfair_ofi._validation import check_choice, check_lengths, sort_keys

from ._columns import (
    check_columns,
    check_labels,
    check_weights,
    encode,
    encode_features,
    get_columns,
    read_floats,
)
from ._engines import adapt_frame, group_frame
from ._fill import ROLES, MissingGroups, Raw, fill, interpret, scatter

_SUMS = ("score_sums", "score_squares", "weight_squares")
_SUMMED = {
    "score_sums": ", and with it y_score",
    "score_squares": ", and with it the squares of y_score",
    "weight_squares": ", and with it the squares of sample_weight",
}
# Which labels a table of this shape counts; the first axis, of groups, is left out.
_COUNTED = {
    lengths: tuple(role for role, length in zip(ROLES, lengths, strict=True) if length == 2)
    for lengths in product((1, 2), repeat=len(ROLES))
}


def _check_total(array: np.ndarray, name: str) -> None:
    """Whole numbers wrap around silently where their sum needs more than 64 bits."""
    # floats first: Python's integers, which are exact, take long
    if array.dtype.kind == "f" or np.add.reduce(array, axis=None, dtype=np.float64) < 2**62:
        return
    if (total := sum(array.ravel().tolist())) >= 2**63:
        raise ValueError(f"{name} must have a sum below 2**63, got {total}.")


def _freeze(table: Any, shape: tuple[int, ...] | None = None, name: str = "cells") -> np.ndarray:
    array = np.array(table)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold numbers, got dtype {array.dtype}.")
    _check_total(array, name)
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64, copy=False)
    if shape is not None and array.shape != shape:
        raise ValueError(f"{name} must have the shape of cells {shape}, got {array.shape}.")
    if not np.isfinite(array).all():
        worst = array[~np.isfinite(array)][0]
        raise ValueError(f"{name} must be finite{_SUMMED.get(name, '')}, got {worst}.")
    array.setflags(write=False)
    return array


def _are_counts(cells: np.ndarray) -> bool:
    """Whether no cell is negative."""
    if cells.dtype.kind != "f":
        return bool(np.minimum.reduce(cells, axis=None, initial=0) == 0)
    return bool((cells >= 0).all())


class OutcomeCounts:
    """Number of people by group, true, predicted and corrected label.

    Use ``from_arrays`` or ``from_frame``; the constructor takes finished counts.

    Parameters
    ----------
    groups : sequence of hashable of length n_groups
        Group keys; tuples where several sensitive features are crossed, None
        for people whose group is missing.
    cells : array-like of shape (n_groups, 2 or 1, 2 or 1, 2 or 1)
        Counts on the axes group, y_true, y_pred, y_corrected, where index 1
        is the favorable label. A label that is not counted has length 1.
        Weighted and expected counts may be fractions.
    labels : tuple of (unfavorable, favorable), default=(0, 1)
        The two labels. The unfavorable one may be None where no row held it.
    feature_names : tuple of str, default=None
        Names of the sensitive features, where known.
    score_sums, score_squares : array-like of the shape of cells, default=None
        Weighted sums of scores and of their squares in each cell.
    weight_squares : array-like of the shape of cells, default=None
        Sums of squared weights in each cell.

    Attributes
    ----------
    groups, cells, labels, feature_names, score_sums, score_squares, weight_squares
        As given; arrays are read-only.

    Raises
    ------
    ValueError
        If shapes do not fit, a group stands twice, a count is negative or not
        finite, or whole counts add up to 2**63 or more.

    Examples
    --------
    >>> table = OutcomeCounts(["a", "b"], [[[[3], [1]], [[2], [4]]], [[[5], [0]], [[1], [4]]]])
    >>> table
    OutcomeCounts(n=20, groups=('a', 'b'), roles=('y_true', 'y_pred'), favorable=1)
    """

    # numpy must not turn `array + table` into an object array
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        groups: Sequence[Hashable],
        cells: Any,
        *,
        labels: tuple[Any, Any] = (0, 1),
        feature_names: Sequence[str] | None = None,
        score_sums: Any = None,
        score_squares: Any = None,
        weight_squares: Any = None,
    ) -> None:
        self.groups = tuple(groups)
        self.labels = (labels[0], labels[1])
        self.feature_names = None if feature_names is None else tuple(feature_names)
        self.cells = _freeze(cells)
        shape = self.cells.shape
        if len(shape) != 4 or shape[0] != len(self.groups) or not set(shape[1:]) <= {1, 2}:
            raise ValueError(
                f"cells must have shape (n_groups, 2 or 1, 2 or 1, 2 or 1) with n_groups = "
                f"{len(self.groups)}, got {shape}."
            )
        if len(set(self.groups)) != len(self.groups):
            raise ValueError(f"groups must differ from one another, got {self.groups!r}.")
        if not _are_counts(self.cells):
            raise ValueError(f"cells must not be negative, got {self.cells.min()}.")
        if self.cells.dtype.kind == "f":
            with np.errstate(over="ignore"):
                if not np.isfinite(self.cells.sum()):
                    raise ValueError("cells must have a finite sum, got inf.")
        given = zip(_SUMS, (score_sums, score_squares, weight_squares), strict=True)
        for name, table in given:
            setattr(self, name, None if table is None else _freeze(table, shape, name))

    score_sums: np.ndarray | None
    score_squares: np.ndarray | None
    weight_squares: np.ndarray | None

    @classmethod
    def _from_parts(cls, names: tuple[str, ...] | None, parts: dict[str, Any]) -> Self:
        """The table of what was counted: whole numbers need no check, sums may overflow."""
        cells = parts["cells"]
        if len(parts) > len(("groups", "labels", "cells")) or cells.dtype != np.int64:
            return cls(feature_names=names, **parts)
        table = cls.__new__(cls)
        table.groups, table.labels, table.feature_names = parts["groups"], parts["labels"], names
        table.cells = np.array(cells)
        table.cells.setflags(write=False)
        table.score_sums = table.score_squares = table.weight_squares = None
        return table

    @classmethod
    def from_arrays(
        cls,
        y_true: Any = None,
        y_pred: Any = None,
        y_corrected: Any = None,
        *,
        sensitive_features: Any,
        y_score: Any = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        missing_groups: MissingGroups = "error",
    ) -> Self:
        """Count people from arrays of any library; positions are matched, indices ignored.

        Parameters
        ----------
        y_true, y_pred, y_corrected : array-like of shape (n_samples,), default=None
            True, predicted and corrected labels; at least one must be given.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
            The group of each person; several columns are crossed.
        y_score : array-like of shape (n_samples,), default=None
            Scores, summed in each cell.
        sample_weight : array-like of shape (n_samples,), default=None
            How many people each row stands for.
        pos_label : object, default=None
            The favorable label; not needed for 0/1, False/True and -1/1.
        missing_groups : {"error", "drop", "group"}, default="error"
            What becomes of rows whose group is missing: an error, left out
            with a warning, or counted as the group None.

        Returns
        -------
        OutcomeCounts
            The table.

        Raises
        ------
        ValueError
            If lengths differ, a label is missing or a third one, the favorable
            label is not known, or a group is missing under "error".

        Examples
        --------
        >>> table = OutcomeCounts.from_arrays(
        ...     y_pred=["hire", "no"], sensitive_features=["a", "b"], pos_label="hire"
        ... )
        >>> table.labels, table.cells.ravel().tolist()
        (('no', 'hire'), [0, 1, 1, 0])
        """
        check_choice("missing_groups", missing_groups, ("error", "drop", "group"))
        given = {
            name: check_labels(encode(values, name), name)
            for name, values in zip(ROLES, (y_true, y_pred, y_corrected), strict=True)
            if values is not None
        }
        if not given and y_score is None:
            raise ValueError("At least one of y_true, y_pred, y_corrected, y_score must be given.")
        groups, names = encode_features(sensitive_features)
        weight = None if sample_weight is None else check_weights(sample_weight)
        score = None if y_score is None else read_floats(y_score, "y_score")
        check_lengths(
            sensitive_features=len(groups.codes),
            **{name: len(column.codes) for name, column in given.items()},
            sample_weight=None if weight is None else len(weight),
            y_score=None if score is None else len(score),
        )
        raw = fill([groups, *given.values()], weight, score)
        return cls._from_parts(names, interpret(raw, tuple(given), pos_label, missing_groups))

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        sensitive_features: str | Sequence[str],
        y_true: str | None = None,
        y_pred: str | None = None,
        y_corrected: str | None = None,
        y_score: str | None = None,
        sample_weight: str | None = None,
        pos_label: Any = None,
        missing_groups: MissingGroups = "error",
    ) -> Self:
        """Count people of a frame by the names of its columns.

        A lazy frame is grouped by its own engine, and only the distinct rows
        are brought back.

        Parameters
        ----------
        frame : eager or lazy frame
            pandas, polars, pyarrow (also a dataset), DuckDB, Dask, PySpark, Ibis or
            anything else narwhals takes.
        sensitive_features : str or sequence of str
            Columns that hold the group; several are crossed.
        y_true, y_pred, y_corrected : str, default=None
            Columns of labels; at least one must be given.
        y_score, sample_weight : str, default=None
            Columns of scores and of weights.
        pos_label : object, default=None
            The favorable label; not needed for 0/1, False/True and -1/1.
        missing_groups : {"error", "drop", "group"}, default="error"
            As in ``from_arrays``.

        Returns
        -------
        OutcomeCounts
            The table.

        Raises
        ------
        ValueError
            If a column is not there, and as in ``from_arrays``.

        Examples
        --------
        >>> import pandas as pd
        >>> people = pd.DataFrame({"sex": ["f", "m", "m"], "hired": [0, 1, 1]})
        >>> OutcomeCounts.from_frame(people, sensitive_features="sex", y_pred="hired")
        OutcomeCounts(n=3, groups=('f', 'm'), roles=('y_pred',), favorable=1)
        """
        check_choice("missing_groups", missing_groups, ("error", "drop", "group"))
        frame, features = adapt_frame(frame), _list_features(sensitive_features)
        given = zip((*ROLES, "y_score"), (y_true, y_pred, y_corrected, y_score), strict=True)
        arrays = {role: name for role, name in given if name is not None}
        if not arrays:
            raise ValueError("At least one of y_true, y_pred, y_corrected, y_score must be given.")
        if sample_weight is not None:
            arrays["sample_weight"] = sample_weight
        check_columns(frame, {"sensitive_features": features, **arrays})
        columns = get_columns(frame, [*features, *arrays.values()])
        if columns is None:
            raw, roles = _count_in_engine(frame, features, arrays)
            return cls._from_parts(features, interpret(raw, roles, pos_label, missing_groups))
        return cls.from_arrays(
            **dict(zip(arrays, columns[len(features) :], strict=True)),
            sensitive_features=dict(zip(features, columns, strict=False)),
            pos_label=pos_label,
            missing_groups=missing_groups,
        )

    @classmethod
    def from_records(cls, records: Iterable[Mapping[str, Any]], *, pos_label: Any = None) -> Self:
        """Count people from records that are counted already.

        Parameters
        ----------
        records : iterable of mapping
            Each with ``group``, the labels that are counted (``y_true``,
            ``y_pred``, ``y_corrected``), and ``count`` (1 where absent).
        pos_label : object, default=None
            The favorable label; not needed for 0/1, False/True and -1/1.

        Returns
        -------
        OutcomeCounts
            The table, of integers where all counts are.

        Raises
        ------
        ValueError
            If a record lacks a key that another has, or has an unknown one.

        Examples
        --------
        >>> OutcomeCounts.from_records(
        ...     [{"group": "a", "y_pred": 1, "count": 4}, {"group": "b", "y_pred": 0, "count": 5}]
        ... ).n
        9
        """
        rows = [dict(record) for record in records]
        if not rows:
            raise ValueError("records must have at least one record, got none.")
        names = set(rows[0]) - {"count"}
        wrong = [row for row in rows if set(row) - {"count"} != names]
        if wrong or "group" not in names or not names <= {"group", *ROLES}:
            raise ValueError(
                f"records must have the keys group, count and the same of {', '.join(ROLES)}, "
                f"got {(wrong or rows)[0]!r}."
            )
        counts = np.array([row.get("count", 1) for row in rows])
        if not (np.isfinite(counts).all() and (counts >= 0).all()):
            raise ValueError(f"count must be finite and not negative, got {counts.min()}.")
        _check_total(counts, "count")
        groups = encode([row["group"] for row in rows], "group")
        roles = [role for role in ROLES if role in names]
        columns = [encode([row[role] for row in rows], role) for role in roles]
        raw = scatter([groups, *columns], {"n": counts})
        return cls(**interpret(raw, roles, pos_label, "group"))

    @property
    def roles(self) -> tuple[str, ...]:
        """Which of y_true, y_pred and y_corrected are counted."""
        return _COUNTED[self.cells.shape[1:]]

    @property
    def group_sizes(self) -> np.ndarray:
        """Number of people in each group, of shape (n_groups,)."""
        sizes: np.ndarray = self.cells.sum(axis=(1, 2, 3))
        return sizes

    @property
    def n(self) -> int | float:
        """Number of people, or the sum of their weights."""
        total: int | float = self.cells.sum().item()
        return total

    @property
    def before(self) -> Self:
        """The table of true against predicted labels, without corrected ones."""
        return self.over("y_true", "y_pred") if "y_true" in self.roles else self.over("y_pred")

    @property
    def after(self) -> Self:
        """The table of true against corrected labels, in the place of predicted ones.

        Raises
        ------
        ValueError
            If no corrected labels are counted.
        """
        if "y_corrected" not in self.roles:
            raise ValueError(
                f"y_corrected must be counted for an after table, got roles {self.roles}."
            )
        return self._apply(lambda table: table.sum(axis=2, keepdims=True).swapaxes(2, 3))

    def over(self, *roles: str) -> Self:
        """Return the table that counts these labels only, summed over the others.

        Parameters
        ----------
        *roles : {"y_true", "y_pred", "y_corrected"}
            Labels to keep.

        Returns
        -------
        OutcomeCounts
            The smaller table.

        Raises
        ------
        ValueError
            If one of them is not counted.
        """
        for role in roles:
            check_choice("roles", role, self.roles)
        axes = tuple(i for i, role in enumerate(ROLES, start=1) if role not in roles)
        return self._apply(lambda table: table.sum(axis=axes, keepdims=True))

    def pooled(self) -> Self:
        """Return the table of everyone as one group, called "all"."""
        return self._everyone

    @cached_property
    def _everyone(self) -> Self:
        return self._apply(lambda table: table.sum(axis=0, keepdims=True), ["all"])

    def pick(self, *groups: Hashable) -> Self:
        """Return the table of these groups only, in this order.

        Parameters
        ----------
        *groups : hashable
            Group keys.

        Returns
        -------
        OutcomeCounts
            The smaller table.

        Raises
        ------
        ValueError
            If one is not a group of this table.
        """
        place = {group: i for i, group in enumerate(self.groups)}
        places = [_find_place("groups", group, place) for group in groups]
        return self._apply(lambda table: table[places], groups)

    def against_rest(self, group: Hashable) -> Self:
        """Return two groups: everyone else, called "rest", and this one.

        Parameters
        ----------
        group : hashable
            A group key.

        Returns
        -------
        OutcomeCounts
            The table, "rest" first, so that a signed difference is rest minus group.

        Raises
        ------
        ValueError
            If it is not a group of this table, or there is no other.
        """
        check_choice("group", group, self.groups)
        if len(self.groups) == 1:
            raise ValueError(f"group must leave someone in the rest, got the only group {group!r}.")
        rest = "rest" if group != "rest" else "everyone else"
        return self._regroup([rest, group], [int(key == group) for key in self.groups])

    def merge_groups(self, mapping: Mapping[Hashable, Hashable]) -> Self:
        """Return the table with groups renamed, and added up where names meet.

        Parameters
        ----------
        mapping : mapping of hashable to hashable
            New key by old key; groups that it lacks stay as they are.

        Returns
        -------
        OutcomeCounts
            The table.

        Raises
        ------
        ValueError
            If an old key is not a group of this table.
        """
        known = {group: i for i, group in enumerate(self.groups)}
        for group in mapping:
            _find_place("mapping", group, known)
        names = [mapping.get(group, group) for group in self.groups]
        merged = sort_keys(dict.fromkeys(names))
        place = {name: i for i, name in enumerate(merged)}
        return self._regroup(merged, [place[name] for name in names])

    def reindex(self, groups: Sequence[Hashable]) -> Self:
        """Return the table with exactly these groups, empty where it had none.

        Parameters
        ----------
        groups : sequence of hashable
            Group keys in the wanted order, all of this table's among them.

        Returns
        -------
        OutcomeCounts
            The table.

        Raises
        ------
        ValueError
            If a group of this table is not among them.
        """
        place = {group: i for i, group in enumerate(groups)}
        lost = [group for group in self.groups if group not in place]
        if lost:
            raise ValueError(f"groups must hold all groups of the table, got none for {lost!r}.")
        return self._regroup(groups, [place[group] for group in self.groups])

    def _get_tables(self) -> dict[str, np.ndarray]:
        named = {name: getattr(self, name) for name in ("cells", *_SUMS)}
        return {name: table for name, table in named.items() if table is not None}

    def _apply(self, function: Any, groups: Sequence[Hashable] | None = None) -> Self:
        tables = {name: function(table) for name, table in self._get_tables().items()}
        return type(self)(
            self.groups if groups is None else groups,
            labels=self.labels,
            feature_names=self.feature_names,
            **tables,
        )

    def _regroup(self, groups: Sequence[Hashable], places: Sequence[int]) -> Self:
        def move(table: np.ndarray) -> np.ndarray:
            result = np.zeros((len(groups), *table.shape[1:]), dtype=table.dtype)
            np.add.at(result, list(places), table)
            return result

        return self._apply(move, groups)

    def _has_favorable_only(self) -> bool:
        """Whether no row holds the unfavorable label, which is then only assumed."""
        axes = [i for i, length in enumerate(self.cells.shape) if i and length == 2]
        return not any(np.moveaxis(self.cells, axis, 0)[0].any() for axis in axes)

    def _join_labels(self, other: Self) -> tuple[Any, Any]:
        if self.labels == other.labels:
            return self.labels
        if self.labels[1] == other.labels[1]:
            if self.labels[0] is None or self._has_favorable_only():
                return other.labels
            if other.labels[0] is None or other._has_favorable_only():
                return self.labels
        raise ValueError(f"Tables must have the same labels, got {self.labels} and {other.labels}.")

    def __add__(self, other: object) -> Self:
        """Return the table of the people of both."""
        if not isinstance(other, type(self)):
            return self if isinstance(other, int) and other == 0 else NotImplemented
        if self.roles != other.roles:
            raise ValueError(
                f"Tables must count the same labels, got {self.roles} and {other.roles}."
            )
        labels = self._join_labels(other)
        if isinstance(total := self.n + other.n, int) and total >= 2**63:
            raise ValueError(f"Tables must have a sum below 2**63, got {total}.")
        groups = sort_keys(dict.fromkeys((*self.groups, *other.groups)))
        left, right = self.reindex(groups)._get_tables(), other.reindex(groups)._get_tables()
        if ("score_sums" in left) != ("score_sums" in right):
            raise ValueError(
                "Tables must both have scores, or neither, got one with and one without."
            )
        if ("weight_squares" in left) != ("weight_squares" in right):
            # People without weights weigh 1.
            for tables in (left, right):
                tables.setdefault("weight_squares", tables["cells"].astype(np.float64))
        names = self.feature_names if self.feature_names == other.feature_names else None
        sums = {name: table + right[name] for name, table in left.items()}
        return type(self)(groups, labels=labels, feature_names=names, **sums)

    __radd__ = __add__

    def __eq__(self, other: object) -> bool:
        """Return whether all groups, labels and counts are the same."""
        if not isinstance(other, type(self)):
            return NotImplemented
        same = self.labels == other.labels and self.roles == other.roles
        if not same or set(self.groups) != set(other.groups):
            return False
        left, right = self._get_tables(), other.reindex(self.groups)._get_tables()
        return left.keys() == right.keys() and all(
            np.array_equal(table, right[name]) for name, table in left.items()
        )

    def __repr__(self) -> str:
        """Return one line that says what is counted."""
        return (
            f"OutcomeCounts(n={self.n:.10g}, groups={self.groups!r}, roles={self.roles!r}, "
            f"favorable={self.labels[1]!r})"
        )

    def to_records(self) -> list[dict[str, Any]]:
        """Return one record a cell, empty ones too, as ``from_records`` takes them."""
        records = []
        for index in np.ndindex(self.cells.shape):
            labels = {
                role: self.labels[i]
                for role, i in zip(ROLES, index[1:], strict=True)
                if role in self.roles
            }
            count = self.cells[index].item()
            records.append({"group": self.groups[index[0]], **labels, "count": count})
        return records

    def to_frame(self) -> pd.DataFrame:
        """Return one row a cell as a pandas frame, with columns as in ``to_records``."""
        return pd.DataFrame.from_records(self.to_records())

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain lists, numbers and strings, fit for JSON.

        Returns
        -------
        dict
            What ``from_dict`` takes; the round trip is exact.

        Raises
        ------
        TypeError
            If a group key or label is none of str, int, float, bool and None.

        Examples
        --------
        >>> import json
        >>> table = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=["a", "b"])
        >>> OutcomeCounts.from_dict(json.loads(json.dumps(table.to_dict()))) == table
        True
        """
        return {
            "groups": [_to_json(group) for group in self.groups],
            "labels": [_to_json(label) for label in self.labels],
            "feature_names": None if self.feature_names is None else list(self.feature_names),
            **{name: table.tolist() for name, table in self._get_tables().items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the table that ``to_dict`` wrote.

        Parameters
        ----------
        data : mapping
            What ``to_dict`` returned, or the same read from JSON.

        Returns
        -------
        OutcomeCounts
            The table.

        Raises
        ------
        ValueError
            If a key is missing or unknown.
        """
        allowed = {"groups", "labels", "feature_names", "cells", *_SUMS}
        if set(data) - allowed or {"groups", "labels", "cells"} - set(data):
            raise ValueError(f"data must have the keys {sorted(allowed)}, got {sorted(data)}.")
        labels = [_from_json(label) for label in data["labels"]]
        groups = [_from_json(group) for group in data["groups"]]
        rest = {key: value for key, value in data.items() if key not in ("groups", "labels")}
        return cls(groups, labels=(labels[0], labels[1]), **rest)


def _to_json(key: Any) -> Any:
    if isinstance(key, tuple):
        return [_to_json(part) for part in key]
    if key is None or isinstance(key, str | bool | int | float):
        return key
    raise TypeError(f"Group keys and labels must be str, int, float, bool or None, got {key!r}.")


def _from_json(key: Any) -> Any:
    return tuple(_from_json(part) for part in key) if isinstance(key, list) else key


def _count_in_engine(
    frame: Any, features: Sequence[str], arrays: Mapping[str, str]
) -> tuple[Raw, tuple[str, ...]]:
    """The distinct rows of a lazy frame, counted in its own engine, and the labels counted."""
    roles = tuple(role for role in ROLES if role in arrays)
    names = [*features, *(arrays[role] for role in roles)]
    summed = {"w": "sample_weight", "s": "y_score"}
    titles = {
        key: f"{role} (column {arrays[role]!r})" for key, role in summed.items() if role in arrays
    }
    distinct, found = group_frame(
        frame, names, arrays.get("sample_weight"), arrays.get("y_score"), titles=titles
    )
    groups, _ = encode_features(dict(zip(features, distinct, strict=False)))
    held = zip(roles, distinct[len(features) :], strict=True)
    labels = [check_labels(encode(column, role), role) for role, column in held]
    return scatter([groups, *labels], found), roles


def _find_place(name: str, group: Hashable, places: Mapping[Hashable, int]) -> int:
    # A dictionary first: listing all groups for each would be slow with thousands.
    return places[group] if group in places else places[check_choice(name, group, places)]


def _list_features(names: str | Sequence[str]) -> tuple[str, ...]:
    try:
        listed = (names,) if isinstance(names, str) else tuple(names)
    except TypeError as error:
        raise ValueError(f"sensitive_features must name columns, got {names!r}.") from error
    if not listed:
        raise ValueError("sensitive_features must name at least one column, got none.")
    return listed


def check_counts(counts: Any) -> OutcomeCounts:
    """Return a table of counts."""
    if not isinstance(counts, OutcomeCounts):
        raise TypeError(f"counts must be an OutcomeCounts, got {counts!r}.")
    return counts
