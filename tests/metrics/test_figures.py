"""Figures that papers print, from the tables and data they print them for.

Keys of papers are those of ``docs/refs.bib``.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.datasets import load_compas, load_published
from skfair_ofi.metrics import (
    METRICS,
    calibration_difference,
    conditional_statistical_parity_difference,
    disparate_impact,
    false_negative_rate,
    false_positive_rate,
    mean_difference,
    pairwise,
)

DATA = Path(__file__).parents[3] / "shared" / "data"


def confusion(tp: int, fn: int, fp: int, tn: int) -> list[list[list[int]]]:
    """Return one group's cells from numbers in the order that Briscoe2025 prints."""
    return [[[tn], [fp]], [[fn], [tp]]]


# Briscoe2025, table 1: TP, FN, FP, TN of the groups i and j.
SCENARIOS = {
    "A": ((1, 0, 0, 5), (7, 0, 1, 10), Fraction(-1, 18), "-0.06"),
    "B": ((0, 1, 0, 5), (0, 7, 0, 11), Fraction(2, 9), "0.22"),
    "alpha": ((1, 1, 0, 5), (1, 7, 0, 11), Fraction(30, 133), "0.23"),
}


def scenario(letter: str) -> OutcomeCounts:
    """Return the table of one scenario."""
    return OutcomeCounts(["i", "j"], [confusion(*group) for group in SCENARIOS[letter][:2]])


@pytest.mark.parametrize("letter", SCENARIOS)
def test_briscoe_table_1_objective_fairness_index(letter: str) -> None:
    """OFI of the three scenarios is the printed fraction, exactly, and rounds as printed."""
    value, printed = SCENARIOS[letter][2:]
    metric = METRICS["objective_fairness_index"]
    benefit = METRICS["marginal_benefit"]
    counts = scenario(letter)
    assert benefit.exact(counts, 0) - benefit.exact(counts, 1) == value
    assert metric.of(counts, privileged="j") == float(value)
    assert f"{metric.of(counts, privileged='j'):.2f}" == printed
    assert metric.of(counts) == float(abs(value))


@pytest.mark.parametrize(
    ("letter", "value", "printed"),
    [("A", Fraction(1, 6) / Fraction(8, 18), "0.375"), ("alpha", Fraction(19, 7), "2.71")],
)
def test_briscoe_table_1_disparate_impact(letter: str, value: Fraction, printed: str) -> None:
    """DI of scenarios A and alpha is the printed ratio; three decimals of it are printed."""
    found = METRICS["disparate_impact"].of(scenario(letter), privileged="j")
    assert found == float(value)
    assert f"{found:.{len(printed) - 2}f}" == printed


def test_briscoe_table_1_undefined_disparate_impact() -> None:
    """DI of scenario B is 0/0: undefined, not the 1 that its readers may put in context."""
    metric = METRICS["disparate_impact"]
    assert isnan(metric.of(scenario("B"), privileged="j"))
    assert metric.bands.judge(metric.of(scenario("B"))) == "undefined"
    reason = metric.reason(scenario("B"), privileged="j")
    assert reason == "selection_rate is 0 in all groups compared"


@pytest.mark.parametrize("letter", SCENARIOS)
def test_briscoe_table_1_as_loaded(letter: str) -> None:
    """The data set of the package is this table."""
    published = load_published(f"briscoe2025_table1_{letter.lower()}")
    assert published.counts == scenario(letter)
    assert published.privileged == "j"


# Briscoe2025, figure 2: per cent TP, FN, FP, TN; rows need not add to 100.
FIGURE_2 = {
    "African-American": (55, 24, 8, 13),
    "Asian": (85, 4, 0, 12),
    "Caucasian": (75, 14, 8, 4),
    "Hispanic": (73, 17, 7, 3),
    "Native American": (71, 14, 0, 14),
    "Other": (74, 13, 7, 7),
}


def figure_2() -> OutcomeCounts:
    """Return a table of one person a per cent, which is what rates need."""
    return OutcomeCounts(list(FIGURE_2), [confusion(*group) for group in FIGURE_2.values()])


