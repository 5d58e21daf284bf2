"""The table by the type of its labels, against pandas' and pyarrow's own grouping.

Labels are 0 and 1, False and True, or the strings "no" and "yes"; groups are integers. All three
columns are grouped at once, and every contender's counts are compared before anything is timed.
pyarrow's table is made before, too: where labels are objects, it has strings of its own. The share
is that of the machine's read bandwidth, as ``benchmarks.bandwidth`` measures it: the columns'
bytes, of strings those that Arrow or the pointers take, over the bandwidth and the time.

    python -m benchmarks.label_types [--quick]
"""

import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks import _bench
from skfair_ofi import OutcomeCounts

KINDS = ("int8", "bool", "int64", "object", "str", "category")
PEERS = ("pandas", "pyarrow")
HEAD = ("rows", "groups", "labels", "ms", *PEERS, "share", "MiB")
WIDTHS = (10, 6, 8, 6, 6, 7, 6, 6)
KEYS = ["group", "y_true", "y_pred"]
READ_BYTES = 1 << 28
# The number of groups matters little, and long runs show it best.
QUICK = ((10**5, 10),)
FULL = (*product((10**4, 10**5, 10**6), (10,)), *product((10**7,), (2, 10, 100)))


def labels(kind: str, rows: int, seed: int) -> Any:
    """Return a column of labels of one type."""
    codes = _bench.labels(rows, seed)
    if kind in ("int8", "bool", "int64"):
        return codes.astype(kind)
    names = np.array(["no", "yes"], dtype=object)
    if kind == "category":
        return pd.Series(pd.Categorical.from_codes(codes, names.tolist()))
    if kind == "str":
        return pd.Series(names[codes], dtype=pd.StringDtype("pyarrow", na_value=np.nan))
    return names[codes]


def people(kind: str, rows: int, groups: int) -> dict[str, Any]:
    """Return three columns by name."""
    group = _bench.group_column("int8" if kind == "int8" else "int64", rows, groups)
    return dict(zip(KEYS, (group, *(labels(kind, rows, seed) for seed in (0, 1))), strict=True))


def ours(columns: dict[str, Any]) -> np.ndarray:
    """Return the counts of all cells."""
    text = columns["y_true"].dtype not in ("int8", "bool", "int64")
    counts = OutcomeCounts.from_arrays(
        columns["y_true"],
        columns["y_pred"],
        sensitive_features=columns["group"],
        pos_label="yes" if text else None,
    )
    return counts.cells.ravel()


def by_pandas(frame: pd.DataFrame) -> np.ndarray:
    """Return the same by pandas."""
    return frame.groupby(KEYS, observed=True).size().to_numpy()


def by_pyarrow(table: pa.Table) -> np.ndarray:
    """Return the same by pyarrow, in the order in which it finds them."""
    counts: np.ndarray = table.group_by(KEYS).aggregate([([], "count_all")])["count_all"].to_numpy()
    return counts


def check(expected: np.ndarray, name: str, got: Any) -> None:
    """Fail where counts are not this package's."""
    if name != "read":
        np.testing.assert_array_equal(np.sort(got), np.sort(expected), err_msg=name)


def contenders(kind: str, rows: int, groups: int) -> dict[str, Callable[[], Any]]:
    """Return what counts people of this kind."""
    columns = people(kind, rows, groups)
    frame = pd.DataFrame(columns)
    return {
        "ours": partial(ours, columns),
        "pandas": partial(by_pandas, frame),
        "pyarrow": partial(by_pyarrow, pa.Table.from_pandas(frame)),
    }


def measure(kind: str, rows: int, groups: int) -> float:
    """Return the MiB that this package takes at its peak beside its input."""
    ours(people(kind, 1000, groups))  # imports
    columns = people(kind, rows, groups)
    return _bench.resident(lambda: ours(columns))


def run(kind: str, rows: int, groups: int, column: np.ndarray, rounds: int) -> dict[str, float]:
    """Check, time and print one setting, and return the ratios."""
    calls = contenders(kind, rows, groups)
    expected = calls["ours"]()
    taken = _bench.seconds(calls | {"read": column.max}, rounds, partial(check, expected))
    found = _bench.ratios(taken, PEERS)
    size = sum(values.nbytes for values in people(kind, rows, groups).values())
    share = size / column.nbytes * taken["read"] / taken["ours"]
    peak = _bench.in_process("label_types", kind, rows, groups)
    cells = [f"{rows:,}", str(groups), kind, _bench.milliseconds(taken["ours"])]
    cells += [*map(_bench.times, found.values()), f"{share:.0%}", _bench.mebibytes(peak)]
    _bench.print_row(cells, WIDTHS)
    return found


def main() -> _bench.Ratios:
    """Print how many times longer pandas and pyarrow take, by the type of the labels."""
    given = _bench.options(__doc__ or "")
    column = np.ones(READ_BYTES // 8, dtype=np.int64)
    _bench.print_head(HEAD, WIDTHS)
    settings = product(QUICK if given.quick else FULL, KINDS)
    return _bench.merged(run(kind, *setting, column, given.rounds) for setting, kind in settings)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(measure(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
    else:
        main()
