"""Columns as codes and keys: each row keeps its value, whichever way the column is read."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from skfair_ofi import OutcomeCounts
from skfair_ofi._validation import sort_keys
from skfair_ofi.counts import encode


class Name(str):
    """Text of a type of its own."""

    __slots__ = ()


NAMES = [f"group {i}" for i in range(12)]
# Equal values of several types, missing ones of several kinds, and pairs; the text comes first,
# since whole numbers alone are read as integers.
MIXED = ["text", 1, True, 1.0, "1", np.int64(2), 2.5, np.str_("a"), Name("a"), "a", (1, "a")]
MISSING = [None, float("nan"), pd.NA, pd.NaT]


def as_object(values: Sequence[Any]) -> np.ndarray:
    """A column of the very objects."""
    return np.fromiter(values, dtype=object, count=len(values))


def decoded(values: Any) -> list[Hashable]:
    """The key of each row."""
    column = encode(values)
    return [column.keys[code] for code in (column.codes.astype(int) - column.low).tolist()]


def first_alike(values: Sequence[Any]) -> list[Hashable]:
    """The first of the values that are equal to each row's, None where it is missing."""
    known: dict[Hashable, Hashable] = {}
    plain = [None if any(value is gap for gap in MISSING) else value for value in values]
    return [known.setdefault(value, value) for value in plain]


def typed(values: Sequence[Hashable]) -> list[tuple[Hashable, type]]:
    """Values with the Python types that they stand for."""
    plain = [value.item() if isinstance(value, np.generic) else value for value in values]
    return [(value, type(value)) for value in plain]


@pytest.mark.parametrize("repeat", [1, 40])
@given(values=st.lists(st.sampled_from([*MIXED, *MISSING]), max_size=80))
@settings(max_examples=80, deadline=None)
def test_objects_of_mixed_types(values: list[Any], repeat: int) -> None:
    """Equal objects are one key, the first of them, in few rows and in many, few kinds and many."""
    rows = ["text", *values] * repeat
    assert typed(decoded(as_object(rows))) == typed(first_alike(rows))


@pytest.mark.parametrize("rows", [63, 64, 1000, 70_000])
@pytest.mark.parametrize("kinds", [2, 5, 6, 12])
def test_objects_that_rows_share(rows: int, kinds: int) -> None:
    """Any number of rows and of shared objects is read alike, in a strided column, too."""
    values = as_object(NAMES)[np.random.default_rng(0).integers(0, kinds, rows)]
    assert decoded(values) == values.tolist()
    assert decoded(np.repeat(values, 2)[::2]) == values.tolist()


texts = st.lists(st.sampled_from(["a", "b", "", "Ä", "group 1", "group 10", None]), min_size=1)


@pytest.mark.parametrize("dtype", [pd.StringDtype("pyarrow"), pd.StringDtype("python"), "category"])
@given(values=texts)
@settings(max_examples=60, deadline=None)
def test_text_and_categories(values: list[Any], dtype: Any) -> None:
    """Columns of text and of categories hold what they were made of, missing rows or none."""
    assert decoded(pd.Series(as_object(values), dtype=object).astype(dtype)) == values


@given(values=texts, first=st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_slices_of_text(values: list[Any], first: int) -> None:
    """Rows of a longer column of text are its rows, in one piece of memory or in two."""
    column = pd.Series([*["before"] * first, *values], dtype=pd.StringDtype("pyarrow"))
    assert decoded(column.iloc[first:]) == values
    assert decoded(pd.concat([column, column]).iloc[first:]) == [*values, *decoded(column)]


@given(values=texts, unused=st.lists(st.sampled_from("xyz"), unique=True))
@settings(max_examples=60, deadline=None)
def test_tables_of_categories(values: list[Any], unused: list[str]) -> None:
    """Categories count as the text they name does, and those that no row holds are no groups."""
    known = dict.fromkeys(value for value in values if value is not None)
    groups = pd.Categorical(values, categories=[*unused, *known])
    tables = [
        OutcomeCounts.from_arrays(
            y_pred=np.arange(len(values)) % 2, sensitive_features=column, missing_groups="group"
        )
        for column in (groups, as_object(values))
    ]
    assert tables[0] == tables[1]
    assert tables[0] == OutcomeCounts.from_dict(tables[0].to_dict())


parts = st.sampled_from(["a", "b", None])
keys = st.one_of(
    st.lists(parts, unique=True),
    st.lists(st.one_of(st.none(), st.integers(0, 9)), unique=True),
    st.lists(st.tuples(parts, st.one_of(st.none(), st.integers(0, 2))), unique=True),
)


@given(keys)
@settings(max_examples=200, deadline=None)
def test_order_of_keys(given_keys: list[Any]) -> None:
    """Keys are sorted with the missing ones last, and so is each part of crossed ones."""

    def rank(key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(map(rank, key))
        return (True, 0) if key is None else (False, key)

    assert sort_keys(given_keys) == tuple(sorted(given_keys, key=rank))


def test_keys_that_do_not_sort() -> None:
    """Keys of types that do not compare stay in the order given."""
    assert sort_keys(["b", 1, None, "a"]) == ("b", 1, None, "a")