@pytest.mark.parametrize(
    "load",
    [figure_2, lambda: load_published("briscoe2025_figure2").counts],
    ids=["per cent", "as loaded"],
)
@pytest.mark.parametrize(
    ("i", "j", "value", "printed"),
    [
        ("African-American", "Asian", Fraction(8 - 24, 100) - Fraction(0 - 4, 101), "-0.12"),
        ("African-American", "Caucasian", Fraction(8 - 24, 100) - Fraction(8 - 14, 101), "-0.101"),
        ("Caucasian", "Native American", Fraction(8 - 14, 101) - Fraction(0 - 14, 99), "0.082"),
    ],
)
def test_briscoe_figure_2_objective_fairness_index(
    load: Callable[[], OutcomeCounts], i: str, j: str, value: Fraction, printed: str
) -> None:
    """OFI between races is the difference of printed shares, and rounds as printed."""
    counts = load()
    found = METRICS["objective_fairness_index"].of(counts.pick(i, j), privileged=j)
    assert found == pytest.approx(float(value), rel=1e-9)
    assert f"{found:.{len(printed.partition('.')[2])}f}" == printed
    matrix = pairwise(counts, "objective_fairness_index")
    assert matrix.loc[i, j] == pytest.approx(found)
    assert matrix.loc[j, i] == pytest.approx(-found)


def test_briscoe_figure_2_disparate_impact() -> None:
    """DI follows eq. 1, 0.749; the heat map's 0.835 divides selected by truly positive people."""
    counts = figure_2().pick("African-American", "Asian")
    found = METRICS["disparate_impact"].of(counts, privileged="Asian")
    assert found == float(Fraction(55 + 8, 100) / Fraction(85 + 0, 101))
    assert round(found, 3) == 0.749
    selected = METRICS["selection_rate"].values(counts)
    true = METRICS["base_rate"].values(counts)
    heat = selected / true
    assert heat[0] / heat[1] == pytest.approx(((55 + 8) / (55 + 24)) / ((85 + 0) / (85 + 4)))
    assert round(heat[0] / heat[1], 3) == 0.835


def compas_file() -> pd.DataFrame:
    """Return the two-year COMPAS file as published."""
    path = DATA / "compas_two_years_anon.csv.gz"
    if not path.exists():
        pytest.skip("the published COMPAS file is not here")
    return pd.read_csv(path)


def compas_loaded() -> pd.DataFrame:
    """Return COMPAS as the package has it."""
    return load_compas().frame


every_compas = pytest.mark.parametrize(
    "load", [compas_file, compas_loaded], ids=["published file", "as loaded"]
)

# Measure, value with two_year_recid, value with is_recid, printed. Signed: African-American
# people minus all others; Yuan2024 prints absolute values.
YUAN = [
    ("disparate_impact", 1.8104, 1.8104, "1.81"),
    ("statistical_parity_difference", 0.2633, 0.2633, "0.26"),
    ("mean_difference", 0.2633, 0.2633, "0.26"),
    ("conditional_statistical_parity_difference", 0.2531, 0.2531, "0.25"),
    ("accuracy_difference", -0.0317, -0.0195, "0.02"),
    ("equal_opportunity_difference", 0.2268, 0.2254, "0.23"),
    ("predictive_equality_difference", 0.2284, 0.2241, "0.22"),
    ("predictive_parity_difference", 0.0470, 0.0566, "0.06"),
    ("calibration_difference", 0.0158, 0.0310, "0.03"),
    ("positive_balance_difference", 1.6176, 1.5894, "1.6"),
    ("negative_balance_difference", 1.4510, 1.4276, "1.4"),
]


def yuan(name: str, people: pd.DataFrame, truth: str) -> float:
    """Return a measure as Yuan2024 takes it: positive is a score of Medium or High."""
    options: dict[str, Any] = {
        "sensitive_features": people["race"] == "African-American",
        "privileged": False,
    }
    second = people["score_text"].isin(["Medium", "High"]).astype(int)
    if METRICS[name].family == "score":
        second = people["decile_score"]
    if name == "calibration_difference":
        options["score_range"] = (5, 7)
    if name == "conditional_statistical_parity_difference":
        options["where"] = people["priors_count"] > 0
    return METRICS[name].function(people[truth], second, **options)


