"""``skfair-ofi measures``: the registry as a table."""

import argparse
import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from skfair_ofi.metrics import METRICS, Metric

from ._console import NONE, Screen

_EXAMPLES = """\
examples:
  skfair-ofi measures
  skfair-ofi measures --family flip --kind comparison
  skfair-ofi measures --format markdown > measures.md
"""
_TITLES = ("Measure", "Symbol", "Kind", "Of", "Ideal", "Acceptable", "Moderate", "Source")


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the sub-command to the program."""
    parser = commands.add_parser(
        "measures",
        help="list every measure: name, symbol, ideal, default bands, source",
        description="List every measure that the package knows. Rates are of one group, "
        "comparisons are between groups.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--kind", choices=("rate", "comparison"), help="only measures of this kind")
    parser.add_argument(
        "--family",
        choices=("label", "flip", "score"),
        help="only measures of labels, of flips or of scores",
    )
    parser.add_argument(
        "--format", choices=tuple(_FORMATS), default="table", help="default: %(default)s"
    )
    parser.set_defaults(run=run)


def _number(value: float) -> str:
    return f"{value:.6g}"


def _band(metric: Metric, name: Literal["acceptable", "moderate"]) -> tuple[float, float] | None:
    band: tuple[float, float] | None = getattr(metric.bands, name, None)
    return band


def _range(metric: Metric, band: tuple[float, float] | None) -> str:
    """A band in words, without the half that the measure cannot reach."""
    if band is None:
        return NONE
    low, high = (_number(limit) for limit in band)
    if band[0] <= metric.bounds[0]:
        return f"up to {high}"
    return f"from {low}" if band[1] >= metric.bounds[1] else f"{low} to {high}"


def _row(metric: Metric) -> tuple[str, ...]:
    return (
        metric.name,
        metric.symbol,
        metric.kind,
        f"{metric.family}s",
        NONE if metric.ideal is None else _number(metric.ideal),
        _range(metric, _band(metric, "acceptable")),
        _range(metric, _band(metric, "moderate")),
        metric.source or NONE,
    )


def to_table(metrics: Iterable[Metric]) -> str:
    """Show the measures, and return no text."""
    Screen().table(_TITLES, [_row(metric) for metric in metrics])
    return ""


def to_markdown(metrics: Iterable[Metric]) -> str:
    """Return the measures as a table of Markdown, with what each of them is."""
    titles = (*_TITLES[:2], "What it is", *_TITLES[4:])
    rows = [_markdown_row(metric) for metric in metrics]
    used = [place for place in range(len(titles)) if any(row[place] != NONE for row in rows)]
    lines = [titles, ["---"] * len(titles), *rows]
    return "".join(f"| {' | '.join(line[place] for place in used)} |\n" for line in lines)


def _markdown_row(metric: Metric) -> tuple[str, ...]:
    name, symbol, _, _, *rest = (cell.replace("|", "\\|") for cell in _row(metric))
    return (f"`{name}`", symbol, metric.summary, *rest)


def _finite(band: tuple[float, float] | None) -> list[float | None] | None:
    """A band for JSON, where no limit is null."""
    return band and [limit if math.isfinite(limit) else None for limit in band]


def _record(metric: Metric) -> dict[str, Any]:
    return {
        "name": metric.name,
        "symbol": metric.symbol,
        "kind": metric.kind,
        "family": metric.family,
        "roles": list(metric.roles),
        "ideal": metric.ideal,
        "bounds": _finite(metric.bounds),
        "acceptable": _finite(_band(metric, "acceptable")),
        "moderate": _finite(_band(metric, "moderate")),
        "source": metric.source,
        "summary": metric.summary,
    }


def to_json(metrics: Iterable[Metric]) -> str:
    """Return the measures as a list of JSON objects; a bound that is infinite is null."""
    records = [_record(metric) for metric in metrics]
    return json.dumps(records, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def to_csv(metrics: Iterable[Metric]) -> str:
    """Return the measures as CSV, with the numbers of the bands in columns of their own."""
    titles = (
        *("name", "symbol", "kind", "family", "ideal", "lowest", "highest"),
        *("acceptable_from", "acceptable_to", "moderate_from", "moderate_to", "source", "summary"),
    )
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(titles)
    for metric in metrics:
        writer.writerow(_csv_row(metric))
    return text.getvalue()


def _csv_row(metric: Metric) -> Sequence[Any]:
    acceptable = _band(metric, "acceptable") or ("", "")
    moderate = _band(metric, "moderate") or ("", "")
    known = (metric.name, metric.symbol, metric.kind, metric.family, metric.ideal)
    return (*known, *metric.bounds, *acceptable, *moderate, metric.source, metric.summary)


_FORMATS: dict[str, Callable[[Iterable[Metric]], str]] = {
    "table": to_table,
    "markdown": to_markdown,
    "json": to_json,
    "csv": to_csv,
}


def run(arguments: argparse.Namespace) -> None:
    """Print the measures."""
    chosen = [
        metric
        for metric in METRICS.values()
        if arguments.kind in (None, metric.kind) and arguments.family in (None, metric.family)
    ]
    print(_FORMATS[arguments.format](chosen), end="")
