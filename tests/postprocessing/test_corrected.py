"""CorrectedClassifier: what it predicts, for whom, and what it counts."""

import copy
import pickle
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.datasets import load_compas
from skfair_ofi.postprocessing import CorrectedClassifier, Corrector, OutcomeLog
from tests.postprocessing.conftest import AIF360, CORRECTORS, DICTIONARIES, Make, mark_seldom

ONE_GROUP = "ignore:No sensitive_features were given:UserWarning"


def make_frame(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Two numbers and a group column of three groups, and labels 0 and 1."""
    rng = np.random.default_rng(seed)
    race = rng.choice(["x", "y", "z"], n, p=[0.5, 0.3, 0.2])
    numbers = rng.normal(size=(n, 2)) + 0.8 * (race == "x")[:, None]
    y = (numbers[:, 0] + rng.normal(size=n) > 0.4).astype(int)
    return pd.DataFrame({"age": numbers[:, 0], "income": numbers[:, 1], "race": race}), y


X, Y = make_frame()
AGES, RACE = X[["age", "income"]], X["race"].to_numpy()
NUMBERS = AGES.to_numpy()


def by_column(corrector: Any = None, **parameters: Any) -> CorrectedClassifier:
    """A classifier that finds its groups in X."""
    given = {"privileged": "x", "drop_sensitive_features": True, "random_state": 0, **parameters}
    return CorrectedClassifier(corrector=corrector, sensitive_features="race", **given)


@pytest.fixture
def model(make: Make) -> CorrectedClassifier:
    """A classifier for each post-processor, not fitted."""
    return by_column(make())


def assert_within_sampling_error(
    model: CorrectedClassifier, X: Any, y: Any, expected: OutcomeCounts, draws: int = 1000
) -> None:
    """Compare the mean of many draws with an expected table.

    Everyone is drawn for alone, so many draws are one of many times the people. A sum of
    p (1 - p) is at most the smaller of the sums of p and of 1 - p.
    """
    rows = np.tile(np.arange(len(X)), draws)
    outcomes = model.predict_outcomes(X.iloc[rows])
    total = OutcomeCounts.from_arrays(
        np.asarray(y)[rows],
        outcomes.y_pred,
        outcomes.y_corrected,
        sensitive_features=outcomes.groups,
        pos_label=model.labels_[1],
    ).reindex(model.groups_)
    cells = expected.cells
    variance = np.minimum(cells, cells[..., ::-1]) / draws
    error = np.abs(total.cells / draws - cells)
    assert (error <= 4.5 * np.sqrt(variance) + 1e-9).all()


class TwoClasses(LogisticRegression):  # type: ignore[misc]
    """scikit-learn's own classifier, for two classes only."""

    def __sklearn_tags__(self) -> Any:
        """Tags that say so."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def failing_anyway() -> dict[str, str]:
    """Checks that are at fault themselves: scikit-learn's own classifier fails them.

    Before 1.8 two checks of sample weights compare models fitted to different labels.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(TwoClasses(), on_skip=None, on_fail=None)
    reason = "fails for scikit-learn's own classifier of two classes, too"
    failed = [result["check_name"] for result in results if result["status"] == "failed"]
    return {name: reason for name in failed if name.startswith("check_sample_weight_equivalence")}


FAILING_ANYWAY = failing_anyway()
# The checks know no groups, without which AIF360's methods all do the same: nothing.
OFTEN = ("threshold",)
SELDOM = ("none", "odds", "indexed-calibrated", "fixed", "tuned", "protocol", "own")


def checks_of(estimators: list[CorrectedClassifier]) -> Any:
    """scikit-learn's checks of estimators, as a mark to parametrize with."""
    mark = parametrize_with_checks(estimators, expected_failed_checks=lambda _: FAILING_ANYWAY).mark
    # Before 1.7 the checks are a generator, which newer releases of pytest warn of.
    return pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs)


@pytest.mark.filterwarnings(ONE_GROUP)
@checks_of([CorrectedClassifier(corrector=CORRECTORS[name]()) for name in OFTEN])
def test_estimator_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    """No check fails but those that scikit-learn's own classifier fails, before 1.8."""
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings(ONE_GROUP)
@checks_of(
    [CorrectedClassifier(corrector=CORRECTORS[name]()) for name in SELDOM]
    + [CorrectedClassifier(cv=2)]
    + [CorrectedClassifier(RidgeClassifier(), ThresholdOptimizer(predict_method="predict"))]
)
def test_all_estimator_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    """No check fails whatever the post-processor is."""
    check(estimator)