@every_compas
@pytest.mark.parametrize(("name", "two_year", "ever", "printed"), YUAN, ids=str)
def test_yuan_table_2(
    load: Callable[[], pd.DataFrame], name: str, two_year: float, ever: float, printed: str
) -> None:
    """Every figure of table II is found, with is_recid as truth and all other races as p.

    The text says that truth is two_year_recid; with that, accuracy, predictive parity,
    calibration and negative balance differ from print. Rows are all 7,214 people, and p is
    everyone who is not African-American, not the Caucasian people alone: those give a
    disparate impact of 1.69. Overall accuracy is lower for African-American people, so its
    signed difference is negative where the table prints an absolute value.
    """
    people = load()
    assert round(yuan(name, people, "two_year_recid"), 4) == two_year
    found = yuan(name, people, "is_recid")
    assert round(found, 4) == ever
    assert f"{abs(found):.{len(printed.partition('.')[2])}f}" == printed


@every_compas
@pytest.mark.parametrize(
    ("truth", "ppv", "npv"), [("two_year_recid", 0.0470, -0.0615), ("is_recid", 0.0566, -0.0767)]
)
def test_yuan_table_2_conditional_use_accuracy(
    load: Callable[[], pd.DataFrame], truth: str, ppv: float, npv: float
) -> None:
    """The NPV part, printed as 0.06, is the one row of table II that needs two_year_recid.

    It is larger than the PPV part with either truth, and negative: a low score is less
    often right about African-American people.
    """
    people = load()
    arrays = people[truth], people["score_text"].isin(["Medium", "High"]).astype(int)
    race = people["race"] == "African-American"
    counts = OutcomeCounts.from_arrays(*arrays, sensitive_features=race)
    assert counts.groups == (False, True)
    parts = [
        float(rate.exact(counts, 1) - rate.exact(counts, 0))
        for rate in METRICS["conditional_use_accuracy_difference"].rates
    ]
    assert (round(parts[0], 4), round(parts[1], 4)) == (ppv, npv)
    assert (f"{-parts[1]:.2f}" == "0.06") == (truth == "two_year_recid")
    larger = METRICS["conditional_use_accuracy_difference"].function(
        *arrays, sensitive_features=race, privileged=False
    )
    assert larger == -parts[1]


@every_compas
def test_yuan_table_2_against_caucasian_people(load: Callable[[], pd.DataFrame]) -> None:
    """Against Caucasian people alone, disparate impact would be 1.69 and not the printed 1.81."""
    people = load().query("race in ['African-American', 'Caucasian']")
    assert round(yuan("disparate_impact", people, "is_recid"), 4) == 1.6902
    assert round(yuan("statistical_parity_difference", people, "is_recid"), 4) == 0.2402


@every_compas
def test_yuan_mean_difference_of_scores(load: Callable[[], pd.DataFrame]) -> None:
    """Of deciles instead of labels, the mean difference is that of pandas' means."""
    people = load()
    race = people["race"] == "African-American"
    means = people.groupby(race)["decile_score"].mean()
    positive = (people["decile_score"] >= 5).astype(int)
    found = mean_difference(
        people["is_recid"],
        positive,
        y_score=people["decile_score"],
        sensitive_features=race,
        privileged=False,
    )
    assert found == pytest.approx(means[True] - means[False], rel=1e-12)


@every_compas
def test_conditions_are_subsets(load: Callable[[], pd.DataFrame]) -> None:
    """A measure under a condition is the plain one on the rows that meet it."""
    people = load()
    race = people["race"]
    positive = (people["decile_score"] >= 5).astype(int)
    some = people["priors_count"] > 0
    left = conditional_statistical_parity_difference(
        None, positive, where=some, sensitive_features=race
    )
    plain = METRICS["statistical_parity_difference"].function
    assert left == plain(None, positive[some], sensitive_features=race[some])
    chosen = people["decile_score"].between(5, 7)
    right = calibration_difference(
        people["is_recid"], people["decile_score"], score_range=(5, 7), sensitive_features=race
    )
    truth = people["is_recid"][chosen]
    assert right == plain(None, truth, sensitive_features=race[chosen])


@every_compas
@pytest.mark.parametrize(
    ("race", "fpr", "fnr"),
    [("African-American", 0.4485, 0.2799), ("Caucasian", 0.2345, 0.4772)],
)
def test_compas_error_rates(
    load: Callable[[], pd.DataFrame], race: str, fpr: float, fnr: float
) -> None:
    """Larson2016's error rates: false alarms for African-American, misses for Caucasian people."""
    people = load()
    people = people[people["race"] == race]
    arrays = people["two_year_recid"], people["decile_score"] >= 5
    assert round(false_positive_rate(arrays[0], arrays[1].astype(int)), 4) == fpr
    assert round(false_negative_rate(arrays[0], arrays[1].astype(int)), 4) == fnr


