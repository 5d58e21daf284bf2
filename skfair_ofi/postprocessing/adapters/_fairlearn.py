"""Adapter of fairlearn's `ThresholdOptimizer`.

The optimizer is rebuilt with the user's parameters around an estimator that hands
through scores, so that the base estimator is asked once. It sees groups as their
codes: unseen, mistyped and missing groups, which it would label 0, never reach it.
"""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from skfair_ofi.postprocessing._corrector import (
    Adapter,
    Response,
    Weights,
    average_draws,
    find_one_sided,
    make_generator,
    repeat_rows,
)
from skfair_ofi.postprocessing._groups import Groups


class HandThrough(BaseEstimator):
    """An estimator whose prediction is its only input column: scores made earlier.

    Examples
    --------
    >>> HandThrough().fit([[0.2], [0.9]]).predict([[0.2], [0.9]])
    array([0.2, 0.9])
    """

    def fit(self, X: Any, y: Any = None) -> Self:
        """Do nothing."""
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the column."""
        return np.asarray(X)[:, 0]

    def __sklearn_is_fitted__(self) -> bool:
        return True


def estimate_favorable(optimizer: Any, scores: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return a fitted `ThresholdOptimizer`'s probability of predicting 1.

    Its exact method is not public. Where it is gone, the share among repeated
    public predictions stands in, and a warning says so.
    """
    exact = getattr(optimizer, "_pmf_predict", None)
    if exact is not None:
        probability: np.ndarray = np.asarray(exact(scores, sensitive_features=groups))[:, 1]
        return probability.clip(0.0, 1.0)
    return average_draws(
        lambda seed: optimizer.predict(scores, sensitive_features=groups, random_state=seed),
        "This version of fairlearn's ThresholdOptimizer",
    )


class ThresholdCorrector(Adapter, adapts="fairlearn.ThresholdOptimizer"):
    """Corrects by thresholds of each group, as fairlearn's `ThresholdOptimizer`.

    Notes
    -----
    `ThresholdOptimizer` takes no sample weights. Weights that are whole multiples of
    a common unit are honored by repeating rows; others are left out with a warning.

    Examples
    --------
    >>> from fairlearn.postprocessing import ThresholdOptimizer
    >>> score = np.array([0.1, 0.4, 0.6, 0.9, 0.2, 0.3, 0.6, 0.7])
    >>> response = Response(score > 0.5, {"predict_proba": lambda: score})
    >>> groups = Groups(np.repeat([0, 1], 4), ("a", "b"))
    >>> y_true = np.array([0, 1, 1, 1, 0, 0, 0, 1])
    >>> corrector = ThresholdCorrector(ThresholdOptimizer(constraints="demographic_parity"))
    >>> corrector.fit(y_true, response, groups).correct_proba(response, groups).round(2)
    array([0.  , 0.33, 0.33, 0.33, 0.  , 0.  , 0.  , 1.  ])
    """

    randomized = True

    @property
    def base_estimator(self) -> Any:
        """The optimizer's own estimator, frozen where it is fitted already."""
        estimator = self.wrapped.estimator
        if self.wrapped.prefit and estimator is None:
            raise ValueError(
                f"corrector must hold the fitted estimator for {self.name}(prefit=True), got None. "
                "An estimator beside it is kept as it is inside a FrozenEstimator."
            )
        return FrozenEstimator(estimator) if self.wrapped.prefit else estimator

    def fit(
        self, y_true: np.ndarray, response: Response, groups: Groups, sample_weight: Weights = None
    ) -> Self:
        """Fit thresholds; see `Corrector.fit`."""
        self._check_groups(y_true, groups, sample_weight)
        scores, codes = self._get_scores(response), groups.codes
        if sample_weight is not None:
            rows = repeat_rows(sample_weight, self.name)
            y_true, scores, codes = y_true[rows], scores[rows], codes[rows]
        parameters = self.wrapped.get_params(deep=False)
        parameters |= {"estimator": HandThrough(), "prefit": True, "predict_method": "predict"}
        self.optimizer_ = type(self.wrapped)(**parameters)
        self.optimizer_.fit(scores, y_true, sensitive_features=codes)
        return self

    def _check_groups(
        self, y_true: np.ndarray, groups: Groups, sample_weight: np.ndarray | None
    ) -> None:
        one_sided = find_one_sided(y_true, groups.codes, len(groups.keys), sample_weight)
        for code, lacking in one_sided.items():
            label = ("unfavorable", "favorable")[lacking]
            raise ValueError(
                f"{self.name} needs both true labels in every group, got one class in group "
                f"{groups.keys[code]!r}: nobody's label is {label}."
            )

    def _get_scores(self, response: Response) -> np.ndarray:
        # fairlearn cannot write its probabilities into a column of float32
        scores = response.score(self.wrapped.predict_method).astype(np.float64)
        return scores.reshape(-1, 1)

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Return fairlearn's own prediction; see `Corrector.correct`."""
        labels = self.optimizer_.predict(
            self._get_scores(response),
            sensitive_features=groups.codes,
            random_state=make_generator(random_state),
        )
        return np.asarray(labels, dtype=np.int8)

    def correct_proba(self, response: Response, groups: Groups) -> np.ndarray:
        """Return exact probabilities; see `Corrector.correct_proba`."""
        return estimate_favorable(self.optimizer_, self._get_scores(response), groups.codes)
