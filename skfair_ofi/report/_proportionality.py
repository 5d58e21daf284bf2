"""The report on a correction, in every form."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from skfair_ofi._plotting import INK, get_text_style, make_figure
from skfair_ofi._text import shorten
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Bands

from ._records import to_frame, to_payload
from ._sections import build_document
from ._summary import Summary, summarize
from .document import Document, Report
from .plots import BeforeAfterDisplay, FlipMeasuresDisplay, FlipsDisplay, PairwiseDisplay

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        return to_payload(self.summary)

    def to_frame(self) -> pd.DataFrame:
        """Return the measures as a data frame, one row a measure."""
        return to_frame(self.summary)

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
