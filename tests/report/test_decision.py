"""Each rule of the decision, on the smallest table that it holds for."""

import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.metrics import Bands
from skfair_ofi.report import Decision, proportionality_report, summarize


def decide_on(y_true: str | None, y_pred: str, y_corrected: str, groups: str) -> Decision:
    """The decision on labels and groups of one character a person."""
    truth, labels, corrected = (
        None if row is None else [int(label) for label in row]
        for row in (y_true, y_pred, y_corrected)
    )
    return proportionality_report(
        truth, labels, corrected, sensitive_features=list(groups)
    ).summary.decision


AB = "aaaabbbb"


@pytest.mark.parametrize(
    ("y_true", "y_pred", "y_corrected", "groups", "rule", "outcome"),
    [
        # nothing to compare with
        ("1010", "1110", "1010", "aaaa", "nothing to judge", "review"),
        # both groups alike before, everyone relabeled
        ("1010" * 2, "1111" * 2, "0000" * 2, "aaaabbbb", "unnecessary", "change the correction"),
        # b is favored before, and more so after
        ("1100" * 2, "11001110", "11001111", AB, "harm without gain", "change the correction"),
        ("1100" * 2, "11001111", "11001111", AB, "disparity remains", "change the model"),
        # gap halved, still far outside
        ("1100" * 20, "1" * 40 + "0" * 40, "1" * 30 + "0" * 50, "a" * 40 + "b" * 40,
         "disparity remains", "change the model"),
        # gap closed, all flips in one group, all of them right, and nobody lost
        ("1100" * 2, "11000000", "11001100", AB, "to be reviewed", "review"),
        # the same, but one flip made a right prediction wrong
        ("11001000", "11000000", "11001100", AB, "disproportionate", "change the correction"),
        # gap closed by right flips that take the favorable label from one group
        ("1100" * 2, "11001111", "11001100", AB, "disproportionate", "change the correction"),
        # gap closed, and no one knows which flips are right
        (None, "11000000", "11001100", AB, "disproportionate", "change the correction"),
        # selection rates alike before, and no one knows what else was to be corrected
        (None, "1100" * 2, "0110" * 2, "aaaabbbb", "to be reviewed", "review"),
        # no flips, no disparity
        ("1100" * 2, "1100" * 2, "1100" * 2, "aaaabbbb", "acceptable", "accept"),
    ],
)  # fmt: skip
def test_rules(  # noqa: PLR0917 - one row of the table each
    y_true: str | None, y_pred: str, y_corrected: str, groups: str, rule: str, outcome: str
) -> None:
    """The first rule that holds decides."""
    decision = decide_on(y_true, y_pred, y_corrected, groups)
    assert (decision.rule, decision.outcome) == (rule, outcome)


def test_harmless_flips_that_fall_on_one_group_are_for_review() -> None:
    """A disproportionate flip measure alone does not condemn flips that repair and take nothing."""
    decision = decide_on("1100" * 2, "11000000", "11001100", AB)
    uneven, harmless, brought, accuracy = decision.reasons
    assert uneven.startswith("Flips fall on the groups disproportionately by 4 of 8 measures: ")
    assert harmless == (
        "That alone is for a person to review: every flip put a wrong prediction right, nobody "
        "lost the favorable label, and measures came within their bounds."
    )
    assert brought.startswith("Brought within their bounds: ")
    assert accuracy == "Accuracy rose from 75.0% to 100.0%."


def closing(gained_a: int, gained_b: int) -> OutcomeCounts:
    """100 people a group, of whom 50 of a and 35 of b are selected before; some gain, none lose."""
    return OutcomeCounts(
        ["a", "b"],
        [[[[50 - gained_a, gained_a], [0, 50]]], [[[65 - gained_b, gained_b], [0, 35]]]],
    )


WIDE_SPD = {"statistical_parity_difference": Bands.within(0.2)}


def test_accept() -> None:
    """A disparity brought within bounds by flips in proportion is accepted."""
    decision = summarize(closing(30, 30), bands=WIDE_SPD).decision
    assert decision == Decision(
        "accept",
        "acceptable",
        (
            "Brought within their bounds: DI (0.700 to 0.812).",
            "By every measure, flips fall on the groups in proportion.",
        ),
    )


def test_moderate_flips_are_for_review() -> None:
    """Flips that are moderately uneven are for a person to review."""
    decision = summarize(closing(30, 34), bands=WIDE_SPD).decision
    assert (decision.rule, decision.outcome) == ("to be reviewed", "review")
    assert decision.reasons[0] == (
        "Flips fall on the groups moderately unevenly by 2 of 8 measures: FDI 1.133 and FD 0.125."
    )


def test_half_a_repair_is_for_review() -> None:
    """One measure came within bounds, another did not: neither accepted nor a failure."""
    decision = summarize(closing(30, 30)).decision
    assert (decision.rule, decision.outcome) == ("to be reviewed", "review")
    assert decision.reasons[0] == "Still outside their bounds: SPD (0.150 to 0.150)."


def test_a_measure_pushed_out_is_for_review() -> None:
    """A measure that the correction pushed out of its bounds is named."""
    tight = {
        **WIDE_SPD,
        "disparate_impact": Bands((0.65, 0.75)),
    }
    decision = summarize(closing(30, 30), bands=tight).decision
    assert decision.rule == "to be reviewed"
    assert "Pushed out of their bounds: DI (0.700 to 0.812)." in decision.reasons


def test_harm_without_truth() -> None:
    """Without true labels, flips that bring no measure nearer are harm without gain."""
    counts = OutcomeCounts(["a", "b"], [[[[50, 0], [0, 50]]], [[[80, 0], [10, 10]]]])
    decision = summarize(counts).decision
    assert (decision.rule, decision.outcome) == ("harm without gain", "change the correction")
    assert decision.reasons[0] == (
        "Harm without gain: no measure that was outside its bounds came nearer to its ideal, and "
        "10 of 200 people were flipped."
    )


def test_all_reasons_are_listed() -> None:
    """The deciding rule's reasons come first; those of the others follow."""
    decision = decide_on("1010" * 2, "1111" * 2, "0000" * 2, "aaaabbbb")
    assert decision.reasons == (
        (
            "Unnecessary: all 9 fairness measures judged were within bounds before the "
            "correction, and 8 of 8 people were flipped all the same."
        ),
        "By every measure, flips fall on the groups in proportion.",
        "Accuracy stayed at 50.0%.",
    )


def test_the_paper_is_to_change_its_correction(paper: OutcomeCounts) -> None:
    """The published correction reaches its aim, by flips that fall on one group."""
    decision = summarize(paper, privileged=1).decision
    assert (decision.rule, decision.outcome) == ("disproportionate", "change the correction")
    assert decision.reasons[0] == (
        "Flips fall on the groups disproportionately by 7 of 8 measures: HFPD 1.000, FDI 2.334, "
        "HDI infinite, FD 0.738, HFD infinite, RFD 0.400 and RHFD 1.000."
    )
    assert decision.reasons[-1] == "Accuracy fell from 72.5% to 66.6%."
