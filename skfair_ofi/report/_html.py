"""A summary as HTML: one fragment with its own style, alone in a notebook or inside a page."""

import hashlib
from functools import cache
from typing import TYPE_CHECKING

from ._document import sections
from ._json import to_json
from ._parts import PairTable
from ._plot_fairness import BeforeAfterDisplay
from ._plot_flips import FlipsDisplay
from ._plot_measures import FlipMeasuresDisplay
from ._plot_pairs import PairwiseDisplay
from ._plots import AxesDisplay
from ._summary import Summary
from ._svg import inline_svg

if TYPE_CHECKING:
    from jinja2 import Environment

# class of the chip and sign before the word, by verdict or outcome
_CHIPS = {
    "acceptable": ("good", "✓"),
    "within bounds": ("good", "✓"),
    "accept": ("good", "✓"),
    "moderate": ("middling", "!"),
    "uncertain": ("middling", "?"),
    "review": ("middling", "!"),
    "disproportionate": ("bad", "✕"),
    "outside bounds": ("bad", "✕"),
    "change the correction": ("bad", "✕"),
    "change the model": ("bad", "✕"),
}
_FIGURES: dict[str, type[AxesDisplay]] = {
    "fairness": BeforeAfterDisplay,
    "flips": FlipsDisplay,
    "measures": FlipMeasuresDisplay,
}
_LABELS = {
    "fairness": "Fairness measures before and after the correction; the table has the numbers.",
    "flips": "Bars of who gained and who lost the favorable label; the table has the numbers.",
    "measures": "Flip measures in the zones of their verdicts; the table has the numbers.",
}


def _chip(verdict: str) -> tuple[str, str]:
    return _CHIPS.get(verdict, ("unknown", "?" if verdict == "undefined" else "–"))


def _pair_figure(display: PairwiseDisplay, table: PairTable, prefix: str) -> str:
    label = f"{table.symbol} between all pairs of groups, {table.when} the correction."
    return inline_svg(
        lambda ax: display.draw_table(ax, table), display.size, prefix=prefix, label=label
    )


def _figures(summary: Summary, prefix: str) -> dict[str, list[str]]:
    """SVG elements by the section they stand in."""
    figures = {
        key: [inline_svg(display.draw, display.size, prefix=f"{prefix}-{key}", label=_LABELS[key])]
        for key, kind in _FIGURES.items()
        for display in (kind.from_summary(summary),)
    }
    pairs = PairwiseDisplay.from_summary(summary)
    figures["pairs"] = [
        _pair_figure(pairs, table, f"{prefix}-pairs{place}")
        for place, table in enumerate(summary.pairs)
    ]
    return figures


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("skfair_ofi.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["chip"] = _chip
    return environment


def to_fragment(summary: Summary, *, level: int = 3) -> str:
    """Return a summary as an HTML element with its own style, for a notebook."""
    prefix = "s" + hashlib.sha256(to_json(summary, indent=None).encode()).hexdigest()[:8]
    template = _environment().get_template("fragment.html.j2")
    return template.render(
        summary=summary,
        sections=sections(summary),
        figures=_figures(summary, prefix),
        prefix=prefix,
        level=level,
    )


def to_html(summary: Summary) -> str:
    """Return a summary as one self-contained page."""
    page = _environment().get_template("page.html.j2")
    return page.render(summary=summary, fragment=to_fragment(summary, level=1))
