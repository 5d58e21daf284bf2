"""The same measures through other libraries, each in the way its own manual shows."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, precision_score

Values = dict[str, Any]

# aequitas calls a rate by another name than this package.
_AEQUITAS = {
    "selection_rate": "pprev",
    "base_rate": "prev",
    "accuracy": "accuracy",
    "true_positive_rate": "tpr",
    "false_positive_rate": "fpr",
    "true_negative_rate": "tnr",
    "false_negative_rate": "fnr",
    "positive_predictive_value": "precision",
    "negative_predictive_value": "npv",
    "false_discovery_rate": "fdr",
    "false_omission_rate": "for",
}
# AIF360 computes these for one group, the other, and all.
_AIF360 = tuple(name for name in _AEQUITAS if name != "base_rate")


def _npv(y_true: Any, y_pred: Any) -> float:
    return float(precision_score(y_true, y_pred, pos_label=0))


def _mean_true(y_true: Any, y_pred: Any) -> float:  # noqa: ARG001
    return float(np.mean(y_true))


def _benefit(y_true: Any, y_pred: Any) -> float:
    return float(np.mean(y_pred) - np.mean(y_true))


def fairlearn_metrics() -> dict[str, Any]:
    """Return thirteen metric functions, fairlearn's and scikit-learn's own where there are any."""
    from fairlearn import metrics as fl

    def average_odds(y_true: Any, y_pred: Any) -> float:
        rates = fl.true_positive_rate(y_true, y_pred), fl.false_positive_rate(y_true, y_pred)
        return float(sum(rates) / 2)

    return {
        "selection_rate": fl.selection_rate,
        "base_rate": _mean_true,
        "marginal_benefit": _benefit,
        "accuracy": accuracy_score,
        "true_positive_rate": fl.true_positive_rate,
        "false_positive_rate": fl.false_positive_rate,
        "true_negative_rate": fl.true_negative_rate,
        "false_negative_rate": fl.false_negative_rate,
        "positive_predictive_value": precision_score,
        "negative_predictive_value": _npv,
        "false_discovery_rate": lambda y_true, y_pred: 1 - precision_score(y_true, y_pred),
        "false_omission_rate": lambda y_true, y_pred: 1 - _npv(y_true, y_pred),
        "average_odds": average_odds,
    }


def fairlearn(y_true: np.ndarray, y_pred: np.ndarray, group: Any) -> Values:
    """Return every measure by group, of all, its largest difference and smallest ratio."""
    from fairlearn.metrics import MetricFrame

    frame = MetricFrame(
        metrics=fairlearn_metrics(), y_true=y_true, y_pred=y_pred, sensitive_features=group
    )
    by_group, overall = frame.by_group, frame.overall
    difference, ratio = frame.difference(), frame.ratio()
    return {
        name: (by_group[name].to_numpy(), overall[name], difference[name], ratio[name])
        for name in by_group.columns
    }


@contextmanager
def fairlearn_without_stack() -> Iterator[None]:
    """Replace fairlearn's slow line while the context is open.

    It calls ``np.stack`` on each one-dimensional column of each group, which makes an array of
    every element; ``np.asarray`` gives the same column. Columns of arrays would need the original.
    """
    from fairlearn.metrics import _annotated_metric_function as module

    with patch.object(module, "np", SimpleNamespace(ndarray=np.ndarray, stack=np.asarray)):
        yield


def fairlearn_patched(y_true: np.ndarray, y_pred: np.ndarray, group: Any) -> Values:
    """Return the same as ``fairlearn``, with its slow line replaced."""
    with fairlearn_without_stack():
        return fairlearn(y_true, y_pred, group)


def aequitas(frame: pd.DataFrame) -> Values:
    """Return eleven of the measures by group; it has neither overall values nor the other two."""
    from aequitas.group import Group  # noqa: PLC0415 - a peer that may be absent

    table, _ = Group().get_crosstabs(frame, attr_cols=["group"])
    table = table.sort_values("attribute_value")
    return {name: (table[column].to_numpy(),) for name, column in _AEQUITAS.items()}


def aif360_datasets(y_true: np.ndarray, y_pred: np.ndarray, group: np.ndarray) -> tuple[Any, Any]:
    """Return the two datasets that AIF360's metric takes; groups must be the numbers 0 and 1."""
    from aif360.datasets import BinaryLabelDataset

    frame = pd.DataFrame({"group": group, "label": y_true})
    truth = BinaryLabelDataset(df=frame, label_names=["label"], protected_attribute_names=["group"])
    predicted = truth.copy()
    predicted.labels = y_pred.reshape(-1, 1).astype(np.float64)
    return truth, predicted


def aif360(datasets: tuple[Any, Any]) -> Values:
    """Return ten of the measures for both groups and for all, and the differences it has."""
    from aif360.metrics import ClassificationMetric

    metric = ClassificationMetric(
        *datasets, unprivileged_groups=[{"group": 0}], privileged_groups=[{"group": 1}]
    )
    values = {}
    for name in _AIF360:
        rate = partial(getattr(metric, name))
        values[name] = np.array([rate(False), rate(True)]), rate(None)
    metric.statistical_parity_difference()
    metric.disparate_impact()
    metric.average_odds_difference()
    metric.equal_opportunity_difference()
    return values


def installed(package: str) -> bool:
    """Return whether a peer can be imported, without what it says while it is."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            __import__(package)
    except ImportError:
        return False
    finally:
        logging.disable(logging.NOTSET)
    return True
