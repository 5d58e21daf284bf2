"""Files and frames as one kind of thing: a lazy frame whose columns are known.

CSV and Parquet files are read by DuckDB, which needs little memory however
long they are. A cell of CSV is text until it is compared with a number, so
"01" stays what it is, and what a column is does not hang on its first rows.
Eager frames go to DuckDB through Arrow without a copy, lazy ones stay where
they are.
"""

import bz2
import codecs
import csv
import gzip
import hashlib
import io
import lzma
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import reduce
from itertools import chain
from os import PathLike
from pathlib import Path
from threading import Event, Thread
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from skfair_ofi import _predicate_frames as frames
from skfair_ofi._predicate_frames import ColumnKind

from ._options import ReadOptions

_CHUNK = 1 << 20
# Each thread of DuckDB takes a buffer; its own 32 MB would leave most files to one thread.
_LEAST_BUFFER, _MOST_BUFFER, _LONGEST_LINE = 4 << 20, 8 << 20, 2_000_000
# How often somebody who waits is told how far a query is.
_SECONDS = 0.2
_DELIMITERS = (",", ";", "\t", "|")
_PARQUET, _GZIP, _BZIP, _XZ = b"PAR1", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
_ZSTD, _ZIP = b"(\xb5/\xfd", b"PK\x03\x04"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_STDIN = "-"
# Parquet types that DuckDB and Python take for the same.
_KEPT = re.compile(r"BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|VARCHAR|ENUM.*")
_NUMBERS = re.compile(r"DECIMAL.*|U?HUGEINT|BIGNUM")

Progress = Callable[[str, float], None]
# Which of a file's columns hold numbers and nothing else.
Numbers = Callable[[Sequence[str]], set[str]]


class SourceError(ValueError):
    """A file that cannot be read; the message says why, on one line."""


@dataclass(frozen=True)
class FileFacts:
    """What identifies a file: its name without folders, its size and its hash."""

    name: str
    size: int
    sha256: str


@dataclass
class Source:
    """A lazy frame, what its columns hold, and where it came from.

    Parameters
    ----------
    frame : lazy frame
        The rows.
    columns : dict of str to ColumnKind
        What each column holds, by the name that a user calls it.
    hashing : tuple of Future
        Facts of the files, which are hashed while they are read; none for a frame.
    kept : ExitStack
        What has to stay open: temporary files, a database.
    connection : DuckDBPyConnection or None
        The database that reads the files.
    """

    frame: Any
    columns: dict[str, ColumnKind]
    hashing: tuple[Future[FileFacts], ...] = ()
    kept: ExitStack = field(default_factory=ExitStack)
    connection: Any = None

    @property
    def files(self) -> tuple[FileFacts, ...]:
        """The files, once they are hashed."""
        return tuple(job.result() for job in self.hashing)


def _named(path: Path | None) -> str:
    return "standard input" if path is None else repr(path.name)


def _fail(path: Path | None, reason: str) -> SourceError:
    return SourceError(f"{_named(path)} cannot be read: {reason}.")


