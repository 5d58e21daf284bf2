"""One file a library: how its post-processors become correctors.

`make_corrector` finds an adapter by the type of what it is given; importing this package is
what makes the adapters known.
"""

from . import _aif360_sklearn as _aif360_sklearn, _fairlearn as _fairlearn, _sklearn as _sklearn
from ._aif360 import import_aif360 as import_aif360
from ._predict import PredictCorrector

__all__ = ["PredictCorrector"]
