"""Scorers: values, groups by column and by routing, folds, several at once."""

import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from fairlearn.metrics import demographic_parity_difference
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    get_scorer,
    jaccard_score,
    make_scorer,
    precision_score,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OrdinalEncoder, StandardScaler
from sklearn.svm import LinearSVC

from skfair_ofi import CorrectedClassifier, OutcomeCounts
from skfair_ofi.metrics import (
    METRICS,
    Metric,
    accuracy,
    best_within,
    disparate_impact,
    false_positive_rate,
    flip_rate_difference,
    get_group_scorer_names,
    make_group_scorer,
    objective_fairness_index,
    positive_balance_difference,
    selection_rate,
    statistical_parity_difference,
)

COMPARISONS = [
    metric for metric in METRICS.values() if metric.kind == "comparison" and metric.family != "flip"
]
SIMPLE = [metric for metric in COMPARISONS if metric.name in get_group_scorer_names()]


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, np.ndarray]:
    """Three groups whose scores differ, the group a column of X."""
    rng = np.random.default_rng(0)
    race = rng.choice(["a", "b", "c"], 400, p=[0.5, 0.3, 0.2])
    x = rng.normal(size=400) + (race == "a") * 0.7
    y = (x + rng.normal(size=400) > 0.4).astype(int)
    return pd.DataFrame({"x": x, "race": race, "old": rng.random(400) > 0.4}), y


@pytest.fixture(scope="module")
def model(data: tuple[pd.DataFrame, np.ndarray]) -> Any:
    """A pipeline that drops the group before the classifier."""
    return plain_model().fit(*data)


def plain_model(classifier: Any = None) -> Any:
    """Pipeline that uses x only."""
    return make_pipeline(
        make_column_transformer(("passthrough", ["x"])), classifier or LogisticRegression()
    )


@pytest.fixture
def routing() -> Iterator[None]:
    """Metadata routing is enabled."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def distance(metric: Metric, value: float) -> float:
    """Minus the distance to the ideal, by hand."""
    if metric.ideal == 1.0:
        return min(value, 1 / value) - 1
    return -abs(value)


@pytest.mark.parametrize("privileged", [None, "a", ["a", "b"]])
@pytest.mark.parametrize("metric", SIMPLE, ids=lambda metric: metric.name)
def test_score_is_minus_the_distance_to_the_ideal(
    metric: Metric, privileged: Any, model: Any, data: tuple[pd.DataFrame, np.ndarray]
) -> None:
    """Every comparison scores minus its distance to the ideal, at most 0."""
    X, y = data
    scorer = make_group_scorer(
        metric.function,
        sensitive_features="race",
        privileged=privileged,
    )
    said = model.predict_proba(X)[:, 1] if metric.family == "score" else model.predict(X)
    value = metric.function(y, said, sensitive_features=X["race"], privileged=privileged)
    assert scorer(model, X, y) == pytest.approx(distance(metric, value))
    assert scorer(model, X, y) <= 0


def test_ratio_of_zero_is_as_far_as_can_be() -> None:
    """A ratio of 0 scores -1, and so does an infinite one."""
    X = pd.DataFrame({"x": [0, 0, 1, 1], "g": ["a", "a", "b", "b"]})
    model = plain_model().fit(X, [0, 0, 1, 1])
    for privileged in ("a", "b"):
        scorer = make_group_scorer(disparate_impact, sensitive_features="g", privileged=privileged)
        assert scorer(model, X, [0, 0, 1, 1]) == -1.0


def test_perfect_score_is_zero() -> None:
    """Groups that are alike score 0, not -0."""
    X = pd.DataFrame({"x": [0, 1, 0, 1], "g": ["a", "a", "b", "b"]})
    model = plain_model().fit(X, [0, 1, 0, 1])
    score = make_group_scorer(statistical_parity_difference, sensitive_features="g")(
        model, X, [0, 1, 0, 1]
    )
    assert str(score) == "0.0"


def test_rates_score_their_own_value(model: Any, data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A rate scores its value, negated where lower is better; the worst group is the worst."""
    X, y = data
    predicted = model.predict(X)
    assert make_group_scorer("accuracy", sensitive_features="race")(model, X, y) == (
        accuracy_score(y, predicted)
    )
    by_group = [
        (
            accuracy(y[X["race"] == group], predicted[X["race"] == group]),
            false_positive_rate(y[X["race"] == group], predicted[X["race"] == group]),
        )
        for group in "abc"
    ]
    worst = make_group_scorer(accuracy, worst=True, sensitive_features="race")
    assert worst(model, X, y) == min(value for value, _ in by_group)
    worst = make_group_scorer("worst_group_false_positive_rate", sensitive_features="race")
    assert worst(model, X, y) == -max(value for _, value in by_group)


@pytest.mark.parametrize("classifier", [LogisticRegression(), LinearSVC(), RidgeClassifier()])
@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes"), ("yes", "no")])
def test_score_measures_take_the_favorable_labels_score(
    classifier: Any, labels: tuple[Any, Any], data: tuple[pd.DataFrame, np.ndarray]
) -> None:
    """The probability, or decision value, is that of the favorable label, whatever its order."""
    X, y = data
    y = np.array(labels, dtype=object)[y] if labels != (0, 1) else y
    model = plain_model(clone(classifier)).fit(X, y)
    scorer = make_group_scorer(
        positive_balance_difference, sensitive_features="race", pos_label=labels[1]
    )
    last = sorted(labels)[-1] == labels[1]
    if hasattr(model, "predict_proba"):
        values = model.predict_proba(X)[:, 1 if last else 0]
    else:
        values = model.decision_function(X) * (1 if last else -1)
    means = [values[(X["race"] == group) & (y == labels[1])].mean() for group in "abc"]
    assert scorer(model, X, y) == pytest.approx(-(max(means) - min(means)))


