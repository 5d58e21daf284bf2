"""Filling the table: codes to counts, raw keys to groups and labels.

Arrays are counted by block; an engine's distinct rows are scattered. Both give
the same raw table over raw keys, of which groups and labels are then made,
so that missing values and labels mean the same wherever the data lives.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from skfair_ofi._validation import is_missing_group, resolve_labels, sort_keys

from ._columns import Column

MissingGroups = Literal["error", "drop", "group"]

ROLES = ("y_true", "y_pred", "y_corrected")
# A block of codes that stays in the second-level cache.
_BLOCK = 1 << 16
# Rows whose packed bits stay there, and whose number makes up for the calls.
_BITS_BLOCK = 1 << 20
# The same for codes of several rows each.
_FOLD_BLOCK = 1 << 18
# Cells of several rows at once: in the cache for codes of one byte, else what pairs of rows need.
_MAX_FOLDED, _MAX_PAIRED = 1 << 16, 1 << 18
# Columns of as many keys are counted as packed bits.
_MAX_BITS_KEYS = 4
# Rows so few that steps cost more than passes.
_FEW_ROWS = 1 << 13
# A larger table is one of label columns whose keys no row holds: 0 and 60 stand for 61 keys.
_MAX_SPARSE = 1 << 20
# What each stored sum is the sum of, by row.
_STORED = {"cells": "w", "weight_squares": "ww", "score_sums": "ws", "score_squares": "wss"}


class Raw(NamedTuple):
    """Counts and sums by raw keys: one axis a column, before labels are understood."""

    columns: list[Column]
    counts: np.ndarray
    sums: dict[str, np.ndarray]


def _multiply_rows(weight: np.ndarray | None, score: np.ndarray | None) -> dict[str, np.ndarray]:
    """The summands of one block; without weights, a sum of scores is a sum of ``w*s``."""
    sums: dict[str, np.ndarray] = {}
    with np.errstate(over="ignore"):  # the table refuses what is not finite
        if weight is not None:
            sums |= {"w": weight, "ww": weight * weight}
        if score is not None:
            weighted = score if weight is None else score * weight
            sums |= {"ws": weighted, "wss": weighted * score}
    return sums


def _as_codes(column: Column, block: slice, dtype: np.dtype[Any]) -> np.ndarray:
    """The column's codes as unsigned integers, which wrap around below 0."""
    codes = column.codes[block]
    return codes.view(dtype) if codes.itemsize == dtype.itemsize == 1 else codes.astype(dtype)


def _combine_codes(columns: list[Column], block: slice, dtype: np.dtype[Any]) -> np.ndarray:
    """One code a row, row-major over the columns' keys; unsigned overflow wraps back."""
    result, low = columns[0].codes[block].astype(dtype), columns[0].low
    for column in columns[1:]:
        size = len(column.keys)
        if size == 2:
            result += result
        else:
            result *= dtype.type(size)
        result += _as_codes(column, block, dtype)
        low = low * size + column.low
    if low:
        result -= dtype.type(low % (1 << 8 * dtype.itemsize))
    return result


