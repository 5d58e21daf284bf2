"""The base estimator inside a corrected classifier: which one, how it is fitted and asked."""

import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter, validate_data

from skfair_ofi._validation import ColumnNames
from skfair_ofi.counts import drop_columns, select_columns

from ._corrector import Corrector, Response
from ._labels import encode_labels
from ._score_classifier import ScoreClassifier

_ASKED = ("predict", "predict_proba", "decision_function")
# Metadata by the method that takes it: those of the estimator, and a splitter's "split".
Params = Mapping[str, Mapping[str, Any]]
_NOTHING: Params = {"fit": {}, **dict.fromkeys(_ASKED, MappingProxyType({})), "split": {}}


def choose_estimator(estimator: Any, corrector: Corrector) -> Any:
    """Return the base estimator: the given one, the corrector's own, or a default."""
    own = corrector.base_estimator
    if estimator is not None and own is not None:
        raise ValueError(
            f"estimator must be None where corrector has an estimator of its own, "
            f"got {estimator!r} and {own!r}."
        )
    if own is not None:
        return own
    if estimator is not None:
        return estimator
    # sklearn.linear_model loads rich, and importing this package must not.
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    return LogisticRegression()


def is_frozen(estimator: Any) -> bool:
    """Return whether an estimator is fitted already, so that `fit` changes nothing."""
    steps = getattr(estimator, "steps", None)
    return (
        is_frozen(steps[-1][1])
        if steps
        else isinstance(estimator, FrozenEstimator | ScoreClassifier)
    )


def check_features(classifier: Any, X: Any, *, reset: bool) -> None:
    """Learn, or compare, number and names of features, without converting them."""
    if getattr(X, "ndim", 2) == 1:
        raise ValueError(
            f"X must have two dimensions, got one, of {len(X)} values. Reshape your data: "
            "X.reshape(1, -1) is one person, X.reshape(-1, 1) one feature."
        )
    validate_data(classifier, X, reset=reset, skip_check_array=True)


def find_traits(estimator: Any, corrector: Corrector) -> tuple[Any, bool]:
    """Return the tags of the parts: what goes in, and whether anything is random."""
    tags = get_tags(estimator)
    # The draws of a randomized rule belong to places in the input, not to people.
    return tags.input_tags, corrector.randomized or tags.non_deterministic


def separate_groups(
    X: Any, names: ColumnNames | None, sensitive_features: Any, *, drop: bool
) -> tuple[Any, Any]:
    """Return the sensitive features, and X as the base estimator gets it.

    Groups that are passed take the place of columns, which are dropped all the same.
    """
    if names is None and drop:
        raise ValueError(
            "sensitive_features must name columns of X for drop_sensitive_features, got None."
        )
    if names is None or (sensitive_features is not None and not drop):
        return sensitive_features, X
    columns = select_columns(X, names)
    inner = drop_columns(X, list(columns)) if drop else X
    return (columns if sensitive_features is None else sensitive_features), inner


def make_router(owner: Any, estimator: Any, splitter: Any = None) -> MetadataRouter:
    """Return how metadata reaches the base estimator, and what splits people into folds."""
    routes = MethodMapping().add(caller="fit", callee="fit")
    for callee in _ASKED:
        for caller in ("fit", "predict", "score"):
            routes.add(caller=caller, callee=callee)
    return (
        MetadataRouter(owner=owner)
        .add_self_request(owner)
        .add(estimator=estimator, method_mapping=routes)
        .add(splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split"))
    )


def route_metadata(owner: Any, method: str, params: Mapping[str, Any], **own: Any) -> Params:
    """Return the metadata for each method of the base estimator, and for `split`."""
    if not get_config()["enable_metadata_routing"]:
        if params:
            raise ValueError(
                f"{method} takes only sensitive_features and sample_weight while scikit-learn's "
                f"metadata routing is off, got {sorted(params)}."
            )
        return _NOTHING
    given = {name: value for name, value in own.items() if value is not None}
    routed = process_routing(owner, method, **params, **given)
    splits = routed["splitter"]["split"] if method == "fit" else {}
    return {**routed["estimator"], "split": splits}


def fit_estimator(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    params: Params,
    sample_weight: np.ndarray | None,
    *,
    quiet: bool = False,
) -> Any:
    """Return a fitted clone; weights reach it, or a warning says that they do not."""
    given = dict(params["fit"])
    # With metadata routing on, the user has said what the estimator gets.
    if sample_weight is not None and not get_config()["enable_metadata_routing"]:
        if has_fit_parameter(estimator, "sample_weight"):
            given["sample_weight"] = sample_weight
        elif not quiet and not isinstance(estimator, FrozenEstimator):
            warnings.warn(
                f"{type(estimator).__name__} does not take sample weights: it is fitted without "
                "them. If it hands them on, enable scikit-learn's metadata routing.",
                UserWarning,
                stacklevel=3,
            )
    return clone(estimator).fit(X, y, **given)


def ask_estimator(estimator: Any, X: Any, labels: tuple[Any, Any], params: Params) -> Response:
    """Return what a fitted estimator says about people, scores only when needed."""

    def find_favorable() -> int:
        columns = np.flatnonzero(np.asarray(estimator.classes_) == labels[1])
        if not len(columns):
            raise ValueError(
                f"estimator must know the favorable label {labels[1]!r}, "
                f"got classes {list(estimator.classes_)}."
            )
        return int(columns[0])

    def score() -> np.ndarray:
        column = find_favorable()
        both = np.asarray(estimator.predict_proba(X, **params["predict_proba"]))
        if both.shape[1] != 2:  # an estimator that saw one class
            return both[:, column]
        return both if column == 1 else both[:, ::-1]

    def decide() -> np.ndarray:
        values = np.asarray(estimator.decision_function(X, **params["decision_function"]))
        return values if find_favorable() == 1 else -values

    scores = {"predict_proba": score, "decision_function": decide}
    for name in ("predict_proba", "decision_function"):
        if not hasattr(estimator, name):
            del scores[name]
    predicted = encode_labels(estimator.predict(X, **params["predict"]), labels, "y_pred")
    return Response(predicted, scores, source=type(estimator).__name__, labels=labels)
