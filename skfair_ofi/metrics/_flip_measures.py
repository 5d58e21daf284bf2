"""Measures of flips: predictions that a correction changed, and whom it harmed.

A flip is favorable where an unfavorable prediction becomes favorable, and harmful the
other way. Flip measures need no true label, except those that say whether a flip was
right. Between groups they are absolute, whichever group is privileged.
"""

from math import inf

import numpy as np

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts

from ._judge import Bands
from ._publish import comparison, rate
from ._registry import METRICS, Contrast, Metric, Number, Share, divide
from ._shapes import (
    Convention,
    flip_arrays,
    flips_by_convention,
    flips_by_group,
    judged_flip_arrays,
)

__all__ = [
    "correcting_flip_rate",
    "directional_flip_ratio",
    "favorable_flip_rate",
    "flip_disparity_index",
    "flip_rate",
    "flip_rate_difference",
    "flip_rate_disparity",
    "harmful_flip_disparity",
    "harmful_flip_disparity_index",
    "harmful_flip_proportion",
    "harmful_flip_proportion_difference",
    "harmful_flip_rate",
    "relative_flip_disparity",
    "relative_harmful_flip_disparity",
    "wrong_flip_rate",
]

_DIFFERENCE = Bands.within(0.05, 0.15)
_INDEX = Bands((0.9, 1.1), (0.7, 1.3))
_DISPARITY = Bands.within(0.1, 0.3)


