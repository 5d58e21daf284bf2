"""All plots of a report on one figure."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from skfair_ofi._plotting import INK, get_text_style
from skfair_ofi._text import shorten
from skfair_ofi.report._summary import Summary

from ._pairs import PairwiseDisplay
from ._plot_fairness import BeforeAfterDisplay
from ._plot_flips import FlipsDisplay
from ._plot_measures import FlipMeasuresDisplay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH, _TITLE_WIDTH = 10.5, 80


def draw_page(summary: Summary, make: "Callable[[tuple[float, float]], Figure]") -> "Figure":
    """Draw all plots of a summary."""
    flips, measures = FlipsDisplay.from_summary(summary), FlipMeasuresDisplay.from_summary(summary)
    fairness, pairs = (
        BeforeAfterDisplay.from_summary(summary),
        PairwiseDisplay.from_summary(summary),
    )
    tables = [table for table in summary.pairs if table.when == "after"]
    heights = [flips.size[1], max(measures.size[1], fairness.size[1])]
    heights += [max(pairs.size[1], 2.4)] if tables else []
    figure = make((_WIDTH, sum(heights) + 1.0))
    rows = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    flips.draw(rows[0].subplots())
    left, right = rows[1].subplots(1, 2)
    measures.draw(left)
    fairness.draw(right)
    if tables:
        axes = rows[2].subplots(1, len(tables), squeeze=False)[0]
        for ax, table in zip(axes, tables, strict=True):
            pairs.draw_table(ax, table)
    title = f"{shorten([summary.title], _TITLE_WIDTH)[0]}\nDecision: {summary.decision.outcome}"
    style: dict[str, Any] = {"fontsize": 13, "fontweight": "bold", "color": INK, "ha": "left"}
    figure.suptitle(title, x=0.012, **get_text_style(), **style)
    return figure
