"""How many confusion matrices there are, and what they hold (Briscoe2025, appendix)."""

import operator
from typing import SupportsIndex

import numpy as np


def check_size(name: str, value: SupportsIndex, lowest: int = 0) -> int:
    """Return a number of people as an integer."""
    try:
        number = operator.index(value)
    except TypeError:
        number = lowest - 1
    if number < lowest:
        raise ValueError(f"{name} must be a whole number of at least {lowest}, got {value!r}.")
    return number


def number_of_tables(n: int) -> int:
    """Number of confusion matrices of n people.

    Parameters
    ----------
    n : int
        Number of people, at least 0.

    Returns
    -------
    int
        The number, exact.

    Raises
    ------
    ValueError
        If ``n`` is not a whole number of at least 0.

    Notes
    -----
    N(n) = (n + 1)(n + 2)(n + 3) / 6, the ways to write n as an ordered sum of the four cells
    (Briscoe2025, appendix).

    Examples
    --------
    >>> number_of_tables(2)
    10
    """
    n = check_size("n", n)
    return (n + 1) * (n + 2) * (n + 3) // 6


def cell_value_count(x: int, n: int) -> int:
    """Number of confusion matrices of n people that hold x in a given cell.

    Parameters
    ----------
    x : int
        The cell's count, at least 0.
    n : int
        Number of people, at least 0.

    Returns
    -------
    int
        The number, exact; 0 where x is larger than n. It is the same for all four cells.

    Raises
    ------
    ValueError
        If ``x`` or ``n`` is not a whole number of at least 0.

    Notes
    -----
    C(x; n) = (n - x + 1)(n - x + 2) / 2 (Briscoe2025, appendix).

    Examples
    --------
    >>> [cell_value_count(x, 2) for x in range(3)]
    [6, 3, 1]
    """
    left = check_size("n", n) - check_size("x", x)
    return (left + 1) * (left + 2) // 2 if left >= 0 else 0


def confusion_matrices(n: int) -> np.ndarray:
    """All confusion matrices of n people, the set M(n), each once.

    Parameters
    ----------
    n : int
        Number of people, at least 0. 100 people have 176,851 matrices.

    Returns
    -------
    ndarray of shape (n_matrices, 2, 2)
        Counts on the axes y_true and y_pred, index 1 favorable: ``[[TN, FP], [FN, TP]]``.

    Raises
    ------
    ValueError
        If ``n`` is not a whole number of at least 0.

    Examples
    --------
    >>> confusion_matrices(1).tolist()
    [[[0, 0], [0, 1]], [[0, 0], [1, 0]], [[0, 1], [0, 0]], [[1, 0], [0, 0]]]
    """
    n = check_size("n", n)
    # Three bars among n + 3 places cut the n people into four cells.
    first, second = np.triu_indices(n + 3, 1)
    repeats = n + 2 - second
    first, second = np.repeat(first, repeats), np.repeat(second, repeats)
    steps = np.arange(len(second)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    third = second + 1 + steps
    cells = (first, second - first - 1, third - second - 1, n + 2 - third)
    return np.stack(cells, axis=1).reshape(-1, 2, 2)
