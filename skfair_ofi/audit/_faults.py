"""What is wrong with a specification, all of it at once, or with a file, in one line."""

import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class SpecError(ValueError):
    """A specification that cannot be used.

    Parameters
    ----------
    faults : sequence of str
        What is wrong, one sentence each.

    Attributes
    ----------
    faults : tuple of str
        The same.
    """

    def __init__(self, faults: list[str]) -> None:
        self.faults = tuple(faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        listed = " ".join(f"({place}) {fault}" for place, fault in enumerate(faults, start=1))
        super().__init__(f"The audit has {count}: {faults[0] if len(faults) == 1 else listed}")


class Faults:
    """Collects faults by the field that they are in."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, field: str, message: str) -> None:
        """Note a fault."""
        self.found.append(f"{field}: {message.removeprefix(f'{field} ')}")

    def _note(self, field: str, error: Exception) -> None:
        if isinstance(error, SpecError):
            self.found += [f"{field}: {fault}" for fault in error.faults]
        else:
            self.add(field, str(error))

    @contextmanager
    def of(self, field: str) -> Iterator[None]:
        """Note a ``ValueError`` or ``TypeError`` as a fault of a field, and go on."""
        try:
            yield
        except (TypeError, ValueError) as error:
            self._note(field, error)

    def attempt(self, field: str, default: T, function: Callable[[], T]) -> T:
        """Return what a function returns, or note its fault and return the default."""
        try:
            return function()
        except (TypeError, ValueError) as error:
            self._note(field, error)
            return default

    def check(self) -> None:
        """Raise all faults, if there are any."""
        if self.found:
            raise SpecError(self.found)


class Remedy(NamedTuple):
    """Which of ``ReadOptions`` helps, and how that is said, with {} for what it is called."""

    option: str
    words: str


ENCODING = Remedy("encoding", "give {}, such as 'cp1252'")
_DELIMITER = Remedy("delimiter", "another delimiter can be given as {}")
_MISSING_VALUES = Remedy(
    "missing_values", "cells that stand for a missing value can be listed in {}"
)
_MARKS = Remedy("missing_values", "{} must not hold the delimiter or the quote")
# Words of DuckDB, and what they mean.
_REASONS: dict[str, tuple[str, Remedy | None]] = {
    "invalid unicode": ("{where} is not UTF-8", ENCODING),
    "maximum line size": ("{where} is longer than 2 MB", None),
    "state machine reached an invalid state": (
        "its lines end in more than one way (CRLF, LF or CR), or it is no CSV",
        None,
    ),
    "null specification": ("", _MARKS),
    "unterminated quote": ("{where} has a quote that is not closed", None),
    "out of memory": ("it needs more memory than there is, or than the limit allows", None),
}


class SourceError(ValueError):
    """A file that cannot be read; the message says why, on one line.

    Parameters
    ----------
    name : str
        The file, as the message names it; without a reason, the whole message.
    reason : str, default=None
        Why it cannot be read.
    remedy : Remedy, default=None
        What would help.
    """

    def __init__(self, name: str, reason: str | None = None, remedy: Remedy | None = None) -> None:
        self.name, self.reason, self.remedy = name, reason, remedy
        super().__init__(name if reason is None else f"{name} cannot be read: {self.explain()}.")

    def explain(self, called: Mapping[str, str] | None = None) -> str:
        """Return why, and what would help.

        Parameters
        ----------
        called : mapping of str to str, default=None
            What the fields of ``ReadOptions`` are called where the file is given; None is what a
            specification calls them.

        Returns
        -------
        str
            The reason and the remedy.
        """
        parts = [self.reason or ""]
        if self.remedy is not None:
            option = self.remedy.option
            parts.append(self.remedy.words.format((called or {}).get(option, f"data.{option}")))
        return "; ".join(filter(None, parts))


def fail(path: Path | None, reason: str, remedy: Remedy | None = None) -> SourceError:
    """Return the error of a file, which is named without folders."""
    name = "standard input" if path is None else repr(path.name or str(path))
    return SourceError(name, reason, remedy)


@contextmanager
def file_errors(path: Path | None) -> Iterator[None]:
    """Say in one line what a library finds wrong with a file."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise fail(path, *explain_duckdb(str(error))) from None
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error) as error:
        if isinstance(error, SourceError):
            raise
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise fail(path, " ".join(reason.split())) from None


def _find_column(message: str, names: Mapping[str, str]) -> str | None:
    """Return the column that DuckDB speaks of, as a user knows it."""
    found = re.search(r'source column (.+)|converting column "(.+?)"', message)
    if found is None:
        return None
    name = (found[1] or found[2]).strip('"')
    return names.get(name, name if name in names.values() else None)


def explain_duckdb(
    message: str, names: Mapping[str, str] | None = None
) -> tuple[str, Remedy | None]:
    """Return what DuckDB says, in one line, and what would help."""
    line = re.search(r"CSV Error on Line: (\d+)", message)
    where = f"line {line[1]}" if line else "a line"
    if widths := re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message):
        reason = f"{where} has {widths[2]} columns where the first line has {widths[1]}"
        return reason, _DELIMITER if "1" in widths.groups() else None
    if cell := re.search(r"Could not convert string ['\"](.*?)['\"] to '?(\w+)", message):
        wanted = "True or False" if cell[2].startswith("BOOL") else "numbers"
        name = _find_column(message, names or {})
        what = "a column" if name is None else f"column {name!r}"
        return f"{what} must hold {wanted}, got the cell {cell[1][:60]!r}", _MISSING_VALUES
    for words, (reason, remedy) in _REASONS.items():
        if words in message.lower():
            return reason.format(where=where), remedy
    without_folders = re.sub(r"(?:\w:)?[/\\][^\s'\"]*[/\\]", "", message)
    return " ".join(without_folders.split())[:200].rstrip("."), None
