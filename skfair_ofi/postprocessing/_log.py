"""Counting what a classifier did, and keeping the counts."""

import threading
from collections.abc import Hashable
from typing import Any

import numpy as np

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.report import ProportionalityReport

from ._correctors import Corrector
from ._people import KnownGroups


def count_people(
    known: KnownGroups,
    labels: tuple[Any, Any],
    codes: np.ndarray,
    *,
    y_true: np.ndarray | None,
    predicted: np.ndarray,
    favorable: np.ndarray,
    sample_weight: np.ndarray | None = None,
) -> OutcomeCounts:
    """Return the table of people whose labels and groups are codes already.

    Examples
    --------
    >>> known = KnownGroups(("a", "b"))
    >>> half = np.array([0.5, 0.5, 1.0])
    >>> codes, predicted = np.array([0, 0, 1]), np.array([0, 0, 1])
    >>> counts = count_people(
    ...     known, (0, 1), codes, y_true=None, predicted=predicted, favorable=half
    ... )
    >>> counts.cells[:, 0].tolist()
    [[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]
    """
    rows = codes >= 0
    truths = 1 if y_true is None else 2
    cell = codes[rows].astype(np.intp) * truths
    if y_true is not None:
        cell += y_true[rows]
    cell = 2 * cell + predicted[rows]
    shape = (len(known.keys), truths, 2, 2)
    weight = None if sample_weight is None else sample_weight[rows]

    def table(weight: np.ndarray | None) -> np.ndarray:
        share = favorable[rows]
        if share.dtype.kind != "f":
            counts = np.bincount(2 * cell + share, weights=weight, minlength=int(np.prod(shape)))
            return counts.reshape(shape)
        parts = [p if weight is None else p * weight for p in (1.0 - share, share)]
        size = int(np.prod(shape[:3]))
        sums = [np.bincount(cell, weights=part, minlength=size) for part in parts]
        return np.stack(sums, axis=-1).reshape(shape)

    squares = None if weight is None else table(weight * weight)
    return OutcomeCounts(
        known.keys,
        table(weight),
        labels=labels,
        feature_names=known.names,
        weight_squares=squares,
    )


def report_on(
    counts: OutcomeCounts,
    corrector: Corrector,
    privileged: tuple[Hashable, ...] | None,
    source: str | None,
    *,
    in_sample: bool = False,
    strangers: int = 0,
    never_held_out: int = 0,
    level: float | None = 0.95,
    uncertain: bool = False,
) -> ProportionalityReport:
    """Return the report on a table, with notes on what the table cannot show."""
    notes = []
    if corrector.randomized and counts.cells.dtype.kind == "i":
        notes.append(
            f"{corrector.name} draws at random whom it flips: other draws flip other people. "
            "The average over all draws is reported with expected=True."
        )
    if strangers:
        notes.append(
            f"{strangers} people of groups that fit did not see, or without a group, kept their "
            "prediction. They are not counted here."
        )
    if never_held_out:
        notes.append(
            f"{never_held_out} people in fit were held out of no fold, so the post-processor was "
            "fitted without them. They are not counted here."
        )
    return ProportionalityReport.from_counts(
        counts,
        privileged=None if privileged is None else list(privileged),
        title=f"Proportionality report: {corrector.name}",
        level=level,
        uncertain=uncertain,
        source=source,
        in_sample=in_sample,
        notes=notes,
    )


class OutcomeLog:
    """Counts of everyone predicted so far: no rows, no features, no order.

    Safe to add to from several threads, and picklable with its counts.

    Parameters
    ----------
    groups : tuple of hashable
        Group keys.
    labels : tuple of (unfavorable, favorable)
        The two labels.
    feature_names : tuple of str, default=None
        Names of the sensitive features, where known.

    Attributes
    ----------
    counts : OutcomeCounts
        Predicted by corrected labels, by group.
    unseen : int
        People of unseen or missing groups, who kept their prediction and are not
        in `counts`.

    Examples
    --------
    >>> log = OutcomeLog(("a", "b"), (0, 1))
    >>> log.add(
    ...     OutcomeCounts.from_arrays(
    ...         y_pred=[0, 1], y_corrected=[1, 1], sensitive_features=["a", "b"]
    ...     )
    ... )
    >>> log
    OutcomeLog(n=2, unseen=0)
    >>> log.clear()
    >>> log.counts.n
    0
    """

    def __init__(
        self,
        groups: tuple[Hashable, ...],
        labels: tuple[Any, Any],
        feature_names: tuple[str, ...] | None = None,
    ) -> None:
        self._groups, self._labels, self._names = groups, labels, feature_names
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Forget everyone."""
        with self._lock:
            self._cells = np.zeros((len(self._groups), 1, 2, 2), dtype=np.int64)
            self._unseen = 0

    def add(self, counts: OutcomeCounts, unseen: int = 0) -> None:
        """Add people.

        Parameters
        ----------
        counts : OutcomeCounts
            Predicted by corrected labels; groups are the log's or some of them.
        unseen : int, default=0
            People of unseen or missing groups.
        """
        cells = counts.over("y_pred", "y_corrected").reindex(self._groups).cells
        with self._lock:
            self._cells = self._cells + cells
            self._unseen += unseen

    @property
    def counts(self) -> OutcomeCounts:
        """Predicted by corrected labels, by group."""
        with self._lock:
            cells = self._cells
        return OutcomeCounts(self._groups, cells, labels=self._labels, feature_names=self._names)

    @property
    def unseen(self) -> int:
        """People of unseen or missing groups, who kept their prediction."""
        return self._unseen

    def __getstate__(self) -> dict[str, Any]:
        """State without the lock, which cannot be copied."""
        with self._lock:
            return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        """Return how many people are counted."""
        return f"OutcomeLog(n={self.counts.n}, unseen={self.unseen})"
