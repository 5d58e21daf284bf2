"""From a function of the table to a public function of arrays.

Each decorator enters a measure into the registry and returns the public
function: a real one, with its own signature, docstring and name, so that it
pickles and works in ``make_scorer`` and ``MetricFrame``. The parameters' text is
the same for all measures of a kind and is written here once.
"""

import inspect
from collections.abc import Callable
from math import isnan
from typing import Any, Literal, Protocol, TypedDict, Unpack

import numpy as np

from skfair_ofi._validation import check_lengths, warn_undefined
from skfair_ofi.counts import OutcomeCounts, read_booleans, read_floats

from ._comparisons import Number, Share
from ._conditions import among, in_range
from ._docstrings import documented
from ._registry import METRICS, Bands, Metric, register

Convention = Literal["paper", "equation"]


class Measure(Protocol):
    """A public measure; its exact parameters are in its signature."""

    __name__: str

    def __call__(self, *data: Any, **options: Any) -> float:
        """Return the measure of arrays."""


def _published(
    function: Callable[..., float], body: Callable[..., Any], details: dict[str, Any]
) -> Measure:
    """Give a public function its name and text, and enter it into the registry."""
    name, text = body.__name__, inspect.getdoc(body) or ""
    function.__name__ = function.__qualname__ = name
    function.__module__ = body.__module__
    function.__doc__ = documented(function, text)
    summary = " ".join(text.partition("\n\n")[0].split())
    register(Metric(name=name, summary=summary, function=function, **details))
    return function


def _value(name: str, counts: OutcomeCounts, privileged: Any = None, **options: Any) -> float:
    """The measure of a table, with a warning where it is undefined."""
    metric = METRICS[name]
    value = metric.of(counts, privileged=privileged, **options)
    if isnan(value):
        reason = metric.reason(counts, privileged=privileged, **options)
        warn_undefined(f"{name} is undefined: {reason}.", stacklevel=3)
    return value


def _together(**arrays: Any) -> np.ndarray:
    """One group for all rows, for a rate of everyone together."""
    given = {name: values for name, values in arrays.items() if values is not None}
    if not given:
        raise ValueError(f"{' or '.join(arrays)} must be given, got None.")
    name, values = next(iter(given.items()))
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise ValueError(f"{name} must be a one-dimensional array-like, got {values!r}.")
    return np.zeros(len(values), dtype=np.int8)


class RateOptions(TypedDict, total=False):
    """What the registry may be told of a rate."""

    roles: tuple[str, ...]
    bounds: tuple[float, float]
    whole: str
    empty: float
    better: Literal["higher", "lower"]
    source: str


class ComparisonOptions(TypedDict, total=False):
    """What the registry may be told of a comparison."""

    roles: tuple[str, ...]
    rates: tuple[Measure, ...]
    scored: Measure
    ideal: float
    bounds: tuple[float, float]
    bands: Bands | None
    source: str


ShareBody = Callable[[OutcomeCounts], Share]
Body = Callable[..., Number]


def _publish_rate(
    function: Callable[..., float], share: ShareBody, defaults: dict[str, Any], options: RateOptions
) -> Measure:
    details = {"kind": "rate", "ideal": None, "bands": None, "bounds": (0.0, 1.0), "source": ""}
    return _published(function, share, {**details, **defaults, **options, "share": share})


def _publish_comparison(
    function: Callable[..., float], body: Body, defaults: dict[str, Any], options: ComparisonOptions
) -> Measure:
    details = {
        "kind": "comparison",
        "ideal": 0.0,
        "bands": None,
        "bounds": (-1.0, 1.0),
        "source": "",
    }
    details |= {**defaults, **options, "body": body}
    rates = tuple(METRICS[rate.__name__] for rate in options.get("rates", ()))
    details.setdefault("roles", tuple(dict.fromkeys(role for rate in rates for role in rate.roles)))
    if "scored" in options:
        details["scored"] = METRICS[options["scored"].__name__]
    return _published(function, body, {**details, "rates": rates})


