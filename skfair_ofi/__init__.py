"""Who pays for fairness: flips, the Objective Fairness Index, and audits."""

from skfair_ofi._counts import OutcomeCounts

__version__ = "0.1.0"

__all__ = ["OutcomeCounts", "__version__"]
