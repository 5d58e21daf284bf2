"""The marginal benefit of many confusion matrices at once."""

from typing import Any

import numpy as np


def _whole_stack(name: str, matrices: Any) -> np.ndarray:
    stack = np.asarray(matrices)
    if stack.shape[-2:] != (2, 2):
        raise ValueError(f"{name} must have shape (..., 2, 2), got {stack.shape}.")
    if stack.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers, got dtype {stack.dtype}.")
    # Small and unsigned types would wrap around in FP - FN.
    whole = stack.astype(np.int64, copy=False)
    if whole.size and whole.min() < 0:
        raise ValueError(f"{name} must not be negative, got {whole.min()}.")
    return whole


def _parts(name: str, matrices: Any) -> tuple[np.ndarray, np.ndarray]:
    """FP - FN and n of each matrix."""
    stack = _whole_stack(name, matrices)
    (tn, fp), (fn, tp) = np.moveaxis(stack, (-2, -1), (0, 1))
    return fp - fn, tp + fn + fp + tn


def _quotient(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        quotient: np.ndarray = np.true_divide(numerator, denominator)
    return quotient


def marginal_benefits(matrices: Any) -> np.ndarray:
    """Marginal benefit (FP - FN) / n of each confusion matrix in a stack.

    Parameters
    ----------
    matrices : array-like of int of shape (..., 2, 2)
        Counts on the axes y_true and y_pred, index 1 favorable: ``[[TN, FP], [FN, TP]]``.

    Returns
    -------
    ndarray of shape (...)
        One value a matrix, NaN where it counts no one. Numerators and denominators are added
        up as integers; each quotient is rounded once.

    Raises
    ------
    ValueError
        If the shape does not end in (2, 2), or the counts are not whole or negative.

    Examples
    --------
    >>> marginal_benefits([[[1, 2], [1, 4]], [[0, 0], [3, 0]]])
    array([ 0.125, -1.   ])
    """
    return _quotient(*_parts("matrices", matrices))


def objective_fairness_indices(first: Any, second: Any) -> np.ndarray:
    """Objective Fairness Index of each pair of confusion matrices in two stacks.

    Parameters
    ----------
    first, second : array-like of int of shape (..., 2, 2)
        Counts of the two groups, as in ``marginal_benefits``; shapes broadcast.

    Returns
    -------
    ndarray of shape (...)
        Marginal benefit of the first minus that of the second, NaN where a matrix counts no
        one. Groups of up to 10^9 people are subtracted as fractions and rounded once, so equal
        benefits give exactly 0.

    Raises
    ------
    ValueError
        As in ``marginal_benefits``.

    Examples
    --------
    >>> objective_fairness_indices([[[5, 0], [0, 1]]], [[[10, 1], [0, 7]]])
    array([-0.05555556])
    """
    (numerator_i, n_i), (numerator_j, n_j) = _parts("first", first), _parts("second", second)
    if max(n_i.max(initial=0), n_j.max(initial=0)) > 10**9:
        # Their products would not fit in 64 bits.
        difference: np.ndarray = _quotient(numerator_i, n_i) - _quotient(numerator_j, n_j)
        return difference
    return _quotient(numerator_i * n_j - numerator_j * n_i, n_i * n_j)
