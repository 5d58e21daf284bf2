from typing import Any

import pandas as pd
import pytest
from scipy.stats import fisher_exact

from skfair_ofi.audit import PRESETS, Audit, Grouping
from skfair_ofi.report import AuditReport


def selected(**counts: tuple[int, int]) -> pd.DataFrame:
    """Return people of whom so many of so many in each group are selected."""
    rows = [(g, int(i < k)) for g, (k, n) in counts.items() for i in range(n)]
    return pd.DataFrame(rows, columns=["g", "p"])


FOUR_FIFTHS = Audit(positive="p == 1", groups="g", preset="four-fifths")


def test_four_fifths_takes_the_highest_rate_as_reference() -> None:
    """Each group is compared with the one of the highest selection rate, one-sided."""
    result = FOUR_FIFTHS.run(selected(a=(20, 50), b=(30, 50), c=(24, 50)))
    found = [(f.group, f.reference, f.value, f.verdict) for f in result.findings]
    assert found == [("a", "b", 2 / 3, "outside bounds"), ("c", "b", 0.8, "within bounds")]
    assert result.groupings[0].reference == "b"


def test_four_fifths_shows_significance() -> None:
    """Fisher's exact test and standard deviations stand beside each ratio."""
    tests = FOUR_FIFTHS.run(selected(a=(10, 30), b=(20, 30))).findings[0].tests
    assert tests is not None
    assert tests.p_value == pytest.approx(fisher_exact([[20, 10], [10, 20]])[1])
    # (1/3 - 2/3) / sqrt(1/2 * 1/2 * (1/30 + 1/30))
    assert tests.standard_deviations == pytest.approx(-(1 / 3) / (1 / 60) ** 0.5)


def test_four_fifths_notes_groups_below_two_per_cent() -> None:
    """A group below 2 % of the people is marked, and compared all the same."""
    result = FOUR_FIFTHS.run(selected(a=(1, 1), b=(30, 60)))
    facts = {facts.group: facts for facts in result.groupings[0].groups}
    assert (facts["a"].below_share, facts["b"].below_share) == (True, False)
    assert facts["a"].share == 1 / 61
    assert result.findings[0].small


def test_four_fifths_where_nobody_is_selected() -> None:
    """Without anyone selected, the ratio is undefined."""
    finding = FOUR_FIFTHS.run(selected(a=(0, 5), b=(0, 5))).findings[0]
    assert finding.verdict == "undefined"


LL144 = selected(a=(20, 50), b=(30, 50), c=(1, 1)).assign(sex=["f", "m"] * 50 + ["f"])


def test_local_law_144_has_no_verdict() -> None:
    """Impact ratios by two features and their intersection are reported, not judged."""
    result = Audit(positive="p == 1", groups=["g", "sex"], preset="nyc-ll144").run(LL144)
    assert [grouping.name for grouping in result.groupings] == ["g", "sex", "g x sex"]
    assert {finding.verdict for finding in result.findings} == {"no bound"}
    assert result.exit_code == 0


def test_local_law_144_excludes_and_lists_small_categories() -> None:
    """A category that is excluded is not the reference, and stays listed with its rate."""
    spec: dict[str, Any] = {"positive": "p == 1", "groups": "g", "preset": "nyc-ll144"}
    kept = Audit(**spec).run(LL144).groupings[0]
    left = Audit(**spec, exclude_below=0.02).run(LL144)
    assert (kept.reference, left.groupings[0].reference) == ("c", "b")
    facts = left.groupings[0].groups[2]
    assert (facts.group, facts.n, facts.selection_rate, facts.excluded) == ("c", 1, 1.0, True)
    assert [finding.group for finding in left.findings] == ["a"]
    assert "1 of 3 groups are not compared" in " ".join(left.notes)


