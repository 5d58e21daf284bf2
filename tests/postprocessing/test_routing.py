"""CorrectedClassifier among scikit-learn's tools, with metadata routing on and off."""

from typing import Any, Self

import numpy as np
import pandas as pd
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

from skfair_ofi.postprocessing import CorrectedClassifier


def make_data(n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels, groups."""
    rng = np.random.default_rng(0)
    group = rng.choice(["a", "b"], n)
    X = rng.normal(size=(n, 2)) + (group == "a")[:, None]
    return X, (X[:, 0] + rng.normal(size=n) > 0.5).astype(int), group


X, Y, GROUP = make_data()


def by_routing(estimator: Any = None, **parameters: Any) -> CorrectedClassifier:
    """A classifier that asks for groups wherever it takes them."""
    model = CorrectedClassifier(estimator, ThresholdOptimizer(), random_state=0, **parameters)
    for method in (model.set_fit_request, model.set_predict_request, model.set_score_request):
        method(sensitive_features=True)
    return model


class Hearing(ClassifierMixin, BaseEstimator):
    """A classifier that keeps what metadata it was given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, hint: Any = None) -> Self:
        """Learn the classes."""
        self.classes_ = np.unique(y)
        self.fitted_with_ = (sample_weight, hint)
        return self

    def predict(self, X: Any, sensitive_features: Any = None) -> np.ndarray:
        """Predict by the first feature."""
        self.asked_with_ = sensitive_features
        return (np.asarray(X)[:, 0] > 0.5).astype(int)


def listener() -> Hearing:
    """One that does not want the groups to predict."""
    return Hearing().set_predict_request(sensitive_features=False)


def by_hand(folds: KFold) -> list[float]:
    """Accuracy in each fold, groups passed by a plain loop."""
    scores = []
    for train, test in folds.split(X):
        model = CorrectedClassifier(corrector=ThresholdOptimizer(), random_state=0)
        model.fit(X[train], Y[train], sensitive_features=GROUP[train])
        predicted = model.predict(X[test], sensitive_features=GROUP[test])
        scores.append(float((predicted == Y[test]).mean()))
    return scores


