"""Every measure on the same twenty people, against arithmetic done by hand.

A new measure needs one row in ``RATES`` or ``COMPARISONS``. People by group:

===== == == == == ============== ============ ===================
group TP FN FP TN harmful flips  favorable    flips that are wrong
===== == == == == ============== ============ ===================
a      2  1  1  1 1              1            1 of 2
b      1  2  1  3 1              2            1 of 3
c      3  1  2  2 2              1            2 of 3
===== == == == == ============== ============ ===================
"""

from collections.abc import Callable
from fractions import Fraction as F  # noqa: N817 - sixty fractions read better with a short name
from typing import Any, NamedTuple

import pytest

from skfair_ofi.metrics import METRICS, Metric

# group, y_true, y_pred, y_corrected, y_score, where
ROWS = [
    ("a", 1, 1, 1, 8, True),
    ("a", 1, 1, 0, 6, False),
    ("a", 1, 0, 1, 4, True),
    ("a", 0, 1, 1, 7, True),
    ("a", 0, 0, 0, 1, True),
    ("b", 1, 1, 1, 9, True),
    ("b", 1, 0, 1, 5, False),
    ("b", 1, 0, 0, 3, True),
    ("b", 0, 1, 0, 6, True),
    ("b", 0, 0, 1, 4, True),
    ("b", 0, 0, 0, 2, False),
    ("b", 0, 0, 0, 1, True),
    ("c", 1, 1, 1, 9, True),
    ("c", 1, 1, 1, 7, True),
    ("c", 1, 1, 0, 5, True),
    ("c", 1, 0, 0, 6, False),
    ("c", 0, 1, 1, 8, True),
    ("c", 0, 1, 0, 6, False),
    ("c", 0, 0, 1, 4, True),
    ("c", 0, 0, 0, 2, True),
]
NAMES = ("sensitive_features", "y_true", "y_pred", "y_corrected", "y_score", "where")

People = dict[str, list[Any]]


def people_of(groups: str) -> People:
    """Return the columns of the people of these groups."""
    columns = zip(*(row for row in ROWS if row[0] in groups), strict=True)
    return dict(zip(NAMES, map(list, columns), strict=True))


def weights_of(people: People) -> list[float]:
    """Return weights: true positives count one and a half times."""
    pairs = zip(people["y_true"], people["y_pred"], strict=True)
    return [1.5 if true == predicted == 1 else 1.0 for true, predicted in pairs]


class Rate(NamedTuple):
    """Values of one rate."""

    a: F
    b: F
    c: F
    all: F
    weighted: F


class Comparison(NamedTuple):
    """Values of one comparison.

    two: a against the privileged b. many: a, b and c, none privileged. rest: a and c
    against the privileged b. weighted: as two, with weights.
    """

    two: F
    many: F
    rest: F
    weighted: F


# fmt: off
RATES = {
    "selection_rate": Rate(
        F(3, 5), F(2, 7), F(5, 8), F(10, 20), F(13, 23)
    ),
    "base_rate": Rate(
        F(3, 5), F(3, 7), F(4, 8), F(10, 20), F(13, 23)
    ),
    "marginal_benefit": Rate(
        F(1 - 1, 5), F(1 - 2, 7), F(2 - 1, 8), F(4 - 4, 20), F(4 - 4, 23)
    ),
    "accuracy": Rate(
        F(2 + 1, 5), F(1 + 3, 7), F(3 + 2, 8), F(6 + 6, 20), F(9 + 6, 23)
    ),
    "true_positive_rate": Rate(
        F(2, 3), F(1, 3), F(3, 4), F(6, 10), F(9, 13)
    ),
    "false_positive_rate": Rate(
        F(1, 2), F(1, 4), F(2, 4), F(4, 10), F(4, 10)
    ),
    "true_negative_rate": Rate(
        F(1, 2), F(3, 4), F(2, 4), F(6, 10), F(6, 10)
    ),
    "false_negative_rate": Rate(
        F(1, 3), F(2, 3), F(1, 4), F(4, 10), F(4, 13)
    ),
    "positive_predictive_value": Rate(
        F(2, 3), F(1, 2), F(3, 5), F(6, 10), F(9, 13)
    ),
    "negative_predictive_value": Rate(
        F(1, 2), F(3, 5), F(2, 3), F(6, 10), F(6, 10)
    ),
    "false_discovery_rate": Rate(
        F(1, 3), F(1, 2), F(2, 5), F(4, 10), F(4, 13)
    ),
    "false_omission_rate": Rate(
        F(1, 2), F(2, 5), F(1, 3), F(4, 10), F(4, 10)
    ),
    "treatment_ratio": Rate(
        F(1, 1), F(2, 1), F(1, 2), F(4, 4), F(4, 4)
    ),
    "average_odds": Rate(
        (F(2, 3) + F(1, 2)) / 2, (F(1, 3) + F(1, 4)) / 2, (F(3, 4) + F(2, 4)) / 2,
        (F(6, 10) + F(4, 10)) / 2, (F(9, 13) + F(4, 10)) / 2,
    ),
    "flip_rate": Rate(
        F(1 + 1, 5), F(1 + 2, 7), F(2 + 1, 8), F(4 + 4, 20), F(5 + 4, 23)
    ),
    "favorable_flip_rate": Rate(
        F(1, 5), F(2, 7), F(1, 8), F(4, 20), F(4, 23)
    ),
    "harmful_flip_rate": Rate(
        F(1, 5), F(1, 7), F(2, 8), F(4, 20), F(5, 23)
    ),
    "harmful_flip_proportion": Rate(
        F(1, 2), F(1, 3), F(2, 3), F(4, 8), F(5, 9)
    ),
    "directional_flip_ratio": Rate(
        F(1, 1), F(2, 1), F(1, 2), F(4, 4), F(4, 5)
    ),
    "wrong_flip_rate": Rate(
        F(1, 5), F(1, 7), F(2, 8), F(4, 20), F(5, 23)
    ),
    "correcting_flip_rate": Rate(
        F(1, 5), F(2, 7), F(1, 8), F(4, 20), F(4, 23)
    ),
    "mean_score": Rate(
        F(26, 5), F(30, 7), F(47, 8), F(103, 20), F(125, 23)
    ),
    "mean_score_positives": Rate(
        F(18, 3), F(17, 3), F(27, 4), F(62, 10), F(84, 13)
    ),
    "mean_score_negatives": Rate(
        F(8, 2), F(13, 4), F(20, 4), F(41, 10), F(41, 10)
    ),
}

