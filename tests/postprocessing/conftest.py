"""One of each post-processor, as users make them, for the tests that run over all of them.

To cover a new one, add it to CORRECTORS, and a row to the table of test_corrector_contract.py.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np
import pytest
import sklearn
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.utils import check_random_state

from skfair_ofi.postprocessing import Corrector, Groups, Response, import_aif360

AIF360 = import_aif360("aif360.algorithms.postprocessing")
AIF360_SKLEARN = import_aif360("aif360.sklearn.postprocessing")
# As a user writes them, for a data set in which the column "race" holds 0 and 1.
DICTIONARIES: dict[str, Any] = {
    "unprivileged_groups": [{"race": 0}],
    "privileged_groups": [{"race": 1}],
}


class Quota:
    """Favors the same share of every group: a post-processor of nobody's library."""

    def __init__(self, share: float) -> None:
        self.share = share

    def fit(self, X: np.ndarray, y: np.ndarray, sensitive_features: np.ndarray) -> Self:
        """Find each group's bar."""
        self.bars_ = {
            group: np.quantile(
                X[sensitive_features == group], 1 - self.share, method="inverted_cdf"
            )
            for group in np.unique(sensitive_features)
        }
        return self

    def predict(self, X: np.ndarray, sensitive_features: np.ndarray) -> np.ndarray:
        """Favor those above their group's bar."""
        return X[:, 0] > np.array([self.bars_[group] for group in sensitive_features])


class Lottery(BaseEstimator):
    """Keeps no label for sure: randomized, with weights, probabilities and parameters."""

    score_method = "predict"

    def __init__(self, chance: float = 0.3) -> None:
        self.chance = chance

    def fit(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        sensitive_features: np.ndarray,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Learn each group's base rate."""
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        self.rates_ = {
            group: np.average(y, weights=weight * [key == group for key in sensitive_features])
            for group in np.unique(sensitive_features)
        }
        return self

    def predict_proba(self, X: np.ndarray, *, sensitive_features: np.ndarray) -> np.ndarray:
        """Mix the label with the base rate."""
        rates = np.array([self.rates_[group] for group in sensitive_features])
        favorable = (1 - self.chance) * X[:, 0] + self.chance * rates
        return np.column_stack([1 - favorable, favorable])

    def predict(
        self, X: np.ndarray, *, sensitive_features: np.ndarray, random_state: Any = None
    ) -> np.ndarray:
        """Draw for each person."""
        favorable = self.predict_proba(X, sensitive_features=sensitive_features)[:, 1]
        return check_random_state(random_state).random_sample(len(X)) < favorable


class Upwards(Corrector):
    """Gives unprivileged people whose score is above a bar the favorable label."""

    def __init__(self, bar: float) -> None:
        self.bar = bar

    def fit(
        self,
        y_true: np.ndarray,
        response: Response,
        groups: Groups,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Nothing to learn."""
        return self

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Raise some, lower nobody."""
        unprivileged = np.array([key not in (groups.privileged or ()) for key in groups.keys])
        raised = (response.score("predict_proba") > self.bar) & unprivileged[groups.codes]
        return np.maximum(response.predicted, raised.astype(np.int8))


Make = Callable[[], Any]
CORRECTORS: dict[str, Make] = {
    "none": lambda: None,
    "threshold": ThresholdOptimizer,
    "threshold-odds": lambda: ThresholdOptimizer(constraints="equalized_odds", grid_size=20),
    "odds": lambda: AIF360.EqOddsPostprocessing(**DICTIONARIES),
    "calibrated": lambda: AIF360.CalibratedEqOddsPostprocessing(**DICTIONARIES),
    "reject": lambda: AIF360.RejectOptionClassification(
        **DICTIONARIES, num_class_thresh=4, num_ROC_margin=3, metric_ub=0.5, metric_lb=-0.5
    ),
    "indexed-calibrated": AIF360_SKLEARN.CalibratedEqualizedOdds,
    "indexed-reject": lambda: AIF360_SKLEARN.RejectOptionClassifier(margin=0.2),
    "fixed": lambda: FixedThresholdClassifier(None, threshold=0.4),
    "tuned": lambda: TunedThresholdClassifierCV(None, cv="prefit", refit=False, thresholds=9),
    "protocol": Lottery,
    "own": lambda: Upwards(0.4),
}


# One of each kind stands for all where a test is to be quick.
OFTEN = ("threshold", "odds", "own")


def mark_seldom(names: Iterable[str]) -> list[Any]:
    """Parameters of which those that are seldom run are marked slow."""
    marks = {True: (), False: (pytest.mark.slow,)}
    return [pytest.param(name, marks=marks[name in OFTEN]) for name in names]


@pytest.fixture(params=mark_seldom(CORRECTORS))
def make(request: pytest.FixtureRequest) -> Make:
    """How each post-processor is made."""
    return CORRECTORS[request.param]


@pytest.fixture(params=mark_seldom(name for name in CORRECTORS if name != "none"))
def make_corrector(request: pytest.FixtureRequest) -> Make:
    """How each post-processor that corrects is made."""
    return CORRECTORS[request.param]


@pytest.fixture
def routing() -> Iterator[None]:
    """Metadata routing on."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield
