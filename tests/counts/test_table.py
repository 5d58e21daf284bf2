"""The table: filling, merging, reshaping, and writing down."""

import json
import pickle
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy.sparse import csr_matrix

from skfair_ofi import OutcomeCounts

Y_TRUE = [1, 0, 1, 1, 0, 0, 1]
Y_PRED = [1, 1, 0, 1, 0, 1, 1]
Y_CORRECTED = [0, 1, 0, 1, 1, 1, 1]
GROUP = ["b", "a", "a", "b", "a", "b", "b"]
SEX = ["f", "m", "f", "m", "f", "m", "f"]
WEIGHT = [1.0, 2.0, 3.0, 1.0, 2.0, 1.0, 2.0]
SCORE = [0.9, 0.6, 0.4, 0.8, 0.1, 0.7, 0.5]

COLUMNS = {
    "y_true": Y_TRUE,
    "y_pred": Y_PRED,
    "y_corrected": Y_CORRECTED,
    "group": GROUP,
    "sex": SEX,
    "weight": WEIGHT,
    "score": SCORE,
}


def pandas_numpy(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Frame of NumPy columns, strings as objects."""
    return pd.DataFrame({name: np.array(values) for name, values in columns.items()}).astype(
        {name: object for name, values in columns.items() if isinstance(values[0], str)}
    )


def pandas_nullable(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Frame of pandas' nullable columns."""
    return pd.DataFrame(columns).convert_dtypes()


def pandas_arrow(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Frame of Arrow columns in pandas."""
    return pd.DataFrame(columns).convert_dtypes(dtype_backend="pyarrow")


def pandas_category(columns: dict[str, list[Any]]) -> pd.DataFrame:
    """Frame whose groups are categories, one of them unused."""
    frame = pd.DataFrame(columns)
    kind = pd.CategoricalDtype(["z", "b", "a"])
    return frame.assign(group=pd.Categorical(frame["group"], dtype=kind))


def polars_eager(columns: dict[str, list[Any]]) -> Any:
    """Polars DataFrame."""
    return pytest.importorskip("polars").DataFrame(columns)


def polars_category(columns: dict[str, list[Any]]) -> Any:
    """Polars DataFrame whose groups are Categorical."""
    polars = pytest.importorskip("polars")
    return polars.DataFrame(columns).with_columns(polars.col("group").cast(polars.Categorical))


def polars_lazy(columns: dict[str, list[Any]]) -> Any:
    """Polars LazyFrame."""
    return polars_eager(columns).lazy()


def arrow(columns: dict[str, list[Any]]) -> Any:
    """Arrow table."""
    return pytest.importorskip("pyarrow").table(columns)


def arrow_chunks(columns: dict[str, list[Any]]) -> Any:
    """Arrow table in chunks, its groups encoded as a dictionary in each."""
    pyarrow = pytest.importorskip("pyarrow")
    halves = [
        pyarrow.table({name: values[part] for name, values in columns.items()})
        for part in (slice(3), slice(3, None))
    ]
    encoded = [
        half.set_column(
            half.column_names.index("group"), "group", half.column("group").dictionary_encode()
        )
        for half in halves
    ]
    return pyarrow.concat_tables(encoded)


def duckdb_relation(columns: dict[str, list[Any]]) -> Any:
    """DuckDB relation."""
    duckdb = pytest.importorskip("duckdb")
    table = arrow(columns)
    return duckdb.from_arrow(table)


FRAMES = [
    pandas_numpy,
    pandas_nullable,
    pandas_arrow,
    pandas_category,
    polars_eager,
    polars_category,
    polars_lazy,
    arrow,
    arrow_chunks,
    duckdb_relation,
]


@pytest.fixture(params=FRAMES, ids=lambda make: make.__name__)
def make_frame(request: pytest.FixtureRequest) -> Callable[[dict[str, list[Any]]], Any]:
    """Maker of a frame of each kind."""
    return request.param


@pytest.fixture
def table() -> OutcomeCounts:
    """The example, counted by everything."""
    return OutcomeCounts.from_arrays(
        Y_TRUE,
        Y_PRED,
        Y_CORRECTED,
        sensitive_features=GROUP,
        y_score=SCORE,
        sample_weight=WEIGHT,
    )


def test_cells_are_counted_by_hand() -> None:
    """Each cell holds the people with its group and labels."""
    table = OutcomeCounts.from_arrays(Y_TRUE, Y_PRED, Y_CORRECTED, sensitive_features=GROUP)
    assert table.groups == ("a", "b")
    assert table.n == 7
    assert table.cells.dtype == np.int64
    expected = np.zeros((2, 2, 2, 2), dtype=int)
    for group, true, pred, corrected in zip(GROUP, Y_TRUE, Y_PRED, Y_CORRECTED, strict=True):
        expected["ab".index(group), true, pred, corrected] += 1
    assert table.cells.tolist() == expected.tolist()


def test_sums_are_counted_by_hand(table: OutcomeCounts) -> None:
    """Weights, squared weights, and weighted scores are summed in each cell."""
    expected = {name: np.zeros((2, 2, 2, 2)) for name in ("w", "ww", "ws", "wss")}
    rows = zip(GROUP, Y_TRUE, Y_PRED, Y_CORRECTED, WEIGHT, SCORE, strict=True)
    for group, true, pred, corrected, w, s in rows:
        for name, value in (("w", w), ("ww", w * w), ("ws", w * s), ("wss", w * s * s)):
            expected[name]["ab".index(group), true, pred, corrected] += value
    assert table.cells == pytest.approx(expected["w"])
    assert table.weight_squares == pytest.approx(expected["ww"])
    assert table.score_sums == pytest.approx(expected["ws"])
    assert table.score_squares == pytest.approx(expected["wss"])


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("score", [None, "score"])
@pytest.mark.parametrize("features", ["group", ["group", "sex"]])
def test_every_frame_gives_the_table_of_arrays(
    make_frame: Callable[..., Any], features: str | list[str], score: str | None, weight: str | None
) -> None:
    """Eager or lazy, every library's frame gives the table that lists give."""
    names = [features] if isinstance(features, str) else features
    expected = OutcomeCounts.from_arrays(
        Y_TRUE,
        Y_PRED,
        Y_CORRECTED,
        sensitive_features={name: COLUMNS[name] for name in names},
        y_score=SCORE if score else None,
        sample_weight=WEIGHT if weight else None,
    )
    found = OutcomeCounts.from_frame(
        make_frame(COLUMNS),
        sensitive_features=features,
        y_true="y_true",
        y_pred="y_pred",
        y_corrected="y_corrected",
        y_score=score,
        sample_weight=weight,
    )
    assert found.groups == expected.groups
    assert found.labels == expected.labels == (0, 1)
    assert np.array_equal(found.cells, expected.cells)
    assert found.cells.dtype == expected.cells.dtype
    for name in ("score_sums", "score_squares", "weight_squares"):
        left, right = getattr(found, name), getattr(expected, name)
        assert (left is None) == (right is None)
        assert left is None or left == pytest.approx(right)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([0, 1], None),
        ([False, True], None),
        ([-1, 1], None),
        ([0.0, 1.0], None),
        (["no", "yes"], "yes"),
        ([2, 1], 1),
        ([1, 1000], 1000),
        ([1.5, 2.5], 2.5),
    ],
)
def test_labels_of_any_type(
    make_frame: Callable[..., Any], labels: list[Any], pos_label: Any
) -> None:
    """Labels of any type give the same cells, in every library."""
    columns = COLUMNS | {
        "y_true": [labels[i] for i in Y_TRUE],
        "y_pred": [labels[i] for i in Y_PRED],
    }
    found = OutcomeCounts.from_frame(
        make_frame(columns),
        sensitive_features="group",
        y_true="y_true",
        y_pred="y_pred",
        pos_label=pos_label,
    )
    assert found.cells[..., 0].tolist() == [[[1, 1], [1, 0]], [[0, 1], [0, 3]]]
    assert list(found.labels) == labels


