"""Post-processors as scikit-learn classifiers that know whom they flipped."""

from ._aif360 import (
    CalibratedEqOddsCorrector,
    EqOddsCorrector,
    RejectOptionCorrector,
    import_aif360,
)
from ._corrected import CorrectedClassifier, Outcomes
from ._correctors import Corrector, Groups, NoCorrection, Response, make_corrector
from ._fairlearn import ThresholdCorrector
from ._log import OutcomeLog

__all__ = [
    "CalibratedEqOddsCorrector",
    "CorrectedClassifier",
    "Corrector",
    "EqOddsCorrector",
    "Groups",
    "NoCorrection",
    "OutcomeLog",
    "Outcomes",
    "RejectOptionCorrector",
    "Response",
    "ThresholdCorrector",
    "import_aif360",
    "make_corrector",
]
