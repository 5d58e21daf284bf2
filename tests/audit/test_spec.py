import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from skfair_ofi.audit import (
    PRESETS,
    Audit,
    Criterion,
    Grouping,
    ReadOptions,
    SpecError,
    draft_spec,
)

MINIMAL: dict[str, Any] = {"positive": "p == 1", "groups": "g", "criteria": ["disparate_impact"]}

TOML = """
title = "Hiring"
positive = "hired == 'yes'"
truth = "good == 1"
score = "score"
weight = "n"
groups = ["sex", ["race", "sex"]]
privileged = "race == 'White'"
legitimate = { "has experience" = "years > 0" }
calibration = [[1, 4], [5, 10]]
epsilon = 0.1
minimum_group_size = 5
missing_groups = "drop"
exclude_below = 0.02
features = ["years"]

[[criteria]]
measure = "statistical_parity_difference"
within = 0.05

[[criteria]]
measure = "equal_opportunity_difference"
at_least = -0.1
at_most = 0.2
condition = "has experience"

[data]
delimiter = ";"
encoding = "cp1252"
missing_values = ["NA"]
"""


def test_toml_has_the_fields_of_the_class() -> None:
    """A TOML file and Python with the same fields are the same specification."""
    audit = Audit.from_toml(TOML)
    assert audit == Audit(**tomllib.loads(TOML))
    assert audit.spec == Audit(**tomllib.loads(TOML)).spec
    assert audit.spec.criteria == (
        Criterion("statistical_parity_difference", -0.05, 0.05),
        Criterion("equal_opportunity_difference", -0.1, 0.2, "has experience"),
    )
    assert [grouping.title for grouping in audit.spec.groupings] == [
        "sex",
        "race x sex",
        "race == 'White'",
    ]
    assert audit.spec.data == ReadOptions(delimiter=";", encoding="cp1252", missing_values=["NA"])


def test_file_is_hashed(tmp_path: Path) -> None:
    """A specification from a file carries its hash into the result."""
    path = tmp_path / "spec.toml"
    path.write_text('positive = "p == 1"\ngroups = "g"\ncriteria = ["disparate_impact"]\n')
    audit = Audit.from_file(path)
    result = audit.run(pd.DataFrame({"g": ["a", "b"], "p": [1, 1]}))
    assert result.provenance.spec_sha256 == audit.spec_sha256
    assert len(audit.spec_sha256 or "") == 64


