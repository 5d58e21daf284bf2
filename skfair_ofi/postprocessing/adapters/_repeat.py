"""Sample weights as repeated rows, for post-processors that take no weights."""

import warnings

import numpy as np

# Repeating rows must not fill the memory: weights that need more are not whole enough.
_MAX_ROWS = 10_000_000


def repetitions(sample_weight: np.ndarray) -> np.ndarray | None:
    """Return how often each row must be repeated to stand for its weight.

    A common factor of the weights changes no threshold, so it is divided out.

    Examples
    --------
    >>> repetitions(np.array([0.5, 1.5, 0.0]))
    array([1, 3, 0])
    >>> repetitions(np.array([1.0, np.pi])) is None
    True
    """
    positive = sample_weight[sample_weight > 0]
    for unit in (positive.min(initial=np.inf), 1.0):
        times = np.rint(sample_weight / unit)
        if np.allclose(times * unit, sample_weight, rtol=1e-9, atol=0):
            whole = times.astype(np.int64)
            return whole if whole.sum() <= _MAX_ROWS else None
    return None


def repeated_rows(sample_weight: np.ndarray, name: str) -> np.ndarray:
    """Return row numbers, each as often as its weight says, or once with a warning.

    Examples
    --------
    >>> repeated_rows(np.array([0.5, 1.5, 0.0]), "ThresholdOptimizer")
    array([0, 1, 1, 1])
    """
    times = repetitions(sample_weight)
    if times is not None:
        return np.repeat(np.arange(len(times)), times)
    warnings.warn(
        f"{name} cannot use these sample weights, which are no multiples of a common "
        "unit: its thresholds are fitted without them.",
        UserWarning,
        stacklevel=3,
    )
    return np.arange(len(sample_weight))
