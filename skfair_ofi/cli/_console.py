"""Tables and prose on a terminal of any width, in a pipe, or in a file.

Everything shown is inert: no markup is read, and control characters of other
people's data are spelled out. Numbers are never cut: a table that is too wide
for the terminal is shown as a list of its rows instead. In a pipe, there is no
limit to the width of a table, so that a row stays one line.
"""

import os
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

# A cell that says nothing; lists leave it out.
NONE = "-"
# The width of prose where there is no terminal that has one.
_PROSE = 80
# The first column of a table may be folded down to this width.
_NARROWEST_NAME = 18
_STYLES = {
    "met": "cyan",
    "acceptable": "cyan",
    "within bounds": "cyan",
    "no flips": "cyan",
    "no harmful flips": "cyan",
    "moderate": "yellow",
    "not met": "bold magenta",
    "outside bounds": "bold magenta",
    "disproportionate": "bold magenta",
    "undefined": "italic",
}


def printable(text: str) -> str:
    r"""Return text on one line, without anything that a terminal acts on.

    Examples
    --------
    >>> print(printable("[red]two\nlines, \x1b[31m"))
    [red]two\nlines, \x1b[31m
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


class Screen:
    """Where a command shows things."""

    def __init__(self, stream: TextIO | None = None) -> None:
        from rich.console import Console

        self._stream = sys.stdout if stream is None else stream
        self._console = Console(file=self._stream, markup=False, emoji=False, highlight=False)
        told = os.environ.get("COLUMNS", "").isdigit()
        self.width = self._console.width if self._console.is_terminal or told else None

    @property
    def is_terminal(self) -> bool:
        """Whether somebody is looking."""
        return self._console.is_terminal

    def _print(self, *parts: "Text | Table", width: int | None = None) -> None:
        """Print; through a string, since rich ends the program when a pipe is closed."""
        before, self._console.width = self._console.width, width or self._console.width
        with self._console.capture() as captured:
            for part in parts:
                self._console.print(part)
        self._console.width = before
        lines = captured.get().splitlines()
        self._stream.write("".join(f"{line.rstrip()}\n" for line in lines))

    def heading(self, text: str) -> None:
        """Show a heading, after an empty line."""
        from rich.text import Text

        self._print(Text(), Text(printable(text), style="bold"))

    def prose(self, text: str, *, bullet: str = "") -> None:
        """Show a paragraph."""
        lines = textwrap.wrap(
            printable(text),
            min(self.width or _PROSE, 100),
            initial_indent=bullet,
            subsequent_indent=" " * len(bullet),
            break_on_hyphens=False,
        )
        self._stream.write("".join(f"{line}\n" for line in lines or [""]))

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
        details: Sequence[str] = (),
    ) -> None:
        """Show a table, or a list of its rows where the terminal is too narrow."""
        cells = [[_text(cell) for cell in row] for row in rows]
        table = _table(columns, cells, numbers, totals)
        needed = self._console.measure(table, options=self._console.options.update(width=10_000))
        if self.width is not None and needed.minimum > self.width:
            for place, row in enumerate(cells):
                self._print(_card(columns, row))
                self._detail("  ", details[place : place + 1])
            return
        widest = needed.maximum if self.width is None else min(needed.maximum, self.width)
        self._print(table, width=widest)
        for (name, *_), detail in zip(rows, details, strict=False):
            self._detail("- ", [detail and f"{name}: {detail}"])

    def _detail(self, bullet: str, details: Sequence[str]) -> None:
        for detail in filter(None, details):
            self.prose(detail, bullet=bullet)

    def report(self, text: str) -> None:
        """Show the text of a report as it is, with colors for its verdicts."""
        from rich.text import Text

        shown = Text(text.rstrip("\n"), no_wrap=True, overflow="ignore")
        for verdict, style in _STYLES.items():
            shown.highlight_regex(rf"(?<!not )(?<!\w){verdict}(?!\w)", style)
        self._print(shown)


def _text(cell: str) -> "Text":
    from rich.text import Text

    return Text(printable(cell), style=_STYLES.get(cell, ""))


def _table(
    columns: Sequence[str],
    rows: Sequence[Sequence["Text"]],
    numbers: Collection[int],
    totals: int,
) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        header_style="bold",
        padding=(0, 1, 0, 0),
    )
    for place, title in enumerate(columns):
        width = max([len(title), *(row[place].cell_len for row in rows)])
        table.add_column(
            Text(title),
            justify="right" if place in numbers else "left",
            overflow="fold",
            no_wrap=place > 0,
            # only the first column may be folded
            min_width=width if place else min(width, _NARROWEST_NAME),
        )
    for place, row in enumerate(rows, start=1):
        table.add_row(*row, end_section=bool(totals) and place == len(rows) - totals)
    return table


def _joined(columns: Sequence[str], row: Sequence["Text"]) -> list[tuple[str, "Text"]]:
    """Titles and cells, those without a title behind the one before."""
    joined: list[tuple[str, Text]] = []
    for title, cell in zip(columns, row, strict=True):
        if title or not joined:
            joined.append((title, cell.copy()))
        else:
            joined[-1][1].append(" ").append_text(cell)
    return joined


def _card(columns: Sequence[str], row: Sequence["Text"]) -> "Table":
    """One row of a table that is too wide: its name, and below it a line for each cell."""
    from rich.table import Table
    from rich.text import Text

    card, cells = Table.grid(), Table.grid(padding=(0, 2, 0, 0))
    card.add_column(overflow="fold")
    cells.add_column(no_wrap=True)
    cells.add_column(overflow="fold")
    (_, name), *rest = _joined(columns, row)
    for title, cell in rest:
        if cell.plain == NONE:
            continue
        cells.add_row(Text(f"  {title}", style="dim"), cell)
    card.add_row(Text(name.plain, style="bold"))
    card.add_row(cells)
    return card


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
