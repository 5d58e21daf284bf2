"""A comparison of every pair of groups."""

from typing import Any

import numpy as np
import pandas as pd

from skfair_ofi._counts import OutcomeCounts
from skfair_ofi._validation import check_choice

from ._decorators import Measure
from ._registry import METRICS, Metric

__all__ = ["pairwise", "pairwise_counts"]


def _comparison(measure: Measure | str) -> Metric:
    name = measure if isinstance(measure, str) else getattr(measure, "__name__", repr(measure))
    comparisons = [metric.name for metric in METRICS.values() if metric.kind == "comparison"]
    return METRICS[check_choice("measure", name, comparisons)]


def pairwise_counts(measure: Measure | str, counts: OutcomeCounts) -> pd.DataFrame:
    """Matrix of a comparison over all pairs of a table's groups, row against column.

    Parameters
    ----------
    measure : callable or str
        A comparison of this package, or its name.
    counts : OutcomeCounts
        The table.

    Returns
    -------
    DataFrame of shape (n_groups, n_groups)
        The signed difference row minus column, or the ratio row over column; NaN where
        undefined. Flip measures are absolute.

    Raises
    ------
    ValueError
        If it is not a comparison, or the table does not count what it needs.

    Examples
    --------
    >>> table = OutcomeCounts.from_arrays(
    ...     [1, 1, 1, 1], [1, 1, 1, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> pairwise_counts("objective_fairness_index", table)
         a    b
    a  0.0  0.5
    b -0.5  0.0
    """
    metric = _comparison(measure)
    groups = counts.groups
    matrix = np.empty((len(groups), len(groups)))
    for i, row in enumerate(groups):
        for j, column in enumerate(groups):
            # A group against itself takes two copies, so that 0/0 stays undefined.
            pair = counts.pick(row).merge_groups({row: 0}) + counts.pick(column).merge_groups(
                {column: 1}
            )
            matrix[i, j] = metric.of(pair, privileged=1)
    index = pd.Index(list(groups), dtype=object, tupleize_cols=False)
    return pd.DataFrame(matrix, index=index, columns=index)


def pairwise(
    measure: Measure | str,
    first: Any,
    second: Any,
    *,
    sensitive_features: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> pd.DataFrame:
    """Matrix of a comparison over all pairs of groups, row against column.

    Parameters
    ----------
    measure : callable or str
        A comparison of this package, or its name.
    first, second : array-like of shape (n_samples,)
        The two arrays that the measure takes: y_true and y_pred, y_pred and y_corrected,
        or y_true and y_score.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    DataFrame of shape (n_groups, n_groups)
        The signed difference row minus column, or the ratio row over column; NaN where
        undefined. Flip measures are absolute.

    Raises
    ------
    ValueError
        If it is not a comparison, and as in the measure itself.

    Examples
    --------
    >>> from skfair_ofi.metrics import objective_fairness_index
    >>> pairwise(
    ...     objective_fairness_index,
    ...     [1, 1, 1, 1],
    ...     [1, 1, 1, 0],
    ...     sensitive_features=["a", "a", "b", "b"],
    ... )
         a    b
    a  0.0  0.5
    b -0.5  0.0
    """
    metric = _comparison(measure)
    names = {
        "label": ("y_true", "y_pred"),
        "flip": ("y_pred", "y_corrected"),
        "score": ("y_true", "y_score"),
    }[metric.family]
    counts = OutcomeCounts.from_arrays(
        **dict(zip(names, (first, second), strict=True)),
        sensitive_features=sensitive_features,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    return pairwise_counts(metric.name, counts)
