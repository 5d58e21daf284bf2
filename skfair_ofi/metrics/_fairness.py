"""Measures between groups of true and predicted labels, and of scores.

With ``privileged``, a difference is everyone else minus the privileged, and a
ratio everyone else over the privileged. Without, it is the largest gap over all
pairs of groups, or the smallest ratio.
"""

from math import inf, isnan, nan

from ._judge import Bands
from ._publish import comparison
from ._rates import (
    accuracy,
    average_odds,
    base_rate,
    false_positive_rate,
    marginal_benefit,
    mean_score,
    mean_score_negatives,
    mean_score_positives,
    negative_predictive_value,
    positive_predictive_value,
    selection_rate,
    treatment_ratio,
    true_positive_rate,
)
from ._registry import METRICS, Contrast, Number
from ._shapes import (
    chosen_labels_by_group,
    chosen_scores_by_group,
    labels_by_group,
    labels_or_scores_by_group,
    scores_by_group,
)

__all__ = [
    "accuracy_difference",
    "average_odds_difference",
    "calibration_difference",
    "conditional_statistical_parity_difference",
    "conditional_use_accuracy_difference",
    "disparate_impact",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "mean_difference",
    "negative_balance_difference",
    "objective_fairness_index",
    "positive_balance_difference",
    "predictive_equality_difference",
    "predictive_parity_difference",
    "statistical_parity_difference",
    "treatment_equality_difference",
]

_FAI = Bands.within(0.1)
_EPSILON = Bands.within(0.2)


@comparison(
    scores_by_group,
    symbol="PB",
    rates=(mean_score_positives,),
    bounds=(-inf, inf),
    source="Yuan2024",
)
def positive_balance_difference(contrast: Contrast) -> Number:
    """Difference between groups of the mean score of people with a favorable true label.

    Its ideal is 0; it has the unit of the scores, so only a domain can set a bound.

    Notes
    -----
    E[V given Y = 1] of one group minus that of the other.

    Examples
    --------
    >>> positive_balance_difference(
    ...     [1, 1, 1, 1], [2, 4, 5, 7], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    -3.0
    """
    return contrast.difference(METRICS["mean_score_positives"])


@comparison(
    scores_by_group,
    symbol="NB",
    rates=(mean_score_negatives,),
    bounds=(-inf, inf),
    source="Yuan2024",
)
def negative_balance_difference(contrast: Contrast) -> Number:
    """Difference between groups of the mean score of people with an unfavorable true label.

    Its ideal is 0; it has the unit of the scores, so only a domain can set a bound.

    Notes
    -----
    E[V given Y = 0] of one group minus that of the other.

    Examples
    --------
    >>> negative_balance_difference(
    ...     [0, 0, 0, 0], [2, 4, 5, 7], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    -3.0
    """
    return contrast.difference(METRICS["mean_score_negatives"])


@comparison(
    chosen_scores_by_group,
    symbol="CAL",
    rates=(base_rate,),
    bands=_EPSILON,
    source="Yuan2024",
    needs="score_range",
)
def calibration_difference(contrast: Contrast) -> Number:
    """Difference between groups of the base rate, among people whose score lies in a range.

    It lies in [-1, 1] with the ideal 0: the same score means the same for both groups.

    Notes
    -----
    P(Y = 1 given V in v) of one group minus that of the other (equal calibration). A group
    without people in the range makes it undefined. In the registry, it is read off a table
    of those people only.

    Examples
    --------
    >>> calibration_difference(
    ...     [1, 0, 1, 1, 1],
    ...     [5, 6, 1, 5, 7],
    ...     score_range=(5, 7),
    ...     sensitive_features=list("aaabb"),
    ...     privileged="b",
    ... )
    -0.5
    """
    return contrast.difference(METRICS["base_rate"])


@comparison(
    labels_by_group,
    symbol="OFI",
    rates=(marginal_benefit,),
    bounds=(-2.0, 2.0),
    bands=Bands.within(0.3),
    source="Briscoe2025",
)
def objective_fairness_index(contrast: Contrast) -> Number:
    """Difference between groups of the marginal benefit (FP - FN) / n.

    It lies in [-2, 2] with the ideal 0: away from 0 the test itself treats the groups
    differently. It can be 0 while every prediction is wrong, since FP and FN cancel.

    Notes
    -----
    Briscoe2025, eq. 5, doi 10.1145/3627673.3679925. It equals the statistical parity
    difference minus the difference of base rates. The default bound of 0.3 is an upper
    one: tighten it where a test better than random is expected.

    Examples
    --------
    >>> objective_fairness_index(
    ...     [1, 0, 1, 0], [1, 1, 0, 0], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    1.0
    """
    return contrast.difference(METRICS["marginal_benefit"])


