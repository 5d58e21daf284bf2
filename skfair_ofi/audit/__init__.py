"""Audits of files, frames and models: predicates, criteria, verdicts."""

from ._count import (
    count_columns as count_columns,
    read_whole_numbers as read_whole_numbers,
)
from ._criteria import Criterion, CriterionVerdict
from ._csv_files import ReadOptions
from ._draft import draft_spec
from ._faults import SourceError, SpecError
from ._files import (
    FileFacts,
    Source as Source,
    is_memory_limit as is_memory_limit,
    open_files as open_files,
)
from ._grouping import Grouping
from ._models import load_model
from ._presets import PRESETS, Citation, Preset
from ._result import (
    AuditResult,
    Finding,
    GroupFacts,
    GroupingFacts,
    JointReading,
    Provenance,
    RateOf,
    SelectionTests,
)
from ._run import Audit
from .predicates import rowwise

__all__ = [
    "PRESETS",
    "Audit",
    "AuditResult",
    "Citation",
    "Criterion",
    "CriterionVerdict",
    "FileFacts",
    "Finding",
    "GroupFacts",
    "Grouping",
    "GroupingFacts",
    "JointReading",
    "Preset",
    "Provenance",
    "RateOf",
    "ReadOptions",
    "SelectionTests",
    "SourceError",
    "SpecError",
    "draft_spec",
    "load_model",
    "rowwise",
]
