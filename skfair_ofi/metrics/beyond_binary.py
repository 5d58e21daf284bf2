"""The Objective Fairness Index beyond two labels: ordered labels, numbers and rankings.

Each index compares what people were given with what they had coming: the benefit of the predicted
label with that of the true one, a predicted number with the true one, the exposure in a ranking
with merit. The differences are counted as scores of an ``OutcomeCounts``, and an index is a gap of
their means. They are not entered into ``METRICS``: a mapping of labels, a scale or a discount is
part of their definition, and no table of two labels can give it.

>>> grades = {"fail": 0.0, "pass": 0.5, "honors": 1.0}
>>> benefit_index(
...     ["pass", "pass", "fail", "honors"],
...     ["honors", "pass", "fail", "pass"],
...     sensitive_features=["a", "a", "b", "b"],
...     benefit=grades,
...     privileged="b",
... )
0.5
"""

from collections.abc import Mapping
from math import isnan, nan
from numbers import Real
from sys import float_info
from typing import Any, Literal, NamedTuple

import numpy as np

from skfair_ofi._validation import check_choice, check_lengths, warn_undefined
from skfair_ofi.counts import OutcomeCounts, check_labels, check_weights, encode, read_floats

from ._registry import METRICS, Contrast

__all__ = [
    "benefit_flip_counts",
    "benefit_index",
    "ranking_fairness_index",
    "regression_fairness_index",
]

Benefit = Mapping[Any, float]
Scale = float | Literal["std", "range"] | None
Discount = int | Literal["log2", "reciprocal"]
Per = Literal["group", "person"]

_LARGEST = float_info.max
# Squares of larger differences, added up over people, are more than a float can hold
_WIDEST = 1e150

# Why an index is undefined whatever the groups
NO_SPREAD, NO_MERIT = "the true values do not vary", "no one has merit"


def _is_finite(value: Any) -> bool:
    """Also of integers that no float can hold, which are not."""
    return isinstance(value, Real) and bool(abs(value) <= _LARGEST)  # type: ignore[operator]


def _check_benefit(benefit: Any) -> None:
    if not isinstance(benefit, Mapping) or not benefit:
        raise ValueError(f"benefit must map labels to numbers, got {benefit!r}.")
    for label, value in benefit.items():
        if not _is_finite(value):
            raise ValueError(f"benefit must hold finite numbers, got {value!r} for {label!r}.")
    low, high = min(benefit.values()), max(benefit.values())
    if float(high) - float(low) > _WIDEST:
        raise ValueError(f"benefit must span at most {_WIDEST:g}, got {low!r} and {high!r}.")


def benefits_of(labels: Any, name: str, benefit: Benefit) -> np.ndarray:
    """Return the benefit of each row's label."""
    column = check_labels(encode(labels, name), name)
    # Keys that no row holds may be listed, too
    held, places = np.unique(column.codes, return_inverse=True)
    keys = [column.keys[code - column.low] for code in held.tolist()]
    if None in keys:
        raise ValueError(f"{name} must not contain missing labels, got some.")
    unknown = [key for key in keys if key not in benefit]
    if unknown:
        raise ValueError(f"benefit must have a value for every label, got none for {unknown[0]!r}.")
    return np.array([float(benefit[key]) for key in keys])[places]


def gained(given: np.ndarray, due: np.ndarray, names: tuple[str, str]) -> np.ndarray:
    """Return what each person was given beyond what was due."""
    check_lengths(**{names[1]: len(due), names[0]: len(given)})
    difference: np.ndarray = given - due
    return difference


def benefit_table(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, benefit: Benefit, sample_weight: Any
) -> OutcomeCounts:
    """Return the table whose scores are what predictions gave beyond the labels."""
    _check_benefit(benefit)
    pred, true = benefits_of(y_pred, "y_pred", benefit), benefits_of(y_true, "y_true", benefit)
    return OutcomeCounts.from_arrays(
        y_score=gained(pred, true, ("y_pred", "y_true")),
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
    )


