import re
from pathlib import Path

import pytest

CALLS = Path(__file__).with_name("typed_calls.py")


@pytest.mark.slow
def test_type_checker_sees_the_parameters_of_each_measure() -> None:
    """The checker faults exactly the calls that are marked as wrong."""
    api = pytest.importorskip("mypy.api")
    found, _, _ = api.run(["--no-error-summary", str(CALLS)])
    faulted = {int(line) for line in re.findall(r"typed_calls\.py:(\d+): error", found)}
    lines = CALLS.read_text(encoding="utf-8").splitlines()
    assert faulted == {i for i, line in enumerate(lines, 1) if line.endswith("# wrong")}, found
