"""Coarse checks that intervals hold the truth as often as they say.

The full tables are printed by ``python -m benchmarks.coverage``.
"""

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_interval

DRAWS = 400
# Three standard errors of a share of 0.95 among 400.
LOWEST = 0.95 - 3 * np.sqrt(0.95 * 0.05 / DRAWS)


def tables(chances: list[list[float]], people: list[int]) -> list[OutcomeCounts]:
    """Return drawn tables; chances are of TN, FP, FN, TP in each group."""
    rng = np.random.default_rng(20)
    drawn = rng.multinomial(people, chances, size=(DRAWS, len(people)))
    cells = drawn.reshape(DRAWS, len(people), 2, 2, 1)
    return [OutcomeCounts(range(len(people)), one) for one in cells]


def share_inside(name: str, truth: float, found: list[OutcomeCounts], **options: object) -> float:
    """Return how many intervals hold the truth."""
    intervals = [confidence_interval(table, name, **options) for table in found]  # type: ignore[arg-type]
    return float(np.mean([truth in interval for interval in intervals]))


@pytest.mark.parametrize("people", [[30, 30], [100, 100], [20, 500]], ids=str)
@pytest.mark.slow
def test_two_groups(people: list[int]) -> None:
    """Differences, ratios and the index of two groups."""
    found = tables([[0.4, 0.1, 0.2, 0.3], [0.5, 0.05, 0.05, 0.4]], people)
    truths = {
        "statistical_parity_difference": -0.05,
        "disparate_impact": 0.4 / 0.45,
        "objective_fairness_index": -0.1,
        "equal_opportunity_difference": 0.6 - 0.4 / 0.45,
        "average_odds_difference": (0.6 - 0.4 / 0.45 + 0.2 - 0.05 / 0.55) / 2,
        "treatment_equality_difference": 1.0,
    }
    for name, truth in truths.items():
        intervals = [confidence_interval(table, name, privileged=1) for table in found]
        known = [each for each in intervals if each.method != "none"]
        inside = [each.low - 1e-12 <= truth <= each.high + 1e-12 for each in known]
        assert np.mean(inside) >= LOWEST, name


@pytest.mark.parametrize("groups", [2, 5, 10])
@pytest.mark.slow
def test_largest_gap_of_equal_groups(groups: int) -> None:
    """Zero is inside about 95 times in 100, for any number of groups."""
    found = tables([[0.4, 0.1, 0.2, 0.3]] * groups, [80] * groups)
    for name in ("statistical_parity_difference", "objective_fairness_index"):
        assert LOWEST <= share_inside(name, 0.0, found) < 0.99


def test_resampling_the_largest_gap_fails() -> None:
    """Why it has a method of its own: a percentile bootstrap never holds a gap of 0."""
    found = tables([[0.4, 0.1, 0.2, 0.3]] * 5, [80] * 5)[:40]
    name = "statistical_parity_difference"
    options = {"method": "bootstrap", "n_resamples": 200, "random_state": 0}
    assert share_inside(name, 0.0, found, **options) < 0.1


@pytest.mark.parametrize("name", ["marginal_benefit", "average_odds", "treatment_ratio"])
def test_rates(name: str) -> None:
    """Rates that are no plain share of people."""
    truth = {"marginal_benefit": -0.1, "average_odds": 0.4, "treatment_ratio": 2.0}[name]
    found = tables([[0.4, 0.1, 0.2, 0.3]], [60])
    assert share_inside(name, truth, found) >= LOWEST
