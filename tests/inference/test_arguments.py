"""What intervals and tests refuse, whatever the measure."""

from collections.abc import Callable
from typing import Any

import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import (
    bootstrap_values,
    confidence_interval,
    confidence_intervals,
    detectable_differences,
    flip_direction_tests,
    pairwise_tests,
    significance_test,
)

Table = Callable[..., OutcomeCounts]


@pytest.mark.parametrize("level", ["a", None, True, 10**400])
def test_what_is_no_level_is_refused(selected: Table, level: Any) -> None:
    """Text, nothing, booleans and numbers that no float holds are named."""
    message = rf"^level must lie between 0 and 1, got {level!r}\.$"
    with pytest.raises(ValueError, match=message):
        confidence_interval(selected((1, 2)), "selection_rate", level=level)


def test_levels_next_to_1_are_refused(selected: Table) -> None:
    """Their quantile is lost in rounding; 1 - 1e-12 itself is taken."""
    table = selected((1, 2))
    assert confidence_interval(table, "selection_rate", level=1 - 1e-12).high < 1
    with pytest.raises(
        ValueError, match=r"^level must be at most 1 - 1e-12, got 0\.9999999999999999\.$"
    ):
        confidence_interval(table, "selection_rate", level=1 - 1.2e-16)


@pytest.mark.parametrize(
    "function",
    [
        lambda counts: confidence_interval(counts, "disparate_impact"),
        confidence_intervals,
        lambda counts: bootstrap_values(counts, "disparate_impact"),
        lambda counts: significance_test(counts, "disparate_impact"),
        lambda counts: pairwise_tests(counts, "disparate_impact"),
        flip_direction_tests,
        lambda counts: detectable_differences(counts, "accuracy_difference"),
    ],
)
def test_what_is_no_table_is_refused(function: Callable[..., Any]) -> None:
    """A nested list is no table of counts."""
    message = r"^counts must be an OutcomeCounts, got \[\[1, 2\], \[3, 4\]\]\.$"
    with pytest.raises(TypeError, match=message):
        function([[1, 2], [3, 4]])
