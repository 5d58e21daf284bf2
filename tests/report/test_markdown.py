"""Markdown: what is a name stays a name."""

import re

import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import escape_markdown as escape, show_keys
from skfair_ofi.report import ProportionalityReport, summarize

UNESCAPED = r"(?<!\\)(?:\\\\)*"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain - text (1.5).", "plain - text (1.5)."),
        ("a|b", r"a\|b"),
        ("<b>&amp;", r"\<b\>\&amp;"),
        ("`x` *y* _z_ ~w~", r"\`x\` \*y\* \_z\_ \~w\~"),
        ("[t](http://x)", r"\[t\](http:\//x)"),
        ("$x$ # \\", r"\$x\$ \# \\"),
        ("www.example.com a@b", r"www\.example.com a\@b"),
    ],
)
def test_escape(text: str, escaped: str) -> None:
    """Markup, HTML, math and links are escaped; plain prose is not."""
    assert escape(text) == escaped


def test_tables_of_the_paper(paper: OutcomeCounts) -> None:
    """Rows hold the published figures and the sentences."""
    lines = ProportionalityReport(summarize(paper, privileged=1)).markdown().splitlines()
    assert "| 1 (privileged) | 521 | 38 | 0 | 7.3% | 0.0% | infinite |" in lines
    assert any(
        line.startswith(
            r"| Flip disparity index (FDI) | 2.334 \[1.664 to 3.288\] (outside bounds) | People"
        )
        for line in lines
    )
    assert lines[0] == "# Proportionality report"


def test_every_row_has_the_cells_of_its_head(hostile: OutcomeCounts) -> None:
    """No name adds a cell to a table, or ends it."""
    text = ProportionalityReport(summarize(hostile)).markdown()
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert len(tables) == 5
    for table in tables:
        bars = {len(re.findall(UNESCAPED + r"\|", row)) for row in table.splitlines()}
        assert len(bars) == 1


def test_hostile_names_are_inert_and_whole(hostile: OutcomeCounts) -> None:
    """No name is markup, and each can be read back by dropping the escapes."""
    text = ProportionalityReport(summarize(hostile)).markdown()
    assert not re.search(UNESCAPED + "<", text)
    assert not re.search(r"(?<!\\)[`$\[]", text)
    read = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    assert all(name in read for name in show_keys(hostile.groups))


def test_pure(paper: OutcomeCounts) -> None:
    """The same summary gives the same Markdown."""
    assert (
        ProportionalityReport(summarize(paper)).markdown()
        == ProportionalityReport(summarize(paper)).markdown()
    )
