"""Synthetic people whose groups have known sizes, base rates, error rates and flips.

The parameters decide one table, group x y_true x y_pred x y_corrected, of
expected shares. People are drawn from it (multinomial in each group) or, with
``exact=True``, apportioned to it; only then are they written out as rows.
"""

from collections.abc import Hashable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch, check_random_state

from skfair_ofi._validation import check_choice

# Flip rates may exceed the share that can flip by what floats make of thirds.
_TOLERANCE = 1e-9


def _check_count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"n_samples must be a positive integer, got {value!r}.")
    return int(value)


def _check_groups(value: object) -> list[Hashable]:
    names = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
    hashable = all(pd.api.types.is_hashable(name) for name in names)
    if not names or not hashable or len(set(names)) < len(names):
        raise ValueError(f"groups must be a sequence of distinct group names, got {value!r}.")
    return names


def _check_weights(value: object, n_groups: int) -> np.ndarray:
    weights = np.ones(n_groups) if value is None else np.asarray(value, dtype=object)
    numbers = all(
        isinstance(weight, Real) and 0 < float(weight) < np.inf for weight in weights.flat
    )
    if weights.shape != (n_groups,) or not numbers:
        raise ValueError(
            f"group_weights must be None or one positive number for each of the "
            f"{n_groups} groups, got {value!r}."
        )
    relative = weights.astype(float) / float(weights.max())
    return np.asarray(relative / relative.sum())


def _check_rates(name: str, value: object, n_groups: int) -> np.ndarray:
    rates = np.asarray(value, dtype=object)
    shares = all(isinstance(rate, Real) and 0 <= float(rate) <= 1 for rate in rates.flat)
    if rates.shape not in {(), (n_groups,)} or not shares:
        raise ValueError(
            f"{name} must be a number from 0 to 1, or one for each of the "
            f"{n_groups} groups, got {value!r}."
        )
    return np.broadcast_to(rates.astype(float), n_groups)


def _split(favorable: np.ndarray) -> np.ndarray:
    """Return shares of unfavorable and favorable along a new last axis."""
    return np.stack([1 - favorable, favorable], axis=-1)


def _find_flipping_part(name: str, value: object, share: np.ndarray) -> np.ndarray:
    """Return the part of those who can flip, a share of each group, that does flip."""
    rates = _check_rates(name, 0.0 if value is None else value, len(share))
    if (rates > share + _TOLERANCE).any():
        raise ValueError(
            f"{name} must be at most the share of each group that can flip so, "
            f"{share.round(6).tolist()}, got {value!r}."
        )
    part = np.divide(rates, share, out=np.zeros(len(share)), where=share > 0)
    return np.asarray(part.clip(max=1))


def _flip_shares(shares: np.ndarray, favorable: object, harmful: object) -> np.ndarray:
    """Split shares (group, y_true, y_pred) by y_corrected, flips blind to y_true."""
    predicted = shares.sum(axis=1)
    upward = _find_flipping_part("favorable_flip_rates", favorable, predicted[:, 0])
    downward = _find_flipping_part("harmful_flip_rates", harmful, predicted[:, 1])
    corrected = np.stack([upward, 1 - downward], axis=1)
    return np.asarray(shares[..., None] * _split(corrected)[:, None])


