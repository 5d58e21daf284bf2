"""Intervals beyond two labels: the case of two labels, arithmetic, coverage."""

from collections.abc import Callable
from math import isnan, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_interval
from skfair_ofi.inference.beyond_binary import (
    benefit_interval,
    ranking_interval,
    regression_interval,
)
from skfair_ofi.metrics.beyond_binary import benefit_index, ranking_fairness_index

ORDERED = {0: 0, 1: 1, 2: 2}
RANKED = {"n_resamples": 200, "random_state": 0}


def _people(n: int = 150, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, n), rng.integers(0, 3, n), rng.integers(0, 3, n)


@pytest.mark.parametrize("privileged", [None, 1, [0, 2]])
def test_two_labels_are_recovered(privileged: Any) -> None:
    """Of two labels, the interval is that of the Objective Fairness Index."""
    y_true, y_pred, groups = _people()
    y_true, y_pred = y_true > 0, y_pred > 0
    table = OutcomeCounts.from_arrays(y_true, y_pred, sensitive_features=groups)
    expected = confidence_interval(table, "objective_fairness_index", privileged=privileged)
    found = benefit_interval(
        y_true,
        y_pred,
        sensitive_features=groups,
        benefit={False: 0, True: 1},
        privileged=privileged,
    )
    assert (found.method, found.estimate) == (expected.method, expected.estimate)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_benefit_arithmetic() -> None:
    """Half a person a step up and half a one down join each group of Wald's interval."""
    found = benefit_interval(
        [0] * 40,
        [2] * 10 + [0] * 30,
        sensitive_features=["a"] * 20 + ["b"] * 20,
        benefit=ORDERED,
        privileged="b",
    )
    mean = 20 / 21
    variance = (10 * 4 + 1) / 21 - mean**2 + 1 / 21
    reach = stats.norm.ppf(0.975) * sqrt(variance / 21)
    assert (found.estimate, found.method) == (1.0, "adjusted Wald")
    assert (found.low, found.high) == pytest.approx((mean - reach, mean + reach))


@pytest.mark.parametrize("scale", [None, 2, "std"])
def test_regression_is_welch(scale: Any) -> None:
    """The interval of mean errors is that of Welch's test in SciPy, over the scale."""
    rng = np.random.default_rng(0)
    true, pred, groups = rng.normal(size=50), rng.normal(size=50), rng.integers(0, 2, 50)
    divisor = {None: 1, 2: 2, "std": true.std()}[scale]
    found = regression_interval(true, pred, sensitive_features=groups, scale=scale, privileged=1)
    errors = (pred - true) / divisor
    test = stats.ttest_ind(errors[groups == 0], errors[groups == 1], equal_var=False)
    expected = test.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("per", ["group", "person"])
@pytest.mark.parametrize("privileged", [None, 1])
@pytest.mark.parametrize("discount", ["log2", "reciprocal", 40])
def test_ranking_holds_its_estimate(per: Any, privileged: Any, discount: Any) -> None:
    """The interval holds the index, whatever is drawn, and draws with one seed agree."""
    merit, score, groups = _people()
    given = {"sensitive_features": groups, "discount": discount, "per": per}
    found = ranking_interval(merit, score, privileged=privileged, **given, **RANKED)
    assert found.estimate == ranking_fairness_index(merit, score, privileged=privileged, **given)
    assert found.low <= found.estimate <= found.high
    assert found == ranking_interval(merit, score, privileged=privileged, **given, **RANKED)


