"""Presets: criteria that belong together, with the text they come from.

A preset says which measures are computed, how groups are compared and what the
source says about them. None says whether a rule is complied with: that is for
a court or an agency, not for a table of numbers.

>>> PRESETS["four-fifths"].criteria(0.2)[0].bounds
'at least 0.8'
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ._criteria import Criterion

Against = Literal["pairs", "rest", "reference", "highest"]


@dataclass(frozen=True)
class Citation:
    """A passage of a source, and where it stands.

    Parameters
    ----------
    where : str
        The source and the place in it.
    text : str
        What it says.
    quoted : bool, default=False
        Whether the text is word by word the source's, or in our words.
    """

    where: str
    text: str
    quoted: bool = False


@dataclass(frozen=True)
class Preset:
    """Criteria that belong together.

    Parameters
    ----------
    name, title : str
        What it is called on the command line, and in a report.
    criteria : callable
        Takes epsilon and returns the criteria.
    against : {"pairs", "rest", "reference", "highest"}, default=None
        How groups are compared; None leaves it to the audit.
    small_share : float, default=None
        Groups below this share of all people are noted.
    significance : bool, default=False
        Whether Fisher's exact test and standard deviations stand beside.
    missing_groups : {"error", "drop"}, default="error"
        What becomes of people whose group is missing, if the audit does not say.
    above_median : bool, default=False
        Whether a score above the median of all people is favorable, where no predicate says so.
    crosses_two : bool, default=False
        Whether two groupings by a column are also crossed.
    notes : tuple of str, default=()
        What a reader has to know.
    citations : tuple of Citation, default=()
        The source's own words.
    """

    name: str
    title: str
    criteria: Callable[[float], tuple[Criterion, ...]]
    against: Against | None = None
    small_share: float | None = None
    significance: bool = False
    missing_groups: Literal["error", "drop"] = "error"
    above_median: bool = False
    crosses_two: bool = False
    notes: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()


def _yuan(epsilon: float) -> tuple[Criterion, ...]:
    within = [
        "disparate_impact",
        "statistical_parity_difference",
        "conditional_statistical_parity_difference",
        "accuracy_difference",
        "mean_difference",
        "equalized_odds_difference",
        "equal_opportunity_difference",
        "predictive_equality_difference",
        "conditional_use_accuracy_difference",
        "predictive_parity_difference",
        "calibration_difference",
    ]
    balance = ("positive_balance_difference", "negative_balance_difference")
    return (*(Criterion.within(name, epsilon) for name in within), *map(Criterion, balance))


def _fai(_epsilon: float) -> tuple[Criterion, ...]:
    names = (
        "statistical_parity_difference",
        "disparate_impact",
        "average_odds_difference",
        "equal_opportunity_difference",
    )
    return tuple(map(Criterion.default, names))


def _ofi(_epsilon: float) -> tuple[Criterion, ...]:
    return tuple(map(Criterion.default, ("objective_fairness_index", "disparate_impact")))


def _four_fifths(_epsilon: float) -> tuple[Criterion, ...]:
    return (Criterion("disparate_impact", at_least=0.8),)


def _impact_ratios(_epsilon: float) -> tuple[Criterion, ...]:
    return (Criterion("disparate_impact"),)


_YUAN_NOTE = (
    "Bounds are epsilon for differences, and 1 - epsilon to 1 / (1 - epsilon) for disparate "
    "impact. Balance has the unit of the score, so only a domain can set its bound."
)
_OFI_NOTE = (
    "Neither measure alone is enough: the objective fairness index is 0 even where every "
    "prediction is wrong, if false positives and false negatives cancel."
)
_FOUR_FIFTHS_NOTE = (
    "The rule is one of thumb for the agencies, no legal definition: a ratio below 4/5 is read "
    "beside the sample sizes and the statistical significance."
)
_LL144_NOTES = (
    "The rules ask for ratios to be published and set no bound, so nothing is met or not met.",
    "Categories below 2 % may be excluded by an independent auditor who says why (exclude_below).",
)

_FOUR_FIFTHS = (
    Citation(
        "29 CFR 1607.4(D)",
        "A selection rate for any race, sex, or ethnic group which is less than four-fifths "
        "(4/5) (or eighty percent) of the rate for the group with the highest rate will generally "
        "be regarded by the Federal enforcement agencies as evidence of adverse impact, while a "
        "greater than four-fifths rate will generally not be regarded by Federal enforcement "
        "agencies as evidence of adverse impact. Smaller differences in selection rate may "
        "nevertheless constitute adverse impact, where they are significant in both statistical "
        "and practical terms or where a user's actions have discouraged applicants "
        "disproportionately on grounds of race, sex, or ethnic group. Greater differences in "
        "selection rate may not constitute adverse impact where the differences are based on small "
        "numbers and are not statistically significant",
        quoted=True,
    ),
    Citation(
        "29 CFR 1607.15(A)(2)(a)",
        "Adverse impact determinations are called for each group that makes up at least 2 percent "
        "of the labor force in the relevant labor area or 2 percent of the applicable workforce. "
        "Here the share of the people in the data is noted instead, since the "
        "labor force is not in them.",
    ),
    Citation(
        "Hazelwood School District v. United States, 433 U.S. 299, 308-309 n.14 (1977); "
        "Castaneda v. Partida, 430 U.S. 482, 496-497 n.17 (1977)",
        "Differences greater than two or three standard deviations are suspect, for large samples.",
    ),
)

_LL144 = (
    Citation(
        "6 RCNY § 5-300, Impact Ratio",
        "Either the selection rate for a category divided by the selection rate of the most "
        "selected category, or the scoring rate for a category divided by the scoring rate for the "
        "highest scoring category.",
    ),
    Citation(
        "6 RCNY § 5-300, Scoring Rate",
        "The rate at which individuals in a category receive a score above the sample's median "
        "score.",
    ),
    Citation(
        "6 RCNY § 5-301(b), (c)",
        "Rates and impact ratios are calculated separately for sex categories, race/ethnicity "
        "categories, and intersectional categories of sex, ethnicity, and race; the number of "
        "individuals who fall within an unknown category is indicated.",
    ),
    Citation(
        "6 RCNY § 5-301(d)",
        "an independent auditor may exclude a category that represents less than 2% of the data "
        "being used for the bias audit from the required calculations for impact ratio. Where such "
        "a category is excluded, the summary of results must include the independent auditor's "
        "justification for the exclusion, as well as the number of applicants and scoring rate or "
        "selection rate for the excluded category.",
        quoted=True,
    ),
)

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "yuan2024",
            "The thirteen measures of Yuan2024",
            _yuan,
            notes=(_YUAN_NOTE,),
        ),
        Preset("fai", "The four measures of FAI with their ranges", _fai),
        Preset(
            "ofi",
            "Objective fairness index and disparate impact, read together",
            _ofi,
            notes=(_OFI_NOTE,),
        ),
        Preset(
            "four-fifths",
            "Four-fifths rule of the Uniform Guidelines on Employee Selection Procedures",
            _four_fifths,
            against="highest",
            small_share=0.02,
            significance=True,
            notes=(_FOUR_FIFTHS_NOTE,),
            citations=_FOUR_FIFTHS,
        ),
        Preset(
            "nyc-ll144",
            "Impact ratios of the rules for New York City's Local Law 144 of 2021",
            _impact_ratios,
            against="highest",
            small_share=0.02,
            missing_groups="drop",
            above_median=True,
            crosses_two=True,
            notes=_LL144_NOTES,
            citations=_LL144,
        ),
    )
}
