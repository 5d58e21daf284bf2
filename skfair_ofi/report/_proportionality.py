"""The report on a correction, in every form, and its JSON back again.

The schema is named in ``schema`` and changes its number when a key changes its
meaning or goes; keys may be added. Every part of a summary is an object with the
fields of its class; a measured value is ``{"value": number or null, "state": "finite",
"infinite", "minus infinity" or "undefined", "verdict": text or null, "reason": text or
null, "interval": null or {"low", "high", "level", "method", "note"}}``.

``interval`` is null where there is none, or none was asked for; then ``level`` is null
and ``certainty``, the sentences on intervals, empty. A verdict is ``"uncertain"`` only
where ``uncertain`` is true.
"""

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from skfair_ofi._plotting import INK, get_text_style, make_figure
from skfair_ofi._text import shorten
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.inference import Interval
from skfair_ofi.metrics import Bands

from ._sections import build_document
from ._summarize import summarize
from ._summary import FairnessRow, FlipRow, Measured, Summary
from .document import Document, Report, decode_float, encode
from .plots import BeforeAfterDisplay, FlipMeasuresDisplay, FlipsDisplay, PairwiseDisplay

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SCHEMA = "skfair_ofi/proportionality-report/2"


def _decode_interval(data: dict[str, Any] | None, value: float) -> Interval | None:
    if data is None:
        return None
    low, high = decode_float(data["low"]), decode_float(data["high"])
    return Interval(low, high, value, data["level"], data["method"], data["note"])


def _decode_part(kind: Any, data: dict[str, Any]) -> Any:
    if kind is Measured:
        value = decode_float(data["state"] if data["value"] is None else data["value"])
        interval = _decode_interval(data["interval"], value)
        return Measured(value, data["verdict"], data["reason"], interval)
    hints = typing.get_type_hints(kind)
    fields = (field.name for field in dataclasses.fields(kind))
    return kind(**{name: _decode(hints[name], data[name]) for name in fields})


def _decode_list(kind: Any, data: list[Any]) -> tuple[Any, ...]:
    kinds = typing.get_args(kind)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_decode(kinds[0], item) for item in data)
    if len(kinds) == len(data):
        return tuple(_decode(each, item) for each, item in zip(kinds, data, strict=True))
    return tuple(_decode(Any, item) for item in data)


def _decode(kind: Any, data: Any) -> Any:
    """Data as the type says, or a list as a tuple where it says nothing."""
    if isinstance(kind, types.UnionType):
        kind = next((each for each in typing.get_args(kind) if each is not types.NoneType), Any)
    if dataclasses.is_dataclass(kind):
        return _decode_part(kind, data)
    if isinstance(data, list):
        return _decode_list(kind, data)
    return decode_float(data) if kind is float else data


def from_json(text: str) -> Summary:
    """Return the summary that ``to_json`` wrote.

    Parameters
    ----------
    text : str
        The JSON text.

    Returns
    -------
    Summary
        The summary; all renderers give what they gave for the first one.

    Raises
    ------
    ValueError
        If the text has another schema.

    Examples
    --------
    >>> from skfair_ofi.report import proportionality_report
    >>> report = proportionality_report(
    ...     [1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> from_json(report.json()).decision == report.summary.decision
    True
    """
    data = json.loads(text)
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise ValueError(f"text must have the schema {SCHEMA!r}, got {schema!r}.")
    summary: Summary = _decode_part(Summary, data)
    return summary


def _record_value(name: str, measured: Measured) -> dict[str, object]:
    ends = measured.interval
    return {
        name: measured.value,
        f"{name}_low": ends.low if ends else math.nan,
        f"{name}_high": ends.high if ends else math.nan,
        f"{name}_verdict": measured.verdict,
        f"{name}_reason": measured.reason,
    }


def _get_method(measured: Measured) -> str | None:
    return measured.interval.method if measured.interval else None


def _record_pair(pair: tuple[str, str] | None) -> dict[str, object]:
    first, second = pair or (None, None)
    return {"first": first, "second": second}


def _record_fairness(row: FairnessRow) -> dict[str, object]:
    return {
        "measure": row.name,
        "symbol": row.symbol,
        "of": "labels",
        **_record_value("before", row.before),
        **_record_value("after", row.after),
        "change": row.change.value,
        "method": _get_method(row.after) or _get_method(row.before),
        **_record_pair(row.pair_after),
    }


