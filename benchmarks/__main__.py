"""All benchmarks one after the other: ``python -m benchmarks [--quick]``.

Coverage of the intervals takes a quarter of an hour: it is here with ``--quick`` only, and whole by
``python -m benchmarks.coverage``.
"""

import sys

from benchmarks import (
    audit,
    bandwidth,
    bootstrap,
    coverage,
    engines,
    flips,
    growth,
    memory,
    one_call,
    scorers,
    table_and_measures,
)

SCRIPTS = (
    table_and_measures,
    growth,
    one_call,
    flips,
    audit,
    memory,
    bandwidth,
    scorers,
    bootstrap,
    engines,
)

if __name__ == "__main__":
    for script in (*SCRIPTS, coverage) if "--quick" in sys.argv else SCRIPTS:
        script.main()
