"""Correctors that are fitted on held-out people."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_predict,
)
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skfair_ofi import METRICS, OutcomeCounts
from skfair_ofi.counts import take_rows
from skfair_ofi.datasets import load_compas
from skfair_ofi.metrics import objective_fairness_index
from skfair_ofi.postprocessing import (
    CorrectedClassifier,
    Groups,
    Response,
    make_corrector as adapter_of,
)
from tests.postprocessing.conftest import AIF360, CORRECTORS, DICTIONARIES, Make


def make_data(n: int = 240) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, labels, groups of which the first has better features."""
    rng = np.random.default_rng(3)
    group = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(n, 2)) + 0.8 * (group == "a")[:, None]
    return X, (X[:, 0] + rng.normal(size=n) > 0.4).astype(int), group


X, Y, GROUP = make_data()
CODES = np.searchsorted(["a", "b", "c"], GROUP)


def corrected(corrector: Any = None, **parameters: Any) -> CorrectedClassifier:
    """A classifier whose groups are passed."""
    return CorrectedClassifier(
        corrector=corrector, **{"privileged": "a", "random_state": 0, **parameters}
    )


def fitted(model: CorrectedClassifier, **given: Any) -> CorrectedClassifier:
    """The classifier, fitted to everyone."""
    return model.fit(X, Y, sensitive_features=GROUP, **given)


def flip_rate(counts: OutcomeCounts) -> float:
    """Share of people who are flipped."""
    return METRICS["flip_rate"].of(counts.over("y_pred", "y_corrected"))


class TestWhatItIsFor:
    """Correcting on the training set understates flips."""

    @pytest.mark.parametrize(
        "corrector",
        [
            ThresholdOptimizer(constraints="equalized_odds", predict_method="predict"),
            AIF360.EqOddsPostprocessing(**DICTIONARIES),
        ],
        ids=["threshold", "odds"],
    )
    def test_a_tree_that_knows_its_training_data(self, corrector: Any) -> None:
        """In-sample fitting sees nothing to correct; out of fold it sees what there is later.

        The tree tells all its training people apart by a number of their own.
        """
        bunch = load_compas()
        kept = bunch.data["race"].isin(["African-American", "Caucasian"]).to_numpy()
        data = bunch.data[kept].assign(person=np.random.default_rng(0).normal(size=kept.sum()))
        y, half = bunch.target[kept].to_numpy(), kept.sum() // 2
        tree = make_pipeline(
            make_column_transformer(
                (OneHotEncoder(), ["sex", "age_cat", "c_charge_degree"]),
                ("passthrough", ["priors_count", "person"]),
            ),
            DecisionTreeClassifier(random_state=0),
        )
        said, later, gap = {}, {}, {}
        for cv in (None, 5):
            model = CorrectedClassifier(
                tree,
                corrector,
                sensitive_features="race",
                privileged="Caucasian",
                pos_label=0,
                cv=cv,
                random_state=0,
            ).fit(data[:half], y[:half])
            table = model.expected_counts(data[half:], y[half:])
            said[cv], later[cv] = flip_rate(model.training_counts_), flip_rate(table)
            gap[cv] = METRICS["equalized_odds_difference"].of(table.after)
        assert said[None] == later[None] == 0
        assert gap[None] > 0.1
        assert later[5] > 0.04
        assert said[5] == pytest.approx(later[5], abs=0.015)
        assert gap[5] < 0.07


