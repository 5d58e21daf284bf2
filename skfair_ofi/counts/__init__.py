"""The one table that everything is read off, and what fills it.

`OutcomeCounts` is for users; the other names are shared by the packages above.
"""

from ._columns import (
    Column as Column,
    booleans as booleans,
    check_weights as check_weights,
    columns_of as columns_of,
    drop_columns as drop_columns,
    encode as encode,
    encode_features as encode_features,
    few_labels as few_labels,
    floats as floats,
    plain as plain,
    take_rows as take_rows,
)
from ._engines import group_frame as group_frame, opened as opened, renamed as renamed
from ._fill import ROLES as ROLES, MissingGroups as MissingGroups, fill as fill
from ._table import OutcomeCounts

__all__ = ["OutcomeCounts"]
