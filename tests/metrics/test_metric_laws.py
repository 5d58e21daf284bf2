"""Laws that every measure of the registry keeps; a new one is tested here unasked."""

import ast
import inspect
import pickle
import re
import warnings
from collections.abc import Callable
from itertools import pairwise as neighbors
from math import inf, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from hypothesis import given, settings, strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_validate

from skfair_ofi import OutcomeCounts, metrics
from skfair_ofi.metrics import METRICS, Metric, pairwise

Call = Callable[..., Any]
People = dict[str, list[Any]]

ALL = list(METRICS.values())
RATES = [metric for metric in ALL if metric.kind == "rate"]
COMPARISONS = [metric for metric in ALL if metric.kind == "comparison"]
every_metric = pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
every_rate = pytest.mark.parametrize("metric", RATES, ids=lambda metric: metric.name)
every_comparison = pytest.mark.parametrize("metric", COMPARISONS, ids=lambda metric: metric.name)
examples = settings(max_examples=10, deadline=None, derandomize=True, database=None)

NAMES = ("sensitive_features", "y_true", "y_pred", "y_corrected", "y_score", "where")
LABELS = ("y_true", "y_pred", "y_corrected")
BIBLIOGRAPHY = Path(__file__).parents[2] / "docs" / "refs.bib"

label = st.integers(0, 1)
row = st.tuples(st.sampled_from("abc"), label, label, label, st.integers(-2, 10), st.booleans())


def columns(rows: list[tuple[Any, ...]]) -> People:
    """Return rows as columns."""
    return dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))


def taken(people: People, positions: list[int]) -> People:
    """Return the people at these positions."""
    return {name: [column[i] for i in positions] for name, column in people.items()}


def size(people: People) -> int:
    """Return the number of people."""
    return len(people["y_pred"])


def swapped(people: People) -> People:
    """Return the people with favorable and unfavorable labels changed for one another."""
    return {**people, **{name: [1 - y for y in people[name]] for name in LABELS}}


def same(left: float, right: float) -> bool:
    """Return whether two values are equal, or both undefined."""
    return left == right or (isnan(left) and isnan(right))


some_people = st.lists(row, min_size=1, max_size=24).map(columns)
# Eight people of each group, one for each combination of labels.
EVERYONE = columns(
    [
        (group, true, predicted, corrected, 2 + 4 * true + predicted, corrected == 1)
        for group in "abc"
        for true in (0, 1)
        for predicted in (0, 1)
        for corrected in (0, 1)
    ]
)


@every_metric
@given(people=some_people, signed=st.booleans())
@examples
def test_value(metric: Metric, measure: Call, table: Call, people: People, signed: bool) -> None:
    """A measure is a Python float inside its bounds or NaN, the same from arrays and tables."""
    privileged = people["sensitive_features"][0] if signed else None
    value = measure(metric, people, privileged=privileged)
    assert type(value) is float
    assert isnan(value) or metric.bounds[0] <= value <= metric.bounds[1]
    counts = table(metric, people)
    assert type(metric.of(counts, privileged=privileged)) is float
    assert same(metric.of(counts, privileged=privileged), value)


@every_rate
@given(people=some_people)
@examples
def test_values_of_groups(metric: Metric, measure: Call, table: Call, people: People) -> None:
    """A rate's values are, group by group, the rate of that group's people alone."""
    counts = table(metric, people)
    values = metric.values(counts)
    assert values.dtype == np.float64
    assert values.shape == (len(counts.groups),)
    for group, value in zip(counts.groups, values.tolist(), strict=True):
        own = [i for i, key in enumerate(people["sensitive_features"]) if key == group]
        assert same(value, measure(metric, taken(people, own)))


