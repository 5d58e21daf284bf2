"""Sixty people whom a test selects no one of: DI is undefined, OFI is not.

Run it with a folder for the plots: ``python docs/examples/undefined.py plots``.
"""

import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from _common import (
    BLUE,
    GRAY,
    OFI_BOUNDS,
    ORANGE,
    heading,
    plot_folder,
    print_measures,
    print_reading,
    save,
)
from sklearn.exceptions import UndefinedMetricWarning

from skfair_ofi import OutcomeCounts, objective_fairness_index
from skfair_ofi.inference import confidence_interval
from skfair_ofi.metrics import by_group, disparate_impact

GROUPS = np.repeat(["older", "younger"], [40, 20])
QUALIFIED = np.repeat([1, 0, 1, 0], [20, 20, 2, 18])
SELECTED = np.zeros(60, dtype=int)


def share_undefined(n: int, selected: float, draws: int = 2000) -> float:
    """Return how often DI is 0/0 or x/0 in samples of a population with equal selection rates."""
    rng = np.random.default_rng(0)
    younger = rng.binomial(n // 3, selected, draws)
    return float((younger == 0).mean())


def draw(counts: OutcomeCounts, path: Path) -> None:
    """Draw the rates of both groups, and OFI with its interval beside DI without one."""
    rates = by_group(counts, ["base_rate", "selection_rate"])
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 2.6), layout="constrained")
    for row, group in enumerate(counts.groups):
        left.barh(row - 0.18, rates.loc[group, "base_rate"], 0.32, color=BLUE)
        left.plot(rates.loc[group, "selection_rate"], row + 0.18, "o", color=ORANGE, clip_on=False)
        left.text(0.02, row + 0.18, "none selected", color=ORANGE, va="center", fontsize=9)
    left.set_yticks(range(2), [f"{g} ({n})" for g, n in zip(*_sizes(counts), strict=True)])
    left.set(xlim=(0, 0.6), ylim=(1.5, -0.5), xlabel="share qualified (bar) and selected (dot)")

    interval = confidence_interval(counts, "objective_fairness_index", privileged="older")
    right.axvspan(*OFI_BOUNDS, ymin=0.5, color="#cfe6f4", lw=0)
    right.plot([interval.low, interval.high], [0, 0], color=BLUE, lw=2)
    right.plot(interval.estimate, 0, "o", color=BLUE)
    right.text(0, -0.35, "within bounds", color=GRAY, ha="center", va="center", fontsize=9)
    right.text(0, 1, "0 / 0: undefined", color=GRAY, ha="center", va="center")
    right.set_yticks([0, 1], ["OFI", "DI"])
    right.set(
        xlim=(-0.8, 0.8),
        ylim=(1.5, -0.5),
        xlabel="younger against older, 95% interval",
    )
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
    save(figure, path)


def _sizes(counts: OutcomeCounts) -> tuple[tuple[object, ...], list[int]]:
    return counts.groups, counts.group_sizes.tolist()


def main() -> None:
    """Print the numbers, draw the rates, and say what they do not show."""
    folder = plot_folder("A sample in which DI is undefined and OFI is not.")
    counts = OutcomeCounts.from_arrays(QUALIFIED, SELECTED, sensitive_features=GROUPS)

    heading("Sixty people, no one selected")
    print(by_group(counts, ["base_rate", "selection_rate", "marginal_benefit"]).to_string())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        given = {"sensitive_features": GROUPS, "privileged": "older"}
        ratio = disparate_impact(QUALIFIED, SELECTED, **given)
        index = objective_fairness_index(QUALIFIED, SELECTED, **given)
    print(f"\nDI {ratio}, with a warning: {caught[0].message}")
    print(f"OFI {index:.3f} = (0 - 2) / 20 - (0 - 20) / 40")

    heading("With 95% intervals")
    print_measures(counts, privileged="older")
    draw(counts, folder / "undefined.png")

    heading("How often the ratio has no denominator in samples of 60, 20 of them in its group")
    for selected in (0.02, 0.05, 0.1, 0.2):
        print(f"selection rate {selected:.2f}: {share_undefined(60, selected):6.1%}")

    heading("The reading")
    print_reading(counts, privileged="older")
    print(
        "OFI alone is outside its bounds: of a hundred older people, 50 lose what they had\n"
        "coming, of a hundred younger ones 10."
    )

    heading("What this does not show")
    print(
        "Undefined is neither a pass nor a failure of the four-fifths rule: with no one selected,\n"
        "no group is selected less. OFI has a value, but its interval is wide with sixty people,\n"
        "and it takes who is qualified for granted. And no figure here says that selecting no one\n"
        "was right: 22 people were qualified."
    )


if __name__ == "__main__":
    main()
