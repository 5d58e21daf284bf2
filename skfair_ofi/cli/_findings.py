"""What corrections did, in sentences made of their numbers."""

from collections.abc import Sequence

from skfair_ofi._text import (
    list_names,
    show_count,
    show_number,
    show_share,
    show_times,
)
from skfair_ofi.report import FairnessRow, GroupRow, Summary

from ._correction import Correction

# Rates of smaller groups are mostly chance, and are not singled out.
FEW = 30
_OUTSIDE = ("outside bounds", "moderate")


def _flipped(name: str, overall: GroupRow) -> str:
    if not overall.flips:
        return f"{name} flipped no one."
    return (
        f"{name} flipped {show_count(overall.flips)} of {show_count(overall.n)} people "
        f"({show_share(overall.flip_rate.value)}): {show_count(overall.gained)} gained the "
        f"favorable label and {show_count(overall.lost)} lost it."
    )


def _unevenness(groups: Sequence[GroupRow]) -> str:
    large = sorted((row for row in groups if row.n >= FEW), key=lambda row: row.flip_rate.value)
    if len(large) < 2:
        return ""
    least, most = large[0], large[-1]
    if least.flip_rate.value == most.flip_rate.value:
        return f"Flips were equally common in all groups of {FEW} people or more."
    return (
        f"Of groups with {FEW} people or more, flips were most common in {most.name} "
        f"({show_share(most.flip_rate.value)}) and least common in {least.name} "
        f"({show_share(least.flip_rate.value)})."
    )


def _outside(rows: Sequence[FairnessRow], when: str) -> list[FairnessRow]:
    return [row for row in rows if getattr(row, when).verdict in _OUTSIDE]


def _fairness(rows: Sequence[FairnessRow]) -> str:
    judged = [row for row in rows if row.limits is not None]
    before, after = _outside(judged, "before"), _outside(judged, "after")
    named = f" ({list_names([row.symbol for row in after])})" if after else ""
    return (
        f"Of {len(judged)} fairness measures with bounds, {len(before)} were outside them before "
        f"and {len(after)} after{named}."
    )


def _accuracy(summary: Summary) -> str:
    row = next(row for row in summary.fairness if row.name == "accuracy")
    before, after = (show_share(measured.value) for measured in (row.before, row.after))
    change = row.change.value
    moved = f"{'rose' if change > 0 else 'fell'} from {before} to {after}"
    verb = moved if change else f"stayed at {before}"
    overall = summary.overall
    return (
        f"Accuracy {verb}: {show_count(overall.made_wrong or 0)} flips made a right prediction "
        f"wrong and {show_count(overall.put_right or 0)} put a wrong one right."
    )


def _decision(summary: Summary) -> str:
    decision = summary.decision
    return f"The figures lead to: {decision.outcome} (rule: {decision.rule})."


def findings(correction: Correction) -> str:
    """Return what one correction did."""
    summary = correction.summary
    sentences = (
        _flipped(correction.name, summary.overall),
        _unevenness(summary.groups),
        _fairness(summary.fairness),
        _accuracy(summary),
        _decision(summary),
    )
    return " ".join(filter(None, sentences))


def _odds(first: Correction, second: Correction) -> str:
    before, *after = (
        show_number(measured.value)
        for measured in (
            _equalized(first).before,
            _equalized(first).after,
            _equalized(second).after,
        )
    )
    return (
        f"Both were asked for equal odds. Their largest gap was {before} before, and is {after[0]} "
        f"after {first.name} and {after[1]} after {second.name}."
    )


def _equalized(correction: Correction) -> FairnessRow:
    rows = correction.summary.fairness
    return next(row for row in rows if row.name == "equalized_odds_difference")


def _prices(first: Correction, second: Correction) -> str:
    more, fewer = sorted((first, second), key=lambda each: -each.summary.overall.flips)
    many, few = more.summary.overall, fewer.summary.overall
    if not few.flips:
        return f"{fewer.name} flipped no one."
    return (
        f"{more.name} flipped {show_times(many.flips / few.flips)} as many people as {fewer.name}; "
        f"{show_share(many.harmful_flip_proportion.value)} of its flips took the favorable label "
        f"away, against {show_share(few.harmful_flip_proportion.value)}."
    )


def comparison(first: Correction, second: Correction) -> str:
    """Return how two corrections of the same people differ."""
    differing = int((first.y_corrected != second.y_corrected).sum())
    return (
        f"{_odds(first, second)} {_prices(first, second)} The two give different labels to "
        f"{show_count(differing)} of the {show_count(first.summary.overall.n)} people."
    )


def _range(counts: Sequence[float]) -> str:
    return f"{show_count(min(counts))} to {show_count(max(counts))}"


def spread(others: Sequence[Sequence[Correction]]) -> str:
    """Return how far the figures hold for other splits of the same people."""
    parts = []
    for same in zip(*others, strict=True):
        rows = [correction.summary.overall for correction in same]
        parts.append(
            f"{same[0].name} flipped {_range([row.flips for row in rows])} people "
            f"({_range([row.lost for row in rows])} lost the favorable label)"
        )
    return (
        f"One split is one draw: in {len(others)} other splits into parts of the same sizes, "
        f"{list_names(parts)}."
    )
