"""Rates of one group's true and predicted labels, and means of its scores.

Every rate is a share of the group's people, or of those with a given true or
predicted label. TP, FP, FN, TN are with respect to the favorable label. As
functions of arrays they give one number for all rows, so that fairlearn's
``MetricFrame`` takes them as they are.
"""

from math import inf

import numpy as np

from skfair_ofi.counts import OutcomeCounts

from ._publish import rate
from ._registry import Share
from ._shapes import label_arrays, score_arrays

__all__ = [
    "accuracy",
    "average_odds",
    "base_rate",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "marginal_benefit",
    "mean_score",
    "mean_score_negatives",
    "mean_score_positives",
    "negative_predictive_value",
    "positive_predictive_value",
    "selection_rate",
    "treatment_ratio",
    "true_negative_rate",
    "true_positive_rate",
]


def _confusion(counts: OutcomeCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """TP, FN, FP, TN of each group."""
    table = counts.cells.sum(axis=3)
    return table[:, 1, 1], table[:, 1, 0], table[:, 0, 1], table[:, 0, 0]


@rate(
    label_arrays,
    symbol="SR",
    roles=("y_pred",),
    source="Briscoe2025",
    infinite_reason="no one in {low} has the favorable label",
)
def selection_rate(counts: OutcomeCounts) -> Share:
    """Share of people with a favorable prediction.

    It lies in [0, 1]; ``y_true`` is not used and may be None.

    Notes
    -----
    (TP + FP) / n, the benefit b of Briscoe2025.

    Examples
    --------
    >>> selection_rate([1, 0, 1, 0], [1, 1, 1, 0])
    0.75
    """
    predicted = counts.cells.sum(axis=(1, 3))
    return predicted[:, 1], predicted[:, 0] + predicted[:, 1]


@rate(label_arrays, symbol="BR", roles=("y_true",), source="Briscoe2025")
def base_rate(counts: OutcomeCounts) -> Share:
    """Share of people whose true label is favorable.

    It lies in [0, 1]; ``y_pred`` is not used.

    Notes
    -----
    (TP + FN) / n, the expected benefit E[b] of Briscoe2025.

    Examples
    --------
    >>> base_rate([1, 0, 1, 0], [1, 1, 1, 0])
    0.5
    """
    true = counts.cells.sum(axis=(2, 3))
    return true[:, 1], true[:, 0] + true[:, 1]


@rate(label_arrays, symbol="B", bounds=(-1.0, 1.0), source="Briscoe2025")
def marginal_benefit(counts: OutcomeCounts) -> Share:
    """Favorable predictions beyond the favorable true labels, as a share of people.

    It lies in [-1, 1]: above 0 the test gives more than the labels say, below 0 less.

    Notes
    -----
    (FP - FN) / n, which is the selection rate minus the base rate (Briscoe2025).

    Examples
    --------
    >>> marginal_benefit([1, 0, 1, 0], [1, 1, 1, 0])
    0.25
    """
    tp, fn, fp, tn = _confusion(counts)
    return fp - fn, tp + fn + fp + tn


@rate(label_arrays, symbol="ACC", better="higher")
def accuracy(counts: OutcomeCounts) -> Share:
    """Share of people whose prediction is their true label.

    It lies in [0, 1], and higher is better.

    Notes
    -----
    (TP + TN) / n.

    Examples
    --------
    >>> accuracy([1, 0, 1, 0], [1, 1, 1, 0])
    0.75
    """
    tp, fn, fp, tn = _confusion(counts)
    return tp + tn, tp + fn + fp + tn


@rate(label_arrays, symbol="TPR", denominator="positives", better="higher")
def true_positive_rate(counts: OutcomeCounts) -> Share:
    """Share of people with a favorable true label who get a favorable prediction.

    It lies in [0, 1], and is undefined without such people.

    Notes
    -----
    TP / (TP + FN), also called recall or sensitivity.

    Examples
    --------
    >>> true_positive_rate([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    tp, fn, _, _ = _confusion(counts)
    return tp, tp + fn


@rate(label_arrays, symbol="FPR", denominator="negatives", better="lower")
def false_positive_rate(counts: OutcomeCounts) -> Share:
    """Share of people with an unfavorable true label who get a favorable prediction.

    It lies in [0, 1], and is undefined without such people.

    Notes
    -----
    FP / (FP + TN).

    Examples
    --------
    >>> false_positive_rate([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    _, _, fp, tn = _confusion(counts)
    return fp, fp + tn


@rate(label_arrays, symbol="TNR", denominator="negatives", better="higher")
def true_negative_rate(counts: OutcomeCounts) -> Share:
    """Share of people with an unfavorable true label who get an unfavorable prediction.

    It lies in [0, 1], and is undefined without such people.

    Notes
    -----
    TN / (FP + TN), also called specificity.

    Examples
    --------
    >>> true_negative_rate([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    _, _, fp, tn = _confusion(counts)
    return tn, fp + tn


@rate(label_arrays, symbol="FNR", denominator="positives", better="lower")
def false_negative_rate(counts: OutcomeCounts) -> Share:
    """Share of people with a favorable true label who get an unfavorable prediction.

    It lies in [0, 1], and is undefined without such people.

    Notes
    -----
    FN / (TP + FN).

    Examples
    --------
    >>> false_negative_rate([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    tp, fn, _, _ = _confusion(counts)
    return fn, tp + fn


@rate(label_arrays, symbol="PPV", denominator="predicted positives", better="higher")
def positive_predictive_value(counts: OutcomeCounts) -> Share:
    """Share of favorable predictions that are right.

    It lies in [0, 1], and is undefined without favorable predictions.

    Notes
    -----
    TP / (TP + FP), also called precision.

    Examples
    --------
    >>> positive_predictive_value([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    tp, _, fp, _ = _confusion(counts)
    return tp, tp + fp


@rate(label_arrays, symbol="NPV", denominator="predicted negatives", better="higher")
def negative_predictive_value(counts: OutcomeCounts) -> Share:
    """Share of unfavorable predictions that are right.

    It lies in [0, 1], and is undefined without unfavorable predictions.

    Notes
    -----
    TN / (TN + FN).

    Examples
    --------
    >>> negative_predictive_value([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    _, fn, _, tn = _confusion(counts)
    return tn, tn + fn


@rate(label_arrays, symbol="FDR", denominator="predicted positives", better="lower")
def false_discovery_rate(counts: OutcomeCounts) -> Share:
    """Share of favorable predictions that are wrong.

    It lies in [0, 1], and is undefined without favorable predictions.

    Notes
    -----
    FP / (TP + FP).

    Examples
    --------
    >>> false_discovery_rate([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    tp, _, fp, _ = _confusion(counts)
    return fp, tp + fp


@rate(label_arrays, symbol="FOR", denominator="predicted negatives", better="lower")
def false_omission_rate(counts: OutcomeCounts) -> Share:
    """Share of unfavorable predictions that are wrong.

    It lies in [0, 1], and is undefined without unfavorable predictions.

    Notes
    -----
    FN / (TN + FN).

    Examples
    --------
    >>> false_omission_rate([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    _, fn, _, tn = _confusion(counts)
    return fn, tn + fn


@rate(
    label_arrays,
    symbol="TR",
    denominator="errors",
    bounds=(0.0, np.inf),
    source="Briscoe2025",
    infinite_reason="no one in one of the groups wrongly got the favorable label",
)
def treatment_ratio(counts: OutcomeCounts) -> Share:
    """False negatives for each false positive.

    It is at least 0: infinite with false negatives and no false positives, and
    undefined without errors.

    Notes
    -----
    FN / FP.

    Examples
    --------
    >>> treatment_ratio([1, 1, 1, 0], [0, 0, 1, 1])
    2.0
    """
    _, fn, fp, _ = _confusion(counts)
    return fn, fp


@rate(
    label_arrays,
    symbol="AO",
    parts=(true_positive_rate, false_positive_rate),
    denominator="positives or no negatives",
    source="FAI",
)
def average_odds(counts: OutcomeCounts) -> Share:
    """Mean of the true and the false positive rate.

    It lies in [0, 1], and is undefined without people of either true label.

    Notes
    -----
    (TPR + FPR) / 2.

    Examples
    --------
    >>> average_odds([1, 0, 1, 0], [1, 1, 0, 0])
    0.5
    """
    # Python integers: the products of large counts do not fit in 64 bits.
    tp, fn, fp, tn = (part.astype(object) for part in _confusion(counts))
    positives, negatives = tp + fn, fp + tn
    return tp * negatives + fp * positives, 2 * positives * negatives


def _scores(counts: OutcomeCounts) -> np.ndarray:
    """Sums of scores; a table without them never gets here."""
    return np.asarray(counts.score_sums)


@rate(score_arrays, symbol="E[V]", roles=("y_score",), bounds=(-inf, inf), source="Yuan2024")
def mean_score(counts: OutcomeCounts) -> Share:
    """Mean score.

    It has the unit of the scores; ``y_true`` is not used and may be None.

    Notes
    -----
    E[V], where V is the score.

    Examples
    --------
    >>> mean_score(None, [2, 4, 9])
    5.0
    """
    return _scores(counts).sum(axis=(1, 2, 3)), counts.group_sizes


@rate(score_arrays, symbol="E[V|1]", denominator="positives", bounds=(-inf, inf), source="Yuan2024")
def mean_score_positives(counts: OutcomeCounts) -> Share:
    """Mean score of people with a favorable true label.

    It has the unit of the scores, and is undefined without such people.

    Notes
    -----
    E[V given Y = 1].

    Examples
    --------
    >>> mean_score_positives([1, 0, 1], [2, 4, 9])
    5.5
    """
    return _scores(counts).sum(axis=(2, 3))[:, 1], counts.cells.sum(axis=(2, 3))[:, 1]


@rate(score_arrays, symbol="E[V|0]", denominator="negatives", bounds=(-inf, inf), source="Yuan2024")
def mean_score_negatives(counts: OutcomeCounts) -> Share:
    """Mean score of people with an unfavorable true label.

    It has the unit of the scores, and is undefined without such people.

    Notes
    -----
    E[V given Y = 0].

    Examples
    --------
    >>> mean_score_negatives([1, 0, 1], [2, 4, 9])
    4.0
    """
    return _scores(counts).sum(axis=(2, 3))[:, 0], counts.cells.sum(axis=(2, 3))[:, 0]
