"""Data of the audit's tests: COMPAS in every form that an audit takes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from skfair_ofi.datasets import load_compas

SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def yuan() -> dict[str, Any]:
    """Return the fields of Yuan2024, table II: African-Americans against everyone else."""
    return {
        "truth": "two_year_recid == 1",
        "positive": "score_text in ['Medium', 'High']",
        "privileged": "race != 'African-American'",
        "score": "decile_score",
        "legitimate": "priors_count > 0",
        "calibration": [5, 7],
    }


@pytest.fixture
def public_file() -> Path:
    """Return the public file of all people of COMPAS, or skip where it is not there."""
    path = SHARED / "compas_two_years_anon.csv.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not there")
    return path


@pytest.fixture(scope="session")
def compas() -> pd.DataFrame:
    """Return COMPAS as a pandas frame."""
    frame: pd.DataFrame = load_compas().frame
    return frame


def _csv(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / "people.csv"
    frame.to_csv(path, index=False)
    return path


def _parquet(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / "people.parquet"
    frame.to_parquet(path)
    return path


def _packed(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / "people.csv.gz"
    frame.to_csv(path, index=False)
    return path


def _several(frame: pd.DataFrame, folder: Path) -> list[Path]:
    """Two files of different delimiters, columns in another order."""
    first, second = folder / "first.csv", folder / "second.csv"
    frame.iloc[:2000].to_csv(first, index=False)
    frame.iloc[2000:, ::-1].to_csv(second, index=False, sep=";")
    return [first, second]


FORMS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "CSV": _csv,
    "CSV, gzip": _packed,
    "two CSV files": _several,
    "Parquet": _parquet,
    "pandas": lambda frame, folder: frame,
    "polars": lambda frame, folder: pl.from_pandas(frame),
    "polars lazy": lambda frame, folder: pl.from_pandas(frame).lazy(),
    "polars scan": lambda frame, folder: pl.scan_csv(_csv(frame, folder)),
    "pyarrow": lambda frame, folder: pa.Table.from_pandas(frame),
    "duckdb": lambda frame, folder: duckdb.from_arrow(pa.Table.from_pandas(frame)),
}


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[pd.DataFrame], Any]:
    """Return a function that gives a frame in one of the forms that an audit takes."""
    make = FORMS[request.param]
    return lambda frame: make(frame, tmp_path)