def test_local_law_144_scoring_rate() -> None:
    """Without decisions, the rate is that of scores above the median of all people."""
    people = pd.DataFrame({"g": list("aaabbb"), "s": [1.0, 5.0, 6.0, 2.0, 3.0, 7.0]})
    result = Audit(score="s", groups="g", preset="nyc-ll144").run(people)
    # The median is 4: two of three of group a are above it, one of three of group b.
    assert [facts.selection_rate for facts in result.groupings[0].groups] == [2 / 3, 1 / 3]
    assert result.findings[0].value == 0.5
    assert result.positive == "the score is above its median"


def test_local_law_144_counts_unknown_categories() -> None:
    """People of an unknown category are left out and counted."""
    people = pd.DataFrame({"g": ["a", "b", None], "p": [1, 1, 1]})
    result = Audit(positive="p == 1", groups="g", preset="nyc-ll144").run(people)
    assert dict(result.left_out)["group g"] == 1


@pytest.mark.parametrize(
    ("y", "p", "kind"),
    [
        ([1, 0, 1, 0], [1, 0, 1, 0], "neither"),
        ([1, 1, 1, 0], [1, 1, 1, 0], "systemic"),
        ([1, 0, 0, 0], [1, 0, 1, 0], "algorithmic"),
        ([0, 0, 1, 0], [1, 1, 1, 0], "both"),
        ([0, 0, 1, 1], [0, 0, 0, 0], "undefined"),
    ],
)
def test_ofi_and_di_together(y: list[int], p: list[int], kind: str) -> None:
    """The two measures of Briscoe2025 are read together as its section 2.3 does."""
    people = pd.DataFrame({"g": list("aabb"), "y": y, "p": p})
    audit = Audit(
        truth="y == 1", positive="p == 1", groups=Grouping("g", reference="b"), preset="ofi"
    )
    assert [reading.kind for reading in audit.run(people).readings] == [kind]


def test_fai() -> None:
    """The four measures of FAI have their own ranges, whatever epsilon is."""
    bounds = {c.measure: (c.at_least, c.at_most) for c in PRESETS["fai"].criteria(0.5)}
    assert bounds == {
        "statistical_parity_difference": (-0.1, 0.1),
        "disparate_impact": (0.8, 1.25),
        "average_odds_difference": (-0.1, 0.1),
        "equal_opportunity_difference": (-0.1, 0.1),
    }


@pytest.mark.parametrize(
    ("preset", "cited"),
    [
        (
            "four-fifths",
            [
                "29 CFR 1607.4(D): “A selection rate for any race, sex, or ethnic group which is",
                "less than four-fifths (4/5) (or eighty percent) of the rate for the group with",
                "29 CFR 1607.15(A)(2)(a), in our words",
                "Hazelwood School District v. United States, 433 U.S. 299",
                "no legal definition",
            ],
        ),
        (
            "nyc-ll144",
            [
                "6 RCNY § 5-300, Impact Ratio, in our words",
                "6 RCNY § 5-300, Scoring Rate",
                "6 RCNY § 5-301(b), (c)",
                "6 RCNY § 5-301(d): “an independent auditor may exclude a category that represents",
                "set no bound",
            ],
        ),
    ],
)
def test_law_is_cited(preset: str, cited: list[str]) -> None:
    """Reports carry the text they apply, and its place."""
    result = Audit(positive="p == 1", groups="g", preset=preset).run(LL144)
    report = AuditReport(result)
    for form in (" ".join(report.text().split()), report.html().replace("&#39;", "'")):
        assert all(" ".join(text.split()) in form for text in cited)
    assert all(citation.where in report.json() for citation in PRESETS[preset].citations)


@pytest.mark.parametrize("preset", PRESETS)
def test_no_report_claims_compliance(preset: str) -> None:
    """No report says that anything complies, is legal or is fair."""
    people = LL144.assign(y=LL144["p"])
    audit = Audit(truth="y == 1", positive="p == 1", groups="g", preset=preset)
    report = AuditReport(audit.run(people))
    words = f"{report.text()} {report.markdown()} {report.html()} {report.json()}".lower()
    for word in ("complies", "compliant", "compliance", "is legal", "is fair", "unfair", "lawful"):
        assert word not in words
