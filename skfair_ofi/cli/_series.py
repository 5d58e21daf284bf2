"""The series of a journal as a report."""

import math
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pandas as pd

from skfair_ofi._text import show_count, show_key, show_number, show_range
from skfair_ofi.inference import Interval
from skfair_ofi.metrics import METRICS
from skfair_ofi.monitoring import Point, SeriesDisplay, WatchResult
from skfair_ofi.report import NONE, Cell, Document, Figure, Report, Row, Section, Table

if TYPE_CHECKING:
    import matplotlib.figure

SCHEMA = "skfair_ofi/series/2"


class SeriesReport(Report):
    """The series of a journal, with what to know of it: its file, and whose labels are read."""

    pictures = (".png", ".svg")

    def __init__(self, watched: WatchResult, name: str, *, before: bool) -> None:
        self.watched = watched
        self.name = name
        self.before = before

    @property
    def facts(self) -> dict[str, str]:
        """What to know before any number."""
        watched = self.watched
        first = watched.points[0]
        counts = first.window.counts
        people = sum(
            point.window.counts.n for point in watched.points if point.metric is first.metric
        )
        predicted = self.before or "y_corrected" not in counts.roles
        intervals = f"{100 * watched.level_of_each:.6g}% confidence each."
        if watched.bands and watched.adjust == "bonferroni":
            intervals += (
                f" {watched.looks} are judged, and share a chance of "
                f"{100 * (1 - watched.level):.4g}% of any false alarm (Bonferroni; --adjust none "
                "turns it off)."
            )
        elif watched.bands:
            intervals += f" {watched.looks} are judged, without allowing for their number."
        return {
            "Journal": self.name,
            "People": show_count(people),
            "Favorable label": show_key(counts.labels[1]),
            "Labels": "as predicted" if predicted else "as corrected",
            "Times": "UTC",
            "Intervals": intervals,
        }

    def document(self) -> Document:
        """Return a table and a plot for each measure."""
        display = SeriesDisplay(self.watched)
        sections = [self._build_section(display, name) for name in display.measures]
        return Document("Series of outcomes", tuple(self.facts.items()), tuple(sections))

    def _build_section(self, display: SeriesDisplay, name: str) -> Section:
        bound = self.watched.bands.get(name)
        words = f", bounds: {show_range(*bound)}" if bound else ""
        points = [point for point in self.watched.points if point.metric.name == name]
        changes = points[0].change is not None
        columns: tuple[str, ...] = ("Window", "People", "Value", "Interval")
        columns += ("Change", "Its interval") if changes else ()
        figure = Figure(
            partial(display.draw, measure=name),
            display.size,
            f"{name} by window, with intervals; the table has the numbers.",
        )
        table = Table(f"{name} by window", columns, tuple(self._make_rows(points)))
        return Section(f"{name} ({METRICS[name].symbol}{words})", (), (table,), figures=(figure,))

    def _make_rows(self, points: Sequence[Point]) -> list[Row]:
        """A row a window, and one for windows without anyone that follow one another."""
        rows = []
        for empty, run in groupby(points, lambda point: not point.window.counts.n):
            same = list(run)
            shown = same[:1] if empty else same
            rows += [self._make_row(point, len(same) if empty else 1) for point in shown]
        return rows

    def _make_row(self, point: Point, windows: int) -> Row:
        people = point.window.counts.n
        value = Cell(_show_estimate(point.interval), self.watched.verdict(point))
        cells = [value, Cell(_show_ends(point.interval, people))]
        if point.change is not None:
            cells += [Cell(_show_estimate(point.change)), Cell(_show_ends(point.change, people))]
        time = f"{point.window.start:%Y-%m-%d %H:%M}"
        name = Cell(f"{time}, {windows:,} windows" if windows > 1 else time)
        return Row((name, Cell(show_count(people)), *cells))

    def payload(self) -> dict[str, Any]:
        """Return one record a measure and window."""
        watched = self.watched
        frame = watched.frame.assign(
            start=[point.window.start.isoformat() for point in watched.points],
            end=[point.window.end.isoformat() for point in watched.points],
        )
        return {
            "schema": SCHEMA,
            "notes": [f"{term}: {text}" for term, text in self.facts.items()],
            "level": watched.level,
            "level_of_each": watched.level_of_each,
            "adjust": watched.adjust,
            "exit_code": watched.exit_code,
            "series": frame.astype(object).to_dict("records"),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row a measure and window."""
        return self.watched.frame

    def draw(self) -> "matplotlib.figure.Figure":
        """Return the plots of all measures."""
        return SeriesDisplay(self.watched).figure()


def _show_estimate(interval: Interval) -> str:
    return NONE if math.isnan(interval.estimate) else show_number(interval.estimate)


def _show_ends(interval: Interval, people: float) -> str:
    if math.isnan(interval.low):
        return (interval.note or NONE) if people else "no people"
    return show_range(interval.low, interval.high)
