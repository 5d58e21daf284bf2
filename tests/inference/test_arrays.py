"""Intervals of arrays are those of their table."""

import numpy as np
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_interval, interval_of
from skfair_ofi.metrics import METRICS

RNG = np.random.default_rng(0)
ARRAYS = {name: RNG.integers(0, 2, 200) for name in ("y_true", "y_pred", "y_corrected")}
ARRAYS["y_score"] = RNG.random(200)
GROUPS = RNG.choice(list("abc"), 200)
TAKEN = {
    "label": ("y_true", "y_pred"),
    "flip": ("y_pred", "y_corrected"),
    "score": ("y_true", "y_score"),
}


@pytest.mark.parametrize("weight", [None, RNG.uniform(0.5, 2, 200)], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", METRICS)
def test_arrays_are_counted_first(name: str, weight: np.ndarray | None) -> None:
    """The measure's own arrays, in its order, give the interval of the table that counts them."""
    names = dict.fromkeys(TAKEN[METRICS[name].family])
    extra = {"y_true": ARRAYS["y_true"]} if METRICS[name].family == "flip" else {}
    found = interval_of(
        METRICS[name].function,
        *(ARRAYS[each] for each in names),
        **extra,
        sensitive_features=GROUPS,
        sample_weight=weight,
        level=0.9,
    )
    given = {each: ARRAYS[each] for each in names} | extra
    counts = OutcomeCounts.from_arrays(**given, sensitive_features=GROUPS, sample_weight=weight)
    assert repr(found) == repr(confidence_interval(name, counts, level=0.9))


def test_options_are_handed_on() -> None:
    """Privileged group, method and seed reach the interval of the table."""
    options = {"privileged": "a", "method": "bootstrap", "n_resamples": 50, "random_state": 1}
    arrays = (ARRAYS["y_true"], ARRAYS["y_pred"])
    found = interval_of("disparate_impact", *arrays, sensitive_features=GROUPS, **options)
    counts = OutcomeCounts.from_arrays(*arrays, sensitive_features=GROUPS)
    assert found == confidence_interval("disparate_impact", counts, **options)
