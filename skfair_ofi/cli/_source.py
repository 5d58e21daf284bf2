"""A file as columns that DuckDB reads when they are asked for, for the commands that count labels.

How files are read is decided by the audit, which reads the same ones: cells of
CSV are text, so what they are is decided on all distinct values, not on a
sample; a third label in the last row is found, and "01" stays what it is.
"""

import argparse
import difflib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skfair_ofi._text import printable
from skfair_ofi.audit import ReadOptions, SourceError, _files as sources

from ._errors import InputError, in_options

# Names and text that are close enough to a wrong one to be suggested.
_MOST_HINTS, _MOST_NAMES = 3, 12
# As many of several files are named.
_MOST_FILES = 4


def quoted(name: str) -> str:
    """Return a column's name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def listed(names: Sequence[str]) -> str:
    """Return names as a list for a message, cut where it is long."""
    more = f", ... ({len(names)} in all)" if len(names) > _MOST_NAMES else ""
    return ", ".join(repr(name) for name in names[:_MOST_NAMES]) + more


def _character(text: str) -> str:
    mark = {"\\t": "\t", "tab": "\t"}.get(text, text)
    if len(mark) != 1 or mark in '\r\n"' or not mark.isascii():
        raise argparse.ArgumentTypeError(f"must be one character or 'tab', got {text!r}")
    return mark


def hint(wrong: str, right: Sequence[str]) -> str:
    """Return a question that names what was perhaps meant."""
    folded = {name.casefold().strip(): name for name in right}
    near = difflib.get_close_matches(wrong.casefold().strip(), folded, _MOST_HINTS)
    return f" Did you mean {' or '.join(repr(folded[name]) for name in near)}?" if near else ""


def add_reading(parser: "argparse._ActionsContainer") -> None:
    """Add the options that say how CSV is read."""
    parser.add_argument(
        "--delimiter",
        type=_character,
        metavar="CHARACTER",
        help="what separates the columns of CSV, where it is none of , ; | and tab",
    )
    parser.add_argument(
        "--encoding", help="of CSV, such as cp1252 (default: UTF-8, or UTF-16 by its mark)"
    )
    parser.add_argument(
        "--missing-value",
        action="append",
        default=[],
        metavar="TEXT",
        help="a cell of CSV that stands for a missing value, beside empty ones; may be repeated",
    )
    add_memory_limit(parser)


def read_options(arguments: argparse.Namespace) -> ReadOptions:
    """Return what ``add_reading`` asks for."""
    try:
        return ReadOptions(
            delimiter=arguments.delimiter,
            encoding=arguments.encoding,
            missing_values=arguments.missing_value,
        )
    except ValueError as error:
        raise InputError(f"--{error}") from error


def add_memory_limit(parser: "argparse._ActionsContainer") -> None:
    """Add the option that bounds memory to a command that reads files."""
    parser.add_argument(
        "--memory-limit",
        metavar="SIZE",
        help="the most memory that reading takes, such as 1GB (default: most of what there is)",
    )


def _shown(paths: Sequence[Path]) -> str:
    more = f" and {len(paths) - _MOST_FILES} more" if len(paths) > _MOST_FILES else ""
    return ", ".join(printable(str(path)) for path in paths[:_MOST_FILES]) + more


@dataclass(frozen=True)
class Source:
    """The columns of one or several files, to be read by DuckDB."""

    paths: tuple[Path, ...]
    columns: dict[str, str]
    relation: Any
    is_text: bool
    opened: sources.Source

    @property
    def name(self) -> str:
        """The files, printable."""
        return _shown(self.paths)

    def column(self, option: str, name: str) -> str:
        """Return the SQL of a column."""
        if f"{name}#1" in self.columns:
            again = re.compile(rf"{re.escape(name)}#\d+")
            times = sum(again.fullmatch(key) is not None for key in self.columns)
            raise InputError(
                f"{option} must be one column of {self.name}, got {name!r}, which "
                f"{times} columns are called: write '{name}#1' or '{name}#2'."
            )
        if name not in self.columns:
            raise InputError(
                f"{option} must be a column of {self.name}, which has "
                f"{listed(list(self.columns))}, got {name!r}.{hint(name, list(self.columns))}"
            )
        return self.columns[name]


@contextmanager
def reading(paths: Sequence[Path], source: Source | None = None) -> Iterator[None]:
    """Turn errors of reading files into an ``InputError``."""
    try:
        if source is None:
            yield
        else:
            with sources.reading(source.opened):
                yield
    except SourceError as error:
        if error.reason == str(error):
            raise InputError(in_options(str(error))) from error
        reason = error.reason.replace("data.encoding", "--encoding")
        reason = reason.replace("data.missing_values", "--missing-value")
        reason = reason.replace("data.delimiter", "--delimiter")
        name = str(error).partition(" cannot be read: ")[0]
        which = _shown(paths) if len(paths) == 1 or name == "data" else name
        raise InputError(f"Cannot read {which}: {printable(reason)}.") from error


@contextmanager
def open_source(
    paths: Sequence[Path], options: ReadOptions, memory_limit: str | None = None
) -> Iterator[Source]:
    """Open the columns of CSV or Parquet files, which their first bytes tell apart."""
    with reading(paths):
        opened = sources.open_files(paths, options, memory_limit=memory_limit, hashed=False)
    columns = {name: kind.source for name, kind in opened.columns.items()}
    is_text = all(kind.kind == "cell" for kind in opened.columns.values())
    with opened.kept:
        yield Source(tuple(paths), columns, opened.frame, is_text, opened)
