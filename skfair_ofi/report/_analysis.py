"""What figures say, in plain words: one template for each kind of finding.

Sentences start with the project's own words or with a number, never with a
group name, so that a sentence in a spreadsheet cell cannot be a formula.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from skfair_ofi._text import (
    list_names,
    shorten,
    show_count,
    show_keys,
    show_number,
    show_share,
    show_times,
)
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import METRICS, Metric, read_together

from ._summary import Measured, Reading
from ._terms import REPORT_MEASURES

# Names longer than this are cut in sentences; tables and lists hold them whole.
_LONGEST_NAME = 40
# Larger sides of a comparison are not named group by group.
_MOST_NAMED = 2
# Errors that cancel in OFI are pointed out where they concern this share of a group.
_CANCELING_SHARE = 0.1


@dataclass(frozen=True)
class ComparedSides:
    """The two sides that a comparison rests on, with the rate of each."""

    names: tuple[tuple[str, ...], tuple[str, ...]]
    keys: tuple[tuple[Hashable, ...], tuple[Hashable, ...]]
    rates: tuple[float, float] = (math.nan, math.nan)
    privileged: bool = False

    @property
    def pair(self) -> tuple[str, str]:
        """The two sides, by the names of their groups."""
        return list_names(self.names[0]), list_names(self.names[1])

    def _phrase(self, side: int) -> str:
        if self.privileged and len(self.names[side]) > _MOST_NAMED:
            return ("the other groups", "the privileged groups")[side]
        return phrase_groups(self.names[side])

    @property
    def _low(self) -> int:
        return 1 if self.rates[0] >= self.rates[1] else 0

    @property
    def lower(self) -> str:
        """The side with the lower rate, as it stands in a sentence."""
        return self._phrase(self._low)

    @property
    def higher(self) -> str:
        """The side with the higher rate, as it stands in a sentence."""
        return self._phrase(1 - self._low)

    @property
    def lower_keys(self) -> tuple[Hashable, ...]:
        """The groups of the side with the lower rate."""
        return self.keys[self._low]


def phrase_groups(names: Sequence[str]) -> str:
    """Return groups as they stand in a sentence.

    Examples
    --------
    >>> phrase_groups(["a"]), phrase_groups(["a", "b"])
    ('group a', 'groups a and b')
    """
    short = shorten(names, _LONGEST_NAME)
    return f"group {short[0]}" if len(names) == 1 else f"groups {list_names(short)}"


def _name_sides(
    metric: Metric,
    counts: OutcomeCounts,
    privileged: Sequence[Hashable],
    shown: Mapping[Hashable, str],
) -> ComparedSides | None:
    others = tuple(group for group in counts.groups if group not in privileged)
    if not others:
        return None
    keys = (others, tuple(privileged))
    names = (tuple(shown[key] for key in keys[0]), tuple(shown[key] for key in keys[1]))
    if metric.rate is None:
        return ComparedSides(names, keys, privileged=True)
    rates = [metric.rate.of(counts.pick(*side)) for side in keys]
    return ComparedSides(names, keys, (rates[0], rates[1]), privileged=True)


def _find_widest_of(
    rate: Metric, counts: OutcomeCounts, shown: Mapping[Hashable, str]
) -> ComparedSides | None:
    names, rates = list(shown.values()), rate.values(counts).tolist()
    defined = [i for i, value in enumerate(rates) if not math.isnan(value)]
    if len(defined) < 2:
        return None
    low, *_, high = sorted(defined, key=rates.__getitem__)
    keys = ((counts.groups[high],), (counts.groups[low],))
    return ComparedSides(((names[high],), (names[low],)), keys, (rates[high], rates[low]))


def _find_widest_pair(
    metric: Metric, counts: OutcomeCounts, shown: Mapping[Hashable, str]
) -> ComparedSides | None:
    """The pair with the largest gap; of several rates, in the one where it is widest."""
    pairs = [pair for rate in metric.rates if (pair := _find_widest_of(rate, counts, shown))]
    return max(pairs, key=lambda sides: sides.rates[0] - sides.rates[1], default=None)


def find_sides(
    metric: Metric,
    counts: OutcomeCounts,
    privileged: Sequence[Hashable] | None,
    shown: Mapping[Hashable, str],
) -> ComparedSides | None:
    """Return the sides that a comparison rests on; groups are called as they are shown."""
    if privileged is None:
        return _find_widest_pair(metric, counts, shown)
    return _name_sides(metric, counts, privileged, shown)


def explain_infinite(metric: Metric, sides: ComparedSides | None) -> str:
    """Return why a comparison is infinite."""
    template = (metric.rate or metric).infinite_reason
    return template.format(low=sides.lower if sides else "one of the groups")


NO_FLIPS = "No one was flipped."
NO_HARM = "No one was harmed: every flip gave the favorable label."


def _choose_template(metric: Metric, value: float, sides: ComparedSides) -> str:
    rate = metric.rate or metric
    if math.isinf(value):
        return rate.infinite_sentence
    return rate.equal_sentence if sides.rates[0] == sides.rates[1] else metric.sentence


def write_flip_sentence(
    metric: Metric, result: Measured, sides: ComparedSides | None, counts: OutcomeCounts
) -> str:
    """Return what a flip measure says, in one sentence with its numbers."""
    if math.isnan(result.value):
        return f"Undefined: {result.reason}."
    if result.verdict == "no flips":
        return NO_FLIPS
    if result.verdict == "no harmful flips":
        return NO_HARM
    if sides is None:
        return f"The groups differ by {show_number(result.value)}."
    low, high = sorted(sides.rates)
    flip_rate = METRICS["flip_rate"]
    # a share of no flips counts as 0, which must not read as a share of flips that happened
    still = low == 0 < high and flip_rate.of(counts.pick(*sides.lower_keys)) == 0
    template = _choose_template(metric, result.value, sides)
    if still and "no one" not in template:
        template = template.removesuffix(".") + "; no one in {low} was flipped."
    return template.format(
        high=sides.higher,
        low=sides.lower,
        high_share=show_share(high),
        low_share=show_share(low),
        points=f"{100 * (high - low):.1f}",
        times=show_times(high / low) if low else "infinitely",
        percent=show_share(result.value),
        value=show_number(result.value),
        overall=show_share(flip_rate.of(counts)),
    )


def _write_canceling(counts: OutcomeCounts) -> str:
    """A sentence on the group where most errors cancel in OFI, empty where few do."""
    given, denied = counts.cells[:, 0, 1].sum(axis=1), counts.cells[:, 1, 0].sum(axis=1)
    canceled = [2 * min(pair) for pair in zip(given.tolist(), denied.tolist(), strict=True)]
    sizes = counts.group_sizes.tolist()
    shares = [part / size if size else 0.0 for part, size in zip(canceled, sizes, strict=True)]
    worst = max(range(len(shares)), key=shares.__getitem__)
    if shares[worst] < _CANCELING_SHARE:
        return ""
    group = phrase_groups([show_keys(counts.groups)[worst]])
    people = [show_count(number[worst]) for number in (given.tolist(), denied.tolist(), sizes)]
    return (
        f" OFI alone does not show errors that cancel: in {group}, the favorable label was wrongly "
        f"given to {people[0]} and wrongly denied to {people[1]}, out of {people[2]} people."
    )


def read_sides(when: str, ofi: Measured, di: Measured, counts: OutcomeCounts) -> Reading:
    """Return what OFI and DI say together (Briscoe2025, section 2.3)."""
    values = (show_number(ofi.value), show_number(di.value))
    kind, words = read_together(ofi.verdict, di.verdict)
    missing = [measured.reason for measured in (ofi, di) if math.isnan(measured.value)]
    why = f": {missing[0]}" if missing else ""
    cancel = _write_canceling(counts) if kind in ("neither", "systemic") else ""
    return Reading(
        when,
        kind,
        f"{when.capitalize()} the correction, OFI is {values[0]} and DI {values[1]}; "
        f"{words}{why}.{cancel}",
    )


def explain_left_out(counts: OutcomeCounts) -> tuple[str, ...]:
    """Return sentences on what a report cannot say of a table, and why."""
    if "y_true" in counts.roles:
        return ()
    needing = [
        name.replace("_", " ")
        for name in REPORT_MEASURES["label"]
        if "y_true" in METRICS[name].roles
    ]
    sentence = (
        "True labels are not given. Left out, because they need them: accuracy, "
        f"{list_names(needing, most=20)}; flips that made predictions right or wrong; and the "
        "reading of OFI and DI together."
    )
    return (sentence,)
