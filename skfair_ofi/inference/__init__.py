"""Intervals and tests of measures, from the table of counts alone."""

from ._interval import Interval
from ._intervals import confidence_interval, confidence_intervals, group_intervals
from ._resampling import bootstrap_values

__all__ = [
    "Interval",
    "bootstrap_values",
    "confidence_interval",
    "confidence_intervals",
    "group_intervals",
]
