"""Plain text: eighty columns, nothing but printable characters."""

import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import measure_width, show_keys
from skfair_ofi.report import ProportionalityReport, summarize


@pytest.fixture(scope="module")
def text(paper: OutcomeCounts) -> str:
    """The report on the published table."""
    return ProportionalityReport(summarize(paper, privileged=1, source="a file")).text()


def test_sections_in_order(text: str) -> None:
    """First lines, fairness, flips, measures, right and wrong, the reading, the decision."""
    headings = (
        "Favorable label:  1 (unfavorable: 0)",
        "Fairness and accuracy before and after",
        "Who was flipped",
        "How evenly the flips fall on the groups",
        "Flips that made predictions wrong or right",
        "OFI and DI read together",
        "Decision",
    )
    lines = text.splitlines()
    places = [lines.index(heading) for heading in headings]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "line",
    [
        "Disparate impact (DI)      2.463  outside bounds   1.248  within bounds   -1.215",
        "0                  799       0   136  17.0%   100.0%     0.000",
        "1 (privileged)     521      38     0   7.3%     0.0%  infinite",
        "All groups       1,320      38   136  13.2%    78.2%     0.279",
        "Flip rate difference (FRD)                    0.097  moderate",
        "Harmful flip disparity index (HDI)         infinite  outside bounds",
        "All groups    174    126     48     -78",
        "Change the correction (rule: disproportionate). The reasons:",
    ],
)
def test_lines(text: str, line: str) -> None:
    """Tables are aligned and have the published figures."""
    assert line in text.splitlines()


def test_width(text: str) -> None:
    """Every line fits a terminal of 80 columns."""
    assert max(map(measure_width, text.splitlines())) <= 80


def test_many_groups_and_long_numbers_fit() -> None:
    """Large numbers and crossed groups with long names fit, too."""
    groups = [("a long name of a first feature", value) for value in range(4)]
    counts = OutcomeCounts(groups, [[[[10**6, 10**6], [10**6, 10**5]]]] * 4)
    assert (
        max(map(measure_width, ProportionalityReport(summarize(counts)).text().splitlines())) <= 80
    )


def test_hostile_names(hostile: OutcomeCounts) -> None:
    """Hostile names are printable and whole; only a name may be longer than a line."""
    text = ProportionalityReport(summarize(hostile)).text()
    names = show_keys(hostile.groups)
    assert all(name in text for name in names)
    assert text.replace("\n", "").replace("\u2068", "").replace("\u2069", "").isprintable()
    overlong = [line for line in text.splitlines() if measure_width(line) > 80]
    assert sorted(line.strip() for line in overlong) == sorted(
        name for name in names if len(name) > 80
    )


def test_wide_characters_are_aligned() -> None:
    """A name of wide characters takes two columns each, and the next column stays in place."""
    counts = OutcomeCounts(["日本", "abcd"], [[[[5, 1], [1, 5]]]] * 2)
    lines = ProportionalityReport(summarize(counts)).text().splitlines()
    rows = [line for line in lines if line.startswith(("日本 ", "abcd ")) and " 12 " in line]
    assert len(rows) == 2
    assert len({measure_width(line.partition(" 12 ")[0]) for line in rows}) == 1


def test_undefined_and_infinite_are_words() -> None:
    """Undefined values are a dash and a reason, infinite ones a word."""
    counts = OutcomeCounts(["a", "b"], [[[[2, 1], [1, 2]]], [[[3, 0], [0, 0]]]])
    text = ProportionalityReport(summarize(counts, privileged="b")).text()
    assert "infinite  outside bounds" in text
    flat = " ".join(text.split())
    assert "Infinite before and after: no one in group b has the favorable label." in flat
    assert "nan" not in text


def test_pure(paper: OutcomeCounts) -> None:
    """The same summary gives the same text."""
    assert (
        ProportionalityReport(summarize(paper)).text()
        == ProportionalityReport(summarize(paper)).text()
    )


def test_undefined_rates_fit() -> None:
    """Rates that are undefined in all columns of a table are dashes, and fit."""
    counts = OutcomeCounts(
        ["a", "b"], [[[[0, 0], [0, 0]]] * 2, [[[2, 1], [1, 2]], [[0, 0], [0, 0]]]]
    )
    text = ProportionalityReport(summarize(counts)).text()
    assert max(map(measure_width, text.splitlines())) <= 80
    assert "– → –" in text
