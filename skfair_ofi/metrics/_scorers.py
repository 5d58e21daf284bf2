"""Scorers that hand groups on: for ``cross_validate``, ``GridSearchCV`` and the like.

scikit-learn's own scorers never pass ``sensitive_features`` to ``predict``, so an
estimator that needs them cannot be scored. These do, find the groups in columns of X
or by metadata routing, and score by the distance to a measure's ideal, so that greater
is always better.

>>> import pandas as pd
>>> from sklearn.compose import make_column_transformer
>>> from sklearn.linear_model import LogisticRegression
>>> from sklearn.model_selection import cross_val_score
>>> from sklearn.pipeline import make_pipeline
>>> X = pd.DataFrame({"x": [0, 1, 1, 2] * 10, "sex": ["f", "f", "m", "m"] * 10})
>>> y = [0, 1, 1, 1] * 10
>>> from skfair_ofi.metrics import statistical_parity_difference
>>> scorer = make_group_scorer(statistical_parity_difference, sensitive_features="sex")
>>> model = make_pipeline(make_column_transformer(("passthrough", ["x"])), LogisticRegression())
>>> cross_val_score(model, X, y, scoring=scorer, cv=2)
array([-0.5, -0.5])
"""

import inspect
import warnings
from collections.abc import Sequence
from math import inf, isnan, nan
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest, get_routing_for_object

from skfair_ofi._validation import ColumnNames, check_choice, is_missing_group
from skfair_ofi.counts import (
    MissingGroups,
    OutcomeCounts,
    read_booleans,
    read_floats,
    select_columns,
)

from ._conditions import CONDITIONAL, among, check_condition, in_range
from ._decorators import Convention, Measure
from ._predictions import GroupsAtHand, ModelGroups, Predictions, alias_of, favorable_scores
from ._registry import METRICS, Metric, name_of
from ._worst_group import WorstGroup, worst_group

__all__ = [
    "GroupScorer",
    "RoutedScorer",
    "get_group_scorer",
    "group_scorer_names",
    "make_group_scorer",
]

METADATA = ("sensitive_features", "predict_sensitive_features", "sample_weight")


def _distance(value: float, ideal: float, *, ratio: bool) -> float:
    """How far a comparison is from its ideal; a ratio is as far as its inverse."""
    if not ratio:
        return abs(value - ideal)
    return 1.0 if value in (0, inf) else 1.0 - min(value, 1.0 / value)