@contextmanager
def _errors(path: Path | None) -> Iterator[None]:
    """Say in one line what a library finds wrong with a file."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise _fail(path, _duckdb_reason(str(error))) from None
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, SourceError):
            raise
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise _fail(path, " ".join(reason.split())) from None


def _duckdb_reason(message: str) -> str:
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {line[1]}" if line else "a line"
    if widths := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
        return f"{where} has {widths[2]} columns where the first line has {widths[1]}"
    if cell := re.search(r"Could not convert string ['\"](.*?)['\"] to '?(\w+)", message):
        wanted = "True or False" if cell[2] == "BOOL" or cell[2] == "BOOLEAN" else "a number"
        return (
            f"{wanted} is compared with the cell {cell[1][:60]!r}; cells that stand for a missing "
            "value can be listed in data.missing_values"
        )
    if "nvalid unicode" in message:
        return f"{where} is not UTF-8; give data.encoding, such as 'cp1252'"
    if "Maximum line size" in message:
        return f"{where} is longer than 2 MB"
    if "unterminated quote" in message.lower():
        return f"{where} has a quote that is not closed"
    without_folders = re.sub(r"(?:\w:)?[/\\][^\s'\"]*[/\\]", "", message)
    return " ".join(without_folders.split())[:200].rstrip(".")


@contextmanager
def _watched(connection: Any, progress: Progress | None) -> Iterator[None]:
    """Say how far a query is, from a thread beside it."""
    # DuckDB 1.1 cannot be asked.
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
    """Turn what an engine says while it reads into a ``SourceError``.

    Parameters
    ----------
    source : Source
        What is read.
    progress : callable, default=None
        Takes what is done and the share that is done.

    Yields
    ------
    None
        Once.

    Raises
    ------
    SourceError
        In place of a DuckDB error.
    """
    import duckdb

    try:
        with _watched(source.connection, progress):
            yield
    except duckdb.Error as error:
        names = ", ".join(repr(file.name) for file in source.files) or "data"
        raise SourceError(f"{names} cannot be read: {_duckdb_reason(str(error))}.") from None


def connect() -> Any:
    """Return a database in memory that loads nothing from anywhere."""
    import duckdb

    return duckdb.connect(
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )


def _opened(path: Path, start: bytes) -> Any:
    """The file's content, decompressed."""
    if start.startswith(_GZIP):
        return gzip.open(path)
    if start.startswith(_BZIP):
        return bz2.open(path)
    if start.startswith(_XZ):
        return lzma.open(path)
    return path.open("rb")


def _facts(path: Path, shown: Path | None, progress: Progress | None) -> FileFacts:
    """The hash of a file, read in pieces."""
    digest, size, read = hashlib.sha256(), path.stat().st_size, 0
    name = path.name if shown else "standard input"
    with _errors(shown), path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            read += len(chunk)
            if progress is not None:
                progress(f"Reading {name}", read / max(size, 1))
    return FileFacts(name, size, digest.hexdigest())


def _spooled(file: IO[bytes], encoding: str, path: Path | None, kept: ExitStack) -> Path:
    """A temporary copy of text as plain UTF-8, which is gone once it has been read."""
    folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))
    target = Path(folder) / "data.csv"
    reader = codecs.getreader(encoding)(file)
    with target.open("w", encoding="utf-8", newline="") as copy:
        try:
            while text := reader.read(_CHUNK):
                if "\0" in text:
                    raise _fail(path, f"it holds NUL characters as {encoding} text")
                copy.write(text)
        except UnicodeError as error:
            raise _fail(path, f"it is not {encoding} text ({error})") from None
    return target


def _stdin(kept: ExitStack) -> Path:
    """A temporary copy of the standard input, which can be read only once."""
    folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))
    target = Path(folder) / "stdin"
    with target.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    return target


def _delimiter(line: str, quote: str) -> str:
    """The delimiter that splits the first line into most columns."""

    def width(mark: str) -> int:
        return len(next(_records(io.StringIO(line), mark, quote), []))

    return max(_DELIMITERS, key=width)


def _records(lines: Any, delimiter: str, quote: str) -> Iterator[list[str]]:
    if not quote:
        return csv.reader(lines, delimiter=delimiter, quotechar=None, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote)


def _header(file: IO[bytes], path: Path | None, options: ReadOptions) -> tuple[str, list[str]]:
    """The delimiter, and the names in the first line."""
    # What follows the first line is for DuckDB to check, where it is needed.
    text = io.TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="")
    try:
        line = text.readline(_CHUNK)
        mark = options.delimiter or _delimiter(line, options.quote)
        names = next(_records(chain([line], text), mark, options.quote), [])
    except csv.Error as error:
        raise _fail(path, f"its first line is no CSV ({error})") from None
    finally:
        text.detach()
    if not all(_is_text(name) for name in names):
        raise _fail(path, "its first line is not UTF-8; give data.encoding, such as 'cp1252'")
    if not names or names == [""]:
        raise _fail(path, "its first line must name the columns, and it is empty")
    return mark, names


def _is_text(name: str) -> bool:
    return "\0" not in name and not any("\ud800" <= char <= "\udfff" for char in name)