@pytest.mark.parametrize("group", [[1, 2], [1.5, 2.5], [False, True], ["1", "2"], [10**12, 10**15]])
def test_groups_of_any_type(make_frame: Callable[..., Any], group: list[Any]) -> None:
    """Group keys come back as plain Python values of their own type."""
    columns = COLUMNS | {"sex": [group[key == "b"] for key in GROUP]}
    found = OutcomeCounts.from_frame(make_frame(columns), sensitive_features="sex", y_pred="y_pred")
    assert list(found.groups) == group
    assert [type(key) for key in found.groups] == [type(key) for key in group]
    assert found.group_sizes.tolist() == [3, 4]


@pytest.mark.parametrize("group", [["a", "b", None, "b"], [1, 2, None, 2]])
@pytest.mark.parametrize("kind", [make for make in FRAMES if "category" not in make.__name__])
def test_missing_groups(kind: Callable[..., Any], group: list[Any]) -> None:
    """A missing group is an error, left out with a warning, or a group, in every library."""
    frame = kind({"group": group, "y_pred": [1, 1, 0, 1]})
    with pytest.raises(
        ValueError,
        match=r"^sensitive_features must not contain missing values, got 1 missing in 4 rows\. "
        r'Pass missing_groups="drop" or missing_groups="group" to leave them out or to count them '
        r"as a group\.$",
    ):
        OutcomeCounts.from_frame(frame, sensitive_features="group", y_pred="y_pred")
    counted = OutcomeCounts.from_frame(
        frame, sensitive_features="group", y_pred="y_pred", missing_groups="group"
    )
    assert counted.groups == (*group[:2], None)
    assert counted.group_sizes.tolist() == [1, 2, 1]
    with pytest.warns(UserWarning, match=r"^1 rows with a missing group are left out\.$"):
        dropped = OutcomeCounts.from_frame(
            frame, sensitive_features="group", y_pred="y_pred", missing_groups="drop"
        )
    assert dropped.groups == tuple(group[:2])
    assert dropped.n == 3
    assert dropped == counted.pick(*group[:2])


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, np.nan])
def test_every_missing_value_is_one_group(missing: Any) -> None:
    """None, NaN, NA and NaT are the same missing group; the text "nan" is not."""
    table = OutcomeCounts.from_arrays(
        y_pred=[1, 0, 1], sensitive_features=["nan", missing, None], missing_groups="group"
    )
    assert table.groups == ("nan", None)
    assert table.group_sizes.tolist() == [1, 2]


