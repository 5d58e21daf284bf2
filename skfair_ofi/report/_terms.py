"""What a report compares and judges by: its measures, and the options that travel together."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from skfair_ofi._validation import check_level, resolve_privileged
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import Interval, find_intervals
from skfair_ofi.metrics import Bands, Metric, get_metric

# What reports show and decisions judge, in this order. Listed here and not taken from the
# registry, so that a new measure changes nobody's decision.
REPORT_MEASURES = {
    "label": (
        "objective_fairness_index",
        "disparate_impact",
        "statistical_parity_difference",
        "average_odds_difference",
        "equal_opportunity_difference",
        "predictive_equality_difference",
        "equalized_odds_difference",
        "accuracy_difference",
        "predictive_parity_difference",
        "conditional_use_accuracy_difference",
        "treatment_equality_difference",
    ),
    "flip": (
        "flip_rate_difference",
        "harmful_flip_proportion_difference",
        "flip_disparity_index",
        "harmful_flip_disparity_index",
        "flip_rate_disparity",
        "harmful_flip_disparity",
        "relative_flip_disparity",
        "relative_harmful_flip_disparity",
    ),
}
# Shown for each group, before and after.
GROUP_RATES = ("selection_rate", "accuracy", "true_positive_rate", "false_positive_rate")


@dataclass(frozen=True)
class Terms:
    """How measures are compared and judged; `choose` checks what is given."""

    privileged: tuple[Hashable, ...] | None = None
    # in place of the registry's, by name of measure
    bands: Mapping[str, Bands] | None = None
    # of intervals, None where there are none
    level: float | None = 0.95
    # whether a verdict is "uncertain" where the interval spans a bound
    uncertain: bool = False

    @classmethod
    def choose(
        cls,
        groups: tuple[Hashable, ...],
        privileged: Any,
        bands: Mapping[str, Bands] | None,
        level: float | None,
        *,
        uncertain: bool,
    ) -> Self:
        """Return the terms for a table of groups, from what users give."""
        if level is None and uncertain:
            raise ValueError("level must be a number where uncertain is True, got None.")
        named = {}
        for measure, given in (bands or {}).items():
            if not isinstance(given, Bands):
                raise TypeError(f"bands must hold Bands, got {given!r} for {measure!r}.")
            named[get_metric(measure, parameter="bands").name] = given
        return cls(
            None if privileged is None else resolve_privileged(privileged, groups),
            named,
            None if level is None else check_level(level),
            uncertain,
        )

    def get_bands(self, metric: Metric) -> Bands | None:
        """Return the bands that a measure is judged by."""
        return (self.bands or {}).get(metric.name, metric.bands)

    @property
    def compared_with(self) -> list[Hashable] | None:
        """The privileged groups as the measures take them."""
        return None if self.privileged is None else list(self.privileged)

    def spans(self, metric: Metric, interval: Interval | None) -> bool:
        """Return whether an interval spans a bound of the verdict."""
        bands = self.get_bands(metric)
        return bool(bands and interval and interval.judge(bands) == "uncertain")

    def judge(self, metric: Metric, value: float, interval: Interval | None) -> str | None:
        """Return the verdict on a value, None where it has no bands."""
        if self.uncertain and self.spans(metric, interval):
            return "uncertain"
        bands = self.get_bands(metric)
        return None if bands is None else bands.judge(value)

    def find_intervals(
        self, metrics: Iterable[Metric], counts: OutcomeCounts
    ) -> dict[str, Interval]:
        """Return the intervals that measures have in a table, by name, in one go."""
        if self.level is None:
            return {}
        return find_intervals(counts, metrics, self.level, self.compared_with)