class TestLabels:
    """What is predicted."""

    def test_predicted_are_the_estimators_own(self, model: CorrectedClassifier) -> None:
        """`y_pred` is what the base estimator's predict gives."""
        outcomes = model.fit(X, Y).predict_outcomes(X)
        own = model.estimator_.predict(X[["age", "income"]])
        np.testing.assert_array_equal(outcomes.y_pred, own)

    def test_corrected_are_what_predict_gives(self, model: CorrectedClassifier) -> None:
        """`y_corrected` is what `predict` returns with the same seed; groups are as given."""
        outcomes = model.fit(X, Y).predict_outcomes(X)
        np.testing.assert_array_equal(outcomes.y_corrected, model.predict(X))
        assert outcomes.groups.tolist() == RACE.tolist()

    def test_as_fairlearn_by_hand(self) -> None:
        """Labels are those of a ThresholdOptimizer around the same estimator."""
        own = ThresholdOptimizer(
            estimator=LogisticRegression(), constraints="equalized_odds", grid_size=500
        ).fit(NUMBERS, Y, sensitive_features=RACE)
        ours = by_column(ThresholdOptimizer(constraints="equalized_odds", grid_size=500))
        np.testing.assert_array_equal(
            ours.fit(X, Y).predict(X),
            own.predict(NUMBERS, sensitive_features=RACE, random_state=0),
        )

    @pytest.mark.parametrize(
        "labels", [(-1, 1), (False, True), ("no", "yes"), ("yes", "no"), (0.0, 1.0)]
    )
    @pytest.mark.parametrize("name", mark_seldom(CORRECTORS))
    @pytest.mark.slow
    def test_labels_of_any_kind(self, name: str, labels: tuple[Any, Any]) -> None:
        """Renaming the labels renames the outcomes and changes nothing else."""
        given = np.array(labels)[Y]
        corrector = CORRECTORS[name]()
        if name == "fixed":  # as in scikit-learn, its threshold is that of the last class
            corrector.set_params(pos_label=labels[1])
        model = by_column(corrector, pos_label=labels[1]).fit(X, given)
        plain = by_column(CORRECTORS[name]()).fit(X, Y)
        codes = plain.predict_outcomes(X).y_corrected
        corrected = model.predict(X)
        assert corrected.dtype == given.dtype
        assert corrected.tolist() == np.array(labels)[codes].tolist()
        assert model.labels_ == labels
        assert model.classes_.tolist() == sorted(labels)

    @pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC()])
    def test_favorable_label_may_be_the_first(self, estimator: Any) -> None:
        """With 0 favorable everything is the mirror image of 1 favorable (case 6)."""
        optimizer = ThresholdOptimizer(constraints="true_positive_rate_parity")
        model = by_column(optimizer, estimator=estimator, pos_label=0).fit(X, 1 - Y)
        mirror = by_column(optimizer, estimator=estimator).fit(X, Y)
        np.testing.assert_allclose(model.corrected_proba(X), mirror.corrected_proba(X), atol=1e-6)
        assert model.training_counts_.labels == (1, 0)

    def test_favorable_label_has_to_be_named(self) -> None:
        """With labels that are not plain, the error says what to pass (case 6)."""
        message = (
            r"^pos_label must be given for the labels \['n', 'y'\]: pass the label that is the "
            r"favorable outcome, pos_label=.*\.$"
        )
        with pytest.raises(ValueError, match=message):
            by_column(ThresholdOptimizer()).fit(X, np.where(Y, "y", "n"))

    @pytest.mark.filterwarnings(ONE_GROUP)
    def test_without_groups_and_favorable_label_nothing_is_counted(self) -> None:
        """One group needs no favorable label to be fitted, but a table does."""
        model = CorrectedClassifier(corrector=ThresholdOptimizer())
        model.fit(NUMBERS, np.where(Y, "y", "n")).predict(NUMBERS)
        assert not hasattr(model, "outcome_log_")
        for speak in (
            lambda: model.expected_counts(NUMBERS),
            model.report,
            lambda: model.training_report_,
        ):
            with pytest.raises(ValueError, match=r"pos_label=.*\.$"):
                speak()

    def test_third_class_is_an_error(self) -> None:
        """More than two classes are refused."""
        message = r"^Only binary classification is supported. The type of the target is multiclass"
        with pytest.raises(ValueError, match=message + r"\.$"):
            by_column().fit(X, np.arange(len(Y)) % 3)

    def test_frozen_model_of_three_classes_is_an_error(self) -> None:
        """A fitted model may know more classes than y."""
        frozen = FrozenEstimator(KNeighborsClassifier().fit(NUMBERS, np.arange(len(Y)) % 3))
        message = r"^Only binary .* supported. The estimator has classes \[0, 1, 2\]\.$"
        with pytest.raises(ValueError, match=message):
            by_column(estimator=frozen).fit(X, Y)

    def test_unknown_label_in_report_data_is_an_error(self) -> None:
        """A true label that the model does not know is refused, and located."""
        model = by_column().fit(X, Y)
        message = r"^y must hold the labels \[0, 1\], got 2 at row 1\.$"
        with pytest.raises(ValueError, match=message):
            model.expected_counts(X[:2], [0, 2])

    @pytest.mark.parametrize("missing", [None, np.nan])
    def test_missing_labels_are_an_error(self, missing: Any) -> None:
        """A label that is not known cannot be learnt."""
        y = np.array([missing, *np.where(Y, "y", "n")[1:]], dtype=object)
        with pytest.raises(ValueError, match=r"(missing labels, got 1\.|contains NaN\.?)$"):
            by_column(pos_label="y").fit(X, y)

    def test_wrong_favorable_label_is_an_error(self) -> None:
        """A favorable label that no row has is refused."""
        with pytest.raises(ValueError, match=r"must be one of the labels \[0, 1\], got 2\.$"):
            by_column(pos_label=2).fit(X, Y)


