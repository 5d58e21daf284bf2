"""The smallest gap that the people at hand can show."""

from collections.abc import Callable
from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_intervals, detectable_differences

Table = Callable[..., OutcomeCounts]
NAME = "statistical_parity_difference"


def test_formula_for_shares(selected: Table) -> None:
    """Both quantiles times the standard error where groups are alike."""
    found = detectable_differences(selected((300, 600), (16, 32)), NAME, privileged="a")
    share = 317 / 634
    expected = (norm.ppf(0.975) + norm.ppf(0.8)) * sqrt(share * (1 - share) * (1 / 600 + 1 / 32))
    assert found["group"].tolist() == ["b"]
    assert found["gap"][0] == pytest.approx(expected)
    assert (found["size"][0], found["other_size"][0]) == (32, 600)
    assert found["sentence"][0] == (
        "With 32 people in group 'b', a gap under 0.25 cannot be seen with a power of 80%."
    )


def test_such_a_gap_is_found_as_often_as_it_says(selected: Table) -> None:
    """A z test finds a gap of that size in about 80 of 100 samples."""
    gap = detectable_differences(selected((80, 200), (80, 200)), NAME)["gap"][0]
    rng = np.random.default_rng(0)
    first, second = (rng.binomial(200, 0.4 + sign * gap / 2, 20_000) / 200 for sign in (-1, 1))
    pooled = (first + second) / 2
    found = abs(first - second) > norm.ppf(0.975) * np.sqrt(pooled * (1 - pooled) / 100)
    assert found.mean() == pytest.approx(0.8, abs=0.02)


def test_groups_against_everyone_else(selected: Table) -> None:
    """Without a privileged group, each one is compared with all others together."""
    found = detectable_differences(selected((10, 50), (20, 50), (40, 80)), NAME)
    assert dict(zip(found["group"], found["other_size"], strict=True)) == {
        "a": 130,
        "b": 130,
        "c": 100,
    }


def test_several_privileged_groups_are_one(selected: Table) -> None:
    """They are added up, and have no row of their own."""
    found = detectable_differences(
        selected((10, 50), (20, 50), (40, 80)), NAME, privileged=["a", "c"]
    )
    assert dict(zip(found["group"], found["other_size"], strict=True)) == {"b": 130}


def test_formula_for_benefits(errors: Table) -> None:
    """The variance is that of values -1, 0 and 1."""
    table = errors((9, 2, 30), (2, 5, 40))
    found = detectable_differences(table, "objective_fairness_index", power=0.9)
    variance = (18 + 2) / (88 + 2) - (4 / 88) ** 2
    reach = norm.ppf(0.975) + norm.ppf(0.9)
    assert found["gap"][0] == pytest.approx(reach * sqrt(variance * (1 / 41 + 1 / 47)))
    assert found["sentence"][0].endswith(" cannot be seen with a power of 90%.")


def test_formula_for_average_odds() -> None:
    """Two rates, each of its own people; the sentence names those who are fewer."""
    table = OutcomeCounts(["a", "b"], [[[[10], [10]], [[20], [60]]], [[[30], [10]], [[9], [9]]]])
    found = detectable_differences(table, "average_odds_difference")
    true, false = 70 / 100, 21 / 62
    variance = true * (1 - true) * (1 / 80 + 1 / 18) + false * (1 - false) * (1 / 20 + 1 / 40)
    reach = norm.ppf(0.975) + norm.ppf(0.8)
    assert found["gap"][0] == pytest.approx(reach * sqrt(variance) / 2)
    assert found["sentence"][0].startswith("With 20 negatives in group 'a', a gap under 0.2")


