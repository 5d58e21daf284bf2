"""Memory that the table takes beside its input, for a million rows: the claim is under 30 MiB.

Each kind of input is counted in a process of its own, twice: under tracemalloc, which sees what
NumPy and Python allocate, and bare, by the growth of the process's largest resident set, which sees
Arrow's memory as well (Linux only).

    python -m benchmarks.memory [--quick]
"""

import os
import subprocess
import sys
import tracemalloc
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _bench
from skfair_ofi import OutcomeCounts

ROWS = 10**6
LIMIT = 30.0
KINDS = ("int8", "int64", "float64", "object", "str", "category", "list", "weights and scores")
# Freed memory goes back to the system at once, so that none is there to be used again unseen.
ALLOCATORS = {"MALLOC_MMAP_THRESHOLD_": "65536", "ARROW_DEFAULT_MEMORY_POOL": "system"}
# Linux: what is written here makes the largest resident set the present one.
_RESET = Path("/proc/self/clear_refs")
HEAD = ("input", "traced, MiB", "resident, MiB", "under 30")
WIDTHS = (18, 11, 13, 8)


def people(kind: str, rows: int) -> dict[str, Any]:
    """Return arguments of ``OutcomeCounts.from_arrays``: three arrays of labels, ten groups."""
    dtype = kind if kind in ("int8", "float64") else "int64"
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


def _high_water() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    kilobytes = {line.split()[0]: line.split()[1] for line in lines if line.startswith("Vm")}
    return int(kilobytes["VmHWM:"]) / 1024


def measure(kind: str, how: str) -> float:
    """Return the MiB that one table takes at its peak, NaN where the system does not tell."""
    OutcomeCounts.from_arrays(**people(kind, 100))  # imports and caches are no memory of the table
    given = people(kind, ROWS)
    if how == "traced":
        tracemalloc.start()
        OutcomeCounts.from_arrays(**given)
        return tracemalloc.get_traced_memory()[1] / 2**20
    if not _RESET.exists():
        return nan
    _RESET.write_text("5")
    before = _high_water()
    OutcomeCounts.from_arrays(**given)
    return _high_water() - before


def _in_process(kind: str, how: str) -> float:
    command = [sys.executable, "-m", "benchmarks.memory", "--measure", kind, how]
    environment = os.environ | ALLOCATORS
    return float(subprocess.check_output(command, env=environment, text=True))  # noqa: S603


def main() -> None:
    """Print the peak of each kind of input."""
    given = _bench.options(__doc__ or "")
    _bench.print_head(HEAD, WIDTHS)
    for kind in KINDS[:4] if given.quick else KINDS:
        traced, resident = (_in_process(kind, how) for how in ("traced", "resident"))
        under = "no" if traced >= LIMIT or resident >= LIMIT else "yes"
        _bench.print_row([kind, f"{traced:.1f}", f"{resident:.1f}", under], WIDTHS)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(measure(*sys.argv[2:]))
    else:
        main()