class TestHeldOut:
    """The same as a loop by hand."""

    def test_a_loop_by_hand(self, make: Make) -> None:
        """The rule is fitted on out-of-fold responses, the estimator on everyone."""
        corrector = make()
        if isinstance(corrector, TunedThresholdClassifierCV):
            pytest.skip("averages over folds: compared with scikit-learn's own below")
        folds = KFold(4, shuffle=True, random_state=1)
        model = fitted(corrected(corrector, cv=folds))
        proba = cross_val_predict(LogisticRegression(), X, Y, cv=folds, method="predict_proba")[
            :, 1
        ]
        groups = Groups(CODES, ("a", "b", "c"), ("a",))
        held_out = Response(proba > 0.5, {"predict_proba": lambda: proba})
        rule = adapter_of(make()).fit(Y, held_out, groups)
        final = LogisticRegression().fit(X, Y)
        now = final.predict_proba(X)[:, 1]
        response = Response(final.predict(X), {"predict_proba": lambda: now})
        np.testing.assert_allclose(
            model.corrected_proba(X, sensitive_features=GROUP),
            rule.correct_proba(response, groups),
            atol=1e-9,
        )
        np.testing.assert_array_equal(model.estimator_.coef_, final.coef_)
        assert model.training_counts_.over("y_true", "y_pred") == OutcomeCounts.from_arrays(
            Y, (proba > 0.5).astype(int), sensitive_features=GROUP
        )

    def test_decision_values(self) -> None:
        """Decision values are held out as probabilities are."""
        model = fitted(corrected(ThresholdOptimizer(), estimator=LinearSVC(), cv=3))
        folds = StratifiedKFold(3)
        values = cross_val_predict(LinearSVC(), X, Y, cv=folds, method="decision_function")
        own = ThresholdOptimizer(
            estimator=FrozenEstimator(Column().fit()), prefit=True, predict_method="predict"
        ).fit(values.reshape(-1, 1), Y, sensitive_features=GROUP)
        ours = model.corrector_.optimizer_.interpolated_thresholder_.interpolation_dict
        theirs = own.interpolated_thresholder_.interpolation_dict
        for code, key in enumerate("abc"):
            assert ours[code]["p0"] == pytest.approx(theirs[key]["p0"])
            assert str(ours[code]["operation0"]) == str(theirs[key]["operation0"])

    @pytest.mark.parametrize(
        "library",
        [
            np.asarray,
            sparse.csr_matrix,
            sparse.coo_matrix,
            np.ndarray.tolist,
            lambda array: pd.DataFrame(array, columns=["p", "q"], index=np.arange(len(array)) * 3),
        ],
        ids=["array", "csr", "coo", "list", "pandas"],
    )
    def test_features_of_any_kind(self, library: Callable[[np.ndarray], Any]) -> None:
        """Arrays, sparse matrices, lists and frames are split alike."""
        model = corrected(CORRECTORS["odds"](), cv=3)
        expected = fitted(clone(model)).corrector_.probabilities_
        model.fit(library(X), Y, sensitive_features=GROUP)
        np.testing.assert_allclose(model.corrector_.probabilities_, expected, atol=1e-6)

    @pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_groups_as_a_column(self, library: Any) -> None:
        """Groups that are columns of X are split along, and dropped for the estimator."""
        frame = library({"p": X[:, 0], "q": X[:, 1], "group": GROUP})
        tree = DecisionTreeClassifier(max_depth=3, random_state=0)
        model = CorrectedClassifier(
            tree,
            ThresholdOptimizer(),
            sensitive_features="group",
            drop_sensitive_features=True,
            privileged="a",
            cv=3,
        ).fit(frame, Y)
        passed = fitted(corrected(ThresholdOptimizer(), estimator=tree, cv=3))
        np.testing.assert_array_equal(
            model.corrected_proba(frame), passed.corrected_proba(X, sensitive_features=GROUP)
        )

    def test_rows_of_series_and_mappings(self) -> None:
        """Metadata of any kind are split, too."""
        rows = np.array([2, 0])
        assert take_rows({"a": [1, 2, 3]}, rows) == {"a": [3, 1]}
        assert take_rows(pd.Series([1, 2, 3]), rows).tolist() == [3, 1]
        assert take_rows(pl.Series([1, 2, 3]), rows).to_list() == [3, 1]
        assert take_rows(pa.chunked_array([[1, 2, 3]]), rows).to_pylist() == [3, 1]

    def test_weights(self) -> None:
        """Weights reach every fold's estimator and the post-processor; one warning is enough."""
        weight = np.random.default_rng(0).uniform(0.5, 2, len(Y))
        folds = KFold(3)
        model = fitted(corrected(CORRECTORS["odds"](), cv=folds), sample_weight=weight)
        predicted = np.empty(len(Y), dtype=int)
        for train, test in folds.split(X):
            fold = LogisticRegression().fit(X[train], Y[train], sample_weight=weight[train])
            predicted[test] = fold.predict(X[test])
        table = OutcomeCounts.from_arrays(
            Y, predicted, sensitive_features=GROUP, sample_weight=weight
        )
        counted = model.training_counts_.over("y_true", "y_pred")
        np.testing.assert_allclose(counted.cells, table.cells)
        with pytest.warns(UserWarning, match="does not take sample weights") as caught:
            fitted(corrected(estimator=KNeighborsClassifier(), cv=3), sample_weight=weight)
        assert len(caught) == 1

    @pytest.mark.parametrize("piped", [False, True])
    @pytest.mark.slow
    def test_no_fold_is_kept_from_a_frozen_model(self, make: Make, *, piped: bool) -> None:
        """A model that is fitted already saw whom it saw: nothing is out of fold."""
        frozen: Any = FrozenEstimator(LogisticRegression().fit(X, Y))
        if piped:
            frozen = make_pipeline("passthrough", frozen)
        with pytest.raises(
            ValueError,
            match=r"^cv must be None where the estimator is fitted already: no fold would be kept "
            r"from it, got 3\.$",
        ):
            fitted(corrected(make(), estimator=frozen, cv=3))
        plain = fitted(corrected(make(), estimator=frozen))
        assert plain.training_report_.summary.in_sample


