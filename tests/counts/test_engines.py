"""The same people, counted by every engine that holds frames, give the same table.

Weights and scores are multiples of 1/8, so that sums are exact in any order and tables can be
compared to the last bit. ``SPARK_CONNECT=1`` runs Spark's rows through Spark Connect, which cannot
live in one process with the classic session.
"""

import datetime as dt
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.audit import Audit
from skfair_ofi.counts import adapt_frame

pytestmark = [
    # PySpark's word on pandas 3; only distinct rows reach pandas, and not through PySpark.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    # Ibis 12 calls DuckDB 2 by an old name.
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),
    # Sockets that PySpark and distributed leave for the interpreter's end to close.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

ROWS = 600
PARTITIONS = 3
CONNECT = bool(os.environ.get("SPARK_CONNECT"))
NAN = float("nan")

# Every kind of group: values, and the type that holds them.
GROUPS: dict[str, tuple[list[Any], pa.DataType]] = {
    "integer": ([1, 2, -3], pa.int64()),
    "integer_missing": ([1, 2, None], pa.int64()),
    "small": ([1, 2], pa.int8()),
    "large": ([2**53 + 1, 2**53, 2**62 + 1], pa.int64()),
    "large_missing": ([2**53 + 1, 2**53, None], pa.int64()),
    "string": (["a", "b", "", "é"], pa.string()),
    "string_missing": (["a", "nan", None], pa.string()),
    "boolean": ([True, False], pa.bool_()),
    "boolean_missing": ([True, False, None], pa.bool_()),
    "category": (["x", "y"], pa.dictionary(pa.int32(), pa.string())),
    "category_missing": (["x", "y", None], pa.dictionary(pa.int32(), pa.string())),
    "decimal": ([Decimal("1.50"), Decimal("10.00")], pa.decimal128(10, 2)),
    "decimal_missing": ([Decimal("1.50"), None], pa.decimal128(10, 2)),
    "float": ([0.1, 0.2, 0.5], pa.float64()),
    "float_missing": ([0.5, NAN, None], pa.float64()),
    "date": ([dt.date(2020, 1, 1), dt.date(1969, 2, 3)], pa.date32()),
    "date_missing": ([dt.date(2020, 1, 1), None], pa.date32()),
}


def _people() -> pa.Table:
    draw = np.random.default_rng(7).integers
    columns = {
        name: pa.array([values[i] for i in draw(0, len(values), ROWS)], kind)
        for name, (values, kind) in GROUPS.items()
    }
    for name in ("y_true", "y_pred", "y_corrected"):
        columns[name] = pa.array(draw(0, 2, ROWS))
    columns["hired"] = pa.array(draw(0, 2, ROWS).astype(bool))
    columns["unsure"] = pa.array([[0, 1, None][i] for i in draw(0, 3, ROWS)], pa.int64())
    columns["weight"] = pa.array(draw(0, 40, ROWS) / 8)
    columns["score"] = pa.array(draw(0, 9, ROWS) / 8)
    return pa.table(columns)


PEOPLE = _people()
CASES: dict[str, dict[str, Any]] = {
    **{name: {"sensitive_features": name, "y_pred": "y_pred"} for name in GROUPS},
    "three labels": {
        "sensitive_features": "string",
        "y_true": "y_true",
        "y_pred": "y_pred",
        "y_corrected": "y_corrected",
    },
    "several features": {
        "sensitive_features": ["string_missing", "integer_missing", "category"],
        "y_true": "y_true",
        "y_pred": "y_pred",
    },
    "boolean labels": {"sensitive_features": "category", "y_pred": "hired"},
    "string labels": {"sensitive_features": "integer", "y_pred": "category", "pos_label": "y"},
    "label is group": {"sensitive_features": "hired", "y_pred": "hired"},
    "weights": {"sensitive_features": "string", "y_pred": "y_pred", "sample_weight": "weight"},
    "scores": {"sensitive_features": "category_missing", "y_true": "y_true", "y_score": "score"},
    "weights and scores": {
        "sensitive_features": ["boolean", "large"],
        "y_true": "y_true",
        "y_pred": "y_pred",
        "y_score": "score",
        "sample_weight": "weight",
    },
}


