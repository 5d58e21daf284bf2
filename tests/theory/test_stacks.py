"""Marginal benefits of stacks of confusion matrices."""

from fractions import Fraction

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import METRICS
from skfair_ofi.theory import marginal_benefits, objective_fairness_indices


@pytest.fixture(scope="module")
def stack() -> np.ndarray:
    """A hundred thousand matrices, some of them empty."""
    rng = np.random.default_rng(7)
    return rng.integers(0, 50, (100_000, 2, 2)) * rng.integers(0, 2, (100_000, 1, 1))


def test_each_is_the_measure_of_one_table(stack: np.ndarray) -> None:
    """A stack gives what the registry's measure gives table by table."""
    one_each = OutcomeCounts(range(len(stack)), stack[..., None])
    expected = METRICS["marginal_benefit"].values(one_each)
    assert np.array_equal(marginal_benefits(stack), expected, equal_nan=True)


def test_shapes_are_kept_and_broadcast() -> None:
    """Any number of leading axes goes in, and comes out."""
    ones = np.ones((3, 1, 4, 2, 2), dtype=int)
    assert marginal_benefits(ones).shape == (3, 1, 4)
    assert objective_fairness_indices(ones, ones[0]).shape == (3, 1, 4)
    assert np.ndim(marginal_benefits([[1, 2], [3, 4]])) == 0


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint32, np.int64])
def test_small_types_do_not_wrap_around(dtype: type) -> None:
    """FP - FN of -100 and n of 300 do not fit in eight bits, and are right all the same."""
    matrix = np.array([[[100, 0], [100, 100]]], dtype=dtype)
    assert marginal_benefits(matrix).tolist() == [-1 / 3]


def test_indices_are_fractions_rounded_once() -> None:
    """Equal benefits of different groups give 0 exactly, and others the nearest float."""
    thirds = [[2, 1], [0, 0]], [[20, 10], [0, 0]]
    assert objective_fairness_indices(*thirds) == 0
    first, second = [[5, 1], [0, 3]], [[4, 2], [0, 1]]
    expected = float(Fraction(1, 9) - Fraction(2, 7))
    assert objective_fairness_indices(first, second) == expected


def test_indices_of_huge_groups_do_not_overflow() -> None:
    """Groups of 10^12 people are subtracted as floats."""
    first, second = [[10**12, 10**12], [0, 0]], [[10**12, 0], [0, 0]]
    assert objective_fairness_indices(first, second) == 0.5


def test_published_indices() -> None:
    """Table 1 of Briscoe2025: -1/18, 2/9 and 30/133."""
    first = [[[5, 0], [0, 1]], [[5, 0], [1, 0]], [[5, 0], [1, 1]]]
    second = [[[10, 1], [0, 7]], [[11, 0], [7, 0]], [[11, 0], [7, 1]]]
    expected = [float(Fraction(*parts)) for parts in ((-1, 18), (2, 9), (30, 133))]
    assert objective_fairness_indices(first, second).tolist() == expected


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        ([[1, 2, 3]], r"matrices must have shape \(\.\.\., 2, 2\), got \(1, 3\)\.$"),
        ([[0.5, 1], [1, 1]], r"matrices must hold integers, got dtype float64\.$"),
        ([[1, 2], [-3, 1]], r"matrices must not be negative, got -3\.$"),
    ],
)
def test_what_is_no_stack_of_counts(matrices: list[list[float]], message: str) -> None:
    """Other shapes, fractions and negative counts are refused."""
    with pytest.raises(ValueError, match=message):
        marginal_benefits(matrices)


def test_no_matrices_give_no_values() -> None:
    """An empty stack is a stack."""
    assert marginal_benefits(np.empty((0, 2, 2), dtype=int)).shape == (0,)


@pytest.mark.parametrize(
    ("kind", "count"),
    [(np.int64, 2**60), (np.int64, 2**62), (np.uint64, 2**62), (np.uint64, 2**63 + 5)],
)
def test_counts_whose_sums_overflow_are_refused(kind: type, count: int) -> None:
    """Four of the largest that are taken add up within 64 bits."""
    matrices = np.array([[count, 1], [1, 1]], dtype=kind)
    message = rf"^matrices must hold counts below 2\*\*60, got {count}\.$"
    with pytest.raises(ValueError, match=message):
        marginal_benefits(matrices)
    assert marginal_benefits(np.full((2, 2), 2**60 - 1, dtype=kind)) == 0


def test_stacks_that_do_not_fit_are_refused() -> None:
    """Both shapes are named."""
    first, second = np.ones((3, 2, 2), dtype=int), np.ones((4, 2, 2), dtype=int)
    message = (
        r"^first and second must have shapes that broadcast, got \(3, 2, 2\) and \(4, 2, 2\)\.$"
    )
    with pytest.raises(ValueError, match=message):
        objective_fairness_indices(first, second)


@pytest.mark.parametrize(("people", "units"), [(10**4, 0), (67 * 10**6, 0), (10**9 - 1, 2)])
def test_how_often_indices_are_rounded(people: int, units: int) -> None:
    """Once up to 67 million people each, and to two units of the last place up to 10^9."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        sides = [rng.multinomial(people, rng.dirichlet(np.ones(4))).reshape(2, 2) for _ in "ab"]
        exact = [Fraction(int(side[0, 1] - side[1, 0]), people) for side in sides]
        expected = float(exact[0] - exact[1])
        found = float(objective_fairness_indices(*sides))
        assert abs(found - expected) <= units * np.spacing(abs(expected))
