"""``skfair-ofi audit``: exit codes, outputs, and refusals on one line."""

import csv
import gzip
import hashlib
import io
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from skfair_ofi.audit import Audit
from skfair_ofi.cli import main
from skfair_ofi.report import AuditReport

ROOT = Path(__file__).parents[2]
Capsys = pytest.CaptureFixture[str]
PEOPLE = "g,y,p\na,1,1\na,0,0\nb,1,1\nb,0,0\n"
SPEC = 'truth = "y == 1"\npositive = "p == 1"\ngroups = "g"\ncriteria = ["disparate_impact"]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working folder, with a file and a specification in it."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "spec.toml").write_text(SPEC)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def audit(*options: str, spec: str | None = None, data: str | None = None) -> int:
    """Run the sub-command on the file and the specification, which may be others."""
    if spec is not None:
        Path("spec.toml").write_text(spec)
    if data is not None:
        Path("people.csv").write_text(data)
    return main(["audit", "people.csv", "--spec", "spec.toml", *options])


def refusal(capsys: Capsys, *arguments: str) -> str:
    """Return the one line of a run that ends with 2."""
    assert main(["audit", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.rstrip("\n").isprintable()
    return captured.err


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (PEOPLE, 0),
        (PEOPLE.replace("b,1,1", "b,1,0"), 3),
        (PEOPLE.replace("a,0,0", "a,0,1"), 1),
        (PEOPLE.replace(",1\n", ",0\n"), 3),
    ],
    ids=["met", "one undefined", "not met", "undefined"],
)
def test_exit_codes(folder: Path, capsys: Capsys, data: str, code: int) -> None:
    """0 all met, 1 some not met, 3 some undefined; Python and JSON say the same."""
    criteria = 'criteria = [{measure = "disparate_impact", at_least = 0.8}]'
    if code == 3 and data != PEOPLE.replace(",1\n", ",0\n"):
        criteria = 'criteria = ["predictive_parity_difference"]'
    spec = SPEC.replace('criteria = ["disparate_impact"]', criteria)
    assert audit("--format", "json", spec=spec, data=data) == code
    assert json.loads(capsys.readouterr().out)["exit_code"] == code
    assert Audit.from_toml(spec).run(folder / "people.csv").exit_code == code


@pytest.mark.usefixtures("folder")
def test_not_met_stands_before_undefined(capsys: Capsys) -> None:
    """Where one criterion is not met and another undefined, the code is 1."""
    spec = SPEC.replace("]", ', "equal_opportunity_difference"]')
    assert audit(spec=spec, data=PEOPLE.replace("a,1,1", "a,0,1").replace("a,0,0", "a,0,1")) == 1
    assert "undefined" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_no_bound_is_no_failure() -> None:
    """Values without a bound do not count against a run."""
    assert audit("--quiet", spec='positive = "p == 1"\ngroups = "g"\npreset = "nyc-ll144"\n') == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("form", ["markdown", "html", "json", "csv"])
def test_forms_are_those_of_the_report(capsys: Capsys, form: str) -> None:
    """What is printed and what is written is what Python gives."""
    assert audit("--format", form, "--no-time") == 0
    result = Audit.from_file("spec.toml").run(
        ["people.csv"], no_time=True, command="skfair-ofi audit people.csv --spec spec.toml"
    )
    assert capsys.readouterr().out == getattr(AuditReport(result), form)()


