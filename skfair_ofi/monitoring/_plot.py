"""The series of a journal as a plot: values, intervals, bounds and verdicts."""

import math
from datetime import timedelta
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
    explain_whiskers,
    make_figure,
    write,
)
from skfair_ofi._text import show_number
from skfair_ofi.metrics import Range

from ._points import Point
from ._verdicts import WatchResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# By verdict: marker, color, whether it is filled. Words at the foot say the same.
_MARKS = {
    "outside bounds": ("X", VERMILLION, True),
    "uncertain": ("o", INK, False),
    "within bounds": ("o", BLUE, True),
    None: ("o", INK, True),
}
# What an axis of time shows of a single instant.
_AROUND = timedelta(hours=12)


class SeriesDisplay:
    """The series of a journal, one panel a measure.

    Vertical lines are confidence intervals, dashed lines bounds. A cross is outside its
    bounds with certainty; an open circle is not certain; a gray x at the foot is a window
    where the measure is undefined, a gray dot one without anyone.

    Parameters
    ----------
    watched : WatchResult
        What `OutcomeJournal.watch` returned.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The axes drawn on, after ``plot``.
    figure_ : matplotlib Figure
        Their figure, after ``plot``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skfair_ofi import OutcomeCounts
    >>> from skfair_ofi.monitoring import OutcomeJournal
    >>> journal = OutcomeJournal(Path(tempfile.mkdtemp()) / "outcomes.jsonl")
    >>> batch = OutcomeCounts(["a", "b"], [[[[50, 0], [0, 50]]], [[[50, 9], [0, 50]]]])
    >>> journal.append(batch, time="2026-03-01T12:00:00Z")
    >>> display = SeriesDisplay(journal.watch(bands={"flip_rate": 0.01})).plot()
    >>> display.frame()[["measure", "verdict"]]
         measure         verdict
    0  flip_rate  outside bounds
    """

    def __init__(self, watched: WatchResult) -> None:
        self.watched = watched

    axes_: "list[Axes]"
    figure_: "Figure"

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, in the order of their panels."""
        return tuple(dict.fromkeys(point.metric.name for point in self.watched.points))

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit a panel."""
        return 7.5, 2.7

    def frame(self) -> pd.DataFrame:
        """Return the numbers drawn, one row a mark."""
        return self.watched.frame

    def figure(self) -> "Figure":
        """Return a new figure of all panels.

        Returns
        -------
        matplotlib Figure
            The figure; pyplot does not know of it.
        """
        width, height = self.size
        names = self.measures
        figure = make_figure((width, height * len(names)))
        self.axes_ = list(figure.subplots(len(names), 1, squeeze=False)[:, 0])
        for ax, name in zip(self.axes_, names, strict=True):
            self.draw(ax, name)
        return figure

    def plot(self) -> Self:
        """Draw the display in a new figure.

        Returns
        -------
        SeriesDisplay
            The display itself, with ``axes_`` and ``figure_``.
        """
        self.figure_ = self.figure()
        return self

    def draw(self, ax: "Axes", measure: str) -> None:
        """Draw one measure on axes.

        Parameters
        ----------
        ax : matplotlib Axes
            The axes.
        measure : str
            One of ``measures``.
        """
        points = [point for point in self.watched.points if point.metric.name == measure]
        symbol = points[0].metric.symbol
        clear_frame(ax, f"{measure} ({symbol})", headed=False)
        ax.grid(axis="y", color=RULE, linewidth=0.5)
        ax.tick_params(length=0, labelsize=SMALL, labelcolor=INK)
        _draw_bounds(ax, self.watched.bands.get(measure))
        for point in points:
            _draw_point(ax, point, self.watched.verdict(point))
        _label_times(ax, points)
        first, last = points[0].window.start, points[-1].window.end
        level = f"{100 * self.watched.level_of_each:.4g}%"
        lines = f"{first:%Y-%m-%d} to {last:%Y-%m-%d} UTC. Lines: {level} intervals"
        explain_whiskers(ax, "\n".join([lines, *_list_marks(self.watched, points)]))


def _is_unknown(point: Point) -> bool:
    return not math.isfinite(point.interval.estimate)


def _list_marks(watched: WatchResult, points: list[Point]) -> list[str]:
    """One line of what marks mean, as far as they are there."""
    unknown = {point.window.counts.n > 0 for point in points if _is_unknown(point)}
    words = {
        "cross: outside bounds, open: uncertain, filled: within": points[0].metric.name
        in watched.bands,
        "gray x: undefined": True in unknown,
        "gray dot: no people": False in unknown,
    }
    marks = ", ".join(text for text, shown in words.items() if shown)
    return [marks[0].upper() + marks[1:]] if marks else []


def _label_times(ax: "Axes", points: list[Point]) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

    first, last = points[0].window.start, points[-1].window.end
    if first == last:  # one batch is an instant
        first, last = first - _AROUND, last + _AROUND
    ax.set_xlim(first, last)  # type: ignore[arg-type]
    locator = AutoDateLocator(minticks=3, maxticks=8)  # type: ignore[no-untyped-call]
    ax.xaxis.set_major_locator(locator)
    ax.xaxis.set_major_formatter(ConciseDateFormatter(locator, show_offset=False))  # type: ignore[no-untyped-call]


def _draw_bounds(ax: "Axes", bound: Range | None) -> None:
    if bound is None:
        return
    # Away from one another, since bounds may be near.
    one = not all(map(math.isfinite, bound))
    for end, name, side in zip(bound, ("lowest", "highest"), ("top", "bottom"), strict=True):
        if math.isfinite(end):
            ax.axhline(end, color=VERMILLION, linestyle="--", linewidth=1)
            write(
                ax,
                1.01,
                end,
                f"{name} {show_number(end)}",
                transform=ax.get_yaxis_transform(),
                color=VERMILLION,
                fontsize=SMALL,
                va="center" if one else side,
            )


def _draw_point(ax: "Axes", point: Point, verdict: str | None) -> None:
    interval, window = point.interval, point.window
    middle: Any = window.start + (window.end - window.start) / 2
    if _is_unknown(point):
        marker = "x" if point.window.counts.n else "."
        style = {"color": GRAY, "marker": marker, "markersize": 4, "clip_on": False}
        ax.plot([middle], [0.0], transform=ax.get_xaxis_transform(), **style)  # type: ignore[arg-type]
        return
    marker, color, filled = _MARKS.get(verdict, _MARKS[None])
    if math.isfinite(interval.low) and math.isfinite(interval.high):
        ax.plot([middle, middle], [interval.low, interval.high], color=color, linewidth=1.2)
    ax.plot(
        [middle],
        [interval.estimate],
        marker=marker,
        color=color,
        markerfacecolor=color if filled else "white",
        markersize=6 if marker == "o" else 8,
        markeredgecolor=color if marker == "o" else "white",
    )
