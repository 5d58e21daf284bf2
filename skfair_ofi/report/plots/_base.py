"""What all displays share: where values stand on a scale, and how displays are made."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from skfair_ofi._plotting import make_axes
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Bands
from skfair_ofi.report._summarize import summarize
from skfair_ofi.report._summary import Measured, Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


Ends = tuple[float, float]


def _side_distance(limits: Ends, value: float, ideal: float) -> float:
    """Distance from the ideal to the limit on the value's side."""
    return abs((limits[1] if value >= ideal else limits[0]) - ideal)


def zone_position(value: float, ideal: float, acceptable: Ends, moderate: Ends | None) -> float:
    """Return where a value stands in three zones of equal width.

    Examples
    --------
    >>> zone_position(0.05, 0, (-0.05, 0.05), (-0.15, 0.15))
    1.0
    >>> zone_position(0.10, 0, (-0.05, 0.05), (-0.15, 0.15))
    1.5
    >>> zone_position(float("inf"), 0, (-0.05, 0.05), (-0.15, 0.15))
    3.0
    """
    distance, first = abs(value - ideal), _side_distance(acceptable, value, ideal)
    if distance <= first:
        return distance / first if first else 0.0
    second = first if moderate is None else _side_distance(moderate, value, ideal)
    if distance <= second:
        return 1.0 + (distance - first) / (second - first)
    start = 1.0 if moderate is None else 2.0
    return start + (3.0 - start) * (1.0 - second / distance)


def reach(low: float, high: float, ideal: float) -> tuple[float, float]:
    """Return between which distances from the ideal an interval reaches.

    Examples
    --------
    >>> reach(-1.0, 3.0, 0.0), reach(-3.0, -1.0, 0.0)
    ((0.0, 3.0), (-1.0, -3.0))
    """
    near, far = sorted((low, high), key=lambda end: abs(end - ideal))
    return (ideal if low <= ideal <= high else near), far


def limit_units(value: float, ideal: float, limits: Ends, *, ratio: bool) -> float:
    """Return the distance from the ideal in units of the acceptable distance.

    Examples
    --------
    >>> limit_units(-0.3, 0.0, (-0.1, 0.1), ratio=False)
    -3.0
    >>> round(limit_units(1.5625, 1.0, (0.8, 1.25), ratio=True), 6)
    2.0
    """
    if value == ideal or math.isnan(value):
        return value - ideal
    if ratio:
        value, ideal = _log(value), _log(ideal)
        limits = (_log(limits[0]), _log(limits[1]))
    unit = _side_distance(limits, value, ideal)
    if unit == 0 or math.isinf(value):
        return math.copysign(math.inf, value - ideal)
    return round((value - ideal) / unit, 12)


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf


def ends_of(name: str, measured: Measured) -> dict[str, float]:
    """Return the ends of an interval as columns of a frame."""
    ends = measured.interval
    low, high = (ends.low, ends.high) if ends else (math.nan, math.nan)
    return {f"{name}low": low, f"{name}high": high}


def levels_of(values: Iterable[Measured]) -> str:
    """Return the level of the intervals that values have."""
    levels = sorted({value.interval.level for value in values if value.interval})
    return " and ".join(f"{100 * level:.10g}%" for level in levels)


