"""Calls of measures, right and wrong; `test_typing.py` has the type checker read them.

The checker must find fault with the lines that end in "# wrong", and with no other. They
are inside functions that nobody calls.
"""

from sklearn.metrics import make_scorer

from skfair_ofi.metrics import (
    METRICS,
    Contrast,
    calibration_difference,
    comparison,
    false_negative_rate,
    flip_rate_disparity,
    labels_by_group,
    objective_fairness_index,
    selection_rate,
)

TRUE, PRED, GROUPS = [1, 0, 1, 0], [1, 1, 0, 0], ["a", "a", "b", "b"]


def use_measures() -> None:
    """Use what the package has."""
    objective_fairness_index(TRUE, PRED, sensitive_features=GROUPS)
    objective_fairness_index(TRUE, PRED, sensitive_features=GROUPS, privileged="a", pos_label=1)
    objective_fairness_index(y_true=TRUE, y_pred=PRED, sensitive_features=GROUPS)
    objective_fairness_index(TRUE, PRED)  # wrong
    objective_fairness_index(TRUE, PRED, GROUPS)  # wrong
    objective_fairness_index(TRUE, PRED, sensitive_feature=GROUPS)  # wrong
    objective_fairness_index(TRUE, PRED, sensitive_features=GROUPS, convention="paper")  # wrong

    value: float = objective_fairness_index(TRUE, PRED, sensitive_features=GROUPS)
    text: str = objective_fairness_index(TRUE, PRED, sensitive_features=GROUPS)  # wrong
    assert value
    assert text
    assert objective_fairness_index.__name__
    make_scorer(objective_fairness_index, greater_is_better=False)

    selection_rate(None, PRED, pos_label=1)
    selection_rate(TRUE, PRED, sensitive_features=GROUPS)  # wrong

    flip_rate_disparity(TRUE, PRED, sensitive_features=GROUPS, convention="equation")
    flip_rate_disparity(TRUE, PRED, sensitive_features=GROUPS, convention="equations")  # wrong

    calibration_difference(TRUE, [5, 6, 7, 5], score_range=(5, 7), sensitive_features=GROUPS)
    calibration_difference(TRUE, [5, 6, 7, 5], sensitive_features=GROUPS)  # wrong


def use_own_measure() -> None:
    """Use a measure of one's own, which has the parameters of its shape."""

    @comparison(labels_by_group, symbol="MRD", rates=(false_negative_rate,))
    def miss_rate_difference(contrast: Contrast) -> float:
        """Difference between groups of the false negative rate."""
        return float(contrast.difference(METRICS["false_negative_rate"]))

    miss_rate_difference(TRUE, PRED, sensitive_features=GROUPS, privileged="a")
    miss_rate_difference(TRUE, PRED, sensitive_features=GROUPS, privilege="a")  # wrong