def _used(case: dict[str, Any]) -> list[str]:
    names = [v for k, v in case.items() if k not in ("sensitive_features", "pos_label")]
    features = case["sensitive_features"]
    return list(dict.fromkeys([*names, *([features] if isinstance(features, str) else features)]))


def _plain(table: pa.Table) -> pa.Table:
    """Categories as text, for engines that have none."""
    columns = {
        name: column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


def _objects(table: pa.Table) -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series(table[name].to_pylist(), dtype=object) for name in table.column_names}
    )


def _arrow_types(kind: pa.DataType) -> Any:
    return None if pa.types.is_dictionary(kind) else pd.ArrowDtype(kind)


def _nullable(table: pa.Table) -> pd.DataFrame:
    kinds = {
        pa.int64(): pd.Int64Dtype(),
        pa.int8(): pd.Int8Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.string(): pd.StringDtype(),
        pa.float64(): pd.Float64Dtype(),
    }
    return table.to_pandas(types_mapper=kinds.get)


def _categories(table: pa.Table) -> pd.DataFrame:
    """Every column but numbers to sum is a category."""
    frame = _objects(table)
    names = [name for name in frame if name not in ("weight", "score")]
    return frame.astype(
        dict.fromkeys(names, "category")
        | dict.fromkeys([name for name in frame if name not in names], np.float64)
    )


def _ibis(table: pa.Table) -> Any:
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    database = ibis.duckdb.connect()
    relation = duckdb.from_arrow(_plain(table), connection=database.con)
    relation.create("people")
    return database.table("people")


EAGER: dict[str, Callable[[pa.Table], Any]] = {
    "pandas": _objects,
    "pandas with Arrow": lambda table: table.to_pandas(types_mapper=_arrow_types),
    "pandas nullable": _nullable,
    "pandas categories": _categories,
    "polars": pl.from_arrow,
    "pyarrow": lambda table: table,
}
LAZY: dict[str, Callable[[pa.Table], Any]] = {
    "polars lazy": lambda table: pl.from_arrow(table).lazy(),
    "pyarrow dataset": pads.dataset,
    "duckdb": duckdb.from_arrow,
    "ibis": _ibis,
}


def _spark_session() -> Any:
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Java is not installed")
    builder = sql.SparkSession.builder
    if CONNECT:
        pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
        builder = builder.remote("local[2]")
    else:
        builder = builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    if not CONNECT:
        session.sparkContext.setLogLevel("ERROR")
    return session


@pytest.fixture(scope="module")
def spark() -> Iterator[Callable[[pa.Table], Any]]:
    """PySpark on two threads of this machine, classic or Connect."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = _spark_session()
        yield lambda table: session.createDataFrame(_plain(table)).repartition(PARTITIONS)
        session.stop()


@pytest.fixture(scope="module")
def dask() -> Iterator[Callable[[pa.Table], Any]]:
    """Dask on two worker processes."""
    frames = pytest.importorskip("dask.dataframe", reason="dask is not installed")
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster),
    ):
        yield lambda table: frames.from_pandas(
            table.to_pandas(types_mapper=_arrow_types), npartitions=PARTITIONS
        )


@pytest.fixture(params=[*LAZY, "dask", "spark"], scope="module")
def lazy(request: pytest.FixtureRequest) -> Callable[[pa.Table], Any]:
    """Each engine that runs when it is asked."""
    made = LAZY.get(request.param)
    return made or request.getfixturevalue(request.param)


@pytest.fixture(params=[*EAGER, *LAZY, "dask", "spark"], scope="module")
def engine(request: pytest.FixtureRequest) -> Callable[[pa.Table], Any]:
    """Each engine."""
    made = {**EAGER, **LAZY}.get(request.param)
    return made or request.getfixturevalue(request.param)


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Rows of every result that an engine hands over, while the test runs."""
    found: list[int] = []
    collect = nw.LazyFrame.collect

    def listen(frame: Any, *args: Any, **options: Any) -> Any:
        result = collect(frame, *args, **options)
        found.append(len(result))
        return result

    monkeypatch.setattr(nw.LazyFrame, "collect", listen)
    return found


