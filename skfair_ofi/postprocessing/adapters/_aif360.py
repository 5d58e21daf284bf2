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
from typing import Any, Self

import numpy as np
from scipy.optimize import linprog

from skfair_ofi.postprocessing._corrector import (
    Adapter,
    Response,
    find_one_sided,
    random_generator,
)
from skfair_ofi.postprocessing._groups import Groups

_SIDES = ("unprivileged", "privileged")


@contextmanager
def _silent_logging() -> Iterator[None]:
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

    Parameters
    ----------
    name : str, default="aif360.datasets"
        The module.

    Returns
    -------
    module
        The module.

    Examples
    --------
    >>> import_aif360("aif360.algorithms.postprocessing").EqOddsPostprocessing.__name__
    'EqOddsPostprocessing'
    """
    if name in sys.modules:
        return sys.modules[name]
    with _silent_logging(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return importlib.import_module(name)


def _dataset(labels: np.ndarray, scores: np.ndarray, side: np.ndarray, weight: np.ndarray) -> Any:
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


def _matches(clause: Mapping[str, Any], key: Hashable, names: Sequence[str] | None) -> bool:
    """Return whether a group is the one that a dictionary of AIF360's describes."""
    values = key if isinstance(key, tuple) else (key,)
    if names is None:
        return len(clause) == len(values) == 1 and next(iter(clause.values())) == values[0]
    return dict(clause) == dict(zip(names, values, strict=True))


def _named_privileged(wrapped: Any, groups: Groups) -> np.ndarray | None:
    """Return which groups the dictionaries call privileged, if they sort every group."""

    def named(clauses: Any) -> np.ndarray:
        listed = [clauses] if isinstance(clauses, Mapping) else clauses
        return np.array(
            [any(_matches(clause, key, groups.names) for clause in listed) for key in groups.keys]
        )

    privileged = named(wrapped.privileged_groups)
    unprivileged = named(wrapped.unprivileged_groups)
    return privileged if np.array_equal(privileged, ~unprivileged) else None


def check_probabilities(score: np.ndarray, name: str) -> np.ndarray:
    """Return scores, refusing those that are no probabilities."""
    low, high = score.min(), score.max()
    if not (low >= 0 and high <= 1):
        raise ValueError(f"{name} needs probabilities in [0, 1], got scores from {low} to {high}.")
    return score


