"""Verdict bands, and what an entry of the registry answers."""

import dataclasses
from fractions import Fraction
from math import inf, isnan, nan
from typing import Any

import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import METRICS, Bands
from skfair_ofi.metrics._registry import register

# Of group a, one of two people is selected; of group b, nobody.
LABELS = OutcomeCounts.from_arrays(
    [1, 0, 0, 0], [1, 0, 0, 0], sensitive_features=["a", "a", "b", "b"]
)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (-inf, "outside bounds"),
        (-0.15000001, "outside bounds"),
        (-0.15, "moderate"),
        (-0.05000001, "moderate"),
        (-0.05, "within bounds"),
        (0.0, "within bounds"),
        (0.05, "within bounds"),
        (0.05000001, "moderate"),
        (0.15, "moderate"),
        (0.15000001, "outside bounds"),
        (inf, "outside bounds"),
        (nan, "undefined"),
    ],
)
def test_judge(value: float, verdict: str) -> None:
    """A value on a bound is inside it; what is undefined is never within them."""
    assert Bands.within(0.05, 0.15).judge(value) == verdict


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0.8, "within bounds"),
        (0.8 - 1e-11, "outside bounds"),
        (1.25, "within bounds"),
        (1.25 + 1e-11, "outside bounds"),
        (2.0, "outside bounds"),
        (nan, "undefined"),
    ],
)
def test_judge_without_a_moderate_band(value: float, verdict: str) -> None:
    """Without a moderate band, what is not within bounds is outside."""
    assert METRICS["disparate_impact"].bands.judge(value) == verdict


@pytest.mark.parametrize(
    ("bands", "expected"),
    [
        (Bands.within(0.3), Bands((-0.3, 0.3))),
        (Bands.within(0.05, 0.15), Bands((-0.05, 0.05), (-0.15, 0.15))),
        (Bands.within(0.1, 0.3, ideal=1.0), Bands((0.9, 1.111111111111), (0.7, 1.428571428571))),
        (Bands.within(0.9, ideal=1.0), Bands((0.1, 10.0))),
    ],
)
def test_within(bands: Bands, expected: Bands) -> None:
    """Bands by distance have bounds that decimal numbers are equal to."""
    assert bands == expected


@pytest.mark.parametrize(
    ("name", "value", "verdict"),
    [
        ("flip_disparity_index", Fraction(11, 10), "within bounds"),
        ("flip_disparity_index", Fraction(13, 10), "moderate"),
        ("flip_disparity_index", inf, "outside bounds"),
        ("flip_rate_difference", Fraction(3, 20), "moderate"),
        ("statistical_parity_difference", Fraction(6, 10) - Fraction(5, 10), "within bounds"),
        ("objective_fairness_index", Fraction(7, 10) - Fraction(1, 10), "outside bounds"),
        ("objective_fairness_index", Fraction(4, 10) - Fraction(1, 10), "within bounds"),
    ],
)
def test_bounds_are_decimal_numbers(name: str, value: Any, verdict: str) -> None:
    """A tenth is a tenth: exact values on the bound are not pushed over it by rounding."""
    assert METRICS[name].bands.judge(float(value)) == verdict


@pytest.mark.parametrize(
    ("name", "acceptable", "moderate"),
    [
        ("objective_fairness_index", (-0.3, 0.3), None),
        ("disparate_impact", (0.8, 1.25), None),
        ("statistical_parity_difference", (-0.1, 0.1), None),
        ("average_odds_difference", (-0.1, 0.1), None),
        ("equal_opportunity_difference", (-0.1, 0.1), None),
        ("predictive_equality_difference", (-0.2, 0.2), None),
        ("equalized_odds_difference", (-0.2, 0.2), None),
        ("accuracy_difference", (-0.2, 0.2), None),
        ("mean_difference", (-0.2, 0.2), None),
        ("predictive_parity_difference", (-0.2, 0.2), None),
        ("conditional_use_accuracy_difference", (-0.2, 0.2), None),
        ("conditional_statistical_parity_difference", (-0.2, 0.2), None),
        ("calibration_difference", (-0.2, 0.2), None),
        ("flip_rate_difference", (-0.05, 0.05), (-0.15, 0.15)),
        ("harmful_flip_proportion_difference", (-0.05, 0.05), (-0.15, 0.15)),
        ("flip_disparity_index", (0.9, 1.1), (0.7, 1.3)),
        ("harmful_flip_disparity_index", (0.9, 1.1), (0.7, 1.3)),
        ("flip_rate_disparity", (-0.1, 0.1), (-0.3, 0.3)),
        ("harmful_flip_disparity", (-0.1, 0.1), (-0.3, 0.3)),
        ("relative_flip_disparity", (-0.1, 0.1), (-0.3, 0.3)),
        ("relative_harmful_flip_disparity", (-0.1, 0.1), (-0.3, 0.3)),
    ],
)
def test_default_bands(name: str, acceptable: tuple[float, float], moderate: Any) -> None:
    """The default rule of each measure is its source's."""
    assert METRICS[name].bands == Bands(acceptable, moderate)


