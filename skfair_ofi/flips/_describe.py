"""Who is flipped: a small tree, and whether it says so of people it has not seen."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from skfair_ofi._validation import check_lengths

_FOLDS = 5


class FlipDescription(NamedTuple):
    """Rules about who is flipped, and how well they rank people held out.

    Attributes
    ----------
    rules : DataFrame
        One row a leaf of the tree, most often flipped first: ``rule`` in words,
        ``people``, ``flips``, ``share`` with ``low`` and ``high``, its exact 95 % interval,
        and ``of_all_flips``.
    auc : float
        Area under the ROC curve among people held out: near 0.5, no rule of this kind says
        who is flipped.
    """

    rules: pd.DataFrame
    auc: float


def _word_path(tree: Any, leaf: int, names: list[str]) -> str:
    """Conditions from the root to a leaf, of each column the tightest on either side."""
    parents = {
        int(child): (node, sign)
        for node in range(tree.node_count)
        for child, sign in ((tree.children_left[node], "<="), (tree.children_right[node], ">"))
        if child != -1
    }
    bounds: dict[tuple[str, str], float] = {}
    while leaf in parents:
        leaf, sign = parents[leaf]
        bounds.setdefault((names[tree.feature[leaf]], sign), float(tree.threshold[leaf]))
    words = []
    for (name, sign), bound in bounds.items():
        column, is_level, level = name.partition("=")
        negated = "not " if sign == "<=" else ""
        words.append(
            f"{column} is {negated}{level}" if is_level else f"{column} {sign} {bound:.4g}"
        )
    return " and ".join(sorted(words)) or "everyone"


def describe_flips(
    X: Any,
    flips: ArrayLike,
    *,
    max_rules: int = 8,
    min_people: int = 30,
    random_state: int | None = 0,
) -> FlipDescription:
    """Return who is flipped, in the words of a small tree.

    Hand it the group and the prediction among the columns: where a correction goes by
    group, the rules then say so.

    Parameters
    ----------
    X : data frame or mapping of columns
        Features; text and categories become questions of the kind "race is a".
    flips : array-like of bool of shape (n_samples,)
        Whether each person is flipped.
    max_rules : int, default=8
        Largest number of leaves.
    min_people : int, default=30
        Fewest people in a leaf.
    random_state : int or None, default=0
        Folds and ties.

    Returns
    -------
    FlipDescription
        Rules and their AUC; no rules and NaN where fewer than five people are flipped, or
        fewer than five are not.

    Raises
    ------
    ValueError
        If lengths differ.

    Examples
    --------
    >>> X = pd.DataFrame({"race": ["a", "b"] * 100, "priors": np.arange(200) // 20})
    >>> found = describe_flips(X, (X["race"] == "a") & (X["priors"] < 4))
    >>> found.rules.loc[:0, ["rule", "people", "flips"]]
                                  rule  people  flips
    0  priors <= 3.5 and race is not b      40     40
    >>> round(found.auc, 2)
    1.0
    """
    from scipy.stats import beta  # noqa: PLC0415 - slow to load
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415 - loads what importing must not
    from sklearn.model_selection import StratifiedKFold, cross_val_predict  # noqa: PLC0415
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415

    frame = pd.get_dummies(pd.DataFrame(X), prefix_sep="=", dtype=float)
    flipped = np.asarray(flips).astype(bool)
    check_lengths(X=len(frame), flips=len(flipped))
    columns = ["rule", "people", "flips", "share", "low", "high", "of_all_flips"]
    if min(flipped.sum(), (~flipped).sum()) < _FOLDS:
        return FlipDescription(pd.DataFrame(columns=columns), float("nan"))
    tree = DecisionTreeClassifier(
        max_leaf_nodes=max_rules, min_samples_leaf=min_people, random_state=random_state
    )
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=random_state)
    chances = cross_val_predict(tree, frame, flipped, cv=folds, method="predict_proba")[:, 1]
    leaves = tree.fit(frame, flipped).apply(frame)
    rows = []
    for leaf in np.unique(leaves):
        here = flipped[leaves == leaf]
        n, k = len(here), int(here.sum())
        low = beta.ppf(0.025, k, n - k + 1) if k else 0.0
        high = beta.ppf(0.975, k + 1, n - k) if k < n else 1.0
        rule = _word_path(tree.tree_, int(leaf), list(frame.columns))
        rows.append((rule, n, k, k / n, low, high, k / flipped.sum()))
    rules = pd.DataFrame(rows, columns=columns).sort_values("share", ascending=False)
    return FlipDescription(rules.reset_index(drop=True), float(roc_auc_score(flipped, chances)))
