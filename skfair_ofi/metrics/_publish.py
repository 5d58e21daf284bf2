"""From a function of the table to a public function of arrays.

A shape has the parameters of a measure and counts them into the table. The decorators `rate`
and `comparison` enter a measure into the registry and return the public function: a real one
with the shape's signature, its own name and docstring, so that it pickles, works in
``make_scorer`` and ``MetricFrame``, and an editor sees what it takes. The parameters' text is
the same for all measures and is written here once.
"""

import inspect
from collections.abc import Callable
from math import isnan
from types import FunctionType
from typing import Any, Literal, ParamSpec, TypedDict, Unpack

from skfair_ofi._validation import warn_undefined
from skfair_ofi.counts import (
    OutcomeCounts,
)

from ._judge import Bands
from ._registry import Contrast, Family, Form, Metric, Number, Share, find_metric, register
from ._shapes import Counted

P = ParamSpec("P")
_ROLES = ("y_true", "y_pred", "y_corrected", "y_score")

_PARAMETERS = {
    "y_true": "y_true : array-like of shape (n_samples,)\n    True labels.",
    "y_pred": "y_pred : array-like of shape (n_samples,)\n    Predicted labels.",
    "y_corrected": "y_corrected : array-like of shape (n_samples,)\n    Corrected labels.",
    "y_score": "y_score : array-like of shape (n_samples,)\n    Scores, higher for more favorable.",
    "sensitive_features": (
        "sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)\n"
        "    The group of each person; several columns are crossed."
    ),
    "where": (
        "where : array-like of bool of shape (n_samples,)\n"
        "    The rows that the measure is taken among."
    ),
    "score_range": (
        "score_range : tuple of (float, float)\n"
        "    Lowest and highest score of the people compared, both included."
    ),
    "privileged": (
        "privileged : group or collection of groups, default=None\n"
        "    The group, or groups, that everyone else is compared with. None compares\n"
        "    all pairs of groups."
    ),
    "convention": (
        'convention : {"paper", "equation"}, default="paper"\n'
        "    Where rates are 0: the source's table of special cases, or plain arithmetic."
    ),
    "pos_label": (
        "pos_label : object, default=None\n"
        "    The favorable label; not needed for 0/1, False/True and -1/1."
    ),
    "sample_weight": (
        "sample_weight : array-like of shape (n_samples,), default=None\n"
        "    How many people each row stands for."
    ),
}
_OPTIONAL = {
    "where": "where : array-like of bool of shape (n_samples,), default=None\n"
    "    Rows to take the measure among; None takes all.",
    "y_score": "y_score : array-like of shape (n_samples,), default=None\n"
    "    Scores to compare in place of the predicted labels.",
}
_ENDS = """Returns
-------
float
    The measure; NaN where it is undefined.

Raises
------
ValueError
    If lengths differ, a value is missing, there are more than two labels, it is not
    known which one is favorable, or a privileged group is not in the data. Where groups
    are missing, count with ``OutcomeCounts`` and its ``missing_groups`` instead.

Warns
-----
UndefinedMetricWarning
    If the measure is undefined, with the reason."""


class RateOptions(TypedDict, total=False):
    """What the registry may be told of a rate."""

    roles: tuple[str, ...]
    bounds: tuple[float, float]
    parts: tuple[Callable[..., float], ...]
    denominator: str
    empty: float
    better: Literal["higher", "lower"]
    source: str
    infinite_reason: str
    infinite_sentence: str
    equal_sentence: str


class ComparisonOptions(TypedDict, total=False):
    """What the registry may be told of a comparison."""

    scored: Callable[..., float]
    form: Form
    ideal: float
    bounds: tuple[float, float]
    bands: Bands | None
    needs: Literal["where", "score_range"]
    sentence: str
    source: str


def _document(function: Callable[..., Any], text: str) -> str:
    """Return a body's docstring with the shared sections before its Notes."""
    described = []
    for name, parameter in inspect.signature(function).parameters.items():
        optional = name in _OPTIONAL and parameter.default is None
        described.append((_OPTIONAL if optional else _PARAMETERS)[name])
    shared = "Parameters\n----------\n" + "\n".join(described) + "\n\n" + _ENDS
    head, mark, tail = inspect.cleandoc(text).partition("\n\nNotes\n")
    return f"{head}\n\n{shared}{mark}{tail}\n"


def _call_it(shape: Callable[P, Counted], name: str) -> Callable[P, Counted]:
    """Return a shape under a measure's name, which Python puts into errors on its arguments."""
    assert isinstance(shape, FunctionType)  # noqa: S101 - shapes are plain functions
    code = shape.__code__.replace(co_name=name, co_qualname=name)
    copy = FunctionType(code, shape.__globals__, name, shape.__defaults__)
    copy.__kwdefaults__ = shape.__kwdefaults__
    return copy


