"""Fairness measures before and after the correction."""

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from skfair_ofi._plotting import (
    BLUE,
    GRAY,
    SMALL,
    ZONES,
    clear_frame,
    explain_whiskers,
    head,
    name_rows,
    whisker,
    write,
)
from skfair_ofi._text import show_number
from skfair_ofi.metrics import METRICS
from skfair_ofi.report._summary import FairnessRow, Measured, Summary

from ._base import AxesDisplay, ends_of, levels_of, limit_units, reach

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# distances beyond this many acceptable ones are drawn at the edge, as arrows
_EDGE = 4.0
# intervals stand this many rows above and below their values
_ASIDE = 0.26


def _clipped(units: float) -> float:
    return max(-_EDGE, min(_EDGE, units))


class BeforeAfterDisplay(AxesDisplay):
    """Fairness measures before and after the correction, against their acceptable range.

    Distances from the ideal are drawn in units of the acceptable distance, so
    that measures of different scales share an axis. Thin lines are confidence
    intervals, of before above and of after below. Make it by ``from_estimator``,
    ``from_predictions`` or ``from_counts``.

    Parameters
    ----------
    rows : sequence of FairnessRow
        Measures of a summary; those without limits are left out.
    signed : bool, default=True
        Whether the sign says who is favored; without a privileged group only
        the size of a gap has a meaning.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes drawn on, after ``plot``.
    figure_ : matplotlib Figure
        Their figure, after ``plot``.

    Examples
    --------
    >>> display = BeforeAfterDisplay.from_predictions(
    ...     None,
    ...     [1, 1, 0, 0],
    ...     [1, 0, 1, 0],
    ...     sensitive_features=["a", "a", "b", "b"],
    ...     privileged="a",
    ... )
    >>> display.frame()[["measure", "before", "after"]].head(1)
                measure  before  after
    0  disparate_impact     0.0    1.0
    """

    def __init__(self, rows: Sequence[FairnessRow], *, signed: bool = True) -> None:
        self.rows = [row for row in rows if row.limits is not None]
        self.signed = signed

    @classmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Return the display of a summary; see ``Display.from_summary``."""
        return cls(summary.fairness, signed=summary.privileged is not None)

    def frame(self) -> pd.DataFrame:
        """Return one row a measure: before and after, in acceptable distances, with intervals."""
        return pd.DataFrame.from_records(
            [
                {
                    "measure": row.name,
                    "before": row.before.value,
                    "after": row.after.value,
                    "before_units": self._units(row, row.before.value),
                    "after_units": self._units(row, row.after.value),
                    **ends_of("before_", row.before),
                    **ends_of("after_", row.after),
                    "limits": row.limits,
                }
                for row in self.rows
            ]
        )

    def _signed_units(self, row: FairnessRow, value: float) -> float:
        ratio = METRICS[row.name].bounds == (0.0, math.inf) and row.ideal == 1.0
        return limit_units(value, row.ideal or 0.0, row.limits or (0.0, 0.0), ratio=ratio)

    def _units(self, row: FairnessRow, value: float) -> float:
        units = self._signed_units(row, value)
        return units if self.signed else abs(units)

    def _ends(self, row: FairnessRow, measured: Measured) -> tuple[float, float] | None:
        """Ends of an interval in acceptable distances, nearer one first."""
        if measured.interval is None:
            return None
        ends = (measured.interval.low, measured.interval.high)
        low, high = (self._signed_units(row, end) for end in ends)
        if not self.signed:
            near, far = reach(low, high, 0.0)
            return abs(near), abs(far)
        return low, high

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit the display."""
        return 4.5, 1.3 + 0.4 * len(self.rows)

    def draw(self, ax: "Axes") -> None:
        """Draw on axes; see ``Display.draw``."""
        clear_frame(ax, "Fairness, before and after")
        name_rows(ax, ["\n".join(textwrap.wrap(row.title, 22)) for row in self.rows])
        left = -_EDGE - 0.3 if self.signed else -0.15
        self._draw_scale(ax, left)
        edges = (-_EDGE if self.signed else 0.0, _EDGE)
        for index, row in enumerate(self.rows):
            before, after = (self._units(row, part.value) for part in (row.before, row.after))
            _draw_change(ax, index, before, after)
            for part, place, color in ((row.before, -_ASIDE, GRAY), (row.after, _ASIDE, BLUE)):
                ends = self._ends(row, part)
                if ends is not None:
                    whisker(ax, index + place, ends, edges, color=color)
            shown = [show_number(part.value, row.limits or ()) for part in (row.before, row.after)]
            write(ax, _EDGE + 0.5, index, " → ".join(shown), fontsize=SMALL)

    def _draw_scale(self, ax: "Axes", left: float) -> None:
        low = -1.0 if self.signed else 0.0
        ax.axvspan(low, 1.0, color=ZONES["within bounds"], linewidth=0)
        ax.axvline(0, color=GRAY, linewidth=0.8)
        ax.set_xlim(left, _EDGE + (4.4 if self.signed else 2.4))
        ticks = range(-int(_EDGE) if self.signed else 0, int(_EDGE) + 1, 2 if self.signed else 1)
        ax.set_xticks(list(ticks), ["ideal" if tick == 0 else f"{abs(tick)}×" for tick in ticks])
        ax.tick_params(axis="x", labelsize=SMALL, labelcolor=GRAY)
        levels = levels_of(part for row in self.rows for part in (row.before, row.after))
        lines = f"\nthin lines: {levels} confidence intervals" if levels else ""
        explain_whiskers(ax, f"distance from the ideal, in acceptable distances{lines}")
        head(ax, 0.0 if self.signed else 0.5, "within")
        head(ax, 2.5, "outside")
        head(ax, _EDGE + 0.5, "○ before → ● after", ha="left")


def _draw_change(ax: "Axes", index: int, before: float, after: float) -> None:
    ends = [_clipped(end) for end in (before, after)]
    if not any(math.isnan(end) for end in (before, after)):
        ax.plot(ends, [index, index], color=GRAY, linewidth=1.5, zorder=2)
    for value, end, color in zip((before, after), ends, ("white", BLUE), strict=True):
        if not math.isnan(value):
            marker = (">" if value > 0 else "<") if abs(value) > _EDGE else "o"
            style: dict[str, Any] = {
                "color": color,
                "markeredgecolor": BLUE,
                "markersize": 6,
                "zorder": 3,
            }
            ax.plot(end, index, marker=marker, **style)
