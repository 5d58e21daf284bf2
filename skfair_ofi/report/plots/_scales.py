"""Where a value stands on a plot, whatever its own scale."""

import math

Interval = tuple[float, float]


def _side_distance(limits: Interval, value: float, ideal: float) -> float:
    """Distance from the ideal to the limit on the value's side."""
    return abs((limits[1] if value >= ideal else limits[0]) - ideal)


def zone_position(
    value: float, ideal: float, acceptable: Interval, moderate: Interval | None
) -> float:
    """Return where a value stands in three zones of equal width.

    Examples
    --------
    >>> zone_position(0.05, 0, (-0.05, 0.05), (-0.15, 0.15))
    1.0
    >>> zone_position(0.10, 0, (-0.05, 0.05), (-0.15, 0.15))
    1.5
    >>> zone_position(float("inf"), 0, (-0.05, 0.05), (-0.15, 0.15))
    3.0
    """
    distance, first = abs(value - ideal), _side_distance(acceptable, value, ideal)
    if distance <= first:
        return distance / first if first else 0.0
    second = first if moderate is None else _side_distance(moderate, value, ideal)
    if distance <= second:
        return 1.0 + (distance - first) / (second - first)
    start = 1.0 if moderate is None else 2.0
    return start + (3.0 - start) * (1.0 - second / distance)


def reach(low: float, high: float, ideal: float) -> tuple[float, float]:
    """Return between which distances from the ideal an interval reaches.

    Examples
    --------
    >>> reach(-1.0, 3.0, 0.0), reach(-3.0, -1.0, 0.0)
    ((0.0, 3.0), (-1.0, -3.0))
    """
    near, far = sorted((low, high), key=lambda end: abs(end - ideal))
    return (ideal if low <= ideal <= high else near), far


def limit_units(value: float, ideal: float, limits: Interval, *, ratio: bool) -> float:
    """Return the distance from the ideal in units of the acceptable distance.

    Examples
    --------
    >>> limit_units(-0.3, 0.0, (-0.1, 0.1), ratio=False)
    -3.0
    >>> round(limit_units(1.5625, 1.0, (0.8, 1.25), ratio=True), 6)
    2.0
    """
    if value == ideal or math.isnan(value):
        return value - ideal
    if ratio:
        value, ideal = _log(value), _log(ideal)
        limits = (_log(limits[0]), _log(limits[1]))
    unit = _side_distance(limits, value, ideal)
    if unit == 0 or math.isinf(value):
        return math.copysign(math.inf, value - ideal)
    return round((value - ideal) / unit, 12)


def _log(value: float) -> float:
    return math.log(value) if value > 0 else -math.inf