def label_rate(*, symbol: str, **options: Unpack[RateOptions]) -> Callable[[ShareBody], Measure]:
    """Publish a share of labels as ``f(y_true, y_pred)``."""

    def decorate(share: ShareBody) -> Measure:
        def rate(
            y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                y_true,
                y_pred,
                sensitive_features=_together(y_pred=y_pred, y_true=y_true),
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(share.__name__, counts)

        return _publish_rate(
            rate,
            share,
            {"family": "label", "symbol": symbol, "roles": ("y_true", "y_pred")},
            options,
        )

    return decorate


def flip_rate_of(*, symbol: str, **options: Unpack[RateOptions]) -> Callable[[ShareBody], Measure]:
    """Publish a share of flips as ``f(y_pred, y_corrected)``."""

    def decorate(share: ShareBody) -> Measure:
        def rate(
            y_pred: Any, y_corrected: Any, *, pos_label: Any = None, sample_weight: Any = None
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                None,
                y_pred,
                y_corrected,
                sensitive_features=_together(y_pred=y_pred),
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(share.__name__, counts)

        return _publish_rate(
            rate,
            share,
            {"family": "flip", "symbol": symbol, "roles": ("y_pred", "y_corrected")},
            options,
        )

    return decorate


def judged_flip_rate(
    *, symbol: str, **options: Unpack[RateOptions]
) -> Callable[[ShareBody], Measure]:
    """Publish a share of flips that the truth judges, as ``f(y_pred, y_corrected, y_true=...)``."""

    def decorate(share: ShareBody) -> Measure:
        def rate(
            y_pred: Any,
            y_corrected: Any,
            *,
            y_true: Any,
            pos_label: Any = None,
            sample_weight: Any = None,
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                y_true,
                y_pred,
                y_corrected,
                sensitive_features=_together(y_pred=y_pred),
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(share.__name__, counts)

        return _publish_rate(
            rate,
            share,
            {"family": "flip", "symbol": symbol, "roles": ("y_true", "y_pred", "y_corrected")},
            options,
        )

    return decorate


def score_rate(*, symbol: str, **options: Unpack[RateOptions]) -> Callable[[ShareBody], Measure]:
    """Publish a mean of scores as ``f(y_true, y_score)``."""

    def decorate(share: ShareBody) -> Measure:
        def rate(
            y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                y_true,
                y_score=y_score,
                sensitive_features=_together(y_score=y_score),
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(share.__name__, counts)

        return _publish_rate(
            rate,
            share,
            {"family": "score", "symbol": symbol, "roles": ("y_true", "y_score")},
            options,
        )

    return decorate


def label_metric(*, symbol: str, **options: Unpack[ComparisonOptions]) -> Callable[[Body], Measure]:
    """Publish a comparison of labels as ``f(y_true, y_pred, sensitive_features=...)``."""

    def decorate(body: Body) -> Measure:
        def comparison(
            y_true: Any,
            y_pred: Any,
            *,
            sensitive_features: Any,
            privileged: Any = None,
            pos_label: Any = None,
            sample_weight: Any = None,
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                y_true,
                y_pred,
                sensitive_features=sensitive_features,
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(body.__name__, counts, privileged)

        return _publish_comparison(comparison, body, {"family": "label", "symbol": symbol}, options)

    return decorate


def scored_label_metric(
    *, symbol: str, **options: Unpack[ComparisonOptions]
) -> Callable[[Body], Measure]:
    """Publish a comparison of labels, or of scores where they are given."""

    def decorate(body: Body) -> Measure:
        def comparison(
            y_true: Any,
            y_pred: Any,
            *,
            sensitive_features: Any,
            y_score: Any = None,
            privileged: Any = None,
            pos_label: Any = None,
            sample_weight: Any = None,
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                y_true,
                y_pred,
                y_score=y_score,
                sensitive_features=sensitive_features,
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(body.__name__, counts, privileged)

        return _publish_comparison(comparison, body, {"family": "label", "symbol": symbol}, options)

    return decorate


def conditional_metric(
    *, symbol: str, **options: Unpack[ComparisonOptions]
) -> Callable[[Body], Measure]:
    """Publish a comparison of labels among the rows where a condition holds."""

    def decorate(body: Body) -> Measure:
        def comparison(
            y_true: Any,
            y_pred: Any,
            *,
            sensitive_features: Any,
            where: Any,
            privileged: Any = None,
            pos_label: Any = None,
            sample_weight: Any = None,
        ) -> float:
            counts = among(
                where,
                y_true=y_true,
                y_pred=y_pred,
                sensitive_features=sensitive_features,
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(body.__name__, counts, privileged)

        return _publish_comparison(comparison, body, {"family": "label", "symbol": symbol}, options)

    return decorate


def flip_metric(*, symbol: str, **options: Unpack[ComparisonOptions]) -> Callable[[Body], Measure]:
    """Publish a comparison of flips as ``f(y_pred, y_corrected, sensitive_features=...)``."""

    def decorate(body: Body) -> Measure:
        def comparison(
            y_pred: Any,
            y_corrected: Any,
            *,
            sensitive_features: Any,
            privileged: Any = None,
            pos_label: Any = None,
            sample_weight: Any = None,
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                None,
                y_pred,
                y_corrected,
                sensitive_features=sensitive_features,
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(body.__name__, counts, privileged)

        return _publish_comparison(comparison, body, {"family": "flip", "symbol": symbol}, options)

    return decorate


def flip_metric_by_convention(
    *, symbol: str, **options: Unpack[ComparisonOptions]
) -> Callable[[Body], Measure]:
    """Publish a comparison of flips whose special cases follow a convention."""

    def decorate(body: Body) -> Measure:
        def comparison(
            y_pred: Any,
            y_corrected: Any,
            *,
            sensitive_features: Any,
            privileged: Any = None,
            convention: Convention = "paper",
            pos_label: Any = None,
            sample_weight: Any = None,
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                None,
                y_pred,
                y_corrected,
                sensitive_features=sensitive_features,
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(body.__name__, counts, privileged, convention=convention)

        return _publish_comparison(comparison, body, {"family": "flip", "symbol": symbol}, options)

    return decorate


def score_metric(*, symbol: str, **options: Unpack[ComparisonOptions]) -> Callable[[Body], Measure]:
    """Publish a comparison of scores as ``f(y_true, y_score, sensitive_features=...)``."""

    def decorate(body: Body) -> Measure:
        def comparison(
            y_true: Any,
            y_score: Any,
            *,
            sensitive_features: Any,
            privileged: Any = None,
            pos_label: Any = None,
            sample_weight: Any = None,
        ) -> float:
            counts = OutcomeCounts.from_arrays(
                y_true,
                y_score=y_score,
                sensitive_features=sensitive_features,
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(body.__name__, counts, privileged)

        return _publish_comparison(comparison, body, {"family": "score", "symbol": symbol}, options)

    return decorate


def calibration_metric(
    *, symbol: str, **options: Unpack[ComparisonOptions]
) -> Callable[[Body], Measure]:
    """Publish a comparison among the people whose score lies in a range."""

    def decorate(body: Body) -> Measure:
        def comparison(
            y_true: Any,
            y_score: Any,
            *,
            sensitive_features: Any,
            score_range: tuple[float, float],
            where: Any = None,
            privileged: Any = None,
            pos_label: Any = None,
            sample_weight: Any = None,
        ) -> float:
            score = read_floats(y_score, "y_score")
            chosen = in_range(score, score_range)
            if where is not None:
                condition = read_booleans(where, "where")
                check_lengths(y_score=len(score), where=len(condition))
                chosen &= condition
            counts = among(
                chosen,
                y_true=y_true,
                y_score=score,
                sensitive_features=sensitive_features,
                pos_label=pos_label,
                sample_weight=sample_weight,
            )
            return _value(body.__name__, counts, privileged)

        return _publish_comparison(comparison, body, {"family": "score", "symbol": symbol}, options)

    return decorate
