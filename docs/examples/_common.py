"""What the case studies share: a folder for plots, heat maps, and OFI and DI read together."""

import argparse
import tempfile
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import Interval, confidence_interval
from skfair_ofi.report import PairwiseDisplay, summarize

BLUE, ORANGE, GRAY = "#0072B2", "#D55E00", "#5b6470"
OFI_BOUNDS, DI_BOUNDS = (-0.3, 0.3), (0.8, 1.25)


def plot_folder(description: str) -> Path:
    """Return the folder for plots that the command line names, or a temporary one."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "folder", nargs="?", help="where to save plots; a temporary folder if not given"
    )
    given = parser.parse_args().folder
    folder = Path(given if given else tempfile.mkdtemp(prefix="skfair-ofi-"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def save(figure: Figure, path: Path) -> None:
    """Save a figure, close it, and say where it is."""
    figure.savefig(path, dpi=150)
    plt.close(figure)
    print(f"Saved {path}")


def heading(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}\n{'-' * len(text)}")


def shown(interval: Interval) -> str:
    """Return an estimate and its interval, or why there is none."""
    if np.isnan(interval.estimate):
        return f"undefined: {interval.note}"
    return f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def print_measures(counts: OutcomeCounts, privileged: Any = None) -> None:
    """Print OFI and DI with their 95% intervals."""
    for symbol, name in (("OFI", "objective_fairness_index"), ("DI", "disparate_impact")):
        print(f"{symbol:>4} {shown(confidence_interval(counts, name, privileged=privileged))}")


def uncorrected(counts: OutcomeCounts) -> OutcomeCounts:
    """Return the table of a correction that flips no one, which reports and displays read."""
    cells = np.zeros((*counts.cells.shape[:3], 2), dtype=counts.cells.dtype)
    for label in (0, 1):
        cells[:, :, label, label] = counts.cells[:, :, label, 0]
    return OutcomeCounts(
        counts.groups, cells, labels=counts.labels, feature_names=counts.feature_names
    )


def print_reading(counts: OutcomeCounts, privileged: Any = None) -> None:
    """Print what OFI and DI say together (Briscoe2025, section 2.3)."""
    summary = summarize(uncorrected(counts), privileged=privileged)
    # There is no correction here that anything could be before
    print(summary.readings[0].sentence.removeprefix("Before the correction, "))


def heat_maps(counts: OutcomeCounts, title: str, path: Path) -> None:
    """Draw OFI beside DI between all pairs of groups."""
    summary = summarize(uncorrected(counts))
    display = PairwiseDisplay.from_summary(summary).plot(when="before")
    for ax, name in zip(display.axes_, ("OFI", "DI"), strict=True):
        ax.set_title(f"{name}, {title}", loc="left", fontsize=10.5, fontweight="bold", pad=8)
    save(display.figure_, path)
