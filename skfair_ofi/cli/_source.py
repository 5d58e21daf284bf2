"""A CSV or Parquet file as columns that DuckDB reads when they are asked for.

Only distinct rows ever reach Python. Cells of CSV are read as text: what they
are is decided on all distinct values, not on a sample, so a third label in the
last row is found, "01" stays what it is, and no version of DuckDB takes "yes"
for a truth value. The first record of a CSV file names its columns.
"""

import csv
import difflib
import gzip
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from ._console import printable
from ._errors import InputError

_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_DELIMITERS = (",", ";", "\t", "|")
# Parquet types that are used as they are; others become numbers or text.
_KEPT = re.compile(r"BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|VARCHAR")
# Names and text that are close enough to a wrong one to be suggested.
_MOST_HINTS, _MOST_NAMES = 3, 12


def quoted(name: str) -> str:
    """Return a column's name as SQL.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    str
        The identifier.
    """
    return '"' + name.replace('"', '""') + '"'


def listed(names: Sequence[str]) -> str:
    """Return names as a list for a message, cut where it is long.

    Parameters
    ----------
    names : sequence of str
        The names.

    Returns
    -------
    str
        The list.
    """
    more = f", ... ({len(names)} in all)" if len(names) > _MOST_NAMES else ""
    return ", ".join(repr(name) for name in names[:_MOST_NAMES]) + more


def hint(wrong: str, right: Sequence[str]) -> str:
    """Return a question that names what was perhaps meant.

    Parameters
    ----------
    wrong : str
        What was given.
    right : sequence of str
        What there is.

    Returns
    -------
    str
        The question, with a space before it; empty where nothing is near.
    """
    folded = {name.casefold().strip(): name for name in right}
    near = difflib.get_close_matches(wrong.casefold().strip(), folded, _MOST_HINTS)
    return f" Did you mean {' or '.join(repr(folded[name]) for name in near)}?" if near else ""


@dataclass(frozen=True)
class Source:
    """A file's columns, to be read by DuckDB.

    Parameters
    ----------
    path : Path
        The file.
    names : tuple of str
        The columns' names as the file has them.
    relation : DuckDBPyRelation
        The rows, not read yet; its columns are those of the file by position.
    is_text : bool
        Whether every cell is text, as in CSV.
    connection : DuckDBPyConnection
        What reads; early versions close it when nobody holds it.
    """

    path: Path
    names: tuple[str, ...]
    relation: Any
    is_text: bool
    connection: Any

    def column(self, option: str, name: str) -> str:
        """Return the SQL of a column.

        Parameters
        ----------
        option : str
            The option that names it.
        name : str
            Its name.

        Returns
        -------
        str
            Its identifier.

        Raises
        ------
        InputError
            If the file has no such column, or two.
        """
        if name not in self.names:
            raise InputError(
                f"{option} must be a column of {printable(str(self.path))}, which has "
                f"{listed(self.names)}, got {name!r}.{hint(name, self.names)}"
            )
        if self.names.count(name) > 1:
            raise InputError(
                f"{option} must be one column of {printable(str(self.path))}, "
                f"got {name!r}, which {self.names.count(name)} columns are called."
            )
        place = self.names.index(name)
        return quoted(self.relation.columns[place])

    def kept(self, column: str) -> str:
        """Return the SQL of a column with values that Python knows as numbers, booleans or text.

        Parameters
        ----------
        column : str
            Its identifier.

        Returns
        -------
        str
            The column, with a cast where its type asks for one.
        """
        kind = str(self.relation.project(column).types[0])
        if _KEPT.fullmatch(kind):
            return column
        return f"CAST({column} AS {'DOUBLE' if kind.startswith('DECIMAL') else 'VARCHAR'})"


_LINE = re.compile(r"CSV Error on Line: (\d+)")
_WIDTHS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")


