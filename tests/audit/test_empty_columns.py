"""Columns without any value: missing in every row, whatever they are used as."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skfair_ofi.audit import Audit

PEOPLE = pa.table({"g": ["a", "b"], "p": [1, 0], "t": pa.nulls(2)})


def _knows_nothing() -> bool:
    """Whether DuckDB has the type of columns without values; 1.2 takes them for integers."""
    return str(duckdb.sql("SELECT NULL AS t").types[0]).strip('"') == "NULL"


def _csv(folder: Path) -> Path:
    (folder / "people.csv").write_text("g,p,t\na,1,\nb,0,\n")
    return folder / "people.csv"


def _parquet(folder: Path) -> Path:
    pq.write_table(PEOPLE, folder / "people.parquet")
    return folder / "people.parquet"


FORMS: dict[str, Callable[[Path], Any]] = {
    "CSV": _csv,
    "Parquet": _parquet,
    "pandas": lambda folder: pd.DataFrame(
        {"g": ["a", "b"], "p": [1, 0], "t": pd.Series([None, None], dtype=object)}
    ),
    "polars": lambda folder: pl.from_arrow(PEOPLE),
    "polars lazy": lambda folder: pl.LazyFrame(pl.from_arrow(PEOPLE)),
    "pyarrow": lambda folder: PEOPLE,
    "duckdb": lambda folder: duckdb.from_arrow(PEOPLE),
}
AUDIT: dict[str, Any] = {"positive": "p == 1", "criteria": ["disparate_impact"]}
LEFT_OUT: dict[str, tuple[dict[str, Any], str]] = {
    "number": ({"truth": "t == 1"}, "truth"),
    "sum": ({"truth": "t + 1 > 2"}, "truth"),
    "text": ({"truth": "t == 'a'"}, "truth"),
    "list": ({"truth": "t in ['a']"}, "truth"),
    "boolean": ({"truth": "t"}, "truth"),
    "score": ({"truth": "p == 1", "score": "t"}, "score"),
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Callable[[Path], Any]:
    """Return a function that makes the people in one of the forms."""
    if request.param in ("Parquet", "duckdb") and not _knows_nothing():
        pytest.skip("this DuckDB takes a column without values for whole numbers")
    return FORMS[request.param]


@pytest.mark.parametrize(("fields", "what"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_nothing_is_missing_everywhere(
    tmp_path: Path, form: Callable[[Path], Any], fields: dict[str, Any], what: str
) -> None:
    """A column of the type that has no values is missing in each row, in every engine."""
    result = Audit(**AUDIT, groups="g", **fields).run(form(tmp_path))
    assert dict(result.left_out)[what] == 2


def test_groups_that_nobody_is_in(tmp_path: Path, form: Callable[[Path], Any]) -> None:
    """A column of groups without any value is refused as one that is missing everywhere."""
    message = r"groups: 't' must be known in some row, got none\.$"
    with pytest.raises(ValueError, match=message):
        Audit(**AUDIT, groups="t", missing_groups="drop").run(form(tmp_path))


@pytest.mark.parametrize(
    "answer", [[None] * 4, pd.array([None] * 4, dtype="Int64"), [float("nan")] * 4]
)
def test_model_that_says_nothing(answer: Any) -> None:
    """Predictions that are all missing are left out, and what needs them is undefined."""

    class Silent:
        def predict(self, rows: Any) -> Any:
            return answer

    people = pd.DataFrame({"g": list("aabb"), "x": 1})
    audit = Audit(
        positive="prediction == 1", groups="g", features=["x"], criteria=["disparate_impact"]
    )
    result = audit.run(people, Silent())
    assert (dict(result.left_out)["positive"], result.exit_code) == (4, 3)
