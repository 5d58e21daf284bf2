"""Solving: the goals in turn, what each constraint costs, what would do, and frontiers."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ._paths import Columns
from ._program import PRECISION, InfeasibleError, Program, Solved
from ._wishes import Wish, show_level

# Thresholds that stand beside the corners of the hulls, where moving least is the goal.
_STEPS, _STEPS_SINGLE, _REFINED, _ROUNDS = 50, 150, 12, 3
_NOISE = 1e-4


class Optimum(NamedTuple):
    """A solved program, with the program that prices and frontiers are read off.

    `program` has the corners of the hulls only; `fine` is the one that `weights` are of.
    `least` is the share of people that must be flipped, NaN where that was not asked.
    """

    program: Program
    fine: Program
    weights: np.ndarray
    least: float


def order_goals(goal: str) -> tuple[str, ...]:
    """Return what is minimized, then what decides among equals."""
    first = () if goal in ("flips", "move") else (goal,)
    return (*first, "move") if goal == "move" else (*first, "flips", "move")


def optimize(program: Program, goal: str, slack: float) -> Optimum:
    """Solve for one goal after another, each at the best that those before allow.

    `program` has the corners of the hulls. The least flips may then be exceeded by the
    share `slack`, which is spent on moving thresholds as little as can be.
    """
    nothing = np.zeros(len(program.columns))
    is_met = not program.margin and program.find_excess(nothing) <= 1e-12
    if is_met and not goal.endswith("accuracy"):
        return Optimum(program, program, nothing, 0.0)
    if program.single:
        return _optimize_single(program, goal)
    caps: list[tuple[str, float]] = []
    least, fine, weights = np.nan, program, nothing
    for goal_now in order_goals(goal)[:-1]:
        solved = _solve(program, goal_now, caps)
        least = max(solved.value, 0.0) if goal_now == "flips" else least
        share = slack if goal_now == "flips" else 0.0
        caps.append((goal_now, solved.value + share * abs(solved.value)))
        weights = tidy(program, solved.weights)
    columns = Columns.at_corners(program.columns.paths, _STEPS)
    for _ in range(_ROUNDS):
        finer = replace(program, columns=columns)
        moved = _minimize(finer, "move", caps)
        if moved is None and not caps:
            raise InfeasibleError(explain(program))
        if moved is None:  # by the last digits of the caps, which the rules so far meet
            break
        fine, weights = finer, tidy(finer, moved.weights)
        columns = columns.refine(weights, _REFINED)
        if len(columns) == len(fine.columns):
            break
    return Optimum(program, fine, weights, least)


def _optimize_single(program: Program, goal: str) -> Optimum:
    """One threshold a group, or none: a program in whole numbers, which takes longer."""
    fine = replace(program, columns=Columns.at_corners(program.columns.paths, _STEPS_SINGLE))
    solved = fine.minimize(fine.weigh_goal(goal)[0])
    if solved is None:
        raise InfeasibleError(explain(replace(program, single=False), single=True))
    weights: np.ndarray = np.round(solved.weights)
    return Optimum(replace(program, single=False), fine, weights, np.nan)


def _minimize(program: Program, goal: str, caps: Sequence[tuple[str, float]] = ()) -> Solved | None:
    """The best of a goal, where earlier goals may be exceeded by the solver's last digits."""
    rows = [(program.weigh_goal(name)[0], bound + 1e-9) for name, bound in caps]
    return program.minimize(program.weigh_goal(goal)[0], rows)


def _solve(program: Program, goal: str, caps: Sequence[tuple[str, float]] = ()) -> Solved:
    solved = _minimize(program, goal, caps)
    if solved is None:
        raise InfeasibleError(explain(program))
    return solved


def tidy(program: Program, weights: np.ndarray) -> np.ndarray:
    """Return weights without what is noise of the solver, wishes met as well as before."""
    allowed = max(program.find_excess(weights), 0.0) + PRECISION / 10
    for noise in (_NOISE, 1e-7, 1e-9):
        snapped: np.ndarray = np.where(weights < noise, 0.0, weights)
        total = np.bincount(program.columns.owner, weights=snapped, minlength=len(program.cells))
        # what is as good as everyone is everyone
        scale = np.where((total > 1) | (total > 1 - noise), total, 1.0)
        snapped /= scale[program.columns.owner]
        if program.find_excess(snapped) <= allowed:
            return snapped
    clipped: np.ndarray = np.clip(weights, 0.0, 1.0)
    return clipped


def find_level(program: Program, *numbers: int) -> float | None:
    """Return the nearest common level of some wishes that the others allow, None for none."""
    wish = program.wishes[numbers[0]]
    if wish.kind == "ratio":
        return _bisect_ratio(program, numbers[0])
    _, right, slope, wishes = program.rows
    slope = np.where(np.isin(wishes, numbers), slope, 0.0)
    # a level for each group has no one nearest level
    if not slope.any() or isinstance(wish.level, np.ndarray):
        return None
    cost = np.zeros(len(program.columns))
    solved = program.minimize(cost, right=right - slope * wish.level, level=-slope)
    return None if solved is None else float(solved.weights[-1])


