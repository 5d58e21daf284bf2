"""Intervals of every measure, in every form, and verdicts that know of them."""

import dataclasses
import json
import math
import re
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_interval, detectable_differences
from skfair_ofi.metrics import METRICS, Bands
from skfair_ofi.report import (
    BeforeAfterDisplay,
    FlipMeasuresDisplay,
    Measured,
    ProportionalityReport,
    Summary,
    from_json,
    proportionality_report,
    summarize,
)
from skfair_ofi.report.plots import Display

SPD = "statistical_parity_difference"
# bands that hold whatever is measured
ANYTHING = {
    name: Bands.within(math.inf)
    for name, metric in METRICS.items()
    if metric.kind == "comparison" and metric.family in ("label", "flip")
}


def measured(summary: Summary) -> dict[str, Measured]:
    """Every value by the name of its measure and the table it is of."""
    found = {f"{row.name} before": row.before for row in summary.fairness}
    found |= {f"{row.name} after": row.after for row in summary.fairness}
    return found | {f"{row.name} flips": row.result for row in summary.measures}


def bare(summary: Summary) -> list[Measured]:
    """Every value without its interval."""
    return [dataclasses.replace(value, interval=None) for value in measured(summary).values()]


def closing(first: int, second: int, size: int = 1000) -> OutcomeCounts:
    """Groups of which half and a share are selected before, and as many more after."""
    half = size // 2
    return OutcomeCounts(
        ["a", "b"],
        [
            [[[half - first, first], [0, half]]],
            [[[size - half * 7 // 10 - second, second], [0, half * 7 // 10]]],
        ],
    )


@pytest.fixture(scope="module")
def few() -> OutcomeCounts:
    """Two larger groups and two small ones."""
    sizes = np.array([1, 60, 50, 3])[:, None, None, None]
    return OutcomeCounts(["Asian", "White", "Black", "Other"], sizes * np.ones((4, 2, 2, 2), int))


@pytest.mark.parametrize("privileged", [1, None])
def test_every_row_has_its_interval(paper: OutcomeCounts, privileged: Any) -> None:
    """Each value has the interval of its measure in its table, and lies inside."""
    tables = {"before": paper.before, "after": paper.after, "flips": paper}
    for key, value in measured(summarize(paper, privileged=privileged)).items():
        name, when = key.split()
        expected = confidence_interval(tables[when], name, privileged=privileged)
        assert value.interval == expected, key
        assert value.value in expected


@pytest.mark.parametrize("privileged", ["=cmd()", None])
def test_intervals_change_no_value(hostile: OutcomeCounts, privileged: Any) -> None:
    """Values, verdicts and reasons are the same with intervals and without."""
    summaries = [summarize(hostile, privileged=privileged, level=level) for level in (0.95, None)]
    assert bare(summaries[0]) == bare(summaries[1])
    assert summaries[0].decision == summaries[1].decision
    assert {value.interval for value in measured(summaries[1]).values()} == {None}


def test_undefined_has_no_interval() -> None:
    """What is undefined has a reason and no interval, in every form."""
    report = proportionality_report(
        [1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], sensitive_features=list("aabb"), privileged="a"
    )
    value = measured(report.summary)["equal_opportunity_difference before"]
    assert math.isnan(value.value)
    assert (value.verdict, value.interval) == ("undefined", None)
    assert "no positives in group 'b'" in (value.reason or "")
    frame = report.to_frame().set_index("measure")
    ends = frame.loc["equal_opportunity_difference", ["before_low", "before_high"]]
    assert ends.isna().all()


@pytest.mark.parametrize("level", [0.5, 0.999])
def test_level(paper: OutcomeCounts, level: float) -> None:
    """The level is that of every interval, and is named."""
    summary = summarize(paper, level=level)
    assert {value.interval.level for value in measured(summary).values() if value.interval} == {
        level
    }
    assert f"its {100 * level:g}% confidence interval." in " ".join(
        ProportionalityReport(summary).text().split()
    )
    assert summary.certainty[0].startswith(f"Intervals: {100 * level:g}% each")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, r"level must lie between 0 and 1, got 95\.$"),
        (
            {"level": None, "uncertain": True},
            r"level must be a number where uncertain is True, got None\.$",
        ),
    ],
)
def test_refusals(paper: OutcomeCounts, options: dict[str, Any], message: str) -> None:
    """A level in percent is refused, and uncertain verdicts without intervals are."""
    with pytest.raises(ValueError, match=message):
        summarize(paper, **options)