def count(frame: Any, case: dict[str, Any]) -> OutcomeCounts:
    """The table of a case, missing groups as a group."""
    return OutcomeCounts.from_frame(frame, missing_groups="group", **case)


@pytest.mark.parametrize("name", CASES)
def test_every_engine_fills_the_same_table(name: str, engine: Callable[[pa.Table], Any]) -> None:
    """Groups, their types, labels, counts and sums are the same to the last bit."""
    case = CASES[name]
    people = PEOPLE.select(_used(case))
    expected, found = count(people, case), count(engine(people), case)
    assert found == expected
    assert found.groups == expected.groups
    assert [type(key) for key in found.groups] == [type(key) for key in expected.groups]
    assert found.cells.dtype == expected.cells.dtype


@pytest.mark.parametrize("name", ["several features", "weights and scores"])
def test_rows_stay_in_the_engine(
    name: str, lazy: Callable[[pa.Table], Any], collected: list[int]
) -> None:
    """One query brings back the distinct rows of groups and labels and no others."""
    case = CASES[name]
    people = PEOPLE.select(_used(case))
    keys = [key for key in _used(case) if key not in ("weight", "score")]
    distinct = len({tuple(row.values()) for row in people.select(keys).to_pylist()})
    count(lazy(people), case)
    assert collected == [distinct]
    assert distinct < ROWS / 4


def test_an_audit_asks_once(lazy: Callable[[pa.Table], Any], collected: list[int]) -> None:
    """All criteria of an audit come from one query in the engine, with the same values."""
    audit = Audit(
        truth="y_true == 1",
        positive="y_pred == 1",
        groups=["string", "boolean"],
        score="score",
        legitimate="integer > 0",
    )
    people = PEOPLE.select(["y_true", "y_pred", "string", "boolean", "score", "integer"])
    found = [finding.value for finding in audit.run(lazy(people)).findings]
    assert len(collected) == 1
    assert collected[0] < ROWS
    np.testing.assert_array_equal(found, [f.value for f in audit.run(people).findings])


@pytest.mark.parametrize("name", ["decimal", "decimal_missing", "whole decimal"])
def test_an_audit_of_decimals(name: str, engine: Callable[[pa.Table], Any]) -> None:
    """Decimals are groups of audits in every engine, with the keys that tables have."""
    columns = {key: PEOPLE[key] for key in ("decimal", "decimal_missing", "y_pred")}
    whole = pa.array([Decimal(row % 3) for row in range(ROWS)], pa.decimal128(38, 0))
    people = pa.table({**columns, "whole decimal": whole}).select([name, "y_pred"])
    audit = Audit(positive="y_pred == 1", groups=[name], missing_groups="group")
    found, expected = (audit.run(frame).findings for frame in (engine(people), people))
    assert [(f.group, f.value) for f in found] == [(f.group, f.value) for f in expected]
    case = {"sensitive_features": name, "y_pred": "y_pred"}
    assert {f.group for f in found} <= set(count(people, case).groups)


def test_missing_labels_are_refused(engine: Callable[[pa.Table], Any]) -> None:
    """A missing label is an error in every engine, and never the unfavorable one."""
    people = PEOPLE.select(["string", "unsure"])
    missing = r"y_pred must not contain missing labels, got some\.$"
    with pytest.raises(ValueError, match=missing):
        count(engine(people), {"sensitive_features": "string", "y_pred": "unsure"})


@pytest.mark.parametrize("bad", [None, NAN])
def test_missing_weights_are_refused(bad: float | None, lazy: Callable[[pa.Table], Any]) -> None:
    """Engines skip missing numbers in sums, so they are counted and refused."""
    people = pa.table(
        {"g": ["a", "b", "b"], "y": [0, 1, 1], "w": pa.array([1.0, bad, 2.0], pa.float64())}
    )
    case = {"sensitive_features": "g", "y_pred": "y", "sample_weight": "w"}
    message = r"^sample_weight \(column 'w'\) must (not contain missing values|be finite), got"
    with pytest.raises(ValueError, match=message):
        count(lazy(people), case)


