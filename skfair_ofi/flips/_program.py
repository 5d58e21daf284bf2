"""The linear program: which mixture of rules each group gets.

Variables are the weights of the rules of each group; what they lack of 1 keeps the
predictions. All rates are affine in these weights, so gaps, ratios, limits and what is
minimized are linear. A gap between any two of G groups takes 2G rows: each group's rate
lies between a free variable and that variable plus the tolerance. Everything is a share,
so that the solver, HiGHS by way of scipy, sees numbers around 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, hstack, vstack

from ._linear import LinearRate, get_rates
from ._paths import Columns
from ._wishes import Wish

# HiGHS meets its rows to the first of these; nobody is shown a limit broken by the second.
_SOLVER, PRECISION = 1e-9, 1e-6
_SECONDS = 20.0  # for programs in whole numbers
_TIE_BREAK = 1e-3
# What can be minimized, as the rate of everyone that it is; accuracies are maximized.
GOALS = {
    "flips": "flip_rate",
    "harmful_flips": "harmful_flip_rate",
    "wrong_flips": "wrong_flip_rate",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
}


class InfeasibleError(ValueError):
    """No rule meets all constraints; the message says which level of each would do.

    Examples
    --------
    >>> raise InfeasibleError("No rule meets all constraints.")
    Traceback (most recent call last):
    skfair_ofi.flips._program.InfeasibleError: No rule meets all constraints.
    """


class Solved(NamedTuple):
    """What the solver found: weights, value, and change of the value by each row's bound."""

    weights: np.ndarray
    value: float
    duals: np.ndarray


class Block(NamedTuple):
    """Rows of one wish: left @ weights + sign * free <= right, where right moves with the level."""

    left: csr_matrix
    right: np.ndarray
    slope: np.ndarray
    sign: float = 0.0


