"""Scorers against fairlearn's metric behind make_scorer, and what they add to a search.

A scorer's whole call on an estimator whose predictions cost nothing, columns taken from a frame
included; the metric's own part is in `benchmarks.one_call`. All scorers score the difference of
selection rates, and give the same number, which is checked.

    python -m benchmarks.scorers [--quick]
"""

import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, Self

import numpy as np
import pandas as pd
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

from benchmarks import _bench
from skfair_ofi import make_group_scorer
from skfair_ofi.metrics import statistical_parity_difference

CALL_HEAD = ("rows", "groups", "µs", "fairlearn", "ours in make_scorer")
CALL_WIDTHS = (7, 8, 6, 10, 20)
SEARCH_HEAD = ("rows", "accuracy, s", "ours", "accuracy and ours", "fairlearn")
SEARCH_WIDTHS = (7, 12, 6, 18, 10)


class Known(ClassifierMixin, BaseEstimator):
    """A classifier that knows its predictions."""

    def __init__(self, labels: Any = None) -> None:
        self.labels = labels

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Know two classes."""
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return what is known."""
        return np.asarray(self.labels)


def people(rows: int, kind: str) -> tuple[pd.DataFrame, np.ndarray, Any]:
    """Return features with a group column, labels, and the groups."""
    group = _bench.group_column(kind, rows, 4)
    numbers = np.random.default_rng(4).normal(size=(rows, 5))
    y = (numbers[:, 0] + np.random.default_rng(5).normal(size=rows) > 0.3).astype(np.int64)
    frame = pd.DataFrame(numbers, columns=list("abcde"))
    return frame.assign(group=pd.Series(group)), y, group


def routed(measure: Callable[..., float]) -> Any:
    """Return scikit-learn's own scorer of a measure, which takes the groups by routing."""
    scorer = make_scorer(measure, greater_is_better=False)
    return scorer.set_score_request(sensitive_features=True)


def fairlearns() -> Any:
    """Return scikit-learn's scorer of fairlearn's metric."""
    from fairlearn.metrics import demographic_parity_difference

    return routed(demographic_parity_difference)


def call(rows: int, kind: str, rounds: int) -> dict[str, float]:
    """Check, time and print one call, and return the ratios."""
    X, y, group = people(rows, kind)
    known = Known(_bench.labels(rows, 1)).fit()
    mine = make_group_scorer("statistical_parity_difference", sensitive_features="group")
    theirs, plain = fairlearns(), routed(statistical_parity_difference)
    calls = {
        "ours": lambda: mine(known, X, y),
        "fairlearn": lambda: theirs(known, X, y, sensitive_features=group),
        "ours in make_scorer": lambda: plain(known, X, y, sensitive_features=group),
    }
    expected = calls["ours"]()

    def check(name: str, value: float) -> None:
        np.testing.assert_allclose(value, expected, rtol=1e-12, err_msg=name)

    taken = _bench.seconds(calls, rounds, check)
    found = _bench.ratios(taken, CALL_HEAD[3:])
    cells = [f"{rows:,}", kind, f"{taken['ours'] * 1e6:.0f}", *map(_bench.times, found.values())]
    _bench.print_row(cells, CALL_WIDTHS)
    return found


def search(rows: int, rounds: int) -> None:
    """Time and print a search over ten candidates in five folds."""
    X, y, group = people(rows, "object")
    features = X.drop(columns="group")
    ofi = make_group_scorer("objective_fairness_index").set_score_request(sensitive_features=True)
    both = make_group_scorer({"accuracy": "accuracy", "ofi": "objective_fairness_index"})
    scorings = {
        "accuracy": "accuracy",
        "ours": ofi,
        "accuracy and ours": both.set_score_request(sensitive_features=True),
        "fairlearn": fairlearns(),
    }

    def run(name: str) -> Any:
        given = {} if name == "accuracy" else {"sensitive_features": group}
        grid = {"C": np.logspace(-3, 2, 10)}
        model = LogisticRegression()
        tool = GridSearchCV(model, grid, scoring=scorings[name], cv=5, refit=False)
        return tool.fit(features, y, **given)

    def check(name: str, done: Any) -> None:
        scored = [values for key, values in done.cv_results_.items() if key.startswith("mean_test")]
        assert np.isfinite(scored).all(), name

    taken = _bench.seconds({name: partial(run, name) for name in scorings}, rounds, check)
    base = taken["accuracy"]
    ratios = [_bench.times(taken[name] / base) for name in SEARCH_HEAD[2:]]
    _bench.print_row([f"{rows:,}", f"{base:.2f}", *ratios], SEARCH_WIDTHS)


def main() -> _bench.Ratios:
    """Print how many times longer a scorer takes with fairlearn, and a search with a scorer."""
    given = _bench.options(__doc__ or "")
    kinds = ("object",) if given.quick else ("int64", "object", "category")
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print("\nOne call. µs: this package's time. Others: how many times longer theirs is.")
        _bench.print_head(CALL_HEAD, CALL_WIDTHS)
        settings = product((1_000, 10_000), kinds)
        found = _bench.merged(call(*setting, given.rounds) for setting in settings)
        print("\nTen candidates, five folds: how many times longer than scoring accuracy alone.")
        _bench.print_head(SEARCH_HEAD, SEARCH_WIDTHS)
        for rows in (1_000,) if given.quick else (1_000, 10_000):
            search(rows, 1 if given.quick else given.rounds)
    return found


if __name__ == "__main__":
    main()
