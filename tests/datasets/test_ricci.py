"""The promotion exams of Ricci v. DeStefano."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from skfair_ofi.datasets import load_ricci

SOURCE = Path(__file__).parents[2].parent / "shared" / "data" / "ricci.csv"


@pytest.fixture(scope="module")
def ricci() -> Bunch:
    """Return the loaded data set."""
    return load_ricci()


def test_shapes(ricci: Bunch) -> None:
    """There are 118 candidates, five features, and the target."""
    assert ricci.data.shape == (118, 5)
    assert list(ricci.feature_names) == ["Position", "Oral", "Written", "Race", "Combine"]
    assert list(ricci.frame.columns) == [*ricci.feature_names, "passed"]
    assert ricci.pos_label == 1
    assert list(ricci.target_names) == ["failed", "passed"]


def test_data_and_target_alone(ricci: Bunch) -> None:
    """`return_X_y` gives the same data and target."""
    data, target = load_ricci(return_X_y=True)
    pd.testing.assert_frame_equal(data, ricci.data)
    pd.testing.assert_series_equal(target, ricci.target)


@pytest.mark.parametrize(("race", "passed", "n"), [("B", 9, 27), ("H", 6, 23), ("W", 41, 68)])
def test_passes(ricci: Bunch, race: str, passed: int, n: float) -> None:
    """As many candidates of each race passed as in the court record."""
    target = ricci.target[ricci.data["Race"] == race]
    assert (target.sum(), len(target)) == (passed, n)


def test_positions(ricci: Bunch) -> None:
    """77 took the lieutenant's exam and 41 the captain's."""
    assert ricci.data["Position"].value_counts().to_dict() == {"Lieutenant": 77, "Captain": 41}


def test_combined_score_is_weighted(ricci: Bunch) -> None:
    """The combined score is 60 per cent written and 40 per cent oral, and 70 passes."""
    data = ricci.data
    np.testing.assert_allclose(data["Combine"], 0.6 * data["Written"] + 0.4 * data["Oral"])
    np.testing.assert_array_equal(ricci.target == 1, data["Combine"] >= 70)


def test_same_rows_as_the_source(ricci: Bunch) -> None:
    """Values and order are those of the source."""
    if not SOURCE.exists():
        pytest.skip("the source table is not here")
    pd.testing.assert_frame_equal(ricci.data, pd.read_csv(SOURCE))
