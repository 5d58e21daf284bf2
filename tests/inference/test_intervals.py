"""Laws that hold for the interval of every measure, and what the functions take and refuse."""

from collections.abc import Callable
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import Interval, confidence_interval, confidence_intervals
from skfair_ofi.inference._largest_gap import (
    Room,
    find_lower_quantile,
    find_range_chance,
    get_tukey_quantile,
    limit_largest_gap,
)
from skfair_ofi.inference._limits import get_normal_quantile, limit_by_jeffreys
from skfair_ofi.metrics import METRICS, Bands, objective_fairness_index

Table = Callable[..., OutcomeCounts]
COMPARISONS = [name for name, metric in METRICS.items() if metric.kind == "comparison"]
RATES = [name for name, metric in METRICS.items() if metric.kind == "rate"]


@pytest.mark.parametrize("privileged", [None, "a", ["a", "b"]], ids=str)
@pytest.mark.parametrize("largest", [2, 8, 60])
@pytest.mark.parametrize("groups", [2, 3, 6])
@pytest.mark.slow
def test_intervals_hold_their_estimates_within_bounds(
    random_table: Table, groups: int, largest: int, privileged: Any
) -> None:
    """Every interval holds the measure of its table; undefined ones are NaN with a reason."""
    for seed in range(8):
        table = random_table(groups, largest, seed)
        for name, metric in METRICS.items():
            interval = confidence_interval(table, name, privileged=privileged)
            estimate = metric.of(table, privileged=privileged)
            assert np.array_equal(interval.estimate, estimate, equal_nan=True)
            if isnan(interval.low):
                assert interval.method == "none"
                assert interval.note
                continue
            lowest, highest = metric.bounds
            assert lowest <= interval.low <= estimate <= interval.high <= highest, name


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("groups", [2, 4])
def test_every_measure_has_a_named_method(random_table: Table, groups: int, name: str) -> None:
    """No measure is left without an interval where it is defined."""
    table = random_table(groups, 60, 1)
    table = OutcomeCounts(
        table.groups,
        table.cells + 3,
        score_sums=table.score_sums,
        score_squares=table.score_squares + 9,
    )
    interval = confidence_interval(table, name)
    assert interval.method != "none"
    assert interval.low <= interval.estimate <= interval.high


@pytest.mark.parametrize("name", METRICS)
def test_higher_levels_give_wider_intervals(random_table: Table, name: str) -> None:
    """An interval of a higher level holds that of a lower one."""
    table = random_table(3, 60, 5)
    narrow, middle, wide = (
        confidence_interval(table, name, level=level) for level in (0.5, 0.9, 0.99)
    )
    assert wide.low <= middle.low <= narrow.low
    assert narrow.high <= middle.high <= wide.high


@pytest.mark.parametrize("name", [name for name in COMPARISONS if METRICS[name].family != "flip"])
def test_swapping_two_groups_turns_the_interval_around(random_table: Table, name: str) -> None:
    """Differences change their sign, ratios are inverted, larger gaps stay."""
    table = random_table(2, 60, 2)
    first = confidence_interval(table, name, privileged="a")
    second = confidence_interval(table, name, privileged="b")
    ends = {
        "difference": (-second.high, -second.low),
        "ratio": (1 / second.high, 1 / second.low) if second.low else (nan, nan),
        "gap": (second.low, second.high),
    }
    kind = "ratio" if METRICS[name].ideal == 1 else "difference"
    kind = "gap" if len(METRICS[name].rates) > 1 else kind
    assert (first.low, first.high) == pytest.approx(ends[kind])


@pytest.mark.parametrize("name", COMPARISONS)
def test_two_groups_and_their_largest_gap_agree(random_table: Table, name: str) -> None:
    """Without a privileged group, two groups have the same upper end but for the sign.

    The lower end is no nearer to no gap, and there only where the signed interval holds it.
    """
    table = random_table(2, 60, 2)
    signed = confidence_interval(table, name, privileged="b")
    largest = confidence_interval(table, name)
    if METRICS[name].ideal == 1:
        ends = [(signed.low, signed.high), (1 / signed.high, 1 / (signed.low or nan))]
        same = [pair for pair in ends if largest.low == pytest.approx(pair[0])]
        same += [pair for pair in ends if largest.high == pytest.approx(pair[1])]
        assert same
        return
    nearest, farthest = max(signed.low, -signed.high, 0), max(abs(signed.low), abs(signed.high))
    assert largest.high == pytest.approx(farthest)
    assert nearest - 1e-9 <= largest.low <= largest.estimate
    assert (largest.low == 0) == (nearest == 0)


