"""Intervals against published worked examples, and against formulas done by hand.

The published ones were also seen with statsmodels 0.15: ``proportion_confint(...,
method="wilson")`` and ``confint_proportions_2indep(..., compare="diff", method="newcomb")``.
"""

from collections.abc import Callable
from math import exp, hypot, inf, log, sqrt

import pytest
from scipy.special import ndtr
from scipy.stats import beta, t as student

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_interval
from skfair_ofi.inference._differences import limit_differences
from skfair_ofi.inference._largest_gap import find_lower_quantile
from skfair_ofi.inference._limits import sample_rate

Table = Callable[..., OutcomeCounts]
Z = 1.959963984540054


def wilson(hits: int, people: int) -> tuple[float, float]:
    """Return Wilson's limits."""
    share = hits / people
    center, half = people * share + Z**2 / 2, Z * sqrt(people * share * (1 - share) + Z**2 / 4)
    return (center - half) / (people + Z**2), (center + half) / (people + Z**2)


def jeffreys(hits: int, people: int, z: float = Z) -> tuple[float, float]:
    """Return Jeffreys' limits."""
    low, high = beta.ppf(ndtr([-z, z]), hits + 0.5, people - hits + 0.5).tolist()
    return low, high


@pytest.mark.parametrize(
    ("hits", "people", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_single_proportions(
    selected: Table, hits: int, people: int, low: float, high: float
) -> None:
    """Method 3 in table I of Newcombe 1998, "Two-sided confidence intervals"."""
    interval = confidence_interval(selected((hits, people)), "selection_rate")
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    assert interval.method == "Wilson"


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_differences_of_proportions(
    selected: Table, first: tuple[int, int], second: tuple[int, int], low: float, high: float
) -> None:
    """Wilson's limits of both, added in squares: method 10 in table II of Newcombe 1998.

    "Interval estimation for the difference between independent proportions".
    """
    i, j = (confidence_interval(selected(pair), "selection_rate") for pair in (first, second))
    gap = i.estimate - j.estimate
    down = hypot(i.estimate - i.low, j.high - j.estimate)
    up = hypot(i.high - i.estimate, j.estimate - j.low)
    assert (gap - down, gap + up) == pytest.approx((low, high), abs=5e-5)


def test_default_difference_adds_jeffreys_limits_in_squares(selected: Table) -> None:
    """MOVER-J of Laud 2017: equal tails of beta distributions, added in squares."""
    table = selected((56, 70), (48, 80))
    interval = confidence_interval(table, "statistical_parity_difference", privileged="b")
    (low_i, high_i), (low_j, high_j) = jeffreys(56, 70), jeffreys(48, 80)
    assert interval.low == pytest.approx(0.2 - hypot(0.8 - low_i, high_j - 0.6))
    assert interval.high == pytest.approx(0.2 + hypot(high_i - 0.8, 0.6 - low_j))


def test_ratio_by_logs_of_wilson_limits(selected: Table) -> None:
    """Distances to the limits on the scale of logarithms are added in squares."""
    interval = confidence_interval(selected((36, 40), (16, 80)), "disparate_impact", privileged="b")
    (low_i, high_i), (low_j, high_j) = wilson(36, 40), wilson(16, 80)
    ratio = log(0.9 / 0.2)
    assert log(interval.low) == pytest.approx(ratio - hypot(log(0.9 / low_i), log(high_j / 0.2)))
    assert log(interval.high) == pytest.approx(ratio + hypot(log(high_i / 0.9), log(0.2 / low_j)))


def test_ratio_with_no_one_selected(selected: Table) -> None:
    """No one among 10 stands for half a person on the scale of logarithms."""
    table = selected((0, 10), (5, 10))
    interval = confidence_interval(table, "disparate_impact", privileged="b")
    low_j, high_i = wilson(5, 10)[0], wilson(0, 10)[1]
    upper = log(0.5 / 11 / 0.5) + hypot(log(high_i * 22), log(0.5 / low_j))
    assert (interval.low, interval.high) == (0.0, pytest.approx(exp(upper)))
    turned = confidence_interval(table, "disparate_impact", privileged="a")
    assert (turned.low, turned.high) == (pytest.approx(exp(-upper)), inf)
    assert turned.estimate == inf


def test_objective_fairness_index_is_adjusted_wald(errors: Table) -> None:
    """Half a false positive and half a false negative join each group of 30 or more."""
    table = errors((5, 2, 33), (9, 14, 37))
    interval = confidence_interval(table, "objective_fairness_index", privileged="b")
    first, second = 3 / 41, -5 / 61
    variance = (8 / 41 - first**2) / 41 + (24 / 61 - second**2) / 61
    half = Z * sqrt(variance)
    assert interval.low == pytest.approx(first - second - half)
    assert interval.high == pytest.approx(first - second + half)
    assert interval.method == "adjusted Wald"


def benefit_limits(fp: int, fn: int, people: int) -> tuple[float, float, float]:
    """Return a marginal benefit with its score limits."""
    mean, errors = (fp - fn) / people, (fp + fn + 2) / (people + 2)
    root = Z * sqrt((people + Z**2) * errors - people * mean**2)
    low, high = ((people * mean + sign * root) / (people + Z**2) for sign in (-1, 1))
    return mean, low, high


def test_marginal_benefit_is_by_score(errors: Table) -> None:
    """The limits solve (b - mean)^2 = z^2 (share of errors - b^2) / n."""
    interval = confidence_interval(errors((5, 2, 33)), "marginal_benefit")
    mean, low, high = benefit_limits(5, 2, 40)
    assert (interval.low, interval.high) == pytest.approx((low, high))
    for end in (low, high):
        assert 40 * (end - mean) ** 2 == pytest.approx(Z**2 * (9 / 42 - end**2))


def test_small_groups_take_score_limits(errors: Table) -> None:
    """Below 30 people in a group, score limits are put together in squares."""
    table = errors((5, 2, 13), (9, 14, 37))
    interval = confidence_interval(table, "objective_fairness_index", privileged="b")
    first, low_i, high_i = benefit_limits(5, 2, 20)
    second, low_j, high_j = benefit_limits(9, 14, 60)
    gap = first - second
    assert interval.low == pytest.approx(gap - hypot(first - low_i, high_j - second))
    assert interval.high == pytest.approx(gap + hypot(high_i - first, second - low_j))
    assert interval.method == "MOVER of score limits"


def test_odds_of_errors(errors: Table) -> None:
    """The treatment ratio takes Wilson's limits of the share of false negatives, as odds."""
    interval = confidence_interval(errors((8, 12, 5)), "treatment_ratio")
    low, high = wilson(12, 20)
    assert (interval.low, interval.high) == pytest.approx((low / (1 - low), high / (1 - high)))


def test_differences_of_odds(errors: Table) -> None:
    """Distances of both odds, with half a person more on each side, are added in squares."""
    table = errors((8, 12, 5), (10, 4, 5))
    interval = confidence_interval(table, "treatment_equality_difference", privileged="b")
    (low_i, high_i), (low_j, high_j) = (
        [share / (1 - share) for share in jeffreys(*pair)] for pair in ((12, 20), (4, 14))
    )
    first, second = 12.5 / 8.5, 4.5 / 10.5
    assert interval.low == pytest.approx(first - second - hypot(first - low_i, high_j - second))
    assert interval.high == pytest.approx(first - second + hypot(high_i - first, second - low_j))
    assert interval.method == "MOVER of Jeffreys odds"


def test_infinite_odds_start_from_half_a_person(errors: Table) -> None:
    """No false positives among 9 errors: the lower end starts from 9.5 for half a person."""
    table = errors((0, 9, 5), (10, 4, 5))
    interval = confidence_interval(table, "treatment_equality_difference", privileged="b")
    low_i, high_j = jeffreys(9, 9)[0], jeffreys(4, 14)[1]
    second = 4.5 / 10.5
    down = hypot(19 - low_i / (1 - low_i), high_j / (1 - high_j) - second)
    assert interval.low == pytest.approx(19 - second - down)
    assert interval.high == inf


def test_average_odds_adds_both_rates() -> None:
    """The mean of two rates has half of both distances, added in squares."""
    table = OutcomeCounts(["a"], [[[[30], [10]], [[5], [15]]]])
    interval = confidence_interval(table, "average_odds")
    (low_p, high_p), (low_n, high_n) = wilson(15, 20), wilson(10, 40)
    assert interval.low == pytest.approx(0.5 - hypot(0.75 - low_p, 0.25 - low_n) / 2)
    assert interval.high == pytest.approx(0.5 + hypot(high_p - 0.75, high_n - 0.25) / 2)


def scored() -> tuple[list[float], list[float], OutcomeCounts]:
    """Return scores of two groups and their table."""
    first, second = [2.0, 4.0, 9.0, 5.5], [1.0, 3.5, 4.0, 2.0, 6.0, 5.0]
    table = OutcomeCounts.from_arrays(
        y_score=first + second, sensitive_features=["a"] * len(first) + ["b"] * len(second)
    )
    return first, second, table


def moments(values: list[float]) -> tuple[float, float]:
    """Return the mean and its variance."""
    mean = sum(values) / len(values)
    spread = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, spread / len(values)


def test_mean_scores_take_students_t() -> None:
    """Sums and sums of squares are all that the t interval of a mean needs."""
    first, _, table = scored()
    interval = confidence_interval(table.pick("a"), "mean_score")
    mean, variance = moments(first)
    half = student.ppf(0.975, len(first) - 1) * sqrt(variance)
    assert (interval.low, interval.high) == pytest.approx((mean - half, mean + half))


def test_differences_of_mean_scores_take_welch() -> None:
    """Degrees of freedom are those of Welch and Satterthwaite."""
    first, second, table = scored()
    table = OutcomeCounts(
        table.groups,
        table.cells.repeat(2, axis=2) * [[[[1], [0]]]],
        score_sums=table.score_sums.repeat(2, axis=2) * [[[[1], [0]]]],
        score_squares=table.score_squares.repeat(2, axis=2) * [[[[1], [0]]]],
    )
    interval = confidence_interval(table, "mean_difference", privileged="b")
    (mean_i, variance_i), (mean_j, variance_j) = moments(first), moments(second)
    total = variance_i + variance_j
    degrees = total**2 / (variance_i**2 / (len(first) - 1) + variance_j**2 / (len(second) - 1))
    half = student.ppf(0.975, degrees) * sqrt(total)
    gap = mean_i - mean_j
    assert (interval.low, interval.high) == pytest.approx((gap - half, gap + half))
    assert interval.method == "Welch"


def test_relative_disparity_follows_from_the_ratio() -> None:
    """(r - 1) / (r + 1) of the ends of the ratio of flip rates."""
    table = OutcomeCounts(["a", "b"], [[[[30, 10], [10, 30]]], [[[50, 4], [6, 60]]]])
    index = confidence_interval(table, "flip_disparity_index")
    relative = confidence_interval(table, "relative_flip_disparity")
    ends = [(end - 1) / (end + 1) for end in (index.low, index.high)]
    assert (relative.low, relative.high) == pytest.approx(ends)


def test_gap_over_the_flip_rate_of_all_follows_from_the_ratio_of_two_groups() -> None:
    """Of two groups, (r - 1) / (w_i r + w_j) of the ends of the ratio, nearly."""
    table = OutcomeCounts(["a", "b"], [[[[300, 100], [100, 300]]], [[[500, 40], [60, 600]]]])
    index = confidence_interval(table, "flip_disparity_index")
    overall = confidence_interval(table, "flip_rate_disparity")
    ends = [(end - 1) / (0.4 * end + 0.6) for end in (index.low, index.high)]
    assert (overall.low, overall.high) == pytest.approx(ends, rel=0.01)


def test_gap_of_harmful_shares_over_the_flip_rate_is_fieller_like() -> None:
    """At the ends, 0 is a limit of the gap minus the quotient times the flip rate."""
    table = OutcomeCounts(["a", "b"], [[[[30, 10], [20, 30]]], [[[50, 14], [6, 60]]]])
    interval = confidence_interval(table, "harmful_flip_disparity")
    gaps = limit_differences(sample_rate("harmful_flip_proportion", table)).lower
    z = find_lower_quantile([gaps], 0.95, 2)
    low_i, high_j, high = jeffreys(20, 30, z)[0], jeffreys(6, 20, z)[1], jeffreys(50, 220, z)[1]
    high_i, low_j, low = jeffreys(20, 30)[1], jeffreys(6, 20)[0], jeffreys(50, 220)[0]
    gap, rate = 20 / 30 - 6 / 20, 50 / 220
    lower, upper = interval.low, interval.high
    down = sqrt((20 / 30 - low_i) ** 2 + (high_j - 0.3) ** 2 + (lower * (high - rate)) ** 2)
    up = sqrt((high_i - 20 / 30) ** 2 + (0.3 - low_j) ** 2 + (upper * (rate - low)) ** 2)
    assert gap - lower * rate == pytest.approx(down)
    assert upper * rate - gap == pytest.approx(up)