def _publish(
    shape: Callable[P, Counted], body: Callable[..., Any], details: dict[str, Any]
) -> Callable[P, float]:
    """Enter a measure into the registry and return its public function."""
    name, text = body.__name__, inspect.getdoc(body) or ""
    count = _call_it(shape, name)

    def measure(*arguments: P.args, **options: P.kwargs) -> float:
        counts, privileged, convention = count(*arguments, **options)
        if convention is None:
            value = metric.of(counts, privileged=privileged)
        else:
            value = float(body(Contrast(counts, privileged), convention))
        if isnan(value):
            reason = metric.explain_undefined(counts, privileged)
            warn_undefined(f"{name} is undefined: {reason}.", stacklevel=2)
        return value

    signature = inspect.signature(shape).replace(return_annotation=float)
    measure.__signature__ = signature  # type: ignore[attr-defined]
    measure.__name__ = measure.__qualname__ = name
    measure.__module__ = body.__module__
    measure.__doc__ = _document(measure, text)
    summary = " ".join(text.partition("\n\n")[0].split())
    metric = register(Metric(name=name, summary=summary, function=measure, **details))
    return measure


def _family_of(shape: Callable[..., Any]) -> Family:
    """Tell labels, flips and scores apart by the arrays that a shape takes."""
    arrays = inspect.signature(shape).parameters
    if "y_corrected" in arrays:
        return "flip"
    return "label" if "y_pred" in arrays else "score"


def rate(
    shape: Callable[P, Counted], *, symbol: str, **options: Unpack[RateOptions]
) -> Callable[[Callable[[OutcomeCounts], Share]], Callable[P, float]]:
    """Decorator that publishes a share of each group's people as a measure.

    The decorated function takes the table and returns numerators and denominators, one of each
    a group. ``options`` are fields of `Metric`.

    Parameters
    ----------
    shape : callable
        The arrays that the public function takes, such as `label_arrays`.
    symbol : str
        Its short name.
    **options : object
        Fields of `Metric`.

    Returns
    -------
    callable
        A decorator, which returns the public function of arrays.

    Raises
    ------
    ValueError
        If there is a measure of that name already.

    Examples
    --------
    >>> from skfair_ofi.metrics import METRICS, label_arrays, rate
    >>> @rate(label_arrays, symbol="ER", better="lower")
    ... def error_rate(counts):
    ...     "Share of people whose prediction is not their true label."
    ...     cells = counts.cells.sum(axis=3)
    ...     return cells[:, 0, 1] + cells[:, 1, 0], counts.group_sizes
    >>> error_rate([1, 0, 1, 0], [1, 1, 1, 0])
    0.25
    >>> del METRICS["error_rate"]
    """

    def decorate(share: Callable[[OutcomeCounts], Share]) -> Callable[P, float]:
        arrays = inspect.signature(shape).parameters
        details: dict[str, Any] = {
            "kind": "rate",
            "family": _family_of(shape),
            "symbol": symbol,
            "roles": tuple(role for role in _ROLES if role in arrays),
            "ideal": None,
            "bands": None,
            "bounds": (0.0, 1.0),
            "source": "",
            "share": share,
        }
        parts = tuple(find_metric(part.__name__) for part in options.get("parts", ()))
        return _publish(shape, share, {**details, **options, "parts": parts})

    return decorate


def _form_of(ideal: float, rates: tuple[Metric, ...]) -> Form:
    if len(rates) > 1:
        return "larger gap"
    return "ratio" if ideal == 1 else "difference"


def comparison(
    shape: Callable[P, Counted],
    *,
    symbol: str,
    rates: tuple[Callable[..., float], ...],
    **options: Unpack[ComparisonOptions],
) -> Callable[[Callable[..., Number]], Callable[P, float]]:
    """Decorator that publishes a comparison of rates between groups as a measure.

    The decorated function takes a `Contrast` and returns one number. ``rates`` are the public
    rates that it compares; ``options`` are fields of `Metric`.

    Parameters
    ----------
    shape : callable
        The arrays that the public function takes, such as `labels_by_group`.
    symbol : str
        Its short name.
    rates : tuple of callable
        The public rates that it compares.
    **options : object
        Fields of `Metric`.

    Returns
    -------
    callable
        A decorator, which returns the public function of arrays.

    Raises
    ------
    ValueError
        If there is a measure of that name already.

    Examples
    --------
    >>> from skfair_ofi.metrics import METRICS, comparison, false_negative_rate, labels_by_group
    >>> @comparison(labels_by_group, symbol="FNRD", rates=(false_negative_rate,))
    ... def miss_rate_difference(contrast):
    ...     "Difference between groups of the false negative rate."
    ...     return contrast.difference(METRICS["false_negative_rate"])
    >>> miss_rate_difference([1, 1, 1, 1], [0, 1, 1, 1], sensitive_features=list("aabb"))
    0.5
    >>> del METRICS["miss_rate_difference"]
    """

    def decorate(body: Callable[..., Number]) -> Callable[P, float]:
        compared = tuple(find_metric(rate.__name__) for rate in rates)
        details: dict[str, Any] = {
            "kind": "comparison",
            "family": _family_of(shape),
            "symbol": symbol,
            "roles": tuple(dict.fromkeys(role for rate in compared for role in rate.roles)),
            "ideal": 0.0,
            "bands": None,
            "bounds": (-1.0, 1.0),
            "source": "",
            "form": _form_of(options.get("ideal", 0.0), compared),
        }
        details |= {**options, "rates": compared, "body": body}
        if "scored" in options:
            details["scored"] = find_metric(options["scored"].__name__)
        return _publish(shape, body, details)

    return decorate
