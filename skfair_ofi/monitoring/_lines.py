"""Lines of a journal: a table with its time and tags as JSON, appended to a file.

A line is written by one call, on a descriptor that appends, while the file is locked. A
process that is killed leaves at most the line it was writing unfinished; the next
append starts a line of its own, so that the torn one spoils no other.

>>> table = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=["a", "b"])
>>> line = to_line(table, datetime(2026, 1, 31, 12, tzinfo=UTC), {"model": "v2"})
>>> line[:64]
b'{"skfair_ofi_journal":1,"time":"2026-01-31T12:00:00Z","tags":{"m'
>>> from_line(line, 1).counts == table
True
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from skfair_ofi.counts import OutcomeCounts

try:
    import fcntl
except ImportError:  # Windows: then a file belongs to one process at a time
    fcntl = None  # type: ignore[assignment]

Tag = str | int | float | bool
VERSION = 1
# More is no line of a journal: a file without line ends must not be read into memory.
LONGEST = 2**26
_LONGEST_TAG = 200
_FORMAT = "skfair_ofi_journal"
_KEYS = {_FORMAT, "time", "tags", "counts"}
_START = f'{{"{_FORMAT}":'.encode()
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Entry:
    """One table of a journal."""

    time: datetime  # when the people were decided on, in UTC
    counts: OutcomeCounts
    tags: dict[str, Tag]
    line: int  # number of the line, from 1


class Fault(NamedTuple):
    """A line of a journal that was skipped."""

    line: int  # its number, from 1
    reason: str  # what is wrong with it
    torn: bool  # whether it is the start of a line whose writer was stopped


class DamagedLineError(ValueError):
    """A line is not whole: torn, or no line of a journal at all."""

    def __init__(self, reason: str, *, torn: bool = False) -> None:
        super().__init__(reason)
        self.torn = torn


def check_time(name: str, time: datetime | str) -> datetime:
    """Return a moment in UTC."""
    try:
        moment = datetime.fromisoformat(time) if isinstance(time, str) else time
    except ValueError:
        moment = None
    if not isinstance(moment, datetime) or moment != moment:  # noqa: PLR0124 - pandas' NaT
        raise ValueError(f"{name} must be a datetime or text in ISO 8601, got {time!r}.")
    if moment.utcoffset() is None:
        raise ValueError(f"{name} must have a time zone, such as UTC, got {time!r}.")
    try:
        # without it, a subclass such as pandas' keeps nanoseconds, which no other reader knows
        return datetime.fromisoformat(moment.isoformat()).astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{name} must be a time that UTC can hold, got {time!r}.") from None


def show_time(time: datetime) -> str:
    """Return a moment of UTC in ISO 8601, with Z for its zone.

    Examples
    --------
    >>> show_time(datetime(2026, 1, 31, 12, tzinfo=UTC))
    '2026-01-31T12:00:00Z'
    """
    return f"{time.replace(tzinfo=None).isoformat()}Z"


def check_tags(tags: Mapping[str, Tag] | None) -> dict[str, Tag]:
    """Return tags, refused where they could hold more than short words and numbers."""
    if tags is not None and not isinstance(tags, Mapping):
        raise ValueError(f"tags must be a mapping of names to text or numbers, got {tags!r}.")
    found = dict(tags or {})
    for name, value in found.items():
        finite = isinstance(value, int) or (isinstance(value, float) and isfinite(value))
        short = isinstance(value, str) and len(value) <= _LONGEST_TAG
        if not (finite or short) or str(name) != name:
            raise ValueError(
                f"tags must be text of at most {_LONGEST_TAG} characters or finite numbers by "
                f"name, got {name!r}: {value!r}."
            )
    return found


def _check_keys(data: Mapping[str, Any]) -> None:
    """Refuse groups and labels that JSON does not give back as they were."""
    for what in ("groups", "labels"):
        keys = data.get(what, [])
        if not isinstance(keys, list):
            raise ValueError(f"{what} must be a list, got {keys!r}.")  # noqa: TRY004 - of a file
        for key in keys:
            for part in key if isinstance(key, tuple | list) else (key,):
                if not (part is None or isinstance(part, str | int | float)):
                    raise ValueError(
                        f"{what} must be text, numbers, true, false or null, got {part!r}."
                    )
                if isinstance(part, float) and not isfinite(part):
                    raise ValueError(f"{what} must be finite, got {part!r}.")


def to_line(counts: OutcomeCounts, time: datetime, tags: dict[str, Tag]) -> bytes:
    """Return the line of a table."""
    data = counts.to_dict()
    _check_keys(data)
    content = {_FORMAT: VERSION, "time": show_time(time), "tags": tags, "counts": data}
    line = json.dumps(content, separators=(",", ":")).encode("ascii")
    if len(line) > LONGEST:
        raise ValueError(
            f"counts must fit in a line of {LONGEST:,} bytes, got {len(line):,} for "
            f"{len(counts.groups):,} groups."
        )
    from_line(line, 0)
    return line


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"numbers must be finite, got {text}.")


def _describe_damage(line: bytes, error: Exception) -> DamagedLineError:
    """What is wrong with a line that is not JSON: torn, edited, or somebody else's."""
    if not line.startswith(_START[: len(line)]):
        return DamagedLineError("no line of a journal of outcomes")
    place, more = "", False
    if isinstance(error, json.JSONDecodeError):
        place = f" from character {error.pos + 1:,} on"
        # A torn line lacks its last brace, or more of it is expected after its end.
        more = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated string")
    if more or not line.rstrip().endswith(b"}"):
        return DamagedLineError(f"cut off after {len(line):,} bytes", torn=True)
    return DamagedLineError(f"no JSON{place}")