@pytest.mark.parametrize("groups", [2, 3, 5, 10])
@pytest.mark.parametrize("name", COMPARISONS)
def test_exact_parity_is_inside(name: str, groups: int) -> None:
    """Groups that are alike have an interval that holds the ideal value."""
    cells = np.tile([[[20, 3], [4, 30]], [[15, 6], [5, 40]]], (groups, 1, 1, 1))
    table = OutcomeCounts(
        "abcdefghij"[:groups], cells, score_sums=cells * 2.0, score_squares=cells * 5.0
    )
    interval = confidence_interval(table, name)
    assert interval.low <= METRICS[name].ideal <= interval.high


def test_several_groups_are_judged_together(selected: Table) -> None:
    """The lower end of the largest gap uses the wider quantile, the upper end a single pair's."""
    table = selected((18, 50), (20, 50), (40, 50))
    largest = confidence_interval(table, "statistical_parity_difference")
    pairs = [
        confidence_interval(table.pick(*pair), "statistical_parity_difference", privileged=pair[1])
        for pair in (("c", "a"), ("c", "b"), ("b", "a"))
    ]
    assert largest.high == max(pair.high for pair in pairs)
    assert largest.low < max(pair.low for pair in pairs)
    assert largest.method == "simultaneous MOVER of Jeffreys limits"


def test_groups_that_are_surely_between_do_not_count(selected: Table) -> None:
    """Where one group is surely the highest and one the lowest, a single pair is left."""
    table = selected((10, 100), (50, 100), (90, 100))
    largest = confidence_interval(table, "statistical_parity_difference")
    pair = confidence_interval(
        table.pick("a", "c"), "statistical_parity_difference", privileged="a"
    )
    assert (largest.low, largest.high) == (pytest.approx(pair.low, abs=1e-3), pair.high)


@pytest.mark.parametrize("width", [-2.5, 0.5, 2.0, 3.5])
@pytest.mark.parametrize("places", [[0, 4], [0, 3, 4], [0, 0, 1, 4], [4, 4, 4, 0, 0, 2]], ids=str)
def test_chance_that_no_pair_is_apart(places: list[float], width: float) -> None:
    """The integral is the share of draws in which no group is so far above another."""
    below, above = 4.0 - np.array(places), np.array(places, dtype=float)
    drawn = np.random.default_rng(0).standard_normal((200_000, len(places)))
    pairs = (drawn - below)[:, :, None] - (drawn + above)[:, None, :]
    pairs[:, *np.diag_indices(len(places))] = -np.inf
    share = (pairs.max(axis=(1, 2)) <= width).mean()
    assert find_range_chance(width, Room(below, above)) == pytest.approx(share, abs=0.004)


@pytest.mark.parametrize("rates", [1, 2])
@pytest.mark.parametrize(
    "places", [[0, 0], [0, 1], [0, 2.5], [0, 9], [0, 0, 0], [0, 0, 2], [0, 1, 2, 3]], ids=str
)
@pytest.mark.slow
def test_largest_gap_keeps_its_level(places: list[float], rates: int) -> None:
    """Of normal values around these places, 93 to 98 in 100 intervals hold the largest gap."""
    rng, held = np.random.default_rng(1), []
    for _ in range(500):
        drawn = rng.standard_normal((rates, len(places))) / np.sqrt(2) + places
        apart = [values[:, None] - values for values in drawn]
        lows = [lambda z, gaps=gaps: gaps - z * ~np.eye(len(gaps), dtype=bool) for gaps in apart]
        low, high = limit_largest_gap(lows, 0.95, len(places))
        held.append(low <= max(places) <= high)
    # Two standard errors of a share of 500 on either side
    assert 0.91 <= np.mean(held) <= 0.995


@pytest.mark.parametrize(("groups", "same"), [(30, False), (31, True)])
def test_many_groups_take_the_quantile_of_all_pairs(groups: int, same: bool) -> None:
    """Of more than 30 groups a smaller quantile is not looked for."""
    places = np.append(np.zeros(groups - 1), 30.0)
    quantile = find_lower_quantile([lambda z: np.subtract.outer(places, places) - z], 0.95, groups)
    assert (quantile == get_tukey_quantile(0.95, groups)) == same


