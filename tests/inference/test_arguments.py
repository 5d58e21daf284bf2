"""What intervals and tests refuse, whatever the measure."""

from collections.abc import Callable
from typing import Any

import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import (
    bootstrap_values,
    confidence_interval,
    confidence_intervals,
    flip_direction_tests,
    group_intervals,
    minimum_detectable_differences,
    pairwise_tests,
    significance_test,
)

Table = Callable[..., OutcomeCounts]


@pytest.mark.parametrize("level", ["a", None, True, 10**400])
def test_what_is_no_level_is_refused(selected: Table, level: Any) -> None:
    """Text, nothing, booleans and numbers that no float holds are named."""
    message = rf"^level must lie between 0 and 1, got {level!r}\.$"
    with pytest.raises(ValueError, match=message):
        confidence_interval("selection_rate", selected((1, 2)), level=level)


def test_levels_next_to_1_are_refused(selected: Table) -> None:
    """Their quantile is lost in rounding; 1 - 1e-12 itself is taken."""
    table = selected((1, 2))
    assert confidence_interval("selection_rate", table, level=1 - 1e-12).high < 1
    with pytest.raises(
        ValueError, match=r"^level must be at most 1 - 1e-12, got 0\.9999999999999999\.$"
    ):
        confidence_interval("selection_rate", table, level=1 - 1.2e-16)


@pytest.mark.parametrize(
    "function",
    [
        lambda counts: confidence_interval("disparate_impact", counts),
        confidence_intervals,
        lambda counts: group_intervals("selection_rate", counts),
        lambda counts: bootstrap_values("disparate_impact", counts),
        lambda counts: significance_test("disparate_impact", counts),
        lambda counts: pairwise_tests("disparate_impact", counts),
        flip_direction_tests,
        lambda counts: minimum_detectable_differences("accuracy_difference", counts),
    ],
)
def test_what_is_no_table_is_refused(function: Callable[..., Any]) -> None:
    """A nested list is no table of counts."""
    message = r"^counts must be an OutcomeCounts, got \[\[1, 2\], \[3, 4\]\]\.$"
    with pytest.raises(TypeError, match=message):
        function([[1, 2], [3, 4]])


def test_scores_have_no_newcombe() -> None:
    """Where scores take the predictions' place there are no shares."""
    table = OutcomeCounts.from_arrays(y_score=[0.1, 0.2, 0.3, 0.5], sensitive_features=list("aabb"))
    with pytest.raises(
        ValueError, match=r"^method must be one of 'auto', 'bootstrap', got 'newcombe'\.$"
    ):
        confidence_interval("mean_difference", table, method="newcombe")


def test_ends_are_checked_of_every_method(selected: Table) -> None:
    """A closed form has no use for them, but a misspelling is one."""
    message = r"^ends must be one of 'percentile', 'basic', 'bca', got 'xx'\.$"
    with pytest.raises(ValueError, match=message):
        confidence_interval("selection_rate", selected((1, 2)), ends="xx")  # type: ignore[arg-type]
