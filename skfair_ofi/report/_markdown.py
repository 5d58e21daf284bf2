"""A summary as Markdown with tables as GitHub and most readers know them."""

from skfair_ofi._text import escape_markdown as escape

from ._document import Cell, Row, Section, Table, sections
from ._summary import Summary


def _cell(cell: Cell) -> str:
    aside = cell.verdict or cell.note
    text = f"{cell.text} [{cell.interval}]" if cell.interval else cell.text
    return escape(f"{text} ({aside})" if aside else text)


def _row(row: Row, *, detailed: bool) -> str:
    mark = "**" if row.total else ""
    cells = [f"{mark}{_cell(cell)}{mark}" for cell in row.cells]
    return f"| {' | '.join([*cells, escape(row.detail)] if detailed else cells)} |"


def _table(table: Table) -> list[str]:
    detailed = any(row.detail for row in table.rows)
    titles = [*table.columns, *(["Notes"] if detailed else [])]
    rules = ["---", *["---:"] * (len(table.columns) - 1), *(["---"] if detailed else [])]
    head = [f"| {' | '.join(map(escape, titles))} |", f"| {' | '.join(rules)} |"]
    return ["", *head, *(_row(row, detailed=detailed) for row in table.rows)]


def _section(section: Section) -> list[str]:
    lines = ["", f"## {escape(section.title)}"]
    for paragraph in section.paragraphs:
        lines += ["", escape(paragraph)]
    for table in section.tables:
        lines += (
            ["", f"**{escape(table.caption)}**", *_table(table)]
            if len(section.tables) > 1
            else _table(table)
        )
    return lines + ([""] if section.items else []) + [f"- {escape(item)}" for item in section.items]


def to_markdown(summary: Summary) -> str:
    """Return a summary as Markdown."""
    lines = [f"# {escape(summary.title)}", ""]
    lines += [f"- **{escape(term)}:** {escape(text)}" for term, text in summary.facts]
    for section in sections(summary):
        lines += _section(section)
    return "\n".join(lines) + "\n"
