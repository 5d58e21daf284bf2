"""How people are put into groups, and which groups are compared."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from reprlib import repr as brief
from typing import Any, get_args

from skfair_ofi._validation import check_choice, finite_number, plain_value

from ._presets import Against
from .predicates import Predicate, Rowwise, parse

MOST_COLUMNS, MOST_EDGES = 5, 100
PRIVILEGED, UNPRIVILEGED = "privileged", "unprivileged"

# What stands for a predicate once it is read.
Condition = Any


def read_predicate(value: Any) -> Condition:
    """Return text as a parsed predicate, and functions as they are."""
    if isinstance(value, str):
        return parse(value)
    if isinstance(value, Predicate | Rowwise) or callable(value):
        return value
    raise TypeError(f"predicate must be text or a function, got {value!r}.")


def _names(columns: Any) -> tuple[str, ...]:
    names = (columns,) if isinstance(columns, str) else columns
    fine = isinstance(names, list | tuple) and all(isinstance(name, str) for name in names)
    if not fine or not 1 <= len(names) <= MOST_COLUMNS or len(set(names)) < len(names):
        raise ValueError(
            f"columns must be 1 to {MOST_COLUMNS} different column names, got {columns!r}."
        )
    return tuple(names)


def _edges(bins: Any, columns: tuple[str, ...]) -> tuple[float, ...]:
    edges = [finite_number(edge) for edge in bins] if isinstance(bins, list | tuple) else []
    found = [edge for edge in edges if edge is not None]
    if not 1 <= len(edges) <= MOST_EDGES or sorted(set(found)) != edges:
        raise ValueError(f"bins must be 1 to {MOST_EDGES} rising numbers, got {brief(bins)}.")
    if len(columns) > 1:
        raise ValueError(f"bins must be of one column, got {columns!r}.")
    return tuple(found)


def _key(reference: Any) -> Hashable:
    if isinstance(reference, list):
        return tuple(_key(part) for part in reference)
    if not isinstance(reference, str | int | float | tuple):
        raise TypeError(f"reference must be a group, got {reference!r}.")
    return reference


@dataclass(frozen=True)
class Grouping:
    """How people are put into groups, and which groups are compared.

    Parameters
    ----------
    columns : str or sequence of str, default=None
        Columns that hold the group; several are crossed.
    privileged : str or callable, default=None
        In the place of columns, a predicate: who meets it is privileged, and
        everyone else is compared with them.
    bins : sequence of float, default=None
        Rising edges that cut one column of numbers; an edge belongs to the
        bin above it.
    against : {"pairs", "rest", "reference", "highest"}, default=None
        Which groups are compared: the pair with the largest gap; each group
        with everyone else; each with the reference; each with the group of
        the highest selection rate. None is "reference" where one is given,
        else "pairs".
    reference : group, default=None
        The group that the others are compared with; a list or tuple where
        columns are crossed.
    name : str, default=None
        What a report calls it; None takes the columns.

    Raises
    ------
    ValueError
        If these contradict one another.

    Examples
    --------
    >>> Grouping("age", bins=[25, 45]).labels
    ('below 25', '25 to below 45', '45 and above')
    >>> Grouping(["race", "sex"], against="rest").title
    'race x sex'
    """

    columns: str | Sequence[str] | None = None
    privileged: Any = None
    bins: Sequence[float] | None = None
    against: Against | None = None
    reference: Any = None
    name: str | None = None

    def __post_init__(self) -> None:
        """Refuse what contradicts itself, and keep what was read."""
        for name in ("columns", "bins", "reference"):
            object.__setattr__(self, name, plain_value(getattr(self, name)))
        if (self.columns is None) == (self.privileged is None):
            raise ValueError("groups must have either columns or privileged, got both or neither.")
        columns = () if self.columns is None else _names(self.columns)
        if self.bins is not None and not columns:
            raise ValueError("bins must be of a column, got a privileged predicate.")
        edges = None if self.bins is None else _edges(self.bins, columns)
        if self.against is not None:
            check_choice("against", self.against, get_args(Against))
        self._check_reference()
        if self.name is not None and not isinstance(self.name, str):
            raise ValueError(f"name must be text, got {self.name!r}.")
        predicate = None if self.privileged is None else read_predicate(self.privileged)
        reference = None if self.reference is None else _key(self.reference)
        chosen = {
            "columns": columns or None,
            "privileged": predicate,
            "bins": edges,
            "reference": reference,
        }
        for name, value in chosen.items():
            object.__setattr__(self, name, value)

    def _check_reference(self) -> None:
        given = self.reference is not None
        if self.privileged is not None and (given or self.against in ("rest", "reference")):
            raise ValueError(
                "privileged must stand without reference and against, since everyone else is "
                "compared with the privileged."
            )
        if given and self.against not in (None, "reference"):
            raise ValueError(
                f"against must be 'reference' where a reference is given, got {self.against!r}."
            )
        if self.against == "reference" and not given:
            raise ValueError("reference must be given for against='reference', got none.")

    @property
    def title(self) -> str:
        """What a report calls it."""
        if self.name is not None:
            return self.name
        if isinstance(self.privileged, Predicate):
            return self.privileged.text
        return " x ".join(self.columns or ("privileged",))

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the bins."""
        edges = [f"{edge:.12g}" for edge in self.bins or ()]
        between = [f"{low} to below {high}" for low, high in pairwise(edges)]
        return (f"below {edges[0]}", *between, f"{edges[-1]} and above")
