"""Adapters of the post-processors in `aif360.sklearn`.

They take groups from the index of a pandas frame and know two of them, so everyone is
handed to them as privileged or not. AIF360 fits the rule and we apply it, draw by draw:
its own wrapper fails on current releases of scikit-learn, and its `predict` on 1.6.
"""

import copy
import importlib
from typing import Any

import numpy as np
from numpy.random import RandomState

from skfair_ofi.postprocessing._corrector import (
    Response,
)
from skfair_ofi.postprocessing._groups import Groups

from ._aif360 import FittedSides, TwoSidedCorrector


class _IndexedCorrector(TwoSidedCorrector):
    """What the two adapters share."""

    def _choose_privileged(self, groups: Groups) -> np.ndarray:
        features = self.wrapped.prot_attr
        named = [features] if isinstance(features, str) else list(features or ())
        if named and groups.names is not None and sorted(named) != sorted(groups.names):
            raise ValueError(
                f"corrector must have prot_attr=None, or the sensitive features "
                f"{list(groups.names)}, got prot_attr={features!r}."
            )
        return super()._choose_privileged(groups)

    def _find_own_privileged(self, groups: Groups) -> np.ndarray | None:
        """AIF360 names no privileged group here; see `TwoSidedCorrector`."""

    def _fit_copy(self, people: FittedSides, scores: np.ndarray, **given: Any) -> Any:
        pandas = importlib.import_module("pandas")
        # AIF360 wants probabilities of both labels, with the groups as index.
        index = pandas.Index(people.side, name="privileged")
        frame = pandas.DataFrame(np.column_stack([1.0 - scores, scores]), index=index)
        fitted = copy.copy(self.wrapped)
        fitted.prot_attr = None
        truth = pandas.Series(people.y_true, index=index)
        return fitted.fit(frame, truth, labels=[0, 1], pos_label=1, **given)


class CalibratedOddsCorrector(_IndexedCorrector, adapts="aif360.CalibratedEqualizedOdds"):
    """Gives some people of one side its base rate as their score, as AIF360 does.

    Notes
    -----
    Two groups need no privileged one. A score above 0.5 is favorable. Each person is
    drawn for alone, and sample weights are honored.

    Examples
    --------
    >>> from skfair_ofi.postprocessing import import_aif360
    >>> wrapped = import_aif360("aif360.sklearn.postprocessing").CalibratedEqualizedOdds(
    ...     cost_constraint="fnr"
    ... )
    >>> score = np.array([0.2, 0.4, 0.6, 0.8, 0.1, 0.6, 0.8, 0.9])
    >>> response = Response(score > 0.5, {"predict_proba": lambda: score})
    >>> groups = Groups(np.repeat([0, 1], 4), ("a", "b"))
    >>> y_true = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    >>> corrector = CalibratedOddsCorrector(wrapped).fit(y_true, response, groups)
    >>> np.round(corrector.fitted_.mix_rates_, 2)
    array([0. , 0.6])
    """

    randomized = True

    def _list_needed(self) -> tuple[int, ...]:
        return {"fnr": (1,), "fpr": (0,)}.get(self.wrapped.cost_constraint, (0, 1))

    def _choose_privileged(self, groups: Groups) -> np.ndarray:
        if groups.privileged is None and len(groups.keys) == 2:
            return np.array([False, True])
        return super()._choose_privileged(groups)

    def _fit_sides(self, people: FittedSides) -> None:
        scores = self._get_scores(people.response)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.fitted_ = self._fit_copy(people, scores, sample_weight=people.weight)

    def _draw(self, response: Response, side: np.ndarray, generator: RandomState) -> np.ndarray:
        scores = self._get_scores(response)
        for code in (0, 1):  # AIF360's order
            rows = np.flatnonzero(side == code)
            mixed = generator.random_sample(len(rows)) < self.fitted_.mix_rates_[code]
            scores[rows[mixed]] = self.fitted_.base_rates_[code]
        return (scores > 1.0 - scores).astype(np.int8)

    def _find_seed(self) -> Any:
        return self.wrapped.random_state

    def _estimate(self, response: Response, side: np.ndarray) -> np.ndarray:
        # Not a number where the costs cannot be moved: AIF360 then never mixes.
        mix = np.clip(np.nan_to_num(self.fitted_.mix_rates_), 0.0, 1.0)[side]
        replaced = np.greater(self.fitted_.base_rates_, 0.5)[side]
        return np.asarray(mix * replaced + (1 - mix) * (self._get_scores(response) > 0.5))


class RejectOptionClassifierCorrector(_IndexedCorrector, adapts="aif360.RejectOptionClassifier"):
    """Favors unprivileged people within a margin of the threshold, as AIF360 does.

    Notes
    -----
    The rule is not randomized. Of two groups of which one is the number 1, that one is
    privileged unless another is named, as in AIF360.

    Examples
    --------
    >>> from skfair_ofi.postprocessing import import_aif360
    >>> wrapped = import_aif360("aif360.sklearn.postprocessing").RejectOptionClassifier(margin=0.2)
    >>> score = np.array([0.2, 0.4, 0.6, 0.8, 0.1, 0.4, 0.6, 0.9])
    >>> response = Response(score > 0.5, {"predict_proba": lambda: score})
    >>> groups = Groups(np.repeat([0, 1], 4), (0, 1))
    >>> y_true = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    >>> RejectOptionClassifierCorrector(wrapped).fit(y_true, response, groups).correct(
    ...     response, groups
    ... )
    array([0, 1, 1, 1, 0, 0, 0, 1], dtype=int8)
    """

    def _list_needed(self) -> tuple[int, ...]:
        return ()  # threshold and margin are given

    def _find_own_privileged(self, groups: Groups) -> np.ndarray | None:
        ones = np.array([key == 1 for key in groups.keys])
        return ones if len(ones) == 2 and ones.sum() == 1 else None

    def _fit_sides(self, people: FittedSides) -> None:
        self.fitted_ = self._fit_copy(people, self._get_scores(people.response), priv_group=1)

    def _draw(self, response: Response, side: np.ndarray, generator: RandomState) -> np.ndarray:
        scores, threshold = self._get_scores(response), self.fitted_.threshold
        distance = scores - threshold
        near = (np.abs(distance) < self.fitted_.margin) & (distance != 0)
        flipped = near & (side == (distance > 0))
        # Mirrored as AIF360 does it, so that rounding is the same.
        scores[flipped] = 2 * threshold - scores[flipped]
        return np.asarray(scores > threshold, dtype=np.int8)