class TestGroups:
    """Who is in which group."""

    @pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
    def test_columns_of_any_frame(self, library: Any) -> None:
        """Groups come from a column of pandas, polars and pyarrow frames, which may be dropped."""
        frame = library(X.to_dict("list"))
        estimator = DecisionTreeClassifier(max_depth=2, random_state=0)
        model = by_column(ThresholdOptimizer(), estimator=estimator).fit(frame, Y)
        expected = by_column(ThresholdOptimizer(), estimator=estimator).fit(X, Y).predict(X)
        np.testing.assert_array_equal(model.predict(frame), expected)
        assert model.n_features_in_ == 3
        assert model.estimator_.n_features_in_ == 2

    def test_frames_without_the_column_names_in_order(self) -> None:
        """Names of features are learnt, and compared when predicting."""
        model = by_column().fit(X, Y)
        assert model.feature_names_in_.tolist() == ["age", "income", "race"]
        with pytest.raises(ValueError, match="Feature names must be in the same order"):
            model.predict(X[["race", "age", "income"]])

    @pytest.mark.parametrize(
        "given",
        [RACE, RACE.tolist(), X["race"], X[["race"]], pl.Series(RACE), {"race": RACE}],
        ids=["array", "list", "series", "frame", "polars", "mapping"],
    )
    def test_passed_groups_of_any_kind(self, given: Any) -> None:
        """Groups passed to the methods do what a column does."""
        model = CorrectedClassifier(
            corrector=ThresholdOptimizer(), privileged="x", random_state=0
        ).fit(NUMBERS, Y, sensitive_features=given)
        expected = by_column(ThresholdOptimizer()).fit(X, Y).predict(X)
        np.testing.assert_array_equal(model.predict(NUMBERS, sensitive_features=given), expected)
        assert model.groups_ == ("x", "y", "z")

    def test_passed_groups_go_before_columns(self) -> None:
        """Groups that are passed override the columns that the constructor names."""
        other = np.where(NUMBERS[:, 1] > 0, "p", "q")
        model = by_column(privileged="p").fit(X, Y, sensitive_features=other)
        assert model.groups_ == ("p", "q")
        assert model.predict_outcomes(X, sensitive_features=other).groups.tolist() == other.tolist()

    def test_several_features_give_tuples(self) -> None:
        """Two columns cross to tuples, which no joined text can confuse (case 3)."""
        rng = np.random.default_rng(0)
        frame = X.assign(
            race=rng.choice(["a,b", "a"], len(X)), sex=rng.choice(["c", "b,c"], len(X))
        )
        model = CorrectedClassifier(
            make_pipeline(
                make_column_transformer((StandardScaler(), ["age", "income"])), LogisticRegression()
            ),
            AIF360.EqOddsPostprocessing(**DICTIONARIES),
            sensitive_features=["race", "sex"],
            privileged=[("a", "c"), ("a,b", "c")],
        ).fit(frame, Y)
        assert model.groups_ == (("a", "b,c"), ("a", "c"), ("a,b", "b,c"), ("a,b", "c"))
        assert model.training_counts_.feature_names == ("race", "sex")
        assert model.privileged_ == (("a", "c"), ("a,b", "c"))

    def test_dictionaries_name_the_privileged(self) -> None:
        """Two groups 0 and 1 as in AIF360's own dictionaries need no `privileged`."""
        frame = X.assign(race=(RACE == "x").astype(int))
        model = by_column(CORRECTORS["odds"](), privileged=None).fit(frame, Y)
        assert model.privileged_ == (1,)

    @pytest.mark.parametrize("name", ["odds", "calibrated", "reject"])
    def test_three_groups_need_privileged(self, name: str) -> None:
        """AIF360's methods know two groups: an error says so."""
        with pytest.raises(ValueError, match=r"privileged and everyone else, got None\.$"):
            by_column(CORRECTORS[name](), privileged=None).fit(X, Y)

    def test_privileged_has_to_be_there(self) -> None:
        """A privileged group that nobody is in is an error."""
        with pytest.raises(ValueError, match=r"one of the groups \['x', 'y', 'z'\], got 'w'\.$"):
            by_column(privileged="w").fit(X, Y)

    def test_everyone_is_one_group_without_features(self) -> None:
        """Without sensitive features a post-processor warns, and sees one group."""
        message = r"given, so ThresholdOptimizer sees everyone as one group\.$"
        with pytest.warns(UserWarning, match=message):
            model = CorrectedClassifier(corrector=ThresholdOptimizer()).fit(NUMBERS, Y)
        assert model.groups_ == ("all",)
        assert set(model.predict_outcomes(NUMBERS).groups) == {"all"}

    @pytest.mark.parametrize(
        ("features", "message"),
        [
            ("gender", r"^sensitive_features must be one of 'age', 'income', 'race', got 'gender'"),
            (["race", "rase"], r"^sensitive_features must be .*got 'rase'. Did you mean 'race'\?$"),
        ],
    )
    def test_unknown_columns_are_an_error(self, features: Any, message: str) -> None:
        """A column that X does not have is refused, and a near one is suggested."""
        with pytest.raises(ValueError, match=message):
            CorrectedClassifier(sensitive_features=features).fit(X, Y)

    def test_columns_need_a_frame(self) -> None:
        """An array has no columns by name."""
        message = (
            r"^X must be a data frame with the columns \['race'\] of sensitive_features, "
            r"got ndarray\.$"
        )
        with pytest.raises(ValueError, match=message):
            CorrectedClassifier(sensitive_features="race").fit(NUMBERS, Y)

    def test_dropping_needs_column_names(self) -> None:
        """Nothing can be dropped without a name."""
        message = (
            r"^sensitive_features must name columns of X for drop_sensitive_features, got None"
        )
        with pytest.raises(ValueError, match=message + r"\.$"):
            CorrectedClassifier(drop_sensitive_features=True).fit(X, Y, sensitive_features=RACE)

    def test_groups_of_another_length_are_an_error(self) -> None:
        """There is one group a person."""
        model = CorrectedClassifier().fit(NUMBERS, Y, sensitive_features=RACE)
        message = r"^sensitive_features must have one row for each of X's 400, got 3\.$"
        with pytest.raises(ValueError, match=message):
            model.predict(NUMBERS, sensitive_features=RACE[:3])

    def test_groups_cannot_be_forgotten(self) -> None:
        """A model that knows groups needs them when predicting."""
        model = CorrectedClassifier().fit(NUMBERS, Y, sensitive_features=RACE)
        message = r"^sensitive_features must be given as it was to fit, got None\.$"
        with pytest.raises(ValueError, match=message):
            model.predict(NUMBERS)

    def test_groups_cannot_come_late(self) -> None:
        """A model that was fitted without groups has nothing to do with them."""
        with pytest.warns(UserWarning, match="sees everyone as one group"):
            model = CorrectedClassifier(corrector=ThresholdOptimizer()).fit(NUMBERS, Y)
        message = r"^sensitive_features must be None as in fit, got ndarray\.$"
        with pytest.raises(ValueError, match=message):
            model.predict(NUMBERS, sensitive_features=RACE)

    @pytest.mark.parametrize("name", ["none", "fixed", "tuned"])
    def test_a_rule_without_groups_is_reported_by_them(self, name: str) -> None:
        """Where the rule needs no groups, those given later sort people as given to fit."""
        late = CorrectedClassifier(corrector=CORRECTORS[name]()).fit(NUMBERS, Y)
        early = clone(late).fit(NUMBERS, Y, sensitive_features=RACE)
        given: Any = {"sensitive_features": RACE}
        np.testing.assert_array_equal(late.predict(NUMBERS, **given), late.predict(NUMBERS))
        assert late.outcome_log_.counts.groups == ("all",)
        for ours, theirs in zip(
            late.predict_outcomes(NUMBERS, **given),
            early.predict_outcomes(NUMBERS, **given),
            strict=True,
        ):
            np.testing.assert_array_equal(ours, theirs)
        assert late.expected_counts(NUMBERS, Y, **given) == early.expected_counts(
            NUMBERS, Y, **given
        )
        reports = [one.report(NUMBERS, Y, **given) for one in (late, early)]
        assert reports[0].text() == reports[1].text()
        assert [row.group for row in late.report(NUMBERS, Y).summary.groups] == ["all"]
        holes = pd.Series(RACE, dtype=object).where(np.arange(len(X)) > 2, None)
        np.testing.assert_array_equal(
            late.predict_outcomes(NUMBERS, sensitive_features=holes).groups, holes
        )
        message = (
            r"^sensitive_features must not be missing where fit got none, "
            r"got 3 missing values in 400 rows\.$"
        )
        with pytest.raises(ValueError, match=message):
            late.report(NUMBERS, Y, sensitive_features=holes)

    def test_groups_that_are_passed_take_the_place_of_columns(self) -> None:
        """Where the columns are named, groups that are passed hold for that call."""
        model = CorrectedClassifier(
            sensitive_features="race", drop_sensitive_features=True, random_state=0
        ).fit(X, Y)
        others = np.resize(["x", "y"], len(Y))
        groups = model.predict_outcomes(X, sensitive_features=others).groups
        np.testing.assert_array_equal(groups, others)


