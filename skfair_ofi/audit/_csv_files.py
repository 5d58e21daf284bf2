"""CSV files as relations of DuckDB, and what they are read with."""

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
import shutil
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ._faults import fail


def _is_text(value: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _check_mark(name: str, value: Any, more: str) -> None:
    """Check what stands between or around cells."""
    if not isinstance(value, str) or len(value) != 1:
        raise ValueError(f"{name} must be one character{more}, got {value!r}.")
    if value in "\r\n\0" or not _is_text(value):
        raise ValueError(f"{name} must be a character that text can hold in a line, got {value!r}.")


@dataclass(frozen=True)
class ReadOptions:
    """How a CSV file is read; other files and frames need none of it.

    Parameters
    ----------
    delimiter : str, default=None
        What separates columns; None takes what the first line suggests of
        comma, semicolon, tab and bar.
    encoding : str, default=None
        None is UTF-8, or UTF-16 where the file starts with its mark.
    quote : str, default='"'
        What encloses cells; "" for nothing.
    missing_values : sequence of str, default=()
        Cells that stand for a missing value, beside empty ones, such as "NA".

    Raises
    ------
    ValueError
        If a value is of another type, an encoding is not known, or the
        delimiter and the quote are one.

    Examples
    --------
    >>> ReadOptions(delimiter=";").delimiter
    ';'
    """

    delimiter: Any = None
    encoding: str | None = None
    quote: Any = '"'
    missing_values: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse what no file can be read with."""
        if self.delimiter is not None:
            _check_mark("delimiter", self.delimiter, "")
        if self.quote != "":
            _check_mark("quote", self.quote, " or none")
            if not self.quote.isascii():
                raise ValueError(f"quote must be an ASCII character, got {self.quote!r}.")
        if self.quote == self.delimiter:
            raise ValueError(f"quote must be another than the delimiter, got {self.quote!r} twice.")
        values = self.missing_values
        if not isinstance(values, list | tuple) or not all(isinstance(x, str) for x in values):
            raise ValueError(f"missing_values must be a list of text, got {values!r}.")
        if not all(map(_is_text, values)):
            raise ValueError(f"missing_values must be whole characters, got {values!r}.")
        object.__setattr__(self, "missing_values", tuple(values))
        if self.encoding is not None:
            try:
                "a".encode(self.encoding)
            except (LookupError, TypeError, ValueError):
                raise ValueError(
                    f"encoding must be one that Python knows, got {self.encoding!r}."
                ) from None


GZIP, ZSTD = b"\x1f\x8b", b"(\xb5/\xfd"
_BZIP, _XZ, _ZIP = b"BZh", b"\xfd7zXZ\x00", b"PK\x03\x04"
# What DuckDB decompresses by itself, and what has to be spooled.
STREAMED = {GZIP: "gzip", ZSTD: "zstd"}
SPOOLED = (_BZIP, _XZ, _ZIP)
_CHUNK = 1 << 20


def _member(path: Path) -> Any:
    """The one file in a ZIP archive."""
    archive = zipfile.ZipFile(path)
    names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    if "[Content_Types].xml" in names:
        raise ValueError("it is an Office document, such as an Excel workbook; save it as CSV")
    if len(names) != 1:
        raise ValueError(f"it is a ZIP archive that must hold one file, got {len(names)}")
    return archive.open(names[0])


def opened(path: Path, start: bytes) -> Any:
    """The file's content, decompressed."""
    if start.startswith(GZIP):
        return gzip.open(path)
    if start.startswith(ZSTD):
        return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")
    if start.startswith(_BZIP):
        return bz2.open(path)
    if start.startswith(_XZ):
        return lzma.open(path)
    if start.startswith(_ZIP):
        return _member(path)
    return path.open("rb")


def spooled(file: IO[bytes], encoding: str, path: Path | None, kept: ExitStack) -> Path:
    """A temporary copy of text as plain UTF-8, which is gone once it has been read."""
    folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))
    target = Path(folder) / "data.csv"
    reader = io.TextIOWrapper(file, encoding, newline="")
    with target.open("w", encoding="utf-8", newline="") as copy:
        try:
            while text := reader.read(_CHUNK):
                if "\0" in text:
                    raise fail(path, f"it holds NUL characters as {encoding} text")
                copy.write(text)
        except UnicodeError as error:
            raise fail(path, f"it is not {encoding} text ({error})") from None
        finally:
            reader.detach()
    return target


def from_stdin(kept: ExitStack) -> Path:
    """A temporary copy of the standard input, which can be read only once."""
    folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))
    target = Path(folder) / "stdin"
    with target.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    return target