def test_missing_part_of_a_crossed_group() -> None:
    """A crossed group with a missing part is missing, and keeps its known part where counted."""
    features = {"race": ["a", "a", None], "sex": ["m", None, None]}
    with pytest.raises(
        ValueError, match=r"got 2 missing in 3 rows\. .* to count them as a group\.$"
    ):
        OutcomeCounts.from_arrays(y_pred=[1, 0, 1], sensitive_features=features)
    table = OutcomeCounts.from_arrays(
        y_pred=[1, 0, 1], sensitive_features=features, missing_groups="group"
    )
    assert table.groups == (("a", "m"), ("a", None), (None, None))


def test_crossed_groups_never_collide() -> None:
    """Rows ('a,b', 'c') and ('a', 'b,c') are two groups, however the columns are given."""
    left, right = ["a,b", "a"], ["c", "b,c"]
    tuples = list(zip(left, right, strict=True))
    ways = [
        {"left": left, "right": right},
        pd.DataFrame({"left": left, "right": right}),
        np.array([left, right], dtype=object).T,
        [list(pair) for pair in tuples],
        tuples,
        pd.Series(tuples),
    ]
    tables = [OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=way) for way in ways]
    assert all(table.groups == (("a", "b,c"), ("a,b", "c")) for table in tables)
    assert all(table == tables[0] for table in tables)
    assert tables[1].feature_names == ("left", "right")


def test_one_column_of_a_frame_gives_plain_keys() -> None:
    """A frame with one column gives its values as keys, and its name as the feature's."""
    frame = pd.DataFrame({"race": ["x", "y"]})
    table = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=frame)
    assert table.groups == ("x", "y")
    assert table.feature_names == ("race",)


def test_integer_text_and_number_are_two_groups() -> None:
    """The number 1 and the text "1" are two groups, kept in order of appearance."""
    table = OutcomeCounts.from_arrays(y_pred=[1, 0, 1], sensitive_features=["1", 1, "1"])
    assert table.groups == ("1", 1)
    assert table.group_sizes.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"y_pred": [1, 0], "sensitive_features": ["a"]},
            r"^Arrays must have the same number of rows, got sensitive_features 1, y_pred 2\.$",
        ),
        (
            {"sensitive_features": ["a"]},
            r"^At least one of y_true, y_pred, y_corrected, y_score must be given\.$",
        ),
        (
            {"y_pred": [], "sensitive_features": []},
            r"^y_pred must have at least one row, got none\.$",
        ),
        (
            {"y_pred": [0, 1, 2], "sensitive_features": ["a"] * 3},
            r"^Labels must be two, got 3: y_pred has \[0, 1, 2\]\.$",
        ),
        (
            {"y_pred": ["y", "n"], "sensitive_features": ["a", "b"]},
            (
                r"^pos_label must be given for the labels \['n', 'y'\]: pass the label that is the "
                r"favorable outcome, pos_label=.*\.$"
            ),
        ),
        (
            {"y_pred": ["y", "n"], "sensitive_features": ["a", "b"], "pos_label": "Y"},
            r"^pos_label must be one of the labels \['y', 'n'\], got 'Y'\.$",
        ),
        (
            {"y_pred": ["1", "1"], "sensitive_features": ["a", "b"], "pos_label": 1},
            r"^pos_label must be of the labels' type \['1'\], got 1\.$",
        ),
        (
            {"y_pred": [0, None], "sensitive_features": ["a", "b"]},
            r"^y_pred must not contain missing labels, got some\.$",
        ),
        (
            {"y_pred": [0.0, np.nan], "sensitive_features": ["a", "b"]},
            r"^y_pred must not contain missing labels, got some\.$",
        ),
        (
            {"y_pred": np.linspace(0, 1, 99), "sensitive_features": ["a"] * 99},
            r"^y_pred must hold two labels, got 99: \[0\.0, .*, \.\.\. \(99 in all\)\]\.$",
        ),
        (
            {"y_pred": [0, 1], "sensitive_features": ["a", "b"], "sample_weight": [1, -1]},
            r"^sample_weight must not be negative, got -1\.0\.$",
        ),
        (
            {"y_pred": [0, 1], "sensitive_features": ["a", "b"], "sample_weight": [1, np.inf]},
            r"^sample_weight must be finite, got inf at row 1\.$",
        ),
        (
            {"y_pred": [0, 1], "sensitive_features": ["a", "b"], "sample_weight": [0, 0]},
            r"^At least one row must have a known group and a positive weight, got none\.$",
        ),
        (
            {"y_pred": [0, 1], "sensitive_features": ["a", "b"], "y_score": ["x", "y"]},
            r"^y_score must hold numbers, got could not convert string to float: .*'x'.*\.$",
        ),
        (
            {"y_pred": [[0, 1], [1, 0]], "sensitive_features": ["a", "b"]},
            r"^y_pred must hold hashable values, got unhashable type: 'list'\.$",
        ),
        (
            {"y_pred": np.eye(2), "sensitive_features": ["a", "b"]},
            r"^y_pred must be one-dimensional, got an array of shape \(2, 2\)\.$",
        ),
        (
            {"y_pred": "01", "sensitive_features": ["a", "b"]},
            r"^y_pred must be a one-dimensional array-like, got '01'\.$",
        ),
        (
            {"y_pred": [0, 1], "sensitive_features": {"x": ["a", "b"], "y": ["a"]}},
            r"^sensitive_features must have columns of one length, got \[2, 1\]\.$",
        ),
        (
            {"y_pred": [0, 1], "sensitive_features": {}},
            r"^sensitive_features must have at least one column, got none\.$",
        ),
        (
            {"y_pred": [0, 1], "sensitive_features": ["a", "b"], "missing_groups": "dorp"},
            (
                r"^missing_groups must be one of 'error', 'drop', 'group', got 'dorp'\. "
                r"Did you mean 'drop'\?$"
            ),
        ),
    ],
)
def test_unusable_arrays(arguments: dict[str, Any], message: str) -> None:
    """Unusable input is refused with the parameter and the value in the message."""
    with pytest.raises(ValueError, match=message):
        OutcomeCounts.from_arrays(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"sensitive_features": "grup", "y_pred": "y_pred"},
            r"^sensitive_features must be one of .*, got 'grup'\. Did you mean 'group'\?$",
        ),
        ({"sensitive_features": "group", "y_pred": "x"}, r"^y_pred must be one of .*, got 'x'\.$"),
        (
            {"sensitive_features": [], "y_pred": "y_pred"},
            r"^sensitive_features must name at least one column, got none\.$",
        ),
        (
            {"sensitive_features": "group"},
            r"^At least one of y_true, y_pred, y_corrected, y_score must be given\.$",
        ),
    ],
)
def test_unusable_frames(
    make_frame: Callable[..., Any], arguments: dict[str, Any], message: str
) -> None:
    """A column that is not there is named, with the nearest one."""
    with pytest.raises(ValueError, match=message):
        OutcomeCounts.from_frame(make_frame(COLUMNS), **arguments)


