"""What every adapter promises, and that it does what its library does.

To cover a new adapter, add one row to ROWS.
"""

import itertools
import logging
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV

from skfair_ofi.metrics import make_group_scorer
from skfair_ofi.postprocessing import (
    CorrectedClassifier,
    Corrector,
    FlipOptimizer,
    Groups,
    GroupThresholds,
    Response,
    import_aif360,
    make_corrector,
)
from skfair_ofi.postprocessing._corrector import count_repetitions
from skfair_ofi.postprocessing.adapters._fairlearn import estimate_favorable
from tests.postprocessing.conftest import (
    AIF360,
    AIF360_SKLEARN,
    DICTIONARIES,
    Lottery,
    Quota,
    Upwards,
    mark_seldom,
)

# AIF360 on scikit-learn 1.6, whose later patches made another category of it.
OLD_TAGS = "ignore:[^.]*_more_tags"


@dataclass(frozen=True)
class People:
    """Features, groups and true labels, and what a logistic regression says of them."""

    X: np.ndarray
    y: np.ndarray
    group: np.ndarray
    model: LogisticRegression
    keys: tuple[Hashable, ...] = ("a", "b", "c")

    @property
    def score(self) -> np.ndarray:
        """Probability of the favorable label."""
        return np.asarray(self.model.predict_proba(self.X)[:, 1])

    @property
    def response(self) -> Response:
        """What the base estimator says."""
        methods = {
            "predict_proba": lambda: self.score,
            "decision_function": lambda: self.model.decision_function(self.X),
        }
        return Response(self.model.predict(self.X), methods)

    @property
    def groups(self) -> Groups:
        """The groups as codes; "a" is privileged."""
        codes = np.searchsorted(np.array(self.keys), self.group)
        return Groups(codes, self.keys, ("a",), ("race",))

    def repeated(self, times: np.ndarray) -> "People":
        """Everyone as often as they weigh."""
        return People(
            np.repeat(self.X, times, axis=0),
            np.repeat(self.y, times),
            np.repeat(self.group, times),
            self.model,
            self.keys,
        )


def make_people(n: int = 600, seed: int = 0) -> People:
    """People of three groups; the model favors group "a"."""
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b", "c"], n, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(n, 3)) + 0.8 * (group == "a")[:, None]
    y = (X[:, 0] + rng.normal(size=n) > 0.4).astype(np.intp)
    return People(X, y, group, LogisticRegression().fit(X, y))


def aif360_datasets(people: People) -> tuple[Any, Any]:
    """The people as AIF360's users make them: true labels, and predictions with scores."""
    data = import_aif360("aif360.datasets")
    race = (people.group == "a").astype(float)
    frame = pd.DataFrame({"race": race, "y": people.y.astype(float)})
    true = data.BinaryLabelDataset(df=frame, label_names=["y"], protected_attribute_names=["race"])
    predicted = true.copy(deepcopy=True)
    predicted.labels = people.model.predict(people.X).astype(float).reshape(-1, 1)
    predicted.scores = people.score.reshape(-1, 1)
    return true, predicted


def aif360_labels(wrapped: Any, people: People, seed: int | None) -> np.ndarray:
    """What AIF360 itself makes of the people."""
    true, predicted = aif360_datasets(people)
    fitted = wrapped.fit(true, predicted)
    fitted.seed = seed
    return np.asarray(fitted.predict(predicted).labels.ravel())


def fairlearn_labels(wrapped: ThresholdOptimizer, people: People, seed: int | None) -> np.ndarray:
    """What fairlearn itself makes of the people."""
    wrapped.set_params(estimator=people.model, prefit=True)
    wrapped.fit(people.X, people.y, sensitive_features=people.group)
    labels = wrapped.predict(people.X, sensitive_features=people.group, random_state=seed)
    return np.asarray(labels)


def indexed_labels(wrapped: Any, people: People, seed: int | None) -> np.ndarray:
    """What `aif360.sklearn` itself makes of the people, whose groups are an index."""
    side = pd.Index((people.group == "a").astype(int), name="race")
    scores = pd.DataFrame(people.model.predict_proba(people.X), index=side)
    fitted = wrapped.fit(scores, pd.Series(people.y, index=side))
    if hasattr(fitted, "random_state"):
        fitted.random_state = seed
    try:
        return np.asarray(fitted.predict(scores))
    except AttributeError as error:
        pytest.skip(f"AIF360 cannot predict on this scikit-learn: {error}")


def sklearn_labels(wrapped: Any, people: People, _: int | None) -> np.ndarray:
    """What scikit-learn itself makes of the people."""
    wrapped.set_params(estimator=FrozenEstimator(people.model))
    return np.asarray(wrapped.fit(people.X, people.y).predict(people.X))


@dataclass(frozen=True)
class Row:
    """One post-processor: how it is made, and what it is known to do."""

    make: Callable[[], Any]
    randomized: bool
    weights: Literal["any", "whole"]
    # The wrapped library's labels, where the same seed gives the same ones.
    own: Callable[[Any, People, int | None], np.ndarray] | None = None


def optimizer(**parameters: Any) -> Row:
    """A row for fairlearn's ThresholdOptimizer."""
    return Row(lambda: ThresholdOptimizer(**parameters), True, "whole", fairlearn_labels)


