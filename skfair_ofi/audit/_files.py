"""Files and frames as one kind of thing: a lazy frame whose columns are known.

CSV and Parquet files are read by DuckDB, which needs little memory however
long they are. A cell of CSV is text until it is compared with a number, so
"01" stays what it is, and what a column is does not hang on its first rows.
Eager frames go to DuckDB through Arrow without a copy, lazy ones stay where
they are.
"""

import hashlib
import re
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from os import PathLike
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pyarrow as pa

from skfair_ofi.counts import adapt_frame, rename_columns

from ._csv_files import CsvFile, ReadOptions, copy_stdin, name_columns, open_csv, quote_path
from ._faults import SourceError, explain_duckdb, fail, file_errors
from .predicates import ColumnKind, expressions

_CHUNK = 1 << 20
# How often somebody who waits is told how far a query is.
_SECONDS = 0.2
_PARQUET, _STDIN = b"PAR1", "-"
# Parquet types that DuckDB and Python take for the same.
_KEPT = re.compile(r'"NULL"|BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|VARCHAR|ENUM.*')
_NUMBERS = re.compile(r"DECIMAL.*|U?HUGEINT|BIGNUM")
_MEMORY = re.compile(r"\d{1,9}(\.\d{1,3})? ?[KMGT]i?B", re.IGNORECASE)
_NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class FileFacts:
    """What identifies a file: its name without folders, its size and its hash."""

    name: str
    size: int
    sha256: str


@dataclass
class Source:
    """What the columns of data hold, where they came from, and how they are read."""

    columns: dict[str, ColumnKind]
    # Makes the frame, with these columns of CSV read as numbers, which is faster than casting them.
    load: Callable[[Collection[str]], Any]
    hashing: tuple[Future[FileFacts], ...] = ()
    stack: ExitStack = field(default_factory=ExitStack)
    connection: Any = None

    @cached_property
    def frame(self) -> Any:
        """An eager or lazy frame, cells of CSV as text."""
        return self.load(())

    @property
    def files(self) -> tuple[FileFacts, ...]:
        """The files, once they are hashed."""
        return tuple(job.result() for job in self.hashing)


@contextmanager
def _watch_query(connection: Any, progress: Progress | None) -> Iterator[None]:
    """Say how far a query is, from a thread beside it."""
    # DuckDB 1.2 cannot be asked.
    if progress is None or not hasattr(connection, "query_progress"):
        yield
        return
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    done = Event()

    def watch() -> None:
        while not done.wait(_SECONDS):
            progress("Counting", max(connection.query_progress(), 0.0) / 100)

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


@contextmanager
def reading(source: Source, progress: Progress | None = None) -> Iterator[None]:
    """Turn what an engine says while it reads into a ``SourceError``."""
    # Who has not loaded it, as for a frame of polars, has no error of its.
    duckdb = sys.modules.get("duckdb")
    errors: Any = () if duckdb is None else duckdb.Error
    try:
        with _watch_query(source.connection, progress):
            yield
    except errors as error:
        names = ", ".join(repr(file.name) for file in source.files) or "data"
        known = {kind.source: name for name, kind in source.columns.items()}
        raise SourceError(names, *explain_duckdb(str(error), known)) from None


def is_memory_limit(text: str) -> bool:
    """Return whether text is a number and a unit of memory."""
    return _MEMORY.fullmatch(text) is not None


def connect(stack: ExitStack, memory_limit: str | None = None) -> Any:
    """Return a database in memory that loads nothing from anywhere."""
    import duckdb

    if memory_limit is not None and not is_memory_limit(memory_limit):
        raise SourceError(f"memory_limit must be a size such as '1GB', got {memory_limit!r}.")
    # DuckDB would spill into the folder where the user stands.
    spill = stack.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))
    config: dict[str, Any] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": spill,
    }
    limit = {} if memory_limit is None else {"memory_limit": memory_limit}
    connection = duckdb.connect(config=config | limit)
    stack.callback(connection.close)
    return connection


def _hash_file(path: Path, name: str, progress: Progress | None) -> FileFacts:
    """The hash of a file, read in pieces."""
    digest, size, read = hashlib.sha256(), path.stat().st_size, 0
    with file_errors(path), path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            read += len(chunk)
            if progress is not None:
                progress(f"Reading {name}", read / max(size, 1))
    return FileFacts(name, size, digest.hexdigest())


@dataclass(frozen=True)
class _Part:
    """What is read as one: a file, or a folder of Parquet files.

    ``partitions`` are the columns that stand in the names of folders.
    """

    path: Path
    shown: Path | None
    files: tuple[Path, ...]
    partitions: tuple[str, ...] = ()

    @property
    def is_parquet(self) -> bool:
        with self.files[0].open("rb") as file:
            return file.read(4) == _PARQUET

    def facts(self, path: Path) -> tuple[Path, str]:
        """A file, and its name from the folder on."""
        if self.shown is None:
            return path, "standard input"
        return path, path.name if path == self.path else path.relative_to(self.path).as_posix()


