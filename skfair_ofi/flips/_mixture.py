"""A solved mixture of rules as people meet it: by group and direction, bars and chances."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ._paths import Columns

_CERTAIN = 1e-9


class Steps(NamedTuple):
    """What happens on one side of a group: between two bars, one chance of being flipped.

    `bars` go on along the path, from those flipped first; who is beyond the bar of a step
    and not beyond the one before is flipped with its chance. `people` are those there.
    """

    group: int
    lifts: bool
    bars: np.ndarray
    chances: np.ndarray
    people: np.ndarray


def make_steps(columns: Columns, weights: np.ndarray) -> list[Steps]:
    """Return the steps of all groups and directions in which anyone is flipped."""
    steps = []
    for path, places, part in zip(columns.paths, columns.places, columns.parts, strict=True):
        used = np.flatnonzero(weights[part] > 0)
        if not len(used):
            continue
        # who is beyond a bar is beyond all later ones, too
        chances = np.cumsum(weights[part][used][::-1])[::-1]
        chances = np.where(chances > 1 - _CERTAIN, 1.0, chances)
        people = np.diff(path.moved[places[used]].sum(axis=1), prepend=0.0)
        steps.append(Steps(path.group, path.lifts, path.bars[places[used]], chances, people))
    return steps


def find_chances(
    steps: Sequence[Steps], score: np.ndarray, predicted: np.ndarray, codes: np.ndarray
) -> np.ndarray:
    """Return each person's probability of the favorable label."""
    favorable = predicted.astype(np.float64)
    if not steps:
        return favorable
    side = 2 * codes + predicted
    order = np.argsort(side, kind="stable")
    wanted = [2 * step.group + (not step.lifts) for step in steps]
    starts = np.searchsorted(side, wanted, side="left", sorter=order)
    ends = np.searchsorted(side, wanted, side="right", sorter=order)
    for step, start, end in zip(steps, starts, ends, strict=True):
        rows = order[start:end]
        if step.lifts:  # bars fall
            passed = np.searchsorted(-step.bars, -score[rows], side="left")
            favorable[rows] = np.append(step.chances, 0.0)[passed]
        else:
            passed = np.searchsorted(step.bars, score[rows], side="right")
            favorable[rows] = 1.0 - np.append(step.chances, 0.0)[passed]
    return favorable