def aif360(name: str, *, randomized: bool, same: bool = True, **parameters: Any) -> Row:
    """A row for a post-processor of AIF360."""
    make = getattr(AIF360, name)
    own = aif360_labels if same else None
    return Row(lambda: make(**DICTIONARIES, **parameters), randomized, "any", own)


def indexed(name: str, *, randomized: bool, **parameters: Any) -> Row:
    """A row for a post-processor of `aif360.sklearn`."""
    make = getattr(AIF360_SKLEARN, name)
    return Row(lambda: make(**parameters), randomized, "any", indexed_labels)


REJECT = {"num_class_thresh": 20, "num_ROC_margin": 10}
ROWS = {
    "none": Row(lambda: None, False, "any"),
    "threshold": optimizer(),
    "threshold-odds": optimizer(constraints="equalized_odds", grid_size=200),
    "threshold-decision": optimizer(
        constraints="true_positive_rate_parity", predict_method="decision_function", tol=0.1
    ),
    "threshold-predict": optimizer(
        constraints="false_positive_rate_parity",
        objective="balanced_accuracy_score",
        predict_method="predict",
        flip=True,
    ),
    "odds": aif360("EqOddsPostprocessing", randomized=True, same=False),
    "calibrated": aif360("CalibratedEqOddsPostprocessing", randomized=True),
    "calibrated-fnr": aif360(
        "CalibratedEqOddsPostprocessing", randomized=True, cost_constraint="fnr"
    ),
    "calibrated-fpr": aif360(
        "CalibratedEqOddsPostprocessing", randomized=True, cost_constraint="fpr"
    ),
    "reject": aif360("RejectOptionClassification", randomized=False, **REJECT),
    "reject-odds": aif360(
        "RejectOptionClassification",
        randomized=False,
        metric_name="Average odds difference",
        **REJECT,
    ),
    "reject-opportunity": aif360(
        "RejectOptionClassification",
        randomized=False,
        metric_name="Equal opportunity difference",
        low_class_thresh=0.2,
        high_class_thresh=0.8,
        metric_lb=-0.02,
        metric_ub=0.02,
        **REJECT,
    ),
    "indexed-calibrated": indexed("CalibratedEqualizedOdds", randomized=True),
    "indexed-calibrated-fpr": indexed(
        "CalibratedEqualizedOdds", randomized=True, cost_constraint="fpr"
    ),
    "indexed-reject": indexed("RejectOptionClassifier", randomized=False),
    "fixed": Row(
        lambda: FixedThresholdClassifier(None, threshold=0.35), False, "any", sklearn_labels
    ),
    "fixed-decision": Row(
        lambda: FixedThresholdClassifier(
            None, threshold=0.2, response_method="decision_function", pos_label=0
        ),
        False,
        "any",
        sklearn_labels,
    ),
    "tuned": Row(
        lambda: TunedThresholdClassifierCV(None, cv="prefit", refit=False, scoring="f1"),
        False,
        "whole",
        sklearn_labels,
    ),
    "quota": Row(lambda: Quota(0.4), False, "whole"),
    "lottery": Row(Lottery, True, "any"),
    "own": Row(lambda: Upwards(0.3), False, "any"),
    "flips": Row(lambda: FlipOptimizer("equalized_odds", tolerance=0.01), True, "any"),
    "flips-single": Row(lambda: FlipOptimizer(single_threshold=True), False, "any"),
    "by-hand": Row(lambda: GroupThresholds({"a": 0.6, "c": 0.4}), False, "any"),
}
PEOPLE = make_people()


@pytest.fixture(params=mark_seldom(ROWS))
def row(request: pytest.FixtureRequest) -> Row:
    """Each post-processor."""
    return ROWS[request.param]


@pytest.fixture
def fitted(row: Row) -> Corrector:
    """Each adapter, fitted."""
    return make_corrector(row.make()).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)


def test_labels_are_codes(fitted: Corrector) -> None:
    """Corrected labels are 0 and 1, one a person."""
    labels = fitted.correct(PEOPLE.response, PEOPLE.groups, 0)
    assert labels.shape == PEOPLE.y.shape
    assert labels.dtype == np.int8
    assert set(labels.tolist()) <= {0, 1}


def test_probabilities_lie_between_0_and_1(fitted: Corrector) -> None:
    """Probabilities of the favorable label are floats in [0, 1], one a person."""
    favorable = fitted.correct_proba(PEOPLE.response, PEOPLE.groups)
    assert favorable.shape == PEOPLE.y.shape
    assert favorable.dtype == np.float64
    assert favorable.min() >= 0
    assert favorable.max() <= 1


def test_some_are_flipped(row: Row, fitted: Corrector) -> None:
    """The people of these tests give every method something to do."""
    labels = fitted.correct(PEOPLE.response, PEOPLE.groups, 0)
    assert (labels != PEOPLE.response.predicted).any() == (row.make() is not None)


def test_random_state_repeats_the_draws(fitted: Corrector) -> None:
    """The same seed gives the same labels, as a number and as a generator."""
    first = fitted.correct(PEOPLE.response, PEOPLE.groups, 7)
    again = fitted.correct(PEOPLE.response, PEOPLE.groups, np.random.RandomState(7))
    np.testing.assert_array_equal(first, again)


