"""Intervals in closed form, of rates and of comparisons."""

from functools import cached_property
from math import isnan, tanh
from typing import Any

import numpy as np

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Metric
from skfair_ofi.metrics._comparisons import Contrast

from ._extremes import largest_gap, lower_quantile
from ._forms import form_of, is_signed, options_of
from ._interval import Interval, empty_note, finished, no_interval, sample_notes, table_notes
from ._limits import jeffreys, limits_of, two_sided
from ._pairs import compare_differences, compare_ratios, quotient_ends
from ._samples import Sample, rates_of, samples_of

Pair = tuple[float, float]

_RATE_METHODS = {
    "proportion": "Wilson",
    "benefit": "score",
    "odds": "Wilson, as odds",
    "mean": "Student's t",
}
RATIOS = ("ratio", "index", "relative")


class Source:
    """A table and its two sides, with what several measures need of them."""

    def __init__(self, counts: OutcomeCounts, privileged: Any = None) -> None:
        self.counts = counts
        self.privileged = privileged
        self.notes = table_notes(counts)
        self._samples: dict[str, tuple[Sample, ...]] = {}

    @cached_property
    def contrast(self) -> Contrast:
        """The sides that comparisons compare."""
        return Contrast(self.counts, self.privileged)

    @cached_property
    def pooled(self) -> OutcomeCounts:
        """Everyone as one group."""
        return self.counts.pooled()

    def samples(self, rate: Metric) -> tuple[Sample, ...]:
        """Return the samples of a rate on the two sides, or in all groups."""
        if rate.name not in self._samples:
            self._samples[rate.name] = samples_of(rate.name, self.contrast.counts)
        return self._samples[rate.name]


def rate_intervals(
    metric: Metric, counts: OutcomeCounts, level: float, notes: list[str]
) -> list[Interval]:
    """Return the interval of a rate in every group."""
    # First, since it refuses a table that lacks what the rate needs
    estimates = [float(metric.exact(counts, place)) for place in range(len(counts.groups))]
    samples = samples_of(metric.name, counts)
    limits = limits_of(samples, two_sided(level))
    method = _RATE_METHODS[samples[0].kind] if len(samples) == 1 else "MOVER of Wilson limits"
    intervals = []
    for place, estimate in enumerate(estimates):
        if isnan(estimate):
            intervals.append(no_interval(estimate, level, f"no {metric.whole}"))
            continue
        said = [*notes, *empty_note(metric, samples, place)]
        ends = (float(limits.low[place]), float(limits.high[place]))
        intervals.append(finished(ends, estimate, level, method, metric=metric, notes=said))
    return intervals


def _scaled(form: str, ends: Pair, *, signed: bool) -> Pair:
    """From the scale of differences or logarithms to that of the measure."""
    low, high = ends
    if form == "ratio" and not signed:
        # The smallest ratio is the largest gap of logarithms, turned around
        low, high = -high, -low
    if form in ("ratio", "index"):
        with np.errstate(over="ignore"):
            return float(np.exp(low)), float(np.exp(high))
    # (r - 1) / (r + 1) of a ratio r
    return (tanh(low / 2), tanh(high / 2)) if form == "relative" else (low, high)


def _paired_ends(metric: Metric, source: Source, level: float, method: str) -> tuple[Pair, str]:
    """Ends of a comparison of pairs of groups, and the method's name."""
    form, groups = form_of(metric), len(source.contrast.counts.groups)
    compare = compare_ratios if form in RATIOS else compare_differences
    rates = rates_of(metric, source.counts)
    compared = [compare(source.samples(rate), method) for rate in rates]
    lows, signed = [each.lows for each in compared], is_signed(metric, source.contrast)
    if signed:
        found = lows[0](two_sided(level))
        ends = (found[0, 1], -found[1, 0])
    else:
        ends = largest_gap(lows, level, groups)
    name = compared[0].method + (", transformed" if form == "relative" else "")
    many = groups > 2 or len(lows) > 1
    return _scaled(form, ends, signed=signed), f"simultaneous {name}" if many else name


def _overall_ends(metric: Metric, source: Source, level: float) -> tuple[Pair, str]:
    """Ends of a gap over the flip rate of all, and the method's name."""
    counts, rate = source.contrast.counts, metric.rates[0]
    groups = len(counts.groups)
    first, second = np.nonzero(~np.eye(groups, dtype=bool))
    pairs = np.eye(groups)[first] - np.eye(groups)[second]
    samples, divisor = source.samples(rate), counts.group_sizes / (counts.n or 1)
    pooled = samples_of("flip_rate", source.pooled)
    if rate.name != "flip_rate":
        # The flip rate of all is one more rate, independent of those compared
        pairs = np.pad(pairs, ((0, 0), (0, 1)))
        divisor = np.append(np.zeros(groups), 1.0)

    def ends(z: float) -> tuple[np.ndarray, np.ndarray]:
        own, every = (limits_of(each, z, jeffreys) for each in (samples, pooled))
        parts = ((own.value, every.value), (own.low, every.low), (own.high, every.high))
        value, low, high = (np.append(*part)[: len(divisor)] for part in parts)
        return quotient_ends(pairs, divisor, (value, low, high))

    single = two_sided(level)
    quantile = lower_quantile([compare_differences(samples, "auto").lows], level, groups)
    low, high = ends(quantile)[0].max(), ends(single)[1].max()
    name = "MOVER of a quotient"
    return (low, high), f"simultaneous {name}" if groups > 2 else name


def comparison_interval(
    metric: Metric, source: Source, level: float, method: str, convention: str
) -> Interval:
    """Return the interval of a comparison."""
    options = options_of(metric, convention)
    estimate = metric.of(source.counts, privileged=source.privileged, **options)
    if isnan(estimate):
        reason = metric.reason(source.counts, privileged=source.privileged, **options)
        return no_interval(estimate, level, reason)
    if form_of(metric) == "overall":
        ends, name = _overall_ends(metric, source, level)
    else:
        ends, name = _paired_ends(metric, source, level, method)
    notes = list(source.notes)
    for rate in rates_of(metric, source.counts):
        notes += sample_notes(rate, source.samples(rate), source.contrast)
    return finished(ends, estimate, level, name, metric=metric, notes=notes)
