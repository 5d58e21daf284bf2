"""Every number and sentence of a summary, against arithmetic on published tables."""

import dataclasses
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import Bands
from skfair_ofi.report import FairnessRow, FlipRow, Summary, proportionality_report, summarize

FR, FR_0, FR_1 = 174 / 1320, 136 / 799, 38 / 521
PAPER_FLIPS = {
    "flip_rate_difference": (FR_0 - FR_1, "moderate"),
    "flip_disparity_index": (FR_0 / FR_1, "outside bounds"),
    "flip_rate_disparity": ((FR_0 - FR_1) / FR, "outside bounds"),
    "relative_flip_disparity": ((FR_0 - FR_1) / (FR_0 + FR_1), "outside bounds"),
    "harmful_flip_proportion_difference": (1.0, "outside bounds"),
    "harmful_flip_disparity_index": (math.inf, "outside bounds"),
    "harmful_flip_disparity": (math.inf, "outside bounds"),
    "relative_harmful_flip_disparity": (1.0, "outside bounds"),
}
# Cells by (y, y_pred, y_corrected) are in the fixture; these are the four-fold tables.
PAPER_FAIRNESS = {
    "accuracy": (957 / 1320, 879 / 1320, None, None),
    "objective_fairness_index": (
        (99 - 129) / 799 - (39 - 96) / 521,
        (59 - 225) / 799 - (69 - 88) / 521,
        "within bounds",
        "within bounds",
    ),
    "disparate_impact": (
        (423 / 799) / (112 / 521),
        (287 / 799) / (150 / 521),
        "outside bounds",
        "within bounds",
    ),
    "statistical_parity_difference": (
        423 / 799 - 112 / 521,
        287 / 799 - 150 / 521,
        "outside bounds",
        "within bounds",
    ),
    "equal_opportunity_difference": (
        324 / 453 - 73 / 169,
        228 / 453 - 81 / 169,
        "outside bounds",
        "within bounds",
    ),
    "equalized_odds_difference": (
        324 / 453 - 73 / 169,
        69 / 352 - 59 / 346,
        "outside bounds",
        "within bounds",
    ),
}


def flip_row(summary: Summary, name: str) -> FlipRow:
    """The row of a flip measure."""
    return next(row for row in summary.measures if row.name == name)


def fairness_row(summary: Summary, name: str) -> FairnessRow:
    """The row of a fairness measure."""
    return next(row for row in summary.fairness if row.name == name)


@pytest.mark.parametrize("name", PAPER_FLIPS)
@pytest.mark.parametrize("privileged", [1, None])
def test_flip_measures_of_the_paper(paper: OutcomeCounts, name: str, privileged: Any) -> None:
    """With two groups, every flip measure is the published one, privileged or not."""
    value, verdict = PAPER_FLIPS[name]
    result = flip_row(summarize(paper, privileged=privileged), name).result
    assert result.value == pytest.approx(value)
    assert result.verdict == verdict
    assert result.reason == ("no one in group 1 was harmed" if math.isinf(value) else None)


@pytest.mark.parametrize("name", PAPER_FAIRNESS)
def test_fairness_of_the_paper(paper: OutcomeCounts, name: str) -> None:
    """Before, after, change and both verdicts follow from the table."""
    before, after, verdict_before, verdict_after = PAPER_FAIRNESS[name]
    row = fairness_row(summarize(paper, privileged=1), name)
    assert (row.before.value, row.after.value) == pytest.approx((before, after))
    assert row.change.value == pytest.approx(after - before)
    assert (row.before.verdict, row.after.verdict) == (verdict_before, verdict_after)


def test_groups_of_the_paper(paper: OutcomeCounts) -> None:
    """People, directions, rates and right or wrong flips of each group and of all."""
    summary = summarize(paper, privileged=1)
    told = [
        (row.name, row.privileged, row.n, row.gained, row.lost, row.made_wrong, row.put_right)
        for row in (*summary.groups, summary.overall)
    ]
    assert told == [
        ("0", False, 799, 0, 136, 96, 40),
        ("1", True, 521, 38, 0, 30, 8),
        ("All groups", False, 1320, 38, 136, 126, 48),
    ]
    rows = (*summary.groups, summary.overall)
    assert [row.flip_rate.value for row in rows] == pytest.approx([FR_0, FR_1, FR])
    assert [row.harmful_flip_proportion.value for row in rows] == pytest.approx([1, 0, 136 / 174])
    ratios = [row.directional_flip_ratio.value for row in rows]
    assert ratios == pytest.approx([0, math.inf, 38 / 136])
    assert summary.groups[1].directional_flip_ratio.reason == "no one was harmed"


