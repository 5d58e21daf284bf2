"""Post-processors as scikit-learn classifiers that know whom they flipped."""

from ._corrector import Adapter, Corrector, Response, make_corrector
from ._groups import Groups
from ._log import OutcomeLog
from ._outcomes import Outcomes
from ._wrapper import CorrectedClassifier
from .adapters import PredictCorrector, import_aif360 as import_aif360

__all__ = [
    "Adapter",
    "CorrectedClassifier",
    "Corrector",
    "Groups",
    "OutcomeLog",
    "Outcomes",
    "PredictCorrector",
    "Response",
    "make_corrector",
]
