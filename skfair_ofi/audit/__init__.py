"""Audits of files, frames and models: predicates, criteria, verdicts."""

from ._audit import Audit
from ._criteria import Criterion, CriterionVerdict
from ._draft import draft_spec
from ._faults import SpecError
from ._grouping import Grouping
from ._models import load_model
from ._options import ReadOptions
from ._predicates import rowwise
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
from ._source_errors import SourceError
from ._sources import FileFacts
from ._syntax import PredicateError

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
    "PredicateError",
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
