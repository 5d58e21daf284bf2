"""Counting what a classifier did, keeping the counts, and reporting on them."""

import threading
from collections.abc import Hashable
from typing import Any

import numpy as np

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.report import ProportionalityReport

from ._corrector import Corrector
from ._groups import Groups


def count_people(
    groups: Groups,
    labels: tuple[Any, Any],
    *,
    y_true: np.ndarray | None,
    predicted: np.ndarray,
    favorable: np.ndarray,
    sample_weight: np.ndarray | None = None,
) -> OutcomeCounts:
    """Return the table of people of known groups, from codes and probabilities.

    Examples
    --------
    >>> half = np.array([0.5, 0.5, 1.0])
    >>> counts = count_people(
    ...     Groups(np.array([0, 0, 1]), ("a", "b")),
    ...     (0, 1),
    ...     y_true=None,
    ...     predicted=np.array([0, 0, 1]),
    ...     favorable=half,
    ... )
    >>> counts.cells[:, 0].tolist()
    [[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]
    """

    def count(weight: np.ndarray | None) -> np.ndarray:
        return _count_cells(
            groups.codes,
            len(groups.keys),
            y_true=y_true,
            predicted=predicted,
            favorable=favorable,
            weight=weight,
        )

    return OutcomeCounts(
        groups.keys,
        count(sample_weight),
        labels=labels,
        feature_names=groups.names,
        weight_squares=None if sample_weight is None else count(sample_weight * sample_weight),
    )


def _count_cells(
    codes: np.ndarray,
    n_groups: int,
    *,
    y_true: np.ndarray | None,
    predicted: np.ndarray,
    favorable: np.ndarray,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Cells by group, true, predicted and corrected label; favorable labels may be fractions."""
    rows = codes >= 0
    truths = 1 if y_true is None else 2
    # The number of a person's cell: each label is one binary digit more.
    cell = codes[rows].astype(np.intp) * truths
    if y_true is not None:
        cell += y_true[rows]
    cell = 2 * cell + predicted[rows]
    shape, size = (n_groups, truths, 2, 2), n_groups * truths * 2
    share, weight = favorable[rows], None if weight is None else weight[rows]
    if share.dtype.kind != "f":
        counts = np.bincount(2 * cell + share, weights=weight, minlength=2 * size)
        return counts.reshape(shape)
    parts = [part if weight is None else part * weight for part in (1.0 - share, share)]
    sums = [np.bincount(cell, weights=part, minlength=size) for part in parts]
    return np.stack(sums, axis=-1).reshape(shape)


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
        self._add_cells(cells, unseen)

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
        cells = _count_cells(
            codes, len(self._groups), y_true=None, predicted=y_pred, favorable=y_corrected
        )
        self._add_cells(cells, int((codes < 0).sum()))

    def _add_cells(self, cells: np.ndarray, unseen: int) -> None:
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
