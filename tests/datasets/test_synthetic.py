"""Synthetic people agree with their parameters."""

from collections.abc import Hashable, Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from skfair_ofi.datasets import make_outcomes

GROUPS = ("a", "b", "c")
PARAMETERS = {
    "groups": GROUPS,
    "group_weights": (1, 2, 5),
    "base_rates": (0.2, 0.5, 0.7),
    "true_positive_rates": (0.9, 0.6, 0.8),
    "false_positive_rates": (0.1, 0.3, 0.4),
    "favorable_flip_rates": (0.3, 0.0, 0.1),
    "harmful_flip_rates": (0.05, 0.2, 0.0),
}


def rates(people: Bunch) -> dict[str, pd.Series]:
    """Return the rates of each group that the parameters set."""
    frame = people.frame
    by = frame.groupby("group")
    flips = {
        name: ((frame["y_pred"] == old) & (frame["y_corrected"] != old))
        .groupby(frame["group"])
        .mean()
        for name, old in (("favorable_flip_rates", 0), ("harmful_flip_rates", 1))
    }
    return {
        "base_rates": by["y_true"].mean(),
        "true_positive_rates": frame[frame["y_true"] == 1].groupby("group")["y_pred"].mean(),
        "false_positive_rates": frame[frame["y_true"] == 0].groupby("group")["y_pred"].mean(),
        **flips,
    }


@pytest.mark.parametrize(("exact", "tolerance"), [(False, 0.01), (True, 2e-5)])
def test_rates_converge_to_the_parameters(exact: bool, tolerance: float) -> None:
    """With many people every rate of every group is the one asked for."""
    people = make_outcomes(200_000, **PARAMETERS, exact=exact, random_state=0)
    for name, found in rates(people).items():
        np.testing.assert_allclose(found, PARAMETERS[name], atol=tolerance, err_msg=name)


@pytest.mark.parametrize("exact", [False, True])
def test_group_sizes_are_exact(exact: bool) -> None:
    """Sizes of groups are their weights' shares, drawn or not."""
    people = make_outcomes(800, **PARAMETERS, exact=exact, random_state=1)
    assert people.frame["group"].value_counts().to_dict() == {"a": 100, "b": 200, "c": 500}


@pytest.mark.parametrize("n_samples", [1, 2, 3, 7, 1001])
def test_number_of_people(n_samples: int) -> None:
    """There are as many people as asked for, whatever the weights."""
    people = make_outcomes(n_samples, groups=GROUPS, group_weights=(1, 1, 1), random_state=0)
    assert {len(values) for values in (people.y_true, people.y_pred, people.y_score)} == {n_samples}
    assert people.y_corrected is None
    assert list(people.frame.columns) == ["group", "y_true", "y_pred", "y_score"]


def test_exact_table() -> None:
    """Cells that come out whole are met exactly."""
    people = make_outcomes(
        80,
        groups=("u", "p"),
        group_weights=(30, 50),
        base_rates=(0.4, 0.6),
        true_positive_rates=(0.5, 0.8),
        false_positive_rates=(Fraction(1, 3), 0.2),
        exact=True,
    )
    counts = people.frame.groupby(["group", "y_true", "y_pred"]).size()
    assert counts.loc["u"].tolist() == [12, 6, 6, 6]
    assert counts.loc["p"].tolist() == [16, 4, 6, 24]


def test_exact_table_is_not_random() -> None:
    """With `exact` the seed changes order and scores only."""
    first, second = (
        make_outcomes(97, **PARAMETERS, exact=True, random_state=seed) for seed in (0, 1)
    )
    labels = ["group", "y_true", "y_pred", "y_corrected"]
    pd.testing.assert_series_equal(
        first.frame[labels].value_counts().sort_index(),
        second.frame[labels].value_counts().sort_index(),
    )
    assert not first.frame.equals(second.frame)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("rate", [0, 1])
def test_certain_rates_have_no_exception(rate: int, exact: bool) -> None:
    """Rates of 0 and 1 hold for everyone."""
    people = make_outcomes(
        5000,
        base_rates=rate,
        true_positive_rates=rate,
        false_positive_rates=rate,
        favorable_flip_rates=1 - rate,
        harmful_flip_rates=rate,
        exact=exact,
        random_state=0,
    )
    assert set(people.y_true) == {rate}
    assert set(people.y_pred) == {rate}
    assert set(people.y_corrected) == {1 - rate}


def test_scores_agree_with_predictions() -> None:
    """A score is at least 0.5 exactly for those predicted favorable, and tells on the truth."""
    people = make_outcomes(20_000, random_state=0)
    np.testing.assert_array_equal(people.y_score >= 0.5, people.y_pred == 1)
    assert people.y_score.min() >= 0.01
    assert people.y_score.max() <= 0.99
    means = people.frame.groupby(["y_pred", "y_true"])["y_score"].mean()
    assert means[0, 1] > means[0, 0] + 0.1
    assert means[1, 1] > means[1, 0] + 0.1


def test_arrays_are_the_columns_of_the_frame() -> None:
    """Every array is a copy of its column."""
    people = make_outcomes(50, **PARAMETERS, random_state=0)
    for name in ("y_true", "y_pred", "y_corrected", "y_score"):
        np.testing.assert_array_equal(people[name], people.frame[name])
        assert not np.shares_memory(people[name], people.frame[name])
    np.testing.assert_array_equal(people.sensitive_features, people.frame["group"])


def test_flips_do_not_look_at_the_truth() -> None:
    """Right and wrong predictions are flipped alike."""
    people = make_outcomes(100_000, **PARAMETERS, exact=True, random_state=0)
    frame = people.frame.assign(flip=people.y_pred != people.y_corrected)
    shares = frame.groupby(["group", "y_pred", "y_true"])["flip"].mean().unstack()
    np.testing.assert_allclose(shares[0], shares[1], atol=2e-3)


