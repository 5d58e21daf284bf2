"""Frames that run in an engine: what narwhals must be told of each, and their one query.

An engine counts the distinct rows and hands over no others. What it would swallow,
such as missing weights, or take for something else, such as names that differ by case
only, is refused here.

>>> import duckdb
>>> people = duckdb.sql("SELECT 'a' AS sex, 1 AS hired")
>>> columns, found = group_frame(people, ["sex", "hired"], None, None)
>>> [column.to_pylist() for column in columns], found["n"].tolist()
([['a'], [1]], [1])
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa

_SUMS: dict[str, Callable[[nw.Expr, nw.Expr], nw.Expr]] = {
    "w": lambda w, s: w,
    "ww": lambda w, s: w * w,
    "ws": lambda w, s: w * s,
    "wss": lambda w, s: w * s * s,
}
_UNWEIGHTED = ("ws", "wss")
# Backends of Ibis for which "G" and "g" are one name, even in quotes.
_IGNORE_CASE = frozenset(
    ("athena", "bigquery", "databricks", "duckdb", "mssql", "mysql", "pyspark", "sqlite", "trino")
)


def _get_package(frame: Any) -> str:
    return type(frame).__module__.partition(".")[0]


def _list_names(frame: Any) -> list[Hashable]:
    """Column names of the libraries whose frames can have one name twice."""
    match _get_package(frame):
        case "pyarrow":
            return list(frame.schema.names) if hasattr(frame, "schema") else []
        case "pandas" | "dask" | "pyspark":
            return list(getattr(frame, "columns", ()))
        case _:
            return []


def _find_repeated(names: Iterable[Hashable]) -> list[Hashable]:
    return [name for name, times in Counter(names).items() if times > 1]


def check_names(frame: Any) -> None:
    """Refuse a frame in which two columns have one name."""
    if names := _find_repeated(_list_names(frame)):
        raise ValueError(f"Column names must differ from one another, got {names} twice.")


def _check_case(names: Sequence[str], engine: str) -> None:
    alike = set(_find_repeated(name.casefold() for name in names))
    if alike:
        found = [name for name in names if name.casefold() in alike]
        raise ValueError(f"Column names must differ in more than case for {engine}, got {found}.")


def adapt_frame(frame: Any) -> Any:
    """Return data of pyarrow that narwhals does not know as a frame; others as given."""
    if type(frame) is pd.DataFrame:
        return frame
    if type(frame).__module__.startswith("pyarrow._dataset"):
        import duckdb

        check_names(frame)
        _check_case(frame.schema.names, "DuckDB, which reads datasets")
        return duckdb.from_arrow(frame)
    if isinstance(frame, pa.RecordBatch):
        return pa.Table.from_batches([frame])
    if isinstance(frame, pa.RecordBatchReader):
        raise ValueError(  # noqa: TRY004 - as for any other value
            "frame must be a data frame, got a RecordBatchReader: duckdb.from_arrow(reader) makes "
            "one of it."
        )
    if isinstance(frame, str | PurePath):
        raise ValueError(  # noqa: TRY004
            f"frame must be a data frame, got {str(frame)!r}: duckdb.read_parquet(path) and "
            "duckdb.read_csv(path) make one of a file."
        )
    if _get_package(frame) == "ibis" and hasattr(frame, "get_backend"):
        backend = frame.get_backend().name
        if backend in _IGNORE_CASE:
            _check_case(frame.columns, backend)
    return frame


def rename_columns(frame: Any) -> tuple[Any, dict[str, str]]:
    """Return a frame whose columns can be named in its engine, and what each is called there.

    Spark reads dots and backticks in names as syntax, and does not tell names apart by case.
    """
    if _get_package(frame) != "pyspark" or not hasattr(frame, "toDF"):
        return frame, {}
    check_names(frame)
    names = frame.columns
    if all(map(re.compile(r"\w+").fullmatch, names)) and not _find_repeated(
        map(str.casefold, names)
    ):
        return frame, {}
    called = {name: f"c{i}" for i, name in enumerate(names)}
    return frame.toDF(*called.values()), called


def _find_dask_floats(frame: nw.LazyFrame[Any]) -> set[str]:
    """Columns in which Dask fails to group 0.0 and -0.0, which are one key."""
    if not frame.implementation.is_dask():
        return set()
    return {name for name, dtype in frame.collect_schema().items() if dtype.is_float()}


def _select_columns(
    frame: Any, called: Mapping[str, str], keys: Mapping[str, str], numbers: Mapping[str, str]
) -> Any:
    """The columns to group by and those to sum, under names of our own."""
    people = nw.from_native(frame).lazy()
    signed = _find_dask_floats(people)

    def column(name: str) -> nw.Expr:
        expr = nw.col(called.get(name, name))
        return expr + 0.0 if name in signed else expr  # makes 0.0 of -0.0

    return people.select(
        *(column(name).alias(key) for key, name in keys.items()),
        *(column(name).cast(nw.Float64).alias(key) for key, name in numbers.items()),
        # Without weights, a sum of w*s is a sum of s.
        *([nw.lit(1.0).alias("w")] if set(numbers) == {"s"} else []),
    )


def group_frame(
    frame: Any,
    names: Sequence[str],
    weight: str | None,
    score: str | None,
    *,
    titles: Mapping[str, str] | None = None,
) -> tuple[list[Any], dict[str, np.ndarray]]:
    """Count the distinct rows of a lazy frame in its own engine.

    Raw columns are grouped, since engines disagree about missing values and
    booleans once labels are mapped inside them; only the distinct rows return.
    """
    frame, called = rename_columns(frame)
    keys = {f"k{i}": name for i, name in enumerate(names)}
    numbers = {key: name for key, name in (("w", weight), ("s", score)) if name is not None}
    # Of the four sums, those that the columns at hand allow, and that the table stores.
    wanted = [key for key in _SUMS if set(key) <= set(numbers) or (key in _UNWEIGHTED and score)]
    rows = _select_columns(frame, called, keys, numbers)
    if wanted:
        sums = (_SUMS[key](nw.col("w"), nw.col("s")).alias(f"sum_{key}") for key in wanted)
        rows = rows.with_columns(*sums)
    # Known numbers, least and largest: a sum alone would not say what it left out.
    aggregates = [
        nw.len().alias("n"),
        *(nw.col(f"sum_{key}").sum() for key in wanted),
        *(nw.col(key).count().alias(f"{key}_known") for key in numbers),
        *(nw.col(key).min().alias(f"{key}_min") for key in numbers),
        *(nw.col(key).max().alias(f"{key}_max") for key in numbers),
    ]
    try:
        table = rows.group_by(*keys).agg(*aggregates).collect("pyarrow")
    except pa.ArrowNotImplementedError as error:
        raise ValueError(f"frame must hold columns that can be handed over: {error}.") from error
    found = {key: table.get_column(f"sum_{key}").to_numpy() for key in wanted}
    found["n"] = table.get_column("n").to_numpy().astype(np.int64)
    if len(table):
        _check_sums(table, found, numbers | dict(titles or {}))
    return [table.get_column(key).to_native() for key in keys], found


def _check_sums(
    table: nw.DataFrame[Any], found: dict[str, np.ndarray], titles: dict[str, str]
) -> None:
    """Refuse what a sum would have swallowed: engines skip missing numbers."""
    for key, name in titles.items():
        missing = int((found["n"] - table.get_column(f"{key}_known").to_numpy()).sum())
        if missing:
            raise ValueError(f"{name} must not contain missing values, got {missing} missing.")
        low, high = (table.get_column(f"{key}_{end}").to_numpy() for end in ("min", "max"))
        total = found["w" if key == "w" else "wss"]
        # Of an infinite score of weight 0, pandas' sum leaves the NaN out.
        for values, what in ((total, "a sum of "), (low, ""), (high, "")):
            if not np.isfinite(values).all():
                raise ValueError(f"{name} must be finite, got {what}{values.sum()}.")
    if "w" in titles and (least := table.get_column("w_min").to_numpy().min()) < 0:
        raise ValueError(f"{titles['w']} must not be negative, got {least}.")