def test_formula_for_scores() -> None:
    """The variance is the mean of both groups' variances, by people."""
    scores = [1.0, 2.0, 6.0, 2.0, 4.0, 4.0, 8.0]
    table = OutcomeCounts.from_arrays(
        [1] * 7, y_score=scores, sensitive_features=["a"] * 3 + ["b"] * 4
    )
    found = detectable_differences(table, "positive_balance_difference")
    variance = (3 * np.var(scores[:3], ddof=1) + 4 * np.var(scores[3:], ddof=1)) / 7
    reach = norm.ppf(0.975) + norm.ppf(0.8)
    assert found["gap"][1] == pytest.approx(reach * sqrt(variance * (1 / 3 + 1 / 4)))


@pytest.mark.parametrize(("people", "them"), [(1, "With 1 person"), (0, "Without people")])
def test_too_few_people_can_show_nothing(selected: Table, people: int, them: str) -> None:
    """No share differs by more than 1; one and none have words of their own."""
    found = detectable_differences(selected((300, 600), (0, people)), NAME, privileged="a")
    assert found["sentence"][0] == f"{them} in group 'b', no gap can be seen."
    assert isnan(found["gap"][0]) == (people == 0)


@pytest.mark.parametrize(
    ("positives", "them"),
    [(0, "Without positives"), (1, "With 1 positive"), (9, "With 9 positives")],
)
def test_those_whom_the_rate_is_of_are_named(positives: int, them: str) -> None:
    """A true positive rate is one of positives."""
    cells = [[[[40], [60]], [[50], [50]]], [[[9], [9]], [[0], [positives]]]]
    found = detectable_differences(
        OutcomeCounts(["a", "b"], cells), "equal_opportunity_difference", privileged="a"
    )
    assert found["sentence"][0].startswith(f"{them} in group 'b', ")


@pytest.mark.parametrize(("direction", "low", "high"), [(-1, 0.82, 1), (1, 0.6, 0.8)])
def test_power_depends_on_the_direction(direction: int, low: float, high: float) -> None:
    """From a share of 20 %, a gap away from 1/2 is found more often than the power, else less."""
    rng, cells = np.random.default_rng(0), np.array([[[[160], [40]]], [[[32], [8]]]])
    gap = detectable_differences(OutcomeCounts("ab", cells), NAME, privileged="a")["gap"][0]
    drawn = rng.binomial(40, 0.2 + direction * gap, 4000)
    others = rng.binomial(200, 0.2, 4000)
    share = (drawn + others) / 240
    z = (drawn / 40 - others / 200) / np.sqrt(share * (1 - share) * (1 / 40 + 1 / 200))
    assert low < (abs(z) > norm.ppf(0.975)).mean() < high


@pytest.mark.parametrize(
    "name", ["disparate_impact", "equalized_odds_difference", "treatment_equality_difference"]
)
def test_other_measures_are_refused(errors: Table, name: str) -> None:
    """Ratios and larger gaps have no such formula."""
    message = rf"measure must be a difference of shares or means, got '{name}'\.$"
    with pytest.raises(ValueError, match=message):
        detectable_differences(errors((1, 2, 3), (3, 2, 1)), name)


@pytest.mark.parametrize("power", [0, 1, 80])
def test_power_is_refused(selected: Table, power: Any) -> None:
    """A power of 80 is meant as 0.8, and is not taken for it."""
    with pytest.raises(ValueError, match=rf"power must lie between 0 and 1, got {power}\.$"):
        detectable_differences(selected((1, 2), (1, 2)), NAME, power=power)


def test_one_group_is_refused(selected: Table) -> None:
    """There is no one to compare it with."""
    message = r"group must leave someone in the rest, got the only group 'a'\.$"
    with pytest.raises(ValueError, match=message):
        detectable_differences(selected((1, 2)), NAME)


def test_keys_of_any_kind_are_kept(selected: Table) -> None:
    """Crossed groups, a missing one, and text that is no valid Unicode."""
    cells = selected((10, 50), (20, 50), (40, 80)).cells
    table = OutcomeCounts([("f", 1), None, "caf\udce9"], cells)
    assert detectable_differences(table, NAME)["group"].tolist() == list(table.groups)
    assert confidence_intervals(table, ["selection_rate"])["group"].tolist() == list(table.groups)
