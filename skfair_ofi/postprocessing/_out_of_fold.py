"""Responses out of fold: what models predict for people whom they were not fitted on."""

from collections.abc import Callable
from typing import Any

import numpy as np

from skfair_ofi.counts import take_rows

from ._corrector import Response
from ._estimator import Params, ask_estimator, fit_estimator, is_frozen


def find_splitter(cv: Any, default: Any, estimator: Any, y: np.ndarray) -> Any:
    """Return a splitter of scikit-learn's, or None where nobody is to be held out.

    `default` is how the wrapped post-processor itself would hold people out.
    """
    # sklearn.model_selection loads rich, and importing this package must not.
    from sklearn.model_selection import check_cv  # noqa: PLC0415

    if cv is not None and is_frozen(estimator):
        raise ValueError(
            "cv must be None where the estimator is fitted already: no fold would be kept "
            f"from it, got {cv!r}."
        )
    cv = default if cv is None else cv
    if cv is None:
        return None
    numbered = isinstance(cv, int | np.integer) and cv > 1
    if isinstance(cv, str) or not (numbered or hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise ValueError(
            "cv must be None, a number of folds from 2, a splitter or splits, "
            f"got {cv!r}. A model that is fitted already goes into a FrozenEstimator."
        )
    return check_cv(cv, y, classifier=True)


def _count_rows(value: Any) -> int:
    """Number of rows, -1 for what has none."""
    shape = getattr(value, "shape", ())
    if shape:
        return int(shape[0])
    return len(value) if isinstance(value, list | tuple) else -1


def _select_rows(params: Params, rows: np.ndarray, n_samples: int) -> Params:
    """Metadata of some rows; what is not one value a row stays as it is."""

    def take_part(value: Any) -> Any:
        first = next(iter(value.values()), None) if isinstance(value, dict) else value
        return take_rows(value, rows) if _count_rows(first) == n_samples else value

    return {
        method: {name: take_part(value) for name, value in given.items()}
        for method, given in params.items()
    }


def _join_responses(parts: list[Response], labels: tuple[Any, Any]) -> Response:
    """Several responses as one, scores still asked for when first needed."""

    def join_scores(method: str) -> Callable[[], np.ndarray]:
        return lambda: np.concatenate([part.given(method) for part in parts])

    return Response(
        np.concatenate([part.predicted for part in parts]),
        {method: join_scores(method) for method in parts[0].methods},
        source=parts[0].source,
        labels=labels,
        folds=np.repeat(np.arange(len(parts)), [len(part) for part in parts]),
    )


def _check_splits(splits: list[tuple[np.ndarray, np.ndarray]], cv: Any) -> np.ndarray:
    """Row numbers of the people held out, who are held out once and of their own fold."""
    if not splits:
        raise ValueError(f"cv must have at least one split, got none from {cv!r}.")
    held_out = np.concatenate([np.asarray(test) for _, test in splits])
    if len(np.unique(held_out)) < len(held_out):
        raise ValueError(f"cv must hold nobody out twice, got {cv!r}.")
    for fold, (train, test) in enumerate(splits):
        both = np.intersect1d(train, test)
        if len(both):
            raise ValueError(
                f"cv must not hold out people whom it trains on, got {len(both)} such rows in "
                f"split {fold}, the first of them {both[0]}."
            )
    return held_out


def respond_out_of_fold(
    estimator: Any,
    X: Any,
    y: np.ndarray,
    cv: Any,
    *,
    labels: tuple[Any, Any],
    params: Params,
    sample_weight: np.ndarray | None,
) -> tuple[np.ndarray, Response]:
    """Return who is held out, in order of folds, and responses of models not fitted on them."""
    given = dict(params)
    splits = list(cv.split(X, y, **given.pop("split", {})))
    rows = _check_splits(splits, cv)
    parts = []
    for train, test in splits:
        weight = None if sample_weight is None else sample_weight[train]
        passed = _select_rows(given, train, len(y))
        fitted = fit_estimator(estimator, take_rows(X, train), y[train], passed, weight, quiet=True)
        passed = _select_rows(given, test, len(y))
        parts.append(ask_estimator(fitted, take_rows(X, test), labels, passed))
    return rows, _join_responses(parts, labels)
