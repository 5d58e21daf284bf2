"""Numbers of confusion matrices, against enumeration and against the published formulas."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

from skfair_ofi.theory import cell_value_count, confusion_matrices, number_of_tables


def enumerated(n: int) -> list[tuple[int, ...]]:
    """Return all ways to put n people into four cells, the slow way."""
    return [cells for cells in product(range(n + 1), repeat=4) if sum(cells) == n]


@pytest.mark.parametrize("n", range(7))
def test_enumeration_holds_each_matrix_once(n: int) -> None:
    """M(n) holds every matrix of n people, and none twice."""
    matrices = [tuple(matrix) for matrix in confusion_matrices(n).reshape(-1, 4).tolist()]
    assert sorted(matrices) == enumerated(n)
    assert len(matrices) == number_of_tables(n)


@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("cell", range(4))
def test_cell_values_are_counted_in_every_cell(n: int, cell: int) -> None:
    """C(x; n) matrices hold x, whichever the cell."""
    counted = Counter(cells[cell] for cells in enumerated(n))
    assert {x: cell_value_count(x, n) for x in range(n + 1)} == counted


@pytest.mark.parametrize("n", [*range(7), 30, 10**6])
def test_numbers_as_published(n: int) -> None:
    """N(n) is (n+1)(n+2)(n+3)/6 and C(x; n) is (n-x+1)(n-x+2)/2, as the appendix has them."""
    assert number_of_tables(n) == (n + 1) * (n + 2) * (n + 3) // 6
    for x in {0, n // 3, n}:
        assert cell_value_count(x, n) == (n - x + 1) * (n - x + 2) // 2


def test_cells_hold_no_more_than_everyone() -> None:
    """No matrix of 3 people holds 4 in a cell."""
    assert cell_value_count(4, 3) == 0


def test_numbers_stay_exact_for_many_people() -> None:
    """N(10^9) has 27 digits, all of them right."""
    assert number_of_tables(10**9) == (10**9 + 1) * (10**9 + 2) * (10**9 + 3) // 6


@pytest.mark.parametrize("value", [-1, 1.5, "3", None])
def test_numbers_of_people_are_whole(value: object) -> None:
    """Anything but a whole number of people is refused, by name and value."""
    message = rf"n must be a whole number of at least 0, got {value!r}\.$"
    with pytest.raises(ValueError, match=message):
        number_of_tables(value)  # type: ignore[arg-type]


def test_cell_values_are_not_negative() -> None:
    """A negative count is refused."""
    with pytest.raises(ValueError, match=r"x must be a whole number of at least 0, got -1\.$"):
        cell_value_count(-1, 2)


def test_numpy_integers_are_numbers_of_people() -> None:
    """A count taken from an array works as well."""
    assert number_of_tables(np.int64(2)) == 10
