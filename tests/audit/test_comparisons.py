"""Which groups are compared, in the cases where that is not plain."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from skfair_ofi.audit import Audit, Grouping
from skfair_ofi.report import AuditReport


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
    assert found == [("privileged", "unprivileged", "0.500 is below 0.8")]


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


def test_groups_that_are_alike_are_two() -> None:
    """Where all groups have the same rate, two of them are named, not one twice."""
    assert compared(list("aabbcc"), groups="g") == [("c", "a", "1.000 is between 0.8 and 1.25")]


@pytest.mark.parametrize("reference", [["a", "1"], ["a", 1], ("a", 1)])
def test_reference_of_crossed_columns(reference: Any) -> None:
    """A crossed reference is found part by part, as a single one is."""
    people = pd.DataFrame({"g": list("aabb"), "h": [1, 1, 2, 2], "p": [0, 1, 1, 1]})
    audit = Audit(
        positive="p == 1",
        groups=Grouping(["g", "h"], reference=reference),
        criteria=["disparate_impact"],
    )
    (finding,) = audit.run(people).findings
    assert (finding.group, finding.reference, finding.value) == (("b", 2), ("a", 1), 2.0)


@pytest.mark.parametrize("name", ["positive", "truth", "score 0 to 1"])
def test_condition_called_like_something_else(name: str) -> None:
    """A condition is not taken for a role, nor for a range of the score, of the same name."""
    people = pd.DataFrame(
        {"g": list("aaabbb"), "p": [0, 1, 1, 0, 0, 1], "y": [0, 1, 0, 0, 1, 1], "s": [0, 1, 2] * 2}
    )
    fields: dict[str, Any] = {
        "positive": "p == 1",
        "truth": "y == 1",
        "score": "s",
        "groups": "g",
        "calibration": [0, 1],
        "criteria": [
            "accuracy_difference",
            "conditional_statistical_parity_difference",
            "calibration_difference",
        ],
    }
    named, other = (
        Audit(**fields, legitimate={condition: "s > 1"}).run(people).findings
        for condition in (name, "experienced")
    )
    assert [finding.value for finding in named] == [finding.value for finding in other]
    assert [finding.condition for finding in named] == [None, name, "score 0 to 1"]


def test_ofi_and_di_are_read_of_the_same_groups() -> None:
    """Where each has its largest gap between other groups, both are taken of either pair."""
    rows = {"a": (50, 0, 10, 40), "b": (20, 30, 0, 50), "c": (10, 0, 0, 90), "d": (45, 5, 40, 10)}
    people = pd.DataFrame(
        [
            (group, y, p)
            for group, counts in rows.items()
            for (y, p), n in zip([(1, 1), (1, 0), (0, 1), (0, 0)], counts, strict=True)
            for _ in range(n)
        ],
        columns=["g", "y", "p"],
    )
    fields = {"truth": "y == 1", "positive": "p == 1", "preset": "ofi"}
    result = Audit(groups="g", **fields).run(people)
    sides = {frozenset((item.group, item.reference)) for item in result.findings}
    assert len(sides) == 2
    assert {frozenset((read.group, read.reference)) for read in result.readings} == sides
    for reading in result.readings:
        pair = people[people["g"].isin([reading.group, reading.reference])]
        (alone,) = Audit(groups="g", **fields).run(pair).readings
        assert (alone.kind, alone.sentence) == (reading.kind, reading.sentence)


@pytest.mark.parametrize("weight", [None, "w"])
def test_sums_do_not_hang_on_the_order_of_rows(weight: str | None) -> None:
    """What is summed on several threads is reported to the digits that do not hang on them."""
    rng = np.random.default_rng(0)
    rows = 200_000
    people = pd.DataFrame(
        {"g": rng.integers(0, 3, rows), "s": rng.random(rows), "w": rng.random(rows)}
    )
    people["y"] = (rng.random(rows) < people["s"]).astype(int)
    audit = Audit(truth="y == 1", positive="s > 0.5", score="s", weight=weight, groups="g")
    orders = [people, people[::-1], people.sample(frac=1, random_state=1)]
    texts = {AuditReport(audit.run(frame, no_time=True)).json() for frame in orders}
    assert len(texts) == 1
