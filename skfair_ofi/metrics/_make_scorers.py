"""Making scorers of measures, and the rule by which a search chooses among what they score."""

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import Any, Literal

import numpy as np

from skfair_ofi._validation import ColumnNames, check_choice, suggest
from skfair_ofi.counts import MissingGroups

from ._registry import METRICS, get_metric, look_up
from ._scorers import WORST_GROUP, GroupScorer, name_of

__all__ = ["best_within", "get_group_scorer_names", "make_group_scorer"]


def make_group_scorer(
    measure: Any,
    *,
    sensitive_features: ColumnNames | None = None,
    predict_sensitive_features: ColumnNames | None = None,
    privileged: Any = None,
    pos_label: Any = None,
    groups: Sequence[Any] | None = None,
    missing_groups: MissingGroups = "error",
    where: Any = None,
    score_range: tuple[float, float] | None = None,
    worst: bool = False,
    greater_is_better: bool | None = None,
    error_score: float | Literal["raise"] = nan,
) -> GroupScorer:
    """Scorer of a measure, or of several, for wherever scikit-learn takes ``scoring``.

    The score of a comparison is minus its distance to the ideal (of a ratio,
    ``min(r, 1/r) - 1``), that of a rate its value, or minus its value where lower is
    better. Greater is better always, and the best score of a comparison is 0.

    Parameters
    ----------
    measure : str, callable, mapping or list
        The name or symbol of a measure of this package (`get_group_scorer_names`), the
        measure itself, or a function of one's own, ``f(y_true, y_pred, ...)``, which is given
        those of sensitive_features, privileged, pos_label and sample_weight that it takes.
        Flip measures need an estimator with ``predict_outcomes``; score measures take the
        probability, or the decision value, of the favorable label. Several, in a list or by
        names of their own, are scored with one prediction; there scikit-learn's scorers,
        by name, and any other scorers may stand beside them, and work on estimators that need
        groups to predict. A scorer made by this function keeps its own options.
    sensitive_features : str, int or sequence of them, default=None
        Columns of X that hold the groups. None takes them as metadata: enable routing
        and call ``set_score_request(sensitive_features=True)``.
    predict_sensitive_features : str, int or sequence of them, default=None
        Columns of X that hold the groups that the estimator has to be given to predict,
        where they are others than those to be scored: a model corrected by race and
        scored by sex. As metadata: ``set_score_request(predict_sensitive_features=True)``.
    privileged : group or collection of groups, default=None
        As in the measure. None takes those of a `CorrectedClassifier`, as its report does,
        where the groups that it was fitted on are scored; an empty list is the largest
        gap between any two groups, whoever is privileged.
    pos_label : object, default=None
        The favorable label; not needed for 0/1, False/True and -1/1. None takes that of a
        `CorrectedClassifier` which was given one. scikit-learn's scorers by name take it as
        the positive label.
    groups : sequence of groups, default=None
        Groups that must be there: a fold without one of them scores NaN. After steps of
        a pipeline that rename the column or recode it, only these are known. None takes those
        that a `CorrectedClassifier` was fitted on, where they are the groups to be
        scored, and those of the fold for any other estimator. People of groups that such
        a model does not know are left out with a warning, as in its report.
    missing_groups : {"error", "drop", "group"}, default="error"
        What becomes of rows whose group is missing: an error, left out with a warning,
        or counted as the group None. Scorers of others count everyone.
    where : str or callable, default=None
        For a measure among some rows: a boolean column of X, or a function of X.
    score_range : tuple of (float, float), default=None
        For a measure among some scores: the lowest and the highest, both included.
    worst : bool, default=False
        Whether to score a rate of the group where it is worst, not of everyone; so does
        ``worst_group_`` before the name.
    greater_is_better : bool, default=None
        Which way a function of one's own is better; needed for that alone.
    error_score : float or "raise", default=nan
        Of several: the score of one that fails, with a warning that says why; the others keep
        theirs. scikit-learn's own `error_score` cannot tell them apart.

    Returns
    -------
    GroupScorer
        A picklable callable ``scorer(estimator, X, y)``, which returns a score, or, of
        several, a dict of scores.

    Raises
    ------
    ValueError
        If a measure is not known, is a rate of which neither more nor less is better,
        or lacks its condition; a near name is suggested.
    TypeError
        If one is nothing that can be called.

    Examples
    --------
    >>> make_group_scorer("disparate_impact", sensitive_features="sex", privileged="m")
    make_group_scorer(disparate_impact, sensitive_features='sex', privileged='m')
    >>> from sklearn.dummy import DummyClassifier
    >>> import pandas as pd
    >>> X = pd.DataFrame({"sex": list("ffmm")})
    >>> scorer = make_group_scorer({"f1": "f1", "ofi": "OFI"}, sensitive_features="sex")
    >>> model = DummyClassifier(strategy="constant", constant=1).fit(X, [1, 0, 1, 1])
    >>> {name: round(score, 3) for name, score in scorer(model, X, [1, 0, 1, 1]).items()}
    {'f1': 0.857, 'ofi': -0.5}
    """
    check_choice("missing_groups", missing_groups, ("error", "drop", "group"))
    options: dict[str, Any] = {
        "sensitive_features": sensitive_features,
        "predict_sensitive_features": predict_sensitive_features,
        "privileged": privileged,
        "pos_label": pos_label,
        "groups": groups,
        "missing_groups": missing_groups,
        "where": where,
        "score_range": score_range,
        "worst": worst,
        "greater_is_better": greater_is_better,
    }
    if isinstance(measure, list | tuple):
        measure = {one if isinstance(one, str) else name_of(one): one for one in measure}
    if not isinstance(measure, Mapping):
        return _make_scorer(measure, options)
    if not measure:
        raise ValueError(f"measure must name at least one measure, got {measure!r}.")
    scorers = {name: _make_member(one, options) for name, one in measure.items()}
    return GroupScorer(scorers, **options, error_score=error_score)


