"""What the benchmarks share: people to count, interleaved timing, versions, tables."""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import metadata
from math import nan
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

PEERS = ("numpy", "pandas", "pyarrow", "scikit-learn", "fairlearn", "aif360", "aequitas")
# How many times longer something else takes in each setting, by its name.
Ratios = dict[str, list[float]]
# One sample of a short call is repeated until it takes this long.
_SAMPLE_SECONDS = 0.005
# A call longer than this is not repeated.
_SLOW_SECONDS = 3.0
# Freed memory goes back to the system at once, so that none is there to be used again unseen.
_ALLOCATORS = {"MALLOC_MMAP_THRESHOLD_": "65536", "ARROW_DEFAULT_MEMORY_POOL": "system"}
# Linux: what is written here makes the largest resident set the present one.
_RESET = Path("/proc/self/clear_refs")


def options(text: str) -> argparse.Namespace:
    """Return the command line's options, after printing what the machine runs."""
    parser = argparse.ArgumentParser(description=text.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few settings, some minutes in all")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of interleaved runs")
    given = parser.parse_args()
    print(f"\n{text.partition(chr(10))[0]}\n")
    print(versions())
    return given


def version(package: str) -> str | None:
    """Return a package's version, or None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def versions() -> str:
    """Return one line with the versions and the number of CPUs."""
    listed = ", ".join(f"{name} {version(name) or 'not installed'}" for name in PEERS)
    return f"Python {platform.python_version()}, {listed}; {os.cpu_count()} CPUs"


def labels(rows: int, seed: int, dtype: Any = np.int64) -> np.ndarray:
    """Return labels, 1 for two in five people."""
    return (np.random.default_rng(seed).random(rows) < 0.4).astype(dtype)


def corrected(y_pred: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Return labels of which about 12 % differ from ``y_pred``, more in later groups."""
    draws = np.random.default_rng(3).random(len(y_pred))
    share = 0.05 + 0.15 * group.astype(np.float64) / max(group.max(), 1)
    return np.where(draws < share, 1 - y_pred, y_pred).astype(y_pred.dtype)


def group_column(kind: str, rows: int, groups: int) -> Any:
    """Return a column of groups: int8, int64 (bool, too), object, str or category."""
    codes = np.random.default_rng(2).integers(0, groups, rows)
    if kind in ("int8", "int64", "bool"):
        return codes.astype("int64" if kind == "bool" else kind)
    names = np.array([f"group {i}" for i in range(groups)], dtype=object)
    if kind == "object":
        return names[codes]
    if kind == "str":
        return pd.Series(names[codes], dtype=pd.StringDtype("pyarrow", na_value=np.nan))
    return pd.Series(pd.Categorical.from_codes(codes, names.tolist()))


def _sample(call: Callable[[], Any]) -> float:
    """Seconds of one call, the mean of as many as a sample holds."""
    calls, start = 0, process_time()
    while True:
        call()
        calls += 1
        taken = process_time() - start
        if taken >= _SAMPLE_SECONDS:
            return taken / calls


def seconds(
    contenders: Mapping[str, Callable[[], Any]], rounds: int, check: Callable[[str, Any], None]
) -> dict[str, float]:
    """Return each contender's median seconds over rounds in which all take turns.

    Seconds are those of the processor, of all threads together, which other programs on the
    machine disturb less than those of the clock. Each contender's result is checked before the
    rounds; a call that took longer than three seconds there is not repeated.

    Parameters
    ----------
    contenders : mapping of str to callable
        What to time, by name.
    rounds : int
        Number of rounds.
    check : callable
        Takes a name and a result, and fails where the result is wrong.

    Returns
    -------
    dict of str to float
        Seconds by name.
    """
    first = {}
    for name, call in contenders.items():
        start = process_time()
        result = call()
        first[name] = process_time() - start
        check(name, result)
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            slow = first[name] > _SLOW_SECONDS
            taken[name].append(first[name] if slow else _sample(call))
    return {name: median(times) for name, times in taken.items()}


def ratios(taken: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    """Return how many times longer than this package each of the names took, where it ran."""
    return {name: taken[name] / taken["ours"] for name in names if name in taken}


def merged(found: Iterable[Mapping[str, float]]) -> Ratios:
    """Return the ratios of all settings by name."""
    result: Ratios = {}
    for setting in found:
        for name, ratio in setting.items():
            result.setdefault(name, []).append(ratio)
    return result


def high_water() -> float:
    """Return this process's largest resident set in MiB; NaN outside Linux.

    ``getrusage`` would also count what the process that started this one held.
    """
    if not _RESET.exists():
        return nan
    lines = Path("/proc/self/status").read_text().splitlines()
    kilobytes = {line.split()[0]: line.split()[1] for line in lines if line.startswith("Vm")}
    return int(kilobytes["VmHWM:"]) / 1024


def resident(call: Callable[[], Any]) -> float:
    """Return by how many MiB a call raises the largest resident set; NaN outside Linux."""
    if not _RESET.exists():
        return nan
    _RESET.write_text("5")
    before = high_water()
    call()
    return high_water() - before


def in_process(script: str, *given: Any) -> float:
    """Return what ``python -m benchmarks.<script> --measure ...`` prints, a process of its own."""
    command = [sys.executable, "-W", "ignore", "-m", f"benchmarks.{script}", "--measure"]
    command += [str(value) for value in given]
    output = subprocess.check_output(command, env=os.environ | _ALLOCATORS, text=True)  # noqa: S603
    return float(output.split()[-1])


def mebibytes(value: float | None) -> str:
    """Return MiB with one digit, or a dash where nothing was measured."""
    return "-" if value is None else f"{value:.1f}"


def milliseconds(value: float) -> str:
    """Return seconds as milliseconds with three digits."""
    return f"{value * 1e3:.3g}" if value < 0.9995 else f"{value * 1e3:,.0f}"


def times(value: float | None) -> str:
    """Return a ratio as "12 x", or a dash where nothing was measured."""
    if value is None:
        return "-"
    return f"{value:,.0f} x" if value >= 9.95 else f"{value:.1f} x"


def print_row(cells: Sequence[str], widths: Sequence[int]) -> None:
    """Print one row of a Markdown table at once, as rows take long to measure."""
    padded = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    print("| " + " | ".join(padded) + " |", flush=True)


def print_head(names: Sequence[str], widths: Sequence[int]) -> None:
    """Print the head of a Markdown table, numbers right."""
    print()
    print_row(names, widths)
    print("|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|", flush=True)
