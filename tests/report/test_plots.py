"""Displays: what they hold, what they draw, and that hostile names stay text."""

import io
import math
from typing import Any, NamedTuple

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from sklearn.linear_model import LogisticRegression

from skfair_ofi import OutcomeCounts
from skfair_ofi._plotting import list_fonts
from skfair_ofi._text import strip_isolates
from skfair_ofi.metrics import Bands
from skfair_ofi.postprocessing import CorrectedClassifier
from skfair_ofi.report import (
    BeforeAfterDisplay,
    FlipMeasuresDisplay,
    FlipsDisplay,
    PairwiseDisplay,
    show_keys,
    summarize,
)
from skfair_ofi.report.plots import Display

DISPLAYS = [FlipsDisplay, FlipMeasuresDisplay, BeforeAfterDisplay, PairwiseDisplay]
Y_TRUE, Y_PRED, Y_CORRECTED = [1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0], [1, 0, 1, 0, 1, 0]
GROUPS = list("aaabbb")


class Outcomes(NamedTuple):
    """What ``predict_outcomes`` returns."""

    y_pred: Any
    y_corrected: Any
    groups: Any


class Corrected:
    """An estimator with ``predict_outcomes``, privileged group and favorable label."""

    privileged = "a"
    pos_label = "yes"

    def predict_outcomes(self, X: Any, *, sensitive_features: Any = None) -> Outcomes:
        """Return labels by the rows of X."""
        groups = X[:, 2] if sensitive_features is None else sensitive_features
        return Outcomes(X[:, 0], X[:, 1], groups)


def texts(ax: Axes) -> list[str]:
    """All text on axes."""
    ticks = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    return [text.get_text() for text in (*ax.texts, *ticks, ax.title, ax.xaxis.label)]


@pytest.mark.parametrize("display", DISPLAYS)
def test_plot_returns_itself(paper: OutcomeCounts, display: type[Display]) -> None:
    """A display draws on a new figure, and keeps the axes and the figure."""
    made = display.from_counts(paper, privileged=1)
    assert made.plot() is made
    assert isinstance(made.figure_, Figure)
    assert made.ax_.figure is made.figure_
    made.figure_.canvas.draw()
    plt.close("all")


@pytest.mark.parametrize("display", DISPLAYS[:3])
def test_plot_on_given_axes(paper: OutcomeCounts, display: type[Display]) -> None:
    """Axes that are given are drawn on, without pyplot."""
    figure = Figure()
    ax = figure.subplots()
    made = display.from_counts(paper).plot(ax)
    assert made.ax_ is ax
    assert plt.get_fignums() == []


@pytest.mark.parametrize("display", DISPLAYS)
def test_constructors_agree(display: type[Display]) -> None:
    """Predictions, counts, a summary and an estimator give the same numbers."""
    counts = OutcomeCounts.from_arrays(Y_TRUE, Y_PRED, Y_CORRECTED, sensitive_features=GROUPS)
    expected = display.from_counts(counts, privileged="a").frame()
    predicted = display.from_predictions(
        Y_TRUE, Y_PRED, Y_CORRECTED, sensitive_features=GROUPS, privileged="a"
    )
    pd.testing.assert_frame_equal(predicted.frame(), expected)
    summary = summarize(counts, privileged="a")
    pd.testing.assert_frame_equal(display.from_summary(summary).frame(), expected)
    named = [np.where(labels, "yes", "no") for labels in (Y_TRUE, Y_PRED, Y_CORRECTED)]
    X = np.column_stack([*named[1:], GROUPS])
    estimated = display.from_estimator(Corrected(), X, named[0])
    pd.testing.assert_frame_equal(estimated.frame(), expected)


def test_from_estimator_options() -> None:
    """What is given comes before the estimator's own."""
    X = np.column_stack([["no", "yes"] * 2, ["yes", "yes"] * 2, ["a", "a", "b", "b"]])
    display = FlipsDisplay.from_estimator(
        Corrected(), X, sensitive_features=list("cddd"), privileged="c", pos_label="no"
    )
    assert display.frame()["group"].tolist() == ["c", "d"]
    assert display.frame()["lost"].tolist() == [1, 1]


