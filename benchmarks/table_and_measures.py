"""The table and thirteen measures against fairlearn, Aequitas and AIF360.

Each measure is taken by group, of all people, and as largest difference and smallest ratio between
groups. Every contender's numbers are compared with this package's before anything is timed.

    python -m benchmarks.table_and_measures [--quick]

Aequitas 1.1 needs pandas 2; in an environment without it, the script says so and goes on.
"""

import sys
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import _bench, _peers
from skfair_ofi import METRICS, OutcomeCounts

MEASURES = (
    "selection_rate",
    "base_rate",
    "marginal_benefit",
    "accuracy",
    "true_positive_rate",
    "false_positive_rate",
    "true_negative_rate",
    "false_negative_rate",
    "positive_predictive_value",
    "negative_predictive_value",
    "false_discovery_rate",
    "false_omission_rate",
    "average_odds",
)
SIZES = (10**4, 10**5, 10**6, 10**7)
QUICK = (*product(SIZES[:2], (2,), ("int64", "object")), (10**5, 10, "bool"))
KINDS = ("int8", "bool", "int64", "object", "str", "category")
# From here on, only contenders that take seconds run everywhere, and peak memory is measured.
LARGE = 10**6
# All kinds of columns for ten groups only: they matter little to the others, whose runs are long.
FULL = tuple(
    (rows, groups, kind)
    for rows, groups in product(SIZES, (2, 10, 100))
    for kind in (KINDS if groups == 10 else ("int64", "object"))
)
PEERS = ("fairlearn", "fairlearn, line replaced", "aequitas", "AIF360", "AIF360, datasets made")
HEAD = ("rows", "groups", "columns", "ms", *PEERS, "MiB", "aequitas, MiB")
WIDTHS = (10, 6, 8, 6, 9, 24, 8, 6, 21, 6, 13)


def ours(y_true: np.ndarray, y_pred: np.ndarray, group: Any) -> _peers.Values:
    """Return thirteen measures by group, of all, the largest difference and smallest ratio."""
    counts = OutcomeCounts.from_arrays(y_true, y_pred, sensitive_features=group)
    values = {}
    for name in MEASURES:
        by_group = METRICS[name].values(counts)
        low, high = by_group.min(), by_group.max()
        values[name] = by_group, METRICS[name].of(counts), high - low, low / high
    return values


def check(expected: _peers.Values, peer: str, got: _peers.Values) -> None:
    """Fail where a peer's numbers are not this package's; groups may come in another order."""
    for name, parts in got.items():
        for mine, theirs in zip(expected[name], parts, strict=False):
            np.testing.assert_allclose(
                np.sort(np.ravel(np.asarray(theirs, dtype=np.float64))),
                np.sort(np.ravel(mine)),
                rtol=1e-9,
                atol=1e-12,
                err_msg=f"{peer}: {name}",
            )


def contenders(kind: str, rows: int, groups: int) -> dict[str, Callable[[], _peers.Values]]:
    """Return what can count people of this kind; a library is left out where it refuses them."""
    dtype = kind if kind in ("int8", "bool") else "int64"
    y_true, y_pred = (_bench.labels(rows, seed, dtype) for seed in (0, 1))
    group = _bench.group_column(kind, rows, groups)
    calls: dict[str, Callable[[], _peers.Values]] = {"ours": partial(ours, y_true, y_pred, group)}
    if rows <= LARGE and _peers.installed("fairlearn.metrics"):
        if rows < LARGE or (groups == 10 and kind in ("int64", "object")):
            calls["fairlearn"] = partial(_peers.fairlearn, y_true, y_pred, group)
        calls["fairlearn, line replaced"] = partial(_peers.fairlearn_patched, y_true, y_pred, group)
    if kind == "object" and _peers.installed("aequitas.group"):
        frame = pd.DataFrame({"group": group, "score": y_pred, "label_value": y_true})
        calls["aequitas"] = partial(_peers.aequitas, frame)
    if (
        rows <= LARGE
        and kind.startswith("int")
        and groups == 2
        and _peers.installed("aif360.metrics")
    ):
        datasets = _peers.aif360_datasets(y_true, y_pred, group)
        calls["AIF360"] = lambda: _peers.aif360(_peers.aif360_datasets(y_true, y_pred, group))
        calls["AIF360, datasets made"] = partial(_peers.aif360, datasets)
    return calls


def measure(kind: str, rows: int, groups: int, name: str) -> float:
    """Return the MiB that one contender takes at its peak beside its input."""
    contenders(kind, 1000, groups)[name]()  # imports
    return _bench.resident(contenders(kind, rows, groups)[name])


def installed(name: str) -> bool:
    """Return whether a contender can run here."""
    return name == "ours" or _peers.installed(f"{name}.group")


def peak(kind: str, rows: int, groups: int, name: str) -> str:
    """Return a contender's peak memory as a cell, a dash for few rows."""
    if rows < LARGE or (name == "aequitas" and kind != "object") or not installed(name):
        return "-"
    return _bench.mebibytes(_bench.in_process("table_and_measures", kind, rows, groups, name))


def run(kind: str, rows: int, groups: int, rounds: int) -> dict[str, float]:
    """Check, time and print one setting, and return the ratios."""
    calls = contenders(kind, rows, groups)
    taken = _bench.seconds(calls, rounds, partial(check, calls["ours"]()))
    found = _bench.ratios(taken, PEERS)
    cells = [f"{rows:,}", str(groups), kind, _bench.milliseconds(taken["ours"])]
    cells += [_bench.times(found.get(name)) for name in PEERS]
    peaks = [peak(kind, rows, groups, name) for name in ("ours", "aequitas")]
    _bench.print_row([*cells, *peaks], WIDTHS)
    return found


def main() -> _bench.Ratios:
    """Print how many times longer other libraries take."""
    given = _bench.options(__doc__ or "")
    for package, module in (("fairlearn", "fairlearn.metrics"), ("aequitas", "aequitas.group")):
        if not _peers.installed(module):
            print(f"{package} is not installed here: its column stays empty.")
    print(
        "\nms: this package's time. Then: how many times longer the same takes there; peak memory."
    )
    print("Labels are int64, with int8 and bool of that type; bool's groups are int64.")
    print("A dash: it cannot count these, or takes more than some seconds.")
    _bench.print_head(HEAD, WIDTHS)
    rounds = min(given.rounds, 2) if given.quick else given.rounds
    return _bench.merged(
        run(kind, rows, groups, rounds) for rows, groups, kind in (QUICK if given.quick else FULL)
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(measure(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]))
    else:
        main()
