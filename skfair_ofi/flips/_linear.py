"""Rates that flips move along a straight line, as coefficients read off the registry.

A rate is linear in flips where its numerator is a sum over people and its denominator
counts people whom no flip takes out. Selection rates, true and false positive rates,
accuracy, benefit and all flip rates are; predictive values, whose denominator is the people
corrected to favorable, are not. Which are, is found by asking each measure about eight
people, one in each cell of the table, so that nothing is said of a measure twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, Metric

# Constraints by the names that fairlearn's users know, and the measures that they bound.
CONSTRAINTS = {
    "demographic_parity": "statistical_parity_difference",
    "equal_opportunity": "equal_opportunity_difference",
    "predictive_equality": "predictive_equality_difference",
    "equalized_odds": "equalized_odds_difference",
    "objective_fairness_index": "objective_fairness_index",
    "error_parity": "accuracy_difference",
}
MEANS = {"balanced_accuracy": ("true_positive_rate", "true_negative_rate")}
_EVERY_CELL = OutcomeCounts(range(8), np.eye(8, dtype=np.int64).reshape(8, 2, 2, 2))


@dataclass(frozen=True, eq=False)
class LinearRate:
    """A rate of a group as a function of its people and of those whom rules move.

    With `cells` a group's people by prediction and true label, and `sums` the people whom
    a rule lifts and lowers, its value is (cells * before + sums @ effect) / (cells * people).
    """

    name: str
    effect: np.ndarray
    before: np.ndarray
    people: np.ndarray
    bounds: tuple[float, float]
    at_least: bool

    def count_people(self, cells: np.ndarray) -> np.ndarray:
        """Return how many people of each group count, of shape (n_groups,)."""
        people: np.ndarray = (cells * self.people).sum(axis=(-2, -1))
        return people

    def value(self, cells: np.ndarray) -> np.ndarray:
        """Return the predictions' own value in each group, 0 where nobody counts."""
        people = self.count_people(cells)
        value: np.ndarray = (cells * self.before).sum(axis=(-2, -1)) / np.where(
            people > 0, people, 1
        )
        return value

    def after(self, counts: OutcomeCounts) -> np.ndarray:
        """Return the value in each group of a table of corrected labels; NaN for nobody."""
        cells = np.swapaxes(counts.cells.sum(axis=3), 1, 2)
        moved = np.concatenate([counts.cells[:, :, 0, 1], counts.cells[:, :, 1, 0]], axis=1)
        people = self.count_people(cells)
        after = self.value(cells) + moved @ self.effect / np.where(people > 0, people, 1)
        return np.where(people > 0, after, np.nan)


def _ask(metric: Metric, counts: OutcomeCounts) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator of a rate after the correction, by cell."""
    numerator, denominator = metric.shares(
        counts if "y_corrected" in metric.roles else counts.after
    )
    return numerator.reshape(-1, 2, 2, 2), denominator.reshape(-1, 2, 2, 2)


@cache
def make_linear(name: str) -> LinearRate | None:
    """Return a registered rate as a linear one, None where it is not linear in flips."""
    metric = METRICS[name]
    if metric.kind != "rate" or "y_score" in metric.roles:
        return None
    (numerator,), (people,) = _ask(metric, _EVERY_CELL)
    # the denominator must not change where a label is flipped, and somebody must count
    if (people[..., 0] != people[..., 1]).any() or not people.any():
        return None
    flip = numerator[..., ::-1] - numerator  # [true, predicted, corrected]
    effect = np.concatenate([flip[:, 0, 0], flip[:, 1, 1]]).astype(np.float64)
    before = np.array([numerator[:, 0, 0], numerator[:, 1, 1]])
    return LinearRate(
        name, effect, before, people[..., 0].T, metric.bounds, metric.better == "higher"
    )


def get_rates(name: str) -> tuple[LinearRate, ...]:
    """Return the linear rates whose mean a name stands for; none where it is not linear."""
    rates = [make_linear(part) for part in MEANS.get(name, (name,))]
    return tuple(rate for rate in rates if rate is not None)


def find_gap(rates: Sequence[LinearRate], counts: OutcomeCounts) -> float:
    """Return the largest gap between groups after a correction, of any of some rates."""
    values = [rate.after(counts) for rate in rates]
    return max(float(np.nanmax(v) - np.nanmin(v)) for v in values if not np.isnan(v).all())


def measure_everyone(name: str, counts: OutcomeCounts) -> float:
    """Return a rate, or the mean of rates that a name stands for, of everyone."""
    values = [rate.after(counts.pooled())[0] for rate in get_rates(name)]
    return float(np.mean(values))
