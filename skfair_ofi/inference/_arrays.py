"""Intervals of measures of arrays, which are counted first."""

from typing import Any

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Convention

from ._forms import metric_of
from ._interval import Interval
from ._intervals import Measure, Method, confidence_interval
from ._resampling import Ends

_ARRAYS = {
    "label": ("y_true", "y_pred"),
    "flip": ("y_pred", "y_corrected"),
    "score": ("y_true", "y_score"),
}


def interval_of(
    measure: Measure,
    first: Any,
    second: Any,
    *,
    sensitive_features: Any,
    y_true: Any = None,
    privileged: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    method: Method = "auto",
    convention: Convention = "paper",
    ends: Ends = "percentile",
    n_resamples: int = 2000,
    stratified: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Interval:
    """Confidence interval of a measure of arrays, called as the measure itself is.

    Parameters
    ----------
    measure : callable or str
        A measure of this package, or its name. A rate is that of all people together.
    first, second : array-like of shape (n_samples,)
        The two arrays that the measure takes: y_true and y_pred, y_pred and y_corrected, or
        y_true and y_score.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    y_true : array-like of shape (n_samples,), default=None
        True labels, for the measures of flips that need them.
    privileged : group or collection of groups, default=None
        The group that everyone else is compared with. None takes the largest gap.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.
    level : float, default=0.95
        Confidence level.
    method : {"auto", "score", "newcombe", "koopman", "bootstrap"}, default="auto"
        As in ``confidence_interval``, as are those that follow.
    convention : {"paper", "equation"}, default="paper"
        For rates of 0 in two of the flip measures.
    ends : {"percentile", "basic", "bca"}, default="percentile"
        How the bootstrap takes its ends.
    n_resamples : int, default=2000
        Number of tables that the bootstrap draws.
    stratified : bool, default=True
        Whether the bootstrap keeps the number of people in each group.
    random_state : int, Generator or None, default=None
        Seed of the bootstrap.
    n_jobs : int, default=None
        Number of joblib's workers that share the bootstrap's tables, -1 for one a processor. The
        interval is the same for any number.

    Returns
    -------
    Interval
        Its ends hold the estimate, and are NaN with a note where that is undefined.

    Raises
    ------
    ValueError
        As in ``OutcomeCounts.from_arrays`` and ``confidence_interval``.

    Notes
    -----
    Of a measure among some rows, give these rows. Of many measures of the same people, count once,
    with ``OutcomeCounts.from_arrays``, and take ``confidence_intervals``.

    Examples
    --------
    >>> from skfair_ofi.metrics import statistical_parity_difference
    >>> interval = interval_of(
    ...     statistical_parity_difference,
    ...     [0, 1] * 40,
    ...     [1, 0, 1, 1] * 10 + [0, 0, 0, 1] * 10,
    ...     sensitive_features=["a"] * 40 + ["b"] * 40,
    ...     privileged="b",
    ... )
    >>> interval.estimate, round(interval.low, 2), round(interval.high, 2)
    (0.5, 0.29, 0.66)
    """
    metric = metric_of(measure)
    names = _ARRAYS[metric.family]
    given = dict(zip(names, (first, second), strict=True))
    if y_true is not None:
        given["y_true"] = y_true
    counts = OutcomeCounts.from_arrays(
        **given,
        sensitive_features=sensitive_features,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    return confidence_interval(
        metric.name,
        counts,
        level=level,
        method=method,
        privileged=privileged,
        convention=convention,
        ends=ends,
        n_resamples=n_resamples,
        stratified=stratified,
        random_state=random_state,
        n_jobs=n_jobs,
    )
