"""Avoidable flips, against brute force, cases by hand and laws."""

from typing import Any

import numpy as np
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from hypothesis import given, settings, strategies as st
from sklearn.linear_model import LogisticRegression

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.datasets import load_compas
from skfair_ofi.flips import AvoidableFlips, avoidable_flips, avoidable_flips_by_score
from skfair_ofi.metrics import METRICS
from skfair_ofi.postprocessing import CorrectedClassifier, FlipOptimizer, Groups, Response

FAIRNESS = ("demographic_parity", "equal_opportunity", "equalized_odds", "error_parity")
BOTH = ("accuracy", "harmful_flip_rate")


def make_table(seed: int) -> OutcomeCounts:
    """A correction that flips at random."""
    cells = np.random.default_rng(seed).integers(1, 30, (2, 2, 2, 2))
    return OutcomeCounts(["a", "b"], cells)


def make_arrays(seed: int, n: int = 200) -> dict[str, Any]:
    """The same as arrays with scores."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b", "c"], n)
    score = rng.normal(size=n) + 0.7 * (group == "a")
    y_pred = (score > 0.3).astype(int)
    return {
        "y_true": (score + rng.normal(size=n) > 0.3).astype(int),
        "y_pred": y_pred,
        "y_corrected": np.where(rng.random(n) < 0.15, 1 - y_pred, y_pred),
        "y_score": score,
        "sensitive_features": group,
    }


def test_a_case_by_hand() -> None:
    """Three lifted and three lowered in group a for nothing: one lift would have done."""
    counts = OutcomeCounts(
        ["a", "b"],
        [[[[3, 1], [0, 0]], [[1, 1], [1, 3]]], [[[2, 0], [0, 0]], [[2, 0], [0, 6]]]],
    )
    # a: ten people, four selected, after 2 lifts and 1 lowering five; b: six of ten
    found = avoidable_flips(counts, keep=())
    assert found.gap == pytest.approx(0.1)
    assert (found.people, found.flips) == (20, 3)
    assert found.blind == pytest.approx(1, abs=1e-4)
    assert found.hindsight == pytest.approx(1, abs=1e-4)
    assert found.avoidable == pytest.approx(2, abs=1e-4)
    assert found.share == pytest.approx(2 / 3, abs=1e-4)
    assert str(found).startswith("This correction flipped 3 of 20 people; 1 would have reached")


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(FAIRNESS), st.sampled_from([(), BOTH]))
def test_laws_of_tables(seed: int, fairness: str, keep: Any) -> None:
    """Hindsight needs no more than was done, nor than a rule without it; keeping costs flips."""
    rng = np.random.default_rng(seed)
    n_groups = int(rng.integers(2, 4))
    cells = rng.integers(0, 30, (n_groups, 2, 2, 2))
    cells[:, :, 0, 0] += 1
    counts = OutcomeCounts(list("abc")[:n_groups], cells)
    found = avoidable_flips(counts, fairness, keep=keep)
    room = 1e-5 * counts.n
    assert 0 <= found.hindsight <= found.flips + room
    assert np.isnan(found.blind) or found.hindsight <= found.blind + room
    assert avoidable_flips(counts, fairness, keep=()).hindsight <= found.hindsight + room
    assert 0 <= found.avoidable <= found.flips
    twice = avoidable_flips(counts + counts, fairness, keep=keep)
    assert twice.hindsight == pytest.approx(2 * found.hindsight, abs=2 * room)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10**6), st.sampled_from(FAIRNESS))
def test_laws_of_scores(seed: int, fairness: str) -> None:
    """A rule on scores needs no more than hindsight does at least; tables agree."""
    arrays = make_arrays(seed)
    found = avoidable_flips_by_score(**arrays, fairness=fairness, keep=())
    score = arrays.pop("y_score")
    table = avoidable_flips(OutcomeCounts.from_arrays(**arrays), fairness, keep=())
    assert (found.flips, found.gap) == (table.flips, table.gap)
    assert found.blind == pytest.approx(table.blind, abs=1e-6, nan_ok=True)
    assert found.by_score >= found.hindsight - 1e-3
    swapped = arrays | {"y_score": score, "pos_label": 1}
    again = avoidable_flips_by_score(**swapped, fairness=fairness, keep=())
    assert again.by_score == found.by_score


def test_the_least_for_a_gap_is_what_the_optimizer_finds() -> None:
    """One threshold a group flips more than a mixture at the gap that it reaches."""
    arrays = make_arrays(1, n=1000)
    keys, codes = np.unique(arrays["sensitive_features"], return_inverse=True)
    response = Response(arrays["y_pred"], {"decision_function": lambda: arrays["y_score"]})
    single = FlipOptimizer("equalized_odds", single_threshold=True)
    groups = Groups(codes, tuple(keys.tolist()))
    arrays["y_corrected"] = single.fit(arrays["y_true"], response, groups).correct(response, groups)
    found = avoidable_flips_by_score(**arrays, fairness="equalized_odds", keep=())
    mixed = FlipOptimizer("equalized_odds", tolerance=found.gap, slack=0.0)
    least = mixed.fit(arrays["y_true"], response, groups).least_flips_ * 1000
    assert found.by_score == pytest.approx(least, abs=1e-2)
    assert found.by_score < found.flips


def test_a_correction_in_expectation() -> None:
    """Fairlearn's equalized odds on COMPAS flips more than was needed at the same accuracy."""
    X, y = load_compas(return_X_y=True)
    two = X["race"].isin(["African-American", "Caucasian"])
    X, y = X.loc[two, ["race", "priors_count"]], y[two]
    model = CorrectedClassifier(
        LogisticRegression(),
        ThresholdOptimizer(constraints="equalized_odds"),
        sensitive_features="race",
        pos_label=0,
        drop_sensitive_features=True,
    ).fit(X, y)
    found = avoidable_flips(model.expected_counts(X, y), "equalized_odds", keep=())
    assert found.avoidable > 0.05 * found.flips
    assert found.flips / found.people == pytest.approx(
        METRICS["flip_rate"].of(model.expected_counts(X, y))
    )


