"""What a deployed classifier does over time: tables on disk, series, bounds."""

from ._journal import Fault, JournalWarning, OutcomeJournal
from ._line import Entry
from ._plot import SeriesDisplay
from ._series import Point
from ._watch import Watch, watch
from ._windows import Window

__all__ = [
    "Entry",
    "Fault",
    "JournalWarning",
    "OutcomeJournal",
    "Point",
    "SeriesDisplay",
    "Watch",
    "Window",
    "watch",
]
