"""Texts that all measures of a kind share, written once.

A measure's own docstring says what the number is; the sections on parameters,
returns, errors and warnings are put in front of its Notes.
"""

import inspect
from collections.abc import Callable

_PARAMETERS = {
    "y_true": "y_true : array-like of shape (n_samples,)\n    True labels.",
    "y_pred": "y_pred : array-like of shape (n_samples,)\n    Predicted labels.",
    "y_corrected": "y_corrected : array-like of shape (n_samples,)\n    Corrected labels.",
    "y_score": "y_score : array-like of shape (n_samples,)\n    Scores, higher for more favorable.",
    "sensitive_features": (
        "sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)\n"
        "    The group of each person; several columns are crossed."
    ),
    "where": (
        "where : array-like of bool of shape (n_samples,)\n"
        "    The rows that the measure is taken among."
    ),
    "score_range": (
        "score_range : tuple of (float, float)\n"
        "    Lowest and highest score of the people compared, both included."
    ),
    "privileged": (
        "privileged : group or collection of groups, default=None\n"
        "    The group, or groups, that everyone else is compared with. None compares\n"
        "    all pairs of groups."
    ),
    "convention": (
        'convention : {"paper", "equation"}, default="paper"\n'
        "    Where rates are 0: the source's table of special cases, or plain arithmetic."
    ),
    "pos_label": (
        "pos_label : object, default=None\n"
        "    The favorable label; not needed for 0/1, False/True and -1/1."
    ),
    "sample_weight": (
        "sample_weight : array-like of shape (n_samples,), default=None\n"
        "    How many people each row stands for."
    ),
}
_OPTIONAL = {
    "where": "where : array-like of bool of shape (n_samples,), default=None\n"
    "    Rows to take the measure among; None takes all.",
    "y_score": "y_score : array-like of shape (n_samples,), default=None\n"
    "    Scores to compare in place of the predicted labels.",
}
_ENDS = """Returns
-------
float
    The measure; NaN where it is undefined.

Raises
------
ValueError
    If lengths differ, a value is missing, there are more than two labels, it is not
    known which one is favorable, or a privileged group is not in the data. Where groups
    are missing, count with ``OutcomeCounts`` and its ``missing_groups`` instead.

Warns
-----
UndefinedMetricWarning
    If the measure is undefined, with the reason."""


def documented(function: Callable[..., float], text: str) -> str:
    """Return a body's docstring with the shared sections before its Notes."""
    parameters = inspect.signature(function).parameters
    described = []
    for name, parameter in parameters.items():
        optional = name in _OPTIONAL and parameter.default is None
        described.append((_OPTIONAL if optional else _PARAMETERS)[name])
    shared = "Parameters\n----------\n" + "\n".join(described) + "\n\n" + _ENDS
    head, mark, tail = inspect.cleandoc(text).partition("\n\nNotes\n")
    return f"{head}\n\n{shared}{mark}{tail}\n"