class TestUnseenGroups:
    """People whose group fit did not see, or is missing (case 5)."""

    STRANGE = X.assign(race=np.where(np.arange(len(X)) % 40 == 0, "w", RACE))
    MISSING = X.assign(race=pd.Series(RACE, dtype=object).where(np.arange(len(X)) % 50 > 0, None))

    @pytest.mark.parametrize("expected", [False, True])
    def test_a_report_needs_someone_of_a_known_group(self, *, expected: bool) -> None:
        """People of unseen groups alone make no report: the error names their groups."""
        model = by_column(unseen_groups="base").fit(X, Y)
        message = (
            r"^sensitive_features must hold some groups that fit saw \['x', 'y', 'z'\], "
            r"got none in 10 rows, but \['w'\]\.$"
        )
        with pytest.raises(ValueError, match=message):
            model.report(self.STRANGE[::40], Y[::40], expected=expected)

    def test_unseen_groups_are_an_error(self, model: CorrectedClassifier) -> None:
        """The error names the group and says how many people are in it."""
        message = (
            r"^sensitive_features must hold groups that fit saw \['x', 'y', 'z'\], got the unseen "
            r"groups \['w'\] in 10 of 400 rows. "
            r'unseen_groups="base" keeps the prediction of such people\.$'
        )
        with pytest.raises(ValueError, match=message):
            model.fit(X, Y).predict(self.STRANGE)

    def test_missing_groups_are_an_error(self, model: CorrectedClassifier) -> None:
        """A missing group is an error when predicting, and when fitting."""
        message = r"got 8 missing values in 8 of 400 rows. .* of such people\.$"
        with pytest.raises(ValueError, match=message):
            model.fit(X, Y).predict(self.MISSING)
        with pytest.raises(ValueError, match=message):
            model.fit(self.MISSING, Y)

    @pytest.mark.parametrize("frame", [STRANGE, MISSING], ids=["unseen", "missing"])
    def test_they_keep_their_prediction(
        self, model: CorrectedClassifier, frame: pd.DataFrame
    ) -> None:
        """With "base" they keep the prediction and are counted; nobody else differs."""
        model.set_params(unseen_groups="base").fit(X, Y)
        outcomes = model.predict_outcomes(frame)
        strange = frame["race"].isna() | (frame["race"] == "w")
        np.testing.assert_array_equal(outcomes.y_corrected[strange], outcomes.y_pred[strange])
        np.testing.assert_array_equal(
            model.corrected_proba(frame)[strange], outcomes.y_pred[strange]
        )
        model.predict(frame)
        assert model.outcome_log_.unseen == strange.sum()
        assert model.outcome_log_.counts.n == len(frame) - strange.sum()
        np.testing.assert_array_equal(
            model.corrected_proba(frame)[~strange],
            model.corrected_proba(frame[~strange.to_numpy()]),
        )

    def test_nobody_known(self, model: CorrectedClassifier) -> None:
        """A batch of unseen groups is only predicted."""
        model.set_params(unseen_groups="base").fit(X, Y)
        outcomes = model.predict_outcomes(X.assign(race="w"))
        np.testing.assert_array_equal(outcomes.y_corrected, outcomes.y_pred)

    def test_missing_groups_take_no_part_in_fitting(self, model: CorrectedClassifier) -> None:
        """With "base" the post-processor is fitted on everyone else."""
        known = self.MISSING["race"].notna().to_numpy()
        model.set_params(
            unseen_groups="base", estimator=FrozenEstimator(LogisticRegression().fit(AGES, Y))
        )
        others = clone(model).fit(X[known], Y[known])
        model.fit(self.MISSING, Y)
        np.testing.assert_array_equal(model.corrected_proba(X), others.corrected_proba(X))
        assert model.training_counts_ == others.training_counts_

    @pytest.mark.parametrize("policy", ["error", "base"])
    @pytest.mark.parametrize(
        ("fitted", "given", "message"),
        [
            (1, "1", r"such as 1 \(int\), got '1' \(str\)\.$"),
            ("1", 1, r"such as '1' \(str\), got 1 \(int\)\.$"),
            (1, "1.0", r"such as 1 \(int\), got '1\.0' \(str\)\.$"),
            ("1.0", 1, r"such as '1\.0' \(str\), got 1 \(int\)\.$"),
        ],
    )
    def test_another_type_is_an_error(
        self, policy: Any, fitted: Any, given: Any, message: str
    ) -> None:
        """1 is not "1", under either policy: everyone would be in an unseen group."""
        other = 2 if isinstance(fitted, int) else "2.0"
        groups = np.where(RACE == "x", fitted, other)
        model = CorrectedClassifier(unseen_groups=policy).fit(NUMBERS, Y, sensitive_features=groups)
        with pytest.raises(ValueError, match=message):
            model.predict(NUMBERS[:1], sensitive_features=[given])

    def test_another_type_in_a_tuple_is_an_error(self) -> None:
        """So it is where several features are crossed."""
        frame = pd.DataFrame({"race": RACE, "code": 1})
        model = CorrectedClassifier().fit(NUMBERS, Y, sensitive_features=frame)
        message = r"such as \('.', 1\) \(\(str, int\)\), got \('.', '1'\) \(\(str, str\)\)\.$"
        with pytest.raises(ValueError, match=message):
            model.predict(NUMBERS, sensitive_features=frame.assign(code="1"))

    def test_whole_floats_are_integers(self) -> None:
        """A missing value makes floats of integers: those are the same groups."""
        groups = (RACE == "x").astype(int)
        model = CorrectedClassifier(unseen_groups="base").fit(NUMBERS, Y, sensitive_features=groups)
        given = pd.Series(groups, dtype=float).where(np.arange(len(X)) > 0)
        model.predict(NUMBERS, sensitive_features=given)
        assert model.outcome_log_.unseen == 1

    def test_policy_is_one_of_two(self) -> None:
        """Any other policy is refused."""
        message = r"^unseen_groups must be one of 'error', 'base', got 'ignore'\.$"
        with pytest.raises(ValueError, match=message):
            by_column(unseen_groups="ignore").fit(X, Y)
        model = by_column().fit(X, Y).set_params(unseen_groups="ignore")
        with pytest.raises(ValueError, match=message):
            model.predict(X)

    def test_like_texts_are_other_groups(self) -> None:
        """Two texts are two groups, even where they could be one number."""
        groups = np.where(RACE == "x", "1.0", "2.0")
        model = CorrectedClassifier(unseen_groups="base").fit(NUMBERS, Y, sensitive_features=groups)
        model.predict(NUMBERS[:1], sensitive_features=["1"])
        assert model.outcome_log_.unseen == 1

    def test_other_features_are_an_error(self) -> None:
        """Groups under another name are not those of `fit`; without a name they may be."""
        model = CorrectedClassifier().fit(NUMBERS, Y, sensitive_features=X["race"])
        message = r"^sensitive_features must be those of fit, \['race'\], got \['sex'\]\.$"
        with pytest.raises(ValueError, match=message):
            model.predict(NUMBERS, sensitive_features=X["race"].rename("sex"))
        assert len(model.predict(NUMBERS, sensitive_features=RACE)) == len(X)

    def test_nobody_of_a_known_group(self) -> None:
        """Groups that are all missing are none to be fitted on."""
        nobody = np.full(len(X), None)
        message = (
            r"^sensitive_features must hold a known group of a positive weight, got none in 400 "
            r"rows\.$"
        )
        with pytest.raises(ValueError, match=message):
            CorrectedClassifier(unseen_groups="base").fit(NUMBERS, Y, sensitive_features=nobody)