class TwoSidedCorrector(Adapter, ABC):
    """What AIF360's methods share: two sides, privileged or not, instead of many groups.

    Where no sensitive features were given there is one side and nothing to
    compare it with, so nothing is corrected.
    """

    def fit(
        self,
        y_true: np.ndarray,
        response: Response,
        groups: Groups,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Fit the rule on the two sides; see `Corrector.fit`.

        Raises
        ------
        ValueError
            If it is not said who is privileged, or a side lacks people or a true
            label that the method needs.
        """
        self.divided_ = groups.divided
        if not self.divided_:
            return self
        self.privileged_ = self._privileged(groups)
        side = self.privileged_[groups.codes].astype(np.intp)
        self._check_sides(y_true, side, groups, sample_weight)
        self._fit_sides(y_true, response, side, sample_weight)
        return self

    def _privileged(self, groups: Groups) -> np.ndarray:
        if groups.privileged is not None:
            return np.array([key in groups.privileged for key in groups.keys])
        named = self._named(groups)
        if named is not None:
            self.privileged_keys = tuple(itertools.compress(groups.keys, named))
            return named
        raise ValueError(
            f"privileged must name the privileged of the groups {list(groups.keys)}, since "
            f"{self.name} knows two groups, privileged and everyone else, got None."
        )

    def _own_seed(self) -> Any:
        """The wrapped object's own seed, for draws without a random state."""
        return getattr(self.wrapped, "seed", None)

    def _named(self, groups: Groups) -> np.ndarray | None:
        """Return which groups the wrapped object itself calls privileged, if it does."""
        return _named_privileged(self.wrapped, groups)

    def _check_sides(
        self, y_true: np.ndarray, side: np.ndarray, groups: Groups, weight: np.ndarray | None
    ) -> None:
        needed = self._needed_labels()
        people = np.bincount(side, weights=weight, minlength=2)
        one_sided = find_one_sided(y_true, side, 2, weight)
        for code in range(2):
            members = [
                key for key, p in zip(groups.keys, self.privileged_, strict=True) if p == code
            ]
            if not people[code]:
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

    def _needed_labels(self) -> tuple[int, ...]:
        return (0, 1)

    @abstractmethod
    def _fit_sides(
        self, y_true: np.ndarray, response: Response, side: np.ndarray, weight: np.ndarray | None
    ) -> None:
        """Fit the rule of both sides."""

    def _fitted_copy(
        self,
        y_true: np.ndarray,
        predicted: np.ndarray,
        scores: np.ndarray,
        side: np.ndarray,
        weight: np.ndarray | None,
    ) -> Any:
        """Return a copy of the user's object fitted by AIF360, groups replaced."""
        weight = np.ones(len(y_true)) if weight is None else weight
        fitted = copy.copy(self.wrapped)
        fitted.unprivileged_groups = [{"privileged": 0.0}]
        fitted.privileged_groups = [{"privileged": 1.0}]
        true = _dataset(y_true, y_true, side, weight)
        return fitted.fit(true, _dataset(predicted, scores, side, weight))

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Return labels drawn for each person alone; see `Corrector.correct`."""
        if not self.divided_:
            return response.predicted
        generator = random_generator(self._own_seed() if random_state is None else random_state)
        return self._draw(response, self.privileged_[groups.codes], generator)

    def correct_proba(self, response: Response, groups: Groups) -> np.ndarray:
        """Return exact probabilities; see `Corrector.correct_proba`."""
        if not self.divided_:
            return response.predicted.astype(np.float64)
        return self._probability(response, self.privileged_[groups.codes])

    def _draw(
        self, response: Response, privileged: np.ndarray, generator: np.random.RandomState
    ) -> np.ndarray:
        favorable = self._probability(response, privileged)
        return (generator.random_sample(len(favorable)) < favorable).astype(np.int8)

    @abstractmethod
    def _probability(self, response: Response, privileged: np.ndarray) -> np.ndarray:
        """The probability of the favorable label, for each person."""


def _equalized_odds(
    y_true: np.ndarray, predicted: np.ndarray, side: np.ndarray, weight: np.ndarray
) -> Any:
    """Solve AIF360's linear programme with every term weighted.

    The unknowns are the probabilities of a favorable label for those predicted
    favorable and unfavorable, privileged people first. TPR and FPR of the two
    sides are made equal, and FPR - TPR summed over both sides is made least.
    """
    cells = np.bincount(4 * side + 2 * y_true + predicted, weights=weight, minlength=8)
    rates = cells.reshape(2, 2, 2)
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

    Parameters
    ----------
    wrapped : EqOddsPostprocessing
        Its `seed` holds where no `random_state` is given.

    Attributes
    ----------
    probabilities_ : ndarray of shape (2, 2)
        Probability of a favorable label, for unprivileged and privileged people
        (rows) predicted unfavorable and favorable (columns).

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

    def _fit_sides(
        self, y_true: np.ndarray, response: Response, side: np.ndarray, weight: np.ndarray | None
    ) -> None:
        predicted = response.predicted
        if weight is None:
            fitted = self._fitted_copy(y_true, predicted, predicted, side, None)
            solution = fitted.model_params
        else:
            solution = _equalized_odds(y_true, predicted, side, weight)
        if solution.x is None:
            raise ValueError(f"{self.name} must have a solution, got {solution.message!r}.")
        # AIF360 lists privileged before unprivileged and favorable before unfavorable.
        self.probabilities_ = np.asarray(solution.x).reshape(2, 2)[::-1, ::-1]

    def _probability(self, response: Response, privileged: np.ndarray) -> np.ndarray:
        chosen = self.probabilities_[privileged.astype(np.intp), response.predicted]
        return np.asarray(chosen.clip(0.0, 1.0))


class CalibratedEqOddsCorrector(TwoSidedCorrector, adapts="aif360.CalibratedEqOddsPostprocessing"):
    """Gives some people of one side its base rate as their score, as AIF360 does.

    Parameters
    ----------
    wrapped : CalibratedEqOddsPostprocessing
        Its `cost_constraint` is honored; its `seed` holds where no `random_state`
        is given.

    Attributes
    ----------
    mix_rates_ : ndarray of shape (2,)
        Probability that a score is replaced, for unprivileged and privileged people.
    base_rates_ : ndarray of shape (2,)
        What it is replaced by.

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

    def _needed_labels(self) -> tuple[int, ...]:
        return {"fnr": (1,), "fpr": (0,)}.get(self.wrapped.cost_constraint, (0, 1))

    def _scores(self, response: Response) -> np.ndarray:
        return check_probabilities(response.score("predict_proba"), self.name)

    def _fit_sides(
        self, y_true: np.ndarray, response: Response, side: np.ndarray, weight: np.ndarray | None
    ) -> None:
        scores = self._scores(response)
        with np.errstate(divide="ignore", invalid="ignore"):
            fitted = self._fitted_copy(y_true, response.predicted, scores, side, weight)
        self.mix_rates_ = np.array([fitted.unpriv_mix_rate, fitted.priv_mix_rate], dtype=float)
        self.base_rates_ = np.array([fitted.base_rate_unpriv, fitted.base_rate_priv], dtype=float)

    def _draw(
        self, response: Response, privileged: np.ndarray, generator: np.random.RandomState
    ) -> np.ndarray:
        scores = self._scores(response).astype(np.float64)
        for side in (0, 1):  # AIF360's order
            rows = np.flatnonzero(privileged == side)
            mixed = generator.random_sample(len(rows)) <= self.mix_rates_[side]
            scores[rows[mixed]] = self.base_rates_[side]
        return (scores >= 0.5).astype(np.int8)

    def _probability(self, response: Response, privileged: np.ndarray) -> np.ndarray:
        side = privileged.astype(np.intp)
        # Not a number where the costs cannot be moved: AIF360 then never mixes.
        mix = np.clip(np.nan_to_num(self.mix_rates_), 0.0, 1.0)[side]
        kept = self._scores(response) >= 0.5
        return np.asarray(mix * (self.base_rates_ >= 0.5)[side] + (1 - mix) * kept)


class RejectOptionCorrector(TwoSidedCorrector, adapts="aif360.RejectOptionClassification"):
    """Favors unprivileged people near the decision boundary, as AIF360 does.

    Parameters
    ----------
    wrapped : RejectOptionClassification
        All its parameters are honored.

    Attributes
    ----------
    threshold_ : float
        Scores above it are favorable.
    margin_ : float
        Up to this far from the threshold, unprivileged people get the favorable
        label and privileged people the other.

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

    def _needed_labels(self) -> tuple[int, ...]:
        by_metric = {"Average odds difference": (0, 1), "Equal opportunity difference": (1,)}
        return by_metric.get(self.wrapped.metric_name, ())

    def _scores(self, response: Response) -> np.ndarray:
        return check_probabilities(response.score("predict_proba"), self.name)

    def _fit_sides(
        self, y_true: np.ndarray, response: Response, side: np.ndarray, weight: np.ndarray | None
    ) -> None:
        scores = self._scores(response).astype(np.float64)
        weight = np.ones(len(scores)) if weight is None else weight
        # Thousands of rules are tried: people who are alike count once, weighted.
        people, first, alike = np.unique(
            np.column_stack([y_true, side, scores]), axis=0, return_index=True, return_inverse=True
        )
        total = np.bincount(alike.reshape(-1), weights=weight)
        predicted = response.predicted[first]
        fitted = self._searched(people[:, 0], predicted, people[:, 2], people[:, 1], total)
        self.threshold_ = float(fitted.classification_threshold)
        self.margin_ = float(fitted.ROC_margin)

    def _searched(self, *people: np.ndarray) -> Any:
        """Fit, and say in our words what AIF360 warns of."""
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            fitted = self._fitted_copy(*people)
        if any(issubclass(entry.category, UserWarning) for entry in caught):
            wrapped = self.wrapped
            warnings.warn(
                f"{self.name} found no threshold and margin that bring its metric "
                f"{wrapped.metric_name!r} between {wrapped.metric_lb} and {wrapped.metric_ub}; "
                "it took those with the smallest value.",
                UserWarning,
                stacklevel=2,
            )
        return fitted

    def _draw(
        self, response: Response, privileged: np.ndarray, generator: np.random.RandomState
    ) -> np.ndarray:
        scores, threshold = self._scores(response), self.threshold_
        near = (scores > threshold - self.margin_) & (scores <= threshold + self.margin_)
        return np.where(near, ~privileged, scores > self.threshold_).astype(np.int8)

    def _probability(self, response: Response, privileged: np.ndarray) -> np.ndarray:
        return self._draw(response, privileged, random_generator(None)).astype(np.float64)