def test_infinite_scores_are_refused(lazy: Callable[[pa.Table], Any]) -> None:
    """An infinite score is refused, also where its weight is 0 and an engine skips the product."""
    people = pa.table({"g": ["a", "b"], "y": [0, 1], "w": [0.0, 1.0], "s": [float("inf"), 1.0]})
    case = {"sensitive_features": "g", "y_pred": "y", "sample_weight": "w", "y_score": "s"}
    with pytest.raises(
        ValueError, match=r"^y_score \(column 's'\) must be finite, got (a sum of )?(inf|nan)\.$"
    ):
        count(lazy(people), case)


def test_no_rows(lazy: Callable[[pa.Table], Any]) -> None:
    """A frame without rows is refused as such, with weights and scores and without."""
    people = lazy(PEOPLE.select(["string", "y_pred", "weight", "score"]))
    nobody = nw.from_native(adapt_frame(people)).filter(nw.col("y_pred") > 1).to_native()
    for more in ({}, {"sample_weight": "weight"}, {"y_score": "score"}):
        case = {"sensitive_features": "string", "y_pred": "y_pred", **more}
        with pytest.raises(ValueError, match=r"^\w+ must have at least one row, got none\.$"):
            count(nobody, case)


def reads_names() -> bool:
    """Return whether DuckDB takes a name as it is; old releases read it as SQL."""
    try:
        duckdb.sql('SELECT 1 AS "a.b"').select(duckdb.ColumnExpression("a.b"))
    except duckdb.Error:
        return False
    return True


def test_names_that_sql_reads_otherwise(engine: Callable[[pa.Table], Any]) -> None:
    """Dots, backticks, quotes and spaces are parts of names, in tables and in audits."""
    if engine in (duckdb.from_arrow, pads.dataset) and not reads_names():
        pytest.skip("this DuckDB reads names as SQL")
    people = PEOPLE.select(["string", "y_pred", "weight"])
    odd = people.rename_columns(["race.group", "the ye`s", 'w"'])
    case = {"sensitive_features": "string", "y_pred": "y_pred", "sample_weight": "weight"}
    named = {"sensitive_features": "race.group", "y_pred": "the ye`s", "sample_weight": 'w"'}
    assert count(engine(odd), named) == count(people, case)
    plain = odd.rename_columns(["race.group", "hired", "w`"])
    audit = Audit(positive="hired == 1", groups=["race.group"], weight="w`")
    found = [finding.value for finding in audit.run(engine(plain)).findings]
    assert found == [finding.value for finding in audit.run(plain).findings]


@pytest.mark.parametrize("name", ["G", "g"])
def test_names_that_differ_by_case(name: str, lazy: Callable[[pa.Table], Any]) -> None:
    """The column that was named is counted, or where case is ignored, names alike are refused."""
    people = pa.table({"G": ["a", "b"], "g": ["x", "y"], "y": [1, 0]})
    case = {"sensitive_features": name, "y_pred": "y"}
    try:
        found = count(lazy(people), case)
    except ValueError as error:
        assert re.search("differ in more than case|must be one of 'G', 'g_1'", str(error))  # noqa: PT017
    else:
        assert found == count(people, case)


def test_ibis_over_duckdb_ignores_case() -> None:
    """Names alike are refused by Ibis over DuckDB, which would count the wrong column."""
    ibis = pytest.importorskip("ibis", reason="ibis is not installed")
    frame = ibis.memtable(pa.table({"G": ["a", "b"], "g": ["x", "y"], "y": [1, 0]}))
    message = r"^Column names must differ in more than case for duckdb, got \['G', 'g'\]\.$"
    with pytest.raises(ValueError, match=message):
        count(frame, {"sensitive_features": "g", "y_pred": "y"})


def test_datasets_ignore_case() -> None:
    """Names alike in a dataset are refused before DuckDB gives one of them another name."""
    people = pa.table({"G": ["a", "b"], "g": ["x", "y"], "y": [1, 0]})
    message = r"^Column names must .* case for DuckDB, which reads datasets, got \['G', 'g'\]\.$"
    with pytest.raises(ValueError, match=message):
        count(pads.dataset(people), {"sensitive_features": "g", "y_pred": "y"})


