"""Choosing among the candidates of a search by a rule."""

import warnings
from collections.abc import Callable, Mapping
from math import nan
from typing import Any

import numpy as np

from skfair_ofi._validation import check_choice

__all__ = ["best_within"]


def _measure_excess(distances: np.ndarray, bound: float) -> np.ndarray:
    """How far distances exceed a bound, the rounding of a mean over folds left out."""
    excess = np.maximum(distances - bound, 0)
    return np.where(excess <= 1e-12 * max(bound, 1), 0, excess)


class _BestWithin:
    """A rule that chooses among candidates; see `best_within`."""

    def __init__(self, bounds: Mapping[str, float], maximize: str) -> None:
        self.bounds, self.maximize = dict(bounds), maximize

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return the index of the chosen candidate."""
        goal = self._get_mean(cv_results, self.maximize)
        excess = np.zeros(len(goal))
        for name, bound in self.bounds.items():
            score = self._get_mean(cv_results, name)
            if (score > 0).any():
                raise ValueError(
                    f"bounds must be on scores that are at most 0, their distance from the ideal, "
                    f"got {name!r} with a mean score of {np.nanmax(score):.3g}."
                )
            excess += _measure_excess(-score, bound)
        excess[np.isnan(goal)] = nan
        if np.isnan(excess).all():
            raise ValueError(
                f"At least one candidate must have defined scores of {self.maximize}, "
                f"{', '.join(self.bounds)}, got none."
            )
        least = np.nanmin(excess)
        if least > 0:
            warnings.warn(
                f"No candidate is within {self.bounds}; the one that exceeds them least, by "
                f"{least:.3g} in all, is chosen.",
                UserWarning,
                stacklevel=2,
            )
        return int(np.nanargmax(np.where(_measure_excess(excess, least) == 0, goal, nan)))

    def _get_mean(self, cv_results: Mapping[str, Any], name: str) -> np.ndarray:
        key = f"mean_test_{name}"
        check_choice("bounds and maximize", key, [k for k in cv_results if k.startswith("mean_")])
        return np.asarray(cv_results[key], dtype=float)

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"best_within({self.bounds!r}, maximize={self.maximize!r})"


def best_within(bounds: Mapping[str, float], *, maximize: str) -> Callable[..., int]:
    """Rule for ``refit``: the best score among the candidates within bounds.

    Where no candidate is within all bounds, the one that exceeds them least is chosen,
    with a warning.

    Parameters
    ----------
    bounds : mapping of str to float
        Largest distance from the ideal by the scorer's name: a mean score of -0.05 is
        within 0.1.
    maximize : str
        The scorer whose mean score is maximized.

    Returns
    -------
    callable
        Picklable, for ``GridSearchCV(refit=...)``.

    Raises
    ------
    TypeError, ValueError
        If bounds are no mapping to numbers from 0; when it is called: if a name was not
        scored, or all scores are undefined.

    Notes
    -----
    ``search.score(X, y)`` cannot know by which score it was refitted by a rule and
    raises a KeyError in scikit-learn: score ``search.best_estimator_`` instead.

    Examples
    --------
    >>> rule = best_within({"ofi": 0.1}, maximize="accuracy")
    >>> rule({"mean_test_accuracy": [0.9, 0.8, 0.7], "mean_test_ofi": [-0.3, -0.1, 0.0]})
    1
    """
    if not hasattr(bounds, "items"):
        raise TypeError(f"bounds must be a mapping of names to numbers, got {bounds!r}.")
    for name, bound in bounds.items():
        number: Any = bound
        if not isinstance(number, int | float | np.number) or not number >= 0:
            raise ValueError(f"bounds must hold numbers from 0, got {bound!r} for {name!r}.")
    return _BestWithin(bounds, maximize)
