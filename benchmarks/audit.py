"""Thirteen measures of Yuan2024 from a CSV file: fairness-checker 0.1.13 against this package.

Each runs in a process of its own, on the same file, one after the other; the time is from
the file to the thirteen values, and memory is the most that the process ever held (on Linux),
interpreter and libraries included. Loading libraries is left out: each has audited COMPAS
once before, since engines load parts of themselves when first used, in 0.03 to 0.1 s here.
This package runs twice: from the file's path, which DuckDB reads while the file is hashed,
and from ``polars.scan_csv`` of it, which is not hashed.

fairness-checker pins old libraries, so it lives in an environment of its own. Name its
interpreter in FAIRNESS_CHECKER_PYTHON; without it, only this package is timed:

    python -m venv peer && peer/bin/pip install fairness-checker==0.1.13
    FAIRNESS_CHECKER_PYTHON=peer/bin/python python -m benchmarks.audit
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import _bench
from skfair_ofi.datasets import load_compas

_OURS = """
import importlib, json, re, sys, time
engine = importlib.import_module(sys.argv[3])
from skfair_ofi.audit import Audit
audit = Audit(
    truth="two_year_recid == 1",
    positive="score_text in ['Medium', 'High']",
    privileged="race != 'African-American'",
    score="decile_score",
    legitimate="priors_count > 0",
    calibration=[5, 7],
)

def values_of(path):
    data = engine.scan_csv(path) if sys.argv[3] == "polars" else path
    return [finding.value for finding in audit.run(data).findings]

values_of(sys.argv[2])
start, cpu = time.perf_counter(), time.process_time()
values = values_of(sys.argv[1])
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
status = open("/proc/self/status").read() if sys.platform == "linux" else ""
peak = int(re.search("VmHWM:[^0-9]*([0-9]+)", status)[1]) / 1024 if status else float("nan")
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "values": values}))
"""

ENGINES = ("duckdb", "polars")
_PEER_NAME = "fairness-checker"

# Predicates that do what the specification above says; the checker's own spelling of names.
_PEER = """
import json, re, sys, time
from fairness_checker import fairness_csv_checker
privileged = lambda row: row["race"] != "African-American"
positive = lambda row: row["score_text"] in ("Medium", "High")
truth = lambda row: row["two_year_recid"] == "1"
score = lambda row: int(row["decile_score"])
legitimate = lambda low: lambda row: int(row["priors_count"]) > low
inside = lambda low, high: lambda row: low <= int(row["decile_score"]) <= high
labels, both = (0.2, privileged, positive), (0.2, privileged, positive, truth)

def values_of(path):
    checker = fairness_csv_checker(path, verbose=False)
    return [
        checker.disparate_impact(*labels, value=True),
        checker.demographic_parity(*labels, value=True),
        checker.conditional_statistical_parity(*labels, legitimate, (0,), value=True),
        checker.accuracy_eqaulity(*both, value=True),
        checker.mean_difference(*labels, value=True),
        max(checker.equalized_odds(*both, value=True)),
        checker.equal_opportunity(*both, value=True),
        checker.predictive_equality(*both, value=True),
        max(checker.conditional_use_accuracy_equality(*both, value=True)),
        checker.predictive_parity(*both, value=True),
        checker.equal_calibration(0.2, privileged, truth, inside, (5, 7), value=True),
        checker.positive_balance(0.2, privileged, score, truth, value=True),
        checker.negative_balance(0.2, privileged, score, truth, value=True),
    ]

values_of(sys.argv[2])
start, cpu = time.perf_counter(), time.process_time()
values = values_of(sys.argv[1])
seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
status = open("/proc/self/status").read() if sys.platform == "linux" else ""
peak = int(re.search("VmHWM:[^0-9]*([0-9]+)", status)[1]) / 1024 if status else float("nan")
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "values": values}))
"""


def people(rows: int) -> pd.DataFrame:
    """Return people of COMPAS, drawn with replacement, with all its nine columns."""
    frame: pd.DataFrame = load_compas().frame
    return frame.sample(rows, replace=True, random_state=0)


def _run(interpreter: str, script: str, *options: str | Path) -> dict[str, Any]:
    done = subprocess.run(  # noqa: S603 - the interpreter is the user's own
        [interpreter, "-c", script, *map(str, options)],
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def _agree(ours: list[dict[str, Any]], theirs: list[dict[str, Any]]) -> int:
    values = np.abs(np.array(ours[0]["values"])), np.abs(np.array(theirs[0]["values"]))
    return int(np.isclose(*values, rtol=1e-9).sum())


def _times(ours: list[dict[str, Any]], theirs: list[dict[str, Any]], key: str) -> float:
    """How many times more the peer needs, run by run."""
    return float(median(them[key] / us[key] for us, them in zip(ours, theirs, strict=True)))


def _compare(rows: str, path: Path, first: Path, rounds: int, peer: str | None) -> dict[str, float]:
    """Print the runs on one file, and return how many times longer the peer takes."""
    found: dict[str, float] = {}
    runs: dict[str, list[dict[str, Any]]] = {}
    for _ in range(rounds):
        for engine in ENGINES:
            run = _run(sys.executable, _OURS, path, first, engine)
            runs.setdefault(f"through {engine}", []).append(run)
        if peer is not None:
            runs.setdefault(_PEER_NAME, []).append(_run(peer, _PEER, path, first))
    theirs = runs.get(_PEER_NAME)
    for name, own in runs.items():
        seconds, peak = (median(run[key] for run in own) for key in ("seconds", "peak"))
        text = f"{rows:>16}  {name:>16}  {seconds:8.3f} s  {peak:6.0f} MiB"
        if theirs is not None and own is not theirs:
            wall, cpu, memory = (_times(own, theirs, key) for key in ("seconds", "cpu", "peak"))
            found[f"{_PEER_NAME}, {name}"] = wall
            text += f"  {wall:6.1f} x wall  {cpu:6.1f} x CPU  {memory:4.1f} x memory"
            text += f"  {_agree(own, theirs)} of 13 agree"
        print(text)
    return found


def main() -> _bench.Ratios:
    """Time COMPAS and synthetic people, and return how many times longer the peer takes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="interleaved runs, one ratio each")
    parser.add_argument("--quick", action="store_true", help="leave out the largest file")
    given = parser.parse_args()
    peer = os.environ.get("FAIRNESS_CHECKER_PYTHON")
    print((__doc__ or "").partition("\n")[0])
    if peer is None:
        print("FAIRNESS_CHECKER_PYTHON is not set: this package alone.")
    with tempfile.TemporaryDirectory() as folder:
        path, first = Path(folder) / "people.csv", Path(folder) / "compas.csv"
        load_compas().frame.to_csv(first, index=False)
        listed = [_compare("COMPAS", first, first, given.rounds, peer)]
        for rows in (100_000,) if given.quick else (100_000, 1_000_000):
            people(rows).to_csv(path, index=False)
            listed.append(_compare(f"{rows:,} rows", path, first, given.rounds, peer))
    return _bench.merged(listed)


if __name__ == "__main__":
    main()
