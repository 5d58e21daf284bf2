"""Columns and frames of any library, as integer codes with a short list of keys.

Every other module works on what this one returns, so only this module knows
dataframe libraries. A column becomes codes and keys: row ``i`` holds
``keys[codes[i] - low]``. Keys are plain Python scalars, ``None`` stands for a
missing value, and keys that no row holds may be listed too: counting decides
which were seen. Integers and categories are their own codes and cost nothing.

>>> encode(["b", "a", None, "b"]).keys
['b', 'a', None]
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute

from skfair_ofi._validation import ColumnNames, check_choice, gather_names, show_values

from ._engines import check_names

# Integer columns whose values span less than this are used as codes directly.
_MAX_SPAN = 4096
_MAX_INT64 = 2**63 - 1
# An object column with more distinct objects than this among its first rows
# holds one object a row, and hashing the pointers first would be wasted.
_SAMPLE, _MAX_SAMPLE_OBJECTS = 4096, 512
# As many distinct values are told apart one by one, without a hash table.
_FEW, _FEW_SAMPLE = 5, 64
# More distinct values than this in a column of labels are a mistake, and would make a huge table.
_MAX_LABELS = 64
# Rows whose intermediate arrays stay in the second-level cache.
_BLOCK = 1 << 16


# Not frozen: a short call would spend a twentieth of its time on making it so.
@dataclass(slots=True)
class Column:
    """One column as codes: row ``i`` holds ``keys[codes[i] - low]``; nobody changes it."""

    codes: np.ndarray
    low: int
    keys: list[Hashable]

    def __len__(self) -> int:
        return len(self.codes)


def simplify_key(key: Any) -> Hashable:
    """Return a key as a plain Python scalar, or None where it is missing."""
    if type(key) in (str, int, bool):
        return key  # type: ignore[no-any-return]
    if isinstance(key, pa.MonthDayNano):  # as DuckDB hands over lengths of time
        if key.months:
            raise pa.ArrowInvalid("months differ in length")
        return timedelta(days=key.days, microseconds=key.nanoseconds // 1000)
    if isinstance(key, tuple):
        return tuple(simplify_key(part) for part in key)
    if isinstance(key, np.generic):
        key = key.item()
    if key is None or (pd.api.types.is_scalar(key) and pd.isna(key)):
        return None
    hash(key)
    return key  # type: ignore[no-any-return]


def _restore_integers(keys: list[Hashable]) -> list[Hashable]:
    """Whole floats as integers: missing values made them floats."""
    if all(isinstance(key, float) and key.is_integer() for key in keys if key is not None):
        return [key if key is None else int(key) for key in keys]  # type: ignore[call-overload]
    return keys


def _simplify_keys(keys: Iterable[Any]) -> list[Hashable]:
    return _restore_integers([simplify_key(key) for key in keys])


def _factorize_blocks(
    rows: int, factorize: Callable[[slice], tuple[np.ndarray, Iterable[Any]]]
) -> Column:
    """Factorize a block of rows at a time, in the cache, and merge the blocks' keys."""
    codes = np.empty(rows, dtype=np.int32)
    merged: dict[Hashable, int] = {}  # a key's place in the result
    for start in range(0, rows, _BLOCK):
        block = slice(start, start + _BLOCK)
        # Codes of a block count from 0; `places` says what each is in the whole column.
        local, keys = factorize(block)
        places = [merged.setdefault(key, len(merged)) for key in map(simplify_key, keys)]
        if rows <= _BLOCK and len(merged) == len(places):  # one block, none of its keys alike
            return Column(local, 0, _restore_integers(list(merged)))
        np.take(np.array(places, dtype=np.int32), local, out=codes[block])
    return Column(codes, 0, _restore_integers(list(merged)))


def _factorize(values: np.ndarray) -> Column:
    return _factorize_blocks(
        len(values), lambda block: pd.factorize(values[block], use_na_sentinel=False)
    )