def test_nothing_flipped_is_nothing_avoidable() -> None:
    """A share of no flips is undefined."""
    arrays = make_arrays(0)
    arrays["y_corrected"] = arrays["y_pred"]
    found = avoidable_flips_by_score(**arrays)
    assert (found.flips, found.avoidable) == (0, 0)
    assert np.isnan(found.share)
    assert str(found).endswith("no fewer are known to reach the same gap of demographic_parity.")


def test_what_is_not_proven_is_not_avoidable() -> None:
    """Where a rule on the table needs more flips, or there is none, nothing is said."""
    found = AvoidableFlips("equalized_odds", 0.1, (), 100, 10, np.nan, 4.0)
    assert (found.least, found.avoidable) == (10, 0)
    assert AvoidableFlips("equalized_odds", 0.1, (), 100, 10, 12.0, 4.0).avoidable == 0


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        (make_table(0).before, {}, r"counts must be of all three labels, got roles .*\."),
        (OutcomeCounts(["a"], np.zeros((1, 2, 2, 2))), {}, "counts must have people, got none."),
        (make_table(0), {"keep": ["speed"]}, "keep must be one of .*, got 'speed'.*"),
        (make_table(0), {"fairness": "parity"}, "fairness must name a measure, got 'parity'.*"),
    ],
)
def test_wrong_arguments_are_errors(counts: OutcomeCounts, options: Any, message: str) -> None:
    """Each says what it must be."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        avoidable_flips(counts, **options)


def test_scores_have_to_be_finite() -> None:
    """NaN has no place in an order."""
    arrays = make_arrays(0)
    arrays["y_score"] = np.full(200, np.nan)
    with pytest.raises(ValueError, match=r"^y_score must be finite, got nan\.$"):
        avoidable_flips_by_score(**arrays)