@every_metric
@given(people=some_people, signed=st.booleans())
@examples
def test_undefined(
    metric: Metric, arguments: Call, table: Call, people: People, signed: bool
) -> None:
    """NaN comes with one warning that names measure and reason; anything else with none."""
    options = {"privileged": people["sensitive_features"][0] if signed else None}
    data, keywords = arguments(metric, people, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = metric.function(*data, **keywords)
    reason = metric.reason(table(metric, people), **options)
    assert (reason is not None) == isnan(value)
    expected = [f"{metric.name} is undefined: {reason}."] if isnan(value) else []
    assert [str(warning.message) for warning in caught] == expected
    assert all(warning.category is UndefinedMetricWarning for warning in caught)
    assert all(Path(warning.filename) == Path(__file__) for warning in caught)


# How to leave a group without the people that a rate is a share of.
EMPTIED = {
    "positives": {"y_true": 0},
    "negatives": {"y_true": 1},
    "positives or no negatives": {"y_true": 1},
    "predicted positives": {"y_pred": 0},
    "predicted negatives": {"y_pred": 1},
    "errors": {"y_true": 1, "y_pred": 1},
}
# Rates of these are never undefined for people that are there.
NEVER_EMPTY = {"people", "flips"}


def emptied(denominator: str, group: str) -> People:
    """Return everyone, with a group that lacks the people that a rate is a share of."""
    members = [key == group for key in EVERYONE["sensitive_features"]]
    changed = {
        name: [
            value if member else old for old, member in zip(EVERYONE[name], members, strict=True)
        ]
        for name, value in EMPTIED[denominator].items()
    }
    return {**EVERYONE, **changed}


def expect_undefined(metric: Metric, arguments: Call, reason: str, **options: Any) -> None:
    """Assert that the public function returns NaN and says why, to the end."""
    people = options.pop("people")
    data, keywords = arguments(metric, people, **options)
    text = re.escape(f"{metric.name} is undefined: {reason}.")
    with pytest.warns(UndefinedMetricWarning, match=f"^{text}$"):
        assert isnan(metric.function(*data, **keywords))


@pytest.mark.parametrize(
    "metric",
    [metric for metric in RATES if metric.denominator not in NEVER_EMPTY],
    ids=lambda metric: metric.name,
)
def test_share_of_nobody(metric: Metric, arguments: Call) -> None:
    """A rate of people who are not there is undefined, and says who is missing."""
    people = taken(emptied(metric.denominator, "a"), list(range(8)))
    expect_undefined(metric, arguments, f"no {metric.denominator}", people=people)


@pytest.mark.parametrize(
    ("metric", "denominator"),
    [
        pytest.param(metric, rate.denominator, id=f"{metric.name} of {rate.name}")
        for metric in COMPARISONS
        for rate in metric.rates
        if rate.denominator not in NEVER_EMPTY
    ],
)
def test_group_without_the_people_compared(
    metric: Metric, denominator: str, arguments: Call
) -> None:
    """A comparison of shares is undefined where a group has nobody to take a share of."""
    people = emptied(denominator, "b")
    reason = f"no {denominator} in group 'b'"
    expect_undefined(metric, arguments, reason, people=people)
    expect_undefined(metric, arguments, reason, people=people, privileged="b")
    people = taken(people, list(range(16)))
    expect_undefined(metric, arguments, reason, people=people, privileged="a")


@pytest.mark.parametrize(
    "metric",
    [metric for metric in COMPARISONS if any(rate.denominator in EMPTIED for rate in metric.rates)],
    ids=lambda metric: metric.name,
)
def test_several_groups_without_the_people_compared(metric: Metric, arguments: Call) -> None:
    """Sides of several groups are named by them, or called the other groups."""
    denominator = metric.rates[0].denominator
    both = {
        name: [x if key == "a" else y for key, x, y in zip(*parts, strict=True)]
        for name in EVERYONE
        for parts in [
            (
                EVERYONE["sensitive_features"],
                emptied(denominator, "b")[name],
                emptied(denominator, "c")[name],
            )
        ]
    }
    both |= {
        name: [
            x if key == "a" else value
            for key, x in zip(EVERYONE["sensitive_features"], EVERYONE[name], strict=True)
        ]
        for name, value in EMPTIED[denominator].items()
    }
    expect_undefined(
        metric, arguments, f"no {denominator} in the other groups", people=both, privileged="a"
    )
    expect_undefined(
        metric,
        arguments,
        f"no {denominator} in groups ['b', 'c']",
        people=both,
        privileged=["c", "b"],
    )


@every_comparison
def test_one_group(metric: Metric, arguments: Call) -> None:
    """With one group, or all of them privileged, there is nothing to compare."""
    alone = taken(EVERYONE, list(range(8)))
    expect_undefined(metric, arguments, "only one group, 'a'", people=alone)
    expect_undefined(metric, arguments, "only one group, 'a'", people=alone, privileged="a")
    expect_undefined(
        metric, arguments, "no other group", people=EVERYONE, privileged=["a", "b", "c"]
    )


@pytest.mark.parametrize(
    "metric",
    [
        m
        for m in COMPARISONS
        if {"where", "score_range"} & set(inspect.signature(m.function).parameters)
    ],
    ids=lambda metric: metric.name,
)
def test_nobody_meets_the_condition(metric: Metric, arguments: Call) -> None:
    """A comparison under a condition is undefined where nobody of a group meets it."""
    where = [key != "b" for key in EVERYONE["sensitive_features"]]
    expect_undefined(metric, arguments, "no people in group 'b'", people=EVERYONE, where=where)
    nobody = [False] * size(EVERYONE)
    reason = "; ".join(f"no people in group '{group}'" for group in "abc")
    expect_undefined(metric, arguments, reason, people=EVERYONE, where=nobody)


@every_comparison
@given(rows=st.lists(row, min_size=1, max_size=8), signed=st.booleans())
@examples
def test_ideal_where_groups_are_alike(
    metric: Metric, measure: Call, rows: list[tuple[Any, ...]], signed: bool
) -> None:
    """Groups of the same people have the ideal value, or none at all."""
    people = columns([(group, *person[1:]) for group in "abc" for person in rows])
    value = measure(metric, people, privileged="a" if signed else None, convention="equation")
    assert isnan(value) or value == metric.ideal


@every_metric
@given(data=st.data())
@examples
def test_order_of_rows(metric: Metric, measure: Call, data: st.DataObject) -> None:
    """The order of the rows does not matter."""
    people = data.draw(some_people)
    order = data.draw(st.permutations(range(size(people))))
    group = people["sensitive_features"][0]
    for options in ({}, {"privileged": group}):
        value = measure(metric, people, **options)
        assert same(measure(metric, taken(people, order), **options), value)


@every_metric
@given(
    people=some_people,
    names=st.sampled_from(
        [("z", "y", "x"), (2, 1, 3), ("a", "A", ""), (("m", 1), ("f", 2), ("f", 1))]
    ),
)
@examples
def test_names_of_groups(
    metric: Metric, measure: Call, people: People, names: tuple[Any, ...]
) -> None:
    """What groups are called does not matter."""
    rename = dict(zip("abc", names, strict=True))
    keys = people["sensitive_features"]
    renamed = {**people, "sensitive_features": [rename[key] for key in keys]}
    assert same(measure(metric, renamed), measure(metric, people))
    value = measure(metric, people, privileged=keys[0])
    assert same(measure(metric, renamed, privileged=rename[keys[0]]), value)


@every_metric
@given(people=some_people, cuts=st.lists(st.integers(1, 23), max_size=3))
@examples
def test_tables_add_up(metric: Metric, table: Call, people: People, cuts: list[int]) -> None:
    """Splitting the data and adding the tables gives the measure of all data."""
    edges = sorted({0, size(people), *(cut for cut in cuts if cut < size(people))})
    pieces = [taken(people, list(range(start, end))) for start, end in neighbors(edges)]
    added = sum(table(metric, piece) for piece in pieces)
    whole = table(metric, people)
    assert added == whole
    group = people["sensitive_features"][0]
    for privileged in (None, group):
        value = metric.of(whole, privileged=privileged)
        assert same(metric.of(added, privileged=privileged), value)


@every_metric
@given(data=st.data())
@examples
def test_weights_are_repeated_rows(metric: Metric, measure: Call, data: st.DataObject) -> None:
    """A weight of three is three rows, a weight of zero none."""
    people = data.draw(some_people)
    n = size(people)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n).filter(any))
    repeated = taken(people, [i for i, weight in enumerate(weights) for _ in range(weight)])
    for options in ({}, {"privileged": repeated["sensitive_features"][0]}):
        value = measure(metric, repeated, **options)
        assert same(measure(metric, people, sample_weight=weights, **options), value)