def _encode_integers(values: np.ndarray) -> Column:
    if values[0] in (0, 1) and np.bitwise_or.reduce(values) == 1:  # in one pass: only 0 and 1
        return Column(values, 0, [0, 1])
    low, high = int(np.minimum.reduce(values)), int(np.maximum.reduce(values))
    if high - low < _MAX_SPAN and high <= _MAX_INT64:
        return Column(values, low, list(range(low, high + 1)))
    return _factorize(values)


def _encode_floats(values: np.ndarray) -> Column:
    low, high = float(values.min()), float(values.max())
    if high - low < _MAX_SPAN and low.is_integer():
        steps = (values - low).astype(np.int16)
        if np.array_equal(steps + low, values):
            return Column(steps, 0, list(range(int(low), int(high) + 1)))
    return _factorize(values.astype(np.float64, copy=False))


def _count_first(compared: np.ndarray) -> int:
    """How many distinct values the first rows hold."""
    return len(set(compared[:_FEW_SAMPLE].tolist()))


def _encode_few(values: np.ndarray, compared: np.ndarray, sampled: int) -> Column | None:
    """Codes of few distinct values, each compared with all rows; None where that takes long."""
    if len(values) > _BLOCK or sampled > _FEW:
        return None
    codes = np.zeros(len(values), dtype=np.int8)
    left = np.ones(len(values), dtype=bool)  # rows that have no code yet
    merged: dict[Hashable, int] = {}
    for _ in range(_FEW + 1):
        row = int(left.argmax())
        if not left[row]:
            return Column(codes, 0, _restore_integers(list(merged)))
        same = compared == compared[row]
        # Other pointers may hold an equal object, which has its place already.
        place = merged.setdefault(simplify_key(values[row]), len(merged))
        if place:
            codes[same] = place
        left ^= same
    return None


def _is_shared(pointers: np.ndarray, sampled: int) -> bool:
    """Whether rows share objects, by the first of them."""
    # Of few rows those that were sampled must do; of many, a larger sample pays.
    if len(pointers) <= _BLOCK and 2 * sampled <= _FEW_SAMPLE:
        return len(pointers) >= _FEW_SAMPLE
    return len(pointers) >= _SAMPLE and len(pd.unique(pointers[:_SAMPLE])) <= _MAX_SAMPLE_OBJECTS


def _encode_objects(values: np.ndarray) -> Column:
    """Factorize pointers where rows share objects, as strings mostly do, else the objects."""
    # a view of integers, which keeps the objects alive
    pointers = np.frombuffer(np.ascontiguousarray(values), dtype=np.intp)
    sampled = _count_first(pointers)
    few = _encode_few(values, pointers, sampled)
    if few is not None:
        return few
    if not _is_shared(pointers, sampled):
        return _factorize(values)

    def factorize(block: slice) -> tuple[np.ndarray, np.ndarray]:
        codes, _ = pd.factorize(pointers[block])
        # Codes are given in order of appearance: a new maximum is a first appearance.
        seen = np.maximum.accumulate(codes)
        first = [0, *(np.flatnonzero(seen[1:] != seen[:-1]) + 1).tolist()]
        return codes, values[block][first]

    return _factorize_blocks(len(values), factorize)


def _encode_dictionary(values: pa.DictionaryArray) -> Column:
    keys, indices = _simplify_keys(values.dictionary.to_pylist()), values.indices
    kind = values.dictionary.type
    if pa.types.is_decimal(kind) and kind.scale == 0:  # which is how DuckDB hands over HUGEINT
        keys = [key if key is None else int(key) for key in keys]  # type: ignore[call-overload]
    if indices.null_count == 0:
        return Column(indices.to_numpy(), 0, keys)
    # Signed first: polars' codes are unsigned and have no -1.
    codes = indices.cast(pa.int64()).fill_null(-1)
    return Column(codes.to_numpy(), -1, [None, *keys])