def test_fresh_randomness_differs(row: Row, fitted: Corrector) -> None:
    """Without a seed a randomized rule draws anew each time, and no other rule differs."""
    draws = {fitted.correct(PEOPLE.response, PEOPLE.groups).tobytes() for _ in range(5)}
    some_are_drawn = len(np.unique(fitted.correct_proba(PEOPLE.response, PEOPLE.groups))) > 2
    assert (len(draws) > 1) == some_are_drawn
    assert row.randomized or not some_are_drawn


@pytest.mark.parametrize("seed", [None, 3])
def test_global_random_state_is_untouched(row: Row, seed: int | None) -> None:
    """The caller's stream is what it was, also where AIF360's own seed is set (case 14)."""
    wrapped = row.make()
    if hasattr(wrapped, "seed"):
        wrapped.seed = 1
    before = pickle.dumps(np.random.get_state())  # noqa: NPY002
    corrector = make_corrector(wrapped).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
    corrector.correct(PEOPLE.response, PEOPLE.groups, seed)
    corrector.correct_proba(PEOPLE.response, PEOPLE.groups)
    assert pickle.dumps(np.random.get_state()) == before  # noqa: NPY002


def test_the_given_object_is_unchanged(row: Row) -> None:
    """Fitting changes neither the user's object nor what it was made from."""
    wrapped = row.make()
    before = pickle.dumps(wrapped)
    corrector = make_corrector(wrapped).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
    corrector.correct(PEOPLE.response, PEOPLE.groups, 0)
    assert pickle.dumps(wrapped) == before
    assert corrector is not wrapped
    assert isinstance(wrapped, Corrector) or corrector.wrapped is wrapped


def test_probabilities_agree_with_draws(row: Row, fitted: Corrector) -> None:
    """The mean of 1,000 draws is the probability, within sampling error."""
    some = np.arange(60)
    favorable = fitted.correct_proba(PEOPLE.response.take(some), PEOPLE.groups.take(some))
    # Everyone is drawn for alone, so a thousand draws are one of a thousand times the people.
    rows = np.tile(some, 1000)
    labels = fitted.correct(PEOPLE.response.take(rows), PEOPLE.groups.take(rows), 0)
    error = np.abs(labels.reshape(1000, -1).mean(axis=0) - favorable)
    assert (error <= 4.5 * np.sqrt(favorable * (1 - favorable) / 1000) + 1e-12).all()
    if not row.randomized:
        assert set(favorable.tolist()) <= {0.0, 1.0}


@pytest.mark.filterwarnings(OLD_TAGS)
@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.own])
def test_labels_are_the_librarys_own(name: str, seed: int) -> None:
    """With the same seed the labels are, bit for bit, those of the wrapped library."""
    row = ROWS[name]
    fitted = make_corrector(row.make()).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
    state = np.random.get_state()  # noqa: NPY002
    assert row.own is not None
    expected = row.own(row.make(), PEOPLE, seed)
    np.random.set_state(state)  # noqa: NPY002
    np.testing.assert_array_equal(fitted.correct(PEOPLE.response, PEOPLE.groups, seed), expected)