def _scale_of(true: np.ndarray, weight: np.ndarray | None, scale: Scale) -> float:
    """What errors are divided by; NaN where true values do not vary."""
    if scale is None:
        return 1.0
    if isinstance(scale, str):
        check_choice("scale", scale, ("std", "range"))
        held = true if weight is None else true[weight > 0]
        spread = np.ptp(held) if len(held) else 0.0
        if scale == "std" and spread > 0:
            mean = np.average(true, weights=weight)
            spread = np.sqrt(np.average((true - mean) ** 2, weights=weight))
        return float(spread) if spread > 0 else nan
    if not _is_finite(scale) or scale <= 0:
        raise ValueError(f"scale must be positive, 'std', 'range' or None, got {scale!r}.")
    return float(scale)


def regression_table(
    y_true: Any, y_pred: Any, *, sensitive_features: Any, scale: Scale, sample_weight: Any
) -> OutcomeCounts | None:
    """Return the table whose scores are scaled errors, or None where there is no scale."""
    true, pred = read_floats(y_true, "y_true"), read_floats(y_pred, "y_pred")
    errors = gained(pred, true, ("y_pred", "y_true"))
    weight = None if sample_weight is None else check_weights(sample_weight)
    check_lengths(y_true=len(true), sample_weight=None if weight is None else len(weight))
    divisor = _scale_of(true, weight, scale)
    # Counted before the scale is looked at, so that wrong groups are refused in any case
    table = OutcomeCounts.from_arrays(
        y_score=errors / (1.0 if isnan(divisor) else divisor),
        sensitive_features=sensitive_features,
        sample_weight=weight,
    )
    return None if isnan(divisor) else table


def discounts(discount: Discount, n: int) -> np.ndarray:
    """Return the exposure of each rank, the first first."""
    ranks = np.arange(1, n + 1)
    if isinstance(discount, int | np.integer) and type(discount) is not bool and discount > 0:
        return np.asarray(ranks <= discount, dtype=np.float64)
    if discount == "log2":
        return np.asarray(1 / np.log2(1 + ranks))
    if discount == "reciprocal":
        return np.asarray(1 / ranks)
    raise ValueError(
        f"discount must be 'log2', 'reciprocal' or a positive integer, got {discount!r}."
    )


class Ranking(NamedTuple):
    """People of a ranking, with merit and exposure; people of one score share theirs."""

    merit: np.ndarray
    places: np.ndarray  # of each person's score among the different scores, the highest first
    exposure: np.ndarray


def ranking_of(y_true: Any, y_score: Any, discount: Discount) -> Ranking:
    """Return merit and exposure of each person."""
    merit, score = read_floats(y_true, "y_true"), read_floats(y_score, "y_score")
    check_lengths(y_true=len(merit), y_score=len(score))
    if not len(merit):
        raise ValueError("y_true must have at least one row, got none.")
    if merit.min() < 0:
        raise ValueError(f"y_true must not be negative, got {merit.min()}.")
    _, places, sizes = np.unique(-score, return_inverse=True, return_counts=True)
    first = np.append(0, np.cumsum(sizes)[:-1])
    shared = np.add.reduceat(discounts(discount, len(score)), first) / sizes
    return Ranking(merit, places, shared[places])


def ranking_table(ranking: Ranking, sensitive_features: Any) -> OutcomeCounts | None:
    """Return the table whose scores are exposure, in the unit of merit, beyond merit."""
    merit, _, exposure = ranking
    total = merit.sum()
    table = OutcomeCounts.from_arrays(
        y_score=exposure * total / exposure.sum() - merit, sensitive_features=sensitive_features
    )
    return table if total > 0 else None


def _warned(name: str, reason: str | None) -> float:
    warn_undefined(f"{name} is undefined: {reason}.", stacklevel=3)
    return nan


def gap_of_means(table: OutcomeCounts, privileged: Any) -> tuple[float, str | None]:
    """Return the gap of mean scores, and why it is undefined."""
    metric = METRICS["mean_difference"]
    value = metric.of(table, privileged=privileged)
    return value, metric.reason(table, privileged=privileged) if isnan(value) else None


def gap_of_rankings(
    table: OutcomeCounts, merit: float, per: Per, privileged: Any
) -> tuple[float, str | None]:
    """Return the gap of a ranking's shares, or of its means, and why it is undefined."""
    value, reason = gap_of_means(table, privileged)
    if per == "person" or reason is not None:
        return value, reason
    contrast = Contrast(table, privileged)
    shares = np.asarray(contrast.counts.score_sums).ravel() / merit
    return float(shares[0] - shares[1] if contrast.signed else np.ptp(shares)), None