def test_not_a_frame() -> None:
    """Anything but a frame is refused by its type."""
    with pytest.raises(ValueError, match=r"^frame must be a data frame, got list\.$"):
        OutcomeCounts.from_frame([1], sensitive_features="a", y_pred="b")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [polars_lazy, duckdb_relation])
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, None], r"must not contain missing values, got 1 missing\.$"),
        ([1.0, -2.0], r"must not be negative, got -2\.0\.$"),
        ([1.0, float("inf")], r"must be finite, got a sum of inf\.$"),
    ],
)
def test_lazy_weights_are_checked(
    kind: Callable[..., Any], weight: list[Any], message: str
) -> None:
    """What an engine's sum would swallow is refused, by the parameter and the column."""
    frame = kind({"group": ["a", "a"], "y_pred": [1, 1], "weight": weight})
    with pytest.raises(ValueError, match=rf"^sample_weight \(column 'weight'\) {message}"):
        OutcomeCounts.from_frame(
            frame, sensitive_features="group", y_pred="y_pred", sample_weight="weight"
        )


def test_more_rows_than_a_block() -> None:
    """Rows past the first block are counted as well, whatever the codes' width."""
    rng = np.random.default_rng(0)
    for n_groups in (3, 500):
        group = rng.integers(0, n_groups, 150_000)
        label = rng.integers(0, 2, 150_000)
        table = OutcomeCounts.from_arrays(label, 1 - label, sensitive_features=group)
        expected = np.zeros((n_groups, 2, 2), dtype=int)
        np.add.at(expected, (group, label, 1 - label), 1)
        assert np.array_equal(table.cells[..., 0], expected)


@pytest.mark.parametrize("n_objects", [2, 5000])
def test_strings_that_are_one_object_or_many(n_objects: int) -> None:
    """Equal strings are one group, whether they are one object in memory or many."""
    texts = ["".join(["gr", str(i % 2)]) for i in range(n_objects)]
    table = OutcomeCounts.from_arrays(y_pred=[1] * n_objects, sensitive_features=texts)
    assert table.groups == ("gr0", "gr1")
    assert table.group_sizes.tolist() == [n_objects / 2] * 2


outcomes = st.lists(
    st.tuples(st.sampled_from("abc"), *[st.integers(0, 1)] * 3, st.integers(1, 4)),
    min_size=1,
    max_size=40,
)


def count(rows: list[tuple[Any, ...]], *, weighted: bool = False) -> OutcomeCounts:
    """Table of rows (group, true, predicted, corrected, weight)."""
    group, true, pred, corrected, weight = (list(column) for column in zip(*rows, strict=True))
    return OutcomeCounts.from_arrays(
        true,
        pred,
        corrected,
        sensitive_features=group,
        sample_weight=weight if weighted else None,
    )


