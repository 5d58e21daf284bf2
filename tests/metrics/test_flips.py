"""Flips: an oracle by hand, the special cases of the source, and both conventions."""

from fractions import Fraction
from math import inf, isnan
from typing import Any

import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import (
    METRICS,
    correcting_flip_rate,
    flip_rate,
    flip_rate_disparity,
    harmful_flip_disparity,
    wrong_flip_rate,
)

# Group a: one harmful and one favorable flip of five people; b: two harmful of four.
PREDICTED = [1, 1, 1, 0, 0, 1, 1, 0, 0]
CORRECTED = [0, 1, 1, 1, 0, 0, 0, 0, 0]
GROUPS = list("aaaaabbbb")
COMPARISONS = [m.name for m in METRICS.values() if m.kind == "comparison" and m.family == "flip"]


def flips(**groups: tuple[int, int, int, int]) -> OutcomeCounts:
    """Return a table from numbers of 0 kept, 0 to 1, 1 to 0 and 1 kept, by group."""
    cells = [[[[a, b], [c, d]]] for a, b, c, d in groups.values()]
    return OutcomeCounts(list(groups), cells)


@pytest.mark.parametrize(
    ("name", "everyone", "a", "b"),
    [
        ("flip_rate", Fraction(4, 9), Fraction(2, 5), Fraction(1, 2)),
        ("harmful_flip_rate", Fraction(3, 9), Fraction(1, 5), Fraction(2, 4)),
        ("favorable_flip_rate", Fraction(1, 9), Fraction(1, 5), Fraction(0, 4)),
        ("harmful_flip_proportion", Fraction(3, 4), Fraction(1, 2), Fraction(1)),
        ("directional_flip_ratio", Fraction(1, 3), Fraction(1), Fraction(0)),
    ],
)
def test_oracle_of_rates(name: str, everyone: Fraction, a: Fraction, b: Fraction) -> None:
    """Rates of the flips counted by hand, for everyone and for each group."""
    metric = METRICS[name]
    counts = OutcomeCounts.from_arrays(None, PREDICTED, CORRECTED, sensitive_features=GROUPS)
    assert metric.function(PREDICTED, CORRECTED) == float(everyone)
    assert metric.of(counts) == float(everyone)
    assert [metric.exact(counts, place) for place in (0, 1)] == [a, b]


@pytest.mark.parametrize("privileged", [None, "a", "b"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flip_rate_difference", Fraction(1, 10)),
        ("flip_disparity_index", Fraction(5, 4)),
        ("flip_rate_disparity", Fraction(9, 40)),
        ("relative_flip_disparity", Fraction(1, 9)),
        ("harmful_flip_proportion_difference", Fraction(1, 2)),
        ("harmful_flip_disparity_index", Fraction(2)),
        ("harmful_flip_disparity", Fraction(1, 2) / Fraction(4, 9)),
        ("relative_harmful_flip_disparity", Fraction(1, 3)),
    ],
)
def test_oracle_of_comparisons(name: str, value: Fraction, privileged: str | None) -> None:
    """Comparisons of the flips counted by hand are absolute, whoever is privileged.

    The harmful flip disparity divides by the flip rate of all, as eq. 16b does; the authors'
    code divides by the harmful share of all flips and would give 2/3.
    """
    found = METRICS[name].function(
        PREDICTED, CORRECTED, sensitive_features=GROUPS, privileged=privileged
    )
    assert found == float(value)


NO_FLIPS = {
    "flip_rate_difference": 0,
    "flip_disparity_index": 1,
    "flip_rate_disparity": 1,
    "relative_flip_disparity": 0,
    "harmful_flip_proportion_difference": 0,
    "harmful_flip_disparity_index": 1,
    "harmful_flip_disparity": 1,
    "relative_harmful_flip_disparity": 0,
}
ONE_HARMED = {
    "flip_rate_difference": Fraction(2, 4),
    "flip_disparity_index": inf,
    "flip_rate_disparity": inf,
    "relative_flip_disparity": 1,
    "harmful_flip_proportion_difference": 1,
    "harmful_flip_disparity_index": inf,
    "harmful_flip_disparity": inf,
    "relative_harmful_flip_disparity": 1,
}
ONE_FAVORED = {
    **ONE_HARMED,
    "harmful_flip_proportion_difference": 0,
    "harmful_flip_disparity_index": 1,
    "harmful_flip_disparity": 1,
    "relative_harmful_flip_disparity": 0,
}
HARMED_AND_FAVORED = {
    **ONE_HARMED,
    "flip_rate_difference": 0,
    "flip_disparity_index": 1,
    "flip_rate_disparity": 0,
    "relative_flip_disparity": 0,
}


@pytest.mark.parametrize("privileged", [None, "u", "p"])
@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param(flips(u=(2, 0, 0, 2), p=(3, 0, 0, 3)), NO_FLIPS, id="no flips"),
        pytest.param(flips(u=(2, 0, 2, 0), p=(3, 0, 0, 3)), ONE_HARMED, id="one group harmed"),
        pytest.param(flips(u=(0, 2, 0, 2), p=(3, 0, 0, 3)), ONE_FAVORED, id="one group favored"),
        pytest.param(
            flips(u=(1, 0, 1, 2), p=(1, 1, 0, 2)), HARMED_AND_FAVORED, id="harmed and favored"
        ),
    ],
)
def test_special_cases(
    counts: OutcomeCounts, expected: dict[str, Any], privileged: str | None
) -> None:
    """Where one rate is 0, or both, every comparison has the value of the source's table."""
    assert set(expected) == set(COMPARISONS)
    found = {name: METRICS[name].of(counts, privileged=privileged) for name in COMPARISONS}
    assert found == {name: float(value) for name, value in expected.items()}


