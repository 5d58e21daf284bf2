from math import inf, isnan, nan

import pytest

from skfair_ofi.metrics import METRICS, Bands, Range, read_together, tone_of

DIFFERENCE = Bands.within(0.05, 0.15)
RATIO = Bands.within(0.2, ideal=1.0)


@pytest.mark.parametrize(
    ("bands", "value", "verdict"),
    [
        (DIFFERENCE, 0.0, "within bounds"),
        (DIFFERENCE, 0.05, "within bounds"),
        (DIFFERENCE, -0.05, "within bounds"),
        (DIFFERENCE, 0.05 * (1 + 1e-13), "within bounds"),
        (DIFFERENCE, 0.05 * (1 + 1e-11), "moderate"),
        (DIFFERENCE, -0.15, "moderate"),
        (DIFFERENCE, 0.1501, "outside bounds"),
        (DIFFERENCE, inf, "outside bounds"),
        (DIFFERENCE, -inf, "outside bounds"),
        (DIFFERENCE, nan, "undefined"),
        (RATIO, 0.8, "within bounds"),
        (RATIO, 4 * 0.1 / (5 * 0.1), "within bounds"),
        (RATIO, 1.25, "within bounds"),
        (RATIO, 0.799, "outside bounds"),
        (RATIO, 1.251, "outside bounds"),
        (RATIO, 0.0, "outside bounds"),
        (RATIO, inf, "outside bounds"),
        (RATIO, nan, "undefined"),
        (Bands((0.8, inf)), inf, "within bounds"),
        (Bands((-inf, 0.1)), -inf, "within bounds"),
    ],
)
def test_verdict_of_a_value(bands: Bands, value: float, verdict: str) -> None:
    """Both ends belong to a range, up to the last digits of sums; a ratio's goes both ways."""
    assert bands.judge(value) == verdict
    if not isnan(value):
        assert bands.judge_interval(value, value) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.05, 0.05, "within bounds"),
        (0.0, 0.05 + 1e-15, "within bounds"),
        (0.05, 0.06, "uncertain"),
        (-0.06, -0.05, "uncertain"),
        (0.06, 0.15, "moderate"),
        (-0.1, 0.1, "uncertain"),
        (-0.2, 0.2, "uncertain"),
        (0.16, inf, "outside bounds"),
        (-inf, inf, "uncertain"),
        (nan, nan, "undefined"),
    ],
)
def test_verdict_of_an_interval(low: float, high: float, verdict: str) -> None:
    """A verdict holds for every value inside, or it is uncertain."""
    assert DIFFERENCE.judge_interval(low, high) == verdict


@pytest.mark.parametrize("distance", [-0.1, 1, 2])
def test_ratios_have_no_such_distance(distance: float) -> None:
    """A rate cannot fall short of another by all of it, or by less than nothing."""
    with pytest.raises(ValueError, match=r"must be at least 0 and below 1, got .*\.$"):
        Range.within(distance, ideal=1.0)


def test_published_bands_of_indices_stay() -> None:
    """The source gives these ranges by distance, so they are not those of a ratio both ways."""
    bands = METRICS["flip_disparity_index"].bands
    assert bands == Bands((0.9, 1.1), (0.7, 1.3))


@pytest.mark.parametrize(
    ("ofi", "di", "kind"),
    [
        ("within bounds", "within bounds", "neither"),
        ("within bounds", "outside bounds", "systemic"),
        ("outside bounds", "within bounds", "algorithmic"),
        ("moderate", "outside bounds", "both"),
        ("uncertain", "within bounds", "uncertain"),
        ("undefined", "uncertain", "undefined"),
        ("within bounds", None, "undefined"),
    ],
)
def test_reading_of_both(ofi: str, di: str | None, kind: str) -> None:
    """OFI and DI say where a disparity arises, unless a verdict is missing."""
    found, words = read_together(ofi, di)
    assert found == kind
    assert ("cannot be read together" in words) == (kind in ("uncertain", "undefined"))


def test_tones() -> None:
    """Only verdicts on a range praise or blame."""
    verdicts = ["within bounds", "moderate", "outside bounds", "undefined", "no flips", None]
    assert [tone_of(verdict) for verdict in verdicts] == [
        "good", "middling", "bad", "unknown", "unknown", "unknown"
    ]  # fmt: skip