@given(outcomes, st.integers(0, 40))
@settings(max_examples=60, deadline=None)
def test_splitting_and_adding(rows: list[tuple[Any, ...]], cut: int) -> None:
    """Tables of the parts add up to the table of the whole, in any order."""
    parts = [count(part) for part in (rows[:cut], rows[cut:]) if part]
    assert sum(parts) == count(rows)
    assert sum(reversed(parts)) == count(rows)


@given(outcomes, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_order_does_not_matter(rows: list[tuple[Any, ...]], random: Any) -> None:
    """Shuffled rows give the same table."""
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert count(shuffled) == count(rows)


@given(outcomes)
@settings(max_examples=40, deadline=None)
def test_weights_are_repeated_rows(rows: list[tuple[Any, ...]]) -> None:
    """Whole weights count as many rows."""
    repeated = [row for row in rows for _ in range(row[-1])]
    weighted = count(rows, weighted=True)
    assert weighted.groups == count(repeated).groups
    assert np.array_equal(weighted.cells, count(repeated).cells)


@given(outcomes)
@settings(max_examples=40, deadline=None)
def test_swapping_labels_mirrors_the_cells(rows: list[tuple[Any, ...]]) -> None:
    """Swapped labels swap every axis of labels."""
    swapped = [(g, 1 - t, 1 - p, 1 - c, w) for g, t, p, c, w in rows]
    assert np.array_equal(count(swapped).cells, count(rows).cells[:, ::-1, ::-1, ::-1])


@given(outcomes)
@settings(max_examples=40, deadline=None)
def test_json_round_trip(rows: list[tuple[Any, ...]]) -> None:
    """A table read back from JSON is the same, weights and scores included."""
    group, true, pred, corrected, weight = (list(column) for column in zip(*rows, strict=True))
    table = OutcomeCounts.from_arrays(
        true,
        pred,
        corrected,
        sensitive_features=group,
        sample_weight=[w / 3 for w in weight],
        y_score=[w / 7 for w in weight],
    )
    text = json.dumps(table.to_dict(), allow_nan=False)
    back = OutcomeCounts.from_dict(json.loads(text))
    assert back == table
    assert back.cells.dtype == table.cells.dtype


def test_json_keeps_keys_of_every_kind() -> None:
    """Text, numbers, booleans, tuples and the missing group survive JSON with their type."""
    groups = ["a", 1, 2.5, None, ("x", None), True and "True", -3]
    table = OutcomeCounts(groups, np.ones((7, 1, 2, 1), dtype=int), labels=("no", "yes"))
    back = OutcomeCounts.from_dict(json.loads(json.dumps(table.to_dict())))
    assert back.groups == table.groups
    assert [type(key) for key in back.groups] == [type(key) for key in table.groups]
    assert back.labels == ("no", "yes")


def test_a_key_that_json_cannot_hold() -> None:
    """A key of another type is named."""
    table = OutcomeCounts([Fraction(1, 2)], np.ones((1, 1, 2, 1), dtype=int))
    with pytest.raises(
        TypeError,
        match=r"^Group keys and labels must be .*, bool or None, got Fraction\(1, 2\)\.$",
    ):
        table.to_dict()


def test_unknown_key_in_a_dictionary() -> None:
    """A dictionary with a key too many is refused, so that nothing is lost."""
    data = OutcomeCounts(["a"], np.ones((1, 1, 2, 1), dtype=int)).to_dict()
    with pytest.raises(
        ValueError, match=r"^data must have the keys \[.*\], got \[.*'extra'.*\]\.$"
    ):
        OutcomeCounts.from_dict(data | {"extra": 1})


def test_records_round_trip() -> None:
    """Records read back give the same table."""
    table = OutcomeCounts.from_arrays(Y_TRUE, Y_PRED, sensitive_features=GROUP)
    assert OutcomeCounts.from_records(table.to_records()) == table
    assert table.to_frame()["count"].sum() == 7


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], r"^records must have at least one record, got none\.$"),
        (
            [{"y_pred": 1}],
            (
                r"^records must have the keys group, count and the same of y_true, y_pred, "
                r"y_corrected, got \{'y_pred': 1\}\.$"
            ),
        ),
        (
            [{"group": "a", "y_pred": 1}, {"group": "a", "y_true": 1}],
            r"^records must have the keys .*, got \{'group': 'a', 'y_true': 1\}\.$",
        ),
        (
            [{"group": "a", "y_pred": 1, "count": -1}],
            r"^count must be finite and not negative, got -1\.$",
        ),
    ],
)
def test_unusable_records(records: list[dict[str, Any]], message: str) -> None:
    """Records that do not fit are refused."""
    with pytest.raises(ValueError, match=message):
        OutcomeCounts.from_records(records)