@every_metric
@given(data=st.data(), factor=st.sampled_from([0.1, 1 / 3, 0.5, 7.0, 1e-9, 1e9]))
@examples
def test_unit_of_weights(metric: Metric, measure: Call, data: st.DataObject, factor: float) -> None:
    """Weights in another unit give the same measure, undefined or not."""
    people = data.draw(some_people)
    n = size(people)
    weights = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    value = measure(metric, people, sample_weight=weights)
    scaled = measure(metric, people, sample_weight=[weight * factor for weight in weights])
    assert scaled == pytest.approx(value, rel=1e-9, abs=1e-9, nan_ok=True)


def words(labels: list[int]) -> list[str]:
    """Return labels spelled as words."""
    return [("no", "yes")[i] for i in labels]


def shuffled_index(values: Any, **options: Any) -> pd.Series:
    """Return a pandas column whose index says nothing about the rows."""
    return pd.Series(values, **options).set_axis(np.roll(np.arange(len(values)), 3))


def polars_series(values: Any, dtype: Any = None) -> Any:
    """Return a polars column."""
    polars = pytest.importorskip("polars")
    if isinstance(dtype, list):
        dtype = polars.Enum(dtype)
    return polars.Series(values, dtype=None if dtype is None else dtype or polars.Categorical)