def _round_shares(shares: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Return whole numbers nearest to each row's shares of its total (largest remainder)."""
    quotas = np.round(shares * totals[:, None], 9)
    whole = np.floor(quotas).astype(np.int64)
    rank = np.argsort(np.argsort(whole - quotas, axis=1, kind="stable"), axis=1)
    return np.asarray(whole + (rank < (totals - whole.sum(axis=1))[:, None]))


def _draw(
    shares: np.ndarray, totals: np.ndarray, exact: bool, random: np.random.RandomState
) -> np.ndarray:
    """Return how many people of each group are in each cell."""
    flat = shares.reshape(len(shares), -1)
    flat = flat / flat.sum(axis=1, keepdims=True)
    if exact:
        return _round_shares(flat, totals).reshape(shares.shape)
    rows = [random.multinomial(n, row) for n, row in zip(totals, flat, strict=True)]
    return np.stack(rows).reshape(shares.shape)


def _draw_scores(
    y_true: np.ndarray, y_pred: np.ndarray, random: np.random.RandomState
) -> np.ndarray:
    """Return scores on the side of 0.5 that y_pred says, higher where y_true is favorable."""
    low, high = 0.01, 0.49
    within = random.triangular(low, np.where(y_true == 1, high, low), high)
    return np.asarray(0.5 * y_pred + within)


def make_outcomes(
    n_samples: int = 1000,
    *,
    groups: Sequence[Hashable] = ("a", "b"),
    group_weights: Sequence[float] | None = None,
    base_rates: float | Sequence[float] = 0.5,
    true_positive_rates: float | Sequence[float] = 0.8,
    false_positive_rates: float | Sequence[float] = 0.2,
    favorable_flip_rates: float | Sequence[float] | None = None,
    harmful_flip_rates: float | Sequence[float] | None = None,
    exact: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> Any:
    """Generate people whose groups have known base rates, error rates and flips.

    Label 1 is favorable. Rates are shares from 0 to 1: one number for all groups,
    or one for each group in the order of `groups`.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of people.
    groups : sequence of hashable, default=("a", "b")
        Names of the groups.
    group_weights : sequence of float of shape (n_groups,), default=None
        Sizes of the groups relative to one another. The sizes are never random:
        each is its share of `n_samples`, to the nearest whole person, which may be
        nobody. None makes them equal.
    base_rates : float or sequence of float, default=0.5
        Share of the group whose `y_true` is 1.
    true_positive_rates : float or sequence of float, default=0.8
        Share with `y_pred` 1 among those whose `y_true` is 1.
    false_positive_rates : float or sequence of float, default=0.2
        Share with `y_pred` 1 among those whose `y_true` is 0.
    favorable_flip_rates : float or sequence of float, default=None
        Share of the whole group flipped from 0 to 1; at most the share whose
        `y_pred` is 0. None is 0, if the other flip rate is given.
    harmful_flip_rates : float or sequence of float, default=None
        Share of the whole group flipped from 1 to 0; at most the share whose
        `y_pred` is 1. None is 0, if the other flip rate is given.
    exact : bool, default=False
        If False, outcomes are drawn, and rates agree with the parameters but for
        chance. If True, every cell of group x y_true x y_pred x y_corrected holds
        its expected number of people, to the nearest whole person; only the order
        and the scores are random.
    random_state : int, RandomState instance or None, default=None
        Source of randomness. Pass an int for the same people in every call.

    Returns
    -------
    outcomes : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        y_true, y_pred : ndarray of shape (n_samples,)
            Labels 0 and 1.
        y_corrected : ndarray of shape (n_samples,) or None
            Labels after the flips; None where no flip rate is given.
        y_score : ndarray of shape (n_samples,)
            Scores from 0.01 to 0.99, at least 0.5 exactly where `y_pred` is 1,
            and higher on average where `y_true` is 1.
        sensitive_features : ndarray of shape (n_samples,)
            Group of each person.
        frame : DataFrame of shape (n_samples, 4 or 5)
            All of them: ``group``, ``y_true``, ``y_pred``, ``y_corrected`` where
            there is one, and ``y_score``.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or more people are to be flipped than
        there are with the label to flip.

    Notes
    -----
    Flips do not look at `y_true`: in each group and for each `y_pred` the same
    share is flipped whether the prediction was right or wrong.

    Examples
    --------
    >>> from skfair_ofi.datasets import make_outcomes
    >>> people = make_outcomes(
    ...     80,
    ...     groups=("u", "p"),
    ...     group_weights=(30, 50),
    ...     base_rates=(0.4, 0.6),
    ...     harmful_flip_rates=(0, 0.08),
    ...     exact=True,
    ...     random_state=0,
    ... )
    >>> labels = ["y_true", "y_pred", "y_corrected"]
    >>> people.frame.groupby("group")[labels].sum().T.to_dict("list")
    {'p': [30, 28, 24], 'u': [12, 14, 14]}
    """
    total = _check_count(n_samples)
    names = _check_groups(groups)
    n = len(names)
    exact = check_choice("exact", exact, (True, False))
    sizes = _round_shares(_check_weights(group_weights, n)[None], np.array([total]))[0]
    truth = _split(_check_rates("base_rates", base_rates, n))
    wrong = _check_rates("false_positive_rates", false_positive_rates, n)
    right = _check_rates("true_positive_rates", true_positive_rates, n)
    shares = truth[..., None] * _split(np.stack([wrong, right], axis=1))
    if favorable_flip_rates is not None or harmful_flip_rates is not None:
        shares = _flip_shares(shares, favorable_flip_rates, harmful_flip_rates)
    random = check_random_state(random_state)
    return _make_rows(names, _draw(shares, sizes, exact, random), random)


def _make_rows(names: list[Hashable], cells: np.ndarray, random: np.random.RandomState) -> Any:
    """Write a table of counts out as rows in random order."""
    rows = random.permutation(np.repeat(np.arange(cells.size), cells.ravel()))
    group, *labels = np.unravel_index(rows, cells.shape)
    columns: dict[str, Any] = {"group": pd.Series(names).take(group).reset_index(drop=True)}
    columns |= dict(zip(("y_true", "y_pred", "y_corrected"), labels, strict=False))
    columns["y_score"] = _draw_scores(columns["y_true"], columns["y_pred"], random)
    frame = pd.DataFrame(columns)
    arrays = {name: frame[name].to_numpy(copy=True) for name in frame.columns}
    sensitive_features = arrays.pop("group")
    return Bunch(
        **{"y_corrected": None, **arrays}, sensitive_features=sensitive_features, frame=frame
    )
