"""Keeping count of what a classifier did, and reporting on it."""

import threading
from collections.abc import Hashable
from typing import Any

import numpy as np

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.report import ProportionalityReport

from ._corrector import Corrector
from ._outcomes import count_cells


def report_on(
    counts: OutcomeCounts,
    corrector: Corrector,
    privileged: tuple[Hashable, ...] | None,
    *,
    unseen: int = 0,
    never_held_out: int = 0,
    **options: Any,
) -> ProportionalityReport:
    """Return the report on a table, with notes on what the table cannot show."""
    notes = []
    if corrector.randomized and counts.cells.dtype.kind == "i":
        notes.append(
            f"{corrector.name} draws at random whom it flips: other draws flip other people. "
            "The average over all draws is reported with expected=True."
        )
    if unseen:
        notes.append(
            f"{unseen} people of groups that fit did not see, or without a group, kept their "
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
        notes=notes,
        **options,
    )


def read_log(log: "OutcomeLog | None", others: tuple[Any, ...]) -> tuple[OutcomeCounts, int]:
    """Return whom `predict` counted, and how many it left out, where nothing is given without X."""
    if any(given is not None for given in others):
        raise ValueError("X must be given with y, sensitive_features and sample_weight, got None.")
    if log is None or not log.counts.n:
        raise ValueError("X must be given where predict has recorded nobody since fit, got None.")
    return log.counts, log.unseen


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
        """Add a table of people.

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

    def record(self, codes: np.ndarray, y_pred: np.ndarray, y_corrected: np.ndarray) -> None:
        """Add people one by one, without making a table of them.

        Parameters
        ----------
        codes : ndarray of int of shape (n_samples,)
            Positions among the log's groups, negative for people of unseen or missing groups.
        y_pred : ndarray of int of shape (n_samples,)
            Predicted labels as codes, 1 favorable.
        y_corrected : ndarray of int of shape (n_samples,)
            Corrected labels as codes.
        """
        cells = count_cells(
            codes, len(self._groups), y_true=None, predicted=y_pred, favorable=y_corrected
        )
        with self._lock:
            self._cells = self._cells + cells
            self._unseen += int((codes < 0).sum())

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
