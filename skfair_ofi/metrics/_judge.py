"""What a value or an interval is judged to be: the one place with ranges and verdicts.

Reports, audits and monitors say the words of `Verdict` and nothing else. The source of
the flip measures (Suarez2025) calls its three ranges acceptable, moderate and
disproportionate; here they are "within bounds", "moderate" and "outside bounds".
"""

from dataclasses import dataclass
from math import isclose, isnan
from typing import Literal, NamedTuple, Self

Verdict = Literal["within bounds", "moderate", "outside bounds", "uncertain", "undefined"]
Tone = Literal["good", "middling", "bad", "unknown"]
Kind = Literal["neither", "systemic", "algorithmic", "both", "uncertain", "undefined"]

# Groups with fewer people are pointed out wherever they are judged.
FEW_PEOPLE = 30

_TONES: dict[str, Tone] = {"within bounds": "good", "moderate": "middling", "outside bounds": "bad"}


class Range(NamedTuple):
    """Lowest and highest value, both included."""

    low: float
    high: float

    @classmethod
    def within(cls, distance: float, ideal: float = 0.0) -> Self:
        """Return the values near an ideal.

        Near the ideal 1 of a ratio both ways: neither rate may fall short of the other by
        more than the distance.

        Examples
        --------
        >>> Range.within(0.1), Range.within(0.2, ideal=1)
        (Range(low=-0.1, high=0.1), Range(low=0.8, high=1.25))
        """
        if ideal == 1:
            if not 0 <= distance < 1:
                raise ValueError(f"distance must be at least 0 and below 1, got {distance!r}.")
            return cls(round(1 - distance, 12), round(1 / (1 - distance), 12))
        # Rounded, since 0.3 + 0.1 must be the number that 4/10 is compared with.
        return cls(round(ideal - distance, 12), round(ideal + distance, 12))

    def contains(self, value: float) -> bool:
        """Return whether a value lies inside, give or take a part in 10**12.

        A measure of whole counts is the float nearest to its exact value and needs no
        tolerance. Sums of weights are off in their last digits: with everyone weighing
        0.1, four of fifty against five of fifty must still be four fifths.
        """
        return self.low <= value <= self.high or any(
            isclose(value, end, rel_tol=1e-12) for end in self
        )


@dataclass(frozen=True)
class Bands:
    """Ranges of a measure's value: within bounds, moderate, and everything else outside.

    Parameters
    ----------
    acceptable : tuple of (float, float)
        Lowest and highest value within bounds, both included.
    moderate : tuple of (float, float), default=None
        The same for moderate values; None means that there is no such range.

    Examples
    --------
    >>> bands = Bands.within(0.05, 0.15)
    >>> bands.judge(0.05), bands.judge(-0.1), bands.judge(0.2)
    ('within bounds', 'moderate', 'outside bounds')
    >>> bands.judge_interval(-0.02, 0.04), bands.judge_interval(0.02, 0.08)
    ('within bounds', 'uncertain')
    """

    acceptable: tuple[float, float]
    moderate: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Refuse bounds that are out of order."""
        for name in ("acceptable", "moderate"):
            ends = getattr(self, name)
            if ends is None:
                continue
            if not ends[0] <= ends[1]:
                raise ValueError(f"{name} must be (lowest, highest), got {ends!r}.")
            object.__setattr__(self, name, Range(*ends))

    @classmethod
    def within(
        cls, acceptable: float, moderate: float | None = None, *, ideal: float = 0.0
    ) -> Self:
        """Return bands by distance from an ideal value.

        Parameters
        ----------
        acceptable : float
            Largest distance within bounds.
        moderate : float, default=None
            Largest moderate distance.
        ideal : float, default=0.0
            The ideal value. From 1, that of a ratio, the distance goes both ways: within
            0.2 is 0.8 to 1.25.

        Returns
        -------
        Bands
            The bands.

        Raises
        ------
        ValueError
            If a distance from 1 is negative, or 1 or more.
        """
        wider = None if moderate is None else Range.within(moderate, ideal)
        return cls(Range.within(acceptable, ideal), wider)

    def judge(self, value: float) -> Verdict:
        """Return the verdict on a value.

        Parameters
        ----------
        value : float
            The measure's value; NaN is undefined.

        Returns
        -------
        {"within bounds", "moderate", "outside bounds", "undefined"}
            The verdict.
        """
        if isnan(value):
            return "undefined"
        if Range(*self.acceptable).contains(value):
            return "within bounds"
        if self.moderate is not None and Range(*self.moderate).contains(value):
            return "moderate"
        return "outside bounds"

    def judge_interval(self, low: float, high: float) -> Verdict:
        """Return the verdict that holds for every value of an interval, or "uncertain".

        Parameters
        ----------
        low, high : float
            Ends of the interval; NaN is undefined.

        Returns
        -------
        {"within bounds", "moderate", "outside bounds", "uncertain", "undefined"}
            The verdict; "uncertain" where a bound lies inside the interval.
        """
        if isnan(low) or isnan(high):
            return "undefined"
        verdict = self.judge(low)
        edges = [
            end
            for ends in (self.acceptable, self.moderate)
            for end in ends or ()
            if low < end < high
            and not any(isclose(end, limit, rel_tol=1e-12) for limit in (low, high))
        ]
        return "uncertain" if edges or self.judge(high) != verdict else verdict


def tone_of(verdict: str | None) -> Tone:
    """Return how a verdict is colored: "unknown" for words that praise and blame nobody."""
    return _TONES.get(verdict or "", "unknown")


_READINGS: dict[Kind, str] = {
    "neither": (
        "both are within bounds: these two measures point to no disparity, in the test or outside "
        "it"
    ),
    "systemic": (
        "OFI is within bounds and DI is not: the groups receive the favorable label unequally, "
        "about as unequally as their true labels differ, so by these two measures the disparity "
        "arises outside the test (systemic)"
    ),
    "algorithmic": (
        "OFI is outside its bounds and DI within: the test itself treats the groups differently, "
        "measured by the true labels (algorithmic)"
    ),
    "both": (
        "both are outside their bounds: the groups receive the favorable label unequally, and the "
        "test itself treats them differently, measured by the true labels (algorithmic, and "
        "perhaps systemic)"
    ),
    "uncertain": "they cannot be read together, since an interval spans a bound",
    "undefined": "they cannot be read together",
}


def read_together(ofi: str | None, di: str | None) -> tuple[Kind, str]:
    """Return what the verdicts on OFI and DI say together (Briscoe2025, section 2.3).

    Examples
    --------
    >>> read_together("within bounds", "outside bounds")[0]
    'systemic'
    >>> read_together("uncertain", "outside bounds")
    ('uncertain', 'they cannot be read together, since an interval spans a bound')
    """
    kinds: dict[tuple[bool, bool], Kind] = {
        (True, True): "neither",
        (True, False): "systemic",
        (False, True): "algorithmic",
        (False, False): "both",
    }
    kind: Kind
    if not {ofi, di} <= {"within bounds", "moderate", "outside bounds", "uncertain"}:
        kind = "undefined"
    elif "uncertain" in (ofi, di):
        kind = "uncertain"
    else:
        kind = kinds[ofi == "within bounds", di == "within bounds"]
    return kind, _READINGS[kind]
