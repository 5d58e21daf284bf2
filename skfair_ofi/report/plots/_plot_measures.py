"""The flip measures in the zones of their verdicts."""

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import pandas as pd

from skfair_ofi._plotting import (
    GRAY,
    INK,
    SMALL,
    ZONES,
    clear_frame,
    explain_whiskers,
    head,
    name_rows,
    strip,
    whisker,
    write,
)
from skfair_ofi._text import show_number
from skfair_ofi.report._summary import FlipRow, Summary

from ._base import AxesDisplay, ends_of, levels_of, reach, zone_position

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNJUDGED = "#e9ecef"
# verdicts on flips that did not happen: words, with no place in any zone
_NOTHING = ("no flips", "no harmful flips")


class FlipMeasuresDisplay(AxesDisplay):
    """The flip measures, each in its zone: within bounds, moderate or outside bounds.

    Zones are drawn equally wide, whatever the limits, which stand below them. Thin
    lines are confidence intervals. Where there were no flips that a measure could
    judge, words say so, and no zone is marked.
    Make it by ``from_estimator``, ``from_predictions`` or ``from_counts``.

    Parameters
    ----------
    rows : sequence of FlipRow
        The measures of a summary.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes drawn on, after ``plot``.
    figure_ : matplotlib Figure
        Their figure, after ``plot``.

    Examples
    --------
    >>> display = FlipMeasuresDisplay.from_predictions(
    ...     None, [1, 1, 0, 0], [1, 0, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> display.frame()[["measure", "value", "verdict"]].head(1)
                    measure  value         verdict
    0  flip_rate_difference    0.5  outside bounds
    """

    def __init__(self, rows: Sequence[FlipRow]) -> None:
        self.rows = rows

    @classmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Return the display of a summary; see ``Display.from_summary``."""
        return cls(summary.measures)

    def frame(self) -> pd.DataFrame:
        """Return one row a measure: value, interval, verdict, and the limits of its zones."""
        return pd.DataFrame.from_records(
            [
                {
                    "measure": row.name,
                    "value": row.result.value,
                    **ends_of("", row.result),
                    "verdict": row.result.verdict,
                    "acceptable": row.acceptable,
                    "moderate": row.moderate,
                }
                for row in self.rows
            ]
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit the display."""
        return 4.5, 1.0 + 0.5 * len(self.rows)

    def draw(self, ax: "Axes") -> None:
        """Draw on axes; see ``Display.draw``."""
        clear_frame(ax, "Flip measures by verdict")
        name_rows(ax, ["\n".join(textwrap.wrap(row.title, 22)) for row in self.rows])
        ax.set_xlim(-0.12, 3.7)
        ax.set_xticks([])
        for start, (zone, align) in enumerate(
            zip(ZONES, ("center", "center", "left"), strict=True)
        ):
            head(ax, start + (0.0 if align == "left" else 0.5), zone, ha=align)
        for index, row in enumerate(self.rows):
            _draw_row(ax, index, row)
        levels = levels_of(row.result for row in self.rows if _has_place(row))
        if levels:
            explain_whiskers(ax, f"thin lines: {levels} confidence intervals")


def _has_place(row: FlipRow) -> bool:
    """Whether the value has a place in the zones."""
    known = row.acceptable is not None and not math.isnan(row.result.value)
    return known and row.result.verdict not in _NOTHING


def _zones(row: FlipRow) -> list[tuple[float, float, str]]:
    if row.acceptable is None:
        return [(0, 3, _UNJUDGED)]
    within, moderate, outside = ZONES.values()
    middle = outside if row.moderate is None else moderate
    return [(0, 1, within), (1, 2, middle), (2, 3, outside)]


def _draw_limits(ax: "Axes", index: int, row: FlipRow) -> None:
    for edge, limits in ((1, row.acceptable), (2, row.moderate)):
        if limits is not None:
            above = row.result.value >= (row.ideal or 0.0) or math.isnan(row.result.value)
            limit = limits[1] if above else limits[0]
            write(
                ax, edge, index + 0.36, f"{limit:.6g}", fontsize=SMALL - 1, color=GRAY, ha="center"
            )


# Where markers and intervals end that stand for infinite values
_LAST = 2.93


def _draw_interval(ax: "Axes", index: int, row: FlipRow) -> None:
    ends, ideal = row.result.interval, row.ideal or 0.0
    if ends is None or row.acceptable is None:
        return
    near, far = reach(ends.low, ends.high, ideal)
    low, high = (zone_position(end, ideal, row.acceptable, row.moderate) for end in (near, far))
    whisker(ax, index, (low, high), (0.0, _LAST))


def _draw_row(ax: "Axes", index: int, row: FlipRow) -> None:
    strip(ax, index, _zones(row))
    _draw_limits(ax, index, row)
    value, verdict = row.result.value, row.result.verdict
    shown = verdict if math.isnan(value) or verdict in _NOTHING else show_number(value)
    write(ax, 3.08, index, (shown or "").replace("no harmful flips", "no harm"), fontsize=SMALL)
    if row.acceptable is None or not _has_place(row):
        return
    _draw_interval(ax, index, row)
    spot = zone_position(value, row.ideal or 0.0, row.acceptable, row.moderate)
    marker = ">" if math.isinf(value) else "D"
    ax.plot(
        min(spot, _LAST),
        index,
        marker=marker,
        color=INK,
        markersize=6,
        markeredgecolor="white",
        clip_on=False,
    )
