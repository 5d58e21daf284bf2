"""How many flips of a recorded correction were needed for the fairness that it reached."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from skfair_ofi._validation import check_choice, check_lengths
from skfair_ofi.counts import OutcomeCounts, encode_features

from ._linear import find_gap, get_rates, measure_everyone
from ._paths import Columns, Path, find_paths
from ._program import Program
from ._wishes import Kind, Wish, make_fairness

Condition = Literal["accuracy", "harmful_flip_rate"]
# Least levels from measured values need room for rounding.
_ROOM = 1e-7


@dataclass(frozen=True)
class AvoidableFlips:
    """Flips of a correction, and the fewest that reach the same.

    Attributes
    ----------
    fairness : str
        What groups are compared in.
    gap : float
        The largest gap between groups that the correction left.
    conditions : tuple of str
        What else must be no worse.
    people, flips : float
        People, and those of them who were flipped.
    blind : float
        The fewest flips by a rule that knows group and prediction only; such a rule could
        have been used, so what goes beyond it was avoidable. NaN where none does as well.
    hindsight : float
        The fewest by a rule that knows true labels as well, which no rule beats.
    by_score : float
        The fewest by thresholds and lotteries on the score; NaN without scores.

    Examples
    --------
    >>> found = AvoidableFlips("equalized_odds", 0.04, ("accuracy",), 1000, 300, 260, 180, 200)
    >>> found.least, found.avoidable
    (200, 100)
    >>> print(found)
    This correction flipped 300 of 1,000 people; 200 would have reached the same gap of \
