"""Finding the adapter of a post-processor."""

import copy
from typing import Any

from sklearn.base import clone

from ._correctors import ADAPTERS, Corrector, NoCorrection
from ._protocol import PredictCorrector, predicts_by_group


def _renewed(corrector: Corrector) -> Corrector:
    """A corrector that fitting may change."""
    renewed: Corrector = (
        clone(corrector) if hasattr(corrector, "get_params") else copy.copy(corrector)
    )
    return renewed


def make_corrector(obj: Any) -> Corrector:
    """Return the adapter of a post-processor.

    The type is recognized by name, so a library that is not loaded stays unloaded. An
    object of no known type is taken by what it can do: see `PredictCorrector`.

    Parameters
    ----------
    obj : object or None
        A fairlearn ``ThresholdOptimizer``; an AIF360 ``EqOddsPostprocessing``,
        ``CalibratedEqOddsPostprocessing`` or ``RejectOptionClassification``, or, from
        ``aif360.sklearn``, a ``CalibratedEqualizedOdds`` or ``RejectOptionClassifier``;
        a scikit-learn ``FixedThresholdClassifier`` or ``TunedThresholdClassifierCV``; an
        object with ``fit`` and ``predict(X, sensitive_features=...)``; a `Corrector`, of
        which a new one is made; or None, for no correction.

    Returns
    -------
    Corrector
        A new adapter around the object, not fitted.

    Raises
    ------
    TypeError
        If no adapter is known for the type.

    Examples
    --------
    >>> make_corrector(None).name
    'NoCorrection'
    >>> from fairlearn.postprocessing import ThresholdOptimizer
    >>> make_corrector(ThresholdOptimizer()).name
    'ThresholdOptimizer'
    """
    if obj is None:
        return NoCorrection()
    if isinstance(obj, Corrector):
        return _renewed(obj)
    for base in type(obj).__mro__:
        adapter = ADAPTERS.get(f"{base.__module__.partition('.')[0]}.{base.__name__}")
        if adapter is not None:
            return adapter(obj)
    if predicts_by_group(obj):
        return PredictCorrector(obj)
    raise TypeError(
        f"corrector must be None, a Corrector, one of {sorted(ADAPTERS)} or an object with fit "
        f"and predict(X, sensitive_features=...), got {obj!r}."
    )