_TWICE = pa.Table.from_arrays([pa.array(["a"]), pa.array([1]), pa.array([1])], ["g", "y", "y"])


@pytest.mark.parametrize("make", [lambda table: table, pads.dataset, pa.Table.to_pandas])
def test_a_name_that_stands_twice(make: Callable[[pa.Table], Any]) -> None:
    """Frames that can have one name twice are refused alike, by name."""
    message = r"^Column names must differ from one another, got \['y'\] twice\.$"
    with pytest.raises(ValueError, match=message):
        count(make(_TWICE), {"sensitive_features": "g", "y_pred": "y"})


@pytest.mark.usefixtures("dask")
def test_a_name_that_stands_twice_in_dask() -> None:
    """Dask can have one name twice, too."""
    frames = pytest.importorskip("dask.dataframe")
    frame = frames.from_pandas(_TWICE.to_pandas(), npartitions=1)
    with pytest.raises(ValueError, match=r"^Column names must .*, got \['y'\] twice\.$"):
        count(frame, {"sensitive_features": "g", "y_pred": "y"})


def test_a_name_that_stands_twice_in_spark(spark: Callable[[pa.Table], Any]) -> None:
    """Spark can have one name twice, too, for audits as for tables."""
    frame = spark(_TWICE.rename_columns(["g", "y", "z"])).toDF("g", "y", "y")
    message = r"^Column names must differ from one another, got \['y'\] twice\.$"
    with pytest.raises(ValueError, match=message):
        count(frame, {"sensitive_features": "g", "y_pred": "y"})
    with pytest.raises(ValueError, match=message):
        Audit(positive="y == 1", groups=["g"]).run(frame)


@pytest.mark.parametrize("make", [lambda table: table, pads.dataset, duckdb.from_arrow])
def test_lengths_of_time(make: Callable[[pa.Table], Any]) -> None:
    """Groups that are lengths of time come back as such, also from DuckDB's intervals."""
    lengths = [dt.timedelta(days=1), dt.timedelta(microseconds=5)]
    people = pa.table({"g": pa.array(lengths, pa.duration("us")), "y": [1, 0]})
    found = count(make(people), {"sensitive_features": "g", "y_pred": "y"})
    assert found.groups == tuple(sorted(lengths))


def test_months_are_refused() -> None:
    """Months differ in length, so an interval of some is no length of time."""
    people = duckdb.sql("SELECT INTERVAL 2 MONTH AS g, 1 AS y")
    with pytest.raises(ValueError, match=r"must hold plain values, .*: months differ in length\.$"):
        count(people, {"sensitive_features": "g", "y_pred": "y"})


def test_what_ibis_cannot_hand_over() -> None:
    """Lengths of time, which Ibis cannot read from DuckDB, are refused clearly."""
    people = pa.table({"g": pa.array([dt.timedelta(1)], pa.duration("us")), "y": [1]})
    with pytest.raises(ValueError, match=r"^frame must hold columns that can be handed over: "):
        count(_ibis(people), {"sensitive_features": "g", "y_pred": "y"})


def test_huge_integers_are_integers() -> None:
    """DuckDB hands its 128-bit integers over as decimals without places; they are integers."""
    people = duckdb.sql(f"SELECT {2**100}::HUGEINT AS g, 1 AS y")
    found = count(people, {"sensitive_features": "g", "y_pred": "y"})
    assert found.groups == (2**100,)
    assert type(found.groups[0]) is int


def test_a_record_batch_is_a_frame() -> None:
    """A batch of records of pyarrow counts as the table that it is of."""
    people = PEOPLE.select(_used(CASES["string"])).combine_chunks()
    assert count(people.to_batches()[0], CASES["string"]) == count(people, CASES["string"])


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            PEOPLE.to_reader(),
            r"got a RecordBatchReader: duckdb\.from_arrow\(reader\) makes one of it",
        ),
        (
            "people.csv",
            r"got 'people\.csv': duckdb\.read_parquet\(path\) and .* make one of a file",
        ),
        (Path("people.csv"), r"got 'people\.csv': duckdb\.read_parquet\(path\) and .* of a file"),
    ],
)
def test_what_has_to_be_opened(frame: Any, message: str) -> None:
    """A path and a reader are refused with a word on what opens them."""
    with pytest.raises(ValueError, match=rf"^frame must be a data frame, {message}\.$"):
        count(frame, CASES["string"])


