"""All benchmarks one after the other: ``python -m benchmarks [--quick]``."""

from benchmarks import bandwidth, flips, memory, one_call, scorers, table_and_measures

if __name__ == "__main__":
    for script in (table_and_measures, one_call, flips, memory, bandwidth, scorers):
        script.main()
