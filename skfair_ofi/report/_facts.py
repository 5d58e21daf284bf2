"""The first lines of a report, and the sentences that need no comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from skfair_ofi._text import list_names, shorten, show_count, show_key, show_share
from skfair_ofi.metrics import FEW_PEOPLE

from ._parts import Decision, GroupRow

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


def facts(
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


def correctness(overall: GroupRow, groups: Sequence[GroupRow]) -> tuple[str, ...]:
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


def cautions(groups: Sequence[GroupRow]) -> tuple[str, ...]:
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