def test_conditions(model: Any, data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Conditional measures are scored among the rows of a column, a function, or scores."""
    X, y = data
    chosen = X["old"].to_numpy()
    name = "conditional_statistical_parity_difference"
    expected = -statistical_parity_difference(
        None, model.predict(X)[chosen], sensitive_features=X["race"][chosen]
    )
    for where in ("old", lambda frame: frame["old"]):
        scorer = make_group_scorer(name, sensitive_features="race", where=where)
        assert scorer(model, X, y) == expected
    score = model.predict_proba(X)[:, 1]
    inside = (score >= 0.3) & (score <= 0.6)
    scorer = make_group_scorer(
        "calibration_difference", sensitive_features="race", score_range=(0.3, 0.6)
    )
    rates = [y[inside & (X["race"] == group)].mean() for group in "abc"]
    assert scorer(model, X, y) == pytest.approx(min(rates) - max(rates))


def test_weights_count_as_people(model: Any, data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Weights score as repeated rows would."""
    X, y = data
    weight = np.arange(len(y)) % 3
    scorer = make_group_scorer(objective_fairness_index, sensitive_features="race")
    rows = np.repeat(np.arange(len(y)), weight)
    assert scorer(model, X, y, sample_weight=weight) == scorer(model, X.iloc[rows], y[rows])


@pytest.fixture(scope="module")
def case() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ten people six times over, in two groups."""
    X = np.tile(np.arange(10.0)[:, None], (6, 1))
    y = np.tile([0, 0, 1, 0, 1, 0, 1, 1, 1, 1], 6)
    return X, y, np.tile(list("aabbababab"), 6)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("corrected", [False, True])
def test_a_scorer_reaches_predict(
    case: tuple[np.ndarray, np.ndarray, np.ndarray], *, together: bool, corrected: bool
) -> None:
    """A post-processor that needs groups to predict is scored in every fold, as by hand."""
    X, y, group = case
    rule = ThresholdOptimizer(predict_method="predict", grid_size=50)
    if corrected:
        model: Any = CorrectedClassifier(corrector=rule, random_state=0)
    else:
        model = rule.set_params(estimator=LogisticRegression())
    names = {"ofi": "objective_fairness_index", "accuracy": "accuracy"}
    scoring: Any = {
        key: make_group_scorer(name).set_score_request(sensitive_features=True)
        for key, name in names.items()
    }
    if together:
        scoring = make_group_scorer(names).set_score_request(sensitive_features=True)
    found = cross_validate(
        model.set_fit_request(sensitive_features=True),
        X,
        y,
        scoring=scoring,
        cv=KFold(5),
        params={"sensitive_features": group},
        error_score="raise",
        return_estimator=True,
    )
    assert np.isfinite(found["test_ofi"]).all()
    assert np.isfinite(found["test_accuracy"]).all()
    # fairlearn's own draws differ from call to call; with a seed they can be compared.
    for i, (_, test) in enumerate(KFold(5).split(X) if corrected else ()):
        fitted = found["estimator"][i]
        predicted = fitted.predict(X[test], sensitive_features=group[test])
        assert found["test_accuracy"][i] == accuracy_score(y[test], predicted)
        ofi = objective_fairness_index(y[test], predicted, sensitive_features=group[test])
        assert found["test_ofi"][i] == -abs(ofi)


@pytest.mark.usefixtures("routing")
def test_grid_search_by_routing(case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """A grid search over a post-processor scores and refits by a fairness measure."""
    X, y, group = case
    model = ThresholdOptimizer(estimator=LogisticRegression(), predict_method="predict")
    search = GridSearchCV(
        model.set_fit_request(sensitive_features=True),
        {"constraints": ["demographic_parity", "equalized_odds"]},
        scoring={
            "ofi": make_group_scorer("objective_fairness_index").set_score_request(
                sensitive_features=True
            ),
            "worst": make_group_scorer("worst_group_accuracy").set_score_request(
                sensitive_features=True
            ),
        },
        refit="ofi",
        cv=KFold(5),
        error_score="raise",
    ).fit(X, y, sensitive_features=group)
    assert np.isfinite(search.cv_results_["mean_test_ofi"]).all()
    assert np.isfinite(search.cv_results_["mean_test_worst"]).all()
    assert search.score(X, y, sensitive_features=group) <= 0


@pytest.mark.usefixtures("routing")
def test_metadata_that_was_not_asked_for() -> None:
    """Groups that a scorer did not ask for are an error of scikit-learn's own."""
    scorer = make_group_scorer("objective_fairness_index")
    with pytest.raises(
        sklearn.exceptions.UnsetMetadataPassedError, match=r"\['?sensitive_features'?\] are passed"
    ):
        cross_validate(
            LogisticRegression(),
            np.eye(4),
            [0, 1, 0, 1],
            scoring=scorer,
            cv=2,
            params={"sensitive_features": list("aabb")},
        )


@pytest.mark.usefixtures("routing")
def test_metadata_under_another_name(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Groups reach the scorer under the name it asked for, and a clone asks for the same."""
    X, y = data
    scorer = clone(
        make_group_scorer("statistical_parity_difference").set_score_request(
            sensitive_features="race"
        )
    )
    found = cross_validate(
        plain_model(), X, y, scoring=scorer, cv=3, params={"race": X["race"]}, error_score="raise"
    )
    by_column = make_group_scorer("statistical_parity_difference", sensitive_features="race")
    expected = cross_validate(plain_model(), X, y, scoring=by_column, cv=3, params={})
    assert found["test_score"].tolist() == expected["test_score"].tolist()


def test_make_scorer_takes_the_measures(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """scikit-learn's own make_scorer takes a measure, with routing."""
    X, y = data
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_scorer(objective_fairness_index, greater_is_better=False)
        scorer = scorer.set_score_request(sensitive_features=True)
        found = cross_validate(
            plain_model(),
            X,
            y,
            scoring=scorer,
            cv=3,
            params={"sensitive_features": X["race"]},
            error_score="raise",
        )
    own = make_group_scorer("objective_fairness_index", sensitive_features="race")
    expected = cross_validate(plain_model(), X, y, scoring=own, cv=3)
    assert found["test_score"] == pytest.approx(expected["test_score"])


def test_a_fold_that_lacks_a_group_is_undefined() -> None:
    """A fold without a group scores NaN with a warning that names it, never 0."""
    X = pd.DataFrame({"x": np.arange(60) % 2, "g": ["b"] + ["a"] * 59})
    y = np.arange(60) % 2
    scorer = make_group_scorer(objective_fairness_index, sensitive_features="g", groups=["a", "b"])
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"^objective_fairness_index is undefined: no people in group 'b'\. "
        r"Group sizes: 'a' 12, 'b' 0\.$",
    ) as caught:
        found = cross_validate(plain_model(), X, y, scoring=scorer, cv=KFold(5))
    assert np.isnan(found["test_score"]).tolist() == [False, True, True, True, True]
    assert len(caught) == 4


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "only one group, 'a'"),
        ({"privileged": "b"}, "no people in group 'b'"),
        ({"groups": ["c"], "privileged": "c"}, "no people in group 'c'"),
    ],
)
def test_reasons_of_undefined_folds(options: dict[str, Any], reason: str) -> None:
    """The warning says what is missing."""
    X = pd.DataFrame({"x": [0, 1, 0, 1], "g": ["a"] * 4})
    model = plain_model().fit(X, [0, 1, 0, 1])
    scorer = make_group_scorer(objective_fairness_index, sensitive_features="g", **options)
    with pytest.warns(UndefinedMetricWarning, match=rf"undefined: {reason}\. Group sizes: .*\.$"):
        assert np.isnan(scorer(model, X, [0, 1, 0, 1]))


