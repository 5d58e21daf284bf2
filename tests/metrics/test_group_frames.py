"""Rates of every group, and comparisons of every pair."""

from fractions import Fraction
from math import inf, nan
from typing import Any

import fairlearn.metrics
import numpy as np
import pandas as pd
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import (
    METRICS,
    Contrast,
    accuracy,
    by_group,
    disparate_impact,
    flip_rate_difference,
    objective_fairness_index,
    pairwise,
    positive_balance_difference,
)

# Three groups of one, one half and one fourth predicted favorable; marginal benefits 0, -1/2, -3/4.
TRUE, PREDICTED, GROUPS = [1] * 8, [1, 1, 1, 0, 1, 0, 0, 0], list("aabbcccc")


def test_three_groups() -> None:
    """OFI of every pair: antisymmetric, and 3/4 between a and c is the largest."""
    counts = OutcomeCounts.from_arrays(TRUE, PREDICTED, sensitive_features=GROUPS)
    matrix = pairwise(counts, objective_fairness_index)
    assert list(matrix.index) == list(matrix.columns) == ["a", "b", "c"]
    expected = [[0, 1 / 2, 3 / 4], [-1 / 2, 0, 1 / 4], [-3 / 4, -1 / 4, 0]]
    assert matrix.to_numpy().tolist() == expected
    assert (matrix + matrix.T).to_numpy().tolist() == np.zeros((3, 3)).tolist()
    assert matrix.stack().idxmax() == ("a", "c")


def test_the_largest_pair_is_named() -> None:
    """Without a privileged group, the two groups that the value is of can be told."""
    counts = OutcomeCounts.from_arrays(TRUE, PREDICTED, sensitive_features=GROUPS)
    benefit = METRICS["marginal_benefit"]
    assert benefit.values(counts).tolist() == [0, -1 / 2, -3 / 4]
    high, low = Contrast(counts).extremes(benefit)
    assert (counts.groups[high], counts.groups[low]) == ("a", "c")
    assert METRICS["objective_fairness_index"].of(counts) == 3 / 4


def test_ratios() -> None:
    """A ratio is of row over column, so that the two halves are inverse."""
    counts = OutcomeCounts.from_arrays(None, PREDICTED, sensitive_features=GROUPS)
    matrix = pairwise(counts, disparate_impact)
    rates = {"a": Fraction(2, 2), "b": Fraction(1, 2), "c": Fraction(1, 4)}
    for row, over in rates.items():
        for column, under in rates.items():
            assert matrix.loc[row, column] == float(over / under)


def test_flips_are_absolute() -> None:
    """Flip measures are the same in both directions."""
    corrected = [1, 0, 1, 1, 1, 0, 0, 1]
    counts = OutcomeCounts.from_arrays(None, PREDICTED, corrected, sensitive_features=GROUPS)
    matrix = pairwise(counts, flip_rate_difference)
    assert matrix.to_numpy().tolist() == [[0, 0, 1 / 4], [0, 0, 1 / 4], [1 / 4, 1 / 4, 0]]
    index = pairwise(counts, "FDI")
    assert index.to_numpy().tolist() == [[1, 1, 2], [1, 1, 2], [2, 2, 1]]


def test_scores() -> None:
    """Scores are compared as the measure takes them."""
    scores = [8, 6, 5, 3, 1, 1, 1, 1]
    counts = OutcomeCounts.from_arrays(TRUE, y_score=scores, sensitive_features=GROUPS)
    matrix = pairwise(counts, positive_balance_difference)
    assert matrix.to_numpy().tolist() == [[0, 3, 6], [-3, 0, 3], [-6, -3, 0]]


def test_weights_and_favorable_label() -> None:
    """Weights and the favorable label reach every pair."""
    counts = OutcomeCounts.from_arrays(
        None,
        ["y", "y", "y", "n"],
        sensitive_features=["a", "a", "b", "b"],
        pos_label="y",
        sample_weight=[1, 1, 1, 3],
    )
    assert pairwise(counts, disparate_impact).to_numpy().tolist() == [[1, 4], [1 / 4, 1]]


def test_undefined_pairs() -> None:
    """A pair is undefined on its own, against itself too, and the others keep their values."""
    counts = OutcomeCounts.from_arrays(None, [1, 0, 0], sensitive_features=["a", "b", "c"])
    matrix = pairwise(counts, disparate_impact)
    np.testing.assert_array_equal(matrix.to_numpy(), [[1, inf, inf], [0, nan, nan], [0, nan, nan]])
    empty = OutcomeCounts.from_arrays(TRUE, PREDICTED, sensitive_features=GROUPS).reindex("abcd")
    found = pairwise(empty, "objective_fairness_index")
    assert found.loc["d"].isna().all()
    assert found["d"].isna().all()
    assert found.loc["a", "c"] == 3 / 4


@pytest.mark.parametrize("measure", [objective_fairness_index, "objective_fairness_index"])
def test_measure_or_its_name(measure: Any) -> None:
    """A measure may be given as a function or by name, for arrays and for tables."""
    counts = OutcomeCounts.from_arrays(TRUE, PREDICTED, sensitive_features=GROUPS)
    left, right = pairwise(counts, measure), pairwise(counts, "OFI")
    pd.testing.assert_frame_equal(left, right)


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param([("a", 1), ("a", 2), ("b", 1)], id="tuples"),
        pytest.param([3, 1, 2], id="numbers"),
        pytest.param(["x", None, "y"], id="a missing group"),
        pytest.param([False, True, 7], id="booleans"),
    ],
)
def test_labels_of_the_frame_are_the_groups(keys: list[Any]) -> None:
    """Rows and columns are labelled by the group keys as they are, tuples included."""
    cells = [[[[1], [1]]], [[[0], [1]]], [[[3], [1]]]]
    matrix = pairwise(OutcomeCounts(keys, cells), "disparate_impact")
    assert matrix.index.nlevels == 1
    for axis in (matrix.index, matrix.columns):
        assert [None if key != key else key for key in axis] == keys  # noqa: PLR0124 - NaN
    assert matrix.iloc[0, 1] == 1 / 2


