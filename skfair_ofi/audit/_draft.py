"""A commented specification to start from, drafted by looking at a file."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from keyword import iskeyword
from os import PathLike
from typing import Any

import pandas as pd

from ._csv_files import ReadOptions
from ._files import open_files, reading
from .predicates import expressions

_ROWS, _MOST_VALUES, _MOST_SHOWN = 100_000, 20, 8
_PREDICTION = re.compile(r"pred|decision|hired|approv|admit|select|accept|y_?hat|score_text", re.I)
_TRUTH = re.compile(r"true|truth|label|target|actual|outcome|recid|^y$", re.I)
_GROUP = re.compile(r"race|sex|gender|ethnic|age_?cat|religion|nation|disab|marital", re.I)
_SCORE = re.compile(r"score|prob|rating", re.I)
_FAVORABLE = re.compile(r"1|yes|true|y|hired|accepted|approved|admitted|high|pass(ed)?", re.I)
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FUNCTIONS = ("col", "is_missing")

_REST = """\
# Or a condition that says who is privileged:
# privileged = "race == 'White'"

# yuan2024, fai, ofi, four-fifths or nyc-ll144; without one and without criteria, the
# measures of yuan2024 as far as the lines above allow.
# preset = "four-fifths"
# epsilon = 0.2
# minimum_group_size = 30
# What becomes of rows without a group: error, drop or group.
# missing_groups = "error"
# legitimate = { "has experience" = "years > 0" }
# calibration = [5, 7]

# Own criteria; a measure without bounds takes its own.
# [[criteria]]
# measure = "objective_fairness_index"
# at_least = -0.1
# at_most = 0.1

# How CSV is read, where it is not UTF-8 with empty cells for missing values:
# [data]
# encoding = "cp1252"
# missing_values = ["NA"]

"""


@dataclass(frozen=True)
class _Seen:
    """A column: its values where they are few, and whether they are numbers."""

    name: str
    values: tuple[str, ...]
    distinct: int
    missing: int
    numeric: bool

    @property
    def comment(self) -> str:
        shown = ", ".join(_short(value) for value in self.values[:_MOST_SHOWN])
        more = ", ..." if self.distinct > min(len(self.values), _MOST_SHOWN) else ""
        lacking = f"; {self.missing} missing" if self.missing else ""
        return f"#   {_quote(self.name)}: {shown}{more}{lacking}"


def _short(value: str) -> str:
    return _quote(value if len(value) <= 40 else f"{value[:37]}...")


def _quote(text: str) -> str:
    """Text in double quotes with all that TOML or a terminal could take for more escaped."""
    escaped = "".join(
        char if char.isprintable() else f"\\u{ord(char):04x}" if ord(char) < 1 << 16 else "?"
        for char in text
    )
    return json.dumps(escaped, ensure_ascii=False).replace("\\\\u", "\\u")


def _inspect(name: str, column: "pd.Series[Any]") -> _Seen:
    known = column.dropna()
    counts = known.astype(str).value_counts()
    values = sorted(counts.index[:_MOST_VALUES].tolist())
    numeric = bool(len(known)) and bool(pd.to_numeric(known, errors="coerce").notna().all())
    return _Seen(name, tuple(values), len(counts), int(column.isna().sum()), numeric)


def _column(name: str) -> str:
    plain = _PLAIN.fullmatch(name) and not iskeyword(name) and name not in _FUNCTIONS
    return name if plain else f"col({name!r})"


def _equals(column: _Seen) -> str:
    """A predicate that the column has its favorable value, as far as that can be guessed."""
    value = next((v for v in column.values if _FAVORABLE.fullmatch(v)), column.values[-1])
    number = column.numeric and re.fullmatch(r"-?\d+(\.\d+)?", value)
    return f"{_column(column.name)} == {value if number else repr(value)}"


def _first(columns: Sequence[_Seen], pattern: re.Pattern[str]) -> _Seen | None:
    return next((column for column in columns if pattern.search(column.name)), None)


def _setting(name: str, value: str | None, example: str) -> str:
    return f"# {name} = {example}" if value is None else f"{name} = {value}"


def draft_spec(path: str | PathLike[str], options: ReadOptions | None = None) -> str:
    r"""Return a commented specification for a file, with guesses to be checked.

    Parameters
    ----------
    path : path-like
        A CSV or Parquet file.
    options : ReadOptions, default=None
        How CSV is read.

    Returns
    -------
    str
        TOML text for ``Audit.from_toml``. It names every column, with the
        values that were seen in the first 100,000 rows.

    Raises
    ------
    SourceError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "people.csv"
    ...     _ = path.write_text("sex,hired\nf,no\nm,yes\n")
    ...     print(draft_spec(path).splitlines()[4])
    positive = "hired == 'yes'"
    """
    source = open_files([path], options or ReadOptions())
    with source.stack, reading(source):
        arrays = expressions.arrow_columns(
            source.frame.limit(_ROWS), [kind.source for kind in source.columns.values()]
        )
    columns = [
        _inspect(name, array.to_pandas())
        for name, array in zip(source.columns, arrays, strict=True)
    ]
    return _text(columns, source.files[0].name)


def _text(columns: Sequence[_Seen], name: str) -> str:
    few = [column for column in columns if 2 <= column.distinct <= _MOST_VALUES]
    binary = [column for column in few if column.distinct == 2]
    truth = _first([c for c in binary if not _PREDICTION.search(c.name)], _TRUTH)
    predicted = _first(few, _PREDICTION)
    rest = [column for column in binary if column not in (truth, predicted)]
    positive = predicted or (rest[-1] if rest else None)
    candidates = [column for column in few if column not in (truth, positive)]
    group = _first(candidates, _GROUP) or next((c for c in candidates if not c.numeric), None)
    score = _first([c for c in columns if c.numeric and c.distinct > 2], _SCORE)
    guess = None if positive is None else _quote(_equals(positive))
    lines = [
        f"# An audit of {_quote(name)}. Lines that start with # are comments.",
        "# What follows was guessed from names and values: check every line.",
        "",
        "# Who counts as selected: a condition on columns, such as \"hired == 'yes'\".",
        _setting("positive", guess, "\"hired == 'yes'\""),
        "# What came true, where that is known; without it only selection rates are compared.",
        _setting("truth", _quote(_equals(truth)) if truth else None, '"outcome == 1"'),
        "# A column of scores, for calibration and balance.",
        _setting("score", _quote(score.name) if score else None, '"score"'),
        "# The groups: a column, or a list of them; a list inside the list crosses columns.",
        _setting("groups", _quote(group.name) if group else None, '["sex", ["race", "sex"]]'),
        *_REST.splitlines(),
        "# The columns of the file, with values that were seen:",
        *(column.comment for column in columns),
    ]
    return "\n".join(lines) + "\n"
