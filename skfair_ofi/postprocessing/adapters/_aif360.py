"""Adapters of AIF360's post-processors.

AIF360 fits the rule, on the smallest dataset it accepts; we apply it, to each person
alone. Its own `predict` re-seeds NumPy's global generator, takes a dataset, and lets
some flips depend on who else is predicted. Its group dictionaries know numbers only and
two groups, so ours take their place: everyone is privileged or not.
"""

import copy
import importlib
import itertools
import logging
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.random import RandomState
from scipy.optimize import linprog

from skfair_ofi.postprocessing._corrector import (
    Adapter,
    Response,
    Weights,
    find_one_sided,
    make_generator,
)
from skfair_ofi.postprocessing._groups import Groups

_SIDES = ("unprivileged", "privileged")


@contextmanager
def _silence_logging() -> Iterator[None]:
    """Silence logging and leave its state as it was, handlers included.

    `logging.warning` adds a handler to the root logger where there is none.
    """
    root = logging.getLogger()
    disabled, handlers, level = root.manager.disable, list(root.handlers), root.level
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(disabled)
        root.handlers[:] = handlers
        root.setLevel(level)


def import_aif360(name: str = "aif360.datasets") -> Any:
    """Import a module of AIF360 without its notes on packages that are not installed.

    Examples
    --------
    >>> import_aif360("aif360.algorithms.postprocessing").EqOddsPostprocessing.__name__
    'EqOddsPostprocessing'
    """
    if name in sys.modules:
        return sys.modules[name]
    with _silence_logging(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


def _make_dataset(
    labels: np.ndarray, scores: np.ndarray, side: np.ndarray, weight: np.ndarray
) -> Any:
    """Return a `BinaryLabelDataset` with one protected column.

    Its constructor makes a string a row and checks a data frame, and its comparison
    loops over those strings, so it gets two rows and the arrays are put in after.
    """
    pandas = importlib.import_module("pandas")
    dataset = import_aif360().BinaryLabelDataset(
        df=pandas.DataFrame({"label": [0.0, 1.0], "privileged": [0.0, 1.0]}),
        label_names=["label"],
        protected_attribute_names=["privileged"],
    )
    dataset.features = dataset.protected_attributes = side.astype(np.float64).reshape(-1, 1)
    dataset.labels = labels.astype(np.float64).reshape(-1, 1)
    dataset.scores = scores.astype(np.float64).reshape(-1, 1)
    dataset.instance_weights = weight
    dataset.instance_names, dataset.metadata = [], {}
    return dataset


def _is_described(clause: Mapping[str, Any], key: Hashable, names: Sequence[str] | None) -> bool:
    """Return whether a group is the one that a dictionary of AIF360's describes."""
    values = key if isinstance(key, tuple) else (key,)
    if names is None:
        return len(clause) == len(values) == 1 and next(iter(clause.values())) == values[0]
    return dict(clause) == dict(zip(names, values, strict=True))


def _find_privileged(wrapped: Any, groups: Groups) -> np.ndarray | None:
    """Return which groups the dictionaries call privileged, if they sort every group."""

    def match(clauses: Any) -> np.ndarray:
        listed = [clauses] if isinstance(clauses, Mapping) else clauses
        return np.array(
            [
                any(_is_described(clause, key, groups.names) for clause in listed)
                for key in groups.keys
            ]
        )

    privileged = match(wrapped.privileged_groups)
    unprivileged = match(wrapped.unprivileged_groups)
    return privileged if np.array_equal(privileged, ~unprivileged) else None


class FittedSides(NamedTuple):
    """People on the two sides that AIF360 knows, 1 privileged and 0 not, to fit a rule on."""

    y_true: np.ndarray
    response: Response
    side: np.ndarray
    weight: np.ndarray | None


class TwoSidedCorrector(Adapter, ABC):
    """What AIF360's methods share: two sides, privileged or not, instead of many groups.

    Where no sensitive features were given there is one side and nothing to
    compare it with, so nothing is corrected.
    """

    def fit(
        self, y_true: np.ndarray, response: Response, groups: Groups, sample_weight: Weights = None
    ) -> Self:
        """Fit the rule on the two sides; see `Corrector.fit`."""
        self.divided_ = groups.divided
        if not self.divided_:
            return self
        self.privileged_ = self._choose_privileged(groups)
        side = self.privileged_[groups.codes].astype(np.intp)
        people = FittedSides(y_true, response, side, sample_weight)
        self._check_sides(people, groups)
        self._fit_sides(people)
        return self

    def _choose_privileged(self, groups: Groups) -> np.ndarray:
        if groups.privileged is not None:
            return np.array([key in groups.privileged for key in groups.keys])
        own = self._find_own_privileged(groups)
        if own is not None:
            self.privileged_keys = tuple(itertools.compress(groups.keys, own))
            return own
        raise ValueError(
            f"privileged must name the privileged of the groups {list(groups.keys)}, since "
            f"{self.name} knows two groups, privileged and everyone else, got None."
        )

    def _find_own_privileged(self, groups: Groups) -> np.ndarray | None:
        """Return which groups the wrapped object itself calls privileged, if it does."""
        return _find_privileged(self.wrapped, groups)

    def _find_seed(self) -> Any:
        """Return the wrapped object's own seed, for draws without a random state."""
        return getattr(self.wrapped, "seed", None)

    def _check_sides(self, people: FittedSides, groups: Groups) -> None:
        needed = self._list_needed()
        sizes = np.bincount(people.side, weights=people.weight, minlength=2)
        one_sided = find_one_sided(people.y_true, people.side, 2, people.weight)
        for code in range(2):
            members = list(itertools.compress(groups.keys, self.privileged_ == code))
            if not sizes[code]:
                raise ValueError(
                    f"{self.name} needs privileged and unprivileged people, got none that are "
                    f"{_SIDES[code]} among the groups {list(groups.keys)}."
                )
            if one_sided.get(code) in needed:
                label = ("unfavorable", "favorable")[one_sided[code]]
                raise ValueError(
                    f"{self.name} needs a true label that is {label} among the {_SIDES[code]} "
                    f"people, got none in {members}."
                )

    def _list_needed(self) -> tuple[int, ...]:
        """Return the true labels that both sides must have."""
        return (0, 1)

    def _get_scores(self, response: Response) -> np.ndarray:
        score = response.score("predict_proba")
        low, high = score.min(), score.max()
        if not (low >= 0 and high <= 1):
            raise ValueError(
                f"{self.name} needs probabilities in [0, 1], got scores from {low} to {high}."
            )
        # A copy: rules move scores. AIF360 keeps them in double precision.
        return score.astype(np.float64)

    @abstractmethod
    def _fit_sides(self, people: FittedSides) -> None:
        """Fit the rule of both sides."""

    def _fit_copy(self, people: FittedSides, scores: np.ndarray) -> Any:
        """Return a copy of the user's object fitted by AIF360, groups replaced."""
        y_true, response, side, weight = people
        weight = np.ones(len(y_true)) if weight is None else weight
        fitted = copy.copy(self.wrapped)
        fitted.unprivileged_groups = [{"privileged": 0.0}]
        fitted.privileged_groups = [{"privileged": 1.0}]
        true = _make_dataset(y_true, y_true, side, weight)
        return fitted.fit(true, _make_dataset(response.predicted, scores, side, weight))

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Return labels drawn for each person alone; see `Corrector.correct`."""
        if not self.divided_:
            return response.predicted
        generator = make_generator(self._find_seed() if random_state is None else random_state)
        return self._draw(response, self.privileged_[groups.codes].astype(np.intp), generator)

    def correct_proba(self, response: Response, groups: Groups) -> np.ndarray:
        """Return exact probabilities; see `Corrector.correct_proba`."""
        if not self.divided_:
            return response.predicted.astype(np.float64)
        return self._estimate(response, self.privileged_[groups.codes].astype(np.intp))

    def _draw(self, response: Response, side: np.ndarray, generator: RandomState) -> np.ndarray:
        favorable = self._estimate(response, side)
        return (generator.random_sample(len(favorable)) < favorable).astype(np.int8)

    def _estimate(self, response: Response, side: np.ndarray) -> np.ndarray:
        """Return the probability of the favorable label; a rule without chance draws it."""
        return self._draw(response, side, make_generator(None)).astype(np.float64)


def _solve_equalized_odds(people: FittedSides) -> Any:
    """Solve AIF360's linear programme with every term weighted.

    The unknowns are the probabilities of a favorable label for those predicted
    favorable and unfavorable, privileged people first. TPR and FPR of the two
    sides are made equal, and FPR - TPR summed over both sides is made least.
    """
    y_true, response, side, weight = people
    cell = 4 * side + 2 * y_true + response.predicted
    rates = np.bincount(cell, weights=weight, minlength=8).reshape(2, 2, 2)
    rates = rates / rates.sum(axis=2, keepdims=True)
    (tnr1, fpr1), (fnr1, tpr1) = rates[1]
    (tnr0, fpr0), (fnr0, tpr0) = rates[0]
    return linprog(
        [fpr1 - tpr1, tnr1 - fnr1, fpr0 - tpr0, tnr0 - fnr0],
        A_eq=[[tpr1, fnr1, -tpr0, -fnr0], [fpr1, tnr1, -fpr0, -tnr0]],
        b_eq=[0.0, 0.0],
        bounds=(0.0, 1.0),
    )


class EqOddsCorrector(TwoSidedCorrector, adapts="aif360.EqOddsPostprocessing"):
    """Flips people at random so that both sides have equal odds, with AIF360's probabilities.

    Notes
    -----
    Each person is flipped or not by a draw of their own, with the probability that
    AIF360 fits. AIF360's own `predict` flips exactly the whole part of n times the
    probability among the n people of a batch who are alike in side and predicted label:
    there a person who comes alone is flipped only where the probability is 1, and a
    person's label depends on who else is predicted. On average over many people both
    flip alike.

    AIF360 mixes weighted with unweighted terms. With sample weights the same
    programme is solved here with all terms weighted.

    It may flip everyone of both sides although their rates already agree: the
    programme looks at rates only, and equally bad rates are equal, too.

    Examples
    --------
    >>> post = import_aif360("aif360.algorithms.postprocessing").EqOddsPostprocessing
    >>> wrapped = post(unprivileged_groups=[{"g": 0}], privileged_groups=[{"g": 1}], seed=1)
    >>> response = Response([0, 0, 0, 1, 0, 1, 1, 1])
    >>> groups = Groups(np.repeat([0, 1], 4), (0, 1))
    >>> y_true = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    >>> corrector = EqOddsCorrector(wrapped).fit(y_true, response, groups)
    >>> corrector.probabilities_.round(3)
    array([[0.333, 1.   ],
           [0.   , 0.667]])
    >>> corrector.correct_proba(response, groups).round(2)
    array([0.33, 0.33, 0.33, 1.  , 0.  , 0.67, 0.67, 0.67])
    """

    randomized = True

    def _fit_sides(self, people: FittedSides) -> None:
        if people.weight is None:
            solution = self._fit_copy(people, people.response.predicted).model_params
        else:
            solution = _solve_equalized_odds(people)
        if solution.x is None:
            raise ValueError(f"{self.name} must have a solution, got {solution.message!r}.")
        # AIF360 lists privileged before unprivileged and favorable before unfavorable.
        self.probabilities_ = np.asarray(solution.x).reshape(2, 2)[::-1, ::-1]

    def _estimate(self, response: Response, side: np.ndarray) -> np.ndarray:
        return np.asarray(self.probabilities_[side, response.predicted].clip(0.0, 1.0))


class CalibratedEqOddsCorrector(TwoSidedCorrector, adapts="aif360.CalibratedEqOddsPostprocessing"):
    """Gives some people of one side its base rate as their score, as AIF360 does.

    Notes
    -----
    A score of at least 0.5 is favorable, as in AIF360, which draws for each person
    alone, too: with the same seed the labels are its own. Sample weights are honored.

    Examples
    --------
    >>> post = import_aif360("aif360.algorithms.postprocessing").CalibratedEqOddsPostprocessing
    >>> wrapped = post([{"g": 0}], [{"g": 1}], cost_constraint="fnr")
    >>> score = np.array([0.2, 0.4, 0.6, 0.8, 0.1, 0.6, 0.8, 0.9])
    >>> response = Response(score > 0.5, {"predict_proba": lambda: score})
    >>> groups = Groups(np.repeat([0, 1], 4), (0, 1))
    >>> y_true = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    >>> corrector = CalibratedEqOddsCorrector(wrapped).fit(y_true, response, groups)
    >>> corrector.mix_rates_.round(2), corrector.base_rates_
    (array([0. , 0.6]), array([0.5, 0.5]))
    """

    randomized = True

    def _list_needed(self) -> tuple[int, ...]:
        return {"fnr": (1,), "fpr": (0,)}.get(self.wrapped.cost_constraint, (0, 1))

    def _fit_sides(self, people: FittedSides) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            fitted = self._fit_copy(people, self._get_scores(people.response))
        self.mix_rates_ = np.array([fitted.unpriv_mix_rate, fitted.priv_mix_rate], dtype=float)
        self.base_rates_ = np.array([fitted.base_rate_unpriv, fitted.base_rate_priv], dtype=float)

    def _draw(self, response: Response, side: np.ndarray, generator: RandomState) -> np.ndarray:
        scores = self._get_scores(response)
        for code in (0, 1):  # AIF360's order
            rows = np.flatnonzero(side == code)
            mixed = generator.random_sample(len(rows)) <= self.mix_rates_[code]
            scores[rows[mixed]] = self.base_rates_[code]
        return (scores >= 0.5).astype(np.int8)

    def _estimate(self, response: Response, side: np.ndarray) -> np.ndarray:
        # Not a number where the costs cannot be moved: AIF360 then never mixes.
        mix = np.clip(np.nan_to_num(self.mix_rates_), 0.0, 1.0)[side]
        unmoved = self._get_scores(response) >= 0.5
        return np.asarray(mix * (self.base_rates_ >= 0.5)[side] + (1 - mix) * unmoved)


class RejectOptionCorrector(TwoSidedCorrector, adapts="aif360.RejectOptionClassification"):
    """Favors unprivileged people near the decision boundary, as AIF360 does.

    Notes
    -----
    The rule is not randomized. Sample weights are honored.

    Examples
    --------
    >>> post = import_aif360("aif360.algorithms.postprocessing").RejectOptionClassification
    >>> wrapped = post([{"g": 0}], [{"g": 1}], num_class_thresh=10, num_ROC_margin=10)
    >>> score = np.array([0.2, 0.4, 0.5, 0.7, 0.1, 0.6, 0.8, 0.9])
    >>> response = Response(score > 0.5, {"predict_proba": lambda: score})
    >>> groups = Groups(np.repeat([0, 1], 4), (0, 1))
    >>> y_true = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    >>> corrector = RejectOptionCorrector(wrapped).fit(y_true, response, groups)
    >>> corrector.correct(response, groups)
    array([0, 1, 1, 1, 0, 1, 1, 1], dtype=int8)
    """

    def _list_needed(self) -> tuple[int, ...]:
        by_metric = {"Average odds difference": (0, 1), "Equal opportunity difference": (1,)}
        return by_metric.get(self.wrapped.metric_name, ())

    def _fit_sides(self, people: FittedSides) -> None:
        y_true, response, side, weight = people
        scores = self._get_scores(response)
        # Thousands of rules are tried: people who are alike count once, weighted.
        alike, first, which = np.unique(
            np.column_stack([y_true, side, scores]), axis=0, return_index=True, return_inverse=True
        )
        weight = np.ones(len(scores)) if weight is None else weight
        total = np.bincount(which.reshape(-1), weights=weight)
        distinct = FittedSides(alike[:, 0], response.take(first), alike[:, 1], total)
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            fitted = self._fit_copy(distinct, alike[:, 2])
        # AIF360 warns without saying of what.
        if any(issubclass(entry.category, UserWarning) for entry in caught):
            wrapped = self.wrapped
            warnings.warn(
                f"{self.name} found no threshold and margin that bring its metric "
                f"{wrapped.metric_name!r} between {wrapped.metric_lb} and {wrapped.metric_ub}; "
                "it took those with the smallest value.",
                UserWarning,
                stacklevel=2,
            )
        self.threshold_ = float(fitted.classification_threshold)
        self.margin_ = float(fitted.ROC_margin)

    def _draw(self, response: Response, side: np.ndarray, generator: RandomState) -> np.ndarray:
        scores, threshold = self._get_scores(response), self.threshold_
        near = (scores > threshold - self.margin_) & (scores <= threshold + self.margin_)
        return np.where(near, side == 0, scores > threshold).astype(np.int8)