def test_over_pooled_pick(table: OutcomeCounts) -> None:
    """Reshaping sums what is left out, and keeps the total where nothing is."""
    assert table.over("y_pred").cells.shape == (2, 1, 2, 1)
    assert table.over("y_pred").n == table.n == 12
    assert table.pooled().groups == ("all",)
    assert np.array_equal(table.pooled().cells[0], table.cells.sum(axis=0))
    assert table.pick("b").n + table.pick("a").n == table.n
    assert table.pick("b", "a").groups == ("b", "a")
    assert table.pick("b", "a") == table


def test_before_and_after(table: OutcomeCounts) -> None:
    """Before is truth against prediction, after is truth against correction in its place."""
    after = OutcomeCounts.from_arrays(
        Y_TRUE, Y_CORRECTED, sensitive_features=GROUP, y_score=SCORE, sample_weight=WEIGHT
    )
    assert table.after.roles == ("y_true", "y_pred")
    assert np.allclose(table.after.cells, after.cells)
    before = OutcomeCounts.from_arrays(
        Y_TRUE, Y_PRED, sensitive_features=GROUP, y_score=SCORE, sample_weight=WEIGHT
    )
    assert np.allclose(table.before.cells, before.cells)


def test_after_without_truth() -> None:
    """Without true labels, before and after count what there is."""
    table = OutcomeCounts.from_arrays(None, Y_PRED, Y_CORRECTED, sensitive_features=GROUP)
    assert table.before == OutcomeCounts.from_arrays(None, Y_PRED, sensitive_features=GROUP)
    assert table.after == OutcomeCounts.from_arrays(None, Y_CORRECTED, sensitive_features=GROUP)


def test_after_without_correction() -> None:
    """An after table needs corrected labels."""
    table = OutcomeCounts.from_arrays(Y_TRUE, Y_PRED, sensitive_features=GROUP)
    with pytest.raises(
        ValueError,
        match=r"^y_corrected must be counted for .*, got roles \('y_true', 'y_pred'\)\.$",
    ):
        _ = table.after


def test_against_rest() -> None:
    """Everyone else is one group, which stands first."""
    table = OutcomeCounts.from_arrays(y_pred=[1, 0, 1, 1], sensitive_features=list("abcc"))
    two = table.against_rest("c")
    assert two.groups == ("rest", "c")
    assert two.group_sizes.tolist() == [2, 2]
    renamed = table.merge_groups({"a": "rest"}).against_rest("rest")
    assert renamed.groups == ("everyone else", "rest")


def test_against_nobody() -> None:
    """The only group has no rest."""
    table = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=["a", "a"])
    with pytest.raises(
        ValueError, match=r"^group must leave someone in the rest, got the only group 'a'\.$"
    ):
        table.against_rest("a")


def test_merge_groups(table: OutcomeCounts) -> None:
    """Merged groups add up, and others stay."""
    merged = table.merge_groups({"a": "z", "b": "z"})
    assert merged.groups == ("z",)
    assert np.array_equal(merged.cells, table.pooled().cells)
    with pytest.raises(ValueError, match=r"^mapping must be one of 'a', 'b', got 'q'\.$"):
        table.merge_groups({"q": "z"})


def test_reindex(table: OutcomeCounts) -> None:
    """A group that nobody is in gets an empty row; no group is lost."""
    wide = table.reindex(["c", "b", "a"])
    assert wide.group_sizes.tolist() == [0, 6, 6] or wide.group_sizes[0] == 0
    assert wide.pick("a", "b") == table
    with pytest.raises(
        ValueError, match=r"^groups must hold all groups of the table, got none for \['b'\]\.$"
    ):
        table.reindex(["a"])


def test_unknown_names(table: OutcomeCounts) -> None:
    """A group or label that the table lacks is named."""
    with pytest.raises(ValueError, match=r"^groups must be one of 'a', 'b', got 'c'\.$"):
        table.pick("c")
    with pytest.raises(
        ValueError,
        match=r"^roles must be one of 'y_true', 'y_pred', 'y_corrected', got 'y_score'\. "
        r"Did you mean 'y_corrected'\?$",
    ):
        table.over("y_score")


def test_adding_what_does_not_fit(table: OutcomeCounts) -> None:
    """Tables of other labels, roles or sums are not added."""
    plain = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=["a", "b"])
    named = OutcomeCounts.from_arrays(
        y_pred=["y", "n"], sensitive_features=["a", "b"], pos_label="y"
    )
    with pytest.raises(
        ValueError, match=r"^Tables must have the same labels, got \(0, 1\) and \('n', 'y'\)\.$"
    ):
        _ = plain + named
    with pytest.raises(
        ValueError,
        match=r"^Tables must count the same labels, got \('y_pred',\) and "
        r"\('y_true', 'y_pred', 'y_corrected'\)\.$",
    ):
        _ = plain + table
    scored = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=["a", "b"], y_score=[1, 2])
    with pytest.raises(
        ValueError,
        match=r"^Tables must both have scores, or neither, got one with and one without\.$",
    ):
        _ = plain + scored
    with pytest.raises(TypeError, match=r"unsupported operand type"):
        _ = plain + 1


