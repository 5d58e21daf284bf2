"""All flip measures against plain pandas with boolean masks a group.

Two plain implementations stand below: one function a measure, each with its own masks, as such code
is mostly written; and one pass, which makes each group's mask once. Both give this package's
numbers, which is checked before anything is timed.

    python -m benchmarks.flips [--quick]
"""

import sys
from collections.abc import Callable
from functools import partial
from itertools import combinations, product
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import _bench
from skfair_ofi import METRICS, OutcomeCounts

RATES = (
    "flip_rate",
    "favorable_flip_rate",
    "harmful_flip_rate",
    "harmful_flip_proportion",
    "directional_flip_ratio",
)
COMPARISONS = (
    "flip_rate_difference",
    "flip_disparity_index",
    "flip_rate_disparity",
    "relative_flip_disparity",
    "harmful_flip_proportion_difference",
    "harmful_flip_disparity_index",
    "harmful_flip_disparity",
    "relative_harmful_flip_disparity",
)
PLAIN = ("function a measure", "one pass")
HEAD = ("rows", "groups", "labels", "ms", *PLAIN, "MiB", "one pass, MiB")
WIDTHS = (10, 6, 6, 6, 18, 8, 6, 13)
SIZES = (10**4, 10**5, 10**6, 10**7)
# Where a function a measure takes more than some seconds.
LONG = 5 * 10**7
Values = dict[str, Any]


def ours(y_pred: np.ndarray, y_corrected: np.ndarray, group: np.ndarray) -> Values:
    """Return five rates by group and eight comparisons."""
    counts = OutcomeCounts.from_arrays(
        y_pred=y_pred, y_corrected=y_corrected, sensitive_features=group
    )
    rates = {name: METRICS[name].values(counts) for name in RATES}
    return rates | {name: METRICS[name].of(counts) for name in COMPARISONS}


def shares(people: int, favorable: int, harmful: int) -> dict[str, float]:
    """Return the five rates of one group from its counts."""
    flips = favorable + harmful
    ratio = favorable / harmful if harmful else (inf if favorable else 1.0)
    return {
        "flip_rate": flips / people,
        "favorable_flip_rate": favorable / people,
        "harmful_flip_rate": harmful / people,
        "harmful_flip_proportion": harmful / flips if flips else 0.0,
        "directional_flip_ratio": ratio,
    }


def masked(frame: pd.DataFrame, group: Any) -> dict[str, float]:
    """Return the five rates of one group by masking its rows."""
    rows = frame[frame["group"] == group]
    favorable = (rows["y_pred"] == 0) & (rows["y_corrected"] == 1)
    harmful = (rows["y_pred"] == 1) & (rows["y_corrected"] == 0)
    return shares(len(rows), int(favorable.sum()), int(harmful.sum()))


def largest(name: str, values: list[float], overall: float) -> float:
    """Return a comparison's largest value over all pairs of groups."""
    pairs = [(min(pair), max(pair)) for pair in combinations(values, 2)]
    low, high = max(pairs, key=lambda pair: pair[1] - pair[0])
    if name.endswith("_difference"):
        return high - low
    if name.endswith("_index"):
        return 1.0 if high == 0 else (high / low if low else inf)
    if name.startswith("relative_"):
        return (high - low) / (high + low) if high else 0.0
    if low == 0:
        return inf if high else 1.0
    return (high - low) / overall


def function_a_measure(frame: pd.DataFrame) -> Values:
    """Return the same, each measure masking the groups it needs itself."""
    groups = sorted(frame["group"].unique())
    values: Values = {
        name: np.array([masked(frame, group)[name] for group in groups]) for name in RATES
    }
    for name in COMPARISONS:
        rate = "harmful_flip_proportion" if "harmful" in name else "flip_rate"
        overall = float((frame["y_pred"] != frame["y_corrected"]).mean())
        values[name] = largest(name, [masked(frame, group)[rate] for group in groups], overall)
    return values


def one_pass(frame: pd.DataFrame) -> Values:
    """Return the same, masking each group once for all measures."""
    rates = [masked(frame, group) for group in sorted(frame["group"].unique())]
    overall = float((frame["y_pred"] != frame["y_corrected"]).mean())
    values: Values = {name: np.array([rate[name] for rate in rates]) for name in RATES}
    for name in COMPARISONS:
        rate = "harmful_flip_proportion" if "harmful" in name else "flip_rate"
        values[name] = largest(name, values[rate].tolist(), overall)
    return values


def check(expected: Values, name: str, got: Values) -> None:
    """Fail where a plain implementation's numbers are not this package's."""
    for measure, value in got.items():
        np.testing.assert_allclose(
            value, expected[measure], rtol=1e-12, err_msg=f"{name}: {measure}"
        )


def contenders(rows: int, groups: int, dtype: str) -> dict[str, Callable[[], Values]]:
    """Return what counts the flips of one setting."""
    group = _bench.group_column(dtype, rows, groups)
    y_pred = _bench.labels(rows, 1, dtype)
    y_corrected = _bench.corrected(y_pred, group)
    frame = pd.DataFrame({"group": group, "y_pred": y_pred, "y_corrected": y_corrected})
    calls: dict[str, Callable[[], Values]] = {
        "ours": partial(ours, y_pred, y_corrected, group),
        "one pass": partial(one_pass, frame),
    }
    if rows * groups < LONG:
        calls["function a measure"] = partial(function_a_measure, frame)
    return calls


def measure(rows: int, groups: int, dtype: str, name: str) -> float:
    """Return the MiB that one contender takes at its peak beside its input."""
    contenders(100, groups, dtype)[name]()  # imports
    return _bench.resident(contenders(rows, groups, dtype)[name])


def run(rows: int, groups: int, dtype: str, rounds: int) -> dict[str, float]:
    """Check, time and print one setting, and return the ratios."""
    calls = contenders(rows, groups, dtype)
    taken = _bench.seconds(calls, rounds, partial(check, calls["ours"]()))
    found = _bench.ratios(taken, PLAIN)
    peaks = [_bench.in_process("flips", rows, groups, dtype, n) for n in ("ours", "one pass")]
    cells = [f"{rows:,}", str(groups), dtype, _bench.milliseconds(taken["ours"])]
    cells += [_bench.times(found.get(name)) for name in PLAIN]
    _bench.print_row([*cells, *map(_bench.mebibytes, peaks)], WIDTHS)
    return found


def main() -> _bench.Ratios:
    """Print how many times longer plain pandas takes."""
    given = _bench.options(__doc__ or "")
    print("\nms: this package's time. Then: how many times longer pandas takes, and peak memory.")
    _bench.print_head(HEAD, WIDTHS)
    settings = product((10**5,), (2,)) if given.quick else product(SIZES, (2, 10, 100))
    return _bench.merged(
        run(*setting, dtype, given.rounds)
        for setting, dtype in product(settings, ("int8", "bool", "int64"))
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(measure(int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]))
    else:
        main()