COMPARISONS = {
    "objective_fairness_index": Comparison(
        F(0, 5) - F(-1, 7), F(1, 8) - F(-1, 7), F(1, 13) - F(-1, 7),
        weighted=F(0, 6) - F(-2, 15),
    ),
    "disparate_impact": Comparison(
        F(3, 5) / F(2, 7), F(2, 7) / F(5, 8), F(8, 13) / F(2, 7),
        weighted=F(4, 6) / F(5, 15),
    ),
    "statistical_parity_difference": Comparison(
        F(3, 5) - F(2, 7), F(5, 8) - F(2, 7), F(8, 13) - F(2, 7),
        weighted=F(4, 6) - F(5, 15),
    ),
    "average_odds_difference": Comparison(
        (F(2, 3) - F(1, 3) + F(1, 2) - F(1, 4)) / 2,
        (F(3, 4) - F(1, 3) + F(2, 4) - F(1, 4)) / 2,
        (F(5, 7) - F(1, 3) + F(3, 6) - F(1, 4)) / 2,
        weighted=(F(3, 4) - F(3, 7) + F(1, 2) - F(1, 4)) / 2,
    ),
    "equal_opportunity_difference": Comparison(
        F(2, 3) - F(1, 3), F(3, 4) - F(1, 3), F(5, 7) - F(1, 3),
        weighted=F(3, 4) - F(3, 7),
    ),
    "predictive_equality_difference": Comparison(
        F(1, 2) - F(1, 4), F(2, 4) - F(1, 4), F(3, 6) - F(1, 4),
        weighted=F(1, 2) - F(1, 4),
    ),
    "equalized_odds_difference": Comparison(
        max(F(2, 3) - F(1, 3), F(1, 2) - F(1, 4)),
        max(F(3, 4) - F(1, 3), F(2, 4) - F(1, 4)),
        max(F(5, 7) - F(1, 3), F(3, 6) - F(1, 4)),
        weighted=max(F(3, 4) - F(3, 7), F(1, 2) - F(1, 4)),
    ),
    "accuracy_difference": Comparison(
        F(3, 5) - F(4, 7), F(5, 8) - F(4, 7), F(8, 13) - F(4, 7),
        weighted=F(4, 6) - F(9, 15),
    ),
    "mean_difference": Comparison(
        F(3, 5) - F(2, 7), F(5, 8) - F(2, 7), F(8, 13) - F(2, 7),
        weighted=F(4, 6) - F(5, 15),
    ),
    "predictive_parity_difference": Comparison(
        F(2, 3) - F(1, 2), F(2, 3) - F(1, 2), F(5, 8) - F(1, 2),
        weighted=F(3, 4) - F(3, 5),
    ),
    "conditional_use_accuracy_difference": Comparison(
        max(F(2, 3) - F(1, 2), F(3, 5) - F(1, 2)),
        max(F(2, 3) - F(1, 2), F(2, 3) - F(1, 2)),
        max(F(5, 8) - F(1, 2), F(3, 5) - F(3, 5)),
        weighted=max(F(3, 4) - F(3, 5), F(3, 5) - F(1, 2)),
    ),
    "conditional_statistical_parity_difference": Comparison(
        F(2, 4) - F(2, 5), F(4, 6) - F(2, 5), F(6, 10) - F(2, 5),
        weighted=F(5, 9) - F(5, 11),
    ),
    "calibration_difference": Comparison(
        F(2, 3) - F(1, 3), F(2, 3) - F(1, 3), F(5, 8) - F(1, 3),
        weighted=F(5, 7) - F(1, 3),
    ),
    "positive_balance_difference": Comparison(
        F(18, 3) - F(17, 3), F(27, 4) - F(17, 3), F(45, 7) - F(17, 3),
        weighted=F(25, 4) - F(43, 7),
    ),
    "negative_balance_difference": Comparison(
        F(8, 2) - F(13, 4), F(20, 4) - F(13, 4), F(28, 6) - F(13, 4),
        weighted=F(8, 2) - F(13, 4),
    ),
    "treatment_equality_difference": Comparison(
        F(1, 1) - F(2, 1), F(2, 1) - F(1, 2), F(2, 3) - F(2, 1),
        weighted=F(1, 1) - F(2, 1),
    ),
    "flip_rate_difference": Comparison(
        F(3, 7) - F(2, 5), F(3, 7) - F(3, 8), F(3, 7) - F(5, 13),
        weighted=F(5, 12) - F(6, 15),
    ),
    "harmful_flip_proportion_difference": Comparison(
        F(1, 2) - F(1, 3), F(2, 3) - F(1, 3), F(3, 5) - F(1, 3),
        weighted=F(3, 5) - F(1, 3),
    ),
    "flip_disparity_index": Comparison(
        F(3, 7) / F(2, 5), F(3, 7) / F(3, 8), F(3, 7) / F(5, 13),
        weighted=F(5, 12) / F(6, 15),
    ),
    "harmful_flip_disparity_index": Comparison(
        F(1, 2) / F(1, 3), F(2, 3) / F(1, 3), F(3, 5) / F(1, 3),
        weighted=F(3, 5) / F(1, 3),
    ),
    "flip_rate_disparity": Comparison(
        (F(3, 7) - F(2, 5)) / F(5, 12), (F(3, 7) - F(3, 8)) / F(8, 20),
        (F(3, 7) - F(5, 13)) / F(8, 20),
        weighted=(F(5, 12) - F(6, 15)) / F(11, 27),
    ),
    "harmful_flip_disparity": Comparison(
        (F(1, 2) - F(1, 3)) / F(5, 12), (F(2, 3) - F(1, 3)) / F(8, 20),
        (F(3, 5) - F(1, 3)) / F(8, 20),
        weighted=(F(3, 5) - F(1, 3)) / F(11, 27),
    ),
    "relative_flip_disparity": Comparison(
        (F(3, 7) - F(2, 5)) / (F(3, 7) + F(2, 5)), (F(3, 7) - F(3, 8)) / (F(3, 7) + F(3, 8)),
        (F(3, 7) - F(5, 13)) / (F(3, 7) + F(5, 13)),
        weighted=(F(5, 12) - F(6, 15)) / (F(5, 12) + F(6, 15)),
    ),
    "relative_harmful_flip_disparity": Comparison(
        (F(1, 2) - F(1, 3)) / (F(1, 2) + F(1, 3)), (F(2, 3) - F(1, 3)) / (F(2, 3) + F(1, 3)),
        (F(3, 5) - F(1, 3)) / (F(3, 5) + F(1, 3)),
        weighted=(F(3, 5) - F(1, 3)) / (F(3, 5) + F(1, 3)),
    ),
}
# fmt: on

