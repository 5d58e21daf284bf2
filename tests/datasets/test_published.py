"""Published tables against arithmetic on the numbers in the papers."""

from collections.abc import Hashable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.datasets import PUBLISHED, load_published

BRISCOE = [name for name in PUBLISHED if name.startswith("briscoe2025")]


def table(name: str, group: Hashable) -> tuple[float, float, float, float]:
    """Return TP, FN, FP, TN of one group, before correction."""
    counts = load_published(name).counts
    (tn, fp), (fn, tp) = counts.cells[counts.groups.index(group)].sum(axis=2)
    return tp, fn, fp, tn


def marginal_benefit(name: str, group: Hashable) -> float:
    """Return (FP - FN) / n."""
    tp, fn, fp, tn = table(name, group)
    return (fp - fn) / (tp + fn + fp + tn)


def selection_rate(name: str, group: Hashable) -> float:
    """Return (TP + FP) / n."""
    tp, fn, fp, tn = table(name, group)
    return (tp + fp) / (tp + fn + fp + tn)


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("briscoe2025_table1_a", 6 + 18),
        ("briscoe2025_table1_b", 6 + 18),
        ("briscoe2025_table1_alpha", 7 + 19),
        ("briscoe2025_figure2", 1918 + 26 + 1459 + 355 + 7 + 255),
        ("suarez2025_table1", 799 + 521),
    ],
)
def test_number_of_people(name: str, n: float) -> None:
    """Every table holds as many people as the paper says."""
    assert load_published(name).counts.n == pytest.approx(n, rel=1e-12)


def test_every_table_is_tested_for_its_size() -> None:
    """The tests above and below cover all names there are."""
    assert set(PUBLISHED) == {*BRISCOE, "suarez2025_table1"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_bunch(name: str) -> None:
    """Every table comes with its source and a description that says what it is."""
    published = load_published(name)
    assert set(published) == {"counts", "privileged", "source", "DESCR"}
    assert isinstance(published.counts, OutcomeCounts)
    assert published.privileged in {*published.counts.groups, None}
    assert published.source.lower() == name.split("_", maxsplit=1)[0]
    assert "able 1" in published.DESCR or "Figure 2" in published.DESCR


@pytest.mark.parametrize(
    ("name", "i", "j", "expected"),
    [
        ("briscoe2025_table1_a", "i", "j", -1 / 18),
        ("briscoe2025_table1_b", "i", "j", 2 / 9),
        ("briscoe2025_table1_alpha", "i", "j", 30 / 133),
        ("briscoe2025_figure2", "African-American", "Asian", (8 - 24) / 100 - (0 - 4) / 101),
        ("briscoe2025_figure2", "African-American", "Caucasian", (8 - 24) / 100 - (8 - 14) / 101),
        ("briscoe2025_figure2", "Caucasian", "Native American", (8 - 14) / 101 - (0 - 14) / 99),
    ],
)
def test_objective_fairness_index(name: str, i: Hashable, j: Hashable, expected: float) -> None:
    """OFI is the difference of marginal benefits that the paper prints."""
    assert marginal_benefit(name, i) - marginal_benefit(name, j) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("i", "j", "printed", "digits"),
    [
        ("African-American", "Asian", -0.12, 2),
        ("African-American", "Caucasian", -0.101, 3),
        ("Caucasian", "Native American", 0.082, 3),
    ],
)
def test_figure_2_as_printed(i: Hashable, j: Hashable, printed: float, digits: int) -> None:
    """OFI of figure 2 rounds to the printed number."""
    name = "briscoe2025_figure2"
    assert round(marginal_benefit(name, i) - marginal_benefit(name, j), digits) == printed


@pytest.mark.parametrize(
    ("name", "i", "j", "expected"),
    [
        ("briscoe2025_table1_a", "i", "j", (1 / 6) / (8 / 18)),
        ("briscoe2025_table1_alpha", "i", "j", 19 / 7),
        ("briscoe2025_figure2", "African-American", "Asian", (63 / 100) / (85 / 101)),
        ("suarez2025_table1", 0, 1, ((40 + 59 + 96 + 228) / 799) / ((39 + 73) / 521)),
    ],
)
def test_disparate_impact(name: str, i: Hashable, j: Hashable, expected: float) -> None:
    """DI is the ratio of selection rates."""
    assert selection_rate(name, i) / selection_rate(name, j) == pytest.approx(expected)


def test_nobody_is_selected_in_scenario_b() -> None:
    """DI of scenario B is 0/0."""
    assert selection_rate("briscoe2025_table1_b", "i") == 0
    assert selection_rate("briscoe2025_table1_b", "j") == 0


def test_figure_2_has_the_sizes_of_the_groups() -> None:
    """Shares that do not add to 100 are scaled, so that groups have their printed size."""
    counts = load_published("briscoe2025_figure2").counts
    assert counts.feature_names == ("race",)
    assert counts.labels == ("recidivist", "not a recidivist")
    np.testing.assert_allclose(counts.group_sizes, [1918, 26, 1459, 355, 7, 255])


def test_flips() -> None:
    """The flips of Suarez2025 are 174, of which 136 from 1 to 0, all in group 0."""
    cells = load_published("suarez2025_table1").counts.cells
    assert cells.dtype == np.int64
    assert cells[:, :, 1, 0].sum(axis=1).tolist() == [40 + 96, 0]
    assert cells[:, :, 0, 1].sum(axis=1).tolist() == [0, 30 + 8]
    assert cells.sum(axis=(1, 2, 3)).tolist() == [799, 521]


def test_flips_keep_the_printed_accuracy() -> None:
    """Accuracy is 0.725 before and 0.6659 after the correction."""
    cells = load_published("suarez2025_table1").counts.cells.sum(axis=0)
    assert np.trace(cells.sum(axis=2)) / 1320 == pytest.approx(0.725)
    assert np.trace(cells.sum(axis=1)) / 1320 == pytest.approx(0.6659, abs=5e-5)


def test_flips_match_the_published_file() -> None:
    """The table counts the rows of the file published with the paper."""
    path = Path(__file__).parents[2].parent / "shared" / "data" / "compas_flips.csv"
    if not path.exists():
        pytest.skip("the file with the flips is not here")
    people = pd.read_csv(path)
    counted = OutcomeCounts.from_frame(
        people,
        sensitive_features="pa",
        y_true="y",
        y_pred="y_pred",
        y_corrected="y_corrected",
        pos_label=1,
    )
    assert counted == load_published("suarez2025_table1").counts


def test_unknown_name() -> None:
    """An unknown name is refused with the names there are."""
    with pytest.raises(ValueError, match=r"name must be one of 'briscoe2025.*, got 'nothing'\.$"):
        load_published("nothing")
