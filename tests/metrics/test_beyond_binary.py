"""Indices beyond two labels: the case of two labels, arithmetic, limits, and what is undefined."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfair_ofi import OutcomeCounts, objective_fairness_index
from skfair_ofi.metrics import METRICS
from skfair_ofi.metrics.beyond_binary import (
    benefit_flip_counts,
    benefit_index,
    ranking_fairness_index,
    regression_fairness_index,
)

BINARY = {0: 0, 1: 1}
GRADES = {"fail": 0.0, "pass": 0.5, "honors": 1.0}
PRIVILEGED = [None, "a", ["a", "c"]]


def _people(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """True labels, predictions and groups; as many predicted favorable as truly are."""
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, 2, n)
    return y_true, rng.permutation(y_true), np.array(list("abc"))[rng.integers(0, 3, n)]


@pytest.mark.parametrize("privileged", PRIVILEGED)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("index", "options"),
    [
        (benefit_index, {"benefit": BINARY}),
        (regression_fairness_index, {}),
        (regression_fairness_index, {"scale": "range"}),
        (ranking_fairness_index, {"discount": "selected", "per": "person"}),
    ],
)
def test_two_labels_are_recovered(
    index: Callable[..., float], options: dict[str, Any], seed: int, privileged: Any
) -> None:
    """Of two labels, every index is the Objective Fairness Index, to the last bit."""
    y_true, y_pred, groups = _people(seed)
    if "discount" in options:
        options = {**options, "discount": y_true.sum()}
    given = {"sensitive_features": groups, "privileged": privileged}
    found = index(y_true, y_pred, **given, **options)
    assert found == objective_fairness_index(y_true, y_pred, **given)
    assert type(found) is float


def test_shares_of_two_labels() -> None:
    """Groups of one size: shares, times who is qualified over a group's size, are OFI."""
    y_true, y_pred, groups = [1, 1, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 1, 1, 0, 0], list("aaaabbbb")
    given = {"sensitive_features": groups, "privileged": "b"}
    shares = ranking_fairness_index(y_true, y_pred, discount=3, **given)
    assert shares == pytest.approx(1 / 3 - 2 / 3 - (2 / 3 - 1 / 3))
    assert shares * 3 / 4 == pytest.approx(objective_fairness_index(y_true, y_pred, **given))


def test_weighted_two_labels() -> None:
    """Weights count as they do in the Objective Fairness Index."""
    y_true, y_pred, groups = _people(0)
    given = {"sensitive_features": groups, "sample_weight": np.linspace(0.1, 3, 60)}
    expected = pytest.approx(objective_fairness_index(y_true, y_pred, **given))
    assert benefit_index(y_true, y_pred, benefit=BINARY, **given) == expected
    assert regression_fairness_index(y_true, y_pred, **given) == expected


@pytest.mark.parametrize(
    ("privileged", "expected"),
    [("b", (0.5 - 1.0) / 2 - 0.5 / 2), ("a", 0.5 / 2 + 0.5 / 2), (None, 0.5)],
)
def test_benefit_arithmetic(privileged: Any, expected: float) -> None:
    """Group a loses half a grade over two people, group b gains one."""
    found = benefit_index(
        ["honors", "pass", "fail", "fail"],
        ["pass", "pass", "pass", "fail"],
        sensitive_features=list("aabb"),
        benefit=GRADES,
        privileged=privileged,
    )
    assert found == expected


@pytest.mark.parametrize("shift", [0, -3, 10])
@pytest.mark.parametrize("factor", [1, 2, 0.5])
def test_benefits_have_no_zero(shift: float, factor: float) -> None:
    """A constant added to all benefits changes nothing, a factor multiplies the index."""
    given = {"sensitive_features": list("aabb"), "privileged": "b"}
    found = benefit_index(
        [0, 1, 2, 2], [2, 1, 0, 2], benefit={k: shift + factor * k for k in range(3)}, **given
    )
    assert found == factor * 2


