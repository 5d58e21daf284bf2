"""Files of people for the tests of the command line."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """People of three groups and two sexes, with labels before and after, and weights."""
    rng = np.random.default_rng(0)
    size = 400
    frame = pd.DataFrame(
        {
            "race": rng.choice(["a", "b", "c, d"], size, p=[0.5, 0.3, 0.2]),
            "sex": rng.choice([1, 2], size),
            "truth": rng.integers(0, 2, size),
        }
    )
    frame["pred"] = np.where(rng.random(size) < 0.8, frame["truth"], 1 - frame["truth"])
    frame["corrected"] = np.where(rng.random(size) < 0.8, frame["pred"], 1 - frame["pred"])
    return frame.assign(weight=rng.integers(1, 5, size) / 2)


@pytest.fixture
def people_file(people: pd.DataFrame, tmp_path: Path) -> Path:
    """The people as CSV."""
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    return path
