"""One picture of two corrections: whom each of them flipped."""

from collections.abc import Sequence
from pathlib import Path

from skfair_ofi.report import FlipsDisplay

from ._correction import Correction

_WIDTH, _HEIGHT, _DOTS = 4.9, 3.9, 130


def save_picture(corrections: Sequence[Correction], path: Path) -> None:
    """Draw the flips of some corrections side by side, with one scale."""
    from matplotlib.figure import Figure

    size = _WIDTH * len(corrections), _HEIGHT
    figure = Figure(figsize=size, dpi=_DOTS, layout="constrained")
    panels = figure.subplots(1, len(corrections), squeeze=False)[0]
    for axes, correction in zip(panels, corrections, strict=True):
        FlipsDisplay.from_summary(correction.summary).draw(axes)
        # above the words that say which side is which
        axes.set_title(
            f"{correction.name} ({correction.library})",
            loc="left",
            pad=22,
            fontsize=10.5,
            fontweight="bold",
        )
    reach = max(axes.get_xlim()[1] for axes in panels)
    for axes in panels:
        axes.set_xlim(-reach, reach)
    figure.savefig(path)
