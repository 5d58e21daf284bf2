"""Models as input: estimators, files of them, and what they predict.

A file of a model can hold code. ``.onnx`` never does; ``.skops`` is loaded with
the types that the user lists and no others; ``module:object`` is code that the
user names, as any import is; pickles run whatever their author wanted, so they
are loaded only where that is asked for. What any of it prints goes to the
standard error, since the standard output is the report's, and none of it ends
the audit by leaving Python.
"""

import importlib
import sys
import warnings
from collections.abc import Sequence, Set as AbstractSet
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ._faults import SpecError

PREDICTION, PROBABILITY = "prediction", "probability"
_THEIR_ERRORS = (Exception, SystemExit)
_PICKLES = (".pkl", ".pickle", ".joblib")


class OnnxModel:
    """A classifier in an ONNX file."""

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(str(path), options)
        self._inputs = self._session.get_inputs()
        if len(self._inputs) > 1:
            self.feature_names_in_ = [column.name for column in self._inputs]

    def _feed(self, rows: Any) -> dict[str, Any]:
        if len(self._inputs) == 1:
            return {self._inputs[0].name: rows.to_numpy(dtype=np.float32)}
        return {
            column.name: _cast_column(rows[column.name].to_numpy(), column.type)[:, None]
            for column in self._inputs
        }

    def predict(self, rows: Any) -> np.ndarray:
        """Return the label of each row of a pandas frame."""
        labels: np.ndarray = np.asarray(self._session.run(None, self._feed(rows))[0])
        return labels.reshape(len(rows))

    def predict_proba(self, rows: Any) -> np.ndarray:
        """Return the probability of each label, one row a person."""
        found = self._session.run(None, self._feed(rows))
        if len(found) < 2:
            raise ValueError("model must have probabilities as its second output, got none.")
        if isinstance(found[1], list):
            return np.array([list(row.values()) for row in found[1]])
        return np.asarray(found[1])


def _cast_column(values: Any, kind: str) -> Any:
    """A column as the type that an ONNX model wants."""
    if "string" in kind:
        return values.astype(str).astype(object)
    return values.astype(np.int64 if "int" in kind else np.float32)


def _load_skops(path: Path, trusted: Sequence[str]) -> Any:
    from skops import io

    unknown = [name for name in io.get_untrusted_types(file=path) if name not in trusted]
    if unknown:
        raise SpecError(
            [f"model {path.name!r} holds types that are not trusted: {', '.join(unknown)}."]
        )
    return io.load(path, trusted=list(trusted))


