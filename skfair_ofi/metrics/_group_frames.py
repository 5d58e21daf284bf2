"""Frames over groups: rates of each, and comparisons of each pair."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from skfair_ofi.counts import OutcomeCounts

from ._registry import METRICS, Metric, get_metric, look_up

__all__ = ["by_group", "pairwise"]


def _index(counts: OutcomeCounts) -> pd.Index:
    names = counts.feature_names
    if isinstance(counts.groups[0], tuple) and (names is None or len(names) > 1):
        return pd.MultiIndex.from_tuples([*counts.groups], names=names)  # type: ignore[list-item]
    name = names[0] if names else None
    return pd.Index(list(counts.groups), name=name, tupleize_cols=False)


def _repeat_rows(counts: OutcomeCounts, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Labels by role and weights, one row for each filled cell of a table of one group."""
    filled = np.argwhere(counts.cells[0])
    labels = np.asarray(counts.labels, dtype=object if isinstance(counts.labels[0], str) else None)
    rows = {
        role: labels[filled[:, axis]]
        for axis, role in enumerate(("y_true", "y_pred", "y_corrected"))
        if role in counts.roles
    }
    lacking = [name for name in names if name not in rows]
    if lacking:
        raise ValueError(f"counts must count {' and '.join(lacking)} for this function.")
    return {
        **{name: rows[name] for name in names},
        "sample_weight": counts.cells[0][tuple(filled.T)],
    }


def _apply(function: Callable[..., float], counts: OutcomeCounts) -> list[float]:
    """Values of any function of labels, such as scikit-learn's, in each group of a table."""
    parameters = inspect.signature(function).parameters
    names = [name for name in parameters if name in ("y_true", "y_pred", "y_corrected")]
    values = []
    for group in counts.groups:
        rows = _repeat_rows(counts.pick(group), names)
        weight = rows.pop("sample_weight")
        if "sample_weight" in parameters:
            values.append(float(function(*rows.values(), sample_weight=weight)))
        elif counts.cells.dtype.kind == "f":
            name = getattr(function, "__name__", repr(function))
            raise ValueError(f"measures must take sample_weight for a weighted table, got {name}.")
        else:
            repeated = (column.repeat(weight) for column in rows.values())
            values.append(float(function(*repeated)))
    return values


def by_group(
    counts: OutcomeCounts,
    measures: Sequence[Callable[..., float] | str] | None = None,
) -> pd.DataFrame:
    """Rates of each group, laid out as ``MetricFrame.by_group`` is.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measures : sequence of callable or str, default=None
        Rates of this package, their names or symbols, and functions
        ``f(y_true, y_pred, ...)`` of labels, such as scikit-learn's. None takes all rates
        that the table can give.

    Returns
    -------
    DataFrame of shape (n_groups, n_measures)
        One row a group, one column a measure; NaN where undefined. Crossed groups make
        a MultiIndex.

    Raises
    ------
    ValueError
        If a measure is no rate, the table does not count what it needs, or two different
        measures have the same name.

    Examples
    --------
    >>> from sklearn.metrics import f1_score
    >>> table = OutcomeCounts.from_arrays(
    ...     [1, 1, 1, 0], [1, 1, 1, 0], sensitive_features={"sex": ["f", "f", "m", "m"]}
    ... )
    >>> by_group(table, ["SR", "base_rate", f1_score])
         selection_rate  base_rate  f1_score
    sex
    f               1.0        1.0       1.0
    m               0.5        0.5       1.0
    """
    if measures is None:
        measures = [
            metric.name
            for metric in METRICS.values()
            if metric.kind == "rate" and metric.fits(counts)
        ]
    columns: dict[str, Any] = {}
    resolved: dict[str, Any] = {}
    for measure in measures:
        # By identity: a function of another package may have the name of one of ours.
        foreign = callable(measure) and look_up(measure) is None
        found: Any = measure if foreign else get_metric(measure, "rate", parameter="measures")
        name = getattr(measure, "__name__", repr(measure)) if foreign else found.name
        if resolved.setdefault(name, found) is not found:
            raise ValueError(f"measures must have different names, got two named {name!r}.")
        columns[name] = _apply(found, counts) if foreign else found.values(counts)
    return pd.DataFrame(columns, index=_index(counts))


def pairwise(counts: OutcomeCounts, measure: Callable[..., float] | Metric | str) -> pd.DataFrame:
    """Matrix of a comparison over all pairs of a table's groups, row against column.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    measure : callable, Metric or str
        A comparison of this package, its name or its symbol.

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
    >>> pairwise(table, "objective_fairness_index")
         a    b
    a  0.0  0.5
    b -0.5  0.0
    """
    metric = get_metric(measure, "comparison")
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
