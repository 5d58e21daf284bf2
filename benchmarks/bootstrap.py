"""A bootstrap interval of the selection rates' difference, against fairlearn's ``n_boot``.

fairlearn draws rows and computes its MetricFrame anew for each replicate; this package counts
once and draws tables. Both keep 2.5 and 97.5 per cent of as many replicates; counting is included.

    python -m benchmarks.bootstrap [--quick]
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import _bench, _peers
from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import Interval, confidence_interval

PEERS = ("fairlearn", "fairlearn, line replaced")
HEAD = ("rows", "replicates", "ms", *PEERS)
WIDTHS = (9, 10, 9, 10, 24)
REPLICATES = 100


def theirs(y_true: Any, y_pred: Any, group: Any) -> tuple[float, float]:
    """Return fairlearn's interval."""
    from fairlearn.metrics import MetricFrame, selection_rate

    frame = MetricFrame(
        metrics=selection_rate,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=group,
        n_boot=REPLICATES,
        ci_quantiles=[0.025, 0.975],
        random_state=0,
    )
    low, high = frame.difference_ci()
    return float(low), float(high)


def replaced(y_true: Any, y_pred: Any, group: Any) -> tuple[float, float]:
    """Return fairlearn's interval, with its slow line replaced."""
    with _peers.fairlearn_without_stack():
        return theirs(y_true, y_pred, group)


def bootstrap(y_true: Any, y_pred: Any, group: Any) -> Interval:
    """Return this package's interval."""
    return confidence_interval(
        OutcomeCounts.from_arrays(y_true, y_pred, sensitive_features=group),
        "statistical_parity_difference",
        method="bootstrap",
        n_resamples=REPLICATES,
        random_state=0,
    )


def run(rows: int, rounds: int) -> dict[str, float]:
    """Compare the intervals, time and print one setting, and return the ratios."""
    y_true, y_pred = _bench.labels(rows, 0), _bench.labels(rows, 1)
    group = _bench.group_column("int64", rows, 2)
    y_pred = np.where(group == 1, y_pred | _bench.labels(rows, 2), y_pred)
    ours = partial(bootstrap, y_true, y_pred, group)
    expected = ours()

    def check(name: str, interval: Any) -> None:
        # Quantiles of 100 replicates stray by about a tenth of the width
        low, high = (expected.low, expected.high) if name == "ours" else interval
        assert abs(low - expected.low) + abs(high - expected.high) < 0.5 * expected.width, name

    calls: dict[str, Callable[[], Any]] = {
        "ours": ours,
        "fairlearn": partial(theirs, y_true, y_pred, group),
        "fairlearn, line replaced": partial(replaced, y_true, y_pred, group),
    }
    taken = _bench.seconds(calls, rounds, check)
    found = _bench.ratios(taken, PEERS)
    cells = [f"{rows:,}", str(REPLICATES), _bench.milliseconds(taken["ours"])]
    _bench.print_row([*cells, *map(_bench.times, found.values())], WIDTHS)
    return found


def main() -> _bench.Ratios:
    """Print how many times longer fairlearn takes."""
    given = _bench.options(__doc__ or "")
    _bench.print_head(HEAD, WIDTHS)
    sizes = (10_000,) if given.quick else (10_000, 100_000)
    return _bench.merged(run(rows, given.rounds) for rows in sizes)


if __name__ == "__main__":
    main()
