"""The one table that everything is read off, and what fills it.

`OutcomeCounts` is for users; the other names are shared by the packages above.
"""

from ._columns import (
    Column as Column,
    check_labels as check_labels,
    check_weights as check_weights,
    drop_columns as drop_columns,
    encode as encode,
    encode_features as encode_features,
    read_booleans as read_booleans,
    read_floats as read_floats,
    select_columns as select_columns,
    simplify_key as simplify_key,
    take_rows as take_rows,
)
from ._engines import (
    adapt_frame as adapt_frame,
    group_frame as group_frame,
    rename_columns as rename_columns,
)
from ._fill import (
    ROLES as ROLES,
    MissingGroups as MissingGroups,
    fill as fill,
    interpret as interpret,
    scatter as scatter,
)
from ._table import OutcomeCounts, check_counts as check_counts

__all__ = ["OutcomeCounts"]
