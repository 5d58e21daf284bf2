"""A summary as plain monospaced text of 80 columns, without terminal codes."""

import textwrap
import unicodedata
from collections.abc import Sequence

from skfair_ofi._text import shorten

from ._document import Row, Section, Table, sections
from ._summary import Summary

WIDTH = 80
_NAME_WIDTH = 28
_GAP = "  "


def cell_width(text: str) -> int:
    r"""Return how many columns text takes on a terminal.

    Examples
    --------
    >>> cell_width("abc"), cell_width("日本"), cell_width("e\u0301")
    (3, 4, 1)
    """
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) == "Cf"
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )


def _pad(text: str, width: int, *, right: bool) -> str:
    space = " " * max(0, width - cell_width(text))
    return space + text if right else text + space


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _judged(table: Table) -> list[bool]:
    """Whether there are verdicts, for each column."""
    return [any(row.cells[i].verdict for row in table.rows) for i in range(len(table.columns))]


def _spread(table: Table) -> tuple[list[str], list[list[str]], list[bool]]:
    """Titles, cells and whether they align right, with a column of its own for each verdict."""
    judged, titles, right = _judged(table), [], []
    for index, (title, verdict) in enumerate(zip(table.columns, judged, strict=True)):
        titles += [title, ""] if verdict else [title]
        right += [index > 0, False] if verdict else [index > 0]
    rows = [
        [
            text
            for cell, verdict in zip(row.cells, judged, strict=True)
            for text in ([cell.text, cell.verdict or ""] if verdict else [cell.text])
        ]
        for row in table.rows
    ]
    return titles, rows, right


def _head(titles: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """Titles, each wrapped to the width of its column and standing at the bottom."""
    stacks = [
        textwrap.wrap(title, width) or [""] for title, width in zip(titles, widths, strict=True)
    ]
    height = max(len(stack) for stack in stacks)
    lines = zip(*([""] * (height - len(stack)) + stack for stack in stacks), strict=True)
    return [_line(line, widths, right) for line in lines]


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (_pad(*each[:2], right=each[2]) for each in zip(cells, widths, right, strict=True))
    return _GAP.join(padded).rstrip()


def _spans(table: Table) -> list[list[int]]:
    """Places of the value and of its verdict, for each column of a table."""
    spans, place = [], 0
    for verdict in _judged(table):
        spans.append([place, place + 1] if verdict else [place])
        place += len(spans[-1])
    return spans


def _widths(table: Table, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Width of each column; those of a value and its verdict have room for its interval."""
    widths = [
        max(_title_width(title), *(cell_width(cells[i]) for cells in rows))
        for i, title in enumerate(titles)
    ]
    for column, span in enumerate(_spans(table)):
        interval = max(cell_width(row.cells[column].interval) for row in table.rows)
        room = sum(widths[place] for place in span) + len(_GAP) * (len(span) - 1)
        widths[span[-1]] += max(0, interval - room)
    return widths


def _interval_lines(row: Row, name: str, table: Table, widths: Sequence[int]) -> list[str]:
    """The rest of the row's name, and the intervals below their values."""
    if not any(cell.interval for cell in row.cells):
        return [name] if name else []
    if cell_width(name) > widths[0]:
        return [name, *_interval_lines(row, "", table, widths)]
    line = ""
    texts = [name, *(cell.interval for cell in row.cells[1:])]
    for text, span in zip(texts, _spans(table), strict=True):
        room = sum(widths[place] for place in span) + len(_GAP) * (len(span) - 1)
        line += _pad(text, room, right=False) + _GAP
    return [line.rstrip()]


def _title_width(title: str) -> int:
    return max((len(word) for word in title.split()), default=0)


def _row_lines(
    table: Table, row: Row, cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]
) -> list[str]:
    first, *more = textwrap.wrap(cells[0], widths[0], break_on_hyphens=False) or [""]
    lines = [_line([first, *cells[1:]], widths, right)]
    lines += _interval_lines(row, f"  {more[0]}" if more else "", table, widths)
    lines += [f"  {line}" for line in more[1:]]
    return lines + _wrapped(row.detail, "    ")


def _table_lines(table: Table) -> list[str]:
    titles, rows, right = _spread(table)
    if table.of_groups:
        names = shorten([cells[0] for cells in rows], _NAME_WIDTH)
        for row, cells, name in zip(table.rows, rows, names, strict=True):
            cells[0] = f"{name} ({row.cells[0].note})" if row.cells[0].note else name
    widths = _widths(table, titles, rows)
    rest = sum(widths[1:]) + len(_GAP) * (len(widths) - 1)
    widths[0] = min(widths[0], max(WIDTH - rest, 12))
    rule = "-" * min(WIDTH, widths[0] + rest)
    lines = [*_head(titles, widths, right), rule]
    for row, cells in zip(table.rows, rows, strict=True):
        lines += [rule] if row.total else []
        lines += _row_lines(table, row, cells, widths, right)
    return lines


def _section_lines(section: Section) -> list[str]:
    lines = ["", section.title, "=" * len(section.title)]
    for paragraph in section.paragraphs:
        lines += _wrapped(paragraph)
    for table in section.tables:
        titled = [table.caption] if len(section.tables) > 1 else []
        lines += ["", *titled, *_table_lines(table)]
    for item in section.items:
        first, *more = _wrapped(item, "  ")
        lines += ["- " + first[2:], *more]
    return lines


def _fact_lines(summary: Summary) -> list[str]:
    width = max(len(term) for term, _ in summary.facts) + 2
    lines = []
    for term, text in summary.facts:
        first, *more = _wrapped(text, " " * width)
        lines += [f"{term}:".ljust(width) + first[width:], *more]
    return lines


def _long_names(summary: Summary) -> list[str]:
    """Whole names of the groups whose names the tables cut, each on one line."""
    names = [row.name for row in summary.groups]
    cut = [
        name
        for name, short in zip(names, shorten(names, _NAME_WIDTH), strict=True)
        if name != short
    ]
    return (
        ["", "Long group names, cut in the tables:", *(f"  {name}" for name in cut)] if cut else []
    )


def to_text(summary: Summary) -> str:
    """Return a summary as plain text of 80 columns."""
    title = textwrap.wrap(summary.title, WIDTH) or [""]
    lines = [*title, "#" * max(map(len, title)), *_fact_lines(summary), *_long_names(summary)]
    for section in sections(summary):
        lines += _section_lines(section)
    return "\n".join(lines) + "\n"