class TestCounts:
    """What is counted."""

    def test_training_counts(self, model: CorrectedClassifier) -> None:
        """`fit` counts the training outcomes."""
        outcomes = model.fit(X, Y).predict_outcomes(X)
        expected = OutcomeCounts.from_arrays(
            Y, outcomes.y_pred, outcomes.y_corrected, sensitive_features=X[["race"]]
        )
        assert model.training_counts_ == expected
        assert model.training_counts_.feature_names == ("race",)

    def test_weighted_training_counts(self) -> None:
        """Weights mean repeated rows in the counts, too."""
        weight = np.random.default_rng(0).uniform(size=len(Y))
        model = by_column().fit(X, Y, sample_weight=weight)
        outcomes = model.predict_outcomes(X)
        expected = OutcomeCounts.from_arrays(
            Y, outcomes.y_pred, outcomes.y_corrected, sensitive_features=RACE, sample_weight=weight
        )
        np.testing.assert_allclose(model.training_counts_.cells, expected.cells)
        assert expected.weight_squares is not None
        np.testing.assert_allclose(model.training_counts_.weight_squares, expected.weight_squares)

    def test_log_adds_up(self, model: CorrectedClassifier) -> None:
        """Every `predict` adds its people, and nothing else does."""
        model.fit(X, Y)
        outcomes = model.predict_outcomes(X)
        model.score(X, Y)
        model.expected_counts(X, Y)
        assert model.outcome_log_.counts.n == 0
        model.predict(X)
        once = model.outcome_log_.counts
        assert once == OutcomeCounts.from_arrays(
            y_pred=outcomes.y_pred, y_corrected=outcomes.y_corrected, sensitive_features=RACE
        )
        model.predict(X)
        assert model.outcome_log_.counts == once + once
        model.outcome_log_.clear()
        assert model.outcome_log_.counts.n == 0

    def test_without_record(self) -> None:
        """`record=False` counts nothing, also where an earlier fit did."""
        model = by_column().fit(X, Y)
        model.set_params(record=False).fit(X, Y).predict(X)
        assert not hasattr(model, "outcome_log_")
        assert not hasattr(model, "training_counts_")

    def test_predict_changes_nothing_but_the_log(self, model: CorrectedClassifier) -> None:
        """No attribute is another object after predicting."""
        model.fit(X, Y)
        before = dict(vars(model))
        model.predict(X)
        model.corrected_proba(X)
        assert all(vars(model)[name] is value for name, value in before.items())
        assert vars(model).keys() == before.keys()

    def test_threads_may_share_a_model(self) -> None:
        """Counts are complete where several threads predict at once."""
        model = by_column(ThresholdOptimizer()).fit(X, Y)
        part = X[:25]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: model.predict(part), range(80)))
        assert model.outcome_log_.counts.n == 80 * 25

    @pytest.mark.parametrize(
        "copied",
        [copy.deepcopy, lambda log: pickle.loads(pickle.dumps(log))],  # noqa: S301
    )
    def test_log_can_be_copied(self, copied: Callable[[OutcomeLog], OutcomeLog]) -> None:
        """Copies and pickles keep the counts, and count on alone."""
        model = by_column().fit(X, Y)
        model.predict(X)
        log = copied(model.outcome_log_)
        log.add(log.counts, unseen=2)
        assert repr(log) == "OutcomeLog(n=800, unseen=2)"
        assert repr(model.outcome_log_) == "OutcomeLog(n=400, unseen=0)"

    def test_expected_counts_are_the_mean_of_draws(self, model: CorrectedClassifier) -> None:
        """The expected table is what 1,000 draws give on average, within sampling error."""
        expected = model.fit(X, Y).expected_counts(X[:150], Y[:150])
        assert_within_sampling_error(model, X[:150], Y[:150], expected)
        assert expected.n == pytest.approx(150)

    def test_expected_counts_are_exact_probabilities(self, model: CorrectedClassifier) -> None:
        """Cells are sums of probabilities over people, weighted where weights are given."""
        weight = np.random.default_rng(0).uniform(size=len(Y))
        model.fit(X, Y)
        favorable = model.corrected_proba(X)
        table = model.expected_counts(X, sample_weight=weight)
        assert table.roles == ("y_pred", "y_corrected")
        for i, group in enumerate(table.groups):
            total = (weight * favorable)[group == RACE].sum()
            assert table.over("y_corrected").cells[i, 0, 0, 1] == pytest.approx(total)
            assert table.group_sizes[i] == pytest.approx(weight[group == RACE].sum())

    def test_lengths_have_to_agree(self) -> None:
        """True labels and weights are one a person."""
        model = by_column().fit(X, Y)
        message = r"^Arrays must have the same number of rows, got X 400, y 2\.$"
        with pytest.raises(ValueError, match=message):
            model.expected_counts(X, Y[:2])

    def test_score_is_the_accuracy_of_corrected_labels(self, model: CorrectedClassifier) -> None:
        """`score` compares what `predict` gives with the truth."""
        model.fit(X, Y)
        assert model.score(X, Y) == pytest.approx((model.predict(X) == Y).mean())
        weight = np.arange(len(Y))
        expected = np.average(model.predict(X) == Y, weights=weight)
        assert model.score(X, Y, weight) == pytest.approx(expected)