def _bisect_ratio(program: Program, number: int) -> float | None:
    """The largest ratio that can be reached: rows change with it, so it is tried out."""
    low, high = 0.0, 1.0
    wishes = list(program.wishes)
    for trial in range(32):
        level = (low + high) / 2 if trial else 0.0
        wishes[number] = replace(wishes[number], level=level)
        if replace(program, wishes=wishes).minimize(np.zeros(len(program.columns))) is None:
            if not trial:
                return None
            high = level
        else:
            low = level
    return low


def explain(program: Program, *, single: bool = False) -> str:
    """Return in words why there is no rule, and which level of each wish would do."""
    ways = [
        f"{wish.describe(level)} instead of {wish.level:.4g}"
        for number, wish in enumerate(program.wishes)
        if (level := find_level(program, number)) is not None
        and abs(level - wish.level) > PRECISION / 10
    ]
    gaps = [number for number, wish in enumerate(program.wishes) if wish.kind == "gap"]
    if len(gaps) > 1 and len({program.wishes[number].level for number in gaps}) == 1:
        level = find_level(program, *gaps)
        if level is not None:
            ways.append(f"all gaps at most {show_level(level, 'at most')}")
    if single:
        return (
            "No single threshold a group meets all constraints; single_threshold=False, or a "
            "wider tolerance, may do."
        )
    if not ways:
        return "No rule meets all constraints, whatever the level of any one of them."
    return f"No rule meets all constraints. Any one of these would do: {'; or '.join(ways)}."


def price(program: Program, goal: str) -> list[tuple[Wish, float, float]]:
    """Return for each wish what it costs, and the change of the cost by its level.

    The cost is the goal with the wish minus the goal without it; the change is the sum of
    the dual values of its rows.
    """
    whole = _solve(program, goal)
    matrix, right, slope, wishes = program.rows
    priced = []
    for number, wish in enumerate(program.wishes):
        others = [other for other in program.wishes if other is not wish]
        without = _solve(replace(program, wishes=others), goal)
        if wish.kind == "ratio" and wish.level:
            used = matrix[:, : len(whole.weights)] @ whole.weights - right
            slope = np.where(wishes == number, -used / wish.level, slope)
            slope[np.asarray(matrix[:, len(whole.weights) :].sum(axis=1)).ravel() > 0] = 0.0
        marginal = float((whole.duals * slope)[wishes == number].sum())
        priced.append((wish, whole.value - without.value, marginal))
    return priced


def trace_frontier(
    program: Program, goal: str, numbers: Sequence[int], high: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return all corners of the goal as a function of the common level of some gaps.

    The function is convex and piecewise linear: two corners and the slopes there, which
    the dual values are, say where the lines meet; what is found there is either on them,
    and a corner, or below neither, and the search goes on on both sides.
    """
    low = find_level(program, *numbers)
    if low is None:
        raise InfeasibleError(explain(program))
    low = max(low, 0.0) + 0.0  # no minus zero
    points = {low: evaluate(program, goal, numbers, low + 1e-9)}
    points[high] = evaluate(program, goal, numbers, high)
    todo = [(low, high)]
    while todo:
        left, right = todo.pop()
        (value, slope), (value_right, slope_right) = points[left], points[right]
        if right - left < PRECISION or abs(slope - slope_right) < 1e-7:
            continue
        middle = (value_right - value + slope * left - slope_right * right) / (slope - slope_right)
        if not left + PRECISION < middle < right - PRECISION:
            continue
        points[middle] = evaluate(program, goal, numbers, middle)
        if points[middle][0] - (value + slope * (middle - left)) > 1e-7:
            todo += [(left, middle), (middle, right)]
    levels = np.array(sorted(points))
    return levels, np.array([points[level][0] for level in levels])


def evaluate(
    program: Program, goal: str, numbers: Sequence[int], level: float
) -> tuple[float, float]:
    """Return the goal at a common level of some gaps, and its derivative by the level."""
    wish = program.wishes[numbers[0]]
    if wish.kind == "ratio":  # which stands in the matrix, not in the bounds
        moved = [
            replace(other, level=level) if number in numbers else other
            for number, other in enumerate(program.wishes)
        ]
        program = replace(program, wishes=moved)
    _, right, slope, wishes = program.rows
    slope = np.where(np.isin(wishes, numbers), slope, 0.0)
    cost, value = program.weigh_goal(goal)
    solved = program.minimize(cost, right=right + slope * (level - wish.level))
    if solved is None:
        return np.nan, np.nan
    return solved.value + value, float(solved.duals @ slope)
