"""Tests of equal rates, against SciPy, statsmodels, and enumeration.

Where SciPy has no counterpart in the oldest release that is supported, the expected values are
those that statsmodels 0.15 printed; the call stands beside each.
"""

from collections.abc import Callable
from math import comb, isnan
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact, hypergeom, ttest_ind

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import significance_test
from skfair_ofi.metrics import METRICS

Table = Callable[..., OutcomeCounts]
NAME = "statistical_parity_difference"
COMPARISONS = [name for name, metric in METRICS.items() if metric.kind == "comparison"]


def contingency(table: OutcomeCounts) -> np.ndarray:
    """Return groups by predicted label."""
    return table.cells.reshape(len(table.groups), 2)


def test_two_proportion_z(selected: Table) -> None:
    """As ``proportions_ztest([56, 48], [70, 80])`` of statsmodels."""
    found = significance_test(selected((56, 70), (48, 80)), NAME, privileged="b", method="z")
    assert found.statistic == pytest.approx(2.6501719512585336)
    assert found.p_value == pytest.approx(0.00804508136819656)
    assert found.method == "two-proportion z"
    assert found.estimate == pytest.approx(0.2)


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize("pairs", [((56, 70), (48, 80)), ((5, 20), (6, 24)), ((1, 9), (9, 9))])
def test_chi_square_of_two_groups(selected: Table, pairs: Any, corrected: bool) -> None:
    """As SciPy's, which makes no difference smaller than 0 either."""
    table = selected(*pairs)
    method: Any = "chi_square_corrected" if corrected else "chi_square"
    found = significance_test(table, NAME, method=method)
    expected = chi2_contingency(contingency(table), correction=corrected)
    assert (found.statistic, found.p_value) == pytest.approx(expected[:2])
    assert found.degrees == 1
    assert ("with Yates'" in found.method) == corrected


def test_chi_square_of_several_groups(selected: Table) -> None:
    """Homogeneity of all groups at once."""
    table = selected((14, 70), (32, 80), (20, 60), (30, 90))
    found = significance_test(table, NAME)
    expected = chi2_contingency(contingency(table), correction=False)
    assert (found.statistic, found.p_value) == pytest.approx(expected[:2])
    assert (found.degrees, found.method) == (3, "chi-square without continuity correction")


def test_two_rates_add_up() -> None:
    """Chi-squares of independent rates add up, with their degrees of freedom."""
    cells = [[[[40], [9]], [[12], [30]]], [[[35], [20]], [[10], [50]]]]
    table = OutcomeCounts(["a", "b"], cells)
    found = significance_test(table, "equalized_odds_difference")
    parts = [chi2_contingency(table.cells[:, label, :, 0], correction=False) for label in (0, 1)]
    assert found.statistic == pytest.approx(sum(part[0] for part in parts))
    assert found.degrees == 2
    assert found.null == ("equal true_positive_rate and false_positive_rate in all groups compared")


@pytest.mark.parametrize("pairs", [((3, 10), (9, 10)), ((0, 5), (7, 12)), ((2, 8), (2, 8))])
def test_fisher(selected: Table, pairs: Any) -> None:
    """The two-sided p-value adds up tables that are no more probable."""
    table = selected(*pairs)
    found = significance_test(table, NAME, method="fisher")
    (hits, people), (more, others) = pairs
    drawn = hypergeom(people + others, hits + more, people)
    chances = drawn.pmf(np.arange(people + 1))
    expected = chances[chances <= drawn.pmf(hits) * (1 + 1e-9)].sum()
    assert found.p_value == pytest.approx(expected)
    assert found.p_value == pytest.approx(fisher_exact(contingency(table))[1])


def values_of(*groups: tuple[int, int, int]) -> list[np.ndarray]:
    """Return one value a person: -1 for FN, 0, 1 for FP."""
    return [np.repeat([1.0, -1.0, 0.0], counts) for counts in groups]


def test_welch_of_two_groups(errors: Table) -> None:
    """As SciPy's t test with unequal variances, on a row for every person."""
    groups = ((10, 5, 20), (3, 12, 30))
    found = significance_test(errors(*groups), "objective_fairness_index", privileged="b")
    expected = ttest_ind(*values_of(*groups), equal_var=False)
    assert (found.statistic, found.p_value) == pytest.approx((expected[0], expected[1]))
    assert found.degrees == pytest.approx(66.41988819095266)
    assert found.method == "Welch"


def test_welch_of_several_groups(errors: Table) -> None:
    """As ``anova_oneway(rows, use_var="unequal", welch_correction=True)`` of statsmodels."""
    table = errors((10, 5, 20), (3, 12, 30), (9, 2, 40))
    found = significance_test(table, "objective_fairness_index")
    assert found.statistic == pytest.approx(5.9015936049739945)
    assert found.p_value == pytest.approx(0.004171882202463794)
    assert found.degrees == 2


