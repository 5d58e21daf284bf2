"""Tables for the tests of intervals and tests."""

from collections.abc import Callable

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts


def _selected(*pairs: tuple[float, float]) -> OutcomeCounts:
    cells = np.array([[[[people - hits], [hits]]] for hits, people in pairs])
    return OutcomeCounts("abcdefghijkl"[: len(pairs)], cells)


def _errors(*groups: tuple[int, int, int]) -> OutcomeCounts:
    cells = np.array([[[[right], [fp]], [[fn], [0]]] for fp, fn, right in groups])
    return OutcomeCounts("abcdefghijkl"[: len(groups)], cells)


def _random(groups: int, largest: int, seed: int, *, scores: bool = True) -> OutcomeCounts:
    rng = np.random.default_rng(seed)
    # Many cells are empty, as in small data
    shape = (groups, 2, 2, 2)
    cells = rng.integers(0, largest, shape) * rng.integers(0, 2, shape)
    sums = cells * rng.normal(size=shape)
    squares = np.divide(sums**2, cells, out=np.zeros(shape), where=cells > 0) + cells
    given = {"score_sums": sums, "score_squares": squares} if scores else {}
    return OutcomeCounts("abcdefghijkl"[:groups], cells, **given)


@pytest.fixture(scope="session")
def selected() -> Callable[..., OutcomeCounts]:
    """Return a function that makes a table from pairs (people selected, people), one a group."""
    return _selected


@pytest.fixture(scope="session")
def errors() -> Callable[..., OutcomeCounts]:
    """Return a function that makes a table from (FP, FN, right predictions), one a group."""
    return _errors


@pytest.fixture(scope="session")
def random_table() -> Callable[..., OutcomeCounts]:
    """Return a function that makes a table of all three labels and scores, with empty cells."""
    return _random
