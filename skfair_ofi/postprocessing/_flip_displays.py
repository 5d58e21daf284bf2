"""What fairness costs in flips, drawn: frontiers, and prices of constraints."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import pandas as pd
from numpy.typing import ArrayLike

from skfair_ofi._plotting import (
    BLUE,
    GRAY,
    INK,
    RULE,
    SIZE,
    SMALL,
    VERMILLION,
    clear_frame,
    get_text_style,
    make_axes,
    name_rows,
    shorten_names,
    write,
)
from skfair_ofi._text import show_number
from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.flips import GOALS, find_gap, measure_everyone

from ._flip_optimizer import FlipOptimizer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_LINES = (BLUE, VERMILLION, "#009E73", "#CC79A7", INK)


def find_optimizer(model: Any) -> FlipOptimizer:
    """Return the fitted optimizer, from inside a corrected classifier where it is in one."""
    found = getattr(model, "corrector_", model)
    if not isinstance(found, FlipOptimizer):
        raise TypeError(f"estimator must be a fitted FlipOptimizer, or hold one, got {model!r}.")
    return found


class FlipFrontierDisplay:
    """The best that can be had at every tolerance, as lines, and other corrections as points.

    Make it by ``from_estimator``.

    Parameters
    ----------
    lines : mapping of str to DataFrame
        What `FlipOptimizer.frontier` gives, by name.
    points : mapping of str to tuple of float, default=None
        Gap and objective of other corrections, by name.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes drawn on, after ``plot``.
    figure_ : matplotlib Figure
        Their figure, after ``plot``.

    Examples
    --------
    >>> line = pd.DataFrame({"tolerance": [0.0, 0.4], "flips": [0.13, 0.0]})
    >>> FlipFrontierDisplay({"no limits": line}, {"other": (0.1, 0.2)}).frame()
            name   kind  tolerance  flips
    0  no limits   line        0.0   0.13
    1  no limits   line        0.4   0.00
    2      other  point        0.1   0.20
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(
        self,
        lines: Mapping[str, pd.DataFrame],
        points: Mapping[str, tuple[float, float]] | None = None,
    ) -> None:
        self.lines = lines
        self.points = points

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        objective: str | None = None,
        levels: ArrayLike | None = None,
        others: Mapping[str, OutcomeCounts] | None = None,
    ) -> Self:
        """Return the display of fitted optimizers.

        Parameters
        ----------
        estimator : FlipOptimizer, CorrectedClassifier or mapping of str to them
            Fitted; several, such as with and without limits, by name.
        objective : str, default=None
            As in `FlipOptimizer.frontier`; None is that of the first.
        levels : array-like of float, default=None
            As in `FlipOptimizer.frontier`.
        others : mapping of str to OutcomeCounts, default=None
            Tables of other corrections of the same people, such as their expected counts.

        Returns
        -------
        FlipFrontierDisplay
            The display, not drawn yet.

        Raises
        ------
        TypeError
            If an estimator holds no `FlipOptimizer`.
        """
        given = estimator if isinstance(estimator, Mapping) else {"FlipOptimizer": estimator}
        fitted = {name: find_optimizer(model) for name, model in given.items()}
        first = next(iter(fitted.values()))
        goal = objective or (first.objective if first.objective in GOALS else "flips")
        check_choice("objective", goal, list(GOALS))
        lines = {name: one.frontier(goal, levels=levels) for name, one in fitted.items()}
        points = {
            name: (find_gap(first.compared_rates, counts), measure_everyone(GOALS[goal], counts))
            for name, counts in (others or {}).items()
        }
        return cls(lines, points)

    def frame(self) -> pd.DataFrame:
        """Return the corners of all lines, and the points.

        Returns
        -------
        DataFrame
            Columns ``name``, ``kind``, the tolerance and the objective.
        """
        parts = [
            line.assign(name=name, kind="line")[["name", "kind", *line.columns]]
            for name, line in self.lines.items()
        ]
        columns = parts[0].columns
        points = [(name, "point", *point) for name, point in (self.points or {}).items()]
        if points:
            parts.append(pd.DataFrame(points, columns=columns))
        return pd.concat(parts, ignore_index=True)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw the lines and points.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        FlipFrontierDisplay
            Itself.
        """
        self.ax_ = make_axes(5.0, 3.4)[0] if ax is None else ax
        self.figure_ = self.ax_.figure
        style: dict[str, Any] = {"fontsize": SIZE, "color": INK, **get_text_style()}
        reach = [gap for gap, _ in (self.points or {}).values()]
        for number, (name, line) in enumerate(self.lines.items()):
            level, goal = line.columns
            shown = line.dropna()
            reach += shown.loc[(shown[goal].diff().abs() > 1e-9), level].tolist()
            color = _LINES[number % len(_LINES)]
            self.ax_.plot(shown[level], shown[goal], color=color, label=name, marker=".")
        self.ax_.set_xlabel(f"largest gap allowed ({level})" if level == "tolerance" else level)
        self.ax_.set_ylabel(f"{goal.replace('_', ' ')} (share of people)")
        for name, (gap, value) in (self.points or {}).items():
            self.ax_.plot([gap], [value], marker="D", color=GRAY, linewidth=0)
            (short,) = shorten_names([name])
            self.ax_.annotate(
                short, (gap, value), xytext=(5, 3), textcoords="offset points", **style
            )
        clear_frame(self.ax_, f"What a smaller gap costs in {goal.replace('_', ' ')}", headed=False)
        self.ax_.grid(color=RULE, linewidth=0.6)
        if level == "tolerance" and reach:  # beyond, every line is flat
            self.ax_.set_xlim(right=1.15 * max(reach))
        if len(self.lines) > 1:
            self.ax_.legend(frameon=False, fontsize=SMALL)
        return self


class ConstraintPricesDisplay:
    """What each constraint costs, as bars. Make it by ``from_estimator``.

    Parameters
    ----------
    prices : DataFrame
        As in `FlipOptimizer.prices_`.
    objective : str, default="flips"
        What the prices are paid in.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes drawn on, after ``plot``.
    figure_ : matplotlib Figure
        Their figure, after ``plot``.

    Examples
    --------
    >>> prices = pd.DataFrame(
    ...     {"sense": ["at most"], "level": [0.05], "cost": [0.03], "marginal": [-0.6]},
    ...     index=pd.Index(["equalized_odds"], name="constraint"),
    ... )
    >>> ConstraintPricesDisplay(prices).frame()["cost"].tolist()
    [0.03]
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, prices: pd.DataFrame, *, objective: str = "flips") -> None:
        self.prices = prices
        self.objective = objective

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Return the display of a fitted optimizer.

        Parameters
        ----------
        estimator : FlipOptimizer or CorrectedClassifier
            Fitted.

        Returns
        -------
        ConstraintPricesDisplay
            The display, not drawn yet.

        Raises
        ------
        TypeError
            If the estimator holds no `FlipOptimizer`.
        """
        optimizer = find_optimizer(estimator)
        goal = optimizer.objective if optimizer.objective in GOALS else "flips"
        return cls(optimizer.prices_, objective=goal)

    def frame(self) -> pd.DataFrame:
        """Return the prices.

        Returns
        -------
        DataFrame
            One row a constraint.
        """
        return self.prices

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw one bar a constraint.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ConstraintPricesDisplay
            Itself.
        """
        rows = self.prices
        self.ax_ = make_axes(5.6, 1.2 + 0.5 * len(rows))[0] if ax is None else ax
        self.figure_ = self.ax_.figure
        goal = self.objective.replace("_", " ")
        clear_frame(self.ax_, f"What each constraint costs in {goal}", headed=False)
        self.ax_.barh(range(len(rows)), 100 * rows["cost"], height=0.56, color=BLUE)
        names = [
            f"{name}\n{sense} {_say_level(level)}"
            for name, sense, level in zip(
                rows.index.tolist(), rows["sense"].tolist(), rows["level"].tolist(), strict=True
            )
        ]
        name_rows(self.ax_, names)
        widest = max(100 * rows["cost"].max(), 1e-9) if len(rows) else 1.0
        self.ax_.set_xlim(0, 1.6 * widest)
        both = zip(rows["cost"].tolist(), rows["marginal"].tolist(), strict=True)
        for place, (cost, marginal) in enumerate(both):
            text = f"{100 * cost:.2g} points; {marginal:+.2g} a point"
            write(self.ax_, 100 * cost + 0.02 * widest, place, text, fontsize=SMALL)
        self.ax_.set_xlabel("percentage points of people", fontsize=SMALL, color=GRAY)
        return self


def _say_level(level: Any) -> str:
    return show_number(level) if isinstance(level, float | int) else "its level"