class Tenths(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities of the last class are tenths: many people tie."""

    def __init__(self, *, single: bool = False, mirrored: bool = False) -> None:
        self.single, self.mirrored = single, mirrored

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Fit a logistic regression."""
        self.classes_ = np.unique(y)
        self.model_ = LogisticRegression().fit(X, 1 - y if self.mirrored else y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Round, so that the first column is one minus the second."""
        last = self.model_.predict_proba(X)[:, 1].round(1)
        both = np.column_stack([1 - last, last][:: -1 if self.mirrored else 1])
        return both.astype(np.float32) if self.single else both

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The last class from one half on; its mirror image says the same of everyone."""
        last = self.model_.predict_proba(X)[:, 1].round(1) >= 0.5
        return self.classes_[(last != self.mirrored).astype(int)]


BY_PROBABILITY = {
    **{
        f"fixed-{threshold}": Row(
            lambda threshold=threshold: FixedThresholdClassifier(
                None, threshold=threshold, response_method="predict_proba"
            ),
            False,
            "any",
            sklearn_labels,
        )
        for threshold in (0.1, 0.2, 0.3, 0.7, 0.9)
    },
    "fixed-first": Row(
        lambda: FixedThresholdClassifier(None, threshold=0.2, pos_label=0),
        False,
        "any",
        sklearn_labels,
    ),
    "tuned-tenths": Row(
        lambda: TunedThresholdClassifierCV(
            None, cv="prefit", refit=False, thresholds=np.arange(1, 10) / 10
        ),
        False,
        "whole",
        sklearn_labels,
    ),
    "threshold-proba": optimizer(predict_method="predict_proba"),
    **{name: row for name, row in ROWS.items() if row.own in (aif360_labels, indexed_labels)},
}


@pytest.mark.filterwarnings(OLD_TAGS)
@pytest.mark.filterwarnings("ignore:Unable to satis:UserWarning")
@pytest.mark.filterwarnings("ignore:RejectOptionClassification found no:UserWarning")
@pytest.mark.parametrize(
    ("name", "single"),
    [
        *((name, False) for name in BY_PROBABILITY),
        *((name, True) for name, row in BY_PROBABILITY.items() if row.own is sklearn_labels),
    ],
)
@pytest.mark.slow
def test_tied_scores_with_the_first_class_favorable(name: str, single: bool) -> None:
    """Scores on the threshold are the library's own, bit for bit, where label 0 is favorable."""
    row = BY_PROBABILITY[name]
    assert row.own is not None
    # A library that knows the favorable label as 1 gets the labels mirrored.
    mirrored = row.own is not sklearn_labels
    y = 1 - PEOPLE.y if mirrored else PEOPLE.y
    own = People(
        PEOPLE.X, y, PEOPLE.group, Tenths(single=single, mirrored=mirrored).fit(PEOPLE.X, y)
    )
    state = np.random.get_state()  # noqa: NPY002
    expected = row.own(row.make(), own, 3)
    np.random.set_state(state)  # noqa: NPY002
    model = CorrectedClassifier(
        FrozenEstimator(Tenths(single=single).fit(PEOPLE.X, PEOPLE.y)),
        row.make(),
        pos_label=0,
        privileged="a",
        random_state=3,
    ).fit(PEOPLE.X, PEOPLE.y, sensitive_features=PEOPLE.group)
    labels = model.predict(PEOPLE.X, sensitive_features=PEOPLE.group)
    np.testing.assert_array_equal(labels, 1 - expected if mirrored else expected)


def test_whole_weights_are_repeated_rows(row: Row) -> None:
    """A row of weight 3 counts as three rows, and one of weight 0 as none (case 9)."""
    times = np.random.default_rng(1).integers(0, 4, len(PEOPLE.y))
    repeated = PEOPLE.repeated(times)
    weighted = make_corrector(row.make()).fit(
        PEOPLE.y, PEOPLE.response, PEOPLE.groups, times.astype(float)
    )
    plain = make_corrector(row.make()).fit(repeated.y, repeated.response, repeated.groups)
    np.testing.assert_allclose(
        weighted.correct_proba(PEOPLE.response, PEOPLE.groups),
        plain.correct_proba(PEOPLE.response, PEOPLE.groups),
        atol=1e-9,
    )


def test_fractional_weights_are_used_or_warned_of(row: Row) -> None:
    """Weights without a common unit are honored, or a warning names the method."""
    weight = np.random.default_rng(2).uniform(0.5, 2, len(PEOPLE.y))
    corrector = make_corrector(row.make())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        corrector.fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups, weight)
    said = [str(entry.message) for entry in caught]
    expected = (
        f"{corrector.name} cannot use these sample weights, which are no multiples of a common "
        "unit: its thresholds are fitted without them."
    )
    assert said == ([expected] if row.weights == "whole" else [])


def test_a_person_alone_is_corrected_as_among_others(fitted: Corrector) -> None:
    """The probability of a label does not depend on who else is predicted."""
    together = fitted.correct_proba(PEOPLE.response, PEOPLE.groups)
    for i in range(20):
        response, groups = PEOPLE.response.take([i]), PEOPLE.groups.take([i])
        assert fitted.correct_proba(response, groups).tolist() == [together[i]]
        assert fitted.correct(response, groups, 0).shape == (1,)


def test_survives_pickling(fitted: Corrector) -> None:
    """A fitted adapter gives the same labels after pickling."""
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    np.testing.assert_array_equal(
        again.correct(PEOPLE.response, PEOPLE.groups, 0),
        fitted.correct(PEOPLE.response, PEOPLE.groups, 0),
    )


def test_single_precision_scores(row: Row) -> None:
    """Scores of float32, as many libraries give them, are taken."""
    single = Response(
        PEOPLE.response.predicted,
        {
            "predict_proba": lambda: PEOPLE.score.astype(np.float32),
            "decision_function": lambda: PEOPLE.score.astype(np.float32),
        },
    )
    fitted = make_corrector(row.make()).fit(PEOPLE.y, single, PEOPLE.groups)
    assert len(fitted.correct(single, PEOPLE.groups, 0)) == len(PEOPLE.y)


def test_base_estimator_is_asked_once() -> None:
    """However often an adapter looks at the scores, the estimator gives them once."""
    asked = []

    def probability() -> np.ndarray:
        asked.append(1)
        return PEOPLE.score

    response = Response(PEOPLE.response.predicted, {"predict_proba": probability})
    corrector = make_corrector(ThresholdOptimizer())
    corrector.fit(PEOPLE.y, response.take(np.arange(len(PEOPLE.y))), PEOPLE.groups)
    corrector.correct(response, PEOPLE.groups, 0)
    corrector.correct_proba(response, PEOPLE.groups)
    assert asked == [1]


def test_predictions_alone_are_never_asked_for_scores() -> None:
    """A method that needs labels only leaves the scores alone."""

    def probability() -> np.ndarray:
        raise AssertionError

    response = Response(PEOPLE.response.predicted, {"predict_proba": probability})
    fitted = make_corrector(ROWS["odds"].make()).fit(PEOPLE.y, response, PEOPLE.groups)
    assert len(fitted.correct(response, PEOPLE.groups, 0)) == len(PEOPLE.y)


@pytest.mark.parametrize("name", ["calibrated", "reject"])
def test_missing_probabilities_are_an_error(name: str) -> None:
    """Methods that need probabilities say so where the estimator has none."""
    response = Response(PEOPLE.response.predicted, source="LinearSVC")
    with pytest.raises(ValueError, match=r"^estimator must have predict_proba, got LinearSVC\.$"):
        make_corrector(ROWS[name].make()).fit(PEOPLE.y, response, PEOPLE.groups)


@pytest.mark.parametrize("name", ["calibrated", "reject", "indexed-calibrated", "indexed-reject"])
def test_probabilities_out_of_range_are_an_error(name: str) -> None:
    """Numbers that are no probabilities are refused."""
    response = Response([0, 1], {"predict_proba": lambda: np.array([-0.5, 2.0])})
    groups = Groups(np.array([0, 1]), ("a", "b"), ("a",))
    corrector = make_corrector(ROWS[name].make())
    corrector.fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
    message = r" needs probabilities in \[0, 1\], got scores from -0.5 to 2.0.$"
    with pytest.raises(ValueError, match=message):
        corrector.correct(response, groups)


class TestThresholdOptimizer:
    """What holds for fairlearn's method alone."""

    def test_one_sided_group_is_named(self) -> None:
        """A group whose true labels are all alike is an error that names it."""
        y = np.where(PEOPLE.group == "b", 0, PEOPLE.y)
        message = (
            "^ThresholdOptimizer needs both true labels in every group, "
            "got one class in group 'b': nobody's label is favorable.$"
        )
        with pytest.raises(ValueError, match=message):
            make_corrector(ThresholdOptimizer()).fit(y, PEOPLE.response, PEOPLE.groups)

    def test_prefit_without_an_estimator_is_an_error(self) -> None:
        """A fitted estimator that is not there cannot be used."""
        message = r"got None. An estimator beside it is kept as it is inside a FrozenEstimator.$"
        with pytest.raises(ValueError, match=message):
            _ = make_corrector(ThresholdOptimizer(prefit=True)).base_estimator

    def test_probabilities_without_the_private_method(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where fairlearn's private method is gone, public draws stand in, with a warning."""
        corrector = make_corrector(ThresholdOptimizer(constraints="equalized_odds"))
        corrector.fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        inner = corrector.optimizer_
        scores, codes = PEOPLE.score.reshape(-1, 1), PEOPLE.groups.codes

        class Public:
            """The optimizer's public methods."""

            predict = staticmethod(inner.predict)

        monkeypatch.setattr("skfair_ofi.postprocessing._corrector._DRAWS", 100)
        exact = estimate_favorable(inner, scores, codes)
        message = r"ThresholdOptimizer does not .*: they are estimated from 100 draws\.$"
        with pytest.warns(UserWarning, match=message):
            drawn = estimate_favorable(Public(), scores, codes)
        assert 0 < np.abs(drawn - exact).max() < 0.25

    @pytest.mark.parametrize(
        ("weight", "expected"),
        [
            ([2.0, 4.0, 0.0], [1, 2, 0]),
            ([0.5, 0.75, 1.5], None),
            ([3.0, 7.0, 1.0], [3, 7, 1]),
            ([3.0, 7.0, 5.0], [3, 7, 5]),
            ([0.1, 0.3, 0.2], [1, 3, 2]),
            ([1.0, 1e12, 1.0], None),
        ],
    )
    def test_weights_as_repetitions(self, weight: list[float], expected: list[int] | None) -> None:
        """Multiples of a unit become whole numbers; others, and too many rows, do not."""
        times = count_repetitions(np.array(weight))
        assert expected == (None if times is None else times.tolist())


class TestAIF360:
    """What holds for AIF360's methods alone."""

    def test_odds_probabilities_are_its_own(self) -> None:
        """The linear programme is AIF360's, solved on the same numbers."""
        true, predicted = aif360_datasets(PEOPLE)
        fitted = AIF360.EqOddsPostprocessing(**DICTIONARIES).fit(true, predicted)
        ours = make_corrector(ROWS["odds"].make()).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        sp2p, sn2p, op2p, on2p = fitted.model_params.x
        np.testing.assert_array_equal(ours.probabilities_, [[on2p, op2p], [sn2p, sp2p]])

    def test_odds_flip_as_many_as_it_does(self) -> None:
        """AIF360 flips the whole part of n p people of a batch; ours average to that."""
        fitted = make_corrector(ROWS["odds"].make()).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        state = np.random.get_state()  # noqa: NPY002
        theirs = aif360_labels(ROWS["odds"].make(), PEOPLE, 0)
        np.random.set_state(state)  # noqa: NPY002
        ours = fitted.correct(PEOPLE.response, PEOPLE.groups, 0)
        favorable = fitted.correct_proba(PEOPLE.response, PEOPLE.groups)
        predicted, privileged = PEOPLE.response.predicted, PEOPLE.group == "a"
        for label, side in itertools.product((0, 1), (False, True)):
            alike = (predicted == label) & (privileged == side)
            p = favorable[alike]
            assert abs(theirs[alike].sum() - p.sum()) < 1
            assert abs(ours[alike].sum() - p.sum()) <= 4.5 * np.sqrt((p * (1 - p)).sum())
        assert ((favorable > 0) & (favorable < 1)).any()

    def test_own_seed_holds_without_random_state(self) -> None:
        """The object's seed is honored, and a random state goes before it."""
        wrapped = AIF360.EqOddsPostprocessing(**DICTIONARIES, seed=5)
        fitted = make_corrector(wrapped).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        by_seed = fitted.correct(PEOPLE.response, PEOPLE.groups)
        np.testing.assert_array_equal(fitted.correct(PEOPLE.response, PEOPLE.groups, 5), by_seed)
        assert (fitted.correct(PEOPLE.response, PEOPLE.groups, 6) != by_seed).any()

    @pytest.mark.parametrize(
        ("label", "group", "side"),
        [(1, "a", "privileged"), (0, "a", "privileged"), (1, "b", "unprivileged")],
    )
    def test_one_sided_groups_are_named(self, label: int, group: str, side: str) -> None:
        """A base rate of 0 or 1 is an error that names the groups, not the solver's."""
        inside = (group == "a") == (PEOPLE.group == "a")
        y = np.where(inside, 1 - label, PEOPLE.y)
        lacks, members = ("unfavorable", "favorable")[label], ["a"] if group == "a" else ["b", "c"]
        message = (
            f"^EqOddsPostprocessing needs a true label that is {lacks} among the {side} people, "
            rf"got none in \[{', '.join(map(repr, members))}\].$"
        )
        with pytest.raises(ValueError, match=message):
            make_corrector(ROWS["odds"].make()).fit(y, PEOPLE.response, PEOPLE.groups)

    @pytest.mark.parametrize("name", ["odds", "calibrated", "reject"])
    def test_an_empty_side_is_an_error(self, name: str) -> None:
        """Without unprivileged people there is nothing to compare."""
        rows = PEOPLE.group == "a"
        message = r"people, got none that are unprivileged among the groups \['a', 'b', 'c'\].$"
        with pytest.raises(ValueError, match=message):
            make_corrector(ROWS[name].make()).fit(
                PEOPLE.y[rows], PEOPLE.response.take(rows), PEOPLE.groups.take(rows)
            )

    @pytest.mark.parametrize(
        "name", ["odds", "calibrated", "reject", "indexed-calibrated", "indexed-reject"]
    )
    def test_privileged_has_to_be_known(self, name: str) -> None:
        """With three groups and no privileged one there is an error that says so."""
        groups = Groups(PEOPLE.groups.codes, PEOPLE.keys, None, ("race",))
        corrector = make_corrector(ROWS[name].make())
        message = (
            r"^privileged must name the privileged of the groups \['a', 'b', 'c'\], since "
            f"{corrector.name} knows two groups, privileged and everyone else, got None.$"
        )
        with pytest.raises(ValueError, match=message):
            corrector.fit(PEOPLE.y, PEOPLE.response, groups)

    @pytest.mark.parametrize(
        ("keys", "names", "privileged", "expected"),
        [
            ((0, 1), ("race",), [{"race": 1}], (1,)),
            ((0, 1), None, {"race": 1}, (1,)),
            ((0.0, 1.0), None, [{"race": 1}], (1.0,)),
            ((0, 1), ("sex",), [{"race": 1}], None),
            (("x", "y"), ("race",), [{"race": 1}], None),
            (((0, 0), (1, 0)), ("race", "sex"), [{"race": 1, "sex": 0}], None),
        ],
    )
    def test_dictionaries_name_the_privileged_where_they_sort_every_group(
        self, keys: Any, names: Any, privileged: Any, expected: Any
    ) -> None:
        """AIF360's own dictionaries stand in for `privileged` if nothing is left open."""
        wrapped = AIF360.CalibratedEqOddsPostprocessing([{"race": 0}], privileged)
        groups = Groups((PEOPLE.group == "a").astype(int), keys, None, names)
        corrector = make_corrector(wrapped)
        if expected is None:
            with pytest.raises(ValueError, match=r"and everyone else, got None\.$"):
                corrector.fit(PEOPLE.y, PEOPLE.response, groups)
        else:
            corrector.fit(PEOPLE.y, PEOPLE.response, groups)
        assert corrector.privileged_keys == expected

    def test_unreachable_bounds_are_a_warning_that_names_the_method(self) -> None:
        """AIF360 warns without a name; ours says which method, metric and bounds."""
        wrapped = AIF360.RejectOptionClassification(
            **DICTIONARIES, **REJECT, metric_lb=2.0, metric_ub=3.0
        )
        message = (
            "^RejectOptionClassification found no threshold and margin that bring its metric "
            "'Statistical parity difference' between 2.0 and 3.0; it took those with the "
            "smallest value.$"
        )
        with pytest.warns(UserWarning, match=message):
            make_corrector(wrapped).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)

    def test_nothing_is_corrected_without_groups(self) -> None:
        """Everyone in one group: there is nobody to compare with."""
        groups = Groups(np.zeros(len(PEOPLE.y), dtype=int), ("all",), divided=False)
        fitted = make_corrector(ROWS["odds"].make()).fit(PEOPLE.y, PEOPLE.response, groups)
        predicted = PEOPLE.response.predicted
        np.testing.assert_array_equal(fitted.correct(PEOPLE.response, groups), predicted)
        np.testing.assert_array_equal(fitted.correct_proba(PEOPLE.response, groups), predicted)

    @pytest.mark.slow
    def test_import_is_silent_and_leaves_logging_as_it_was(self) -> None:
        """Importing AIF360 logs about packages that are not installed (case 15)."""
        code = (
            "import logging\n"
            "logging.getLogger().setLevel(logging.INFO)\n"
            "import skfair_ofi.postprocessing as p, sys\n"
            "assert 'aif360' not in sys.modules and 'fairlearn' not in sys.modules\n"
            "p.import_aif360('aif360.algorithms.postprocessing')\n"
            "root = logging.getLogger()\n"
            "assert (root.handlers, root.level, root.manager.disable) == ([], logging.INFO, 0)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == ("", "")

    def test_import_keeps_a_failing_module_from_changing_logging(self) -> None:
        """Logging is restored where the import fails, too."""
        disabled = logging.root.manager.disable
        with pytest.raises(ModuleNotFoundError, match=r"No module named 'aif360\.nothing'$"):
            import_aif360("aif360.nothing")
        assert logging.root.manager.disable == disabled


class TestIndexed:
    """What holds for the methods of `aif360.sklearn` alone."""

    def test_two_groups_need_no_privileged_one(self) -> None:
        """The calibrated method treats both alike."""
        codes = (PEOPLE.group == "a").astype(int)
        named, unnamed = (
            make_corrector(ROWS["indexed-calibrated"].make()).fit(
                PEOPLE.y, PEOPLE.response, Groups(codes, ("p", "q"), privileged)
            )
            for privileged in (("q",), None)
        )
        groups = Groups(codes, ("p", "q"))
        np.testing.assert_array_equal(
            named.correct_proba(PEOPLE.response, groups),
            unnamed.correct_proba(PEOPLE.response, groups),
        )

    def test_one_is_privileged_as_in_the_library(self) -> None:
        """Of the groups 0 and 1 the reject option favors 0; others have to be named."""
        codes = (PEOPLE.group == "a").astype(int)
        fitted = make_corrector(ROWS["indexed-reject"].make()).fit(
            PEOPLE.y, PEOPLE.response, Groups(codes, (0, 1))
        )
        assert fitted.privileged_keys == (1,)
        with pytest.raises(ValueError, match=r"and everyone else, got None\.$"):
            make_corrector(ROWS["indexed-reject"].make()).fit(
                PEOPLE.y, PEOPLE.response, Groups(codes, ("p", "q"))
            )

    def test_other_attributes_are_an_error(self) -> None:
        """`prot_attr` may name the sensitive features, and nothing else."""
        wrapped = AIF360_SKLEARN.RejectOptionClassifier("race")
        assert make_corrector(wrapped).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        message = (
            r"^corrector must have prot_attr=None, or the sensitive features \['race'\], "
            r"got prot_attr='sex'\.$"
        )
        with pytest.raises(ValueError, match=message):
            make_corrector(AIF360_SKLEARN.RejectOptionClassifier("sex")).fit(
                PEOPLE.y, PEOPLE.response, PEOPLE.groups
            )

    def test_own_random_state_holds(self) -> None:
        """The object's random state is honored where none is given."""
        wrapped = AIF360_SKLEARN.CalibratedEqualizedOdds(random_state=5)
        fitted = make_corrector(wrapped).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        by_seed = fitted.correct(PEOPLE.response, PEOPLE.groups)
        np.testing.assert_array_equal(fitted.correct(PEOPLE.response, PEOPLE.groups, 5), by_seed)


class TestThresholds:
    """What holds for scikit-learn's thresholds alone."""

    @pytest.mark.parametrize("name", ["fixed", "tuned"])
    def test_missing_scores_are_an_error(self, name: str) -> None:
        """A threshold needs scores."""
        response = Response(PEOPLE.response.predicted, source="Perceptrons")
        message = (
            "^estimator must have predict_proba or decision_function for .*Threshold.*, "
            r"got Perceptrons\.$"
        )
        with pytest.raises(ValueError, match=message):
            make_corrector(ROWS[name].make()).fit(PEOPLE.y, response, PEOPLE.groups)

    @pytest.mark.parametrize("name", ["fixed", "tuned"])
    @pytest.mark.parametrize("labels", [("no", "yes"), ("yes", "no"), (1, 0)])
    def test_the_librarys_own_labels(self, name: str, labels: tuple[Any, Any]) -> None:
        """Labels are scikit-learn's, whichever of them is the favorable one."""
        truth = np.array(labels)[PEOPLE.y]
        model = LogisticRegression().fit(PEOPLE.X, truth)
        column = model.classes_.tolist().index(labels[1])
        response = Response(
            model.predict(PEOPLE.X) == labels[1],
            {"predict_proba": lambda: model.predict_proba(PEOPLE.X)[:, column]},
            labels=labels,
        )
        wrapped = ROWS[name].make()
        if name == "tuned":
            wrapped.set_params(scoring="balanced_accuracy")
        fitted = make_corrector(wrapped).fit(PEOPLE.y, response, PEOPLE.groups)
        wrapped.set_params(estimator=FrozenEstimator(model))
        own = wrapped.fit(PEOPLE.X, truth).predict(PEOPLE.X)
        corrected = np.array(labels)[fitted.correct(response, PEOPLE.groups)]
        np.testing.assert_array_equal(corrected, own)

    def test_the_classifier_has_to_be_fitted_on_everyone(self) -> None:
        """Without `refit` scikit-learn keeps the model of one fold, which we do not make."""
        wrapped = TunedThresholdClassifierCV(None, cv=0.25, refit=False)
        message = r"^corrector must have refit=True for Tuned.* 'prefit', got refit=False\.$"
        with pytest.raises(ValueError, match=message):
            _ = make_corrector(wrapped).cv

    @pytest.mark.parametrize(
        "scoring",
        [
            make_group_scorer("objective_fairness_index"),
            make_group_scorer({"a": "accuracy"}),
            lambda estimator, X, y: 0.0,
        ],
    )
    def test_only_scorers_of_make_scorer_tune(self, scoring: Any) -> None:
        """A scorer that scikit-learn cannot try thresholds with is refused, with what it can."""
        wrapped = TunedThresholdClassifierCV(None, cv="prefit", refit=False, scoring=scoring)
        message = (
            r"^corrector must score by a name or a scorer of make_scorer for "
            r"TunedThresholdClassifierCV, such as make_scorer\(objective_fairness_index, "
            r"greater_is_better=False\), got .*\.$"
        )
        with pytest.raises(TypeError, match=message):
            make_corrector(wrapped).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)

    def test_fitted_estimators_are_kept(self) -> None:
        """With `cv="prefit"` the classifier's own estimator is frozen."""
        wrapped = TunedThresholdClassifierCV(PEOPLE.model, cv="prefit", refit=False)
        assert make_corrector(wrapped).base_estimator.estimator is PEOPLE.model
        assert make_corrector(wrapped).cv is None


class TestProtocol:
    """Objects with `fit` and `predict(X, sensitive_features=...)`."""

    def test_other_labels_are_an_error(self) -> None:
        """Labels are codes."""

        class Wrong(Quota):
            """Predicts 0 and 2."""

            def predict(self, X: np.ndarray, sensitive_features: np.ndarray) -> np.ndarray:
                """Double the labels."""
                return 2 * super().predict(X, sensitive_features)

        fitted = make_corrector(Wrong(0.4)).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        message = r"^Wrong\.predict must return the codes 0 and 1, got \[0, 2\]\.$"
        with pytest.raises(ValueError, match=message):
            fitted.correct(PEOPLE.response, PEOPLE.groups)

    def test_probabilities_are_estimated_where_they_are_not_given(self) -> None:
        """A randomized rule without probabilities is drawn from, with a warning."""
        few, groups = PEOPLE.response.take(np.arange(50)), PEOPLE.groups.take(np.arange(50))
        fitted = make_corrector(Lottery()).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        exact = fitted.correct_proba(few, groups)
        lottery = fitted.fitted_

        class Secret(Quota):
            """Draws by another's probabilities."""

            def predict(
                self, X: np.ndarray, sensitive_features: np.ndarray, random_state: Any = None
            ) -> np.ndarray:
                """Draw."""
                return lottery.predict(
                    X > 0.5, sensitive_features=sensitive_features, random_state=random_state
                )

        secret = make_corrector(Secret(0.4)).fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        message = r"^Secret does not give its probabilities: .* from 1000 draws\.$"
        with pytest.warns(UserWarning, match=message):
            drawn = secret.correct_proba(few, groups)
        assert (np.abs(drawn - exact) <= 4.5 * np.sqrt(exact * (1 - exact) / 1000)).all()

    def test_keys_of_several_features_are_tuples(self) -> None:
        """Groups come as the user knows them."""
        groups = Groups(PEOPLE.groups.codes, (("a", 1), ("b", 1), ("b", 2)))
        assert groups.labels[:3].tolist() == [groups.keys[code] for code in groups.codes[:3]]


class TestMakeCorrector:
    """How an adapter is found."""

    def test_subclasses_are_found(self) -> None:
        """A user's subclass of a post-processor has its adapter."""

        class Mine(ThresholdOptimizer):
            """The same by another name."""

        corrector = make_corrector(Mine())
        assert corrector.name == "Mine"
        corrector.fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
        assert type(corrector.optimizer_) is Mine

    def test_own_correctors_are_renewed(self) -> None:
        """A Corrector passes as it is, but as a new object, since fitting changes it."""
        given = make_corrector(None)
        assert type(make_corrector(given)) is type(given)
        assert make_corrector(given) is not given

    @pytest.mark.parametrize(
        "obj", [3, "ThresholdOptimizer", ThresholdOptimizer, LogisticRegression()]
    )
    def test_unknown_objects_are_an_error(self, obj: Any) -> None:
        """Anything else is refused, with a list of what is known."""
        message = (
            r"^corrector must be None, a Corrector, one of \['aif360.Cal.*\] or an object with "
            r"fit and predict\(X, sensitive_features=...\), got .*\.$"
        )
        with pytest.raises(TypeError, match=message):
            make_corrector(obj)

    def test_a_corrector_has_to_define_fit(self) -> None:
        """The base class fits nothing."""
        with pytest.raises(NotImplementedError, match=r"^Corrector must define fit\.$"):
            Corrector().fit(PEOPLE.y, PEOPLE.response, PEOPLE.groups)
