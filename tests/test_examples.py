"""The case studies run, print what they say they print, and save their plots."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "docs" / "examples"
ACS = ROOT.parent / "shared" / "data" / "acs_income_2018_predictions.csv.gz"


def run(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a case study on the package of this project, where warnings are errors."""
    return subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "plots", "said"),
    [
        (
            "compas.py",
            ["compas_data.png", "compas_published.png"],
            [
                "African-American             1.000  0.749",
                "OFI -0.120 [-0.149, -0.090]",
                "DI 0.632 [0.602, 0.663]",
            ],
        ),
        (
            "ricci.py",
            ["ricci_pass_rates.png"],
            ["OFI -0.056", "DI 0.375", "OFI 0.222", "OFI 0.226", "DI 2.714", "DI 0.498"],
        ),
        (
            "undefined.py",
            ["undefined.png"],
            ["DI nan, with a warning: disparate_impact is undefined", "OFI 0.400"],
        ),
        pytest.param(
            "acs_income.py",
            ["acs_group_threshold.png", "acs_lightgbm.png", "acs_models.png"],
            ["lightgbm: accuracy 0.821", "OFI -0.066 [-0.069, -0.063]", "DI 0.571 [0.563, 0.580]"],
            marks=pytest.mark.skipif(not ACS.exists(), reason=f"{ACS.name} is not there"),
        ),
    ],
)
@pytest.mark.slow
def test_case_study(tmp_path: Path, name: str, plots: list[str], said: list[str]) -> None:
    """A case study prints its figures, saves its plots, and ends with what they do not show."""
    result = run(name, tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert [figure for figure in said if figure not in result.stdout] == []
    assert "What this does not show" in result.stdout.rpartition("\n\n")[2]
    saved = sorted(tmp_path.iterdir())
    assert [path.name for path in saved] == plots
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in saved)


@pytest.mark.slow
def test_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder, plots go to a temporary one, which is printed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    result = run("undefined.py")
    assert result.returncode == 0
    (path,) = tmp_path.rglob("*.png")
    assert f"Saved {path}" in result.stdout


@pytest.mark.slow
def test_without_data_it_stops_politely(tmp_path: Path) -> None:
    """Without data and without folktables, the study of incomes says what it needs."""
    for source in (EXAMPLES / "acs_income.py", EXAMPLES / "_common.py"):
        copied = tmp_path / "project" / "docs" / "examples" / source.name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(source.read_bytes())
    # An empty module in its place: nothing is fetched where folktables is installed
    (copied.parent / "folktables.py").touch()
    result = run(copied.with_name("acs_income.py"), tmp_path)
    assert result.returncode == 1
    assert result.stderr == "folktables is not installed (pip install folktables): stopped.\n"
    assert "is not in data beside the project: trying folktables." in result.stdout


def test_every_case_study_is_listed() -> None:
    """The page lists every script."""
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    scripts = [path.name for path in EXAMPLES.glob("[!_]*.py") if path.name != "conftest.py"]
    assert [name for name in scripts if f"(examples/{name})" not in page] == []