def test_benefit_limits() -> None:
    """All raised to the top in one group, all lowered to the bottom in the other: 2."""
    top = benefit_index(
        ["fail", "honors"], ["honors", "fail"], sensitive_features=["a", "b"], benefit=GRADES
    )
    assert top == 2.0


def test_errors_cancel() -> None:
    """An index can be 0 while every prediction is wrong."""
    wrong = {"sensitive_features": list("aabb")}
    assert benefit_index([2, 0, 2, 0], [0, 2, 0, 2], benefit={0: 0, 2: 2}, **wrong) == 0
    assert regression_fairness_index([2, 0, 2, 0], [0, 2, 0, 2], **wrong) == 0


@pytest.mark.parametrize(
    ("scale", "divisor"),
    [(None, 1), (4, 4), ("range", 40), ("std", np.std([10, 20, 30, 50]))],
)
def test_regression_arithmetic(scale: Any, divisor: float) -> None:
    """Mean errors are +2 in group a and -5 in group b, over the scale."""
    found = regression_fairness_index(
        [10, 20, 30, 50],
        [14, 20, 30, 40],
        sensitive_features=list("aabb"),
        scale=scale,
        privileged="b",
    )
    assert found == pytest.approx(7 / divisor)


@pytest.mark.parametrize("scale", [None, "range", "std"])
def test_weights_are_repeated_rows(scale: Any) -> None:
    """A weight of 3 is a row three times, and one of 0 none, in the scale as well."""
    rows = [0, 0, 0, 1, 2, 2, 3]
    true, pred, groups = (
        np.array(column) for column in ([1, 2, 4, 3, 99], [2, 2, 3, 5, 0], list("aabba"))
    )
    weighted = regression_fairness_index(
        true, pred, sensitive_features=groups, scale=scale, sample_weight=[3, 1, 2, 1, 0]
    )
    repeated = regression_fairness_index(
        true[rows], pred[rows], sensitive_features=groups[rows], scale=scale
    )
    assert weighted == pytest.approx(repeated)


@pytest.mark.parametrize(
    ("discount", "first", "total"),
    [
        ("log2", 1 + 1 / np.log2(3), 1 + 1 / np.log2(3) + 1 / 2 + 1 / np.log2(5)),
        ("reciprocal", 3 / 2, 25 / 12),
        (1, 1, 1),
        (3, 2, 3),
        (4, 2, 4),
        (9, 2, 4),
    ],
)
def test_ranking_arithmetic(discount: Any, first: float, total: float) -> None:
    """Group a takes the two first of four ranks, with a quarter of all merit."""
    found = ranking_fairness_index(
        [1, 1, 4, 2],
        [9, 8, 7, 6],
        sensitive_features=list("aabb"),
        discount=discount,
        privileged="b",
    )
    assert found == pytest.approx(2 * (first / total - 2 / 8))


@pytest.mark.parametrize("per", ["group", "person"])
def test_ties_share_their_exposure(per: Any) -> None:
    """People of one score share exposure, so a list without an order treats them alike."""
    given = {"sensitive_features": list("aaabbb"), "per": per}
    assert ranking_fairness_index([1] * 6, [5] * 6, **given) == pytest.approx(0, abs=1e-15)


def test_ranking_order_of_rows() -> None:
    """The order of rows does not matter, nor that of ranks given with a minus."""
    rng = np.random.default_rng(0)
    merit, score, groups = rng.integers(0, 4, 30), rng.integers(0, 9, 30), rng.integers(0, 3, 30)
    rows = rng.permutation(30)
    found = ranking_fairness_index(merit, score, sensitive_features=groups)
    turned = ranking_fairness_index(merit[rows], score[rows], sensitive_features=groups[rows])
    assert turned == pytest.approx(found)
    ranks = (score.max() - score) * 2 + 1
    assert ranking_fairness_index(merit, -ranks, sensitive_features=groups) == pytest.approx(found)


