"""Asking an estimator once, handing the groups on where it needs them."""

import inspect
from collections.abc import Callable, Collection, Hashable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn import get_config
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

from skfair_ofi._validation import gather_names, resolve_labels

_RESPONSES = ("predict", "predict_proba", "decision_function")


class PassedGroups(NamedTuple):
    """Groups of the people to be scored, and where they came from."""

    features: Any
    names: tuple[str, ...] | None = None
    for_predict: bool = False
    columns: bool = False

    def is_same_as(self, other: "PassedGroups") -> bool:
        """Return whether these are the groups of the other, too."""
        named = self.names is not None and self.names == other.names
        return named or self.features is other.features

    def to_array(self) -> Any:
        """Return them as other libraries take groups: a column by itself, several as a frame."""
        if not isinstance(self.features, dict):
            return self.features
        columns = {name: np.asarray(column) for name, column in self.features.items()}
        frame = pd.DataFrame(columns)
        return frame.iloc[:, 0] if len(columns) == 1 else frame


class ModelGroups(NamedTuple):
    """Groups that an estimator was fitted on."""

    keys: tuple[Hashable, ...]
    privileged: tuple[Hashable, ...] = ()


class Predictions:
    """An estimator whose predictions on one X are made once, with the groups handed on.

    It stands in for the estimator where scikit-learn's own scorers ask for predictions; with
    two `labels`, an unfavorable and a favorable one, it speaks of them as 0 and 1.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        groups: PassedGroups,
        labels: tuple[Any, Any] | None = None,
        answers: dict[str, Any] | None = None,
    ) -> None:
        self._estimator, self._X, self._groups, self._labels = estimator, X, groups, labels
        self._answers = {} if answers is None else answers

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__sklearn_tags__":
            raise AttributeError(name)
        found = getattr(self._estimator, name)
        if name == "classes_" and self._labels is not None:
            return np.array([0, 1])
        if name not in _RESPONSES:
            return found

        def ask_once(X: Any) -> Any:
            return self.answer(name) if X is self._X else found(X)

        ask_once.__name__ = name  # scikit-learn finds a response method by its name
        return ask_once

    def can_serve(self, groups: PassedGroups) -> bool:
        """Return whether these predictions are those with the groups, too."""
        return groups.is_same_as(self._groups) or not _must_pass_groups(self.decider, "predict")

    def pass_groups(self, groups: PassedGroups) -> "Predictions":
        """Return the predictions of the same estimator for the same X with other groups."""
        return Predictions(self._estimator, self._X, groups)

    def translate(self, labels: tuple[Any, Any]) -> "Predictions":
        """Return the same predictions with the labels as 0 and 1, 1 favorable."""
        return Predictions(self._estimator, self._X, self._groups, labels, self._answers)

    @property
    def decider(self) -> Any:
        """What gives the labels in the end: the last step, the best of a search."""
        return _find_decider(self._estimator)

    def answer(self, method: str) -> Any:
        """Return what a method gives for X.

        Corrected labels are those of `predict_outcomes`, where there is one: a rule that
        draws by chance gives the same labels to all scorers then.
        """
        if method == "predict" and hasattr(self.decider, "predict_outcomes"):
            values = self.answer("predict_outcomes").y_corrected
        else:
            if method not in self._answers:
                self._answers[method] = _ask(self._estimator, method, self._X, self._groups)
            values = self._answers[method]
        if self._labels is None or method == "predict_outcomes":
            return values
        if method == "predict":
            return encode_pair(values, self._labels)
        values = np.asarray(values)
        if np.asarray(self._estimator.classes_).tolist()[-1] == self._labels[1]:
            return values
        return values[:, ::-1] if method == "predict_proba" else -values

    def choose_favorable(self, pos_label: Any) -> Any:
        """Return the favorable label: the given one, or else the estimator's own."""
        labels = getattr(self.decider, "labels_", None)
        groups = getattr(self.decider, "groups_", None)
        if not isinstance(labels, tuple) or groups is None:
            return pos_label
        told = self.decider.pos_label is not None
        if pos_label is None:
            return labels[1] if told else None
        if pos_label != labels[1] and (told or groups != ("all",)):
            raise ValueError(
                f"pos_label must be the estimator's favorable label {labels[1]!r}, "
                f"got {pos_label!r}."
            )
        return pos_label

    def score_favorable(self, pos_label: Any) -> np.ndarray:
        """Return the probability, or decision value, of the favorable label."""
        method = next((name for name in _RESPONSES[1:] if hasattr(self, name)), None)
        if method is None:
            raise TypeError(
                "Score measures need an estimator with predict_proba or decision_function, "
                f"got {type(self.decider).__name__}."
            )
        classes = np.asarray(self.classes_).tolist()
        favorable = resolve_labels({"y": classes}, pos_label)[1]
        values = np.asarray(self.answer(method))
        if method == "predict_proba":
            return values[:, classes.index(favorable)]
        return values if favorable == classes[-1] else -values

    def find_model_groups(
        self, groups: PassedGroups, found: Collection[Hashable]
    ) -> ModelGroups | None:
        """Return the groups that the estimator was fitted on, where they are those scored."""
        known = getattr(self.decider, "groups_", None)
        places = self._find_places(groups)
        if not isinstance(known, tuple) or known == ("all",) or places is None:
            return None
        privileged = getattr(self.decider, "privileged_", None) or ()
        own = ModelGroups(_reorder(known, places), _reorder(privileged, places))
        # After other steps of a pipeline the groups may have other keys.
        direct = self.decider is getattr(self._estimator, "best_estimator_", self._estimator)
        return own if direct or set(own.keys) & set(found) else None

    def _find_places(self, groups: PassedGroups) -> list[int] | None:
        """Where the features scored are among the estimator's own, None where they are others."""
        own = getattr(self.decider, "sensitive_features", None)
        if own is None:
            same = _must_pass_groups(self.decider, "predict") and groups.is_same_as(self._groups)
            return [] if same else None
        listed = gather_names(own)
        names = groups.names or ()
        if len(listed) != len(names) or set(listed) != set(names):
            return None
        return [listed.index(name) for name in names]