def _duckdb_line(message: str) -> str:
    """What DuckDB says of a file, in one sentence."""
    line, widths = _LINE.search(message), _WIDTHS.search(message)
    where = f"line {line[1]}" if line else "it"
    if widths:
        return f"{where} has {widths[2]} columns and the first line {widths[1]}."
    if "Invalid unicode" in message:
        return f"{where} is not UTF-8 text."
    if "state machine" in message:
        return "it is not a well-formed CSV file."
    if "Maximum line size" in message:
        return f"{where} is too long."
    return printable(message.partition("\n")[0].partition("Error: ")[2] or message)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of reading a file into an ``InputError``.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    None
        Once.

    Raises
    ------
    InputError
        In place of what DuckDB or the system raises.
    """
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise InputError(f"Cannot read {path}: {_duckdb_line(str(error))}") from error
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"Cannot read {path}: {printable(str(reason))}.") from error


def _delimiter(line: str) -> str:
    """The delimiter that splits the first record into most columns."""
    widths = [len(next(csv.reader([line], delimiter=mark), [])) for mark in _DELIMITERS]
    return _DELIMITERS[widths.index(max(widths))]


def _header(text: TextIO, path: Path, delimiter: str | None) -> tuple[str, list[str]]:
    """The delimiter and the first record of a CSV file."""
    try:
        line = text.readline()
        mark = _delimiter(line) if delimiter is None else delimiter
        text.seek(0)
        names = next(csv.reader(text, delimiter=mark), [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"Cannot read {path}: it is neither UTF-8 text nor Parquet.") from error
    if not names:
        raise InputError(f"Cannot read {path}: its first line must name the columns, got none.")
    if any("\0" in name for name in names):
        raise InputError(f"Cannot read {path}: it is neither UTF-8 text nor Parquet.")
    return mark, names


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _pattern(path: Path) -> str:
    """A path as DuckDB takes it, which would read ``*`` as many files."""
    return _text(re.sub(r"([*?\[])", r"[\1]", str(path.resolve())))


def _csv_source(path: Path, connection: Any, *, zipped: bool, delimiter: str | None) -> Source:
    with (
        gzip.open(path) if zipped else path.open("rb") as file,
        io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text,
    ):
        mark, names = _header(text, path, delimiter)
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    # with everything said, DuckDB has nothing left to guess, and reads faster, too
    relation = connection.sql(
        f"SELECT * FROM read_csv({_pattern(path)}, auto_detect=false, header=true, skip=0, "  # noqa: S608
        f"delim={_text(mark)}, quote='\"', escape='\"', columns={{{columns}}}, "
        f"compression='{'gzip' if zipped else 'none'}')"
    )
    return Source(path, tuple(names), relation, is_text=True, connection=connection)


def _parquet_source(path: Path, connection: Any) -> Source:
    try:
        names = tuple(pq.read_schema(path).names)
    except pa.ArrowException as error:
        raise InputError(f"Cannot read {path}: it is not a complete Parquet file.") from error
    relation = connection.sql(f"SELECT * FROM read_parquet({_pattern(path)})")  # noqa: S608
    return Source(path, names, relation, is_text=False, connection=connection)


def _connection() -> Any:
    """A database in memory that fetches nothing from anywhere."""
    import duckdb

    return duckdb.connect(
        config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    )


def open_source(path: Path, delimiter: str | None = None) -> Source:
    """Return the columns of a CSV or Parquet file, which its first bytes tell apart.

    Parameters
    ----------
    path : Path
        The file; CSV may be compressed by gzip.
    delimiter : str, default=None
        What separates the columns of CSV; None takes what the first line
        suggests of comma, semicolon, tab and bar.

    Returns
    -------
    Source
        The columns.

    Raises
    ------
    InputError
        If it is no such file, or is not there.
    """
    if not path.is_file():
        kind = "is not a file" if path.exists() else "does not exist"
        raise InputError(
            f"FILE must be a CSV or Parquet file, got {printable(str(path))}, which {kind}."
        )
    with reading(path):
        with path.open("rb") as file:
            start = file.read(4)
        if start == _PARQUET:
            return _parquet_source(path, _connection())
        zipped = start.startswith(_GZIP)
        return _csv_source(path, _connection(), zipped=zipped, delimiter=delimiter)
