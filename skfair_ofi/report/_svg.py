"""Figures as SVG to stand inside a page: text stays text, and nothing leaks out.

Matplotlib's SVG carries a style sheet that would reach the page around it, ids that
meet those of other figures, and metadata. All three go here, on the parsed tree, so
that a group's name is never taken for markup.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from skfair_ofi._plotting import make_figure, save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_REFERENCE = re.compile(r"(?<=url\(#)[^)]+")
_FONT = re.compile(r"font-family: [^;]*(; )?")
_NUMBER = re.compile(r"\d+\.\d{2,}")
_FONTS = "'DejaVu Sans', Verdana, system-ui, sans-serif"


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _without_decoration(root: ET.Element) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in ("metadata", "style"):
                parent.remove(child)


def _referenced(root: ET.Element) -> list[str]:
    """Ids that something refers to, in order: matplotlib's own differ from run to run."""
    found: dict[str, None] = {}
    for element in root.iter():
        for name, value in element.attrib.items():
            ids = [value[1:]] if _local(name) == "href" else _REFERENCE.findall(value)
            found.update(dict.fromkeys(ids))
    return list(found)


def _tidied(name: str, value: str, new_ids: dict[str, str]) -> str:
    """An attribute's value with new ids, inherited fonts, and numbers of two decimals."""
    if name == "id":
        return new_ids[value]
    if name == "href":
        return f"#{new_ids[value[1:]]}"
    renamed = _REFERENCE.sub(lambda match: new_ids[match[0]], _FONT.sub("", value))
    return _NUMBER.sub(lambda match: f"{float(match[0]):.2f}", renamed)


def _tidy(element: ET.Element, new_ids: dict[str, str]) -> None:
    """Rename ids and references, drop namespaces and ids that nothing refers to."""
    element.tag = _local(element.tag)
    given = {_local(name): value for name, value in element.attrib.items()}
    element.attrib.clear()
    for name, value in given.items():
        if name != "id" or value in new_ids:
            element.set(name, _tidied(name, value, new_ids))


def _tidy_tree(content: bytes, prefix: str) -> ET.Element:
    root = ET.fromstring(content)  # noqa: S314 - our own XML
    _without_decoration(root)
    new_ids = {old: f"{prefix}-{place}" for place, old in enumerate(_referenced(root))}
    for element in root.iter():
        _tidy(element, new_ids)
    root.set("font-family", _FONTS)
    return root


def inline_svg(
    draw: "Callable[[Axes], None]", size: tuple[float, float], *, prefix: str, label: str
) -> str:
    """Return a drawing as an SVG element for a page."""

    def make() -> "Figure":
        figure = make_figure(size)
        draw(figure.subplots())
        return figure

    root = _tidy_tree(save_figure(make, "svg"), prefix)
    box = root.get("viewBox", "")
    root.attrib.clear()
    root.set("viewBox", box)
    root.set("role", "img")
    root.set("aria-label", label)
    root.set("font-family", _FONTS)
    root.set(
        "style",
        f"width:100%;max-width:{96 * size[0]:.0f}px;stroke-linejoin:round;stroke-linecap:butt",
    )
    return ET.tostring(root, encoding="unicode")