def _encode_arrow(values: pa.Array) -> Column:
    if pa.types.is_dictionary(values.type):
        return _encode_dictionary(values)
    if values.null_count == 0 and (
        pa.types.is_integer(values.type)
        or pa.types.is_floating(values.type)
        or pa.types.is_boolean(values.type)
    ):
        return _encode_array(values.to_numpy(zero_copy_only=False))
    return _encode_dictionary(values.dictionary_encode())


def _encode_array(values: np.ndarray) -> Column:
    match values.dtype.kind:
        case "b":
            return Column(values.view(np.uint8), 0, [False, True])
        case "i" | "u":
            return _encode_integers(values)
        case "f":
            return _encode_floats(values)
        case "O":
            return _encode_objects(values)
        case "U":
            return _encode_few(values, values, _count_first(values)) or _encode_arrow(
                pa.array(values)
            )
        case _:
            return _encode_arrow(pa.array(values))


def _combine_chunks(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    if not isinstance(values, pa.ChunkedArray):
        return values
    if values.num_chunks == 1:
        return values.chunk(0)
    if pa.types.is_dictionary(values.type):
        values = values.unify_dictionaries()
    return values.combine_chunks()


def _encode_pandas(values: pd.Series) -> Column:
    # the array inside: a series looks up each attribute in its index, too, which takes long
    dtype, held = values.dtype, values.array
    if isinstance(dtype, pd.StringDtype):
        # by the function's name: the array's own method takes long to say how
        text = _combine_chunks(held.__arrow_array__())
        return _encode_dictionary(compute.call_function("dictionary_encode", [text]))
    if isinstance(held, pd.Categorical):
        codes, keys = held.codes, _simplify_keys(held.categories.tolist())
        missing = np.minimum.reduce(codes) < 0
        return Column(codes, -1, [None, *keys]) if missing else Column(codes, 0, keys)
    if isinstance(dtype, np.dtype | pd.SparseDtype):
        return _encode_array(np.asarray(held))
    if isinstance(dtype, pd.ArrowDtype) or pd.api.types.is_numeric_dtype(dtype):
        return _encode_arrow(_combine_chunks(pa.array(held)))
    return _encode_objects(values.to_numpy(dtype=object))


def _flatten(array: np.ndarray, name: str) -> np.ndarray:
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got an array of shape {array.shape}.")
    return array


def _as_array(values: Any, name: str) -> np.ndarray:
    """Any other array-like; lists go through objects, since NumPy would make None a string."""
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise ValueError(f"{name} must be a one-dimensional array-like, got {values!r}.")
    if isinstance(values, list | tuple):
        return np.fromiter(values, dtype=object, count=len(values))
    if hasattr(values, "tocsr"):
        raise ValueError(f"{name} must be dense, got a sparse {type(values).__name__}.")
    if isinstance(values, np.ma.MaskedArray):
        # what is masked is missing
        mask, values = np.ma.getmaskarray(values), values.data.astype(object)
        values[mask] = None
    return _flatten(np.asarray(values), name)


def _encode_foreign(values: Any, name: str) -> Column:
    """A column of another library, as far as narwhals knows it."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return _encode_array(_as_array(values, name))
    if series.dtype == nw.Object:
        return _encode_array(_as_array(series.to_list(), name))
    return _encode_arrow(_combine_chunks(series.to_arrow()))


def _encode_column(values: Any, name: str) -> Column:
    if isinstance(values, pd.Series):
        return _encode_pandas(values)
    if isinstance(values, pd.Index | pd.api.extensions.ExtensionArray):
        return _encode_pandas(pd.Series(values))
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return _encode_arrow(_combine_chunks(values))
    if isinstance(values, np.ndarray | list | tuple):
        return _encode_array(_as_array(values, name))
    return _encode_foreign(values, name)


def encode(values: Any, name: str = "values") -> Column:
    """Return a column of any library as codes and keys."""
    if values.ndim == 0 if isinstance(values, np.ndarray) else not hasattr(values, "__len__"):
        raise ValueError(f"{name} must be a one-dimensional array-like, got {values!r}.")
    # a sparse matrix has no length, and pandas takes long to say that a series is none
    dense = isinstance(values, np.ndarray | pd.Series) or not hasattr(values, "tocsr")
    if dense and len(values) == 0:
        raise ValueError(f"{name} must have at least one row, got none.")
    try:
        if type(values) is np.ndarray:  # as most often, and quickly asked
            return _encode_array(_flatten(values, name))
        return _encode_column(values, name)
    except TypeError as error:
        raise ValueError(f"{name} must hold hashable values, got {error}.") from error
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        kind = getattr(values, "dtype", getattr(values, "type", type(values).__name__))
        raise ValueError(f"{name} must hold plain values, got {kind}: {error}.") from error


def _split_features(features: Any) -> tuple[tuple[str, ...] | None, list[Any]]:
    """Names, where known, and columns of what was given as sensitive features."""
    if isinstance(features, np.ndarray) and features.ndim == 1:
        return None, [features]
    if isinstance(features, Mapping):
        return tuple(map(str, features)), list(features.values())
    series = isinstance(features, pd.Series)  # asked first: narwhals takes long to say so
    frame = (
        features
        if series
        else nw.from_native(features, eager_only=True, allow_series=True, pass_through=True)
    )
    if isinstance(frame, nw.DataFrame):
        return tuple(map(str, frame.columns)), [
            column.to_native() for column in frame.iter_columns()
        ]
    if isinstance(features, list | tuple) and features and isinstance(features[0], list):
        features = np.array(features, dtype=object)
    if isinstance(features, np.ndarray) and features.ndim == 2:
        return None, list(features.T)
    name = getattr(features, "name", None)
    return (name,) if isinstance(name, str) else None, [features]


def encode_features(features: Any) -> tuple[Column, tuple[str, ...] | None]:
    """Return the groups of one or several sensitive features, and the features' names.

    Several features give tuples as keys, so that no joined text can collide.
    """
    names, columns = _split_features(features)
    if not columns:
        raise ValueError("sensitive_features must have at least one column, got none.")
    parts = [encode(column, "sensitive_features") for column in columns]
    return (parts[0] if len(parts) == 1 else _cross(parts)), names


def _cross_block(
    left: Column, right: Column, block: slice
) -> tuple[np.ndarray, list[tuple[Any, ...]]]:
    """Codes and pairs of keys of one block; the left column's keys are tuples."""
    before: list[Any] = left.keys
    width = len(right.keys)
    # A pair of keys is one number, so that only pairs that occur are ever made.
    codes = left.codes[block].astype(np.int64) * width
    codes += right.codes[block].astype(np.int64) - right.low
    codes, seen = pd.factorize(codes)
    pairs = [divmod(code, width) for code in seen.tolist()]
    return codes, [(*before[i], right.keys[k]) for i, k in pairs]


def _cross(parts: list[Column]) -> Column:
    if len({len(part) for part in parts}) > 1:
        lengths = [len(part) for part in parts]
        raise ValueError(f"sensitive_features must have columns of one length, got {lengths}.")
    crossed = Column(np.zeros(len(parts[0]), dtype=np.int8), 0, [()])
    for part in parts:
        crossed = _factorize_blocks(len(part), partial(_cross_block, crossed, part))
    return crossed


def read_floats(values: Any, name: str) -> np.ndarray:
    """Return a column as finite float64 numbers."""
    if not isinstance(values, np.ndarray):
        series = nw.from_native(values, series_only=True, pass_through=True)
        values = series.to_numpy() if isinstance(series, nw.Series) else np.asarray(values)
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers, got {error}.") from error
    result = _flatten(numbers, name)
    if not np.isfinite(result).all():
        bad = np.flatnonzero(~np.isfinite(result))
        raise ValueError(f"{name} must be finite, got {result[bad[0]]} at row {bad[0]}.")
    return result


def _is_plain_pandas(frame: Any) -> bool:
    """Whether pandas can be asked directly, which takes a tenth of the time: scorers do often."""
    return type(frame) is pd.DataFrame and frame.columns.is_unique


def list_columns(frame: Any) -> list[str] | None:
    """Return the column names of a frame of any library, or None for anything else."""
    if _is_plain_pandas(frame):
        return list(frame.columns)
    check_names(frame)
    wrapped = nw.from_native(frame, pass_through=True)
    if isinstance(wrapped, nw.DataFrame):
        return list(wrapped.columns)
    if isinstance(wrapped, nw.LazyFrame):
        return list(wrapped.collect_schema().names())
    return None


def get_columns(frame: Any, names: Sequence[str]) -> list[Any] | None:
    """Return columns of an eager frame in its own library, or None where it is lazy."""
    if _is_plain_pandas(frame):
        return [frame[name] for name in names]
    wrapped = nw.from_native(frame)
    if isinstance(wrapped, nw.LazyFrame):
        return None
    return [wrapped.get_column(name).to_native() for name in names]


def drop_columns(frame: Any, names: Sequence[str]) -> Any:
    """Return an eager frame without some of its columns, in its own library."""
    return nw.from_native(frame, eager_only=True).drop(list(names)).to_native()


def take_rows(values: Any, rows: np.ndarray) -> Any:
    """Return some rows of a frame, series, array, sparse matrix, list or mapping of columns."""
    if hasattr(values, "tocsr"):  # first: a sparse matrix of keys is a mapping, too
        return values.tocsr()[rows]
    if isinstance(values, Mapping):
        return {name: take_rows(column, rows) for name, column in values.items()}
    if isinstance(values, np.ndarray):
        return values[rows]
    native = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame | nw.Series):
        return native[rows.tolist()].to_native()
    if hasattr(values, "__array__"):
        return np.asarray(values)[rows]
    return [values[row] for row in rows]


