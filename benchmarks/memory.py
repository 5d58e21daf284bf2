"""Memory that the table takes beside its input, at a million rows under 30 MiB.

Each kind of input is counted in a process of its own, twice: under tracemalloc, which sees what
NumPy and Python allocate, and bare, by the growth of the process's largest resident set, which sees
Arrow's memory as well (Linux only).

    python -m benchmarks.memory [--quick]
"""

import sys
import tracemalloc
from typing import Any

import numpy as np

from benchmarks import _bench
from skfair_ofi import OutcomeCounts

ROWS = 10**6
LIMIT = 30.0
KINDS = (
    "int8",
    "int64",
    "float64",
    "object",
    "str",
    "category",
    "bool",
    "list",
    "weights and scores",
)
LARGE = ("int8", "bool", "int64", "object", "str", "category")
HEAD = ("rows", "input", "traced, MiB", "resident, MiB", "under 30")
WIDTHS = (10, 18, 11, 13, 8)


def people(kind: str, rows: int) -> dict[str, Any]:
    """Return arguments of ``OutcomeCounts.from_arrays``: three arrays of labels, ten groups."""
    dtype = kind if kind in ("int8", "float64", "bool") else "int64"
    y_true, y_pred, y_corrected = (_bench.labels(rows, seed, dtype) for seed in range(3))
    group = _bench.group_column(
        "object" if kind == "list" else kind if kind in KINDS[3:6] else "int64", rows, 10
    )
    columns = [y_true, y_pred, y_corrected, group.astype(dtype) if kind in KINDS[:3] else group]
    if kind == "list":
        columns = [column.tolist() for column in columns]
    names = ("y_true", "y_pred", "y_corrected", "sensitive_features")
    more = {}
    if kind == "weights and scores":
        more = dict.fromkeys(("sample_weight", "y_score"), np.random.default_rng(0).random(rows))
    return dict(zip(names, columns, strict=True)) | more


def measure(kind: str, how: str, rows: int) -> float:
    """Return the MiB that one table takes at its peak, NaN where the system does not tell."""
    OutcomeCounts.from_arrays(**people(kind, 100))  # imports and caches are no memory of the table
    given = people(kind, rows)
    if how == "resident":
        return _bench.resident(lambda: OutcomeCounts.from_arrays(**given))
    tracemalloc.start()
    OutcomeCounts.from_arrays(**given)
    return tracemalloc.get_traced_memory()[1] / 2**20


def main() -> None:
    """Print the peak of each kind of input."""
    quick = _bench.options(__doc__ or "").quick
    _bench.print_head(HEAD, WIDTHS)
    more = [] if quick else [(kind, 10 * ROWS) for kind in LARGE]
    for kind, rows in [*((kind, ROWS) for kind in (KINDS[:4] if quick else KINDS)), *more]:
        peaks = [_bench.in_process("memory", kind, how, rows) for how in ("traced", "resident")]
        under = "-" if rows > ROWS else "no" if max(peaks) >= LIMIT else "yes"
        _bench.print_row([f"{rows:,}", kind, *map(_bench.mebibytes, peaks), under], WIDTHS)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(measure(sys.argv[2], sys.argv[3], int(sys.argv[4])))
    else:
        main()
