"""Measures of scores: which people are compared, and what is refused."""

from math import inf, isnan
from typing import Any

import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skfair_ofi.metrics import (
    calibration_difference,
    mean_score,
    mean_score_negatives,
    mean_score_positives,
)

TRUE, SCORE = [1, 0, 1, 1, 1, 0], [5, 6, 1, 5, 7, 9]
OPTIONS: dict[str, Any] = {"sensitive_features": list("aaabbb"), "privileged": "b"}


@pytest.mark.parametrize(
    ("score_range", "value"),
    [
        ((5, 7), 1 / 2 - 2 / 2),
        ((5.0, 6.9), 1 / 2 - 1),
        ((5, 9), 1 / 2 - 2 / 3),
        ((1, 5), 1 - 1),
        ((6, 9), 0 - 1 / 2),
        ((-inf, inf), 0),
        ([5, 7], 1 / 2 - 2 / 2),
    ],
)
def test_calibration_range(score_range: Any, value: float) -> None:
    """Both ends of the range are inside it."""
    found = calibration_difference(TRUE, SCORE, score_range=score_range, **OPTIONS)
    assert found == pytest.approx(value, abs=1e-15)


def test_calibration_under_a_condition() -> None:
    """A further condition leaves out more of the people in the range."""
    where = [True, False, True, True, True, True]
    found = calibration_difference(TRUE, SCORE, score_range=(5, 9), where=where, **OPTIONS)
    assert found == pytest.approx(1 - 2 / 3)


def test_calibration_without_people_in_the_range() -> None:
    """A group without people in the range has nothing to compare."""
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"^calibration_difference is undefined: no people in group 'b'\.$",
    ):
        assert isnan(calibration_difference(TRUE, SCORE, score_range=(1, 4), **OPTIONS))


@pytest.mark.parametrize("where", [[True, True], [True], [True] * 7])
def test_condition_of_another_length(where: list[bool]) -> None:
    """A condition has one value for each row, and is never stretched."""
    with pytest.raises(
        ValueError,
        match=rf"^Arrays must have the same number of rows, got .*where {len(where)}.*\.$",
    ):
        calibration_difference(TRUE, SCORE, score_range=(5, 7), where=where, **OPTIONS)


@pytest.mark.parametrize("score_range", [(7, 5), 5, (5, 6, 7), None, ("a", "b"), (5, float("nan"))])
def test_what_is_no_range(score_range: Any) -> None:
    """A range is two numbers in order."""
    with pytest.raises(ValueError, match=r"^score_range must be .*, got .*\.$"):
        calibration_difference(TRUE, SCORE, score_range=score_range, **OPTIONS)


def test_means() -> None:
    """Means of scores, of everyone and by true label."""
    assert mean_score(TRUE, SCORE) == 33 / 6
    assert mean_score_positives(TRUE, SCORE) == 18 / 4
    assert mean_score_negatives(TRUE, SCORE) == 15 / 2
    assert mean_score(TRUE, SCORE, sample_weight=[2, 0, 0, 0, 0, 1]) == 19 / 3


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ([1, float("nan")], r"^y_score must be finite, got nan at row 1\.$"),
        ([1, inf], r"^y_score must be finite, got inf at row 1\.$"),
        (["low", "high"], r"^y_score must hold numbers, got .*\.$"),
        ([1, 2, 3], r"^Arrays must have the same number of rows, got .*y_score 3\.$"),
        (None, r"^y_score must be given, got None\.$"),
    ],
)
def test_refused_scores(score: Any, message: str) -> None:
    """Scores are finite numbers, one a row."""
    with pytest.raises(ValueError, match=message):
        mean_score([1, 0], score)
