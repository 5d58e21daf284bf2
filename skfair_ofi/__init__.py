"""Who pays for fairness: flips, the Objective Fairness Index, and audits."""

from typing import TYPE_CHECKING

from skfair_ofi._lazy import late_names
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, disparate_impact, objective_fairness_index, pairwise
from skfair_ofi.report import ProportionalityReport, from_aif360, proportionality_report

if TYPE_CHECKING:
    from skfair_ofi.metrics import (
        best_within,
        get_group_scorer,
        make_group_scorer,
        make_group_scorers,
    )
    from skfair_ofi.postprocessing import CorrectedClassifier

__version__ = "0.1.0"

# What needs scikit-learn, whose import takes longer than an audit of many files.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "skfair_ofi.metrics": (
            "best_within",
            "get_group_scorer",
            "make_group_scorer",
            "make_group_scorers",
        ),
        "skfair_ofi.postprocessing": ("CorrectedClassifier",),
    },
    subpackages=("datasets", "monitoring", "postprocessing", "theory"),
)

__all__ = [
    "METRICS",
    "CorrectedClassifier",
    "OutcomeCounts",
    "ProportionalityReport",
    "__version__",
    "best_within",
    "disparate_impact",
    "from_aif360",
    "get_group_scorer",
    "make_group_scorer",
    "make_group_scorers",
    "objective_fairness_index",
    "pairwise",
    "proportionality_report",
]
