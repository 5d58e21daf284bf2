"""Several scorers that share one prediction, scikit-learn's own included.

>>> from sklearn.dummy import DummyClassifier
>>> import pandas as pd
>>> X = pd.DataFrame({"sex": list("ffmm")})
>>> scorer = make_group_scorers(
...     {"f1": "f1", "ofi": "objective_fairness_index"}, sensitive_features="sex"
... )
>>> model = DummyClassifier(strategy="constant", constant=1).fit(X, [1, 0, 1, 1])
>>> {name: round(score, 3) for name, score in scorer(model, X, [1, 0, 1, 1]).items()}
{'f1': 0.857, 'ofi': -0.5}
"""

import inspect
import warnings
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils.metadata_routing import (
    MetadataRequest,
    MetadataRouter,
    MethodMapping,
    process_routing,
)

from skfair_ofi._validation import ColumnNames, check_choice, resolve_labels
from skfair_ofi.counts import MissingGroups

from ._predictions import (
    FavorableFirst,
    GroupsAtHand,
    Predictions,
    alias_of,
    called_by_its_name,
    codes,
    routing_on,
)
from ._registry import METRICS
from ._scorers import (
    METADATA,
    GroupScorer,
    RoutedScorer,
    get_group_scorer,
    group_scorer_names,
    make_group_scorer,
    required,
)
from ._worst_group import WorstGroup

__all__ = ["GroupScorers", "make_group_scorers"]


class NamedScorer:
    """One of scikit-learn's scorers by its name, told which label is favorable."""

    def __init__(self, name: str, pos_label: Any) -> None:
        # sklearn.metrics loads rich, and this module must not.
        from sklearn.metrics import get_scorer  # noqa: PLC0415

        self.name, self.pos_label, self.scorer = name, pos_label, get_scorer(name)

    def __call__(self, said: Predictions, X: Any, y_true: Any, **weight: Any) -> float:
        """Return the score, with the favorable label as the positive one."""
        classes = np.asarray(said.classes_).tolist()
        favorable = said.favorable_label(self.pos_label)
        try:
            labels = resolve_labels({"y": classes}, favorable)
        except ValueError:  # no two labels, or none known as favorable: as it is in scikit-learn
            return float(self.scorer(said, X, y_true, **weight))
        resolve_labels({"y_true": np.unique(y_true).tolist(), "y_pred": classes}, favorable)
        return float(self.scorer(FavorableFirst(said, labels), X, codes(y_true, labels), **weight))


def _takes_weights(scorer: Any) -> bool:
    parameters = inspect.signature(scorer).parameters
    return isinstance(scorer, NamedScorer) or "sample_weight" in parameters


def _settled(scorer: GroupScorer) -> MetadataRequest:
    """What a scorer in a set asks for; what it left open is the set's, and ignored by it."""
    request = scorer.get_metadata_routing()
    for name, alias in list(request.score.requests.items()):
        if alias is None:
            request.score.add_request(param=name, alias=False)
    return request


class _People(NamedTuple):
    """Whom a set scores: what was passed to it."""

    X: Any
    y_true: Any
    groups: GroupsAtHand | None
    handed: GroupsAtHand | None
    weight: Any


class _Shared:
    """Predictions made once for each choice of groups to predict with; mostly there is one."""

    def __init__(self, first: Predictions) -> None:
        self.first = first
        self._made = [first]

    def with_groups(self, groups: GroupsAtHand) -> Predictions:
        """Return the predictions with these groups."""
        for made in self._made:
            if made.with_groups(groups) is made:
                return made
        self._made.append(self.first.with_groups(groups))
        return self._made[-1]