class TestWeights:
    """Who gets the sample weights."""

    def test_estimator_gets_them(self) -> None:
        """An estimator that takes weights is fitted with them."""
        weight = np.where(Y, 5.0, 1.0)
        model = by_column().fit(X, Y, sample_weight=weight)
        own = LogisticRegression().fit(X[["age", "income"]], Y, sample_weight=weight)
        np.testing.assert_array_equal(model.estimator_.coef_, own.coef_)

    def test_estimator_without_weights_is_a_warning(self) -> None:
        """An estimator that takes none is named."""
        message = r"^KNeighborsClassifier does not take sample weights: .* metadata routing\.$"
        with pytest.warns(UserWarning, match=message):
            by_column(estimator=KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(len(Y)))

    def test_frozen_estimator_is_no_warning(self) -> None:
        """A fitted model is not fitted again, so weights are the post-processor's alone."""
        frozen = FrozenEstimator(KNeighborsClassifier().fit(AGES, Y))
        model = by_column(CORRECTORS["odds"](), estimator=frozen)
        weight = np.random.default_rng(0).uniform(0.5, 1.5, len(Y))
        assert model.fit(X, Y, sample_weight=weight).estimator_ is frozen

    def test_post_processor_gets_them(self) -> None:
        """A weight of 2 is as two rows for the post-processor (case 9)."""
        times = np.random.default_rng(1).integers(0, 3, len(Y))
        frozen = FrozenEstimator(LogisticRegression().fit(AGES, Y))
        model = by_column(ThresholdOptimizer(), estimator=frozen)
        weighted = clone(model).fit(X, Y, sample_weight=times)
        repeated = model.fit(X.loc[np.repeat(X.index, times)], np.repeat(Y, times))
        np.testing.assert_array_equal(weighted.corrected_proba(X), repeated.corrected_proba(X))
        np.testing.assert_array_equal(
            weighted.training_counts_.over("y_true", "y_pred").cells,
            repeated.training_counts_.over("y_true", "y_pred").cells,
        )

    def test_group_of_weight_0_is_not_there(self) -> None:
        """People of weight 0 are as if they had not come."""
        model = by_column().fit(X, Y, sample_weight=(RACE != "z").astype(float))
        assert model.groups_ == ("x", "y")

    def test_negative_weights_are_an_error(self) -> None:
        """Nobody counts less than nothing."""
        with pytest.raises(ValueError, match=r"^sample_weight must not be negative, got -1.0\.$"):
            by_column().fit(X, Y, sample_weight=-np.ones(len(Y)))


