"""Adapters of scikit-learn's classifiers with a threshold of their own.

Moving a threshold flips people, too: predicted is what the inner classifier says at its
usual threshold, corrected what it says at the fixed or tuned one. Groups play no part in
the rule; they are only counted. scikit-learn tunes and applies the threshold, on scores
that were made earlier.
"""

from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import get_routing_for_object

from skfair_ofi.postprocessing._corrector import (
    Adapter,
    Response,
    Weights,
    repeat_rows,
)
from skfair_ofi.postprocessing._groups import Groups


class HandedScores(ClassifierMixin, BaseEstimator):
    """A classifier whose scores were made earlier, and are its X.

    Examples
    --------
    >>> HandedScores(("yes", "no")).fit().predict_proba(np.array([[0.75, 0.25]]))
    array([[0.25, 0.75]])
    """

    def __init__(self, labels: tuple[Any, Any] = (0, 1)) -> None:
        self.labels = labels

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Learn the order of the labels."""
        self.classes_ = np.unique(self.labels)
        self._first = self.classes_[0] == self.labels[1]
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return the columns in the order of the labels."""
        return X[:, ::-1] if self._first else X

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Return the column, higher for the last class."""
        return -X[:, 0] if self._first else X[:, 0]


class _MovedThreshold(Adapter):
    """What the two adapters share: scores go in, labels at another threshold come out."""

    needs_groups = False
    classifier_: Any

    @property
    def base_estimator(self) -> Any:
        """The estimator that the classifier holds."""
        return self.wrapped.estimator

    def _choose_method(self, response: Response) -> Any:
        method = self.wrapped.response_method
        if method != "auto":
            return method
        if not response.methods:
            raise ValueError(
                f"estimator must have predict_proba or decision_function for {self.name}, "
                f"got {response.source}."
            )
        return response.methods[0]

    def _get_scores(self, response: Response) -> np.ndarray:
        """The scores bit for bit, for people whose score is the threshold."""
        method = self._choose_method(response)
        if method == "predict_proba":
            return response.probabilities
        return response.score(method).reshape(-1, 1)

    def _rebuild(self, response: Response, **changes: Any) -> Any:
        parameters = self.wrapped.get_params(deep=False)
        handed = FrozenEstimator(HandedScores(response.labels).fit())
        parameters |= {
            "estimator": handed,
            "response_method": self._choose_method(response),
            **changes,
        }
        return type(self.wrapped)(**parameters)

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Return scikit-learn's own prediction; see `Corrector.correct`."""
        labels = self.classifier_.predict(self._get_scores(response))
        return np.asarray(labels == response.labels[1], dtype=np.int8)


class FixedThresholdCorrector(_MovedThreshold, adapts="sklearn.FixedThresholdClassifier"):
    """Applies one threshold to everyone, as scikit-learn's `FixedThresholdClassifier`.

    Examples
    --------
    >>> from sklearn.model_selection import FixedThresholdClassifier
    >>> score = np.array([0.2, 0.4, 0.6, 0.8])
    >>> response = Response(score > 0.5, {"predict_proba": lambda: score})
    >>> groups = Groups(np.zeros(4, dtype=int), ("a",))
    >>> corrector = FixedThresholdCorrector(FixedThresholdClassifier(None, threshold=0.3))
    >>> corrector.fit(np.array([0, 1, 0, 1]), response, groups).correct(response, groups)
    array([0, 1, 1, 1], dtype=int8)
    """

    def fit(
        self, y_true: np.ndarray, response: Response, groups: Groups, sample_weight: Weights = None
    ) -> Self:
        """Check the parameters: there is nothing to learn; see `Corrector.fit`."""
        truth = np.array(response.labels)[y_true]
        self.classifier_ = self._rebuild(response).fit(self._get_scores(response), truth)
        return self


class TunedThresholdCorrector(_MovedThreshold, adapts="sklearn.TunedThresholdClassifierCV"):
    """Tunes one threshold for everyone, as scikit-learn's `TunedThresholdClassifierCV`.

    Notes
    -----
    Weights that are whole multiples of a common unit are honored by repeating rows;
    others are left out with a warning.

    Examples
    --------
    >>> from sklearn.model_selection import TunedThresholdClassifierCV
    >>> score = np.array([0.1, 0.2, 0.3, 0.4, 0.6, 0.8])
    >>> response = Response(score > 0.5, {"predict_proba": lambda: score})
    >>> groups = Groups(np.zeros(6, dtype=int), ("a",))
    >>> corrector = TunedThresholdCorrector(TunedThresholdClassifierCV(None))
    >>> corrector.fit(np.array([0, 0, 1, 1, 1, 1]), response, groups).correct(response, groups)
    array([0, 0, 1, 1, 1, 1], dtype=int8)
    """

    @property
    def base_estimator(self) -> Any:
        """The estimator that the classifier holds, frozen where it is fitted already."""
        estimator = self.wrapped.estimator
        fitted = self.wrapped.cv == "prefit" and estimator is not None
        return FrozenEstimator(estimator) if fitted else estimator

    @property
    def cv(self) -> Any:
        """The folds of the classifier, five where it names none."""
        from sklearn.model_selection import StratifiedShuffleSplit  # noqa: PLC0415

        cv = self.wrapped.cv
        if isinstance(cv, str):
            return None
        if not self.wrapped.refit:
            raise ValueError(
                f"corrector must have refit=True for {self.name}, unless its cv is 'prefit', "
                "got refit=False."
            )
        if isinstance(cv, float):
            seed = self.wrapped.random_state
            return StratifiedShuffleSplit(n_splits=1, test_size=cv, random_state=seed)
        return 5 if cv is None else cv

    def fit(
        self, y_true: np.ndarray, response: Response, groups: Groups, sample_weight: Weights = None
    ) -> Self:
        """Tune the threshold, on each fold as scikit-learn does; see `Corrector.fit`."""
        from sklearn.model_selection import PredefinedSplit  # noqa: PLC0415

        self._check_scoring()

        if len(np.unique(y_true)) < 2:
            raise ValueError(f"{self.name} needs true labels of two classes, got one class.")
        rows = np.arange(len(y_true))
        if sample_weight is not None:
            rows = repeat_rows(sample_weight, self.name)
        folds: dict[str, Any] = {"cv": "prefit", "refit": False}
        if response.folds is not None:
            folds = {"cv": PredefinedSplit(response.folds[rows]), "refit": True}
        classifier = self._rebuild(response, **folds)
        given = {}
        if get_config()["enable_metadata_routing"] and "sensitive_features" in (
            get_routing_for_object(classifier).consumes("fit", ["sensitive_features"])
        ):
            given["sensitive_features"] = groups.labels[rows]
        truth = np.array(response.labels)[y_true]
        self.classifier_ = classifier.fit(self._get_scores(response)[rows], truth[rows], **given)
        return self

    def _check_scoring(self) -> None:
        """Refuse a scorer of which scikit-learn cannot make one that knows thresholds."""
        from sklearn.metrics import accuracy_score, make_scorer  # noqa: PLC0415

        scoring = self.wrapped.scoring
        if callable(scoring) and not isinstance(scoring, type(make_scorer(accuracy_score))):
            raise TypeError(
                f"corrector must score by a name or a scorer of make_scorer for {self.name}, such "
                "as make_scorer(objective_fairness_index, greater_is_better=False), "
                f"got {scoring!r}."
            )
