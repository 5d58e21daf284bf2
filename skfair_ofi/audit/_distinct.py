"""Distinct rows with their numbers of people, and the tables that are read off them."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skfair_ofi.counts import ROLES, OutcomeCounts

from .predicates import YES

_FIELDS = dict(zip(ROLES, ("truth", "positive", "corrected"), strict=True))
_STORED = {"weight_squares": "ww", "score_sums": "ws", "score_squares": "wss"}


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


class Tables:
    """The tables of one grouping."""

    def __init__(self, rows: Rows, place: int) -> None:
        self._rows = rows
        self._codes, self.groups = rows.groups[place]
        self._made: dict[tuple[tuple[str, ...], tuple[str, str] | None], OutcomeCounts] = {}

    def get(self, roles: Sequence[str], condition: tuple[str, str] | None = None) -> OutcomeCounts:
        """Return the table of the rows that have all these roles and meet a condition."""
        key = tuple(sorted(roles)), condition
        if key not in self._made:
            self._made[key] = self._table(set(roles), condition)
        return self._made[key]

    def _table(self, roles: set[str], condition: tuple[str, str] | None) -> OutcomeCounts:
        rows, keep = self._rows, self._codes >= 0
        scored = "y_score" in roles
        if scored:
            keep = keep & rows.scored
        if condition is not None:
            keep = keep & (rows.conditions[condition] == YES)
        counted = [role for role in ROLES if role in roles]
        for role in counted:
            keep = keep & (rows.states[_FIELDS[role]] < 2)
        index = [self._codes[keep]]
        for role in ROLES:
            codes = rows.states[_FIELDS[role]] if role in counted else np.zeros_like(self._codes)
            index.append(codes[keep])
        shape = (len(self.groups), *(2 if role in counted else 1 for role in ROLES))

        def filled(values: np.ndarray) -> np.ndarray:
            table = np.zeros(shape, dtype=values.dtype)
            np.add.at(table, tuple(index), values[keep])
            return table

        sums: dict[str, Any] = {
            name: filled(rows.sums[key])
            for name, key in _STORED.items()
            if key in rows.sums and (scored or key == "ww")
        }
        return OutcomeCounts(
            self.groups, filled(rows.sums.get("w", rows.n)), labels=(False, True), **sums
        )
