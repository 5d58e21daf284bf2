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
>>> from skfair_ofi.metrics import make_group_scorer, statistical_parity_difference
>>> scorer = make_group_scorer(statistical_parity_difference, sensitive_features="sex")
>>> model = make_pipeline(make_column_transformer(("passthrough", ["x"])), LogisticRegression())
>>> cross_val_score(model, X, y, scoring=scorer, cv=2)
array([-0.5, -0.5])
"""

import inspect
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from math import inf, isnan, nan
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest, get_routing_for_object

from skfair_ofi._validation import (
    ColumnNames,
    check_choice,
    is_missing_group,
    resolve_labels,
)
from skfair_ofi.counts import (
    MissingGroups,
    OutcomeCounts,
    read_booleans,
    read_floats,
    select_columns,
)

from ._predictions import ModelGroups, PassedGroups, Predictions, encode_pair, find_alias
from ._registry import Metric
from ._shapes import choose_range, count_where

WORST_GROUP = "worst_group_"
_METADATA = ("sensitive_features", "predict_sensitive_features", "sample_weight")


class _Case(NamedTuple):
    """What a scorer is called with, beside the estimator."""

    X: Any
    y_true: Any
    groups: PassedGroups | None
    weight: Any


class GroupScorer(BaseEstimator):
    """A scorer of one measure, or of several; see `make_group_scorer`, which makes it.

    `measure` is a `Metric`, a function of one's own, or a dict of scorers by name.
    """

    def __init__(
        self,
        measure: Any,
        *,
        sensitive_features: ColumnNames | None = None,
        predict_sensitive_features: ColumnNames | None = None,
        privileged: Any = None,
        pos_label: Any = None,
        groups: Sequence[Any] | None = None,
        missing_groups: MissingGroups = "error",
        where: Any = None,
        score_range: tuple[float, float] | None = None,
        worst: bool = False,
        greater_is_better: bool | None = None,
        error_score: float | Literal["raise"] = nan,
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
        self.worst = worst
        self.greater_is_better = greater_is_better
        self.error_score = error_score

    def set_score_request(
        self,
        *,
        sensitive_features: bool | str | None = UNCHANGED,
        predict_sensitive_features: bool | str | None = UNCHANGED,
        sample_weight: bool | str | None = UNCHANGED,
    ) -> Self:
        """Ask for metadata, with routing enabled: True, or the name under which it is passed.

        `predict_sensitive_features` are the groups that the estimator predicts with, where it
        needs others than those to be scored.
        """
        request = self.get_metadata_routing()
        given = (sensitive_features, predict_sensitive_features, sample_weight)
        for name, alias in zip(_METADATA, given, strict=True):
            if alias is not UNCHANGED:
                request.score.add_request(param=name, alias=alias)
        self._metadata_request = request  # the name under which `clone` keeps it
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what is asked for, as scikit-learn describes it."""
        if hasattr(self, "_metadata_request"):
            return get_routing_for_object(self._metadata_request)
        request = MetadataRequest(owner=self)
        for name in _METADATA:
            request.score.add_request(param=name, alias=None)
        return request

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y_true: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        predict_sensitive_features: Any = None,
    ) -> Any:
        """Return the score of a fitted estimator, greater is better, or all scores by name."""
        groups = self._find_groups(X, "sensitive_features", sensitive_features)
        to_predict = self._find_groups(X, "predict_sensitive_features", predict_sensitive_features)
        case = _Case(X, y_true, groups, sample_weight)
        first = Predictions(estimator, X, to_predict or groups or PassedGroups(None))
        if isinstance(self.measure, Mapping):
            return self._score_all(first, case, to_predict)
        return self._score(first, case)

    def _find_groups(self, X: Any, name: str, given: Any) -> PassedGroups | None:
        """Return the groups that were passed, or else those in columns of X."""
        columns, for_predict = getattr(self, name), name != "sensitive_features"
        if given is not None and columns is not None:
            raise ValueError(
                f"{name} must be given once: as columns of X to the scorer, here {columns!r}, or "
                "as metadata, got both."
            )
        if given is not None:
            alias = find_alias(self, "score", name)
            return PassedGroups(given, None if alias is None else (alias,), for_predict)
        if columns is None:
            return None
        held = select_columns(X, columns)
        return PassedGroups(held, tuple(held), for_predict, columns=True)

    def _score_all(
        self, first: Predictions, case: _Case, to_predict: PassedGroups | None
    ) -> dict[str, float]:
        """Return all scores; an estimator is asked once for each choice of groups to predict."""
        made, scores = [first], {}
        failed: dict[str, list[str]] = {}

        def score(name: str, scorer: Any) -> float:
            if isinstance(scorer, str):
                return _score_byname_of(scorer, first, self.pos_label, case)
            if not isinstance(scorer, GroupScorer):
                return _score_by_callable(name, scorer, first, case)
            own, handed = (
                scorer._find_groups(case.X, feature, None)  # noqa: SLF001
                for feature in _METADATA[:2]
            )
            own = own or case.groups
            wanted = handed or to_predict or own or PassedGroups(None)
            predictions = next((one for one in made if one.can_serve(wanted)), None)
            if predictions is None:
                predictions = first.pass_groups(wanted)
                made.append(predictions)
            return scorer._score(predictions, case._replace(groups=own))  # noqa: SLF001

        for name, scorer in self.measure.items():
            try:
                scores[name] = score(name, scorer)
            except Exception as error:
                # scikit-learn's scorers name what stands in for the estimator.
                message = re.sub(
                    rf"^{Predictions.__name__}\b", type(first.decider).__name__, str(error)
                )
                if self.error_score == "raise":
                    if message == str(error):
                        raise
                    raise AttributeError(message) from error
                scores[name] = float(self.error_score)
                failed.setdefault(f"{type(error).__name__}: {message}", []).append(name)
        for message, names in failed.items():
            warnings.warn(f"No score of {', '.join(names)}: {message}", UserWarning, stacklevel=3)
        return scores

    def _score(self, predictions: Predictions, case: _Case) -> float:
        if not isinstance(self.measure, Metric):
            return self._score_function(predictions, case)
        groups, metric = _check_given(case.groups), self.measure
        counts = self._count(metric, predictions, case._replace(groups=groups))
        own = predictions.find_model_groups(groups, counts.groups)
        counts = self._expect_groups(counts, own)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            if metric.kind == "rate":
                value, reason = self._score_rate(metric, counts)
            else:
                privileged = self._choose_privileged(counts, own)
                value, reason = _score_comparison(metric, counts, privileged)
        if isnan(value):
            sizes = zip(counts.groups, counts.group_sizes, strict=True)
            listed = ", ".join(f"{group!r} {size:g}" for group, size in sizes)
            name = f"{WORST_GROUP}{metric.name}" if self.worst else metric.name
            warnings.warn(
                f"{name} is undefined: {reason}. Group sizes: {listed}.",
                UndefinedMetricWarning,
                stacklevel=3,
            )
        return value

    def _score_function(self, predictions: Predictions, case: _Case) -> float:
        """Return what a function of true and predicted labels gives, greater is better."""
        taken = inspect.signature(self.measure).parameters
        given = {
            "privileged": self.privileged,
            "pos_label": predictions.choose_favorable(self.pos_label),
            "sample_weight": case.weight,
        }
        if "sensitive_features" in taken:
            given["sensitive_features"] = _check_given(case.groups).to_array()
        options = {name: value for name, value in given.items() if value is not None}
        unknown = [name for name in options if name not in taken and name != "pos_label"]
        if unknown:
            raise ValueError(
                f"{', '.join(unknown)} must be None for {name_of(self.measure)}, which does not "
                "take it."
            )
        options = {name: value for name, value in options.items() if name in taken}
        value = float(self.measure(case.y_true, predictions.answer("predict"), **options))
        return value if self.greater_is_better else -value

    def _expect_groups(self, counts: OutcomeCounts, own: ModelGroups | None) -> OutcomeCounts:
        """Return the table with the groups that must be there, without unseen ones."""
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

    def _choose_privileged(self, counts: OutcomeCounts, own: ModelGroups | None) -> Any:
        """Return the privileged groups: those given, else the model's own, else None."""
        privileged = self.privileged
        if privileged is None:
            return list(own.privileged) or None if own else None
        if own is not None:
            for group in _list_absent(privileged, own.keys):
                check_choice("privileged", group, [*own.keys, *counts.groups])
        # An empty collection: nobody is privileged.
        empty = isinstance(privileged, list | tuple | set | frozenset) and not privileged
        return None if empty else privileged

    def _score_rate(self, metric: Metric, counts: OutcomeCounts) -> tuple[float, str | None]:
        """Return the score of a rate, of everyone or of the worst group, and why it is NaN."""
        sign = 1 if metric.better == "higher" else -1
        if not self.worst:
            return sign * metric.of(counts), f"no {metric.denominator}"
        values = metric.values(counts)
        pairs = zip(counts.groups, values, strict=True)
        undefined = ", ".join(repr(group) for group, value in pairs if isnan(value))
        return float((sign * values).min()), f"no {metric.denominator} in group {undefined}"

    def _count(self, metric: Metric, predictions: Predictions, case: _Case) -> OutcomeCounts:
        pos_label = predictions.choose_favorable(self.pos_label)
        arrays: dict[str, Any] = {
            "sensitive_features": case.groups.features if case.groups else None,
            "pos_label": pos_label,
            "missing_groups": self.missing_groups,
        }
        if metric.family == "flip":
            outcomes = predictions.answer("predict_outcomes")
            arrays |= {"y_pred": outcomes.y_pred, "y_corrected": outcomes.y_corrected}
            arrays |= {"y_true": case.y_true} if "y_true" in metric.roles else {}
        elif metric.family == "score":
            arrays |= {"y_true": case.y_true, "y_score": predictions.score_favorable(pos_label)}
        else:
            arrays |= {"y_true": case.y_true, "y_pred": predictions.answer("predict")}
        chosen = self._choose_rows(case.X, arrays.get("y_score"))
        if chosen is None:
            return OutcomeCounts.from_arrays(**arrays, sample_weight=case.weight)
        return count_where(chosen, **arrays, sample_weight=case.weight)

    def _choose_rows(self, X: Any, score: Any) -> np.ndarray | None:
        chosen = None
        if self.where is not None:
            condition = self.where(X) if callable(self.where) else select_columns(X, self.where)
            column = next(iter(condition.values())) if isinstance(condition, dict) else condition
            chosen = read_booleans(column, "where")
        if self.score_range is not None:
            inside = choose_range(read_floats(score, "y_score"), self.score_range)
            chosen = inside if chosen is None else chosen & inside
        return chosen

    def __repr__(self) -> str:
        """Return the call that makes it."""
        several = isinstance(self.measure, Mapping)
        shown = f"{{{', '.join(self.measure)}}}" if several else name_of(self.measure)
        options = list(inspect.signature(type(self)).parameters.values())[1:]
        values = {option.name: getattr(self, option.name) for option in options}
        given = [
            f"{option.name}={values[option.name]!r}"
            for option in options
            if repr(values[option.name]) != repr(option.default)  # NaN is not equal to itself
        ]
        return f"make_group_scorer({', '.join([shown, *given])})"


