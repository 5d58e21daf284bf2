"""What reports build, and one renderer for each form they take."""

from ._json import decode_float, encode
from ._model import NONE, TONES, Cell, Document, Figure, Row, Section, Table, get_tone
from ._plain_text import WIDTH, list_lines, list_table_lines
from ._report import RENDERERS, Renderer, Report

__all__ = [
    "NONE",
    "RENDERERS",
    "TONES",
    "WIDTH",
    "Cell",
    "Document",
    "Figure",
    "Renderer",
    "Report",
    "Row",
    "Section",
    "Table",
    "decode_float",
    "encode",
    "get_tone",
    "list_lines",
    "list_table_lines",
]