def test_welch_of_scores() -> None:
    """Sums and sums of squares are enough."""
    first, second = [2.0, 4.0, 9.0, 5.5], [1.0, 3.5, 4.0, 2.0, 6.0, 5.0]
    table = OutcomeCounts.from_arrays(
        [1] * 10, y_score=first + second, sensitive_features=["a"] * 4 + ["b"] * 6
    )
    found = significance_test(table, "positive_balance_difference", privileged="b")
    expected = ttest_ind(first, second, equal_var=False)
    assert (found.statistic, found.p_value) == pytest.approx((expected[0], expected[1]))


def test_permutation_of_shares_is_exact_in_the_limit(selected: Table) -> None:
    """The share of all deals with a gap at least as large, up to the error of drawing."""
    found = significance_test(
        selected((3, 10), (9, 12)), NAME, method="permutation", random_state=0
    )
    hits = np.arange(13)
    chances = hypergeom(22, 12, 10).pmf(hits)
    gaps = abs(hits / 10 - (12 - hits) / 12)
    expected = chances[gaps >= 0.45 - 1e-12].sum()
    assert found.p_value == pytest.approx(expected, abs=0.006)
    assert found.statistic == pytest.approx(0.45)


def test_permutation_of_benefits_is_that_of_rows(errors: Table) -> None:
    """Dealing out groups to rows anew gives the same p-value, up to the error of drawing."""
    groups = ((6, 1, 8), (2, 5, 10), (1, 1, 6))
    found = significance_test(
        errors(*groups), "objective_fairness_index", method="permutation", random_state=0
    )
    parts = values_of(*groups)
    rng, everyone = np.random.default_rng(1), np.concatenate(parts)
    cuts = np.cumsum([len(part) for part in parts])[:-1]
    rows = rng.permuted(np.tile(everyone, (20_000, 1)), axis=1)
    means = np.stack([part.mean(axis=1) for part in np.split(rows, cuts, axis=1)])
    observed = np.ptp([part.mean() for part in parts])
    assert found.statistic == pytest.approx(observed)
    assert found.p_value == pytest.approx(
        (np.ptp(means, axis=0) >= observed - 1e-12).mean(), abs=0.015
    )


@pytest.mark.parametrize(
    "name", ["average_odds_difference", "equalized_odds_difference", "equal_opportunity_difference"]
)
def test_permutation_keeps_true_labels_apart(name: str) -> None:
    """Of rates given the true label, groups are dealt out among people of the same label."""
    # Groups differ in base rate only: no rate given the label differs.
    cells = [[[[40], [40]], [[4], [4]]], [[[4], [4]], [[40], [40]]]]
    found = significance_test(
        OutcomeCounts(["a", "b"], cells), name, method="permutation", random_state=0
    )
    assert (found.statistic, found.p_value) == (0, 1)


@pytest.mark.parametrize("method", ["auto", "permutation"])
@pytest.mark.parametrize("groups", [2, 4])
@pytest.mark.parametrize("name", COMPARISONS)
def test_every_comparison_has_a_test(
    random_table: Table, name: str, groups: int, method: Any
) -> None:
    """No comparison is left without a p-value; scores have no permutation."""
    table = random_table(groups, 60, 1)
    table = OutcomeCounts(
        table.groups,
        table.cells + 3,
        score_sums=table.score_sums,
        score_squares=table.score_squares + 9,
    )
    if (
        method == "permutation"
        and (METRICS[name].family == "score" or name == "mean_difference")
        and name != "calibration_difference"
    ):
        with pytest.raises(ValueError, match=r"method must be one of 'auto', 'welch', got"):
            significance_test(table, name, method=method)
        return
    found = significance_test(table, name, method=method, n_resamples=99, random_state=0)
    assert 0 < found.p_value <= 1
    assert found.estimate == METRICS[name].of(table)


@pytest.mark.parametrize(
    ("pairs", "method"),
    [
        (((30, 60), (20, 60)), "two-proportion z"),
        (((1, 60), (5, 60)), "Fisher's exact"),
        (((30, 60), (20, 60), (9, 30)), "chi-square without continuity correction"),
        (((1, 60), (5, 60), (1, 9)), "permutation"),
    ],
)
def test_automatic_choice_for_shares(selected: Table, pairs: Any, method: str) -> None:
    """By the number of groups, and of people expected."""
    assert significance_test(selected(*pairs), NAME, n_resamples=9).method == method


@pytest.mark.parametrize(
    ("groups", "method"),
    [(((9, 2, 30), (2, 5, 40)), "Welch"), (((9, 2, 9), (2, 5, 40)), "permutation")],
)
def test_automatic_choice_for_benefits(errors: Table, groups: Any, method: str) -> None:
    """By the number of people."""
    found = significance_test(errors(*groups), "objective_fairness_index", n_resamples=9)
    assert found.method == method


def test_all_forms_of_a_rate_have_one_test(random_table: Table) -> None:
    """A difference, a ratio and a disparity of flip rates test the same thing."""
    table = random_table(2, 60, 5)
    names = [
        "flip_rate_difference",
        "flip_disparity_index",
        "flip_rate_disparity",
        "relative_flip_disparity",
    ]
    found = [significance_test(table, name) for name in names]
    assert len({(each.statistic, each.p_value, each.null) for each in found}) == 1