def test_from_estimator_with_a_fitted_classifier() -> None:
    """A fitted corrected classifier is drawn as its own outcomes are."""
    rng = np.random.default_rng(0)
    groups = rng.choice(["a", "b"], 400)
    X = pd.DataFrame({"x": rng.normal(size=400) + (groups == "a"), "g": groups})
    y = (X["x"] + rng.normal(size=400) > 0.5).astype(int)
    model = CorrectedClassifier(
        LogisticRegression(),
        ThresholdOptimizer(constraints="demographic_parity"),
        sensitive_features="g",
        drop_sensitive_features=True,
        random_state=0,
    ).fit(X, y)
    outcomes = model.predict_outcomes(X)
    frame = FlipsDisplay.from_estimator(model, X, y).frame()
    flips = np.asarray(outcomes.y_pred) != np.asarray(outcomes.y_corrected)
    assert frame["gained"].sum() + frame["lost"].sum() == flips.sum() > 0


def test_flips_frame(paper: OutcomeCounts) -> None:
    """Shares are those of the group's own people."""
    frame = FlipsDisplay.from_counts(paper).frame()
    assert frame["gained_share"].tolist() == pytest.approx([0, 38 / 521])
    assert frame["lost_share"].tolist() == pytest.approx([136 / 799, 0])


def test_flips_are_labeled(paper: OutcomeCounts) -> None:
    """Bars have their numbers, and say which label was gained and which lost."""
    drawn = texts(FlipsDisplay.from_counts(paper).plot(Figure().subplots()).ax_)
    for text in ("136 (17.0%)", "38 (7.3%)", "0", "gained: 0 → 1", "lost: 1 → 0", "0\n799 people"):
        assert text in drawn


def test_flips_of_many_groups() -> None:
    """Of many groups, those flipped most are drawn, and the title says so."""
    flips = [[[[5, g], [0, 5]]] for g in range(50)]
    display = FlipsDisplay.from_counts(OutcomeCounts(range(50), flips)).plot(Figure().subplots())
    assert len(display.frame()) == 50
    assert len(display.ax_.get_yticks()) == 40
    assert display.ax_.get_title(loc="left") == "The 40 groups flipped most"


def test_no_flips_draw() -> None:
    """Where no one was flipped, the displays draw all the same, and say so."""
    counts = OutcomeCounts([0, 1], [[[[5, 0], [0, 5]]]] * 2)
    for display in DISPLAYS[:3]:
        figure = Figure()
        display.from_counts(counts).plot(figure.subplots())
        figure.canvas.draw()
    drawn = texts(FlipMeasuresDisplay.from_counts(counts).plot(Figure().subplots()).ax_)
    assert drawn.count("no flips") == 8


@pytest.mark.parametrize("gained", [0, 2])
def test_flips_that_did_not_happen_mark_no_zone(gained: int) -> None:
    """Where there were no flips to judge, nothing stands in a zone: no diamond, no interval."""
    counts = OutcomeCounts([0, 1], [[[[9 - gained, gained], [0, 5]]], [[[9, 0], [0, 5]]]])
    display = FlipMeasuresDisplay.from_counts(counts).plot(Figure().subplots())
    judged = {
        index
        for index, verdict in enumerate(display.frame()["verdict"])
        if verdict not in ("no flips", "no harmful flips")
    }
    marked = {float(line.get_ydata()[0]) for line in display.ax_.lines if len(line.get_ydata())}
    assert marked == judged
    assert any("thin lines" in text for text in texts(display.ax_)) == bool(judged)