def _unique(names: Sequence[str]) -> list[str]:
    """Names as a user writes them: one that stands twice is name#1 and name#2."""
    times, seen, result = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        result.append(name if times[name] == 1 else f"{name}#{seen[name]}")
    return result


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _pattern(path: Path) -> str:
    """A path in SQL; DuckDB would read ``*`` as many files."""
    return _text(re.sub(r"([*?\[])", r"[\1]", str(path.resolve())))


def _buffer(path: Path) -> int:
    return _MOST_BUFFER if path.stat().st_size > 4 * _MOST_BUFFER else _LEAST_BUFFER


def _csv(
    path: Path, shown: Path | None, options: ReadOptions, source: Source, numbers: Numbers
) -> tuple[Any, list[str]]:
    """A CSV file as a relation of text and numbers, c0, c1, ..., and the columns' names."""
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith((_ZSTD, _ZIP)):
        raise _fail(shown, "it is compressed as Zstandard or ZIP; use gzip, bzip2 or xz")
    encoding = options.encoding or ("utf-16" if start.startswith(_UTF16) else "utf-8")
    plain = codecs.lookup(encoding).name in ("utf-8", "ascii", "utf-8-sig")
    if start.startswith((_BZIP, _XZ)) or not plain:
        with _opened(path, start) as file:
            path = _spooled(file, encoding, shown, source.kept)
        start = b""
    zipped = start.startswith(_GZIP)
    with _opened(path, start) as file:
        mark, header = _header(file, shown, options)
    names = _unique(header)
    wanted = numbers(names)
    columns = ", ".join(
        f"'c{place}': '{'DOUBLE' if name in wanted else 'VARCHAR'}'"
        for place, name in enumerate(names)
    )
    nulls = ", ".join(_text(value) for value in ("", *options.missing_values))
    relation = source.connection.sql(
        f"SELECT * FROM read_csv({_pattern(path)}, auto_detect=false, header=true, skip=0, "  # noqa: S608
        f"delim={_text(mark)}, quote={_text(options.quote)}, escape={_text(options.quote)}, "
        f"columns={{{columns}}}, nullstr=[{nulls}], buffer_size={_buffer(path)}, "
        f"max_line_size={_LONGEST_LINE}, "
        f"compression='{'gzip' if zipped else 'none'}')"
    )
    return relation, names


def _parquet(path: Path, shown: Path | None, source: Source) -> tuple[Any, list[str]]:
    """A Parquet file as a relation with columns c0, c1, ..., and their names."""
    try:
        names = pq.read_schema(path).names
    except pa.ArrowException:
        raise _fail(shown, "it is not a complete Parquet file") from None
    relation = source.connection.sql(f"SELECT * FROM read_parquet({_pattern(path)})")  # noqa: S608
    renamed = [
        f"{_cast(_quoted(name), str(kind))} AS c{place}"
        for place, (name, kind) in enumerate(zip(relation.columns, relation.types, strict=True))
    ]
    return relation.project(", ".join(renamed)), _unique(names)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _cast(column: str, kind: str) -> str:
    """A column of a type that Python lacks as one that it has."""
    if _NUMBERS.fullmatch(kind):
        return f"CAST({column} AS DOUBLE)"
    if _KEPT.fullmatch(kind):
        return column
    return f"CAST({column} AS VARCHAR)"


def _path(item: Any, kept: ExitStack) -> tuple[Path, Path | None]:
    """The file to read, and what to call it."""
    if str(item) == _STDIN:
        return _stdin(kept), None
    path = Path(item)
    if "\0" in str(path):
        raise SourceError("A file's name must not hold NUL.")
    with _errors(path):
        if not path.exists():
            raise _fail(path, "it does not exist")
        if not path.is_file():
            raise _fail(path, "it is a folder or no regular file")
        if path.stat().st_size == 0:
            raise _fail(path, "it is empty")
    return path, path


def _kinds(
    relation: Any, names: Sequence[str], numbers: set[str], *, cells: bool
) -> dict[str, ColumnKind]:
    if not cells:
        return dict(zip(names, frames.column_kinds(relation).values(), strict=True))
    return {
        name: ColumnKind(f"c{place}", "number", float=True, dtype="double")
        if name in numbers
        else ColumnKind(f"c{place}", "cell", dtype="text")
        for place, name in enumerate(names)
    }


