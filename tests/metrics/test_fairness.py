"""Comparisons of labels: their parts, blind spots, undefined values and refused input."""

from collections.abc import Callable
from fractions import Fraction
from math import inf, isnan
from typing import Any

import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import (
    METRICS,
    accuracy,
    base_rate,
    conditional_statistical_parity_difference,
    conditional_use_accuracy_difference,
    disparate_impact,
    equal_opportunity_difference,
    equalized_odds_difference,
    mean_difference,
    objective_fairness_index,
    selection_rate,
    statistical_parity_difference,
    treatment_equality_difference,
    true_positive_rate,
)

# Group a: TP 2, FN 1, FP 1, TN 1; b: TP 1, FN 1, FP 3, TN 2.
TRUE = [1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0]
PREDICTED = [1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 0]
GROUPS = ["a"] * 5 + ["b"] * 7


def test_the_larger_of_two_gaps() -> None:
    """Equalized odds and conditional use accuracy give the larger of two absolute gaps."""
    found = equalized_odds_difference(TRUE, PREDICTED, sensitive_features=GROUPS)
    assert found == float(Fraction(2, 3) - Fraction(1, 2))
    true, predicted = [1, 1, 0, 1, 0, 0, 1, 1], [1, 1, 0, 0, 1, 0, 0, 0]
    mirrored = [1 - y for y in true], [1 - y for y in predicted]
    for arrays in ((true, predicted), mirrored):
        assert (
            conditional_use_accuracy_difference(*arrays, sensitive_features=list("aaaabbbb")) == 1
        )


@pytest.mark.parametrize(
    ("measure", "true", "predicted"),
    [
        (equalized_odds_difference, [1, 1, 1, 0], [1, 0, 1, 0]),
        (equalized_odds_difference, [0, 0, 1, 0], [1, 0, 1, 0]),
        (conditional_use_accuracy_difference, [1, 0, 1, 0], [1, 1, 1, 0]),
        (conditional_use_accuracy_difference, [1, 0, 1, 0], [0, 0, 1, 0]),
    ],
)
def test_one_undefined_part_is_not_passed_over(
    measure: Callable[..., float], true: list[int], predicted: list[int]
) -> None:
    """The larger of two gaps is undefined where either is, whichever stands first."""
    with pytest.warns(UndefinedMetricWarning, match=r" is undefined: no [a-z ]+ in group 'a'\.$"):
        assert isnan(measure(true, predicted, sensitive_features=["a", "a", "b", "b"]))


def test_mean_difference_of_scores() -> None:
    """With scores, means of scores are compared, weighted where rows are."""
    options: dict[str, Any] = {"sensitive_features": ["a", "a", "b"], "privileged": "b"}
    arrays = [1, 0, 1], [1, 0, 1]
    assert mean_difference(*arrays, **options) == 1 / 2 - 1
    assert mean_difference(*arrays, y_score=[1, 4, 5], **options) == 5 / 2 - 5
    weighted = mean_difference(*arrays, y_score=[1, 4, 5], sample_weight=[3, 1, 2], **options)
    assert weighted == 7 / 4 - 5


def test_objective_fairness_index_is_blind_to_errors_that_cancel() -> None:
    """OFI can be 0 while every prediction of a group is wrong: it alone makes no verdict."""
    true, predicted, groups = [1, 0, 1, 0], [0, 1, 1, 0], ["a", "a", "b", "b"]
    assert objective_fairness_index(true, predicted, sensitive_features=groups) == 0
    assert accuracy(true[:2], predicted[:2]) == 0
    assert METRICS["accuracy_difference"].function(true, predicted, sensitive_features=groups) == 1


@pytest.mark.parametrize(
    ("measure", "value"), [(statistical_parity_difference, 0), (objective_fairness_index, 0)]
)
@pytest.mark.parametrize("privileged", [None, "a", "b"])
def test_nobody_is_selected(
    measure: Callable[..., float], value: float, privileged: str | None
) -> None:
    """With all scores 0, differences are 0."""
    true, predicted, groups = [1, 0, 1, 0, 0, 0, 1, 1], [0] * 8, list("aaaabbbb")
    found = measure(true, predicted, sensitive_features=groups, privileged=privileged)
    assert found == value


@pytest.mark.parametrize("privileged", [None, "a", "b"])
def test_ratio_of_nobody_to_nobody(privileged: str | None) -> None:
    """With all scores 0, the ratio 0/0 is undefined, and its verdict neither pass nor fail."""
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"^disparate_impact is undefined: selection_rate is 0 in all groups compared\.$",
    ):
        found = disparate_impact(
            None, [0] * 8, sensitive_features=list("aaaabbbb"), privileged=privileged
        )
    assert isnan(found)
    assert METRICS["disparate_impact"].bands.judge(found) == "undefined"


