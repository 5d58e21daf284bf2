"""All benchmarks one after the other, and all ratios: ``python -m benchmarks [--quick]``.

Coverage of the intervals takes a quarter of an hour: it is here with ``--quick`` only, and whole by
``python -m benchmarks.coverage``.
"""

import sys
from collections.abc import Mapping
from statistics import median

from benchmarks import (
    _bench,
    audit,
    bandwidth,
    bootstrap,
    calls,
    coverage,
    engines,
    flips,
    growth,
    label_types,
    memory,
    one_call,
    scorers,
    table_and_measures,
)

SCRIPTS = (
    table_and_measures,
    label_types,
    growth,
    one_call,
    calls,
    flips,
    audit,
    memory,
    bandwidth,
    scorers,
    bootstrap,
    engines,
)

HEAD = ("benchmark", "against", "settings", "least", "median", "most")
WIDTHS = (18, 36, 8, 8, 8, 8)


def summary(found: Mapping[str, _bench.Ratios]) -> None:
    """Print how many times longer everything else took: one table of what the scripts found."""
    print("\nHow many times longer than with this package, over the settings of each benchmark.\n")
    print(_bench.versions())
    _bench.print_head(HEAD, WIDTHS)
    for script, ratios in found.items():
        for name, values in ratios.items():
            numbers = map(_bench.times, (min(values), median(values), max(values)))
            _bench.print_row([script, name, str(len(values)), *numbers], WIDTHS)


if __name__ == "__main__":
    chosen = (*SCRIPTS, coverage) if "--quick" in sys.argv else SCRIPTS
    # Not every script compares with something else.
    summary({script.__name__.partition(".")[2]: script.main() or {} for script in chosen})