def benefit_index(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    benefit: Benefit,
    privileged: Any = None,
    sample_weight: Any = None,
) -> float:
    """Difference between groups of the mean benefit that predictions give beyond the labels.

    It is the Objective Fairness Index for any number of labels. It lies within twice the range of
    the benefits, [-2, 2] for benefits from 0 to 1, and its ideal is 0. Errors in favor and
    against cancel, so it can be 0 while every prediction is wrong.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    benefit : mapping of label to float
        What each label is worth to the person who gets it, higher for more favorable.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None takes the largest gap.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    float
        The index, in the unit of the benefits; NaN where it is undefined.

    Raises
    ------
    ValueError
        If lengths differ, a value is missing, a label has no finite benefit, or a privileged
        group is not in the data.

    Warns
    -----
    UndefinedMetricWarning
        If there is only one group with people.

    Notes
    -----
    E[benefit(y_pred) - benefit(y_true)] of one group minus that of the other. With the benefits
    ``{0: 0, 1: 1}`` it is ``objective_fairness_index`` (Briscoe2025, eq. 5, whose outlook asks for
    more than two labels). A constant added to all benefits changes nothing; a factor multiplies
    the index. ``skfair_ofi.inference.beyond_binary.benefit_interval`` gives its interval.

    Examples
    --------
    >>> benefit_index(
    ...     [0, 1, 2, 2],
    ...     [1, 1, 2, 0],
    ...     sensitive_features=["a", "a", "b", "b"],
    ...     benefit={0: 0, 1: 1, 2: 3},
    ... )
    2.0
    """
    table = benefit_table(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        benefit=benefit,
        sample_weight=sample_weight,
    )
    value, reason = gap_of_means(table, privileged)
    return _warned("benefit_index", reason) if isnan(value) else value


def regression_fairness_index(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    scale: Scale = None,
    privileged: Any = None,
    sample_weight: Any = None,
) -> float:
    """Difference between groups of the mean signed error of predicted numbers.

    It has the unit of the numbers, or of the scale, and no limits of its own; its ideal is 0.
    Errors up and down cancel, so it can be 0 while every prediction is far off.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True numbers, higher for more favorable.
    y_pred : array-like of shape (n_samples,)
        Predicted numbers.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    scale : float, {"std", "range"} or None, default=None
        What errors are divided by: a number, the standard deviation or the range of all true
        numbers, or nothing. With "range", and predictions within it, the index lies in [-2, 2].
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None takes the largest gap.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    float
        The index; NaN where it is undefined.

    Raises
    ------
    ValueError
        If lengths differ, a number is missing or infinite, the scale is none of these, or a
        privileged group is not in the data.

    Warns
    -----
    UndefinedMetricWarning
        If there is only one group with people, or the true numbers that the scale is taken of do
        not vary.

    Notes
    -----
    E[(y_pred - y_true) / scale] of one group minus that of the other. Of numbers 0 and 1 it is
    ``objective_fairness_index`` (Briscoe2025, eq. 5).
    ``skfair_ofi.inference.beyond_binary.regression_interval`` gives its interval.

    Examples
    --------
    >>> regression_fairness_index(
    ...     [10, 20, 30, 50],
    ...     [14, 20, 30, 40],
    ...     sensitive_features=["a", "a", "b", "b"],
    ...     privileged="b",
    ... )
    7.0
    """
    table = regression_table(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        scale=scale,
        sample_weight=sample_weight,
    )
    if table is None:
        return _warned("regression_fairness_index", NO_SPREAD)
    value, reason = gap_of_means(table, privileged)
    return _warned("regression_fairness_index", reason) if isnan(value) else value