def _tell(error: BaseException) -> str:
    """What an error of somebody else's code says, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200].rstrip(".: ")


def _import_model(name: str) -> Any:
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except _THEIR_ERRORS as error:
        raise SpecError(
            [f"model must be an object that can be imported, got {name!r}: {_tell(error)}."]
        ) from error
    if not callable(found) or (hasattr(found, "predict") and not isinstance(found, type)):
        return found
    try:
        return found()
    except _THEIR_ERRORS as error:
        raise SpecError(
            [f"model must be what a function returns without arguments, got {_tell(error)}."]
        ) from error


def _load_pickle(path: Path) -> Any:
    import joblib  # noqa: PLC0415

    warnings.warn(
        f"Loading the pickle {path.name!r} runs whatever code its author put into it.",
        UserWarning,
        stacklevel=4,
    )
    return joblib.load(path)


def load_model(name: str, *, trusted: Sequence[str] = (), allow_pickle: bool = False) -> Any:
    """Load a model from a file, or import it.

    Parameters
    ----------
    name : str
        A ``.skops``, ``.onnx``, ``.pkl``, ``.pickle`` or ``.joblib`` file, or
        "module:object" for an estimator, or a function that returns one.
    trusted : sequence of str, default=()
        Types that a ``.skops`` file may hold beside those it trusts itself.
    allow_pickle : bool, default=False
        Whether a pickle is loaded, which runs any code in it.

    Returns
    -------
    object
        Something with ``predict``.

    Raises
    ------
    SpecError
        If it is no such thing, or holds what is not trusted.

    Examples
    --------
    >>> load_model("sklearn.dummy:DummyClassifier")
    DummyClassifier()
    """
    with redirect_stdout(sys.stderr):
        return _load_file(name, trusted, allow_pickle=allow_pickle)


def _load_file(name: str, trusted: Sequence[str], *, allow_pickle: bool) -> Any:
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix not in (".skops", ".onnx", *_PICKLES):
        if ":" not in name:
            raise SpecError(
                [f"model must be a .skops, .onnx or pickle file or module:object, got {name!r}."]
            )
        return _import_model(name)
    if not path.is_file():
        raise SpecError([f"model must be a file that exists, got {path.name!r}."])
    if suffix in _PICKLES and not allow_pickle:
        raise SpecError(
            [f"model {path.name!r} is a pickle, which runs any code in it: allow it explicitly."]
        )
    try:
        match suffix:
            case ".skops":
                return _load_skops(path, trusted)
            case ".onnx":
                return OnnxModel(path)
            case _:
                return _load_pickle(path)
    except ImportError as error:
        package = "skops" if suffix == ".skops" else "onnxruntime"
        raise SpecError(
            [f"model needs the package {error.name or package}: pip install 'skfair-ofi[models]'."]
        ) from None
    except SpecError:
        raise
    except _THEIR_ERRORS as error:
        raise SpecError([f"model {path.name!r} cannot be loaded: {_tell(error)}."]) from None


def find_features(
    model: Any, features: Sequence[str] | None, wanted: AbstractSet[str]
) -> list[str]:
    """Return the columns that a model wants."""
    if not hasattr(model, "predict"):
        raise SpecError([f"model must have predict, got {type(model).__name__}."])
    if not wanted & {PREDICTION, PROBABILITY}:
        raise SpecError(
            ["model must be used: write positive = 'prediction == 1' or 'probability >= 0.5'."]
        )
    names = features if features is not None else getattr(model, "feature_names_in_", None)
    if names is None:
        raise SpecError(
            ["features must be given for a model that does not know its own, got none."]
        )
    return [str(name) for name in names]


def _call_model(model: Any, method: str, rows: Any) -> Any:
    try:
        with redirect_stdout(sys.stderr):
            return getattr(model, method)(rows)
    except SpecError:
        raise
    except _THEIR_ERRORS as error:
        raise SpecError(
            [f"model must predict from the columns it is given, got {_tell(error)}."]
        ) from error


def _read_array(values: Any, what: str) -> Any:
    """What a model returns as an array; a masked one stays masked."""
    if isinstance(values, np.ma.MaskedArray):
        return values
    try:
        return np.asarray(values)
    except ValueError:
        raise SpecError(
            [f"{what} must return one value a row, got rows of different lengths."]
        ) from None


def _make_column(array: Any, length: int, what: str) -> Any:
    """An array as a column, null where a value is masked or missing."""
    if array.shape != (length,):
        raise SpecError([f"{what} must return one value a row, got shape {array.shape}."])
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
    listed = isinstance(array, np.ma.MaskedArray) or array.dtype.kind not in "biuf"
    try:
        return pa.array(array.tolist() if listed else array, from_pandas=True)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise SpecError(
            [f"{what} must return numbers, text or booleans of one type, got {_tell(error)}."]
        ) from None


def predict_columns(model: Any, rows: Any, *, with_probability: bool) -> dict[str, Any]:
    """Return what a model predicts, as new columns."""
    labels = _read_array(_call_model(model, "predict", rows), "predict")
    columns = {PREDICTION: _make_column(labels, len(rows), "predict")}
    if with_probability:
        if not hasattr(model, "predict_proba"):
            raise SpecError(["model must have predict_proba where probability is used."])
        probabilities = _read_array(_call_model(model, "predict_proba", rows), "predict_proba")
        if probabilities.ndim != 2 or probabilities.shape[1] != 2:
            raise SpecError(
                [f"predict_proba must have two columns, got shape {probabilities.shape}."]
            )
        columns[PROBABILITY] = _make_column(probabilities[:, 1], len(rows), "predict_proba")
    return columns
