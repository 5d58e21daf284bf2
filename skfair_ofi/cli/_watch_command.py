"""``skfair-ofi watch``: the series of a journal of outcomes, against bounds."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from skfair_ofi._text import printable, show_count, show_key, show_number, show_range
from skfair_ofi.inference import Interval
from skfair_ofi.metrics import METRICS
from skfair_ofi.monitoring import OutcomeJournal, Point, SeriesDisplay, WatchResult
from skfair_ofi.report import NONE, Cell, Document, Figure, Report, Row, Section, Table

from ._shared import (
    InputError,
    add_format,
    add_list,
    add_privileged,
    check_target,
    collect_warnings,
    find_privileged,
    show_report,
    translate_errors,
    translate_write_errors,
)

if TYPE_CHECKING:
    import matplotlib.figure

HELP = "show how measures move in a journal of outcomes, and whether bounds are crossed"
DESCRIPTION = """\
Show how measures of a deployed classifier move, from a journal of outcomes (see
OutcomeJournal), by windows of time, with confidence intervals; and say whether one
of them is outside its bounds with certainty, which is where its whole interval is.
"""
EXAMPLES = """\
examples:
  skfair-ofi watch outcomes.jsonl
  skfair-ofi watch outcomes.jsonl --bound flip_rate=0.2 --every 7D --plot flips.png
  skfair-ofi watch outcomes.jsonl --bound OFI=-0.1..0.1 --privileged White \\
      --since 2026-03-01 --reference 4

NAME is the name of a measure or its symbol, such as DI. A bound is NAME=VALUE: the
distance from an ideal of 0, a ratio that is taken both ways (0.8 is 0.8 to 1.25), or
the worst value of a rate; or NAME=LOW..HIGH, of which one may be left out; or NAME
alone, for the measure's own acceptable range. Times without a zone are UTC.

exit codes: 0 nothing outside its bounds with certainty, 1 something is, 3 nothing is
and some of it is undefined, 2 input that cannot be used. Windows without anyone are
not judged, unless all are.
"""
# What the parameters of ``OutcomeJournal.watch`` are called here.
_NAMES = ("every", "level", "privileged", "reference", "since", "until")
_OPTIONS = {"bands": "--bound", "measures": "--measure", **{name: f"--{name}" for name in _NAMES}}
_SCHEMA = "skfair_ofi/series/2"


def _show_estimate(interval: Interval) -> str:
    return NONE if math.isnan(interval.estimate) else show_number(interval.estimate)


def _show_ends(interval: Interval, people: float) -> str:
    if math.isnan(interval.low):
        return (interval.note or NONE) if people else "no people"
    return show_range(interval.low, interval.high)


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
            "schema": _SCHEMA,
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


def _parse_bound(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    low, dots, high = value.partition("..")
    try:
        if not equals:
            return name, None
        if dots:
            return name, tuple(float(end) if end else None for end in (low, high))
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be NAME=VALUE, NAME=LOW..HIGH or NAME, got {text!r}"
        ) from None


def _parse_time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be a date or time in ISO 8601, got {text!r}"
        ) from None
    return found if found.utcoffset() is not None else found.replace(tzinfo=UTC)


def _parse_length(text: str) -> str | int:
    return int(text) if text.isascii() and text.isdigit() else text


def _parse_tag(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name, value


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="LOG", help="a journal of outcomes")
    shown = parser.add_argument_group("what is shown")
    _add_windows(shown)
    _add_choice(shown)
    _add_judging(parser.add_argument_group("what is judged"))
    output = parser.add_argument_group("output")
    add_format(output)
    output.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help=f"draw the series in a file: {', '.join(SeriesReport.pictures)}",
    )
    output.add_argument("--force", action="store_true", help="overwrite the file of --plot")


def _add_windows(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--every",
        type=_parse_length,
        default="1D",
        metavar="LENGTH",
        help="length of a window, such as 15min, 6h, D, W or MS, or a number of batches "
        "(default: %(default)s)",
    )
    group.add_argument("--since", type=_parse_time, metavar="TIME", help="from when")
    group.add_argument("--until", type=_parse_time, metavar="TIME", help="until before when")
    add_list(
        group,
        "--tag",
        type=_parse_tag,
        metavar="NAME=VALUE",
        help="only lines with this tag, be it text or a number",
    )


def _add_choice(group: "argparse._ArgumentGroup") -> None:
    add_list(
        group,
        "--measure",
        metavar="NAME",
        help="the name or symbol of a measure, as in 'skfair-ofi measures'",
    )
    add_privileged(group)
    group.add_argument(
        "--before",
        action="store_true",
        help="let measures of labels read what the model predicted, not what people got",
    )
    group.add_argument(
        "--reference",
        type=int,
        metavar="N",
        help="show changes since the first N windows with people",
    )


def _add_judging(group: "argparse._ArgumentGroup") -> None:
    add_list(group, "--bound", type=_parse_bound, metavar="NAME=VALUE", help="see below")
    group.add_argument(
        "--level",
        type=float,
        default=0.95,
        help="confidence level of all judged intervals together (default: %(default)s)",
    )
    group.add_argument(
        "--adjust",
        choices=("bonferroni", "none"),
        default="bonferroni",
        help="whether the chance of a false alarm is divided among the intervals that are judged "
        "(default: %(default)s)",
    )


def _find_tags(arguments: argparse.Namespace, journal: OutcomeJournal) -> dict[str, Any]:
    """By name, the text that is given and all values of the journal that are written so."""
    texts = dict(arguments.tag)
    wanted: dict[str, list[Any]] = {name: [text] for name, text in texts.items()}
    for entry in journal.read()[0] if wanted else []:
        for name, value in entry.tags.items():
            if not isinstance(value, str) and json.dumps(value) == texts.get(name):
                wanted[name].append(value)
    return wanted


def _watch(arguments: argparse.Namespace) -> WatchResult:
    options: dict[str, Any] = {"since": arguments.since, "until": arguments.until}
    with collect_warnings() as warned, translate_errors(_OPTIONS):
        journal = OutcomeJournal(arguments.file)
        try:
            options["tags"] = _find_tags(arguments, journal)
            windows = journal.windows(arguments.every, **options)
        except OSError as error:
            shown = printable(str(journal.path))
            raise InputError(f"Cannot read {shown}: {error.strerror}.") from error
    for line in warned:
        print(f"skfair-ofi: {line}", file=sys.stderr)
    if not windows:
        raise InputError(f"No lines to measure in {printable(arguments.file.name)}.")
    privileged = find_privileged(arguments.privileged, windows[0].counts)
    with collect_warnings(), translate_errors(_OPTIONS):
        return journal.watch(
            arguments.measure or None,
            bands=dict(arguments.bound),
            every=arguments.every,
            level=arguments.level,
            adjust=arguments.adjust,
            privileged=privileged,
            when="before" if arguments.before else "after",
            reference=arguments.reference,
            **options,
        )


def run(arguments: argparse.Namespace) -> int:
    """Show the series, draw it, and say whether a bound is crossed."""
    path = arguments.plot
    if path is not None:
        check_target(
            path,
            [arguments.file],
            force=arguments.force,
            suffixes=SeriesReport.pictures,
            option="--plot",
        )
    watched = _watch(arguments)
    report = SeriesReport(watched, arguments.file.name, before=arguments.before)
    if path is not None:
        with translate_write_errors(path):
            report.save(path)
    show_report(report, arguments.format)
    return watched.exit_code
