"""The marginal benefit of many confusion matrices at once."""

from typing import Any

import numpy as np

# Sums of four smaller counts fit in 64 bits.
_TOO_LARGE = 2**60


def _whole_stack(name: str, matrices: Any) -> np.ndarray:
    stack = np.asarray(matrices)
    if stack.shape[-2:] != (2, 2):
        raise ValueError(f"{name} must have shape (..., 2, 2), got {stack.shape}.")
    if stack.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers, got dtype {stack.dtype}.")
    if stack.size and stack.min() < 0:
        raise ValueError(f"{name} must not be negative, got {stack.min()}.")
    # As Python's own number: old NumPy compares unsigned ones as floats.
    if stack.size and int(stack.max()) >= _TOO_LARGE:
        raise ValueError(f"{name} must hold counts below 2**60, got {stack.max()}.")
    # Small and unsigned types would wrap around in FP - FN.
    return stack.astype(np.int64, copy=False)


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
        up as integers; each quotient is rounded once, as long as both are below 2^53.

    Raises
    ------
    ValueError
        If the shape does not end in (2, 2), or the counts are not whole, negative, or 2^60 or
        more.

    Examples
    --------
    >>> marginal_benefits([[[1, 2], [1, 4]], [[0, 0], [3, 0]]])
    array([ 0.125, -1.   ])
    """
    return _quotient(*_parts("matrices", matrices))


def _check_broadcast(first: np.ndarray, second: np.ndarray) -> None:
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise ValueError(
            f"first and second must have shapes that broadcast, got {(*first.shape, 2, 2)} and "
            f"{(*second.shape, 2, 2)}."
        ) from None


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
        one. Groups of up to 10^9 people are subtracted as fractions of integers, so equal
        benefits give exactly 0. The quotient is rounded once where the product of both numbers of
        people is at most 2^52, as of 67 million each, and beyond to two units of the last place.

    Raises
    ------
    ValueError
        As in ``marginal_benefits``, or if the shapes do not broadcast.

    Examples
    --------
    >>> objective_fairness_indices([[[5, 0], [0, 1]]], [[[10, 1], [0, 7]]])
    array([-0.05555556])
    """
    (numerator_i, n_i), (numerator_j, n_j) = _parts("first", first), _parts("second", second)
    _check_broadcast(n_i, n_j)
    if max(n_i.max(initial=0), n_j.max(initial=0)) > 10**9:
        # Their products would not fit in 64 bits.
        difference: np.ndarray = _quotient(numerator_i, n_i) - _quotient(numerator_j, n_j)
        return difference
    return _quotient(numerator_i * n_j - numerator_j * n_i, n_i * n_j)
