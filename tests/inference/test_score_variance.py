"""Variances of scores that sums of squares do not show."""

from math import isnan
from typing import Any

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_interval, significance_test


def _scored(scores: Any) -> OutcomeCounts:
    groups = ["a"] * (len(scores) // 2) + ["b"] * (len(scores) - len(scores) // 2)
    return OutcomeCounts.from_arrays(y_score=scores, sensitive_features=groups)


@pytest.mark.parametrize("method", ["auto", "bootstrap"])
def test_large_scores_that_are_alike_are_no_certainty(method: Any) -> None:
    """Squares near 10^16 show no variance: the most that they can hide is taken, with a note."""
    scores = np.random.default_rng(0).random(60)
    options = {"method": method, "privileged": "b", "random_state": 0}
    hidden = confidence_interval(_scored(1e8 + scores), "mean_difference", **options)
    shown = confidence_interval(_scored(1e4 + scores), "mean_difference", **options)
    assert hidden.low < shown.low < shown.high < hidden.high
    assert "scores vary less than numbers of their size can show" in hidden.note
    assert shown.note is None


@pytest.mark.parametrize("constant", [0.1, 0.3, 1 / 3, 7.7])
def test_rounding_is_no_variance(constant: float) -> None:
    """Equal scores have no test, though their sums are rounded; beside others they have one."""
    found = significance_test(_scored([constant] * 57), "mean_difference")
    assert isnan(found.p_value)
    assert found.note == "no variance that numbers of this size can show"
    mixed = significance_test(_scored([constant] * 30 + [0.2, 0.9] * 15), "mean_difference")
    assert 0 <= mixed.p_value <= 1
    assert mixed.note.startswith("group 'a': scores vary less than numbers of their size can show")


def test_variances_of_0_are_told_from_rounding() -> None:
    """Equal scores whose sums are exact have no variance at all."""
    interval = confidence_interval(_scored([0.5] * 20 + [1.5] * 20), "mean_difference")
    assert (interval.low, interval.high) == (1, 1)
    assert (
        interval.note
        == "everyone in a group is alike, so the width says nothing of the uncertainty"
    )
    found = significance_test(_scored([0.5] * 20 + [1.5] * 20), "mean_difference")
    assert (isnan(found.p_value), found.note) == (True, "no variance")
