"""Colors, axes and inert text that the plots share.

Matplotlib is imported where a figure is made. Colors are those of Okabe and Ito,
which readers with any common color vision tell apart; words stand beside them.
"""

import io
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ._text import shorten, strip_isolates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Matplotlib's settings are those of the process: two threads must not restore each other's.
_SETTINGS = threading.Lock()
_ID = re.compile(rb'(?<=id=")[^"]+|(?<=url\(#)[^)]+|(?<=href="#)[^"]+')
BLUE, VERMILLION, INK, GRAY, RULE = "#0072B2", "#D55E00", "#1b1f24", "#5b6470", "#d4d9df"
ZONES = {"within bounds": "#cfe6f4", "moderate": "#faefb8", "outside bounds": "#f5cdb6"}
SIZE, SMALL = 9.0, 7.5
# for scripts that matplotlib's own font lacks, where the machine has them
_FALLBACKS = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans JP", "Noto Sans SC", "Noto Sans KR"),
    *("Source Han Sans", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Arial Unicode MS"),
    *("Yu Gothic", "Microsoft YaHei", "Malgun Gothic", "Hiragino Sans", "PingFang SC"),
    *("Apple SD Gothic Neo", "Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Tamil"),
    *("Noto Sans Thai", "Noto Sans Ethiopic", "Nirmala UI", "Leelawadee UI", "Ebrima"),
)
_NAME_WIDTH = 24
_TITLE_PAD, _HEAD_PAD = 22, 3


def list_fonts(fallbacks: Iterable[str] = _FALLBACKS) -> list[str]:
    """Return the user's font families, then those at hand that know other scripts."""
    import matplotlib as mpl
    from matplotlib.font_manager import fontManager

    installed = {font.name for font in fontManager.ttflist}
    return [*mpl.rcParams["font.family"], *(name for name in fallbacks if name in installed)]


def get_text_style() -> dict[str, Any]:
    """Return properties that show text as it is."""
    return {"parse_math": False, "usetex": False, "fontfamily": list_fonts()}


def make_axes(width: float, height: float, count: int = 1) -> "list[Axes]":
    """Return axes of a new pyplot figure, side by side."""
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, count, figsize=(width, height), layout="constrained", squeeze=False)
    return list(axes[0])


def write(ax: "Axes", x: float, y: float, text: str, **style: Any) -> None:
    """Write text as it is."""
    given = {"fontsize": SIZE, "color": INK, "va": "center", **style}
    ax.text(x, y, strip_isolates(text), **get_text_style(), **given)


def name_rows(ax: "Axes", names: Sequence[str]) -> None:
    """Name the rows of a plot, the first on top."""
    shown = [strip_isolates(name) for name in names]
    ax.set_yticks(range(len(shown)), shown, fontsize=SIZE, color=INK, **get_text_style())
    ax.set_ylim(len(shown) - 0.5, -0.5)
    ax.tick_params(length=0)


def shorten_names(names: Sequence[str], width: int = _NAME_WIDTH) -> tuple[str, ...]:
    """Return names short enough for a plot, still no two alike."""
    return shorten([strip_isolates(name) for name in names], width)


def clear_frame(ax: "Axes", title: str, *, headed: bool = True) -> None:
    """Take the frame off axes and put a title above, at the left."""
    for spine in ax.spines.values():
        spine.set_visible(False)
    style: dict[str, Any] = {"fontsize": SIZE + 1.5, "fontweight": "bold", "color": INK}
    ax.set_title(title, loc="left", pad=_TITLE_PAD if headed else 8, **get_text_style(), **style)


def head(ax: "Axes", x: float, text: str, **style: Any) -> None:
    """Write a word above the axes."""
    given = {"fontsize": SMALL, "color": INK, "va": "bottom", "ha": "center", **style}
    # in points, as the title above is: a share of tall axes would reach into the title
    ax.annotate(
        strip_isolates(text),
        (x, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=(0, _HEAD_PAD),
        textcoords="offset points",
        **get_text_style(),
        **given,
    )


def strip(ax: "Axes", row: int, edges: Iterable[tuple[float, float, str]]) -> None:
    """Color parts of a row."""
    for start, end, color in edges:
        ax.barh(row, end - start, left=start, height=0.46, color=color, linewidth=0)


def whisker(
    ax: "Axes", y: float, ends: tuple[float, float], edges: tuple[float, float], **style: Any
) -> None:
    """Draw an interval as a thin line, which goes on where it has no tick at its end."""
    given: dict[str, Any] = {"linewidth": 1.1, "color": INK, "solid_capstyle": "butt", **style}
    drawn = [max(edges[0], min(edges[1], end)) for end in ends]
    ax.plot(drawn, [y, y], **given)
    known = [end for end in ends if edges[0] <= end <= edges[1]]
    ticks = {**given, "linewidth": 0, "marker": "|", "markersize": 5, "markeredgewidth": 1.1}
    ax.plot(known, [y] * len(known), **ticks)


def explain_whiskers(ax: "Axes", text: str) -> None:
    """Say below the axes what the thin lines are."""
    style: dict[str, Any] = {"fontsize": SMALL, "color": GRAY, "loc": "left"}
    ax.set_xlabel(text, **get_text_style(), **style)


@contextmanager
def silence_glyphs() -> "Iterator[None]":
    """Keep quiet about characters that the fonts at hand lack."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        warnings.filterwarnings(
            "ignore", message="Matplotlib currently does not support", category=UserWarning
        )
        yield


def make_figure(size: tuple[float, float]) -> "Figure":
    """Return a figure that no window and no pyplot knows of."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def _number_ids(content: bytes) -> bytes:
    """Number the ids of an SVG: matplotlib hashes positions, whose last digits vary by run."""
    known: dict[bytes, bytes] = {}
    return _ID.sub(lambda found: known.setdefault(found[0], b"i%d" % len(known)), content)


def save_figure(make: "Callable[[], Figure]", kind: str) -> bytes:
    """Return a figure as a file, the same bytes each time, whatever the user's settings are."""
    import matplotlib as mpl

    target = io.BytesIO()
    with _SETTINGS, mpl.rc_context(), silence_glyphs():
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "skfair_ofi"})
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        make().savefig(target, format=kind, dpi=150, metadata=metadata)
    return _number_ids(target.getvalue()) if kind == "svg" else target.getvalue()
