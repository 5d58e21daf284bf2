"""The displays of a report, and all of them on one page."""

from ._base import AxesDisplay as AxesDisplay, Display as Display
from ._pairs import PairwiseDisplay as PairwiseDisplay
from ._plot_fairness import BeforeAfterDisplay as BeforeAfterDisplay
from ._plot_flips import FlipsDisplay as FlipsDisplay
from ._plot_measures import FlipMeasuresDisplay as FlipMeasuresDisplay

__all__ = ["BeforeAfterDisplay", "FlipMeasuresDisplay", "FlipsDisplay", "PairwiseDisplay"]
