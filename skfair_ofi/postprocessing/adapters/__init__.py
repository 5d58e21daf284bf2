"""One file a library: how its post-processors become correctors.

`make_corrector` finds an adapter by the type of what it is given; importing this package is
what makes the adapters known.
"""

from ._aif360 import (
    CalibratedEqOddsCorrector as CalibratedEqOddsCorrector,
    EqOddsCorrector as EqOddsCorrector,
    RejectOptionCorrector as RejectOptionCorrector,
    import_aif360 as import_aif360,
)
from ._aif360_sklearn import (
    CalibratedOddsCorrector as CalibratedOddsCorrector,
    RejectOptionClassifierCorrector as RejectOptionClassifierCorrector,
)
from ._fairlearn import ThresholdCorrector as ThresholdCorrector
from ._predict import PredictCorrector
from ._sklearn import (
    FixedThresholdCorrector as FixedThresholdCorrector,
    TunedThresholdCorrector as TunedThresholdCorrector,
)

__all__ = ["PredictCorrector"]