def test_drawn_lists_are_ranked_anew() -> None:
    """The standard error is that of lists of rows drawn and ranked one by one."""
    rng = np.random.default_rng(0)
    merit, score = rng.integers(0, 3, 40), rng.integers(0, 25, 40)
    groups = rng.integers(0, 2, 40)
    found = ranking_interval(
        merit, score, sensitive_features=groups, privileged=1, n_resamples=4000, random_state=1
    )
    rows = rng.integers(0, 40, (1000, 40))
    drawn = [
        ranking_fairness_index(merit[r], score[r], sensitive_features=groups[r], privileged=1)
        for r in rows
    ]
    assert found.width / (2 * stats.norm.ppf(0.975)) == pytest.approx(np.std(drawn), rel=0.08)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_workers_that_share_lists_change_nothing(n_jobs: int) -> None:
    """One seed gives one interval, whoever draws the lists."""
    merit, score, groups = _people()
    given = {"sensitive_features": groups, "n_resamples": 2500, "random_state": 0}
    alone = ranking_interval(merit, score, **given)
    assert ranking_interval(merit, score, n_jobs=n_jobs, **given) == alone


def test_lists_without_a_group_are_left_out() -> None:
    """Where lists drawn lack a group, they are left out and counted in the note."""
    found = ranking_interval(
        [1, 1, 0, 1], [4, 3, 2, 1], sensitive_features=list("abbb"), privileged="b", **RANKED
    )
    assert found.note.endswith(" of 200 lists drawn lack a group or merit")
    assert found.low < found.high


@pytest.mark.parametrize(
    ("interval", "options", "note"),
    [
        (benefit_interval, {"benefit": ORDERED}, "only one group, 'a'"),
        (regression_interval, {}, "only one group, 'a'"),
        (ranking_interval, RANKED, "only one group, 'a'"),
    ],
)
def test_undefined_has_no_ends(
    interval: Callable[..., Any], options: dict[str, Any], note: str
) -> None:
    """An undefined index has no ends, and the note says why."""
    found = interval([0, 1], [1, 1], sensitive_features=["a", "a"], **options)
    assert (found.method, found.note) == ("none", note)
    assert isnan(found.low)
    assert isnan(found.high)


def test_no_scale_and_no_merit_have_no_ends() -> None:
    """Reasons that do not lie in the groups are told as well."""
    groups = {"sensitive_features": ["a", "b"]}
    scaled = regression_interval([1, 1], [0, 1], scale="std", **groups)
    assert (scaled.method, scaled.note) == ("none", "the true values do not vary")
    ranked = ranking_interval([0, 0], [0, 1], **groups, **RANKED)
    assert (ranked.method, ranked.note) == ("none", "no one has merit")


def test_single_people() -> None:
    """One person a group has no variance of errors, but benefits vary by the steps added."""
    groups = {"sensitive_features": ["a", "b"], "privileged": "b"}
    assert isnan(regression_interval([1, 2], [2, 2], **groups).low)
    found = benefit_interval([0, 1], [1, 1], benefit=ORDERED, **groups)
    assert found.low < 0 < found.estimate < found.high


@pytest.mark.parametrize("interval", [benefit_interval, regression_interval, ranking_interval])
def test_level_is_refused(interval: Callable[..., Any]) -> None:
    """A level beyond 0 to 1 is refused."""
    options = {"benefit": ORDERED} if interval is benefit_interval else {}
    with pytest.raises(ValueError, match=r"^level must lie between 0 and 1, got 95\.$"):
        interval([0, 1], [1, 1], sensitive_features=["a", "b"], level=95, **options)


def _ordered(rng: np.random.Generator, weights: list[int], n: int) -> tuple[np.ndarray, np.ndarray]:
    """True grades and grades that are wrong by a step for three in ten."""
    y_true = rng.choice(3, size=n, p=np.array(weights) / sum(weights))
    wrong = (rng.random(n) < 0.3) * rng.choice([-1, 1], size=n)
    return y_true, np.clip(y_true + wrong, 0, 2)


