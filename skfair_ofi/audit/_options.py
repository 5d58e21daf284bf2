"""How a CSV file is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


def _is_text(value: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _check_mark(name: str, value: Any, more: str) -> None:
    """Check what stands between or around cells."""
    if not isinstance(value, str) or len(value) != 1:
        raise ValueError(f"{name} must be one character{more}, got {value!r}.")
    if value in "\r\n\0" or not _is_text(value):
        raise ValueError(f"{name} must be a character that text can hold in a line, got {value!r}.")


@dataclass(frozen=True)
class ReadOptions:
    """How a CSV file is read; other files and frames need none of it.

    Parameters
    ----------
    delimiter : str, default=None
        What separates columns; None takes what the first line suggests of
        comma, semicolon, tab and bar.
    encoding : str, default=None
        None is UTF-8, or UTF-16 where the file starts with its mark.
    quote : str, default='"'
        What encloses cells; "" for nothing.
    missing_values : sequence of str, default=()
        Cells that stand for a missing value, beside empty ones, such as "NA".

    Raises
    ------
    ValueError
        If a value is of another type, an encoding is not known, or the
        delimiter and the quote are one.

    Examples
    --------
    >>> ReadOptions(delimiter=";").delimiter
    ';'
    """

    delimiter: Any = None
    encoding: str | None = None
    quote: Any = '"'
    missing_values: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Refuse what no file can be read with."""
        if self.delimiter is not None:
            _check_mark("delimiter", self.delimiter, "")
        if self.quote != "":
            _check_mark("quote", self.quote, " or none")
            if not self.quote.isascii():
                raise ValueError(f"quote must be an ASCII character, got {self.quote!r}.")
        if self.quote == self.delimiter:
            raise ValueError(f"quote must be another than the delimiter, got {self.quote!r} twice.")
        values = self.missing_values
        if not isinstance(values, list | tuple) or not all(isinstance(x, str) for x in values):
            raise ValueError(f"missing_values must be a list of text, got {values!r}.")
        if not all(map(_is_text, values)):
            raise ValueError(f"missing_values must be whole characters, got {values!r}.")
        object.__setattr__(self, "missing_values", tuple(values))
        if self.encoding is not None:
            try:
                "a".encode(self.encoding)
            except (LookupError, TypeError, ValueError):
                raise ValueError(
                    f"encoding must be one that Python knows, got {self.encoding!r}."
                ) from None