# How labels, given as 0 and 1, are handed over; and everything else.
CONTAINERS: dict[str, tuple[Call, Call]] = {
    "tuple": (tuple, tuple),
    "numpy int8": (lambda v: np.array(v, dtype=np.int8), np.array),
    "numpy uint8": (lambda v: np.array(v, dtype=np.uint8), np.array),
    "numpy int64": (lambda v: np.array(v, dtype=np.int64), np.array),
    "numpy bool": (lambda v: np.array(v, dtype=bool), np.array),
    "numpy float32": (lambda v: np.array(v, dtype=np.float32), np.array),
    "numpy float64": (lambda v: np.array(v, dtype=np.float64), np.array),
    "numpy object": (lambda v: np.array(v, dtype=object), lambda v: np.array(v, dtype=object)),
    "numpy text": (lambda v: np.array(words(v)), np.array),
    "numpy column": (lambda v: np.array(v)[:, None], lambda v: np.array(v)[:, None]),
    "numpy strided": (lambda v: np.repeat(v, 2)[::2], lambda v: np.repeat(v, 2)[::2]),
    "pandas int64": (shuffled_index, shuffled_index),
    "pandas bool": (lambda v: shuffled_index(v).astype(bool), shuffled_index),
    "pandas Int64": (lambda v: shuffled_index(v, dtype="Int64"), shuffled_index),
    "pandas boolean": (lambda v: shuffled_index(v).astype(bool).astype("boolean"), shuffled_index),
    "pandas arrow": (lambda v: shuffled_index(v, dtype="int64[pyarrow]"), shuffled_index),
    "pandas str": (lambda v: shuffled_index(words(v), dtype="str"), shuffled_index),
    "pandas object": (lambda v: shuffled_index(words(v), dtype=object), shuffled_index),
    "pandas arrow text": (
        lambda v: shuffled_index(words(v), dtype="string[pyarrow]"),
        shuffled_index,
    ),
    "pandas category": (
        lambda v: shuffled_index(words(v), dtype="category"),
        lambda v: shuffled_index(v, dtype="category"),
    ),
    "pandas index": (pd.Index, pd.Index),
    "polars": (polars_series, polars_series),
    "polars bool": (lambda v: polars_series([x == 1 for x in v]), polars_series),
    "polars text": (lambda v: polars_series(words(v)), polars_series),
    "polars enum": (lambda v: polars_series(words(v), ["no", "yes", "maybe"]), polars_series),
    "polars category": (lambda v: polars_series(words(v), ""), polars_series),
    "pyarrow": (pa.array, pa.array),
    "pyarrow chunks": (
        lambda v: pa.chunked_array([v[:5], v[5:]]),
        lambda v: pa.chunked_array([v[:5], v[5:]]),
    ),
    "pyarrow text": (lambda v: pa.array(words(v)), pa.array),
    "pyarrow dictionary": (lambda v: pa.array(words(v)).dictionary_encode(), pa.array),
}
# Uneven groups, with every combination of labels in each.
UNEVEN = taken(EVERYONE, [*range(24), 3, 3, 8, 9, 15, 15, 15, 17, 22])
WEIGHTS = [1 + i % 3 for i in range(size(UNEVEN))]


