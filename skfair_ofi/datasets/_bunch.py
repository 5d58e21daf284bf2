"""The files in ``data``, and the Bunch the loaders return.

A loaded data set is always a pandas frame: its columns mix text and numbers,
which one NumPy array cannot hold without losing their types. So there is no
``as_frame`` option. Beyond scikit-learn's own fields a Bunch has ``pos_label``,
the favorable label, since the target's 1 is not always the good outcome.
"""

from importlib.resources import as_file, files
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

_PACKAGE, _FOLDER = "skfair_ofi.datasets", "data"


def read_table(filename: str) -> pd.DataFrame:
    """Read a CSV file, compressed or not, from the package's data."""
    with as_file(files(_PACKAGE) / _FOLDER / filename) as path:
        return pd.read_csv(path)


def read_text(filename: str) -> str:
    """Read a text file from the package's data."""
    return (files(_PACKAGE) / _FOLDER / filename).read_text(encoding="utf-8")


def make_bunch(
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
        DESCR=read_text(description),
        filename=filename,
        data_module=f"{_PACKAGE}.{_FOLDER}",
    )
