"""Tables printed in the papers whose measures this package computes."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from sklearn.utils import Bunch

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts

PublishedName = Literal[
    "briscoe2025_table1_a",
    "briscoe2025_table1_b",
    "briscoe2025_table1_alpha",
    "briscoe2025_figure2",
    "suarez2025_table1",
]
PUBLISHED: tuple[PublishedName, ...] = get_args(PublishedName)

_BRISCOE = (
    'J. Briscoe and A. Gebremedhin. "Facets of Disparate Impact: Evaluating Legally '
    'Consistent Bias in Machine Learning". CIKM 2024. doi:10.1145/3627673.3679925'
)
_SUAREZ = (
    'J. Suárez Ferreira, M. Slavkovik and J. Casillas. "Transparency and Proportionality '
    'in Post-Processing Algorithmic Bias Correction". 2025. arXiv:2505.17525'
)


@dataclass(frozen=True)
class _Published:
    """One published table."""

    counts: OutcomeCounts
    privileged: Hashable
    source: str
    description: str
    reference: str


def _make_cells(tp: float, fn: float, fp: float, tn: float) -> list[list[list[float]]]:
    """Return one group's cells, y_true x y_pred x y_corrected, as the papers order them."""
    return [[[tn], [fp]], [[fn], [tp]]]


def _make_scenario(
    letter: str, i: tuple[int, int, int, int], j: tuple[int, int, int, int], figures: str
) -> _Published:
    """Return one scenario of Briscoe2025, table 1."""
    return _Published(
        counts=OutcomeCounts(("i", "j"), np.array([_make_cells(*i), _make_cells(*j)])),
        privileged="j",
        source="Briscoe2025",
        description=f"Scenario {letter} of table 1: two groups, i against j. {figures}",
        reference=_BRISCOE,
    )


def _make_scenario_a() -> _Published:
    return _make_scenario("A", (1, 0, 0, 5), (7, 0, 1, 10), "OFI -1/18 = -0.06, DI 0.375.")


def _make_scenario_b() -> _Published:
    figures = "OFI 2/9 = 0.22, DI 0/0: undefined (the paper reads it as 1 in context)."
    return _make_scenario("B", (0, 1, 0, 5), (0, 7, 0, 11), figures)


def _make_scenario_alpha() -> _Published:
    return _make_scenario(
        "alpha", (1, 1, 0, 5), (1, 7, 0, 11), "OFI 30/133 = 0.23, DI 19/7 = 2.71."
    )


def _make_figure2() -> _Published:
    percent = {
        "African-American": (55, 24, 8, 13),
        "Asian": (85, 4, 0, 12),
        "Caucasian": (75, 14, 8, 4),
        "Hispanic": (73, 17, 7, 3),
        "Native American": (71, 14, 0, 14),
        "Other": (74, 13, 7, 7),
    }
    n = np.array([1918, 26, 1459, 355, 7, 255])
    cells = np.array([_make_cells(*row) for row in percent.values()], dtype=float)
    cells *= (n / cells.sum(axis=(1, 2, 3)))[:, None, None, None]
    return _Published(
        counts=OutcomeCounts(
            tuple(percent),
            cells,
            labels=("recidivist", "not a recidivist"),
            feature_names=("race",),
        ),
        privileged=None,
        source="Briscoe2025",
        description=(
            "Figure 2: violent recidivism in COMPAS, labels turned so that 'not a recidivist' "
            "is favorable. Printed as whole per cent of each group, not always adding to 100, "
            "and the group's size; the cells are these shares, divided by their sum, times the "
            "size, so they are not whole numbers. OFI of African-American against Asian -0.12, "
            "African-American against Caucasian -0.101, Caucasian against Native American "
            "0.082. The paper's heat map of DI divides (TP+FP)/(TP+FN) of the groups, not the "
            "selection rates of its own eq. 1: for African-American against Asian it has 0.835 "
            "where eq. 1 gives 0.749."
        ),
        reference=_BRISCOE,
    )


def _make_flips() -> _Published:
    rows = [[247, 0, 40, 59], [129, 0, 96, 228], [283, 30, 0, 39], [88, 8, 0, 73]]
    return _Published(
        counts=OutcomeCounts((0, 1), np.array(rows).reshape(2, 2, 2, 2), feature_names=("pa",)),
        privileged=1,
        source="Suarez2025",
        description=(
            "Table 1: labels, predictions and corrected predictions of 1,320 people of COMPAS "
            "by protected attribute, 0 unprivileged, 1 privileged. 174 flips, 136 of them from "
            "1 to 0, all in group 0. The paper takes label 1 as favorable, although in these "
            "data it means 're-offended': taken at its word, those 136 flips helped."
        ),
        reference=_SUAREZ,
    )


_BUILDERS: dict[PublishedName, Callable[[], _Published]] = {
    "briscoe2025_table1_a": _make_scenario_a,
    "briscoe2025_table1_b": _make_scenario_b,
    "briscoe2025_table1_alpha": _make_scenario_alpha,
    "briscoe2025_figure2": _make_figure2,
    "suarez2025_table1": _make_flips,
}


def load_published(name: PublishedName) -> Any:
    """Load a table of outcomes printed in a paper.

    Parameters
    ----------
    name : {"briscoe2025_table1_a", "briscoe2025_table1_b", \
            "briscoe2025_table1_alpha", "briscoe2025_figure2", "suarez2025_table1"}
        The paper and the table or figure in it. ``PUBLISHED`` holds all names.

    Returns
    -------
    published : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        counts : OutcomeCounts
            The table. Cells of ``"briscoe2025_figure2"`` are not whole numbers.
        privileged : hashable or None
            The group the others are compared with; None where the paper compares
            every pair.
        source : str
            Key of the paper in the bibliography.
        DESCR : str
            What the table is, the figures the paper computes from it, and the paper.

    Raises
    ------
    ValueError
        If `name` is not one of the names.

    Examples
    --------
    >>> from skfair_ofi.datasets import load_published
    >>> published = load_published("suarez2025_table1")
    >>> published.counts.n
    1320
    >>> published.counts.group_sizes.tolist()
    [799, 521]
    """
    published = _BUILDERS[check_choice("name", name, PUBLISHED)]()
    return Bunch(
        counts=published.counts,
        privileged=published.privileged,
        source=published.source,
        DESCR=f"{published.description}\n\n{published.reference}",
    )