# Suarez2025, table 1: people by (pa, y) and by (y_pred, y_corrected) = 00, 01, 10, 11.
SUAREZ = {
    (0, 0): (247, 0, 40, 59),
    (0, 1): (129, 0, 96, 228),
    (1, 0): (283, 30, 0, 39),
    (1, 1): (88, 8, 0, 73),
}


def suarez_table() -> OutcomeCounts:
    """Return the table written above."""
    return OutcomeCounts([0, 1], np.array(list(SUAREZ.values())).reshape(2, 2, 2, 2))


def suarez_file() -> OutcomeCounts:
    """Return the table of the published file's rows."""
    path = DATA / "compas_flips.csv"
    if not path.exists():
        pytest.skip("the published file of flips is not here")
    return OutcomeCounts.from_frame(
        pd.read_csv(path),
        sensitive_features="pa",
        y_true="y",
        y_pred="y_pred",
        y_corrected="y_corrected",
    )


every_suarez = pytest.mark.parametrize(
    "load",
    [suarez_table, suarez_file, lambda: load_published("suarez2025_table1").counts],
    ids=["table", "published file", "as loaded"],
)


@every_suarez
def test_suarez_people(load: Callable[[], OutcomeCounts]) -> None:
    """The sixteen cells hold 1,320 people, 799 of them unprivileged."""
    counts = load()
    assert counts == suarez_table()
    assert counts.n == 1320
    assert counts.group_sizes.tolist() == [799, 521]


@every_suarez
@pytest.mark.parametrize(
    ("name", "everyone", "printed", "groups"),
    [
        ("flip_rate", Fraction(174, 1320), 0.1318, [136 / 799, 38 / 521]),
        ("harmful_flip_proportion", Fraction(136, 174), 0.7816, [1.0, 0.0]),
        ("directional_flip_ratio", Fraction(38, 136), 0.2794, [0.0, inf]),
        ("harmful_flip_rate", Fraction(136, 1320), 0.1030, [136 / 799, 0.0]),
        ("favorable_flip_rate", Fraction(38, 1320), 0.0288, [0.0, 38 / 521]),
        ("wrong_flip_rate", Fraction(96 + 30, 1320), 0.0955, [96 / 799, 30 / 521]),
        ("correcting_flip_rate", Fraction(40 + 8, 1320), 0.0364, [40 / 799, 8 / 521]),
    ],
)
def test_suarez_rates(
    load: Callable[[], OutcomeCounts],
    name: str,
    everyone: Fraction,
    printed: float,
    groups: list[float],
) -> None:
    """174 people were flipped, 136 of them harmfully, all of those unprivileged."""
    counts, metric = load(), METRICS[name]
    assert metric.of(counts) == float(everyone)
    assert round(metric.of(counts), 4) == printed
    assert metric.values(counts).tolist() == groups


def test_suarez_rates_as_printed() -> None:
    """The flip rates of the groups round to the printed 0.1702 and 0.0729."""
    assert METRICS["flip_rate"].values(suarez_table()).round(4).tolist() == [0.1702, 0.0729]


FR, UNPRIVILEGED, PRIVILEGED = Fraction(174, 1320), Fraction(136, 799), Fraction(38, 521)
SUAREZ_COMPARISONS = [
    ("flip_rate_difference", {}, UNPRIVILEGED - PRIVILEGED, 0.0973),
    ("flip_disparity_index", {}, UNPRIVILEGED / PRIVILEGED, 2.3337),
    ("flip_rate_disparity", {}, (UNPRIVILEGED - PRIVILEGED) / FR, 0.7380),
    ("flip_rate_disparity", {"convention": "paper"}, (UNPRIVILEGED - PRIVILEGED) / FR, 0.7380),
    ("flip_rate_disparity", {"convention": "equation"}, (UNPRIVILEGED - PRIVILEGED) / FR, 0.7380),
    (
        "relative_flip_disparity",
        {},
        (UNPRIVILEGED - PRIVILEGED) / (UNPRIVILEGED + PRIVILEGED),
        0.4001,
    ),
    ("harmful_flip_proportion_difference", {}, 1, 1),
    ("harmful_flip_disparity_index", {}, inf, inf),
    ("harmful_flip_disparity", {}, inf, inf),
    ("harmful_flip_disparity", {"convention": "paper"}, inf, inf),
    ("harmful_flip_disparity", {"convention": "equation"}, (1 - 0) / FR, 7.5862),
    ("relative_harmful_flip_disparity", {}, 1, 1),
]


