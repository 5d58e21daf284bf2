"""Frames over groups: rates of each, and comparisons of each pair."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from skfair_ofi._validation import check_choice, check_lengths
from skfair_ofi.counts import OutcomeCounts, read_booleans, read_floats

from ._conditions import among, check_condition, in_range
from ._decorators import Measure
from ._registry import METRICS, Metric, name_of

__all__ = ["by_group", "pairwise", "pairwise_counts"]


def _rates(measures: Sequence[Measure | str] | None, counts: OutcomeCounts) -> list[Metric]:
    rates = {metric.name: metric for metric in METRICS.values() if metric.kind == "rate"}
    if measures is None:
        counted = {*counts.roles, *(() if counts.score_sums is None else ("y_score",))}
        return [metric for metric in rates.values() if counted >= set(metric.roles)]
    return [rates[check_choice("measures", name_of(measure), rates)] for measure in measures]


def _index(counts: OutcomeCounts) -> pd.Index:
    names = counts.feature_names
    if isinstance(counts.groups[0], tuple) and (names is None or len(names) > 1):
        return pd.MultiIndex.from_tuples([*counts.groups], names=names)  # type: ignore[list-item]
    name = names[0] if names else None
    return pd.Index(list(counts.groups), name=name, tupleize_cols=False)


def by_group(
    counts: OutcomeCounts, measures: Sequence[Measure | str] | None = None
) -> pd.DataFrame:
    """Rates of each group, laid out as ``MetricFrame.by_group`` is.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measures : sequence of callable or str, default=None
        Rates of this package, or their names. None takes all that the table can give.

    Returns
    -------
    DataFrame of shape (n_groups, n_measures)
        One row a group, one column a measure; NaN where undefined. Crossed groups make
        a MultiIndex.

    Raises
    ------
    ValueError
        If a measure is no rate, or the table does not count what it needs.

    Examples
    --------
    >>> table = OutcomeCounts.from_arrays(
    ...     [1, 1, 1, 0], [1, 1, 1, 0], sensitive_features={"sex": ["f", "f", "m", "m"]}
    ... )
    >>> by_group(table, ["selection_rate", "base_rate"])
         selection_rate  base_rate
    sex
    f               1.0        1.0
    m               0.5        0.5
    """
    rates = _rates(measures, counts)
    return pd.DataFrame({rate.name: rate.values(counts) for rate in rates}, index=_index(counts))


def _comparison(measure: Measure | str) -> Metric:
    comparisons = [metric.name for metric in METRICS.values() if metric.kind == "comparison"]
    return METRICS[check_choice("measure", name_of(measure), comparisons)]


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
    where: Any = None,
    score_range: tuple[float, float] | None = None,
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
    where : array-like of bool of shape (n_samples,), default=None
        Rows to take the measure among; a measure under a condition needs it.
    score_range : tuple of (float, float), default=None
        Lowest and highest score of the people compared, for a measure of scores.
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
        If it is not a comparison, lacks its condition, and as in the measure itself.

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
    arrays = {
        **dict(zip(names, (first, second), strict=True)),
        "sensitive_features": sensitive_features,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
    }
    chosen = None if where is None else read_booleans(where, "where")
    if score_range is not None:
        inside = in_range(read_floats(second, "y_score"), score_range)
        check_lengths(y_score=len(inside), where=None if chosen is None else len(chosen))
        chosen = inside if chosen is None else chosen & inside
    check_condition(metric.name, where=where, score_range=score_range)
    counts = OutcomeCounts.from_arrays(**arrays) if chosen is None else among(chosen, **arrays)
    return pairwise_counts(metric.name, counts)
