"""The series of a journal on the screen, and as Markdown, HTML, JSON and CSV."""

import json
import math
from collections.abc import Callable, Sequence
from html import escape
from itertools import groupby
from typing import Any

from skfair_ofi._text import escape_markdown, show_count, show_number, show_range
from skfair_ofi.metrics import METRICS
from skfair_ofi.monitoring import Point, SeriesDisplay, WatchResult
from skfair_ofi.report import show_key
from skfair_ofi.report._svg import inline_svg

from ._console import NONE, Screen


def facts(watched: WatchResult, name: str, *, before: bool) -> list[str]:
    """Return what to know of a series, in sentences."""
    counts = watched.points[0].window.counts
    held = sum(point.window.counts.n for point in watched.points if _is_first(point, watched))
    labels = "predicted" if before or "y_corrected" not in counts.roles else "corrected"
    who = f"{name}: {show_count(held)} people. Favorable label: {show_key(counts.labels[1])}."
    what = f"Measures of labels are of {labels} ones. Times are UTC."
    intervals = f"Intervals: {100 * watched.level_of_each:.6g}% confidence each."
    if watched.bands and watched.adjust == "bonferroni":
        intervals += (
            f" {watched.looks} are judged, and share a chance of {100 * (1 - watched.level):.4g}% "
            "of any false alarm (Bonferroni; --adjust none turns it off)."
        )
    elif watched.bands:
        intervals += f" {watched.looks} are judged, without allowing for their number."
    return [f"{who} {what}", intervals]


def _is_first(point: Point, watched: WatchResult) -> bool:
    return point.metric is watched.points[0].metric


def _time(point: Point) -> str:
    return f"{point.window.start:%Y-%m-%d %H:%M}"


def _titles(watched: WatchResult) -> list[str]:
    titles = ["Window", "People", "Value", "Interval"]
    titles += ["Change", "Its interval"] if watched.points[0].change is not None else []
    return [*titles, "Verdict"]


def _row(point: Point, watched: WatchResult) -> list[str]:
    def shown(interval: Any) -> list[str]:
        known = not math.isnan(interval.low)
        why = (interval.note or NONE) if point.window.counts.n else "no people"
        ends = show_range(interval.low, interval.high) if known else why
        return [show_number(interval.estimate) if not math.isnan(interval.estimate) else NONE, ends]

    change = [] if point.change is None else shown(point.change)
    verdict = watched.verdict(point) or NONE
    return [
        _time(point),
        show_count(point.window.counts.n),
        *shown(point.interval),
        *change,
        verdict,
    ]


def _is_empty(point: Point) -> bool:
    return not point.window.counts.n


def _folded_rows(points: Sequence[Point], watched: WatchResult) -> list[list[str]]:
    """A row a window, and one for windows without anyone that follow one another."""
    rows = []
    for empty, run in groupby(points, _is_empty):
        same = list(run)
        if empty and len(same) > 1:
            first = _row(same[0], watched)
            rows.append([f"{first[0]}, {len(same):,} windows", *first[1:]])
        else:
            rows += [_row(point, watched) for point in same]
    return rows


def _rows(points: Sequence[Point], watched: WatchResult) -> list[list[str]]:
    return [_row(point, watched) for point in points]


def _tables(
    watched: WatchResult, rows_of: Callable[[Sequence[Point], WatchResult], list[list[str]]] = _rows
) -> list[tuple[str, list[list[str]]]]:
    """A caption and rows for each measure."""
    tables: list[tuple[str, list[list[str]]]] = []
    for metric in dict.fromkeys(point.metric.name for point in watched.points):
        bound = watched.bands.get(metric)
        words = f", bounds: {show_range(*bound)}" if bound else ""
        caption = f"{metric} ({METRICS[metric].symbol}{words})"
        points = [point for point in watched.points if point.metric.name == metric]
        tables.append((caption, rows_of(points, watched)))
    return tables


def to_markdown(watched: WatchResult, said: Sequence[str]) -> str:
    """Return the series as Markdown."""
    titles = _titles(watched)
    parts = [escape_markdown(line) for line in said]
    for caption, rows in _tables(watched):
        lines = [titles, ["---"] * len(titles)]
        lines += [[escape_markdown(cell) for cell in row] for row in rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts += [f"## {escape_markdown(caption)}", table]
    return "\n\n".join(parts) + "\n"


def _figure(display: SeriesDisplay, place: int) -> str:
    name = display.measures[place]
    return inline_svg(
        lambda ax: display.draw(ax, name),
        display.size,
        prefix=f"series-{place}",
        label=f"{name} by window",
    )


def to_html(watched: WatchResult, said: Sequence[str]) -> str:
    """Return the series as one page, with its plot."""
    display = SeriesDisplay(watched)
    parts = [f"<p>{escape(line)}</p>" for line in said]
    parts += [_figure(display, place) for place in range(len(display.measures))]
    for caption, rows in _tables(watched):
        head, *body = (
            "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row)
            for tag, row in [("th", _titles(watched)), *(("td", row) for row in rows)]
        )
        lines = "\n".join(f"<tr>{row}</tr>" for row in [head, *body])
        parts.append(f"<table>\n<caption>{escape(caption)}</caption>\n{lines}\n</table>")
    style = "body{font-family:sans-serif;max-width:60em;margin:auto;padding:1em}"
    style += "td,th{padding:.2em .8em;text-align:left}caption{font-weight:bold;text-align:left}"
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f"<title>Series of outcomes</title><style>{style}</style></head>\n<body>\n"
        "<h1>Series of outcomes</h1>\n" + "\n".join(parts) + "\n</body>\n</html>\n"
    )


def to_json(watched: WatchResult, said: Sequence[str]) -> str:
    """Return the series as strict JSON: one record a measure and window."""
    frame = watched.frame.assign(
        start=[point.window.start.isoformat() for point in watched.points],
        end=[point.window.end.isoformat() for point in watched.points],
    )
    content = {
        "schema": "skfair_ofi/series/1",
        "notes": list(said),
        "level": watched.level,
        "level_of_each": watched.level_of_each,
        "adjust": watched.adjust,
        "exit_code": watched.exit_code,
        "series": [
            {name: _plain(value) for name, value in row.items()}
            for row in frame.astype(object).to_dict("records")
        ],
    }
    return json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    """A value for JSON: undefined and infinite as null and words."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else show_number(value)
    return value


def to_csv(watched: WatchResult, _: Sequence[str]) -> str:
    """Return the series as CSV: one row a measure and window."""
    text: str = watched.frame.to_csv(index=False, lineterminator="\n")
    return text


def show_series(watched: WatchResult, said: Sequence[str]) -> None:
    """Show the series on the screen, windows without anyone that follow one another in one row."""
    screen = Screen()
    for line in said:
        screen.prose(line)
    numbers = range(1, 3)
    for caption, rows in _tables(watched, _folded_rows):
        screen.heading(caption)
        screen.table(_titles(watched), rows, numbers=numbers)


RENDERERS: dict[str, Callable[[WatchResult, Sequence[str]], str]] = {
    "markdown": to_markdown,
    "html": to_html,
    "json": to_json,
    "csv": to_csv,
}
