"""Figures of the papers, each from one specification.

Reference values: Yuan2024, table II, computed for both truth columns from the public
records; see docs/reproduction.md for which of them the paper prints.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from skfair_ofi import OutcomeCounts
from skfair_ofi.audit import Audit, Grouping
from skfair_ofi.metrics import METRICS

TABLE2 = {
    "two_year_recid": {
        "disparate_impact": 1.8104,
        "statistical_parity_difference": 0.2633,
        "mean_difference": 0.2633,
        "conditional_statistical_parity_difference": 0.2531,
        "accuracy_difference": -0.0317,
        "equal_opportunity_difference": 0.2268,
        "predictive_equality_difference": 0.2284,
        "equalized_odds_difference": 0.2284,
        "predictive_parity_difference": 0.0470,
        "conditional_use_accuracy_difference": 0.0615,
        "calibration_difference": 0.0158,
        "positive_balance_difference": 1.6176,
        "negative_balance_difference": 1.4510,
    },
    "is_recid": {
        "disparate_impact": 1.8104,
        "statistical_parity_difference": 0.2633,
        "mean_difference": 0.2633,
        "conditional_statistical_parity_difference": 0.2531,
        "accuracy_difference": -0.0195,
        "equal_opportunity_difference": 0.2254,
        "predictive_equality_difference": 0.2241,
        "equalized_odds_difference": 0.2254,
        "predictive_parity_difference": 0.0566,
        "conditional_use_accuracy_difference": 0.0767,
        "calibration_difference": 0.0310,
        "positive_balance_difference": 1.5894,
        "negative_balance_difference": 1.4276,
    },
}
UNBOUNDED = ("positive_balance_difference", "negative_balance_difference")
NEAR = (
    "accuracy_difference",
    "predictive_parity_difference",
    "conditional_use_accuracy_difference",
    "calibration_difference",
)


class ScoreText:
    """A model that predicts Medium or High from the decile score."""

    def predict(self, rows: pd.DataFrame) -> np.ndarray:
        """Return 1 for scores from 5."""
        return np.asarray(rows["decile_score"] >= 5).astype(int)


def values(audit: Audit, data: Any, model: Any = None) -> dict[str, float]:
    """Return the value of each measure, rounded as the table is."""
    findings = audit.run(data, model).findings
    return {finding.measure: round(finding.value, 4) for finding in findings}


@pytest.mark.parametrize("truth", TABLE2)
def test_table_2_in_every_form(
    form: Callable[[pd.DataFrame], Any], compas: pd.DataFrame, truth: str, yuan: dict[str, Any]
) -> None:
    """Table II of Yuan2024 comes out of files and frames of every library."""
    audit = Audit(**{**yuan, "truth": f"{truth} == 1"}, preset="yuan2024")
    assert values(audit, form(compas)) == TABLE2[truth]


@pytest.mark.parametrize("truth", TABLE2)
def test_table_2_from_the_public_file(truth: str, public_file: Path, yuan: dict[str, Any]) -> None:
    """Table II of Yuan2024 comes out of the file of all people."""
    audit = Audit(**{**yuan, "truth": f"{truth} == 1"})
    assert values(audit, public_file) == TABLE2[truth]


def test_table_2_with_a_model(
    form: Callable[[pd.DataFrame], Any], compas: pd.DataFrame, yuan: dict[str, Any]
) -> None:
    """A model that predicts what stands in the file gives the same numbers, in batches."""
    audit = Audit(**{**yuan, "positive": "prediction == 1"}, features=["decile_score"])
    assert values(audit, form(compas), ScoreText()) == TABLE2["two_year_recid"]


def test_table_2_verdicts(compas: pd.DataFrame, yuan: dict[str, Any]) -> None:
    """With epsilon 0.2, four measures are met, seven are not, and balance has no bound."""
    verdicts = {f.measure: f.verdict for f in Audit(**yuan).run(compas).findings}
    expected = dict.fromkeys(TABLE2["is_recid"], "outside bounds")
    assert verdicts == {
        **expected,
        **dict.fromkeys(NEAR, "within bounds"),
        **dict.fromkeys(UNBOUNDED, "no bound"),
    }


@pytest.mark.parametrize("column", ["race", "age_cat", "sex", "c_charge_degree"])
def test_each_group_against_the_rest(
    compas: pd.DataFrame, column: str, yuan: dict[str, Any]
) -> None:
    """Each race, age group, sex and degree of charge is compared with everyone else."""
    spec = {name: value for name, value in yuan.items() if name != "privileged"}
    result = Audit(**spec, groups=Grouping(column, against="rest")).run(compas)
    assert len(result.findings) == 13 * compas[column].nunique()
    for finding in result.findings:
        if finding.criterion.metric.family != "label" or finding.condition:
            continue
        counts = OutcomeCounts.from_arrays(
            compas["two_year_recid"],
            compas["score_text"].isin(["Medium", "High"]).astype(int),
            sensitive_features=(compas[column] == finding.group),
        )
        assert finding.value == METRICS[finding.measure].of(counts, privileged=False)


def test_model_trained_on_most_rows_and_audited_on_the_rest(
    compas: pd.DataFrame, yuan: dict[str, Any]
) -> None:
    """A model's audit equals one of a column that holds its predictions."""
    features = ["priors_count", "decile_score"]
    train, rest = compas.iloc[:4328], compas.iloc[4328:].reset_index(drop=True)
    model = LogisticRegression().fit(train[features], train["two_year_recid"])
    spec = {**yuan, "positive": "prediction == 1"}
    by_model = Audit(**spec).run(rest, model)
    column = rest.assign(prediction=model.predict(rest[features]))
    assert by_model.findings == Audit(**spec).run(column).findings
    assert by_model.provenance.model == "LogisticRegression"
    assert by_model.provenance.rows == 2886


def test_probability_of_a_model_as_score(compas: pd.DataFrame, yuan: dict[str, Any]) -> None:
    """The probability of the second class can be the score."""
    features = ["priors_count", "decile_score"]
    model = LogisticRegression().fit(compas[features], compas["two_year_recid"])
    spec = {**yuan, "positive": "probability >= 0.5", "score": "probability", "calibration": [0, 1]}
    findings = {f.measure: f for f in Audit(**spec).run(compas, model).findings}
    probability = model.predict_proba(compas[features])[:, 1]
    positive = (compas["two_year_recid"] == 1).to_numpy()
    group = (compas["race"] == "African-American").to_numpy()
    gap = probability[positive & group].mean() - probability[positive & ~group].mean()
    assert findings["positive_balance_difference"].value == pytest.approx(gap, rel=1e-9)
