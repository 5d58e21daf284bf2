"""FlipOptimizer, GroupThresholds and scores without a model where scikit-learn puts them."""

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from skfair_ofi.metrics import METRICS, make_group_scorer
from skfair_ofi.postprocessing import (
    ConstraintPricesDisplay,
    CorrectedClassifier,
    FlipFrontierDisplay,
    FlipOptimizer,
    Groups,
    GroupThresholds,
    Response,
    ScoreClassifier,
)

GAP = METRICS["statistical_parity_difference"]
ONE_GROUP = "ignore:No sensitive_features were given:UserWarning"
# Data sets that are not this project's: tests on them are left out where they are not at hand.
DATA = Path(os.environ.get("SKFAIR_OFI_DATA", "data-of-others"))


def make_frame(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and a group column, and labels 0 and 1; group "x" is favored."""
    rng = np.random.default_rng(seed)
    race = rng.choice(["x", "y"], n, p=[0.6, 0.4])
    numbers = rng.normal(size=(n, 2)) + 0.8 * (race == "x")[:, None]
    y = (numbers[:, 0] + rng.normal(size=n) > 0.4).astype(int)
    return pd.DataFrame({"p": numbers[:, 0], "q": numbers[:, 1], "race": race}), y


X, Y = make_frame()


def make_model(corrector: Any = None, estimator: Any = None, **options: Any) -> CorrectedClassifier:
    """A corrected classifier that knows its groups by a column."""
    return CorrectedClassifier(
        estimator or LogisticRegression(),
        corrector or FlipOptimizer(),
        **{
            "sensitive_features": "race",
            "privileged": "x",
            "drop_sensitive_features": True,
            "random_state": 0,
            **options,
        },
    )


def corrector_of(model: CorrectedClassifier) -> Any:
    """The fitted corrector, of whatever type."""
    return model.corrector_


class TestCorrectedClassifier:
    """Inside a corrected classifier."""

    def test_fitted_out_of_fold(self) -> None:
        """The table that is expected is that of predictions held out, within the tolerance."""
        model = make_model().fit(X, Y)
        counts = model.training_counts_
        expected = corrector_of(model).expected_
        assert expected.n == pytest.approx(len(Y))
        assert counts.before == expected.before or np.allclose(
            counts.before.cells, expected.before.cells
        )
        assert abs(GAP.of(expected.after)) <= 0.05 + 1e-6
        assert model._out_of_fold

    def test_reports_and_counts(self) -> None:
        """Reports, expected counts and the log are those of any corrector."""
        model = make_model().fit(X, Y)
        assert 0 < METRICS["flip_rate"].of(model.expected_counts(X, Y)) < 0.3
        assert "FlipOptimizer" in model.report(X, Y).text()
        model.predict(X)
        assert model.outcome_log_.counts.n == len(Y)
        again = pickle.loads(pickle.dumps(model))  # noqa: S301
        np.testing.assert_array_equal(again.predict(X), model.predict(X))

    @pytest.mark.parametrize("estimator", [RidgeClassifier(), HistGradientBoostingClassifier()])
    def test_other_estimators(self, estimator: Any) -> None:
        """Decision values do as well as probabilities."""
        model = make_model(estimator=estimator).fit(X, Y)
        assert abs(GAP.of(corrector_of(model).expected_.after)) <= 0.05 + 1e-6

    def test_a_fitted_model(self) -> None:
        """A frozen model is corrected on the data at hand."""
        frozen = FrozenEstimator(LogisticRegression().fit(X[["p", "q"]], Y))
        model = make_model(estimator=frozen).fit(X, Y)
        assert abs(GAP.of(model.expected_counts(X, Y).after)) <= 0.05 + 1e-6

    def test_search_over_tolerances_and_limits(self) -> None:
        """Parameters of the optimizer can be searched."""
        grid = {
            "corrector__tolerance": [0.02, 0.1],
            "corrector__limits": [None, {"harmful_flip_rate": 0.0}],
        }
        scorer = make_group_scorer(
            "statistical_parity_difference", sensitive_features="race", privileged="x"
        )
        search = GridSearchCV(make_model(), grid, scoring=scorer, cv=2).fit(X, Y)
        assert search.best_params_["corrector__tolerance"] in (0.02, 0.1)
        assert clone(search.best_estimator_).get_params()["corrector__slack"] == 0.2

    def test_in_a_pipeline(self) -> None:
        """Groups that are passed follow the routing."""
        inner = make_pipeline(StandardScaler(), LogisticRegression())
        model = CorrectedClassifier(inner, FlipOptimizer(), random_state=0)
        model.fit(X[["p", "q"]], Y, sensitive_features=X["race"])
        labels = model.predict(X[["p", "q"]], sensitive_features=X["race"])
        assert set(labels.tolist()) == {0, 1}

    def test_weights_reach_it(self) -> None:
        """People of weight 0 count for nothing."""
        weight = (np.arange(len(Y)) % 2).astype(float)
        model = make_model(cv=None).fit(X, Y, sample_weight=weight)
        assert corrector_of(model).expected_.n == pytest.approx(weight.sum())

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (np.arange(len(Y)) % 3, "Only binary classification is supported. .* multiclass."),
            (np.linspace(0, 1, len(Y)), "Unknown label type: continuous. .* two classes."),
        ],
    )
    def test_more_labels_and_regression_are_errors(self, y: np.ndarray, message: str) -> None:
        """Two labels, and no numbers."""
        with pytest.raises(ValueError, match=f"^{message}$"):
            make_model().fit(X, y)

    def test_weights_of_the_whole(self) -> None:
        """Unseen groups keep the prediction where that was asked for."""
        model = make_model(unseen_groups="base").fit(X, Y)
        other = X.assign(race="z")
        np.testing.assert_array_equal(
            model.predict(other), model.estimator_.predict(other[["p", "q"]])
        )


CHECKS = parametrize_with_checks([CorrectedClassifier(corrector=FlipOptimizer(min_people=0))]).mark


@pytest.mark.slow
@pytest.mark.filterwarnings(ONE_GROUP)
@pytest.mark.parametrize(CHECKS.args[0], list(CHECKS.args[1]), **CHECKS.kwargs)
def test_estimator_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    """All checks that pass without a correction pass with this one."""
    check(estimator)


class TestScoreClassifier:
    """Scores without a model."""

    @pytest.mark.parametrize("labels", [(0, 1), ("no", "yes"), ("yes", "a no")])
    def test_scores_are_corrected(self, labels: tuple[Any, Any]) -> None:
        """Whichever the favorable label is, high scores are for it; nobody is held out."""
        chance = 1 / (1 + np.exp(-X["p"]))
        frame = pd.DataFrame({"chance": chance, "race": X["race"]})
        y = np.array(labels, dtype=object if isinstance(labels[0], str) else int)[Y]
        y = y.astype(type(labels[0]))
        scores = ScoreClassifier("chance", pos_label=labels[1])
        model = make_model(estimator=scores, pos_label=labels[1]).fit(frame, y)
        outcomes = model.predict_outcomes(frame)
        np.testing.assert_array_equal(outcomes.y_pred == labels[1], chance >= 0.5)
        assert abs(GAP.of(model.expected_counts(frame, y).after)) <= 0.05 + 1e-6
        assert scores.fit(frame, y).predict_proba(frame).sum(axis=1) == pytest.approx(1)

    def test_points_on_a_scale(self) -> None:
        """With a threshold that is no probability, scores are decision values."""
        points = (600 + 50 * X["p"].to_numpy()).reshape(-1, 1)
        model = CorrectedClassifier(ScoreClassifier(threshold=600), FlipOptimizer())
        model.fit(points, Y, sensitive_features=X["race"])
        assert not hasattr(model.estimator_, "predict_proba")
        assert corrector_of(model).rules_["score_from"].max() > 500

    @pytest.mark.parametrize("column", [1, None])
    def test_columns_of_arrays(self, column: int | None) -> None:
        """By position, or the only one."""
        table = X[["q", "p"]].to_numpy() if column else X[["p"]].to_numpy()
        scores = ScoreClassifier(column, threshold=0.0).fit(table, Y)
        np.testing.assert_array_equal(scores.decision_function(table), X["p"])

    def test_wrong_scores_are_errors(self) -> None:
        """Scores are finite numbers, and probabilities where the threshold is one."""
        with pytest.raises(ValueError, match=r"^threshold must be a number, got None\.$"):
            ScoreClassifier("p", threshold=None).fit(X, Y)  # type: ignore[arg-type]
        scores = ScoreClassifier("p").fit(X, Y)
        with pytest.raises(ValueError, match=r"^Scores must be from 0 to 1 for a threshold of 0.5"):
            scores.predict_proba(X)


class TestGroupThresholds:
    """Thresholds by hand."""

    def test_report(self) -> None:
        """The same report as any other."""
        model = make_model(GroupThresholds({"x": 0.6, "y": 0.4})).fit(X, Y)
        scores = model.estimator_.predict_proba(X[["p", "q"]])[:, 1]
        bars = np.where(X["race"] == "x", 0.6, 0.4)
        np.testing.assert_array_equal(model.predict(X), (scores >= bars).astype(int))
        assert "GroupThresholds" in model.report(X, Y).text()

    def test_groups_without_one_keep_their_predictions(self) -> None:
        """Only those named are moved."""
        model = make_model(GroupThresholds({"y": 0.3})).fit(X, Y)
        outcomes = model.predict_outcomes(X)
        same = outcomes.y_pred == outcomes.y_corrected
        assert same[X["race"] == "x"].all()
        assert not same[X["race"] == "y"].all()

    @pytest.mark.parametrize(
        ("thresholds", "error", "message"),
        [
            ([0.5], TypeError, r"thresholds must map groups to scores, got \[0.5\]."),
            ({"z": 0.5}, ValueError, r"thresholds must be of the groups \['x', 'y'\], got 'z'."),
            ({"x": None}, ValueError, "thresholds must be numbers, got None for 'x'."),
        ],
    )
    def test_wrong_thresholds_are_errors(
        self, thresholds: Any, error: type[Exception], message: str
    ) -> None:
        """Each says what it must be."""
        with pytest.raises(error, match=f"^{message}$"):
            make_model(GroupThresholds(thresholds)).fit(X, Y)


class TestDisplays:
    """What fairness costs, drawn."""

    def test_frontier(self) -> None:
        """A line for each optimizer, a point for each other correction."""
        free, limited = (
            make_model().fit(X, Y),
            make_model(FlipOptimizer(limits={"harmful_flip_rate": 0.0})).fit(X, Y),
        )
        other = make_model(GroupThresholds({"x": 0.6, "y": 0.4})).fit(X, Y)
        display = FlipFrontierDisplay.from_estimator(
            {"free": free, "nobody loses": limited},
            others={"by hand": other.expected_counts(X, Y)},
        ).plot()
        frame = display.frame()
        assert frame["name"].unique().tolist() == ["free", "nobody loses", "by hand"]
        point = frame[frame["kind"] == "point"]
        assert point["flips"].item() == pytest.approx(
            METRICS["flip_rate"].of(other.expected_counts(X, Y))
        )
        assert len(display.ax_.get_lines()) == 3
        assert "flips" in display.ax_.get_ylabel()

    def test_prices(self) -> None:
        """One bar a constraint."""
        model = make_model(FlipOptimizer(limits={"harmful_flip_rate": 0.01})).fit(X, Y)
        display = ConstraintPricesDisplay.from_estimator(model).plot()
        assert display.frame().index.tolist() == ["demographic_parity", "harmful_flip_rate"]
        assert len(display.ax_.patches) == 2
        assert display.figure_ is display.ax_.figure

    def test_others_are_errors(self) -> None:
        """Only the optimizer has prices."""
        with pytest.raises(TypeError, match=r"^estimator must be a fitted FlipOptimizer, .*\.$"):
            ConstraintPricesDisplay.from_estimator(LogisticRegression())


@pytest.mark.skipif(not (DATA / "german_credit.csv").exists(), reason="German credit is not here")
def test_german_credit_is_promised_what_comes() -> None:
    """Out of fold, boosting: the gap of new people is small, and flips are as promised."""
    frame = pd.read_csv(DATA / "german_credit.csv")
    y = (frame["credit"] == 1).astype(int).to_numpy()
    group = np.where(frame["age"] > 25, "older", "young")
    features = pd.get_dummies(frame.drop(columns=["credit", "personal_status", "age"]), dtype=float)
    found = []
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[:700], order[700:]
        boosting = HistGradientBoostingClassifier(max_iter=60, random_state=0)
        model = CorrectedClassifier(boosting, FlipOptimizer(), random_state=0)
        model.fit(features.iloc[train], y[train], sensitive_features=group[train])
        counts = model.expected_counts(features.iloc[test], y[test], sensitive_features=group[test])
        flips = METRICS["flip_rate"]
        found.append(
            (GAP.of(counts.after), flips.of(counts), flips.of(corrector_of(model).expected_))
        )
    gap, flipped, promised = np.mean(found, axis=0)
    assert gap <= 0.08
    assert 0.5 <= flipped / promised <= 2


def test_scores_of_people_alone() -> None:
    """Without any model or frame: scores, groups, and a probability for each person."""
    codes = (X["race"] == "x").to_numpy().astype(int)
    score = X["p"].to_numpy()
    response = Response(score > 0.4, {"decision_function": lambda: score})
    groups = Groups(codes, ("y", "x"))
    fitted = FlipOptimizer().fit(Y, response, groups)
    chances = fitted.correct_proba(response, groups)
    assert np.ptp([chances[codes == code].mean() for code in (0, 1)]) <= 0.05 + 1e-6
