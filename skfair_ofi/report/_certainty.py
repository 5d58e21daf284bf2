"""How certain the figures are: sentences on their intervals, and on groups of few people."""

import math
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from skfair_ofi._text import list_names, shorten, show_count
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import detectable_differences, note_table
from skfair_ofi.metrics import FEW_PEOPLE, METRICS

from ._parts import FairnessRow, FlipRow, GroupRow, Measured
from ._terms import Terms

# Where a method comes from, by a word of its name.
_SOURCES = {
    "Wilson": "E. B. Wilson 1927",
    "Newcombe": "R. G. Newcombe 1998",
    "MOVER": "G. Y. Zou and A. Donner 2008",
    "Jeffreys": "P. J. Laud 2017",
}
_ALL_PAIRS = "simultaneous "
_LONGEST_NAME = 40
# Share of times that a gap is to be found.
_POWER = 0.8
# Of more small groups, the smallest are named.
_MOST_SMALL = 3

# "SPD before", the measure's name, its value
_Value = tuple[str, str, Measured]


def _values(fairness: Sequence[FairnessRow], flips: Sequence[FlipRow]) -> list[_Value]:
    """Every value that has an interval."""
    labels = [
        (f"{row.symbol} {when}", row.name, measured)
        for row in fairness
        for when, measured in (("before", row.before), ("after", row.after))
    ]
    every = [*labels, *((row.symbol, row.name, row.result) for row in flips)]
    return [value for value in every if value[2].interval is not None]


def _methods(values: Sequence[_Value], level: float) -> str:
    """Level, every method, and where they come from."""
    used = [measured.interval.method for _, _, measured in values if measured.interval]
    plain = [name.removeprefix(_ALL_PAIRS).removesuffix(", transformed") for name in used]
    named = list_names(list(dict.fromkeys(plain)), most=12)
    pairs = any(name.startswith(_ALL_PAIRS) for name in used)
    together = "; simultaneous for largest gaps" if pairs else ""
    sources = [source for word, source in _SOURCES.items() if any(word in name for name in used)]
    cited = f" Sources: {'; '.join(sources)}." if sources else ""
    return f"Intervals: {level:.10g}% each, from the counts alone; {named}{together}.{cited}"


def _spanning(values: Sequence[_Value], terms: Terms) -> list[str]:
    """At most one sentence on intervals that span a bound of the value's verdict."""
    judged = [
        (shown, METRICS[name], measured.interval)
        for shown, name, measured in values
        if measured.verdict not in (None, "no flips", "no harmful flips")
    ]
    spanning = [shown for shown, metric, interval in judged if terms.spans(metric, interval)]
    if not spanning:
        return []
    one = len(spanning) == 1
    why = (
        "is uncertain, since its interval spans"
        if one
        else ("are uncertain, since their intervals span")
    )
    count = f"{len(spanning)} of {len(judged)} verdicts"
    return [f"{count} {why} a bound: {list_names(spanning, most=30)}."]


_SAME_PEOPLE = (
    "Before and after are figures of the same people: that their intervals overlap does not show "
    "that nothing changed."
)


def certainty(
    counts: OutcomeCounts,
    terms: Terms,
    fairness: Sequence[FairnessRow],
    flips: Sequence[FlipRow],
) -> tuple[str, ...]:
    """Return sentences on the intervals of a summary."""
    values = _values(fairness, flips)
    if terms.level is None or not values:
        return ()
    notes = [f"{note[0].upper()}{note[1:]}." for note in note_table(counts)]
    return (
        _methods(values, 100 * terms.level),
        *notes,
        *_spanning(values, terms),
        _SAME_PEOPLE,
    )


def _effective_sizes(counts: OutcomeCounts) -> np.ndarray:
    """People in each group; of weighted ones Kish's effective number."""
    if counts.weight_squares is None:
        return np.asarray(counts.group_sizes)
    squares = counts.weight_squares.reshape(len(counts.groups), -1).sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(counts.group_sizes**2 / squares))


def _detectable(counts: OutcomeCounts, terms: Terms) -> Mapping[Hashable, float]:
    """The smallest gap that each group would show."""
    others = set(counts.groups) - set(terms.privileged or ())
    if terms.level is None or len(counts.groups) < 2 or not others:
        return {}
    found = detectable_differences(
        counts.before,
        "statistical_parity_difference",
        privileged=terms.compared_with,
        level=terms.level,
        power=_POWER,
    )
    return dict(zip(found["group"], found["gap"].tolist(), strict=True))


def _clause(name: str, size: float, gap: float, *, first: bool) -> str:
    """What the people of one group cannot show; shorter after a first clause."""
    seen = not math.isnan(gap) and gap < 1
    if not first:
        least = f"one under {gap:.2g}" if seen else "no gap"
        return f"with {show_count(size)} in group {name}, {least}"
    least = (
        f"a gap in selection rates under {gap:.2g} cannot"
        if seen
        else ("no gap in selection rates can")
    )
    people = "person" if size == 1 else "people"
    return f"With {show_count(size)} {people} in group {name}, {least} be seen"


def blind_spots(counts: OutcomeCounts, terms: Terms, groups: Sequence[GroupRow]) -> tuple[str, ...]:
    """Return a sentence on the gaps that small groups cannot show."""
    sizes = _effective_sizes(counts).tolist()
    if min(sizes) >= FEW_PEOPLE:
        return ()
    found, names = _detectable(counts, terms), shorten([row.name for row in groups], _LONGEST_NAME)
    small = sorted(
        (size, place)
        for place, (group, size) in enumerate(zip(counts.groups, sizes, strict=True))
        if group in found and size < FEW_PEOPLE
    )
    clauses = [
        _clause(names[place], size, found[counts.groups[place]], first=not rank)
        for rank, (size, place) in enumerate(small[:_MOST_SMALL])
    ]
    if not clauses:
        return ()
    effective = "" if counts.weight_squares is None else ", effective numbers of people"
    return (f"{'; '.join(clauses)} (power {_POWER:.0%}{effective}).",)
