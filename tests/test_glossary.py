"""The glossary tells the truth: its measures are the registry's, its words stand there once."""

import re
from pathlib import Path

import pytest

from skfair_ofi.cli import main
from skfair_ofi.metrics import METRICS

PAGE = (Path(__file__).parents[1] / "docs" / "glossary.md").read_text(encoding="utf-8")


def test_measures_are_those_of_the_registry(capsys: pytest.CaptureFixture[str]) -> None:
    """Each row of the tables of measures is what the command prints now, and stands there once."""
    rows = re.findall(r"^\| .* \|$", PAGE.partition("## Measures")[2], re.M)
    assert main(["measures", "--format", "markdown"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [row for row in rows if row not in printed] == []
    assert len(rows) > len(METRICS) / 2


def test_symbols_differ() -> None:
    """A symbol is a name: it means one measure, and no measure has it for its name."""
    symbols = {metric.symbol for metric in METRICS.values()}
    assert len(symbols) == len(METRICS)
    assert not symbols & set(METRICS)


def test_words_are_explained_once() -> None:
    """About thirty words, each explained in one row."""
    words = re.findall(r"^\| ([a-z, ]+) \| \S.*\. \|$", PAGE, re.M)
    assert len(words) >= 30
    assert len(set(words)) == len(words)
