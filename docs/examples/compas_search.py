"""Search base model, constraint and tolerance at once on COMPAS, and choose by a rule.

Four scores tell each candidate's price: accuracy, the Objective Fairness Index, equalized odds, and
the share of people who lose a favorable label to the correction. The plot shows the trade-off and
what ``best_within`` chooses. Takes well under a minute.

    python docs/examples/compas_search.py [plot.png]
"""

import sys

import matplotlib.pyplot as plt
import pandas as pd
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skfair_ofi import CorrectedClassifier, best_within, make_group_scorer
from skfair_ofi.datasets import load_compas

SCORES = {
    "accuracy": "accuracy",
    "ofi": "objective_fairness_index",
    "odds": "equalized_odds_difference",
    "harm": "harmful_flip_rate",
}
MODELS = {
    "logistic regression": LogisticRegression(),
    "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
}
MARKS = {
    "none": "s",
    "equalized_odds": "o",
    "demographic_parity": "^",
    "true_positive_rate_parity": "D",
}


def search() -> GridSearchCV:
    """Fit every candidate in three folds, and refit what the rule chooses."""
    compas = load_compas()
    two = compas.data["race"].isin(["African-American", "Caucasian"])
    encoded = make_column_transformer(
        (OneHotEncoder(), ["sex", "age_cat", "c_charge_degree"]),
        (StandardScaler(), ["priors_count"]),
    )
    model = CorrectedClassifier(
        make_pipeline(encoded, LogisticRegression()),
        ThresholdOptimizer(grid_size=200),
        sensitive_features="race",
        privileged="Caucasian",
        pos_label=0,
        random_state=0,
    )
    models = {"estimator__logisticregression": list(MODELS.values())}
    relaxed = {
        "corrector__constraints": ["demographic_parity", "true_positive_rate_parity"],
        "corrector__tol": [None, 0.05, 0.1],
    }
    strict = {"corrector__constraints": ["equalized_odds"]}  # which fairlearn cannot relax
    scorers = make_group_scorer(SCORES, sensitive_features="race", pos_label=0)
    rule = best_within({"odds": 0.15, "harm": 0.04}, maximize="accuracy")
    grid = [models | relaxed, models | strict, models | {"corrector": [None]}]
    return GridSearchCV(model, grid, scoring=scorers, refit=rule, cv=3).fit(
        compas.data[two], compas.target[two]
    )


def table(found: GridSearchCV) -> pd.DataFrame:
    """Return one row a candidate: what it is, and its distances from the ideal."""
    results = pd.DataFrame(found.cv_results_)
    names = {str(model): name for name, model in MODELS.items()}
    frame = pd.DataFrame(
        {
            "model": results["param_estimator__logisticregression"].astype(str).map(names),
            "constraint": results["param_corrector__constraints"].fillna("none"),
            "tolerance": results["param_corrector__tol"],
            "accuracy": results["mean_test_accuracy"],
        }
    )
    return frame.assign(
        **{name: 0 - results[f"mean_test_{name}"] for name in ("ofi", "odds", "harm")}
    )


def plot(frame: pd.DataFrame, chosen: int, path: str) -> None:
    """Draw accuracy against unequal odds; color is the share of people who lose, edge the model."""
    figure, ax = plt.subplots(figsize=(7.5, 4.5), layout="constrained")
    for (model, constraint), part in frame.groupby(["model", "constraint"]):
        points = ax.scatter(
            part["odds"],
            part["accuracy"],
            c=part["harm"],
            marker=MARKS[constraint],
            s=70,
            linewidths=1.6,
            edgecolors="black" if model == "tree" else "none",
            cmap="viridis_r",
            vmin=0,
            vmax=frame["harm"].max(),
            label=f"{constraint.replace('_', ' ')}, {model}",
        )
    best = frame.loc[chosen]
    ax.scatter(best["odds"], best["accuracy"], s=260, facecolors="none", edgecolors="black")
    ax.annotate("chosen", (best["odds"], best["accuracy"]), (12, 8), textcoords="offset points")
    ax.set(xlabel="equalized odds difference (0 is equal)", ylabel="accuracy")
    legend = ax.legend(title="constraint, model", loc="lower right", fontsize="small")
    for handle in legend.legend_handles:
        handle.set_array(None)
        handle.set_facecolor("silver")
    figure.colorbar(points, label="people who lose a favorable label (share)")
    figure.savefig(path, dpi=120)


def main() -> None:
    """Print the candidates and the chosen one, and save the plot."""
    found = search()
    frame = table(found)
    lines = (
        frame.round(3).sort_values("accuracy", ascending=False).to_string(index=False, na_rep="-")
    )
    sys.stdout.write(f"{lines}\n\nChosen:\n{frame.loc[[found.best_index_]].round(3)}\n")
    plot(frame, found.best_index_, sys.argv[1] if len(sys.argv) > 1 else "compas_search.png")


if __name__ == "__main__":
    main()
