"""A report as Markdown with tables as GitHub and most readers know them."""

from typing import TYPE_CHECKING

from skfair_ofi._text import escape_markdown

from ._model import Cell, Row, Section, Table

if TYPE_CHECKING:
    from ._report import Report


def _write_cell(cell: Cell) -> str:
    aside = cell.verdict or cell.note
    text = f"{cell.text} [{cell.interval}]" if cell.interval else cell.text
    return escape_markdown(f"{text} ({aside})" if aside else text)


def _write_row(row: Row, *, detailed: bool) -> str:
    mark = "**" if row.total else ""
    cells = [f"{mark}{_write_cell(cell)}{mark}" for cell in row.cells]
    return f"| {' | '.join([*cells, escape_markdown(row.detail)] if detailed else cells)} |"


def _list_table_lines(table: Table) -> list[str]:
    detailed = any(row.detail for row in table.rows)
    titles = [*table.columns, *(["Notes"] if detailed else [])]
    left = {table.columns[0], "Notes", *table.words}
    rules = ["---" if title in left else "---:" for title in titles]
    head = [f"| {' | '.join(map(escape_markdown, titles))} |", f"| {' | '.join(rules)} |"]
    return ["", *head, *(_write_row(row, detailed=detailed) for row in table.rows)]


def _list_section_lines(section: Section) -> list[str]:
    lines = ["", f"## {escape_markdown(section.title)}"]
    for paragraph in section.paragraphs:
        lines += ["", escape_markdown(paragraph)]
    for table in section.tables:
        titled = ["", f"**{escape_markdown(table.caption)}**"] if len(section.tables) > 1 else []
        lines += [*titled, *_list_table_lines(table)]
    items = [f"- {escape_markdown(item)}" for item in section.items]
    return lines + ([""] if items else []) + items


def render_markdown(report: "Report") -> str:
    """Return a report as Markdown."""
    document = report.document()
    lines = [f"# {escape_markdown(document.title)}", *([""] if document.facts else [])]
    lines += [
        f"- **{escape_markdown(term)}:** {escape_markdown(text)}" for term, text in document.facts
    ]
    for section in document.sections:
        lines += _list_section_lines(section) if section.has_text else []
    return "\n".join(lines) + "\n"
