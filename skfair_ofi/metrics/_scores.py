"""Measures of scores: means of a group, and their differences between groups."""

from math import inf

import numpy as np

from skfair_ofi.counts import OutcomeCounts

from ._comparisons import Contrast, Number, Share
from ._judge import Bands
from ._publish import chosen_scores_by_group, comparison, rate, score_arrays, scores_by_group
from ._rates import base_rate
from ._registry import METRICS

__all__ = [
    "calibration_difference",
    "mean_score",
    "mean_score_negatives",
    "mean_score_positives",
    "negative_balance_difference",
    "positive_balance_difference",
]


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
    bands=Bands.within(0.2),
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