def name_of(measure: Any) -> str:
    return str(getattr(measure, "name", None) or getattr(measure, "__name__", repr(measure)))


def _list_absent(privileged: Any, groups: Sequence[Any]) -> list[Any]:
    several = isinstance(privileged, list | set | frozenset) or (
        isinstance(privileged, tuple) and privileged not in groups
    )
    return [group for group in (privileged if several else [privileged]) if group not in groups]


def _check_given(groups: PassedGroups | None) -> PassedGroups:
    """Return the groups to be scored, refusing that there are none."""
    if groups is None:
        raise ValueError(
            "sensitive_features must be given: as columns of X to make_group_scorer, or as "
            "metadata by set_score_request(sensitive_features=True), got None."
        )
    return groups


def _score_comparison(
    metric: Metric, counts: OutcomeCounts, privileged: Any
) -> tuple[float, str | None]:
    """Return minus the distance to the ideal, and why it is NaN."""
    absent = [] if privileged is None else _list_absent(privileged, counts.groups)
    if absent:
        return nan, f"no people in group {absent[0]!r}"
    value = metric.of(counts, privileged=privileged)
    if isnan(value):
        return nan, metric.explain_undefined(counts, privileged)
    if metric.ideal == 1.0:  # a ratio is as far from it as its inverse
        return (-1.0 if value in (0, inf) else min(value, 1.0 / value) - 1.0), None
    # Adding 0 makes the -0.0 of a perfect score 0.0.
    return 0.0 - abs(value - (metric.ideal or 0.0)), None


