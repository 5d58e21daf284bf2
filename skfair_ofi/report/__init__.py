"""Reports on who a correction flipped: summary, renderers, plots."""

from skfair_ofi._text import show_key as show_key, show_keys as show_keys

from ._audit_report import AuditReport
from ._decision import Figures as Figures, decide as decide
from ._from_aif360 import from_aif360
from ._proportionality import ProportionalityReport, from_json, proportionality_report
from ._summarize import summarize
from ._summary import (
    Decision,
    FairnessRow as FairnessRow,
    FlipRow as FlipRow,
    GroupRow as GroupRow,
    Measured as Measured,
    PairTable as PairTable,
    RateChange as RateChange,
    Reading as Reading,
    Summary,
)
from .document import (
    NONE as NONE,
    RENDERERS as RENDERERS,
    TONES as TONES,
    WIDTH as WIDTH,
    Cell as Cell,
    Document as Document,
    Figure as Figure,
    Report as Report,
    Row as Row,
    Section as Section,
    Table as Table,
    get_tone as get_tone,
    list_lines as list_lines,
    list_table_lines as list_table_lines,
)
from .plots import BeforeAfterDisplay, FlipMeasuresDisplay, FlipsDisplay, PairwiseDisplay

__all__ = [
    "AuditReport",
    "BeforeAfterDisplay",
    "Decision",
    "FlipMeasuresDisplay",
    "FlipsDisplay",
    "PairwiseDisplay",
    "ProportionalityReport",
    "Summary",
    "from_aif360",
    "from_json",
    "proportionality_report",
    "summarize",
]
