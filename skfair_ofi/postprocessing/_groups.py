"""Which group each person is in, as positions among the groups that `fit` saw."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skfair_ofi._validation import is_missing_group, sort_keys
from skfair_ofi.counts import encode_features

# The name of the one group where no sensitive features are given, as in a pooled table.
EVERYONE = "all"


@dataclass(frozen=True)
class Groups:
    """Which group each person is in.

    Parameters
    ----------
    codes : ndarray of int of shape (n_samples,)
        Positions in `keys`.
    keys : tuple of hashable
        The groups known since `fit`; tuples where there are several sensitive features.
    privileged : tuple of hashable, default=None
        The keys of the privileged groups, where they were named.
    names : tuple of str, default=None
        Names of the sensitive features, where known.
    divided : bool, default=True
        False where no sensitive features were given and everyone is one group.
    unseen : tuple of hashable, default=()
        Groups that `fit` did not see, None where it is missing, which have the codes -1,
        -2 and so on. A corrector never gets people of these.

    Examples
    --------
    >>> groups = Groups(np.array([0, 1, 1]), ("a", "b"))
    >>> groups.take([1, 2]).codes
    array([1, 1])
    """

    codes: np.ndarray
    keys: tuple[Hashable, ...]
    privileged: tuple[Hashable, ...] | None = None
    names: tuple[str, ...] | None = None
    divided: bool = True
    unseen: tuple[Hashable, ...] = ()

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def labels(self) -> np.ndarray:
        """The group key of each person, in an array of objects."""
        keys = np.empty(len(self.keys) + len(self.unseen), dtype=object)
        # Codes of unseen groups count from the end, as NumPy does.
        keys[:] = [*self.keys, *reversed(self.unseen)]
        labels: np.ndarray = keys[self.codes]
        return labels

    def take(self, rows: ArrayLike) -> "Groups":
        """Return the groups of some of the people.

        Parameters
        ----------
        rows : array-like of int or bool
            Row numbers, or a mask.

        Returns
        -------
        Groups
            The same keys, fewer people.
        """
        return replace(self, codes=self.codes[np.asarray(rows)])


def find_groups(features: Any, n_samples: int, weight: np.ndarray | None = None) -> Groups:
    """Return the groups that people of a positive weight are in, missing ones as unseen.

    Where no sensitive features are given, everyone is one group.

    Examples
    --------
    >>> find_groups(["b", None, "a"], 3).codes
    array([ 1, -1,  0])
    """
    if features is None:
        return Groups(np.zeros(n_samples, dtype=np.intp), (EVERYONE,), divided=False)
    column, names = encode_features(features)
    _check_length(len(column.codes), n_samples)
    positions = column.codes.astype(np.intp) - column.low
    sizes = np.bincount(positions, weights=weight, minlength=len(column.keys))
    held = dict.fromkeys(column.keys[i] for i in np.flatnonzero(sizes))
    keys = sort_keys(key for key in held if not is_missing_group(key))
    if not keys:
        raise ValueError(
            "sensitive_features must hold a known group of a positive weight, got none in "
            f"{n_samples} rows."
        )
    return _place(Groups(positions, keys, names=names), column.keys)


def match_groups(known: Groups, features: Any, n_samples: int) -> Groups:
    """Return which of the known groups other people are in."""
    if not known.divided:
        return find_groups(None, n_samples)
    column, names = encode_features(features)
    if names is not None and known.names is not None and names != known.names:
        raise ValueError(
            f"sensitive_features must be those of fit, {list(known.names)}, got {list(names)}."
        )
    _check_length(len(column.codes), n_samples)
    positions = column.codes.astype(np.intp) - column.low
    groups = _place(replace(known, codes=positions), column.keys)
    if groups.unseen:
        _check_types(groups)
    return groups


def _check_length(n_rows: int, n_samples: int) -> None:
    if n_rows != n_samples:
        raise ValueError(
            f"sensitive_features must have one row for each of X's {n_samples}, got {n_rows}."
        )


def _place(groups: Groups, listed: list[Hashable]) -> Groups:
    """Return groups whose codes, positions in a list of keys, are positions among the known."""
    place = dict(zip(groups.keys, range(len(groups.keys)), strict=True))
    codes = np.array([place.get(key, -1) for key in listed], dtype=np.intp)[groups.codes]
    rows = np.flatnonzero(codes < 0)
    if not len(rows):
        return replace(groups, codes=codes)
    # In order of appearance, in which messages list them.
    others, positions = pd.factorize(groups.codes[rows])
    codes[rows] = -1 - others
    return replace(groups, codes=codes, unseen=tuple(listed[i] for i in positions))


def _check_types(groups: Groups) -> None:
    """Refuse 1, or "1.0", for "1": everyone would be in an unseen group."""
    by_text = {_spell(key): key for key in groups.keys}
    for key in groups.unseen:
        alike = by_text.get(_spell(key))
        if alike is not None and _name_type(alike) != _name_type(key) and not is_missing_group(key):
            raise ValueError(
                f"sensitive_features must hold groups as fit saw them, such as {alike!r} "
                f"({_name_type(alike)}), got {key!r} ({_name_type(key)})."
            )


def check_known(groups: Groups, present: np.ndarray | None = None) -> None:
    """Refuse people of unseen and missing groups, those of weight 0 excepted."""
    rows = groups.codes < 0 if present is None else (groups.codes < 0) & present
    if not rows.any():
        return
    others = groups.labels[rows]
    missing = sum(map(is_missing_group, others))
    unseen = [key for key in dict.fromkeys(others) if not is_missing_group(key)]
    got = [f"the unseen groups {unseen[:8]}"] if unseen else []
    got += [f"{missing} missing values"] if missing else []
    raise ValueError(
        f"sensitive_features must hold groups that fit saw {list(groups.keys)[:20]}, got "
        f"{' and '.join(got)} in {len(others)} of {len(groups)} rows. "
        'unseen_groups="base" keeps the prediction of such people.'
    )


def _spell(key: Hashable) -> tuple[str, ...]:
    """How a key reads, numbers without a fraction as integers."""
    if isinstance(key, tuple):
        return tuple(text for part in key for text in _spell(part))
    text = str(key)
    integer = text.removesuffix(".0")
    return (integer if integer.lstrip("-").isdecimal() else text,)


def _name_type(key: Hashable) -> str:
    if isinstance(key, tuple):
        return f"({', '.join(type(part).__name__ for part in key)})"
    return type(key).__name__