class RoutedScorer(BaseEstimator):
    """A callable that metadata routing knows as a scorer, by public names only."""

    sensitive_features: ColumnNames | None
    predict_sensitive_features: ColumnNames | None

    def set_score_request(
        self,
        *,
        sensitive_features: bool | str | None = UNCHANGED,
        predict_sensitive_features: bool | str | None = UNCHANGED,
        sample_weight: bool | str | None = UNCHANGED,
    ) -> Self:
        """Ask for metadata, with routing enabled.

        Parameters
        ----------
        sensitive_features : bool, str or None, default=UNCHANGED
            True to be given the groups, or the name under which they are passed.
        predict_sensitive_features : bool, str or None, default=UNCHANGED
            The same for groups that the estimator predicts with, where it needs other
            groups than those to be scored.
        sample_weight : bool, str or None, default=UNCHANGED
            The same for weights.

        Returns
        -------
        scorer
            Itself.
        """
        request = self._request()
        given = (sensitive_features, predict_sensitive_features, sample_weight)
        for name, alias in zip(METADATA, given, strict=True):
            if alias is not UNCHANGED:
                request.score.add_request(param=name, alias=alias)
        self._metadata_request = request  # the name under which `clone` keeps it
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what is asked for.

        Returns
        -------
        MetadataRequest
            scikit-learn's description of it.
        """
        return self._request()

    def _request(self) -> MetadataRequest:
        if hasattr(self, "_metadata_request"):
            return get_routing_for_object(self._metadata_request)
        request = MetadataRequest(owner=self)
        for name in METADATA:
            request.score.add_request(param=name, alias=None)
        return request

    def groups_at_hand(
        self, X: Any, name: str, given: Any, *, for_predict: bool = False
    ) -> GroupsAtHand | None:
        """Groups that were passed, or else those in columns of X, under either parameter."""
        columns = getattr(self, name)
        if given is not None and columns is not None:
            raise ValueError(
                f"{name} must be given once: as columns of X to the scorer, here {columns!r}, or "
                "as metadata, got both."
            )
        if given is not None:
            alias = alias_of(self, "score", name)
            return GroupsAtHand(given, None if alias is None else (alias,), for_predict)
        if columns is None:
            return None
        held = select_columns(X, columns)
        return GroupsAtHand(held, tuple(held), for_predict, columns=True)


class GroupScorer(RoutedScorer):
    """A scorer of one measure; see `make_group_scorer`, which makes it.

    Parameters
    ----------
    measure, sensitive_features, predict_sensitive_features, privileged, pos_label, groups, \
    missing_groups, where, score_range, convention
        As in `make_group_scorer`.
    """

    def __init__(
        self,
        measure: Measure | WorstGroup,
        *,
        sensitive_features: ColumnNames | None = None,
        predict_sensitive_features: ColumnNames | None = None,
        privileged: Any = None,
        pos_label: Any = None,
        groups: Sequence[Any] | None = None,
        missing_groups: MissingGroups = "error",
        where: Any = None,
        score_range: tuple[float, float] | None = None,
        convention: Convention = "paper",
    ) -> None:
        self.measure = measure
        self.sensitive_features = sensitive_features
        self.predict_sensitive_features = predict_sensitive_features
        self.privileged = privileged
        self.pos_label = pos_label
        self.groups = groups
        self.missing_groups = missing_groups
        self.where = where
        self.score_range = score_range
        self.convention = convention

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y_true: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        predict_sensitive_features: Any = None,
    ) -> float:
        """Return the score of a fitted estimator, greater is better."""
        groups = required(self.groups_at_hand(X, "sensitive_features", sensitive_features))
        handed = self.groups_at_hand(
            X, "predict_sensitive_features", predict_sensitive_features, for_predict=True
        )
        said = Predictions(estimator, X, handed or groups)
        return self.score_of(said, X, y_true, groups, sample_weight)

    def score_of(
        self, said: Predictions, X: Any, y_true: Any, groups: GroupsAtHand, weight: Any
    ) -> float:
        """Return the score of predictions that are made once for several scorers."""
        counts = self._counts(said, X, y_true, groups.features, weight)
        own = said.model_groups(groups, counts.groups)
        counts = self._as_expected(counts, own)
        privileged = self._privileged(counts, own)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            value, reason = self._value(counts, privileged)
        if isnan(value):
            sizes = zip(counts.groups, counts.group_sizes, strict=True)
            listed = ", ".join(f"{group!r} {size:g}" for group, size in sizes)
            warnings.warn(
                f"{self.measure.__name__} is undefined: {reason}. Group sizes: {listed}.",
                UndefinedMetricWarning,
                stacklevel=3,
            )
        return value

    def _as_expected(self, counts: OutcomeCounts, own: ModelGroups | None) -> OutcomeCounts:
        """The table with the groups that must be there, without those unknown to the model."""
        known = () if own is None else own.keys
        expected = known if self.groups is None else tuple(self.groups)
        others = [group for group in counts.groups if group not in expected]
        unseen: list[Any] = []
        if own is not None:
            # Missing groups are still there only where they are to be a group of their own.
            unseen = [g for g in others if g not in known and not is_missing_group(g)]
            others = [group for group in others if group not in unseen]
            if unseen:
                warnings.warn(
                    f"{counts.pick(*unseen).n:g} people of the groups {unseen[:8]}, which fit did "
                    "not see, are left out of the score.",
                    UserWarning,
                    stacklevel=4,
                )
        wanted = (*expected, *others)
        if wanted == counts.groups:
            return counts
        return counts.reindex([*wanted, *unseen]).pick(*wanted)

    def _privileged(self, counts: OutcomeCounts, own: ModelGroups | None) -> Any:
        """The privileged groups: those given, else the model's own, else None."""
        if self.privileged is None:
            return list(own.privileged) or None if own else None
        if own is not None:
            for group in _absent(self.privileged, own.keys):
                check_choice("privileged", group, [*own.keys, *counts.groups])
        return None if _is_nobody(self.privileged) else self.privileged

    def _value(self, counts: OutcomeCounts, privileged: Any) -> tuple[float, str | None]:
        """The score of a table, and why it is NaN."""
        if isinstance(self.measure, WorstGroup):
            metric, value = self.measure.metric, self.measure.of(counts)
            empty = counts.pick(*_undefined(metric, counts)) if isnan(value) else counts
            listed = ", ".join(repr(group) for group in empty.groups)
            sign = 1 if metric.better == "higher" else -1
            return sign * value, f"no {metric.whole} in group {listed}"
        metric = METRICS[self.measure.__name__]
        if metric.kind == "rate":
            value = metric.of(counts)
            return (value if metric.better == "higher" else -value), f"no {metric.whole}"
        if privileged is not None:
            absent = _absent(privileged, counts.groups)
            if absent:
                return nan, f"no people in group {absent[0]!r}"
        options = {"convention": self.convention} if metric.name in _BY_CONVENTION else {}
        value = metric.of(counts, privileged=privileged, **options)
        if isnan(value):
            return nan, metric.reason(counts, privileged=privileged, **options)
        ideal = 0.0 if metric.ideal is None else metric.ideal
        # Adding 0 makes the -0.0 of a perfect score 0.0.
        return 0.0 - _distance(value, ideal, ratio=ideal == 1.0), None

    def _counts(
        self, said: Predictions, X: Any, y_true: Any, features: Any, weight: Any
    ) -> OutcomeCounts:
        metric = getattr(self.measure, "metric", None) or METRICS[self.measure.__name__]
        pos_label = said.favorable_label(self.pos_label)
        arrays: dict[str, Any] = {"sensitive_features": features, "pos_label": pos_label}
        arrays["missing_groups"] = self.missing_groups
        if metric.family == "flip":
            outcomes = said.answer("predict_outcomes")
            arrays |= {"y_pred": outcomes.y_pred, "y_corrected": outcomes.y_corrected}
            arrays |= {"y_true": y_true} if "y_true" in metric.roles else {}
        elif metric.family == "score":
            arrays |= {"y_true": y_true, "y_score": favorable_scores(said, pos_label)}
        else:
            arrays |= {"y_true": y_true, "y_pred": said.answer("predict")}
        chosen = self._chosen(X, arrays.get("y_score"))
        if chosen is None:
            return OutcomeCounts.from_arrays(**arrays, sample_weight=weight)
        return among(chosen, **arrays, sample_weight=weight)

    def _chosen(self, X: Any, score: Any) -> np.ndarray | None:
        chosen = None
        if self.where is not None:
            condition = self.where(X) if callable(self.where) else select_columns(X, self.where)
            column = next(iter(condition.values())) if isinstance(condition, dict) else condition
            chosen = read_booleans(column, "where")
        if self.score_range is not None:
            inside = in_range(read_floats(score, "y_score"), self.score_range)
            chosen = inside if chosen is None else chosen & inside
        return chosen

    def __repr__(self) -> str:
        """Return the call that makes it."""
        measure = self.measure
        name = repr(measure) if isinstance(measure, WorstGroup) else measure.__name__
        options = list(inspect.signature(type(self)).parameters.values())[1:]
        values = {option.name: getattr(self, option.name) for option in options}
        given = [
            f"{option.name}={values[option.name]!r}"
            for option in options
            if values[option.name] != option.default
        ]
        return f"make_group_scorer({', '.join([name, *given])})"