def test_rate_of_nobody() -> None:
    """A group without positives has no true positive rate: neither 0 nor a gap of 1."""
    true, predicted, groups = [1, 1, 0, 0], [1, 1, 0, 1], ["a", "a", "b", "b"]
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"^equal_opportunity_difference is undefined: no positives in group 'b'\.$",
    ):
        assert isnan(equal_opportunity_difference(true, predicted, sensitive_features=groups))
    with pytest.warns(
        UndefinedMetricWarning, match=r"^true_positive_rate is undefined: no positives\.$"
    ):
        assert isnan(true_positive_rate(true[2:], predicted[2:]))


def test_ratio_to_a_group_that_is_never_selected() -> None:
    """Someone against nobody is infinite, nobody against someone 0."""
    options: dict[str, Any] = {"sensitive_features": ["a", "a", "b", "b"]}
    assert disparate_impact(None, [1, 0, 0, 0], privileged="b", **options) == inf
    assert disparate_impact(None, [1, 0, 0, 0], privileged="a", **options) == 0
    assert disparate_impact(None, [1, 0, 0, 0], **options) == 0


@pytest.mark.parametrize(
    ("true", "predicted", "privileged", "value"),
    [
        ([1, 1, 0, 1, 0], [0, 0, 1, 0, 1], "b", 2 - 1),
        ([1, 1, 1, 1, 0], [0, 0, 1, 0, 1], "b", inf),
        ([1, 1, 1, 1, 0], [0, 0, 1, 0, 1], "a", -inf),
        ([1, 1, 1, 1, 0], [0, 0, 1, 0, 1], None, inf),
    ],
)
def test_treatment_equality(
    true: list[int], predicted: list[int], privileged: str | None, value: float
) -> None:
    """False negatives without false positives are infinitely worse treatment, with a sign."""
    found = treatment_equality_difference(
        true, predicted, sensitive_features=list("aaabb"), privileged=privileged
    )
    assert found == value


def test_condition() -> None:
    """A condition leaves rows out, and a group that nobody is left of stays a group."""
    options: dict[str, Any] = {"sensitive_features": ["a", "a", "b", "b"]}
    measure = conditional_statistical_parity_difference
    assert measure(None, [1, 0, 1, 1], where=[True, True, True, False], **options) == 1 / 2
    assert measure(None, [1, 0, 1, 1], where=[True, False, True, True], **options) == 0
    with pytest.warns(
        UndefinedMetricWarning,
        match=rf"^{measure.__name__} is undefined: no people in group 'b'\.$",
    ):
        assert isnan(measure(None, [1, 0, 1, 1], where=[True, True, False, False], **options))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ([1, 0, 1, 1], r"^where must hold True and False only, got \[(0, 1|1, 0)\]\.$"),
        ([True, None, True, True], r"^where must hold True and False only, got \[.*None.*\]\.$"),
        (["yes", "no", "no", "no"], r"^where must hold True and False only, got \[.*\]\.$"),
        (
            [True, False],
            r"^Arrays must have the same number of rows, got .*where 2.*\.$",
        ),
        ([True], r"^Arrays must have the same number of rows, got .*where 1.*\.$"),
    ],
)
def test_what_is_no_condition(where: list[Any], message: str) -> None:
    """A condition is one boolean a row."""
    with pytest.raises(ValueError, match=message):
        conditional_statistical_parity_difference(
            None, [1, 0, 1, 1], where=where, sensitive_features=["a", "a", "b", "b"]
        )


