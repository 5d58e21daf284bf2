"""How a CSV file is read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


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
        If a value is of another type, or an encoding is not known.

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
        if self.delimiter is not None and (
            not isinstance(self.delimiter, str) or len(self.delimiter) != 1
        ):
            raise ValueError(f"delimiter must be one character, got {self.delimiter!r}.")
        if not isinstance(self.quote, str) or len(self.quote) > 1:
            raise ValueError(f"quote must be one character or none, got {self.quote!r}.")
        values = self.missing_values
        if not isinstance(values, list | tuple) or not all(isinstance(x, str) for x in values):
            raise ValueError(f"missing_values must be a list of text, got {values!r}.")
        object.__setattr__(self, "missing_values", tuple(values))
        if self.encoding is not None:
            try:
                "a".encode(self.encoding)
            except (LookupError, TypeError, ValueError):
                raise ValueError(
                    f"encoding must be one that Python knows, got {self.encoding!r}."
                ) from None
