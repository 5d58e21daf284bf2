"""An audit's result as a document, and in every form that people read."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any

import pandas as pd

from skfair_ofi._text import list_names, show_count, show_key, show_keys, show_number, show_share
from skfair_ofi.audit import AuditResult, Citation, Finding, GroupFacts, GroupingFacts
from skfair_ofi.metrics import METRICS

from .document import NONE, Cell, Document, Report, Row, Section, Table

# Beyond this, a comparison is a table of its own instead of a row.
_FEW_CRITERIA = 2


def _measure(finding: Finding) -> str:
    metric = METRICS[finding.measure]
    words = metric.name.replace("_", " ").capitalize()
    where = "" if finding.condition is None else f", where {show_key(finding.condition)}"
    return f"{words} ({metric.symbol}){where}"


def _value(finding: Finding) -> Cell:
    if isnan(finding.value):
        return Cell(NONE, "undefined")
    verdict = None if finding.verdict == "no bound" else finding.verdict
    return Cell(finding.criterion.show(finding.value), verdict)


@dataclass(frozen=True)
class AuditDocument:
    """An audit's result as a title, facts and sections."""

    result: AuditResult

    @property
    def title(self) -> str:
        """The audit's title."""
        return show_key(self.result.title)

    @cached_property
    def names(self) -> dict[Hashable, str]:
        """What each group is called."""
        groups = (group for grouping in self.result.groupings for group in grouping.groups)
        keys = dict.fromkeys(group.group for group in groups)
        return dict(zip(keys, show_keys(keys), strict=True))

    def against(self, group: Hashable, reference: Hashable) -> str:
        """Return what a comparison is called; without groups it is one of all of them."""
        if group is None and reference is None:
            return "All groups"
        return f"{self.name(group)} against {self.name(reference)}"

    def name(self, group: Hashable) -> str:
        """Return what a side of a comparison is called."""
        return self.names.get(group, show_key(group))

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """What has to be known before any number."""
        result = self.result
        counted = ", ".join(
            f"{number} {name.replace('no bound', 'without a bound')}"
            for name, number in result.verdicts.items()
            if number
        )
        files = ", ".join(show_key(file.name) for file in result.provenance.files)
        given = {
            "Criteria": counted or "none",
            "Favorable prediction": result.positive and show_key(result.positive),
            "Favorable truth": result.truth and show_key(result.truth),
            "Rows": show_count(result.provenance.rows),
            "Data": files or "a data frame",
            "Model": result.provenance.model,
        }
        return tuple((term, text) for term, text in given.items() if text)

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The sections, without those that have nothing to say."""
        result = self.result
        found = [
            *(self._criteria(grouping) for grouping in result.groupings),
            self._joint(),
            Section("Groups", tables=tuple(map(self._sizes, result.groupings))),
            _left_out(result),
            _source(result),
            _provenance(result),
        ]
        return tuple(section for section in found if section is not None)

    def build(self) -> Document:
        """Return the document."""
        return Document(self.title, self.facts, self.sections, groups=tuple(self.names.values()))

    def _criteria(self, grouping: GroupingFacts) -> Section:
        findings = [item for item in self.result.findings if item.grouping == grouping.name]
        of_criteria = {(item.criterion, item.condition) for item in findings}
        pairs = dict.fromkeys((item.group, item.reference) for item in findings)
        fixed = len(pairs) * len(of_criteria) == len(findings)
        if fixed and len(pairs) > 1 and len(of_criteria) <= _FEW_CRITERIA:
            tables = self._by_group(findings)
        elif fixed and len(pairs) > 1:
            tables = [
                self._by_measure(
                    [item for item in findings if (item.group, item.reference) == pair],
                    self.against(*pair),
                )
                for pair in pairs
            ]
        elif not fixed:
            tables = [self._by_measure(findings, "The pair of groups with the largest gap")]
        else:
            tables = [self._by_measure(findings, self.against(*pair)) for pair in pairs]
        return Section(
            f"Criteria by {show_key(grouping.name)}",
            # A table that stands alone shows no caption in text.
            paragraphs=(f"{tables[0].caption}.",) if tables and len(tables) == 1 else (),
            tables=tuple(tables),
        )

    def _by_measure(self, findings: Sequence[Finding], caption: str) -> Table:
        rows = [
            Row(
                (Cell(_measure(item)), _value(item), Cell(item.criterion.bounds)),
                self._detail(item),
            )
            for item in findings
        ]
        return Table(caption, ("Measure", "Value", "Bounds"), tuple(rows))

    def _by_group(self, findings: Sequence[Finding]) -> list[Table]:
        tables = []
        for kind in dict.fromkeys((item.criterion, item.condition) for item in findings):
            items = [item for item in findings if (item.criterion, item.condition) == kind]
            against = dict.fromkeys(self.name(item.reference) for item in items)
            caption = f"{_measure(items[0])}, {kind[0].bounds}, against {list_names(list(against))}"
            rows = [
                Row((Cell(self.name(item.group)), _value(item)), self._detail(item))
                for item in items
            ]
            tables.append(Table(caption, ("Group", "Value"), tuple(rows)))
        return tables

    def _detail(self, finding: Finding) -> str:
        """What stands behind a value: the reason, the rates, the sizes, significance."""
        parts = []
        if finding.verdict == "undefined":
            parts.append(finding.sentence)
        if finding.criterion.npv_gap_larger and finding.verdict == "outside bounds":
            parts.append(finding.sentence)
        if finding.rates:
            first, second = self.name(finding.group), self.name(finding.reference)
            sizes = [show_count(n) for n in finding.n]
            rates = "; ".join(
                f"{rate.name.replace('_', ' ')} {show_number(rate.first)} against "
                f"{show_number(rate.second)}"
                for rate in finding.rates
            )
            parts.append(f"{rates} (people: {sizes[0]} in {first}, {sizes[1]} in {second})")
        low, high = finding.interval
        if not isnan(low):
            parts.append(f"95% interval {show_number(low)} to {show_number(high)}")
        if finding.tests is not None:
            p_value, deviations = finding.tests.p_value, finding.tests.standard_deviations
            parts.append(
                f"Fisher's exact test p = {'undefined' if isnan(p_value) else f'{p_value:.3g}'}, "
                f"{show_number(deviations)} standard deviations"
            )
        if finding.small:
            parts.append("a group is small")
        sentence = "; ".join(parts)
        return f"{sentence[0].upper()}{sentence[1:]}." if sentence else ""

    def _joint(self) -> Section | None:
        items = [
            f"By {show_key(reading.grouping)}, "
            f"{self.against(reading.group, reading.reference)}: {reading.sentence}"
            for reading in self.result.readings
        ]
        if not items:
            return None
        return Section("OFI and DI read together", items=tuple(items))

    def _sizes(self, grouping: GroupingFacts) -> Table:
        rows = [
            Row(
                (
                    Cell(self.name(group.group), note=_note(group)),
                    Cell(show_count(group.n)),
                    Cell(show_share(group.share)),
                    Cell(_rate(group.selection_rate)),
                    Cell(_rate(group.base_rate)),
                )
            )
            for group in grouping.groups
        ]
        columns = ("Group", "People", "Share", "Selection rate", "Base rate")
        return Table(show_key(grouping.name), columns, tuple(rows))


def _rate(value: float) -> str:
    return NONE if isnan(value) else show_number(value)


def _note(group: GroupFacts) -> str:
    if group.excluded:
        return "not compared"
    marks = [
        word
        for word, holds in (("small", group.small), ("small share", group.below_share))
        if holds
    ]
    return ", ".join(marks)


def _left_out(result: AuditResult) -> Section:
    items = [
        f"{show_count(count)} rows lack {show_key(name)}."
        for name, count in result.left_out
        if count
    ]
    return Section(
        "What was left out",
        paragraphs=() if items else ("No row was left out.",),
        items=(*items, *(f"Not computed: {reason}" for reason in result.skipped)),
    )


def _cited(citation: Citation) -> str:
    if citation.quoted:
        return f"{citation.where}: “{citation.text}”"
    return f"{citation.where}, in our words: {citation.text}"


def _source(result: AuditResult) -> Section | None:
    items = [_cited(citation) for citation in (result.preset.citations if result.preset else ())]
    if not items and not result.notes:
        return None
    return Section("How to read this", paragraphs=result.notes, items=tuple(items))


def _provenance(result: AuditResult) -> Section:
    made = result.provenance
    items = [
        f"{show_key(file.name)}, {file.size:,} bytes, sha256 {file.sha256}" for file in made.files
    ]
    if made.spec_sha256 is not None:
        items.append(f"Specification, sha256 {made.spec_sha256}")
    if made.model_sha256 is not None:
        items.append(f"Model, sha256 {made.model_sha256}")
    items.append(", ".join(f"{name} {version}" for name, version in made.versions))
    if made.command is not None:
        items.append(f"Command: {show_key(made.command)}")
    if made.created is not None:
        items.append(f"Made {made.created}")
    return Section("Where these numbers come from", items=tuple(items))


SCHEMA = "skfair_ofi/audit/1"


def _to_payload(result: AuditResult) -> dict[str, Any]:
    """Return what JSON holds."""
    parts: dict[str, Any] = {
        name: getattr(result, name)
        for name in ("title", "positive", "truth", "findings", "groupings", "readings", "skipped")
    }
    return {
        "schema": SCHEMA,
        **parts,
        "exit_code": result.exit_code,
        "verdicts": result.verdicts,
        "left_out": dict(result.left_out),
        "notes": list(result.notes),
        "preset": None if result.preset is None else result.preset.name,
        "citations": [] if result.preset is None else result.preset.citations,
        "provenance": result.provenance,
    }


class AuditReport(Report):
    """An audit's result in every form that people read.

    Parameters
    ----------
    result : AuditResult
        What ``Audit.run`` returned.

    Examples
    --------
    >>> from skfair_ofi.audit import Audit
    >>> from skfair_ofi.datasets import load_compas
    >>> audit = Audit(positive="score_text != 'Low'", groups="sex", preset="four-fifths")
    >>> AuditReport(audit.run(load_compas().frame))
    AuditReport({'within bounds': 1, 'outside bounds': 0, 'undefined': 0, 'no bound': 0})
    """

    def __init__(self, result: AuditResult) -> None:
        self.result = result
        self._document = AuditDocument(result)

    def document(self) -> Document:
        """Return sentences and tables, as text, Markdown and HTML show them."""
        return self._document.build()

    def payload(self) -> dict[str, Any]:
        """Return what JSON holds."""
        return _to_payload(self.result)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a finding, with groups as they are shown, and None where there is none."""
        frame, findings = self.result.to_frame(), self.result.findings
        frame["grouping"] = [show_key(item.grouping) for item in findings]
        shown: dict[str, list[str | None]] = {
            "condition": [item.condition and show_key(item.condition) for item in findings]
        }
        for name in ("group", "reference"):
            shown[name] = [
                self._document.name(getattr(item, name)) if item.paired else None
                for item in findings
            ]
        for name, values in shown.items():
            frame[name] = pd.Series(values, dtype=object)
        return frame

    def __repr__(self) -> str:
        """Return one line with the verdicts."""
        return f"AuditReport({self.result.verdicts!r})"