def test_sums_of_small_floats_are_exact(lazy: Callable[[pa.Table], Any]) -> None:
    """32-bit scores are summed in 64 bits: 2**24 + 1 + 1 would lose its ones."""
    scores = pa.array([2.0**24, 1.0, 1.0], pa.float32())
    people = pa.table({"g": ["a", "a", "a"], "y": [1, 1, 1], "s": scores})
    table = count(lazy(people), {"sensitive_features": "g", "y_pred": "y", "y_score": "s"})
    assert table.score_sums is not None
    assert table.score_sums.sum() == 2**24 + 2


def test_counts_are_signed_and_wide(lazy: Callable[[pa.Table], Any]) -> None:
    """Counts are 64-bit whatever the engine counts in, and subtract without wrapping."""
    cells = count(lazy(PEOPLE.select(["string", "y_pred"])), CASES["string"]).cells
    assert cells.dtype == np.int64


def test_categories_nobody_has_are_no_groups() -> None:
    """Engines list unused categories or do not; the table has none."""
    frame = pd.DataFrame({"g": pd.Categorical(["a"], ["a", "z"]), "y": [1]})
    case = {"sensitive_features": "g", "y_pred": "y"}
    for each in (frame, pl.from_pandas(frame).lazy(), duckdb.from_df(frame)):
        assert count(each, case).groups == ("a",)


def test_polars_streams() -> None:
    """The streaming engine of polars gives the same table."""
    people = PEOPLE.select(_used(CASES["weights"]))
    with pl.Config() as config:
        if not hasattr(config, "set_engine_affinity"):
            pytest.skip("this polars has no choice of engine")
        config.set_engine_affinity("streaming")
        found = count(pl.from_arrow(people).lazy(), CASES["weights"])
    assert found == count(people, CASES["weights"])


@pytest.mark.usefixtures("dask")
def test_both_zeros_are_one_group_of_dask() -> None:
    """0.0 and -0.0 are one group, also among several Arrow columns in several partitions."""
    frames = pytest.importorskip("dask.dataframe")
    zeros = [0.0, -0.0, 1.5, -0.0, 2.5, 0.0] * 5
    people = pd.DataFrame(
        {
            "g": pd.Series(zeros, dtype=pd.ArrowDtype(pa.float64())),
            "h": list("ab") * 15,
            "y": [1, 0, 1, 0, 1, 0] * 5,
            "s": np.arange(30.0),
        }
    )
    case = {"sensitive_features": ["g", "h"], "y_true": "y", "y_pred": "y", "y_score": "s"}
    found = count(frames.from_pandas(people, npartitions=5), case)
    assert found == count(people, case)


@pytest.mark.usefixtures("dask")
def test_dask_makes_text_of_objects() -> None:
    """Dask reads booleans with missing values as text unless told, and labels then need a name."""
    frames = pytest.importorskip("dask.dataframe")
    from dask import config  # noqa: PLC0415 - may not be installed

    frame = _objects(pa.table({"g": [True, None, False], "y": [True, True, False]}))
    case = {"sensitive_features": "g", "y_pred": "y"}
    text = frames.from_pandas(frame, npartitions=2)
    with pytest.raises(ValueError, match="pos_label"):
        count(text, case)
    assert count(text, {**case, "pos_label": "True"}).groups == ("False", "True", None)
    typed = frame.astype("boolean")
    with config.set({"dataframe.convert-string": False}):
        found = count(frames.from_pandas(typed, npartitions=2), case)
    assert found.groups == (False, True, None)


def test_batches_of_any_engine_add_up(engine: Callable[[pa.Table], Any]) -> None:
    """Tables of slices, each counted in the engine, sum to the table of all."""
    case = CASES["three labels"]
    people = PEOPLE.select(_used(case))
    parts = [people.slice(0, 250), people.slice(250)]
    assert sum(count(engine(part), case) for part in parts) == count(people, case)
