"""Thresholds that somebody chose, one a group."""

from collections.abc import Hashable, Mapping
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator

from skfair_ofi._validation import finite_number

from ._corrector import Corrector, Response, ScoreMethod
from ._flip_optimizer import check_scores
from ._groups import Groups


class GroupThresholds(BaseEstimator, Corrector):
    """Gives the favorable label from a threshold on, by group.

    For thresholds that were agreed on, or read off another tool: the report then says whom
    they flip. Goes into `CorrectedClassifier`. The rule uses the group of the person.

    Parameters
    ----------
    thresholds : mapping of group to float
        Lowest score with the favorable label. Groups without one keep their predictions.
    score_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        Which scores to ask the estimator for.

    Attributes
    ----------
    thresholds_ : ndarray of shape (n_groups,)
        The thresholds in the order of groups; NaN keeps the predictions.

    Examples
    --------
    >>> corrector = GroupThresholds({"a": 0.5, "b": 0.4})
    >>> response = Response([0, 1, 0, 1], {"predict_proba": lambda: np.array([0.4, 0.6] * 2)})
    >>> groups = Groups(np.array([0, 0, 1, 1]), ("a", "b"))
    >>> corrector.fit(np.array([0, 1, 0, 1]), response, groups).correct(response, groups)
    array([0, 1, 1, 1], dtype=int8)
    """

    def __init__(
        self, thresholds: Mapping[Hashable, float], *, score_method: ScoreMethod = "auto"
    ) -> None:
        self.thresholds = thresholds
        self.score_method = score_method

    def fit(
        self,
        y_true: np.ndarray,
        response: Response,
        groups: Groups,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Check the thresholds; see `Corrector.fit`.

        Raises
        ------
        TypeError
            If thresholds are no mapping.
        ValueError
            If a threshold is not a number, or of a group that nobody is in.
        """
        if not isinstance(self.thresholds, Mapping):
            raise TypeError(f"thresholds must map groups to scores, got {self.thresholds!r}.")
        unknown = [key for key in self.thresholds if key not in groups.keys]
        if unknown:
            raise ValueError(
                f"thresholds must be of the groups {list(groups.keys)}, got {unknown[0]!r}."
            )
        for key, value in self.thresholds.items():
            if finite_number(value) is None:
                raise ValueError(f"thresholds must be numbers, got {value!r} for {key!r}.")
        given = [self.thresholds.get(key, np.nan) for key in groups.keys]
        self.thresholds_ = np.array(given, dtype=np.float64)
        return self

    def correct(
        self, response: Response, groups: Groups, random_state: object = None
    ) -> np.ndarray:
        """Return the labels that the thresholds give; see `Corrector.correct`."""
        score = check_scores(response.score(self.score_method), self.name)
        bar = self.thresholds_[groups.codes]
        return np.where(np.isnan(bar), response.predicted, score >= bar).astype(np.int8)
