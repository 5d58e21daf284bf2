"""Filling the table: codes to counts, raw keys to groups and labels.

Arrays are counted by block; an engine's distinct rows are scattered. Both give
the same raw table over raw keys, on which groups and labels are then settled,
so that missing values and labels mean the same wherever the data lives.
"""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from skfair_ofi._frames import Column
from skfair_ofi._validation import is_missing_group, resolve_labels, sorted_keys

MissingGroups = Literal["error", "drop", "group"]

ROLES = ("y_true", "y_pred", "y_corrected")
# A block of codes that stays in the second-level cache.
_BLOCK = 1 << 16
# What each stored sum is the sum of, by row.
_STORED = {"cells": "w", "weight_squares": "ww", "score_sums": "ws", "score_squares": "wss"}


@dataclass(frozen=True)
class Raw:
    """Counts and sums by raw keys: one axis a column, before labels are understood."""

    columns: list[Column]
    counts: np.ndarray
    sums: dict[str, np.ndarray]


def _row_sums(weight: np.ndarray | None, score: np.ndarray | None) -> dict[str, np.ndarray]:
    """The summands of one block; without weights, a sum of scores is a sum of ``w*s``."""
    sums: dict[str, np.ndarray] = {}
    if weight is not None:
        sums |= {"w": weight, "ww": weight * weight}
    if score is not None:
        weighted = score if weight is None else score * weight
        sums |= {"ws": weighted, "wss": weighted * score}
    return sums


def _block_codes(columns: list[Column], start: int, dtype: type) -> np.ndarray:
    """One code a row, row-major over the columns' keys; unsigned overflow wraps back."""
    block = slice(start, start + _BLOCK)
    result: np.ndarray = np.zeros(len(columns[0].codes[block]), dtype=dtype)
    part = np.empty_like(result)
    for column in columns:
        np.copyto(part, column.codes[block], casting="unsafe")
        if column.low:
            part -= np.array(column.low).astype(dtype)
        if len(column.keys) == 2:
            result += result
        else:
            result *= dtype(len(column.keys) % (1 << (8 * part.itemsize)))
        result += part
    return result


def fill(columns: list[Column], weight: np.ndarray | None, score: np.ndarray | None) -> Raw:
    """Count and sum rows by block, so that intermediate arrays stay in the cache."""
    shape = tuple(len(column.keys) for column in columns)
    size = int(np.prod(shape))
    dtype: type = np.uint8 if size <= 256 else np.intp
    counts = np.zeros(size, dtype=np.int64)
    sums: dict[str, np.ndarray] = {}
    for start in range(0, len(columns[0]), _BLOCK):
        codes = _block_codes(columns, start, dtype)
        counts += np.bincount(codes, minlength=size)
        block = slice(start, start + _BLOCK)
        parts = _row_sums(*(None if x is None else x[block] for x in (weight, score)))
        for key, values in parts.items():
            summed = np.bincount(codes, weights=values, minlength=size)
            sums[key] = sums[key] + summed if key in sums else summed
    return Raw(columns, counts.reshape(shape), {k: v.reshape(shape) for k, v in sums.items()})


def scatter(columns: list[Column], found: Mapping[str, np.ndarray]) -> Raw:
    """The same from distinct rows that an engine has counted already."""
    shape = tuple(len(column.keys) for column in columns)
    index = tuple(column.codes.astype(np.intp) - column.low for column in columns)
    tables = {}
    for key, values in found.items():
        tables[key] = np.zeros(shape, dtype=values.dtype)
        np.add.at(tables[key], index, values)
    return Raw(columns, tables.pop("n"), tables)


def _seen(raw: Raw, axis: int) -> np.ndarray:
    """Positions of the keys that some row of positive weight holds."""
    evidence = raw.sums.get("ww", raw.counts)
    others = tuple(i for i in range(evidence.ndim) if i != axis)
    return np.flatnonzero(evidence.sum(axis=others))


def _moved(raw: Raw, axis: int, positions: np.ndarray, targets: Sequence[int], size: int) -> Raw:
    """Add the slices at ``positions`` into ``targets`` of an axis of ``size``."""

    def move(table: np.ndarray) -> np.ndarray:
        source = np.moveaxis(table, axis, 0)[positions]
        result = np.zeros((size, *source.shape[1:]), dtype=table.dtype)
        np.add.at(result, list(targets), source)
        return np.moveaxis(result, 0, axis)

    return Raw(raw.columns, move(raw.counts), {key: move(table) for key, table in raw.sums.items()})


def _settle_groups(raw: Raw, policy: MissingGroups) -> tuple[Raw, tuple[Hashable, ...]]:
    positions = _seen(raw, 0)
    keys = [raw.columns[0].keys[i] for i in positions]
    missing = [is_missing_group(key) for key in keys]
    count = int(raw.counts[positions[missing]].sum())
    if count and policy == "error":
        total = int(raw.counts.sum())
        raise ValueError(
            f"sensitive_features must not contain missing values, got {count} missing in {total} "
            'rows. Pass missing_groups="drop" or missing_groups="group" to leave them out or to '
            "count them as a group."
        )
    if count and policy == "drop":
        warnings.warn(f"{count} rows with a missing group are left out.", UserWarning, stacklevel=4)
        positions = positions[~np.array(missing)]
        keys = [key for key, gone in zip(keys, missing, strict=True) if not gone]
    groups = sorted_keys(dict.fromkeys(keys))
    place = {key: i for i, key in enumerate(groups)}
    return _moved(raw, 0, positions, [place[key] for key in keys], len(groups)), groups


def _settle_labels(raw: Raw, roles: Sequence[str], pos_label: Any) -> tuple[Raw, tuple[Any, Any]]:
    positions = {role: _seen(raw, i) for i, role in enumerate(roles, start=1)}
    seen = {
        role: [raw.columns[i].keys[k] for k in positions[role]]
        for i, role in enumerate(roles, start=1)
    }
    labels = resolve_labels(seen, pos_label)
    for i, role in enumerate(roles, start=1):
        targets = [int(key == labels[1]) for key in seen[role]]
        raw = _moved(raw, i, positions[role], targets, 2)
    return raw, labels


def settle(raw: Raw, roles: Sequence[str], pos_label: Any, policy: MissingGroups) -> dict[str, Any]:
    """Turn raw keys into groups and labels: the arguments of the table."""
    raw, groups = _settle_groups(raw, policy)
    if not groups:
        raise ValueError(
            "At least one row must have a known group and a positive weight, got none."
        )
    raw, labels = _settle_labels(raw, roles, pos_label)
    shape = (len(groups), *(2 if role in roles else 1 for role in ROLES))
    tables = {
        name: raw.sums[key].reshape(shape) for name, key in _STORED.items() if key in raw.sums
    }
    return {"groups": groups, "labels": labels, "cells": raw.counts.reshape(shape), **tables}