class Column(ClassifierMixin, BaseEstimator):
    """Hands through its only column."""

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Know two classes."""
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return the column."""
        return X[:, 0]


class Hearing(ClassifierMixin, BaseEstimator):
    """A classifier that expects one hint a row."""

    def fit(self, X: Any, y: Any, hint: Any = None, setting: Any = None) -> Self:
        """Compare lengths."""
        assert len(hint) == len(X)
        assert setting == "all"
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict by the first feature."""
        return (X[:, 0] > 0.5).astype(int)


@pytest.mark.usefixtures("routing")
class TestRouting:
    """Metadata are split along."""

    def test_metadata_of_the_estimator(self) -> None:
        """What is one value a row is split, anything else is not."""
        inner = Hearing().set_fit_request(hint=True, setting=True)
        model = corrected(CORRECTORS["odds"](), estimator=inner, cv=3)
        model.set_fit_request(sensitive_features=True)
        assert fitted(model, hint=np.arange(len(Y)), setting="all").groups_ == ("a", "b", "c")

    def test_groups_of_the_splitter(self) -> None:
        """A splitter gets what it asks for."""
        families = np.arange(len(Y)) // 3
        model = corrected(CORRECTORS["odds"](), cv=GroupKFold(4))
        model.set_fit_request(sensitive_features=True)
        by_splits = corrected(
            CORRECTORS["odds"](), cv=list(GroupKFold(4).split(X, Y, groups=families))
        ).set_fit_request(sensitive_features=True)
        np.testing.assert_allclose(
            fitted(model, groups=families).corrector_.probabilities_,
            fitted(by_splits).corrector_.probabilities_,
        )

    def test_a_threshold_tuned_to_fairness(self) -> None:
        """A scorer that asks for the groups gets them when a threshold is tuned."""
        scorer = make_scorer(objective_fairness_index, greater_is_better=False)
        scorer.set_score_request(sensitive_features=True)
        model = corrected(
            TunedThresholdClassifierCV(None, scoring=scorer, cv=2), random_state=None
        ).set_fit_request(sensitive_features=True)
        own = TunedThresholdClassifierCV(LogisticRegression(), scoring=scorer, cv=2)
        own.fit(X, Y, sensitive_features=GROUP)
        assert fitted(model).corrector_.classifier_.best_threshold_ == own.best_threshold_


class TestTunedThreshold:
    """scikit-learn's TunedThresholdClassifierCV holds people out by itself."""

    @pytest.mark.parametrize(
        "parameters",
        [
            {},
            {"cv": 3},
            {"cv": 0.3, "random_state": 0},
            {"cv": KFold(3, shuffle=True, random_state=0), "scoring": "f1", "thresholds": 20},
            {"response_method": "decision_function"},
        ],
        ids=["default", "number", "share", "splitter", "decision"],
    )
    @pytest.mark.slow
    def test_the_threshold_is_its_own(self, parameters: dict[str, Any]) -> None:
        """Threshold and labels are those of scikit-learn around the same estimator."""
        own = TunedThresholdClassifierCV(LogisticRegression(), **parameters).fit(X, Y)
        model = fitted(corrected(TunedThresholdClassifierCV(LogisticRegression(), **parameters)))
        assert model.corrector_.classifier_.best_threshold_ == pytest.approx(own.best_threshold_)
        np.testing.assert_array_equal(model.predict(X, sensitive_features=GROUP), own.predict(X))
        outcomes = model.predict_outcomes(X, sensitive_features=GROUP)
        np.testing.assert_array_equal(outcomes.y_pred, LogisticRegression().fit(X, Y).predict(X))

    @pytest.mark.slow
    def test_folds_of_the_classifier_go_before(self) -> None:
        """`cv` of CorrectedClassifier takes the place of that of the threshold."""
        own = TunedThresholdClassifierCV(LogisticRegression(), cv=KFold(4)).fit(X, Y)
        model = fitted(corrected(TunedThresholdClassifierCV(None), cv=KFold(4)))
        assert model.corrector_.classifier_.best_threshold_ == pytest.approx(own.best_threshold_)

    @pytest.mark.slow
    def test_groups_are_reported_and_not_needed(self) -> None:
        """Without groups the rule is the same, and everyone is counted as one group."""
        threshold = TunedThresholdClassifierCV(None, scoring=make_scorer(balanced_accuracy_score))
        alone = CorrectedClassifier(corrector=threshold).fit(X, Y)
        grouped = fitted(corrected(threshold))
        np.testing.assert_array_equal(
            alone.predict(X), grouped.predict(X, sensitive_features=GROUP)
        )
        assert alone.groups_ == ("all",)
        assert [row.group for row in grouped.training_report_.summary.groups] == ["a", "b", "c"]