def test_undefined_worst_group() -> None:
    """A worst group among groups of which one is undefined is undefined, and named."""
    X = pd.DataFrame({"x": [0, 1, 0, 1], "g": ["a", "a", "b", "b"]})
    model = plain_model().fit(X, [0, 1, 0, 1])
    scorer = make_group_scorer("worst_group_true_positive_rate", sensitive_features="g")
    with pytest.warns(
        UndefinedMetricWarning,
        match=r"^worst_group_true_positive_rate is undefined: no positives in group 'b'\. "
        r"Group sizes: 'a' 2, 'b' 2\.$",
    ):
        assert np.isnan(scorer(model, X, [0, 1, 0, 0]))


class Counting(ClassifierMixin, BaseEstimator):
    """A classifier that counts how often it is asked."""

    asked = 0

    def fit(self, X: Any, y: Any) -> "Counting":
        """Learn nothing."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict by the first column."""
        type(self).asked += 1
        return (np.asarray(X["x"]) > 0).astype(int)


def test_several_scorers_predict_once(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Scorers made together ask the estimator once a fold, scikit-learn's own included."""
    X, y = data
    scoring = make_group_scorer(
        {
            "accuracy": "accuracy",
            "f1": "f1",
            "ofi": objective_fairness_index,
            "worst": "worst_group_accuracy",
            "own": make_scorer(accuracy_score),
            "sex": make_group_scorer("disparate_impact", sensitive_features="old"),
        },
        sensitive_features="race",
    )
    Counting.asked = 0
    found = cross_validate(Counting(), X, y, scoring=scoring, cv=4, error_score="raise")
    assert Counting.asked == 4
    separate = cross_validate(
        Counting(),
        X,
        y,
        cv=4,
        scoring={
            "accuracy": "accuracy",
            "f1": "f1",
            "ofi": make_group_scorer(objective_fairness_index, sensitive_features="race"),
            "worst": make_group_scorer(accuracy, worst=True, sensitive_features="race"),
            "sex": make_group_scorer("disparate_impact", sensitive_features="old"),
        },
    )
    for name in ("accuracy", "f1", "ofi", "worst", "sex"):
        assert found[f"test_{name}"] == pytest.approx(separate[f"test_{name}"])


def test_parallel_jobs_and_pickles(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Scorers survive pickling, and processes give what one process gives."""
    X, y = data
    scoring = {
        "ofi": make_group_scorer(objective_fairness_index, sensitive_features="race"),
        "worst": make_group_scorer("accuracy", worst=True, sensitive_features="race"),
    }
    assert repr(pickle.loads(pickle.dumps(scoring))) == repr(scoring)  # noqa: S301
    one = cross_validate(plain_model(), X, y, scoring=scoring, cv=4)
    two = cross_validate(plain_model(), X, y, scoring=scoring, cv=4, n_jobs=2)
    for name in scoring:
        assert one[f"test_{name}"].tolist() == two[f"test_{name}"].tolist()


def test_several_columns_are_crossed(model: Any, data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Several columns make crossed groups, and a tuple names a privileged one."""
    X, y = data
    scorer = make_group_scorer(
        objective_fairness_index, sensitive_features=["race", "old"], privileged=("a", True)
    )
    counts = OutcomeCounts.from_arrays(y, model.predict(X), sensitive_features=X[["race", "old"]])
    value = METRICS["objective_fairness_index"].of(counts, privileged=("a", True))
    assert scorer(model, X, y) == -abs(value)


def test_every_name_makes_a_scorer() -> None:
    """Each listed name makes a scorer whose repr is the call that makes it."""
    for name in get_group_scorer_names():
        shown = repr(make_group_scorer(name, sensitive_features="g"))
        assert shown.startswith("make_group_scorer(")
        assert "(worst_group_" not in shown
        assert ", sensitive_features='g'" in shown


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: make_group_scorer(selection_rate),
            (
                r"^measure must be a rate that is better one way, or a comparison, got "
                r"'selection_rate'\. Such rates are .*$"
            ),
        ),
        (
            lambda: make_group_scorer("base_rate", worst=True),
            r"^measure must be a rate that is better one way, got 'base_rate'\. Such rates are .*$",
        ),
        (
            lambda: make_group_scorer("disparate_impact", worst=True),
            r"^measure must be a rate that is better one way, got 'disparate_impact'\..*$",
        ),
        (
            lambda: make_group_scorer("objective_fairnes_index"),
            r"^measure must name a measure, .*Did you mean 'objective_fairness_index'\?$",
        ),
        (
            lambda: make_group_scorer(accuracy_score),
            (
                r"^greater_is_better must be True or False for a function that is no measure of "
                r"this package, got None for accuracy_score\.$"
            ),
        ),
        (
            lambda: make_group_scorer(
                {"a": make_group_scorer("accuracy").set_score_request(sensitive_features=True)}
            ),
            (
                r"^measure must hold scorers that ask for no metadata: the set asks for all, by "
                r"set_score_request, got make_group_scorer\(accuracy\)\.$"
            ),
        ),
        (
            lambda: make_group_scorer("calibration_difference"),
            r"^score_range must be given for calibration_difference, got None\.$",
        ),
        (
            lambda: make_group_scorer("conditional_statistical_parity_difference"),
            r"^where must be given for conditional_statistical_parity_difference, got None\.$",
        ),
    ],
)
def test_unusable_scorers(make: Any, message: str) -> None:
    """A measure that cannot be scored is refused when the scorer is made."""
    with pytest.raises(ValueError, match=message):
        make()


