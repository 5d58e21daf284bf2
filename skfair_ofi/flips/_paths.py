"""What can be done to each group: lift its best unfavorable people, lower its worst favorable.

A group has two paths. One lifts people whose prediction is unfavorable, highest scores
first; the other lowers people whose prediction is favorable, lowest scores first. A step
of a path is a rule, "lift who scores at least the bar" or "lower who scores less", and two
numbers say everything linear about it: how many it moves with an unfavorable and with a
favorable true label.

Among a path's steps only the corners of the convex hull of those two numbers matter to a
linear program, since every other step is a mixture of two corners with the same numbers.
They are where isotonic regression of the label on the score, in either direction, changes
its value. So a million scores become some dozens of rules, and nothing is lost.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

_PASSES = 40


@dataclass(frozen=True)
class Path:
    """All rules on one side of a group, in the order in which they move people.

    `moved` holds people moved so far, by true label; `corners` are positions in it.
    """

    group: int
    lifts: bool
    bars: np.ndarray
    moved: np.ndarray
    corners: np.ndarray

    def find_even(self, steps: int) -> np.ndarray:
        """Return positions at even numbers of people moved."""
        people = self.moved.sum(axis=1)
        wanted = np.linspace(0.0, people[-1], steps + 1)[1:]
        return np.searchsorted(people, wanted * (1 - 1e-12)).clip(0, len(people) - 1)

    def pick(self, places: np.ndarray) -> Self:
        """Return the path with these rules only, all of them corners."""
        return replace(
            self,
            bars=self.bars[places],
            moved=self.moved[places],
            corners=np.arange(len(places)),
        )


def _trim_to_hull(x: np.ndarray, y: np.ndarray, path: np.ndarray, sign: float) -> np.ndarray:
    """Positions on the upper hulls (or, with -1, the lower) of paths that stand in a row.

    What lies below the line between its neighbors lies below the hull, so all of it can be
    dropped at once, and again, until nothing does: a few passes, but where corners fall one
    after the other. What is left then goes one by one.
    """
    corners = np.arange(len(x))
    for _ in range(_PASSES):
        dx, dy = np.diff(x[corners]), np.diff(y[corners])
        inner = path[corners[2:]] == path[corners[:-2]]
        below = inner & (sign * (dx[:-1] * dy[1:] - dy[:-1] * dx[1:]) >= 0)
        if not below.any():
            return corners
        corners = corners[np.concatenate([[True], ~below, [True]])]
    hull: list[int] = []
    for now in corners.tolist():
        while len(hull) > 1 and path[hull[-2]] == path[now]:
            before, last = hull[-2], hull[-1]
            turn = (x[last] - x[before]) * (y[now] - y[last]) - (y[last] - y[before]) * (
                x[now] - x[last]
            )
            if sign * turn < 0:
                break
            hull.pop()
        hull.append(now)
    return np.array(hull)


def find_paths(
    score: np.ndarray,
    predicted: np.ndarray,
    true: np.ndarray,
    codes: np.ndarray,
    weight: np.ndarray | None = None,
) -> list[Path]:
    """Return the paths of all groups that have people on their side.

    `true` may hold probabilities; groups with a negative code have no paths.
    """
    weight = np.ones(len(score)) if weight is None else weight.astype(np.float64)
    order = np.lexsort((np.where(predicted == 1, score, -score), 2 * codes + predicted))
    order = order[(weight[order] > 0) & (codes[order] >= 0)]
    score, weight, true = score[order], weight[order], true[order]
    side = (2 * codes + predicted)[order]
    if not len(order):
        return []
    new_side = np.append(np.diff(side) != 0, True)
    ends = np.flatnonzero(new_side | np.append(np.diff(score) != 0, True))
    score, side = score[ends], side[ends]
    people = np.append(0.0, np.cumsum(weight)[ends])
    favorable = np.append(0.0, np.cumsum(weight * true)[ends])
    stops = np.flatnonzero(new_side[ends]) + 1
    starts = np.append(0, stops[:-1])
    # each path with the point where it starts, which is where the one before ends
    path = np.repeat(np.arange(len(stops)), stops - starts + 1)
    point = np.arange(len(path)) - path
    hulls = [_trim_to_hull(people[point], favorable[point], path, sign) for sign in (1.0, -1.0)]
    corner = np.zeros(len(path), bool)
    corner[np.concatenate(hulls)] = True
    paths = []
    for number, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        lifts = bool(side[start] % 2 == 0)
        total, ones = people[start : stop + 1], favorable[start : stop + 1]
        moved = np.column_stack([total - ones, ones])
        paths.append(
            Path(
                int(side[start] // 2),
                lifts,
                _place_bars(score[start:stop], lifts=lifts),
                moved[1:] - moved[0],
                np.flatnonzero(corner[start + number + 1 : stop + number + 1]),
            )
        )
    return paths


def count_sides(
    predicted: np.ndarray, true: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_groups: int
) -> np.ndarray:
    """Return people by group, prediction and true label, which may be a probability."""
    side, size = 2 * codes + predicted, 2 * n_groups
    people = np.bincount(side, weights=weight, minlength=size)
    favorable = np.bincount(side, weights=weight * true, minlength=size)
    return np.stack([people - favorable, favorable], axis=-1).reshape(n_groups, 2, 2)


def pool_labels(
    score: np.ndarray,
    predicted: np.ndarray,
    true: np.ndarray,
    codes: np.ndarray,
    weight: np.ndarray,
    *,
    people: float,
) -> np.ndarray:
    """Return labels shrunk toward what the score says of everyone, as if of `people` more.

    A group of n keeps the share n / (n + people) of its own labels; the rest is the
    isotonic regression of label on score among all who have the same prediction.
    """
    from sklearn.isotonic import isotonic_regression  # noqa: PLC0415 - loads what importing must not

    smooth = true.copy()
    for side in (0, 1):
        rows = np.flatnonzero((predicted == side) & (weight > 0))
        values, inverse = np.unique(score[rows], return_inverse=True)
        if len(values):
            w = np.bincount(inverse, weights=weight[rows])
            share = np.bincount(inverse, weights=(weight * true)[rows]) / w
            smooth[rows] = isotonic_regression(share, sample_weight=w)[inverse]
    size = np.bincount(codes, weights=weight)[codes]
    shrunk: np.ndarray = (size * true + people * smooth) / (size + people)
    return shrunk


def _place_bars(score: np.ndarray, *, lifts: bool) -> np.ndarray:
    """Bars halfway to the next score that is not moved; beyond the last one, at infinity."""
    following = np.append(score[1:], -np.inf if lifts else np.inf)
    middle = score + 0.5 * (following - score)
    # "at least" and "less than": the bar must not be the lower of the two scores
    low, high = (following, score) if lifts else (score, following)
    return np.where(middle <= low, high, middle) if np.isfinite(score).all() else middle


class Columns:
    """The rules that a program chooses among: places of paths, one column a rule."""

    def __init__(self, paths: Sequence[Path], places: Iterable[np.ndarray]) -> None:
        self.paths = paths
        self.places = [np.unique(place) for place in places]
        sizes = [len(place) for place in self.places]
        ends = np.cumsum(sizes, dtype=np.intp)
        self.parts = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
        self.owner = np.repeat(np.array([path.group for path in paths], np.intp), sizes)
        # people lifted, by true label, then people lowered
        self.sums = np.zeros((sum(sizes), 4))
        for path, place, part in zip(paths, self.places, self.parts, strict=True):
            self.sums[part, 0 if path.lifts else 2 :][:, :2] = path.moved[place]

    def __len__(self) -> int:
        return len(self.owner)

    @classmethod
    def at_corners(cls, paths: Sequence[Path], steps: int = 0) -> Self:
        """Return the corners of the hulls and, where asked for, steps of even size."""
        return cls(
            paths,
            [
                np.append(path.corners, path.find_even(steps)) if steps else path.corners
                for path in paths
            ],
        )

    def refine(self, weights: np.ndarray, most: int) -> Self:
        """Return these rules and up to so many more on each side of every rule in use."""
        refined = []
        for path, place, part in zip(self.paths, self.places, self.parts, strict=True):
            used = np.flatnonzero(weights[part] > 0)
            around = np.concatenate([[-1], place, [len(path.bars) - 1]])
            # position k of `place` is k + 1 of `around`
            gaps = {(around[k + step], around[k + step + 1]) for k in used for step in (0, 1)}
            between = [np.linspace(a, b, most + 2)[1:-1].astype(np.intp) for a, b in gaps]
            refined.append(np.concatenate([place, *between]).clip(0))
        return type(self)(self.paths, refined)