@dataclass(frozen=True, eq=False)
class Program:
    """A linear program over the rules of groups.

    `cells` holds each group's people by prediction and true label. Groups with fewer people
    than `min_people` for a rate take no part in its comparison. Rules that are `exclusive`
    share a group out among them; with `single`, each group gets one rule or none.
    """

    columns: Columns
    cells: np.ndarray
    wishes: Sequence[Wish]
    min_people: float = 0.0
    margin: float = 0.0
    exclusive: bool = True
    single: bool = False

    def find_compared(self, rate: LinearRate) -> np.ndarray:
        """Return the groups for whom a rate rests on enough people."""
        people = rate.count_people(self.cells)
        return np.flatnonzero((people > 0) & (people >= self.min_people))

    def weigh(self, rates: Sequence[LinearRate]) -> tuple[np.ndarray, np.ndarray]:
        """Return the change of a group's mean rate by its rules, and its value before."""
        moves, before = np.zeros(len(self.columns)), np.zeros(len(self.cells))
        for rate in rates:
            people = rate.count_people(self.cells)
            safe = np.where(people > 0, people, 1)[self.columns.owner]
            moves += self.columns.sums @ rate.effect / safe / len(rates)
            before += rate.value(self.cells) / len(rates)
        return moves, before

    def weigh_everyone(self, rates: Sequence[LinearRate]) -> tuple[np.ndarray, float]:
        """Return the change of everyone's mean rate by each rule, and its value before."""
        total, moves, before = self.cells.sum(axis=0), np.zeros(len(self.columns)), 0.0
        for rate in rates:
            people = float(rate.count_people(total)) or 1.0
            moves += self.columns.sums @ rate.effect / people / len(rates)
            before += float(rate.value(total)) / len(rates)
        return moves, before

    def weigh_goal(self, goal: str) -> tuple[np.ndarray, float]:
        """Return the cost of each rule, and of none.

        "move" is the second moment of the share of a group that is moved, averaged over
        people: it grows where few are drawn from many, and where one group bears all.
        """
        if goal == "move":
            people, own = self.columns.sums.sum(axis=1), self.cells.sum(axis=(1, 2))
            spread = people**2 / own[self.columns.owner] / self.cells.sum()
            return spread + _TIE_BREAK * self.weigh_goal("accuracy")[0], 0.0
        moves, before = self.weigh_everyone(get_rates(GOALS[goal]))
        return (-moves, -before) if goal.endswith("accuracy") else (moves, before)

    def reach(self, wish: Wish, weights: np.ndarray) -> float:
        """Return by how much a wish is exceeded; 0 or less where it is met."""
        if wish.compares:
            excess = [0.0]
            for rate in wish.rates:
                moves, before = self.weigh([rate])
                groups = self.find_compared(rate)
                after = (before + self._add_up(moves * weights))[groups]
                if len(groups) and wish.kind == "gap":
                    excess.append(float(np.ptp(after) - wish.level))
                elif len(groups):
                    excess.append(float(wish.level * after.max() - after.min()))
            return max(excess[1:], default=0.0)
        rows = self._bound(wish)
        return float((rows.left @ weights - rows.right).max(initial=0.0))

    def find_excess(self, weights: np.ndarray) -> float:
        """Return by how much the wish that is met least is exceeded."""
        return max((self.reach(wish, weights) for wish in self.wishes), default=0.0)

    def _add_up(self, values: np.ndarray) -> np.ndarray:
        return np.bincount(self.columns.owner, weights=values, minlength=len(self.cells))

    def _place(self, moves: np.ndarray, groups: np.ndarray) -> csr_matrix:
        """One row for each of some groups, with the group's own rules in it."""
        row = np.full(len(self.cells), -1)
        row[groups] = np.arange(len(groups))
        rows = row[self.columns.owner]
        used = np.flatnonzero(rows >= 0)
        shape = (len(groups), len(self.columns))
        return csr_matrix((moves[used], (rows[used], used)), shape=shape)

    def _compare(self, wish: Wish, rate: LinearRate) -> Iterator[Block]:
        """Rates of all groups lie between a free variable and a bound."""
        groups = self.find_compared(rate)
        moves, before = self.weigh([rate])
        left, before = self._place(moves, groups), before[groups]
        ones, zeros = np.ones(len(groups)), np.zeros(len(groups))
        if wish.kind == "ratio":
            # right as it is here, the slope is minus the rate that the solution has
            yield Block(left * wish.level, -wish.level * before, zeros, -1.0)
            yield Block(-left, before, zeros, 1.0)
            return
        people = np.maximum(rate.count_people(self.cells)[groups], 1)
        error = np.sqrt(np.clip(before * (1 - before), 0.0, 0.25) / people)
        # at most half of the tolerance, which leaves room for equal rates
        safety = np.minimum(self.margin * error, wish.level / 2)
        yield Block(left, wish.level - safety - before, ones, -1.0)
        yield Block(-left, before - safety, zeros, 1.0)

    def _bound(self, wish: Wish) -> Block:
        """A rate of everyone, or of each group, on one side of its level."""
        sign = 1.0 if wish.kind == "most" else -1.0
        if not wish.each:
            moves, value = self.weigh_everyone(wish.rates)
            right = np.array([sign * (wish.level - value)])
            return Block(csr_matrix(sign * moves), right, np.array([sign]))
        known = [rate.count_people(self.cells) > 0 for rate in wish.rates]
        groups = np.flatnonzero(np.all(known, axis=0))
        moves, before = self.weigh(wish.rates)
        left, before = sign * self._place(moves, groups), before[groups]
        level = np.broadcast_to(wish.level, len(self.cells))[groups]
        if wish.kind == "keep":
            return Block(left, level, np.ones(len(groups)))
        return Block(left, sign * (level - before), np.full(len(groups), sign))

    @cached_property
    def rows(self) -> tuple[csr_matrix, np.ndarray, np.ndarray, np.ndarray]:
        """Matrix with free variables last, bounds, their slopes, and each row's wish or -1."""
        none = Block(csr_matrix((0, len(self.columns))), np.zeros(0), np.zeros(0))
        parts, wishes, free = [none], [-1], [-1]
        if self.exclusive and len(self.columns):
            owners = np.unique(self.columns.owner)
            shared = self._place(np.ones(len(self.columns)), owners)
            parts.append(Block(shared, np.ones(len(owners)), np.zeros(len(owners))))
            wishes, free = [-1, -1], [-1, -1]
        for number, wish in enumerate(self.wishes):
            if not wish.compares:
                parts.append(self._bound(wish))
                wishes, free = [*wishes, number], [*free, -1]
                continue
            for rate in wish.rates:
                parts += list(self._compare(wish, rate))
                wishes, free = [*wishes, number, number], [*free, *[max(free) + 1] * 2]
        sizes = [len(part.right) for part in parts]
        column, sign = np.repeat(free, sizes), np.repeat([part.sign for part in parts], sizes)
        at = np.flatnonzero(column >= 0)
        ends = csr_matrix((sign[at], (at, column[at])), shape=(len(column), max(free) + 1))
        return (
            csr_matrix(hstack([vstack([part.left for part in parts]), ends])),
            np.concatenate([part.right for part in parts]),
            np.concatenate([part.slope for part in parts]),
            np.repeat(wishes, sizes),
        )

    def minimize(
        self,
        cost: np.ndarray,
        caps: Sequence[tuple[np.ndarray, float]] = (),
        right: np.ndarray | None = None,
        level: np.ndarray | None = None,
    ) -> Solved | None:
        """Return the weights of least cost, None where there are none.

        Caps are further rows and their bounds. With `level`, the last variable is a level
        that rows are bound by, and is minimized instead (or maximized, where negative).
        """
        import scipy.optimize  # noqa: PLC0415 - slow to load, and seldom needed

        linprog: Any = scipy.optimize.linprog  # its types know no sparse matrices

        matrix, bounds, _, _ = self.rows
        right = bounds if right is None else right
        n_rules, n_free = len(self.columns), matrix.shape[1] - len(self.columns)
        cost = np.append(cost, np.zeros(n_free))
        if caps:
            extra = np.array([np.append(row, np.zeros(n_free)) for row, _ in caps])
            matrix = csr_matrix(vstack([matrix, csr_matrix(extra)]))
            right = np.append(right, [bound for _, bound in caps])
        if level is not None:
            matrix, n_free = csr_matrix(hstack([matrix, csr_matrix(level[:, None])])), n_free + 1
            cost = np.append(cost, -np.sign(level[np.flatnonzero(level)[0]]))
        asked: dict[str, Any] = {
            "options": {
                "primal_feasibility_tolerance": _SOLVER,
                "dual_feasibility_tolerance": _SOLVER,
            }
        }
        if self.single:
            asked = {"options": {"time_limit": _SECONDS}}
            asked["integrality"] = [1] * n_rules + [0] * n_free
        ranges = [(0.0, 1.0)] * n_rules + [(None, None)] * n_free
        for method in ("highs",) if self.single else ("highs-ds", "highs-ipm"):
            found = linprog(cost, A_ub=matrix, b_ub=right, bounds=ranges, method=method, **asked)
            if found.status == 0 or (self.single and found.x is not None):
                duals = np.zeros(len(right)) if self.single else found.ineqlin.marginals
                weights = found.x if level is not None else found.x[:n_rules]
                return Solved(weights, float(found.fun), duals)
            if found.status in (2, 3):
                return None
        raise RuntimeError(f"HiGHS found no solution: {found.message}")
