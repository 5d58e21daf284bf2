"""The displays of a report, and all of them on one page."""

from ._base import AxesDisplay as AxesDisplay, Display as Display
from ._fairness import BeforeAfterDisplay as BeforeAfterDisplay
from ._flips import FlipsDisplay as FlipsDisplay
from ._measures import FlipMeasuresDisplay as FlipMeasuresDisplay
from ._page import draw_page as draw_page
from ._pairs import PairwiseDisplay as PairwiseDisplay

__all__ = ["BeforeAfterDisplay", "FlipMeasuresDisplay", "FlipsDisplay", "PairwiseDisplay"]