@pytest.mark.parametrize(
    "name",
    [
        "positive_balance_difference",
        "negative_balance_difference",
        "treatment_equality_difference",
    ],
)
def test_no_default_bands(name: str) -> None:
    """Where only a domain can set a bound, there is no default verdict."""
    assert METRICS[name].bands is None


def test_bands_that_are_out_of_order() -> None:
    """Bounds are the lowest, then the highest."""
    with pytest.raises(
        ValueError, match=r"^acceptable must be \(lowest, highest\), got \(0\.2, 0\.1\)\.$"
    ):
        Bands((0.2, 0.1))
    with pytest.raises(
        ValueError, match=r"^moderate must be \(lowest, highest\), got \(0\.2, 0\.1\)\.$"
    ):
        Bands((0.0, 0.1), (0.2, 0.1))


def test_bands_and_entries_are_frozen() -> None:
    """Nobody changes the registry by accident."""
    with pytest.raises(dataclasses.FrozenInstanceError, match=r"^cannot assign to field 'ideal'$"):
        METRICS["accuracy"].ideal = 1.0
    with pytest.raises(
        dataclasses.FrozenInstanceError, match=r"^cannot assign to field 'moderate'$"
    ):
        Bands.within(0.1).moderate = None


def test_a_name_is_entered_once() -> None:
    """A second measure of the same name is refused, and the first stays."""
    first = METRICS["accuracy"]
    with pytest.raises(ValueError, match=r"^name must be new to METRICS, got 'accuracy'\.$"):
        register(dataclasses.replace(first, symbol="other"))
    assert METRICS["accuracy"] is first


def test_the_one_rate() -> None:
    """A comparison of one rate names it; one of two rates names both, and no single one."""
    assert METRICS["disparate_impact"].rate is METRICS["selection_rate"]
    assert METRICS["equalized_odds_difference"].rate is None
    assert METRICS["equalized_odds_difference"].rates == (
        METRICS["true_positive_rate"],
        METRICS["false_positive_rate"],
    )


@pytest.mark.parametrize(
    ("way", "names"),
    [
        (
            "higher",
            {
                "accuracy",
                "true_positive_rate",
                "true_negative_rate",
                "positive_predictive_value",
                "negative_predictive_value",
                "correcting_flip_rate",
            },
        ),
        (
            "lower",
            {
                "false_positive_rate",
                "false_negative_rate",
                "false_discovery_rate",
                "false_omission_rate",
                "flip_rate",
                "harmful_flip_rate",
                "harmful_flip_proportion",
                "wrong_flip_rate",
            },
        ),
    ],
)
def test_which_way_is_better(way: str, names: set[str]) -> None:
    """Being right is better, errors and harm are worse; of other rates, neither way is."""
    assert {metric.name for metric in METRICS.values() if metric.better == way} == names


@pytest.mark.parametrize("name", ["accuracy_difference", "flip_rate_difference"])
def test_values_of_a_comparison(name: str) -> None:
    """A comparison has no value for each group."""
    with pytest.raises(TypeError, match=f"^values are of rates, and {name} is a comparison\\.$"):
        METRICS[name].values(LABELS)


@pytest.mark.parametrize(
    ("name", "roles", "lacking"),
    [
        ("accuracy", ["y_true"], "y_pred"),
        ("accuracy", ["y_pred"], "y_true"),
        ("base_rate", ["y_pred"], "y_true"),
        ("flip_rate", ["y_true", "y_pred"], "y_corrected"),
        ("wrong_flip_rate", ["y_pred"], "y_true, y_corrected"),
        ("mean_score", ["y_true", "y_pred"], "y_score"),
        ("mean_score_positives", ["y_pred"], "y_true, y_score"),
    ],
)
def test_table_without_what_a_rate_needs(name: str, roles: list[str], lacking: str) -> None:
    """A table that does not count what a measure needs is refused, and told what it lacks."""
    counts = LABELS.over(*roles)
    message = f"^{name} needs {lacking}, which this table lacks\\.$"
    with pytest.raises(ValueError, match=message):
        METRICS[name].values(counts)
    with pytest.raises(ValueError, match=message):
        METRICS[name].of(counts)


def test_table_without_what_a_comparison_needs() -> None:
    """A comparison asks for what its rate needs."""
    with pytest.raises(
        ValueError, match=r"^true_positive_rate needs y_true, which this table lacks\.$"
    ):
        METRICS["equal_opportunity_difference"].of(LABELS.over("y_pred"))


def test_reason_is_none_where_the_value_is_known() -> None:
    """There is no reason to give for a value that is there, be it 0 or infinite."""
    assert METRICS["accuracy_difference"].reason(LABELS) is None
    assert METRICS["disparate_impact"].of(LABELS, privileged="b") == inf
    assert METRICS["disparate_impact"].reason(LABELS, privileged="b") is None


