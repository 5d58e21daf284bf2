"""Where values stand on plots."""

import math

import pytest

from skfair_ofi.report.plots._base import Ends, limit_units, reach, zone_position

DIFFERENCE, INDEX = ((-0.05, 0.05), (-0.15, 0.15)), ((0.9, 1.1), (0.7, 1.3))


@pytest.mark.parametrize(
    ("value", "ideal", "acceptable", "moderate", "spot"),
    [
        (0.0, 0.0, *DIFFERENCE, 0.0),
        (0.025, 0.0, *DIFFERENCE, 0.5),
        (0.05, 0.0, *DIFFERENCE, 1.0),
        (-0.10, 0.0, *DIFFERENCE, 1.5),
        (0.15, 0.0, *DIFFERENCE, 2.0),
        (0.30, 0.0, *DIFFERENCE, 2.5),
        (math.inf, 0.0, *DIFFERENCE, 3.0),
        (1.2, 1.0, *INDEX, 1.5),
        (0.1, 0.0, (-0.05, 0.05), None, 2.0),
        (0.0, 0.0, (0.0, 0.0), None, 0.0),
        (0.1, 0.0, (0.0, 0.0), None, 3.0),
    ],
)
def test_zone_position(
    value: float, ideal: float, acceptable: Ends, moderate: Ends | None, spot: float
) -> None:
    """Zones are equally wide: limits stand at 1 and 2, infinite at 3."""
    assert zone_position(value, ideal, acceptable, moderate) == pytest.approx(spot)


@pytest.mark.parametrize(
    ("value", "ideal", "limits", "ratio", "units"),
    [
        (0.3, 0.0, (-0.1, 0.1), False, 3.0),
        (-0.05, 0.0, (-0.1, 0.1), False, -0.5),
        (0.3, 0.0, (-0.1, 0.3), False, 1.0),
        (0.8, 1.0, (0.8, 1.25), True, -1.0),
        (0.64, 1.0, (0.8, 1.25), True, -2.0),
        (1.5625, 1.0, (0.8, 1.25), True, 2.0),
        (0.0, 1.0, (0.8, 1.25), True, -math.inf),
        (math.inf, 1.0, (0.8, 1.25), True, math.inf),
        (0.1, 0.0, (0.0, 0.0), False, math.inf),
        (0.0, 0.0, (0.0, 0.0), False, 0.0),
        (5.0, 0.0, (-math.inf, math.inf), False, 0.0),
    ],
)
def test_limit_units(value: float, ideal: float, limits: Ends, ratio: bool, units: float) -> None:
    """Distances are in units of the acceptable one, those of ratios by their logarithm."""
    assert limit_units(value, ideal, limits, ratio=ratio) == pytest.approx(units)


def test_undefined_has_no_place() -> None:
    """What is undefined stands nowhere."""
    assert math.isnan(limit_units(math.nan, 0.0, (-0.1, 0.1), ratio=False))


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [(1.0, 3.0, (1.0, 3.0)), (-3.0, -1.0, (-1.0, -3.0)), (-1.0, 3.0, (0.0, 3.0)),
     (-3.0, 1.0, (0.0, -3.0)), (0.5, math.inf, (0.5, math.inf))],
)  # fmt: skip
def test_reach(low: float, high: float, ends: Ends) -> None:
    """An interval starts at its end nearer to the ideal, at the ideal where that is inside."""
    assert reach(low, high, 0.0) == ends
