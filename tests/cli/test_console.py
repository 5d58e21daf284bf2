"""Tables and prose: inert, whole, and readable at any width."""

import io

import pytest

from skfair_ofi._text import printable
from skfair_ofi.cli._console import Screen, working
from skfair_ofi.report import Document, Section

COLUMNS = ["Measure", "Before", "", "After"]
ROWS = [
    ["a measure with quite a long name", "-0.123456", "outside bounds", "1,234,567"],
    ["another", "0.5", "", "infinite"],
]
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


def shown(monkeypatch: pytest.MonkeyPatch, width: int | None, **options: object) -> str:
    """Return what the table looks like on a screen of a width, or in a pipe."""
    monkeypatch.delenv("COLUMNS", raising=False)
    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
    stream = io.StringIO()
    Screen(stream).table(COLUMNS, ROWS, numbers=(1, 3), **options)  # type: ignore[arg-type]
    return stream.getvalue()


@pytest.mark.parametrize("width", [20, 30, 40, 50, 60, 70, 80, 120, None])
def test_nothing_is_cut(monkeypatch: pytest.MonkeyPatch, width: int | None) -> None:
    """Numbers and verdicts stay whole, and lines fit, at every width."""
    text = shown(monkeypatch, width, totals=1)
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
    stream = io.StringIO()
    document = Document("0.9  met", (), (Section("0.3  not met", ("method  undefined",)),))
    Screen(stream).show(document)
    lines = stream.getvalue().splitlines()
    assert lines[0] == "0.9  \x1b[36mmet\x1b[0m"
    assert lines[3] == "0.3  \x1b[1;35mnot met\x1b[0m"
    assert lines[5] == "method  \x1b[3mundefined\x1b[0m"


def test_one_line_a_row_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal, a row is a line, however long, fit for ``grep``."""
    lines = shown(monkeypatch, None).splitlines()
    assert len(lines) == 2 + len(ROWS)
    assert lines[2].split() == " ".join(ROWS[0]).split()


def test_list_where_a_table_is_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A narrow terminal gets each row as a list, the verdict behind its value."""
    lines = shown(monkeypatch, 40).splitlines()
    assert lines[:4] == [
        "a measure with quite a long name",
        "  Before  -0.123456",
        "          outside bounds",
        "  After   1,234,567",
    ]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", ["30", "80", ""])
def test_hostile_text_is_inert(monkeypatch: pytest.MonkeyPatch, name: str, width: str) -> None:
    """Markup is text, control characters are spelled out, and long names are folded, not cut."""
    monkeypatch.setenv("COLUMNS", width)
    stream = io.StringIO()
    screen = Screen(stream)
    screen.table(["Group", "People"], [[name, "12"]], numbers=(1,))
    screen.prose(name)
    screen.heading(name)
    screen.line(name)
    text = stream.getvalue()
    assert all(line.isprintable() for line in text.splitlines())
    assert "".join(text.split()).count("".join(printable(name).split())) >= (
        2 if len(name) > 20 else 4
    )


def test_progress_is_for_eyes_only(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a terminal, nothing is said about work that takes its time."""
    with working("Reading"):
        pass
    assert capsys.readouterr() == ("", "")