def test_outputs(folder: Path, capsys: Capsys) -> None:
    """Several files are written, nothing else is, and none is overwritten unasked."""
    names = ["r.html", "r.md", "r.json", "r.csv", "r.txt"]
    options = [option for name in names for option in ("-o", name)]
    assert audit(*options, "--quiet") == 0
    assert capsys.readouterr() == ("", "")
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*names, "people.csv", "spec.toml"]
    )
    assert "--force overwrites it" in refusal(
        capsys, "people.csv", "--spec", "spec.toml", "-o", "r.html"
    )
    assert audit("-o", "r.html", "--force", "--quiet") == 0


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("people.csv", "--output must be another file"),
        ("report.pdf", "--output must end in one of .txt, .md, .html, .json, .csv"),
        ("absent/report.md", "--output must be a file in a folder that exists"),
        ("link.md", "--output must be no symbolic link"),
    ],
)
def test_outputs_that_are_refused(folder: Path, capsys: Capsys, target: str, message: str) -> None:
    """What must not be written is refused before anything is read."""
    (folder / "link.md").symlink_to(folder / "elsewhere")
    line = refusal(capsys, "people.csv", "--spec", "spec.toml", "-o", target, "--force")
    assert message in line
    assert not (folder / "elsewhere").exists()


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "audit needs FILE and --spec, or --init FILE"),
        (("people.csv",), "audit needs FILE and --spec"),
        (("--spec", "spec.toml"), "audit needs FILE and --spec"),
        (("absent.csv", "--spec", "spec.toml"), "'absent.csv' cannot be read: it does not exist."),
        (("people.csv", "--spec", "absent.toml"), "'absent.toml' cannot be read"),
        (("people.csv", "--spec", "people.csv"), "must be TOML"),
        (("people.csv", "--spec", "spec.toml", "--model", "x"), "model must be a .skops, .onnx"),
        (("people.csv", "--spec", "spec.toml", "--model", "x.pkl"), "model must be a file that"),
        (("--init", "absent.csv"), "'absent.csv' cannot be read"),
        (("--init", "people.csv", "-o", "spec.txt"), "--output must end in one of .toml, got spec"),
        (("--init", "people.csv", "-o", "spec.toml"), "--output must be a new file, got spec.toml"),
        (("--init", "."), "it is a folder without Parquet files"),
    ],
)
def test_refusals(capsys: Capsys, arguments: tuple[str, ...], message: str) -> None:
    """Input that cannot be used is one line on the standard error, and 2."""
    assert message in refusal(capsys, *arguments)


def test_all_faults_of_a_specification(folder: Path, capsys: Capsys) -> None:
    """All faults of a specification stand on the one line."""
    (folder / "spec.toml").write_text('positiv = "p == 1"\ngroups = 5\nepsilon = "x"\n')
    line = refusal(capsys, "people.csv", "--spec", "spec.toml")
    assert all(f"({number})" in line for number in (1, 2, 3))


@pytest.mark.usefixtures("folder")
def test_standard_input(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hyphen is the standard input, compressed or not."""
    for content in (PEOPLE.encode(), gzip.compress(PEOPLE.encode())):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        assert main(["audit", "-", "--spec", "spec.toml", "--format", "json"]) == 0
        parsed = json.loads(capsys.readouterr().out)["provenance"]
        assert (parsed["files"][0]["name"], parsed["rows"]) == ("standard input", 4)


def test_model(folder: Path, capsys: Capsys) -> None:
    """A model's predictions are audited, and its command is recorded without folders."""
    (folder / "rule_of_test.py").write_text(
        "class Rule:\n    def predict(self, rows):\n        return rows['y']\nrule = Rule()\n"
    )
    spec = SPEC.replace("p == 1", "prediction == 1") + 'features = ["y"]\n'
    spec = spec.replace("criteria", 'title = "x"\ncriteria')
    assert audit("--model", "rule_of_test:rule", "--format", "json", spec=spec) == 0
    made = json.loads(capsys.readouterr().out)["provenance"]
    assert made["model"] == "Rule"
    assert made["command"].endswith("--spec spec.toml --model rule_of_test:rule")


@pytest.mark.usefixtures("folder")
def test_two_commands_from_a_file_to_a_verdict(capsys: Capsys) -> None:
    """A newcomer's path: draft a specification, run it."""
    assert main(["audit", "--init", "people.csv", "-o", "draft.toml"]) == 0
    assert main(["audit", "--init", "people.csv"]) == 0
    drafted = capsys.readouterr().out
    assert Path("draft.toml").read_text() == drafted
    assert audit(spec=drafted) in (0, 1, 3)
    assert "Criteria" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_program() -> None:
    """The program itself ends with the code of the run."""
    Path("people.csv").write_text(PEOPLE.replace("a,0,0", "a,0,1"))
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "skfair_ofi", "audit", "people.csv", "--spec", "spec.toml"],
        env={"PYTHONPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.usefixtures("folder")
def test_group_names_that_a_terminal_would_act_on(capsys: Capsys) -> None:
    """Control characters of other people's data are spelled out."""
    people = pd.DataFrame({"g": ["\x1b[31mred", "b"], "y": [1, 1], "p": [1, 1]})
    people.to_csv("people.csv", index=False)
    assert audit() == 0
    captured: Any = capsys.readouterr()
    assert "\x1b" not in captured.out


@pytest.mark.usefixtures("folder")
def test_rows_of_csv_tell_what_is_missing(capsys: Capsys) -> None:
    """In CSV, the missing group, a group called nan, and no pair of groups are told apart."""
    spec = SPEC.replace(
        'groups = "g"', 'missing_groups = "group"\ngroups = {columns = "g", against = "rest"}'
    )
    assert audit("--format", "csv", spec=spec, data="g,y,p\n,1,1\nnan,1,0\nnan,1,1\n,0,1\n") == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["group"], row["condition"]) for row in rows] == [("nan", ""), ("(missing)", "")]
    assert audit("--format", "csv", spec=SPEC, data="g,y,p\na,1,1\n") == 3
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["group"], row["reference"], row["verdict"]) == ("", "", "undefined")


