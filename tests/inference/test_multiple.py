"""Adjusted p-values, all pairs, and the direction of flips."""

from collections.abc import Callable
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from skfair_ofi import OutcomeCounts
from skfair_ofi.datasets import load_published
from skfair_ofi.inference import (
    confidence_interval,
    flip_direction_tests,
    pairwise_tests,
    significance_test,
)
from skfair_ofi.inference._tests import adjust_p_values

Table = Callable[..., OutcomeCounts]
P_VALUES = [0.01, 0.04, 0.03, 0.005, 0.2, 0.2]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("holm", [0.05, 0.12, 0.12, 0.03, 0.4, 0.4]),
        ("benjamini_hochberg", [0.03, 0.06, 0.06, 0.03, 0.2, 0.2]),
        ("none", P_VALUES),
    ],
)
def test_adjusted_p_values(method: Any, expected: list[float]) -> None:
    """As ``multipletests(p, method="holm")`` and ``"fdr_bh"`` of statsmodels 0.15."""
    assert adjust_p_values(P_VALUES, method) == pytest.approx(expected)


# Fifteen comparisons of two treatments of infarction: section 4.1 of Y. Benjamini and Y. Hochberg
# 1995, "Controlling the false discovery rate", doi 10.1111/j.2517-6161.1995.tb02031.x.
INFARCTION = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459),
    *(0.324, 0.4262, 0.5719, 0.6528, 0.759, 1.0),
]


@pytest.mark.parametrize(
    ("method", "rejected", "fourth"),
    [
        ("benjamini_hochberg", 4, 0.0095 * 15 / 4),
        # S. Holm 1979, "A simple sequentially rejective multiple test procedure": 0.05 / 12 at the
        # fourth step, which its p-value of 0.0095 exceeds.
        ("holm", 3, 0.0095 * 12),
        ("none", 9, 0.0095),
    ],
)
def test_published_p_values(method: Any, rejected: int, fourth: float) -> None:
    """At 0.05, the false discovery rate rejects four of fifteen, and Holm's method three."""
    found = adjust_p_values(INFARCTION, method)
    assert (found <= 0.05).tolist() == [True] * rejected + [False] * (15 - rejected)
    assert found[3] == pytest.approx(fourth)


@pytest.mark.parametrize("method", ["holm", "benjamini_hochberg"])
def test_missing_p_values_are_not_counted(method: Any) -> None:
    """A test that could not be done makes no other one stricter."""
    found = adjust_p_values([nan, *P_VALUES, nan], method)
    assert np.isnan(found[[0, -1]]).all()
    assert found[1:-1] == pytest.approx(adjust_p_values(P_VALUES, method))


@pytest.mark.parametrize("method", ["holm", "benjamini_hochberg", "none"])
@pytest.mark.parametrize("values", [[], [nan]])
def test_no_p_values(values: list[float], method: Any) -> None:
    """Nothing to adjust."""
    assert len(adjust_p_values(values, method)) == len(values)


def test_given_p_values_are_not_changed() -> None:
    """The array that was given stays as it was."""
    values = np.array(P_VALUES)
    adjust_p_values(values, "holm")
    assert values.tolist() == P_VALUES


def test_adjustment_is_refused(selected: Table) -> None:
    """There are two, and none."""
    message = r"adjust must be one of 'holm', 'benjamini_hochberg', 'none', got 'other'\.$"
    with pytest.raises(ValueError, match=message):
        pairwise_tests(selected((1, 2), (1, 2)), "disparate_impact", adjust="other")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=message):
        flip_direction_tests(load_published("suarez2025_table1").counts, adjust="other")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", ["objective_fairness_index", "disparate_impact", "flip_rate_difference"]
)
def test_pairs_are_tables_of_two_groups(random_table: Table, name: str) -> None:
    """Each row is the test and the interval of two groups, the second one privileged."""
    table = random_table(4, 200, 5)
    frame = pairwise_tests(table, name, level=0.9, adjust="benjamini_hochberg")
    assert list(zip(frame["first"], frame["second"], strict=True)) == list(combinations("abcd", 2))
    for row in frame.itertuples():
        pair = table.pick(row.first, row.second)
        interval = confidence_interval(pair, name, privileged=row.second, level=0.9)
        found = significance_test(pair, name, privileged=row.second)
        assert (row.estimate, row.low, row.high) == (
            interval.estimate,
            interval.low,
            interval.high,
        )
        assert (row.statistic, row.p_value, row.method) == (
            found.statistic,
            found.p_value,
            found.method,
        )
    expected = adjust_p_values(frame["p_value"], "benjamini_hochberg")
    assert frame["adjusted"].tolist() == expected.tolist()


def test_pairs_of_tuple_groups() -> None:
    """Crossed groups keep their keys."""
    table = OutcomeCounts([("f", 1), ("f", 2), ("m", 1)], [[[[9], [9]]]] * 3)
    frame = pairwise_tests(table, "disparate_impact")
    assert frame["second"].tolist() == [("f", 2), ("m", 1), ("m", 1)]


