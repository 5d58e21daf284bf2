"""The decision that the figures lead to, after the idea of Suarez2025.

Every rule looks at the figures and returns its reasons, none where it does not
hold. All reasons are listed; the first rule that holds, in the order of
``_RULES``, decides. Fairness is judged on every comparison of labels that has
bounds; a measure counts as *outside* when its verdict is "moderate" or "outside
bounds". An "uncertain" verdict is neither within nor outside, and for a person to
review. Different measures ask for different things, and cannot all hold at once
where base rates differ, so a correction that brings some of them within bounds
and leaves others outside is for a person to review, not a failure.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from skfair_ofi._text import list_names, show_count, show_number, show_share
from skfair_ofi.metrics import METRICS

from ._summary import Decision, FairnessRow, FlipRow, GroupRow, Measured


@dataclass(frozen=True)
class Figures:
    """What the rules look at."""

    overall: GroupRow
    fairness: tuple[FairnessRow, ...]
    flips: tuple[FlipRow, ...]

    @property
    def judged(self) -> list[FairnessRow]:
        """Fairness measures with a verdict before the correction."""
        return [row for row in self.fairness if row.before.verdict not in (None, "undefined")]

    @property
    def outside_before(self) -> list[FairnessRow]:
        """Measures that were outside their bounds."""
        return [row for row in self.judged if _is_outside(row.before)]

    @property
    def within_bounds_before(self) -> bool:
        """Whether all measures judged were within bounds, and people were flipped all the same."""
        within = all(row.before.verdict == "within bounds" for row in self.judged)
        return bool(self.judged and within and self.overall.flips)

    @property
    def not_brought_within(self) -> list[FairnessRow]:
        """Measures that were outside their bounds and are not, even perhaps, within them now."""
        settled = ("within bounds", "uncertain")
        return [row for row in self.outside_before if row.after.verdict not in settled]

    @property
    def brought_within(self) -> list[FairnessRow]:
        """Measures that were outside their bounds and are within them now."""
        return [row for row in self.outside_before if row.after.verdict == "within bounds"]

    @property
    def harmless(self) -> bool:
        """Whether flips put wrong predictions right, took from nobody, and brought measures within.

        Then the groups that gain nothing lose nothing either, and that flips fall on
        the others may be what the aim asks for.
        """
        overall = self.overall
        return overall.made_wrong == 0 and not overall.lost and bool(self.brought_within)

    @property
    def pushed_out(self) -> list[FairnessRow]:
        """Measures that were within bounds and are not any more."""
        return [
            row
            for row in self.fairness
            if row.before.verdict == "within bounds" and _is_outside(row.after)
        ]

    @property
    def improved(self) -> list[FairnessRow]:
        """Measures that were outside their bounds and came nearer to their ideal."""
        return [
            row
            for row in self.outside_before
            if _distance(row, row.after) < _distance(row, row.before)
        ]

    @property
    def uncertain(self) -> list[str]:
        """Verdicts whose interval spans a bound."""
        labels = [
            f"{row.symbol} {when}"
            for row in self.fairness
            for when, measured in (("before", row.before), ("after", row.after))
            if measured.verdict == "uncertain"
        ]
        return [*labels, *(row.symbol for row in self.flips_judged("uncertain"))]

    def flips_judged(self, verdict: str) -> list[FlipRow]:
        """Return the flip measures with this verdict."""
        return [row for row in self.flips if row.result.verdict == verdict]


def _is_outside(measured: Measured) -> bool:
    return measured.verdict in ("moderate", "outside bounds")


def _distance(row: FairnessRow, measured: Measured) -> float:
    """Distance from the ideal; ratios from 1 in either direction, 1/2 as far as 2."""
    value, ideal = measured.value, row.ideal or 0.0
    if math.isnan(value):
        return math.inf
    if METRICS[row.name].bounds == (0.0, math.inf) and ideal == 1.0:
        return 1.0 - (min(value, 1 / value) if value else 0.0)
    return abs(value - ideal)


def _flipped(figures: Figures) -> str:
    row = figures.overall
    if row.flips == 0:
        return "no one was flipped"
    verb = "was" if row.flips == 1 else "were"
    return f"{show_count(row.flips)} of {show_count(row.n)} people {verb} flipped"


def _moves(rows: list[FairnessRow]) -> str:
    return list_names(
        [f"{row.symbol} ({_shown(row, row.before)} to {_shown(row, row.after)})" for row in rows],
        most=12,
    )


def _shown(row: FairnessRow, measured: Measured) -> str:
    return show_number(measured.value, row.limits or ())


def _unevenly(figures: Figures, verdict: str, adverb: str) -> list[str]:
    rows = figures.flips_judged(verdict)
    if not rows:
        return []
    values = list_names([f"{row.symbol} {show_number(row.result.value)}" for row in rows], most=12)
    share = f"{len(rows)} of {len(figures.flips)}"
    return [f"Flips fall on the groups {adverb} by {share} measures: {values}."]


def _nothing_to_judge(figures: Figures) -> list[str]:
    if figures.judged:
        return []
    unknown = "No fairness measure can be judged, so whether the correction was needed is not known"
    return [f"{unknown}; {_flipped(figures)}."]


def _unnecessary(figures: Figures) -> list[str]:
    if not figures.within_bounds_before or figures.overall.made_wrong is None:
        return []
    start = f"all {len(figures.judged)} fairness measures judged were within bounds before"
    return [f"Unnecessary: {start} the correction, and {_flipped(figures)} all the same."]


def _need_unknown(figures: Figures) -> list[str]:
    """Selection rates alone do not show what else the correction was for."""
    if not figures.within_bounds_before or figures.overall.made_wrong is not None:
        return []
    judged = list_names([row.symbol for row in figures.judged])
    start = f"Without true labels, only {judged} can be judged, and they were within bounds before"
    return [f"{start}: whether the correction was needed is not known."]


def _harm_without_gain(figures: Figures) -> list[str]:
    row = figures.overall
    if not row.flips or not figures.outside_before or figures.improved:
        return []
    reason = "Harm without gain: no measure that was outside its bounds came nearer to its ideal"
    if row.made_wrong is None or row.put_right is None:
        return [f"{reason}, and {_flipped(figures)}."]
    if row.made_wrong <= row.put_right:
        return []
    wrong, right = show_count(row.made_wrong), show_count(row.put_right)
    return [f"{reason}, and more flips made predictions wrong ({wrong}) than right ({right})."]


def _disparity_remains(figures: Figures) -> list[str]:
    if not figures.outside_before or len(figures.not_brought_within) < len(figures.outside_before):
        return []
    moves = _moves(figures.outside_before)
    return [f"Disparity remains: no measure outside its bounds was brought within: {moves}."]


def _disproportionate(figures: Figures) -> list[str]:
    if figures.harmless:
        return []
    return _unevenly(figures, "outside bounds", "disproportionately")


def _disproportionate_yet_harmless(figures: Figures) -> list[str]:
    unevenly = _unevenly(figures, "outside bounds", "disproportionately")
    if not unevenly or not figures.harmless:
        return []
    return [
        *unevenly,
        (
            "That alone is for a person to review: every flip put a wrong prediction right, nobody "
            "lost the favorable label, and measures came within their bounds."
        ),
    ]


def _still_outside(figures: Figures) -> list[str]:
    left = figures.not_brought_within
    some = 0 < len(left) < len(figures.outside_before)
    return [f"Still outside their bounds: {_moves(left)}."] if some else []


def _unsure(figures: Figures) -> list[str]:
    names = figures.uncertain
    if not names:
        return []
    which = "its interval spans" if len(names) == 1 else "their intervals span"
    return [f"Uncertain, since {which} a bound: {list_names(names, most=12)}."]


def _to_review(figures: Figures) -> list[str]:
    unknown = [row.symbol for row in figures.flips_judged("undefined")]
    pushed = figures.pushed_out
    return [
        *_need_unknown(figures),
        *_unsure(figures),
        *_disproportionate_yet_harmless(figures),
        *_unevenly(figures, "moderate", "moderately unevenly"),
        *([f"Undefined: {list_names(unknown, most=12)}."] if unknown else []),
        *_still_outside(figures),
        *([f"Pushed out of their bounds: {_moves(pushed)}."] if pushed else []),
    ]


def _acceptable(figures: Figures) -> list[str]:
    if not figures.overall.flips:
        within = all(row.before.verdict == "within bounds" for row in figures.judged)
        return ["No one was flipped, and the measures judged are within bounds."] if within else []
    brought = figures.brought_within
    in_proportion = all(
        row.result.verdict in ("within bounds", "no harmful flips", None) for row in figures.flips
    )
    return [
        *([f"Brought within their bounds: {_moves(brought)}."] if brought else []),
        *(["By every measure, flips fall on the groups in proportion."] if in_proportion else []),
    ]


# name, outcome, finder; the first that finds something decides
_RULES: tuple[tuple[str, str, Callable[[Figures], list[str]]], ...] = (
    ("nothing to judge", "review", _nothing_to_judge),
    ("unnecessary", "change the correction", _unnecessary),
    ("harm without gain", "change the correction", _harm_without_gain),
    ("disparity remains", "change the model", _disparity_remains),
    ("disproportionate", "change the correction", _disproportionate),
    ("to be reviewed", "review", _to_review),
    ("acceptable", "accept", _acceptable),
)


def _accuracy(overall: GroupRow) -> list[str]:
    rate = next((rate for rate in overall.rates if rate.name == "accuracy"), None)
    if rate is None:
        return []
    before, after = rate.before.value, rate.after.value
    if before == after:
        return [f"Accuracy stayed at {show_share(before)}."]
    verb = "rose" if after > before else "fell"
    return [f"Accuracy {verb} from {show_share(before)} to {show_share(after)}."]


def decide(figures: Figures) -> Decision:
    """Return the decision that the figures lead to.

    Notes
    -----
    The rules, in order (Suarez2025 for the idea):

    1. *nothing to judge*: no fairness measure has a verdict before the
       correction. Review.
    2. *unnecessary*: true labels are known, all were within bounds before, and
       people were flipped. Change the correction.
    3. *harm without gain*: none that was outside came nearer to its ideal, and
       more flips made predictions wrong than right (where true labels are not
       known: people were flipped at all). Change the correction.
    4. *disparity remains*: some were outside before, and none of these came
       within bounds. Change the model.
    5. *disproportionate*: a flip measure is, unless the flips are harmless: true
       labels are known, every flip put a wrong prediction right, nobody lost the
       favorable label, and a measure that was outside its bounds came within.
       Change the correction.
    6. *to be reviewed*: a flip measure is disproportionate though the flips are
       harmless, is moderate or undefined; a fairness measure is still outside its
       bounds, or was pushed out of them; a verdict is uncertain; or without true
       labels it is not known whether the correction was needed. Review.
    7. *acceptable*: none of these. Accept.

    Examples
    --------
    >>> from skfair_ofi.report import proportionality_report
    >>> report = proportionality_report(
    ...     [1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> summary = report.summary
    >>> decision = decide(Figures(summary.overall, summary.fairness, summary.measures))
    >>> decision.outcome, decision.rule
    ('change the correction', 'unnecessary')
    """
    found = [(name, outcome, finder(figures)) for name, outcome, finder in _RULES]
    holding = [entry for entry in found if entry[2]]
    name, outcome, _ = holding[0] if holding else ("acceptable", "accept", [])
    reasons = [reason for _, _, listed in holding for reason in listed]
    return Decision(outcome, name, (*reasons, *_accuracy(figures.overall)))
