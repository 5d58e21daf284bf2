"""The first lines of a report, and sentences on how certain its figures are."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skfair_ofi._text import list_names, shorten, show_count, show_key, show_share
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import detectable_differences, note_table
from skfair_ofi.metrics import FEW_PEOPLE, METRICS

from ._summary import Decision, FairnessRow, FlipRow, GroupRow, Measured
from ._terms import Terms

_LONGEST_NAME = 60
_COUNTING = {
    "people": "",
    "weighted people": "Weighted: the sums of the weights of the rows.",
    "expected people": (
        "Expected counts: averages over the correction's own randomness, so they need not be whole."
    ),
}


@dataclass(frozen=True)
class Heading:
    """What the first lines name, beside the groups."""

    labels: tuple[Any, Any]
    feature_names: tuple[str, ...] | None
    source: str | None
    in_sample: bool
    counting: str


def _short(groups: Sequence[GroupRow]) -> tuple[str, ...]:
    return shorten([row.name for row in groups], _LONGEST_NAME)


def _label_fact(heading: Heading) -> str:
    unfavorable, favorable = heading.labels
    other = "never seen" if unfavorable is None else show_key(unfavorable)
    return f"{show_key(favorable)} (unfavorable: {other})"


def _describe_privileged(groups: Sequence[GroupRow]) -> str:
    privileged = [row for row in groups if row.privileged]
    if not privileged:
        return "none named: all pairs of groups are compared, and the largest gap is shown"
    return f"{list_names(_short(privileged))} (everyone else is compared with it)"


def _people_fact(overall: GroupRow, groups: Sequence[GroupRow]) -> str:
    sizes = [
        f"{show_count(row.n)} in group {name}"
        for row, name in zip(groups, _short(groups), strict=True)
    ]
    return f"{show_count(overall.n)}: {list_names(sizes, most=6)}"


def _flips_fact(overall: GroupRow) -> str:
    if not overall.flips:
        return "none: no prediction was changed"
    flips, gained, lost = map(show_count, (overall.flips, overall.gained, overall.lost))
    share = show_share(overall.flip_rate.value)
    return f"{flips} ({share} of all people): {gained} gained the favorable label, {lost} lost it"


def list_facts(
    heading: Heading, overall: GroupRow, groups: Sequence[GroupRow], decision: Decision
) -> tuple[tuple[str, str], ...]:
    """Return the first lines of a report."""
    features = list_names([show_key(name) for name in heading.feature_names or ()] or [""])
    lines = (
        ("Favorable label", _label_fact(heading)),
        ("Privileged group", _describe_privileged(groups)),
        ("People", _people_fact(overall, groups)),
        ("Groups by", features),
        ("Counts", _COUNTING[heading.counting]),
        ("Source", heading.source or "not stated"),
        ("In sample", "yes: the model was fitted on these people" if heading.in_sample else ""),
        ("Flips", _flips_fact(overall)),
        ("Decision", decision.outcome),
    )
    return tuple((term, text) for term, text in lines if text)


def describe_correctness(overall: GroupRow, groups: Sequence[GroupRow]) -> tuple[str, ...]:
    """Return sentences on flips that made right predictions wrong, and the reverse."""
    wrong, right = overall.made_wrong, overall.put_right
    if wrong is None or right is None or not overall.flips:
        return ()
    numbers = [show_count(number) for number in (overall.flips, wrong, right)]
    flips = f"{numbers[0]} {'flip' if overall.flips == 1 else 'flips'}"
    general = (
        f"Of {flips}, {numbers[1]} made a right prediction wrong and {numbers[2]} put a wrong "
        "prediction right."
    )
    shares = [(row.made_wrong or 0.0) / row.n if row.n else 0.0 for row in groups]
    worst = max(range(len(groups)), key=shares.__getitem__)
    if not wrong or len(groups) < 2:
        return (general,)
    row, name = groups[worst], _short(groups)[worst]
    people = f"{show_count(row.made_wrong or 0)} of {show_count(row.n)} people"
    return (
        general,
        (
            f"Most often made wrong, as a share of the group, were predictions in group {name}: "
            f"{people} ({show_share(shares[worst])})."
        ),
    )


def list_cautions(groups: Sequence[GroupRow]) -> tuple[str, ...]:
    """Return a sentence on small groups, none where there are none."""
    small = [
        f"{name} ({show_count(row.n)})"
        for row, name in zip(groups, _short(groups), strict=True)
        if row.n < FEW_PEOPLE
    ]
    if not small:
        return ()
    sentence = (
        f"Few people: {list_names(small)}. In a group of fewer than {FEW_PEOPLE}, one person "
        "moves a rate by more than three percentage points; read its figures with care."
    )
    return (sentence,)


# Where a method comes from, by a word of its name.
_SOURCES = {
    "Wilson": "E. B. Wilson 1927",
    "Newcombe": "R. G. Newcombe 1998",
    "MOVER": "G. Y. Zou and A. Donner 2008",
    "Jeffreys": "P. J. Laud 2017",
}
_ALL_PAIRS = "simultaneous "
_LONGEST_CLAUSE = 40
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


def describe_certainty(
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


def list_blind_spots(
    counts: OutcomeCounts, terms: Terms, groups: Sequence[GroupRow]
) -> tuple[str, ...]:
    """Return a sentence on the gaps that small groups cannot show."""
    sizes = _effective_sizes(counts).tolist()
    if min(sizes) >= FEW_PEOPLE:
        return ()
    found, names = (
        _detectable(counts, terms),
        shorten([row.name for row in groups], _LONGEST_CLAUSE),
    )
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
