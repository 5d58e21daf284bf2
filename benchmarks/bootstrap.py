"""A bootstrap interval of the selection rates' difference, against fairlearn's ``n_boot``.

fairlearn draws rows and computes its MetricFrame anew for each replicate; this package counts
once and draws tables. Both keep 2.5 and 97.5 per cent of as many replicates; counting is included.

    python -m benchmarks.bootstrap [--quick]
"""

from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks import _bench
from skfair_ofi.inference import interval_of

HEAD = ("rows", "replicates", "ms", "fairlearn, ms", "fairlearn")
WIDTHS = (9, 10, 9, 13, 10)
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


def run(rows: int, rounds: int) -> None:
    """Compare the two intervals, time and print one setting."""
    y_true, y_pred = _bench.labels(rows, 0), _bench.labels(rows, 1)
    group = _bench.group_column("int64", rows, 2)
    y_pred = np.where(group == 1, y_pred | _bench.labels(rows, 2), y_pred)
    ours = partial(
        interval_of,
        "statistical_parity_difference",
        y_true,
        y_pred,
        sensitive_features=group,
        method="bootstrap",
        n_resamples=REPLICATES,
        random_state=0,
    )
    found = ours()
    taken = _bench.seconds({"ours": ours}, rounds, lambda name, got: None)["ours"]
    start = process_time()
    low, high = theirs(y_true, y_pred, group)
    other = process_time() - start
    # Quantiles of 100 replicates stray by about a tenth of the width
    assert abs(low - found.low) + abs(high - found.high) < 0.5 * found.width
    cells = [f"{rows:,}", str(REPLICATES), _bench.milliseconds(taken), _bench.milliseconds(other)]
    _bench.print_row([*cells, _bench.times(other / taken)], WIDTHS)


def main() -> None:
    """Print how many times longer fairlearn takes."""
    given = _bench.options(__doc__ or "")
    _bench.print_head(HEAD, WIDTHS)
    for rows in (10_000,) if given.quick else (10_000, 100_000):
        run(rows, given.rounds)


if __name__ == "__main__":
    main()
