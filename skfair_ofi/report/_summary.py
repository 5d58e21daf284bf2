"""The summary: every number and every sentence of a report, before any rendering."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Bands

from ._analysis import explain_left_out, read_sides
from ._certainty import (
    Heading,
    describe_certainty,
    describe_correctness,
    list_blind_spots,
    list_cautions,
    list_facts,
)
from ._decision import Figures, decide
from ._parts import Decision, FairnessRow, FlipRow, GroupRow, PairTable, Reading
from ._rows import fairness_rows, flip_rows, group_row, group_rows, pair_tables
from ._terms import Terms

EVERYONE = "All groups"


@dataclass(frozen=True)
class Summary:
    """What a report says: every number and every sentence, and nothing of how it looks.

    Parameters
    ----------
    title : str
        The report's title.
    source : str or None
        Where the data came from.
    in_sample : bool
        Whether these are the people that the model was fitted on.
    counting : {"people", "weighted people", "expected people"}
        What the counts count.
    unfavorable, favorable : object
        The two labels.
    feature_names : tuple of str or None
        Names of the sensitive features.
    privileged : tuple of hashable or None
        The privileged groups, None where none is named.
    level : float or None
        Confidence level of the intervals, None where there are none.
    uncertain : bool
        Whether verdicts are "uncertain" where the interval spans a bound.
    facts : tuple of (str, str)
        The first lines: term and description.
    overall : GroupRow
        All people together.
    groups : tuple of GroupRow
        Each group.
    fairness : tuple of FairnessRow
        Fairness and accuracy before and after.
    measures : tuple of FlipRow
        The flip measures.
    correctness : tuple of str
        Sentences on flips that made predictions wrong or right.
    readings : tuple of Reading
        OFI and DI read together, before and after.
    pairs : tuple of PairTable
        OFI and DI between all pairs of groups.
    certainty : tuple of str
        Sentences on the intervals: methods, and verdicts whose interval spans a bound.
    decision : Decision
        What the figures lead to.
    left_out : tuple of str
        What is not said, and why.
    notes : tuple of str
        Cautions, and notes of who made the report.
    """

    title: str
    source: str | None
    in_sample: bool
    counting: str
    unfavorable: Any
    favorable: Any
    feature_names: tuple[str, ...] | None
    privileged: tuple[Hashable, ...] | None
    level: float | None
    uncertain: bool
    facts: tuple[tuple[str, str], ...]
    overall: GroupRow
    groups: tuple[GroupRow, ...]
    fairness: tuple[FairnessRow, ...]
    measures: tuple[FlipRow, ...]
    correctness: tuple[str, ...]
    readings: tuple[Reading, ...]
    pairs: tuple[PairTable, ...]
    certainty: tuple[str, ...]
    decision: Decision
    left_out: tuple[str, ...]
    notes: tuple[str, ...]


def _printable(text: str) -> str:
    """Text on one line, without control characters."""
    return "".join(char if char.isprintable() else " " for char in text)


def _counting(counts: OutcomeCounts) -> str:
    if counts.weight_squares is not None:
        return "weighted people"
    return "people" if counts.cells.dtype.kind == "i" else "expected people"


def _check_counts(counts: OutcomeCounts) -> OutcomeCounts:
    if not {"y_pred", "y_corrected"} <= set(counts.roles):
        raise ValueError(f"counts must count y_pred and y_corrected, got roles {counts.roles!r}.")
    if not counts.n:
        raise ValueError("counts must count at least one person, got 0.")
    return counts


def _readings(counts: OutcomeCounts, rows: Sequence[FairnessRow]) -> tuple[Reading, ...]:
    named = {row.name: row for row in rows}
    ofi, di = named.get("objective_fairness_index"), named.get("disparate_impact")
    if ofi is None or di is None:
        return ()
    return (
        read_sides("before", ofi.before, di.before, counts.before),
        read_sides("after", ofi.after, di.after, counts.after),
    )


def _summary(
    counts: OutcomeCounts, terms: Terms, heading: Heading, title: str, notes: tuple[str, ...]
) -> Summary:
    overall, groups = group_row(counts, EVERYONE), group_rows(counts, terms.privileged or ())
    fairness, measures = fairness_rows(counts, terms), flip_rows(counts, terms)
    decision = decide(Figures(overall, fairness, measures))
    return Summary(
        title=title,
        source=heading.source,
        in_sample=heading.in_sample,
        counting=heading.counting,
        unfavorable=heading.labels[0],
        favorable=heading.labels[1],
        feature_names=heading.feature_names,
        privileged=terms.privileged,
        level=terms.level,
        uncertain=terms.uncertain,
        facts=list_facts(heading, overall, groups, decision),
        overall=overall,
        groups=groups,
        fairness=fairness,
        measures=measures,
        correctness=describe_correctness(overall, groups),
        readings=_readings(counts, fairness),
        pairs=pair_tables(counts, terms),
        certainty=describe_certainty(counts, terms, fairness, measures),
        decision=decision,
        left_out=explain_left_out(counts),
        notes=(*list_cautions(groups), *list_blind_spots(counts, terms, groups), *notes),
    )


def summarize(
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
) -> Summary:
    """Return every number and every sentence of a report on who was flipped.

    Parameters
    ----------
    counts : OutcomeCounts
        The table, with predicted and corrected labels, and true labels where
        they are known.
    privileged : group or collection of groups, default=None
        The group, or groups, that everyone else is compared with. None compares
        all pairs of groups, and shows the largest gap.
    bands : mapping of str to Bands, default=None
        Bands by name or symbol of a measure, in place of those of ``METRICS``.
    level : float or None, default=0.95
        Confidence level of the intervals; None leaves them out.
    uncertain : bool, default=False
        Whether a verdict is "uncertain" where its interval spans a bound, and the
        decision a review where one is.
    title : str, default=None
        The title; None is "Proportionality report".
    source : str, default=None
        Where the data came from.
    in_sample : bool, default=False
        Whether these are the people that the model was fitted on.
    notes : sequence of str, default=()
        Sentences to add.

    Returns
    -------
    Summary
        The summary, which the renderers read.

    Raises
    ------
    ValueError
        If predicted or corrected labels are not counted, nobody is, a privileged
        group is not in the table, the name in ``bands`` is not one of a measure, the
        level is not between 0 and 1, or None with ``uncertain``.

    Notes
    -----
    The rules that lead to the decision are listed in ``decide``. A flip measure has
    the verdict "no flips" where no one was flipped, and a measure of harm "no
    harmful flips" where no one lost the favorable label: nothing is
    disproportionate about flips that did not happen.

    Examples
    --------
    >>> from skfair_ofi.counts import OutcomeCounts
    >>> counts = OutcomeCounts.from_arrays(
    ...     y_pred=[1, 1, 0, 0], y_corrected=[1, 0, 1, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> summary = summarize(counts, privileged="a")
    >>> summary.overall.gained, summary.overall.lost, summary.decision.outcome
    (1, 1, 'change the correction')
    """
    _check_counts(counts)
    terms = Terms.choose(counts.groups, privileged, bands, level, uncertain=uncertain)
    origin = None if source is None else _printable(source)
    heading = Heading(counts.labels, counts.feature_names, origin, in_sample, _counting(counts))
    named = "Proportionality report" if title is None else _printable(title)
    return _summary(counts, terms, heading, named, tuple(map(_printable, notes)))
