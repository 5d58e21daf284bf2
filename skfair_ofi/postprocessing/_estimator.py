"""The base estimator inside a corrected classifier: which one, how it is fitted and asked."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import has_fit_parameter, validate_data

from ._corrector import Corrector, Response
from ._labels import encode_labels

_ASKED = ("predict", "predict_proba", "decision_function")
# Metadata by the method that takes it: those of the estimator, and a splitter's "split".
Params = Mapping[str, Mapping[str, Any]]


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
    return is_frozen(steps[-1][1]) if steps else isinstance(estimator, FrozenEstimator)


def check_features(classifier: Any, X: Any, *, reset: bool) -> None:
    """Learn, or compare, number and names of features, without converting them."""
    if getattr(X, "ndim", 2) == 1:
        raise ValueError(
            f"X must have two dimensions, got one, of {len(X)} values. Reshape your data: "
            "X.reshape(1, -1) is one person, X.reshape(-1, 1) one feature."
        )
    validate_data(classifier, X, reset=reset, skip_check_array=True)


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
        return {name: {} for name in ("fit", *_ASKED, "split")}
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


def _find_favorable(estimator: Any, favorable: Any) -> int:
    columns = np.flatnonzero(np.asarray(estimator.classes_) == favorable)
    if not len(columns):
        raise ValueError(
            f"estimator must know the favorable label {favorable!r}, "
            f"got classes {list(estimator.classes_)}."
        )
    return int(columns[0])


def ask_estimator(estimator: Any, X: Any, labels: tuple[Any, Any], params: Params) -> Response:
    """Return what a fitted estimator says about people, scores only when needed."""

    def probability() -> np.ndarray:
        column = _find_favorable(estimator, labels[1])
        both = np.asarray(estimator.predict_proba(X, **params["predict_proba"]))
        if both.shape[1] != 2:  # an estimator that saw one class
            return both[:, column]
        return both if column == 1 else both[:, ::-1]

    def decision() -> np.ndarray:
        values = np.asarray(estimator.decision_function(X, **params["decision_function"]))
        return values if _find_favorable(estimator, labels[1]) == 1 else -values

    functions = {"predict_proba": probability, "decision_function": decision}
    scores = {name: call for name, call in functions.items() if hasattr(estimator, name)}
    predicted = encode_labels(estimator.predict(X, **params["predict"]), labels, "y_pred")
    return Response(predicted, scores, source=type(estimator).__name__, labels=labels)
