"""Post-processors as scikit-learn classifiers that know whom they flipped."""

from ._aif360 import (
    CalibratedEqOddsCorrector,
    EqOddsCorrector,
    RejectOptionCorrector,
    import_aif360,
)
from ._aif360_sklearn import CalibratedOddsCorrector, RejectOptionClassifierCorrector
from ._applied import Outcomes
from ._corrected import CorrectedClassifier
from ._correctors import Adapter, Corrector, Groups, NoCorrection, Response
from ._fairlearn import ThresholdCorrector
from ._log import OutcomeLog
from ._make_corrector import make_corrector
from ._protocol import PredictCorrector
from ._sklearn import FixedThresholdCorrector, TunedThresholdCorrector

__all__ = [
    "Adapter",
    "CalibratedEqOddsCorrector",
    "CalibratedOddsCorrector",
    "CorrectedClassifier",
    "Corrector",
    "EqOddsCorrector",
    "FixedThresholdCorrector",
    "Groups",
    "NoCorrection",
    "OutcomeLog",
    "Outcomes",
    "PredictCorrector",
    "RejectOptionClassifierCorrector",
    "RejectOptionCorrector",
    "Response",
    "ThresholdCorrector",
    "TunedThresholdCorrector",
    "import_aif360",
    "make_corrector",
]