def test_coverage() -> None:
    """At 40 people a group, the interval of ordered labels holds the truth at about its level."""
    rng, n, hits = np.random.default_rng(0), 40, 0
    groups = np.repeat(["a", "b"], n)
    # a third of errors each way would leave the scale at its ends: E = 0.15 (P(0) - P(2))
    truth = 0.15 * (3 / 6 - 1 / 6) - 0.15 * (1 / 6 - 3 / 6)
    for _ in range(400):
        sides = [_ordered(rng, weights, n) for weights in ([3, 2, 1], [1, 2, 3])]
        y_true, y_pred = (np.concatenate(parts) for parts in zip(*sides, strict=True))
        given = {"sensitive_features": groups, "benefit": ORDERED, "privileged": "b"}
        found = benefit_interval(y_true, y_pred, **given)
        assert found.estimate == benefit_index(y_true, y_pred, **given)
        hits += truth in found
    assert 0.93 <= hits / 400 <= 0.985


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("privileged", [None, "b"])
@pytest.mark.parametrize("people", [3, 6, 29, 60])
def test_few_people_of_two_labels_are_recovered(
    people: int, privileged: Any, weighted: bool
) -> None:
    """Below 30 people, at the extremes and with weights it is the index's interval, too."""
    rng = np.random.default_rng(people)
    y_true = [0] * people + [1] * people
    y_pred = [1] * people + [0] * people
    given = {
        "sensitive_features": ["a"] * people + ["b"] * people,
        "sample_weight": rng.uniform(0.5, 2, 2 * people) if weighted else None,
    }
    table = OutcomeCounts.from_arrays(y_true, y_pred, **given)
    expected = confidence_interval(table, "objective_fairness_index", privileged=privileged)
    found = benefit_interval(y_true, y_pred, benefit={0: 0, 1: 1}, privileged=privileged, **given)
    assert (found.method, found.note) == (expected.method, expected.note)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    tripled = benefit_interval(y_true, y_pred, benefit={0: 2, 1: 5}, privileged=privileged, **given)
    assert (tripled.low, tripled.high) == pytest.approx((3 * found.low, 3 * found.high))


@pytest.mark.parametrize("privileged", [None, "a", "b"])
def test_benefits_stay_within_twice_their_range(privileged: Any) -> None:
    """No index is beyond twice the range of the benefits, and no end either."""
    found = benefit_interval(
        [0] * 6 + [2] * 6,
        [2] * 6 + [0] * 6,
        sensitive_features=["a"] * 6 + ["b"] * 6,
        benefit=ORDERED,
        privileged=privileged,
    )
    assert abs(found.estimate) == 4
    assert max(abs(found.low), abs(found.high)) == 4


def test_rankings_stay_within_their_range() -> None:
    """Shares of exposure and of merit are at most 2 apart."""
    found = ranking_interval(
        [0] * 3 + [1] * 3,
        [9, 8, 7, 1, 2, 3],
        sensitive_features=list("aaabbb"),
        discount=3,
        privileged="b",
        level=0.9999,
        **RANKED,
    )
    assert (found.estimate, found.high) == (2.0, 2.0)


def test_exact_predictions_leave_no_uncertainty_to_see() -> None:
    """Where every error is 0 the interval has no width, and says so; no end is -0."""
    numbers = [1.0, 2.0, 3.0, 4.0]
    found = regression_interval(numbers, numbers, sensitive_features=list("aabb"), privileged="b")
    assert str((found.low, found.high)) == "(0.0, 0.0)"
    assert (
        found.note == "everyone in a group is alike, so the width says nothing of the uncertainty"
    )


def test_large_errors_that_are_alike_are_no_certainty() -> None:
    """Errors near 10^8 cancel in the table: the interval holds the truth, and has a note."""
    rng = np.random.default_rng(0)
    errors, groups = 1e8 + rng.random(60), np.repeat(["a", "b"], 30)
    found = regression_interval(np.zeros(60), errors, sensitive_features=groups, privileged="b")
    small = regression_interval(np.zeros(60), errors - 1e8, sensitive_features=groups)
    assert found.width > small.width
    assert found.note.startswith(
        "group 'a': scores vary less than numbers of their size can show, and are taken to"
    )


@pytest.mark.parametrize("number", [1, 2.5, None])
def test_numbers_of_lists_are_refused(number: Any) -> None:
    """Two, and whole."""
    message = rf"^n_resamples must be a whole number of at least 2, got {number}\.$"
    with pytest.raises(ValueError, match=message):
        ranking_interval([0, 1], [1, 1], sensitive_features=["a", "b"], n_resamples=number)
