"""Files that a command writes: none is overwritten unasked."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ._console import printable
from ._errors import InputError


def check_target(path: Path, source: Path, *, force: bool) -> None:
    """Refuse a file that must not be written, before any work is done.

    Parameters
    ----------
    path : Path
        The file to write.
    source : Path
        The file that is read.
    force : bool
        Whether it may be there already.

    Raises
    ------
    InputError
        If it is the file that is read, is there already, or has no folder.
    """
    shown = printable(str(path))
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"--output must be a file in a folder that exists, got {shown}.")
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError(f"--output must be another file than the one that is read, got {shown}.")
    if path.exists() and not force:
        raise InputError(f"--output must be a new file, got {shown}: --force overwrites it.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of writing a file into an ``InputError``.

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
        In place of what the system raises.
    """
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot write {printable(str(path))}: {error.strerror}.") from error