def _parse(line: bytes) -> dict[str, Any]:
    try:
        content = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise _describe_damage(line, error) from None
    if not isinstance(content, dict) or _FORMAT not in content:
        raise DamagedLineError("no line of a journal of outcomes")
    # Versions are whole: 1.0 and true are no version, though they equal 1.
    if type(content[_FORMAT]) is not int or content[_FORMAT] != VERSION:
        raise ValueError(f"the format must be version {VERSION}, got {content[_FORMAT]!r}.")
    if set(content) != _KEYS:
        raise ValueError(f"a line must have the keys {sorted(_KEYS)}, got {sorted(content)}.")
    return content


def _read_counts(data: Any) -> OutcomeCounts:
    """The table of a line, which may have been edited by hand."""
    if not isinstance(data, dict):
        raise ValueError(f"counts must be an object, got {data!r}.")  # noqa: TRY004 - of a file
    _check_keys(data)
    if len(data.get("labels", [0, 0])) != 2:
        raise ValueError(f"labels must be (unfavorable, favorable), got {data['labels']!r}.")
    names = data.get("feature_names")
    is_list = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if names is not None and not is_list:
        raise ValueError(f"feature_names must be a list of text or null, got {names!r}.")
    counts = OutcomeCounts.from_dict(data)
    for name in ("score_sums", "score_squares", "weight_squares"):
        table = getattr(counts, name)
        if table is not None and not np.isfinite(table).all():
            raise ValueError(f"{name} must be finite, got {table.max()}.")
    if counts.weight_squares is not None and (counts.weight_squares < 0).any():
        raise ValueError(f"weight_squares must not be negative, got {counts.weight_squares.min()}.")
    return counts


def from_line(line: bytes, number: int) -> Entry:
    """Return the entry that a line holds."""
    content = _parse(line)
    if not isinstance(content["time"], str):
        raise ValueError(f"time must be text, got {content['time']!r}.")  # noqa: TRY004
    time, tags = check_time("time", content["time"]), check_tags(content["tags"])
    try:
        return Entry(time, _read_counts(content["counts"]), tags, number)
    except TypeError as error:  # lists of other things than numbers
        raise ValueError(f"counts must be a table of numbers: {error}.") from error


def append_line(path: Path, line: bytes, *, fsync: bool) -> None:
    """Add a line to a file, or make the file; it is locked where the system has such locks."""
    descriptor = os.open(path, _FLAGS, 0o666)
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        start = b""
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            start = b"" if os.read(descriptor, 1) == b"\n" else b"\n"
        rest = memoryview(start + line + b"\n")
        while rest:  # one call writes all of it, unless a signal or a full disk comes between
            rest = rest[os.write(descriptor, rest) :]
        if fsync:
            os.fsync(descriptor)
            if not size and hasattr(os, "O_DIRECTORY"):  # not on Windows
                # the disk must know of the new file, too
                folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
                os.fsync(folder)
                os.close(folder)
    finally:
        # closing unlocks, and so does the end of the process, however it comes
        os.close(descriptor)


def read_lines(path: Path) -> Iterator[Entry | Fault]:
    """Yield the entries of a file, and the lines that are skipped since they are not whole."""
    with path.open("rb") as file:
        number = 0
        while start := file.readline(LONGEST + 1):
            number += 1
            rest = start
            while len(rest) > LONGEST and not rest.endswith(b"\n"):
                rest = file.readline(LONGEST + 1)
            line = start.rstrip(b"\r\n")
            if len(line) > LONGEST:
                yield Fault(number, f"longer than {LONGEST:,} bytes", torn=False)
            elif line.strip():
                try:
                    yield from_line(line, number)
                except DamagedLineError as error:
                    yield Fault(number, str(error), error.torn)
                except ValueError as error:
                    raise ValueError(f"{path.name}, line {number}: {error}") from error