def test_table_is_left_as_it_was() -> None:
    """Comparing pairs does not change the table."""
    counts = OutcomeCounts.from_arrays(TRUE, PREDICTED, sensitive_features=GROUPS)
    before = counts.to_dict()
    pairwise(counts, "disparate_impact")
    assert counts.to_dict() == before


@pytest.mark.parametrize(
    ("measure", "end"),
    [
        (accuracy, r"got 'accuracy'\."),
        (
            "acuracy_difference",
            r"got 'acuracy_difference'\. Did you mean 'accuracy_difference'.*\?",
        ),
        (3, r"got '3'\."),
    ],
)
def test_not_a_comparison(measure: Any, end: str) -> None:
    """Rates, and names that there are not, are refused; near names are suggested."""
    with pytest.raises(ValueError, match=rf"^measure must name a comparison, {end}$"):
        pairwise(OutcomeCounts.from_arrays(TRUE, PREDICTED, sensitive_features=GROUPS), measure)


def test_rates_of_every_group() -> None:
    """Each row is a group, each column a rate of its people, undefined where it is."""
    counts = OutcomeCounts.from_arrays(
        [1, 1, 0, 0], [1, 0, 1, 0], sensitive_features={"sex": ["f", "f", "m", "m"]}
    )
    frame = by_group(counts, [accuracy, "true_positive_rate"])
    assert frame.index.tolist() == ["f", "m"]
    assert frame.index.name == "sex"
    assert frame.columns.tolist() == ["accuracy", "true_positive_rate"]
    np.testing.assert_array_equal(frame.to_numpy(), [[1 / 2, 1 / 2], [1 / 2, nan]])


@pytest.mark.parametrize(
    ("given", "families"),
    [
        ({"y_true": TRUE, "y_pred": PREDICTED}, {"label"}),
        ({"y_pred": PREDICTED, "y_corrected": TRUE}, {"flip", "label"}),
        ({"y_true": TRUE, "y_score": PREDICTED}, {"label", "score"}),
        ({"y_true": TRUE, "y_pred": PREDICTED, "y_corrected": TRUE}, {"label", "flip"}),
    ],
)
def test_all_rates_that_a_table_can_give(given: dict[str, Any], families: set[str]) -> None:
    """Without measures named, there is a column for each rate whose data are counted."""
    frame = by_group(OutcomeCounts.from_arrays(**given, sensitive_features=GROUPS))
    rates = [metric for metric in METRICS.values() if metric.kind == "rate"]
    expected = [metric.name for metric in rates if set(metric.roles) <= set(given)]
    assert frame.columns.tolist() == expected
    assert {METRICS[name].family for name in frame} == families


@pytest.mark.parametrize("named", [True, False])
def test_crossed_groups(named: bool) -> None:
    """Crossed groups have one level for each feature, named where names are known."""
    features = {"sex": list("aabbbbab"), "age": list("xyxyxyxx")}
    given = features if named else list(zip(*features.values(), strict=True))
    counts = OutcomeCounts.from_arrays(y_pred=PREDICTED, sensitive_features=given)
    frame = by_group(counts)
    assert frame.index.tolist() == list(counts.groups)
    assert list(frame.index.names) == (["sex", "age"] if named else [None, None])
    assert frame.loc[("a", "y"), "selection_rate"] == 1


@pytest.mark.parametrize(
    ("measures", "end"),
    [
        ([accuracy, "demographic"], r"got 'demographic'\."),
        (["acuracy"], r"got 'acuracy'\. Did you mean 'accuracy'\?"),
    ],
)
def test_not_a_rate(measures: list[Any], end: str) -> None:
    """Comparisons, and names that there are not, are no rates."""
    counts = OutcomeCounts.from_arrays(TRUE, PREDICTED, sensitive_features=GROUPS)
    with pytest.raises(ValueError, match=rf"^measures must name a rate, {end}$"):
        by_group(counts, measures)


def test_rate_that_a_table_cannot_give() -> None:
    """A rate that is asked for by name needs its data."""
    counts = OutcomeCounts.from_arrays(y_pred=PREDICTED, sensitive_features=GROUPS)
    with pytest.raises(ValueError, match=r"^accuracy needs y_true, which this table lacks\.$"):
        by_group(counts, [accuracy])


def test_functions_of_another_package() -> None:
    """A function is one of ours by what it is, not by its name."""
    counts = OutcomeCounts.from_arrays(
        [1, 1, 0, 0], [1, 0, 1, 0], sensitive_features=["a", "a", "b", "b"]
    )
    frame = by_group(counts, [fairlearn.metrics.true_positive_rate, "FPR"])
    assert frame["true_positive_rate"].tolist() == [1 / 2, 0]  # fairlearn's 0/0 is 0
    with pytest.raises(
        ValueError,
        match=r"^measures must have different names, got two named 'true_positive_rate'\.$",
    ):
        by_group(counts, ["TPR", fairlearn.metrics.true_positive_rate])
