"""Asking an estimator once, handing the groups on where it needs them."""

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.utils.metadata_routing import get_routing_for_object

from skfair_ofi._validation import resolve_labels


class Predictions:
    """An estimator whose predictions on one X are made once, with the groups handed on.

    It stands in for the estimator where scikit-learn's own scorers ask for predictions.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier, pipeline or search.
    X : array-like or frame of shape (n_samples, n_features)
        Features.
    sensitive_features : array-like or None
        Groups, for an estimator that needs them to predict.
    """

    def __init__(self, estimator: Any, X: Any, sensitive_features: Any) -> None:
        self._estimator, self._X, self._features = estimator, X, sensitive_features
        self._answers: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__sklearn_tags__":
            raise AttributeError(name)
        found = getattr(self._estimator, name)
        if name not in ("predict", "predict_proba", "decision_function"):
            return found

        def once(X: Any) -> Any:
            return self.answer(name) if X is self._X else found(X)

        once.__name__ = name  # scikit-learn finds a response method by its name
        return once

    def answer(self, method: str) -> Any:
        """Return what a method gives for X."""
        if method not in self._answers:
            self._answers[method] = _ask(self._estimator, method, self._X, self._features)
        return self._answers[method]


@lru_cache(maxsize=64)
def _names_groups(function: Callable[..., Any]) -> bool:
    """Whether a function has a parameter for the groups; reading a signature takes long."""
    return "sensitive_features" in inspect.signature(function).parameters


def _takes_groups(estimator: Any, method: str) -> bool:
    """Whether a method has to be given the groups: directly, or to route them."""
    if getattr(estimator, "sensitive_features", None) is not None:
        return False  # it takes them from columns of X itself
    called = getattr(estimator, method)
    if _names_groups(getattr(called, "__func__", called)):
        return True
    steps = getattr(estimator, "steps", None)
    if steps is None:
        return False
    last = steps[-1][1]
    if last == "passthrough" or not hasattr(last, method) or not _takes_groups(last, method):
        return False
    # With routing on, a pipeline refuses what its last step did not request.
    routing = get_routing_for_object(estimator)
    return not _routing_on() or "sensitive_features" in routing.consumes(
        method=method, params=["sensitive_features"]
    )


def _routing_on() -> bool:
    return bool(get_config()["enable_metadata_routing"])


def _ask(estimator: Any, method: str, X: Any, features: Any) -> Any:
    estimator = getattr(estimator, "best_estimator_", estimator)
    if method == "predict_outcomes" and not hasattr(estimator, method):
        if not hasattr(estimator, "steps"):
            raise TypeError(
                "Flip measures need an estimator with predict_outcomes, such as "
                f"CorrectedClassifier, got {type(estimator).__name__}."
            )
        return _ask(estimator[-1], method, estimator[:-1].transform(X), features)
    if features is not None and _takes_groups(estimator, method):
        return getattr(estimator, method)(X, sensitive_features=_as_groups(features))
    return getattr(estimator, method)(X)


def _as_groups(features: Any) -> Any:
    """Columns as other libraries take groups: one by itself, several as a frame."""
    if not isinstance(features, dict):
        return features
    columns = {name: np.asarray(column) for name, column in features.items()}
    return next(iter(columns.values())) if len(columns) == 1 else pd.DataFrame(columns)


def favorable_scores(said: Predictions, pos_label: Any) -> np.ndarray:
    """Return the probability, or decision value, of the favorable label.

    Parameters
    ----------
    said : Predictions
        A classifier's predictions.
    pos_label : object
        The favorable label.

    Returns
    -------
    ndarray of shape (n_samples,)
        Greater for more favorable.
    """
    classes = np.asarray(said.classes_).tolist()
    favorable = resolve_labels({"y": classes}, pos_label)[1]
    if hasattr(said, "predict_proba"):
        proba = np.asarray(said.answer("predict_proba"))
        return proba[:, classes.index(favorable)]
    values = np.asarray(said.answer("decision_function"))
    return values if favorable == classes[-1] else -values