@pytest.mark.parametrize("privileged", [1, None])
def test_uncertain_verdicts(paper: OutcomeCounts, privileged: Any) -> None:
    """A verdict is uncertain just where its interval spans a bound, else it is as before."""
    plain = measured(summarize(paper, privileged=privileged))
    unsure = measured(summarize(paper, privileged=privileged, uncertain=True))
    for key, value in unsure.items():
        bands, interval = METRICS[key.split()[0]].bands, value.interval
        spans = bool(bands and interval and interval.judge(bands) == "uncertain")
        assert value.verdict == ("uncertain" if spans else plain[key].verdict)
    assert unsure["disparate_impact after"].verdict == "uncertain"
    assert unsure["disparate_impact before"].verdict == "outside bounds"


def test_uncertain_by_own_bands(paper: OutcomeCounts) -> None:
    """Bands that are given are those that an interval spans."""
    bands = Bands.within(0.3)
    summary = summarize(paper, privileged=1, uncertain=True, bands={SPD: bands})
    assert measured(summary)[f"{SPD} before"].verdict == "uncertain"


def test_no_flips_are_certain() -> None:
    """Where no one was flipped, or harmed, nothing is uncertain about it."""
    summary = summarize(OutcomeCounts(["a", "b"], [[[[9, 0], [0, 9]]]] * 2), uncertain=True)
    assert {row.result.verdict for row in summary.measures} == {"no flips"}
    summary = summarize(OutcomeCounts(["a", "b"], [[[[9, 1], [0, 9]]]] * 2), uncertain=True)
    assert summary.measures[-1].result.verdict == "no harmful flips"


def test_uncertain_is_for_review() -> None:
    """What would be accepted is for review where few people make it uncertain."""
    wide = {SPD: Bands.within(0.2)}
    assert summarize(closing(30, 30, 100), bands=wide).decision.outcome == "accept"
    decision = summarize(closing(30, 30, 100), bands=wide, uncertain=True).decision
    assert (decision.outcome, decision.rule) == ("review", "to be reviewed")
    assert decision.reasons[0] == (
        "Uncertain, since their intervals span a bound: DI before, DI after, SPD before, SPD "
        "after, FRD, FDI, FD and RFD."
    )


def test_many_people_make_it_certain() -> None:
    """With a hundred thousand times as many people, the same shares are accepted all the same."""
    large = summarize(
        closing(3_000_000, 3_000_000, 10_000_000),
        bands={SPD: Bands.within(0.2)},
        uncertain=True,
    )
    assert large.decision.outcome == "accept"


def test_one_uncertain_verdict_is_said_as_one() -> None:
    """Of a single uncertain verdict, the sentences speak in the singular."""
    counts = OutcomeCounts(["a", "b"], [[[[1800, 200], [200, 1800]]]] * 2)
    bands = {**ANYTHING, "flip_rate_difference": Bands.within(0.005)}
    summary = summarize(counts, uncertain=True, bands=bands)
    assert "Uncertain, since its interval spans a bound: FRD." in summary.decision.reasons
    assert summary.certainty[1] == (
        "1 of 12 verdicts is uncertain, since its interval spans a bound: FRD."
    )


@pytest.mark.parametrize(
    ("cells", "plainly"),
    [
        # outside before for certain, and perhaps within after
        ([[[[50, 0], [0, 150]]], [[[75, 50], [0, 75]]]], "disparity remains"),
        # all predictions right, and perhaps within before
        ([[[[45, 10], [0, 0]], [[0, 0], [5, 40]]]] * 2, "unnecessary"),
    ],
)
def test_uncertainty_settles_nothing(cells: Any, plainly: str) -> None:
    """Neither that a disparity remains nor that there was none follows from what is uncertain."""
    counts, bands = OutcomeCounts(["a", "b"], cells), {**ANYTHING, SPD: Bands.within(0.1)}
    assert summarize(counts, bands=bands).decision.rule == plainly
    decision = summarize(counts, bands=bands, uncertain=True).decision
    assert decision.rule == "to be reviewed"
    assert decision.reasons[0].startswith("Uncertain, since")


def test_uncertain_measures_are_not_read_together(few: OutcomeCounts) -> None:
    """OFI and DI are not read together where a bound lies inside an interval."""
    summary = summarize(few, privileged="Asian", uncertain=True)
    assert [reading.kind for reading in summary.readings] == ["uncertain", "uncertain"]
    assert summary.readings[0].sentence == (
        "Before the correction, OFI is 0.000 and DI 1.000; they cannot be read together, since an "
        "interval spans a bound."
    )