@every_suarez
@pytest.mark.parametrize(("name", "options", "value", "printed"), SUAREZ_COMPARISONS, ids=str)
def test_suarez_comparisons(
    load: Callable[[], OutcomeCounts],
    name: str,
    options: dict[str, Any],
    value: Fraction | float,
    printed: float,
) -> None:
    """The flip disparities are those of table 1, under both conventions for rates of 0."""
    counts, metric = load(), METRICS[name]
    for privileged in (None, 1, 0):
        found = metric.of(counts, privileged=privileged, **options)
        assert found == float(value)
        assert round(found, 4) == printed


def test_suarez_code_divides_by_another_rate() -> None:
    """Over the harmful share of all flips, as the authors' code has it, HFD would be 1.2794."""
    metric, counts = METRICS["harmful_flip_disparity"], suarez_table()
    share = METRICS["harmful_flip_proportion"].of(counts)
    assert f"{1 / share:.4f}" == "1.2794"
    found = metric.of(counts, convention="equation")
    assert found == pytest.approx(1 / METRICS["flip_rate"].of(counts))
    assert f"{found:.4f}" == "7.5862"


@every_suarez
@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("accuracy", 0.725, 0.6659),
        ("statistical_parity_difference", 0.3144, 0.0713),
        ("equalized_odds_difference", 0.2833, 0.0255),
    ],
)
def test_suarez_before_and_after(
    load: Callable[[], OutcomeCounts], name: str, before: float, after: float
) -> None:
    """Accuracy and disparities before and after the correction round as printed."""
    counts, metric = load(), METRICS[name]
    assert round(metric.of(counts.before, privileged=1), 4) == before
    assert round(metric.of(counts.after, privileged=1), 4) == after


def test_suarez_statistical_parity_exactly() -> None:
    """The selection rates before and after are those of the sixteen cells."""
    parity = METRICS["statistical_parity_difference"]
    before = Fraction(40 + 59 + 96 + 228, 799) - Fraction(39 + 73, 521)
    after = Fraction(59 + 228, 799) - Fraction(30 + 39 + 8 + 73, 521)
    assert parity.of(suarez_table().before, privileged=1) == float(before)
    assert parity.of(suarez_table().after, privileged=1) == float(after)


def test_suarez_turned_around() -> None:
    """With "did not re-offend" as the favorable label, the 136 harmful flips become helpful."""
    cells = suarez_table().cells[:, ::-1, ::-1, ::-1]
    counts = OutcomeCounts([0, 1], cells, labels=(1, 0))
    assert METRICS["harmful_flip_proportion"].of(counts) == 38 / 174
    assert METRICS["harmful_flip_proportion"].values(counts).tolist() == [0.0, 1.0]
    assert METRICS["directional_flip_ratio"].of(counts) == 136 / 38
    for name in ("flip_rate", "wrong_flip_rate", "correcting_flip_rate"):
        assert METRICS[name].of(counts) == METRICS[name].of(suarez_table())
    parity = METRICS["statistical_parity_difference"]
    assert round(parity.of(counts.before, privileged=1), 4) == -0.3144


def test_suarez_from_arrays() -> None:
    """The label that is called favorable is what the rows' values are turned by."""
    records = suarez_table().to_frame()
    rows = records.loc[records.index.repeat(records["count"])]
    turned = OutcomeCounts.from_arrays(
        rows["y_true"],
        rows["y_pred"],
        rows["y_corrected"],
        sensitive_features=rows["group"],
        pos_label=0,
    )
    assert np.array_equal(turned.cells, suarez_table().cells[:, ::-1, ::-1, ::-1])


def test_four_fifths_in_the_printed_tables() -> None:
    """Of Briscoe2025's and Yuan2024's ratios, none is within four fifths of parity."""
    judge = METRICS["disparate_impact"].bands.judge
    people = compas_loaded()
    positive = (people["decile_score"] >= 5).astype(int)
    race = people["race"] == "African-American"
    ratio = disparate_impact(None, positive, sensitive_features=race, privileged=False)
    ratios = [METRICS["disparate_impact"].of(scenario(x), privileged="j") for x in ("A", "alpha")]
    assert [judge(value) for value in [*ratios, ratio]] == ["outside bounds"] * 3
