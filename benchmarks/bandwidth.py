"""The share of the machine's read bandwidth that filling the table reaches.

The bandwidth is what one thread reads when it takes the largest value of a column that no cache
holds. The table reads each of its columns at least once, so it cannot take less than their bytes
over the bandwidth. int8 columns are to reach a quarter of it, and a table by a column of strings is
to take at most twice as long as pyarrow's dictionary encoding of it, the fastest encoder known.

    python -m benchmarks.bandwidth [--quick]
"""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from benchmarks import _bench
from skfair_ofi import OutcomeCounts

HEAD = ("rows", "groups", "columns", "ns a row", "least ns a row", "share", "a quarter")
WIDTHS = (10, 6, 7, 8, 14, 6, 9)
QUARTER, TWICE = 0.25, 2.0
READ_BYTES = 1 << 28


def check(rows: int, name: str, result: Any) -> None:
    """Fail where a row was not counted, or the column not read."""
    assert result == 1 if name == "read" else result.n == rows


def run(dtype: str, rows: int, groups: int, column: np.ndarray, rounds: int) -> float:
    """Print one setting, and return the bandwidth in GB/s."""
    y_true, y_pred = (_bench.labels(rows, seed, dtype) for seed in (0, 1))
    group = _bench.group_column(dtype, rows, groups)
    fill = partial(OutcomeCounts.from_arrays, y_true, y_pred, sensitive_features=group)
    taken = _bench.seconds({"read": column.max, "fill": fill}, rounds, partial(check, rows))
    bandwidth = column.nbytes / taken["read"] / 1e9
    spent = taken["fill"] / rows * 1e9
    least = 3 * group.itemsize / bandwidth
    cells = [
        f"{rows:,}",
        str(groups),
        dtype,
        f"{spent:.2f}",
        f"{least:.2f}",
        f"{least / spent:.0%}",
        "yes" if least / spent >= QUARTER else "no",
    ]
    _bench.print_row(cells, WIDTHS)
    return bandwidth


def strings(rows: int, rounds: int) -> float:
    """Print and return how long encoding a column of strings takes beside the table by it."""
    group = _bench.group_column("str", rows, 10)
    # In 32-bit offsets, which pyarrow encodes much faster than pandas' own 64-bit ones.
    column = pa.array(pd.Series(group), pa.large_string()).cast(pa.string())
    y_true, y_pred = (_bench.labels(rows, seed, "int8") for seed in (0, 1))
    calls = {
        "fill": partial(OutcomeCounts.from_arrays, y_true, y_pred, sensitive_features=group),
        "encode": column.dictionary_encode,
    }
    taken = _bench.seconds(calls, rounds, lambda name, result: None)
    ratio = taken["fill"] / taken["encode"]
    fill, encode = (taken[name] / rows * 1e9 for name in ("fill", "encode"))
    print(
        f"\nStrings: {fill:.1f} ns a row for the table, {encode:.1f} for the encoder alone: "
        f"{ratio:.2f} times; within twice: {'yes' if ratio <= TWICE else 'no'}."
    )
    return 1 / ratio


def main() -> _bench.Ratios:
    """Print the share of the bandwidth for narrow and wide integers."""
    given = _bench.options(__doc__ or "")
    rows = 10**6 if given.quick else 10**7
    column = np.ones(READ_BYTES // 8, dtype=np.int64)
    _bench.print_head(HEAD, WIDTHS)
    speeds = [
        run(dtype, rows, groups, column, given.rounds)
        for dtype in ("int8", "int64")
        for groups in (2, 10, 100)
    ]
    found = {"pyarrow, the strings' encoding alone": [strings(rows, given.rounds)]}
    print(f"\nRead by one thread: {np.median(speeds):.1f} GB/s.")
    return found


if __name__ == "__main__":
    main()
