"""Rates of tables that are larger, or more uneven, than any example."""

from fractions import Fraction

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import METRICS

# TP, FN, FP, TN: products of these do not fit in 64 bits.
TP, FN, FP, TN = 3 * 10**12, 10**12 + 1, 7 * 10**11, 5 * 10**12
N = TP + FN + FP + TN
MANY = OutcomeCounts(["a", "b"], [[[[TN], [FP]], [[FN], [TP]]]] * 2)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("selection_rate", Fraction(TP + FP, N)),
        ("marginal_benefit", Fraction(FP - FN, N)),
        ("accuracy", Fraction(TP + TN, N)),
        ("true_positive_rate", Fraction(TP, TP + FN)),
        ("treatment_ratio", Fraction(FN, FP)),
        ("average_odds", (Fraction(TP, TP + FN) + Fraction(FP, FP + TN)) / 2),
    ],
)
def test_millions_of_millions(name: str, expected: Fraction) -> None:
    """Rates of as many people as a table can count are exact and do not overflow."""
    metric = METRICS[name]
    assert metric.exact(MANY, 0) == expected
    assert metric.of(MANY) == float(expected)
    np.testing.assert_array_equal(metric.values(MANY), [float(expected)] * 2)


@pytest.mark.parametrize("weight", [1e-120, 1e120])
def test_extreme_weights(weight: float) -> None:
    """Weights of any size give shares of ordinary size."""
    counts = OutcomeCounts(["a"], np.array([[[[5], [1]], [[1], [3]]]]) * weight)
    assert METRICS["true_positive_rate"].of(counts) == pytest.approx(3 / 4)
    assert METRICS["average_odds"].of(counts) == pytest.approx((3 / 4 + 1 / 6) / 2)
    assert METRICS["marginal_benefit"].of(counts) == 0
