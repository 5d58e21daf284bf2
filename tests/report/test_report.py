"""The report in all its forms, and where it is saved."""

from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.report import ProportionalityReport, proportionality_report

Form = Callable[[ProportionalityReport], str]


@pytest.fixture(scope="module")
def report(paper: OutcomeCounts) -> ProportionalityReport:
    """The report on the published table."""
    return ProportionalityReport.from_counts(paper, privileged=1)


@pytest.mark.parametrize(
    ("suffix", "form"),
    [
        (".html", ProportionalityReport.html),
        (".md", ProportionalityReport.markdown),
        (".txt", ProportionalityReport.text),
        (".json", ProportionalityReport.json),
        (".csv", ProportionalityReport.csv),
        (".HTML", ProportionalityReport.html),
    ],
)
def test_save(report: ProportionalityReport, tmp_path: Path, suffix: str, form: Form) -> None:
    """The suffix says which form is written, in UTF-8 with plain line ends."""
    path = report.save(tmp_path / f"report{suffix}")
    assert path.read_bytes().decode() == form(report)


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
@pytest.mark.slow
def test_save_pictures(
    report: ProportionalityReport, tmp_path: Path, suffix: str, start: bytes
) -> None:
    """Pictures are the same bytes each time, and leave no figure open."""
    first, second = (report.save(tmp_path / f"{name}{suffix}").read_bytes() for name in "ab")
    assert first.startswith(start)
    assert first == second
    assert plt.get_fignums() == []


def test_save_takes_text(report: ProportionalityReport, tmp_path: Path) -> None:
    """A path may be text, and what is there already is replaced."""
    path = str(tmp_path / "report.txt")
    assert report.save(path) == report.save(path) == Path(path)


def test_save_knows_its_suffixes(report: ProportionalityReport, tmp_path: Path) -> None:
    """Another suffix is refused with the list of those there are."""
    message = (
        r"path must end in one of \.txt, \.md, \.html, \.json, \.csv, \.png, \.svg, "
        r"got '.*report\.pdf'\.$"
    )
    with pytest.raises(ValueError, match=message):
        report.save(tmp_path / "report.pdf")


def test_save_makes_no_folders(report: ProportionalityReport, tmp_path: Path) -> None:
    """A folder that does not exist is an error that names the path."""
    message = r"path must be in a folder that exists, got '.*report\.html'\.$"
    with pytest.raises(FileNotFoundError, match=message):
        report.save(tmp_path / "none" / "report.html")


def test_shows_itself(report: ProportionalityReport) -> None:
    """A notebook shows the fragment, a shell one line, print the text."""
    assert report._repr_html_().lstrip().startswith('<div class="skfair-ofi"')
    assert repr(report) == (
        "ProportionalityReport(people=1320, groups=2, flips=174, decision='change the correction')"
    )
    assert str(report) == report.text()


def test_to_frame(report: ProportionalityReport) -> None:
    """The frame has one row a measure."""
    assert isinstance(report.to_frame(), pd.DataFrame)
    assert len(report.to_frame()) == len(report.summary.fairness) + len(report.summary.measures)


def test_plot(report: ProportionalityReport) -> None:
    """All plots stand on one figure of pyplot."""
    figure = report.plot()
    figure.canvas.draw()
    assert len(figure.axes) == 5
    plt.close(figure)


def test_plot_without_pairs() -> None:
    """With many groups, the pairs are left out, and the rest is drawn."""
    counts = OutcomeCounts(range(60), [[[[5, 1], [1, 5]]]] * 60)
    figure = ProportionalityReport.from_counts(counts).plot()
    figure.canvas.draw()
    assert len(figure.axes) == 3
    plt.close(figure)


@pytest.mark.slow
def test_hostile_pictures(hostile: OutcomeCounts, tmp_path: Path) -> None:
    """Hostile names and titles draw without a warning, and are escaped in SVG."""
    report = ProportionalityReport.from_counts(hostile, title="<b>$x$</b>")
    svg = report.save(tmp_path / "report.svg").read_text(encoding="utf-8")
    assert "&lt;b&gt;$x$&lt;/b&gt;" in svg
    assert "<script" not in svg
    assert report.save(tmp_path / "report.png").stat().st_size > 10_000


def test_arrays_and_counts_agree(paper: OutcomeCounts) -> None:
    """Arrays of people give the report on their table."""
    records = [row for row in paper.to_records() for _ in range(row["count"])]
    frame = pd.DataFrame.from_records(records)
    report = proportionality_report(
        frame["y_true"], frame["y_pred"], frame["y_corrected"], sensitive_features=frame[["group"]]
    )
    assert report.summary.measures == ProportionalityReport.from_counts(paper).summary.measures
    assert report.counts.n == 1320


def test_favorable_label_changes_the_verdict(paper: OutcomeCounts) -> None:
    """Taken as re-offending, the flips called harmful were favorable."""
    records = [row for row in paper.to_records() for _ in range(row["count"])]
    frame = pd.DataFrame.from_records(records)
    report = proportionality_report(
        frame["y_true"],
        frame["y_pred"],
        frame["y_corrected"],
        sensitive_features=frame["group"],
        pos_label=0,
    )
    assert (report.summary.overall.gained, report.summary.overall.lost) == (136, 38)
    assert dict(report.summary.facts)["Favorable label"] == "0 (unfavorable: 1)"


def test_missing_groups() -> None:
    """People without a group are counted as one where that is asked for."""
    report = proportionality_report(
        None, [1, 0, 1], [0, 0, 1], sensitive_features=["a", None, "b"], missing_groups="group"
    )
    assert [row.name for row in report.summary.groups] == ["a", "b", "(missing)"]


@pytest.mark.parametrize("suffix", [".html", ".md", ".txt", ".json", ".csv", ".png", ".svg"])
@pytest.mark.slow
def test_lone_surrogates_can_be_saved(tmp_path: Path, suffix: str) -> None:
    """Text that came from bytes which are no UTF-8 can be written in every form."""
    counts = OutcomeCounts(
        ["caf\udce9", "b"],
        [[[[5, 1], [1, 5]]], [[[5, 2], [0, 5]]]],
        labels=("n\udce9", "o\udce9"),
        feature_names=["lieu\udce9"],
    )
    report = ProportionalityReport.from_counts(
        counts, privileged="b", title="t\udce9", source="s\udce9", notes=["n\udce9"]
    )
    content = report.save(tmp_path / f"report{suffix}").read_bytes()
    if suffix in {".html", ".txt", ".json"}:
        assert rb"caf\udce9" in content
