"""Exact division, and the two sides of a comparison."""

from fractions import Fraction
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import METRICS, disparate_impact
from skfair_ofi.metrics._registry import Contrast, divide, quotients

SELECTION = METRICS["selection_rate"]


def selected(**groups: tuple[int, int]) -> OutcomeCounts:
    """Return a table of predictions from (selected, people) by group."""
    cells = [[[[people - chosen], [chosen]]] for chosen, people in groups.values()]
    return OutcomeCounts(list(groups), np.array(cells))


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [
        (4, 50, Fraction(2, 25)),
        (4.0, 50.0, Fraction(2, 25)),
        (np.int64(4), np.int64(50), Fraction(2, 25)),
        (np.float64(4), np.float64(50), Fraction(2, 25)),
        (Fraction(4, 50), Fraction(5, 50), Fraction(4, 5)),
        (Fraction(1, 3), 2, Fraction(1, 6)),
        (0, 7, Fraction(0)),
        (-3, 6, Fraction(-1, 2)),
        (2**62, 2**62 - 1, Fraction(2**62, 2**62 - 1)),
        (1.5, 2, 0.75),
        (np.float64(1.5), np.float64(2), 0.75),
        (Fraction(1, 2), 0.25, 2.0),
        (1, 0, inf),
        (-1, 0, -inf),
        (0.5, 0.0, inf),
        (np.int64(1), np.int64(0), inf),
        (inf, 2, inf),
        (2, inf, 0.0),
    ],
)
def test_divide(numerator: Any, denominator: Any, expected: Any) -> None:
    """Whole numbers and fractions divide exactly, x/0 is infinite, the rest are floats."""
    result = divide(numerator, denominator)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [(0, 0), (0.0, 0.0), (Fraction(0), Fraction(0)), (nan, 1), (1, nan), (nan, 0), (inf, inf)],
)
def test_divide_undefined(numerator: Any, denominator: Any) -> None:
    """A share of nothing, or of what is undefined, is undefined."""
    assert isnan(divide(numerator, denominator))


@given(st.integers(0, 10**9), st.integers(1, 10**9))
@settings(derandomize=True, database=None, deadline=None)
def test_division_is_rounded_once(numerator: int, denominator: int) -> None:
    """The float of an exact quotient is the one that Python's own division rounds to."""
    assert float(divide(numerator, denominator)) == numerator / denominator


def test_quotients() -> None:
    """Quotients are floats, one a group, with infinities and NaN where they belong."""
    found = quotients((np.array([1, 1, 0, 0]), np.array([4, 0, 0, 3])))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [0.25, inf, nan, 0.0])


@pytest.mark.parametrize("empty", [0.0, 1.0])
def test_quotients_of_nothing(empty: float) -> None:
    """What 0/0 is can be told, where a source defines it."""
    assert quotients((np.array([0, 2]), np.array([0, 4])), empty).tolist() == [empty, 0.5]


def test_contrast_without_privileged() -> None:
    """Without a privileged group, the highest and the lowest are compared, whole and unsigned."""
    contrast = Contrast(selected(a=(1, 2), b=(1, 5), c=(9, 10)))
    assert not contrast.signed
    assert contrast.extremes(SELECTION) == (2, 1)
    assert contrast.sides(SELECTION) == (Fraction(9, 10), Fraction(1, 5))
    assert contrast.difference(SELECTION) == contrast.gap(SELECTION) == Fraction(7, 10)
    assert contrast.ratio(SELECTION) == Fraction(2, 9)
    assert contrast.overall(SELECTION) == Fraction(1 + 1 + 9, 2 + 5 + 10)
    assert contrast.name("a") == "group 'a'"


def test_contrast_with_privileged() -> None:
    """With a privileged group, everyone else together is compared with it, signed."""
    contrast = Contrast(selected(a=(1, 2), b=(1, 5), c=(9, 10)), "c")
    assert contrast.signed
    assert contrast.extremes(SELECTION) == (0, 1)
    assert contrast.sides(SELECTION) == (Fraction(1 + 1, 2 + 5), Fraction(9, 10))
    assert contrast.difference(SELECTION) == Fraction(2, 7) - Fraction(9, 10)
    assert contrast.gap(SELECTION) == Fraction(9, 10) - Fraction(2, 7)
    assert contrast.ratio(SELECTION) == Fraction(2, 7) / Fraction(9, 10)
    assert contrast.overall(SELECTION) == Fraction(11, 17)
    assert (contrast.name(False), contrast.name(True)) == ("the other groups", "group 'c'")


def test_contrast_with_several_privileged_groups() -> None:
    """Several privileged groups are one side, and are named together."""
    contrast = Contrast(selected(a=(1, 2), b=(1, 5), c=(9, 10)), ["c", "a"])
    assert contrast.sides(SELECTION) == (Fraction(1, 5), Fraction(10, 12))
    assert (contrast.name(False), contrast.name(True)) == ("group 'b'", "groups ['a', 'c']")


