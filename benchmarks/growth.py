"""Growth of the table's time: linear with rows, flat with groups.

Time per row is printed at 10,000 to 10,000,000 rows of ten groups, and at 2, 10 and 100 groups of
the same number of rows. Growth is called linear where a row never takes half as long again as at a
tenth of the rows, and flat where a row takes at most half as long again with the slowest number of
groups as with the fastest.

    python -m benchmarks.growth [--quick]
"""

from functools import partial
from itertools import pairwise

from benchmarks import _bench
from skfair_ofi import OutcomeCounts

KINDS = ("int8", "bool", "int64", "object", "str", "category")
GROUPS = (2, 10, 100)
MOST = 1.5


def check(rows: int, name: str, counts: OutcomeCounts) -> None:
    """Fail where a row was not counted."""
    assert counts.n == rows, name


def nanoseconds(kind: str, rows: int, groups: int, rounds: int) -> float:
    """Return the time that the table takes per row."""
    dtype = kind if kind in ("int8", "bool") else "int64"
    y_true, y_pred = (_bench.labels(rows, seed, dtype) for seed in (0, 1))
    group = _bench.group_column(kind, rows, groups)
    fill = partial(OutcomeCounts.from_arrays, y_true, y_pred, sensitive_features=group)
    return _bench.seconds({"fill": fill}, rounds, partial(check, rows))["fill"] / rows * 1e9


def verdict(word: str, growth: float) -> str:
    """Return whether growth is within its bound, in words."""
    return f"{word}, {growth:.1f} x" if growth <= MOST else f"not {word}, {growth:.1f} x"


def print_table(name: str, settings: list[tuple[int, int]], rounds: int) -> None:
    """Print nanoseconds a row of each kind of columns and setting, and the verdict."""
    by_rows = name == "rows"
    heads = [f"{rows if by_rows else groups:,}" for rows, groups in settings]
    widths = [8, *(max(len(head), 6) for head in heads), 17]
    _bench.print_head(["columns", *heads, "growth"], widths)
    for kind in KINDS:
        taken = [nanoseconds(kind, *setting, rounds) for setting in settings]
        steps = [after / before for before, after in pairwise(taken)]
        growth = max(steps) if by_rows else max(taken) / min(taken)
        cells = [kind, *(f"{value:.2f}" for value in taken)]
        _bench.print_row([*cells, verdict("linear" if by_rows else "flat", growth)], widths)


def main() -> None:
    """Print the time per row by the number of rows and of groups."""
    given = _bench.options(__doc__ or "")
    sizes = (10**4, 10**5, 10**6) if given.quick else (10**4, 10**5, 10**6, 10**7)
    print("\nNanoseconds a row by the number of rows; the most that ten times the rows add.")
    print_table("rows", [(rows, 10) for rows in sizes], given.rounds)
    print("\nNanoseconds a row by the number of groups; the most over the least.")
    print_table("groups", [(sizes[-1], groups) for groups in GROUPS], given.rounds)


if __name__ == "__main__":
    main()
