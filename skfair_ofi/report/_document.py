"""From a summary to sections of sentences and tables, which text, Markdown and HTML lay out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from skfair_ofi._text import shorten, show_change, show_count, show_number, show_range, show_share
from skfair_ofi.metrics import METRICS

from ._parts import FairnessRow, FlipRow, GroupRow, Measured, RateChange
from ._summary import Summary

NONE = "–"
_LONGEST_NAME = 40


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    verdict: str | None = None
    note: str = ""
    interval: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    cells: tuple[Cell, ...]
    detail: str = ""
    total: bool = False


@dataclass(frozen=True)
class Table:
    """A table; all columns but the first hold numbers."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def of_groups(self) -> bool:
        """Whether the rows are named by groups."""
        return self.columns[0] == "Group"


@dataclass(frozen=True)
class Section:
    """A section of a report."""

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    items: tuple[str, ...] = ()


def show_limits(
    limits: tuple[float, float], bounds: tuple[float, float] = (-math.inf, math.inf)
) -> str:
    """Return an interval in words.

    Examples
    --------
    >>> show_limits((-0.1, 0.1)), show_limits((0.8, 1.25)), show_limits((0.9, 1.1), (1, math.inf))
    ('-0.1 to 0.1', '0.8 to 1.25', 'up to 1.1')
    """
    low, high = (f"{limit:.6g}" for limit in limits)
    if limits[0] <= bounds[0]:
        return f"up to {high}"
    return f"from {low}" if limits[1] >= bounds[1] else f"{low} to {high}"


def _cell(measured: Measured, show: Callable[[float], str]) -> Cell:
    """A value with its verdict and its interval."""
    ends = measured.interval
    interval = show_range(ends.low, ends.high, show) if ends else ""
    return Cell(show(measured.value), measured.verdict, interval=interval)


def _value(measured: Measured, limits: tuple[float, ...] | None = None) -> Cell:
    if math.isnan(measured.value):
        return Cell(NONE, "undefined")
    return _cell(measured, lambda value: show_number(value, limits or ()))


def _reasons(before: Measured, after: Measured) -> list[str]:
    """Why values are undefined or infinite, said once where it is the same reason."""
    if before.reason == after.reason:
        kind = show_number(before.value).capitalize()
        return [f"{kind} before and after: {before.reason}."] if before.reason else []
    both = (("Before", before), ("After", after))
    return [
        f"{when} {show_number(part.value)}: {part.reason}." for when, part in both if part.reason
    ]


def _pairs(row: FairnessRow) -> list[str]:
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


def _fairness_row(row: FairnessRow, *, name_pairs: bool) -> Row:
    rate = METRICS[row.name].kind == "rate"
    before, after = (
        _cell(part, show_share) if rate else _value(part, row.limits)
        for part in (row.before, row.after)
    )
    limits = show_limits(row.limits, METRICS[row.name].bounds) if row.limits else ""
    details = [
        *([f"Acceptable {limits}."] if limits else []),
        *(_pairs(row) if name_pairs else []),
        *_reasons(row.before, row.after),
    ]
    cells = (Cell(row.title), before, after, Cell(show_change(row.change.value)))
    return Row(cells, " ".join(details))


def _comparing(summary: Summary) -> str:
    if summary.privileged is None:
        return "Each figure is the largest gap between two groups (for ratios, the smallest ratio)."
    return (
        "Differences are everyone else minus the privileged group, ratios everyone else over the "
        "privileged group; equalized odds and other measures of several rates give the largest "
        "absolute gap."
    )


def _ranges(summary: Summary) -> list[str]:
    """What the ranges beside the values are, where there are any."""
    if summary.level is None or not summary.certainty:
        return []
    return [f"The range given with a value is its {100 * summary.level:.10g}% confidence interval."]


def _rates_table(rows: Sequence[GroupRow]) -> Table:
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