@pytest.mark.parametrize("container", CONTAINERS)
@every_metric
def test_any_container(metric: Metric, container: str, measure: Call) -> None:
    """A list, and columns of NumPy, pandas, polars and pyarrow of any type, give one value."""
    labels, others = CONTAINERS[container]
    people = {
        name: (labels if name in LABELS else others)(column) for name, column in UNEVEN.items()
    }
    numbers = np.array if "category" in container else others
    people["y_score"], weight = numbers(UNEVEN["y_score"]), numbers(WEIGHTS)
    spelled = str(next(iter(np.ravel(people["y_pred"])))) in ("no", "yes")
    for options in ({}, {"privileged": "b"}):
        value = measure(metric, UNEVEN, sample_weight=WEIGHTS, **options)
        assert not isnan(value)
        options["pos_label"] = "yes" if spelled else None
        assert measure(metric, people, sample_weight=weight, **options) == value


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "numpy", "mapping", "lists"])
@every_comparison
def test_several_sensitive_features(metric: Metric, library: str, measure: Call) -> None:
    """Columns of a frame are crossed, and are the same groups as their tuples."""
    first = UNEVEN["sensitive_features"]
    second = ["n", "s", "s"] * (len(first) // 3)
    features = {"sex": first, "region": second}
    pairs = list(zip(first, second, strict=True))
    frame = {
        "pandas": lambda: pd.DataFrame(features).set_axis(range(9, 9 + len(first))),
        "polars": lambda: pytest.importorskip("polars").DataFrame(features),
        "pyarrow": lambda: pa.table(features),
        "numpy": lambda: np.array([first, second]).T,
        "mapping": lambda: features,
        "lists": lambda: [list(pair) for pair in pairs],
    }[library]()
    for options in ({}, {"privileged": ("b", "s")}):
        value = measure(metric, {**UNEVEN, "sensitive_features": pairs}, **options)
        found = measure(metric, {**UNEVEN, "sensitive_features": frame}, **options)
        assert same(found, value)


@every_metric
def test_arrays_are_left_as_they_were(metric: Metric, measure: Call) -> None:
    """Read-only arrays are good enough, and what was given is not changed."""
    arrays = {name: np.array(column) for name, column in UNEVEN.items()}
    arrays["sample_weight"] = np.array(WEIGHTS, dtype=float)
    for array in arrays.values():
        array.setflags(write=False)
    weight = arrays.pop("sample_weight")
    measure(metric, arrays, sample_weight=weight, privileged="a")
    assert {name: array.tolist() for name, array in arrays.items()} == UNEVEN
    assert weight.tolist() == WEIGHTS


@every_metric
@given(people=some_people)
@examples
def test_favorable_label_by_name(metric: Metric, measure: Call, people: People) -> None:
    """Calling 0 favorable is the same as exchanging the labels."""
    for options in ({}, {"privileged": people["sensitive_features"][0]}):
        value = measure(metric, swapped(people), **options)
        assert same(measure(metric, people, pos_label=0, **options), value)


def unchanged(value: float) -> float:
    """Return the value."""
    return value


def negated(value: float) -> float:
    """Return the value with its sign turned."""
    return -value


def complement(value: float) -> float:
    """Return what is missing to one."""
    return 1 - value


def inverse(value: float) -> float:
    """Return the inverse of a ratio that may be 0 or infinite."""
    return inf if value == 0 else 1 / value


# What a measure becomes when the labels are exchanged: a function of which measure.
SWAPS = {
    "selection_rate": (complement, "selection_rate"),
    "base_rate": (complement, "base_rate"),
    "marginal_benefit": (negated, "marginal_benefit"),
    "accuracy": (unchanged, "accuracy"),
    "true_positive_rate": (unchanged, "true_negative_rate"),
    "true_negative_rate": (unchanged, "true_positive_rate"),
    "false_positive_rate": (unchanged, "false_negative_rate"),
    "false_negative_rate": (unchanged, "false_positive_rate"),
    "positive_predictive_value": (unchanged, "negative_predictive_value"),
    "negative_predictive_value": (unchanged, "positive_predictive_value"),
    "false_discovery_rate": (unchanged, "false_omission_rate"),
    "false_omission_rate": (unchanged, "false_discovery_rate"),
    "treatment_ratio": (inverse, "treatment_ratio"),
    "average_odds": (complement, "average_odds"),
    "flip_rate": (unchanged, "flip_rate"),
    "favorable_flip_rate": (unchanged, "harmful_flip_rate"),
    "harmful_flip_rate": (unchanged, "favorable_flip_rate"),
    "directional_flip_ratio": (inverse, "directional_flip_ratio"),
    "wrong_flip_rate": (unchanged, "wrong_flip_rate"),
    "correcting_flip_rate": (unchanged, "correcting_flip_rate"),
    "mean_score": (unchanged, "mean_score"),
    "mean_score_positives": (unchanged, "mean_score_negatives"),
    "mean_score_negatives": (unchanged, "mean_score_positives"),
    "objective_fairness_index": (negated, "objective_fairness_index"),
    "statistical_parity_difference": (negated, "statistical_parity_difference"),
    "conditional_statistical_parity_difference": (
        negated,
        "conditional_statistical_parity_difference",
    ),
    "mean_difference": (negated, "mean_difference"),
    "calibration_difference": (negated, "calibration_difference"),
    "average_odds_difference": (negated, "average_odds_difference"),
    "equal_opportunity_difference": (negated, "predictive_equality_difference"),
    "predictive_equality_difference": (negated, "equal_opportunity_difference"),
    "equalized_odds_difference": (unchanged, "equalized_odds_difference"),
    "conditional_use_accuracy_difference": (unchanged, "conditional_use_accuracy_difference"),
    "accuracy_difference": (unchanged, "accuracy_difference"),
    "positive_balance_difference": (unchanged, "negative_balance_difference"),
    "negative_balance_difference": (unchanged, "positive_balance_difference"),
    "flip_rate_difference": (unchanged, "flip_rate_difference"),
    "flip_disparity_index": (unchanged, "flip_disparity_index"),
    "flip_rate_disparity": (unchanged, "flip_rate_disparity"),
    "relative_flip_disparity": (unchanged, "relative_flip_disparity"),
}


@pytest.mark.parametrize("name", SWAPS)
@given(people=some_people)
@examples
def test_exchange_of_labels(name: str, measure: Call, people: People) -> None:
    """Exchanging labels negates OFI and SPD, and exchanges TPR and TNR, harm and favor."""
    change, partner = SWAPS[name]
    group = people["sensitive_features"][0]
    found = measure(METRICS[name], swapped(people), privileged=group)
    expected = change(measure(METRICS[partner], people, privileged=group))
    assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(people=some_people)
@examples
def test_harmful_flips_are_what_is_not_favorable(measure: Call, people: People) -> None:
    """Exchanging labels makes the harmful share of flips the favorable one, if there are any."""
    metric = METRICS["harmful_flip_proportion"]
    flips = measure(METRICS["flip_rate"], people)
    both = measure(metric, people) + measure(metric, swapped(people))
    assert both == (pytest.approx(1) if flips else 0)


@given(people=some_people)
@examples
def test_objective_fairness_index_identity(measure: Call, table: Call, people: People) -> None:
    """OFI is the statistical parity difference minus the difference of base rates."""
    counts = table(METRICS["accuracy"], people)
    b, selected, base = (
        METRICS[name].values(counts) for name in ("marginal_benefit", "selection_rate", "base_rate")
    )
    np.testing.assert_allclose(b, selected - base, atol=1e-12)
    group = people["sensitive_features"][0]
    ofi, parity = (
        measure(METRICS[name], people, privileged=group)
        for name in ("objective_fairness_index", "statistical_parity_difference")
    )
    sides: tuple[list[int], list[int]] = ([], [])
    for key, true in zip(people["sensitive_features"], people["y_true"], strict=True):
        sides[key == group].append(true)
    gap = np.mean(sides[0]) - np.mean(sides[1]) if sides[0] else nan
    assert ofi == pytest.approx(parity - gap, abs=1e-12, nan_ok=True)


@every_comparison
@given(people=some_people)
@examples
def test_two_sides(metric: Metric, table: Call, people: People) -> None:
    """Turning a pair around negates a difference, inverts a ratio, and leaves flips alone."""
    counts = table(metric, people)
    if len(counts.groups) < 2:
        return
    pair = counts.pick(*counts.groups[:2])
    here, there = (metric.of(pair, privileged=group) for group in pair.groups)
    turn = negated if metric.bounds[0] < 0 else unchanged
    turn = inverse if metric.name == "disparate_impact" else turn
    assert there == pytest.approx(turn(here), nan_ok=True)


@pytest.mark.parametrize(
    "metric",
    # The overall flip rate that these divide by is that of everyone, or of a pair.
    [m for m in COMPARISONS if "convention" not in inspect.signature(m.function).parameters],
    ids=lambda metric: metric.name,
)
@given(people=some_people)
@examples
def test_largest_gap(metric: Metric, table: Call, people: People) -> None:
    """Without a privileged group, the value is the largest of all pairs; the smallest ratio."""
    counts = table(metric, people)
    matrix = pairwise(counts, metric.name).to_numpy()
    apart = matrix[~np.eye(len(matrix), dtype=bool)]
    if not len(apart) or np.isnan(apart).any():
        return
    extreme = apart.min() if metric.name == "disparate_impact" else apart.max()
    assert metric.of(counts) == extreme


@every_metric
def test_registry(metric: Metric) -> None:
    """An entry is complete and agrees with itself."""
    assert METRICS[metric.name] is metric
    assert metric.function is getattr(metrics, metric.name)
    assert metric.name in metrics.__all__
    assert metric.function.__name__ == metric.function.__qualname__ == metric.name
    assert metric.symbol
    assert set(metric.roles) <= {*LABELS, "y_score"}
    assert metric.bounds[0] < metric.bounds[1]
    assert " ".join(inspect.getdoc(metric.function).split("\n\n")[0].split()) == metric.summary
    assert repr(metric) == f"METRICS[{metric.name!r}]"


@every_rate
def test_registry_of_rates(metric: Metric) -> None:
    """A rate has no ideal and no verdict, and compares nothing."""
    assert (metric.ideal, metric.bands, metric.rates, metric.rate) == (None, None, (), None)
    assert metric.better in {None, "higher", "lower"}
    assert metric.denominator in {*EMPTIED, *NEVER_EMPTY}


@every_comparison
def test_registry_of_comparisons(metric: Metric) -> None:
    """A comparison names its rates, and its ideal is within bounds and possible."""
    assert metric.rates
    assert metric.better is None
    assert all(rate.kind == "rate" for rate in metric.rates)
    assert metric.bounds[0] <= metric.ideal <= metric.bounds[1]
    assert metric.bands is None or metric.bands.judge(metric.ideal) == "within bounds"
    assert {role for rate in metric.rates for role in rate.roles} == set(metric.roles)


def test_symbols_differ() -> None:
    """No two measures share a short name."""
    assert len({metric.symbol for metric in ALL}) == len(ALL)


@every_metric
def test_signature(metric: Metric) -> None:
    """The signature is explicit: data first, everything else by name, a float comes back."""
    signature = inspect.signature(metric.function)
    positional = [
        p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    named = [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert positional + named == list(signature.parameters)
    assert (
        positional
        == {
            "label": ["y_true", "y_pred"],
            "flip": ["y_pred", "y_corrected"],
            "score": ["y_true", "y_score"],
        }[metric.family]
    )
    assert {"pos_label", "sample_weight"} <= set(named)
    assert (metric.kind == "comparison") == ({"sensitive_features", "privileged"} <= set(named))
    assert signature.return_annotation is float


@every_metric
def test_docstring(metric: Metric) -> None:
    """The docstring has its sections, and an example that says what comes out."""
    text = inspect.getdoc(metric.function)
    titles = re.findall(r"^(\w+)\n-+$", text, flags=re.MULTILINE)
    assert titles == ["Parameters", "Returns", "Raises", "Warns", "Notes", "Examples"]
    example = text.partition("\nExamples\n")[2]
    assert f"{metric.name}(" in example
    value = ast.literal_eval(example.strip().splitlines()[-1])
    assert metric.bounds[0] <= value <= metric.bounds[1]


@every_metric
def test_pickles_by_name(metric: Metric) -> None:
    """The public function goes to another process and comes back as itself."""
    assert pickle.loads(pickle.dumps(metric.function)) is metric.function  # noqa: S301


@every_metric
def test_entry_pickles(metric: Metric) -> None:
    """The registry's entry goes to another process and comes back as itself."""
    assert pickle.loads(pickle.dumps(metric)) is metric  # noqa: S301


@every_metric
def test_sources(metric: Metric) -> None:
    """A source is a key of the bibliography."""
    if not BIBLIOGRAPHY.exists():
        pytest.skip("the bibliography is not here")
    keys = set(re.findall(r"^@\w+\{([^,]+),", BIBLIOGRAPHY.read_text("utf-8"), re.MULTILINE))
    assert set(filter(None, metric.source.split(", "))) <= keys


class Echo(ClassifierMixin, BaseEstimator):
    """A classifier that predicts its only feature."""

    def fit(self, X: Any, y: Any) -> "Echo":
        """Take the classes."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return the feature."""
        return np.asarray(X)[:, 0]


@every_metric
def test_makes_a_scorer(metric: Metric, arguments: Call) -> None:
    """scikit-learn's make_scorer takes it: the score is minus the value."""
    (true, predicted), keywords = arguments(metric, UNEVEN)
    score = make_scorer(metric.function, greater_is_better=False, **keywords)
    features = np.array(predicted)[:, None]
    value = metric.function(true, predicted, **keywords)
    assert not isnan(value)
    assert score(Echo().fit(features, true), features, true) == -value


@pytest.mark.parametrize(
    "metric",
    [
        m
        for m in COMPARISONS
        if m.family != "flip"
        and not {"where", "score_range"} & set(inspect.signature(m.function).parameters)
    ],
    ids=lambda metric: metric.name,
)
def test_groups_by_metadata_routing(metric: Metric) -> None:
    """With metadata routing, scikit-learn hands each fold's groups to the scorer."""
    people = taken(UNEVEN, [*range(0, 24, 2), *range(1, 24, 2), *range(24, size(UNEVEN))])
    X, y = np.array(people["y_pred"])[:, None], np.array(people["y_true"])
    groups = np.array(people["sensitive_features"])
    folds = [(np.arange(24), np.arange(12)), (np.arange(24), np.arange(12, size(people)))]
    with sklearn.config_context(enable_metadata_routing=True):
        score = make_scorer(metric.function, greater_is_better=False)
        score.set_score_request(sensitive_features=True)
        found = cross_validate(
            Echo(),
            X,
            y,
            cv=folds,
            scoring=score,
            params={"sensitive_features": groups},
            error_score="raise",
        )
    expected = [
        -metric.function(y[test], X[test, 0], sensitive_features=groups[test]) for _, test in folds
    ]
    assert found["test_score"].tolist() == expected


def test_weighted_shares_stay_within_their_bounds() -> None:
    """Sums of weights in two orders differ by rounding; a share of all people is 1 still."""
    cells = np.zeros((2, 2, 2, 2))
    cells[0, 0, 0, 1], cells[1, 0, 1, 0], cells[1, 1, 0, 1] = (
        20.484392105581744,
        2563658370.6718063,
        339367364081399.75,
    )
    table = OutcomeCounts(["a", "b"], cells)
    assert METRICS["flip_rate"].of(table) == METRICS["flip_rate"].values(table.pooled())[0] == 1.0


def test_next_to_no_one_gives_infinity_without_a_warning() -> None:
    """Of an expected count of 1e-311 a quotient overflows."""
    table = OutcomeCounts(["a"], [[[[0.0], [1e-311]], [[1.0], [0.0]]]])
    assert METRICS["treatment_ratio"].of(table) == np.inf
    assert METRICS["treatment_ratio"].values(table).tolist() == [np.inf]
