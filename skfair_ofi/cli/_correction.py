"""What the demonstration shows: corrections of the same people, and whom they flipped."""

from dataclasses import dataclass

import numpy as np

from skfair_ofi.report import ProportionalityReport, Summary

PRIVILEGED = "Caucasian"


@dataclass(frozen=True)
class Correction:
    """What one post-processor did to the people held out."""

    name: str
    library: str
    y_corrected: np.ndarray
    report: ProportionalityReport

    @property
    def summary(self) -> Summary:
        """What the report says."""
        return self.report.summary

    @property
    def stem(self) -> str:
        """How its files are called, without a suffix."""
        return f"{self.library}-{self.name}".lower()


@dataclass(frozen=True)
class Experiment:
    """One split of the people, corrected twice."""

    fitted_on: int
    held_out: int
    corrections: tuple[Correction, ...]