def _record_flip(row: FlipRow) -> dict[str, object]:
    return {
        "measure": row.name,
        "symbol": row.symbol,
        "of": "flips",
        **_record_value("after", row.result),
        "method": _get_method(row.result),
        **_record_pair(row.pair),
        "analysis": row.sentence,
    }


_COLUMNS = (
    *("measure", "symbol", "of", "before", "after", "change", "before_verdict", "after_verdict"),
    *("before_reason", "after_reason", "first", "second", "analysis"),
)
_INTERVALS = ("before_low", "before_high", "after_low", "after_high", "method")


def _tabulate(summary: Summary) -> pd.DataFrame:
    """Return a summary as a data frame of one row a measure."""
    records = [
        *(_record_fairness(row) for row in summary.fairness),
        *(_record_flip(row) for row in summary.measures),
    ]
    columns = [*_COLUMNS, *(_INTERVALS if summary.level else ())]
    return pd.DataFrame.from_records(records, columns=_COLUMNS + _INTERVALS)[columns]


_WIDTH, _TITLE_WIDTH = 10.5, 80


def _draw_page(summary: Summary, make: "Callable[[tuple[float, float]], Figure]") -> "Figure":
    """Draw all plots of a summary."""
    flips, measures = FlipsDisplay.from_summary(summary), FlipMeasuresDisplay.from_summary(summary)
    fairness, pairs = (
        BeforeAfterDisplay.from_summary(summary),
        PairwiseDisplay.from_summary(summary),
    )
    tables = [table for table in summary.pairs if table.when == "after"]
    heights = [flips.size[1], max(measures.size[1], fairness.size[1])]
    heights += [max(pairs.size[1], 2.4)] if tables else []
    figure = make((_WIDTH, sum(heights) + 1.0))
    rows = figure.subfigures(len(heights), 1, height_ratios=heights, squeeze=False)[:, 0]
    flips.draw(rows[0].subplots())
    left, right = rows[1].subplots(1, 2)
    measures.draw(left)
    fairness.draw(right)
    if tables:
        axes = rows[2].subplots(1, len(tables), squeeze=False)[0]
        for ax, table in zip(axes, tables, strict=True):
            pairs.draw_table(ax, table)
    title = f"{shorten([summary.title], _TITLE_WIDTH)[0]}\nDecision: {summary.decision.outcome}"
    style: dict[str, Any] = {"fontsize": 13, "fontweight": "bold", "color": INK, "ha": "left"}
    figure.suptitle(title, x=0.012, **get_text_style(), **style)
    return figure


