"""The glossary's symbols are the registry's, and its words stand in order once."""

import re
from pathlib import Path

from skfair_ofi.metrics import METRICS

PAGE = (Path(__file__).parents[1] / "docs" / "glossary.md").read_text(encoding="utf-8")
WORDS, SYMBOLS = PAGE.split("## Symbols")


def test_every_symbol_is_listed() -> None:
    """The table holds each measure with its symbol and kind, by symbol."""
    metrics = sorted(METRICS.values(), key=lambda metric: metric.symbol.casefold())
    expected = [(metric.symbol, metric.name, metric.kind) for metric in metrics]
    rows = re.findall(r"^\| (\S+) \| `(\w+)` \| (\w+) \|$", SYMBOLS, re.M)
    assert [(symbol.replace("\\|", "|"), name, kind) for symbol, name, kind in rows] == expected


def test_symbols_differ() -> None:
    """A symbol is a name: it means one measure."""
    assert len({metric.symbol for metric in METRICS.values()}) == len(METRICS)


def test_words_are_explained_once() -> None:
    """About thirty words, each explained in one row."""
    words = re.findall(r"^\| ([a-z, ]+) \| \S.*\. \|$", WORDS, re.M)
    assert len(words) >= 30
    assert len(set(words)) == len(words)