def test_undefined_measures_have_a_reason(errors: Table) -> None:
    """No positives, no test."""
    found = significance_test(errors((1, 0, 5), (1, 2, 5)), "equal_opportunity_difference")
    assert isnan(found.p_value)
    assert (found.method, found.note) == ("none", "no positives in group 'a'")


def test_values_by_convention_are_not_tested() -> None:
    """A harmful share of 0 without flips is no data."""
    table = OutcomeCounts(["a", "b"], [[[[30, 0], [0, 30]]], [[[30, 10], [10, 30]]]])
    found = significance_test(table, "harmful_flip_proportion_difference")
    assert isnan(found.p_value)
    assert (found.estimate, found.note) == (0.5, "no flips in group 'a'")


@pytest.mark.parametrize(
    ("method", "p_value"), [("z", None), ("chi_square", None), ("fisher", 1.0), ("auto", 1.0)]
)
def test_everyone_alike(selected: Table, method: Any, p_value: float | None) -> None:
    """Where no one is selected, approximate tests have no statistic, and exact ones say 1."""
    found = significance_test(selected((0, 9), (0, 20)), NAME, method=method)
    if p_value is None:
        assert isnan(found.p_value)
        assert found.note == "everyone is alike"
    else:
        assert found.p_value == p_value


@pytest.mark.parametrize("groups", [2, 3])
def test_no_variance(errors: Table, groups: int) -> None:
    """Where no one errs, Welch's test has no statistic."""
    table = errors(*[(0, 0, 40)] * groups)
    found = significance_test(table, "objective_fairness_index", method="welch")
    assert isnan(found.p_value)
    assert found.note == "no variance"


def test_weighted_people_count_with_their_effective_number(selected: Table) -> None:
    """Everyone twice, as a weight, changes nothing."""
    table = selected((14, 70), (32, 80))
    double = OutcomeCounts(table.groups, table.cells * 2.0, weight_squares=table.cells * 4.0)
    plain, other = (significance_test(each, NAME) for each in (table, double))
    assert other.p_value == pytest.approx(plain.p_value)
    assert other.note == "weighted: sizes are effective numbers of people"


@pytest.mark.parametrize("method", ["fisher", "permutation"])
def test_exact_tests_refuse_fractions(method: Any) -> None:
    """Half a person cannot be dealt out."""
    table = OutcomeCounts(["a", "b"], [[[[2.5], [3.5]]], [[[2], [3]]]])
    message = rf"counts must be whole and without weights for method='{method}', got others\.$"
    with pytest.raises(ValueError, match=message):
        significance_test(table, NAME, method=method)


@pytest.mark.parametrize(
    ("name", "pairs", "options"),
    [
        (NAME, 3, "'auto', 'chi_square', 'permutation'"),
        (
            "treatment_equality_difference",
            2,
            "'auto', 'z', 'chi_square', 'chi_square_corrected', 'fisher', 'permutation'",
        ),
        ("objective_fairness_index", 2, "'auto', 'welch', 'permutation'"),
    ],
)
def test_method_is_refused(errors: Table, name: str, pairs: int, options: str) -> None:
    """A measure names the tests that it has for so many groups."""
    message = rf"method must be one of {options}, got 'other'\."
    with pytest.raises(ValueError, match=message):
        significance_test(errors(*[(1, 2, 3)] * pairs), name, method="other")  # type: ignore[arg-type]


def test_rates_are_refused(selected: Table) -> None:
    """A rate alone has nothing to be equal to."""
    with pytest.raises(
        ValueError, match=r"^measure must name a comparison, got 'selection_rate'\.$"
    ):
        significance_test(selected((1, 2), (1, 2)), "selection_rate")


def test_number_of_draws_is_refused(selected: Table) -> None:
    """At least one."""
    message = r"n_resamples must be a whole number of at least 1, got 0\.$"
    with pytest.raises(ValueError, match=message):
        significance_test(selected((1, 2), (1, 2)), NAME, n_resamples=0)


def test_permutation_keeps_its_level(selected: Table) -> None:
    """Where groups are alike, a p-value of at most 0.1 comes up in about a tenth of samples."""
    rng = np.random.default_rng(11)
    found = [
        significance_test(
            selected(*((int(hits), 15) for hits in rng.binomial(15, 0.4, 3))),
            NAME,
            method="permutation",
            n_resamples=199,
            random_state=rng,
        ).p_value
        for _ in range(300)
    ]
    assert 0.02 < np.mean(np.array(found) <= 0.1) < 0.13


def test_deals_are_hypergeometric(selected: Table) -> None:
    """The smallest possible p-value of 3 against 3: two of twenty deals are as extreme."""
    found = significance_test(
        selected((3, 3), (0, 3)), NAME, method="permutation", n_resamples=20_000, random_state=0
    )
    assert found.p_value == pytest.approx(2 / comb(6, 3), abs=0.01)
