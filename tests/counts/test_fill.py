"""Filling in blocks: rows of many blocks, keys that no row holds, and codes of any width."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from skfair_ofi import OutcomeCounts
from skfair_ofi.counts import Column, fill

ROWS = 3 * 65_536 + 17  # three whole blocks and an odd rest
DRAWS = np.random.default_rng(0)
Y_TRUE, Y_PRED = DRAWS.integers(0, 2, (2, ROWS))


def expected_cells(y_true: np.ndarray, y_pred: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Cells by NumPy's own counting, in the order of the codes."""
    cells = np.zeros((codes.max() + 1, 2, 2), dtype=np.int64)
    np.add.at(cells, (codes, y_true, y_pred), 1)
    return cells[cells.any(axis=(1, 2))]


def as_shared_strings(codes: np.ndarray) -> Any:
    """One object a group, which all its rows share."""
    return np.array([f"{i:04}" for i in range(codes.max() + 1)], dtype=object)[codes]


def as_own_strings(codes: np.ndarray) -> Any:
    """One object a row."""
    return np.array([f"{code:04}" for code in codes.tolist()], dtype=object)


def as_strings(codes: np.ndarray) -> Any:
    """A pandas column of strings."""
    return pd.Series(as_shared_strings(codes), dtype="string")


def as_categories(codes: np.ndarray) -> Any:
    """A pandas column of categories, some of which no row holds."""
    return pd.Categorical(as_shared_strings(codes), categories=sorted(set(as_own_strings(codes))))


def as_wide_integers(codes: np.ndarray) -> Any:
    """Integers that lie far apart."""
    return codes * 10**9 - 5


def as_whole_floats(codes: np.ndarray) -> Any:
    """Whole numbers as floats."""
    return codes.astype(np.float64) - 3


def as_halves(codes: np.ndarray) -> Any:
    """Floats that are not whole."""
    return codes / 2


def as_two_features(codes: np.ndarray) -> Any:
    """Two columns, which are crossed."""
    return {"tens": codes // 10, "ones": as_shared_strings(codes % 10)}


@pytest.mark.parametrize("groups", [2, 10, 64, 300])
@pytest.mark.parametrize(
    "column",
    [
        as_shared_strings,
        as_own_strings,
        as_strings,
        as_categories,
        as_wide_integers,
        as_whole_floats,
        as_halves,
        as_two_features,
    ],
)
def test_many_blocks(column: Any, groups: int) -> None:
    """Rows of several blocks are counted as NumPy counts them, whatever the groups' column."""
    codes = np.random.default_rng(groups).integers(0, groups, ROWS)
    counts = OutcomeCounts.from_arrays(Y_TRUE, Y_PRED, sensitive_features=column(codes))
    assert np.array_equal(counts.cells[..., 0], expected_cells(Y_TRUE, Y_PRED, codes))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "bool", "float32", "object"])
def test_label_types(dtype: str) -> None:
    """Labels of any type are counted alike over several blocks."""
    codes = np.random.default_rng(1).integers(0, 5, ROWS)
    labels = (Y_TRUE.astype(dtype), Y_PRED.astype(dtype))
    counts = OutcomeCounts.from_arrays(*labels, sensitive_features=codes)
    assert np.array_equal(counts.cells[..., 0], expected_cells(Y_TRUE, Y_PRED, codes))


def test_groups_that_appear_late() -> None:
    """A group whose first row is in a later block keeps its own people."""
    codes = np.repeat([0, 1, 2], [ROWS - 3, 2, 1])
    counts = OutcomeCounts.from_arrays(y_pred=Y_PRED, sensitive_features=as_shared_strings(codes))
    assert counts.group_sizes.tolist() == [ROWS - 3, 2, 1]


def test_labels_far_apart() -> None:
    """Labels such as 0 and 60 make no large table, though they are their own codes."""
    groups = np.arange(ROWS) % 4000
    labels = [60 * Y_TRUE, 60 * Y_PRED, 60 * Y_PRED]
    counts = OutcomeCounts.from_arrays(*labels, sensitive_features=groups, pos_label=60)
    assert counts.labels == (0, 60)
    assert np.array_equal(
        counts.over("y_true", "y_pred").cells[..., 0], expected_cells(Y_TRUE, Y_PRED, groups)
    )


