"""The same value has the same verdict and the same digits wherever it is judged."""

from math import inf, nan

import pytest

from skfair_ofi._text import show_number
from skfair_ofi.audit import Criterion
from skfair_ofi.metrics import METRICS, Bands, get_metric

# A value, what is said of it within 0.2 of a difference's ideal, and of a ratio's.
TABLE = [
    (-inf, "outside bounds", "outside bounds"),
    (-0.25, "outside bounds", "outside bounds"),
    (-0.2000001, "outside bounds", "outside bounds"),
    (-0.2, "within bounds", "outside bounds"),
    (-0.1999999, "within bounds", "outside bounds"),
    (-0.0, "within bounds", "outside bounds"),
    (0.0, "within bounds", "outside bounds"),
    (0.05557, "within bounds", "outside bounds"),
    (0.2, "within bounds", "outside bounds"),
    (0.1 + 0.1 + 1e-16, "within bounds", "outside bounds"),
    (0.2000001, "outside bounds", "outside bounds"),
    (0.79, "outside bounds", "outside bounds"),
    (0.7999999, "outside bounds", "outside bounds"),
    (0.8 - 1e-16, "outside bounds", "within bounds"),
    (0.8, "outside bounds", "within bounds"),
    (1.0, "outside bounds", "within bounds"),
    (1.25, "outside bounds", "within bounds"),
    (1.25 + 1e-15, "outside bounds", "within bounds"),
    (1.2500001, "outside bounds", "outside bounds"),
    (9.0, "outside bounds", "outside bounds"),
    (inf, "outside bounds", "outside bounds"),
    (nan, "undefined", "undefined"),
]


@pytest.mark.parametrize(("value", "difference", "ratio"), TABLE)
def test_audit_and_bands_say_the_same(value: float, difference: str, ratio: str) -> None:
    """A criterion of an audit and the bands of report and watch agree, and so do their digits."""
    for name, verdict in (("statistical_parity_difference", difference), ("DI", ratio)):
        criterion = Criterion.within(name, 0.2)
        ideal = criterion.metric.ideal
        assert ideal is not None
        bands = Bands.within(0.2, ideal=ideal)
        assert (criterion.at_least, criterion.at_most) == bands.acceptable
        assert (criterion.judge(value), bands.judge(value)) == (verdict, verdict)
        shown = criterion.show(value)
        assert shown == show_number(value, bands.acceptable)
        assert shown in criterion.explain(value)


def test_bounds_of_the_registry_are_those_of_criteria() -> None:
    """What a report judges by is what a criterion without bounds of its own judges by."""
    for metric in METRICS.values():
        if metric.kind == "comparison" and metric.bands is not None:
            criterion = Criterion.default(metric.symbol)
            assert criterion.metric is get_metric(metric.name)
            assert (criterion.at_least, criterion.at_most) == metric.bands.acceptable
