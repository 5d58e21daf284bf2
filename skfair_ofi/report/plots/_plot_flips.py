"""Who gained the favorable label by the correction, and who lost it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from skfair_ofi._plotting import (
    BLUE,
    GRAY,
    INK,
    RULE,
    SMALL,
    VERMILLION,
    clear_frame,
    head,
    name_rows,
    shorten_names,
)
from skfair_ofi._text import show_count, show_key
from skfair_ofi.report._summary import Summary

from ._base import AxesDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# how much wider than the longest bar a side is, for the numbers beside the bars
_ROOM, _LEAST_REACH = 2.05, 0.01
_MOST_GROUPS = 40


class FlipsDisplay(AxesDisplay):
    """Flips by group and direction: gained to the right, lost to the left.

    Bars are shares of the group, labels are numbers of people. Make it by
    ``from_estimator``, ``from_predictions`` or ``from_counts``.

    Parameters
    ----------
    groups : sequence of str
        Names of the groups, all different.
    sizes, gained, lost : sequence of float
        People in each group, those flipped to the favorable label, and from it.
    labels : tuple of object, default=(0, 1)
        The unfavorable and the favorable label.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes drawn on, after ``plot``.
    figure_ : matplotlib Figure
        Their figure, after ``plot``.

    Examples
    --------
    >>> display = FlipsDisplay(["a", "b"], sizes=[10, 20], gained=[1, 0], lost=[0, 5])
    >>> display.frame()
      group  people  gained  lost  gained_share  lost_share
    0     a      10       1     0           0.1        0.00
    1     b      20       0     5           0.0        0.25
    """

    def __init__(
        self,
        groups: Sequence[str],
        sizes: Sequence[float],
        gained: Sequence[float],
        lost: Sequence[float],
        *,
        labels: tuple[Any, Any] = (0, 1),
    ) -> None:
        self.groups = groups
        self.sizes = sizes
        self.gained = gained
        self.lost = lost
        self.labels = labels

    @classmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Return the display of a summary; see ``Display.from_summary``."""
        rows = summary.groups
        return cls(
            [row.name for row in rows],
            [row.n for row in rows],
            [row.gained for row in rows],
            [row.lost for row in rows],
            labels=(summary.unfavorable, summary.favorable),
        )

    def frame(self) -> pd.DataFrame:
        """Return one row a group: people, gained, lost, and both as shares of the group."""
        frame = pd.DataFrame(
            {
                "group": list(self.groups),
                "people": self.sizes,
                "gained": self.gained,
                "lost": self.lost,
            }
        )
        return frame.assign(
            gained_share=frame["gained"] / frame["people"],
            lost_share=frame["lost"] / frame["people"],
        )

    def _shown(self) -> pd.DataFrame:
        """The groups drawn: all, or those flipped most where there are too many."""
        frame = self.frame()
        most = (frame["gained_share"] + frame["lost_share"]).nlargest(_MOST_GROUPS).index
        return frame.loc[sorted(most)].reset_index(drop=True)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit the display."""
        return 4.3, 1.5 + 0.46 * min(len(self.groups), _MOST_GROUPS)

    def draw(self, ax: "Axes") -> None:
        """Draw on axes; see ``Display.draw``."""
        frame = self._shown()
        some = len(frame) < len(self.groups)
        clear_frame(
            ax, f"The {len(frame)} groups flipped most" if some else "Who gained and who lost"
        )
        _draw_bars(ax, frame["gained_share"], frame["gained"], BLUE)
        _draw_bars(ax, -frame["lost_share"], frame["lost"], VERMILLION)
        largest = frame[["gained_share", "lost_share"]].fillna(0.0).to_numpy().max()
        reach = _ROOM * max(largest, _LEAST_REACH)
        _draw_scale(ax, reach)
        names = zip(shorten_names(list(frame["group"]), 20), frame["people"], strict=True)
        name_rows(ax, [f"{name}\n{show_count(people)} people" for name, people in names])
        unfavorable, favorable = (show_key(label)[:12] for label in self.labels)
        head(ax, reach / 2, f"gained: {unfavorable} → {favorable}", color=BLUE, fontweight="bold")
        head(
            ax,
            -reach / 2,
            f"lost: {favorable} → {unfavorable}",
            color=VERMILLION,
            fontweight="bold",
        )


def _draw_bars(
    ax: "Axes", shares: "pd.Series[float]", people: "pd.Series[float]", color: str
) -> None:
    ax.barh(range(len(shares)), shares.fillna(0.0), height=0.56, color=color)
    right = color == BLUE
    for row, (share, number) in enumerate(zip(shares.fillna(0.0), people, strict=True)):
        ax.annotate(
            f"{show_count(number)} ({100 * abs(share):.1f}%)" if number else "0",
            (share, row),
            xytext=(4 if right else -4, 0),
            textcoords="offset points",
            va="center",
            ha="left" if right else "right",
            fontsize=SMALL,
            color=INK,
        )


def _draw_scale(ax: "Axes", reach: float) -> None:
    ax.set_xlim(-reach, reach)
    ax.axvline(0, color=GRAY, linewidth=0.8)
    ax.xaxis.set_major_locator(_percent_steps())
    ax.xaxis.set_major_formatter(lambda share, _: f"{abs(100 * share):g}%")
    ax.grid(axis="x", color=RULE, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(axis="x", labelsize=SMALL, labelcolor=GRAY)
    ax.set_xlabel("share of the group's people", fontsize=SMALL, color=GRAY)


def _percent_steps() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10])
