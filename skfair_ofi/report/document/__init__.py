"""What reports build, and one renderer for each form they take."""

from ._json import decode_float as decode_float, encode as encode
from ._model import (
    NONE as NONE,
    TONES as TONES,
    Cell as Cell,
    Document,
    Figure as Figure,
    Row as Row,
    Section as Section,
    Table as Table,
    get_tone as get_tone,
)
from ._plain_text import (
    WIDTH as WIDTH,
    list_lines as list_lines,
    list_table_lines as list_table_lines,
)
from ._report import RENDERERS as RENDERERS, Renderer as Renderer, Report as Report

__all__ = ["Document"]