def _make_scorer(measure: Any, options: dict[str, Any]) -> GroupScorer:
    """Return the scorer of one measure, or of one's own function."""
    name, worst = measure, options["worst"]
    if isinstance(measure, str) and measure.startswith(WORST_GROUP):
        name, worst = measure.removeprefix(WORST_GROUP), True
    metric = get_metric(name) if isinstance(name, str) else look_up(name)
    if metric is None:
        if not callable(measure):
            raise TypeError(f"measure must be a name or a function, got {measure!r}.")
        if options["greater_is_better"] is None:
            raise ValueError(
                "greater_is_better must be True or False for a function that is no measure of "
                f"this package, got None for {name_of(measure)}."
            )
        return GroupScorer(measure, **options)
    if metric.better is None and (worst or metric.kind == "rate"):
        rates = [each.name for each in METRICS.values() if each.better is not None]
        raise ValueError(
            f"measure must be a rate that is better one way{'' if worst else ', or a comparison'}, "
            f"got {metric.name!r}. Such rates are {', '.join(rates)}."
        )
    if metric.needs and options[metric.needs] is None:
        raise ValueError(f"{metric.needs} must be given for {metric.name}, got None.")
    return GroupScorer(metric, **(options | {"worst": worst}))


def _make_member(scorer: Any, options: dict[str, Any]) -> Any:
    """Return one of several scorers: ours, or the name of one of scikit-learn's, or any."""
    if isinstance(scorer, GroupScorer):
        if hasattr(scorer, "_metadata_request"):
            raise ValueError(
                "measure must hold scorers that ask for no metadata: the set asks for all, by "
                f"set_score_request, got {scorer!r}."
            )
        return scorer
    if isinstance(scorer, str):
        from sklearn.metrics import get_scorer_names  # noqa: PLC0415

        named = scorer.removeprefix(WORST_GROUP)
        if look_up(named) is None:
            names = [*get_group_scorer_names(), *get_scorer_names()]
            if scorer not in names:
                near = suggest(scorer, names)
                raise ValueError(f"measure must name a measure or a scorer, got {scorer!r}.{near}")
            return scorer
        return _make_scorer(scorer, options)
    if not callable(scorer):
        raise TypeError(f"measure must hold names, measures and scorers, got {scorer!r}.")
    first = next(iter(inspect.signature(scorer).parameters), None)
    return _make_scorer(scorer, options) if first in ("y_true", "y_pred") else scorer