def test_favorable_label_of_words() -> None:
    """With words, the favorable label has to be named, and rates follow it."""
    predicted, groups = ["y", "y", "y", "n"], list("aabb")
    counts = OutcomeCounts.from_arrays(y_pred=predicted, sensitive_features=groups, pos_label="y")
    assert METRICS["selection_rate"].values(counts).tolist() == [1, 1 / 2]
    assert disparate_impact(None, predicted, sensitive_features=groups, pos_label="y") == 1 / 2
    assert selection_rate(None, predicted, pos_label="n") == 1 / 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: selection_rate(None, ["y", "y", "y", "n"]),
            (
                r"^pos_label must be given for the labels \['n', 'y'\]: pass the label that is the "
                r"favorable outcome, pos_label=.*\.$"
            ),
        ),
        (
            lambda: selection_rate(None, ["y", "y", "y", "y"]),
            (
                r"^pos_label must be given for the labels \['y'\]: pass the label that is the "
                r"favorable outcome, pos_label=.*\.$"
            ),
        ),
        (
            lambda: selection_rate(None, [1, 2]),
            (
                r"^pos_label must be given for the labels \[1, 2\]: pass the label that is the "
                r"favorable outcome, pos_label=.*\.$"
            ),
        ),
        (
            lambda: selection_rate(None, ["0", "1"]),
            (
                r"^pos_label must be given for the labels \['0', '1'\]: pass the label that is the "
                r"favorable outcome, pos_label=.*\.$"
            ),
        ),
        (
            lambda: selection_rate(None, ["y", "n"], pos_label="yes"),
            r"^pos_label must be one of the labels \['y', 'n'\], got 'yes'\.$",
        ),
        (
            lambda: selection_rate(None, ["1", "1"], pos_label=1),
            r"^pos_label must be of the labels' type \['1'\], got 1\.$",
        ),
        (
            lambda: accuracy([0, 1, 2], [0, 1, 1]),
            r"^Labels must be two, got 3: y_true has \[0, 1, 2\]; y_pred has \[0, 1\]\.$",
        ),
        (
            lambda: accuracy([0, 1, 2], [0, 1, 1], pos_label=1),
            r"^Labels must be two, got 3: y_true has \[0, 1, 2\]; y_pred has \[0, 1\]\.$",
        ),
        (
            lambda: accuracy([0, 1, None], [0, 1, 1]),
            r"^y_true must not contain missing labels, got some\.$",
        ),
        (
            lambda: accuracy([0, 1, 1], [0, 1, float("nan")]),
            r"^y_pred must not contain missing labels, got some\.$",
        ),
        (
            lambda: accuracy([0, 1, 1], [0, 1]),
            r"^Arrays must have the same number of rows, got .*y_true 3, y_pred 2\.$",
        ),
        (
            lambda: accuracy([0, 1], [0, 1], sample_weight=[1, 1, 1]),
            r"^Arrays must have the same number of rows, got .*sample_weight 3\.$",
        ),
        (
            lambda: accuracy([0, 1], [0, 1], sample_weight=[1, -1]),
            r"^sample_weight must not be negative, got -1\.0\.$",
        ),
        (
            lambda: accuracy([0, 1], [0, 1], sample_weight=[1, float("nan")]),
            r"^sample_weight must be finite, got nan at row 1\.$",
        ),
        (
            lambda: objective_fairness_index(
                [1, 0], [1, 0], sensitive_features=["a", "b"], privileged="A"
            ),
            r"^privileged must be one of the groups \['a', 'b'\], got 'A'\.$",
        ),
        (
            lambda: objective_fairness_index(
                [1, 0], [1, 0], sensitive_features=[0, 1], privileged="1"
            ),
            (
                r"^privileged must be one of the groups \[0, 1\], got '1'\. The data hold 1, of "
                r"another type\.$"
            ),
        ),
        (
            lambda: objective_fairness_index(
                [1, 0], [1, 0], sensitive_features=["a", "b"], privileged=[]
            ),
            r"^privileged must be one of the groups \['a', 'b'\], got \[\]\.$",
        ),
        (
            lambda: objective_fairness_index([1, 0], [1, 0], sensitive_features=["a", None]),
            r"^sensitive_features must not contain missing values, got 1 missing in 2 rows\..*\.$",
        ),
        (lambda: selection_rate(None, None), r"^y_pred or y_true must be given, got None\.$"),
        (lambda: accuracy([], []), r"^y_\w+ must have at least one row, got none\.$"),
    ],
)
def test_refused_input(call: Callable[[], float], message: str) -> None:
    """Input that means nothing is refused, with the parameter's name and what was given."""
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: accuracy([1, 0], None), "y_pred"),
        (lambda: accuracy(None, [1, 0]), "y_true"),
        (lambda: selection_rate([1, 0], None), "y_pred"),
        (lambda: base_rate(None, [1, 0]), "y_true"),
        (
            lambda: objective_fairness_index(None, [1, 0], sensitive_features=["a", "b"]),
            "y_true",
        ),
        (lambda: METRICS["flip_rate"].function([1, 0], None), "y_corrected"),
        (
            lambda: METRICS["wrong_flip_rate"].function([1, 0], [1, 0], y_true=None),
            "y_true",
        ),
        (lambda: METRICS["mean_score_positives"].function(None, [1, 0]), "y_true"),
    ],
)
def test_labels_that_are_needed(call: Callable[[], float], name: str) -> None:
    """A measure of labels that are not given is refused, and says which it needs."""
    with pytest.raises(ValueError, match=rf"\b{name}\b.*\.$"):
        call()


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda: selection_rate(None, [1, 0]), 1 / 2),
        (lambda: base_rate([1, 0], None), 1 / 2),
        (lambda: disparate_impact(None, [1, 1], sensitive_features=["a", "b"]), 1),
        (lambda: statistical_parity_difference(None, [1, 0], sensitive_features=["a", "b"]), 1),
        (lambda: METRICS["mean_score"].function(None, [1, 4]), 5 / 2),
    ],
)
def test_labels_that_are_not_needed(call: Callable[[], float], value: float) -> None:
    """Labels that a measure does not use may be None."""
    assert call() == value
