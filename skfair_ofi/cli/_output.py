"""Files that a command writes: none is overwritten unasked."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skfair_ofi._text import printable

from ._errors import InputError


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