def _open_parquet(part: _Part, connection: Any) -> tuple[Any, list[str]]:
    """Parquet files as a relation with columns c0, c1, ..., and their names."""
    # Loads much that most files do not need.
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        names = pq.read_schema(part.files[0]).names
    except pa.ArrowException:
        raise fail(part.shown, "it is not a complete Parquet file") from None
    hive = f"hive_partitioning={bool(part.partitions)}, hive_types_autocast=false"
    paths = ", ".join(map(quote_path, part.files))
    relation = connection.sql(f"SELECT * FROM read_parquet([{paths}], {hive})")  # noqa: S608
    kinds = dict(zip(relation.columns, map(str, relation.types), strict=True))
    # Names in the file may stand twice, and DuckDB tells them apart.
    found = [
        (name, _cast(_quote_name(name), kinds[name])) for name in relation.columns[: len(names)]
    ]
    found += [
        (name, f"NULLIF({_quote_name(name)}, '{_NO_PARTITION}')")
        for name in part.partitions
        if name not in names
    ]
    columns = [f"{column} AS c{place}" for place, (_, column) in enumerate(found)]
    partitions = [name for name, _ in found[len(names) :]]
    return relation.project(", ".join(columns)), name_columns([*names, *partitions])


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _cast(column: str, kind: str) -> str:
    """A column of a type that Python lacks as one that it has."""
    if _NUMBERS.fullmatch(kind):
        return f"CAST({column} AS DOUBLE)"
    if _KEPT.fullmatch(kind):
        return column
    return f"CAST({column} AS VARCHAR)"


def _find_part(item: Any, stack: ExitStack) -> _Part:
    """The file or files to read, and what to call them."""
    if str(item) == _STDIN:
        path = copy_stdin(stack)
        return _Part(path, None, (path,))
    path = Path(item)
    if "\0" in str(path):
        raise SourceError("A file's name must not hold NUL.")
    with file_errors(path):
        if not path.exists():
            raise fail(path, "it does not exist")
        if path.is_dir():
            return _find_parquet(path)
        if not path.is_file():
            raise fail(path, "it is no regular file")
        if path.stat().st_size == 0:
            raise fail(path, "it is empty")
    return _Part(path, path, (path,))


def _find_parquet(path: Path) -> _Part:
    """All Parquet files in a folder, as other programs write them in parts."""
    found = sorted(file for file in path.rglob("*.parquet") if file.is_file())
    if not found:
        raise fail(path, "it is a folder without Parquet files")
    folders = found[0].relative_to(path).parts[:-1]
    partitions = [folder.partition("=")[0] for folder in folders if "=" in folder]
    return _Part(path, path, tuple(found), tuple(partitions))


def _check_different(parts: Sequence[_Part]) -> None:
    """Refuse a file that is given twice, whose people would count twice."""
    seen = set[Path]()
    for path, name in (part.facts(path) for part in parts for path in part.files):
        if path.resolve() in seen:
            raise SourceError(f"data must be different files, got {name!r} twice.")
        seen.add(path.resolve())


def _open_tables(source: Source, parts: Sequence[_Part], options: ReadOptions) -> None:
    """Look at the columns of all files, which must be the same, and say how rows are read."""
    tables: list[tuple[_Part, list[str], CsvFile | Any]] = []
    for part in parts:
        with file_errors(part.shown):
            if part.is_parquet:
                relation, names = _open_parquet(part, source.connection)
                tables.append((part, names, relation))
            else:
                file = open_csv(part.path, part.shown, options, source.stack)
                tables.append((part, file.names, file))
            _, first, table = tables[0]
            if set(tables[-1][1]) != set(first):
                odd = sorted(set(tables[-1][1]) ^ set(first))
                raise fail(part.shown, f"it has other columns than the first file: {odd[:5]!r}")
            if isinstance(tables[-1][2], CsvFile) != isinstance(table, CsvFile):
                raise fail(part.shown, "CSV and Parquet files cannot be mixed")

    def load(numbers: Collection[str]) -> Any:
        relations = []
        for part, names, table in tables:
            with file_errors(part.shown):
                relation = (
                    table.relation(source.connection, numbers)
                    if isinstance(table, CsvFile)
                    else table
                )
                # Columns in the order of the first file.
                places = ", ".join(f"c{names.index(name)} AS c{i}" for i, name in enumerate(first))
                relations.append(relation.project(places))
        return reduce(lambda joined, relation: joined.union(relation), relations)

    source.load = load
    cells = set(first)
    if not isinstance(table, CsvFile):
        source.columns = dict(
            zip(first, expressions.column_kinds(source.frame).values(), strict=True)
        )
        # A folder's name is text until it is compared with a number, as a cell of CSV is.
        cells = {name for part in parts for name in part.partitions}
    for place, name in enumerate(first):
        if name in cells:
            source.columns[name] = ColumnKind(f"c{place}", "cell", dtype="text")


