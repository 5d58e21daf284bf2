"""A report as plain monospaced text, without terminal codes.

Prose is of 80 columns. So is a table that fits by folding its first column; of the others,
numbers are never cut: they are as wide as they are, or, where there is a widest line, lists of
their rows.
"""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from skfair_ofi._text import measure_width, pad_text, shorten, wrap_text

from ._model import NONE, Cell, Document, Row, Section, Table

if TYPE_CHECKING:
    from ._report import Report

WIDTH = 80
_NAME_WIDTH = 28
# Names are folded down to this width, and to this one where tables may be wider than 80 columns.
_NARROWEST, _COMFORTABLE = 12, 18
_GAP = "  "


class _Grid:
    """A table with a column of its own for each verdict, and the widths of all of them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        judged = [
            any(row.cells[i].verdict for row in table.rows) for i in range(len(table.columns))
        ]
        self.titles: list[str] = []
        self.right: list[bool] = []
        # places of a value and of its verdict, for each column of the table
        self.spans: list[list[int]] = []
        for place, (title, verdict) in enumerate(zip(table.columns, judged, strict=True)):
            self.spans.append([len(self.titles), len(self.titles) + 1][: 1 + verdict])
            self.titles += [title, ""] if verdict else [title]
            number = place > 0 and title not in table.words
            self.right += [number, False] if verdict else [number]
        self.rows = [self._split(row) for row in table.rows]
        self.widths = [
            max(_measure_words(title), *(measure_width(cells[place]) for cells in self.rows), 0)
            for place, title in enumerate(self.titles)
        ]
        for column, span in enumerate(self.spans):
            interval = max(
                (measure_width(row.cells[column].interval) for row in table.rows), default=0
            )
            self.widths[span[-1]] += max(0, interval - self.measure_span(span))

    def _split(self, row: Row) -> list[str]:
        pairs = zip(row.cells, self.spans, strict=True)
        return [
            text for cell, span in pairs for text in (cell.text, cell.verdict or "")[: len(span)]
        ]

    def measure_span(self, span: Sequence[int]) -> int:
        """Return the width of a value with its verdict."""
        return sum(self.widths[place] for place in span) + len(_GAP) * (len(span) - 1)

    @property
    def rest(self) -> int:
        """The width of all columns but the first."""
        return sum(self.widths[1:]) + len(_GAP) * (len(self.widths) - 1)

    def fit(self, width: int | None) -> bool:
        """Fold the names so that the table fits, and return whether it can be shown."""
        name = self.widths[0]
        # names of groups may be anything; others are not broken inside a word
        words = [] if self.table.of_groups else [cells[0] for cells in self.rows]
        least = min(name, max(_NARROWEST, *map(_measure_words, words), 0))
        if self.rest + least <= min(width or WIDTH, WIDTH):
            self.widths[0] = min(name, min(width or WIDTH, WIDTH) - self.rest)
            return True
        if width is not None:
            self.widths[0] = min(name, max(width - self.rest, _COMFORTABLE))
            return self.rest + self.widths[0] <= width
        return True

    def write_line(self, cells: Sequence[str]) -> str:
        """Return cells as one line."""
        places = zip(cells, self.widths, self.right, strict=True)
        return _GAP.join(
            pad_text(text, width, right=right) for text, width, right in places
        ).rstrip()

    def write_head(self) -> Iterator[str]:
        """Yield the titles, each wrapped to its column and standing at the bottom, and a rule."""
        stacks = [
            textwrap.wrap(title, width) or [""]
            for title, width in zip(self.titles, self.widths, strict=True)
        ]
        height = max(map(len, stacks))
        for line in zip(*([""] * (height - len(stack)) + stack for stack in stacks), strict=True):
            yield self.write_line(line)
        yield self.rule

    @property
    def rule(self) -> str:
        """A line below the titles and above the totals."""
        return "-" * (self.widths[0] + self.rest)

    def write_row(self, row: Row, cells: Sequence[str]) -> Iterator[str]:
        """Yield a row, its intervals below their values, and the rest of a folded name."""
        first, *more = wrap_text(cells[0], self.widths[0]) or [""]
        yield self.write_line([first, *cells[1:]])
        rest = [f"  {part}" for part in more]
        if any(cell.interval for cell in row.cells):
            # a folded name may reach below the values
            while rest and measure_width(rest[0]) > self.widths[0]:
                yield rest.pop(0)
            texts = [rest.pop(0) if rest else "", *(cell.interval for cell in row.cells[1:])]
            spans = zip(texts, self.spans, strict=True)
            yield _GAP.join(
                pad_text(text, self.measure_span(span)) for text, span in spans
            ).rstrip()
        yield from rest


def _measure_words(text: str) -> int:
    return max(map(measure_width, text.split()), default=0)


def _wrap(text: str, width: int | None, indent: str = "") -> list[str]:
    return wrap_text(text, min(width or WIDTH, WIDTH), indent)


def _write_card(table: Table, row: Row, width: int) -> Iterator[str]:
    """Yield a row of a table that is too wide: its name, and below it a line for each cell."""
    yield from wrap_text(_name_cell(row.cells[0]), width)
    pairs = list(zip(table.columns, row.cells, strict=True))[1:]
    known = [(title, cell) for title, cell in pairs if cell.text not in ("", NONE)]
    title_width = max((len(title) for title, _ in known), default=0)
    for title, cell in known:
        interval = f"({cell.interval})" if cell.interval else ""
        text = " ".join(filter(None, (cell.text, cell.verdict, interval)))
        hang = " " * (title_width + 4)
        first, *more = wrap_text(text, max(width, len(hang) + 8), hang)
        yield f"  {title}".ljust(len(hang)) + first[len(hang) :]
        yield from more
    yield from wrap_text(row.detail, width, "  ")


def _name_cell(cell: Cell) -> str:
    return f"{cell.text} ({cell.note})" if cell.note else cell.text


def _shorten_names(table: Table) -> Table:
    """Return a table with the names of its groups cut, and what is noted of them beside."""
    names = [row.cells[0].text for row in table.rows]
    if table.of_groups:
        names = list(shorten(names, _NAME_WIDTH))
    firsts = [
        Cell(_name_cell(replace(row.cells[0], text=name)))
        for row, name in zip(table.rows, names, strict=True)
    ]
    rows = [
        replace(row, cells=(first, *row.cells[1:]))
        for row, first in zip(table.rows, firsts, strict=True)
    ]
    return replace(table, rows=tuple(rows))


def list_table_lines(table: Table, width: int | None = None) -> list[str]:
    """Return a table as lines; where it is wider than a width, as a list of its rows."""
    grid = _Grid(_shorten_names(table))
    if not grid.fit(width):
        return [line for row in table.rows for line in _write_card(table, row, width or WIDTH)]
    lines = list(grid.write_head())
    for row, cells in zip(table.rows, grid.rows, strict=True):
        lines += [grid.rule] if row.total else []
        lines += [*grid.write_row(row, cells), *_wrap(row.detail, width, "    ")]
    return lines


def _list_section_lines(section: Section, width: int | None) -> list[str]:
    title = _wrap(section.title, width)
    lines = ["", *title, "=" * max(map(len, title))]
    for paragraph in section.paragraphs:
        lines += _wrap(paragraph, width)
    for table in section.tables:
        titled = _wrap(table.caption, width) if len(section.tables) > 1 else []
        lines += ["", *titled, *list_table_lines(table, width)]
    for item in section.items:
        first, *more = _wrap(item, width, "  ")
        lines += ["- " + first[2:], *more]
    return lines


def _list_fact_lines(document: Document, width: int | None) -> list[str]:
    indent = " " * (max((len(term) for term, _ in document.facts), default=0) + 2)
    lines = []
    for term, text in document.facts:
        first, *more = _wrap(text, width, indent)
        lines += [f"{term}:".ljust(len(indent)) + first[len(indent) :], *more]
    return lines


def _list_long_names(document: Document) -> list[str]:
    """Whole names of the groups whose names the tables cut, each on one line."""
    pairs = zip(document.groups, shorten(document.groups, _NAME_WIDTH), strict=True)
    cut = [f"  {name}" for name, short in pairs if name != short]
    return ["", "Long group names, cut in the tables:", *cut] if cut else []


def list_lines(document: Document, width: int | None = None) -> list[str]:
    """Return a document as lines; None is a width for prose, and none for tables."""
    title = _wrap(document.title, width) or [""]
    lines = [*title, "#" * max(map(len, title))]
    lines += [*_list_fact_lines(document, width), *_list_long_names(document)]
    for section in document.sections:
        lines += _list_section_lines(section, width) if section.has_text else []
    return lines


def render_text(report: "Report") -> str:
    """Return a report as plain text of 80 columns."""
    return "\n".join(list_lines(report.document())) + "\n"