def get_group_scorer_names() -> list[str]:
    """Return the names of which `make_group_scorer` makes a scorer without more, sorted.

    Returns
    -------
    list of str
        Names of measures, and ``worst_group_`` before those of rates.

    Examples
    --------
    >>> "worst_group_accuracy" in get_group_scorer_names()
    True
    """
    rates = [metric.name for metric in METRICS.values() if metric.better is not None]
    comparisons = [
        metric.name
        for metric in METRICS.values()
        if metric.kind == "comparison" and not metric.needs
    ]
    return sorted([*rates, *comparisons, *(WORST_GROUP + name for name in rates)])


def _measure_excess(distances: np.ndarray, bound: float) -> np.ndarray:
    """How far distances exceed a bound, the rounding of a mean over folds left out."""
    excess = np.maximum(distances - bound, 0)
    return np.where(excess <= 1e-12 * max(bound, 1), 0, excess)


class _BestWithin:
    """A rule that chooses among candidates; see `best_within`."""

    def __init__(self, bounds: Mapping[str, float], maximize: str) -> None:
        self.bounds, self.maximize = dict(bounds), maximize

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return the index of the chosen candidate."""
        goal = self._get_mean(cv_results, self.maximize)
        excess = np.zeros(len(goal))
        for name, bound in self.bounds.items():
            score = self._get_mean(cv_results, name)
            if (score > 0).any():
                raise ValueError(
                    f"bounds must be on scores that are at most 0, their distance from the ideal, "
                    f"got {name!r} with a mean score of {np.nanmax(score):.3g}."
                )
            excess += _measure_excess(-score, bound)
        excess[np.isnan(goal)] = nan
        if np.isnan(excess).all():
            raise ValueError(
                f"At least one candidate must have defined scores of {self.maximize}, "
                f"{', '.join(self.bounds)}, got none."
            )
        least = np.nanmin(excess)
        if least > 0:
            warnings.warn(
                f"No candidate is within {self.bounds}; the one that exceeds them least, by "
                f"{least:.3g} in all, is chosen.",
                UserWarning,
                stacklevel=2,
            )
        return int(np.nanargmax(np.where(_measure_excess(excess, least) == 0, goal, nan)))

    def _get_mean(self, cv_results: Mapping[str, Any], name: str) -> np.ndarray:
        key = f"mean_test_{name}"
        check_choice("bounds and maximize", key, [k for k in cv_results if k.startswith("mean_")])
        return np.asarray(cv_results[key], dtype=float)

    def __repr__(self) -> str:
        """Return the call that makes it."""
        return f"best_within({self.bounds!r}, maximize={self.maximize!r})"


def best_within(bounds: Mapping[str, float], *, maximize: str) -> Callable[..., int]:
    """Rule for ``refit``: the best score among the candidates within bounds.

    Where no candidate is within all bounds, the one that exceeds them least is chosen,
    with a warning.

    Parameters
    ----------
    bounds : mapping of str to float
        Largest distance from the ideal by the scorer's name: a mean score of -0.05 is
        within 0.1.
    maximize : str
        The scorer whose mean score is maximized.

    Returns
    -------
    callable
        Picklable, for ``GridSearchCV(refit=...)``.

    Raises
    ------
    TypeError, ValueError
        If bounds are no mapping to numbers from 0; when it is called: if a name was not
        scored, or all scores are undefined.

    Notes
    -----
    ``search.score(X, y)`` cannot know by which score it was refitted by a rule and
    raises a KeyError in scikit-learn: score ``search.best_estimator_`` instead.

    Examples
    --------
    >>> rule = best_within({"ofi": 0.1}, maximize="accuracy")
    >>> rule({"mean_test_accuracy": [0.9, 0.8, 0.7], "mean_test_ofi": [-0.3, -0.1, 0.0]})
    1
    """
    if not hasattr(bounds, "items"):
        raise TypeError(f"bounds must be a mapping of names to numbers, got {bounds!r}.")
    for name, bound in bounds.items():
        number: Any = bound
        if not isinstance(number, int | float | np.number) or not number >= 0:
            raise ValueError(f"bounds must hold numbers from 0, got {bound!r} for {name!r}.")
    return _BestWithin(bounds, maximize)
