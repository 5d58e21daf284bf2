"""An audit's result in every form that people read."""

from typing import Any

import pandas as pd

from skfair_ofi._text import show_key
from skfair_ofi.audit import AuditResult

from ._audit_document import AuditDocument
from .document import Document, Report

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
    AuditReport({'met': 1, 'not met': 0, 'undefined': 0, 'no bound': 0})
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