def _flips(counts: OutcomeCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Favorable flips, harmful flips and people of each group."""
    table = counts.cells.sum(axis=1)
    return table[:, 0, 1], table[:, 1, 0], counts.group_sizes


@rate(
    flip_arrays,
    symbol="FR",
    source="Suarez2025",
    better="lower",
    infinite_reason="no one in {low} was flipped",
    infinite_sentence="{high_share} of the people in {high} were flipped and no one in {low}.",
    equal_sentence="Flips were equally common in {high} and {low} ({high_share}).",
)
def flip_rate(counts: OutcomeCounts) -> Share:
    """Share of people whose prediction the correction changed.

    It lies in [0, 1], and lower means that the correction did less.

    Notes
    -----
    Flips / n (Suarez2025).

    Examples
    --------
    >>> flip_rate([1, 1, 1, 0, 0], [0, 1, 1, 1, 0])
    0.4
    """
    favorable, harmful, people = _flips(counts)
    return favorable + harmful, people


@rate(flip_arrays, symbol="FFR")
def favorable_flip_rate(counts: OutcomeCounts) -> Share:
    """Share of people whose prediction became favorable.

    It lies in [0, 1].

    Notes
    -----
    Flips from the unfavorable to the favorable label / n.

    Examples
    --------
    >>> favorable_flip_rate([1, 1, 1, 0, 0], [0, 1, 1, 1, 0])
    0.2
    """
    favorable, _, people = _flips(counts)
    return favorable, people


@rate(flip_arrays, symbol="HFR", better="lower")
def harmful_flip_rate(counts: OutcomeCounts) -> Share:
    """Share of people whose prediction became unfavorable.

    It lies in [0, 1], and lower is better.

    Notes
    -----
    Flips from the favorable to the unfavorable label / n.

    Examples
    --------
    >>> harmful_flip_rate([1, 1, 1, 0, 0], [0, 1, 1, 1, 0])
    0.2
    """
    _, harmful, people = _flips(counts)
    return harmful, people


@rate(
    flip_arrays,
    symbol="HFP",
    denominator="flips",
    empty=0.0,
    source="Suarez2025",
    better="lower",
    infinite_reason="no one in {low} was harmed",
    infinite_sentence=(
        "{high_share} of the flips in {high} took the favorable label away; no one in {low} was "
        "harmed."
    ),
    equal_sentence=("Of the flips in {high} and {low}, the same share was harmful ({high_share})."),
)
def harmful_flip_proportion(counts: OutcomeCounts) -> Share:
    """Share of flips that are harmful.

    It lies in [0, 1], lower is better, and without flips it is 0.

    Notes
    -----
    Harmful flips / flips (Suarez2025).

    Examples
    --------
    >>> harmful_flip_proportion([1, 1, 1, 0, 0], [0, 1, 1, 1, 0])
    0.5
    """
    favorable, harmful, _ = _flips(counts)
    return harmful, favorable + harmful


@rate(
    flip_arrays,
    symbol="DFR",
    denominator="flips",
    empty=1.0,
    bounds=(0.0, inf),
    source="Suarez2025",
)
def directional_flip_ratio(counts: OutcomeCounts) -> Share:
    """Favorable flips for each harmful one.

    It is at least 0: infinite without harmful flips, 0 without favorable ones, and 1
    without flips.

    Notes
    -----
    Favorable flips / harmful flips (Suarez2025).

    Examples
    --------
    >>> directional_flip_ratio([1, 1, 1, 0, 0], [0, 1, 1, 1, 0])
    1.0
    """
    favorable, harmful, _ = _flips(counts)
    return favorable, harmful


@rate(judged_flip_arrays, symbol="WFR", better="lower")
def wrong_flip_rate(counts: OutcomeCounts) -> Share:
    """Share of people whose right prediction the correction made wrong.

    It lies in [0, 1], and lower is better.

    Notes
    -----
    Flips away from the true label / n.

    Examples
    --------
    >>> wrong_flip_rate([1, 1, 0, 0], [0, 1, 1, 0], y_true=[1, 1, 0, 0])
    0.5
    """
    return counts.cells[:, 1, 1, 0] + counts.cells[:, 0, 0, 1], counts.group_sizes


@rate(judged_flip_arrays, symbol="CFR", better="higher")
def correcting_flip_rate(counts: OutcomeCounts) -> Share:
    """Share of people whose wrong prediction the correction made right.

    It lies in [0, 1], and higher is better.

    Notes
    -----
    Flips toward the true label / n.

    Examples
    --------
    >>> correcting_flip_rate([1, 1, 0, 0], [0, 1, 1, 0], y_true=[0, 1, 0, 0])
    0.25
    """
    return counts.cells[:, 0, 1, 0] + counts.cells[:, 1, 0, 1], counts.group_sizes


def _low_and_high(contrast: Contrast, rate: Metric) -> tuple[Number, Number]:
    first, second = contrast.sides(rate)
    return (first, second) if first <= second else (second, first)


def _index(contrast: Contrast, rate: Metric) -> Number:
    low, high = _low_and_high(contrast, rate)
    return 1.0 if low == high == 0 else divide(high, low)


def _disparity(contrast: Contrast, rate: Metric, convention: Convention) -> Number:
    check_choice("convention", convention, ("paper", "equation"))
    low, high = _low_and_high(contrast, rate)
    if convention == "paper" and low == 0:
        return inf if high > 0 else 1.0
    return divide(high - low, contrast.overall(METRICS["flip_rate"]))


def _relative(contrast: Contrast, rate: Metric) -> Number:
    low, high = _low_and_high(contrast, rate)
    return 0.0 if low == high == 0 else divide(high - low, high + low)


@comparison(
    flips_by_group,
    symbol="FRD",
    rates=(flip_rate,),
    bounds=(0.0, 1.0),
    bands=_DIFFERENCE,
    source="Suarez2025",
    sentence=(
        "{high_share} of the people in {high} were flipped and {low_share} of those in "
        "{low}: a gap of {points} percentage points."
    ),
)
def flip_rate_difference(contrast: Contrast) -> Number:
    """Absolute gap between groups of the flip rate.

    It lies in [0, 1] with the ideal 0.

    Notes
    -----
    Suarez2025, eq. 14.

    Examples
    --------
    >>> flip_rate_difference([1, 1, 0, 0], [0, 1, 0, 0], sensitive_features=["a", "a", "b", "b"])
    0.5
    """
    return contrast.gap(METRICS["flip_rate"])


@comparison(
    flips_by_group,
    symbol="HFPD",
    rates=(harmful_flip_proportion,),
    bounds=(0.0, 1.0),
    bands=_DIFFERENCE,
    source="Suarez2025",
    sentence=(
        "Of the flips in {high}, {high_share} took the favorable label away, and "
        "{low_share} of those in {low}: a gap of {points} percentage points."
    ),
)
def harmful_flip_proportion_difference(contrast: Contrast) -> Number:
    """Absolute gap between groups of the share of flips that are harmful.

    It lies in [0, 1] with the ideal 0.

    Notes
    -----
    Suarez2025, eq. 14.

    Examples
    --------
    >>> harmful_flip_proportion_difference(
    ...     [1, 1, 0, 0], [0, 1, 0, 1], sensitive_features=["a", "a", "b", "b"]
    ... )
    1.0
    """
    return contrast.gap(METRICS["harmful_flip_proportion"])


@comparison(
    flips_by_group,
    symbol="FDI",
    rates=(flip_rate,),
    ideal=1.0,
    bounds=(1.0, inf),
    bands=_INDEX,
    source="Suarez2025",
    form="index",
    sentence="People in {high} were flipped {times} as often as people in {low}.",
)
def flip_disparity_index(contrast: Contrast) -> Number:
    """Ratio of the larger to the smaller flip rate.

    It is at least 1, which is its ideal and its value where both are 0; infinite where
    only the smaller is 0.

    Notes
    -----
    Suarez2025, eq. 15, where it is called DI.

    Examples
    --------
    >>> flip_disparity_index([1, 1, 0, 0], [0, 0, 0, 1], sensitive_features=["a", "a", "b", "b"])
    2.0
    """
    return _index(contrast, METRICS["flip_rate"])


@comparison(
    flips_by_group,
    symbol="HDI",
    rates=(harmful_flip_proportion,),
    ideal=1.0,
    bounds=(1.0, inf),
    bands=_INDEX,
    source="Suarez2025",
    form="index",
    sentence=(
        "A flip in {high} was {times} as likely to take the favorable label away as one in {low}."
    ),
)
def harmful_flip_disparity_index(contrast: Contrast) -> Number:
    """Ratio of the larger to the smaller share of flips that are harmful.

    It is at least 1, which is its ideal and its value where both are 0; infinite where
    only the smaller is 0.

    Notes
    -----
    Suarez2025, eq. 15.

    Examples
    --------
    >>> harmful_flip_disparity_index(
    ...     [1, 0, 1, 1], [0, 1, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    2.0
    """
    return _index(contrast, METRICS["harmful_flip_proportion"])


@comparison(
    flips_by_convention,
    symbol="FD",
    rates=(flip_rate,),
    bounds=(0.0, inf),
    bands=_DISPARITY,
    source="Suarez2025",
    form="overall",
    sentence=("In units of the overall flip rate ({overall}), {high} and {low} lie {value} apart."),
)
def flip_rate_disparity(contrast: Contrast, convention: Convention = "paper") -> Number:
    """Absolute gap between groups of the flip rate, over the flip rate of all.

    It is at least 0, which is its ideal.

    Notes
    -----
    Suarez2025, eq. 16: abs(FR_p / FR - FR_u / FR). The source's table of special cases makes
    it 1 where both rates are 0 and infinite where one is, though the equation gives 0/0 and a
    finite value; ``convention="equation"`` follows the equation.

    Examples
    --------
    >>> flip_rate_disparity([1, 1, 0, 0], [0, 0, 0, 1], sensitive_features=["a", "a", "b", "b"])
    0.6666666666666666
    """
    return _disparity(contrast, METRICS["flip_rate"], convention)


@comparison(
    flips_by_convention,
    symbol="HFD",
    rates=(harmful_flip_proportion,),
    bounds=(0.0, inf),
    bands=_DISPARITY,
    source="Suarez2025",
    form="overall",
    sentence=(
        "In units of the overall flip rate ({overall}), the harmful shares of the flips in "
        "{high} and {low} lie {value} apart."
    ),
)
def harmful_flip_disparity(contrast: Contrast, convention: Convention = "paper") -> Number:
    """Absolute gap between groups of the harmful share of flips, over the flip rate of all.

    It is at least 0, which is its ideal.

    Notes
    -----
    Suarez2025, eq. 16b: abs(HFP_p / FR - HFP_u / FR), with FR the flip rate of all. The
    authors' code divides by the harmful share of all flips instead. Special cases are as in
    ``flip_rate_disparity``.

    Examples
    --------
    >>> harmful_flip_disparity([1, 0, 1, 1], [0, 1, 0, 0], sensitive_features=["a", "a", "b", "b"])
    0.5
    """
    return _disparity(contrast, METRICS["harmful_flip_proportion"], convention)


@comparison(
    flips_by_group,
    symbol="RFD",
    rates=(flip_rate,),
    bounds=(0.0, 1.0),
    bands=_DISPARITY,
    source="Suarez2025",
    form="relative",
    sentence="The gap between {high} and {low} is {percent} of the sum of their flip rates.",
)
def relative_flip_disparity(contrast: Contrast) -> Number:
    """Absolute gap between groups of the flip rate, over the sum of both.

    It lies in [0, 1] with the ideal 0: 1 where one group only was flipped, 0 where none was.

    Notes
    -----
    Suarez2025, eq. 17.

    Examples
    --------
    >>> relative_flip_disparity([1, 1, 0, 0], [0, 0, 0, 1], sensitive_features=["a", "a", "b", "b"])
    0.3333333333333333
    """
    return _relative(contrast, METRICS["flip_rate"])


@comparison(
    flips_by_group,
    symbol="RHFD",
    rates=(harmful_flip_proportion,),
    bounds=(0.0, 1.0),
    bands=_DISPARITY,
    source="Suarez2025",
    form="relative",
    sentence=(
        "The gap between {high} and {low} is {percent} of the sum of the harmful shares of "
        "their flips."
    ),
)
def relative_harmful_flip_disparity(contrast: Contrast) -> Number:
    """Absolute gap between groups of the harmful share of flips, over the sum of both.

    It lies in [0, 1] with the ideal 0: 1 where one group only was harmed, 0 where none was.

    Notes
    -----
    Suarez2025, eq. 17.

    Examples
    --------
    >>> relative_harmful_flip_disparity(
    ...     [1, 0, 1, 1], [0, 1, 0, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    0.3333333333333333
    """
    return _relative(contrast, METRICS["harmful_flip_proportion"])