def test_all_faults_in_one_error() -> None:
    """Unknown keys, wrong types and contradictions are named together, on one line."""
    with pytest.raises(SpecError) as caught:
        Audit.from_toml(
            """
            truht = "y == 1"
            positive = "p = 1"
            groups = { columns = "g", against = "reference", colour = 1 }
            epsilon = 2
            minimum_group_size = "many"
            missing_groups = "keep"
            preset = "four_fifths"
            calibration = [7, 5]
            weight = 1
            criteria = [{ measure = "di" }, { at_least = 1 }]
            data = { delimiter = ";;" }
            """
        )
    assert caught.value.faults == (
        "unknown key 'truht'. Did you mean 'truth'?",
        (
            "preset: must be one of 'yuan2024', 'fai', 'ofi', 'four-fifths', 'nyc-ll144', "
            "got 'four_fifths'. Did you mean 'four-fifths'?"
        ),
        caught.value.faults[2],
        "groups: unknown key 'colour'. Did you mean 'columns'?",
        "calibration: must be given with a score, got none.",
        "calibration: must be [lowest, highest], got [7, 5].",
        "epsilon: must be a number from 0 to 0.999, got 2.",
        caught.value.faults[7],
        "criteria 2: measure must be given, got none.",
        "weight: must be text, got 1.",
        "minimum_group_size: must be a whole number from 0 to 1,000,000,000, got 'many'.",
        "missing_groups: must be one of 'error', 'drop', 'group', got 'keep'.",
        "data: delimiter must be one character, got ';;'.",
    )
    assert caught.value.faults[2].startswith("positive: predicate must be an expression such as")
    assert caught.value.faults[7].startswith("criteria 1: measure must name a comparison")
    assert str(caught.value).startswith("The audit has 13 faults: (1) unknown key 'truht'.")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"groups": None}, "groups: must be 1 to 20, got 0."),
        ({"groups": []}, "groups: must be 1 to 20, got 0."),
        ({"groups": ["g"] * 21}, "groups: must be 1 to 20, got 21."),
        ({"groups": ["g", "g"]}, "groups: must have different names, got ['g', 'g']."),
        ({"groups": 5}, "groups: must be a column, a list of columns or a table, got 5."),
        (
            {"groups": {"columns": "g", "privileged": "g == 'a'"}},
            "groups: must have either columns or privileged, got both or neither.",
        ),
        (
            {"groups": [["g"] * 2]},
            "groups: columns must be 1 to 5 different column names, got ['g', 'g'].",
        ),
        (
            {"groups": {"columns": "g", "bins": [2, 1]}},
            "groups: bins must be 1 to 100 rising numbers, got [2, 1].",
        ),
        (
            {"groups": {"columns": ["g", "h"], "bins": [1]}},
            "groups: bins must be of one column, got ('g', 'h').",
        ),
        (
            {"groups": {"privileged": "g == 'a'", "bins": [1]}},
            "groups: bins must be of a column, got a privileged predicate.",
        ),
        (
            {"groups": {"columns": "g", "against": "all"}},
            "groups: against must be one of 'pairs', 'rest', 'reference', 'highest', got 'all'.",
        ),
        (
            {"groups": {"columns": "g", "against": "reference"}},
            "groups: reference must be given for against='reference', got none.",
        ),
        (
            {"groups": {"columns": "g", "against": "rest", "reference": "a"}},
            "groups: against must be 'reference' where a reference is given, got 'rest'.",
        ),
        (
            {"groups": {"privileged": "g == 'a'", "against": "rest"}},
            (
                "groups: privileged must stand without reference and against, since everyone else "
                "is compared with the privileged."
            ),
        ),
        (
            {"groups": {"columns": "g", "name": 1}},
            "groups: name must be text, got 1.",
        ),
        (
            {"groups": {"columns": "g", "reference": {"a": 1}}},
            "groups: reference must be a group, got {'a': 1}.",
        ),
        (
            {"preset": "four-fifths", "groups": {"columns": "g", "against": "rest"}},
            "groups: against must be 'highest' under the preset, got 'rest'.",
        ),
        ({"positive": 1}, "positive: predicate must be text or a function, got 1."),
        ({"legitimate": {"x": "1"}}, None),
        (
            {"legitimate": {" ": "y == 1"}},
            "legitimate: a condition's name must not be empty, got ' '.",
        ),
        (
            {"legitimate": {1: "y == 1", "1": "p == 1"}},
            "legitimate: must be different conditions, got '1' 2 times.",
        ),
        (
            {"score": "s", "calibration": [[0, 1], [0, 1]]},
            "calibration: must be different conditions, got 'score 0 to 1' 2 times.",
        ),
        (
            {"criteria": ["disparate_impact"] * 2},
            "criteria: must be different, got disparate_impact 2 times.",
        ),
        (
            {"criteria": [{"measure": "disparate_impact", "at_most": float("inf")}]},
            "criteria 1: at_most must be a number, got inf.",
        ),
        (
            {
                "score": "s",
                "calibration": [0, 1],
                "criteria": [{"measure": "calibration_difference", "condition": "x"}],
            },
            (
                "criteria 1: condition must be left out for calibration_difference, whose people "
                "are those of calibration, got 'x'."
            ),
        ),
        (
            {"criteria": [{"measure": "disparate_impact", "npv_gap_larger": "no"}]},
            "criteria 1: npv_gap_larger must be true or false, got 'no'.",
        ),
        (
            {"minimum_group_size": 2.5},
            "minimum_group_size: must be a whole number from 0 to 1,000,000,000, got 2.5.",
        ),
        (
            {"minimum_group_size": True},
            "minimum_group_size: must be a whole number from 0 to 1,000,000,000, got True.",
        ),
        ({"criteria": "disparate_impact"}, None),
        (
            {"criteria": [1]},
            "criteria 1: must be a measure's name or a table, got 1.",
        ),
        (
            {"criteria": [{"measure": "disparate_impact", "within": 0.1, "at_least": 0}]},
            "criteria 1: within must stand without at_least and at_most, got both.",
        ),
        (
            {"criteria": ["objective_fairness_index"]},
            "criteria: objective_fairness_index needs truth, which is not given.",
        ),
        (
            {"criteria": ["conditional_statistical_parity_difference"]},
            (
                "criteria: conditional_statistical_parity_difference needs legitimate, which is "
                "not given."
            ),
        ),
        (
            {"criteria": ["calibration_difference"], "truth": "y == 1"},
            "criteria: calibration_difference needs calibration, which is not given.",
        ),
        (
            {"criteria": ["flip_rate_difference"]},
            "criteria: flip_rate_difference needs corrected, which is not given.",
        ),
        (
            {"criteria": [{"measure": "disparate_impact", "condition": "x"}]},
            "criteria: legitimate must be given for condition 'x', got none.",
        ),
        (
            {"criteria": None, "positive": None},
            "criteria: must be computable from what is given, got none that is.",
        ),
        (
            {"calibration": 5, "score": "s"},
            "calibration: must be [lowest, highest], a list of such, or 'each', got 5.",
        ),
        ({"features": "x"}, "features: must be a list of column names, got 'x'."),
        ({"data": 1}, "data: must be a table, got 1."),
        (
            {"data": {"encoding": "klingon"}},
            "data: encoding must be one that Python knows, got 'klingon'.",
        ),
        ({"data": {"quote": "''"}}, "data: quote must be one character or none, got \"''\"."),
        (
            {"data": {"missing_values": "NA"}},
            "data: missing_values must be a list of text, got 'NA'.",
        ),
        (
            {"legitimate": {str(i): "x == 1" for i in range(101)}},
            "legitimate: must be at most 100 conditions.",
        ),
    ],
)
def test_one_fault(fields: dict[str, Any], fault: str | None) -> None:
    """Each contradiction is named by its field."""
    with pytest.raises(SpecError) as caught:
        Audit(**{**MINIMAL, **fields})
    if fault is not None:
        assert caught.value.faults == (fault,)