def open_files(
    paths: Sequence[str | PathLike[str]],
    options: ReadOptions,
    progress: Progress | None = None,
    *,
    memory_limit: str | None = None,
    hashed: bool = True,
) -> Source:
    """Return one or several files with the same columns as one source."""
    if not paths:
        raise SourceError("data must be at least one file, got none.")
    with ExitStack() as stack:
        parts = [_find_part(item, stack) for item in paths]
        _check_different(parts)
        # Leaves first of all, while temporary copies are there.
        hasher = stack.enter_context(ThreadPoolExecutor(1))
        listed = [part.facts(path) for part in parts for path in part.files] if hashed else []
        hashing = tuple(hasher.submit(_hash_file, *item, progress) for item in listed)
        if progress is not None:  # who waits is told one thing at a time
            wait(hashing)
        source = Source({}, lambda _: None, hashing, stack, connect(stack, memory_limit))
        _open_tables(source, parts, options)
        source.stack = stack.pop_all()
    return source


def open_frame(frame: Any) -> Source:
    """Return an eager or lazy frame as a source; the eager one is not copied yet."""
    frame, called = rename_columns(adapt_frame(frame))
    expressions.is_lazy(frame)
    kinds = expressions.column_kinds(frame)
    return Source({name: kinds[called[name]] for name in called} or kinds, lambda _: frame)


def open_data(
    data: Any,
    options: ReadOptions,
    progress: Progress | None = None,
    memory_limit: str | None = None,
) -> Source:
    """Return a path, several paths or a frame as a source."""
    paths = [data] if isinstance(data, str | PathLike) else data
    if isinstance(paths, list | tuple) and all(isinstance(p, str | PathLike) for p in paths):
        return open_files(paths, options, progress, memory_limit=memory_limit)
    return open_frame(data)


def to_duckdb(
    frame: Any, columns: Mapping[str, ColumnKind], wanted: Sequence[str], more: Mapping[str, Any]
) -> Source:
    """Return columns of an eager frame as a source in DuckDB."""
    sources = [columns[name].source for name in wanted]
    arrays = expressions.arrow_columns(frame, sources) if wanted else []
    arrays += [
        values if isinstance(values, pa.Array) else pa.array(values) for values in more.values()
    ]
    names = [*wanted, *more]
    # Nothing is known of what a column without any value holds.
    empty = [pa.types.is_null(array.type) for array in arrays]
    arrays = [
        array.cast(pa.string()) if none else array
        for array, none in zip(arrays, empty, strict=True)
    ]
    table = pa.table({f"column{place}": array for place, array in enumerate(arrays)})
    stack = ExitStack()
    relation = connect(stack).from_arrow(table)
    kinds = dict(zip(names, expressions.column_kinds(relation).values(), strict=True))
    for name, none in zip(names, empty, strict=True):
        if none or (name in columns and columns[name].kind == "cell"):
            kinds[name] = ColumnKind(kinds[name].source, "cell", dtype="text")
    return Source(kinds, lambda _: relation, (), stack)


_ROWS, _ALL = 1 << 16, 1 << 62


def _read_tables(
    source: Source, columns: Mapping[str, ColumnKind], *, whole: bool
) -> Iterator[Any]:
    """Arrow tables of a lazy frame, named as the user names the columns."""
    wanted = [kind.source for kind in columns.values()]
    if whole or source.connection is None:
        table = pa.table(
            dict(zip(columns, expressions.arrow_columns(source.frame, wanted), strict=True))
        )
        yield from expressions.slices(table, _ALL if whole else _ROWS)
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


def _describe_cells(cells: Any) -> np.ndarray:
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


def _find_numbers(tables: Iterator[Any], names: Sequence[str]) -> dict[str, Any]:
    """The types of columns of text that hold only numbers, but for whole ones such as 01."""
    looks = {name: np.ones(3, dtype=bool) for name in names}
    for table in tables:
        for name, look in looks.items():
            if look.any():
                np.logical_and(look, _describe_cells(table.column(name)), out=look)
    types = {}
    for name, (whole, same, number) in looks.items():
        if number and (same or not whole):
            types[name] = pa.int64() if whole else pa.float64()
    return types


def _cast_numbers(table: Any, types: Mapping[str, Any]) -> Any:
    for name, kind in types.items():
        place = table.column_names.index(name)
        table = table.set_column(place, name, table.column(name).cast(kind))
    return table


def read_batches(
    source: Source, names: Sequence[str], shown: Sequence[str], *, whole: bool
) -> Iterator[tuple[Any, Any, dict[str, ColumnKind]]]:
    """Yield the data as eager frames, and what their columns hold by the user's names.

    Predicates and groups are asked of the first frame, where a cell of CSV is
    the text that the file holds, just as without a model; models and functions
    see the second, where a column of nothing but numbers is one of numbers.
    """
    columns = {name: source.columns[name] for name in names if name in source.columns}
    if not expressions.is_lazy(source.frame):
        for piece in expressions.slices(source.frame, _ALL if whole else _ROWS):
            yield piece, piece, columns
        return
    cells = {name: columns[name] for name in shown if columns[name].kind == "cell"}
    types = _find_numbers(_read_tables(source, cells, whole=whole), list(cells)) if cells else {}
    named = {name: replace(kind, source=name) for name, kind in columns.items()}
    for table in _read_tables(source, columns, whole=whole):
        yield (
            table,
            expressions.pandas_frame(_cast_numbers(table.select(list(shown)), types)),
            named,
        )
