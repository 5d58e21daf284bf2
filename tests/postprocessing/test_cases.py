"""Small inputs that are often got wrong, with every post-processor that corrects."""

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate

from skfair_ofi import METRICS, OutcomeCounts, make_group_scorer
from skfair_ofi.postprocessing import CorrectedClassifier
from tests.postprocessing.conftest import Make

# Ten people six times over.
TEN = np.tile(np.arange(10.0)[:, None], (6, 1))
TEN_Y = np.tile([0, 0, 1, 0, 1, 0, 1, 1, 1, 1], 6)
TEN_GROUP = np.tile(list("aabbababab"), 6)


def make_data(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    """One number and a group column of three groups, and labels."""
    rng = np.random.default_rng(5)
    group = np.tile(["a", "b", "a", "c"], n // 4)
    number = rng.normal(size=n) + 0.8 * (group == "a")
    y = (number + rng.normal(size=n) > 0.4).astype(int)
    return pd.DataFrame({"number": number, "group": group}), y


X, Y = make_data()
GROUP = X["group"].to_numpy()


def by_column(corrector: Any, **parameters: Any) -> CorrectedClassifier:
    """A classifier that finds its groups in X."""
    given = {"privileged": "a", "drop_sensitive_features": True, "random_state": 0, **parameters}
    return CorrectedClassifier(corrector=corrector, sensitive_features="group", **given)


@pytest.mark.usefixtures("routing")
@pytest.mark.slow
def test_scorers_reach_predict(make_corrector: Make) -> None:
    """Case 1: several finite scores in each of five folds, equal to a loop by hand."""
    model = CorrectedClassifier(corrector=make_corrector(), privileged="a", random_state=0)
    for method in (model.set_fit_request, model.set_predict_request, model.set_score_request):
        method(sensitive_features=True)
    scoring = {
        name: make_group_scorer(name).set_score_request(sensitive_features=True)
        for name in ("objective_fairness_index", "accuracy")
    }
    given = {"sensitive_features": TEN_GROUP}
    found = cross_validate(
        model, TEN, TEN_Y, scoring=scoring, cv=KFold(5), params=given, error_score="raise"
    )
    for i, (train, test) in enumerate(KFold(5).split(TEN)):
        fold = CorrectedClassifier(corrector=make_corrector(), privileged="a", random_state=0)
        fold.fit(TEN[train], TEN_Y[train], sensitive_features=TEN_GROUP[train])
        labels = fold.predict(TEN[test], sensitive_features=TEN_GROUP[test])
        counts = OutcomeCounts.from_arrays(TEN_Y[test], labels, sensitive_features=TEN_GROUP[test])
        ofi = METRICS["objective_fairness_index"].of(counts)
        assert found["test_objective_fairness_index"][i] == pytest.approx(-ofi)
        assert found["test_accuracy"][i] == pytest.approx((labels == TEN_Y[test]).mean())
    search = GridSearchCV(
        model,
        {"random_state": [0]},
        scoring=scoring,
        refit="accuracy",
        cv=KFold(2),
        error_score="raise",
    ).fit(TEN, TEN_Y, **given)
    assert np.isfinite(search.cv_results_["mean_test_objective_fairness_index"]).all()


def test_a_fold_without_a_group(make_corrector: Make) -> None:
    """Case 2: four of five folds lack the group of the first row, and score NaN with a warning."""
    frame = pd.DataFrame({"x": np.arange(60) % 7, "group": ["b"] + ["a"] * 59})
    y = (np.arange(60) % 5 > 1).astype(int)
    fitted = by_column(make_corrector()).fit(X.rename(columns={"number": "x"}), Y)
    scorer = make_group_scorer(
        "objective_fairness_index", sensitive_features="group", groups=["a", "b"]
    )
    message = r"no people in group 'b'\. Group sizes: 'a' 12, 'b' 0\.$"
    with pytest.warns(UndefinedMetricWarning, match=message) as caught:
        scores = [scorer(fitted, frame.iloc[test], y[test]) for _, test in KFold(5).split(frame)]
    assert np.isnan(scores).tolist() == [False, True, True, True, True]
    assert len(caught) == 4


def test_keys_with_commas(make_corrector: Make) -> None:
    """Case 3: ('a,b', 'c') and ('a', 'b,c') are two groups; two columns are their tuple."""
    frame = pd.DataFrame(
        {
            "number": X["number"],
            "first": np.where(GROUP == "a", "a,b", "a"),
            "second": np.where(GROUP == "a", "c", "b,c"),
        }
    )
    columns = ["first", "second"]
    keys = (("a", "b,c"), ("a,b", "c"))
    crossed = CorrectedClassifier(
        corrector=make_corrector(),
        sensitive_features=columns,
        privileged=("a,b", "c"),
        drop_sensitive_features=True,
        random_state=0,
    ).fit(frame, Y)
    assert crossed.groups_ == keys
    tuples = pd.Series(list(frame[columns].itertuples(index=False, name=None)))
    passed = CorrectedClassifier(
        corrector=make_corrector(), privileged=("a,b", "c"), random_state=0
    ).fit(frame[["number"]], Y, sensitive_features=tuples)
    assert passed.groups_ == keys
    np.testing.assert_array_equal(
        crossed.predict(frame), passed.predict(frame[["number"]], sensitive_features=tuples)
    )


@pytest.mark.parametrize("unseen", [None, "z"])
def test_missing_and_unseen_groups(make_corrector: Make, unseen: str | None) -> None:
    """Case 5: an error, or the base prediction by option; never label 0 in silence."""
    model = by_column(make_corrector()).fit(X, Y)
    strange = np.arange(len(X)) % 10 == 0
    frame = X.assign(group=np.where(strange, unseen, GROUP))
    with pytest.raises(ValueError, match=r"in 12 of 120 rows\. .* such people\.$"):
        model.predict(frame)
    outcomes = model.set_params(unseen_groups="base").predict_outcomes(frame)
    np.testing.assert_array_equal(outcomes.y_corrected[strange], outcomes.y_pred[strange])
    assert outcomes.y_pred[strange].any()


def test_groups_of_another_type(make_corrector: Make) -> None:
    """Case 5: 1 is not "1", and the error says so."""
    frame = X.assign(group=(GROUP == "a").astype(int))
    model = by_column(make_corrector(), privileged=1).fit(frame, Y)
    with pytest.raises(ValueError, match=r"such as . \(int\), got '.' \(str\)\.$"):
        model.predict(frame.assign(group=frame["group"].astype(str)))


def test_the_favorable_label(make_corrector: Make) -> None:
    """Case 6: words need `pos_label`, and an error says what to pass; numbers need none."""
    words = np.where(Y == 1, "y", "n")
    with pytest.raises(ValueError, match=r"pos_label=.*\.$"):
        by_column(make_corrector()).fit(X, words)
    corrected = by_column(make_corrector()).fit(X, Y).predict(X)
    for labels in (("n", "y"), (False, True), (-1, 1)):
        model = by_column(make_corrector(), pos_label="y" if labels[1] == "y" else None)
        found = model.fit(X, np.array(labels)[Y]).predict(X)
        assert found.tolist() == np.array(labels)[corrected].tolist()


def test_weights_are_repeated_rows(make_corrector: Make) -> None:
    """Case 9: corrections and counts are those of rows repeated as often as they weigh."""
    times = np.random.default_rng(0).integers(0, 3, len(Y))
    rows = np.repeat(np.arange(len(Y)), times)
    frozen = FrozenEstimator(LogisticRegression().fit(X[["number"]], Y))
    corrector = make_corrector()
    weighted = by_column(corrector, estimator=frozen).fit(X, Y, sample_weight=times)
    repeated = by_column(corrector, estimator=frozen).fit(X.iloc[rows], Y[rows])
    np.testing.assert_allclose(weighted.corrected_proba(X), repeated.corrected_proba(X), atol=1e-9)
    expected = weighted.expected_counts(X, Y, sample_weight=times)
    table = repeated.expected_counts(X.iloc[rows], Y[rows])
    np.testing.assert_allclose(expected.cells, table.cells, atol=1e-6)


def test_weights_that_cannot_be_used_are_warned_of(make_corrector: Make) -> None:
    """Case 9: fractions are used, or a warning names the method; never silence."""
    weight = np.random.default_rng(0).uniform(0.2, 3, len(Y))
    frozen = FrozenEstimator(LogisticRegression().fit(X[["number"]], Y))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        weighted = by_column(make_corrector(), estimator=frozen).fit(X, Y, sample_weight=weight)
    plain = by_column(make_corrector(), estimator=frozen).fit(X, Y)
    same = np.array_equal(weighted.corrected_proba(X), plain.corrected_proba(X))
    said = [str(entry.message) for entry in caught]
    name = weighted.corrector_.name
    given = name in ("FixedThresholdClassifier", "RejectOptionClassifier", "Upwards")
    assert bool(said) == (same and not given) or not said
    assert all(line.startswith(f"{name} cannot use these sample weights") for line in said)


@pytest.mark.parametrize("seed", [None, 0])
def test_the_global_random_state(make_corrector: Make, seed: int | None) -> None:
    """Case 14: the caller's stream is what it was."""
    before = pickle.dumps(np.random.get_state())  # noqa: NPY002
    model = by_column(make_corrector(), random_state=seed, cv=2).fit(X, Y)
    model.predict(X)
    model.expected_counts(X, Y)
    assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002
