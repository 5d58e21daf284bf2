"""Shared by the tests and by the examples in docstrings."""

import os
import sys
from collections.abc import Iterator

import pytest

# Set before anything imports matplotlib: plots are drawn without a screen.
os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close the figures that a test or an example drew, without importing matplotlib for it."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
