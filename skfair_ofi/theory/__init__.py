"""Theory of the marginal benefit and of the Objective Fairness Index."""

from ._index import OFIDistribution, Rank, ofi_threshold
from ._marginal_benefit import MarginalBenefit
from ._stacks import marginal_benefits, objective_fairness_indices
from ._tables import cell_value_count, confusion_matrices, number_of_tables

__all__ = [
    "MarginalBenefit",
    "OFIDistribution",
    "Rank",
    "cell_value_count",
    "confusion_matrices",
    "marginal_benefits",
    "number_of_tables",
    "objective_fairness_indices",
    "ofi_threshold",
]
