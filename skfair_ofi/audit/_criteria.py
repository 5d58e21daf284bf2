"""A criterion: a measure and its bounds, which decide and describe alike.

>>> criterion = Criterion("disparate_impact", at_least=0.8)
>>> criterion.judge(0.8), criterion.bounds
('within bounds', 'at least 0.8')
>>> criterion.explain(0.75)
'0.750 is below 0.8'
"""

from dataclasses import dataclass
from math import inf, isfinite, isnan
from reprlib import repr as brief
from typing import Any, Literal, Self

from skfair_ofi._text import show_number
from skfair_ofi._validation import finite_number
from skfair_ofi.metrics import Metric, Range, get_metric

# What the one judge of ranges says, and that there is no range.
CriterionVerdict = Literal["within bounds", "outside bounds", "undefined", "no bound"]


def _check_bound(name: str, value: Any) -> float | None:
    if value is None:
        return None
    number = finite_number(value)
    if number is None:
        raise ValueError(f"{name} must be a number, got {brief(value)}.")
    return number


@dataclass(frozen=True)
class Criterion:
    """A measure between groups and the range its value must lie in.

    Bounds are included: a value equal to its bound meets it.

    Parameters
    ----------
    measure : str
        Name or symbol of a comparison, as "DI", or of one of one's own.
    at_least, at_most : float, default=None
        The bounds. With neither, the value is reported and not judged.
    condition : str, default=None
        Name of the legitimate condition of the people it is about; None is
        everyone, or for the conditional measures each condition in turn.
    npv_gap_larger : bool, default=False
        Whether the gap of negative predictive values must also be the larger
        one, as Yuan2024 adds for conditional use accuracy equality.

    Raises
    ------
    ValueError
        If it is no such measure, or the bounds are no range.

    Examples
    --------
    >>> Criterion("objective_fairness_index", at_least=-0.3, at_most=0.3).judge(-0.3)
    'within bounds'
    >>> Criterion("positive_balance_difference").judge(1.6)
    'no bound'
    """

    measure: str
    at_least: float | None = None
    at_most: float | None = None
    condition: str | None = None
    npv_gap_larger: bool = False

    def __post_init__(self) -> None:
        """Refuse bounds that are no range."""
        object.__setattr__(self, "measure", get_metric(self.measure, "comparison").name)
        self._check_fit()
        low, high = _check_bound("at_least", self.at_least), _check_bound("at_most", self.at_most)
        if low is not None and high is not None and low > high:
            raise ValueError(f"at_least must not be above at_most, got {low!r} and {high!r}.")
        object.__setattr__(self, "at_least", low)
        object.__setattr__(self, "at_most", high)

    def _check_fit(self) -> None:
        """Refuse what only goes with another measure."""
        if not isinstance(self.npv_gap_larger, bool):
            raise TypeError(f"npv_gap_larger must be true or false, got {self.npv_gap_larger!r}.")
        if self.condition is not None and self.metric.needs == "score_range":
            raise ValueError(
                f"condition must be left out for {self.measure}, whose people are those of "
                f"calibration, got {self.condition!r}."
            )
        if self.npv_gap_larger and self.measure != "conditional_use_accuracy_difference":
            raise ValueError(
                "npv_gap_larger must be for conditional_use_accuracy_difference only, "
                f"got {self.measure!r}."
            )

    @classmethod
    def within(cls, measure: str, distance: float, condition: str | None = None) -> Self:
        """Return the criterion that a value is near the measure's ideal.

        Parameters
        ----------
        measure : str
            Name or symbol of a comparison.
        distance : float
            The largest difference from an ideal of 0; for a ratio, the largest
            share by which either rate may fall short of the other.
        condition : str, default=None
            As in the constructor.

        Returns
        -------
        Criterion
            The criterion.

        Raises
        ------
        ValueError
            If the distance is negative, or for a ratio 1 or more.

        Examples
        --------
        >>> Criterion.within("disparate_impact", 0.2).bounds
        'between 0.8 and 1.25'
        """
        metric = get_metric(measure, "comparison")
        limit = 1 if metric.ideal == 1 else inf
        size = _check_bound("within", distance)
        if size is None or not 0 <= size < limit:
            raise ValueError(f"within must be at least 0 and below {limit}, got {distance!r}.")
        return cls(metric.name, *Range.within(size, metric.ideal or 0.0), condition)

    @classmethod
    def default(cls, measure: str, condition: str | None = None) -> Self:
        """Return the criterion with the measure's own bounds, or none where it has none.

        Parameters
        ----------
        measure : str
            Name or symbol of a comparison.
        condition : str, default=None
            As in the constructor.

        Returns
        -------
        Criterion
            The criterion.

        Examples
        --------
        >>> Criterion.default("statistical_parity_difference").bounds
        'between -0.1 and 0.1'
        """
        bands = get_metric(measure, "comparison").bands
        low, high = (None, None) if bands is None else bands.acceptable
        return cls(measure, low, high, condition)

    @property
    def metric(self) -> Metric:
        """What is known of the measure."""
        return get_metric(self.measure, "comparison")

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        if self.at_least is None and self.at_most is None:
            return "no bound"
        if self.at_most is None:
            words = f"at least {self.at_least:.6g}"
        elif self.at_least is None:
            words = f"at most {self.at_most:.6g}"
        else:
            words = f"between {self.at_least:.6g} and {self.at_most:.6g}"
        return f"{words}, NPV gap larger" if self.npv_gap_larger else words

    def judge(self, value: float, *, ordered: bool = True) -> CriterionVerdict:
        """Return the verdict on a value.

        Parameters
        ----------
        value : float
            The measure's value; NaN is undefined.
        ordered : bool, default=True
            Whether the gap of negative predictive values is the larger one.

        Returns
        -------
        {"within bounds", "outside bounds", "undefined", "no bound"}
            The verdict.
        """
        if isnan(value):
            return "undefined"
        if self.at_least is None and self.at_most is None and not self.npv_gap_larger:
            return "no bound"
        return "outside bounds" if self._fault(value, ordered) else "within bounds"

    def _fault(self, value: float, ordered: bool) -> str | None:
        """What is wrong with a value, or None: the one place that decides."""
        if self.at_least is not None and not Range(self.at_least, inf).contains(value):
            return f"below {self.at_least:.6g}"
        if self.at_most is not None and not Range(-inf, self.at_most).contains(value):
            return f"above {self.at_most:.6g}"
        if self.npv_gap_larger and not ordered:
            return "in range, but the NPV gap is not the larger one"
        return None

    def explain(self, value: float, *, ordered: bool = True, reason: str | None = None) -> str:
        """Return the verdict's sentence, decided by the same comparison.

        Parameters
        ----------
        value : float
            The measure's value.
        ordered : bool, default=True
            As in ``judge``.
        reason : str, default=None
            Why the value is undefined.

        Returns
        -------
        str
            For example "0.750 is below 0.8".
        """
        verdict = self.judge(value, ordered=ordered)
        if verdict == "undefined":
            return f"undefined: {reason}" if reason else "undefined"
        number = self.show(value)
        if verdict == "no bound":
            return f"{number}; no bound is set"
        return f"{number} is {self._fault(value, ordered) or self.bounds}"

    def show(self, value: float) -> str:
        """Return a value with as many digits as tell it from the bounds.

        Parameters
        ----------
        value : float
            The measure's value.

        Returns
        -------
        str
            The digits, the same wherever a report shows the value.
        """
        limits = [limit for limit in (self.at_least, self.at_most) if limit is not None]
        number = show_number(value, limits)
        # Outside, and yet the digits would read as the bound itself.
        if isfinite(value) and self._fault(value, ordered=True) and float(number) in limits:
            return repr(value)
        return number
