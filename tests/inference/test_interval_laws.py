"""No interval excludes its own estimate and none leaks a warning, on tables of all kinds."""

from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import Interval, confidence_interval, confidence_intervals
from skfair_ofi.metrics import METRICS

# Many cells are empty, many hold next to no one, and some a trillion people.
PEOPLE = st.one_of(
    st.just(0), st.integers(0, 3), st.integers(0, 60), st.integers(0, 10**6), st.integers(0, 10**12)
)
RATES = [metric for metric in METRICS.values() if metric.kind == "rate"]
LEVELS = st.sampled_from([0.01, 0.3, 0.95, 0.999999])
laws = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def arrays(elements: st.SearchStrategy[Any], groups: int) -> st.SearchStrategy[np.ndarray]:
    """Return arrays with a number for every cell."""
    lists = st.lists(elements, min_size=8 * groups, max_size=8 * groups)
    return lists.map(lambda values: np.array(values).reshape(groups, 2, 2, 2))


@st.composite
def tables(draw: st.DrawFn) -> OutcomeCounts:
    """Draw a whole, a weighted or an expected table of one to four groups, some with scores."""
    groups = draw(st.integers(1, 4))
    people, given = draw(arrays(PEOPLE, groups)), {}
    kind = draw(st.sampled_from(["whole", "weighted", "expected"]))
    cells = people
    if kind == "weighted":
        weight = draw(arrays(st.floats(1e-6, 1e6), groups))
        cells = people * weight
        # Weights within a cell may differ, but not of one person
        spread = draw(arrays(st.floats(1, 4), groups))
        given["weight_squares"] = cells * weight * np.where(people > 1, spread, 1)
    if kind == "expected":
        cells = people * draw(arrays(st.floats(0, 1), groups))
    if draw(st.booleans()):
        mean, spread = (draw(arrays(st.floats(*ends), groups)) for ends in ((-100, 100), (0, 9)))
        given["score_sums"] = cells * mean
        given["score_squares"] = cells * (mean**2 + np.where(people > 1, spread, 0))
    return OutcomeCounts("abcd"[:groups], cells, **given)


def check(interval: Interval, name: str, estimate: float) -> None:
    """Refuse an interval that is not around the estimate, or has no ends and no reason."""
    assert np.array_equal(interval.estimate, estimate, equal_nan=True)
    if isnan(interval.low) or isnan(interval.high):
        assert isnan(interval.low)
        assert isnan(interval.high)
        assert interval.method == "none"
        assert interval.note
        return
    lowest, highest = METRICS[name].bounds
    assert lowest <= interval.low <= estimate <= interval.high <= highest
    assert interval.method != "none"


@pytest.mark.parametrize("bootstrap", [False, True], ids=["closed form", "bootstrap"])
@laws
@given(data=st.data())
@pytest.mark.slow
def test_intervals_hold_their_estimates_on_any_table(bootstrap: bool, data: st.DataObject) -> None:
    """Of every measure, in closed form and by the bootstrap."""
    table, level = data.draw(tables()), data.draw(LEVELS)
    privileged = data.draw(st.sampled_from([None, "a"]))
    options: dict[str, Any] = {"level": level, "privileged": privileged}
    if bootstrap:
        stratified = data.draw(st.booleans())
        options |= {"method": "bootstrap", "n_resamples": 20, "random_state": 0}
        options["stratified"] = stratified
    for name, metric in METRICS.items():
        if metric.fits(table):
            interval = confidence_interval(table, name, **options)
            check(interval, name, metric.of(table, privileged=privileged))


@laws
@given(table=tables(), level=LEVELS)
@pytest.mark.slow
def test_intervals_of_groups_hold_their_estimates(table: OutcomeCounts, level: float) -> None:
    """Of every rate in every group."""
    rates = [metric for metric in RATES if metric.fits(table)]
    found = confidence_intervals(table, [rate.name for rate in rates], level=level)
    for metric in rates:
        rows = found[found["measure"] == metric.name]
        assert rows["group"].tolist() == list(table.groups)
        for place, (row, value) in enumerate(
            zip(rows.itertuples(), metric.values(table), strict=True)
        ):
            interval = Interval(row.low, row.high, row.estimate, level, row.method, row.note)
            check(interval, metric.name, float(metric.exact(table, place)))
            assert row.estimate == pytest.approx(value, nan_ok=True)
