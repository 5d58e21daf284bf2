"""What is wrong with a file, in one line that names it without folders."""

import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

# What the modules of the standard library raise for broken archives, beside OSError.
_CORRUPT = (zlib.error, lzma.LZMAError, zipfile.BadZipFile)
# Words of DuckDB, and what they mean.
_REASONS = {
    "invalid unicode": "{where} is not UTF-8; give data.encoding, such as 'cp1252'",
    "maximum line size": "{where} is longer than 2 MB",
    "state machine reached an invalid state": (
        "its lines end in more than one way (CRLF, LF or CR), or it is no CSV"
    ),
    "null specification": "data.missing_values must not hold the delimiter or the quote",
    "unterminated quote": "{where} has a quote that is not closed",
    "out of memory": "it needs more memory than there is, or than the limit allows",
}


class SourceError(ValueError):
    """A file that cannot be read; the message says why, on one line.

    Parameters
    ----------
    name : str
        The file, as the message names it; without a reason, the whole message.
    reason : str, default=None
        Why it cannot be read.

    Attributes
    ----------
    reason : str
        The same; the whole message where no file is at fault.
    """

    def __init__(self, name: str, reason: str | None = None) -> None:
        self.reason = name if reason is None else reason
        super().__init__(name if reason is None else f"{name} cannot be read: {reason}.")


def _named(path: Path | None) -> str:
    return "standard input" if path is None else repr(path.name or str(path))


def fail(path: Path | None, reason: str) -> SourceError:
    return SourceError(_named(path), reason)


@contextmanager
def file_errors(path: Path | None) -> Iterator[None]:
    """Say in one line what a library finds wrong with a file."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise fail(path, duckdb_reason(str(error))) from None
    except (OSError, EOFError, ValueError, RuntimeError, *_CORRUPT) as error:
        if isinstance(error, SourceError):
            raise
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise fail(path, " ".join(reason.split())) from None


def _column(message: str, names: Mapping[str, str]) -> str | None:
    """The column that DuckDB speaks of, as a user knows it."""
    found = re.search(r'source column (.+)|converting column "(.+?)"', message)
    if found is None:
        return None
    name = (found[1] or found[2]).strip('"')
    return names.get(name, name if name in names.values() else None)


def duckdb_reason(message: str, names: Mapping[str, str] | None = None) -> str:
    """Return what DuckDB says, in one line."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {line[1]}" if line else "a line"
    if widths := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
        hint = (
            "; another delimiter can be given as data.delimiter" if "1" in widths.groups() else ""
        )
        return f"{where} has {widths[2]} columns where the first line has {widths[1]}{hint}"
    if cell := re.search(r"Could not convert string ['\"](.*?)['\"] to '?(\w+)", message):
        wanted = "True or False" if cell[2].startswith("BOOL") else "numbers"
        name = _column(message, names or {})
        what = "a column" if name is None else f"column {name!r}"
        return (
            f"{what} must hold {wanted}, got the cell "
            f"{cell[1][:60]!r}; cells that stand for a missing value can be listed in "
            "data.missing_values"
        )
    for words, reason in _REASONS.items():
        if words in message.lower():
            return reason.format(where=where)
    without_folders = re.sub(r"(?:\w:)?[/\\][^\s'\"]*[/\\]", "", message)
    return " ".join(without_folders.split())[:200].rstrip(".")