def _score_byname_of(name: str, predictions: Predictions, pos_label: Any, case: _Case) -> float:
    """Score by one of scikit-learn's scorers, with the favorable label as the positive one."""
    # sklearn.metrics loads rich, and this module must not.
    from sklearn.metrics import get_scorer  # noqa: PLC0415

    scorer = get_scorer(name)
    options = {} if case.weight is None else {"sample_weight": case.weight}
    classes = np.asarray(predictions.classes_).tolist()
    favorable = predictions.choose_favorable(pos_label)
    try:
        labels = resolve_labels({"y": classes}, favorable)
    except ValueError:  # no two labels, or none known as favorable: as it is in scikit-learn
        return float(scorer(predictions, case.X, case.y_true, **options))
    resolve_labels({"y_true": np.unique(case.y_true).tolist(), "y_pred": classes}, favorable)
    translated = predictions.translate(labels)
    return float(scorer(translated, case.X, encode_pair(case.y_true, labels), **options))


def _score_by_callable(
    name: str, scorer: Callable[..., Any], predictions: Predictions, case: _Case
) -> float:
    options = {} if case.weight is None else {"sample_weight": case.weight}
    if options and "sample_weight" not in inspect.signature(scorer).parameters:
        warnings.warn(f"The scorer {name!r} does not take weights.", UserWarning, stacklevel=5)
        options = {}
    return float(scorer(predictions, case.X, case.y_true, **options))