def test_pairs_without_people_are_undefined(selected: Table) -> None:
    """An empty group has no p-value, and does not count in the adjustment."""
    frame = pairwise_tests(selected((9, 40), (0, 0), (30, 40)), "disparate_impact")
    assert frame["p_value"].isna().tolist() == [True, False, True]
    assert frame["adjusted"][1] == frame["p_value"][1]


def flipped(favorable: int, harmful: int) -> OutcomeCounts:
    """Return a table of one group with so many flips."""
    return OutcomeCounts(["a"], [[[[20, favorable], [harmful, 20]]]])


@pytest.mark.parametrize(("favorable", "harmful"), [(9, 3), (0, 4), (5, 5), (120, 80)])
def test_exact_mcnemar(favorable: int, harmful: int) -> None:
    """The binomial test of the harmful flips among all."""
    frame = flip_direction_tests(flipped(favorable, harmful))
    expected = binomtest(harmful, favorable + harmful).pvalue
    assert frame["p_value"].tolist() == pytest.approx([expected])
    assert frame["statistic"].tolist() == [harmful]


@pytest.mark.parametrize(
    ("method", "statistic", "p_value"),
    [
        ("chi_square", 3.0, 0.08326451666355042),
        ("chi_square_corrected", 2.0833333333333335, 0.14891467317876161),
    ],
)
def test_approximate_mcnemar(method: Any, statistic: float, p_value: float) -> None:
    """As ``mcnemar([[0, 9], [3, 0]], exact=False, correction=...)`` of statsmodels 0.15."""
    frame = flip_direction_tests(flipped(9, 3), method=method)
    assert frame["statistic"].tolist() == pytest.approx([statistic])
    assert frame["p_value"].tolist() == pytest.approx([p_value])


@pytest.mark.parametrize(
    ("method", "statistic", "p_value"),
    [("chi_square", 17.3559, 3.099e-05), ("chi_square_corrected", 16.8178, 4.115e-05)],
)
def test_published_mcnemar(method: Any, statistic: float, p_value: float) -> None:
    """Approval of a president, asked twice: A. Agresti 1990, "Categorical Data Analysis", p. 350.

    Of 1,600 people, 794 approve both times and 570 never, 150 no longer and 86 only then. R's
    ``mcnemar.test`` prints these figures, without and with its correction.
    """
    table = OutcomeCounts(["a"], [[[[570, 86], [150, 794]]]])
    frame = flip_direction_tests(table, method=method)
    assert frame["statistic"].tolist() == pytest.approx([statistic], abs=5e-5)
    assert frame["p_value"].tolist() == pytest.approx([p_value], rel=2e-4)


def test_published_flips() -> None:
    """All 136 flips of one group are harmful and all 38 of the other favorable (Suarez2025)."""
    frame = flip_direction_tests(load_published("suarez2025_table1").counts)
    expected = pd.DataFrame(
        {
            "group": pd.Series([0, 1], dtype=object),
            "favorable": [0, 38],
            "harmful": [136, 0],
            "statistic": [136.0, 0.0],
            "p_value": [2.0**-135, 2.0**-37],
            "adjusted": [2.0**-134, 2.0**-37],
        }
    )
    pd.testing.assert_frame_equal(frame, expected)


def test_no_flips_have_no_direction() -> None:
    """Undefined, whatever the method, and not counted in the adjustment."""
    cells = [[[[20, 0], [0, 20]]], [[[20, 9], [3, 20]]]]
    frame = flip_direction_tests(OutcomeCounts(["a", "b"], cells))
    assert frame["p_value"].isna().tolist() == [True, False]
    assert frame["statistic"].isna().tolist() == [True, False]
    assert frame["adjusted"][1] == frame["p_value"][1]


def test_fractions_are_refused() -> None:
    """Expected flips have no McNemar test."""
    table = OutcomeCounts(["a"], [[[[20, 0.5], [0, 20]]]])
    message = r"counts must be whole and without weights, got others\.$"
    with pytest.raises(ValueError, match=message):
        flip_direction_tests(table)


def test_method_is_refused() -> None:
    """There are three."""
    message = r"method must be one of 'exact', 'chi_square', 'chi_square_corrected', got 'other'\.$"
    with pytest.raises(ValueError, match=message):
        flip_direction_tests(flipped(1, 2), method="other")  # type: ignore[arg-type]


def test_tables_without_corrections_are_refused(selected: Table) -> None:
    """There are no flips to test."""
    with pytest.raises(ValueError, match=r"roles must be one of 'y_pred', got 'y_corrected'\."):
        flip_direction_tests(selected((1, 2)))


def test_constant_pairs_are_tested(errors: Table) -> None:
    """Groups whose people are all alike, but not like the other's, take part in the adjustment."""
    frame = pairwise_tests(
        errors((40, 0, 0), (0, 0, 40), (3, 2, 40)), "objective_fairness_index", n_resamples=999
    )
    assert frame["p_value"].tolist()[:2] == [0.001, 0.001]
    assert frame["adjusted"].tolist()[:2] == [0.003, 0.003]


def test_pairs_have_one_p_value(errors: Table) -> None:
    """Draws of all pairs are seeded by default."""
    table = errors((9, 2, 9), (2, 5, 10), (3, 1, 9))
    first, second = (pairwise_tests(table, "objective_fairness_index") for _ in range(2))
    assert first.equals(second)