def test_unusable_calls(model: Any, data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A call without groups, with an unknown column, or without flips, says what to do."""
    X, y = data
    with pytest.raises(
        ValueError, match=r"^sensitive_features must be given: as columns of X .*, got None\.$"
    ):
        make_group_scorer(objective_fairness_index)(model, X, y)
    with pytest.raises(
        ValueError, match=r"^sensitive_features must be one of 'x', 'race', 'old', got 'rice'\. .*$"
    ):
        make_group_scorer(objective_fairness_index, sensitive_features="rice")(model, X, y)
    with pytest.raises(
        ValueError,
        match=r"^X must be a data frame with the columns \['race'\] of sensitive_features, "
        r"got ndarray\.$",
    ):
        make_group_scorer(objective_fairness_index, sensitive_features="race")(model, np.eye(2), y)
    with pytest.raises(
        TypeError,
        match=r"^Flip measures need an estimator with predict_outcomes, such as "
        r"CorrectedClassifier, got LogisticRegression\.$",
    ):
        make_group_scorer(flip_rate_difference, sensitive_features="race")(
            LogisticRegression().fit(X[["x"]], y), X, y
        )


def test_best_within() -> None:
    """The rule takes the best candidate within bounds, else the least outside, with a warning."""
    results = {
        "mean_test_accuracy": np.array([0.9, 0.8, 0.85, np.nan]),
        "mean_test_ofi": np.array([-0.3, -0.05, -0.1, 0.0]),
        "mean_test_flips": np.array([-0.0, -0.1, np.nan, 0.0]),
    }
    assert best_within({"ofi": 0.1}, maximize="accuracy")(results) == 2
    assert best_within({"ofi": 0.1, "flips": 0.2}, maximize="accuracy")(results) == 1
    with pytest.warns(UserWarning, match=r"exceeds them least, by 0\.04 in all, is chosen\.$"):
        assert best_within({"ofi": 0.01}, maximize="accuracy")(results) == 1
    rule = best_within({"ofi": 0.1}, maximize="accuracy")
    assert repr(pickle.loads(pickle.dumps(rule))) == repr(rule)  # noqa: S301
    with pytest.raises(ValueError, match=r"got 'mean_test_f1'\..*$"):
        best_within({}, maximize="f1")(results)
    with pytest.raises(
        ValueError,
        match=r"^At least one candidate must have defined scores of accuracy, ofi, got none\.$",
    ):
        rule({"mean_test_accuracy": [np.nan], "mean_test_ofi": [-0.1]})


@pytest.mark.parametrize("large", [1.0, 1e6])
def test_best_within_forgives_the_rounding_of_a_mean(large: float) -> None:
    """A mean over folds that misses a bound by its last digits is within it."""
    bound = 0.1 * large
    mean = np.mean([-bound] * 3)
    rule = best_within({"ofi": bound}, maximize="accuracy")
    scores = {"mean_test_ofi": [mean, -bound * (1 + 1e-13)], "mean_test_accuracy": [0.5, 0.6]}
    assert rule(scores) == 1
    exceeding = {"mean_test_ofi": [-bound * (1 + 1e-9)], "mean_test_accuracy": [0.5]}
    with pytest.warns(UserWarning, match=r"^No candidate is within .*, is chosen\.$"):
        assert rule(exceeding) == 0


def test_best_within_keeps_undefined_candidates_out() -> None:
    """A candidate without a defined score of a bound is not chosen."""
    rule = best_within({"ofi": 0.1}, maximize="accuracy")
    assert rule({"mean_test_ofi": [np.nan, -0.1], "mean_test_accuracy": [0.9, 0.5]}) == 1


def test_best_within_chooses_in_a_search(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A grid search refits what the rule chooses."""
    X, y = data
    search = GridSearchCV(
        plain_model(),
        {
            "logisticregression__C": [1e-4, 1.0],
            "logisticregression__class_weight": [None, "balanced"],
        },
        scoring=make_group_scorer(
            {"accuracy": "accuracy", "spd": "statistical_parity_difference"},
            sensitive_features="race",
        ),
        refit=best_within({"spd": 0.2}, maximize="accuracy"),
        cv=3,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        search.fit(X, y)
    results = search.cv_results_
    within = results["mean_test_spd"] >= -0.2
    if within.any():
        best = np.where(within, results["mean_test_accuracy"], -1).argmax()
        assert search.best_index_ == best


def test_best_within_refuses_scores_without_a_distance() -> None:
    """A bound on a score that is better when higher would always hold, and is refused."""
    with pytest.raises(
        ValueError,
        match=r"^bounds must be on scores .*, got 'accuracy' with a mean score of 0\.9\.$",
    ):
        best_within({"accuracy": 0.1}, maximize="accuracy")({"mean_test_accuracy": [0.9, 0.8]})


@pytest.mark.parametrize("columns", ["race", ["race", "old"]])
def test_columns_reach_a_post_processor_of_another_library(
    columns: Any, data: tuple[pd.DataFrame, np.ndarray]
) -> None:
    """Groups in columns are handed on as an array or a frame, which other libraries take."""
    X, y = data
    model = ThresholdOptimizer(estimator=plain_model(), predict_method="predict", prefit=False)
    try:
        model.fit(X, y, sensitive_features=X[columns])
    except ValueError as error:
        pytest.skip(f"this fairlearn takes no strings of this pandas: {error}")
    scorer = make_group_scorer(
        statistical_parity_difference,
        sensitive_features=columns,
        predict_sensitive_features=columns,
    )
    assert -1 <= scorer(model, X, y) <= 0


OTHER = np.array(["m", "f", "f", "m", "f"])


@pytest.fixture(scope="module")
def corrected(data: tuple[pd.DataFrame, np.ndarray]) -> CorrectedClassifier:
    """A model corrected by race, which is passed."""
    X, y = data
    rule = ThresholdOptimizer(predict_method="predict")
    model = CorrectedClassifier(corrector=rule, random_state=0)
    return model.fit(X[["x"]], y, sensitive_features=X["race"].to_numpy())


def test_groups_to_predict_with_are_others_than_those_scored(
    corrected: CorrectedClassifier, data: tuple[pd.DataFrame, np.ndarray]
) -> None:
    """A model corrected by race can be scored by sex; the labels are those by race."""
    X, y = data
    race, sex = X["race"].to_numpy(), np.resize(OTHER, len(X))
    said = corrected.predict(X[["x"]], sensitive_features=race)
    expected = -abs(objective_fairness_index(y, said, sensitive_features=sex))
    scorer = make_group_scorer(objective_fairness_index)
    given = {"sensitive_features": sex, "predict_sensitive_features": race}
    assert scorer(corrected, X[["x"]], y, **given) == expected
    together = make_group_scorer({"ofi": "objective_fairness_index", "f1": "f1"})
    assert together(corrected, X[["x"]], y, **given) == {"ofi": expected, "f1": f1_score(y, said)}
    framed = X[["x"]].assign(race=race, sex=sex)
    piped = make_pipeline(make_column_transformer(("passthrough", ["x"])), corrected)
    piped.fit(framed, y, correctedclassifier__sensitive_features=race)
    by_column = make_group_scorer(
        objective_fairness_index, sensitive_features="sex", predict_sensitive_features="race"
    )
    assert by_column(piped, framed, y) == expected


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("piped", [False, True])
def test_names_of_metadata_tell_groups_apart(
    data: tuple[pd.DataFrame, np.ndarray], *, piped: bool
) -> None:
    """Groups under another name than the model asks for never reach its predict."""
    X, y = data
    race, sex = X["race"].to_numpy(), np.resize(OTHER, len(X))
    rule = ThresholdOptimizer(predict_method="predict")
    inner = CorrectedClassifier(corrector=rule, random_state=0)
    inner.set_fit_request(sensitive_features="race").set_predict_request(sensitive_features="race")
    model: Any = make_pipeline(StandardScaler(), inner) if piped else inner
    options: Any = {"cv": KFold(3), "error_score": "raise", "params": {"race": race, "sex": sex}}
    scorer = make_group_scorer(objective_fairness_index)
    by_sex = scorer.set_score_request(sensitive_features="sex")
    with pytest.raises(
        ValueError,
        match=r"^predict_sensitive_features must be given where a scorer's groups \['sex'\] are "
        r"not those under the name 'race' that the estimator asks for, got None\.$",
    ):
        cross_validate(model, X[["x"]], y, scoring=by_sex, **options)
    by_sex.set_score_request(predict_sensitive_features="race")
    by_race = clone(scorer).set_score_request(
        sensitive_features="race", predict_sensitive_features=None
    )
    several = make_group_scorer(["OFI", "accuracy"])
    several.set_score_request(sensitive_features="race")
    alone = cross_validate(
        model,
        X[["x"]],
        y,
        scoring={"sex": by_sex, "race": by_race},
        return_estimator=True,
        **options,
    )
    options["params"] = {"race": race}
    together = cross_validate(model, X[["x"]], y, scoring=several, **options)
    assert together["test_OFI"].tolist() == alone["test_race"].tolist()
    for i, (_, test) in enumerate(KFold(3).split(X)):
        said = alone["estimator"][i].predict(
            X.loc[test, ["x"]], **{"race" if piped else "sensitive_features": race[test]}
        )
        assert together["test_accuracy"][i] == accuracy_score(y[test], said)
        for name, group in {"sex": sex, "race": race}.items():
            expected = -abs(objective_fairness_index(y[test], said, sensitive_features=group[test]))
            assert alone[f"test_{name}"][i] == expected


def test_groups_are_given_once(model: Any, data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Columns and metadata for the same parameter contradict each other."""
    X, y = data
    scorer = make_group_scorer(objective_fairness_index, sensitive_features="race")
    with pytest.raises(
        ValueError,
        match=r"^sensitive_features must be given once: as columns of X to the scorer, here "
        r"'race', or as metadata, got both\.$",
    ):
        scorer(model, X, y, sensitive_features=X["old"])


def labeled(pos_label: Any, y: Any, X: pd.DataFrame, **options: Any) -> CorrectedClassifier:
    """A model corrected by race, which is a column."""
    rule = ThresholdOptimizer(predict_method="predict")
    return CorrectedClassifier(
        plain_model(),
        rule,
        sensitive_features="race",
        pos_label=pos_label,
        random_state=0,
        **options,
    ).fit(X, y)


def test_favorable_label_of_the_model(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Scorers take the model's favorable label, scikit-learn's by name included."""
    X, y = data
    text = np.where(y == 1, "accept", "reject")
    model, mirrored = labeled("reject", text, X), labeled(0, y, X)
    said = model.predict(X)
    ours = make_group_scorer("positive_predictive_value", sensitive_features="race")
    assert ours(model, X, text) == precision_score(text, said, pos_label="reject")
    names = {"f1": "f1", "ours": "positive_predictive_value", "auc": "roc_auc"}
    base = plain_model().fit(X, text)
    found = make_group_scorer(names, sensitive_features="race", pos_label="reject")(base, X, text)
    plain, proba = base.predict(X), base.predict_proba(X)
    assert found["f1"] == f1_score(text, plain, pos_label="reject")
    assert found["auc"] == roc_auc_score(text == "reject", proba[:, 1])
    scorers = make_group_scorer({"f1": "f1"}, sensitive_features="race", error_score="raise")
    assert scorers(model, X, text)["f1"] == f1_score(text, said, pos_label="reject")
    assert scorers(mirrored, X, y)["f1"] == f1_score(y, mirrored.predict(X), pos_label=0)
    with pytest.raises(
        ValueError,
        match=r"^pos_label must be the estimator's favorable label 'reject', got 'accept'\.$",
    ):
        make_group_scorer("accuracy", sensitive_features="race", pos_label="accept")(model, X, text)
    with pytest.raises(ValueError, match=r"^Labels must be two, got 3: y_true has .*$"):
        scorers(model, X, np.where(np.arange(len(y)) == 3, "maybe", text))


def test_groups_of_the_model_are_expected(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A fold without a group that the model was fitted on is undefined, and says so."""
    X, y = data
    model = labeled(None, y, X)
    kept = (X["race"] != "c").to_numpy()
    names = ("statistical_parity_difference", "worst_group_accuracy", "flip_rate_difference")
    for name in names:
        scorer = make_group_scorer(name, sensitive_features="race")
        assert np.isfinite(scorer(model, X, y))
        with pytest.warns(UndefinedMetricWarning, match=rf"^{name} is undefined: .*'c' 0\.$"):
            assert np.isnan(scorer(model, X[kept], y[kept]))
        named = make_group_scorer(name, sensitive_features="race", groups=["a", "b"])
        assert np.isfinite(named(model, X[kept], y[kept]))
        other = make_group_scorer(name, sensitive_features="old")
        assert np.isfinite(other(model, X[kept], y[kept]))


def reported(model: CorrectedClassifier, X: pd.DataFrame, y: np.ndarray) -> float:
    """The Objective Fairness Index of a model's report, after the correction."""
    rows = model.report(X, y).summary.fairness
    return next(row for row in rows if row.name == "objective_fairness_index").after.value


@pytest.mark.parametrize("name", ["objective_fairness_index", "accuracy", "flip_rate_difference"])
def test_groups_unknown_to_the_model_are_left_out(
    data: tuple[pd.DataFrame, np.ndarray], name: str
) -> None:
    """A scorer leaves out the people that the model's report leaves out, and counts them."""
    X, y = data
    model = labeled(None, y, X, unseen_groups="base")
    strangers = X.assign(race=np.where(np.arange(len(X)) < 5, "zz", X["race"]))
    scorer = make_group_scorer(name, sensitive_features="race")
    warned = (
        r"^5 people of the groups \['zz'\], which fit did not see, are left out of the score\.$"
    )
    with pytest.warns(UserWarning, match=warned):
        score = scorer(model, strangers, y)
    assert score == scorer(model, strangers[5:], y[5:])
    if name == "objective_fairness_index":
        assert score == -abs(reported(model, strangers, y))
    by_age = make_group_scorer(name, sensitive_features="old")
    assert np.isfinite(by_age(model, strangers, y))  # of whom nobody is a stranger
    alone = strangers[:5]
    with (
        pytest.warns(UserWarning, match=warned),
        pytest.warns(UndefinedMetricWarning, match=r" Group sizes: 'a' 0, 'b' 0, 'c' 0\.$"),
    ):
        assert np.isnan(scorer(model, alone, y[:5]))


def test_groups_of_the_model_by_features_in_another_order(
    data: tuple[pd.DataFrame, np.ndarray],
) -> None:
    """A group of the model is missed whichever order the scorer names the features in."""
    X, y = data
    rule = ThresholdOptimizer(predict_method="predict")
    model = CorrectedClassifier(plain_model(), rule, sensitive_features=["race", "old"]).fit(X, y)
    kept = ~((X["race"] == "b") & X["old"]).to_numpy()
    for order, group in ((["race", "old"], r"\('b', True\)"), (["old", "race"], r"\(True, 'b'\)")):
        scorer = make_group_scorer("statistical_parity_difference", sensitive_features=order)
        with pytest.warns(UndefinedMetricWarning, match=rf".*{group} 0[,.].*"):
            assert np.isnan(scorer(model, X[kept], y[kept]))
    model.set_params(privileged=("a", True), random_state=0).fit(X, y)
    by_order = [
        make_group_scorer("accuracy_difference", sensitive_features=order, **named)(model, X, y)
        for order, named in (
            (["race", "old"], {}),
            (["old", "race"], {}),
            (["old", "race"], {"privileged": (True, "a")}),
        )
    ]
    assert len(set(by_order)) == 1


def test_privileged_groups_of_the_model(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A score is by the model's privileged groups, as its report is, unless it names others."""
    X, y = data
    model = labeled(None, y, X, privileged="b")
    said = model.predict(X)

    def expected(**options: Any) -> float:
        race = X["race"]
        return -abs(objective_fairness_index(y, said, sensitive_features=race, **options))

    def score(feature: str = "race", **options: Any) -> float:
        name = "objective_fairness_index"
        return make_group_scorer(name, sensitive_features=feature, **options)(model, X, y)

    assert score() == -abs(reported(model, X, y))
    assert score() == expected(privileged="b") != expected()
    assert score(privileged="c") == expected(privileged="c")
    assert score(privileged=[]) == expected()
    assert score("old") == -abs(objective_fairness_index(y, said, sensitive_features=X["old"]))
    kept = (X["race"] != "b").to_numpy()
    scorer = make_group_scorer("objective_fairness_index", sensitive_features="race")
    with pytest.warns(UndefinedMetricWarning, match=r"is undefined: .*group 'b'.*'b' 0.*\.$"):
        assert np.isnan(scorer(model, X[kept], y[kept]))


def test_groups_and_weights_are_keywords(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A fourth argument is refused: scikit-learn's own scorers take weights there."""
    X, y = data
    model, weight = plain_model().fit(X, y), np.ones(len(y))
    alone = make_group_scorer("accuracy", sensitive_features="race")
    together = make_group_scorer({"accuracy": "accuracy"}, sensitive_features="race")
    for scorer in (alone, together):
        with pytest.raises(TypeError, match=r"positional arguments? but 5 were given$"):
            scorer(model, X, y, weight)


def test_missing_groups_by_policy(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Missing groups are an error, left out with a warning, or a group."""
    X, y = data
    model = labeled(None, y, X, unseen_groups="base")
    holes = X.assign(race=X["race"].where(np.arange(len(X)) % 10 > 0))
    known = holes["race"].notna().to_numpy()
    options: dict[str, Any] = {"sensitive_features": "race"}
    with pytest.raises(
        ValueError, match=r'got 40 missing in 400 rows\. Pass missing_groups="drop" .*$'
    ):
        make_group_scorer("statistical_parity_difference", **options)(model, holes, y)
    dropping = make_group_scorer("statistical_parity_difference", missing_groups="drop", **options)
    with pytest.warns(UserWarning, match=r"^40 rows with a missing group are left out\.$"):
        assert dropping(model, holes, y) == dropping(model, X[known], y[known])
    grouping = make_group_scorer("accuracy", missing_groups="group", **options)
    assert grouping(model, holes, y) == accuracy_score(y, model.predict(holes))
    with pytest.raises(ValueError, match=r"^missing_groups must be one of .*, got 'ignore'\.$"):
        make_group_scorer("accuracy", missing_groups="ignore", **options)


def test_weights_reach_every_scorer(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """scikit-learn's own scorers get the weights, too; one that takes none is named."""
    X, y = data
    weight = np.resize([1.0, 2.0, 0.5], len(y))
    model = plain_model().fit(X, y)
    said = model.predict(X)

    def last(estimator: Any, X: Any, _y: Any) -> float:
        return float(estimator.predict(X)[-1])

    scorers = make_group_scorer(
        {"f1": "f1", "own": make_scorer(accuracy_score), "accuracy": "accuracy", "last": last},
        sensitive_features="race",
    )
    with pytest.warns(UserWarning, match=r"^The scorer 'last' does not take weights\.$"):
        found = scorers(model, X, y, sample_weight=weight)
    assert found["f1"] == f1_score(y, said, sample_weight=weight)
    expected = accuracy_score(y, said, sample_weight=weight)
    assert found["own"] == found["accuracy"] == pytest.approx(expected)
    assert found["last"] == said[-1]


def test_random_rules_draw_once(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Label and flip scores made together are of the same draw."""
    X, y = data
    rule = ThresholdOptimizer(predict_method="predict")
    model = CorrectedClassifier(plain_model(), rule, sensitive_features="race").fit(X, y)
    scorers = make_group_scorer(
        {"sr": "disparate_impact", "flips": "flip_rate_difference", "outcomes": keep_outcomes},
        sensitive_features="race",
    )
    found = scorers(model, X, y)
    said = KEPT.pop()
    expected = disparate_impact(y, said.y_corrected, sensitive_features=X["race"])
    assert found["sr"] == pytest.approx(min(expected, 1 / expected) - 1)
    flips = flip_rate_difference(said.y_pred, said.y_corrected, sensitive_features=X["race"])
    assert found["flips"] == -flips


KEPT: list[Any] = []


def keep_outcomes(said: Any, X: Any, _y: Any) -> float:
    """Look at what all scorers are told."""
    KEPT.append(said.answer("predict_outcomes"))
    return float(np.mean(said.predict(X) == KEPT[-1].y_corrected))


@pytest.mark.parametrize(
    ("scorers", "message"),
    [
        (3, r"measure must be a name or a function, got 3"),
        ({}, r"measure must name at least one measure, got \{\}"),
        ({"a": 3}, r"measure must hold names, measures and scorers, got 3"),
    ],
)
def test_unusable_sets_of_scorers(scorers: Any, message: str) -> None:
    """Several scorers have names."""
    with pytest.raises((TypeError, ValueError), match=rf"^{message}\.$"):
        make_group_scorer(scorers)


def test_scores_of_a_model_without_scores(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A score measure of corrected labels is refused in words."""
    X, y = data
    scorer = make_group_scorer(positive_balance_difference, sensitive_features="race")
    with pytest.raises(
        TypeError,
        match=r"^Score measures need an estimator with predict_proba or decision_function, "
        r"got CorrectedClassifier\.$",
    ):
        scorer(labeled(None, y, X), X, y)


@pytest.fixture(scope="module")
def coded(data: tuple[pd.DataFrame, np.ndarray]) -> tuple[pd.DataFrame, CorrectedClassifier, Any]:
    """People with two columns of 0 and 1, a model fitted on one of them, without its name."""
    X, y = data
    framed = X[["x"]].assign(r=(X["race"] == "a").astype(int), s=np.resize([0, 1, 1, 0, 1], len(X)))
    rule = ThresholdOptimizer(predict_method="predict")
    model = CorrectedClassifier(plain_model(), rule, random_state=0)
    return framed, model.fit(framed, y, sensitive_features=framed["r"].to_numpy()), y


def test_groups_without_a_name_are_never_guessed(
    coded: tuple[pd.DataFrame, CorrectedClassifier, Any],
) -> None:
    """A model that does not tell its groups is handed what the user names, alone and in a set."""
    X, model, y = coded
    other = ThresholdOptimizer(estimator=plain_model(), predict_method="predict")
    other.fit(X, y, sensitive_features=X["r"])
    said = model.predict(X, sensitive_features=X["r"].to_numpy())
    for fitted, name in ((model, "CorrectedClassifier"), (other, "ThresholdOptimizer")):
        for column in ("r", "s"):
            scorer = make_group_scorer("accuracy", sensitive_features=column)
            with pytest.raises(
                ValueError,
                match=rf"^predict_sensitive_features must name the columns of X that {name} needs "
                r"to predict, which may be those of sensitive_features: .* Got None\.$",
            ):
                scorer(fitted, X, y)
    inner = {
        column: make_group_scorer(
            "objective_fairness_index",
            sensitive_features=column,
            predict_sensitive_features="r",
        )
        for column in "sr"
    }
    expected = {
        column: -abs(objective_fairness_index(y, said, sensitive_features=X[column]))
        for column in "sr"
    }
    for order in ("sr", "rs"):
        scorers = make_group_scorer({column: inner[column] for column in order})
        assert scorers(model, X, y) == expected
    for column, scorer in inner.items():
        assert scorer(model, X, y) == expected[column]
    whole = make_group_scorer(
        {
            "s": make_group_scorer("objective_fairness_index", sensitive_features="s"),
            "acc": "accuracy",
            "jaccard": "jaccard",
        },
        sensitive_features="r",
        predict_sensitive_features="r",
        error_score="raise",
    )
    assert whole(model, X, y) == {
        "s": expected["s"],
        "acc": pytest.approx(accuracy_score(y, said)),
        "jaccard": jaccard_score(y, said),
    }


@pytest.mark.usefixtures("routing")
def test_metadata_of_a_set(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A set asks for all its scorers, of which those with columns of their own keep them."""
    X, y = data
    race, weight = X["race"].to_numpy(), np.resize([1.0, 2.0, 0.5], len(y))
    by_old = make_group_scorer("OFI", sensitive_features="old")
    together = make_group_scorer({"race": "OFI", "old": by_old, "f1": "f1"}, error_score="raise")
    together.set_score_request(sensitive_features="r", sample_weight="w")
    found = cross_validate(
        plain_model(),
        X,
        y,
        scoring=together,
        cv=KFold(2),
        params={"r": race, "w": weight},
        error_score="raise",
    )
    for i, (train, test) in enumerate(KFold(2).split(X)):
        said = plain_model().fit(X.iloc[train], y[train]).predict(X.iloc[test])
        assert found["test_f1"][i] == f1_score(y[test], said, sample_weight=weight[test])
        for key, group in {"race": race, "old": X["old"].to_numpy()}.items():
            expected = -abs(
                objective_fairness_index(
                    y[test], said, sensitive_features=group[test], sample_weight=weight[test]
                )
            )
            assert found[f"test_{key}"][i] == expected


def gap_of_hits(y_true: Any, y_pred: Any, *, sensitive_features: Any) -> float:
    """A measure of one's own, of which the package knows nothing."""
    hits = pd.Series(np.asarray(y_true) == np.asarray(y_pred))
    by_group = hits.groupby(np.asarray(sensitive_features)).mean()
    return float(by_group.max() - by_group.min())


def test_functions_of_ones_own(model: Any, data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Any function of true and predicted labels is scored, alone and among others."""
    X, y = data
    said, weight = model.predict(X), np.resize([1.0, 2.0], len(y))
    gap = gap_of_hits(y, said, sensitive_features=X["race"])
    own = make_group_scorer(gap_of_hits, sensitive_features="race", greater_is_better=False)
    assert own(model, X, y) == -gap
    assert repr(pickle.loads(pickle.dumps(own))) == repr(own)  # noqa: S301
    several = make_group_scorer(
        {"gap": gap_of_hits, "DI": "DI"}, sensitive_features="race", greater_is_better=False
    )
    assert several(model, X, y)["gap"] == -gap
    plain = make_group_scorer(accuracy_score, greater_is_better=True)
    assert plain(model, X, y, sample_weight=weight) == accuracy_score(y, said, sample_weight=weight)
    message = r"^sample_weight must be None for gap_of_hits, which does not take it\.$"
    with pytest.raises(ValueError, match=message):
        own(model, X, y, sample_weight=weight)
    fairlearns = make_group_scorer(
        demographic_parity_difference, sensitive_features="race", greater_is_better=False
    )
    ours = make_group_scorer("statistical_parity_difference", sensitive_features="race")
    assert fairlearns(model, X, y) == pytest.approx(ours(model, X, y))


def test_symbols_are_names(model: Any, data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A measure may be named by its symbol, and a list names the scores as it does."""
    X, y = data
    found = make_group_scorer(["OFI", "DI", "f1"], sensitive_features="race")(model, X, y)
    assert list(found) == ["OFI", "DI", "f1"]
    for symbol, name in {"OFI": "objective_fairness_index", "DI": "disparate_impact"}.items():
        assert found[symbol] == make_group_scorer(name, sensitive_features="race")(model, X, y)


def test_pipelines_that_recode_groups_or_have_one_step(
    data: tuple[pd.DataFrame, np.ndarray],
) -> None:
    """Groups that a step recodes are not missed, and a pipeline of one step is scored."""
    X, y = data
    recode = make_column_transformer(
        ("passthrough", ["x"]), (OrdinalEncoder(), ["race"]), verbose_feature_names_out=False
    ).set_output(transform="pandas")
    rule = ThresholdOptimizer(predict_method="predict")
    last = CorrectedClassifier(
        LogisticRegression(),
        rule,
        sensitive_features="race",
        drop_sensitive_features=True,
        random_state=0,
    )
    for pipeline in (make_pipeline(recode, last), make_pipeline(labeled(None, y, X))):
        pipeline.fit(X, y)
        said = pipeline.predict(X)
        scorer = make_group_scorer("statistical_parity_difference", sensitive_features="race")
        expected = statistical_parity_difference(y, said, sensitive_features=X["race"])
        assert scorer(pipeline, X, y) == -expected


def test_groups_after_a_step_that_renames_their_column(
    data: tuple[pd.DataFrame, np.ndarray],
) -> None:
    """Where a step renames the column, the groups that must be there are those of the scorer."""
    X, y = data
    rename = make_column_transformer(
        ("passthrough", ["x"]), ("passthrough", ["race"]), verbose_feature_names_out=True
    ).set_output(transform="pandas")
    last = CorrectedClassifier(
        LogisticRegression(),
        ThresholdOptimizer(predict_method="predict"),
        sensitive_features="passthrough-2__race",
        drop_sensitive_features=True,
    )
    pipeline = make_pipeline(rename, last).fit(X, y)
    kept = (X["race"] != "c").to_numpy()
    scorer = make_group_scorer("accuracy_difference", sensitive_features="race")
    assert np.isfinite(scorer(pipeline, X[kept], y[kept]))
    scorer.set_params(groups=["a", "b", "c"])
    with pytest.warns(UndefinedMetricWarning, match=r"no people in group 'c'\..*'c' 0\.$"):
        assert np.isnan(scorer(pipeline, X[kept], y[kept]))


def test_one_scorer_that_fails(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """It is NaN with a warning that says why, and the others keep their scores."""
    X, y = data
    model = labeled(None, y, X)
    names = {"auc": "roc_auc", "accuracy": "accuracy"}
    scorers = make_group_scorer(names, sensitive_features="race")
    with pytest.warns(
        UserWarning,
        match=r"^No score of auc: AttributeError: CorrectedClassifier has none of the following "
        r"attributes: .*\.$",
    ):
        found = scorers(model, X, y)
    assert np.isnan(found["auc"])
    assert found["accuracy"] == pytest.approx(accuracy_score(y, model.predict(X)))
    strict = make_group_scorer(names, sensitive_features="race", error_score="raise")
    with pytest.raises(AttributeError, match=r"^CorrectedClassifier has .*predict_proba.*\.$"):
        strict(model, X, y)
    given = make_group_scorer({"auc": get_scorer("roc_auc")}, error_score="raise")
    with pytest.raises(AttributeError, match=r"^CorrectedClassifier has .*predict_proba.*\.$"):
        given(model, X, y)
    strangers = X.assign(race=np.where(np.arange(len(X)) < 100, "z", X["race"]))
    scorers = make_group_scorer({"a": "accuracy", "f": "f1"}, sensitive_features="race")
    with pytest.warns(UserWarning, match=r"^No score of a, f: ValueError: .*'z'.*$"):
        found = cross_validate(labeled(None, y, X), strangers, y, scoring=scorers, cv=KFold(3))
    assert np.isnan(found["test_a"]).tolist() == [True, False, False]


def test_privileged_group_that_the_model_never_saw(
    data: tuple[pd.DataFrame, np.ndarray],
) -> None:
    """A mistyped privileged group is an error where the model knows its groups."""
    X, y = data
    scorer = make_group_scorer("disparate_impact", sensitive_features="race", privileged="aa")
    with pytest.raises(
        ValueError, match=r"^privileged must be one of 'a', 'b', 'c', .*got 'aa'.*$"
    ):
        scorer(labeled(None, y, X), X, y)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"ofi": -0.1}, r"bounds must hold numbers from 0, got -0\.1 for 'ofi'"),
        ({"ofi": "x"}, r"bounds must hold numbers from 0, got 'x' for 'ofi'"),
        ({"ofi": np.nan}, r"bounds must hold numbers from 0, got nan for 'ofi'"),
        (["ofi"], r"bounds must be a mapping of names to numbers, got \['ofi'\]"),
    ],
)
def test_unusable_bounds(bounds: Any, message: str) -> None:
    """Bounds are checked when the rule is made."""
    with pytest.raises((TypeError, ValueError), match=rf"^{message}\.$"):
        best_within(bounds, maximize="accuracy")


def test_columns_with_integers_as_names(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """Integers name the columns of a frame whose columns are integers."""
    X, y = data
    numbered = pd.DataFrame({0: X["x"], 1: X["old"], 2: X["race"]})
    rule = ThresholdOptimizer(predict_method="predict")
    for columns in (2, [2, 1]):
        named = {2: "race", 1: "old"}
        texts = named[columns] if isinstance(columns, int) else [named[name] for name in columns]
        scores = []
        for frame, names, rest in ((numbered, columns, [1, 2]), (X, texts, ["old", "race"])):
            base = make_pipeline(
                FunctionTransformer(lambda X, rest=rest: X.drop(columns=rest, errors="ignore")),
                LogisticRegression(),
            )
            model = CorrectedClassifier(
                base,
                rule,
                sensitive_features=names,
                drop_sensitive_features=True,
                random_state=0,
            ).fit(frame, y)
            scorer = make_group_scorer("objective_fairness_index", sensitive_features=names)
            scores.append(scorer(model, frame, y))
        assert scores[0] == scores[1]
    message = r"^sensitive_features must be one of 0, 1, 2, got '2'\. Did you mean 2\?$"
    with pytest.raises(ValueError, match=message):
        make_group_scorer("accuracy", sensitive_features="2")(model, numbered, y)


def test_unusable_names(data: tuple[pd.DataFrame, np.ndarray]) -> None:
    """A mistyped scorer is answered with a near name, a column that is no name refused."""
    X, y = data
    with pytest.raises(
        ValueError,
        match=r"^measure must name a measure or a scorer, got 'acuracy'\. Did you mean 'accuracy'",
    ):
        make_group_scorer({"a": "acuracy"})
    scorer: Any = make_group_scorer("accuracy", sensitive_features=0.5)  # type: ignore[arg-type]
    message = r"^sensitive_features must be a column name or several, got 0\.5\.$"
    with pytest.raises(ValueError, match=message):
        scorer(plain_model().fit(X, y), X, y)
