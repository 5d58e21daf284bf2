"""How a comparison puts its rates together, and which groups stand on its two sides."""

from math import inf
from typing import Any, Literal

import numpy as np

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, Metric
from skfair_ofi.metrics._comparisons import Contrast

Form = Literal["rate", "difference", "larger gap", "ratio", "index", "overall", "relative"]

# What neither the number of rates nor the ideal value tells.
_FORMS: dict[str, Form] = {
    "flip_disparity_index": "index",
    "harmful_flip_disparity_index": "index",
    "flip_rate_disparity": "overall",
    "harmful_flip_disparity": "overall",
    "relative_flip_disparity": "relative",
    "relative_harmful_flip_disparity": "relative",
}


def metric_of(measure: Any, kind: str | None = None) -> Metric:
    """Return the registry's entry of a measure."""
    name = measure if isinstance(measure, str) else getattr(measure, "__name__", repr(measure))
    names = [metric.name for metric in METRICS.values() if kind in (None, metric.kind)]
    return METRICS[check_choice("measure", name, names)]


def check_counts(counts: Any) -> OutcomeCounts:
    """Return a table of counts."""
    if not isinstance(counts, OutcomeCounts):
        raise TypeError(f"counts must be an OutcomeCounts, got {counts!r}.")
    return counts


def form_of(metric: Metric) -> Form:
    """Return how a measure puts its rates together."""
    if metric.kind == "rate":
        return "rate"
    if len(metric.rates) > 1:
        return "larger gap"
    return _FORMS.get(metric.name, "ratio" if metric.ideal == 1 else "difference")


def is_signed(metric: Metric, contrast: Contrast) -> bool:
    """Return whether a comparison keeps its sign: never of flips, nor of larger gaps."""
    directed = form_of(metric) in ("difference", "ratio") and metric.family != "flip"
    return contrast.signed and directed


def has_roles(metric: Metric, counts: OutcomeCounts) -> bool:
    """Return whether a table counts what a measure needs."""
    scores = () if counts.score_sums is None else ("y_score",)
    return set(metric.roles) <= {*counts.roles, *scores}


def _quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: np.ndarray = numerator / denominator
    return quotient


def _minus(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        difference: np.ndarray = first - second
    return difference


def _overall(low: np.ndarray, high: np.ndarray, all_flips: np.ndarray) -> np.ndarray:
    known = np.where(low == 0, np.where(high > 0, inf, 1.0), _quotient(high - low, all_flips))
    return np.where(np.isnan(low), np.nan, known)


def put_together(
    form: Form,
    rates: list[np.ndarray],
    *,
    signed: bool,
    all_flips: np.ndarray,
) -> np.ndarray:
    """Return a comparison of many tables from their rates, as the registry does of one."""
    if signed:
        first, second = rates[0][..., 0], rates[0][..., 1]
        return _minus(first, second) if form == "difference" else _quotient(first, second)
    gaps = [(values.min(axis=-1), values.max(axis=-1)) for values in rates]
    low, high = gaps[0]
    if form in ("difference", "larger gap"):
        widest: np.ndarray = np.max([_minus(top, bottom) for bottom, top in gaps], axis=0)
        return widest
    if form == "ratio":
        return _quotient(low, high)
    if form == "overall":
        return _overall(low, high, all_flips)
    nothing = (low == 0) & (high == 0)
    if form == "index":
        return np.where(nothing, 1.0, _quotient(high, low))
    return np.where(nothing, 0.0, _quotient(high - low, high + low))
