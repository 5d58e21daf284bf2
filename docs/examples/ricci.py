"""Ricci v. DeStefano: the three scenarios of table 1, and the exams themselves.

Run it with a folder for the plots: ``python docs/examples/ricci.py plots``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from _common import BLUE, GRAY, heading, plot_folder, print_measures, print_reading, save, shown

from skfair_ofi import OutcomeCounts
from skfair_ofi.datasets import load_published, load_ricci
from skfair_ofi.inference import confidence_intervals
from skfair_ofi.inference.beyond_binary import ranking_interval

# With the vacancies there were, only so many of the best could be considered.
CONSIDERED = {"Lieutenant": 10, "Captain": 9}
RACES = {"W": "white", "B": "black", "H": "Hispanic"}


def exams() -> pd.DataFrame:
    """Return the candidates, with who was good enough to be considered for promotion."""
    frame = load_ricci().frame
    rank = frame.groupby("Position")["Combine"].rank(ascending=False, method="min")
    frame["considered"] = (rank <= frame["Position"].map(CONSIDERED)).astype(int)
    frame["Race"] = frame["Race"].map(RACES)
    return frame


def draw_pass_rates(counts: OutcomeCounts, path: Path) -> None:
    """Draw pass rates with their intervals, and four fifths of the highest."""
    found = confidence_intervals(counts, ["selection_rate"])
    figure, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
    for row in found.itertuples():
        ax.plot([row.low, row.high], [row.Index, row.Index], color=BLUE, lw=2)
        ax.plot(row.estimate, row.Index, "o", color=BLUE)
    bound = 0.8 * found["estimate"].max()
    ax.axvline(bound, color=GRAY, ls="--", lw=1)
    ax.text(bound, len(found) - 0.45, " four fifths of the highest rate", color=GRAY, va="center")
    sizes = counts.group_sizes.tolist()
    names = [f"{group} ({size})" for group, size in zip(counts.groups, sizes, strict=True)]
    ax.set_yticks(range(len(names)), names)
    ax.set(xlim=(0, 1), ylim=(-0.5, len(names) - 0.2), xlabel="share that passed, 95% interval")
    ax.spines[["top", "right"]].set_visible(False)
    save(figure, path)


def main() -> None:
    """Print the numbers, draw the pass rates, and say what they do not show."""
    folder = plot_folder("The scenarios and the exams of Ricci v. DeStefano.")

    for letter in ("a", "b", "alpha"):
        heading(f"Scenario {letter} of table 1 (Briscoe2025), group i against group j")
        counts = load_published(f"briscoe2025_table1_{letter}").counts
        print_measures(counts, privileged="j")
        print_reading(counts, privileged="j")

    heading("The exams: who passed, everyone else against white candidates")
    frame = exams()
    print(frame.groupby("Race")["passed"].agg(["sum", "size", "mean"]).round(3).to_string())
    exam = OutcomeCounts.from_arrays(
        frame["passed"], frame["passed"], sensitive_features=frame["Race"]
    )
    print_measures(exam, privileged="white")
    print(
        "There is no truth beside the exam. Taken as the truth, it makes OFI 0 by definition, so\n"
        "OFI says nothing about the exam here, and DI below 0.8 is evidence of adverse impact."
    )
    draw_pass_rates(exam, folder / "ricci_pass_rates.png")

    heading("Who could be considered for promotion, measured by who passed")
    considered = OutcomeCounts.from_arrays(
        frame["passed"], frame["considered"], sensitive_features=frame["Race"]
    )
    print(frame.groupby("Race")["considered"].agg(["sum", "size", "mean"]).round(3).to_string())
    print_measures(considered, privileged="white")
    print_reading(considered, privileged="white")
    for position, people in frame.groupby("Position"):
        interval = ranking_interval(
            people["passed"],
            people["Combine"],
            sensitive_features=people["Race"],
            discount=CONSIDERED[position],
            privileged="white",
            random_state=0,
        )
        print(f"{position}: share of places less share of those who passed {shown(interval)}")

    heading("What this does not show")
    print(
        "Whether the exam measures what the job needs, which the court was asked: there is no\n"
        "truth that OFI could compare it with. Groups are of 68, 27 and 23 people: read the\n"
        "intervals. A ratio below four fifths is evidence that calls for a reason, not a finding\n"
        "against anyone."
    )


if __name__ == "__main__":
    main()