def ranking_fairness_index(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    discount: Discount = "log2",
    per: Per = "group",
    privileged: Any = None,
) -> float:
    """Difference between groups of the share of exposure minus the share of merit.

    It lies in [-2, 2] with the ideal 0; 2 is the limit where all exposure goes to one group
    and all merit is in the other. Within a group exposure may go to the wrong people.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Merit of each person, not negative; 0 and 1 for who is qualified.
    y_score : array-like of shape (n_samples,)
        What people are ranked by, the highest first; of finished ranks, minus the rank.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    discount : {"log2", "reciprocal"} or int, default="log2"
        Exposure of rank r: 1 / log2(1 + r), 1 / r, or, for an integer k, 1 down to rank k and
        0 below. People of one score share the exposure of their ranks.
    per : {"group", "person"}, default="group"
        "person" gives the difference in each group's mean instead, with exposure scaled to the
        total of merit, so that it has the unit of merit.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None takes the largest gap.

    Returns
    -------
    float
        The index; NaN where it is undefined.

    Raises
    ------
    ValueError
        If lengths differ, no one is ranked, a number is missing or infinite, a merit is negative,
        the discount or ``per`` is none of these, or a privileged group is not in the data.

    Warns
    -----
    UndefinedMetricWarning
        If there is only one group, or no one has merit.

    Notes
    -----
    With exposure e and merit m of people i, a group's value is the sum of
    e_i / sum(e) - m_i / sum(m) over its people; per person, that times sum(m) / n of the group.
    Who is qualified, with as many selected (``discount=sum(y_true)``), is the case of two labels:
    per person, the index is then ``objective_fairness_index`` (Briscoe2025, eq. 5).
    ``skfair_ofi.inference.beyond_binary.ranking_interval`` gives its interval.

    There are no weights. A person takes one rank; one who stands for w would take w of them, in
    a longer list where all others rank and are exposed differently, and for a w that is not whole
    there is no such list. Of whole ones, repeat the rows: copies share the exposure of their ranks.

    Examples
    --------
    >>> index = ranking_fairness_index(
    ...     [1, 1, 1, 1],
    ...     [4, 3, 2, 1],
    ...     sensitive_features=["a", "a", "b", "b"],
    ...     discount="reciprocal",
    ...     privileged="b",
    ... )
    >>> round(index, 6)
    0.44
    """
    check_choice("per", per, ("group", "person"))
    ranking = ranking_of(y_true, y_score, discount)
    table = ranking_table(ranking, sensitive_features)
    if table is None:
        return _warned("ranking_fairness_index", NO_MERIT)
    value, reason = gap_of_rankings(table, ranking.merit.sum(), per, privileged)
    return _warned("ranking_fairness_index", reason) if isnan(value) else value


def benefit_flip_counts(
    y_pred: Any,
    y_corrected: Any,
    *,
    sensitive_features: Any,
    benefit: Benefit,
    sample_weight: Any = None,
) -> OutcomeCounts:
    """Table of flips between any number of labels, favorable where the benefit rises.

    Every flip measure, interval and test of flips reads it. Other measures mean nothing on it.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    y_corrected : array-like of shape (n_samples,)
        Corrected labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    benefit : mapping of label to float
        What each label is worth to the person who gets it, higher for more favorable.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    OutcomeCounts
        People by group: 0 then 1 where the benefit rose, 1 then 0 where it fell; the others, whose
        label may have changed to one of the same benefit, keep 1 where they have the largest
        benefit of the mapping, else 0.

    Raises
    ------
    ValueError
        If lengths differ, a value is missing, or a label has no finite benefit.

    Notes
    -----
    By how much a benefit rises does not count. Of two labels the table is that of
    ``OutcomeCounts.from_arrays`` with the labels 0 and 1, so all flip measures (Suarez2025) are
    those of two labels.

    Examples
    --------
    >>> from skfair_ofi.metrics import by_group
    >>> flips = benefit_flip_counts(
    ...     ["low", "mid", "high", "high"],
    ...     ["mid", "mid", "mid", "low"],
    ...     sensitive_features=["a", "a", "b", "b"],
    ...     benefit={"low": 0, "mid": 1, "high": 2},
    ... )
    >>> by_group(flips, ["flip_rate", "favorable_flip_rate", "harmful_flip_proportion"])
       flip_rate  favorable_flip_rate  harmful_flip_proportion
    a        0.5                  0.5                      0.0
    b        1.0                  0.0                      1.0
    """
    _check_benefit(benefit)
    before = benefits_of(y_pred, "y_pred", benefit)
    after = benefits_of(y_corrected, "y_corrected", benefit)
    change = gained(after, before, ("y_corrected", "y_pred"))
    top = (change == 0) & (before == max(benefit.values()))
    return OutcomeCounts.from_arrays(
        None,
        (top | (change < 0)).astype(np.int8),
        (top | (change > 0)).astype(np.int8),
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=1,
    )
