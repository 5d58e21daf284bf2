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

    Parameters
    ----------
    value, ideal : float
        The value, and the one at which groups are alike.
    acceptable : tuple of (float, float)
        The acceptable interval, drawn from 0 to 1.
    moderate : tuple of (float, float) or None
        The moderate interval, drawn from 1 to 2; None where there is none.

    Returns
    -------
    float
        Linear in the first two zones; beyond them from 2 (from 1, without a
        moderate interval) to 3, which stands for infinite.

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

    Parameters
    ----------
    low, high : float
        Where the ends stand, signed: the ideal at ``ideal``.
    ideal : float
        Where the ideal stands.

    Returns
    -------
    tuple of (float, float)
        The ends by their distance, the nearer one first; the ideal itself where it
        lies inside.

    Examples
    --------
    >>> reach(-1.0, 3.0, 0.0), reach(-3.0, -1.0, 0.0)
    ((0.0, 3.0), (-1.0, -3.0))
    """
    near, far = sorted((low, high), key=lambda end: abs(end - ideal))
    return (ideal if low <= ideal <= high else near), far


def limit_units(value: float, ideal: float, limits: Interval, *, ratio: bool) -> float:
    """Return the distance from the ideal in units of the acceptable distance.

    Parameters
    ----------
    value, ideal : float
        The value, and the one at which groups are alike.
    limits : tuple of (float, float)
        The acceptable interval.
    ratio : bool
        Whether to measure by the logarithm, so that 1/2 is as far from 1 as 2.

    Returns
    -------
    float
        Signed; from -1 to 1 within the limits, and infinite where there is no
        acceptable distance on the value's side.

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