def test_privileged_of_a_ranking_is_everyone_else() -> None:
    """With three groups, the shares of everyone else add up."""
    found = ranking_fairness_index(
        [1, 1, 1, 0], [4, 3, 2, 1], sensitive_features=list("abcc"), discount=2, privileged="a"
    )
    assert found == pytest.approx((1 / 2 - 2 / 3) - (1 / 2 - 1 / 3))


def test_ranking_limits() -> None:
    """All exposure in one group and all merit in the other is 2, or -2 turned around."""
    given = {"sensitive_features": ["a", "b"], "discount": 1}
    assert ranking_fairness_index([0, 1], [2, 1], privileged="b", **given) == 2
    assert ranking_fairness_index([0, 1], [2, 1], privileged="a", **given) == -2


@pytest.mark.parametrize("container", [list, np.array, pd.Series, pl.Series])
def test_containers(container: Callable[..., Any]) -> None:
    """Columns of any library give one result."""
    labels, groups = ["pass", "fail", "honors"], ["a", "b", "b"]
    found = benefit_index(
        container(labels),
        container(labels[::-1]),
        sensitive_features=container(groups),
        benefit=GRADES,
    )
    assert found == 0.75


@pytest.mark.parametrize(
    ("index", "options", "reason"),
    [
        (benefit_index, {"benefit": BINARY}, "benefit_index is undefined: only one group, 'a'."),
        (
            regression_fairness_index,
            {"scale": "std"},
            "regression_fairness_index is undefined: only one group, 'a'.",
        ),
        (ranking_fairness_index, {}, "ranking_fairness_index is undefined: only one group, 'a'."),
    ],
)
def test_one_group_is_undefined(
    index: Callable[..., float], options: dict[str, Any], reason: str
) -> None:
    """With one group there is nothing to compare: NaN, with the reason."""
    with pytest.warns(UndefinedMetricWarning, match=f"^{reason}$"):
        assert np.isnan(index([0, 1], [1, 1], sensitive_features=["a", "a"], **options))


@pytest.mark.parametrize("scale", ["std", "range"])
def test_scale_without_spread_is_undefined(scale: Any) -> None:
    """True numbers that do not vary give no scale."""
    reason = r"^regression_fairness_index is undefined: the true values do not vary\.$"
    with pytest.warns(UndefinedMetricWarning, match=reason):
        found = regression_fairness_index(
            [3, 3], [1, 2], sensitive_features=["a", "b"], scale=scale
        )
    assert np.isnan(found)


def test_ranking_without_merit_is_undefined() -> None:
    """Shares of no merit are undefined."""
    reason = r"^ranking_fairness_index is undefined: no one has merit\.$"
    with pytest.warns(UndefinedMetricWarning, match=reason):
        assert np.isnan(ranking_fairness_index([0, 0], [1, 2], sensitive_features=["a", "b"]))


