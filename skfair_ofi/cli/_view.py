"""A report on a narrow terminal: the sections of its text, in tables and lists that fit."""

from skfair_ofi.report import ProportionalityReport, Summary
from skfair_ofi.report._document import Row, Section, Table, sections
from skfair_ofi.report._text import WIDTH

from ._console import Screen


def _columns(table: Table) -> tuple[list[str], list[list[str]], list[int]]:
    """Titles, cells and places of numbers, with a column of its own for each verdict."""
    titles: list[str] = []
    cells: list[list[str]] = [[] for _ in table.rows]
    numbers: list[int] = []
    for place, title in enumerate(table.columns):
        column = [row.cells[place] for row in table.rows]
        numbers += [len(titles)] if place else []
        titles.append(title)
        for row, cell in zip(cells, column, strict=True):
            row.append(f"{cell.text} ({cell.note})" if cell.note else cell.text)
        if any(cell.verdict for cell in column):
            titles.append("")
            for row, cell in zip(cells, column, strict=True):
                row.append(cell.verdict or "")
    return titles, cells, numbers


def _ranges(table: Table, row: Row) -> str:
    """Intervals of a row's values, by the titles of their columns."""
    known = [
        f"{title} {cell.interval}"
        for title, cell in zip(table.columns, row.cells, strict=True)
        if cell.interval
    ]
    return f"Ranges: {', '.join(known)}. " if known else ""


def show_table(screen: Screen, table: Table) -> None:
    """Show a table of a report, and below it what is to be said of its rows."""
    titles, cells, numbers = _columns(table)
    totals = sum(row.total for row in table.rows)
    details = [(_ranges(table, row) + row.detail).strip() for row in table.rows]
    screen.table(titles, cells, numbers=numbers, totals=totals, details=details)


def _show_section(screen: Screen, section: Section) -> None:
    screen.heading(section.title)
    for paragraph in section.paragraphs:
        screen.prose(paragraph)
    for table in section.tables:
        screen.line()
        if len(section.tables) > 1:
            screen.prose(f"{table.caption}:")
        show_table(screen, table)
    for item in section.items:
        screen.prose(item, bullet="- ")


def show_report(screen: Screen, report: ProportionalityReport) -> None:
    """Show a report: its text, or, where the screen is narrower, its sections."""
    if screen.width is None or screen.width >= WIDTH:
        screen.report(report.text())
    else:
        _show_sections(screen, report.summary)


def _show_sections(screen: Screen, summary: Summary) -> None:
    screen.heading(summary.title)
    for term, text in summary.facts:
        screen.prose(f"{term}: {text}")
    for section in sections(summary):
        _show_section(screen, section)