class ProportionalityReport(Report):
    """Who a correction flipped, in which direction, and whether it was needed.

    Make it by ``from_counts``, ``proportionality_report`` or ``from_aif360``; in
    a notebook it shows itself.

    Parameters
    ----------
    summary : Summary
        Every number and every sentence.
    counts : OutcomeCounts, default=None
        The table that was summarized, where it is known; no form needs it.

    Attributes
    ----------
    summary, counts
        As given.

    Examples
    --------
    >>> from skfair_ofi import OutcomeCounts
    >>> counts = OutcomeCounts.from_arrays(
    ...     [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> report = ProportionalityReport.from_counts(counts, source="four people")
    >>> report
    ProportionalityReport(people=4, groups=2, flips=2, decision='change the correction')
    >>> report.text().splitlines()[2]
    'Favorable label:  1 (unfavorable: 0)'
    """

    pictures = (".png", ".svg")

    def __init__(self, summary: Summary, counts: OutcomeCounts | None = None) -> None:
        self.counts = counts
        self.summary = summary

    @classmethod
    def from_counts(
        cls,
        counts: OutcomeCounts,
        *,
        privileged: Any = None,
        bands: Mapping[str, Bands] | None = None,
        level: float | None = 0.95,
        uncertain: bool = False,
        title: str | None = None,
        source: str | None = None,
        in_sample: bool = False,
        notes: Sequence[str] = (),
    ) -> "ProportionalityReport":
        """Return the report on a table of counts.

        Parameters
        ----------
        counts : OutcomeCounts
            The table, with predicted and corrected labels, and true labels
            where they are known.
        privileged : group or collection of groups, default=None
            The group, or groups, that everyone else is compared with.
        bands : mapping of str to Bands, default=None
            Bands by name or symbol of a measure, in place of those of ``METRICS``.
        level : float or None, default=0.95
            Confidence level of the intervals; None leaves them out.
        uncertain : bool, default=False
            Whether a verdict is "uncertain" where its interval spans a bound, and
            the decision a review where one is.
        title, source : str, default=None
            The report's title, and where the data came from.
        in_sample : bool, default=False
            Whether these are the people that the model was fitted on.
        notes : sequence of str, default=()
            Sentences to add.

        Returns
        -------
        ProportionalityReport
            The report.

        Raises
        ------
        ValueError
            As in ``summarize``.
        """
        summary = summarize(
            counts,
            privileged=privileged,
            bands=bands,
            level=level,
            uncertain=uncertain,
            title=title,
            source=source,
            in_sample=in_sample,
            notes=notes,
        )
        return cls(summary, counts)

    def document(self) -> Document:
        """Return sentences, tables and figures, as text, Markdown and HTML show them."""
        return build_document(self.summary)

    def payload(self) -> dict[str, Any]:
        """Return what JSON holds."""
        return {"schema": SCHEMA, **encode(self.summary)}

    def to_frame(self) -> pd.DataFrame:
        """Return the measures as a data frame, one row a measure."""
        return _tabulate(self.summary)

    def plot(self) -> "Figure":
        """Draw all plots on one new figure.

        Returns
        -------
        matplotlib Figure
            The figure, made by pyplot.
        """
        import matplotlib.pyplot as plt

        return _draw_page(self.summary, lambda size: plt.figure(figsize=size, layout="constrained"))

    def draw(self) -> "Figure":
        """Return all plots on one figure that pyplot does not know of."""
        return _draw_page(self.summary, make_figure)

    def __repr__(self) -> str:
        """Return one line with the main figures."""
        summary = self.summary
        return (
            f"ProportionalityReport(people={summary.overall.n:.10g}, groups={len(summary.groups)}, "
            f"flips={summary.overall.flips:.10g}, decision={summary.decision.outcome!r})"
        )


def proportionality_report(
    y_true: Any,
    y_pred: Any,
    y_corrected: Any,
    *,
    sensitive_features: Any,
    privileged: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    missing_groups: Literal["error", "drop", "group"] = "error",
    bands: Mapping[str, Bands] | None = None,
    level: float | None = 0.95,
    uncertain: bool = False,
    title: str | None = None,
    source: str | None = None,
) -> ProportionalityReport:
    """Return the report on labels before and after a correction, or of two versions of a model.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or None
        True labels; None where they are not known, and then the report says
        what it leaves out.
    y_pred, y_corrected : array-like of shape (n_samples,)
        Labels before and after the correction.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
        The group of each person; several columns are crossed.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None
        compares all pairs of groups.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1.
    sample_weight : array-like of shape (n_samples,), default=None
        How many people each row stands for.
    missing_groups : {"error", "drop", "group"}, default="error"
        What becomes of rows whose group is missing: an error, left out with a
        warning, or counted as a group of their own.
    bands : mapping of str to Bands, default=None
        Bands by name or symbol of a measure, in place of those of ``METRICS``.
    level : float or None, default=0.95
        Confidence level of the intervals; None leaves them out.
    uncertain : bool, default=False
        Whether a verdict is "uncertain" where its interval spans a bound, and the
        decision a review where one is.
    title, source : str, default=None
        The report's title, and where the data came from.

    Returns
    -------
    ProportionalityReport
        The report.

    Raises
    ------
    ValueError
        If lengths differ, there are more than two labels, it is not known which
        one is favorable, a group is missing under "error", a privileged group is
        not in the data, the name in ``bands`` is not one of a measure, the level is
        not between 0 and 1, or None with ``uncertain``.

    Examples
    --------
    Nothing was to be repaired, and yet everyone was flipped:

    >>> report = proportionality_report(
    ...     [1, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> report.summary.decision.outcome, report.summary.decision.rule
    ('change the correction', 'unnecessary')
    """
    counts = OutcomeCounts.from_arrays(
        y_true,
        y_pred,
        y_corrected,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        pos_label=pos_label,
        missing_groups=missing_groups,
    )
    return ProportionalityReport.from_counts(
        counts,
        privileged=privileged,
        bands=bands,
        level=level,
        uncertain=uncertain,
        title=title,
        source=source,
    )