class GroupScorers(RoutedScorer):
    """Several scorers that share one prediction; see `make_group_scorers`.

    Parameters
    ----------
    scorers : dict of str to scorer
        Scorers by name.
    sensitive_features : str, int or sequence of them, default=None
        Columns of X that hold the groups of scorers without columns of their own.
    predict_sensitive_features : str, int or sequence of them, default=None
        As in `make_group_scorer`.
    error_score : float or "raise", default=nan
        As in `make_group_scorers`.
    """

    def __init__(
        self,
        scorers: Mapping[str, Any],
        *,
        sensitive_features: ColumnNames | None = None,
        predict_sensitive_features: ColumnNames | None = None,
        error_score: float | Literal["raise"] = nan,
    ) -> None:
        self.scorers = scorers
        self.sensitive_features = sensitive_features
        self.predict_sensitive_features = predict_sensitive_features
        self.error_score = error_score

    def __call__(
        self,
        estimator: Any,
        X: Any,
        y_true: Any,
        *,
        sensitive_features: Any = None,
        sample_weight: Any = None,
        predict_sensitive_features: Any = None,
        **params: Any,
    ) -> dict[str, float]:
        """Return all scores of a fitted estimator, by name."""
        passed = {
            "sensitive_features": sensitive_features,
            "predict_sensitive_features": predict_sensitive_features,
            "sample_weight": sample_weight,
        }
        inner = self._for_single_scorers(passed)
        asked = process_routing(self, "score", **params, **inner) if params or inner else {}
        own = {name: self._own(name, given, inner) for name, given in passed.items()}
        people = self._people(X, y_true, own)
        first = people.handed or people.groups or GroupsAtHand(None)
        said = _Shared(Predictions(estimator, X, first))
        scores: dict[str, float] = {}
        failed: dict[str, list[str]] = {}
        for name in self.scorers:
            given = asked[name].score if name in asked else {}
            try:
                with called_by_its_name(said.first):
                    scores[name] = self._score(name, said, people, given)
            except Exception as error:
                if self.error_score == "raise":
                    raise
                scores[name] = float(self.error_score)
                failed.setdefault(f"{type(error).__name__}: {error}", []).append(name)
        for message, names in failed.items():
            warnings.warn(f"No score of {', '.join(names)}: {message}", UserWarning, stacklevel=2)
        return scores

    def _people(self, X: Any, y_true: Any, own: Mapping[str, Any]) -> _People:
        groups, handed = (
            self.groups_at_hand(
                X, name, own[name], for_predict=name == "predict_sensitive_features"
            )
            for name in ("sensitive_features", "predict_sensitive_features")
        )
        return _People(X, y_true, groups, handed, own["sample_weight"])

    def _for_single_scorers(self, passed: Mapping[str, Any]) -> dict[str, Any]:
        """What was passed under names that scorers in this set ask for, perhaps the set, too."""
        if not routing_on():
            return {}
        scorers = [one for one in self.scorers.values() if isinstance(one, GroupScorer)]
        asked = {alias_of(one, "score", name) for one in scorers for name in METADATA}
        return {
            name: given
            for name, given in passed.items()
            if given is not None
            and name in asked
            # What the set was passed under another name is not what they ask for.
            and alias_of(self, "score", name) in (None, name)
        }

    def _own(self, name: str, given: Any, inner: Mapping[str, Any]) -> Any:
        """What was passed for the set itself: all that no single scorer asked for alone."""
        return None if name in inner and alias_of(self, "score", name) is None else given

    @staticmethod
    def _asks(scorer: Any, name: str) -> bool:
        return isinstance(scorer, GroupScorer) and alias_of(scorer, "score", name) is not None

    def _score(
        self, name: str, said: "_Shared", people: "_People", asked: Mapping[str, Any]
    ) -> float:
        scorer, weight = self.scorers[name], people.weight
        if isinstance(scorer, GroupScorer):
            groups = self._groups_of(scorer, people, asked)
            handed = scorer.groups_at_hand(
                people.X,
                "predict_sensitive_features",
                asked.get("predict_sensitive_features"),
                for_predict=True,
            )
            weight = asked.get("sample_weight", weight)
            one = said.with_groups(handed or people.handed or groups)
            return scorer.score_of(one, people.X, people.y_true, groups, weight)
        given = said.first, people.X, people.y_true
        if weight is None:
            return float(scorer(*given))
        if not _takes_weights(scorer):
            warnings.warn(f"The scorer {name!r} does not take weights.", UserWarning, stacklevel=3)
            return float(scorer(*given))
        return float(scorer(*given, sample_weight=weight))

    def _groups_of(
        self, scorer: GroupScorer, people: "_People", asked: Mapping[str, Any]
    ) -> GroupsAtHand:
        """The groups of one scorer: its own columns or metadata, else those of all."""
        alias, passed = alias_of(scorer, "score"), asked.get("sensitive_features")
        if passed is not None:
            return GroupsAtHand(passed, None if alias is None else (alias,))
        if scorer.sensitive_features not in (None, self.sensitive_features):
            return required(scorer.groups_at_hand(people.X, "sensitive_features", None))
        return required(people.groups if alias is None else None)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what is asked for, by all scorers and by each.

        Returns
        -------
        MetadataRouter
            scikit-learn's description of it.
        """
        each = {
            name: _settled(scorer)
            for name, scorer in self.scorers.items()
            if any(self._asks(scorer, metadata) for metadata in METADATA)
        }
        methods = MethodMapping().add(caller="score", callee="score")
        router = MetadataRouter(owner=self).add_self_request(self._request())
        return router.add(**each, method_mapping=methods) if each else router

    def __repr__(self) -> str:
        """Return what is scored, by name."""
        return f"GroupScorers({', '.join(self.scorers)})"


def make_group_scorers(
    scorers: Mapping[str, Any],
    *,
    sensitive_features: ColumnNames | None = None,
    predict_sensitive_features: ColumnNames | None = None,
    privileged: Any = None,
    pos_label: Any = None,
    groups: Sequence[Any] | None = None,
    missing_groups: MissingGroups = "error",
    error_score: float | Literal["raise"] = nan,
) -> GroupScorers:
    """Scorer of several measures at once, with one prediction for all of them.

    It makes scikit-learn's own scorers work as well on estimators that need groups to
    predict.

    Parameters
    ----------
    scorers : mapping of str to callable or str
        By the name in the results: a measure of this package or its name, `worst_group`
        of a rate, the name of one of scikit-learn's scorers, or any scorer. A scorer from
        `make_group_scorer` keeps its own groups. scikit-learn's by name take the
        favorable label as the positive one.
    sensitive_features : str, int or sequence of them, default=None
        As in `make_group_scorer`, for all measures of this package.
    predict_sensitive_features : str, int or sequence of them, default=None
        As in `make_group_scorer`, for all measures of this package.
    privileged : group or collection of groups, default=None
        As in `make_group_scorer`, for all measures of this package.
    pos_label : object, default=None
        As in `make_group_scorer`, for all measures of this package.
    groups : sequence of groups, default=None
        As in `make_group_scorer`, for all measures of this package.
    missing_groups : {"error", "drop", "group"}, default="error"
        As in `make_group_scorer`, for all measures of this package; scikit-learn's own
        scorers count everyone.
    error_score : float or "raise", default=nan
        The score of a scorer that fails, with a warning that says why; the others keep
        theirs. scikit-learn's own `error_score` cannot tell them apart.

    Returns
    -------
    GroupScorers
        A picklable callable that returns a dict of scores.

    Raises
    ------
    ValueError
        If scorers are no mapping, or a name is neither here nor in scikit-learn.
    TypeError
        If one is nothing that can be called.

    Examples
    --------
    >>> make_group_scorers(
    ...     {"accuracy": "accuracy", "ofi": "objective_fairness_index"}, sensitive_features="sex"
    ... )
    GroupScorers(accuracy, ofi)
    """
    if not len(scorers) or not hasattr(scorers, "items"):
        raise ValueError(f"scorers must be a mapping of names to scorers, got {scorers!r}.")
    options = {
        "sensitive_features": sensitive_features,
        "predict_sensitive_features": predict_sensitive_features,
        "privileged": privileged,
        "pos_label": pos_label,
        "groups": groups,
        "missing_groups": missing_groups,
    }
    return GroupScorers(
        {name: _made(scorer, options) for name, scorer in scorers.items()},
        sensitive_features=sensitive_features,
        predict_sensitive_features=predict_sensitive_features,
        error_score=error_score,
    )


def _made(scorer: Any, options: dict[str, Any]) -> Any:
    if isinstance(scorer, str):
        known = scorer in group_scorer_names()
        if not known:
            from sklearn.metrics import get_scorer_names  # noqa: PLC0415

            check_choice("scorers", scorer, [*group_scorer_names(), *get_scorer_names()])
            return NamedScorer(scorer, options["pos_label"])
        return get_group_scorer(scorer, **options)
    name = getattr(scorer, "__name__", None)
    if isinstance(scorer, WorstGroup) or (name in METRICS and METRICS[name].function is scorer):
        return make_group_scorer(scorer, **options)
    if not callable(scorer):
        raise TypeError(f"scorers must hold names, measures and scorers, got {scorer!r}.")
    return scorer
