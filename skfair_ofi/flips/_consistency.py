"""Are alike people treated alike? Flip consistency among nearest neighbors."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from skfair_ofi._validation import check_lengths

_MOST = 20_000


@dataclass(frozen=True)
class FlipConsistency:
    """How alike people are treated who are alike.

    Attributes
    ----------
    consistency : float
        1 where the nearest people of the same group and prediction are always treated
        alike, 0 for a lottery, negative where neighbors differ more than any two people.
        NaN where nobody, or everybody, is flipped.
    p_value : float
        Share of permutations within group and prediction that are at least as consistent.
    across : float
        Probability that a person is treated differently from the nearest people of other
        groups with the same prediction, which is what a rule by group does.
    people : int
        People compared with their neighbors.
    sampled : bool
        Whether only a sample of people was looked at.
    """

    consistency: float
    p_value: float
    across: float
    people: int
    sampled: bool


def _differ(flip: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Probability that a person and another are treated differently, one row a person."""
    result: np.ndarray = flip[:, None] * (1 - others) + (1 - flip[:, None]) * others
    return result


def flip_consistency(
    X: ArrayLike,
    flips: ArrayLike,
    *,
    y_pred: ArrayLike,
    sensitive_features: ArrayLike,
    n_neighbors: int = 10,
    n_permutations: int = 200,
    random_state: int | None = 0,
) -> FlipConsistency:
    """Return whether people who are alike are flipped alike, corrected for chance.

    Among people of one group and one prediction, D is the probability that a person and
    one of the nearest such people are treated differently, and D0 that of any two; the
    consistency is 1 - D / D0.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features as numbers, scaled so that distances mean something.
    flips : array-like of shape (n_samples,)
        Whether each person is flipped, or the probability of that: with probabilities, the
        result is exact in expectation.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    sensitive_features : array-like of shape (n_samples,)
        Groups.
    n_neighbors : int, default=10
        Number of nearest people.
    n_permutations : int, default=200
        Number of permutations for the test.
    random_state : int or None, default=0
        Permutations, and the sample of people where there are more than 20,000.

    Returns
    -------
    FlipConsistency
        Consistency, its test, and the difference across groups.

    Raises
    ------
    ValueError
        If lengths differ or a flip is not from 0 to 1.

    Notes
    -----
    1 minus Geary's C, for shares a join count. The consistency of Zemel2013 is not
    corrected for chance, and 0.9 for a lottery that flips one person in twenty.

    Examples
    --------
    >>> X = np.arange(100.0).reshape(-1, 1)
    >>> alike = flip_consistency(X, X[:, 0] > 80, y_pred=[0] * 100, sensitive_features=["a"] * 100)
    >>> round(alike.consistency, 2), alike.p_value < 0.01
    (0.9, True)
    """
    from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415 - loads what importing must not

    features = np.asarray(X, dtype=np.float64).reshape(len(np.asarray(X)), -1)
    flip = np.asarray(flips, dtype=np.float64)
    strata = [np.asarray(values) for values in (sensitive_features, y_pred)]
    check_lengths(X=len(features), flips=len(flip), y_pred=len(strata[1]), groups=len(strata[0]))
    if not ((flip >= 0) & (flip <= 1)).all():
        worst = flip[~((flip >= 0) & (flip <= 1))][0]
        raise ValueError(f"flips must be from 0 to 1, got {worst}.")
    generator = np.random.RandomState(random_state)
    sampled = len(flip) > _MOST
    rows = generator.choice(len(flip), _MOST, replace=False) if sampled else np.arange(len(flip))
    group, predicted = (np.unique(values[rows], return_inverse=True)[1] for values in strata)
    features, flip = features[rows], flip[rows]
    observed = expected = across = compared = 0.0
    null = np.zeros(n_permutations)
    people = 0
    for side in np.unique(predicted):
        for code in np.unique(group):
            own = np.flatnonzero((group == code) & (predicted == side))
            others = np.flatnonzero((group != code) & (predicted == side))
            if len(own) and len(others) >= n_neighbors:
                near = NearestNeighbors(n_neighbors=n_neighbors).fit(features[others])
                found = others[near.kneighbors(features[own], return_distance=False)]
                across += float(_differ(flip[own], flip[found]).mean(axis=1).sum())
                compared += len(own)
            n, q = len(own), flip[own]
            if n <= n_neighbors + 1:
                continue
            chance = 2 / n * q.sum() - 2 / (n * (n - 1)) * (q.sum() ** 2 - (q**2).sum())
            if chance < 1e-12:  # nobody, or everybody
                continue
            near = NearestNeighbors(n_neighbors=n_neighbors).fit(features[own])
            found = near.kneighbors(return_distance=False)  # without the person
            people += n
            observed += n * float(_differ(q, q[found]).mean())
            expected += n * float(chance)
            for trial in range(n_permutations):
                mixed = generator.permutation(q)
                null[trial] += n * float(_differ(mixed, mixed[found]).mean())
    consistency = 1 - observed / expected if expected else nan
    as_good = (1 - null / expected >= consistency).sum() if expected else 0
    return FlipConsistency(
        consistency,
        (1 + int(as_good)) / (n_permutations + 1) if expected else nan,
        across / compared if compared else nan,
        people,
        sampled,
    )
