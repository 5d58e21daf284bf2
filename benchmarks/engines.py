"""Files larger than memory: 10^8 rows of Parquet and of CSV, against the bare engine.

Each run is a process of its own, which prints its seconds and the most memory it ever held. The
claims: Parquet within 1.3 times of DuckDB's own GROUP BY under 300 MiB, CSV under 1 GiB.

    python -m benchmarks.engines [--quick]
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import duckdb  # noqa: TID253 - the engine that is measured

from benchmarks import _bench
from skfair_ofi import OutcomeCounts

HEAD = ("file", "rows", "seconds", "bare", "ratio", "MiB", "holds")
WIDTHS = (7, 11, 7, 7, 6, 5, 5)
LIMITS = {"parquet": 300.0, "csv": 1024.0}
MOST = 1.3
QUICK = (("parquet", 10**7), ("csv", 10**6))
FULL = (("parquet", 10**8), ("csv", 10**7), ("csv", 10**8))
LABELS = ("y_true", "y_pred", "y_corrected")
MAKE = """SELECT 'group ' || (hash(i) % 10) AS g, (hash(i + 1) % 2)::TINYINT AS y_true,
(hash(i + 2) % 2)::TINYINT AS y_pred, (hash(i + 3) % 2)::TINYINT AS y_corrected
FROM range({}) t(i)"""


def ours(relation: Any) -> None:
    """Fill the table."""
    names = {name: name for name in LABELS}
    OutcomeCounts.from_frame(relation, sensitive_features="g", **names)


def bare(relation: Any) -> None:
    """Run the engine's own grouping."""
    keys = ", ".join(("g", *LABELS))
    relation.aggregate(f"{keys}, count(*) AS n", keys).fetchall()


def measure(who: str, path: str) -> None:
    """Print the seconds that one run takes and the peak memory of this process."""
    read: Callable[[str], Any] = duckdb.read_csv if path.endswith("csv") else duckdb.read_parquet
    call = {"ours": ours, "bare": bare}[who]
    start = perf_counter()
    call(read(path))
    print(perf_counter() - start, _bench.high_water())


def _in_process(who: str, path: Path) -> tuple[float, float]:
    command = [sys.executable, "-m", "benchmarks.engines", "--measure", who, str(path)]
    taken, peak = subprocess.check_output(command, text=True).split()  # noqa: S603
    return float(taken), float(peak)


def run(path: Path, rows: int, rounds: int) -> dict[str, float]:
    """Print one file, for which the contenders take turns, and return the ratio."""
    found = [[_in_process(who, path) for who in ("ours", "bare")] for _ in range(rounds)]
    mine, plain = (median(pair[i][0] for pair in found) for i in (0, 1))
    peak, kind = max(pair[0][1] for pair in found), path.suffix[1:]
    holds = peak < LIMITS[kind] and (kind == "csv" or mine / plain < MOST)
    numbers = [f"{mine:.2f}", f"{plain:.2f}", f"{mine / plain:.2f}", f"{peak:.0f}"]
    _bench.print_row([kind, f"{rows:,}", *numbers, "yes" if holds else "no"], WIDTHS)
    return {f"DuckDB alone, {kind}": plain / mine}


def made(folder: str, kind: str, rows: int, rounds: int) -> dict[str, float]:
    """Make a file, count it, and remove it."""
    path = Path(folder) / f"people.{kind}"
    duckdb.sql(f"COPY ({MAKE.format(rows)}) TO '{path}'")
    found = run(path, rows, rounds)
    path.unlink()
    return found


def main() -> _bench.Ratios:
    """Make the files, and print time, ratio and memory of each."""
    given = _bench.options(__doc__ or "")
    print(f"duckdb {duckdb.__version__}")
    _bench.print_head(HEAD, WIDTHS)
    settings = QUICK if given.quick else FULL
    with tempfile.TemporaryDirectory() as folder:
        return _bench.merged(made(folder, *setting, min(given.rounds, 3)) for setting in settings)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(*sys.argv[2:])
    else:
        main()
