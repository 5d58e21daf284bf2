"""Theory of the marginal benefit and of the Objective Fairness Index."""

from ._index import OFIDistribution, ofi_threshold
from ._marginal_benefit import MarginalBenefit

__all__ = ["MarginalBenefit", "OFIDistribution", "ofi_threshold"]