class TestEstimator:
    """Which estimator is corrected."""

    def test_own_estimator_of_the_post_processor(self) -> None:
        """A ThresholdOptimizer with an estimator of its own brings it along."""
        model = by_column(ThresholdOptimizer(estimator=DecisionTreeClassifier())).fit(X, Y)
        assert isinstance(model.estimator_, DecisionTreeClassifier)

    def test_own_fitted_estimator_of_the_post_processor(self) -> None:
        """With `prefit` it is kept as it is."""
        fitted = LogisticRegression(C=0.1).fit(AGES, Y)
        model = by_column(ThresholdOptimizer(estimator=fitted, prefit=True)).fit(X, Y)
        assert model.estimator_.estimator is fitted

    def test_two_estimators_are_an_error(self) -> None:
        """One of them would be left out in silence."""
        model = by_column(
            ThresholdOptimizer(estimator=DecisionTreeClassifier()), estimator=LogisticRegression()
        )
        message = r"an estimator of its own, got LogisticRegression\(\) and DecisionTree.*\(\)\.$"
        with pytest.raises(ValueError, match=message):
            model.fit(X, Y)

    def test_estimator_that_does_not_know_the_favorable_label(self) -> None:
        """A post-processor needs the score of the favorable label."""
        frozen = FrozenEstimator(DummyClassifier().fit(NUMBERS, np.zeros(len(Y), dtype=int)))
        message = r"^estimator must know the favorable label 1, got classes \[.*0.*\]\.$"
        with pytest.raises(ValueError, match=message):
            by_column(ThresholdOptimizer(), estimator=frozen).fit(X, Y)

    def test_clone_keeps_parameters(self, model: CorrectedClassifier) -> None:
        """A clone is unfitted, has the same parameters, and fits alike."""
        model.fit(X, Y)
        again = clone(model)
        assert not hasattr(again, "estimator_")
        np.testing.assert_array_equal(again.fit(X, Y).predict(X), model.predict(X))

    def test_pickle_keeps_everything(self, model: CorrectedClassifier) -> None:
        """A pickle predicts alike, and has the log."""
        model.fit(X, Y).predict(X)
        again = pickle.loads(pickle.dumps(model))  # noqa: S301
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.outcome_log_.counts == model.outcome_log_.counts

    def test_nested_parameters(self) -> None:
        """Parameters of the estimator and of fairlearn's post-processor are reached."""
        model = by_column(ThresholdOptimizer(), estimator=LogisticRegression())
        model.set_params(estimator__C=0.5, corrector__constraints="equalized_odds")
        assert model.get_params()["estimator__C"] == 0.5
        assert model.corrector.constraints == "equalized_odds"

    def test_given_objects_are_unchanged(self, model: CorrectedClassifier) -> None:
        """Neither data nor parameters are changed by fitting and predicting."""
        frame, y = X.copy(), Y.copy()
        before = pickle.dumps(model.get_params(deep=False))
        model.fit(frame, y).predict(frame)
        assert pickle.dumps(model.get_params(deep=False)) == before
        pd.testing.assert_frame_equal(frame, X)
        np.testing.assert_array_equal(y, Y)

    def test_global_random_state_is_untouched(self, model: CorrectedClassifier) -> None:
        """The caller's stream is what it was (case 14)."""
        model.set_params(random_state=None)
        before = pickle.dumps(np.random.get_state())  # noqa: NPY002
        model.fit(X, Y).predict(X)
        model.expected_counts(X, Y)
        assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002

    @pytest.mark.slow
    def test_inside_a_grid_search(self) -> None:
        """Estimator and constraint are searched together, groups a column of X."""
        model = by_column(ThresholdOptimizer(), estimator=LogisticRegression())
        grid = {
            "estimator__C": [0.1, 1.0],
            "corrector__constraints": ["demographic_parity", "equalized_odds"],
        }
        search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, Y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        assert search.best_estimator_.outcome_log_.counts.n == 0

    def test_tags_follow_the_parts(self) -> None:
        """Binary only; random where the rule is; sparse where the estimator is."""
        tags = by_column(ThresholdOptimizer()).__sklearn_tags__()
        assert tags.estimator_type == "classifier"
        assert tags.classifier_tags.multi_class is False
        assert tags.non_deterministic
        assert tags.input_tags == get_tags(LogisticRegression()).input_tags
        pairwise = KNeighborsClassifier(metric="precomputed")
        assert CorrectedClassifier(pairwise).__sklearn_tags__().input_tags.pairwise
        assert not by_column(CORRECTORS["reject"]()).__sklearn_tags__().non_deterministic


class TestReport:
    """What is reported."""

    def test_right_after_fit(self, model: CorrectedClassifier) -> None:
        """`training_report_` is on the training people, says so, and counts the flips there are."""
        outcomes = model.fit(X, Y).predict_outcomes(X)
        summary = model.training_report_.summary
        assert summary.in_sample
        assert summary.source == "the people in fit"
        assert summary.privileged == ("x",)
        assert summary.overall.flips == (outcomes.y_pred != outcomes.y_corrected).sum()
        for row in summary.groups:
            changed = outcomes.y_pred != outcomes.y_corrected
            assert row.flips == (changed & (row.group == outcomes.groups)).sum()

    def test_of_what_predict_did(self, model: CorrectedClassifier) -> None:
        """`report()` reads the log."""
        model.fit(X, Y).predict(X[:100])
        report = model.report()
        assert report.counts == model.outcome_log_.counts
        assert report.summary.source == "everyone in predict since fit"
        assert not report.summary.in_sample

    def test_of_other_people(self, model: CorrectedClassifier) -> None:
        """`report(X, y)` counts what `predict` would give them, and logs nobody."""
        model.fit(X[:200], Y[:200])
        outcomes = model.predict_outcomes(X[200:])
        report = model.report(X[200:], Y[200:], source="held out")
        assert report.counts == OutcomeCounts.from_arrays(
            Y[200:], *outcomes[:2], sensitive_features=outcomes.groups
        )
        assert report.summary.source == "held out"
        assert model.outcome_log_.counts.n == 0

    def test_level_and_uncertainty(self, model: CorrectedClassifier) -> None:
        """Both kinds of report take the level of intervals, and may call verdicts uncertain."""
        model.fit(X, Y).predict(X[:100])
        for people in ((), (X, Y)):
            summary = model.report(*people, level=0.8, uncertain=True).summary
            assert (summary.level, summary.uncertain) == (0.8, True)
            assert model.report(*people, level=None).summary.level is None
        assert (model.training_report_.summary.level, model.training_report_.summary.uncertain) == (
            0.95,
            False,
        )

    def test_without_true_labels(self) -> None:
        """The report works without y, and leaves out what needs it."""
        model = by_column(ThresholdOptimizer()).fit(X, Y)
        assert model.report(X).counts.roles == ("y_pred", "y_corrected")

    def test_expected(self) -> None:
        """The expected report does not depend on the seed."""
        model = by_column(ThresholdOptimizer(constraints="equalized_odds")).fit(X, Y)
        first = model.report(X, Y, expected=True)
        again = model.set_params(random_state=5).report(X, Y, expected=True)
        assert first.counts == again.counts == model.expected_counts(X, Y)
        assert first.summary.counting == "expected people"

    def test_random_draws_are_noted(self) -> None:
        """A report on one draw says that there are others; an expected one does not."""
        model = by_column(ThresholdOptimizer()).fit(X, Y)
        message = "ThresholdOptimizer draws at random whom it flips: other draws flip other people."
        assert any(note.startswith(message) for note in model.training_report_.summary.notes)
        expected = model.report(X, Y, expected=True).summary.notes
        assert not any(note.startswith(message) for note in expected)

    def test_unseen_groups_are_noted(self) -> None:
        """People of unknown groups are not in the table, and the report says how many."""
        model = by_column(ThresholdOptimizer(), unseen_groups="base").fit(X, Y)
        model.predict(TestUnseenGroups.STRANGE)
        for report in (model.report(), model.report(TestUnseenGroups.STRANGE, Y)):
            assert report.summary.overall.n == 390
            assert report.summary.notes[-1].startswith("10 people of groups that fit did not see")

    def test_without_record_there_is_none(self) -> None:
        """`training_report_` needs the counts of `fit`."""
        model = by_column(record=False).fit(X, Y)
        message = r"^training_report_ needs record=True in fit, got record=False\.$"
        with pytest.raises(AttributeError, match=message):
            _ = model.training_report_

    @pytest.mark.parametrize("record", [True, False])
    def test_nobody_to_report_on(self, record: bool) -> None:
        """Without data and without a log there is nothing to say."""
        model = by_column(record=record).fit(X, Y)
        message = r"^X must be given where predict has recorded nobody since fit, got None\.$"
        with pytest.raises(ValueError, match=message):
            model.report()

    def test_true_labels_without_people_are_an_error(self) -> None:
        """The log knows no rows that y could belong to."""
        model = by_column().fit(X, Y)
        model.predict(X)
        message = r"^X must be given with y, sensitive_features and sample_weight, got None\.$"
        with pytest.raises(ValueError, match=message):
            model.report(y=Y)

    def test_survives_pickling_without_data(self) -> None:
        """A pickle has the report, and no row of the training data."""
        model = pickle.loads(pickle.dumps(by_column().fit(X, Y)))  # noqa: S301
        assert model.training_report_.summary.overall.n == len(Y)