def _choose_parts(size: int, rows: int) -> int:
    """How many rows to count at once, so that their cells are few beside all rows."""
    if rows < _BLOCK:
        return 1
    # The largest power of `size` below both limits: cells in the cache, and an eighth of the rows.
    most = _MAX_FOLDED if size <= 1 << 8 else _MAX_PAIRED
    return max(1, int(math.log(min(most, rows // 8), max(size, 2))))


def _fold_rows(codes: np.ndarray, size: int, parts: int) -> np.ndarray:
    """One code for as many rows as there are parts, of which each gives one."""
    dtype = np.min_scalar_type(size**parts - 1)
    # Row i is counted together with the rows i + n/parts, i + 2n/parts, ...
    first, *others = codes.reshape(parts, -1)
    result = first.astype(dtype)
    for part in others:
        result *= dtype.type(size)
        result += part.astype(dtype)
    return result


def _count_folded(columns: list[Column], size: int) -> np.ndarray:
    """How often each code occurs: several rows are counted at once, and then told apart."""
    rows, dtype = len(columns[0]), np.min_scalar_type(size - 1)
    parts = _choose_parts(size, rows)
    counts, cells = np.zeros(size, dtype=np.int64), np.zeros(size**parts, dtype=np.int64)
    step = max(_FOLD_BLOCK, 2 * len(cells)) * parts  # more rows than cells
    for start in range(0, rows, step):
        codes = _combine_codes(columns, slice(start, start + step), dtype)
        rest = len(codes) % parts
        folded = _fold_rows(codes[rest:], size, parts) if parts > 1 else codes
        cells += np.bincount(folded, minlength=len(cells))
        counts += np.bincount(codes[:rest], minlength=size) if rest else 0
    # Each axis holds the codes of one part: sum over the others for its counts, then drop it.
    for _ in range(parts):
        cells = cells.reshape(size, -1)
        counts += cells.sum(axis=1)
        cells = cells.sum(axis=0)
    return counts


def _pack_bits(column: Column, block: slice) -> list[np.ndarray]:
    """Eight rows a byte: which of their codes hold a bit, for each bit from the lowest on."""
    codes = _as_codes(column, block, np.dtype(np.uint8))
    if column.low:
        codes = codes - np.uint8(column.low % (1 << 8))
    places = range((len(column.keys) - 1).bit_length())
    # packbits asks only whether a byte is 0, so masking one bit of the codes packs that bit.
    bits = [np.packbits(codes & np.uint8(1 << i) if len(places) > 1 else codes) for i in places]
    rest = -len(bits[0]) % 8 if bits else 0
    return [(np.pad(part, (0, rest)) if rest else part).view(np.uint64) for part in bits]


def _count_bits(columns: list[Column]) -> np.ndarray:
    """Counts of columns of few keys in single bytes, at a fraction of the cost.

    For each set of the codes' bits the rows that hold all of them are counted; exclusion makes
    cells of that, axis by axis.
    """
    rows, sizes = len(columns[0]), [len(column.keys) for column in columns]
    axes = [1 << (size - 1).bit_length() for size in sizes]
    counts = np.zeros(math.prod(axes), dtype=np.int64)
    counts[0] = rows  # the empty set of bits is held by all
    for start in range(0, rows, _BITS_BLOCK):
        block = slice(start, start + _BITS_BLOCK)
        sets: list[np.ndarray] = []
        for column in reversed(columns):
            # All subsets so far, each with this bit added: subset s stands at place s - 1.
            for bits in _pack_bits(column, block):
                sets += [bits, *(part & bits for part in sets)]
        held = [np.bitwise_count(part).sum(dtype=np.uint32) for part in sets]
        counts[1:] += np.array(held, dtype=np.int64)
    table = counts.reshape((2,) * (len(counts).bit_length() - 1))
    # Rows with a bit at will, less those that hold it, are those that do not.
    for axis in range(table.ndim):
        ends = np.moveaxis(table, axis, 0)
        ends[0] -= ends[1]
    return counts.reshape(axes)[tuple(map(slice, sizes))]


def _are_bits(columns: list[Column]) -> bool:
    """Whether `_count_bits` can count them, and more than the packing gains."""
    if 4 * len(columns[0]) <= _BITS_BLOCK:
        return False
    few = all(len(column.keys) <= _MAX_BITS_KEYS for column in columns)
    narrow = few and all(column.codes.itemsize == 1 for column in columns)
    return narrow and hasattr(np, "bitwise_count")


def _drop_unused_keys(column: Column) -> Column:
    """The column without keys that no row holds."""
    codes, seen = pd.factorize(column.codes)
    return Column(codes, 0, [column.keys[code - column.low] for code in seen.tolist()])


def _count_few_rows(columns: list[Column], size: int) -> np.ndarray:
    """How often each cell occurs among rows that need no blocks: in few steps."""
    codes = columns[0].codes.astype(np.intp)
    for place, column in enumerate(columns):
        if place:
            codes *= len(column.keys)
            codes += column.codes
        if column.low:
            codes -= column.low
    return np.bincount(codes, minlength=size)


def fill(columns: list[Column], weight: np.ndarray | None, score: np.ndarray | None) -> Raw:
    """Count and sum rows by block, so that intermediate arrays stay in the cache."""
    shape = [len(column.keys) for column in columns]
    if math.prod(shape) > _MAX_SPARSE:
        columns = [columns[0], *map(_drop_unused_keys, columns[1:])]
        shape = [len(column.keys) for column in columns]
    size, rows = math.prod(shape), len(columns[0].codes)
    if weight is None and score is None:
        # In the way that is fastest for the columns.
        if rows <= _FEW_ROWS:
            counts = _count_few_rows(columns, size)
        else:
            counts = _count_bits(columns) if _are_bits(columns) else _count_folded(columns, size)
        return Raw(columns, counts.reshape(shape), {})
    dtype = np.min_scalar_type(size - 1)
    counts = np.zeros(size, dtype=np.int64)
    sums: dict[str, np.ndarray] = {}
    # With weights or scores every row has summands of its own: one bincount for each sum.
    step = max(_BLOCK, size)  # a block smaller than the table would spend its time on the table
    for start in range(0, rows, step):
        block = slice(start, start + step)
        codes = _combine_codes(columns, block, dtype).astype(np.intp)
        counts += np.bincount(codes, minlength=size)
        parts = _multiply_rows(*(None if x is None else x[block] for x in (weight, score)))
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


def _find_seen(evidence: np.ndarray) -> list[np.ndarray]:
    """Positions of the keys that some row holds, by axis."""
    if np.logical_and.reduce(evidence, axis=None):
        return [np.arange(size) for size in evidence.shape]
    axes = range(evidence.ndim)
    return [np.flatnonzero(evidence.sum(axis=tuple(i for i in axes if i != k))) for k in axes]


def _select_groups(raw: Raw, positions: np.ndarray, policy: MissingGroups) -> np.ndarray:
    """Those of the groups' positions that stay under the policy for missing groups."""
    keys = raw.columns[0].keys
    missing = [is_missing_group(keys[i]) for i in positions.tolist()]
    count = int(raw.counts[positions[missing]].sum()) if any(missing) else 0
    if count and policy == "error":
        total = int(raw.counts.sum())
        raise ValueError(
            f"sensitive_features must not contain missing values, got {count} missing in {total} "
            'rows. Pass missing_groups="drop" or missing_groups="group" to leave them out or to '
            "count them as a group."
        )
    if count and policy == "drop":
        warnings.warn(f"{count} rows with a missing group are left out.", UserWarning, stacklevel=4)
        positions = positions[np.logical_not(missing)]
    if not len(positions):
        raise ValueError(
            "At least one row must have a known group and a positive weight, got none."
        )
    return positions


def _move_slices(
    table: np.ndarray, axis: int, source: np.ndarray, target: list[int], size: int
) -> np.ndarray:
    """Add the slices at ``source`` into ``target`` of an axis of ``size``."""
    if target == list(range(size)):  # as most often: nothing to move
        return table if table.shape[axis] == size else table.take(source, axis)
    if sorted(target) == list(range(size)):  # another order
        return table.take(source[[target.index(i) for i in range(size)]], axis)
    result = np.zeros((*table.shape[:axis], size, *table.shape[axis + 1 :]), dtype=table.dtype)
    np.add.at(np.moveaxis(result, axis, 0), target, np.moveaxis(table, axis, 0)[source])
    return result


def _interpret_full(raw: Raw, roles: Sequence[str], pos_label: Any) -> dict[str, Any] | None:
    """`interpret` in few steps, where rows hold each combination of keys, none of them missing.

    None where keys are to be merged, or a label is not one of two.
    """
    # Group keys may stand in any order, and each label column's two keys in either.
    held, *labeled = (column.keys for column in raw.columns)
    groups = sort_keys(held)
    labels = resolve_labels(dict(zip(roles, labeled, strict=True)), pos_label)
    kinds = (list(labels), [labels[1], labels[0]])
    if any(map(is_missing_group, held)) or len(set(held)) < len(held):
        return None
    if any(keys not in kinds for keys in labeled):
        return None
    table = raw.counts
    if held != list(groups):
        table = table.take([held.index(group) for group in groups], axis=0)
    turned = [k for k, keys in enumerate(labeled, 1) if keys != kinds[0]]
    shape = (len(groups), *(2 if role in roles else 1 for role in ROLES))
    cells = np.flip(table, tuple(turned)) if turned else table
    return {"groups": groups, "labels": labels, "cells": cells.reshape(shape)}


def interpret(
    raw: Raw, roles: Sequence[str], pos_label: Any, policy: MissingGroups
) -> dict[str, Any]:
    """Turn raw keys into groups and labels: the arguments of the table."""
    if not raw.sums and np.count_nonzero(raw.counts) == raw.counts.size:
        at_once = _interpret_full(raw, roles, pos_label)
        if at_once is not None:
            return at_once
    evidence = raw.sums.get("w", raw.counts)  # rows of weight 0 show nothing
    sources = _find_seen(evidence)
    known = _select_groups(raw, sources[0], policy)
    if len(known) < len(sources[0]):  # what only rows without a group hold is not there
        sources = _find_seen(evidence[known])
    sources[0] = known
    # From here on each axis is a list of keys that occur, and of where each belongs.
    keys = [
        [column.keys[i] for i in positions.tolist()]
        for column, positions in zip(raw.columns, sources, strict=True)
    ]
    groups = sort_keys(dict.fromkeys(keys[0]))
    labels = resolve_labels(dict(zip(roles, keys[1:], strict=True)), pos_label)
    place = {key: i for i, key in enumerate(groups)}
    targets = [
        [place[key] for key in keys[0]],
        *([int(key == labels[1]) for key in held] for held in keys[1:]),
    ]
    sizes = (len(groups), *(2 for _ in roles))
    shape = (len(groups), *(2 if role in roles else 1 for role in ROLES))

    def arrange(table: np.ndarray) -> np.ndarray:
        for axis, move in enumerate(zip(sources, targets, sizes, strict=True)):
            table = _move_slices(table, axis, *move)
        return table.reshape(shape)

    tables = {name: arrange(raw.sums[key]) for name, key in _STORED.items() if key in raw.sums}
    return {"groups": groups, "labels": labels, "cells": arrange(raw.counts), **tables}