equalized_odds (0.040), with no lower accuracy.
    """

    fairness: str
    gap: float
    conditions: tuple[str, ...]
    people: float
    flips: float
    blind: float
    hindsight: float
    by_score: float = nan

    @property
    def least(self) -> float:
        """The fewest flips that a rule without hindsight is known to need, at most `flips`."""
        known = [flips for flips in (self.blind, self.by_score) if not isnan(flips)]
        return min([self.flips, *known])

    @property
    def avoidable(self) -> float:
        """Flips that were avoidable for certain; 0 means that none was proven so."""
        return self.flips - self.least

    @property
    def share(self) -> float:
        """Avoidable flips as a share of all flips; NaN without any."""
        return self.avoidable / self.flips if self.flips else nan

    def __str__(self) -> str:
        """Say it in one sentence."""
        words = {"accuracy": "no lower accuracy", "harmful_flip_rate": "no more harmful flips"}
        also = " and ".join(words[name] for name in self.conditions)
        head = f"This correction flipped {_say(self.flips)} of {_say(self.people)} people; "
        if self.avoidable < max(1.0, 1e-6 * self.people):
            return f"{head}no fewer are known to reach the same gap of {self.fairness}."
        return (
            f"{head}{_say(np.ceil(self.least - 1e-6))} would have reached the same gap of "
            f"{self.fairness} ({self.gap:.3f}){', with ' * bool(also)}{also}."
        )


def _say(people: float) -> str:
    return f"{people:,.0f}" if abs(people - round(people)) < 1e-6 else f"{people:,.1f}"


def _make_cell_paths(counts: OutcomeCounts, *, by_truth: bool) -> list[Path]:
    """What rules can do that know the cell of the table, and nothing else."""
    people = counts.cells.sum(axis=3)  # [group, true, predicted]
    paths = []
    for group, predicted in np.ndindex(len(people), 2):
        cell = people[group, :, predicted].astype(np.float64)
        for moved in np.diag(cell) if by_truth else cell[None]:
            if moved.sum() > 0:
                bar = np.full(1, nan)
                paths.append(Path(group, predicted == 0, bar, moved[None], np.zeros(1, np.intp)))
    return paths


def _make_wishes(
    counts: OutcomeCounts, fairness: str, keep: Sequence[Condition]
) -> tuple[list[Wish], float]:
    """What a correction reached, as constraints, and its gap."""
    wanted = make_fairness(fairness, 0.0, None)
    gap = find_gap([rate for wish in wanted for rate in wish.rates], counts)
    wishes = [replace(wish, level=gap + _ROOM) for wish in wanted]
    for name in keep:
        (rate,) = get_rates(check_choice("keep", name, get_args(Condition)))
        value = measure_everyone(name, counts)
        kind: Kind = "least" if rate.at_least else "most"
        wishes.append(Wish(name, kind, (rate,), value - _ROOM if rate.at_least else value + _ROOM))
    return wishes, gap


def _find_fewest(paths: Sequence[Path], program: Program) -> float:
    """The fewest people that rules on these paths flip, NaN where none meets the wishes."""
    program = replace(program, columns=Columns.at_corners(paths))
    solved = program.minimize(program.weigh_goal("flips")[0])
    return nan if solved is None else max(solved.value * float(program.cells.sum()), 0.0)


def avoidable_flips(
    counts: OutcomeCounts,
    fairness: str = "demographic_parity",
    *,
    keep: Sequence[Condition] = ("accuracy", "harmful_flip_rate"),
) -> AvoidableFlips:
    """Return how many flips of a correction its table of counts shows to be avoidable.

    Compute it where the correction was fitted, or from people held out in turn: among few
    new people the gap that was reached is mostly chance.

    Parameters
    ----------
    counts : OutcomeCounts
        People by true, predicted and corrected label; an expected table will do.
    fairness : str, default="demographic_parity"
        What groups are compared in, as in `FlipOptimizer`. No gap may be larger than the
        largest that the correction left.
    keep : sequence of {"accuracy", "harmful_flip_rate"}, default=("accuracy", \
            "harmful_flip_rate")
        What must be no worse as well: accuracy no lower, and no more harmful flips.

    Returns
    -------
    AvoidableFlips
        Flips and the fewest that reach the same, without scores.

    Raises
    ------
    ValueError
        If a label is not counted, nobody is, or a name is unknown.

    Examples
    --------
    >>> counts = OutcomeCounts(
    ...     ["a", "b"],
    ...     [[[[45, 5], [4, 1]], [[20, 10], [5, 10]]], [[[20, 4], [9, 7]], [[4, 2], [14, 40]]]],
    ... )
    >>> found = avoidable_flips(counts, "demographic_parity", keep=())
    >>> round(found.gap, 2), found.flips, round(found.blind, 1), round(found.hindsight, 1)
    (0.27, 53.0, 23.0, 23.0)
    """
    return _bound_flips(counts, fairness, keep)


def _bound_flips(
    counts: OutcomeCounts,
    fairness: str,
    keep: Sequence[Condition],
    paths: Sequence[Path] | None = None,
) -> AvoidableFlips:
    if counts.cells.shape[1:] != (2, 2, 2):
        raise ValueError(f"counts must be of all three labels, got roles {counts.roles}.")
    if not counts.n:
        raise ValueError("counts must have people, got none.")
    wishes, gap = _make_wishes(counts, fairness, keep)
    cells = np.swapaxes(counts.cells.sum(axis=3), 1, 2).astype(np.float64)
    program = Program(Columns((), ()), cells, wishes)
    free = replace(program, exclusive=False)
    flips = float(counts.cells[:, :, 0, 1].sum() + counts.cells[:, :, 1, 0].sum())
    return AvoidableFlips(
        fairness,
        gap,
        tuple(keep),
        float(counts.n),
        flips,
        blind=_find_fewest(_make_cell_paths(counts, by_truth=False), free),
        hindsight=_find_fewest(_make_cell_paths(counts, by_truth=True), free),
        by_score=nan if paths is None else _find_fewest(paths, program),
    )


def avoidable_flips_by_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    y_corrected: ArrayLike,
    y_score: ArrayLike,
    *,
    sensitive_features: Any,
    fairness: str = "demographic_parity",
    keep: Sequence[Condition] = ("accuracy", "harmful_flip_rate"),
    pos_label: Any = None,
    sample_weight: ArrayLike | None = None,
) -> AvoidableFlips:
    """Return how many flips a rule on the scores would have avoided.

    Such a rule moves thresholds, or draws lots between two, so that within a group and a
    prediction nobody with a higher score fares worse.

    Parameters
    ----------
    y_true, y_pred, y_corrected : array-like of shape (n_samples,)
        True, predicted and corrected labels.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the favorable label.
    sensitive_features : array-like, frame or mapping
        Groups, one row a person.
    fairness : str, default="demographic_parity"
        As in `avoidable_flips`.
    keep : sequence of {"accuracy", "harmful_flip_rate"}, default=("accuracy", \
            "harmful_flip_rate")
        As in `avoidable_flips`.
    pos_label : object, default=None
        The favorable label. None is enough for the labels 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights, which mean repeated rows.

    Returns
    -------
    AvoidableFlips
        Flips and the fewest that reach the same, with and without scores.

    Raises
    ------
    ValueError
        If lengths differ, scores are not finite, or an argument is not what it must be.

    Examples
    --------
    >>> found = avoidable_flips_by_score(
    ...     [0, 1, 0, 1, 0, 1],
    ...     [0, 0, 0, 0, 1, 1],
    ...     [1, 1, 1, 0, 0, 0],
    ...     [0.1, 0.2, 0.3, 0.4, 0.7, 0.8],
    ...     sensitive_features=list("aaabbb"),
    ... )
    >>> found.flips, found.by_score
    (5.0, 0.0)
    """
    counts = OutcomeCounts.from_arrays(
        y_true,
        y_pred,
        y_corrected,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
    )
    column, _ = encode_features(sensitive_features)
    place = {key: code for code, key in enumerate(counts.groups)}
    codes = np.array([place.get(key, -1) for key in column.keys])[
        column.codes.astype(np.intp) - column.low
    ]
    true, predicted = (
        (np.asarray(labels) == counts.labels[1]).astype(np.intp) for labels in (y_true, y_pred)
    )
    score = np.asarray(y_score, dtype=np.float64)
    check_lengths(y_true=len(true), y_score=len(score))
    if not np.isfinite(score).all():
        raise ValueError(f"y_score must be finite, got {score[~np.isfinite(score)][0]}.")
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    return _bound_flips(counts, fairness, keep, find_paths(score, predicted, true, codes, weight))
