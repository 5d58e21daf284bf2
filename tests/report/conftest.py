"""Tables that several tests of reports use."""

import matplotlib as mpl
import numpy as np
import pytest

from skfair_ofi import OutcomeCounts

HOSTILE = (
    "<script>alert(1)</script>",
    "nan",
    "a|b",
    "=cmd()",
    "",
    "x" * 300,
    "x" * 299 + "y",
    "שלום עולם",
    "line\nbreak",
    "$x_1$",
    "`tick` *star* [link](http://example.com)",
    '" onload="alert(1)',
    None,
)


@pytest.fixture(autouse=True)
def _no_windows() -> None:
    """Draw without a screen."""
    mpl.use("agg")


@pytest.fixture(scope="session")
def paper() -> OutcomeCounts:
    """The table of Suarez2025: groups 0 and 1, by y, y_pred and y_corrected."""
    return OutcomeCounts(
        [0, 1],
        [
            [[[247, 0], [40, 59]], [[129, 0], [96, 228]]],
            [[[283, 30], [0, 39]], [[88, 8], [0, 73]]],
        ],
        feature_names=["pa"],
    )


@pytest.fixture(scope="session")
def hostile() -> OutcomeCounts:
    """A table whose group names are made to break out of any format."""
    cells = np.random.default_rng(0).integers(1, 40, (len(HOSTILE), 2, 2, 2))
    return OutcomeCounts(HOSTILE, cells, feature_names=["<b>|group"])
