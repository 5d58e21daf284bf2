"""One document, one renderer a format: what all reports share."""

from pathlib import Path

import pandas as pd
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.audit import Audit
from skfair_ofi.cli import main
from skfair_ofi.monitoring import OutcomeJournal
from skfair_ofi.report import (
    RENDERERS,
    AuditReport,
    Cell,
    Document,
    Report,
    Row,
    Section,
    Table,
    list_lines,
    proportionality_report,
)
from skfair_ofi.report.document import Renderer


def render_titles(report: Report) -> str:
    """Return a form that a test invents: a title."""
    return f"title of {report.document().title}\n"


@pytest.fixture
def _titles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a form as its author would: one line."""
    monkeypatch.setitem(RENDERERS, "titles", Renderer(".titles", render_titles))


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Return a file of four people."""
    path = tmp_path / "people.csv"
    frame = pd.DataFrame({"g": list("aabb"), "y": [1, 0, 1, 0], "p": [1, 1, 0, 0], "c": 1})
    frame.to_csv(path, index=False)
    return path


@pytest.mark.usefixtures("_titles")
def test_a_new_form_reaches_every_report(tmp_path: Path, people: Path) -> None:
    """A report on flips and one on an audit save themselves in it."""
    audit = Audit(positive="p == 1", groups="g", criteria=["disparate_impact"])
    reports = (
        proportionality_report(None, [1, 0], [1, 1], sensitive_features=["a", "b"]),
        AuditReport(audit.run(people)),
    )
    for report in reports:
        path = report.save(tmp_path / "report.titles")
        assert path.read_text() == f"title of {report.document().title}\n"


@pytest.mark.usefixtures("_titles")
def test_a_new_form_reaches_every_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, people: Path
) -> None:
    """All four commands that show a report take it as their format."""
    spec = people.with_name("spec.toml")
    spec.write_text('positive = "p == 1"\ngroups = "g"\ncriteria = ["disparate_impact"]\n')
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    journal.append(OutcomeCounts(["a", "b"], [[[[9, 1], [0, 9]]]] * 2), time="2026-03-01T12:00:00Z")
    flips = ("--group", "g", "--pred", "p", "--corrected", "c")
    commands = (
        ("flips", str(people), *flips),
        ("audit", str(people), "--spec", str(spec)),
        ("watch", str(journal.path)),
        ("measures",),
    )
    for command in commands:
        main([*command, "--format", "titles"])
        assert capsys.readouterr().out.startswith("title of ")
    target = tmp_path / "flips.titles"
    assert main(["flips", str(people), *flips, "-o", str(target)]) == 0
    assert target.read_text().startswith("title of ")


def make_document(name: str) -> Document:
    """Return a document of one wide table."""
    cells = (Cell(name), Cell("-0.123456", "outside bounds", interval="-0.2 to 0.1"), Cell("12"))
    table = Table("A table", ("Measure", "Before", "People"), (Row(cells, "A sentence about it."),))
    return Document("A title", (("Term", "a description"),), (Section("Part", (), (table,)),))


@pytest.mark.parametrize("width", [20, 30, 40, 50, 60, 70, 80, 120, None])
def test_nothing_is_cut(width: int | None) -> None:
    """Numbers and verdicts stay whole, and lines fit, at every width."""
    lines = list_lines(make_document("a measure with quite a long name"), width)
    words = " ".join(lines).split()
    assert {"-0.123456", "outside", "bounds", "12", "-0.2", "0.1", "sentence"} <= {
        word.strip("()") for word in words
    }
    assert max(map(len, lines)) <= (width or 80)
    assert all(line == line.rstrip() for line in lines)


def test_lists_where_a_table_is_too_wide() -> None:
    """A narrow terminal gets each row as a list, the verdict and the interval behind its value."""
    lines = list_lines(make_document("a measure of an unusually long name"), 34)
    start = lines.index("a measure of an unusually long")
    assert lines[start + 1 : start + 6] == [
        "name",
        "  Before  -0.123456 outside bounds",
        "          (-0.2 to 0.1)",
        "  People  12",
        "  A sentence about it.",
    ]