@pytest.mark.parametrize(
    ("name", "everyone", "unflipped"),
    [
        ("flip_rate", 2 / 10, 0),
        ("favorable_flip_rate", 0, 0),
        ("harmful_flip_rate", 2 / 10, 0),
        ("harmful_flip_proportion", 1, 0),
        ("directional_flip_ratio", 0, 1),
    ],
)
def test_rates_without_flips(name: str, everyone: float, unflipped: float) -> None:
    """A group without flips has no harmful share, and a direction of 1."""
    counts = flips(u=(2, 0, 2, 0), p=(3, 0, 0, 3))
    assert METRICS[name].of(counts) == everyone
    assert METRICS[name].values(counts)[1] == unflipped
    assert METRICS[name].of(counts.pick("p")) == unflipped


def test_direction_without_harmful_flips() -> None:
    """Only favorable flips have the direction inf."""
    assert METRICS["directional_flip_ratio"].of(flips(u=(0, 2, 0, 2))) == inf


@pytest.mark.parametrize(
    ("name", "counts", "value"),
    [
        (
            "flip_rate_disparity",
            flips(u=(2, 0, 2, 0), p=(3, 0, 0, 3)),
            Fraction(2, 4) / Fraction(2, 10),
        ),
        ("harmful_flip_disparity", flips(u=(2, 0, 2, 0), p=(3, 0, 0, 3)), 1 / Fraction(2, 10)),
        ("harmful_flip_disparity", flips(u=(0, 2, 0, 2), p=(3, 0, 0, 3)), 0),
        ("flip_rate_disparity", flips(u=(1, 0, 1, 2), p=(1, 1, 0, 2)), 0),
    ],
)
def test_plain_arithmetic(name: str, counts: OutcomeCounts, value: Any) -> None:
    """The convention "equation" divides as eq. 16 says, where that is finite."""
    assert METRICS[name].of(counts, convention="equation") == float(value)


@pytest.mark.parametrize("measure", [flip_rate_disparity, harmful_flip_disparity])
def test_plain_arithmetic_of_nothing(measure: Any) -> None:
    """Without any flips, eq. 16 is 0/0: undefined, where the source's table says 1."""
    arrays = [0, 1, 0, 1], [0, 1, 0, 1]
    groups = ["a", "a", "b", "b"]
    assert measure(*arrays, sensitive_features=groups, convention="paper") == 1
    with pytest.warns(
        UndefinedMetricWarning,
        match=rf"^{measure.__name__} is undefined: \w+ is 0 in all groups compared\.$",
    ):
        assert isnan(measure(*arrays, sensitive_features=groups, convention="equation"))


@pytest.mark.parametrize("measure", [flip_rate_disparity, harmful_flip_disparity])
def test_unknown_convention(measure: Any) -> None:
    """A convention that there is not is refused; a near one is suggested."""
    with pytest.raises(
        ValueError,
        match=r"^convention must be one of 'paper', 'equation', got 'papr'\. "
        r"Did you mean 'paper'\?$",
    ):
        measure(PREDICTED, CORRECTED, sensitive_features=GROUPS, convention="papr")


@pytest.mark.parametrize(
    ("true", "wrong", "correcting"),
    [
        ([1, 1, 1, 0, 0, 1, 1, 0, 0], Fraction(4, 9), Fraction(0)),
        ([0, 1, 1, 1, 0, 0, 0, 0, 0], Fraction(0), Fraction(4, 9)),
        ([1, 0, 0, 1, 1, 1, 0, 1, 1], Fraction(2, 9), Fraction(2, 9)),
    ],
)
def test_flips_against_the_truth(true: list[int], wrong: Fraction, correcting: Fraction) -> None:
    """Every flip is either away from the truth or towards it; who was kept does not count."""
    assert wrong_flip_rate(PREDICTED, CORRECTED, y_true=true) == float(wrong)
    assert correcting_flip_rate(PREDICTED, CORRECTED, y_true=true) == float(correcting)
    assert float(wrong + correcting) == flip_rate(PREDICTED, CORRECTED)


def test_unnecessary_relabeling() -> None:
    """Where nothing was to be repaired, relabeling everyone shows as FR 1 and HFP 1."""
    true, predicted, corrected = [1, 0, 1, 0] * 2, [1] * 8, [0] * 8
    groups = ["a"] * 4 + ["b"] * 4
    counts = OutcomeCounts.from_arrays(true, predicted, corrected, sensitive_features=groups)
    assert METRICS["equalized_odds_difference"].of(counts.before) == 0
    assert METRICS["equalized_odds_difference"].of(counts.after) == 0
    assert METRICS["flip_rate"].of(counts) == METRICS["harmful_flip_proportion"].of(counts) == 1
    assert METRICS["flip_rate_difference"].of(counts) == 0
