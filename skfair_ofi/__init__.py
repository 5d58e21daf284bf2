"""Who pays for fairness: flips, the Objective Fairness Index, and audits."""

from skfair_ofi._counts import OutcomeCounts
from skfair_ofi.metrics import (
    METRICS,
    best_within,
    disparate_impact,
    get_group_scorer,
    make_group_scorer,
    make_group_scorers,
    objective_fairness_index,
    pairwise,
)
from skfair_ofi.postprocessing import CorrectedClassifier
from skfair_ofi.report import ProportionalityReport, from_aif360, proportionality_report

__version__ = "0.1.0"

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
