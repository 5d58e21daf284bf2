"""Tables that are drawn, against rows that are drawn, and against arithmetic."""

from collections.abc import Callable
from math import isnan, nan
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from scipy.stats import bootstrap, ks_2samp

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import bootstrap_values, confidence_interval
from skfair_ofi.inference._bootstrap import (
    Replicates,
    Resampling,
    draw_tables,
    measure_tables,
    split_chunks,
)
from skfair_ofi.inference._limits import SampledTable
from skfair_ofi.metrics import METRICS, objective_fairness_index

Table = Callable[..., OutcomeCounts]
Rows = dict[str, np.ndarray]


def rows_of(people: int, seed: int) -> Rows:
    """Return the columns of people in two groups, the second with more errors."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, people)
    truth = (rng.random(people) < 0.4).astype(int)
    wrong = rng.random(people) < np.where(group == 1, 0.3, 0.15)
    return {"y_true": truth, "y_pred": np.where(wrong, 1 - truth, truth), "group": group}


def drawn_rows(rows: Rows, n_resamples: int, *, stratified: bool) -> np.ndarray:
    """Return the index in rows that are drawn one by one, the slow way."""
    rng = np.random.default_rng(5)
    people = len(rows["group"])
    places = [np.flatnonzero(rows["group"] == group) for group in (0, 1)]
    values = []
    for _ in range(n_resamples):
        if stratified:
            taken = np.concatenate([rng.choice(own, len(own)) for own in places])
        else:
            taken = rng.integers(0, people, people)
        y_true, y_pred, group = (rows[name][taken] for name in ("y_true", "y_pred", "group"))
        values.append(
            objective_fairness_index(y_true, y_pred, sensitive_features=group, privileged=0)
        )
    return np.array(values)


@pytest.mark.parametrize("stratified", [True, False])
def test_drawing_tables_is_drawing_rows(stratified: bool) -> None:
    """Both have the same distribution, by a Kolmogorov-Smirnov test."""
    rows = rows_of(300, 1)
    counts = OutcomeCounts.from_arrays(
        rows["y_true"], rows["y_pred"], sensitive_features=rows["group"]
    )
    tables = bootstrap_values(
        counts,
        "objective_fairness_index",
        privileged=0,
        n_resamples=4000,
        stratified=stratified,
        random_state=2,
    )
    assert ks_2samp(tables, drawn_rows(rows, 400, stratified=stratified)).pvalue > 0.01


def test_ends_are_those_of_resampled_rows() -> None:
    """SciPy's intervals from rows agree within the error of drawing."""
    values = np.repeat([-1.0, 0.0, 1.0], [45, 300, 105])
    counts = OutcomeCounts(["a"], [[[[300], [105]], [[45], [0]]]])
    found = confidence_interval(
        counts,
        "marginal_benefit",
        method="bootstrap",
        n_resamples=20_000,
        random_state=3,
    )
    rows = bootstrap(
        (values,), np.mean, n_resamples=8_000, method="percentile", random_state=4
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((rows.low, rows.high), abs=0.008)
    assert found.method == "percentile bootstrap"


@pytest.mark.parametrize("privileged", [None, "a"])
@pytest.mark.parametrize("name", METRICS)
def test_many_tables_are_measured_as_one(random_table: Table, name: str, privileged: Any) -> None:
    """The measure of a stack of tables is that of the registry, table by table."""
    for groups in (2, 4):
        tables = [random_table(groups, 6, seed) for seed in range(30)]
        tables = [table for table in tables if table.group_sizes.all()]
        stack = Replicates(
            np.stack([table.cells.reshape(groups, -1) for table in tables]),
            np.stack([table.score_sums.reshape(groups, -1) for table in tables]),
        )
        found = measure_tables(METRICS[name], SampledTable(tables[0], privileged), stack)
        expected = [METRICS[name].of(table, privileged=privileged) for table in tables]
        assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("stratified", [True, False])
def test_drawn_tables_keep_their_people(random_table: Table, stratified: bool) -> None:
    """Stratified tables keep each group's number of people, others the total; nothing is new."""
    table = random_table(4, 30, 3, scores=False)
    cells = draw_tables(table, Resampling(50, stratified=stratified, random_state=0)).cells
    assert (cells.sum(axis=(1, 2)) == table.n).all()
    assert (cells.sum(axis=2) == table.group_sizes).all() == stratified
    assert not cells[:, table.cells.reshape(4, -1) == 0].any()


def test_means_and_variances_are_multinomial(selected: Table) -> None:
    """Cells have mean n p and variance n p (1 - p)."""
    cells = draw_tables(
        selected((30, 100)), Resampling(20_000, stratified=True, random_state=0)
    ).cells
    assert cells[:, 0, 1].mean() == pytest.approx(30, abs=0.15)
    assert cells[:, 0, 1].var() == pytest.approx(21, rel=0.05)


def test_weighted_tables_vary_by_squared_weights() -> None:
    """Forty people of weight 2.5 vary as forty people do."""
    counts = OutcomeCounts(["a"], [[[[25.0], [75.0]]]], weight_squares=[[[[62.5], [187.5]]]])
    found = bootstrap_values(counts, "selection_rate", n_resamples=20_000, random_state=0)
    assert found.mean() == pytest.approx(0.75, abs=0.005)
    assert found.var() == pytest.approx(0.75 * 0.25 / 40, rel=0.05)


def test_scores_vary_within_cells() -> None:
    """The mean score of drawn tables has the variance of a mean."""
    scores = np.random.default_rng(0).normal(3, 2, 200)
    counts = OutcomeCounts.from_arrays(y_score=scores, sensitive_features=["a"] * 200)
    found = bootstrap_values(counts, "mean_score", n_resamples=5_000, random_state=0)
    assert found.mean() == pytest.approx(scores.mean(), abs=0.02)
    assert found.std() == pytest.approx(scores.std() / np.sqrt(200), rel=0.05)


def test_groups_that_vanish_make_a_table_undefined(selected: Table) -> None:
    """A group of one person is drawn away in a third of the tables: NaN, not 0."""
    table = selected((0, 1), (50, 100))
    values = bootstrap_values(
        table,
        "statistical_parity_difference",
        privileged="b",
        stratified=False,
        n_resamples=3_000,
        random_state=0,
    )
    assert np.isnan(values).mean() == pytest.approx(np.exp(-1), abs=0.03)
    assert not (values == 0).any()
    interval = confidence_interval(
        table,
        "statistical_parity_difference",
        method="bootstrap",
        privileged="b",
        stratified=False,
        random_state=0,
    )
    assert interval.note is not None
    assert interval.note.endswith(" of 2000 drawn tables were undefined and left out")


def test_groups_without_people_stay_empty(selected: Table) -> None:
    """A group of no one draws no one, and the measure has its reason."""
    table = selected((3, 10), (0, 0))
    interval = confidence_interval(table, "disparate_impact", method="bootstrap")
    assert isnan(interval.low)
    assert interval.note == "no people in group 'b'"


def test_empty_tables_are_undefined(selected: Table) -> None:
    """No people, no value."""
    assert np.isnan(bootstrap_values(selected((0, 0)), "selection_rate", n_resamples=3)).all()


def test_ends_hold_the_estimate(random_table: Table) -> None:
    """Also of largest gaps, where most drawn values lie above the table's own."""
    for seed in range(5):
        table = random_table(4, 30, seed)
        for name in METRICS:
            interval = confidence_interval(
                table, name, method="bootstrap", n_resamples=50, random_state=0
            )
            if not isnan(interval.low):
                assert interval.low <= interval.estimate <= interval.high
            else:
                assert interval.note


def test_a_largest_gap_comes_with_a_warning_in_its_note(selected: Table) -> None:
    """Drawn largest gaps of several groups do not reach 0, and the note says so."""
    table = selected((50, 100), (50, 100), (50, 100))
    name = "statistical_parity_difference"
    interval = confidence_interval(table, name, method="bootstrap", random_state=0)
    assert interval.note == "a drawn largest gap is nearly always larger than the true one"
    assert confidence_interval(table, name).note is None


def test_seeds_repeat_draws(selected: Table) -> None:
    """An integer seed repeats; a generator moves on; NumPy's global state is not touched."""
    table = selected((14, 70), (32, 80))
    before = np.random.get_state()[1].tolist()  # noqa: NPY002 - to see that nobody uses it
    first, second = (
        bootstrap_values(table, "disparate_impact", n_resamples=5, random_state=7) for _ in range(2)
    )
    rng = np.random.default_rng(7)
    third, fourth = (
        bootstrap_values(table, "disparate_impact", n_resamples=5, random_state=rng)
        for _ in range(2)
    )
    assert first.tolist() == second.tolist() == third.tolist() != fourth.tolist()
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


SHARED: dict[str, Any] = {"method": "bootstrap", "n_resamples": 3500, "random_state": 7}


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_workers_change_nothing(random_table: Table, n_jobs: int) -> None:
    """One seed gives one interval, whoever draws the tables."""
    for privileged in ("a", None):
        given = {"privileged": privileged, **SHARED}
        table = random_table(3, 60, 2)
        for name in ("flip_rate_difference", "mean_difference", "selection_rate"):
            alone = confidence_interval(table, name, **given)
            assert alone.low < alone.high
            assert confidence_interval(table, name, n_jobs=n_jobs, **given) == alone


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_workers_of_a_worker_change_nothing(selected: Table, backend: str) -> None:
    """Where joblib runs it already, the interval is the same."""
    name, table = "disparate_impact", selected((14, 70), (32, 80))
    alone = confidence_interval(table, name, **SHARED)
    nested = delayed(confidence_interval)(table, name, n_jobs=2, **SHARED)
    assert Parallel(n_jobs=2, backend=backend)([nested] * 2) == [alone] * 2


def test_the_context_of_joblib_holds(selected: Table) -> None:
    """None takes the number of workers of the context."""
    name, table = "disparate_impact", selected((14, 70), (32, 80))
    alone = confidence_interval(table, name, **SHARED)
    with parallel_config(n_jobs=2, backend="threading"):
        assert confidence_interval(table, name, **SHARED) == alone


def test_chunks_hold_few_numbers() -> None:
    """A chunk of tables is of some megabytes at most, and every table is in one."""
    for number, width in ((1, 1), (1000, 8), (2001, 8), (2000, 8000), (7, 10**9)):
        sizes = split_chunks(number, width)
        assert sum(sizes) == number
        assert max(sizes) * width <= max(2**18, width)


def test_a_shared_generator_moves_on(selected: Table) -> None:
    """Workers or not, a generator gives new tables each time, and the same ones as its twin."""
    table = selected((14, 70), (32, 80))
    draws = [
        bootstrap_values(table, "disparate_impact", n_jobs=n_jobs, random_state=rng).tolist()
        for rng in (np.random.default_rng(1), np.random.default_rng(1))
        for n_jobs in (None, 2)
    ]
    assert draws[:2] == draws[2:]
    assert draws[0] != draws[1]


def test_no_workers_are_refused(selected: Table) -> None:
    """Joblib says so, also of few tables."""
    with pytest.raises(ValueError, match=r"n_jobs == 0 in Parallel has no meaning"):
        bootstrap_values(selected((1, 2)), "selection_rate", n_resamples=3, n_jobs=0)


@pytest.mark.parametrize("number", [0, -1, 2.5, None])
def test_number_of_tables_is_refused(selected: Table, number: Any) -> None:
    """At least one, and whole."""
    message = rf"n_resamples must be a whole number of at least 1, got {number}\.$"
    with pytest.raises(ValueError, match=message):
        bootstrap_values(selected((1, 2)), "selection_rate", n_resamples=number)


def test_what_a_table_lacks_is_refused(selected: Table) -> None:
    """The measure says what it needs."""
    with pytest.raises(ValueError, match=r"accuracy needs y_true, which this table lacks\.$"):
        bootstrap_values(selected((1, 2)), "accuracy")


def test_undefined_measures_draw_nothing(errors: Table) -> None:
    """No interval, and the reason."""
    interval = confidence_interval(
        errors((1, 0, 3)), "true_positive_rate", method="bootstrap", random_state=0
    )
    assert isnan(interval.estimate)
    assert interval.note == "no positives"
    assert np.array_equal(interval.high, nan, equal_nan=True)


@pytest.mark.parametrize("pairs", [((9, 9), (5, 5)), ((1, 1), (0, 1))])
def test_tables_that_are_all_alike_say_nothing(selected: Table, pairs: Any) -> None:
    """Everyone alike, or one person a group: no width, and a note."""
    interval = confidence_interval(
        selected(*pairs),
        "statistical_parity_difference",
        method="bootstrap",
        random_state=0,
    )
    assert interval.width == 0
    assert interval.note == (
        "all drawn tables give the same value, which says nothing of the uncertainty"
    )
