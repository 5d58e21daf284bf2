"""An audit's result as text, Markdown, HTML, JSON and CSV."""

import hashlib
import textwrap
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from skfair_ofi._text import escape_markdown as escape, shorten, show_key
from skfair_ofi.audit import AuditResult

from ._audit_document import AuditDocument
from ._frame import _inert
from ._html import _environment
from ._json import _encoded, strict_json
from ._markdown import _section
from ._text import _NAME_WIDTH, WIDTH, _section_lines, _wrapped

SCHEMA = "skfair_ofi/audit/1"
# class of the chip and sign before the word, by verdict
_CHIPS = {"met": ("good", "✓"), "not met": ("bad", "✕"), "undefined": ("unknown", "?")}


def _chip(verdict: str) -> tuple[str, str]:
    return _CHIPS.get(verdict, ("unknown", "–"))


def _fact_lines(document: AuditDocument) -> list[str]:
    width = max(len(term) for term, _ in document.facts) + 2
    lines = []
    for term, text in document.facts:
        first, *more = _wrapped(text, " " * width)
        lines += [f"{term}:".ljust(width) + first[width:], *more]
    return lines


def _long_names(document: AuditDocument) -> list[str]:
    """Whole names of the groups whose names a table cuts."""
    names = list(document.names.values())
    pairs = zip(names, shorten(names, _NAME_WIDTH), strict=True)
    cut = [f"  {name}" for name, short in pairs if name != short]
    return ["", "Long group names, cut in the tables:", *cut] if cut else []


def _text(document: AuditDocument) -> str:
    title = textwrap.wrap(document.title, WIDTH) or [""]
    lines = [*title, "#" * max(map(len, title)), *_fact_lines(document), *_long_names(document)]
    for section in document.sections:
        lines += _section_lines(section)
    return "\n".join(lines) + "\n"


def _markdown(document: AuditDocument) -> str:
    lines = [f"# {escape(document.title)}", ""]
    lines += [f"- **{escape(term)}:** {escape(text)}" for term, text in document.facts]
    for section in document.sections:
        lines += _section(section)
    return "\n".join(lines) + "\n"


def _fragment(document: AuditDocument, level: int) -> str:
    prefix = "a" + hashlib.sha256(to_json(document.result).encode()).hexdigest()[:8]
    return (
        _environment()
        .get_template("fragment.html.j2")
        .render(
            summary=document,
            sections=document.sections,
            figures={},
            prefix=prefix,
            level=level,
            chip=_chip,
        )
    )


def to_json(result: AuditResult) -> str:
    """Return an audit's result as strict JSON, with undefined values spelled out."""
    parts: dict[str, Any] = {
        name: _encoded(getattr(result, name))
        for name in ("title", "positive", "truth", "findings", "groupings", "readings", "skipped")
    }
    content = {
        "schema": SCHEMA,
        **parts,
        "exit_code": result.exit_code,
        "verdicts": result.verdicts,
        "left_out": dict(result.left_out),
        "notes": list(result.notes),
        "preset": None if result.preset is None else result.preset.name,
        "citations": [] if result.preset is None else _encoded(result.preset.citations),
        "provenance": _encoded(result.provenance),
    }
    return strict_json(content) + "\n"


class AuditReport:
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

    def text(self) -> str:
        """Return plain text of 80 columns."""
        return _text(self._document)

    def markdown(self) -> str:
        """Return Markdown with tables; group names are escaped."""
        return _markdown(self._document)

    def html(self) -> str:
        """Return one self-contained page without script."""
        page = _environment().get_template("page.html.j2")
        return page.render(summary=self._document, fragment=_fragment(self._document, 1))

    def json(self) -> str:
        """Return strict JSON with a versioned schema."""
        return to_json(self.result)

    def csv(self) -> str:
        """Return CSV of one row a finding, with cells that no spreadsheet takes for formulas."""
        text: str = self.to_frame().map(_inert).to_csv(index=False, lineterminator="\n")
        return text

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

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the report to a file, in the form that its suffix says.

        Parameters
        ----------
        path : path-like
            Where to write: .html, .md, .txt, .json or .csv. A file that is
            there is replaced.

        Returns
        -------
        Path
            Where it was written.

        Raises
        ------
        ValueError
            If the suffix is another.
        FileNotFoundError
            If the folder does not exist.
        """
        target = Path(path)
        render = RENDERERS.get(target.suffix.lower())
        if render is None:
            raise ValueError(
                f"path must end in one of {', '.join(RENDERERS)}, got {str(target)!r}."
            )
        # bytes, so that no platform changes line ends or encoding
        target.write_bytes(render(self).encode())
        return target

    def _repr_html_(self) -> str:
        return _fragment(self._document, 3)

    def __repr__(self) -> str:
        """Return one line with the verdicts."""
        return f"AuditReport({self.result.verdicts!r})"


RENDERERS: dict[str, Callable[[AuditReport], str]] = {
    ".html": AuditReport.html,
    ".md": AuditReport.markdown,
    ".txt": AuditReport.text,
    ".json": AuditReport.json,
    ".csv": AuditReport.csv,
}
