"""The correction that flips the fewest people, within limits on who they are."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from skfair_ofi._validation import check_choice, finite_number
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.flips import (
    GOALS,
    Columns,
    LinearRate,
    Program,
    Steps,
    count_sides,
    evaluate,
    find_chances,
    find_paths,
    make_fairness,
    make_keep_wishes,
    make_limits,
    make_steps,
    optimize,
    pool_labels,
    price,
    trace_frontier,
)

from ._corrector import Corrector, Response, ScoreMethod
from ._groups import Groups
from ._outcomes import count_cells

Objective = Literal[
    "flips", "harmful_flips", "wrong_flips", "move", "accuracy", "balanced_accuracy"
]
_LEVELS = 21  # of a frontier that has no corners


def check_scores(score: np.ndarray, name: str) -> np.ndarray:
    """Return scores as floats, all of them finite."""
    score = np.asarray(score, dtype=np.float64)
    if not np.isfinite(score).all():
        row = int(np.argmin(np.isfinite(score)))
        raise ValueError(f"{name} needs finite scores, got {score[row]} at row {row}.")
    return score


class FlipOptimizer(BaseEstimator, Corrector):
    """Reaches a fairness tolerance with the fewest flips, within limits on who is flipped.

    It moves people from the prediction of a model that is kept: in each group it lifts the
    best scores of those predicted unfavorable, or lowers the worst of those predicted
    favorable, by a threshold or, where that alone meets the constraints, by a lottery
    between thresholds. Within a group and a prediction, nobody with a higher score fares
    worse. Goes into `CorrectedClassifier`. The rule uses the group of the person.

    Parameters
    ----------
    fairness : str, function, sequence of them or None, default="demographic_parity"
        What groups are compared in: ``"demographic_parity"``, ``"equal_opportunity"``,
        ``"predictive_equality"``, ``"equalized_odds"``, ``"objective_fairness_index"``,
        ``"error_parity"``, or a measure of differences by its name in ``METRICS``. None
        compares nothing, and leaves the limits.
    tolerance : float, default=0.05
        The largest gap between any two groups.
    ratio : float, default=None
        The smallest ratio between any two groups, in place of the tolerance: 0.8 is the
        four-fifths rule.
    limits : mapping of str to float, default=None
        Bounds on measures of everyone, by their names in ``METRICS``: flip rates,
        ``"flip_rate_difference"`` and error rates at most so much; ``"accuracy"``, other
        rates of which more is better, and ``"balanced_accuracy"`` at least so much.
    group_limits : mapping of str to float or mapping, default=None
        The same in every group; or, with a mapping from groups, in those.
    keep : str or sequence of str, default=()
        Rates that may fall in no group, such as ``"selection_rate"``: no leveling down.
    objective : {"flips", "harmful_flips", "wrong_flips", "move", "accuracy", \
            "balanced_accuracy"}, default="flips"
        What is minimized, or for an accuracy maximized, first. Then flips, then how far
        thresholds move, decide among equals. ``"move"`` takes the last alone.
    slack : float, default=0.2
        How many more flips than the least are allowed, as a share of them, so that
        thresholds move less. With 0 the people flipped are often drawn by lot, and all of
        the smaller group.
    min_people : float, default=30
        Groups with fewer people for a rate are not compared in it; a group that is
        compared in nothing keeps its predictions. `exempt_` lists them.
    pooling : float, default=0.0
        Labels of small groups are shrunk toward what the score says of everyone, as if so
        many more people had been seen. For limits on harm with small groups.
    margin : float, default=0.0
        Standard errors by which each rate keeps away from its bound, at most half of the
        tolerance. Without it the tolerance is met among new people about half of the time.
    single_threshold : bool, default=False
        Whether each group gets one threshold and nobody is drawn by lot. Costs more flips,
        and is a program in whole numbers, which takes longer.
    score_method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
        Which scores to ask the estimator for.

    Attributes
    ----------
    rules_ : DataFrame
        What is done, one row a group and range of scores: ``group``, ``prediction`` that is
        flipped, ``score_from``, ``score_below``, ``chance`` of being flipped, ``people``
        and expected ``flips`` there.
    expected_ : OutcomeCounts
        The people in `fit` as they are expected after the correction; every measure reads
        it.
    exempt_ : DataFrame
        Groups that are not compared in a rate: ``group``, ``rate``, ``people``.
    least_flips_ : float
        The least share of people whom any rule of this kind must flip; NaN where the
        objective or a single threshold leaves it open.
    drawn_ : float
        Share of people whose label is drawn by lot.
    prices_ : DataFrame
        For each constraint its ``level``, what it ``cost``, which is the objective with it
        minus that without, and the change of the objective by the level (``marginal``).

    Raises
    ------
    InfeasibleError
        In `fit`, where no rule meets all constraints; it says which levels would do.

    Notes
    -----
    A linear program over mixtures of thresholds (see the page on this corrector); weights
    mean repeated rows. It is fitted out of fold unless `CorrectedClassifier` is told
    otherwise, since a model that fits its training data too well leaves nothing to correct
    there. Minimizing interventions under fairness constraints is due to Jiang2025.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skfair_ofi import CorrectedClassifier
    >>> from skfair_ofi.datasets import load_compas
    >>> X, y = load_compas(return_X_y=True)
    >>> two = X["race"].isin(["African-American", "Caucasian"])
    >>> X, y = X.loc[two, ["race", "priors_count"]], y[two]
    >>> model = CorrectedClassifier(
    ...     LogisticRegression(),
    ...     FlipOptimizer("equalized_odds", limits={"harmful_flip_rate": 0.02}),
    ...     sensitive_features="race",
    ...     pos_label=0,
    ...     drop_sensitive_features=True,
    ... ).fit(X, y)
    >>> optimizer = model.corrector_
    >>> round(optimizer.least_flips_, 3)
    0.033
    >>> optimizer.prices_["cost"].round(3).to_dict()
    {'equalized_odds': 0.033, 'harmful_flip_rate': 0.004}
    """

    def __init__(
        self,
        fairness: Any = "demographic_parity",
        *,
        tolerance: float = 0.05,
        ratio: float | None = None,
        limits: Any = None,
        group_limits: Any = None,
        keep: Any = (),
        objective: Objective = "flips",
        slack: float = 0.2,
        min_people: float = 30,
        pooling: float = 0.0,
        margin: float = 0.0,
        single_threshold: bool = False,
        score_method: ScoreMethod = "auto",
    ) -> None:
        self.fairness = fairness
        self.tolerance = tolerance
        self.ratio = ratio
        self.limits = limits
        self.group_limits = group_limits
        self.keep = keep
        self.objective = objective
        self.slack = slack
        self.min_people = min_people
        self.pooling = pooling
        self.margin = margin
        self.single_threshold = single_threshold
        self.score_method = score_method

    @property
    def cv(self) -> Any:
        """Folds, since people whom the model was fitted on hide what needs correcting."""
        return 5

    @property
    def randomized(self) -> bool:  # type: ignore[override]
        """Whether a lottery is allowed."""
        return not self.single_threshold

    def _check_options(self) -> None:
        check_choice("objective", self.objective, [*GOALS, "move"])
        for name in ("slack", "min_people", "pooling", "margin"):
            number = finite_number(getattr(self, name))
            if number is None or number < 0:
                raise ValueError(
                    f"{name} must be a number of at least 0, got {getattr(self, name)!r}."
                )

    def fit(
        self,
        y_true: np.ndarray,
        response: Response,
        groups: Groups,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Find the rule; see `Corrector.fit`."""
        self._check_options()
        self._fairness = make_fairness(self.fairness, self.tolerance, self.ratio)
        wishes = [
            *self._fairness,
            *make_limits(self.limits, "limits"),
            *make_limits(self.group_limits, "group_limits", keys=groups.keys),
            *make_keep_wishes(self.keep),
        ]
        score = check_scores(response.score(self.score_method), self.name)
        predicted, codes = response.predicted.astype(np.intp), groups.codes
        weight = np.ones(len(score)) if sample_weight is None else sample_weight
        true = y_true.astype(np.float64)
        if self.pooling:
            true = pool_labels(score, predicted, true, codes, weight, people=float(self.pooling))
        program = Program(
            Columns((), ()),
            count_sides(predicted, true, codes, weight, len(groups.keys)),
            wishes,
            min_people=float(self.min_people),
            margin=float(self.margin),
            single=self.single_threshold,
        )
        self.exempt_, takes_part = _find_exempt(program, groups)
        paths = find_paths(score, predicted, true, np.where(takes_part[codes], codes, -1), weight)
        program = replace(program, columns=Columns.at_corners(paths))
        found = optimize(program, self.objective, float(self.slack))
        corners = [path.pick(path.corners) for path in paths]  # all that prices are read off
        self._program = replace(found.program, columns=Columns.at_corners(corners))
        self._steps = make_steps(found.fine.columns, found.weights)
        self.least_flips_ = found.least
        self.rules_ = _list_rules(self._steps, groups, response.labels)
        drawn = self.rules_.loc[self.rules_["chance"] < 1, "people"].sum()
        self.drawn_ = float(drawn / program.cells.sum())
        chances = find_chances(self._steps, score, predicted, codes)
        self.expected_ = OutcomeCounts(
            groups.keys,
            count_cells(
                codes,
                len(groups.keys),
                y_true=y_true,
                predicted=predicted,
                favorable=chances,
                weight=sample_weight,
            ),
            labels=response.labels,
            feature_names=groups.names,
        )
        return self

    def correct_proba(self, response: Response, groups: Groups) -> np.ndarray:
        """Return the probabilities of the favorable label; see `Corrector`."""
        score = check_scores(response.score(self.score_method), self.name)
        return find_chances(self._steps, score, response.predicted.astype(np.intp), groups.codes)

    @property
    def compared_rates(self) -> list[LinearRate]:
        """The rates whose gaps the tolerance bounds."""
        return [rate for wish in self._fairness for rate in wish.rates]

    @property
    def prices_(self) -> pd.DataFrame:
        """What each constraint costs; solved when it is asked for."""
        goal = self.objective if self.objective in GOALS else "flips"
        rows = [
            (wish.name, wish.sense, wish.level, cost, marginal)
            for wish, cost, marginal in price(self._program, goal)
        ]
        columns = ["constraint", "sense", "level", "cost", "marginal"]
        return pd.DataFrame(rows, columns=columns).set_index("constraint")

    def frontier(
        self, objective: str | None = None, *, levels: ArrayLike | None = None
    ) -> pd.DataFrame:
        """Return the best objective at every tolerance, other constraints as they are.

        Between two rows it is a straight line, so that nothing lies between the corners.
        With a ratio, or a margin, where it is none, it is solved at levels.

        Parameters
        ----------
        objective : {"flips", "harmful_flips", "wrong_flips", "accuracy", \
                "balanced_accuracy"}, default=None
            What is minimized, or for an accuracy maximized; None is that of the optimizer.
        levels : array-like of float, default=None
            Tolerances, or ratios, to solve at; None finds all corners. With dozens of
            groups that takes long.

        Returns
        -------
        DataFrame
            Columns ``tolerance`` (or ``ratio``) and the objective; NaN where no rule meets
            all constraints.

        Raises
        ------
        ValueError
            If nothing is compared, or the objective is unknown.
        """
        goal = objective or (self.objective if self.objective in GOALS else "flips")
        check_choice("objective", goal, list(GOALS))
        program, numbers = self._program, list(range(len(self._fairness)))
        if not numbers:
            raise ValueError("fairness must compare groups for a frontier, got None.")
        by_ratio = self.ratio is not None
        if levels is None and not by_ratio and not self.margin:
            high = min(rate.bounds[1] - rate.bounds[0] for rate in self._fairness[0].rates)
            at, values = trace_frontier(program, goal, numbers, high)
        else:
            at = np.linspace(0, 1, _LEVELS) if levels is None else np.asarray(levels, np.float64)
            values = np.array([evaluate(program, goal, numbers, level)[0] for level in at])
        sign = -1.0 if goal.endswith("accuracy") else 1.0
        return pd.DataFrame({"ratio" if by_ratio else "tolerance": at, goal: sign * values})