@pytest.mark.parametrize("n_groups", [2, 13, 40])
@pytest.mark.parametrize("kind", DISPLAYS[:3])
@pytest.mark.slow
def test_heads_stay_below_the_title(kind: type[Display], n_groups: int) -> None:
    """Words above the axes touch no title, however tall the axes are."""
    cells = np.random.default_rng(0).integers(1, 60, (n_groups, 2, 2, 2))
    display = kind.from_counts(OutcomeCounts(range(n_groups), cells)).plot()
    figure, ax = display.figure_, display.ax_
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    words = ax.get_title(loc="left")
    title = next(text for text in ax.findobj(Text) if text.get_text() == words)
    top = ax.bbox.y1
    heads = [box for text in ax.texts if (box := text.get_window_extent()).y0 >= top]
    assert heads
    assert all(box.y1 < title.get_window_extent().y0 for box in heads)
    plt.close("all")


def test_fonts_for_other_scripts() -> None:
    """Fonts that are installed follow the user's own, and draw what it lacks."""
    own = list(mpl.rcParams["font.family"])
    families = list_fonts(["No Such Font", "STIXGeneral"])
    assert families == [*own, "STIXGeneral"]
    figure = Figure()
    text = figure.text(0.5, 0.5, chr(0x1D4D0), fontfamily=own)
    with pytest.warns(UserWarning, match="missing from"):
        figure.savefig(io.BytesIO(), format="png")
    text.set_fontfamily(families)
    for kind in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=kind)
    assert set(list_fonts()) - set(own) <= set(mpl.font_manager.get_font_names())


def test_measures_have_zones_in_words(paper: OutcomeCounts) -> None:
    """Zones are named, limits are numbers, infinite is a word with an arrow at the edge."""
    display = FlipMeasuresDisplay.from_counts(paper).plot(Figure().subplots())
    drawn = texts(display.ax_)
    for text in ("within bounds", "moderate", "outside bounds", "0.05", "0.15", "1.1", "1.3"):
        assert text in drawn
    assert drawn.count("infinite") == 2
    assert [line.get_marker() for line in display.ax_.lines].count(">") == 2
    assert display.frame()["verdict"].tolist()[:2] == ["moderate", "outside bounds"]


def test_undefined_measures_are_words() -> None:
    """What is undefined has no marker, and says so."""
    counts = OutcomeCounts(["a"], [[[[5, 1], [1, 5]]]])
    display = FlipMeasuresDisplay.from_counts(counts).plot(Figure().subplots())
    assert texts(display.ax_).count("undefined") == 8
    assert len(display.ax_.lines) == 0


def test_measures_without_moderate_zone(paper: OutcomeCounts) -> None:
    """Bands of two zones are drawn as two."""
    bands = {"flip_rate_difference": Bands.within(0.02)}
    display = FlipMeasuresDisplay.from_counts(paper, bands=bands).plot(Figure().subplots())
    assert "0.02" in texts(display.ax_)
    assert display.frame()["moderate"].tolist()[0] is None


def test_before_after_units(paper: OutcomeCounts) -> None:
    """Distances are in acceptable ones: SPD 0.3144 is 3.1 of them; those far out become arrows."""
    display = BeforeAfterDisplay.from_counts(paper, privileged=1).plot(Figure().subplots())
    frame = display.frame().set_index("measure")
    spd = 423 / 799 - 112 / 521
    assert frame.loc["statistical_parity_difference", "before_units"] == pytest.approx(spd / 0.1)
    ratio = (423 / 799) / (112 / 521)
    expected = math.log(ratio) / math.log(1.25)
    assert frame.loc["disparate_impact", "before_units"] == pytest.approx(expected)
    assert [line.get_marker() for line in display.ax_.lines].count(">") == 1
    assert "0.314 → 0.071" in texts(display.ax_)
    assert "accuracy" not in frame.index


def test_before_after_without_privileged_has_no_sign(paper: OutcomeCounts) -> None:
    """Without a privileged group, gaps have no direction."""
    frame = BeforeAfterDisplay.from_counts(paper).frame()
    assert (frame[["before_units", "after_units"]] >= 0).all(axis=None)


def test_pairs_beside_each_other(paper: OutcomeCounts) -> None:
    """OFI stands beside DI, after the correction or before it."""
    display = PairwiseDisplay.from_counts(paper)
    titles = [ax.get_title(loc="left") for ax in display.plot(when="before").axes_]
    assert titles == ["OFI before the correction", "DI before the correction"]
    titles = [ax.get_title(loc="left") for ax in display.plot().axes_]
    assert titles == ["OFI after the correction", "DI after the correction"]
    plt.close("all")