_CHUNK = 1 << 20
# Each thread of DuckDB takes a buffer; its own 32 MB would leave most files to one thread.
_LEAST_BUFFER, _MOST_BUFFER, _LONGEST_LINE = 4 << 20, 8 << 20, 2_000_000
_DELIMITERS = (",", ";", "\t", "|")
# What Excel writes and reads before the header.
_EXCEL = re.compile(r"sep=([^\r\n\"])[\r\n]+")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# Which of a file's columns hold numbers and nothing else.
Numbers = Callable[[Sequence[str]], set[str]]


def _delimiter(line: str, quote: str) -> str:
    """The delimiter that the first line has most of, outside of quotes."""
    if quote:
        mark = re.escape(quote)
        cell = rf"(?:^|(?<=[,;\t|])){mark}(?:[^{mark}]|{mark}{mark})*(?:{mark}|$)"
        line = re.sub(cell, "", line)
    return max((mark for mark in _DELIMITERS if mark != quote), key=line.count)


def _records(lines: Any, delimiter: str, quote: str) -> Iterator[list[str]]:
    if not quote:
        return csv.reader(lines, delimiter=delimiter, quotechar=None, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote)


@dataclass(frozen=True)
class _Header:
    """The delimiter, the names in the first line, and how many lines stand before it."""

    delimiter: str
    names: list[str]
    before: int


def _header(file: IO[bytes], path: Path | None, options: ReadOptions) -> _Header:
    # What follows the first line is for DuckDB to check, where it is needed.
    text = io.TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="")
    try:
        line = text.readline(_CHUNK)
        excel = _EXCEL.fullmatch(line)
        if excel is not None:
            line = text.readline(_CHUNK)
        said = None if excel is None else excel[1]
        mark = options.delimiter or said or _delimiter(line, options.quote)
        names = next(_records(chain([line], text), mark, options.quote), [])
    except csv.Error as error:
        raise fail(path, f"its first line is no CSV ({error})") from None
    finally:
        text.detach()
    if not all(_is_text(name) and "\0" not in name for name in names):
        raise fail(path, "its first line is not UTF-8; give data.encoding, such as 'cp1252'")
    if not names or names == [""]:
        raise fail(path, "its first line must name the columns, and it is empty")
    return _Header(mark, names, int(excel is not None))


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names as a user writes them: one that stands twice is name#1 and name#2."""
    times, seen, result = Counter(names), Counter[str](), []
    for name in names:
        seen[name] += 1
        result.append(name if times[name] == 1 else f"{name}#{seen[name]}")
    if len(set(result)) < len(result):
        name = Counter(result).most_common(1)[0][0]
        raise ValueError(
            f"its header has {name!r}, and {name.rpartition('#')[0]!r} more than once, which "
            "would get that name; rename a column"
        )
    return result


def sql_text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def sql_path(path: Path) -> str:
    """A path in SQL; DuckDB would read ``*`` as many files."""
    return sql_text(re.sub(r"([*?\[])", r"[\1]", str(path.resolve())))


def _buffer(path: Path) -> int:
    return _MOST_BUFFER if path.stat().st_size > 4 * _MOST_BUFFER else _LEAST_BUFFER


def _found_encoding(path: Path, start: bytes) -> str:
    with opened(path, start) as file:
        return "utf-16" if file.read(2) in _UTF16 else "utf-8"


def csv_relation(
    path: Path,
    shown: Path | None,
    options: ReadOptions,
    numbers: Numbers,
    database: tuple[Any, ExitStack],
) -> tuple[Any, list[str]]:
    """Return a CSV file as a relation of text and numbers, and the columns' names."""
    connection, kept = database
    with path.open("rb") as file:
        start = file.read(8)
    encoding = options.encoding or _found_encoding(path, start)
    plain = codecs.lookup(encoding).name in ("utf-8", "ascii", "utf-8-sig")
    if start.startswith(SPOOLED) or not plain:
        with opened(path, start) as file:
            path = spooled(file, encoding, shown, kept)
        start = b""
    packed = next((name for mark, name in STREAMED.items() if start.startswith(mark)), "none")
    with opened(path, start) as file:
        header = _header(file, shown, options)
    names = unique_names(header.names)
    wanted = numbers(names)
    columns = ", ".join(
        f"'c{place}': '{'DOUBLE' if name in wanted else 'VARCHAR'}'"
        for place, name in enumerate(names)
    )
    nulls = ", ".join(sql_text(value) for value in ("", *options.missing_values))
    quote = sql_text(options.quote)
    relation = connection.sql(
        f"SELECT * FROM read_csv({sql_path(path)}, auto_detect=false, header=true, "  # noqa: S608
        f"skip={header.before}, delim={sql_text(header.delimiter)}, quote={quote}, escape={quote}, "
        f"columns={{{columns}}}, nullstr=[{nulls}], buffer_size={_buffer(path)}, "
        f"max_line_size={_LONGEST_LINE}, "
        f"compression='{packed}')"
    )
    return relation, names
