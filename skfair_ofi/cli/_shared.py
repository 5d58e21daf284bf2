"""What commands share: the screen, errors of input, options, files to write, values of groups.

Everything shown is inert: no markup is read, and control characters of other people's
data are spelled out. Numbers are never cut: a table that is too wide for the terminal is
shown as a list of its rows instead. In a pipe, there is no limit to the width of a table,
so that a row stays one line.
"""

import argparse
import csv
import io
import os
import re
import sys
import warnings
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO, TypeVar

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import printable
from skfair_ofi._validation import suggest
from skfair_ofi.audit import is_memory_limit
from skfair_ofi.report import RENDERERS, TONES, Document, Report, get_tone, list_lines

T = TypeVar("T", bound=Hashable)
# More names than this are not listed in a message.
_MOST_NAMES = 12
_MISSING = "(missing)"
_STYLES = {"good": "cyan", "middling": "yellow", "bad": "bold magenta", "unknown": "italic"}
# The longest first: "met" is part of "not met".
_VERDICTS = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(TONES, key=len, reverse=True))})(?!\w)")


class InputError(Exception):
    """The user's input cannot be used; the message says why, on one line."""


def show_document(document: Document, stream: TextIO | None = None) -> None:
    """Show a document on a terminal of any width, in a pipe, or in a file."""
    from rich.console import Console
    from rich.text import Text

    stream = sys.stdout if stream is None else stream
    console = Console(file=stream, markup=False, emoji=False, highlight=False)
    has_width = console.is_terminal or os.environ.get("COLUMNS", "").isdigit()
    lines = list_lines(document, console.width if has_width else None)
    text = Text("\n".join(lines), no_wrap=True, overflow="ignore")
    for found in _VERDICTS.finditer(text.plain):
        text.stylize(_STYLES[get_tone(found[0])], *found.span())
    # Through a string, since rich ends the program when a pipe is closed.
    with console.capture() as captured:
        console.print(text, soft_wrap=True)
    stream.write(captured.get())


def show_report(report: Report, form: str | None = None) -> None:
    """Show a report on the standard output; as text, it fits the screen."""
    if form in (None, "text"):
        show_document(report.document())
    else:
        sys.stdout.write(RENDERERS[form].render(report))


@contextmanager
def show_progress(message: str) -> Iterator[Callable[[str, float], None] | None]:
    """Show on the standard error that something takes its time, where somebody is looking.

    What is yielded says which part of the work is being done and how much of it is; None
    where nobody is looking.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        yield None
        return
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(printable(message), total=None)

        def show_part(part: str, share: float) -> None:
            progress.update(task, description=printable(part), total=1.0, completed=share)

        yield show_part


@contextmanager
def translate_errors(options: Mapping[str, str] | None = None) -> Iterator[None]:
    """Turn a ``ValueError`` about the user's input into an ``InputError``.

    Messages begin with the parameter at fault; ``options`` says what it is called here.
    """
    try:
        yield
    except ValueError as error:
        name, must, rule = str(error).partition(" must ")
        raise InputError(printable((options or {}).get(name, name) + must + rule)) from error


@contextmanager
def translate_write_errors(path: Path) -> Iterator[None]:
    """Turn errors of writing a file into an ``InputError``."""
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot write {printable(str(path))}: {error.strerror}.") from error


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """Collect warnings as lines for the user."""
    lines: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield lines
    lines += [printable(str(warning.message)) for warning in caught]


def add_list(group: "argparse._ActionsContainer", *flags: str, help: str, **options: Any) -> None:  # noqa: A002 - as argparse calls it
    """Add an option that may be repeated."""
    group.add_argument(
        *flags, action="append", default=[], help=f"{help}; may be repeated", **options
    )


def add_format(group: "argparse._ActionsContainer") -> None:
    """Add the option that says what is shown on the screen."""
    group.add_argument(
        "--format",
        choices=tuple(RENDERERS),
        default="text",
        help="on the screen (default: %(default)s)",
    )


def add_output(group: "argparse._ActionsContainer", suffixes: Sequence[str]) -> None:
    """Add the options that say which files are written."""
    add_list(
        group,
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"write to a file; its suffix says the form: {', '.join(suffixes)}",
    )
    group.add_argument("--force", action="store_true", help="overwrite the files of --output")


def add_privileged(group: "argparse._ActionsContainer") -> None:
    """Add the option that names the privileged groups."""
    add_list(
        group,
        "--privileged",
        metavar="GROUP",
        help="the group that everyone else is compared with, in place of the largest gap",
    )


def _read_size(text: str) -> str:
    if not is_memory_limit(text):
        raise argparse.ArgumentTypeError(f"must be a size such as '1GB', got {text!r}")
    return text


def add_memory_limit(group: "argparse._ActionsContainer") -> None:
    """Add the option that bounds memory to a command that reads files."""
    group.add_argument(
        "--memory-limit",
        type=_read_size,
        metavar="SIZE",
        help="the most memory that reading takes, such as 1GB (default: most of what there is)",
    )


def check_target(
    path: Path,
    sources: Sequence[Path],
    *,
    force: bool,
    suffixes: Sequence[str] = (),
    option: str = "--output",
    unless: str = "",
) -> None:
    """Refuse a file that must not be written, before any work is done.

    Any suffix is right where none are given; ``unless`` says how to do without.
    """
    shown = printable(str(path))
    if suffixes and path.suffix.lower() not in suffixes:
        raise InputError(f"{option} must end in one of {', '.join(suffixes)}{unless}, got {shown}.")
    if path.is_symlink():
        raise InputError(f"{option} must be no symbolic link, got {shown}.")
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{option} must be a file in a folder that exists, got {shown}.")
    read = [source for source in sources if source.exists()]
    if path.exists() and any(path.samefile(source) for source in read):
        raise InputError(f"{option} must be another file than the one that is read, got {shown}.")
    if path.exists() and not force:
        raise InputError(f"{option} must be a new file, got {shown}: --force overwrites it.")


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


def _write_group(key: Hashable) -> str:
    """Return a group as text, several features as one record of CSV: no two look alike."""
    if not isinstance(key, tuple):
        return _MISSING if key is None else str(key)
    record = io.StringIO()
    csv.writer(record, lineterminator="").writerow(map(_write_group, key))
    return record.getvalue()


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
            wanted = _write_group(tuple(parts))
        found.append(choose_value("--privileged", wanted, shown))
    return found or None
