"""What several commands share: errors of input, files to write, options and values of groups."""

import argparse
import csv
import io
import warnings
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import printable
from skfair_ofi._validation import suggest
from skfair_ofi.audit import is_memory_limit

T = TypeVar("T", bound=Hashable)
# More names than these are cut in a message.
_MOST_NAMES = 12
_MISSING = "(missing)"


class InputError(Exception):
    """The user's input cannot be used; the message says why, on one line."""


@contextmanager
def input_errors(called: Mapping[str, str] | None = None) -> Iterator[None]:
    """Turn a ``ValueError`` about the user's input into an ``InputError``.

    Messages begin with the parameter at fault; ``called`` says what options call it.
    """
    try:
        yield
    except ValueError as error:
        message = str(error)
        name, _, rule = message.partition(" must ")
        if called and name in called:
            message = f"{called[name]} must {rule}"
        raise InputError(printable(message)) from error


@contextmanager
def caught_warnings() -> Iterator[list[str]]:
    """Collect warnings as lines for the user."""
    lines: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield lines
    lines += [printable(str(warning.message)) for warning in caught]


def check_target(path: Path, *sources: Path, force: bool, option: str = "--output") -> None:
    """Refuse a file that must not be written, before any work is done."""
    shown = printable(str(path))
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{option} must be a file in a folder that exists, got {shown}.")
    read = [source for source in sources if source.exists()]
    if path.exists() and any(path.samefile(source) for source in read):
        raise InputError(f"{option} must be another file than the one that is read, got {shown}.")
    if path.exists() and not force:
        raise InputError(f"{option} must be a new file, got {shown}: --force overwrites it.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of writing a file into an ``InputError``."""
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot write {printable(str(path))}: {error.strerror}.") from error


def _read_size(text: str) -> str:
    if not is_memory_limit(text):
        raise argparse.ArgumentTypeError(f"must be a size such as '1GB', got {text!r}")
    return text


def add_memory_limit(parser: "argparse._ActionsContainer") -> None:
    """Add the option that bounds memory to a command that reads files."""
    parser.add_argument(
        "--memory-limit",
        type=_read_size,
        metavar="SIZE",
        help="the most memory that reading takes, such as 1GB (default: most of what there is)",
    )


def quote_names(names: Sequence[str]) -> str:
    """Return names as a list for a message, cut where it is long."""
    more = f", ... ({len(names)} in all)" if len(names) > _MOST_NAMES else ""
    return ", ".join(repr(name) for name in names[:_MOST_NAMES]) + more


def choose_value(option: str, text: str, shown: Mapping[T, Collection[str]]) -> T:
    """Return the value that is shown as a text.

    Examples
    --------
    >>> choose_value("--favorable", "1", {0: {"0"}, 1: {"1", "1.0"}})
    1
    """
    found = [value for value, texts in shown.items() if text in texts]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"{option} must say which value is meant, got {text!r}, which stands for "
            f"{' and '.join(map(repr, found))}: give the columns the same type."
        )
    names = [min(sorted(texts), key=len) for texts in shown.values()]
    raise InputError(
        f"{option} must be one of {quote_names(names)}, got {text!r}.{suggest(text, names)}"
    )


def _write_record(parts: Iterable[str]) -> str:
    """Return texts as one record of CSV, so that no two groups look alike."""
    record = io.StringIO()
    csv.writer(record, lineterminator="").writerow(parts)
    return record.getvalue()


def _write_group(key: Hashable) -> str:
    if isinstance(key, tuple):
        return _write_record(map(_write_group, key))
    return _MISSING if key is None else str(key)


def find_privileged(texts: Sequence[str], counts: OutcomeCounts) -> list[Hashable] | None:
    """Return the groups that are named on the command line.

    Examples
    --------
    >>> table = OutcomeCounts.from_arrays(
    ...     y_pred=[0, 1], sensitive_features={"race": ["a", "b"], "sex": [1, 2]}
    ... )
    >>> find_privileged(["b,2"], table)
    [('b', 2)]
    """
    features = counts.feature_names or ("group",)
    shown = {key: {_write_group(key)} for key in counts.groups}
    found = []
    for text in texts:
        wanted = text
        if len(features) > 1:
            parts = next(csv.reader([text], skipinitialspace=True), [])
            if len(parts) != len(features):
                raise InputError(
                    f"--privileged must give one value for each of {', '.join(features)}, "
                    f"separated by commas, got {text!r}."
                )
            wanted = _write_record(parts)
        found.append(choose_value("--privileged", wanted, shown))
    return found or None
