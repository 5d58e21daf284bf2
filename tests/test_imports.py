"""Importing the package is quiet and leaves heavy libraries alone."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LATE = ("aif360", "duckdb", "fairlearn", "jinja2", "matplotlib", "polars", "rich")


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter from the project root, where the package lies."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_import_leaves_heavy_libraries_unloaded() -> None:
    """Libraries that single functions need are not loaded by importing the package."""
    result = run_python(
        "-c", f"import sys, skfair_ofi; print([name for name in {LATE} if name in sys.modules])"
    )
    assert result.stderr == ""
    assert result.stdout == "[]\n"


@pytest.mark.parametrize("arguments", [(), ("-W", "error")], ids=["plain", "warnings are errors"])
def test_import_is_silent(arguments: tuple[str, ...]) -> None:
    """Importing the package prints nothing, warns of nothing and logs nothing."""
    result = run_python(*arguments, "-c", "import skfair_ofi")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
