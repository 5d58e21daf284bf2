"""Strict JSON, and back."""

import datetime as dt
import json
import math
import re
from typing import Any

import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import show_keys
from skfair_ofi.report import ProportionalityReport, from_json, proportionality_report, summarize


def strictly(text: str) -> Any:
    """What a strict parser reads."""

    def refuse(constant: str) -> float:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def test_figures_of_the_paper(paper: OutcomeCounts) -> None:
    """Values, verdicts and reasons are there; infinite is spelled out."""
    data = strictly(ProportionalityReport(summarize(paper, privileged=1)).json())
    assert data["schema"] == "skfair_ofi/proportionality-report/2"
    measures = {row["symbol"]: row["result"] for row in data["measures"]}
    assert measures["FRD"]["value"] == pytest.approx(136 / 799 - 38 / 521)
    assert measures["FRD"]["verdict"] == "moderate"
    assert {key: measures["HDI"][key] for key in ("value", "state", "verdict", "reason")} == {
        "value": None,
        "state": "infinite",
        "verdict": "outside bounds",
        "reason": "no one in group 1 was harmed",
    }
    assert [row["group"] for row in data["groups"]] == [0, 1]
    assert data["decision"]["outcome"] == "change the correction"


def test_undefined_is_spelled_out() -> None:
    """Undefined values are null with a reason; in pairwise tables they are words."""
    report = proportionality_report(
        [1, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], sensitive_features=list("aabb")
    )
    data = strictly(report.json())
    row = next(row for row in data["fairness"] if row["name"] == "disparate_impact")
    assert row["after"]["value"] is None
    assert row["after"]["state"] == "undefined"
    assert row["after"]["reason"]
    table = next(t for t in data["pairs"] if (t["symbol"], t["when"]) == ("DI", "before"))
    assert table["values"] == [["undefined", 0.0], ["infinite", 1.0]]


def test_round_trip_in_meaning(hostile: OutcomeCounts, paper: OutcomeCounts) -> None:
    """What is read back renders to the same text, Markdown, HTML and JSON."""
    crossed = OutcomeCounts([("a", None), ("a", 1)], paper.cells)
    for counts, privileged in ((paper, [1]), (hostile, None), (crossed, [("a", 1)])):
        summary = summarize(counts, privileged=privileged)
        again = from_json(ProportionalityReport(summary).json())
        assert again.groups[0].group == summary.groups[0].group
        assert again.privileged == summary.privileged
        for form in ("text", "markdown", "json"):
            first, second = (ProportionalityReport(each) for each in (summary, again))
            assert getattr(first, form)() == getattr(second, form)()
    report = ProportionalityReport(summarize(paper))
    assert ProportionalityReport(from_json(report.json())).html() == report.html()


def test_round_trip_of_values(paper: OutcomeCounts) -> None:
    """Infinite and undefined values come back as what they were."""
    again = from_json(ProportionalityReport(summarize(paper)).json())
    assert {row.symbol: row.result.value for row in again.measures}["HDI"] == math.inf
    assert again.overall == summarize(paper).overall


def test_hostile_names_are_the_raw_keys(hostile: OutcomeCounts) -> None:
    """Group keys are written as they are, not as they are shown."""
    data = strictly(ProportionalityReport(summarize(hostile)).json())
    assert [row["group"] for row in data["groups"]] == list(hostile.groups)
    assert [row["name"] for row in data["groups"]] == list(show_keys(hostile.groups))


def test_lone_surrogates_are_escapes() -> None:
    """A raw key that no encoding knows is written as JSON's escape, and read back as it was."""
    cells = [[[[5, 1], [1, 5]]], [[[5, 2], [0, 5]]]]
    summary = summarize(OutcomeCounts(["caf\udce9", "é"], cells))
    text = ProportionalityReport(summary).json()
    assert {rb"caf\udce9", "é".encode()} <= set(re.findall(rb'"group": "(.*?)"', text.encode()))
    assert from_json(text).groups[0].group == "caf\udce9"


def test_keys_of_other_types_are_text() -> None:
    """JSON has no dates; a group that is one is written as text."""
    counts = OutcomeCounts([dt.date(2024, 1, 2), "b"], [[[[5, 1], [1, 5]]]] * 2)
    data = strictly(ProportionalityReport(summarize(counts)).json())
    assert data["groups"][0]["group"] == "2024-01-02"


@pytest.mark.parametrize("text", ['{"schema": "other/1"}', "{}", "[]"])
def test_other_schemas_are_refused(text: str) -> None:
    """Only this schema is read."""
    message = (
        r"text must have the schema 'skfair_ofi/proportionality-report/2', got (None|'other/1')\.$"
    )
    with pytest.raises(ValueError, match=message):
        from_json(text)