_BY_CONVENTION = ("flip_rate_disparity", "harmful_flip_disparity")


def _undefined(metric: Metric, counts: OutcomeCounts) -> list[Any]:
    values = zip(counts.groups, metric.values(counts), strict=True)
    return [group for group, value in values if isnan(value)]


def _absent(privileged: Any, groups: Sequence[Any]) -> list[Any]:
    several = isinstance(privileged, list | set | frozenset) or (
        isinstance(privileged, tuple) and privileged not in groups
    )
    return [group for group in (privileged if several else [privileged]) if group not in groups]


def _is_nobody(privileged: Any) -> bool:
    """Whether it is an empty collection: nobody is privileged."""
    return isinstance(privileged, list | tuple | set | frozenset) and not privileged


def required(groups: GroupsAtHand | None) -> GroupsAtHand:
    """Return the groups to be scored, refusing that there are none."""
    if groups is None:
        raise ValueError(
            "sensitive_features must be given: as columns of X to make_group_scorer, or as "
            "metadata by set_score_request(sensitive_features=True), got None."
        )
    return groups


def make_group_scorer(
    measure: Measure | WorstGroup | str,
    *,
    sensitive_features: ColumnNames | None = None,
    predict_sensitive_features: ColumnNames | None = None,
    privileged: Any = None,
    pos_label: Any = None,
    groups: Sequence[Any] | None = None,
    missing_groups: MissingGroups = "error",
    where: Any = None,
    score_range: tuple[float, float] | None = None,
    convention: Convention = "paper",
) -> GroupScorer:
    """Scorer of a measure, for wherever scikit-learn takes ``scoring``.

    The score of a comparison is minus its distance to the ideal (of a ratio,
    ``min(r, 1/r) - 1``), that of a rate its value, or minus its value where lower is
    better. Greater is better always, and the best score of a comparison is 0.

    Parameters
    ----------
    measure : callable or str
        A measure of this package or its name, or `worst_group` of a rate. Flip measures
        need an estimator with ``predict_outcomes``; score measures take the probability,
        or the decision value, of the favorable label.
    sensitive_features : str, int or sequence of them, default=None
        Columns of X that hold the groups. None takes them as metadata: enable routing
        and call ``set_score_request(sensitive_features=True)``.
    predict_sensitive_features : str, int or sequence of them, default=None
        Columns of X that hold the groups that the estimator has to be given to predict,
        where they are others than those to be scored: a model corrected by race and
        scored by sex. As metadata: ``set_score_request(predict_sensitive_features=True)``.
    privileged : group or collection of groups, default=None
        As in the measure. None takes those of a `CorrectedClassifier`, as its report does,
        where the groups that it was fitted on are scored; an empty list is the largest
        gap between any two groups, whoever is privileged.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1. None takes that of a
        `CorrectedClassifier` which was given one.
    groups : sequence of groups, default=None
        Groups that must be there: a fold without one of them scores NaN. After steps of
        a pipeline that rename the column or recode it, only these are known. None takes those
        that a `CorrectedClassifier` was fitted on, where they are the groups to be
        scored, and those of the fold for any other estimator. People of groups that such
        a model does not know are left out with a warning, as in its report.
    missing_groups : {"error", "drop", "group"}, default="error"
        What becomes of rows whose group is missing: an error, left out with a warning,
        or counted as the group None.
    where : str or callable, default=None
        For a measure among some rows: a boolean column of X, or a function of X.
    score_range : tuple of (float, float), default=None
        For a measure among some scores: the lowest and the highest, both included.
    convention : {"paper", "equation"}, default="paper"
        As in the flip measures that have it.

    Returns
    -------
    GroupScorer
        A picklable callable ``scorer(estimator, X, y)``.

    Raises
    ------
    ValueError
        If the measure is not known, is a rate of which neither more nor less is better,
        or lacks its condition.

    Examples
    --------
    >>> make_group_scorer("disparate_impact", sensitive_features="sex", privileged="m")
    make_group_scorer(disparate_impact, sensitive_features='sex', privileged='m')
    """
    if not isinstance(measure, WorstGroup):
        measure = _scorable(measure)
        check_condition(measure.__name__, where=where, score_range=score_range)
    return GroupScorer(
        measure,
        sensitive_features=sensitive_features,
        predict_sensitive_features=predict_sensitive_features,
        privileged=privileged,
        pos_label=pos_label,
        groups=groups,
        missing_groups=check_choice("missing_groups", missing_groups, ("error", "drop", "group")),
        where=where,
        score_range=score_range,
        convention=convention,
    )


