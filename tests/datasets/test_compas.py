"""COMPAS scores: what is in them, and what must not be."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from skfair_ofi.datasets import load_compas

SOURCE = Path(__file__).parents[2].parent / "shared" / "data" / "compas_two_years_anon.csv.gz"
FEATURES = [
    "sex",
    "age_cat",
    "race",
    "priors_count",
    "c_charge_degree",
    "decile_score",
    "score_text",
]


@pytest.fixture(scope="module")
def compas() -> Bunch:
    """Return the loaded data set."""
    return load_compas()


def test_shapes(compas: Bunch) -> None:
    """There are 7,214 people, seven features, and a frame with two columns more."""
    assert compas.data.shape == (7214, 7)
    assert compas.target.shape == (7214,)
    assert list(compas.frame.columns) == [*FEATURES, "is_recid", "two_year_recid"]
    assert list(compas.feature_names) == FEATURES


def test_bunch_has_the_fields_of_scikit_learn(compas: Bunch) -> None:
    """The Bunch has scikit-learn's fields, and the favorable label beside them."""
    expected = {"data", "target", "frame", "feature_names", "target_names", "DESCR"}
    assert set(compas) == expected | {"filename", "data_module", "pos_label"}


def test_data_and_target_alone(compas: Bunch) -> None:
    """`return_X_y` gives the same data and target."""
    data, target = load_compas(return_X_y=True)
    pd.testing.assert_frame_equal(data, compas.data)
    pd.testing.assert_series_equal(target, compas.target)


def test_favorable_label_is_zero(compas: Bunch) -> None:
    """The favorable label is 0, said in the Bunch, its names and the description."""
    assert compas.pos_label == 0
    assert list(compas.target_names) == ["not arrested again", "arrested again"]
    assert "Pass ``pos_label=0``" in compas.DESCR
    assert compas.target.sum() == 3251


def test_race_distribution(compas: Bunch) -> None:
    """Races have the sizes of the source."""
    assert compas.data["race"].value_counts().to_dict() == {
        "African-American": 3696,
        "Caucasian": 2454,
        "Hispanic": 637,
        "Other": 377,
        "Asian": 32,
        "Native American": 18,
    }


@pytest.mark.parametrize(
    ("race", "false_positive", "false_negative"),
    [("African-American", 0.4485, 0.2799), ("Caucasian", 0.2345, 0.4772)],
)
def test_error_rates(
    compas: Bunch, race: str, false_positive: float, false_negative: float
) -> None:
    """Reading a score of 5 or more as a prediction gives the known error rates."""
    people = compas.frame[compas.frame["race"] == race]
    predicted = people["decile_score"] >= 5
    truth = people["two_year_recid"] == 1
    assert predicted[~truth].mean() == pytest.approx(false_positive, abs=5e-5)
    assert (~predicted)[truth].mean() == pytest.approx(false_negative, abs=5e-5)


def test_is_recid_contains_two_year_recid(compas: Bunch) -> None:
    """220 people were arrested again after the two years, none only within them."""
    table = pd.crosstab(compas.frame["two_year_recid"], compas.frame["is_recid"])
    assert table.to_numpy().tolist() == [[3743, 220], [0, 3251]]


def test_score_text_follows_from_decile_score(compas: Bunch) -> None:
    """1 to 4 is Low, 5 to 7 Medium, 8 to 10 High."""
    scores = compas.data.groupby("score_text")["decile_score"].unique()
    assert {level: sorted(values) for level, values in scores.items()} == {
        "Low": [1, 2, 3, 4],
        "Medium": [5, 6, 7],
        "High": [8, 9, 10],
    }


def test_no_missing_values(compas: Bunch) -> None:
    """No value is missing."""
    assert not compas.frame.isna().any(axis=None)


def test_order_is_fixed_and_mixed(compas: Bunch) -> None:
    """Rows come in the same order every time, and no fifth of them lacks a common race."""
    pd.testing.assert_frame_equal(load_compas().frame, compas.frame)
    common = {"African-American", "Caucasian", "Hispanic", "Other"}
    fifths = np.array_split(compas.frame["race"].to_numpy(), 5)
    assert all(common <= set(fifth) for fifth in fifths)


def test_loading_leaves_the_global_random_state_alone() -> None:
    """The shuffle uses a generator of its own."""
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    load_compas()
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_calls_share_no_memory(compas: Bunch) -> None:
    """Changing one loaded frame does not change the next."""
    changed = load_compas()
    changed.frame["race"] = "x"
    pd.testing.assert_frame_equal(load_compas().frame, compas.frame)


def test_same_people_as_the_source(compas: Bunch) -> None:
    """Every combination of columns is as frequent as in ProPublica's table."""
    if not SOURCE.exists():
        pytest.skip("the anonymized source table is not here")
    source = pd.read_csv(SOURCE)
    columns = list(compas.frame.columns)
    pd.testing.assert_series_equal(
        compas.frame.value_counts().sort_index(), source[columns].value_counts().sort_index()
    )
