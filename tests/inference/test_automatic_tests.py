"""Automatic tests of groups without variance, and of more people than exact tests take."""

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import significance_test

Table = Callable[..., OutcomeCounts]
NAME = "statistical_parity_difference"
BILLION = 10**9
HALF = "a group shows no variance, so half a person of each kind is added to each"


def test_a_group_without_errors_is_tested() -> None:
    """Of three groups one of which has no errors, groups are dealt out, or halves added."""
    cells = [[[[400], [60]], [[50], [490]]], [[[300], [20]], [[60], [300]]]]
    table = OutcomeCounts(["a", "b", "c"], [*cells, [[[16], [0]], [[0], [16]]]])
    found = significance_test(table, "objective_fairness_index")
    assert (found.method, found.note) == ("permutation", None)
    assert found.p_value == pytest.approx(0.274, abs=0.015)
    welch = significance_test(table, "objective_fairness_index", method="welch")
    assert welch.p_value < 0.001
    assert welch.note == HALF


@pytest.mark.parametrize("people", [29, 30, 400])
@pytest.mark.parametrize(("method", "most"), [("auto", 1e-4), ("welch", 1e-30)])
def test_groups_at_the_extremes_are_told_apart(
    errors: Table, people: int, method: Any, most: float
) -> None:
    """All false positives against all false negatives are no chance, whatever the numbers."""
    table = errors((people, 0, 0), (0, people, 0))
    found = significance_test(table, "objective_fairness_index", method=method)
    assert found.p_value <= most


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("objective_fairness_index", [[[[0], [40]], [[0], [0]]], [[[0], [0]], [[40], [0]]]]),
        ("average_odds_difference", [[[[0], [40]], [[0], [40]]], [[[40], [0]], [[40], [0]]]]),
    ],
)
def test_halves_are_added_to_weighted_groups_without_variance(name: str, cells: Any) -> None:
    """Weighted people cannot be dealt out: Welch's test of the interval's table, with a note."""
    weights = np.array(cells) * 2.0
    table = OutcomeCounts(["a", "b"], weights, weight_squares=weights * 2)
    found = significance_test(table, name, privileged="b")
    assert found.method == "Welch"
    assert found.p_value < 1e-30
    assert found.note == f"weighted: sizes are effective numbers of people; {HALF}"


def test_halves_change_nothing_where_every_group_varies(errors: Table) -> None:
    """Welch's test has no note where it needs no help."""
    found = significance_test(errors((9, 2, 30), (2, 5, 40)), "objective_fairness_index")
    assert found.note is None


@pytest.mark.parametrize(
    ("name", "cells", "method"),
    [
        (NAME, [[[[BILLION], [1]]], [[[BILLION], [3]]]], "two-proportion z"),
        (NAME, [[[[BILLION], [1]]]] * 3, "chi-square without continuity correction"),
        (
            "objective_fairness_index",
            [[[[BILLION], [9]], [[5], [0]]], [[[16], [3]], [[2], [0]]]],
            "Welch",
        ),
    ],
)
def test_too_many_people_for_exact_tests(name: str, cells: Any, method: str) -> None:
    """From 10^9 people on, the automatic test is an approximate one, with a note."""
    found = significance_test(OutcomeCounts("abc"[: len(cells)], cells), name)
    assert (found.method, isnan(found.p_value)) == (method, False)
    assert found.note == "no exact test, since there are 10**9 people or more"


@pytest.mark.parametrize("method", ["fisher", "permutation"])
def test_exact_tests_refuse_too_many_people(selected: Table, method: Any) -> None:
    """They say how many people they take."""
    message = (
        rf"counts must hold fewer than 10\*\*9 people for method='{method}', got 2000000000\.$"
    )
    with pytest.raises(ValueError, match=message):
        significance_test(selected((1, BILLION), (5, BILLION)), NAME, method=method)


def test_a_table_has_one_p_value(errors: Table) -> None:
    """Draws are seeded unless None is asked for."""
    table = errors((9, 2, 9), (2, 5, 40))
    found = [significance_test(table, "objective_fairness_index").p_value for _ in range(2)]
    anew = {
        significance_test(table, "objective_fairness_index", random_state=None).p_value
        for _ in range(5)
    }
    assert found[0] == found[1]
    assert len(anew) > 1