def test_first_lines(paper: OutcomeCounts) -> None:
    """The first lines name labels, privileged group, people, source and the decision."""
    summary = summarize(paper, privileged=1, source="a file", in_sample=True)
    assert dict(summary.facts) == {
        "Favorable label": "1 (unfavorable: 0)",
        "Privileged group": "1 (everyone else is compared with it)",
        "People": "1,320: 799 in group 0 and 521 in group 1",
        "Groups by": "pa",
        "Source": "a file",
        "In sample": "yes: the model was fitted on these people",
        "Flips": "174 (13.2% of all people): 38 gained the favorable label, 136 lost it",
        "Decision": "change the correction",
    }


def test_first_lines_say_what_is_not_known(paper: OutcomeCounts) -> None:
    """Without them, the report says that no group is privileged and no source stated."""
    facts = dict(summarize(paper).facts)
    assert facts["Privileged group"].startswith("none named")
    assert facts["Source"] == "not stated"
    assert "In sample" not in facts


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "flip_rate_difference",
            (
                "17.0% of the people in group 0 were flipped and 7.3% of those in group 1: a gap "
                "of 9.7 percentage points."
            ),
        ),
        (
            "flip_disparity_index",
            "People in group 0 were flipped 2.3 times as often as people in group 1.",
        ),
        (
            "flip_rate_disparity",
            "In units of the overall flip rate (13.2%), group 0 and group 1 lie 0.738 apart.",
        ),
        (
            "relative_flip_disparity",
            "The gap between group 0 and group 1 is 40.0% of the sum of their flip rates.",
        ),
        (
            "harmful_flip_proportion_difference",
            (
                "Of the flips in group 0, 100.0% took the favorable label away, and 0.0% of those "
                "in group 1: a gap of 100.0 percentage points."
            ),
        ),
        (
            "harmful_flip_disparity_index",
            (
                "100.0% of the flips in group 0 took the favorable label away; no one in group 1 "
                "was harmed."
            ),
        ),
    ],
)
def test_sentences(paper: OutcomeCounts, name: str, sentence: str) -> None:
    """Each measure is explained in one sentence with its numbers and its groups."""
    assert flip_row(summarize(paper, privileged=1), name).sentence == sentence


def test_oracle_without_truth() -> None:
    """The small oracle gives every flip measure, and says what lacks true labels."""
    summary = proportionality_report(
        None,
        [1, 1, 1, 0, 0, 1, 1, 0, 0],
        [0, 1, 1, 1, 0, 0, 0, 0, 0],
        sensitive_features=list("aaaaabbbb"),
    ).summary
    values = {row.symbol: row.result.value for row in summary.measures}
    assert values == pytest.approx(
        {
            "FRD": 1 / 10,
            "FDI": 5 / 4,
            "FD": 9 / 40,
            "RFD": 1 / 9,
            "HFPD": 1 / 2,
            "HDI": 2.0,
            "HFD": 9 / 8,
            "RHFD": 1 / 3,
        }
    )
    names = [row.name for row in summary.fairness]
    assert names == ["disparate_impact", "statistical_parity_difference"]
    assert "True labels are not given" in summary.left_out[0]
    assert "equal opportunity difference" in summary.left_out[0]
    assert summary.correctness == summary.readings == ()
    assert {row.made_wrong for row in summary.groups} == {None}


@pytest.mark.parametrize("truth", [[1, 0, 1, 0], None])
def test_no_flips_at_all(truth: list[int] | None) -> None:
    """Where no one was flipped, no measure is called disproportionate."""
    labels = [1, 1, 1, 0]
    summary = proportionality_report(
        truth, labels, labels, sensitive_features=list("aabb"), privileged="a"
    ).summary
    assert {row.result.verdict for row in summary.measures} == {"no flips"}
    assert {row.sentence for row in summary.measures} == {"No one was flipped."}
    assert flip_row(summary, "flip_rate_disparity").result.value == 1.0
    assert dict(summary.facts)["Flips"] == "none: no prediction was changed"


