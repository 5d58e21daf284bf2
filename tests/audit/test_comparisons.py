"""Which groups are compared, in the cases where that is not plain."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from skfair_ofi.audit import Audit, Grouping


def compared(who: list[Any], /, **fields: Any) -> list[tuple[Any, Any, str]]:
    """Return group, reference and sentence of disparate impact; every other person is selected."""
    people = pd.DataFrame({"g": who, "p": [i % 2 for i in range(len(who))]})
    audit = Audit(**{"positive": "p == 1", "criteria": ["disparate_impact"], **fields})
    return [(f.group, f.reference, f.sentence) for f in audit.run(people).findings]


@pytest.mark.parametrize("against", ["pairs", "rest", "highest"])
@pytest.mark.parametrize(
    ("who", "share", "reason"),
    [
        (list("aaaa"), None, "undefined: only one group, 'a'"),
        (list("aabb"), 1, "undefined: no other group"),
        (list("abbb"), 0.5, "undefined: only one group, 'b'"),
    ],
    ids=["one group", "all excluded", "one left"],
)
def test_nobody_to_compare_with(
    who: list[str], share: float | None, reason: str, against: Any
) -> None:
    """Where fewer than two groups are left, each criterion is undefined, with the reason."""
    found = compared(who, groups=Grouping("g", against=against), exclude_below=share)
    assert found == [(None, None, reason)]


def test_reference_is_never_excluded() -> None:
    """A reference that is named stays, however small."""
    found = compared(list("abbbbccc"), groups=Grouping("g", reference="a"), exclude_below=0.2)
    assert [(group, reference) for group, reference, _ in found] == [("b", "a"), ("c", "a")]


def test_privileged_group_below_the_share() -> None:
    """A privileged group that is excluded leaves nothing to compare."""
    found = compared(list("abbb"), privileged="g == 'a'", exclude_below=0.4)
    assert found == [(None, None, "undefined: only one group, 'unprivileged'")]


def test_nobody_is_privileged() -> None:
    """A predicate that nobody meets gives an undefined comparison."""
    found = compared(list("ab"), privileged="g == 'z'")
    assert found == [("unprivileged", "privileged", "undefined: no people in group 'privileged'")]


def test_group_called_everyone_else() -> None:
    """A group that is called like the rest is not taken for it."""
    found = compared(
        ["everyone else", "b", "b", "everyone else"], groups=Grouping("g", against="rest")
    )
    assert [(group, reference) for group, reference, _ in found] == [
        ("b", "everyone else (all)"),
        ("everyone else", "everyone else (all)"),
    ]


def test_privileged_under_the_four_fifths_rule() -> None:
    """Two groups by a predicate are compared by the higher rate, whoever has it."""
    found = compared(list("abaabb"), privileged="g == 'a'", preset="four-fifths", criteria=None)
    assert found == [("privileged", "unprivileged", "0.5 is below 0.8")]


def test_missing_group_is_compared() -> None:
    """Where missing groups count as one, it is compared like any other."""
    found = compared(
        ["a", "b", None, "b"], groups=Grouping("g", against="rest"), missing_groups="group"
    )
    assert [group for group, _, _ in found] == ["a", "b", None]


def test_highest_rate_is_of_known_predictions() -> None:
    """A group without any known prediction is not the reference, and undefined."""
    people = pd.DataFrame({"g": list("aabb"), "p": [1, 1, np.nan, np.nan]})
    finding = Audit(positive="p == 1", groups="g", preset="four-fifths").run(people).findings[0]
    assert (finding.group, finding.reference) == ("b", "a")
    assert finding.sentence == "undefined: no people in group 'b'"


@pytest.mark.parametrize("reference", [1, "1"])
def test_reference_of_another_type(reference: Any) -> None:
    """A reference written as text finds the number that a file holds, and the reverse."""
    found = compared([1, 2, 1, 2], groups=Grouping("g", reference=reference))
    assert [(group, of) for group, of, _ in found] == [(2, 1)]
