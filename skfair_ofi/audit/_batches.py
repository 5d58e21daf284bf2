"""Data in pieces, for models and functions that take eager frames.

Files are read twice, a piece at a time: first to see which columns of CSV hold
nothing but numbers, then to hand them on, so a file may be larger than memory.
"""

from collections.abc import Iterator, Mapping, Sequence
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
    early = not hasattr(relation, "to_arrow_reader")
    reader = relation.fetch_record_batch(_ROWS) if early else relation.to_arrow_reader(_ROWS)
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


def batches(
    source: Source, names: Sequence[str], *, whole: bool
) -> Iterator[tuple[Any, dict[str, ColumnKind]]]:
    """Yield the data as eager frames, and what their columns hold by the user's names.

    Parameters
    ----------
    source : Source
        The data.
    names : sequence of str
        The columns that are wanted; those that are not there are left out.
    whole : bool
        Whether somebody has to see all rows at once.

    Yields
    ------
    tuple of (frame, dict of str to ColumnKind)
        A piece in pandas, or in its own library where the data are eager.
    """
    columns = {name: source.columns[name] for name in names if name in source.columns}
    if not frames.is_lazy(source.frame):
        for piece in frames.slices(source.frame, _ALL if whole else _ROWS):
            yield piece, columns
        return
    cells = [name for name, kind in columns.items() if kind.kind == "cell"]
    types = _number_types(_tables(source, columns, whole=whole), cells) if cells else {}
    named = {
        name: ColumnKind(name, "number", types[name] == pa.float64(), str(types[name]))
        if name in types
        else ColumnKind(name, kind.kind, kind.float, kind.dtype)
        for name, kind in columns.items()
    }
    for table in _tables(source, columns, whole=whole):
        for name, kind in types.items():
            place = table.column_names.index(name)
            table = table.set_column(place, name, table.column(name).cast(kind))  # noqa: PLW2901
        yield frames.pandas_frame(table), named