@pytest.mark.usefixtures("routing")
class TestRoutingOn:
    """Groups and weights by metadata routing."""

    def test_cross_validation(self) -> None:
        """Scores are those of a loop that passes the groups by hand (case 1)."""
        folds = KFold(5)
        given = {"sensitive_features": GROUP}
        scores = cross_validate(by_routing(), X, Y, cv=folds, params=given, error_score="raise")
        np.testing.assert_allclose(scores["test_score"], by_hand(folds))

    def test_grid_search(self) -> None:
        """The search fits, scores and refits with groups."""
        grid = {"corrector__constraints": ["demographic_parity", "equalized_odds"]}
        search = GridSearchCV(by_routing(), grid, cv=3, error_score="raise")
        search.fit(X, Y, sensitive_features=GROUP)
        assert search.best_estimator_.groups_ == ("a", "b")
        assert search.best_score_ > 0.5

    def test_last_step_of_a_pipeline(self) -> None:
        """After a scaler, which makes arrays, the groups come by routing."""
        pipeline = make_pipeline(StandardScaler(), by_routing())
        pipeline.fit(X, Y, sensitive_features=GROUP)
        labels = pipeline.predict(X, sensitive_features=GROUP)
        inner = by_routing().fit(StandardScaler().fit_transform(X), Y, sensitive_features=GROUP)
        expected = inner.predict(StandardScaler().fit_transform(X), sensitive_features=GROUP)
        np.testing.assert_array_equal(labels, expected)

    def test_weights_reach_an_estimator_that_asks(self) -> None:
        """Weights and further metadata are handed on as requested, and only then."""
        inner = listener().set_fit_request(sample_weight=True, hint=True)
        weight = np.arange(1.0, len(Y) + 1)
        model = by_routing(inner).fit(
            X, Y, sensitive_features=GROUP, sample_weight=weight, hint="x"
        )
        np.testing.assert_array_equal(model.estimator_.fitted_with_[0], weight)
        assert model.estimator_.fitted_with_[1] == "x"
        refused = listener().set_fit_request(sample_weight=False)
        model = by_routing(refused).fit(X, Y, sensitive_features=GROUP, sample_weight=weight)
        assert model.estimator_.fitted_with_ == (None, None)

    def test_weights_that_nobody_decided_on_are_an_error(self) -> None:
        """As everywhere in scikit-learn, the estimator has to say whether it wants them."""
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            by_routing(LogisticRegression()).fit(
                X, Y, sensitive_features=GROUP, sample_weight=np.ones(len(Y))
            )

    def test_groups_reach_an_estimator_that_asks(self) -> None:
        """An estimator that needs groups to predict gets them, in fit as well."""
        inner = Hearing().set_predict_request(sensitive_features=True)
        model = by_routing(inner).fit(X, Y, sensitive_features=GROUP)
        assert model.estimator_.asked_with_ is GROUP
        other = GROUP[::-1]
        model.predict(X, sensitive_features=other)
        assert model.estimator_.asked_with_ is other

    def test_other_names(self) -> None:
        """Metadata may come under another name (aliasing)."""
        inner = listener().set_fit_request(hint="clue")
        model = CorrectedClassifier(inner, ThresholdOptimizer())
        model.set_fit_request(sensitive_features="race").set_predict_request(
            sensitive_features="race"
        )
        pipeline = make_pipeline(StandardScaler(), model).fit(X, Y, race=GROUP, clue="c")
        assert pipeline[-1].groups_ == ("a", "b")
        assert pipeline[-1].estimator_.fitted_with_ == (None, "c")
        assert len(pipeline.predict(X, race=GROUP)) == len(Y)

    def test_unknown_metadata_is_an_error(self) -> None:
        """What nobody asks for is refused."""
        with pytest.raises(TypeError, match="unexpected argument"):
            by_routing().fit(X, Y, sensitive_features=GROUP, colour=GROUP)

    def test_requests_are_kept_by_clones(self) -> None:
        """A clone asks for the same."""
        routing = get_routing_for_object(clone(by_routing()))
        consumed = routing.consumes(method="predict", params=["sensitive_features"])
        assert consumed == {"sensitive_features"}

    def test_nested_classifiers(self) -> None:
        """A corrected classifier may be corrected once more."""
        inner = by_routing()
        model = by_routing(inner).fit(X, Y, sensitive_features=GROUP)
        outcomes = model.predict_outcomes(X, sensitive_features=GROUP)
        expected = model.estimator_.predict(X, sensitive_features=GROUP)
        np.testing.assert_array_equal(outcomes.y_pred, expected)


class TestRoutingOff:
    """The same without metadata routing."""

    def test_groups_as_a_column(self) -> None:
        """Cross-validation needs no routing where groups are a column of X."""
        folds = KFold(5)
        frame = pd.DataFrame({"p": X[:, 0], "q": X[:, 1], "group": GROUP})
        model = CorrectedClassifier(
            corrector=ThresholdOptimizer(),
            sensitive_features="group",
            drop_sensitive_features=True,
            random_state=0,
        )
        scores = cross_validate(model, frame, Y, cv=folds, error_score="raise")
        np.testing.assert_allclose(scores["test_score"], by_hand(folds))
        labels = cross_val_predict(model, frame, Y, cv=folds)
        by_fold = [(labels[test] == Y[test]).mean() for _, test in folds.split(X)]
        np.testing.assert_allclose(by_fold, by_hand(folds))

    def test_further_metadata_is_an_error(self) -> None:
        """Without routing there is nowhere to send it."""
        message = (
            r"^fit takes only sensitive_features and sample_weight while scikit-learn's metadata "
            r"routing is off, got \['hint'\]\.$"
        )
        with pytest.raises(ValueError, match=message):
            CorrectedClassifier().fit(X, Y, hint=3)

    def test_ignored_by_a_classifier_that_corrects_nothing(self) -> None:
        """Without a corrector groups at predict time do no harm: a scorer may pass them."""
        model = CorrectedClassifier().fit(X, Y)
        np.testing.assert_array_equal(model.predict(X, sensitive_features=GROUP), model.predict(X))
