"""Shapes: plain functions with the parameters of a measure, which count them into the table.

What an editor and a type checker see of a measure is its shape's signature.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from skfair_ofi._validation import check_lengths, check_range
from skfair_ofi.counts import (
    OutcomeCounts,
    check_weights,
    encode_features,
    read_booleans,
    read_floats,
)

Convention = Literal["paper", "equation"]


class Counted(NamedTuple):
    """What a shape makes of a call: the table, and what the comparison is told beside it."""

    counts: OutcomeCounts
    privileged: Any = None
    convention: Convention | None = None


def _count_together(**arrays: Any) -> Counted:
    """Count all rows as one group, for a rate of everyone together."""
    # Scores have no stand-in: the true labels beside them may be absent.
    roles = (
        ["y_score"]
        if "y_score" in arrays
        else [name for name in ("y_pred", "y_true") if name in arrays]
    )
    given = {name: arrays[name] for name in roles if arrays[name] is not None}
    if not given:
        raise ValueError(f"{' or '.join(roles)} must be given, got None.")
    name, values = next(iter(given.items()))
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise ValueError(f"{name} must be a one-dimensional array-like, got {values!r}.")
    groups = np.zeros(len(values), dtype=np.int8)
    return Counted(OutcomeCounts.from_arrays(**arrays, sensitive_features=groups))


def _count_groups(
    arrays: dict[str, Any], groups: Any, pos_label: Any, weight: Any
) -> OutcomeCounts:
    return OutcomeCounts.from_arrays(
        **arrays, sensitive_features=groups, pos_label=pos_label, sample_weight=weight
    )


def choose_range(score: np.ndarray, score_range: tuple[float, float]) -> np.ndarray:
    """Return which scores lie in a range, both ends included."""
    low, high = check_range("score_range", score_range)
    return (score >= low) & (score <= high)


def count_where(where: Any, *, sample_weight: Any, **arrays: Any) -> OutcomeCounts:
    """Return the table of the rows where a condition holds, with the groups of all rows."""
    everyone = OutcomeCounts.from_arrays(**arrays, sample_weight=sample_weight)
    weight = read_booleans(where, "where").astype(np.float64)
    rows = len(encode_features(arrays["sensitive_features"])[0])
    check_lengths(sensitive_features=rows, where=len(weight))
    if sample_weight is not None:
        weight *= check_weights(sample_weight)
    if not weight.any():
        return OutcomeCounts(everyone.groups, everyone.cells * 0, labels=everyone.labels)
    return OutcomeCounts.from_arrays(**arrays, sample_weight=weight).reindex(everyone.groups)


def label_arrays(
    y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> Counted:
    """Shape of a rate of true and predicted labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    Counted
        The table, and what the comparison is told beside it.

    Examples
    --------
    >>> label_arrays([1, 0], [1, 0]).counts.group_sizes.tolist()
    [2]
    """
    return _count_together(
        y_true=y_true, y_pred=y_pred, pos_label=pos_label, sample_weight=sample_weight
    )


def flip_arrays(
    y_pred: Any, y_corrected: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> Counted:
    """Shape of a rate of predicted and corrected labels.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    y_corrected : array-like of shape (n_samples,)
        Corrected labels.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    Counted
        The table, and what the comparison is told beside it.

    Examples
    --------
    >>> flip_arrays([1, 0], [1, 0]).counts.group_sizes.tolist()
    [2]
    """
    return _count_together(
        y_pred=y_pred, y_corrected=y_corrected, pos_label=pos_label, sample_weight=sample_weight
    )


def judged_flip_arrays(
    y_pred: Any,
    y_corrected: Any,
    *,
    y_true: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Counted:
    """Shape of a rate of flips that the true labels judge.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    y_corrected : array-like of shape (n_samples,)
        Corrected labels.
    y_true : array-like of shape (n_samples,)
        True labels.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    Counted
        The table, and what the comparison is told beside it.

    Examples
    --------
    >>> judged_flip_arrays([1, 0], [1, 0], y_true=[1, 0]).counts.group_sizes.tolist()
    [2]
    """
    return _count_together(
        y_pred=y_pred,
        y_corrected=y_corrected,
        y_true=y_true,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )


def score_arrays(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> Counted:
    """Shape of a mean of scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for more favorable.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    Counted
        The table, and what the comparison is told beside it.

    Examples
    --------
    >>> score_arrays([1, 0], [1, 0]).counts.group_sizes.tolist()
    [2]
    """
    return _count_together(
        y_score=y_score, y_true=y_true, pos_label=pos_label, sample_weight=sample_weight
    )


def labels_by_group(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    privileged: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Counted:
    """Shape of a comparison of true and predicted labels.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None compares
        all pairs of groups.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    Counted
        The table, and what the comparison is told beside it.

    Examples
    --------
    >>> labels_by_group([1, 0], [1, 0], sensitive_features=["a", "b"]).counts.group_sizes.tolist()
    [1, 1]
    """
    arrays = {"y_true": y_true, "y_pred": y_pred}
    counts = _count_groups(arrays, sensitive_features, pos_label, sample_weight)
    return Counted(counts, privileged)


def labels_or_scores_by_group(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    y_score: Any = None,
    privileged: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Counted:
    """Shape of a comparison of predicted labels, or of scores where they are given."""
    arrays = {"y_true": y_true, "y_pred": y_pred, "y_score": y_score}
    counts = _count_groups(arrays, sensitive_features, pos_label, sample_weight)
    return Counted(counts, privileged)


def chosen_labels_by_group(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    where: Any,
    privileged: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Counted:
    """Shape of a comparison of labels among the rows where a condition holds."""
    counts = count_where(
        where,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=sensitive_features,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    return Counted(counts, privileged)


def flips_by_group(
    y_pred: Any,
    y_corrected: Any,
    *,
    sensitive_features: Any,
    privileged: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Counted:
    """Shape of a comparison of predicted and corrected labels.

    Parameters
    ----------
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    y_corrected : array-like of shape (n_samples,)
        Corrected labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None compares
        all pairs of groups.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    Counted
        The table, and what the comparison is told beside it.

    Examples
    --------
    >>> flips_by_group([1, 0], [1, 0], sensitive_features=["a", "b"]).counts.group_sizes.tolist()
    [1, 1]
    """
    arrays = {"y_pred": y_pred, "y_corrected": y_corrected}
    counts = _count_groups(arrays, sensitive_features, pos_label, sample_weight)
    return Counted(counts, privileged)


def flips_by_convention(
    y_pred: Any,
    y_corrected: Any,
    *,
    sensitive_features: Any,
    privileged: Any = None,
    convention: Convention = "paper",
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Counted:
    """Shape of a comparison of flips whose special cases follow a convention."""
    arrays = {"y_pred": y_pred, "y_corrected": y_corrected}
    counts = _count_groups(arrays, sensitive_features, pos_label, sample_weight)
    return Counted(counts, privileged, convention)


def scores_by_group(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    privileged: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Counted:
    """Shape of a comparison of scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for more favorable.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None compares
        all pairs of groups.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.

    Returns
    -------
    Counted
        The table, and what the comparison is told beside it.

    Examples
    --------
    >>> scores_by_group([1, 0], [1, 0], sensitive_features=["a", "b"]).counts.group_sizes.tolist()
    [1, 1]
    """
    arrays = {"y_true": y_true, "y_score": y_score}
    counts = _count_groups(arrays, sensitive_features, pos_label, sample_weight)
    return Counted(counts, privileged)


def chosen_scores_by_group(
    y_true: Any,
    y_score: Any,
    *,
    sensitive_features: Any,
    score_range: tuple[float, float],
    where: Any = None,
    privileged: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Counted:
    """Shape of a comparison among the people whose score lies in a range."""
    score = read_floats(y_score, "y_score")
    chosen = choose_range(score, score_range)
    if where is not None:
        condition = read_booleans(where, "where")
        check_lengths(y_score=len(score), where=len(condition))
        chosen &= condition
    counts = count_where(
        chosen,
        y_true=y_true,
        y_score=score,
        sensitive_features=sensitive_features,
        pos_label=pos_label,
        sample_weight=sample_weight,
    )
    return Counted(counts, privileged)