def _aligned(relation: Any, names: Sequence[str], wanted: Sequence[str]) -> Any:
    """The same columns in the order of the first file."""
    places = ", ".join(f"c{names.index(name)} AS c{i}" for i, name in enumerate(wanted))
    return relation.project(places)


def _no_numbers(_names: Sequence[str]) -> set[str]:
    return set()


def _join(
    source: Source,
    paths: Sequence[tuple[Path, Path | None]],
    options: ReadOptions,
    numbers: Numbers,
) -> None:
    """Put the rows of all files into a source that has the database so far."""
    relations, first, cells = [], list[str](), set[bool]()
    for path, shown in paths:
        with _errors(shown):
            with path.open("rb") as file:
                is_parquet = file.read(4) == _PARQUET
            cells.add(not is_parquet)
            relation, names = (
                _parquet(path, shown, source)
                if is_parquet
                else _csv(path, shown, options, source, numbers)
            )
            first = first or names
            if set(names) != set(first):
                odd = sorted(set(names) ^ set(first))
                raise _fail(shown, f"it has other columns than the first file: {odd[:5]!r}")
            if len(cells) > 1:
                raise _fail(shown, "CSV and Parquet files cannot be mixed")
            relations.append(_aligned(relation, names, first))
    source.frame = reduce(lambda joined, relation: joined.union(relation), relations)
    source.columns = _kinds(source.frame, first, numbers(first), cells=cells == {True})


def open_files(
    paths: Sequence[str | PathLike[str]],
    options: ReadOptions,
    progress: Progress | None = None,
    numbers: Numbers | None = None,
) -> Source:
    """Return one or several files with the same columns as one source.

    Parameters
    ----------
    paths : sequence of path-like
        CSV files, plain or compressed by gzip, bzip2 or xz, or Parquet files,
        told apart by their first bytes; "-" is the standard input.
    options : ReadOptions
        How CSV is read.
    progress : callable, default=None
        Takes what is done and the share that is done.
    numbers : callable, default=None
        Takes the columns of a CSV file, and returns those that are numbers;
        None takes all cells for text.

    Returns
    -------
    Source
        The rows of all files.

    Raises
    ------
    SourceError
        If a file cannot be read, or has other columns than the first.
    """
    if not paths:
        raise SourceError("data must be at least one file, got none.")
    with ExitStack() as kept:
        found = [_path(item, kept) for item in paths]
        # Leaves first of all, while temporary copies are there.
        hasher = kept.enter_context(ThreadPoolExecutor(1))
        hashing = tuple(hasher.submit(_facts, *item, progress) for item in found)
        if progress is not None:  # who waits is told one thing at a time
            wait(hashing)
        connection = connect()
        kept.callback(connection.close)
        source = Source(None, {}, hashing, kept, connection)
        _join(source, found, options, numbers or _no_numbers)
        source.kept = kept.pop_all()
    return source


def open_frame(frame: Any) -> Source:
    """Return an eager or lazy frame as a source; the eager one is not copied yet."""
    frames.is_lazy(frame)
    return Source(frame, frames.column_kinds(frame))


def to_duckdb(
    frame: Any, columns: Mapping[str, ColumnKind], wanted: Sequence[str], more: Mapping[str, Any]
) -> Source:
    """Return columns of an eager frame as a source in DuckDB.

    Parameters
    ----------
    frame : eager frame
        Anything narwhals takes.
    columns : mapping of str to ColumnKind
        What its columns hold.
    wanted : sequence of str
        The columns that are needed.
    more : mapping of str to array
        New columns, such as predictions.

    Returns
    -------
    Source
        The columns.
    """
    sources = [columns[name].source for name in wanted]
    arrays = frames.arrow_columns(frame, sources) if wanted else []
    arrays += [pa.array(values) for values in more.values()]
    names = [*wanted, *more]
    table = pa.table({f"c{place}": array for place, array in enumerate(arrays)})
    connection = connect()
    relation = connection.from_arrow(table)
    kinds = dict(zip(names, frames.column_kinds(relation).values(), strict=True))
    for name in wanted:
        if columns[name].kind == "cell":
            kinds[name] = ColumnKind(kinds[name].source, "cell", dtype="text")
    kept = ExitStack()
    kept.callback(connection.close)
    return Source(relation, kinds, (), kept)