class TestReports:
    """What the report on the training people says."""

    def test_out_of_fold(self) -> None:
        """It is not in-sample, and says how people were predicted."""
        summary = fitted(corrected(ThresholdOptimizer(), cv=3)).training_report_.summary
        assert not summary.in_sample
        expected = "the people in fit, each predicted by a model that did not see them"
        assert summary.source == expected
        assert fitted(corrected(ThresholdOptimizer())).training_report_.summary.in_sample

    def test_people_who_were_never_held_out(self) -> None:
        """They are not counted, and the report says how many they are."""
        split = ShuffleSplit(1, test_size=0.5, random_state=0)
        model = fitted(corrected(ThresholdOptimizer(), cv=split))
        assert model.training_counts_.n == 120
        assert model.training_report_.summary.notes[-1].startswith(
            "120 people in fit were held out of no fold"
        )


@pytest.mark.parametrize("cv", ["prefit", 1, 0.5, True, object()])
def test_other_ways_are_an_error(cv: Any) -> None:
    """`cv` is a number of folds or a splitter; what to do with a fitted model is said."""
    message = (
        r"^cv must be None, a number of folds from 2, a splitter or splits, got .*\. "
        r"A model that is fitted already goes into a FrozenEstimator\.$"
    )
    with pytest.raises(ValueError, match=message):
        fitted(corrected(cv=cv))


def test_nobody_is_held_out_twice() -> None:
    """Overlapping test sets would count people twice."""
    with pytest.raises(
        ValueError, match=r"^cv must hold nobody out twice, got ShuffleSplit\(.*\.$"
    ):
        fitted(corrected(cv=ShuffleSplit(3, test_size=0.5, random_state=0)))


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], r"cv must have at least one split, got none from .*"),
        (
            [(np.arange(240), np.arange(240))],
            r"cv must not hold out .* whom it trains on, got 240 such rows in split 0, .* 0",
        ),
        (
            [(np.arange(100, 240), np.arange(100)), (np.arange(101), np.arange(100, 240))],
            r"cv must not hold out .* trains on, got 1 such rows in split 1, .* them 100",
        ),
    ],
)
def test_splits_keep_people_out(cv: Any, message: str) -> None:
    """Splits that hold nobody out, or people they train on, are refused."""
    with pytest.raises(ValueError, match=rf"^{message}\.$"):
        fitted(corrected(cv=cv))
