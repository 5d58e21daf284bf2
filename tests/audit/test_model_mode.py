"""A file and a model that says what the file says: the same findings, whatever the cells are."""

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from skfair_ofi.audit import Audit, SpecError, rowwise

CELLS = ["1", "1.0", "1.5", "1.50", "01", "2", "", "nan", "a", "true", "False", "-0", "1e0", " 1"]
CELLS += ["1_0", "nan(1)", "inf", "+1"]
TRUTHS = ["t == '1'", "t == 1", "t in ['1.5', 'a', 'True']", "t", "t == True", "is_missing(t)"]
ROWS = st.lists(
    st.tuples(st.sampled_from(CELLS), st.sampled_from(CELLS), st.sampled_from("001 ")),
    min_size=1,
    max_size=12,
)


class Copy:
    """A model that predicts what a column of the file says."""

    feature_names_in_ = ("p",)

    def predict(self, rows: pd.DataFrame) -> Any:
        """Return the column."""
        return rows["p"]


def told(path: Path, model: Any, **fields: Any) -> Any:
    """Return what an audit finds, or why it finds nothing."""
    audit = Audit(
        **{"groups": "g", "criteria": ["disparate_impact"], "missing_groups": "drop"} | fields
    )
    try:
        result = audit.run(path, model)
    except ValueError as error:
        # Old releases of DuckDB do not say which column a cast is of.
        return str(error).replace(path.name, "data").replace("column 't'", "a column")
    groups = [(facts.group, facts.n) for facts in result.groupings[0].groups]
    sentences = [finding.sentence for finding in result.findings]
    return groups, sentences, result.left_out, result.exit_code


@settings(deadline=None, max_examples=25)
@given(ROWS, st.sampled_from(TRUTHS), st.sampled_from(["t", None]))
@pytest.mark.slow
def test_file_and_model_agree(rows: list[Any], truth: str, score: str | None) -> None:
    """Groups, truths and scores are read from the same cells with a model and without."""
    fields = {"truth": truth, "score": score, "criteria": ["equal_opportunity_difference"]}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        lines = (f"{g},{t},{p.strip()}" for g, t, p in rows)
        path.write_text("\n".join(["g,t,p", *lines]) + "\n")
        file = told(path, None, positive="p == 1", **fields)
        model = told(path, Copy(), positive="prediction == 1", **fields)
        function = told(path, None, positive=rowwise(lambda row: _is_one(row["p"])), **fields)
    assert file == model == function


def _is_one(value: Any) -> bool | None:
    return None if value is None else value == 1


CODES = "g,h,v,p\n1.50,1,1.10,1\n1.5,0,1.1,0\n1.5,1,1.10,1\n2,0,1.1,1\n2.0,1,1.10,0\n"


@pytest.mark.parametrize("truth", ["h", "h == True", "h == '1'", "v == '1.10'", "h == 1"])
def test_cells_stay_text_beside_a_model(tmp_path: Path, truth: str) -> None:
    """1.5 and 1.50 are two groups, and 0 and 1 may be booleans, also where a model is asked."""
    path = tmp_path / "people.csv"
    path.write_text(CODES)
    found = told(path, Copy(), positive="prediction == 1", truth=truth)
    assert found == told(path, None, positive="p == 1", truth=truth)
    assert found[0] == [("1.5", 2), ("1.50", 1), ("2", 1), ("2.0", 1)]


@pytest.mark.parametrize(
    "fields",
    [
        {"positive": "p == 1"},
        {"positive": "p == 1", "truth": "h == 1"},
        {"positive": rowwise(lambda row: row["p"] == 1)},
    ],
    ids=["positive", "truth", "function"],
)
def test_model_that_is_not_asked(tmp_path: Path, fields: dict[str, Any]) -> None:
    """A model beside an audit of the file's own predictions is refused."""
    path = tmp_path / "people.csv"
    path.write_text(CODES)
    with pytest.raises(
        SpecError, match=r"must be used: write positive = .*'probability >= 0\.5'\.$"
    ):
        Audit(**fields, groups="g", criteria=["disparate_impact"]).run(path, Copy())
