"""What a deployed classifier does over time: tables on disk, series, verdicts.

Names outside ``__all__`` are what the public ones return, warn of and are made of.
"""

from ._journal import JournalWarning as JournalWarning, OutcomeJournal
from ._plot import SeriesDisplay
from ._points import Point as Point
from ._verdicts import WatchResult
from ._windows import Window as Window

__all__ = ["OutcomeJournal", "SeriesDisplay", "WatchResult"]