def test_lower_end_of_a_gap_near_zero_has_the_level_to_itself() -> None:
    """Of two groups the quantile is 1.96 at parity, nearly 1.64 near it, and 1.96 far from it."""
    quantiles = []
    for value in (1.9, 2.9, 6.0):
        apart = np.array([[0, value], [-value, 0]])
        quantiles.append(find_lower_quantile([lambda z, gaps=apart: gaps - z], 0.95, 2))
    assert quantiles == pytest.approx([1.96, 1.645, 1.96], abs=0.005)


@pytest.mark.parametrize("level", [0.01, 0.5, 0.95, 0.999])
def test_jeffreys_limits_hold_their_share(level: float) -> None:
    """Limits of shares of 1 to a trillion people hold the share, and are those of beta tails."""
    size = np.array([1.0, 1, 2, 7, 30, 30, 1e12, 1e12])
    value = np.array([0.0, 1, 0.5, 1 / 7, 0.1, 1, 1e-12, 0.25])
    low, high = limit_by_jeffreys(value, size, get_normal_quantile(level))
    assert ((low >= 0) & (low <= value) & (value <= high) & (high <= 1)).all()
    expected = beta.ppf((1 - level) / 2, 3.5, 27.5)
    assert low[4] == pytest.approx(min(expected, 0.1))


def test_extreme_counts_have_intervals_without_warnings() -> None:
    """A trillion people at a high level, and next to no one, give ends that hold the estimate."""
    rows = [[10**12, 3], [10**12, 10**6], [1, 0], [0, 10**12]]
    for scale in (1.0, 1e-9):
        cells = np.array(rows)[:, None, :, None] * scale
        for pair in ((0, 1), (0, 2), (2, 3), (1, 3)):
            table = OutcomeCounts(["a", "b"], cells[list(pair)])
            for level in (0.95, 0.999999, 0.05):
                found = confidence_interval(table, "disparate_impact", level=level)
                assert isnan(found.low) or found.low <= found.estimate <= found.high


def test_everyone_else_is_one_side(selected: Table) -> None:
    """With a privileged group, the others are added up."""
    table = selected((10, 50), (20, 50), (40, 60))
    whole = selected((30, 100), (40, 60))
    name = "statistical_parity_difference"
    first = confidence_interval(table, name, privileged="c")
    second = confidence_interval(whole, name, privileged="b")
    assert first == second


def test_infinite_estimates_have_lower_ends(errors: Table) -> None:
    """No false positives in a group: FN / FP is infinite, and at least something."""
    table = errors((0, 9, 20), (10, 10, 20))
    interval = confidence_interval(table, "treatment_equality_difference", privileged="b")
    assert interval.estimate == inf == interval.high
    assert 0 < interval.low < inf


def test_undefined_measures_have_a_reason(errors: Table) -> None:
    """The reason is that of the measure."""
    table = errors((1, 0, 5), (1, 2, 5))
    interval = confidence_interval(table, "equal_opportunity_difference")
    assert isnan(interval.low)
    assert isnan(interval.high)
    assert interval.note == "no positives in group 'a'"


def test_a_single_score_has_no_interval() -> None:
    """One person has no variance; the estimate is kept and the reason given."""
    table = OutcomeCounts.from_arrays(y_score=[3.0], sensitive_features=["a"])
    interval = confidence_interval(table, "mean_score")
    assert interval.estimate == 3
    assert isnan(interval.high)
    assert interval.note == "no variance of scores"


@pytest.mark.parametrize("variance", [1e-300, 1e-170, 1e-160])
def test_scores_that_hardly_vary_have_an_interval(variance: float) -> None:
    """The square of a variance may vanish, the degrees of freedom stay."""
    cells = np.array([[[[2]]], [[[3]]]])
    table = OutcomeCounts(["a", "b"], cells, score_sums=cells * 0.0, score_squares=cells * variance)
    interval = confidence_interval(table, "mean_difference")
    whole = OutcomeCounts(["a", "b"], cells, score_sums=cells * 0.0, score_squares=cells * 1.0)
    expected = confidence_interval(whole, "mean_difference").high * np.sqrt(variance)
    assert interval.high == pytest.approx(expected, rel=1e-12, abs=0)


def test_scores_without_squares_have_no_interval() -> None:
    """Sums alone tell nothing of the variance."""
    cells = [[[[5]]], [[[5]]]]
    table = OutcomeCounts(["a", "b"], cells, score_sums=[[[[9.0]]], [[[7.0]]]])
    assert confidence_interval(table, "mean_score").note == "no variance of scores"