# unfavorable and favorable label, and what has to be passed to say so
ENCODINGS = [
    pytest.param(0, 1, None, id="integers"),
    pytest.param(0, 1, 1, id="integers named"),
    pytest.param(-1, 1, None, id="signs"),
    pytest.param(False, True, None, id="booleans"),
    pytest.param("reject", "hire", "hire", id="strings"),
    pytest.param(1, 0, 0, id="zero is favorable"),
    pytest.param(1, 2, 2, id="other integers"),
]


def encoded(people: People, unfavorable: Any, favorable: Any) -> People:
    """Return the people with their labels spelled in another way."""
    labels = ("y_true", "y_pred", "y_corrected")
    spelled = {name: [(unfavorable, favorable)[i] for i in people[name]] for name in labels}
    return {**people, **spelled}


def test_every_measure_has_a_row() -> None:
    """Every measure of the registry has its row of expected values, and there is no other."""
    assert {m.name for m in METRICS.values() if m.kind == "rate"} == set(RATES)
    assert {m.name for m in METRICS.values() if m.kind == "comparison"} == set(COMPARISONS)


@pytest.mark.parametrize("group", ["a", "b", "c", "all"])
@pytest.mark.parametrize("name", RATES)
def test_rate(
    name: str, group: str, measure: Callable[..., float], table: Callable[..., Any]
) -> None:
    """A rate of one group's people, and of everyone, is the share written in its row."""
    metric, people = METRICS[name], people_of("abc" if group == "all" else group)
    expected = float(getattr(RATES[name], group))
    assert measure(metric, people) == expected
    assert metric.of(table(metric, people)) == expected


