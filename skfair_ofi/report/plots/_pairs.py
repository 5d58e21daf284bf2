"""OFI beside DI between all pairs of groups."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd

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
from skfair_ofi._validation import check_choice
from skfair_ofi.report._summary import PairTable, Summary

from ._base import Display, limit_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# colors are full at this many acceptable distances from the ideal
_EDGE = 3.0
# beyond this many groups the numbers in the cells are smaller
_MOST_ROOMY = 6
_NAME_WIDTH = 16
# the least contrast of text that WCAG asks for; on any color, black or white has it
_CONTRAST = 4.5


class PairwiseDisplay(Display):
    """OFI beside DI between all pairs of groups, row against column.

    Colors are centered on the ideal: blue where the row's group fares better
    than the column's, vermillion where it fares worse. Bold figures are outside
    their bounds, hatched cells undefined. Make it by ``from_estimator``,
    ``from_predictions`` or ``from_counts``.

    Parameters
    ----------
    groups : sequence of str
        Names of the groups, all different.
    tables : sequence of PairTable
        The measures, before and after the correction.

    Attributes
    ----------
    ax_, axes_ : matplotlib Axes, and list of them
        The first axes drawn on, and all of them, after ``plot``.
    figure_ : matplotlib Figure
        Their figure, after ``plot``.

    Examples
    --------
    >>> display = PairwiseDisplay.from_predictions(
    ...     None, [1, 1, 1, 0], [1, 0, 1, 0], sensitive_features=["a", "a", "b", "b"]
    ... )
    >>> display.frame().query("when == 'before' and row == 'b' and column == 'a'")["value"].item()
    0.5
    """

    def __init__(self, groups: Sequence[str], tables: Sequence[PairTable]) -> None:
        self.groups = groups
        self.tables = tables

    @classmethod
    def from_summary(cls, summary: Summary) -> Self:
        """Return the display of a summary; see ``Display.from_summary``."""
        return cls([row.name for row in summary.groups], summary.pairs)

    def frame(self) -> pd.DataFrame:
        """Return one row a cell: measure, when, row, column and value."""
        records = [
            (table.name, table.when, row, column, value)
            for table in self.tables
            for row, values in zip(self.groups, table.values, strict=True)
            for column, value in zip(self.groups, values, strict=True)
        ]
        return pd.DataFrame.from_records(
            records, columns=["measure", "when", "row", "column", "value"]
        )

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches that suit one measure."""
        longest = max(map(len, shorten_names(self.groups, _NAME_WIDTH)))
        side = max(0.46 * len(self.groups), 1.2)
        return max(side + 0.08 * longest + 0.3, 3.8), side + 0.06 * longest + 1.25

    def plot(
        self,
        ax: "Axes | Sequence[Axes] | None" = None,
        *,
        when: Literal["before", "after"] = "after",
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of them, default=None
            Where to draw, one for each measure; None makes a new figure.
        when : {"before", "after"}, default="after"
            Of which labels.

        Returns
        -------
        PairwiseDisplay
            The display itself, with ``ax_``, ``axes_`` and ``figure_``.

        Raises
        ------
        ValueError
            If there are fewer axes than measures, or more than twelve groups.
        """
        tables = [
            table
            for table in self.tables
            if table.when == check_choice("when", when, ("before", "after"))
        ]
        if not tables:
            raise ValueError(
                f"groups must be at most 12 for a table of pairs, got {len(self.groups)}."
            )
        width, height = self.size
        axes = (
            make_axes(width * len(tables), height, len(tables))
            if ax is None
            else list(np.ravel(np.array(ax)))
        )
        if len(axes) < len(tables):
            raise ValueError(
                f"ax must hold {len(tables)} axes, one for each measure, got {len(axes)}."
            )
        for chosen, table in zip(axes, tables, strict=False):
            self.draw_table(chosen, table)
        self.axes_, self.ax_, self.figure_ = axes, axes[0], axes[0].figure
        return self

    def draw_table(self, ax: "Axes", table: PairTable) -> None:
        """Draw one measure on axes.

        Parameters
        ----------
        ax : matplotlib Axes
            The axes.
        table : PairTable
            The measure between all pairs.
        """
        clear_frame(ax, f"{table.symbol} {table.when} the correction", headed=False)
        names = shorten_names(self.groups, _NAME_WIDTH)
        name_rows(ax, names)
        turned: dict[str, Any] = {"rotation": 40, "ha": "right"} if max(map(len, names)) > 4 else {}
        ax.set_xticks(
            range(len(names)), names, fontsize=SIZE, color=INK, **get_text_style(), **turned
        )
        ax.set_xlim(-0.5, len(names) - 0.5)
        ax.set_xlabel(_key(table), fontsize=SMALL - 0.5, color=GRAY)
        size = SMALL if len(names) <= _MOST_ROOMY else SMALL - 1
        for row, values in enumerate(table.values):
            for column, value in enumerate(values):
                _draw_cell(ax, (row, column), value, table, size)


def _color(units: float) -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    colors = LinearSegmentedColormap.from_list("gap", [VERMILLION, "#f7f7f7", BLUE])
    return colors((max(-_EDGE, min(_EDGE, units)) / _EDGE + 1) / 2)


def _key(table: PairTable) -> str:
    """What colors and marks mean, of those that are there."""
    undefined = any(
        math.isnan(value)
        for row, values in enumerate(table.values)
        for column, value in enumerate(values)
        if row != column
    )
    hatched = ", hatched: undefined" if undefined else ""
    colors = "blue: the row fares better, orange: worse"
    return f"row against column\n{colors}\nbold: outside bounds{hatched}"


def _luminance(color: Any) -> float:
    """Relative luminance of WCAG."""
    from matplotlib.colors import to_rgb

    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in to_rgb(color)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Any, second: Any) -> float:
    """Return the contrast of two colors, from 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _text_color(background: Any) -> str:
    """The first color of text that stands out well enough."""
    return next(text for text in (INK, "white", "black") if contrast(text, background) >= _CONTRAST)


def _draw_cell(
    ax: "Axes", cell: tuple[int, int], value: float, table: PairTable, size: float
) -> None:
    from matplotlib.patches import Rectangle

    row, column = cell
    limits, ideal = table.limits or (-math.inf, math.inf), table.ideal or 0.0
    style: dict[str, Any] = {"facecolor": "#e3e6ea", "edgecolor": "white"}
    if row != column and math.isnan(value):
        style = {"facecolor": "white", "edgecolor": RULE, "hatch": "////", "linewidth": 0.5}
    elif row != column:
        style["facecolor"] = _color(limit_units(value, ideal, limits, ratio=ideal == 1.0))
    ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **style))
    if row == column:
        return
    weight = "normal" if math.isnan(value) or limits[0] <= value <= limits[1] else "bold"
    text = {"color": _text_color(style["facecolor"]), "fontsize": size, "fontweight": weight}
    write(ax, column, row, _shown(value), ha="center", **text)


def _shown(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "∞" if math.isinf(value) else f"{round(value, 2) + 0.0:.2f}"
