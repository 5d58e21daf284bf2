"""The registry: what is known of each measure, in one place.

Scorers, report rows, audit criteria, the command line's lists and the law tests
read ``METRICS`` and nothing else.

>>> METRICS["objective_fairness_index"].symbol
'OFI'
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isclose, isnan, nan
from typing import Any, Literal, Self

import numpy as np

from skfair_ofi.counts import OutcomeCounts

from ._comparisons import Contrast, Number, Share, divide, quotients

Verdict = Literal["acceptable", "moderate", "disproportionate", "undefined"]
Kind = Literal["rate", "comparison"]
Family = Literal["label", "flip", "score"]


def within(value: float, band: tuple[float, float]) -> bool:
    """Return whether a value lies in a closed range.

    A measure of whole counts is the float nearest to its exact value, and needs no
    allowance. Sums of weights are off in their last digits: with everyone weighing 0.1,
    four of fifty against five of fifty must still be four fifths.
    """
    low, high = band
    return low <= value <= high or any(isclose(value, end, rel_tol=1e-12) for end in band)


@dataclass(frozen=True)
class Bands:
    """Ranges of a measure's value: acceptable, moderate, and everything else.

    Parameters
    ----------
    acceptable : tuple of float
        Lowest and highest acceptable value, both included.
    moderate : tuple of float, default=None
        The same for moderate values; None means that there is no such band.

    Examples
    --------
    >>> bands = Bands.within(0.05, 0.15)
    >>> bands.judge(0.05), bands.judge(-0.1), bands.judge(0.2)
    ('acceptable', 'moderate', 'disproportionate')
    """

    acceptable: tuple[float, float]
    moderate: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        """Refuse bounds that are out of order."""
        for name in ("acceptable", "moderate"):
            band = getattr(self, name)
            if band is not None and not band[0] <= band[1]:
                raise ValueError(f"{name} must be (lowest, highest), got {band!r}.")

    @classmethod
    def within(
        cls, acceptable: float, moderate: float | None = None, *, ideal: float = 0.0
    ) -> Self:
        """Return bands by distance from an ideal value.

        Parameters
        ----------
        acceptable : float
            Largest acceptable distance.
        moderate : float, default=None
            Largest moderate distance.
        ideal : float, default=0.0
            The ideal value.

        Returns
        -------
        Bands
            The bands.
        """

        def band(distance: float) -> tuple[float, float]:
            # Rounded, since 1 + 0.1 must be the number that 11/10 is compared with.
            return round(ideal - distance, 12), round(ideal + distance, 12)

        return cls(band(acceptable), None if moderate is None else band(moderate))

    def judge(self, value: float) -> Verdict:
        """Return the verdict on a value.

        Parameters
        ----------
        value : float
            The measure's value; NaN is undefined.

        Returns
        -------
        {"acceptable", "moderate", "disproportionate", "undefined"}
            The verdict.
        """
        if isnan(value):
            return "undefined"
        if within(value, self.acceptable):
            return "acceptable"
        if self.moderate is not None and within(value, self.moderate):
            return "moderate"
        return "disproportionate"


@dataclass(frozen=True, repr=False)
class Metric:
    """What is known of one measure.

    Attributes
    ----------
    name, symbol : str
        Its name and its short name.
    kind : {"rate", "comparison"}
        One number a group, or one number between groups.
    family : {"label", "flip", "score"}
        Whether it is of labels, of corrections, or of scores.
    roles : tuple of str
        What it needs of y_true, y_pred, y_corrected and y_score.
    ideal : float or None
        The value at which groups are alike; None for a rate.
    bounds : tuple of float
        Lowest and highest possible value.
    bands : Bands or None
        Default ranges of verdicts; None where a domain must set them.
    source : str
        Keys of the references.
    summary : str
        What the number is, in one line.
    function : callable
        The public function of arrays.
    rates : tuple of Metric
        The rates that a comparison compares.
    scored : Metric or None
        The rate that a comparison compares instead where the table has scores.
    whole : str
        What a rate is a share of, in words.
    empty : float
        A rate's value where it is 0/0.
    better : {"higher", "lower"} or None
        Which way a rate is better, None where neither is.
    """

    name: str
    symbol: str
    kind: Kind
    family: Family
    roles: tuple[str, ...]
    ideal: float | None
    bounds: tuple[float, float]
    bands: Bands | None
    source: str
    summary: str
    function: Callable[..., float] = field(compare=False)
    rates: tuple["Metric", ...] = ()
    scored: "Metric | None" = None
    whole: str = "people"
    empty: float = nan
    better: Literal["higher", "lower"] | None = None
    share: Callable[[OutcomeCounts], Share] | None = field(default=None, compare=False)
    body: Callable[..., Number] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Return the registry's own spelling."""
        return f"METRICS[{self.name!r}]"

    def __reduce__(self) -> tuple[Callable[[str], "Metric"], tuple[str]]:
        """Pickle by name: a measure is the registry's own in every process."""
        return named, (self.name,)

    @property
    def rate(self) -> "Metric | None":
        """The one rate that is compared, or None where there are several or none."""
        return self.rates[0] if len(self.rates) == 1 else None

    def compared(self, counts: OutcomeCounts) -> tuple["Metric", ...]:
        """Return the rates that a comparison compares on a table.

        Parameters
        ----------
        counts : OutcomeCounts
            The table; some comparisons take its scores where it has any.

        Returns
        -------
        tuple of Metric
            The rates.
        """
        scored = self.scored is not None and counts.score_sums is not None
        return (self.scored,) if scored and self.scored else self.rates

    def shares(self, counts: OutcomeCounts) -> Share:
        """Return a rate's numerators and denominators.

        Parameters
        ----------
        counts : OutcomeCounts
            The table.

        Returns
        -------
        tuple of ndarray
            Both of shape (n_groups,).

        Raises
        ------
        ValueError
            If the table does not count what the measure needs.
        TypeError
            If this is a comparison.
        """
        if self.share is None:
            raise TypeError(f"values are of rates, and {self.name} is a comparison.")
        held = counts.roles if counts.score_sums is None else (*counts.roles, "y_score")
        lacking = [role for role in self.roles if role not in held]
        if lacking:
            raise ValueError(f"{self.name} needs {', '.join(lacking)}, which this table lacks.")
        return self.share(counts)

    def values(self, counts: OutcomeCounts, shares: Share | None = None) -> np.ndarray:
        """Return a rate's value in each group.

        Parameters
        ----------
        counts : OutcomeCounts
            The table.
        shares : tuple of ndarray, default=None
            What ``shares`` gives, where it is at hand.

        Returns
        -------
        ndarray of shape (n_groups,)
            One value a group, NaN where undefined.

        Raises
        ------
        ValueError
            If the table does not count what the measure needs.
        TypeError
            If this is a comparison.
        """
        values = quotients(shares or self.shares(counts), self.empty)
        if counts.cells.dtype.kind == "f":
            # Sums of weights in two orders can leave a share a little above 1
            values = np.clip(values, *self.bounds)
        if isnan(self.empty):
            return values
        # A rate that has a value without flips has none without people.
        return np.where(counts.group_sizes == 0, nan, values)

    def exact(self, counts: OutcomeCounts, place: int, shares: Share | None = None) -> Number:
        """Return a rate's value in one group, as a fraction where counts are whole.

        Parameters
        ----------
        counts : OutcomeCounts
            The table.
        place : int
            The group's position.
        shares : tuple of ndarray, default=None
            What ``shares`` gives, where it is at hand.

        Returns
        -------
        Fraction or float
            The value.
        """
        numerators, denominators = shares or self.shares(counts)
        numerator, denominator = numerators.item(place), denominators.item(place)
        if numerator == 0 and denominator == 0:
            return self.empty if counts.group_sizes[place] else nan
        value, (low, high) = divide(numerator, denominator), self.bounds
        return min(max(value, low), high) if isinstance(value, float) else value

    def of(self, counts: OutcomeCounts, *, privileged: Any = None, **options: Any) -> float:
        """Return the measure of a table.

        Parameters
        ----------
        counts : OutcomeCounts
            The table.
        privileged : group or collection of groups, default=None
            As in the public function; without meaning for a rate, which is
            that of all people together.
        **options : object
            Further options of the public function, such as ``convention``.

        Returns
        -------
        float
            The value, NaN where undefined.

        Raises
        ------
        ValueError
            If the table does not count what the measure needs, or a
            privileged group is not in it.

        Examples
        --------
        >>> table = OutcomeCounts.from_arrays(
        ...     [1, 0, 1, 0], [1, 1, 0, 0], sensitive_features=["a", "a", "b", "b"]
        ... )
        >>> METRICS["objective_fairness_index"].of(table)
        1.0
        """
        if self.body is None:
            if options:
                raise TypeError(f"{self.name} is a rate and takes no options, got {options!r}.")
            return float(self.exact(counts.pooled(), 0))
        return float(self.body(Contrast(counts, privileged), **options))

    def reason(
        self, counts: OutcomeCounts, *, privileged: Any = None, **options: Any
    ) -> str | None:
        """Return why the measure is undefined, in words, or None where it is defined.

        Parameters
        ----------
        counts : OutcomeCounts
            The table.
        privileged : group or collection of groups, default=None
            As in ``of``.
        **options : object
            As in ``of``.

        Returns
        -------
        str or None
            For example "no positives in group 'b'".
        """
        if not isnan(self.of(counts, privileged=privileged, **options)):
            return None
        if self.kind == "rate":
            return f"no {self.whole}"
        contrast = Contrast(counts, privileged)
        compared = self.compared(counts)
        return contrast.reason(compared) or contrast.zero_reason(compared[0])


METRICS: dict[str, Metric] = {}


def name_of(measure: Any) -> str:
    """Return the name of a measure given as a function or by its name."""
    return measure if isinstance(measure, str) else str(getattr(measure, "__name__", repr(measure)))


def named(name: str) -> Metric:
    """Return the measure of a name."""
    return METRICS[name]


def register(metric: Metric) -> Metric:
    """Enter a measure into ``METRICS``; a name is entered once."""
    if metric.name in METRICS:
        raise ValueError(f"name must be new to METRICS, got {metric.name!r}.")
    METRICS[metric.name] = metric
    return metric