def _reorder(keys: tuple[Any, ...], places: Sequence[int]) -> tuple[Hashable, ...]:
    """Keys of several features with the features in another order."""
    if len(places) < 2:
        return keys
    return tuple(tuple(key[i] for i in places) for key in keys)


def _find_decider(estimator: Any) -> Any:
    estimator = getattr(estimator, "best_estimator_", estimator)
    steps = getattr(estimator, "steps", None)
    if not steps or steps[-1][1] == "passthrough":
        return estimator
    return _find_decider(steps[-1][1])


@lru_cache(maxsize=64)
def _has_groups_parameter(function: Callable[..., Any]) -> bool:
    """Whether a function has a parameter for the groups; reading a signature takes long."""
    return "sensitive_features" in inspect.signature(function).parameters


def _must_pass_groups(decider: Any, method: str) -> bool:
    """Whether a method has to be given the groups."""
    if getattr(decider, "sensitive_features", None) is not None:
        return False  # it takes them from columns of X itself
    called = getattr(decider, method, None)
    return called is not None and _has_groups_parameter(getattr(called, "__func__", called))


def find_alias(consumer: Any, method: str, name: str = "sensitive_features") -> str | None:
    """Return the name under which a method asks for metadata, None where it does not."""
    if not get_config()["enable_metadata_routing"]:
        return None
    request: Any = get_routing_for_object(consumer)
    if isinstance(request, MetadataRouter):  # its own requests are listed beside its children's
        request = next((pair.router for key, pair in request if key == "$self_request"), None)
    asked = getattr(request, method, None)
    alias = None if asked is None else asked.requests.get(name)
    return name if alias is True else alias or None


def _check_name(decider: Any, groups: PassedGroups) -> str | None:
    """Return the name under which to hand the groups on, which must be the estimator's own."""
    asked = find_alias(decider, "predict")
    known_as = asked or find_alias(decider, "fit")
    if groups.for_predict or groups.names is None or groups.names == (known_as,):
        return asked
    if known_as is not None:
        raise ValueError(
            "predict_sensitive_features must be given where a scorer's groups "
            f"{list(groups.names)} are not those under the name {known_as!r} that the estimator "
            "asks for, got None."
        )
    # An estimator that knows its groups by name compares the names itself.
    if groups.columns and getattr(decider, "sensitive_feature_names_", None) is None:
        raise ValueError(
            f"predict_sensitive_features must name the columns of X that {type(decider).__name__} "
            "needs to predict, which may be those of sensitive_features: it does not tell which "
            "groups it was fitted on. Got None."
        )
    return asked


def _ask(estimator: Any, method: str, X: Any, groups: PassedGroups) -> Any:
    estimator = getattr(estimator, "best_estimator_", estimator)
    decider = _find_decider(estimator)
    if method == "predict_outcomes" and not hasattr(decider, method):
        raise TypeError(
            "Flip measures need an estimator with predict_outcomes, such as "
            f"CorrectedClassifier, got {type(decider).__name__}."
        )
    # a pipeline has no such method, and its last step does
    if method == "predict_outcomes" and estimator is not decider:
        before = estimator[:-1]
        return _ask(estimator[-1], method, before.transform(X) if len(before) else X, groups)
    called = getattr(estimator, method)
    if not _must_pass_groups(decider, method):
        return called(X)
    asked = _check_name(decider, groups)
    if estimator is decider or not get_config()["enable_metadata_routing"]:
        return called(X, sensitive_features=groups.to_array())
    # With routing on, a pipeline refuses what its last step did not ask for.
    return called(X) if asked is None else called(X, **{asked: groups.to_array()})


def encode_pair(labels: Any, meaning: Sequence[Any]) -> np.ndarray:
    """Return labels as 0 and 1, 1 favorable."""
    favorable: np.ndarray = np.asarray(labels) == meaning[1]
    return favorable.astype(np.int8)
