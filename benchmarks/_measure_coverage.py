"""Coverage of the default interval of every measure, of tables drawn from groups of people."""

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np

from benchmarks import _bench
from skfair_ofi import METRICS, OutcomeCounts
from skfair_ofi.inference import confidence_interval, find_intervals
from skfair_ofi.inference._limits import get_parts, sample_quotient
from skfair_ofi.metrics import Metric

# At the edge are settings in which fewer people of a kind are expected.
FEWEST = 3


def person(base: float, tpr: float, fpr: float, favorable: float, harmful: float) -> np.ndarray:
    """Return the probabilities of one person's cells."""
    cells = np.zeros((2, 2, 2))
    for true, predicted, corrected in np.ndindex(2, 2, 2):
        given = tpr if true else fpr
        flip = harmful if predicted else favorable
        cells[true, predicted, corrected] = (
            (base if true else 1 - base)
            * (given if predicted else 1 - given)
            * (flip if predicted != corrected else 1 - flip)
        )
    return cells


# Group kinds, people and the privileged group.
TRIED: dict[str, tuple[list[int], list[int], Any]] = {
    "100, 100": ([0, 1], [100, 100], 1),
    "30, 30": ([0, 1], [30, 30], 1),
    "40, 400": ([0, 2], [40, 400], 1),
    "many flips": ([4, 5], [60, 80], 1),
    "equal, 60": ([0, 0, 0], [60, 60, 60], None),
    "four, 60-150": ([0, 1, 2, 3], [100, 60, 150, 80], None),
    "four, 500-1500": ([0, 1, 2, 3], [1000, 700, 1500, 500], None),
}
Found = dict[str, tuple[float, float, float]]


def every_measure(draws: int) -> None:
    """Print the default interval of every measure of labels and of flips."""
    people = [
        person(0.5, 0.7, 0.2, 0.1, 0.1),
        person(0.3, 0.6, 0.1, 0.2, 0.02),
        person(0.6, 0.8, 0.4, 0.05, 0.2),
        person(0.5, 0.7, 0.2, 0.3, 0.05),
        person(0.5, 0.7, 0.3, 0.3, 0.3),
        person(0.4, 0.6, 0.2, 0.2, 0.4),
    ]
    found = {title: _measures(people, *rest, draws) for title, rest in TRIED.items()}
    print(
        "\nEvery measure: coverage and median width, where at least", FEWEST, "people of each kind"
    )
    print("are expected in each group. Tables from groups of people.")
    _measure_table(found, lambda expected: expected >= FEWEST)
    print("\nAt the edge: the same where fewer than", FEWEST, "people of some kind are expected.")
    _measure_table(found, lambda expected: expected < FEWEST)


def _measure_table(found: dict[str, Found], wanted: Callable[[float], bool]) -> None:
    """Print those settings of each measure in which as many are expected as is wanted."""
    widths = (42, *[14] * len(found))
    _bench.print_head(("measure", *found), widths)
    lowest, highest = 1.0, 0.0
    for name in found["100, 100"]:
        cells = []
        for each in found.values():
            coverage, width, expected = each[name]
            cells.append(f"{coverage:.1%} {width:.3f}" if wanted(expected) else "")
            if wanted(expected):
                lowest, highest = min(lowest, coverage), max(highest, coverage)
        if any(cells):
            _bench.print_row([name, *cells], widths)
    print(f"\nLowest {lowest:.1%}, highest {highest:.1%}.")


def _expected(metric: Metric, counts: OutcomeCounts) -> float:
    """Return how many people of the rarer kind are expected in the group that has fewest.

    Kinds are those that a rate counts and those that it does not; of a marginal benefit, people
    with an error and people without.
    """
    fewest = float(counts.n)
    for name in dict.fromkeys(part for rate in metric.rates for part in get_parts(rate.name)):
        sample = sample_quotient(name, counts)
        share = sample.spread if sample.kind == "benefit" else sample.value
        fewest = min(fewest, float((sample.size * np.minimum(share, 1 - share)).min()))
    return fewest


def _measures(
    people: list[np.ndarray], kinds: list[int], sizes: list[int], privileged: Any, draws: int
) -> Found:
    """Return coverage, median width and the fewest expected people of a kind, by measure."""
    rng = np.random.default_rng(6)
    groups, chances = range(len(sizes)), np.stack([people[kind] for kind in kinds])
    expected = OutcomeCounts(groups, chances * np.array(sizes)[:, None, None, None])
    names = [name for name, metric in METRICS.items() if metric.family != "score"]
    flat = chances.reshape(len(sizes), -1)
    drawn = rng.multinomial(sizes, flat, size=(draws, len(sizes))).reshape(draws, *chances.shape)
    found = [
        find_intervals(OutcomeCounts(groups, cells), map(METRICS.get, names), 0.95, privileged)
        for cells in drawn
    ]
    result = {}
    for name in names:
        aim = confidence_interval(expected, name, privileged=privileged).estimate
        known = [each[name] for each in found if not isnan(each[name].low)]
        inside = [one.low - 1e-9 <= aim <= one.high + 1e-9 for one in known]
        counts = expected.pooled() if METRICS[name].kind == "rate" else expected
        wide = float(np.median([one.width for one in known]))
        result[name] = float(np.mean(inside)), wide, _expected(METRICS[name], counts)
    return result