class Display(ABC):
    """What all displays share: they are made of finished numbers, and draw them.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes drawn on, after ``plot``.
    figure_ : matplotlib Figure
        Their figure, after ``plot``.
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    @classmethod
    @abstractmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Return the display of a summary.

        Parameters
        ----------
        summary : Summary
            The summary.

        Returns
        -------
        Display
            The display, not drawn yet.
        """

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the numbers drawn, as a data frame.

        Returns
        -------
        DataFrame
            One row a mark.
        """

    @property
    @abstractmethod
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit the display."""

    @classmethod
    def from_counts(
        cls,
        counts: OutcomeCounts,
        *,
        privileged: Any = None,
        bands: Mapping[str, Bands] | None = None,
        level: float | None = 0.95,
    ) -> Self:
        """Return the display of a table of counts.

        Parameters
        ----------
        counts : OutcomeCounts
            The table, with predicted and corrected labels.
        privileged : group or collection of groups, default=None
            The group, or groups, that everyone else is compared with.
        bands : mapping of str to Bands, default=None
            Bands by name or symbol of a measure, in place of those of ``METRICS``.
        level : float or None, default=0.95
            Confidence level of the intervals; None leaves them out.

        Returns
        -------
        Display
            The display, not drawn yet.
        """
        return cls.from_summary(
            summarize(
                counts,
                privileged=privileged,
                bands=bands,
                level=level,
            )
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        y_corrected: Any,
        *,
        sensitive_features: Any,
        privileged: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        bands: Mapping[str, Bands] | None = None,
        level: float | None = 0.95,
    ) -> Self:
        """Return the display of predicted and corrected labels.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or None
            True labels, where they are known.
        y_pred, y_corrected : array-like of shape (n_samples,)
            Labels before and after the correction.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_features)
            The group of each person; several columns are crossed.
        privileged : group or collection of groups, default=None
            The group, or groups, that everyone else is compared with.
        pos_label : object, default=None
            The favorable label; not needed for 0/1, False/True and -1/1.
        sample_weight : array-like of shape (n_samples,), default=None
            How many people each row stands for.
        bands : mapping of str to Bands, default=None
            Bands by name or symbol of a measure, in place of those of ``METRICS``.
        level : float or None, default=0.95
            Confidence level of the intervals; None leaves them out.

        Returns
        -------
        Display
            The display, not drawn yet.
        """
        counts = OutcomeCounts.from_arrays(
            y_true,
            y_pred,
            y_corrected,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            pos_label=pos_label,
        )
        return cls.from_counts(
            counts,
            privileged=privileged,
            bands=bands,
            level=level,
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        privileged: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        bands: Mapping[str, Bands] | None = None,
        level: float | None = 0.95,
    ) -> Self:
        """Return the display of what a fitted corrected classifier does to data.

        Parameters
        ----------
        estimator : estimator with ``predict_outcomes``
            A fitted ``CorrectedClassifier``, or anything with its
            ``predict_outcomes(X, *, sensitive_features=None)``.
        X : array-like or frame of shape (n_samples, n_features)
            The people.
        y : array-like of shape (n_samples,), default=None
            True labels, where they are known.
        sensitive_features : array-like of shape (n_samples,), default=None
            The group of each person, where the estimator does not find it in X.
        privileged : group or collection of groups, default=None
            The group, or groups, that everyone else is compared with; None
            takes the estimator's own ``privileged``.
        pos_label : object, default=None
            The favorable label; None takes the estimator's own ``pos_label``.
        sample_weight : array-like of shape (n_samples,), default=None
            How many people each row stands for.
        bands : mapping of str to Bands, default=None
            Bands by name or symbol of a measure, in place of those of ``METRICS``.
        level : float or None, default=0.95
            Confidence level of the intervals; None leaves them out.

        Returns
        -------
        Display
            The display, not drawn yet.
        """
        given = {} if sensitive_features is None else {"sensitive_features": sensitive_features}
        outcomes = estimator.predict_outcomes(X, **given)
        return cls.from_predictions(
            y,
            outcomes.y_pred,
            outcomes.y_corrected,
            sensitive_features=outcomes.groups,
            privileged=getattr(estimator, "privileged", None) if privileged is None else privileged,
            pos_label=getattr(estimator, "pos_label", None) if pos_label is None else pos_label,
            sample_weight=sample_weight,
            bands=bands,
            level=level,
        )


class AxesDisplay(Display):
    """A display that is drawn on one pair of axes."""

    @abstractmethod
    def draw(self, ax: "Axes") -> None:
        """Draw on axes.

        Parameters
        ----------
        ax : matplotlib Axes
            The axes.
        """

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        Display
            The display itself, with ``ax_`` and ``figure_``.
        """
        chosen = make_axes(*self.size)[0] if ax is None else ax
        self.draw(chosen)
        self.ax_, self.figure_ = chosen, chosen.figure
        return self
