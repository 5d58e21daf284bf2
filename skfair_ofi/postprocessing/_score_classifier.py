"""Scores that exist already, in the place of a model."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skfair_ofi._validation import finite_number, resolve_labels
from skfair_ofi.counts import read_floats, select_columns


class ScoreClassifier(ClassifierMixin, BaseEstimator):
    """Says what a column of scores says, so that scores without a model can be corrected.

    It learns nothing, and so counts as fitted already: nobody is held out from it.

    Parameters
    ----------
    column : str or int, default=None
        The column of X that holds the scores, by name, or by position in an array. None
        takes the only one.
    threshold : float, default=0.5
        Lowest score with the favorable label. Where it lies between 0 and 1, scores are
        probabilities.
    pos_label : object, default=None
        The favorable label, the one of high scores. None is enough for the labels 0/1,
        False/True and -1/1.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels.

    Examples
    --------
    >>> import pandas as pd
    >>> from skfair_ofi.postprocessing import CorrectedClassifier, FlipOptimizer
    >>> frame = pd.DataFrame({"p": np.linspace(0.1, 0.9, 200), "race": ["a"] * 80 + ["b"] * 120})
    >>> y = (frame["p"] > 0.5).astype(int)
    >>> model = CorrectedClassifier(
    ...     ScoreClassifier("p"), FlipOptimizer(tolerance=0.6), sensitive_features="race"
    ... ).fit(frame, y)
    >>> model.corrector_.rules_[["group", "prediction", "flips"]].round(1)
      group  prediction  flips
    0     a           0   11.0
    1     a           0    0.3
    2     b           1   11.0
    """

    def __init__(
        self, column: str | int | None = None, *, threshold: float = 0.5, pos_label: Any = None
    ) -> None:
        self.column = column
        self.threshold = threshold
        self.pos_label = pos_label

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the labels.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Scores among the columns.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Changes nothing.

        Returns
        -------
        ScoreClassifier
            Itself.

        Raises
        ------
        ValueError
            If the threshold is not a number, or the labels are not two.
        """
        if finite_number(self.threshold) is None:
            raise ValueError(f"threshold must be a number, got {self.threshold!r}.")
        self.classes_ = np.unique(y)
        self._labels = resolve_labels({"y": self.classes_.tolist()}, self.pos_label)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the scores, of the second class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Scores among the columns.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores; their negatives where the second class is the unfavorable one.
        """
        check_is_fitted(self)
        return self._read(X) if self._labels[1] == self.classes_[-1] else -self._read(X)

    @available_if(lambda self: 0 < self.threshold < 1)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the scores as probabilities of both labels.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Scores among the columns.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Probabilities in the order of `classes_`.

        Raises
        ------
        ValueError
            If a score is not from 0 to 1.
        """
        check_is_fitted(self)
        score = self._read(X)
        if (score < 0).any() or (score > 1).any():
            raise ValueError(
                f"Scores must be from 0 to 1 for a threshold of {self.threshold}, got "
                f"{score[(score < 0) | (score > 1)][0]}."
            )
        both = np.column_stack([1.0 - score, score])
        return both if self._labels[1] == self.classes_[-1] else both[:, ::-1]

    def predict(self, X: Any) -> np.ndarray:
        """Return the labels on both sides of the threshold.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Scores among the columns.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self)
        favorable = self._read(X) >= self.threshold
        if len(self.classes_) == 1:
            return np.full(len(favorable), self.classes_[0])
        above = self._labels[1] == self.classes_[1]
        labels: np.ndarray = np.where(favorable == above, self.classes_[1], self.classes_[0])
        return labels

    def _read(self, X: Any) -> np.ndarray:
        if hasattr(X, "columns") and self.column is not None:
            (values,) = select_columns(X, self.column).values()
            return read_floats(values, str(self.column))
        table = np.asarray(X)
        if isinstance(self.column, int) and table.ndim == 2:
            table = table[:, self.column]
        return read_floats(table, "scores")
