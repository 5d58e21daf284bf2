"""Other libraries' numbers, where they define the same measure and every share has people.

They differ on shares of nobody: fairlearn and scikit-learn call them 0, AIF360 divides by
zero. So every group here has people with every pair of labels.
"""

import importlib
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, precision_score, recall_score

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import METRICS, by_group

SEEDS = range(5)
every_seed = pytest.mark.parametrize("seed", SEEDS)
weighted = pytest.mark.parametrize("weighted", [False, True], ids=["rows", "weights"])


class People(NamedTuple):
    """Random people of three groups."""

    true: np.ndarray
    predicted: np.ndarray
    groups: np.ndarray
    weight: np.ndarray


def people(seed: int) -> People:
    """Return people of three groups, with labels that depend on the group."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 3, 300)
    true = (rng.random(300) < 0.3 + 0.2 * groups).astype(int)
    predicted = np.where(rng.random(300) < 0.7, true, 1 - true)
    weight = rng.integers(1, 5, 300) / 2
    found = pd.crosstab(groups, [true, predicted])
    assert found.shape == (3, 4)
    assert found.to_numpy().all()
    return People(true, predicted, groups, weight)


def options(someone: People, weighted: bool) -> dict[str, Any]:
    """Return the weights as an option, or none."""
    return {"sample_weight": someone.weight} if weighted else {}


FAIRLEARN_RATES = [
    "selection_rate",
    "true_positive_rate",
    "false_positive_rate",
    "true_negative_rate",
    "false_negative_rate",
]
FAIRLEARN_COMPARISONS = {
    "statistical_parity_difference": "demographic_parity_difference",
    "disparate_impact": "demographic_parity_ratio",
    "equalized_odds_difference": "equalized_odds_difference",
    "equal_opportunity_difference": "equal_opportunity_difference",
    "predictive_equality_difference": "false_positive_rate_difference",
    "accuracy_difference": "accuracy_score_difference",
}
LABEL_RATES = [m.name for m in METRICS.values() if m.kind == "rate" and m.family == "label"]


@pytest.fixture(scope="module")
def fairlearn() -> Any:
    """Return fairlearn's measures."""
    return importlib.import_module("fairlearn.metrics")


@every_seed
@weighted
@pytest.mark.parametrize("name", FAIRLEARN_RATES)
def test_fairlearn_rates(name: str, weighted: bool, seed: int, fairlearn: Any) -> None:
    """Rates are fairlearn's of the same name."""
    someone = people(seed)
    arguments = (someone.true, someone.predicted)
    ours = METRICS[name].function(*arguments, **options(someone, weighted))
    theirs = getattr(fairlearn, name)(*arguments, **options(someone, weighted))
    assert ours == pytest.approx(theirs, rel=1e-12)


@every_seed
@weighted
@pytest.mark.parametrize(("ours", "theirs"), FAIRLEARN_COMPARISONS.items())
def test_fairlearn_comparisons(
    ours: str, theirs: str, weighted: bool, seed: int, fairlearn: Any
) -> None:
    """Without a privileged group, comparisons are fairlearn's between groups."""
    someone = people(seed)
    arguments: dict[str, Any] = {
        "y_true": someone.true,
        "y_pred": someone.predicted,
        "sensitive_features": someone.groups,
        **options(someone, weighted),
    }
    peer = getattr(fairlearn, theirs)(**arguments)
    assert METRICS[ours].function(**arguments) == pytest.approx(peer, rel=1e-12)


@weighted
def test_rates_in_a_metric_frame(weighted: bool, fairlearn: Any) -> None:
    """A MetricFrame of fairlearn takes every rate of labels, and finds what the table holds."""
    someone = people(0)
    each = {name: options(someone, weighted) for name in LABEL_RATES} if weighted else None
    frame = fairlearn.MetricFrame(
        metrics={name: METRICS[name].function for name in LABEL_RATES},
        y_true=someone.true,
        y_pred=someone.predicted,
        sensitive_features=someone.groups,
        sample_params=each,
    )
    counts = OutcomeCounts.from_arrays(
        someone.true,
        someone.predicted,
        sensitive_features=someone.groups,
        **options(someone, weighted),
    )
    assert list(frame.by_group.index) == list(counts.groups)
    for name in LABEL_RATES:
        assert frame.overall[name] == METRICS[name].of(counts)
    found = by_group(counts, LABEL_RATES).rename_axis("sensitive_feature_0")
    pd.testing.assert_frame_equal(frame.by_group.astype(float), found, check_exact=True)


