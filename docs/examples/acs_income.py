"""ACS income: whose income six models guess too low, over nine races.

Reads ``../shared/data/acs_income_2018_predictions.csv.gz`` beside the project where it is there.
Else it asks the package folktables for the census' file of one state and trains six models of
scikit-learn. Without either it stops, and says so. Run it with a folder for the plots:
``python docs/examples/acs_income.py plots``.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from _common import (
    BLUE,
    DI_BOUNDS,
    OFI_BOUNDS,
    heading,
    heat_maps,
    plot_folder,
    print_reading,
    save,
    shown,
)
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skfair_ofi import METRICS, OutcomeCounts
from skfair_ofi.inference import confidence_interval

DATA = (
    Path(__file__).resolve().parents[3] / "shared" / "data" / "acs_income_2018_predictions.csv.gz"
)
STATE = "NM"
RACES = [
    "White",
    "Black",
    "American Indian",
    "Alaska Native",
    "Tribe not given",
    "Asian",
    "Pacific Islander",
    "Another race",
    "Two or more",
]
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(max_depth=8, random_state=0),
    "forest": RandomForestClassifier(max_depth=12, random_state=0),
    "boosting": HistGradientBoostingClassifier(random_state=0),
    "bayes": GaussianNB(),
    "neighbors": make_pipeline(StandardScaler(), KNeighborsClassifier(25)),
}


def from_file() -> pd.DataFrame:
    """Return labels, races and six models' decisions from the file."""
    frame = pd.read_csv(DATA)
    columns = [name for name in frame if name.startswith("pred_")]
    names = {name: name.removeprefix("pred_").replace("_", " ") for name in columns}
    frame["race"] = pd.Categorical.from_codes(frame["rac1p"], RACES)
    return frame[["label", "race", *columns]].rename(columns=names)


def from_folktables() -> pd.DataFrame:
    """Return labels, races and decisions of six models trained on one state of the census."""
    from folktables import ACSDataSource, ACSIncome  # noqa: PLC0415

    source = ACSDataSource(survey_year="2018", horizon="1-Year", survey="person")
    features, labels, races = ACSIncome.df_to_numpy(source.get_data(states=[STATE], download=True))
    parts = train_test_split(features, labels.astype(int), races, test_size=0.5, random_state=0)
    train, test, y_train, y_test, _, groups = parts
    # The census counts its races from 1
    found = {"label": y_test, "race": [RACES[int(race) - 1] for race in groups]}
    decided = {name: model.fit(train, y_train).predict(test) for name, model in MODELS.items()}
    return pd.DataFrame({**found, **decided})


def people() -> pd.DataFrame:
    """Return the data, or stop politely where there are none."""
    if DATA.exists():
        return from_file()
    print(f"{DATA.name} is not in {DATA.parent.name} beside the project: trying folktables.")
    try:
        return from_folktables()
    except ImportError:
        raise SystemExit("folktables is not installed (pip install folktables): stopped.") from None
    except OSError as error:
        raise SystemExit(f"The census could not be reached ({error}): stopped.") from None


def draw_models(tables: dict[str, OutcomeCounts], path: Path) -> None:
    """Draw OFI and DI of everyone else against White people, one row a model."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3), layout="constrained", sharey=True)
    names = ("objective_fairness_index", "disparate_impact")
    for ax, name, bounds in zip(axes, names, (OFI_BOUNDS, DI_BOUNDS), strict=True):
        ax.axvspan(*bounds, color="#cfe6f4", lw=0)
        ax.axvline(METRICS[name].ideal, color="white", lw=2)
        for row, counts in enumerate(tables.values()):
            interval = confidence_interval(counts, name, privileged="White")
            ax.plot([interval.low, interval.high], [row, row], color=BLUE, lw=2)
            ax.plot(interval.estimate, row, "o", color=BLUE, ms=5)
        ax.set_yticks(range(len(tables)), list(tables))
        ax.tick_params(axis="y", length=0)
        title = f"{METRICS[name].symbol} with 95% intervals, shaded: within its bounds"
        ax.set_title(title, loc="left", fontsize=10)
        ax.spines[["top", "right", "left"]].set_visible(False)
    axes[0].set(xlim=(-0.35, 0.35), ylim=(len(tables) - 0.5, -0.5))
    axes[1].set_xlim(0.45, 1.3)
    save(figure, path)


def main() -> None:
    """Print the numbers, draw the plots, and say what they do not show."""
    folder = plot_folder("OFI and DI of six models of income.")
    frame = people()
    models = [name for name in frame if name not in ("label", "race")]
    tables = {
        model: OutcomeCounts.from_arrays(
            frame["label"], frame[model], sensitive_features=frame["race"]
        )
        for model in models
    }

    heading("People by race")
    print(frame["race"].value_counts().to_string())

    heading("Everyone else against White people, income above 50,000 dollars being favorable")
    for model, counts in tables.items():
        print(f"\n{model}: accuracy {METRICS['accuracy'].of(counts):.3f}")
        for name in ("objective_fairness_index", "disparate_impact"):
            interval = confidence_interval(counts, name, privileged="White")
            print(f"  {METRICS[name].symbol:>3} {shown(interval)}")
        print_reading(counts, privileged="White")

    draw_models(tables, folder / "acs_models.png")
    ratio = METRICS["disparate_impact"]
    by_ratio = sorted(tables, key=lambda model: ratio.of(tables[model], privileged="White"))
    for model in (by_ratio[0], by_ratio[-1]):
        heat_maps(tables[model], model, folder / f"acs_{model.replace(' ', '_')}.png")

    heading("What this does not show")
    print(
        "DI below 0.8 beside OFI near 0 says that a model repeats the incomes there are. It does\n"
        "not say that these incomes are just. One figure against everyone else hides groups: see\n"
        "the maps. OFI takes no notice of errors that are alike in all groups: a model that gives\n"
        "nearly everyone the favorable label can have both measures within bounds and be of no\n"
        "use, so read accuracy beside them. Intervals are for sampling people, not for training."
    )


if __name__ == "__main__":
    main()
