"""The demonstration's experiment: one model of COMPAS, two post-processors around it."""

from collections.abc import Iterator
from typing import Any

from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from skfair_ofi.datasets import load_compas
from skfair_ofi.postprocessing import CorrectedClassifier, import_aif360

from ._correction import PRIVILEGED, Correction, Experiment

_TEST_SHARE = 0.3


def _model() -> Pipeline:
    """A logistic regression that gets neither race nor the scores of COMPAS itself."""
    columns = make_column_transformer(
        (OneHotEncoder(drop="if_binary"), ["sex", "age_cat", "c_charge_degree"]),
        (StandardScaler(), ["priors_count"]),
    )
    return make_pipeline(columns, LogisticRegression())


def _post_processors() -> Iterator[tuple[str, str, Any]]:
    """Both are told to equalize the odds, each as its own library makes it."""
    from fairlearn.postprocessing import ThresholdOptimizer

    yield "ThresholdOptimizer", "fairlearn", ThresholdOptimizer(constraints="equalized_odds")
    post = import_aif360("aif360.algorithms.postprocessing").EqOddsPostprocessing
    unprivileged, privileged = [{"race": 0}], [{"race": 1}]
    yield "EqOddsPostprocessing", "aif360", post(unprivileged, privileged)


def correct_compas(random_state: int) -> Experiment:
    """Fit the model with each post-processor, and report on people held out."""
    compas = load_compas()
    X, y = compas.data, compas.target
    X_fit, X_test, y_fit, y_test = train_test_split(
        X,
        y,
        test_size=_TEST_SHARE,
        # every group in both parts, with both labels
        stratify=X["race"] + y.astype(str),
        random_state=random_state,
    )

    def corrected(name: str, library: str, post_processor: Any) -> Correction:
        model = CorrectedClassifier(
            _model(),
            post_processor,
            sensitive_features="race",
            privileged=PRIVILEGED,
            pos_label=compas.pos_label,
            random_state=random_state,
        )
        y_corrected = model.fit(X_fit, y_fit).predict(X_test)
        source = f"COMPAS, {len(X_test):,} people held out of the fit"
        return Correction(name, library, y_corrected, model.report(X_test, y_test, source=source))

    corrections = tuple(corrected(*each) for each in _post_processors())
    return Experiment(len(X_fit), len(X_test), corrections)
