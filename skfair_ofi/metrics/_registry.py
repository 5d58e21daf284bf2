"""The registry: what is known of each measure, in one place, and how shares are compared.

Scorers, report rows, audit criteria, the command line's lists and the law tests
read ``METRICS`` and nothing else.

Whole counts are compared as exact fractions and rounded once at the end, so a
ratio of exactly four fifths is 0.8 and not 0.7999. Weighted counts that are
not whole are compared as floats.

>>> METRICS["objective_fairness_index"].symbol
'OFI'
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isinf, isnan, nan
from typing import Any, Literal

import numpy as np

from skfair_ofi._validation import resolve_privileged, suggest
from skfair_ofi.counts import OutcomeCounts

from ._judge import Bands

Kind = Literal["rate", "comparison"]
Family = Literal["label", "flip", "score"]
Form = Literal["rate", "difference", "larger gap", "ratio", "index", "overall", "relative"]
Number = Fraction | float
# Numerators and denominators, one of each a group.
Share = tuple[np.ndarray, np.ndarray]


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or float(value).is_integer()


def divide(numerator: Any, denominator: Any) -> Number:
    """Return a quotient, exact for whole numbers; x/0 is infinite and 0/0 is NaN.

    Examples
    --------
    >>> divide(4, 50) / divide(5, 50)
    Fraction(4, 5)
    >>> divide(0, 0), divide(1, 0)
    (nan, inf)
    """
    if type(numerator) is int and type(denominator) is int and denominator:
        return Fraction(numerator, denominator)  # as most often, and quickly asked
    if isnan(numerator) or isnan(denominator):
        return nan
    if denominator == 0:
        return nan if numerator == 0 else (inf if numerator > 0 else -inf)
    if isinstance(numerator, Fraction) or isinstance(denominator, Fraction):
        return numerator / denominator  # type: ignore[no-any-return]
    if _is_whole(numerator) and _is_whole(denominator):
        return Fraction(int(numerator), int(denominator))
    # Of Python's own floats, next to nothing in a denominator gives infinity without a warning
    return float(numerator) / float(denominator)


def quotients(share: Share, empty: float = nan) -> np.ndarray:
    """Return one quotient a group as floats; x/0 is infinite and 0/0 is ``empty``."""
    numerator, denominator = share[0].astype(np.float64), share[1].astype(np.float64)
    # As most often, nothing is undefined or overflows; a position is found sooner than a minimum.
    if denominator.size and denominator[denominator.argmin()] > 1e-200:
        return numerator / denominator
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        result: np.ndarray = numerator / denominator
    return np.where((numerator == 0) & (denominator == 0), empty, result)


class Contrast:
    """The groups of a table as a comparison sees them.

    Parameters
    ----------
    counts : OutcomeCounts
        The table.
    privileged : group or collection of groups, default=None
        Those that everyone else is compared with; None compares the extremes of all groups.

    Examples
    --------
    >>> table = OutcomeCounts.from_arrays(
    ...     None, [1, 1, 1, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> Contrast(table, "a").difference(METRICS["selection_rate"])
    Fraction(-1, 2)
    """

    def __init__(self, counts: OutcomeCounts, privileged: Any = None) -> None:
        self.signed = privileged is not None
        self.counts = counts
        self._given = counts.groups
        self._names: dict[Hashable, str] = {}
        if self.signed:
            chosen = resolve_privileged(privileged, counts.groups)
            self.counts = counts.merge_groups({key: key in chosen for key in counts.groups})
            named = f"group {chosen[0]!r}" if len(chosen) == 1 else f"groups {list(chosen)!r}"
            others = [key for key in counts.groups if key not in chosen]
            rest = f"group {others[0]!r}" if len(others) == 1 else "the other groups"
            self._names = {True: named, False: rest}

    def name(self, group: Hashable) -> str:
        """Return what a message calls a group of this contrast."""
        return self._names.get(group, f"group {group!r}")

    @property
    def alone(self) -> bool:
        """Whether there is only one side, and nothing to compare."""
        return len(self.counts.groups) < 2

    def extremes(self, rate: "Metric", shares: Share | None = None) -> tuple[int, int] | None:
        """Return the positions of the two compared groups, or None where undefined.

        With privileged: everyone else, then the privileged. Without: the group
        of the highest value, then that of the lowest.
        """
        if self.alone:
            return None
        values = rate.values(self.counts, shares)
        highest = int(values.argmax())  # the first NaN, where there is any
        if isnan(values[highest]):
            return None
        return (0, 1) if self.signed else (highest, int(values.argmin()))

    def sides(self, rate: "Metric") -> tuple[Number, Number]:
        """Return the two compared values of a rate; NaN where undefined."""
        shares = rate.shares(self.counts)
        places = self.extremes(rate, shares)
        if places is None:
            return nan, nan
        first, second = places
        return rate.exact(self.counts, first, shares), rate.exact(self.counts, second, shares)

    def difference(self, rate: "Metric") -> Number:
        """Return everyone else minus privileged, or the largest gap."""
        first, second = self.sides(rate)
        return first - second

    def gap(self, rate: "Metric") -> Number:
        """Return the absolute difference."""
        difference = self.difference(rate)
        return -difference if difference < 0 else difference

    def ratio(self, rate: "Metric") -> Number:
        """Return everyone else over privileged, or the smallest ratio."""
        first, second = self.sides(rate)
        return divide(first, second) if self.signed else divide(second, first)

    def overall(self, rate: "Metric") -> Number:
        """Return the rate among all people together."""
        return rate.exact(self.counts.pooled(), 0)

    def reason(self, rates: "Sequence[Metric]") -> str | None:
        """Return why a difference of rates is undefined, in words, or None where none is."""
        if self.alone:
            return (
                f"only one group, {self._given[0]!r}" if len(self._given) == 1 else "no other group"
            )
        empty = [
            f"no {rate.denominator if size else 'people'} in {self.name(group)}"
            for rate in rates
            for group, size, value in zip(
                self.counts.groups, self.counts.group_sizes, rate.values(self.counts), strict=True
            )
            if isnan(value)
        ]
        return "; ".join(dict.fromkeys(empty)) or None

    def zero_reason(self, rate: "Metric") -> str:
        """Return why a comparison of rates that are defined is not."""
        first, _ = self.sides(rate)
        return f"{rate.name} is {'infinite' if isinf(first) else 0} in all groups compared"


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
    parts : tuple of Metric
        The shares that a rate is the mean of; none where it is a share itself.
    denominator : str
        What a rate is a share of, in words.
    empty : float
        A rate's value where it is 0/0.
    better : {"higher", "lower"} or None
        Which way a rate is better, None where neither is.
    form : str
        How a comparison puts its rates together: "difference", "larger gap" of several
        rates, "ratio", "index" (larger over smaller), "overall" (gap over the flip rate of
        all), "relative" (gap over the sum); "rate" for a rate.
    needs : {"where", "score_range"} or None
        The condition without which the measure has no meaning.
    sentence : str
        What a comparison says in a report, with {high}, {low}, {high_share} and the like.
    infinite_reason, infinite_sentence, equal_sentence : str
        Of a rate: why a comparison of it is infinite, and what a report says where it is,
        and where both groups have the same.
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
    parts: tuple["Metric", ...] = ()
    denominator: str = "people"
    empty: float = nan
    better: Literal["higher", "lower"] | None = None
    form: Form = "rate"
    needs: Literal["where", "score_range"] | None = None
    sentence: str = "The figures of {high} and {low} give {value}."
    infinite_reason: str = "the smaller figure is 0"
    infinite_sentence: str = "Infinite: the smaller figure is 0."
    equal_sentence: str = "The figures of {high} and {low} are the same."
    share: Callable[[OutcomeCounts], Share] | None = field(default=None, compare=False)
    body: Callable[..., Number] | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        """Return the registry's own spelling."""
        return f"METRICS[{self.name!r}]"

    def __reduce__(self) -> tuple[Callable[[str], "Metric"], tuple[str]]:
        """Pickle by name: a measure is the registry's own in every process."""
        return find_metric, (self.name,)

    @property
    def rate(self) -> "Metric | None":
        """The one rate that is compared, or None where there are several or none."""
        return self.rates[0] if len(self.rates) == 1 else None

    @property
    def is_directed(self) -> bool:
        """Whether it keeps its sign with a privileged group: not of flips, nor of larger gaps."""
        return self.form in ("difference", "ratio") and self.family != "flip"

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

    def fits(self, counts: OutcomeCounts) -> bool:
        """Return whether a table counts what the measure needs.

        Parameters
        ----------
        counts : OutcomeCounts
            The table.

        Returns
        -------
        bool
            Whether it does.
        """
        scores = () if counts.score_sums is None else ("y_score",)
        return {*counts.roles, *scores}.issuperset(self.roles)

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
            Options of the measure's own: ``convention`` of the two that have one.

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
        return self.explain_undefined(counts, privileged)

    def explain_undefined(self, counts: OutcomeCounts, privileged: Any = None) -> str:
        """Return the reason where the measure is known to be undefined.

        Parameters
        ----------
        counts : OutcomeCounts
            The table.
        privileged : group or collection of groups, default=None
            As in ``of``.

        Returns
        -------
        str
            The reason.
        """
        if self.kind == "rate":
            return f"no {self.denominator}"
        contrast, compared = Contrast(counts, privileged), self.compared(counts)
        return contrast.reason(compared) or contrast.zero_reason(compared[0])

    def combine(
        self, rates: Sequence[np.ndarray], *, signed: bool, overall: np.ndarray | None = None
    ) -> np.ndarray:
        """Return a comparison of many tables from the values of its rates.

        Parameters
        ----------
        rates : sequence of ndarray of shape (..., n_groups)
            Values of the rates that are compared.
        signed : bool
            Whether the groups are two, everyone else and the privileged, which are compared in
            place of the extremes of all where the measure keeps its sign.
        overall : ndarray of shape (...), default=None
            Flip rate of all groups together; used by the form "overall" only.

        Returns
        -------
        ndarray of shape (...)
            Values, NaN where undefined.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            if signed and self.is_directed:
                first, second = rates[0][..., 0], rates[0][..., 1]
                return np.asarray(first - second if self.form == "difference" else first / second)
            low, high = rates[0].min(axis=-1), rates[0].max(axis=-1)
            if self.form in ("difference", "larger gap"):
                gaps = [values.max(axis=-1) - values.min(axis=-1) for values in rates]
                return np.asarray(np.max(gaps, axis=0))
            if self.form == "ratio":
                return np.asarray(low / high)
            if self.form == "overall":
                special = np.where(high > 0, inf, np.where(np.isnan(low), nan, 1.0))
                return np.where(low == 0, special, (high - low) / np.asarray(overall))
            nothing = (low == 0) & (high == 0)
            if self.form == "index":
                return np.where(nothing, 1.0, high / low)
            return np.where(nothing, 0.0, (high - low) / (high + low))


METRICS: dict[str, Metric] = {}


def find_metric(name: str) -> Metric:
    """Return the measure of a name, as a pickle asks for it."""
    return METRICS[name]


def look_up(measure: Any) -> Metric | None:
    """Return a measure given as itself, a function, a name or a symbol, None where it is none."""
    if isinstance(measure, Metric):
        return measure
    if not isinstance(measure, str):
        metric = METRICS.get(getattr(measure, "__name__", ""))
        return metric if metric is not None and metric.function is measure else None
    by_symbol = (metric for metric in METRICS.values() if metric.symbol == measure)
    return METRICS.get(measure) or next(by_symbol, None)


def get_metric(measure: Any, kind: Kind | None = None, *, parameter: str = "measure") -> Metric:
    """Return the registry's entry of a measure given as itself, a function, a name or a symbol.

    Examples
    --------
    >>> get_metric("DI").name
    'disparate_impact'
    >>> get_metric("flip_rat", kind="rate")
    Traceback (most recent call last):
    ...
    ValueError: measure must name a rate, got 'flip_rat'. Did you mean 'flip_rate'...
    """
    metric = look_up(measure)
    if metric is not None and kind in (None, metric.kind):
        return metric
    name = measure if isinstance(measure, str) else getattr(measure, "__name__", repr(measure))
    names = [known.name for known in METRICS.values() if kind in (None, known.kind)]
    raise ValueError(
        f"{parameter} must name a {kind or 'measure'}, got {name!r}.{suggest(name, names)}"
    )


def register(metric: Metric) -> Metric:
    """Enter a measure into ``METRICS``; a name is entered once."""
    if metric.name in METRICS:
        raise ValueError(f"name must be new to METRICS, got {metric.name!r}.")
    METRICS[metric.name] = metric
    return metric
