"""Data in pieces, for models and functions that take eager frames.

Files are read twice, a piece at a time: first to see which columns of CSV hold
nothing but numbers, then to hand them on, so a file may be larger than memory.
Only models and functions see such numbers: what the audit itself asks of a cell
does not hang on whether there is a model.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from skfair_ofi import _predicate_frames as frames
from skfair_ofi._predicate_frames import ColumnKind

from ._sources import Source

_ROWS, _ALL = 1 << 16, 1 << 62


def _tables(source: Source, columns: Mapping[str, ColumnKind], *, whole: bool) -> Iterator[Any]:
    """Arrow tables of a lazy frame, named as the user names the columns."""
    wanted = [kind.source for kind in columns.values()]
    if whole or source.connection is None:
        table = pa.table(
            dict(zip(columns, frames.arrow_columns(source.frame, wanted), strict=True))
        )
        yield from frames.slices(table, _ALL if whole else _ROWS)
        return
    relation = source.frame.project(", ".join(wanted))
    # Its name changed twice since DuckDB 1.2.
    names = ("to_arrow_reader", "fetch_record_batch", "fetch_arrow_reader")
    reader = getattr(relation, next(name for name in names if hasattr(relation, name)))(_ROWS)
    # Without any row there is still a table, whose columns can be looked at.
    first = next(reader, None)
    pieces = [] if first is None else [first]
    yield pa.Table.from_batches(pieces, reader.schema).rename_columns(list(columns))
    for batch in reader:
        yield pa.Table.from_batches([batch]).rename_columns(list(columns))


def _looks(cells: Any) -> np.ndarray:
    """Whether text is whole numbers, is what these are written as, and is numbers at all."""
    try:
        whole = cells.cast(pa.int64())
    except pa.ArrowException:
        try:
            cells.cast(pa.float64())
        except pa.ArrowException:
            return np.array([False, False, False])
        return np.array([False, False, True])
    return np.array([True, whole.cast(cells.type).equals(cells), True])


def _number_types(tables: Iterator[Any], names: Sequence[str]) -> dict[str, Any]:
    """The types of columns of text that hold only numbers, but for whole ones such as 01."""
    looks = {name: np.ones(3, dtype=bool) for name in names}
    for table in tables:
        for name, look in looks.items():
            if look.any():
                np.logical_and(look, _looks(table.column(name)), out=look)
    types = {}
    for name, (whole, same, number) in looks.items():
        if number and (same or not whole):
            types[name] = pa.int64() if whole else pa.float64()
    return types


def _as_numbers(table: Any, types: Mapping[str, Any]) -> Any:
    for name, kind in types.items():
        place = table.column_names.index(name)
        table = table.set_column(place, name, table.column(name).cast(kind))
    return table


def batches(
    source: Source, names: Sequence[str], shown: Sequence[str], *, whole: bool
) -> Iterator[tuple[Any, Any, dict[str, ColumnKind]]]:
    """Yield the data as eager frames, and what their columns hold by the user's names.

    Predicates and groups are asked of the first frame, where a cell of CSV is
    the text that the file holds, just as without a model; models and functions
    see the second, where a column of nothing but numbers is one of numbers.
    """
    columns = {name: source.columns[name] for name in names if name in source.columns}
    if not frames.is_lazy(source.frame):
        for piece in frames.slices(source.frame, _ALL if whole else _ROWS):
            yield piece, piece, columns
        return
    cells = {name: columns[name] for name in shown if columns[name].kind == "cell"}
    types = _number_types(_tables(source, cells, whole=whole), list(cells)) if cells else {}
    named = {name: replace(kind, source=name) for name, kind in columns.items()}
    for table in _tables(source, columns, whole=whole):
        yield table, frames.pandas_frame(_as_numbers(table.select(list(shown)), types)), named
