"""The language of predicates: its grammar, its meaning, and the expressions it becomes.

The other rooms of the audit import from here; only ``_expressions`` speaks narwhals.
"""

from . import _expressions as expressions  # noqa: F401 - for the other rooms
from ._compile import Predicate as Predicate, Rowwise as Rowwise, parse as parse, rowwise
from ._expressions import (
    MISSING as MISSING,
    NO as NO,
    YES as YES,
    Bins as Bins,
    ColumnKind as ColumnKind,
    Truth as Truth,
    Value as Value,
)
from ._grammar import MAX_SIZE_OF_ALL as MAX_SIZE_OF_ALL

__all__ = ["rowwise"]
