"""Reports of audits: the same verdicts in every form, inert names, equal bytes."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from skfair_ofi.audit import Audit, Criterion, Grouping
from skfair_ofi.report import AuditReport

HOSTILE = (
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1",
    "@sum",
    "nan",
    "a|b",
    "",
    "x" * 300,
    "עברית",
    "two\nlines",
    "\x1b[31mred",
    "*bold* [link](http://x)",
)
FORMS = (".html", ".md", ".txt", ".json", ".csv")


def report(people: pd.DataFrame, **fields: Any) -> AuditReport:
    """Return the report of an audit without its time."""
    audit = Audit(**{"truth": "y == 1", "positive": "p == 1", "groups": "g", **fields})
    return AuditReport(audit.run(people, no_time=True))


@pytest.fixture
def people() -> pd.DataFrame:
    """Return people of three groups: one criterion met, one not, one undefined."""
    rows = [("a", 1, 1), ("a", 0, 0), ("b", 1, 1), ("b", 0, 1), ("c", 0, 1), ("c", 0, 0)]
    return pd.DataFrame(rows, columns=["g", "y", "p"])


def verdicts(made: AuditReport) -> dict[str, dict[str, int]]:
    """Return how often each form says each verdict."""
    names = ("within bounds", "outside bounds", "undefined")
    chips = re.findall(r'class="chip [^>]*>.*?</span> ([\w ]+)</span>', made.html(), re.DOTALL)
    parsed = json.loads(made.json())
    rows = list(csv.DictReader(io.StringIO(made.csv())))
    return {
        "Python": {name: made.result.verdicts[name] for name in names},
        "HTML": {name: chips.count(name) for name in names},
        "JSON": {name: sum(f["verdict"] == name for f in parsed["findings"]) for name in names},
        "CSV": {name: sum(row["verdict"] == name for row in rows) for name in names},
        "Markdown": {name: made.markdown().count(f" ({name}) |") for name in names},
        "text": {name: len(re.findall(rf"\S  {name}  ", made.text())) for name in names},
    }


@pytest.mark.parametrize("bound", [0.5, 0.49999999999])
def test_all_forms_have_the_same_verdicts(people: pd.DataFrame, bound: float) -> None:
    """Python and all forms agree, at the bound and just below it."""
    made = report(
        people,
        criteria=[
            Criterion("statistical_parity_difference", at_most=bound),
            Criterion("disparate_impact", at_least=0.5),
            "equal_opportunity_difference",
        ],
    )
    found = verdicts(made)
    assert found["Python"]["undefined"] == 1
    assert found["Python"]["outside bounds"] == (0 if bound == 0.5 else 1)
    assert len({str(counts) for counts in found.values()}) == 1, found


@pytest.mark.parametrize("against", ["pairs", "rest", "highest"])
def test_hostile_names_are_inert(against: Any) -> None:
    """Names from other people's files come out of every form unchanged in meaning and inert."""
    groups = [name for name in HOSTILE for _ in range(2)]
    people = pd.DataFrame({"g": groups, "y": 1, "p": [1, 0] * len(HOSTILE)})
    made = report(people, groups=Grouping("g", against=against))
    assert "<script>" not in made.html()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in made.html()
    assert "\x1b" not in made.text() + made.markdown() + made.html() + made.csv()
    assert "<script>" not in made.markdown()
    for row in csv.reader(io.StringIO(made.csv())):
        assert not any(cell.startswith(("=", "+", "@", "-c")) for cell in row)
    parsed = json.loads(made.json())
    assert {group["group"] for group in parsed["groupings"][0]["groups"]} == set(HOSTILE)


def test_equal_input_gives_equal_bytes(tmp_path: Path, people: pd.DataFrame) -> None:
    """Without the time, two runs on one file give the same bytes in every form."""
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    spec = b'truth = "y == 1"\npositive = "p == 1"\ngroups = "g"\n'
    runs = [AuditReport(Audit.from_toml(spec).run(path, no_time=True)) for _ in range(2)]
    for suffix in FORMS:
        first, second = (
            run.save(tmp_path / f"{i}{suffix}").read_bytes() for i, run in enumerate(runs)
        )
        assert first == second
    assert "2" not in str(runs[0].result.provenance.created)


