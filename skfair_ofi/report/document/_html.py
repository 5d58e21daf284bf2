"""A report as HTML: one fragment with its own style, alone in a notebook or inside a page.

Figures are images by data URI, so that no style, id or script of theirs meets the page's.
"""

from base64 import b64encode
from functools import cache
from typing import TYPE_CHECKING

from skfair_ofi._plotting import make_figure, save_figure

from ._model import Document, Figure, get_tone

if TYPE_CHECKING:
    import matplotlib.figure
    from jinja2 import Environment

    from ._report import Report

_SIGNS = {"good": "✓", "middling": "!", "bad": "✕", "unknown": "–"}


def _get_sign(verdict: str) -> str:
    return "?" if verdict in ("undefined", "uncertain") else _SIGNS[get_tone(verdict)]


def _get_source(figure: Figure) -> str:
    """The picture as a data URI."""

    def make() -> "matplotlib.figure.Figure":
        made = make_figure(figure.size)
        figure.draw(made.subplots())
        return made

    return f"data:image/svg+xml;base64,{b64encode(save_figure(make, 'svg')).decode()}"


@cache
def _load_environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("skfair_ofi.report.document"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(tone=get_tone, sign=_get_sign, source=_get_source)
    return environment


def render_fragment(document: Document, *, level: int = 3) -> str:
    """Return a document as an HTML element with its own style, for a notebook."""
    template = _load_environment().get_template("fragment.html.j2")
    return template.render(document=document, level=level)


def render_html(report: "Report") -> str:
    """Return a report as one self-contained page."""
    document = report.document()
    page = _load_environment().get_template("page.html.j2")
    return page.render(document=document, fragment=render_fragment(document, level=1)) + "\n"