@pytest.mark.parametrize("name", RATES)
def test_rate_of_every_group(name: str, table: Callable[..., Any]) -> None:
    """A rate's values are one share a group, in the order of the groups."""
    metric, row = METRICS[name], RATES[name]
    counts = table(metric, people_of("abc"))
    assert counts.groups == ("a", "b", "c")
    assert metric.values(counts).tolist() == [float(row.a), float(row.b), float(row.c)]
    assert [metric.exact(counts, place) for place in range(3)] == [row.a, row.b, row.c]


@pytest.mark.parametrize("name", RATES)
def test_rate_with_weights(
    name: str, measure: Callable[..., float], table: Callable[..., Any]
) -> None:
    """A rate with weights is the share of the weight."""
    metric, people = METRICS[name], people_of("abc")
    weight = weights_of(people)
    expected = pytest.approx(float(RATES[name].weighted), rel=1e-12)
    assert measure(metric, people, sample_weight=weight) == expected
    assert metric.of(table(metric, people, weight)) == expected


@pytest.mark.parametrize("case", ["two", "many", "rest"])
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparison(
    name: str, case: str, measure: Callable[..., float], table: Callable[..., Any]
) -> None:
    """A comparison is the difference or ratio written in its row, from arrays and tables."""
    metric, people = METRICS[name], people_of("ab" if case == "two" else "abc")
    privileged = None if case == "many" else "b"
    expected = float(getattr(COMPARISONS[name], case))
    assert measure(metric, people, privileged=privileged) == expected
    assert metric.of(table(metric, people), privileged=privileged) == expected


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparison_with_weights(
    name: str, measure: Callable[..., float], table: Callable[..., Any]
) -> None:
    """A comparison with weights compares shares of the weight."""
    metric, people = METRICS[name], people_of("ab")
    weight = weights_of(people)
    expected = pytest.approx(float(COMPARISONS[name].weighted), rel=1e-12)
    assert measure(metric, people, privileged="b", sample_weight=weight) == expected
    assert metric.of(table(metric, people, weight), privileged="b") == expected


def turned(metric: Metric, value: F) -> F:
    """Return a comparison's value once the two sides have changed places."""
    if metric.name == "disparate_impact":
        return 1 / value
    return -value if metric.bounds[0] < 0 else value


@pytest.mark.parametrize(
    "privileged", [["a", "c"], ("c", "a"), {"a", "c"}], ids=["list", "tuple", "set"]
)
@pytest.mark.parametrize("name", COMPARISONS)
def test_several_privileged_groups(
    name: str, privileged: Any, measure: Callable[..., float]
) -> None:
    """Several privileged groups are one side: what a and c lose against b, b wins."""
    metric = METRICS[name]
    expected = float(turned(metric, COMPARISONS[name].rest))
    assert measure(metric, people_of("abc"), privileged=privileged) == expected


@pytest.mark.parametrize("name", COMPARISONS)
def test_two_groups_without_privileged(name: str, measure: Callable[..., float]) -> None:
    """Without a privileged group, a difference is the gap and a ratio the smaller one."""
    metric, value = METRICS[name], COMPARISONS[name].two
    smaller = min if metric.name == "disparate_impact" else max
    expected = float(smaller(value, turned(metric, value)))
    assert measure(metric, people_of("ab")) == expected


@pytest.mark.parametrize(("unfavorable", "favorable", "pos_label"), ENCODINGS)
@pytest.mark.parametrize("name", [*RATES, *COMPARISONS])
def test_spelling_of_labels(
    name: str, unfavorable: Any, favorable: Any, pos_label: Any, measure: Callable[..., float]
) -> None:
    """A measure depends on which label is favorable, not on how labels are spelled."""
    people = encoded(people_of("abc"), unfavorable, favorable)
    found = measure(METRICS[name], people, pos_label=pos_label)
    assert found == float(RATES[name].all if name in RATES else COMPARISONS[name].many)
