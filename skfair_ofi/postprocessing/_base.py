"""The base estimator inside a corrected classifier: which one, how it is fitted and asked."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.validation import has_fit_parameter

from ._correctors import Corrector, Response
from ._people import label_codes

_ASKED = ("predict", "predict_proba", "decision_function")
Params = Mapping[str, Mapping[str, Any]]


def base_estimator(estimator: Any, corrector: Corrector) -> Any:
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


def router(owner: Any, estimator: Any, splitter: Any = None) -> MetadataRouter:
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


def _by_method(routed_params: Any, method: str) -> Params:
    params = dict(routed_params["estimator"])
    return params | ({"split": routed_params["splitter"]["split"]} if method == "fit" else {})


def routed(owner: Any, method: str, params: Mapping[str, Any], **own: Any) -> Params:
    """Return the metadata for each method of the base estimator."""
    if get_config()["enable_metadata_routing"]:
        given = {name: value for name, value in own.items() if value is not None}
        return _by_method(process_routing(owner, method, **params, **given), method)
    if params:
        raise ValueError(
            f"{method} takes only sensitive_features and sample_weight while scikit-learn's "
            f"metadata routing is off, got {sorted(params)}."
        )
    return _by_method(process_routing(owner, method), method)


def fit_base(
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


def _favorable_column(estimator: Any, favorable: Any) -> int:
    columns = np.flatnonzero(np.asarray(estimator.classes_) == favorable)
    if not len(columns):
        raise ValueError(
            f"estimator must know the favorable label {favorable!r}, "
            f"got classes {list(estimator.classes_)}."
        )
    return int(columns[0])


def ask(estimator: Any, X: Any, labels: tuple[Any, Any], params: Params) -> Response:
    """Return what a fitted estimator says about people, scores only when needed."""

    def probability() -> np.ndarray:
        column = _favorable_column(estimator, labels[1])
        both = np.asarray(estimator.predict_proba(X, **params["predict_proba"]))
        if both.shape[1] != 2:  # an estimator that saw one class
            return both[:, column]
        return both if column == 1 else both[:, ::-1]

    def decision() -> np.ndarray:
        values = np.asarray(estimator.decision_function(X, **params["decision_function"]))
        return values if _favorable_column(estimator, labels[1]) == 1 else -values

    functions = {"predict_proba": probability, "decision_function": decision}
    asked = {name: call for name, call in functions.items() if hasattr(estimator, name)}
    predicted = label_codes(estimator.predict(X, **params["predict"]), labels, "y_pred")
    return Response(predicted, asked, source=type(estimator).__name__, labels=labels)