def test_no_flips_in_one_group() -> None:
    """A share of no flips reads as no flips, not as harmless ones."""
    summary = proportionality_report(
        None, [1, 1, 1, 1], [1, 1, 0, 1], sensitive_features=list("aabb")
    ).summary
    assert flip_row(summary, "flip_disparity_index").result.value == math.inf
    assert flip_row(summary, "flip_disparity_index").sentence == (
        "50.0% of the people in group b were flipped and no one in group a."
    )
    sentence = flip_row(summary, "harmful_flip_proportion_difference").sentence
    assert sentence.endswith("; no one in group a was flipped.")


def test_no_harm_is_not_disproportionate() -> None:
    """Where every flip was favorable, the harm measures have nothing to judge."""
    summary = proportionality_report(
        None, [0, 0, 0, 0], [1, 0, 1, 0], sensitive_features=list("aabb")
    ).summary
    row = flip_row(summary, "harmful_flip_disparity")
    assert (row.result.value, row.result.verdict) == (1.0, "no harmful flips")
    assert row.sentence == "No one was harmed: every flip gave the favorable label."
    assert flip_row(summary, "flip_rate_difference").sentence == (
        "Flips were equally common in group b and group a (50.0%)."
    )


def test_undefined_has_a_reason() -> None:
    """An undefined measure has no verdict but that, and says which group lacks what."""
    summary = proportionality_report(
        [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=list("aabb"), privileged="a"
    ).summary
    row = fairness_row(summary, "equal_opportunity_difference")
    assert math.isnan(row.before.value)
    assert row.before.verdict == "undefined"
    assert row.before.reason is not None
    assert "no positives in group 'b'" in row.before.reason
    assert math.isnan(row.change.value)


def test_infinite_fairness_has_a_reason() -> None:
    """An infinite ratio names the group that nobody of was selected."""
    summary = proportionality_report(
        None, [0, 0, 1, 0], [0, 1, 1, 0], sensitive_features=list("aabb"), privileged="a"
    ).summary
    before = fairness_row(summary, "disparate_impact").before
    assert before.value == math.inf
    assert before.verdict == "outside bounds"
    assert before.reason == "no one in group a has the favorable label"


def test_largest_gap_names_its_pair() -> None:
    """Without a privileged group, the pair with the largest gap is named."""
    summary = proportionality_report(
        [1] * 8,
        [1, 1, 1, 0, 1, 0, 0, 0],
        [1, 1, 1, 1, 1, 0, 0, 0],
        sensitive_features=list("aabbcccc"),
    ).summary
    row = fairness_row(summary, "objective_fairness_index")
    assert row.before.value == 3 / 4
    assert row.pair_before == ("a", "c")
    assert fairness_row(summary, "equalized_odds_difference").pair_before == ("a", "c")
    assert flip_row(summary, "flip_rate_difference").pair == ("b", "a")


def test_everyone_else_is_named() -> None:
    """With a privileged group among several, the others stand together."""
    summary = proportionality_report(
        None,
        [1, 1, 1, 0, 1, 0, 0, 0],
        [1, 0, 1, 1, 1, 0, 0, 0],
        sensitive_features=list("aabbcccc"),
        privileged="a",
    ).summary
    row = flip_row(summary, "flip_rate_difference")
    assert row.pair == ("b and c", "a")
    assert "group a" in row.sentence
    assert "groups b and c" in row.sentence


def test_many_others_are_not_listed() -> None:
    """Where many groups stand against the privileged one, a sentence calls them the others."""
    summary = proportionality_report(
        None, [1, 1, 1, 1], [1, 0, 0, 0], sensitive_features=list("abcd"), privileged="a"
    ).summary
    row = flip_row(summary, "flip_rate_difference")
    assert row.sentence.startswith("100.0% of the people in the other groups were flipped")
    assert row.pair == ("b, c and d", "a")


@pytest.mark.parametrize(
    ("selected", "value", "verdict"),
    [((4, 5), 0.8, "within bounds"), ((10, 5), 2.0, "outside bounds")],
)
def test_four_fifths_is_exact(selected: tuple[int, int], value: float, verdict: str) -> None:
    """Four fifths to the dot are within bounds, though floats say 0.7999; twice as much is not."""
    cells = [[[[50 - number, 0], [0, number]]] for number in selected]
    summary = summarize(OutcomeCounts(["u", "p"], cells), privileged="p")
    row = fairness_row(summary, "disparate_impact")
    assert (row.before.value, row.before.verdict) == (value, verdict)


@pytest.mark.parametrize(
    ("y_true", "y_pred", "kind"),
    [
        ("1100" * 2, "1100" * 2, "neither"),
        ("11101000", "11101000", "systemic"),
        ("11100000", "11001100", "algorithmic"),
        ("11001100", "11110000", "both"),
        ("11001100", "00000000", "undefined"),
    ],
)
def test_reading_of_ofi_and_di(y_true: str, y_pred: str, kind: str) -> None:
    """The two measures are read together as Briscoe2025 does."""
    truth, labels = [int(y) for y in y_true], [int(y) for y in y_pred]
    summary = proportionality_report(
        truth, labels, labels, sensitive_features=list("aaaabbbb"), privileged="a"
    ).summary
    assert [reading.kind for reading in summary.readings] == [kind, kind]
    assert {"neither": "point to no disparity", "undefined": "cannot be read"}.get(
        kind, kind
    ) in summary.readings[0].sentence


def test_errors_that_cancel_are_pointed_out() -> None:
    """OFI is 0 where every prediction is wrong, and the report says that it does not see it."""
    summary = proportionality_report(
        [1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0], sensitive_features=list("aabb")
    ).summary
    assert fairness_row(summary, "objective_fairness_index").before.value == 0
    assert summary.readings[0].kind == "neither"
    assert summary.readings[0].sentence.endswith(
        "OFI alone does not show errors that cancel: in group a, the favorable label was wrongly "
        "given to 1 and wrongly denied to 1, out of 2 people."
    )


def test_bands_replace_those_of_the_registry(paper: OutcomeCounts) -> None:
    """Bands that are given decide, are kept with the row, and lead the decision."""
    wide = Bands.within(0.2, 0.4)
    row = flip_row(summarize(paper, bands={"flip_rate_difference": wide}), "flip_rate_difference")
    assert row.result.verdict == "within bounds"
    assert (row.acceptable, row.moderate) == (wide.acceptable, wide.moderate)


def test_bands_give_bands_to_measures_without(paper: OutcomeCounts) -> None:
    """A measure without default bands has no verdict until it is given some."""
    name = "treatment_equality_difference"
    assert fairness_row(summarize(paper), name).before.verdict is None
    judged = summarize(paper, bands={"TE": Bands.within(0.1)})
    assert fairness_row(judged, name).before.verdict == "outside bounds"


def test_expected_counts_are_said_in_words(paper: OutcomeCounts) -> None:
    """Fractions of people are shown as such, and called expected."""
    counts = OutcomeCounts([0, 1], paper.cells / 16)
    summary = summarize(counts)
    assert summary.counting == "expected people"
    assert dict(summary.facts)["Counts"].startswith("Expected counts")
    assert dict(summary.facts)["Flips"].startswith("10.9 (13.2%")


def test_weighted_counts_are_said_in_words() -> None:
    """Sums of weights are called weighted."""
    summary = proportionality_report(
        None, [1, 0], [0, 0], sensitive_features=list("ab"), sample_weight=[12.5, 1.0]
    ).summary
    assert summary.counting == "weighted people"
    assert dict(summary.facts)["People"] == "13.5: 12.5 in group a and 1 in group b"


def test_weights_are_repeated_people() -> None:
    """Integer weights give the figures of repeated rows."""
    rows = ([1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 1])
    weights = [3, 1, 2, 5]
    weighted = proportionality_report(
        *rows, sensitive_features=list("aabb"), sample_weight=weights
    ).summary
    repeated = proportionality_report(
        *(np.repeat(row, weights) for row in rows),
        sensitive_features=np.repeat(list("aabb"), weights),
    ).summary
    for row, other in zip(weighted.measures, repeated.measures, strict=True):
        assert replace(row.result, interval=None) == replace(other.result, interval=None)
        assert row.sentence == other.sentence
    assert weighted.decision == repeated.decision


def test_small_groups_are_pointed_out(paper: OutcomeCounts) -> None:
    """Groups of fewer than 30 people are named, larger ones are not."""
    counts = OutcomeCounts([0, 1], [paper.cells[0], np.eye(2, dtype=int)[:, :, None] * [[[1, 2]]]])
    assert [note.split(".")[0] for note in summarize(counts).notes] == [
        "Few people: 1 (6)",
        "With 6 people in group 1, a gap in selection rates under 0",
    ]
    assert summarize(paper).notes == ()


def test_texts_that_users_give_are_one_line(paper: OutcomeCounts) -> None:
    """Control characters in a title, a source or a note reach no renderer."""
    summary = summarize(paper, title="a\x1b[1m", source="b\nc", notes=["d\td"])
    assert (summary.title, summary.source, summary.notes) == ("a [1m", "b c", ("d d",))


def test_a_summary_is_frozen(paper: OutcomeCounts) -> None:
    """A summary cannot be changed after it was made."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        summarize(paper).title = "other"  # type: ignore[misc]


def test_one_group_has_nothing_to_compare() -> None:
    """With one group, comparisons are undefined, and a person has to look."""
    summary = proportionality_report(
        [1, 0, 1, 0], [1, 1, 1, 0], [1, 0, 1, 0], sensitive_features=list("aaaa")
    ).summary
    assert {row.result.verdict for row in summary.measures} == {"undefined"}
    assert summary.measures[0].sentence == "Undefined: only one group, 'a'."
    assert summary.decision.outcome == "review"


def test_pairs_before_and_after(paper: OutcomeCounts) -> None:
    """OFI and DI of all pairs are there for few groups, and left out for many."""
    tables = summarize(paper).pairs
    assert [(table.symbol, table.when) for table in tables] == [
        ("OFI", "before"),
        ("DI", "before"),
        ("OFI", "after"),
        ("DI", "after"),
    ]
    ofi = (99 - 129) / 799 - (39 - 96) / 521
    assert np.array(tables[0].values) == pytest.approx(np.array([[0, ofi], [-ofi, 0]]))
    many = OutcomeCounts(range(13), np.ones((13, 2, 2, 2), dtype=int))
    assert summarize(many).pairs == ()


def test_a_cell_of_the_registry_is_a_row(paper: OutcomeCounts) -> None:
    """Rows take title, symbol and ideal from the registry."""
    row = flip_row(summarize(paper), "flip_disparity_index")
    assert (row.title, row.symbol, row.ideal) == ("Flip disparity index (FDI)", "FDI", 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"bands": {"flip_rate_diff": Bands.within(0.1)}},
            (
                r"bands must name a measure, got 'flip_rate_diff'\. "
                r"Did you mean 'flip_rate_difference', 'flip_rate' or 'flip_rate_disparity'\?$"
            ),
        ),
        (
            {"bands": {"zzz": Bands.within(0.1)}},
            r"bands must name a measure, got 'zzz'\.$",
        ),
        ({"privileged": 2}, r"privileged must be one of the groups \[0, 1\], got 2\.$"),
    ],
)
def test_refusals(paper: OutcomeCounts, options: dict[str, Any], message: str) -> None:
    """What cannot be meant is refused, with what comes near."""
    with pytest.raises(ValueError, match=message):
        summarize(paper, **options)


def test_bands_must_be_bands(paper: OutcomeCounts) -> None:
    """A bare number is no range: it could mean either limit."""
    with pytest.raises(TypeError, match=r"bands must hold Bands, got 0\.1 for 'flip_rate'\.$"):
        summarize(paper, bands={"flip_rate": 0.1})  # type: ignore[dict-item]


def test_tables_without_corrections_are_refused(paper: OutcomeCounts) -> None:
    """A report needs labels before and after."""
    message = r"counts must count y_pred and y_corrected, got roles \('y_true', 'y_pred'\)\.$"
    with pytest.raises(ValueError, match=message):
        summarize(paper.over("y_true", "y_pred"))


def test_empty_tables_are_refused(paper: OutcomeCounts) -> None:
    """Nobody was counted, nothing can be said."""
    with pytest.raises(ValueError, match=r"counts must count at least one person, got 0\.$"):
        summarize(OutcomeCounts([0, 1], paper.cells * 0))