@pytest.mark.parametrize(
    "contrast",
    [
        pytest.param(Contrast(selected(a=(1, 2))), id="one group"),
        pytest.param(Contrast(selected(a=(1, 2)), "a"), id="one group, privileged"),
        pytest.param(Contrast(selected(a=(1, 2), b=(1, 2)), ["a", "b"]), id="all privileged"),
    ],
)
def test_contrast_of_one_side(contrast: Contrast) -> None:
    """One side alone has nothing to be compared with."""
    assert contrast.alone
    assert contrast.extremes(SELECTION) is None
    assert all(map(isnan, contrast.sides(SELECTION)))
    assert isnan(contrast.difference(SELECTION))
    assert isnan(contrast.ratio(SELECTION))


def test_contrast_with_an_undefined_group() -> None:
    """One group without people leaves the comparison undefined: it is not passed over."""
    contrast = Contrast(selected(a=(1, 2), b=(1, 5), c=(0, 0)))
    assert not contrast.alone
    assert contrast.extremes(SELECTION) is None
    assert isnan(contrast.gap(SELECTION))


@pytest.mark.parametrize("privileged", ["d", ["a", "d"], ["d"]])
def test_unknown_privileged_group(privileged: Any) -> None:
    """A privileged group that is not in the table is refused."""
    with pytest.raises(
        ValueError, match=r"^privileged must be one of the groups \['a', 'b'\], got 'd'\.$"
    ):
        Contrast(selected(a=(1, 2), b=(1, 5)), privileged)


@pytest.mark.parametrize(
    ("unprivileged", "privileged", "ratio", "verdict"),
    [
        ((4, 50), (5, 50), 4 / 5, "within bounds"),
        ((5, 50), (4, 50), 5 / 4, "within bounds"),
        ((28, 70), (35, 70), 4 / 5, "within bounds"),
        ((12, 49), (15, 49), 4 / 5, "within bounds"),
        ((39, 500), (49, 500), 39 / 49, "outside bounds"),
        ((4, 50), (2, 50), 2.0, "outside bounds"),
        ((4, 51), (5, 50), 40 / 51, "outside bounds"),
        ((0, 50), (5, 50), 0.0, "outside bounds"),
        ((5, 50), (0, 50), inf, "outside bounds"),
        ((0, 50), (0, 50), nan, "undefined"),
    ],
)
def test_exact_four_fifths(
    unprivileged: tuple[int, int], privileged: tuple[int, int], ratio: float, verdict: str
) -> None:
    """The four-fifths rule is decided on exact ratios, on both sides of 1.

    In floats (4 / 50) / (5 / 50) is 0.7999..., and would fail.
    """
    metric = METRICS["disparate_impact"]
    value = metric.of(selected(u=unprivileged, p=privileged), privileged="p")
    assert value == ratio or (isnan(value) and isnan(ratio))
    assert metric.bands.judge(value) == verdict


@pytest.mark.parametrize("weight", [1, 2, 1.0, 1000.0])
def test_four_fifths_of_whole_weights(weight: float) -> None:
    """Weights that are whole numbers are compared exactly, too."""
    predicted = [1] * 4 + [0] * 46 + [1] * 5 + [0] * 45
    groups = ["u"] * 50 + ["p"] * 50
    value = disparate_impact(
        None, predicted, sensitive_features=groups, privileged="p", sample_weight=[weight] * 100
    )
    assert value == 4 / 5


@given(st.integers(1, 10**6), st.integers(1, 10**6))
@settings(derandomize=True, database=None, deadline=None)
def test_four_fifths_at_every_size(k: int, m: int) -> None:
    """Four k of n against five k of n is within the bound, one person fewer is not."""
    n = 5 * k + m
    metric = METRICS["disparate_impact"]
    at, below = (
        metric.of(selected(u=(chosen, n), p=(5 * k, n)), privileged="p")
        for chosen in (4 * k, 4 * k - 1)
    )
    assert at == 0.8
    assert metric.bands.judge(at) == "within bounds"
    assert metric.bands.judge(below) == "outside bounds"


@pytest.mark.parametrize("weight", [0.1, 0.7, 1 / 3, 1e-3])
def test_weights_do_not_move_a_ratio_off_its_bound(weight: float) -> None:
    """Four of fifty against five of fifty are four fifths, whatever everyone weighs."""
    y_pred = [1] * 5 + [0] * 45 + [1] * 4 + [0] * 46
    counts = OutcomeCounts.from_arrays(
        y_pred=y_pred, sensitive_features=["p"] * 50 + ["u"] * 50, sample_weight=[weight] * 100
    )
    metric = METRICS["disparate_impact"]
    assert metric.bands is not None
    assert metric.of(counts, privileged="p") == pytest.approx(0.8, rel=1e-12)
    assert metric.bands.judge(metric.of(counts, privileged="p")) == "within bounds"