def _scorable(measure: Measure | str) -> Measure:
    names = [
        metric.name
        for metric in METRICS.values()
        if metric.kind == "comparison" or metric.better is not None
    ]
    return METRICS[check_choice("measure", name_of(measure), names)].function


def group_scorer_names() -> list[str]:
    """Return the names that `get_group_scorer` knows, sorted.

    Returns
    -------
    list of str
        Names of measures, and ``worst_group_`` before those of rates.

    Examples
    --------
    >>> "worst_group_accuracy" in group_scorer_names()
    True
    """
    rates = [metric.name for metric in METRICS.values() if metric.better is not None]
    comparisons = [metric.name for metric in METRICS.values() if metric.kind == "comparison"]
    named = {*rates, *comparisons, *(f"worst_group_{name}" for name in rates)}
    return sorted(named - set(CONDITIONAL))


def get_group_scorer(
    name: str,
    *,
    sensitive_features: ColumnNames | None = None,
    predict_sensitive_features: ColumnNames | None = None,
    privileged: Any = None,
    pos_label: Any = None,
    groups: Sequence[Any] | None = None,
    missing_groups: MissingGroups = "error",
) -> GroupScorer:
    """Scorer of a measure by its name.

    Parameters
    ----------
    name : str
        One of `group_scorer_names`.
    sensitive_features : str, int or sequence of them, default=None
        As in `make_group_scorer`.
    predict_sensitive_features : str, int or sequence of them, default=None
        As in `make_group_scorer`.
    privileged : group or collection of groups, default=None
        As in `make_group_scorer`.
    pos_label : object, default=None
        As in `make_group_scorer`.
    groups : sequence of groups, default=None
        As in `make_group_scorer`.
    missing_groups : {"error", "drop", "group"}, default="error"
        As in `make_group_scorer`.

    Returns
    -------
    GroupScorer
        The scorer.

    Raises
    ------
    ValueError
        If there is no such name; a near one is suggested.

    Examples
    --------
    >>> get_group_scorer("worst_group_accuracy", sensitive_features="sex")
    make_group_scorer(worst_group(accuracy), sensitive_features='sex')
    """
    check_choice("name", name, group_scorer_names())
    rate = name.removeprefix("worst_group_")
    return make_group_scorer(
        name if rate == name else worst_group(rate),
        sensitive_features=sensitive_features,
        predict_sensitive_features=predict_sensitive_features,
        privileged=privileged,
        pos_label=pos_label,
        groups=groups,
        missing_groups=missing_groups,
    )