def test_provenance(tmp_path: Path, people: pd.DataFrame) -> None:
    """Files are named without folders, with hash and size; the time is of UTC."""
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False)
    made = AuditReport(Audit(positive="p == 1", groups="g").run(path, command="audit people.csv"))
    parsed = json.loads(made.json())["provenance"]
    assert parsed["files"][0]["name"] == "people.csv"
    assert parsed["files"][0]["size"] == path.stat().st_size
    assert len(parsed["files"][0]["sha256"]) == 64
    assert parsed["rows"] == 6
    assert parsed["command"] == "audit people.csv"
    assert parsed["created"].endswith("+00:00")
    assert str(tmp_path) not in made.text() + made.html() + made.json() + made.markdown()


def test_json_is_strict(people: pd.DataFrame) -> None:
    """JSON has no NaN: undefined and infinite values are spelled out."""
    made = report(people, criteria=["equal_opportunity_difference", "disparate_impact"])
    parsed = json.loads(made.json(), parse_constant=pytest.fail)
    assert parsed["schema"] == "skfair_ofi/audit/1"
    assert parsed["findings"][0]["value"] == "undefined"
    assert parsed["exit_code"] == made.result.exit_code == 1


def test_what_was_left_out_is_said(people: pd.DataFrame) -> None:
    """Rows left out, criteria skipped and small groups stand in every report."""
    lacking = people.astype({"y": float})
    lacking.loc[0, "y"] = None
    text = report(lacking).text()
    assert "1 rows lack truth." in text
    assert "Not computed: calibration_difference needs calibration, which is not given." in (
        " ".join(text.split())
    )
    assert "a (small)" in text


def test_each_comparison_is_a_table(people: pd.DataFrame) -> None:
    """With many criteria, each comparison is a table; with one, each group is a row."""
    many = report(people, groups=Grouping("g", against="rest")).markdown()
    assert [f"**{group} against everyone else**" in many for group in "abc"] == [True] * 3
    one = report(people, groups=Grouping("g", against="rest"), criteria=["disparate_impact"])
    assert "| Group | Value | Notes |" in one.markdown() or "| Group | Value |" in one.markdown()


def test_larger_npv_gap_is_explained() -> None:
    """A value in range that fails by Yuan2024's addition says so."""
    rows = [("a", 0, 0), ("a", 1, 1), ("b", 0, 0), ("b", 0, 1), ("b", 1, 1)]
    frame = pd.DataFrame(rows, columns=["g", "y", "p"])
    criterion = Criterion("conditional_use_accuracy_difference", at_most=0.5, npv_gap_larger=True)
    text = " ".join(report(frame, criteria=[criterion]).text().split())
    assert "but the NPV gap is not the larger one" in text


@pytest.mark.parametrize("form", FORMS)
def test_lone_surrogates_can_be_saved(tmp_path: Path, people: pd.DataFrame, form: str) -> None:
    """A title that came from bytes which are no UTF-8 can be written in every form."""
    content = report(people, title="caf\udce9").save(tmp_path / f"audit{form}").read_bytes()
    assert (b"udce9" in content) == (form != ".csv")


def test_suffix_that_is_no_form(tmp_path: Path, people: pd.DataFrame) -> None:
    """A file of another suffix is refused."""
    with pytest.raises(ValueError, match=r"path must end in one of \.txt, .*, got '.*\.pdf'\."):
        report(people).save(tmp_path / "report.pdf")


def test_representations(people: pd.DataFrame) -> None:
    """A notebook shows the fragment; a terminal one line."""
    made = report(people)
    assert made._repr_html_().startswith("<div")
    assert repr(made).startswith("AuditReport({'within bounds': ")


def test_page_needs_nothing_else(people: pd.DataFrame) -> None:
    """The page has no script and loads nothing."""
    page = report(people).html()
    assert not re.search(r"<script|<link|src=|@import|url\(", page)
