"""Lines of a file that several processes append to, and that may end in a torn one.

A line is written by one call, on a descriptor that appends, while the file is locked. A
process that is killed leaves at most the line it was writing unfinished; the next
append starts a line of its own, so that the torn one spoils no other.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

try:
    import fcntl
except ImportError:  # Windows: then a file belongs to one process at a time
    fcntl = None  # type: ignore[assignment]

# More is no line of a journal: a file without line ends must not be read into memory.
LONGEST = 2**26
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)


class RawLine(NamedTuple):
    """A line: its number from 1, its bytes without the end, and whether it was too long."""

    number: int
    content: bytes
    too_long: bool


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """A descriptor that appends, locked where the system has such locks."""
    descriptor = os.open(path, _FLAGS, 0o666)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        # closing unlocks, and so does the end of the process, however it comes
        os.close(descriptor)


def _ends_in_line(descriptor: int) -> bool:
    """Whether the next byte starts a line."""
    size = os.fstat(descriptor).st_size
    if size == 0:
        return True
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1) == b"\n"


def _sync_folder(folder: Path) -> None:
    """Wait until the disk knows of a new file, too, where the system opens folders."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def append_line(path: Path, content: bytes, *, fsync: bool) -> None:
    """Add a line to a file, or make the file."""
    with _opened(path) as descriptor:
        is_new = os.fstat(descriptor).st_size == 0
        start = b"" if _ends_in_line(descriptor) else b"\n"
        rest = memoryview(start + content + b"\n")
        while rest:  # one call writes all of it, unless a signal or a full disk comes between
            rest = rest[os.write(descriptor, rest) :]
        if fsync:
            os.fsync(descriptor)
            if is_new:
                _sync_folder(path.parent)


def raw_lines(path: Path) -> Iterator[RawLine]:
    """Read the lines of a file that are not blank."""
    with path.open("rb") as file:
        number = 0
        while piece := file.readline(LONGEST + 1):
            number += 1
            start, whole = piece, piece
            while len(whole) > LONGEST and not whole.endswith(b"\n"):
                whole = file.readline(LONGEST + 1)
                if not whole:
                    break
            content = start.rstrip(b"\r\n")
            if content.strip():
                yield RawLine(number, content, len(content) > LONGEST)