def _find_exempt(program: Program, groups: Groups) -> tuple[pd.DataFrame, np.ndarray]:
    """Groups that are not compared in a rate, and which groups are compared in any."""
    compared = [wish for wish in program.wishes if wish.compares]
    takes_part = np.full(len(groups.keys), not compared)
    rows, alone = [], True
    for rate in dict.fromkeys(rate for wish in compared for rate in wish.rates):
        people, chosen = rate.count_people(program.cells), program.find_compared(rate)
        takes_part[chosen] = True
        alone = alone and len(chosen) < 2
        left = np.setdiff1d(np.arange(len(people)), chosen)
        rows += [(groups.keys[code], rate.name, float(people[code])) for code in left]
    if compared and alone and groups.divided:
        warnings.warn(
            "FlipOptimizer compares nobody: each rate needs two groups of at least "
            f"{program.min_people:g} people (min_people).",
            UserWarning,
            stacklevel=3,
        )
    return pd.DataFrame(rows, columns=["group", "rate", "people"]), takes_part


def _list_rules(steps: Sequence[Steps], groups: Groups, labels: tuple[Any, Any]) -> pd.DataFrame:
    """What is done, one row a group and range of scores."""
    rows = []
    for step in steps:
        end = np.inf if step.lifts else -np.inf
        others = np.append(end, step.bars[:-1])
        for bar, other, chance, people in zip(
            step.bars, others, step.chances, step.people, strict=True
        ):
            low, high = (bar, other) if step.lifts else (other, bar)
            label = labels[0 if step.lifts else 1]
            rows.append((groups.keys[step.group], label, low, high, chance, people))
    columns = ["group", "prediction", "score_from", "score_below", "chance", "people"]
    rules = pd.DataFrame(rows, columns=columns)
    return rules.assign(flips=rules["chance"] * rules["people"])
