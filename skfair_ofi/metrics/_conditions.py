"""Measures among some rows: which ones need a condition, and the table of the rows chosen."""

from typing import Any

import numpy as np

from skfair_ofi._validation import check_lengths, check_range
from skfair_ofi.counts import OutcomeCounts, check_weights, encode_features, read_booleans

# The condition without which a measure among some rows has no meaning.
CONDITIONAL = {
    "conditional_statistical_parity_difference": "where",
    "calibration_difference": "score_range",
}


def check_condition(name: str, **given: Any) -> None:
    """Raise where a measure among some rows is not told which."""
    needed = CONDITIONAL.get(name)
    if needed is not None and given[needed] is None:
        raise ValueError(f"{needed} must be given for {name}, got None.")


def in_range(score: np.ndarray, score_range: tuple[float, float]) -> np.ndarray:
    """Return which scores lie in a range, both ends included."""
    low, high = check_range("score_range", score_range)
    return (score >= low) & (score <= high)


def among(where: Any, *, sample_weight: Any, **arrays: Any) -> OutcomeCounts:
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
