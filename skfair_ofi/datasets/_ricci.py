"""The promotion exams of Ricci v. DeStefano."""

from typing import Any, Literal, overload

import pandas as pd
from sklearn.utils import Bunch

from ._bunch import make_bunch, read_table

_FILE = "ricci.csv"
_PASS_MARK = 70


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
    frame = read_table(_FILE)
    features = list(frame.columns)
    frame["passed"] = frame["Combine"].ge(_PASS_MARK).astype("int64")
    bunch = make_bunch(
        frame,
        features=features,
        target="passed",
        target_names=("failed", "passed"),
        pos_label=1,
        description="ricci.rst",
        filename=_FILE,
    )
    return (bunch.data, bunch.target) if return_X_y else bunch