def _fairness(summary: Summary) -> Section:
    rows = tuple(
        _fairness_row(row, name_pairs=summary.privileged is None) for row in summary.fairness
    )
    title = (
        "Fairness and accuracy before and after"
        if summary.readings
        else "Fairness before and after"
    )
    table = Table("Measures before and after", ("Measure", "Before", "After", "Change"), rows)
    rates = _rates_table((*summary.groups, summary.overall))
    paragraphs = (_comparing(summary), *_ranges(summary), *summary.left_out)
    return Section("fairness", title, paragraphs, (table, rates))


def _flips_row(row: GroupRow, *, total: bool) -> Row:
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


def _flips(summary: Summary) -> Section:
    rows = tuple(
        _flips_row(row, total=row is summary.overall) for row in (*summary.groups, summary.overall)
    )
    columns = ("Group", "People", "Gained", "Lost", "Flip rate", "Harmful share", "Gained / lost")
    table = Table("Flips by group and direction", columns, rows)
    explanation = (
        "Gained: flipped from the unfavorable to the favorable label. Lost: the reverse, a harmful "
        "flip. Harmful share is lost over all flips (HFP); gained / lost is the directional flip "
        "ratio (DFR), infinite where no one lost, and 1 where no one was flipped."
    )
    return Section("flips", "Who was flipped", (explanation,), (table,))


def _measure_row(row: FlipRow) -> Row:
    limits = (("Acceptable", row.acceptable), ("moderate", row.moderate))
    words = [
        f"{name} {show_limits(band, METRICS[row.name].bounds)}" for name, band in limits if band
    ]
    bands = f" {', '.join(words)}." if words else ""
    cells = (Cell(row.title), _value(row.result, (row.acceptable or ()) + (row.moderate or ())))
    return Row(cells, row.sentence + bands)


def _measures(summary: Summary) -> Section:
    table = Table(
        "Flip measures", ("Measure", "Value"), tuple(_measure_row(row) for row in summary.measures)
    )
    convention = (
        "Where rates are 0, FD and HFD follow the source's table of special cases."
        if summary.convention == "paper"
        else "Where rates are 0, FD and HFD follow plain arithmetic."
    )
    return Section("measures", "How evenly the flips fall on the groups", (convention,), (table,))


def _net(right: float, wrong: float) -> str:
    net = right - wrong
    return ("+" if net > 0 else "-" if net < 0 else "") + show_count(abs(net))


def _correct_row(row: GroupRow, *, total: bool) -> Row:
    wrong, right = row.made_wrong or 0, row.put_right or 0
    counts = (show_count(row.flips), show_count(wrong), show_count(right), _net(right, wrong))
    return Row((Cell(row.name), *(Cell(count) for count in counts)), total=total)


def _correctness(summary: Summary) -> Section | None:
    if not summary.correctness:
        return None
    rows = tuple(
        _correct_row(row, total=row is summary.overall)
        for row in (*summary.groups, summary.overall)
    )
    table = Table(
        "Flips that changed whether a prediction is right",
        ("Group", "Flips", "Made wrong", "Put right", "Right, net"),
        rows,
    )
    return Section(
        "correctness", "Flips that made predictions wrong or right", summary.correctness, (table,)
    )


def _readings(summary: Summary) -> Section | None:
    sentences = tuple(reading.sentence for reading in summary.readings)
    return Section("readings", "OFI and DI read together", sentences) if sentences else None


def _certainty(summary: Summary) -> Section | None:
    title = "How certain the figures are"
    return Section("certainty", title, items=summary.certainty) if summary.certainty else None


def _notes(summary: Summary) -> Section | None:
    return Section("notes", "Notes", items=summary.notes) if summary.notes else None


def _decision(summary: Summary) -> Section:
    decision = summary.decision
    sentence = f"{decision.outcome.capitalize()} (rule: {decision.rule}). The reasons:"
    return Section("decision", "Decision", (sentence,), items=decision.reasons)


def sections(summary: Summary) -> tuple[Section, ...]:
    """Return the sections of a report, in order."""
    makers = (
        *(_fairness, _flips, _measures, _correctness, _readings),
        *(_certainty, _notes, _decision),
    )
    made = (maker(summary) for maker in makers)
    return tuple(section for section in made if section is not None)