def test_a_batch_without_unfavorable_labels_still_adds() -> None:
    """A batch that shows only the favorable label takes the other's unfavorable one."""
    first = OutcomeCounts.from_arrays(y_pred=[1, 1], sensitive_features=["a", "b"])
    second = OutcomeCounts.from_arrays(y_pred=[-1, 1], sensitive_features=["a", "b"])
    assert (first + second).labels == (second + first).labels == (-1, 1)
    named = OutcomeCounts.from_arrays(y_pred=["y"], sensitive_features=["a"], pos_label="y")
    both = OutcomeCounts.from_arrays(
        y_pred=["n", "y"], sensitive_features=list("ab"), pos_label="y"
    )
    assert (named + both).labels == ("n", "y")


def test_weighted_and_unweighted_people_add() -> None:
    """People without weights weigh 1 where they meet weighted ones."""
    plain = OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=["a", "b"])
    heavy = OutcomeCounts.from_arrays(
        y_pred=[1, 0], sensitive_features=["a", "b"], sample_weight=[2, 0.5]
    )
    total = plain + heavy
    assert total.cells.ravel().tolist() == [0, 3, 1.5, 0]
    assert total.weight_squares is not None
    assert total.weight_squares.ravel().tolist() == [0, 5, 1.25, 0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (["a"], np.ones((2, 2, 2, 2))),
            (
                r"^cells must have shape \(n_groups, 2 or 1, 2 or 1, 2 or 1\) with n_groups = 1, "
                r"got \(2, 2, 2, 2\)\.$"
            ),
        ),
        ((["a"], np.ones((1, 3, 2, 2))), r"got \(1, 3, 2, 2\)\.$"),
        ((["a", "a"], np.ones((2, 2, 2, 2))), r"^groups must differ .*, got \('a', 'a'\)\.$"),
        ((["a"], -np.ones((1, 1, 2, 1))), r"^cells must not be negative, got -1\.0\.$"),
        (
            (["a"], np.full((1, 1, 2, 1), np.nan)),
            r"^cells must be finite, got nan\.$",
        ),
        ((["a"], np.full((1, 1, 2, 1), "x")), r"^cells must hold numbers, got dtype <U1\.$"),
    ],
)
def test_unusable_cells(arguments: tuple[Any, Any], message: str) -> None:
    """Cells that cannot be counts are refused."""
    with pytest.raises(ValueError, match=message):
        OutcomeCounts(*arguments)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sample_weight": [1e308, 1e308]}, r"^cells must have a finite sum, got inf\.$"),
        (
            {"sample_weight": [1e200, 1.0]},
            r"^weight_squares must be finite, and with it the squares of sample_weight, got inf\.$",
        ),
        (
            {"y_score": [1e200, 1.0]},
            r"^score_squares must be finite, and with it the squares of y_score, got inf\.$",
        ),
        (
            {"y_score": [1e200, 1.0], "sample_weight": [1e150, 1.0]},
            r"^score_sums must be finite, and with it y_score, got inf\.$",
        ),
    ],
    ids=["sum of weights", "squares of weights", "squares of scores", "scores with weights"],
)
def test_sums_that_overflow(given: dict[str, Any], message: str) -> None:
    """What no float holds is refused, and is no infinite number of people."""
    with pytest.raises(ValueError, match=message):
        OutcomeCounts.from_arrays(y_pred=[0, 1], sensitive_features=["a", "b"], **given)


def test_counts_that_overflow() -> None:
    """Whole counts of 2**63 people and more are refused, where 64 bits would wrap around."""
    large = np.full((2, 1, 2, 2), 2**61)
    with pytest.raises(ValueError, match=rf"^cells must have a sum below 2\*\*63, got {2**64}\.$"):
        OutcomeCounts(["a", "b"], large)
    with pytest.raises(ValueError, match=rf"^cells must have a sum below 2\*\*63, got {2**63}\.$"):
        OutcomeCounts(["a"], np.full((1, 1, 1, 1), 2**63, dtype=np.uint64))
    half = OutcomeCounts(["a"], [[[[2**62]]]])
    with pytest.raises(ValueError, match=rf"^Tables must have a sum below 2\*\*63, got {2**63}\.$"):
        _ = half + half
    assert OutcomeCounts(["a"], [[[[2**63 - 1]]]]).n == 2**63 - 1
    records = [{"group": "a", "y_pred": 1, "count": 2**62}] * 2
    with pytest.raises(ValueError, match=rf"^count must have a sum below 2\*\*63, got {2**63}\.$"):
        OutcomeCounts.from_records(records)


def test_sums_of_another_shape() -> None:
    """Sums must have the shape of the cells."""
    with pytest.raises(
        ValueError,
        match=r"^score_sums must have the shape of cells \(1, 1, 2, 1\), got \(1, 2, 2, 1\)\.$",
    ):
        OutcomeCounts(["a"], np.ones((1, 1, 2, 1)), score_sums=np.ones((1, 2, 2, 1)))