def test_values_by_convention_say_so() -> None:
    """A group without flips has a harmful share of 0 by convention, and limits from 0 to 1."""
    table = OutcomeCounts(["a", "b"], [[[[30, 0], [0, 30]]], [[[30, 10], [10, 30]]]])
    found = confidence_intervals(table, ["harmful_flip_proportion"])
    assert (found["low"][0], found["high"][0]) == (0, 1)
    assert found["note"][0] == "0 by convention, since there are no flips"
    gap = confidence_interval(table, "harmful_flip_proportion_difference")
    assert gap.note == "group 'a': 0 by convention, since there are no flips"


def test_no_flips_at_all_leave_everything_open() -> None:
    """Where no one was flipped, the ratio is 1 by convention and may be anything."""
    table = OutcomeCounts(["a", "b"], [[[[30, 0], [0, 30]]], [[[30, 0], [0, 30]]]])
    interval = confidence_interval(table, "flip_disparity_index")
    assert (interval.low, interval.estimate, interval.high) == (1, 1, inf)


def weighted(table: OutcomeCounts, weight: float) -> OutcomeCounts:
    """Return the table with a weight for everyone."""
    return OutcomeCounts(table.groups, table.cells * weight, weight_squares=table.cells * weight**2)


@pytest.mark.parametrize("weight", [1.0, 0.25, 7.0])
@pytest.mark.parametrize("name", [name for name in METRICS if METRICS[name].family != "score"])
def test_equal_weights_change_nothing(random_table: Table, name: str, weight: float) -> None:
    """People who all weigh the same are as many people, whatever they weigh."""
    table = random_table(3, 60, 5, scores=False)
    plain, other = (confidence_interval(each, name) for each in (table, weighted(table, weight)))
    assert (other.low, other.high) == pytest.approx((plain.low, plain.high))
    assert (other.note or plain.note) == (
        "weighted: sizes are effective numbers of people" if weight != 1 else plain.note
    )


def test_weights_count_with_their_effective_number() -> None:
    """People of weights 1 and 3, by halves: (4 n)^2 / (10 n) of them are worth 0.8 of n."""
    counts = OutcomeCounts.from_arrays(
        y_pred=[0, 1] * 40, sensitive_features=["a"] * 80, sample_weight=[1, 1, 3, 3] * 20
    )
    interval = confidence_interval(counts, "selection_rate")
    plain = OutcomeCounts(["a"], [[[[32], [32]]]])
    expected = confidence_interval(plain, "selection_rate")
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_weights_that_follow_the_outcome_use_the_linearized_variance() -> None:
    """Where the few selected weigh more, Kish's number is too large, and the other is taken."""
    counts = OutcomeCounts.from_arrays(
        y_pred=[1] * 5 + [0] * 95,
        sensitive_features=["a"] * 100,
        sample_weight=[4] * 5 + [1] * 95,
    )
    interval = confidence_interval(counts, "selection_rate")
    share, people = 20 / 115, 115
    variance = (5 * 16 * (1 - share) ** 2 + 95 * share**2) / people**2
    size = share * (1 - share) / variance
    assert size < people**2 / (5 * 16 + 95)
    expected = confidence_interval(
        OutcomeCounts(["a"], [[[[size * (1 - share)], [size * share]]]]), "selection_rate"
    )
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_repeated_rows_are_people_where_squares_are_left_out() -> None:
    """Integer weights that stand for repeated rows: the table without squared weights."""
    rows = {"y_pred": [0, 1, 1, 0], "sensitive_features": list("aabb")}
    repeated = {key: [value for value in column for _ in range(20)] for key, column in rows.items()}
    counts = OutcomeCounts.from_arrays(**rows, sample_weight=[20] * 4)
    plain = OutcomeCounts(counts.groups, counts.cells, labels=counts.labels)
    name = "disparate_impact"
    expected = confidence_interval(OutcomeCounts.from_arrays(**repeated), name)
    found = confidence_interval(plain, name)
    assert (found.low, found.high, found.note) == (expected.low, expected.high, None)


def test_expected_tables_say_what_the_interval_means() -> None:
    """Fractional counts of a randomized rule."""
    table = OutcomeCounts(["a"], [[[[10.5, 4.5], [2.25, 12.75]]]])
    note = confidence_interval(table, "flip_rate").note
    assert note is not None
    assert note.endswith(
        "for people drawn anew and treated once, not for the randomness of the rule"
    )


def test_measures_go_by_function_or_name(errors: Table) -> None:
    """The public function is as good as its name."""
    table = errors((5, 2, 33), (9, 14, 37))
    by_name = confidence_interval(table, "objective_fairness_index")
    assert confidence_interval(table, objective_fairness_index) == by_name