@pytest.mark.parametrize(
    ("flips", "other"),
    [({"favorable_flip_rates": 0.1}, (1, 0)), ({"harmful_flip_rates": 0.1}, (0, 1))],
)
def test_one_flip_rate_alone(flips: dict[str, float], other: tuple[int, int]) -> None:
    """A flip rate that is not given is 0 where the other is."""
    people = make_outcomes(1000, **flips, exact=True)
    assert not ((people.y_pred == other[0]) & (people.y_corrected == other[1])).any()
    assert (people.y_pred != people.y_corrected).sum() == 100


@pytest.mark.parametrize("exact", [False, True])
def test_reproducible(exact: bool) -> None:
    """The same seed gives the same people, by number and by generator."""
    frames = [
        make_outcomes(200, **PARAMETERS, exact=exact, random_state=seed).frame
        for seed in (3, 3, np.random.RandomState(3))
    ]
    pd.testing.assert_frame_equal(frames[0], frames[1])
    pd.testing.assert_frame_equal(frames[0], frames[2])
    other = make_outcomes(200, **PARAMETERS, exact=exact, random_state=4).frame
    assert not other.equals(frames[0])


def test_global_random_state_is_left_alone() -> None:
    """A seed touches no global generator."""
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    make_outcomes(100, random_state=0)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize(
    "groups", [(1, 2), (True, False), (("x", 1), ("x", 2)), ("", "<b>"), ["é"], range(3)]
)
def test_group_names_are_kept(groups: Sequence[Hashable]) -> None:
    """Names of groups come out as they went in."""
    people = make_outcomes(60, groups=groups, random_state=0)
    assert set(people.sensitive_features) == set(groups)
    assert set(people.frame["group"]) == set(groups)


def test_huge_and_tiny_weights() -> None:
    """Weights near the limits of floats still are shares."""
    people = make_outcomes(30, group_weights=(1e308, 1e308), random_state=0)
    assert people.frame["group"].value_counts().to_dict() == {"a": 15, "b": 15}
    people = make_outcomes(30, group_weights=(1e308, 1e-300), random_state=0)
    assert set(people.sensitive_features) == {"a"}


def test_flip_rate_may_be_all_who_can_flip() -> None:
    """The largest possible flip rate is allowed, whatever floats make of it."""
    people = make_outcomes(
        3000,
        base_rates=1 / 3,
        true_positive_rates=1 / 3,
        false_positive_rates=2 / 3,
        harmful_flip_rates=1 / 9 + 4 / 9,
        exact=True,
    )
    assert not people.y_corrected.any()


@pytest.mark.parametrize("value", [0, -1, 1.0, 2.5, True, None, "10", [10]])
def test_n_samples_is_checked(value: object) -> None:
    """`n_samples` must be a positive integer."""
    with pytest.raises(ValueError, match=r"n_samples must be a positive integer, got .*\.$"):
        make_outcomes(value)


@pytest.mark.parametrize("value", [(), "ab", None, 3, ("a", "a"), (1, True), (["a"], "b"), {"a"}])
def test_groups_are_checked(value: object) -> None:
    """`groups` must be a sequence of distinct names."""
    message = r"groups must be a sequence of distinct group names, got .*\.$"
    with pytest.raises(ValueError, match=message):
        make_outcomes(groups=value)


@pytest.mark.parametrize(
    "value", [(1,), (1, 2, 3), 1, (1, 0), (1, -1), (1, np.inf), (1, np.nan), ("1", "2"), [[1], [2]]]
)
def test_group_weights_are_checked(value: object) -> None:
    """`group_weights` must be one positive number a group."""
    message = (
        r"group_weights must be None or one positive number for each of the 2 groups, got .*\.$"
    )
    with pytest.raises(ValueError, match=message):
        make_outcomes(group_weights=value)


@pytest.mark.parametrize(
    "name",
    [
        "base_rates",
        "true_positive_rates",
        "false_positive_rates",
        "favorable_flip_rates",
        "harmful_flip_rates",
    ],
)
@pytest.mark.parametrize(
    "value",
    [-0.1, 1.1, np.nan, "0.5", (0.5,), (0.5, 0.5, 0.5), (0.5, None), {"a": 0.5, "b": 0.5}],
    ids=repr,
)
def test_rates_are_checked(name: str, value: object) -> None:
    """Every rate must be a share, or one share a group."""
    message = rf"{name} must be a number from 0 to 1, or one for each of the 2 groups, got .*\.$"
    with pytest.raises(ValueError, match=message):
        make_outcomes(**{name: value})


@pytest.mark.parametrize(
    ("name", "shares"),
    [("favorable_flip_rates", "[0.62, 0.44]"), ("harmful_flip_rates", "[0.38, 0.56]")],
)
def test_more_flips_than_people(name: str, shares: str) -> None:
    """No more people can be flipped than have the label to flip."""
    message = rf"{name} must be at most .* flip so, \[{shares[1:-1]}\], got \(0\.1, 0\.9\)\.$"
    with pytest.raises(ValueError, match=message):
        make_outcomes(base_rates=(0.3, 0.6), **{name: (0.1, 0.9)})


@pytest.mark.parametrize("value", ["yes", None, 2])
def test_exact_is_checked(value: object) -> None:
    """`exact` must be True or False."""
    with pytest.raises(ValueError, match=r"exact must be one of True, False, got .*\.$"):
        make_outcomes(exact=value)


def test_random_state_is_checked() -> None:
    """scikit-learn refuses what is no source of randomness."""
    with pytest.raises(ValueError, match="cannot be used to seed"):
        make_outcomes(random_state="x")