def test_a_table_cannot_be_changed(table: OutcomeCounts) -> None:
    """Arrays are read-only, and the caller's own array is not the table's."""
    with pytest.raises(ValueError, match=r"read-only$"):
        table.cells[0, 0, 0, 0] = 5
    cells = np.ones((1, 1, 2, 1))
    copied = OutcomeCounts(["a"], cells)
    cells[:] = 9
    assert copied.n == 2


def test_pickle_and_equality(table: OutcomeCounts) -> None:
    """A table survives pickling, equals its copy, and nothing else."""
    assert pickle.loads(pickle.dumps(table)) == table  # noqa: S301
    assert table != table.pick("a")
    assert table != table.over("y_true")
    assert table != 3
    with pytest.raises(TypeError, match=r"unhashable type: 'OutcomeCounts'$"):
        hash(table)


def test_repr() -> None:
    """The repr says how many people, which groups, labels and favorable label."""
    table = OutcomeCounts.from_arrays(
        y_pred=["y", "n"], sensitive_features=["a", "b"], pos_label="y"
    )
    assert repr(table) == (
        "OutcomeCounts(n=2, groups=('a', 'b'), roles=('y_pred',), favorable='y')"
    )


@pytest.fixture
def arrays() -> Iterator[dict[str, Any]]:
    """Arrays with copies that are compared afterwards."""
    given = {"y_true": np.array(Y_TRUE), "y_pred": np.array(Y_PRED, dtype=object)}
    copies = {name: values.copy() for name, values in given.items()}
    yield given
    for name, values in given.items():
        assert values.tolist() == copies[name].tolist()


def test_input_is_not_changed(arrays: dict[str, Any]) -> None:
    """Counting leaves the caller's arrays as they were, read-only ones too."""
    for values in arrays.values():
        values.setflags(write=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OutcomeCounts.from_arrays(
            **arrays, sensitive_features=pd.Series(GROUP, index=range(7, 0, -1))
        )


def test_a_column_of_lists() -> None:
    """An Arrow column whose values are lists is refused by name."""
    pyarrow = pytest.importorskip("pyarrow")
    lists = pyarrow.array([[1.0, 2.0], [3.0, 4.0]], type=pyarrow.list_(pyarrow.float64(), 2))
    with pytest.raises(ValueError, match=r"^sensitive_features must hold plain values, got .*\.$"):
        OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=lists)


def test_masked_values_are_missing() -> None:
    """What a masked array masks is missing, whatever lies under the mask."""
    masked = np.ma.array(["a", "b", "a"], mask=[False, True, False])
    table = OutcomeCounts.from_arrays(
        y_pred=[1, 0, 1], sensitive_features=masked, missing_groups="group"
    )
    assert table.groups == ("a", None)
    with pytest.raises(ValueError, match=r"^y_pred must not contain missing labels, got some\.$"):
        OutcomeCounts.from_arrays(
            y_pred=np.ma.array([1, 0], mask=[False, True]), sensitive_features=["a", "b"]
        )


def test_columns_of_objects_and_sparse_columns() -> None:
    """Objects in polars and sparse integers in pandas hold their values."""
    polars = pytest.importorskip("polars")
    table = OutcomeCounts.from_arrays(
        y_pred=pd.Series(pd.arrays.SparseArray([1, 0, 1])),
        sensitive_features=polars.Series(["a", "b", "a"], dtype=polars.Object),
    )
    assert table.groups == ("a", "b")
    assert table.cells.ravel().tolist() == [0, 2, 1, 0]


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (
            np.array("a"),
            r"^sensitive_features must be a one-dimensional array-like, got array\(.*\)\.$",
        ),
        (
            csr_matrix([[1], [0]]),
            r"^sensitive_features must be dense, got a sparse csr_matrix\.$",
        ),
    ],
)
def test_features_that_are_no_column(features: Any, message: str) -> None:
    """A single value and a sparse matrix are refused by name."""
    with pytest.raises(ValueError, match=message):
        OutcomeCounts.from_arrays(y_pred=[1, 0], sensitive_features=features)


def test_a_column_that_repeats() -> None:
    """A frame that repeats a name is refused, and so is a name that is none."""
    frame = pd.DataFrame([[1, 0, "a"], [0, 1, "b"]], columns=["y", "y", "g"])
    with pytest.raises(
        ValueError, match=r"^Column names must differ from one another, got \['y'\] twice\.$"
    ):
        OutcomeCounts.from_frame(frame, sensitive_features="g", y_pred="y")
    with pytest.raises(ValueError, match=r"^sensitive_features must name columns, got 5\.$"):
        OutcomeCounts.from_frame(frame.iloc[:, 1:], sensitive_features=5, y_pred="y")  # type: ignore[arg-type]


def test_weights_whose_squares_vanish_are_weights() -> None:
    """Rows count by their weight, also where its square is too small for a float."""
    tiny = OutcomeCounts.from_arrays(
        y_pred=[0, 1, 1], sensitive_features=["a", "b", "c"], sample_weight=[1e-200, 1e-200, 0]
    )
    assert (tiny.groups, tiny.n) == (("a", "b"), 2e-200)
