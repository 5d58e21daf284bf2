"""Who pays for fairness: flips, the Objective Fairness Index, and audits."""

from typing import TYPE_CHECKING

from skfair_ofi._lazy import late_names
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, objective_fairness_index

if TYPE_CHECKING:
    from skfair_ofi.audit import Audit
    from skfair_ofi.inference import confidence_intervals
    from skfair_ofi.metrics import (
        best_within,
        make_group_scorer,
    )
    from skfair_ofi.postprocessing import CorrectedClassifier
    from skfair_ofi.report import ProportionalityReport, from_aif360, proportionality_report

__version__ = "0.1.0"

# What loads SciPy's or scikit-learn's functions, which takes longer than a measure.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "skfair_ofi.audit": ("Audit",),
        "skfair_ofi.inference": ("confidence_intervals",),
        "skfair_ofi.metrics": (
            "best_within",
            "make_group_scorer",
        ),
        "skfair_ofi.postprocessing": ("CorrectedClassifier",),
        "skfair_ofi.report": ("ProportionalityReport", "from_aif360", "proportionality_report"),
    },
    subpackages=(
        "audit",
        "datasets",
        "inference",
        "monitoring",
        "postprocessing",
        "report",
        "theory",
    ),
)

__all__ = [
    "METRICS",
    "Audit",
    "CorrectedClassifier",
    "OutcomeCounts",
    "ProportionalityReport",
    "__version__",
    "best_within",
    "confidence_intervals",
    "from_aif360",
    "make_group_scorer",
    "objective_fairness_index",
    "proportionality_report",
]
