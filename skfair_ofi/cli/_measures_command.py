"""``skfair-ofi measures``: the registry as a table."""

import argparse
import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import pandas as pd

from skfair_ofi._text import show_limits
from skfair_ofi.metrics import METRICS, Metric, get_metric
from skfair_ofi.report import NONE, Cell, Document, Report, Row, Section, Table

from ._shared import add_format, show_report, translate_errors

HELP = "list every measure: name, symbol, ideal, default bands, source"
DESCRIPTION = """\
List every measure that the package knows, or those that are named. Rates are of one
group, comparisons are between groups.
"""
EXAMPLES = """\
examples:
  skfair-ofi measures
  skfair-ofi measures DI flip_rate
  skfair-ofi measures --family flip --kind comparison
  skfair-ofi measures --format markdown > measures.md
"""
_COLUMNS = ("Measure", "Symbol", "Kind", "Ideal", "Acceptable", "Moderate", "Source")
_NAMES = ("name", "symbol", "kind", "family")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="the name or symbol of a measure, such as DI"
    )
    parser.add_argument("--kind", choices=("rate", "comparison"), help="only measures of this kind")
    parser.add_argument(
        "--family",
        choices=("label", "flip", "score"),
        help="only measures of labels, of flips or of scores",
    )
    add_format(parser)


def _list_bands(metric: Metric) -> list[tuple[float, float] | None]:
    bands = metric.bands
    return [None, None] if bands is None else [bands.acceptable, bands.moderate]


class MeasuresReport(Report):
    """What the registry says of measures."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = metrics

    def document(self) -> Document:
        """Return a table for each family, with what each measure is below its name."""
        families = dict.fromkeys(metric.family for metric in self.metrics)
        return Document("Measures", (), tuple(map(self._build_section, families)))

    def _build_section(self, family: str) -> Section:
        rows = [_make_row(metric) for metric in self.metrics if metric.family == family]
        title = f"Measures of {family}s"
        return Section(title, (), (Table(title, _COLUMNS, tuple(rows), _COLUMNS),))

    def payload(self) -> list[dict[str, Any]]:
        """Return a list of one object a measure."""
        names = (*_NAMES, "roles", "ideal", "bounds")
        return [
            {
                **{name: getattr(metric, name) for name in names},
                **dict(zip(("acceptable", "moderate"), _list_bands(metric), strict=True)),
                "source": metric.source,
                "summary": metric.summary,
            }
            for metric in self.metrics
        ]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a measure, with the numbers of the bands in columns of their own."""
        ends = {
            "bounds": ("lowest", "highest"),
            "acceptable": ("acceptable_from", "acceptable_to"),
            "moderate": ("moderate_from", "moderate_to"),
        }
        frame = pd.DataFrame(self.payload(), columns=[*_NAMES, "ideal", *ends, "source", "summary"])
        for name, columns in ends.items():
            for place, column in enumerate(columns):
                frame[column] = [pair[place] if pair else math.nan for pair in frame[name]]
        return frame[[*_NAMES, "ideal", *chain(*ends.values()), "source", "summary"]]


def _make_row(metric: Metric) -> Row:
    bands = [show_limits(ends, metric.bounds) if ends else NONE for ends in _list_bands(metric)]
    ideal = NONE if metric.ideal is None else f"{metric.ideal:.6g}"
    known = (metric.name, metric.symbol, metric.kind, ideal, *bands)
    return Row(tuple(map(Cell, (*known, metric.source or NONE))), metric.summary)


def run(arguments: argparse.Namespace) -> None:
    """Print the measures."""
    with translate_errors():
        named = dict.fromkeys(get_metric(name, parameter="NAME") for name in arguments.names)
    chosen = [
        metric
        for metric in named or METRICS.values()
        if arguments.kind in (None, metric.kind) and arguments.family in (None, metric.family)
    ]
    show_report(MeasuresReport(chosen), arguments.format)
