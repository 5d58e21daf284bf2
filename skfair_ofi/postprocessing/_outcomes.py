"""People at hand: what is predicted for them, in which group they are, and their table."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from skfair_ofi._validation import check_lengths
from skfair_ofi.counts import OutcomeCounts, check_weights

from ._corrector import Corrector, Response
from ._groups import Groups
from ._labels import encode_labels


class Outcomes(NamedTuple):
    """Predicted beside corrected labels.

    Parameters
    ----------
    y_pred : ndarray of shape (n_samples,)
        What the base estimator predicts.
    y_corrected : ndarray of shape (n_samples,)
        What the post-processor makes of it.
    groups : ndarray of object of shape (n_samples,)
        Group keys; tuples where there are several sensitive features.
    """

    y_pred: np.ndarray
    y_corrected: np.ndarray
    groups: np.ndarray


class People(NamedTuple):
    """What is known of people before a rule is applied to them."""

    response: Response
    groups: Groups
    # A rule that was fitted without groups corrects without them; groups that are given later
    # only count people.
    counted: Groups


def _check_corrected(given: Any, people: int, kind: type, name: str) -> np.ndarray:
    """Return what a rule gave, refused where it is not one label or probability a person."""
    values = np.asarray(given)
    if values.shape != (people,):
        raise ValueError(
            f"{name} must give one value for each of {people} people, got shape {values.shape}."
        )
    if kind is np.int8:
        what, wrong = "labels 0 and 1", ~np.isin(values, (0, 1))
    else:  # probabilities may miss their ends by the last digits of a program's solution
        what, wrong = "probabilities", ~((values >= -1e-6) & (values <= 1 + 1e-6))
    if wrong.any():
        raise ValueError(f"{name} must give {what}, got {values[wrong][0]!r}.")
    return values


def apply_rule(
    people: People, corrector: Corrector, rule: Callable[..., np.ndarray], kind: type
) -> np.ndarray:
    """Apply a corrector's method to people of known groups; others keep their prediction."""
    response, groups, _ = people
    if not groups.unseen:
        return _check_corrected(rule(response, groups), len(groups.codes), kind, corrector.name)
    result: np.ndarray = response.predicted.astype(kind)
    rows = groups.codes >= 0
    if rows.any():
        given = rule(response.take(rows), replace(groups.take(rows), unseen=()))
        result[rows] = _check_corrected(given, int(rows.sum()), kind, corrector.name)
    return result


def count_cells(
    codes: np.ndarray,
    n_groups: int,
    *,
    y_true: np.ndarray | None,
    predicted: np.ndarray,
    favorable: np.ndarray,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Cells by group, true, predicted and corrected label, which may be a probability.

    People of negative codes are left out.
    """
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


def count_people(
    people: People,
    labels: tuple[Any, Any],
    y: Any,
    favorable: np.ndarray,
    sample_weight: Any = None,
) -> OutcomeCounts:
    """Return the table of people, from corrected labels or their probabilities.

    Examples
    --------
    >>> groups = Groups(np.array([0, 0, 1]), ("a", "b"))
    >>> people = People(Response([0, 0, 1]), groups, groups)
    >>> counts = count_people(people, (0, 1), None, np.array([0.5, 0.5, 1.0]))
    >>> counts.cells[:, 0].tolist()
    [[[1.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]
    """
    groups = people.counted
    missing = int((groups.codes < 0).sum())
    if missing and not people.groups.divided:
        raise ValueError(
            "sensitive_features must not be missing where fit got none, "
            f"got {missing} missing values in {len(favorable)} rows."
        )
    y_true = None if y is None else encode_labels(y, labels, "y")
    weight = None if sample_weight is None else check_weights(sample_weight)
    check_lengths(
        X=len(favorable),
        y=None if y_true is None else len(y_true),
        sample_weight=None if weight is None else len(weight),
    )

    def count(weight: np.ndarray | None) -> np.ndarray:
        return count_cells(
            groups.codes,
            len(groups.keys),
            y_true=y_true,
            predicted=people.response.predicted,
            favorable=favorable,
            weight=weight,
        )

    return OutcomeCounts(
        groups.keys,
        count(weight),
        labels=labels,
        feature_names=groups.names,
        weight_squares=None if weight is None else count(weight * weight),
    )
