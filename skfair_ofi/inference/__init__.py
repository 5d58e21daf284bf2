"""Intervals and tests of measures, from the table of counts alone.

``skfair_ofi.inference.beyond_binary`` has those of benefits, numbers and rankings.
"""

from ._bootstrap import bootstrap_values
from ._intervals import (
    Interval,
    confidence_interval,
    confidence_intervals,
    find_intervals as find_intervals,
)
from ._limits import note_table as note_table
from ._power import detectable_differences
from ._tests import Significance, flip_direction_tests, pairwise_tests, significance_test

__all__ = [
    "Interval",
    "Significance",
    "bootstrap_values",
    "confidence_interval",
    "confidence_intervals",
    "detectable_differences",
    "flip_direction_tests",
    "pairwise_tests",
    "significance_test",
]