def test_fields_keep_their_names(folder: Path, capsys: Capsys) -> None:
    """Messages name fields of the specification, which are no options of the command."""
    (folder / "people.csv").write_text(PEOPLE + ",1,1\n")
    message = refusal(capsys, "people.csv", "--spec", "spec.toml")
    assert "Set missing_groups to 'drop' or 'group'" in message
    assert "--missing" not in message


def test_command_can_be_repeated(folder: Path, capsys: Capsys) -> None:
    """The report holds every option that matters, quoted, and the hashes of all files."""
    (folder / "a b;c.csv").write_text(PEOPLE)
    spec = SPEC.replace("p == 1", "prediction == 1") + 'features = ["p"]\n'
    (folder / "spec.toml").write_text(spec)
    model = folder / "model.pkl"
    model.write_bytes(
        pickle.dumps(DummyClassifier(strategy="constant", constant=1).fit([[0]], [1]))
    )
    given = ["--model", "model.pkl", "--allow-pickle", "--memory-limit", "100MB"]
    assert main(["audit", "a b;c.csv", "--spec", "spec.toml", *given, "--format", "json"]) == 0
    made = json.loads(capsys.readouterr().out)["provenance"]
    assert made["command"] == (
        "skfair-ofi audit 'a b;c.csv' --spec spec.toml --model model.pkl --allow-pickle "
        "--memory-limit 100MB"
    )
    assert made["model_sha256"] == hashlib.sha256(model.read_bytes()).hexdigest()
    assert made["spec_sha256"] == hashlib.sha256(spec.encode()).hexdigest()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_full_disk(folder: Path) -> None:
    """An output that cannot be written is one line and 2, not the 1 of criteria not met."""
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "skfair_ofi", "audit", "people.csv", "--spec", "spec.toml"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 2
    assert result.stderr == "skfair-ofi: the output cannot be written: No space left on device.\n"


@pytest.mark.usefixtures("folder")
def test_unexpected_errors_are_no_verdict(capsys: Capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the program itself is one line and 2, since 1 says that criteria are not met."""

    def fail(*_arguments: Any, **_options: Any) -> None:
        raise RuntimeError("no such\nluck")

    monkeypatch.setattr(Audit, "run", fail)
    message = refusal(capsys, "people.csv", "--spec", "spec.toml")
    assert message == "skfair-ofi: unexpected RuntimeError: no such\\nluck\n"


def test_lone_table_has_one_title(folder: Path) -> None:
    """In HTML, what a lone table shows is said once above it."""
    assert audit("-o", "report.html", "--quiet") == 0
    page = (folder / "report.html").read_text("utf-8")
    assert page.count(">b against a") == 1
    assert "<p>b against a.</p>" in page
    assert "<caption>b against a</caption>" not in page