@pytest.mark.parametrize(
    ("name", "privileged", "reason"),
    [
        ("equal_opportunity_difference", None, "no positives in group 'b'"),
        ("equal_opportunity_difference", "b", "no positives in group 'b'"),
        ("equal_opportunity_difference", "a", "no positives in group 'b'"),
        ("average_odds_difference", None, "no positives or no negatives in group 'b'"),
        ("equalized_odds_difference", None, "no positives in group 'b'"),
        ("predictive_parity_difference", None, "no predicted positives in group 'b'"),
        ("treatment_equality_difference", None, "no errors in group 'a'; no errors in group 'b'"),
        ("accuracy_difference", ["a", "b"], "no other group"),
    ],
)
def test_reason(name: str, privileged: Any, reason: str) -> None:
    """A reason names what is missing and in which group."""
    assert isnan(METRICS[name].of(LABELS, privileged=privileged))
    assert METRICS[name].reason(LABELS, privileged=privileged) == reason


@pytest.mark.parametrize("privileged", [None, "a", "c"])
@pytest.mark.parametrize(
    "name", [m.name for m in METRICS.values() if m.kind == "comparison" and m.family == "flip"]
)
def test_flips_between_groups_one_of_which_is_empty(name: str, privileged: Any) -> None:
    """A group that a fold lacks makes every flip comparison undefined: nobody is not no flips."""
    flips = OutcomeCounts.from_arrays(
        None, [1, 0, 1, 0], [0, 1, 0, 0], sensitive_features=["a", "a", "b", "b"]
    )
    counts = flips.reindex(["a", "b", "c"]).pick("a", "c")
    assert isnan(METRICS[name].of(counts, privileged=privileged))
    reason = METRICS[name].reason(counts, privileged=privileged)
    assert reason in {"no people in group 'c'", "no flips in group 'c'"}


@pytest.mark.parametrize("name", ["harmful_flip_proportion", "directional_flip_ratio"])
def test_flips_of_a_group_without_people(name: str) -> None:
    """No flips among people have a value by the source; nobody at all has none."""
    flips = OutcomeCounts.from_arrays(None, [1, 0], [1, 0], sensitive_features=["a", "a"])
    values = METRICS[name].values(flips.reindex(["a", "b"]))
    assert not isnan(values[0])
    assert isnan(values[1])


def test_reason_of_several_groups_and_rates() -> None:
    """Each missing part is named once, in the order of rates and groups."""
    counts = OutcomeCounts.from_arrays([1, 0, 1], [1, 0, 0], sensitive_features=["a", "b", "c"])
    assert METRICS["equalized_odds_difference"].reason(counts) == (
        "no positives in group 'b'; no negatives in group 'a'; no negatives in group 'c'"
    )


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("disparate_impact", {}, "selection_rate is 0 in all groups compared"),
        (
            "flip_rate_disparity",
            {"convention": "equation"},
            "flip_rate is 0 in all groups compared",
        ),
        (
            "harmful_flip_disparity",
            {"convention": "equation"},
            "harmful_flip_proportion is 0 in all groups compared",
        ),
    ],
)
def test_reason_of_nothing_against_nothing(name: str, options: dict[str, Any], reason: str) -> None:
    """A ratio of 0 to 0 is undefined because of the rates, not of missing people."""
    counts = OutcomeCounts.from_arrays(
        None, [0, 0, 0, 0], [0, 0, 0, 0], sensitive_features=["a", "a", "b", "b"]
    )
    assert METRICS[name].reason(counts, **options) == reason


def test_reason_of_infinite_rates() -> None:
    """Infinite against infinite is undefined, and says so."""
    counts = OutcomeCounts.from_arrays([1, 1], [0, 0], sensitive_features=["a", "b"])
    metric = METRICS["treatment_equality_difference"]
    assert metric.reason(counts) == "treatment_ratio is infinite in all groups compared"


@pytest.mark.parametrize("privileged", [None, "b"])
def test_mean_difference_of_scores_alone(privileged: Any) -> None:
    """A table of scores without predictions has a mean difference, and reasons where it has not."""
    scores = OutcomeCounts.from_arrays(y_score=[1.0, 2.0], sensitive_features=["a", "b"])
    metric = METRICS["mean_difference"]
    assert abs(metric.of(scores, privileged=privileged)) == 1.0
    counts = scores.reindex(["a", "b", "c"])
    assert metric.reason(counts) == "no people in group 'c'"


@pytest.mark.parametrize("key", [None, 3, ("x", "y"), "it's"])
def test_reason_quotes_the_group(key: Any) -> None:
    """Groups of any kind are named as Python writes them."""
    counts = OutcomeCounts([key, "other"], [[[[1], [0]], [[0], [0]]], [[[1], [0]], [[0], [1]]]])
    reason = METRICS["equal_opportunity_difference"].reason(counts)
    assert reason == f"no positives in group {key!r}"


@pytest.mark.parametrize("place", [0, 1])
def test_exact_is_a_fraction(place: int) -> None:
    """Of whole counts, a rate is a fraction; of others, a float."""
    found = METRICS["selection_rate"].exact(LABELS, place)
    assert type(found) is Fraction
    assert found == (Fraction(1, 2), Fraction(0))[place]
    halves = OutcomeCounts(LABELS.groups, LABELS.cells / 3)
    assert METRICS["selection_rate"].exact(halves, place) == pytest.approx(float(found))