@pytest.mark.parametrize(
    "content",
    [
        b"a = ",
        b"\xff\xfe",
        b"\0",
        b"x = " + b"[" * 100_000,
        b"x = " + b"{a=" * 5_000,
        b"#" * (1 << 20) + b"\n",
        b"positive = 1e999999",
        b"epsilon = nan",
        b"positive = '''x\ny'''",
        b"[data]\n[data]\n",
        b"groups = " + b"[" * 500 + b"'g'" + b"]" * 500,
        b"minimum_group_size = " + b"9" * 5000,
        b"",
    ],
    ids=lambda content: repr(content[:20]),
)
def test_hostile_toml(content: bytes) -> None:
    """What is no specification is one short line."""
    with pytest.raises(SpecError) as caught:
        Audit.from_toml(content)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2500


@pytest.mark.parametrize("name", ["absent.toml", ".", "nul\0"])
def test_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    """A specification that is no file is refused by its name alone."""
    with pytest.raises(SpecError, match=r"cannot be read: .*\.$"):
        Audit.from_file(f"{tmp_path}/{name}")


def test_without_criteria_those_of_yuan2024_that_can_be_computed() -> None:
    """What a preset needs and the audit lacks is listed, not dropped silently."""
    audit = Audit(positive="p == 1", groups="g")
    assert [criterion.measure for criterion in audit.spec.criteria] == [
        "disparate_impact",
        "statistical_parity_difference",
        "mean_difference",
    ]
    assert len(audit.spec.skipped) == 10
    assert "calibration_difference needs truth and calibration, which is not given." in (
        audit.spec.skipped
    )


@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_epsilon(epsilon: float) -> None:
    """Epsilon bounds the differences of Yuan2024, and its ratio from both sides."""
    criteria = {c.measure: c for c in PRESETS["yuan2024"].criteria(epsilon)}
    assert criteria["accuracy_difference"].at_most == epsilon
    ratio = criteria["disparate_impact"]
    assert ratio.at_least == pytest.approx(1 - epsilon)
    assert ratio.at_most == pytest.approx(1 / (1 - epsilon))
    assert criteria["positive_balance_difference"].bounds == "no bound"