@pytest.mark.parametrize(
    "name",
    [
        m.name
        for m in METRICS.values()
        if m.kind == "comparison" and m.family == "label" and m.rate and m.ideal == 0
    ],
)
def test_differences_of_a_metric_frame(name: str, fairlearn: Any) -> None:
    """A comparison without a privileged group is the frame's difference of its rate."""
    someone, metric = people(1), METRICS[name]
    frame = fairlearn.MetricFrame(
        metrics=metric.rate.function,
        y_true=someone.true,
        y_pred=someone.predicted,
        sensitive_features=someone.groups,
    )
    counts = OutcomeCounts.from_arrays(
        someone.true, someone.predicted, sensitive_features=someone.groups
    )
    assert metric.of(counts) == pytest.approx(frame.difference(), rel=1e-12)


@every_seed
@weighted
@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("accuracy", accuracy_score),
        ("true_positive_rate", recall_score),
        ("positive_predictive_value", precision_score),
    ],
)
def test_scikit_learn(name: str, theirs: Callable[..., float], weighted: bool, seed: int) -> None:
    """Rates are scikit-learn's scores of another name."""
    someone = people(seed)
    arguments = (someone.true, someone.predicted)
    ours = METRICS[name].function(*arguments, **options(someone, weighted))
    assert ours == pytest.approx(theirs(*arguments, **options(someone, weighted)), rel=1e-12)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep AIF360's notes on packages that are not installed to itself."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    logging.disable(before)


def aif360_metric(someone: People, weighted: bool, privileged: int) -> Any:
    """Return AIF360's metrics of people, everyone else against one group."""
    with quiet():
        datasets, metrics = (
            importlib.import_module(f"aif360.{name}") for name in ("datasets", "metrics")
        )
        frame = pd.DataFrame({"label": someone.true, "group": someone.groups})
        frame["weight"] = someone.weight if weighted else 1.0
        true = datasets.BinaryLabelDataset(
            df=frame,
            label_names=["label"],
            protected_attribute_names=["group"],
            instance_weights_name="weight",
        )
        predicted = true.copy()
        predicted.labels = someone.predicted[:, None].astype(float)
        others = [{"group": group} for group in range(3) if group != privileged]
        return metrics.ClassificationMetric(true, predicted, others, [{"group": privileged}])


# Measure, AIF360's name of it, and whether it counts the other way round.
AIF360 = [
    ("statistical_parity_difference", "statistical_parity_difference", 1),
    ("mean_difference", "statistical_parity_difference", 1),
    ("disparate_impact", "disparate_impact", 1),
    ("average_odds_difference", "average_odds_difference", 1),
    ("equal_opportunity_difference", "equal_opportunity_difference", 1),
    ("predictive_equality_difference", "false_positive_rate_difference", 1),
    ("accuracy_difference", "error_rate_difference", -1),
    ("predictive_parity_difference", "false_discovery_rate_difference", -1),
    ("equalized_odds_difference", "equalized_odds_difference", 1),
]


@every_seed
@weighted
@pytest.mark.parametrize(("name", "theirs", "sign"), AIF360)
def test_aif360_comparisons(name: str, theirs: str, sign: int, weighted: bool, seed: int) -> None:
    """With a privileged group, comparisons are AIF360's, sign and all."""
    someone, privileged = people(seed), seed % 3
    peer = getattr(aif360_metric(someone, weighted, privileged), theirs)()
    ours = METRICS[name].function(
        someone.true,
        someone.predicted,
        sensitive_features=someone.groups,
        privileged=privileged,
        **options(someone, weighted),
    )
    assert ours == pytest.approx(sign * peer, rel=1e-9)


@every_seed
@weighted
@pytest.mark.parametrize(
    "name",
    [
        "selection_rate",
        "accuracy",
        "true_positive_rate",
        "false_positive_rate",
        "true_negative_rate",
        "false_negative_rate",
        "positive_predictive_value",
        "negative_predictive_value",
        "false_discovery_rate",
        "false_omission_rate",
    ],
)
def test_aif360_rates(name: str, weighted: bool, seed: int) -> None:
    """Rates are AIF360's of the same name, of everyone and of either side."""
    someone = people(seed)
    peer = getattr(aif360_metric(someone, weighted, 0), name)
    counts = OutcomeCounts.from_arrays(
        someone.true,
        someone.predicted,
        sensitive_features=someone.groups,
        **options(someone, weighted),
    )
    assert METRICS[name].of(counts) == pytest.approx(peer(), rel=1e-9)
    sides = METRICS[name].values(counts.against_rest(0))
    assert sides == pytest.approx([peer(privileged=False), peer(privileged=True)], rel=1e-9)
