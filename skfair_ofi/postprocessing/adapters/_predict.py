"""Any object with `fit` and `predict(X, sensitive_features=...)` as a post-processor.

>>> class Quota:
...     '''Gives the favorable label to the same share of every group, best scores first.'''
...
...     def __init__(self, share):
...         self.share = share
...
...     def fit(self, X, y, sensitive_features):
...         self.bars_ = {
...             group: np.quantile(X[sensitive_features == group, 0], 1 - self.share)
...             for group in set(sensitive_features)
...         }
...         return self
...
...     def predict(self, X, sensitive_features):
...         bars = np.array([self.bars_[group] for group in sensitive_features])
...         return (X[:, 0] > bars).astype(int)
>>> score = np.array([0.1, 0.2, 0.6, 0.7, 0.4, 0.6, 0.8, 0.9])
>>> response = Response(score > 0.5, {"predict_proba": lambda: score})
>>> groups = Groups(np.repeat([0, 1], 4), ("a", "b"))
>>> PredictCorrector(Quota(0.25)).fit(np.array([0, 1] * 4), response, groups).correct(
...     response, groups
... )
array([0, 0, 0, 1, 0, 0, 0, 1], dtype=int8)
"""

import copy
import inspect
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from skfair_ofi.postprocessing._corrector import (
    Adapter,
    Response,
    Weights,
    average_draws,
    make_generator,
    repeat_rows,
)
from skfair_ofi.postprocessing._groups import Groups


def _has_parameter(method: Callable[..., Any], name: str) -> bool:
    return name in inspect.signature(method).parameters


def can_predict_by_group(obj: Any) -> bool:
    """Return whether an object has `fit` and `predict(X, sensitive_features=...)`.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> can_predict_by_group(LogisticRegression())
    False
    """
    if isinstance(obj, type) or not callable(getattr(obj, "fit", None)):
        return False
    predict = getattr(obj, "predict", None)
    return callable(predict) and _has_parameter(predict, "sensitive_features")


class PredictCorrector(Adapter, adapts=can_predict_by_group):
    """Corrects by any object with `fit` and `predict(X, sensitive_features=...)`.

    Parameters
    ----------
    wrapped : object
        Its methods are called with ``X`` as one column, the scores of the favorable
        label (of shape (n_samples, 1)); ``y`` as codes, 1 favorable; and
        ``sensitive_features`` as an array of group keys, tuples where there are
        several features. ``predict`` has to return such codes. It may have

        - ``score_method``, which scores it wants: ``"auto"`` (the default),
          ``"predict_proba"``, ``"decision_function"`` or ``"predict"``;
        - ``fit(..., sample_weight=...)``; without it, weights that are whole multiples
          of a common unit repeat rows, and others are left out with a warning;
        - ``predict(..., random_state=...)``, which says that it is randomized;
        - ``predict_proba(X, sensitive_features=...)`` of shape (n_samples, 2), the
          exact probabilities of a randomized rule, which otherwise are estimated from
          draws, with a warning.

    Attributes
    ----------
    fitted_ : object
        A fitted copy of `wrapped`.

    Examples
    --------
    >>> class Bar:
    ...     def fit(self, X, y, sensitive_features):
    ...         return self
    ...
    ...     def predict(self, X, sensitive_features):
    ...         return X[:, 0] > np.where(sensitive_features == "a", 0.6, 0.4)
    >>> response = Response([0, 1, 0, 1], {"predict_proba": lambda: np.array([0.4, 0.55] * 2)})
    >>> groups = Groups(np.array([0, 0, 1, 1]), ("a", "b"))
    >>> corrector = PredictCorrector(Bar()).fit(np.array([0, 1, 0, 1]), response, groups)
    >>> corrector.correct(response, groups)
    array([0, 0, 0, 1], dtype=int8)
    """

    def __init__(self, wrapped: Any) -> None:
        super().__init__(wrapped)
        self.randomized = _has_parameter(wrapped.predict, "random_state")

    def fit(
        self, y_true: np.ndarray, response: Response, groups: Groups, sample_weight: Weights = None
    ) -> Self:
        """Fit a copy of the object; see `Corrector.fit`."""
        own = self.wrapped
        copied = clone(own) if hasattr(own, "get_params") else copy.deepcopy(own)
        rows, given = np.arange(len(y_true)), {}
        if sample_weight is not None and _has_parameter(own.fit, "sample_weight"):
            given["sample_weight"] = sample_weight
        elif sample_weight is not None:
            rows = repeat_rows(sample_weight, self.name)
        given["sensitive_features"] = groups.labels[rows]
        copied.fit(self._get_scores(response)[rows], y_true[rows], **given)
        self.fitted_ = copied
        return self

    def _get_scores(self, response: Response) -> np.ndarray:
        scores = response.score(getattr(self.wrapped, "score_method", "auto"))
        return scores.astype(np.float64).reshape(-1, 1)

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Return the object's own prediction; see `Corrector.correct`.

        Raises
        ------
        ValueError
            If it predicts anything but 0 and 1.
        """
        given = {"random_state": make_generator(random_state)} if self.randomized else {}
        labels = np.asarray(
            self.fitted_.predict(
                self._get_scores(response), sensitive_features=groups.labels, **given
            )
        )
        if not np.isin(labels, (0, 1)).all():
            raise ValueError(
                f"{self.name}.predict must return the codes 0 and 1, "
                f"got {np.unique(labels).tolist()[:8]}."
            )
        return labels.astype(np.int8)

    def correct_proba(self, response: Response, groups: Groups) -> np.ndarray:
        """Return exact probabilities where the object gives them; see `Corrector`."""
        if not self.randomized:
            return super().correct_proba(response, groups)
        exact = getattr(self.fitted_, "predict_proba", None)
        if exact is not None:
            both = exact(self._get_scores(response), sensitive_features=groups.labels)
            return np.asarray(both, dtype=np.float64)[:, 1]
        return average_draws(lambda seed: self.correct(response, groups, seed), self.name)
