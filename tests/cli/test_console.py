"""Documents on a screen: inert, whole, and readable at any width."""

import io

import pytest

from skfair_ofi._text import printable
from skfair_ofi.cli._shared import show_document, show_progress
from skfair_ofi.report import Cell, Document, Row, Section, Table

TABLE = Table(
    "",
    ("Measure", "Before", "After"),
    (
        Row(
            (
                Cell("a measure with quite a long name"),
                Cell("-0.123456", "outside bounds"),
                Cell("1,234,567"),
            )
        ),
        Row((Cell("another"), Cell("0.5"), Cell("infinite")), total=True),
    ),
)
HOSTILE = [
    "[red]x[/red]",
    "[/]",
    "\x1b[31mred",
    "a\nb",
    ":smile:",
    "\u202eabc",
    "日本語",
    "x" * 300,
]


def show(document: Document) -> str:
    """Return what a document looks like."""
    stream = io.StringIO()
    show_document(document, stream)
    return stream.getvalue()


def show_table(monkeypatch: pytest.MonkeyPatch, width: int | None) -> str:
    """Return what the table looks like on a screen of a width, or in a pipe."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
    return show(Document("T", (), (Section("S", (), (TABLE,)),)))


@pytest.mark.parametrize("width", [20, 30, 40, 50, 60, 70, 80, 120, None])
def test_nothing_is_cut(monkeypatch: pytest.MonkeyPatch, width: int | None) -> None:
    """Numbers and verdicts stay whole, and lines fit, at every width."""
    text = show_table(monkeypatch, width)
    for cell in ("-0.123456", "1,234,567", "0.5", "infinite"):
        assert cell in text
    assert "…" not in text
    assert "\x1b" not in text
    assert {"outside", "bounds"} <= set(text.split())
    assert max(map(len, text.splitlines())) <= (width or 1000)
    assert all(line == line.rstrip() for line in text.splitlines())


def test_verdicts_of_a_report_have_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict has a color beside its words, and "met" has none inside another word."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    document = Document("0.9  met", (), (Section("0.3  not met", ("method  undefined",)),))
    lines = show(document).splitlines()
    assert lines[0] == "0.9  \x1b[36mmet\x1b[0m"
    assert lines[3] == "0.3  \x1b[1;35mnot met\x1b[0m"
    assert lines[5] == "method  \x1b[3mundefined\x1b[0m"


def test_one_line_a_row_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal, a row is a line, however long, fit for ``grep``."""
    lines = show_table(monkeypatch, None).splitlines()
    assert len(lines) == 6 + 3 + len(TABLE.rows)  # a rule before the total
    assert lines[8].split()[-4:] == ["-0.123456", "outside", "bounds", "1,234,567"]


def test_list_where_a_table_is_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A narrow terminal gets each row as a list, the verdict behind its value."""
    lines = show_table(monkeypatch, 40).splitlines()
    assert lines[6:9] == [
        "a measure with quite a long name",
        "  Before  -0.123456 outside bounds",
        "  After   1,234,567",
    ]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", ["30", "80", ""])
def test_hostile_text_is_inert(monkeypatch: pytest.MonkeyPatch, name: str, width: str) -> None:
    """Markup is text, control characters are spelled out, and long names are folded, not cut."""
    monkeypatch.setenv("COLUMNS", width)
    spelled = printable(name)
    table = Table("", ("Group", "People"), (Row((Cell(spelled), Cell("12"))),))
    text = show(Document("T", (), (Section(spelled, (spelled,), (table,)),)))
    assert all(line.isprintable() for line in text.splitlines())
    assert "".join(text.split()).count("".join(printable(name).split())) >= (
        2 if len(name) > 20 else 3
    )


def test_progress_is_for_eyes_only(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal, nothing is said about work that takes its time."""
    with show_progress("Reading"):
        pass
    assert capsys.readouterr() == ("", "")
