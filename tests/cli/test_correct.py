"""``skfair-ofi correct`` writes what FlipOptimizer does, and refuses what it cannot use."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skfair_ofi.cli import main

Capsys = pytest.CaptureFixture[str]


def make_people(n: int = 1000) -> pd.DataFrame:
    """Scores of two groups, with labels."""
    rng = np.random.default_rng(0)
    race = rng.choice(["o'x", "y"], n, p=[0.6, 0.4])
    p = np.clip(rng.beta(2, 2, n) + 0.15 * (race == "y"), 0, 1).round(3)
    return pd.DataFrame({"p": p, "race": race, "y": (rng.random(n) < p).astype(int)})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The people in a file."""
    file = tmp_path / "people.csv"
    make_people().to_csv(file, index=False)
    return file


OPTIONS = ("--score", "p", "--group", "race", "--truth", "y")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_gap_is_closed(path: Path, capsys: Capsys, form: str) -> None:
    """People are those of the file; within the tolerance and the lottery's noise."""
    output, report = path.with_name(f"out.{form}"), path.with_name("report.json")
    more = ("-o", str(output), "--report", str(report), "--seed", "3")
    assert main(["correct", str(path), *OPTIONS, *more]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Rules, which use each person's group:"
    assert all(line.startswith("  ") for line in lines[1:])
    found = pd.read_csv(output) if form == "csv" else pd.read_parquet(output)
    people = make_people()
    pd.testing.assert_frame_equal(found[["p", "race", "y"]], people, check_dtype=False)
    np.testing.assert_array_equal(found["y_pred"], (people["p"] >= 0.5).astype(int))
    flipped = found["y_pred"] != found["y_corrected"]
    assert (found.loc[flipped, "flip_chance"] > 0).all()
    assert flipped[found["flip_chance"] == 1].all()
    rates = found.groupby("race")["y_corrected"].mean()
    assert rates.max() - rates.min() < 0.06
    assert json.loads(report.read_text("utf-8"))


def test_limits_and_constraints(path: Path) -> None:
    """Nobody loses where nobody may."""
    output = path.with_name("out.csv")
    more = ("--fairness", "equal_opportunity", "--limit", "harmful_flip_rate=0", "-o", str(output))
    assert main(["correct", str(path), *OPTIONS, *more]) == 0
    found = pd.read_csv(output)
    assert (found["y_corrected"] >= found["y_pred"]).all()
    assert main(["correct", str(path), *OPTIONS, *more]) == 2
    assert main(["correct", str(path), *OPTIONS, *more, "--force", "--single-threshold"]) == 0
    assert set(pd.read_csv(output)["flip_chance"].unique()) <= {0.0, 1.0}


def test_labels_of_text_and_crossed_groups(tmp_path: Path) -> None:
    """Which label is favorable is said; several groups are crossed."""
    people = make_people(2000)
    people["sex"] = np.where(np.arange(2000) % 2, "m", "f")
    people["y"] = np.where(people["y"], "good", "bad")
    file, output = tmp_path / "people.parquet", tmp_path / "out.parquet"
    people.to_parquet(file)
    options = [*OPTIONS, "--group", "sex", "--favorable", "good", "-o", str(output)]
    assert main(["correct", str(file), *options]) == 0
    found = pd.read_parquet(output)
    rates = (found["y_corrected"] == "good").groupby([found["race"], found["sex"]]).mean()
    assert rates.max() - rates.min() < 0.08


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--score", "q", "--group", "race", "--truth", "y"), "--score must be a column of "),
        ((*OPTIONS, "--limit", "flip_rate=0.001", "--tolerance", "0"), "No rule meets all "),
        ((*OPTIONS, "--fairness", "parity"), "fairness must name a measure, got "),
        ((*OPTIONS, "--favorable", "3"), "--favorable must be "),
    ],
)
def test_refusals(path: Path, capsys: Capsys, options: tuple[str, ...], message: str) -> None:
    """One line says what is wrong."""
    assert main(["correct", str(path), *options, "-o", str(path.with_name("out.csv"))]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"skfair-ofi: {message}")
    assert error.count("\n") == 1


def test_output_has_to_be_a_table(path: Path, capsys: Capsys) -> None:
    """CSV or Parquet."""
    assert main(["correct", str(path), *OPTIONS, "-o", "out.txt"]) == 2
    assert "--output must end in one of .csv, .parquet, got out.txt." in capsys.readouterr().err