def read_booleans(values: Any, name: str) -> np.ndarray:
    """Return a column as booleans."""
    column = encode(values, name)
    codes = column.codes.astype(np.intp) - column.low
    used = [column.keys[code] for code in np.unique(codes)]
    if not all(isinstance(key, bool) for key in used):
        raise ValueError(f"{name} must hold True and False only, got {used[:3]!r}.")
    return np.array([key is True for key in column.keys])[codes]


def check_columns(frame: Any, wanted: Mapping[str, Any]) -> None:
    """Raise where a parameter names a column that a frame does not have."""
    columns = list_columns(frame)
    if columns is None:
        raise ValueError(f"frame must be a data frame, got {type(frame).__name__}.")
    for parameter, names in wanted.items():
        for name in (names,) if isinstance(names, str) else names or ():
            check_choice(parameter, name, columns)


def check_weights(sample_weight: Any) -> np.ndarray:
    """Return weights as finite, non-negative float64 numbers."""
    weight = read_floats(sample_weight, "sample_weight")
    if len(weight) and weight.min() < 0:
        raise ValueError(f"sample_weight must not be negative, got {weight.min()}.")
    return weight


def check_labels(column: Column, name: str) -> Column:
    """Return a column of labels, refusing one that has far too many values to be labels."""
    if len(column.keys) <= _MAX_LABELS:
        return column
    codes, seen = pd.factorize(column.codes)
    keys = [column.keys[code - column.low] for code in seen.tolist()]
    if len(keys) > _MAX_LABELS:
        raise ValueError(f"{name} must hold two labels, got {len(keys)}: {show_values(keys)}.")
    return Column(codes, 0, keys)


def select_columns(X: Any, names: ColumnNames) -> dict[str, Any]:
    """Return the sensitive columns of an eager frame."""
    listed = gather_names(names)
    # pandas is asked for each column: listing all of them takes longer
    if not (_is_plain_pandas(X) and all(name in X.columns for name in listed)):
        columns = list_columns(X)
        if columns is None:
            raise ValueError(
                f"X must be a data frame with the columns {listed} of sensitive_features, "
                f"got {type(X).__name__}."
            )
        for name in listed:
            check_choice("sensitive_features", name, columns)
    return dict(zip(listed, get_columns(X, listed) or (), strict=True))
