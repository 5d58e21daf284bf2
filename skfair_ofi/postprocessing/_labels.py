"""The two labels of a target: which of them is favorable, and labels as codes, 1 favorable."""

from typing import Any

import numpy as np
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import column_or_1d

from skfair_ofi._validation import resolve_labels
from skfair_ofi.counts import check_labels, encode


def check_target(y: Any) -> np.ndarray:
    """Return labels as a one-dimensional array, refusing more than two classes."""
    labels = column_or_1d(y, warn=True)
    assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O" and (missing := sum(label is None for label in labels)):
        raise ValueError(f"y must not contain missing labels, got {missing}.")
    kind = type_of_target(labels, input_name="y", raise_unknown=True)
    # Both messages are those that scikit-learn's estimator checks look for.
    if kind in ("continuous", "continuous-multioutput"):
        raise ValueError(f"Unknown label type: {kind}. y must hold the labels of two classes.")
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}."
        )
    return np.asarray(labels)


def order_classes(classes: list[Any], pos_label: Any, *, divided: bool) -> tuple[Any, Any]:
    """Return the unfavorable and the favorable class.

    Where everyone is one group, a rule can be fitted without knowing which is which.
    """
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The estimator has classes {classes}."
        )
    if divided or pos_label is not None or is_favorable_known(classes, pos_label):
        return resolve_labels({"y": classes}, pos_label)
    return classes[0], classes[-1]


def is_favorable_known(classes: list[Any], pos_label: Any) -> bool:
    """Return whether it is known which class is favorable."""
    try:
        resolve_labels({"y": classes}, pos_label)
    except ValueError:
        return False
    return True


def encode_labels(y: Any, labels: tuple[Any, Any], name: str) -> np.ndarray:
    """Return labels as codes, 1 favorable.

    Examples
    --------
    >>> encode_labels(["yes", "no"], ("no", "yes"), "y")
    array([1, 0], dtype=int8)
    """
    column = check_labels(encode(y, name), name)
    codes_of = {labels[0]: 0, labels[1]: 1}
    meaning = [-1 if key is None else codes_of.get(key, -1) for key in column.keys]
    positions = column.codes.astype(np.intp) - column.low
    codes = np.array(meaning, dtype=np.int8)[positions]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(
            f"{name} must hold the labels {list(labels)}, "
            f"got {column.keys[positions[row]]!r} at row {row}."
        )
    return codes
