"""From a summary to the document that renderers lay out."""

import math
from collections.abc import Callable, Sequence

from skfair_ofi._text import (
    shorten,
    show_change,
    show_count,
    show_limits,
    show_number,
    show_range,
    show_share,
)
from skfair_ofi.metrics import METRICS

from ._summary import FairnessRow, FlipRow, GroupRow, Measured, RateChange, Summary
from .document import NONE, Cell, Document, Figure, Row, Section, Table
from .plots import (
    AxesDisplay,
    BeforeAfterDisplay,
    FlipMeasuresDisplay,
    FlipsDisplay,
    PairwiseDisplay,
)

_LONGEST_NAME = 40


def _make_figure(display: AxesDisplay, alt: str) -> Figure:
    return Figure(display.draw, display.size, f"{alt}; the table has the numbers.")


def _show_measured(measured: Measured, show: Callable[[float], str]) -> Cell:
    """A value with its verdict and its interval."""
    ends = measured.interval
    interval = show_range(ends.low, ends.high, show) if ends else ""
    return Cell(show(measured.value), measured.verdict, interval=interval)


def _show_value(measured: Measured, limits: tuple[float, ...] | None = None) -> Cell:
    if math.isnan(measured.value):
        return Cell(NONE, "undefined")
    return _show_measured(measured, lambda value: show_number(value, limits or ()))


def _give_reasons(before: Measured, after: Measured) -> list[str]:
    """Why values are undefined or infinite, said once where it is the same reason."""
    if before.reason == after.reason:
        kind = show_number(before.value).capitalize()
        return [f"{kind} before and after: {before.reason}."] if before.reason else []
    both = (("Before", before), ("After", after))
    return [
        f"{when} {show_number(part.value)}: {part.reason}." for when, part in both if part.reason
    ]


def _name_pairs(row: FairnessRow) -> list[str]:
    """Which groups lie furthest apart, where any do."""
    named = [
        (when, " and ".join(shorten(pair, _LONGEST_NAME)))
        for when, pair, measured in (
            ("before", row.pair_before, row.before),
            ("after", row.pair_after, row.after),
        )
        if pair is not None and measured.value != row.ideal and not math.isnan(measured.value)
    ]
    if len({pair for _, pair in named}) == 1 and len(named) == 2:
        return [f"Largest gap: {named[0][1]}."]
    return [f"Largest gap {'; '.join(f'{when}: {pair}' for when, pair in named)}."] if named else []


def _make_fairness_row(row: FairnessRow, *, name_pairs: bool) -> Row:
    rate = METRICS[row.name].kind == "rate"
    before, after = (
        _show_measured(part, show_share) if rate else _show_value(part, row.limits)
        for part in (row.before, row.after)
    )
    limits = show_limits(row.limits, METRICS[row.name].bounds) if row.limits else ""
    details = [
        *([f"Acceptable {limits}."] if limits else []),
        *(_name_pairs(row) if name_pairs else []),
        *_give_reasons(row.before, row.after),
    ]
    cells = (Cell(row.title), before, after, Cell(show_change(row.change.value)))
    return Row(cells, " ".join(details))


def _explain_comparison(summary: Summary) -> str:
    if summary.privileged is None:
        return "Each figure is the largest gap between two groups (for ratios, the smallest ratio)."
    return (
        "Differences are everyone else minus the privileged group, ratios everyone else over the "
        "privileged group; equalized odds and other measures of several rates give the largest "
        "absolute gap."
    )


def _explain_ranges(summary: Summary) -> list[str]:
    """What the ranges beside the values are, where there are any."""
    if summary.level is None or not summary.certainty:
        return []
    return [f"The range given with a value is its {100 * summary.level:.10g}% confidence interval."]


def _tabulate_rates(rows: Sequence[GroupRow]) -> Table:
    def cell(rate: RateChange) -> Cell:
        values = (rate.before.value, rate.after.value)
        # a dash, since four columns of words are wider than a terminal
        return Cell(
            " → ".join(NONE if math.isnan(value) else show_share(value) for value in values)
        )

    return Table(
        "Rates in each group, before → after",
        ("Group", *(rate.title.partition(" (")[0] for rate in rows[0].rates)),
        tuple(
            Row((Cell(row.name), *(cell(rate) for rate in row.rates)), total=index == len(rows) - 1)
            for index, row in enumerate(rows)
        ),
    )


def _build_fairness(summary: Summary) -> Section:
    rows = tuple(
        _make_fairness_row(row, name_pairs=summary.privileged is None) for row in summary.fairness
    )
    title = (
        "Fairness and accuracy before and after"
        if summary.readings
        else "Fairness before and after"
    )
    table = Table("Measures before and after", ("Measure", "Before", "After", "Change"), rows)
    rates = _tabulate_rates((*summary.groups, summary.overall))
    paragraphs = (_explain_comparison(summary), *_explain_ranges(summary), *summary.left_out)
    return Section(
        title,
        paragraphs,
        (table, rates),
        figures=(
            _make_figure(
                BeforeAfterDisplay.from_summary(summary),
                "Fairness measures before and after the correction",
            ),
        ),
    )