class TestNothingToRepair:
    """Rates that agree already (case 10)."""

    def test_equal_odds_may_relabel_everyone(self) -> None:
        """AIF360 takes the favorable label from everyone: nothing hides it."""

        class Favorable(ClassifierMixin, BaseEstimator):
            """Predicts 1 for everyone."""

            def fit(self, X: Any, y: Any) -> "Favorable":
                """Learn the classes."""
                self.classes_ = np.unique(y)
                return self

            def predict(self, X: Any) -> np.ndarray:
                """Return ones."""
                return np.ones(len(X), dtype=int)

        y = np.array([1, 0, 1, 0] * 2)
        frame = pd.DataFrame({"number": range(8), "g": list("aaaabbbb")})
        model = CorrectedClassifier(
            Favorable(), CORRECTORS["odds"](), sensitive_features="g", privileged="a"
        ).fit(frame, y)
        outcomes = model.predict_outcomes(frame)
        assert outcomes.y_pred.tolist() == [1] * 8
        assert outcomes.y_corrected.tolist() == [0] * 8
        summary = model.training_report_.summary
        assert (summary.overall.lost, summary.overall.gained) == (8, 0)
        assert summary.decision.rule == "unnecessary"
        before = {row.name: (row.before.value, row.after.value) for row in summary.fairness}
        assert before["equalized_odds_difference"] == (0.0, 0.0)


class TestCompas:
    """The public data, with the groups as the data has them."""

    @pytest.mark.parametrize("name", ["threshold-odds", "odds", "calibrated"])
    @pytest.mark.slow
    def test_flips_of_a_real_model(self, name: str) -> None:
        """Expected counts lie within sampling error of 1,000 draws."""
        bunch = load_compas()
        data, y = bunch.data, bunch.target
        columns = ["sex", "age_cat", "c_charge_degree"]
        encoder = make_column_transformer(
            (OneHotEncoder(), columns), ("passthrough", ["priors_count"])
        )
        model = CorrectedClassifier(
            make_pipeline(encoder, StandardScaler(), LogisticRegression()),
            CORRECTORS[name](),
            sensitive_features="race",
            privileged="Caucasian",
            pos_label=0,
            random_state=0,
        ).fit(data, y)
        outcomes = model.predict_outcomes(data)
        table = OutcomeCounts.from_arrays(
            y, outcomes.y_pred, outcomes.y_corrected, sensitive_features=data["race"], pos_label=0
        )
        assert model.training_counts_ == table
        assert model.expected_counts(data, y).n == pytest.approx(7214)
        some, truth = data[:300], y[:300]
        assert_within_sampling_error(model, some, truth, model.expected_counts(some, truth))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.array([1, -1, 1, 1]), r"^Odd must give labels 0 and 1, got .*-1.*\.$"),
        (np.array([1, np.nan, 1, 1]), r"^Odd must give labels 0 and 1, got .*nan.*\.$"),
        (np.array([1]), r"^Odd must give one value for each of 4 people, got shape \(1,\)\.$"),
        (1, r"^Odd must give one value for each of 4 people, got shape \(\)\.$"),
    ],
)
def test_a_rule_that_gives_no_labels(given: Any, message: str) -> None:
    """What a rule of one's own gives is refused where it is not one label a person."""

    class Odd(Corrector):
        def fit(self, y_true: Any, response: Any, groups: Any, sample_weight: Any = None) -> "Odd":
            return self

        def correct(self, response: Any, groups: Any, random_state: Any = None) -> Any:
            return given

    model = CorrectedClassifier(corrector=Odd(), record=False)
    X, y = np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([0, 1, 0, 1])
    model.fit(X, y, sensitive_features=list("aabb"))
    with pytest.raises(ValueError, match=message):
        model.predict(X, sensitive_features=list("aabb"))
