"""Compressed files, other encodings and the standard input, as what DuckDB can read."""

import bz2
import gzip
import io
import lzma
import shutil
import sys
import tempfile
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from ._source_errors import fail

GZIP, ZSTD = b"\x1f\x8b", b"(\xb5/\xfd"
_BZIP, _XZ, _ZIP = b"BZh", b"\xfd7zXZ\x00", b"PK\x03\x04"
# What DuckDB decompresses by itself, and what has to be spooled.
STREAMED = {GZIP: "gzip", ZSTD: "zstd"}
SPOOLED = (_BZIP, _XZ, _ZIP)
_CHUNK = 1 << 20


def _member(path: Path) -> Any:
    """The one file in a ZIP archive."""
    archive = zipfile.ZipFile(path)
    names = [entry.filename for entry in archive.infolist() if not entry.is_dir()]
    if "[Content_Types].xml" in names:
        raise ValueError("it is an Office document, such as an Excel workbook; save it as CSV")
    if len(names) != 1:
        raise ValueError(f"it is a ZIP archive that must hold one file, got {len(names)}")
    return archive.open(names[0])


def opened(path: Path, start: bytes) -> Any:
    """The file's content, decompressed."""
    if start.startswith(GZIP):
        return gzip.open(path)
    if start.startswith(ZSTD):
        return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")
    if start.startswith(_BZIP):
        return bz2.open(path)
    if start.startswith(_XZ):
        return lzma.open(path)
    if start.startswith(_ZIP):
        return _member(path)
    return path.open("rb")


def spooled(file: IO[bytes], encoding: str, path: Path | None, kept: ExitStack) -> Path:
    """A temporary copy of text as plain UTF-8, which is gone once it has been read."""
    folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))
    target = Path(folder) / "data.csv"
    reader = io.TextIOWrapper(file, encoding, newline="")
    with target.open("w", encoding="utf-8", newline="") as copy:
        try:
            while text := reader.read(_CHUNK):
                if "\0" in text:
                    raise fail(path, f"it holds NUL characters as {encoding} text")
                copy.write(text)
        except UnicodeError as error:
            raise fail(path, f"it is not {encoding} text ({error})") from None
        finally:
            reader.detach()
    return target


def from_stdin(kept: ExitStack) -> Path:
    """A temporary copy of the standard input, which can be read only once."""
    folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="skfair-ofi-"))
    target = Path(folder) / "stdin"
    with target.open("wb") as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
    return target