def test_methods_are_named_once(paper: OutcomeCounts) -> None:
    """One sentence names level, methods and sources, and one the verdicts that are uncertain."""
    assert summarize(paper, privileged=1).certainty == (
        (
            "Intervals: 95% each, from the counts alone; Wilson, adjusted Wald, MOVER on logs of "
            "Wilson limits, MOVER of Jeffreys limits, MOVER of Jeffreys odds and MOVER of a "
            "quotient; simultaneous for largest gaps. Sources: E. B. Wilson 1927; G. Y. Zou and A. "
            "Donner 2008; P. J. Laud 2017."
        ),
        (
            "9 of 28 verdicts are uncertain, since their intervals span a bound: DI after, SPD "
            "after, EOD after, PED before, PPD before, PPD after, CUAE before, CUAE after and RFD."
        ),
        (
            "Before and after are figures of the same people: that their intervals overlap does "
            "not show that nothing changed."
        ),
    )


@pytest.mark.parametrize("name", ["weighted", "expected"])
def test_what_intervals_of_other_counts_mean(paper: OutcomeCounts, name: str) -> None:
    """Weighted and expected tables say once what their intervals mean."""
    tables = {
        "weighted": OutcomeCounts([0, 1], paper.cells * 1.0, weight_squares=paper.cells * 2.0),
        "expected": OutcomeCounts([0, 1], paper.cells / 16),
    }
    said = {"weighted": "Weighted: sizes are effective", "expected": "Fractional counts are read"}
    notes = [text for text in summarize(tables[name]).certainty if text.startswith(said[name])]
    assert len(notes) == 1


def test_small_groups_cannot_show_small_gaps(few: OutcomeCounts) -> None:
    """The gap that a small group cannot show is that of the detectable differences."""
    found = detectable_differences(few.before, SPD, privileged="White")
    gaps = {group: f"{gap:.2g}" for group, gap in zip(found["group"], found["gap"], strict=True)}
    assert summarize(few, privileged="White").notes[1:] == (
        (
            f"With 8 people in group Asian, a gap in selection rates under {gaps['Asian']} cannot "
            f"be seen; with 24 in group Other, one under {gaps['Other']} (power 80%)."
        ),
    )


