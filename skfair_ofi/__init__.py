"""Who pays for fairness: flips, the Objective Fairness Index, and audits."""

from skfair_ofi._counts import OutcomeCounts

__all__ = ["OutcomeCounts"]