@comparison(
    labels_by_group,
    symbol="DI",
    rates=(selection_rate,),
    ideal=1.0,
    bounds=(0.0, inf),
    bands=Bands((0.8, 1.25)),
    source="Briscoe2025, FAI, Yuan2024",
)
def disparate_impact(contrast: Contrast) -> Number:
    """Ratio between groups of the selection rate.

    It is at least 0 with the ideal 1, and infinite where only the privileged are never
    selected; undefined where no one is selected. ``y_true`` is not used and may be None.

    Notes
    -----
    Briscoe2025, eq. 1. The four-fifths rule, 29 CFR 1607.4(D), takes a ratio below 4/5 as
    evidence of adverse impact. Whole counts are compared exactly: 4 of 50 against 5 of 50
    is 0.8 and within the bound.

    Examples
    --------
    >>> disparate_impact(
    ...     None, [1, 0, 0, 1, 1, 0], sensitive_features=list("aaabbb"), privileged="b"
    ... )
    0.5
    """
    return contrast.ratio(METRICS["selection_rate"])


@comparison(
    labels_by_group, symbol="SPD", rates=(selection_rate,), bands=_FAI, source="FAI, Yuan2024"
)
def statistical_parity_difference(contrast: Contrast) -> Number:
    """Difference between groups of the selection rate.

    It lies in [-1, 1] with the ideal 0. ``y_true`` is not used and may be None.

    Notes
    -----
    Also called demographic parity difference.

    Examples
    --------
    >>> statistical_parity_difference(
    ...     None, [1, 0, 1, 1], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    -0.5
    """
    return contrast.difference(METRICS["selection_rate"])


@comparison(labels_by_group, symbol="AOD", rates=(average_odds,), bands=_FAI, source="FAI")
def average_odds_difference(contrast: Contrast) -> Number:
    """Difference between groups of the mean of true and false positive rate.

    It lies in [-1, 1] with the ideal 0.

    Notes
    -----
    ((TPR + FPR) of one group minus that of the other) / 2.

    Examples
    --------
    >>> average_odds_difference(
    ...     [1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    0.5
    """
    return contrast.difference(METRICS["average_odds"])


@comparison(
    labels_by_group, symbol="EOD", rates=(true_positive_rate,), bands=_FAI, source="FAI, Yuan2024"
)
def equal_opportunity_difference(contrast: Contrast) -> Number:
    """Difference between groups of the true positive rate.

    It lies in [-1, 1] with the ideal 0.

    Notes
    -----
    Undefined where a group has no favorable true labels.

    Examples
    --------
    >>> equal_opportunity_difference(
    ...     [1, 1, 1, 1], [1, 0, 1, 1], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    -0.5
    """
    return contrast.difference(METRICS["true_positive_rate"])


@comparison(
    labels_by_group, symbol="PED", rates=(false_positive_rate,), bands=_EPSILON, source="Yuan2024"
)
def predictive_equality_difference(contrast: Contrast) -> Number:
    """Difference between groups of the false positive rate.

    It lies in [-1, 1] with the ideal 0.

    Notes
    -----
    Undefined where a group has no unfavorable true labels.

    Examples
    --------
    >>> predictive_equality_difference(
    ...     [0, 0, 0, 0], [1, 0, 1, 1], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    -0.5
    """
    return contrast.difference(METRICS["false_positive_rate"])


@comparison(
    labels_by_group,
    symbol="EqOdds",
    rates=(true_positive_rate, false_positive_rate),
    bounds=(0.0, 1.0),
    bands=_EPSILON,
    source="Yuan2024",
)
def equalized_odds_difference(contrast: Contrast) -> Number:
    """Larger of the true and the false positive rates' absolute gaps between groups.

    It lies in [0, 1] with the ideal 0.

    Notes
    -----
    Undefined where either gap is.

    Examples
    --------
    >>> equalized_odds_difference(
    ...     [1, 1, 0, 1, 1, 0], [1, 0, 1, 1, 1, 0], sensitive_features=list("aaabbb")
    ... )
    1.0
    """
    return _larger_gap(contrast, "true_positive_rate", "false_positive_rate")


def _larger_gap(contrast: Contrast, *rates: str) -> Number:
    gaps = [contrast.gap(METRICS[rate]) for rate in rates]
    # max() would drop a NaN that stands second
    return nan if any(isnan(gap) for gap in gaps) else max(gaps)


