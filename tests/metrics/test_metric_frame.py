"""Rates inside fairlearn's MetricFrame, and comparisons beside its aggregates."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, make_derived_metric

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import (
    METRICS,
    by_group,
    disparate_impact,
    equal_opportunity_difference,
    flip_rate,
    flip_rate_difference,
    marginal_benefit,
    mean_score,
    objective_fairness_index,
    selection_rate,
    statistical_parity_difference,
    true_positive_rate,
    wrong_flip_rate,
)

LABEL_RATES = [m for m in METRICS.values() if m.kind == "rate" and m.family == "label"]
FLIP_RATES = [
    m
    for m in METRICS.values()
    if m.kind == "rate" and m.family == "flip" and "y_true" not in m.roles
]


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """People with labels, weights and two sensitive features."""
    rng = np.random.default_rng(1)
    n = 600
    return pd.DataFrame(
        {
            "race": rng.choice(["a", "b", "c"], n),
            "sex": rng.choice(["f", "m"], n),
            "y_true": rng.integers(0, 2, n),
            "y_pred": rng.integers(0, 2, n),
            "y_corrected": rng.integers(0, 2, n),
            "score": rng.random(n),
            "weight": rng.integers(1, 5, n),
        }
    )


def counted(people: pd.DataFrame, features: Any, **more: str) -> OutcomeCounts:
    """Table of the example."""
    return OutcomeCounts.from_frame(
        people,
        sensitive_features=features,
        y_true="y_true",
        y_pred="y_pred",
        y_corrected="y_corrected",
        **more,
    )


@pytest.mark.parametrize("features", ["race", ["race", "sex"]], ids=["one", "crossed"])
@pytest.mark.parametrize("weighted", [False, True])
def test_by_group_is_metric_frames(
    people: pd.DataFrame, features: str | list[str], *, weighted: bool
) -> None:
    """All label rates in a MetricFrame give the frame that by_group gives, labels and all."""
    metrics = {metric.name: metric.function for metric in LABEL_RATES}
    frame = MetricFrame(
        metrics=metrics,
        y_true=people["y_true"],
        y_pred=people["y_pred"],
        sensitive_features=people[features],
        sample_params={
            name: {"sample_weight": people["weight"]} if weighted else {} for name in metrics
        },
    )
    weight = {"sample_weight": "weight"} if weighted else {}
    found = by_group(counted(people, features, **weight), list(metrics))
    pd.testing.assert_frame_equal(found, frame.by_group.astype(float), check_index_type=False)
    assert list(found.index.names) == list(frame.by_group.index.names)


def test_flip_rates_in_a_metric_frame(people: pd.DataFrame) -> None:
    """Flip rates take predicted and corrected labels in place of true and predicted ones."""
    frame = MetricFrame(
        metrics={metric.name: metric.function for metric in FLIP_RATES},
        y_true=people["y_pred"],
        y_pred=people["y_corrected"],
        sensitive_features=people["race"],
    )
    found = by_group(counted(people, "race"), [metric.name for metric in FLIP_RATES])
    pd.testing.assert_frame_equal(found, frame.by_group.astype(float), check_index_type=False)
    assert frame.difference()["flip_rate"] == pytest.approx(
        flip_rate_difference(
            people["y_pred"], people["y_corrected"], sensitive_features=people["race"]
        )
    )


def test_judged_flip_rates_take_the_truth_as_a_sample_parameter(people: pd.DataFrame) -> None:
    """Wrong flips need the truth, which is handed on as a sample parameter."""
    frame = MetricFrame(
        metrics=wrong_flip_rate,
        y_true=people["y_pred"],
        y_pred=people["y_corrected"],
        sensitive_features=people["race"],
        sample_params={"y_true": people["y_true"]},
    )
    found = by_group(counted(people, "race"), [wrong_flip_rate])["wrong_flip_rate"]
    assert frame.by_group.tolist() == pytest.approx(found.tolist())


def test_score_rates_in_a_metric_frame(people: pd.DataFrame) -> None:
    """Mean scores take scores in place of predictions."""
    frame = MetricFrame(
        metrics=mean_score,
        y_true=people["y_true"],
        y_pred=people["score"],
        sensitive_features=people["race"],
    )
    assert frame.by_group.tolist() == pytest.approx(people.groupby("race")["score"].mean().tolist())


@pytest.mark.parametrize(
    ("rate", "comparison"),
    [
        (selection_rate, statistical_parity_difference),
        (true_positive_rate, equal_opportunity_difference),
        (marginal_benefit, objective_fairness_index),
    ],
)
def test_aggregates_are_our_comparisons(people: pd.DataFrame, rate: Any, comparison: Any) -> None:
    """MetricFrame's difference is our largest gap, and its extremes are those of the rates."""
    truth, said, group = people["y_true"], people["y_pred"], people["race"]
    frame = MetricFrame(metrics=rate, y_true=truth, y_pred=said, sensitive_features=group)
    gap = comparison(truth, said, sensitive_features=group)
    assert frame.difference() == pytest.approx(gap)
    values = METRICS[rate.__name__].values(counted(people, "race"))
    assert frame.group_min() == values.min()
    assert frame.group_max() == values.max()


