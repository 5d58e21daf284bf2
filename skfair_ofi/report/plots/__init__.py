"""The displays of a report, and all of them on one page."""

from ._base import AxesDisplay, Display
from ._fairness import BeforeAfterDisplay
from ._flips import FlipsDisplay
from ._measures import FlipMeasuresDisplay
from ._page import draw_page
from ._pairs import PairwiseDisplay

__all__ = [
    "AxesDisplay",
    "BeforeAfterDisplay",
    "Display",
    "FlipMeasuresDisplay",
    "FlipsDisplay",
    "PairwiseDisplay",
    "draw_page",
]