def test_many_are_the_same_as_one_by_one(random_table: Table) -> None:
    """The batch shares work, and nothing else; a comparison has no group."""
    table = random_table(4, 30, 3)
    found = confidence_intervals(table, COMPARISONS, privileged="b", level=0.9)
    assert found["measure"].tolist() == COMPARISONS
    assert set(found["group"]) == {None}
    for row in found.itertuples():
        alone = confidence_interval(table, row.measure, privileged="b", level=0.9)
        interval = Interval(row.low, row.high, row.estimate, 0.9, row.method, row.note)
        assert repr(alone) == repr(interval)


def test_many_keep_keys_as_they_are() -> None:
    """Crossed groups and a missing one keep their keys, and the table its rows."""
    table = OutcomeCounts([("f", 1), ("f", 2), None], [[[[9], [9]]]] * 3)
    found = confidence_intervals(table, ["selection_rate", "disparate_impact"])
    assert found["group"].tolist() == [("f", 1), ("f", 2), None, None]
    assert confidence_intervals(table, []).empty


def test_many_leave_out_what_is_not_counted(selected: Table) -> None:
    """Without true labels, only what does not need them; chosen measures in their order."""
    table = selected((14, 70), (32, 80))
    assert "accuracy" not in set(confidence_intervals(table)["measure"])
    chosen = confidence_intervals(table, ["disparate_impact", "selection_rate"])
    assert chosen["measure"].tolist() == ["disparate_impact", *["selection_rate"] * 2]


@pytest.mark.parametrize("name", RATES)
def test_group_intervals_are_those_of_the_group_alone(random_table: Table, name: str) -> None:
    """Each group's interval is the one of a table of that group."""
    table = random_table(4, 30, 3)
    found = confidence_intervals(table, [name])
    assert found["group"].tolist() == list(table.groups)
    for row in found.itertuples():
        alone = confidence_interval(table.pick(row.group), name)
        assert (row.low, row.high) == pytest.approx((alone.low, alone.high), nan_ok=True)
        assert (row.method, row.note) == (alone.method, alone.note)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.1, 0.1, "within bounds"),
        (0.05, 0.12, "uncertain"),
        (0.11, 0.14, "moderate"),
        (-0.14, 0.14, "uncertain"),
        (0.16, 0.3, "outside bounds"),
        (-0.3, -0.16, "outside bounds"),
        (-0.3, 0.3, "uncertain"),
        (nan, nan, "undefined"),
    ],
)
def test_a_verdict_holds_for_the_whole_interval(low: float, high: float, verdict: str) -> None:
    """An interval with a bound inside is uncertain."""
    interval = Interval(low, high, low, 0.95, "none")
    assert interval.judge(Bands.within(0.1, 0.15)) == verdict


def test_intervals_contain_values() -> None:
    """Both ends are inside; nothing is inside without ends."""
    interval = Interval(0.1, 0.2, 0.15, 0.95, "Wilson")
    assert all(value in interval for value in (0.1, 0.15, 0.2))
    assert 0.21 not in interval
    assert 0.1 not in Interval(nan, nan, nan, 0.95, "none")
    assert interval.width == pytest.approx(0.1)


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, nan])
@pytest.mark.parametrize(
    "function",
    [
        lambda table, level: confidence_interval(table, "selection_rate", level=level),
        lambda table, level: confidence_intervals(table, level=level),
    ],
    ids=["one", "many"],
)
def test_level_is_refused(selected: Table, function: Callable[..., Any], level: float) -> None:
    """A level of 95 is meant as 0.95, and is not taken for it."""
    with pytest.raises(ValueError, match=rf"level must lie between 0 and 1, got {level}\.$"):
        function(selected((1, 2), (1, 2)), level)


def test_method_is_refused(selected: Table) -> None:
    """There are two."""
    message = r"method must be one of 'auto', 'bootstrap', got 'newcombe'\.$"
    with pytest.raises(ValueError, match=message):
        confidence_interval(selected((1, 2)), "selection_rate", method="newcombe")  # type: ignore[arg-type]


def test_measure_is_refused(selected: Table) -> None:
    """A near name is suggested."""
    with pytest.raises(ValueError, match=r"Did you mean 'selection_rate'\?$"):
        confidence_interval(selected((1, 2)), "selection_rat")


def test_what_a_table_lacks_is_refused(selected: Table) -> None:
    """The measure says what it needs."""
    message = r"accuracy needs y_true, which this table lacks\.$"
    with pytest.raises(ValueError, match=message):
        confidence_interval(selected((1, 2)), "accuracy")
