"""CSV files as relations of DuckDB: text, or numbers where nothing else is asked for."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

from ._compressed import SPOOLED, STREAMED, opened, spooled
from ._options import ReadOptions
from ._source_errors import fail

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
    if not all(_is_text(name) for name in names):
        raise fail(path, "its first line is not UTF-8; give data.encoding, such as 'cp1252'")
    if not names or names == [""]:
        raise fail(path, "its first line must name the columns, and it is empty")
    return _Header(mark, names, int(excel is not None))


def _is_text(name: str) -> bool:
    return "\0" not in name and not any("\ud800" <= char <= "\udfff" for char in name)


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