@pytest.mark.parametrize("groups", [3, 400])
def test_sums_of_many_blocks(groups: int) -> None:
    """Weights and scores are summed over all blocks."""
    codes = np.random.default_rng(2).integers(0, groups, ROWS)
    weight, score = np.random.default_rng(3).integers(1, 9, (2, ROWS)).astype(np.float64)
    counts = OutcomeCounts.from_arrays(
        Y_TRUE, sensitive_features=codes, sample_weight=weight, y_score=score
    )
    summands = {
        "cells": weight,
        "weight_squares": weight**2,
        "score_sums": weight * score,
        "score_squares": weight * score**2,
    }
    for name, summand in summands.items():
        table = np.zeros((groups, 2))
        np.add.at(table, (codes, Y_TRUE), summand)
        assert np.array_equal(getattr(counts, name)[:, :, 0, 0], table), name


@pytest.mark.parametrize("rows", [2**18 + 1, 2**19 + 77, 2**20])
@pytest.mark.parametrize("low", [0, 1, -7])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_columns_of_two_keys_in_single_bytes(rows: int, low: int, share: float) -> None:
    """They are counted as packed bits; the cells are those of any other way."""
    draws = np.random.default_rng(rows)
    bits = [(draws.random(rows) < chance).astype(np.int8) for chance in (0.5, 0.2, share, 0.7)]
    names = ("y_true", "y_pred", "y_corrected")
    labels = dict(zip(names, bits[1:], strict=True))
    counts = OutcomeCounts.from_arrays(**labels, sensitive_features=bits[0] + np.int8(low))
    cells = np.zeros((2, 2, 2, 2), dtype=np.int64)
    np.add.at(cells, tuple(bits), 1)
    assert counts.groups == (low, low + 1)
    assert np.array_equal(counts.cells, cells)


def drawn(sizes: list[int], rows: int, dtype: str, low: int, seed: int) -> list[Column]:
    """Columns of so many keys, whose last keys are rare."""
    draws = np.random.default_rng(seed)
    codes = [
        (draws.random(rows) ** 3 * size).astype(dtype) + np.array(low, dtype) for size in sizes
    ]
    return [Column(code, low, list(range(size))) for code, size in zip(codes, sizes, strict=True)]


def assert_plainly_counted(columns: list[Column]) -> None:
    """Fail where a cell is not what one plain count of all rows says."""
    shape = tuple(len(column.keys) for column in columns)
    codes = [column.codes.astype(np.int64) - column.low for column in columns]
    plain = np.bincount(np.ravel_multi_index(codes, shape), minlength=np.prod(shape))
    counts = fill(columns, None, None).counts
    assert counts.dtype == np.int64
    assert np.array_equal(counts, plain.reshape(shape))


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(
    groups=st.one_of(st.integers(1, 130), st.integers(131, 700)),
    labels=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    rows=st.integers(60_000, 150_000),
    dtype=st.sampled_from(["int16", ">i2", "int32", "uint32", "int64"]),
    low=st.sampled_from([0, 1, 300]),
)
def test_several_rows_at_once(
    groups: int, labels: list[int], rows: int, dtype: str, low: int
) -> None:
    """Rows are counted in twos, threes or more, whatever rest they leave, as one by one."""
    assert_plainly_counted(drawn([groups, *labels], rows, dtype, low, rows))


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(
    groups=st.integers(1, 100),
    labels=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    rows=st.integers(262_140, 300_000),
    kind=st.sampled_from([("int8", 0), ("int8", 27), ("int8", -1), ("int8", -128), ("uint8", 150)]),
)
def test_single_bytes(groups: int, labels: list[int], rows: int, kind: tuple[str, int]) -> None:
    """Codes of single bytes are counted as one by one, packed or several rows at once."""
    assert_plainly_counted(drawn([groups, *labels], rows, *kind, rows))


@pytest.mark.parametrize(("groups", "dtype"), [(3, "int8"), (10, "int8"), (100, "int64")])
@pytest.mark.parametrize("rest", [-1, 0, 1])
def test_rows_of_more_than_one_block(groups: int, dtype: str, rest: int) -> None:
    """Blocks of a million rows and what is left of the last are all counted."""
    assert_plainly_counted(drawn([groups, 2, 2], 2**21 + rest, dtype, 0, groups))
