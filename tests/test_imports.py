"""Importing the package is quiet and leaves heavy libraries alone."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import skfair_ofi

ROOT = Path(__file__).parents[1]
LATE = ("aif360", "duckdb", "fairlearn", "jinja2", "matplotlib", "polars", "rich", "sklearn")


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a fresh interpreter from the project root, where the package lies."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("module", ["skfair_ofi", "skfair_ofi.audit", "skfair_ofi.cli"])
def test_import_leaves_heavy_libraries_unloaded(module: str) -> None:
    """Libraries that single functions need are not loaded by importing the package."""
    result = run_python(
        "-c", f"import sys, {module}; print([name for name in {LATE} if name in sys.modules])"
    )
    assert result.stderr == ""
    assert result.stdout == "[]\n"


def test_import_of_the_package_leaves_scipy_unloaded() -> None:
    """Only intervals and tests need SciPy's functions, whose import takes half a second."""
    result = run_python("-c", "import sys, skfair_ofi; print('scipy.special' in sys.modules)")
    assert (result.stdout, result.stderr) == ("False\n", "")


@pytest.mark.parametrize("arguments", [(), ("-W", "error")], ids=["plain", "warnings are errors"])
def test_import_is_silent(arguments: tuple[str, ...]) -> None:
    """Importing the package prints nothing, warns of nothing and logs nothing."""
    result = run_python(*arguments, "-c", "import skfair_ofi")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "module", ["audit", "datasets", "inference", "monitoring", "postprocessing", "report", "theory"]
)
def test_subpackages_are_attributes(module: str) -> None:
    """A package inside the package is loaded when it is asked for."""
    result = run_python("-c", f"import skfair_ofi; print(skfair_ofi.{module}.__name__)")
    assert (result.stdout, result.stderr) == (f"skfair_ofi.{module}\n", "")


def test_every_public_name_can_be_imported() -> None:
    """Names that are loaded late are found by import and by attribute, and listed."""
    names = set(skfair_ofi.__all__)
    assert names <= set(dir(skfair_ofi))
    assert all(getattr(skfair_ofi, name) is not None for name in names)


@pytest.mark.parametrize("module", ["skfair_ofi", "skfair_ofi.metrics"])
def test_unknown_names_are_attribute_errors(module: str) -> None:
    """A name that no module holds is refused as Python does it."""
    message = f"^module '{module}' has no attribute 'no_such_name'$"
    with pytest.raises(AttributeError, match=message):
        getattr(import_module(module), "no_such_name")  # noqa: B009 - any constant does it
