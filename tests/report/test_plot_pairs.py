"""Cells of the heat maps of pairs can be read, and their key names what is there."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from skfair_ofi import OutcomeCounts
from skfair_ofi.report import PairwiseDisplay
from skfair_ofi.report.plots._pairs import _color, _text_color, contrast

mpl.use("Agg")


def drawn(cells: np.ndarray) -> PairwiseDisplay:
    """Return the heat maps of a table, drawn."""
    counts = OutcomeCounts([f"group {place}" for place in range(len(cells))], cells)
    return PairwiseDisplay.from_counts(counts).plot(Figure().subplots(1, 2))


def test_contrast_is_that_of_the_standard() -> None:
    """Black on white has 21, a color on itself 1, and mid-gray #777777 on white 4.48 (WCAG)."""
    assert contrast("black", "white") == pytest.approx(21)
    assert contrast("#0072B2", "#0072B2") == 1
    assert contrast("white", "#777777") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("units", np.linspace(-3.5, 3.5, 141))
def test_text_stands_out_on_every_color(units: float) -> None:
    """Whatever the color of a cell, its text has a contrast of 4.5 or more."""
    assert contrast(_text_color(_color(units)), _color(units)) >= 4.5


def test_text_of_nine_groups_stands_out() -> None:
    """So in a heat map of nine groups: every number on the cell that it lies in."""
    cells = np.random.default_rng(0).integers(1, 90, (9, 2, 2, 2))
    for ax in drawn(cells).axes_:
        found = {
            (patch.get_x() + 0.5, patch.get_y() + 0.5): patch.get_facecolor()
            for patch in ax.patches
        }
        assert len(ax.texts) == 72
        for text in ax.texts:
            assert contrast(text.get_color(), to_hex(found[text.get_position()])) >= 4.5


@pytest.mark.parametrize("undefined", [False, True])
def test_the_key_names_hatched_cells_where_there_are_any(undefined: bool) -> None:
    """Of defined cells only, nothing is said of undefined ones."""
    cells = np.ones((2, 2, 2, 2), dtype=int)
    if undefined:
        cells[:, :, :, 1] = 0
        cells[:, :, 1] = 0
    keys = [ax.get_xlabel() for ax in drawn(cells).axes_]
    assert ["hatched: undefined" in key for key in keys] == [False, undefined]
    assert all("bold: outside bounds" in key for key in keys)