GIVEN = {"sensitive_features": ["a", "b"]}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: benefit_index([0, 2], [0, 1], benefit=BINARY, **GIVEN),
            r"^benefit must have a value for every label, got none for 2\.$",
        ),
        (
            lambda: benefit_index([0, 1], [0, 1], benefit=[0, 1], **GIVEN),
            r"^benefit must map labels to numbers, got \[0, 1\]\.$",
        ),
        (
            lambda: benefit_index([0, 1], [0, 1], benefit={0: 0, 1: np.inf}, **GIVEN),
            r"^benefit must hold finite numbers, got inf for 1\.$",
        ),
        (
            lambda: benefit_index([0, None], [0, 1], benefit=BINARY, **GIVEN),
            r"^y_true must not contain missing labels, got some\.$",
        ),
        (
            lambda: benefit_index([0, 1, 1], [0, 1], benefit=BINARY, **GIVEN),
            r"^Arrays must have the same number of rows, got y_true 3, y_pred 2\.$",
        ),
        (
            lambda: benefit_flip_counts([0, 1], [0, 1, 1], benefit=BINARY, **GIVEN),
            r"^Arrays must have the same number of rows, got y_pred 2, y_corrected 3\.$",
        ),
        (
            lambda: regression_fairness_index([0, 1], [0, 1], scale=0, **GIVEN),
            r"^scale must be positive, 'std', 'range' or None, got 0\.$",
        ),
        (
            lambda: regression_fairness_index([0, 1], [0, 1], scale="sd", **GIVEN),
            r"^scale must be one of 'std', 'range', got 'sd'\. Did you mean 'std'\?$",
        ),
        (
            lambda: regression_fairness_index([0, 1], [0, np.nan], **GIVEN),
            r"^y_pred must be finite, got nan at row 1\.$",
        ),
        (
            lambda: ranking_fairness_index([0, -1], [0, 1], **GIVEN),
            r"^y_true must not be negative, got -1\.0\.$",
        ),
        *(
            (
                lambda value=value: ranking_fairness_index([0, 1], [0, 1], discount=value, **GIVEN),
                rf"^discount must be 'log2', 'reciprocal' or a positive integer, got {value!r}\.$",
            )
            for value in ("log", 0, True, 2.5)
        ),
        (
            lambda: ranking_fairness_index([0, 1], [0, 1], per="head", **GIVEN),
            r"^per must be one of 'group', 'person', got 'head'\.$",
        ),
    ],
)
def test_refused(call: Callable[[], Any], message: str) -> None:
    """What cannot be read is refused, and the message names the argument."""
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("seed", range(3))
def test_flips_of_two_labels_are_recovered(seed: int) -> None:
    """Of two labels, the table of flips is the ordinary one."""
    first, second, groups = _people(seed)
    found = benefit_flip_counts(first, second, sensitive_features=groups, benefit=BINARY)
    assert found == OutcomeCounts.from_arrays(None, first, second, sensitive_features=groups)


def test_flips_arithmetic() -> None:
    """Rises are favorable, falls harmful; a new label of the same benefit is no flip."""
    ordered = {"none": 0, "short": 1, "brief": 1, "long": 2}
    found = benefit_flip_counts(
        ["none", "short", "short", "long", "long", "none", "long"],
        ["short", "long", "brief", "none", "long", "none", "short"],
        sensitive_features=list("aaaabbb"),
        benefit=ordered,
    )
    values = {
        name: METRICS[name].values(found).tolist()
        for name in ("flip_rate", "favorable_flip_rate", "harmful_flip_rate")
    }
    assert values["favorable_flip_rate"] == [2 / 4, 0]
    assert values["harmful_flip_rate"] == [1 / 4, 1 / 3]
    assert values["flip_rate"] == [3 / 4, 1 / 3]


def test_indices_do_not_warn_where_they_are_defined() -> None:
    """Defined values come without a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        benefit_index([0, 1], [1, 1], benefit=BINARY, **GIVEN)


def test_an_empty_ranking_is_refused() -> None:
    """A ranking ranks someone."""
    with pytest.raises(ValueError, match=r"^y_true must have at least one row, got none\.$"):
        ranking_fairness_index([], [], sensitive_features=[])


@pytest.mark.parametrize(
    ("benefit", "message"),
    [
        ({0: -1e308, 1: 1e308}, r"benefit must span at most 1e\+150, got -1e\+308 and 1e\+308\."),
        ({0: 0, 1: 10**400}, r"benefit must hold finite numbers, got 10+ for 1\."),
    ],
)
def test_benefits_whose_squares_overflow_are_refused(benefit: Any, message: str) -> None:
    """The mapping is named, not what is made of it."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        benefit_index([0, 1], [1, 1], sensitive_features=["a", "b"], benefit=benefit)