@comparison(labels_by_group, symbol="OAE", rates=(accuracy,), bands=_EPSILON, source="Yuan2024")
def accuracy_difference(contrast: Contrast) -> Number:
    """Difference between groups of the accuracy.

    It lies in [-1, 1] with the ideal 0.

    Notes
    -----
    Called overall accuracy equality in Yuan2024.

    Examples
    --------
    >>> accuracy_difference(
    ...     [1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    -0.5
    """
    return contrast.difference(METRICS["accuracy"])


@comparison(
    labels_or_scores_by_group,
    symbol="MD",
    rates=(selection_rate,),
    scored=mean_score,
    bounds=(-inf, inf),
    bands=_EPSILON,
    source="Yuan2024",
)
def mean_difference(contrast: Contrast) -> Number:
    """Difference between groups of the mean prediction, or of the mean score where given.

    The ideal is 0; of labels it lies in [-1, 1] and is the statistical parity difference.

    Notes
    -----
    E[Y_hat] of one group minus that of the other.

    Examples
    --------
    >>> groups = ["a", "a", "b", "b"]
    >>> mean_difference([1, 0, 1, 0], [1, 0, 1, 1], sensitive_features=groups, privileged="b")
    -0.5
    >>> mean_difference(
    ...     [1, 0, 1, 0],
    ...     [1, 0, 1, 1],
    ...     y_score=[5, 2, 6, 7],
    ...     sensitive_features=groups,
    ...     privileged="b",
    ... )
    -3.0
    """
    (rate,) = METRICS["mean_difference"].compared(contrast.counts)
    return contrast.difference(rate)


@comparison(
    labels_by_group,
    symbol="PPD",
    rates=(positive_predictive_value,),
    bands=_EPSILON,
    source="Yuan2024",
)
def predictive_parity_difference(contrast: Contrast) -> Number:
    """Difference between groups of the positive predictive value.

    It lies in [-1, 1] with the ideal 0.

    Notes
    -----
    Undefined where a group has no favorable predictions.

    Examples
    --------
    >>> predictive_parity_difference(
    ...     [1, 0, 1, 1], [1, 1, 1, 1], sensitive_features=["a", "a", "b", "b"], privileged="b"
    ... )
    -0.5
    """
    return contrast.difference(METRICS["positive_predictive_value"])


@comparison(
    labels_by_group,
    symbol="CUAE",
    rates=(positive_predictive_value, negative_predictive_value),
    bounds=(0.0, 1.0),
    bands=_EPSILON,
    source="Yuan2024",
)
def conditional_use_accuracy_difference(contrast: Contrast) -> Number:
    """Larger of the positive and the negative predictive values' absolute gaps.

    It lies in [0, 1] with the ideal 0.

    Notes
    -----
    Undefined where either gap is.

    Examples
    --------
    >>> conditional_use_accuracy_difference(
    ...     [1, 0, 0, 1, 1, 0], [1, 1, 0, 1, 1, 0], sensitive_features=list("aaabbb")
    ... )
    0.5
    """
    return _larger_gap(contrast, "positive_predictive_value", "negative_predictive_value")


@comparison(
    chosen_labels_by_group,
    symbol="CSPD",
    rates=(selection_rate,),
    bands=_EPSILON,
    source="Yuan2024",
    needs="where",
)
def conditional_statistical_parity_difference(contrast: Contrast) -> Number:
    """Difference between groups of the selection rate, among rows where a condition holds.

    It lies in [-1, 1] with the ideal 0. ``y_true`` is not used and may be None.

    Notes
    -----
    The statistical parity difference among the people with a legitimate reason L to be
    treated alike. A group without such people makes it undefined. In the registry, it is
    read off a table of those people only.

    Examples
    --------
    >>> conditional_statistical_parity_difference(
    ...     None,
    ...     [1, 0, 1, 1],
    ...     where=[True, False, True, True],
    ...     sensitive_features=["a", "a", "b", "b"],
    ... )
    0.0
    """
    return contrast.difference(METRICS["selection_rate"])


@comparison(
    labels_by_group, symbol="TE", rates=(treatment_ratio,), bounds=(-inf, inf), source="Briscoe2025"
)
def treatment_equality_difference(contrast: Contrast) -> Number:
    """Difference between groups of false negatives for each false positive.

    Its ideal is 0 and it has no bounds, nor a default verdict.

    Notes
    -----
    FN/FP of one group minus that of the other. Infinite where one group has false negatives
    and no false positives; undefined where one has no errors, or both are infinite.

    Examples
    --------
    >>> treatment_equality_difference(
    ...     [1, 0, 1, 1, 0], [0, 1, 0, 0, 1], sensitive_features=list("aabbb"), privileged="a"
    ... )
    1.0
    """
    return contrast.difference(METRICS["treatment_ratio"])
