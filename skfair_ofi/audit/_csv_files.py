"""CSV files: what they are read with, their first line, and the rest as a relation of DuckDB.

Cells are text. DuckDB reads them, but guesses nothing: the first line is read here, so that a
name that stands twice is seen, and whatever does not fit it is refused.
"""

import codecs
import csv
import gzip
import io
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ._faults import ENCODING, fail

_CHUNK = 1 << 20
# Each thread of DuckDB takes a buffer; its own 32 MB would leave most files to one thread.
_LEAST_BUFFER, _MOST_BUFFER, _LONGEST_LINE = 4 << 20, 8 << 20, 2_000_000
_DELIMITERS = (",", ";", "\t", "|")
# What Excel writes and reads before the header.
_EXCEL = re.compile(r"sep=([^\r\n\"])[\r\n]+")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_GZIP, _ZSTD = b"\x1f\x8b", b"(\xb5/\xfd"
_PACKED = {
    b"BZh": "it is compressed by bzip2; unpack it, or compress it by gzip",
    b"\xfd7zXZ\x00": "it is compressed by xz; unpack it, or compress it by gzip",
    b"PK\x03\x04": (
        "it is a ZIP archive, or an Office document such as an Excel workbook; unpack it, or save "
        "it as CSV"
    ),
}


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


def copy_stdin(stack: ExitStack) -> Path:
    """Return a temporary copy of the standard input, which can be read only once."""
    target = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))) / "stdin"
    with target.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    return target


def _decompress(path: Path, start: bytes) -> Any:
    """Open a file's content."""
    if start.startswith(_GZIP):
        return gzip.open(path)
    if start.startswith(_ZSTD):
        return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")
    return path.open("rb")


def _copy_as_utf8(file: IO[bytes], encoding: str, path: Path | None, stack: ExitStack) -> Path:
    """Return a temporary copy of text that DuckDB can read, gone once it has been read."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))
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


def _guess_delimiter(line: str, quote: str) -> str:
    """Return the delimiter that the first line has most of, outside of quotes."""
    if quote:
        mark = re.escape(quote)
        cell = rf"(?:^|(?<=[,;\t|])){mark}(?:[^{mark}]|{mark}{mark})*(?:{mark}|$)"
        line = re.sub(cell, "", line)
    return max((mark for mark in _DELIMITERS if mark != quote), key=line.count)


def _read_records(lines: Any, delimiter: str, quote: str) -> Iterator[list[str]]:
    if not quote:
        return csv.reader(lines, delimiter=delimiter, quotechar=None, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote)


def name_columns(names: Sequence[str]) -> list[str]:
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


def quote_text(value: str) -> str:
    """Return text as SQL."""
    return "'" + value.replace("'", "''") + "'"


def quote_path(path: Path) -> str:
    """Return a path as SQL; DuckDB would read ``*`` as many files."""
    return quote_text(re.sub(r"([*?\[])", r"[\1]", str(path.resolve())))


@dataclass(frozen=True)
class CsvFile:
    """A CSV file whose first line has been read."""

    # What DuckDB reads: the file, or a copy of it as UTF-8.
    path: Path
    compression: str
    options: ReadOptions
    delimiter: str
    names: list[str]
    # Lines before the one with the names.
    skip: int

    def relation(self, connection: Any, numbers: Collection[str]) -> Any:
        """Return the rows: text in columns c0, c1, ..., and numbers where nothing else is asked."""
        columns = ", ".join(
            f"'c{place}': '{'DOUBLE' if name in numbers else 'VARCHAR'}'"
            for place, name in enumerate(self.names)
        )
        nulls = ", ".join(map(quote_text, ("", *self.options.missing_values)))
        quote = quote_text(self.options.quote)
        large = self.path.stat().st_size > 4 * _MOST_BUFFER
        return connection.sql(
            f"SELECT * FROM read_csv({quote_path(self.path)}, auto_detect=false, header=true, "  # noqa: S608
            f"skip={self.skip}, delim={quote_text(self.delimiter)}, quote={quote}, "
            f"escape={quote}, columns={{{columns}}}, nullstr=[{nulls}], "
            f"buffer_size={_MOST_BUFFER if large else _LEAST_BUFFER}, "
            f"max_line_size={_LONGEST_LINE}, compression='{self.compression}')"
        )


def open_csv(path: Path, shown: Path | None, options: ReadOptions, stack: ExitStack) -> CsvFile:
    """Read the first line of a CSV file; what follows is for DuckDB to check where it is needed."""
    with path.open("rb") as file:
        start = file.read(8)
    for mark, reason in _PACKED.items():
        if start.startswith(mark):
            raise fail(shown, reason)
    encoding = options.encoding
    if encoding is None:
        with _decompress(path, start) as file:
            encoding = "utf-16" if file.read(2) in _UTF16 else "utf-8"
    if codecs.lookup(encoding).name not in ("utf-8", "ascii", "utf-8-sig"):
        with _decompress(path, start) as file:
            path, start = _copy_as_utf8(file, encoding, shown, stack), b""
    packed = {start[:2] == _GZIP: "gzip", start[:4] == _ZSTD: "zstd"}.get(True, "none")
    with _decompress(path, start) as file:
        text = io.TextIOWrapper(file, "utf-8-sig", errors="surrogateescape", newline="")
        try:
            line = text.readline(_CHUNK)
            excel = _EXCEL.fullmatch(line)
            if excel is not None:
                line = text.readline(_CHUNK)
            found = _guess_delimiter(line, options.quote) if excel is None else excel[1]
            delimiter = options.delimiter or found
            names = next(_read_records(chain([line], text), delimiter, options.quote), [])
        except csv.Error as error:
            raise fail(shown, f"its first line is no CSV ({error})") from None
        finally:
            text.detach()
    if not all(_is_text(name) and "\0" not in name for name in names):
        raise fail(shown, "its first line is not UTF-8", ENCODING)
    if not names or names == [""]:
        raise fail(shown, "its first line must name the columns, and it is empty")
    return CsvFile(path, packed, options, delimiter, name_columns(names), int(excel is not None))
