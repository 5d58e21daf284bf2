"""How to call any measure on the same people, for the tests that run over all measures.

People are a dictionary of columns, named like the parameters of the measures.
"""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import Metric

People = dict[str, list[Any]]
SCORE_RANGE = (4, 7)


def _arguments(
    metric: Metric, people: People, options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Pick what a measure takes; optional columns only where an option gives them."""
    known = {**people, "score_range": SCORE_RANGE}
    data, keywords = [], {}
    for name, parameter in inspect.signature(metric.function).parameters.items():
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            data.append(options.get(name, known[name]))
        elif name in options:
            keywords[name] = options[name]
        elif parameter.default is parameter.empty:
            keywords[name] = known[name]
    return data, keywords


@pytest.fixture(scope="session")
def arguments() -> Callable[..., tuple[list[Any], dict[str, Any]]]:
    """Return a function that gives a measure's positional and keyword arguments."""
    return lambda metric, people, **options: _arguments(metric, people, options)


@pytest.fixture(scope="session")
def measure() -> Callable[..., float]:
    """Return a function that calls a measure on people; undefined ones do not warn.

    Options that a measure does not take are left out.
    """

    def call(metric: Metric, people: People, **options: Any) -> float:
        data, keywords = _arguments(metric, people, options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return metric.function(*data, **keywords)

    return call


@pytest.fixture(scope="session")
def table() -> Callable[..., OutcomeCounts]:
    """Return a function that counts people into the table a measure is read off.

    All labels are counted, needed or not. Measures under a condition get the
    people who meet it.
    """

    def count(metric: Metric, people: People, sample_weight: Any = None) -> OutcomeCounts:
        required = inspect.signature(metric.function).parameters
        weight = [1] * len(people["y_pred"]) if sample_weight is None else list(sample_weight)
        if "score_range" in required:
            low, high = SCORE_RANGE
            met = [low <= score <= high for score in people["y_score"]]
        elif "where" in required:
            met = people["where"]
        else:
            met = [True] * len(weight)
        columns = {name: column for name, column in people.items() if name.startswith("y_")}
        columns["sensitive_features"] = people["sensitive_features"]
        if metric.family != "score":
            del columns["y_score"]
        kept = {
            name: [value for value, keep in zip(column, met, strict=True) if keep]
            for name, column in columns.items()
        }
        groups = OutcomeCounts.from_arrays(**columns).groups
        if not any(met):
            empty = OutcomeCounts.from_arrays(**columns)
            tables = {
                name: None if getattr(empty, name) is None else getattr(empty, name) * 0
                for name in ("score_sums", "score_squares")
            }
            return OutcomeCounts(groups, empty.cells * 0, **tables)
        kept["sample_weight"] = [w for w, keep in zip(weight, met, strict=True) if keep]
        if sample_weight is None:
            del kept["sample_weight"]
        return OutcomeCounts.from_arrays(**kept).reindex(groups)

    return count
