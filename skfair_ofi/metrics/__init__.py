"""Fairness and proportionality measures, as functions of arrays and of tables.

Rates are of one group, or of everyone, and go into fairlearn's ``MetricFrame``;
comparisons are between groups. ``METRICS`` holds what is known of each. The indices of ordered
labels, numbers and rankings are in ``beyond_binary``.
"""

from typing import TYPE_CHECKING

from skfair_ofi._lazy import late_names

from ._fairness import (
    accuracy_difference,
    average_odds_difference,
    calibration_difference,
    conditional_statistical_parity_difference,
    conditional_use_accuracy_difference,
    disparate_impact,
    equal_opportunity_difference,
    equalized_odds_difference,
    mean_difference,
    negative_balance_difference,
    objective_fairness_index,
    positive_balance_difference,
    predictive_equality_difference,
    predictive_parity_difference,
    statistical_parity_difference,
    treatment_equality_difference,
)
from ._flip_measures import (
    correcting_flip_rate,
    directional_flip_ratio,
    favorable_flip_rate,
    flip_disparity_index,
    flip_rate,
    flip_rate_difference,
    flip_rate_disparity,
    harmful_flip_disparity,
    harmful_flip_disparity_index,
    harmful_flip_proportion,
    harmful_flip_proportion_difference,
    harmful_flip_rate,
    relative_flip_disparity,
    relative_harmful_flip_disparity,
    wrong_flip_rate,
)
from ._group_frames import by_group, pairwise
from ._judge import (
    FEW_PEOPLE as FEW_PEOPLE,
    Bands,
    Range as Range,
    Tone as Tone,
    Verdict as Verdict,
    read_together as read_together,
    tone_of as tone_of,
)
from ._publish import comparison, rate
from ._rates import (
    accuracy,
    average_odds,
    base_rate,
    false_discovery_rate,
    false_negative_rate,
    false_omission_rate,
    false_positive_rate,
    marginal_benefit,
    mean_score,
    mean_score_negatives,
    mean_score_positives,
    negative_predictive_value,
    positive_predictive_value,
    selection_rate,
    treatment_ratio,
    true_negative_rate,
    true_positive_rate,
)
from ._registry import (
    METRICS,
    Contrast,
    Metric,
    divide as divide,
    get_metric as get_metric,
    quotients as quotients,
)
from ._shapes import (
    Convention as Convention,
    Counted,
    flip_arrays,
    flips_by_group,
    judged_flip_arrays,
    label_arrays,
    labels_by_group,
    score_arrays,
    scores_by_group,
)

if TYPE_CHECKING:
    from ._make_scorers import best_within, get_group_scorer_names, make_group_scorer

# What needs scikit-learn, whose import takes longer than most measures.
__getattr__, __dir__ = late_names(
    __name__,
    {
        "skfair_ofi.metrics._make_scorers": (
            "best_within",
            "get_group_scorer_names",
            "make_group_scorer",
        ),
    },
)

__all__ = [
    "METRICS",
    "Bands",
    "Contrast",
    "Counted",
    "Metric",
    "accuracy",
    "accuracy_difference",
    "average_odds",
    "average_odds_difference",
    "base_rate",
    "best_within",
    "by_group",
    "calibration_difference",
    "comparison",
    "conditional_statistical_parity_difference",
    "conditional_use_accuracy_difference",
    "correcting_flip_rate",
    "directional_flip_ratio",
    "disparate_impact",
    "equal_opportunity_difference",
    "equalized_odds_difference",
    "false_discovery_rate",
    "false_negative_rate",
    "false_omission_rate",
    "false_positive_rate",
    "favorable_flip_rate",
    "flip_arrays",
    "flip_disparity_index",
    "flip_rate",
    "flip_rate_difference",
    "flip_rate_disparity",
    "flips_by_group",
    "get_group_scorer_names",
    "harmful_flip_disparity",
    "harmful_flip_disparity_index",
    "harmful_flip_proportion",
    "harmful_flip_proportion_difference",
    "harmful_flip_rate",
    "judged_flip_arrays",
    "label_arrays",
    "labels_by_group",
    "make_group_scorer",
    "marginal_benefit",
    "mean_difference",
    "mean_score",
    "mean_score_negatives",
    "mean_score_positives",
    "negative_balance_difference",
    "negative_predictive_value",
    "objective_fairness_index",
    "pairwise",
    "positive_balance_difference",
    "positive_predictive_value",
    "predictive_equality_difference",
    "predictive_parity_difference",
    "rate",
    "relative_flip_disparity",
    "relative_harmful_flip_disparity",
    "score_arrays",
    "scores_by_group",
    "selection_rate",
    "statistical_parity_difference",
    "treatment_equality_difference",
    "treatment_ratio",
    "true_negative_rate",
    "true_positive_rate",
    "wrong_flip_rate",
]
