"""Intervals and tests of measures, from the table of counts alone, but those of rankings."""

from ._arrays import interval_of
from ._benefit_intervals import benefit_interval, ranking_interval, regression_interval
from ._detectable import DetectableDifference, minimum_detectable_differences
from ._interval import Interval
from ._intervals import confidence_interval, confidence_intervals, group_intervals
from ._multiple import adjust_p_values, flip_direction_tests, pairwise_tests
from ._resampling import bootstrap_values
from ._significance import Significance, significance_test

__all__ = [
    "DetectableDifference",
    "Interval",
    "Significance",
    "adjust_p_values",
    "benefit_interval",
    "bootstrap_values",
    "confidence_interval",
    "confidence_intervals",
    "flip_direction_tests",
    "group_intervals",
    "interval_of",
    "minimum_detectable_differences",
    "pairwise_tests",
    "ranking_interval",
    "regression_interval",
    "significance_test",
]
