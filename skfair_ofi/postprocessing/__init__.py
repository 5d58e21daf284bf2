"""Post-processors as scikit-learn classifiers that know whom they flipped."""

from ._corrector import Adapter, Corrector, Response, make_corrector
from ._flip_displays import ConstraintPricesDisplay, FlipFrontierDisplay
from ._flip_optimizer import FlipOptimizer
from ._group_thresholds import GroupThresholds
from ._groups import Groups
from ._log import OutcomeLog
from ._outcomes import Outcomes
from ._score_classifier import ScoreClassifier
from ._wrapper import CorrectedClassifier
from .adapters import PredictCorrector, import_aif360 as import_aif360

__all__ = [
    "Adapter",
    "ConstraintPricesDisplay",
    "CorrectedClassifier",
    "Corrector",
    "FlipFrontierDisplay",
    "FlipOptimizer",
    "GroupThresholds",
    "Groups",
    "OutcomeLog",
    "Outcomes",
    "PredictCorrector",
    "Response",
    "ScoreClassifier",
    "make_corrector",
]