def test_ratio_is_disparate_impact(people: pd.DataFrame) -> None:
    """MetricFrame's ratio of selection rates is the smallest disparate impact."""
    truth, said, group = people["y_true"], people["y_pred"], people["race"]
    frame = MetricFrame(metrics=selection_rate, y_true=truth, y_pred=said, sensitive_features=group)
    assert frame.ratio() == pytest.approx(disparate_impact(truth, said, sensitive_features=group))


def test_control_features(people: pd.DataFrame) -> None:
    """Within each value of a control feature, the difference is our gap of those people."""
    frame = MetricFrame(
        metrics=marginal_benefit,
        y_true=people["y_true"],
        y_pred=people["y_pred"],
        sensitive_features=people["race"],
        control_features=people["sex"],
    )
    for sex, part in people.groupby("sex"):
        gap = objective_fairness_index(
            part["y_true"], part["y_pred"], sensitive_features=part["race"]
        )
        assert frame.difference()[sex] == pytest.approx(gap)


@pytest.mark.parametrize("rate", [selection_rate, marginal_benefit, true_positive_rate])
def test_derived_metrics(people: pd.DataFrame, rate: Any) -> None:
    """make_derived_metric works on our rates, weights included."""
    derived = make_derived_metric(
        metric=rate, transform="difference", sample_param_names=["sample_weight"]
    )
    found = derived(
        people["y_true"],
        people["y_pred"],
        sensitive_features=people["race"],
        sample_weight=people["weight"],
    )
    values = METRICS[rate.__name__].values(counted(people, "race", sample_weight="weight"))
    assert found == pytest.approx(np.ptp(values))


def test_labels_that_are_not_zero_and_one(people: pd.DataFrame) -> None:
    """A favorable label is bound with functools.partial, as MetricFrame's users do."""
    words = people["y_pred"].map({0: "no", 1: "yes"})
    frame = MetricFrame(
        metrics={"rate": partial(selection_rate, pos_label="yes")},
        y_true=words,
        y_pred=words,
        sensitive_features=people["race"],
    )
    expected = people.groupby("race")["y_pred"].mean()
    assert frame.by_group["rate"].tolist() == pytest.approx(expected.tolist())


def test_by_group_of_all_that_can_be_given(people: pd.DataFrame) -> None:
    """Without a list, by_group gives all rates of the table, and no others."""
    found = by_group(counted(people, "race").over("y_pred", "y_corrected"))
    assert "flip_rate" in found
    assert "accuracy" not in found
    assert (
        found["flip_rate"].tolist()
        == by_group(counted(people, "race"), [flip_rate])["flip_rate"].tolist()
    )


def test_by_group_refuses_comparisons(people: pd.DataFrame) -> None:
    """A comparison is no rate, and is named."""
    with pytest.raises(ValueError, match=r"^measures must name a rate, got 'disparate_impact'\.$"):
        by_group(counted(people, "race"), [disparate_impact])
