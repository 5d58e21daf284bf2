"""Documents and prose on a terminal of any width, in a pipe, or in a file.

Everything shown is inert: no markup is read, and control characters of other
people's data are spelled out. Numbers are never cut: a table that is too wide
for the terminal is shown as a list of its rows instead. In a pipe, there is no
limit to the width of a table, so that a row stays one line.
"""

import os
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

from skfair_ofi._text import printable, wrap_text
from skfair_ofi.report import (
    RENDERERS,
    TONES,
    WIDTH,
    Cell,
    Document,
    Report,
    Row,
    Table,
    get_tone,
    list_lines,
    list_table_lines,
)

_STYLES = {"good": "cyan", "middling": "yellow", "bad": "bold magenta", "unknown": "italic"}
# The longest first: "met" is part of "not met".
_VERDICTS = re.compile(
    rf"(?<!\w)(?:{'|'.join(sorted([*TONES, 'undefined'], key=len, reverse=True))})(?!\w)"
)
_WIDEST_PROSE = 100


class Screen:
    """Where a command shows things."""

    def __init__(self, stream: TextIO | None = None) -> None:
        from rich.console import Console

        self._stream = sys.stdout if stream is None else stream
        self._console = Console(file=self._stream, markup=False, emoji=False, highlight=False)
        known = os.environ.get("COLUMNS", "").isdigit()
        self.width = self._console.width if self._console.is_terminal or known else None

    @property
    def is_terminal(self) -> bool:
        """Whether somebody is looking."""
        return self._console.is_terminal

    def _print(self, lines: Sequence[str], style: str = "") -> None:
        """Print; through a string, since rich ends the program when a pipe is closed."""
        from rich.text import Text

        text = Text("\n".join(lines), style, no_wrap=True, overflow="ignore")
        for found in () if style else _VERDICTS.finditer(text.plain):
            text.stylize(_STYLES[get_tone(found[0])], *found.span())
        with self._console.capture() as captured:
            self._console.print(text, soft_wrap=True)
        self._stream.write(captured.get())

    def show(self, document: Document) -> None:
        """Show a document."""
        self._print(list_lines(document, self.width))

    def heading(self, text: str) -> None:
        """Show a heading, after an empty line."""
        self._print(["", printable(text)], "bold")

    def prose(self, text: str, *, bullet: str = "") -> None:
        """Show a paragraph."""
        width = min(self.width or WIDTH, _WIDEST_PROSE)
        lines = wrap_text(printable(text), width, " " * len(bullet))
        self.line(bullet + lines[0][len(bullet) :] if lines else bullet)
        self._stream.write("".join(f"{line}\n" for line in lines[1:]))

    def line(self, text: str = "") -> None:
        """Show a line as it is, however long: a path can be copied."""
        self._stream.write(f"{printable(text)}\n")

    def table(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        *,
        numbers: Collection[int] = (),
        totals: int = 0,
    ) -> None:
        """Show a table, or a list of its rows where the terminal is too narrow."""
        words = tuple(title for place, title in enumerate(columns) if place not in numbers)
        made = [
            Row(tuple(Cell(printable(cell)) for cell in row), total=len(rows) - place <= totals)
            for place, row in enumerate(rows)
        ]
        self._print(list_table_lines(Table("", tuple(columns), tuple(made), words), self.width))


def show_report(report: Report, form: str | None = None) -> None:
    """Show a report on the standard output; as text, it fits the screen."""
    if form in (None, "text"):
        Screen().show(report.document())
    else:
        sys.stdout.write(RENDERERS[form].render(report))


@contextmanager
def working(message: str) -> Iterator[None]:
    """Show on the standard error that something takes its time, where somebody is looking."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    if not console.is_terminal:
        yield
        return
    columns = SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        bar.add_task(printable(message), total=None)
        yield