def test_larger_groups_are_not_pointed_out(paper: OutcomeCounts) -> None:
    """Without small groups, or with no one to compare them with, there is no such sentence."""
    assert summarize(paper).notes == ()
    alone = OutcomeCounts(["a"], paper.cells[:1] // 40)
    assert [note.split(":")[0] for note in summarize(alone).notes] == ["Few people"]


def test_of_many_small_groups_three_are_named() -> None:
    """The three smallest groups are named; no gap at all can be seen with one person."""
    sizes = np.arange(1, 7)[:, None, None, None]
    cells = sizes * np.array([[[1, 0], [0, 0]]])
    cells[-1] += 90
    notes = summarize(OutcomeCounts(list("abcdef"), cells)).notes
    assert notes[1].startswith("With 1 person in group a, no gap in selection rates can be seen")
    assert notes[1].count("in group") == 3


def test_weighted_people_count_by_their_effective_number() -> None:
    """Ten rows of weight 100 are few people, not a thousand."""
    groups = ["a"] * 10 + ["b"] * 100
    labels = [1, 0] * 55
    report = proportionality_report(
        labels, labels, labels, sensitive_features=groups, sample_weight=[100.0] * 110
    )
    assert report.summary.notes[0].startswith("With 10 people in group a")
    assert report.summary.notes[0].endswith("(power 80%, effective numbers of people).")


def test_text(paper: OutcomeCounts) -> None:
    """Intervals stand on a line of their own, below their values."""
    lines = ProportionalityReport(summarize(paper, privileged=1)).text().splitlines()
    row = lines.index(
        "Disparate impact (DI)      2.463  outside bounds   1.248  within bounds   -1.215"
    )
    assert lines[row + 1] == "                          2.070 to 2.945          1.061 to 1.472"
    row = lines.index("Harmful flip disparity index (HDI)         infinite  outside bounds")
    assert lines[row + 1].strip() == "from 10.890"


def test_text_fits(few: OutcomeCounts) -> None:
    """Every line fits 80 columns, with long intervals and short verdicts too."""
    for uncertain in (False, True):
        text = ProportionalityReport(summarize(few, uncertain=uncertain, level=0.9999)).text()
        assert max(map(len, text.splitlines())) <= 80


def test_markdown(paper: OutcomeCounts) -> None:
    """Intervals stand in brackets behind their values."""
    text = ProportionalityReport(summarize(paper, privileged=1)).markdown()
    assert r"| 2.463 \[2.070 to 2.945\] (outside bounds) | 1.248 \[1.061 to 1.472\]" in text


def test_html(paper: OutcomeCounts) -> None:
    """Intervals stand below their values, and the verdict has a word and a sign."""
    text = ProportionalityReport(summarize(paper, privileged=1, uncertain=True))._repr_html_()
    assert '2.463 <span class="interval">2.070 to 2.945</span>' in text
    assert 'class="chip middling"><span aria-hidden="true">?</span> uncertain' in text


def test_json(paper: OutcomeCounts) -> None:
    """The ends are numbers or words, with level, method and note, and come back as they were."""
    summary = summarize(paper, privileged=[1], uncertain=True)
    data = json.loads(ProportionalityReport(summary).json())
    assert (data["level"], data["uncertain"]) == (0.95, True)
    rows = {row["symbol"]: row["result"]["interval"] for row in data["measures"]}
    assert rows["FRD"]["low"] == pytest.approx(0.06223315554771081)
    assert (rows["HDI"]["high"], rows["FRD"]["note"]) == ("infinite", None)
    assert (rows["FRD"]["level"], rows["FRD"]["method"]) == (0.95, "MOVER of Jeffreys limits")
    assert measured(from_json(ProportionalityReport(summary).json())) == measured(summary)


def test_frame_and_csv(paper: OutcomeCounts) -> None:
    """Ends and methods have columns of their own."""
    summary = summarize(paper, privileged=1)
    frame = ProportionalityReport(summary).to_frame().set_index("measure")
    row = frame.loc["disparate_impact"]
    assert [row["before_low"], row["after_high"]] == pytest.approx([2.0699882, 1.4716], abs=1e-3)
    assert row["method"] == "MOVER on logs of Wilson limits"
    assert math.isnan(frame.loc["flip_disparity_index", "before_low"])
    assert frame.loc["harmful_flip_disparity_index", "after_high"] == math.inf
    content = ProportionalityReport(summary).csv()
    assert ",before_low,before_high,after_low,after_high,method\n" in content


def test_without_intervals(few: OutcomeCounts) -> None:
    """Without a level, no form speaks of intervals."""
    summary = summarize(few, level=None)
    for form in ("text", "markdown", "html", "csv"):
        content = getattr(ProportionalityReport(summary), form)()
        # images and style sheets hold any letters
        text = re.sub(r'src="[^"]*"|<style.*?</style>', "", content, flags=re.DOTALL)
        assert "interval" not in text
        assert "_low" not in text
    assert summary.certainty == ()
    assert [note.split(":")[0] for note in summary.notes] == ["Few people"]
    data = json.loads(ProportionalityReport(summary).json())
    assert (data["level"], data["certainty"]) == (None, [])
    assert data["measures"][0]["result"]["interval"] is None


def drawn(display: Display) -> tuple[int, str]:
    """Number of lines on new axes, and what stands below them."""
    ax = display.plot(Figure().subplots()).ax_
    return len(ax.lines), ax.get_xlabel()


@pytest.mark.parametrize("display", [FlipMeasuresDisplay, BeforeAfterDisplay])
@pytest.mark.parametrize("privileged", [1, None])
def test_plots(paper: OutcomeCounts, display: type[Display], privileged: Any) -> None:
    """Intervals are thin lines, and said to be; without a level there are none."""
    lines, words = drawn(display.from_counts(paper, privileged=privileged))
    plain, plain_words = drawn(display.from_counts(paper, privileged=privileged, level=None))
    assert lines > plain
    assert words.endswith("thin lines: 95% confidence intervals")
    assert "thin lines" not in plain_words
    plt.close("all")


def test_plot_frames(paper: OutcomeCounts) -> None:
    """What is drawn has the ends of the intervals, NaN where there are none."""
    flips = FlipMeasuresDisplay.from_counts(paper).frame()
    assert flips.loc[0, ["low", "high"]].tolist() == pytest.approx([0.06223316, 0.13105324])
    fairness = BeforeAfterDisplay.from_counts(paper, level=None).frame()
    assert fairness[["before_low", "after_high"]].isna().all(axis=None)


def test_no_interval_reaches_past_the_axis(few: OutcomeCounts) -> None:
    """Intervals are drawn as far as the axis goes, with a tick at ends that lie on it."""
    ax = BeforeAfterDisplay.from_counts(few, privileged="Asian").plot(Figure().subplots()).ax_
    assert max(abs(end) for line in ax.lines for end in line.get_xdata()) <= 4.0


def test_reports_pass_the_options_on(paper: OutcomeCounts) -> None:
    """Reports of tables and of arrays hand level and uncertainty on."""
    report = ProportionalityReport.from_counts(paper, level=0.9, uncertain=True)
    assert report.summary == summarize(paper, level=0.9, uncertain=True)
    again = proportionality_report(
        None, [1, 0], [0, 0], sensitive_features=list("ab"), level=0.8, uncertain=True
    ).summary
    assert (again.level, again.uncertain) == (0.8, True)