def test_pair_cells() -> None:
    """Cells outside their bounds are bold, undefined ones hatched, infinite ones a sign."""
    counts = OutcomeCounts(
        ["a", "b", "c"], [[[[9, 0], [0, 0]]], [[[8, 0], [0, 1]]], [[[9, 0], [0, 0]]]]
    )
    figure = Figure()
    display = PairwiseDisplay.from_counts(counts).plot(figure.subplots())
    cells = {text.get_text(): text.get_fontweight() for text in display.ax_.texts}
    assert cells == {"0.00": "bold", "∞": "bold", "–": "normal"}
    assert sum(patch.get_hatch() == "////" for patch in display.ax_.patches) == 2
    figure.canvas.draw()


@pytest.mark.parametrize("n_groups", [2, 5, 9])
@pytest.mark.slow
def test_nothing_overlaps_or_is_cut(n_groups: int) -> None:
    """At every number of groups, text stays inside the figure and off its neighbors."""
    cells = np.random.default_rng(n_groups).integers(1, 60, (n_groups, 2, 2, 2))
    counts = OutcomeCounts([f"Group of people {g}" for g in range(n_groups)], cells)
    for kind in DISPLAYS:
        display = kind.from_counts(counts).plot()
        figure = display.figure_
        assert isinstance(figure, Figure)
        figure.canvas.draw()
        for ax in figure.axes:
            shown = [*ax.texts, *ax.get_yticklabels(), ax.xaxis.label]
            boxes = [text.get_window_extent() for text in shown if text.get_text()]
            assert all(figure.bbox.padded(1).containsx(x) for box in boxes for x in box.intervalx)
            assert all(figure.bbox.padded(1).containsy(y) for box in boxes for y in box.intervaly)
            pairs = [(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :]]
            assert not any(a.padded(-1).overlaps(b.padded(-1)) for a, b in pairs)
        plt.close("all")


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.slow
def test_hostile_names_draw_as_text(hostile: OutcomeCounts, display: type[Display]) -> None:
    """Hostile names draw without a warning, as they are or cut, and start no formula."""
    some = hostile.pick(*hostile.groups[:6], *hostile.groups[7:])
    made = display.from_counts(some).plot()
    made.figure_.canvas.draw()  # type: ignore[union-attr]
    ax = made.ax_
    labels = [*ax.texts, *ax.get_yticklabels()]
    assert not any(text.get_parse_math() for text in labels if "$" in text.get_text())
    if display in (FlipsDisplay, PairwiseDisplay):
        told = " ".join(text.get_text() for text in labels)
        for name in show_keys(some.groups):
            assert strip_isolates(name)[:10] in told
    plt.close("all")


def test_pairs_of_many_groups_are_refused() -> None:
    """More than twelve groups make no readable table of pairs."""
    counts = OutcomeCounts(range(13), np.ones((13, 2, 2, 2), dtype=int))
    message = r"groups must be at most 12 for a table of pairs, got 13\.$"
    with pytest.raises(ValueError, match=message):
        PairwiseDisplay.from_counts(counts).plot()


def test_pairs_need_axes_for_each_measure(paper: OutcomeCounts) -> None:
    """Two measures do not fit on one pair of axes."""
    with pytest.raises(ValueError, match=r"ax must hold 2 axes, one for each measure, got 1\.$"):
        PairwiseDisplay.from_counts(paper).plot(Figure().subplots())


def test_pairs_when_must_be_known(paper: OutcomeCounts) -> None:
    """Before or after, nothing else."""
    with pytest.raises(ValueError, match=r"when must be one of 'before', 'after', got 'now'\.$"):
        PairwiseDisplay.from_counts(paper).plot(when="now")  # type: ignore[arg-type]


def test_tables_of_pairs_are_not_drawn_on_one_pair_of_axes() -> None:
    """A display has a method to draw only where one pair of axes is enough."""
    assert not hasattr(PairwiseDisplay, "draw")
