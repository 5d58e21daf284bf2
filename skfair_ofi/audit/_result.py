"""What an audit found: frozen, with every number and every sentence."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, get_args

import pandas as pd

from skfair_ofi.counts import OutcomeCounts

from ._criteria import Criterion, CriterionVerdict
from ._files import FileFacts
from ._presets import Preset

MET, NOT_MET, UNUSABLE, UNDEFINED = 0, 1, 2, 3


@dataclass(frozen=True)
class SelectionTests:
    """Whether the selection rates of two groups differ by more than chance.

    Parameters
    ----------
    p_value : float
        Of Fisher's exact test, two-sided; NaN with weights, or where it is undefined.
    standard_deviations : float
        The difference in units of its pooled standard error; NaN where that is 0.
    """

    p_value: float
    standard_deviations: float


@dataclass(frozen=True)
class RateOf:
    """A rate of the two groups that a measure compares."""

    name: str
    first: float
    second: float


@dataclass(frozen=True)
class Finding:
    """One criterion on one comparison of groups.

    Parameters
    ----------
    grouping : str
        What people are grouped by.
    criterion : Criterion
        The measure and its bounds.
    condition : str or None
        Of whom it is: None is everyone, else the condition they meet.
    group, reference : hashable
        The groups compared, first against second.
    value : float
        The measure, NaN where undefined.
    verdict : {"within bounds", "outside bounds", "undefined", "no bound"}
        The verdict.
    sentence : str
        The verdict in words, by the same comparison.
    n : tuple of float
        People in the two groups.
    rates : tuple of RateOf
        The rates that are compared.
    small : bool
        Whether a group is below the audit's minimum size.
    interval : tuple of float
        Ends of the 95 % confidence interval; NaN where there is none.
    tests : SelectionTests, default=None
        Where the preset asks for them.
    """

    grouping: str
    criterion: Criterion
    condition: str | None
    group: Hashable
    reference: Hashable
    value: float
    verdict: CriterionVerdict
    sentence: str
    n: tuple[float, float]
    rates: tuple[RateOf, ...]
    small: bool
    interval: tuple[float, float]
    tests: SelectionTests | None = None

    @property
    def measure(self) -> str:
        """The measure's name."""
        return self.criterion.measure

    @property
    def paired(self) -> bool:
        """Whether two groups are compared; not where the largest gap is undefined."""
        return self.group is not None or self.reference is not None


@dataclass(frozen=True)
class GroupFacts:
    """One group: its size, and what it was predicted and what came true.

    Parameters
    ----------
    group : hashable
        The group's key.
    n : float
        People, weights counted.
    share : float
        Of all people whose group is known.
    selection_rate, base_rate : float
        Shares of favorable predictions and of favorable true labels; NaN
        where they are not known.
    small : bool
        Whether it is below the audit's minimum size.
    excluded : bool
        Whether its share is below ``exclude_below``, and it is not compared.
    below_share : bool
        Whether its share is below the one that the preset notes.
    """

    group: Hashable
    n: float
    share: float
    selection_rate: float
    base_rate: float
    small: bool
    excluded: bool
    below_share: bool


@dataclass(frozen=True)
class GroupingFacts:
    """One way to group people, and its groups."""

    name: str
    groups: tuple[GroupFacts, ...]
    reference: Hashable = None


@dataclass(frozen=True)
class JointReading:
    """What OFI and DI say together of one comparison.

    Parameters
    ----------
    grouping : str
        What people are grouped by.
    group, reference : hashable
        The groups compared.
    kind : {"algorithmic", "systemic", "both", "neither", "undefined"}
        Where a disparity arises.
    sentence : str
        The same in words.
    """

    grouping: str
    group: Hashable
    reference: Hashable
    kind: str
    sentence: str


@dataclass(frozen=True)
class Provenance:
    """From what a result was computed, so that it can be checked and repeated.

    Parameters
    ----------
    files : tuple of FileFacts
        The data's files; none for a frame.
    spec_sha256 : str or None
        Hash of the specification's file.
    rows : int
        Rows of the data.
    model : str or None
        What the model is, where predictions are its own.
    versions : tuple of (str, str)
        Of this package, of Python and of what it computes with.
    command : str, default=None
        The command, with file names without folders.
    model_sha256 : str, default=None
        Hash of the file that the model is from.
    created : str, default=None
        Time in UTC, None where it is left out.
    """

    files: tuple[FileFacts, ...]
    spec_sha256: str | None
    rows: int
    model: str | None
    versions: tuple[tuple[str, str], ...]
    command: str | None = None
    model_sha256: str | None = None
    created: str | None = None


@dataclass(frozen=True)
class AuditResult:
    """What an audit found.

    Parameters
    ----------
    title : str
        The audit's title.
    positive, truth : str or None
        What a favorable prediction and a favorable true label are.
    findings : tuple of Finding
        One for each criterion and each comparison of groups.
    groupings : tuple of GroupingFacts
        Sizes and rates of the groups.
    readings : tuple of JointReading
        OFI and DI read together, where both were computed of everyone.
    left_out : tuple of (str, int)
        Rows left out of what needs the truth, the score, a group and so on.
    skipped : tuple of str
        Criteria of the preset that could not be computed, and why.
    notes : tuple of str
        What a reader has to know.
    preset : Preset or None
        The preset, with the text it cites.
    provenance : Provenance
        From what it was computed.
    tables : dict of str to OutcomeCounts
        The counts of predictions against the truth by grouping.
    """

    title: str
    positive: str | None
    truth: str | None
    findings: tuple[Finding, ...]
    groupings: tuple[GroupingFacts, ...]
    readings: tuple[JointReading, ...]
    left_out: tuple[tuple[str, int], ...]
    skipped: tuple[str, ...]
    notes: tuple[str, ...]
    preset: Preset | None
    provenance: Provenance
    tables: dict[str, OutcomeCounts]

    @property
    def verdicts(self) -> dict[str, int]:
        """Number of findings by verdict."""
        counted = Counter(finding.verdict for finding in self.findings)
        return {name: counted[name] for name in get_args(CriterionVerdict)}

    @property
    def exit_code(self) -> int:
        """0 where all is met, 1 where a value is outside bounds, 3 where one is undefined."""
        verdicts = self.verdicts
        if verdicts["outside bounds"]:
            return NOT_MET
        return UNDEFINED if verdicts["undefined"] else MET

    def to_frame(self) -> pd.DataFrame:
        """Return one row a finding as a pandas frame.

        Returns
        -------
        DataFrame of shape (n_findings, 16)
            Columns grouping, group, reference, measure, condition, value,
            at_least, at_most, verdict, sentence, n_group, n_reference, small,
            low, high, p_value.
        """
        frame = pd.DataFrame([_record(finding) for finding in self.findings])
        # None is the missing group, everyone, or no pair, and no number.
        for name in ("group", "reference", "condition"):
            values = [getattr(finding, name) for finding in self.findings]
            frame[name] = pd.Series(values, dtype=object)
        return frame


def _record(finding: Finding) -> dict[str, Any]:
    return {
        "grouping": finding.grouping,
        "group": finding.group,
        "reference": finding.reference,
        "measure": finding.measure,
        "condition": finding.condition,
        "value": finding.value,
        "at_least": finding.criterion.at_least,
        "at_most": finding.criterion.at_most,
        "verdict": finding.verdict,
        "sentence": finding.sentence,
        "n_group": finding.n[0],
        "n_reference": finding.n[1],
        "small": finding.small,
        "low": finding.interval[0],
        "high": finding.interval[1],
        "p_value": None if finding.tests is None else finding.tests.p_value,
    }