def _make_flips_row(row: GroupRow, *, total: bool) -> Row:
    return Row(
        (
            Cell(row.name, note="privileged" if row.privileged else ""),
            Cell(show_count(row.n)),
            Cell(show_count(row.gained)),
            Cell(show_count(row.lost)),
            Cell(show_share(row.flip_rate.value)),
            Cell(show_share(row.harmful_flip_proportion.value)),
            Cell(show_number(row.directional_flip_ratio.value)),
        ),
        total=total,
    )


def _build_flips(summary: Summary) -> Section:
    rows = tuple(
        _make_flips_row(row, total=row is summary.overall)
        for row in (*summary.groups, summary.overall)
    )
    columns = ("Group", "People", "Gained", "Lost", "Flip rate", "Harmful share", "Gained / lost")
    table = Table("Flips by group and direction", columns, rows)
    explanation = (
        "Gained: flipped from the unfavorable to the favorable label. Lost: the reverse, a harmful "
        "flip. Harmful share is lost over all flips (HFP); gained / lost is the directional flip "
        "ratio (DFR), infinite where no one lost, and 1 where no one was flipped."
    )
    return Section(
        "Who was flipped",
        (explanation,),
        (table,),
        figures=(
            _make_figure(
                FlipsDisplay.from_summary(summary),
                "Bars of who gained and who lost the favorable label",
            ),
        ),
    )


def _make_measure_row(row: FlipRow) -> Row:
    limits = (("Acceptable", row.acceptable), ("moderate", row.moderate))
    words = [
        f"{name} {show_limits(band, METRICS[row.name].bounds)}" for name, band in limits if band
    ]
    bands = f" {', '.join(words)}." if words else ""
    cells = (
        Cell(row.title),
        _show_value(row.result, (row.acceptable or ()) + (row.moderate or ())),
    )
    return Row(cells, row.sentence + bands)


def _build_measures(summary: Summary) -> Section:
    table = Table(
        "Flip measures",
        ("Measure", "Value"),
        tuple(_make_measure_row(row) for row in summary.measures),
    )
    return Section(
        "How evenly the flips fall on the groups",
        ("Where rates are 0, FD and HFD follow the source's table of special cases.",),
        (table,),
        figures=(
            _make_figure(
                FlipMeasuresDisplay.from_summary(summary),
                "Flip measures in the zones of their verdicts",
            ),
        ),
    )


def _show_net(right: float, wrong: float) -> str:
    net = right - wrong
    return ("+" if net > 0 else "-" if net < 0 else "") + show_count(abs(net))


def _make_correctness_row(row: GroupRow, *, total: bool) -> Row:
    wrong, right = row.made_wrong or 0, row.put_right or 0
    counts = (show_count(row.flips), show_count(wrong), show_count(right), _show_net(right, wrong))
    return Row((Cell(row.name), *(Cell(count) for count in counts)), total=total)


def _build_correctness(summary: Summary) -> Section | None:
    if not summary.correctness:
        return None
    rows = tuple(
        _make_correctness_row(row, total=row is summary.overall)
        for row in (*summary.groups, summary.overall)
    )
    table = Table(
        "Flips that changed whether a prediction is right",
        ("Group", "Flips", "Made wrong", "Put right", "Right, net"),
        rows,
    )
    return Section("Flips that made predictions wrong or right", summary.correctness, (table,))


def _build_readings(summary: Summary) -> Section | None:
    sentences = tuple(reading.sentence for reading in summary.readings)
    return Section("OFI and DI read together", sentences) if sentences else None


def _build_certainty(summary: Summary) -> Section | None:
    title = "How certain the figures are"
    return Section(title, items=summary.certainty) if summary.certainty else None


def _build_notes(summary: Summary) -> Section | None:
    return Section("Notes", items=summary.notes) if summary.notes else None


def _build_decision(summary: Summary) -> Section:
    decision = summary.decision
    sentence = f"{decision.outcome.capitalize()} (rule: {decision.rule}). The reasons:"
    return Section("Decision", (sentence,), items=decision.reasons, verdict=decision.outcome)


def _build_pairs(summary: Summary) -> Section | None:
    display = PairwiseDisplay.from_summary(summary)
    figures = tuple(
        Figure(
            lambda ax, table=table: display.draw_table(ax, table),  # type: ignore[misc]
            display.size,
            f"{table.symbol} between all pairs of groups, {table.when} the correction.",
        )
        for table in summary.pairs
    )
    return Section("All pairs of groups", figures=figures) if figures else None


_BUILDERS: tuple[Callable[[Summary], Section | None], ...] = (
    *(_build_fairness, _build_flips, _build_measures, _build_correctness, _build_readings),
    *(_build_pairs, _build_certainty, _build_notes, _build_decision),
)


def build_document(summary: Summary) -> Document:
    """Return the document of a summary."""
    sections = (build(summary) for build in _BUILDERS)
    return Document(
        summary.title,
        summary.facts,
        tuple(section for section in sections if section is not None),
        outcome=summary.decision.outcome,
        groups=tuple(row.name for row in summary.groups),
    )
