"""Every tool of scikit-learn, with every post-processor, groups as a column and by routing.

Results are compared with loops by hand. No test uses a mock: all libraries are the real ones.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    RandomizedSearchCV,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from skfair_ofi import METRICS, OutcomeCounts, best_within, make_group_scorer
from skfair_ofi.postprocessing import (
    CorrectedClassifier,
    Groups,
    Response,
    make_corrector as adapter_of,
)
from tests.postprocessing.conftest import AIF360, AIF360_SKLEARN, DICTIONARIES, Make

# Twelve post-processors in a dozen tools.
pytestmark = pytest.mark.slow
MEASURES = ("accuracy", "objective_fairness_index", "flip_rate_difference")
FOLDS = KFold(2)


def make_data(n: int = 160) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and a group column, and labels."""
    rng = np.random.default_rng(1)
    group = np.tile(["a", "b", "a", "c"], n // 4)
    numbers = rng.normal(size=(n, 2)) + 0.8 * (group == "a")[:, None]
    y = (numbers[:, 0] + rng.normal(size=n) > 0.4).astype(int)
    return pd.DataFrame({"p": numbers[:, 0], "q": numbers[:, 1], "group": group}), y


X, Y = make_data()
GROUP = X["group"].to_numpy()
NUMBERS = X[["p", "q"]]


class Way:
    """How groups are passed: as a column of X, or by metadata routing."""

    def __init__(self, *, column: bool) -> None:
        self.column = column
        self.X = X if column else NUMBERS
        self.params = {} if column else {"sensitive_features": GROUP}
        self.features = "group" if column else None

    def model(self, corrector: Any, estimator: Any = None, **parameters: Any) -> Any:
        """A corrected classifier that gets its groups this way."""
        model = CorrectedClassifier(
            LogisticRegression() if estimator is None else estimator,
            corrector,
            sensitive_features=self.features,
            drop_sensitive_features=self.column,
            privileged="a",
            random_state=0,
            **parameters,
        )
        return model if self.column else asking(model)

    def scorer(self, name: str) -> Any:
        """A scorer that gets its groups this way."""
        return self._asking(make_group_scorer(name, sensitive_features=self.features))

    def scorers(self) -> Any:
        """Three scorers that share one prediction."""
        names = {name: name for name in MEASURES}
        return self._asking(make_group_scorer(names, sensitive_features=self.features))

    def _asking(self, scorer: Any) -> Any:
        return scorer if self.column else scorer.set_score_request(sensitive_features=True)


def asking(model: CorrectedClassifier) -> CorrectedClassifier:
    """A classifier that asks for groups wherever it takes them."""
    for method in (model.set_fit_request, model.set_predict_request, model.set_score_request):
        method(sensitive_features=True)
    return model


@pytest.fixture(params=["column", "routing"])
def way(request: pytest.FixtureRequest) -> Iterator[Way]:
    """Each way of passing groups."""
    with sklearn.config_context(enable_metadata_routing=request.param == "routing"):
        yield Way(column=request.param == "column")


def by_hand(
    corrector: Any, estimator: Any, train: np.ndarray, test: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Predicted and corrected labels of some people, made without CorrectedClassifier."""
    codes = np.searchsorted(["a", "b", "c"], GROUP)
    numbers = NUMBERS
    fitted = clone(estimator).fit(numbers.iloc[train], Y[train])

    def response(rows: np.ndarray) -> Response:
        proba = fitted.predict_proba(numbers.iloc[rows])[:, 1]
        return Response(fitted.predict(numbers.iloc[rows]), {"predict_proba": lambda: proba})

    def groups(rows: np.ndarray) -> Groups:
        return Groups(codes[rows], ("a", "b", "c"), ("a",))

    rule = adapter_of(corrector).fit(Y[train], response(train), groups(train))
    said = response(test)
    return said.predicted, rule.correct(said, groups(test), 0)


def scores_by_hand(corrector: Any, estimator: Any) -> dict[str, list[float]]:
    """Each measure's score in each fold."""
    scores: dict[str, list[float]] = {name: [] for name in MEASURES}
    for train, test in FOLDS.split(X):
        predicted, labels = by_hand(corrector, estimator, train, test)
        flips = OutcomeCounts.from_arrays(
            y_pred=predicted, y_corrected=labels, sensitive_features=GROUP[test]
        )
        after = OutcomeCounts.from_arrays(Y[test], labels, sensitive_features=GROUP[test])
        scores["accuracy"].append(METRICS["accuracy"].of(after))
        for name, counts in zip(MEASURES[1:], (after, flips), strict=True):
            scores[name].append(-abs(METRICS[name].of(counts, privileged="a")))
    return scores


@cache
def expected_scores(make: Make, strength: float) -> dict[str, list[float]]:
    """Scores by hand around a logistic regression, worked out once."""
    return scores_by_hand(make(), LogisticRegression(C=strength))


class TestModelSelection:
    """Cross-validation and searches."""

    def test_cross_validate(self, make_corrector: Make, way: Way) -> None:
        """Several scores in each fold are those of a loop by hand (case 1)."""
        found = cross_validate(
            way.model(make_corrector()),
            way.X,
            Y,
            cv=FOLDS,
            scoring=way.scorers(),
            params=way.params,
            error_score="raise",
        )
        for name, expected in expected_scores(make_corrector, 1.0).items():
            np.testing.assert_allclose(found[f"test_{name}"], expected, atol=1e-12, err_msg=name)

    def test_cross_val_predict(self, make_corrector: Make) -> None:
        """Labels out of fold are those of a loop by hand."""
        model = Way(column=True).model(make_corrector())
        labels = cross_val_predict(model, X, Y, cv=FOLDS)
        for train, test in FOLDS.split(X):
            _, expected = by_hand(make_corrector(), LogisticRegression(), train, test)
            np.testing.assert_array_equal(labels[test], expected)

    @pytest.mark.usefixtures("routing")
    def test_cross_val_predict_hands_nothing_to_predict(self) -> None:
        """scikit-learn routes metadata to fit only, there: without columns it is an error."""
        way = Way(column=False)
        with pytest.raises(ValueError, match=r"must be given as it was to fit, got None\.$"):
            cross_val_predict(way.model(ThresholdOptimizer()), way.X, Y, params=way.params)

    @pytest.mark.parametrize("tool", [GridSearchCV, RandomizedSearchCV])
    def test_searches(self, tool: Any, make_corrector: Make, way: Way) -> None:
        """A search over the estimator scores as a loop by hand, and refits by fairness."""
        strengths = [0.003, 1.0]
        options = {"n_iter": 1, "random_state": 0} if tool is RandomizedSearchCV else {}
        search = tool(
            way.model(make_corrector()),
            {"estimator__C": strengths},
            scoring=way.scorers(),
            refit="objective_fairness_index",
            cv=FOLDS,
            error_score="raise",
            **options,
        ).fit(way.X, Y, **way.params)
        results = search.cv_results_
        for i, strength in enumerate(results["param_estimator__C"]):
            for name, values in expected_scores(make_corrector, strength).items():
                mean = results[f"mean_test_{name}"][i]
                assert mean == pytest.approx(np.mean(values), abs=1e-12), (strength, name)
        assert search.best_index_ == results["mean_test_objective_fairness_index"].argmax()
        assert search.best_estimator_.groups_ == ("a", "b", "c")
        # scikit-learn's searches hand no metadata to predict: their best estimator takes them.
        assert search.best_estimator_.predict(way.X, **way.params).shape == Y.shape

    def test_halving(self, make_corrector: Make, way: Way) -> None:
        """A halving search goes through, with every score defined."""
        search = HalvingGridSearchCV(
            way.model(make_corrector()),
            {"estimator__C": [0.01, 1.0]},
            scoring=way.scorer("objective_fairness_index"),
            cv=FOLDS,
            min_resources=80,
            factor=2,
            random_state=0,
            error_score="raise",
        ).fit(way.X, Y, **way.params)
        assert search.n_iterations_ == 2
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()


ENSEMBLES = {
    "voting": VotingClassifier([("a", LogisticRegression()), ("b", GaussianNB())], voting="soft"),
    "stacking": StackingClassifier([("a", GaussianNB())], LogisticRegression(), cv=2),
    "calibrated": CalibratedClassifierCV(GaussianNB(), cv=2),
    "scaled": make_pipeline(StandardScaler(), LogisticRegression()),
}
ALL = np.arange(len(Y))


class TestInside:
    """Estimators that are corrected."""

    @pytest.mark.parametrize("name", ENSEMBLES)
    def test_ensembles(self, name: str, make_corrector: Make, way: Way) -> None:
        """An ensemble, a calibrated classifier, a pipeline: labels are those made by hand."""
        model = way.model(make_corrector(), ENSEMBLES[name])
        labels = model.fit(way.X, Y, **way.params).predict(way.X, **way.params)
        expected = by_hand(make_corrector(), ENSEMBLES[name], ALL, ALL)[1]
        np.testing.assert_array_equal(labels, expected)

    def test_a_model_that_is_fitted_already(self, make_corrector: Make, way: Way) -> None:
        """A frozen model is corrected as it is, also when the whole is cross-validated."""
        frozen = FrozenEstimator(LogisticRegression().fit(NUMBERS, Y))
        found = cross_validate(
            way.model(make_corrector(), frozen),
            way.X,
            Y,
            cv=FOLDS,
            scoring=way.scorers(),
            params=way.params,
            return_estimator=True,
            error_score="raise",
        )
        expected = scores_by_hand(make_corrector(), frozen)["accuracy"]
        np.testing.assert_allclose(found["test_accuracy"], expected)
        assert all(model.estimator_.estimator is frozen.estimator for model in found["estimator"])


class TestPipelines:
    """The corrector is a pipeline's last step."""

    def test_after_a_scaler(self, make_corrector: Make, way: Way) -> None:
        """Groups come by routing past a scaler, or as a column that is handed through."""
        scaler: Any = StandardScaler()
        if way.column:
            scaler = make_column_transformer(
                (StandardScaler(), ["p", "q"]),
                remainder="passthrough",
                verbose_feature_names_out=False,
            ).set_output(transform="pandas")
        pipeline = make_pipeline(scaler, way.model(make_corrector()))
        pipeline.fit(way.X, Y, **way.params)
        expected = by_hand(make_corrector(), ENSEMBLES["scaled"], ALL, ALL)
        np.testing.assert_array_equal(pipeline.predict(way.X, **way.params), expected[1])
        scorer = way.scorer("flip_rate_difference")
        flips = OutcomeCounts.from_arrays(
            y_pred=expected[0], y_corrected=expected[1], sensitive_features=GROUP
        )
        value = METRICS["flip_rate_difference"].of(flips, privileged="a")
        assert scorer(pipeline, way.X, Y, **way.params) == pytest.approx(-value)

    def test_a_column_that_the_transformer_drops(self, make_corrector: Make) -> None:
        """Inside the corrected estimator a transformer may drop the groups."""
        inner = make_pipeline(
            make_column_transformer((StandardScaler(), ["p", "q"])), LogisticRegression()
        )
        model = CorrectedClassifier(
            inner,
            make_corrector(),
            sensitive_features="group",
            privileged="a",
            random_state=0,
        )
        expected = by_hand(make_corrector(), ENSEMBLES["scaled"], ALL, ALL)[1]
        np.testing.assert_array_equal(model.fit(X, Y).predict(X), expected)

    @pytest.mark.parametrize("output", ["default", "pandas", "polars"])
    def test_set_output(self, output: str) -> None:
        """Steps before may give frames of any library."""
        way = Way(column=True)
        transformer = make_column_transformer(
            (StandardScaler(), ["p", "q"]), remainder="passthrough", verbose_feature_names_out=False
        )
        try:
            clone(transformer).set_output(transform=output).fit_transform(X)
        except ValueError as error:
            pytest.skip(f"this scikit-learn cannot give frames of this {output}: {error}")
        model = way.model(ThresholdOptimizer())
        if output == "default":  # an array has no columns: groups are passed
            model = CorrectedClassifier(
                LogisticRegression(), ThresholdOptimizer(), privileged="a", random_state=0
            )
            numbers = transformer.fit_transform(X)[:, :2].astype(float)
            labels = model.fit(numbers, Y, sensitive_features=GROUP).predict(
                numbers, sensitive_features=GROUP
            )
        else:
            pipeline = make_pipeline(transformer, model).set_output(transform=output)
            labels = pipeline.fit(X, Y).predict(X)
        expected = by_hand(ThresholdOptimizer(), ENSEMBLES["scaled"], ALL, ALL)[1]
        np.testing.assert_array_equal(labels, expected)

    def test_a_search_over_a_pipeline(self, way: Way) -> None:
        """A search reaches the estimator and the corrector through the pipeline."""
        pipeline = Pipeline(
            [("pass", "passthrough"), ("fair", way.model(ThresholdOptimizer(grid_size=50)))]
        )
        grid = {
            "fair__estimator__C": [0.01, 1.0],
            "fair__corrector__constraints": ["demographic_parity", "equalized_odds"],
        }
        search = GridSearchCV(
            pipeline, grid, scoring=way.scorers(), refit="accuracy", cv=FOLDS, error_score="raise"
        ).fit(way.X, Y, **way.params)
        assert np.isfinite(search.cv_results_["mean_test_flip_rate_difference"]).all()
        expected = [
            np.mean(
                scores_by_hand(
                    ThresholdOptimizer(constraints=constraint, grid_size=50),
                    LogisticRegression(C=strength),
                )["accuracy"]
            )
            for constraint in grid["fair__corrector__constraints"]
            for strength in grid["fair__estimator__C"]
        ]
        np.testing.assert_allclose(search.cv_results_["mean_test_accuracy"], expected)


COARSE = ThresholdOptimizer(grid_size=50)


class TestChoosing:
    """Searches over estimator and corrector at once."""

    @pytest.mark.parametrize(
        ("corrector", "parameter", "values"),
        [
            (
                ThresholdOptimizer(grid_size=50),
                "constraints",
                ["equalized_odds", "demographic_parity"],
            ),
            (ThresholdOptimizer(grid_size=50), "tol", [None, 0.1]),
            (AIF360_SKLEARN.RejectOptionClassifier(), "margin", [0.05, 0.3]),
            (AIF360_SKLEARN.CalibratedEqualizedOdds(), "cost_constraint", ["fnr", "fpr"]),
            (FixedThresholdClassifier(None), "threshold", [0.3, 0.5]),
        ],
        ids=["constraints", "tol", "margin", "cost", "threshold"],
    )
    def test_parameters_of_the_corrector(
        self, corrector: Any, parameter: str, values: list[Any], way: Way
    ) -> None:
        """The best within bounds is found, and is what a loop by hand would take."""
        grid = {"estimator__C": [0.003, 1.0], f"corrector__{parameter}": values}
        search = GridSearchCV(
            way.model(corrector),
            grid,
            scoring=way.scorers(),
            refit=best_within({"objective_fairness_index": 1.0}, maximize="accuracy"),
            cv=FOLDS,
            error_score="raise",
        ).fit(way.X, Y, **way.params)
        accuracies = {
            (strength, value): np.mean(
                scores_by_hand(
                    clone(corrector).set_params(**{parameter: value}),
                    LogisticRegression(C=strength),
                )["accuracy"]
            )
            for strength in grid["estimator__C"]
            for value in values
        }
        best = search.best_params_
        chosen = accuracies[best["estimator__C"], best[f"corrector__{parameter}"]]
        assert chosen == pytest.approx(max(accuracies.values()))
        assert getattr(search.best_estimator_.corrector, parameter) in values

    def test_correctors_of_several_libraries(self, way: Way) -> None:
        """The post-processor itself is searched for, with none among the candidates."""
        candidates = [
            None,
            ThresholdOptimizer(grid_size=50),
            AIF360.EqOddsPostprocessing(**DICTIONARIES),
            FixedThresholdClassifier(None, threshold=0.3),
        ]
        search = GridSearchCV(
            way.model(None),
            {"corrector": candidates},
            scoring=way.scorers(),
            refit=best_within({"flip_rate_difference": 0.0}, maximize="accuracy"),
            cv=FOLDS,
            error_score="raise",
        ).fit(way.X, Y, **way.params)
        assert search.best_estimator_.corrector is None
        for i, corrector in enumerate(candidates):
            expected = scores_by_hand(corrector, LogisticRegression())
            for name, values in expected.items():
                mean = search.cv_results_[f"mean_test_{name}"][i]
                assert mean == pytest.approx(np.mean(values), abs=1e-12)
