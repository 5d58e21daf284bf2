"""One call of one measure on few rows, as a scorer makes it, against fairlearn.

``statistical_parity_difference`` and fairlearn's ``demographic_parity_difference`` are the same
number, which is checked before anything is timed.

    python -m benchmarks.one_call [--quick]
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from math import isclose
from typing import Any

from benchmarks import _bench, _peers
from skfair_ofi.metrics import statistical_parity_difference

HEAD = ("rows", "groups", "group column", "microseconds", "fairlearn", "fairlearn, line replaced")
WIDTHS = (6, 6, 12, 12, 9, 24)


def check(expected: float, name: str, got: float) -> None:
    """Fail where fairlearn's number is not this package's."""
    assert isclose(got, expected, rel_tol=1e-9), f"{name}: {got} is not {expected}"


def run(rows: int, groups: int, kind: str, rounds: int) -> dict[str, float]:
    """Check, time and print one setting, and return the ratios."""
    from fairlearn.metrics import demographic_parity_difference

    y_true, y_pred = _bench.labels(rows, 0), _bench.labels(rows, 1)
    group: Any = _bench.group_column(kind, rows, groups)
    theirs = partial(demographic_parity_difference, y_true, y_pred, sensitive_features=group)

    def replaced() -> float:
        with _peers.fairlearn_without_stack():
            return float(theirs())

    calls: dict[str, Callable[[], float]] = {
        "ours": partial(statistical_parity_difference, y_true, y_pred, sensitive_features=group),
        "fairlearn": theirs,
        "fairlearn, line replaced": replaced,
    }
    taken = _bench.seconds(calls, rounds, partial(check, calls["ours"]()))
    found = _bench.ratios(taken, HEAD[4:])
    cells = [f"{rows:,}", str(groups), kind, f"{taken['ours'] * 1e6:.0f}"]
    _bench.print_row([*cells, *map(_bench.times, found.values())], WIDTHS)
    return found


def main() -> _bench.Ratios:
    """Print how many times longer fairlearn takes."""
    given = _bench.options(__doc__ or "")
    _bench.print_head(HEAD, WIDTHS)
    sizes, numbers = ((1000,), (2,)) if given.quick else ((1000, 10_000), (2, 10))
    settings = product(sizes, numbers, ("int64", "object", "str", "category"))
    return _bench.merged(run(*setting, given.rounds) for setting in settings)


if __name__ == "__main__":
    main()
