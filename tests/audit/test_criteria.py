from math import nan

import pandas as pd
import pytest

from skfair_ofi.audit import Audit, Criterion, Grouping
from skfair_ofi.metrics import METRICS

COMPARISONS = [name for name, metric in METRICS.items() if metric.kind == "comparison"]


@pytest.mark.parametrize("measure", COMPARISONS)
def test_value_at_a_bound_meets_it(measure: str) -> None:
    """Bounds are included, and the next float beyond is not met, in verdict and sentence."""
    criterion = Criterion(measure, at_least=0.1, at_most=0.3)
    for value, verdict in [
        (0.1, "within bounds"),
        (0.3, "within bounds"),
        (0.09999999, "outside bounds"),
        (0.30000001, "outside bounds"),
    ]:
        assert criterion.judge(value) == verdict
    assert criterion.explain(0.3) == "0.300 is between 0.1 and 0.3"
    assert criterion.explain(0.30000001) == "0.30000001 is above 0.3"
    assert criterion.explain(0.09999999) == "0.09999999 is below 0.1"


@pytest.mark.parametrize("measure", COMPARISONS)
def test_default_bounds_are_those_of_the_registry(measure: str) -> None:
    """A measure's own bounds are its acceptable band; without one, nothing is judged."""
    criterion, bands = Criterion.default(measure), METRICS[measure].bands
    if bands is None:
        assert (criterion.judge(9.0), criterion.explain(9.0)) == (
            "no bound",
            "9.000; no bound is set",
        )
    else:
        assert (criterion.at_least, criterion.at_most) == bands.acceptable


def test_undefined_is_neither_met_nor_failed() -> None:
    """An undefined value has a verdict of its own, and its reason."""
    criterion = Criterion("disparate_impact", at_least=0.8)
    assert criterion.judge(nan) == "undefined"
    assert criterion.explain(nan, reason="no people in group 'a'") == (
        "undefined: no people in group 'a'"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"measure": "selection_rate"}, r"measure must name a comparison, got 'selection_rate'\."),
        ({"at_least": 1, "at_most": 0}, r"at_least must not be above at_most, got 1\.0 and 0\.0\."),
        ({"at_least": nan}, r"at_least must be a number, got nan\."),
        ({"at_most": "1"}, r"at_most must be a number, got '1'\."),
        ({"at_most": True}, r"at_most must be a number, got True\."),
        (
            {"npv_gap_larger": True},
            r"npv_gap_larger must be for conditional_use_accuracy_difference only, got .*\.",
        ),
    ],
)
def test_faults(arguments: dict[str, object], message: str) -> None:
    """A criterion that is no range of a comparison is refused."""
    with pytest.raises(ValueError, match=message):
        Criterion(**{"measure": "disparate_impact", **arguments})  # type: ignore[arg-type]


@pytest.mark.parametrize("distance", [-0.1, 1.0, 2.0])
def test_within_of_a_ratio(distance: float) -> None:
    """A ratio's distance is a share below 1."""
    with pytest.raises(ValueError, match=r"within must be at least 0 and below 1, got .*\."):
        Criterion.within("disparate_impact", distance)


def test_exactly_four_fifths_is_met() -> None:
    """4 of 50 against 5 of 50 is exactly 4/5; 8 of 101 against 10 of 100 is below."""

    def run(selected: int, n: int) -> str:
        frame = pd.DataFrame(
            {
                "g": ["p"] * 50 + ["u"] * n,
                "y": [1] * 5 + [0] * 45 + [1] * selected + [0] * (n - selected),
            }
        )
        return (
            Audit(positive="y == 1", groups="g", preset="four-fifths")
            .run(frame)
            .findings[0]
            .verdict
        )

    assert (run(4, 50), run(4, 51)) == ("within bounds", "outside bounds")


@pytest.mark.parametrize(("group", "verdict"), [("u", "within bounds"), ("p", "outside bounds")])
def test_larger_gap_of_npv(group: str, verdict: str) -> None:
    """Yuan2024's addition asks that the PPV gap be below the NPV gap."""
    # PPV 1 and 1, NPV 1 and 1/2; with labels swapped it is the other way round.
    rows = {
        "u": [(1, 1), (0, 0), (1, 1), (1, 0), (0, 0)],
        "p": [(0, 0), (1, 1), (0, 0), (0, 1), (1, 1)],
    }
    frame = pd.DataFrame(rows[group], columns=["y", "p"]).assign(g=list("aabbb"))
    criterion = Criterion("conditional_use_accuracy_difference", at_most=0.5, npv_gap_larger=True)
    audit = Audit(
        truth="y == 1", positive="p == 1", groups=Grouping("g", reference="a"), criteria=[criterion]
    )
    finding = audit.run(frame).findings[0]
    assert (finding.value, finding.verdict) == (0.5, verdict)
    assert ("in range, but the NPV gap is not the larger one" in finding.sentence) == (
        verdict == "outside bounds"
    )