def test_crossed_reference() -> None:
    """Where columns are crossed, the reference is a list of their values."""
    frame = pd.DataFrame({"a": list("xxyy"), "b": [1, 2, 1, 2], "p": [1, 0, 1, 1]})
    audit = Audit(
        positive="p == 1",
        groups=Grouping(["a", "b"], reference=["y", 1]),
        criteria=["statistical_parity_difference"],
    )
    found = [(finding.group, finding.value) for finding in audit.run(frame).findings]
    assert found == [(("x", 1), 0.0), (("x", 2), -1.0), (("y", 2), 0.0)]


def test_reference_that_nobody_is_in() -> None:
    """A reference that is no group of the data is refused."""
    audit = Audit(**{**MINIMAL, "groups": Grouping("g", reference="c")})
    with pytest.raises(ValueError, match=r"reference must be one of 'a', 'b', got 'c'\."):
        audit.run(pd.DataFrame({"g": ["a", "b"], "p": [0, 1]}))


def test_drafted_specification_runs(tmp_path: Path, compas: pd.DataFrame) -> None:
    """What is drafted from a file is a specification of that file, with every column named."""
    path = tmp_path / "people.csv"
    compas.to_csv(path, index=False)
    text = draft_spec(path)
    result = Audit.from_toml(text).run(path)
    assert result.provenance.rows == len(compas)
    assert all(f'"{name}"' in text for name in compas.columns)


def test_draft_of_hostile_names(tmp_path: Path) -> None:
    """Names and values that could end a comment or a string leave the draft valid TOML."""
    path = tmp_path / "people.csv"
    path.write_text('"a""b\n[x]","hired = ""1""",sex\n"x\ny",1,f\n"\x1b[31m",0,m\n')
    text = draft_spec(path)
    assert "\x1b" not in text
    audit = Audit.from_toml(text)
    assert audit.run(path).exit_code in (0, 1, 3)


HUGE = 10**400


@pytest.mark.parametrize(
    "fields",
    [
        {"epsilon": HUGE},
        {"exclude_below": HUGE},
        {"minimum_group_size": HUGE},
        {"score": "p", "calibration": [0, HUGE]},
        {"groups": {"columns": "g", "bins": [0, HUGE]}},
        {"criteria": [{"measure": "disparate_impact", "at_most": HUGE}]},
        {"criteria": [{"measure": "disparate_impact", "within": HUGE}]},
    ],
    ids=lambda fields: next(reversed(fields)),
)
def test_numbers_beyond_floats(fields: dict[str, Any]) -> None:
    """A number that no float holds is refused by its field, and shown in short."""
    with pytest.raises(SpecError, match=r"\d\.\.\.\d") as caught:
        Audit(**{**MINIMAL, **fields})
    assert len(caught.value.faults) == 1
    assert len(str(caught.value)) < 200


def test_numpy_values_are_taken_as_python_has_them() -> None:
    """Scalars and arrays of NumPy are the numbers and lists that they hold."""
    people = {"g": [1, 1, 2, 2], "p": [0, 1, 1, 1], "a": [1, 2, 3, 4]}
    plain, numpy = (
        Audit(
            positive="p == 1",
            score="a",
            truth="p == 1",
            epsilon=number(0.25),
            minimum_group_size=whole(1),
            calibration=listed([1, 3]),
            groups=[
                Grouping("g", reference=whole(1)),
                Grouping("a", bins=listed([2, 3]), name="bins"),
                listed(["g", "a"]),
            ],
        )
        for number, whole, listed in ((float, int, list), (np.float32, np.int64, np.array))
    )
    assert plain.spec == numpy.spec
    found = [repr(audit.run(pd.DataFrame(people)).findings) for audit in (plain, numpy)]
    assert found[0] == found[1]


def test_specification_without_end(tmp_path: Path) -> None:
    """A specification is read up to its limit and no further."""
    path = tmp_path / "spec.toml"
    path.write_bytes(b"#" * (1 << 21))
    with pytest.raises(SpecError, match=r"'spec.toml' must be at most 1 MB, got more\.$"):
        Audit.from_file(path)
