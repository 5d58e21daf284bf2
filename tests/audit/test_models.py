"""Models as input: what each kind of file may do, and that numbers do not change."""

import pickle
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import FunctionTransformer

from skfair_ofi.audit import Audit, SpecError, load_model

FEATURES = ["priors_count", "decile_score"]
AUDIT: dict[str, Any] = {
    "truth": "two_year_recid == 1",
    "positive": "prediction == 1",
    "privileged": "race != 'African-American'",
    "criteria": ["disparate_impact", "equal_opportunity_difference"],
}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Return people of two features."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "priors_count": rng.integers(0, 9, 500),
            "decile_score": rng.integers(1, 11, 500),
            "race": rng.choice(["African-American", "Caucasian"], 500),
            "two_year_recid": rng.integers(0, 2, 500),
        }
    )


@pytest.fixture(scope="module")
def model(people: pd.DataFrame) -> LogisticRegression:
    """Return a model that was trained on them."""
    return LogisticRegression().fit(people[FEATURES], people["two_year_recid"])


def values(people: Any, model: Any, **fields: Any) -> list[float]:
    """Return what an audit of the model finds."""
    return [f.value for f in Audit(**{**AUDIT, **fields}).run(people, model).findings]


def test_pickle_needs_to_be_allowed(
    tmp_path: Path, people: pd.DataFrame, model: LogisticRegression
) -> None:
    """A pickle is refused, and with permission loaded with a warning of what that means."""
    path = tmp_path / "model.pkl"
    joblib.dump(model, path)
    with pytest.raises(SpecError, match=r"is a pickle, which runs any code in it: allow it expl"):
        load_model(str(path))
    with pytest.warns(UserWarning, match=r"runs whatever code its author put into it\.$"):
        loaded = load_model(str(path), allow_pickle=True)
    assert values(people, loaded) == values(people, model)


class Trap:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        """Run something on loading."""
        return Path.touch, (self.path,)


@pytest.mark.parametrize("suffix", [".pkl", ".pickle", ".joblib", ".skops", ".onnx"])
def test_nothing_in_a_pickle_runs(tmp_path: Path, suffix: str) -> None:
    """Whatever a file is called, a pickle in it does not run."""
    path, trace = tmp_path / f"model{suffix}", tmp_path / "trace"
    path.write_bytes(pickle.dumps(Trap(trace)))
    with pytest.raises(SpecError, match=r"^The audit has 1 fault: model .*\.$"):
        load_model(str(path))
    assert not trace.exists()


def test_skops_loads_what_is_trusted(
    tmp_path: Path, people: pd.DataFrame, model: LogisticRegression
) -> None:
    """A .skops file gives the model's numbers; a type that is not listed is named and refused."""
    io = pytest.importorskip("skops.io")
    io.dump(model, tmp_path / "model.skops")
    assert values(people, load_model(str(tmp_path / "model.skops"))) == values(people, model)
    io.dump(FunctionTransformer(sys.intern), tmp_path / "other.skops")
    with pytest.raises(SpecError, match=r"holds types that are not trusted: .*\.$"):
        load_model(str(tmp_path / "other.skops"))


def test_onnx(tmp_path: Path, people: pd.DataFrame, model: LogisticRegression) -> None:
    """An ONNX file gives the model's numbers."""
    pytest.importorskip("onnxruntime")
    skl2onnx = pytest.importorskip("skl2onnx")
    rows = people[FEATURES].to_numpy(np.float32)
    (tmp_path / "model.onnx").write_bytes(
        skl2onnx.to_onnx(model, rows[:1], options={"zipmap": False}).SerializeToString()
    )
    loaded = load_model(str(tmp_path / "model.onnx"))
    assert values(people, loaded, features=FEATURES) == values(people, model)
    by_probability = values(people, loaded, features=FEATURES, positive="probability >= 0.5")
    assert by_probability == values(people, model)


def test_object_of_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, people: pd.DataFrame
) -> None:
    """module:object is an estimator, or a function that makes one."""
    (tmp_path / "their_model.py").write_text(
        "class Model:\n"
        "    def predict(self, rows):\n"
        "        return (rows['decile_score'] >= 5).astype(int)\n"
        "made = Model()\n"
        "def make():\n"
        "    return made\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("their_model:made", "their_model:make"):
        found = values(people, load_model(name), features=["decile_score"])
        assert found == values(people, None, positive="decile_score >= 5")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.h5", r"model must be a \.skops, \.onnx or pickle file or module:object, got"),
        ("absent.skops", r"model must be a file that exists, got 'absent\.skops'\."),
        ("absent_module:x", r"model must be an object that can be imported, got 'absent_module:x'"),
        ("math:absent", r"model must be an object that can be imported, got 'math:absent'"),
        (":x", r"model must be an object that can be imported, got ':x'"),
        ("sys:exit", r"model must be what a function returns without arguments, got SystemExit\."),
        (
            "os:strerror",
            r"model must be what a function returns without arguments, got TypeError: .*argument",
        ),
    ],
)
def test_no_model(name: str, message: str) -> None:
    """What is no model is refused."""
    with pytest.raises(SpecError, match=message):
        load_model(name)


class Odd:
    """A model that answers with whatever it was made with."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def predict(self, rows: Any) -> Any:
        """Return the answer."""
        return self.answer

    def predict_proba(self, rows: Any) -> Any:
        """Return the answer."""
        return self.answer


@pytest.mark.parametrize(
    ("model", "fields", "message"),
    [
        (object(), {}, r"model must have predict, got object\."),
        (Odd([1]), {}, r"features must be given for a model that does not know its own, got none"),
        (
            Odd([1]),
            {"features": FEATURES},
            r"predict must return one value a row, got shape \(1,\)",
        ),
        (
            DummyClassifier(),
            {"features": FEATURES},
            r"model must predict from the columns it is given, got NotFittedError: This .*\.$",
        ),
        (Odd([1] * 500), {"features": ["x"]}, r"features must be one of .*, got 'x'\."),
        (
            Odd(np.ones((500, 3))),
            {"features": FEATURES, "positive": "probability > 0.5"},
            r"predict must return one value a row, got shape \(500, 3\)",
        ),
    ],
    ids=[
        "no predict",
        "no features",
        "one answer",
        "not fitted",
        "unknown feature",
        "three classes",
    ],
)
def test_models_that_cannot_be_audited(
    people: pd.DataFrame, model: Any, fields: dict[str, Any], message: str
) -> None:
    """A model that does not answer with one label a row is refused."""
    with pytest.raises(ValueError, match=message):
        values(people, model, **fields)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            [[0.5, 0.5]] * 499 + [[1.0]],
            r"predict must return one value a row, got rows of diff.*\.$",
        ),
        (np.ones(500) * 1j, r"must return numbers, text or booleans of one type, got Arrow.*\.$"),
        ([1 << 70] * 500, r"must return numbers, text or booleans of one type, got .*\.$"),
        (
            np.array([1, "x"] * 250, object),
            r"must return numbers, text or booleans of one type, got Arrow.*\.$",
        ),
    ],
    ids=["ragged", "complex", "huge", "mixed"],
)
def test_answers_that_are_no_labels(people: pd.DataFrame, answer: Any, message: str) -> None:
    """An answer that is no column of numbers, text or booleans is refused in words."""
    with pytest.raises(SpecError, match=message):
        values(people, Odd(answer), features=FEATURES)


@pytest.mark.parametrize(
    "answer",
    [
        np.ma.masked_array(np.arange(500) % 2, np.arange(500) % 5 == 0),
        np.where(np.arange(500) % 5 == 0, np.nan, np.arange(500) % 2).astype(np.longdouble),
        pd.array([None if i % 5 == 0 else i % 2 for i in range(500)], dtype="Int64"),
        [None if i % 5 == 0 else i % 2 for i in range(500)],
    ],
    ids=["masked", "long double", "nullable", "None"],
)
def test_missing_answers(people: pd.DataFrame, answer: Any) -> None:
    """An answer that is masked, NaN, NA or None is missing, and its row is left out."""
    people = people.assign(said=[None if i % 5 == 0 else i % 2 for i in range(500)])
    found = values(people, Odd(answer), features=FEATURES)
    assert found == values(people, None, positive="said == 1")


def test_masked_probabilities(people: pd.DataFrame) -> None:
    """A masked probability is missing."""

    class Masked(Odd):
        def predict(self, rows: Any) -> Any:
            return [1] * len(rows)

    share = np.arange(500) / 500
    answer = np.ma.masked_array([1 - share, share], [[False] * 500, share < 0.25]).T
    people = people.assign(said=np.where(share < 0.25, np.nan, share))
    found = values(people, Masked(answer), features=FEATURES, positive="probability > 0.5")
    assert found == values(people, None, positive="said > 0.5")


class Leaving:
    """A model that leaves Python."""

    def predict(self, rows: Any) -> Any:
        """Leave."""
        sys.exit(0)


def test_model_that_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, people: pd.DataFrame
) -> None:
    """A model that ends the program, as it is imported or asked, is refused instead."""
    with pytest.raises(SpecError, match=r"from the columns it is given, got SystemExit: 0\.$"):
        values(people, Leaving(), features=FEATURES)
    (tmp_path / "leaving_model.py").write_text("raise SystemExit(0)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(SpecError, match=r"got 'leaving_model:m': SystemExit: 0\.$"):
        load_model("leaving_model:m")


def test_what_a_model_prints(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    people: pd.DataFrame,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A model that prints does so on the standard error, apart from the report."""
    (tmp_path / "printing_model.py").write_text(
        "print('imported')\n"
        "class Model:\n"
        "    def predict(self, rows):\n"
        "        print('asked')\n"
        "        return [1] * len(rows)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    values(people, load_model("printing_model:Model"), features=FEATURES)
    assert tuple(capsys.readouterr()) == ("", "imported\nasked\n")


def test_probability_needs_predict_proba(people: pd.DataFrame) -> None:
    """A model without probabilities cannot be audited by them."""

    class Labels:
        def predict(self, rows: Any) -> Any:
            return np.ones(len(rows))

    with pytest.raises(ValueError, match=r"model must have predict_proba where probability is"):
        values(people, Labels(), features=FEATURES, positive="probability > 0.5")


def test_column_that_is_called_like_a_prediction(
    people: pd.DataFrame, model: LogisticRegression
) -> None:
    """A column named prediction beside a model is refused, since one would hide the other."""
    with pytest.raises(ValueError, match=r"data must not have a column 'prediction' where a model"):
        values(people.assign(prediction=0), model)


def test_predictions_are_made_in_batches(people: pd.DataFrame) -> None:
    """A long file is predicted piece by piece, and the pieces add up."""
    sizes: list[int] = []

    class Counting:
        def predict(self, rows: pd.DataFrame) -> Any:
            sizes.append(len(rows))
            return (rows["decile_score"] >= 5).to_numpy()

    many = pd.concat([people] * 300, ignore_index=True)
    found = values(many, Counting(), features=["decile_score"], positive="prediction")
    assert found == values(people, None, positive="decile_score >= 5")
    assert (max(sizes), sum(sizes)) == (1 << 16, 150_000)


def test_text_predictions(people: pd.DataFrame) -> None:
    """Labels may be text."""

    class Words:
        def predict(self, rows: pd.DataFrame) -> Any:
            return np.where(rows["decile_score"] >= 5, "yes", "no")

    found = values(people, Words(), features=["decile_score"], positive="prediction == 'yes'")
    assert found == values(people, None, positive="decile_score >= 5")


class _Counter:
    """Says how many rows it gets at once, and of which types."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, dict[Any, str]]] = []

    def predict(self, rows: pd.DataFrame) -> list[int]:
        """Return 1 for everyone."""
        self.seen.append((len(rows), {name: str(kind) for name, kind in rows.dtypes.items()}))
        return [1] * len(rows)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files_are_predicted_in_pieces(tmp_path: Path, form: str) -> None:
    """A model never gets more than some rows of a file, each column of one type in all pieces."""
    size = 150_000
    people = pd.DataFrame({"g": ["a", "b"] * (size // 2), "whole": 1, "real": 1.0, "code": "1"})
    people.loc[size - 1, ["real", "code"]] = [0.5, "01"]
    path = tmp_path / f"people.{form}"
    if form == "csv":
        text = people.assign(real=["1"] * (size - 1) + ["0.5"])
        text.to_csv(path, index=False)
    else:
        people.to_parquet(path)
    model = _Counter()
    audit = Audit(
        positive="prediction == 1",
        groups="g",
        features=["whole", "real", "code"],
        criteria=["disparate_impact"],
    )
    result = audit.run(path, model)
    assert result.provenance.rows == sum(rows for rows, _ in model.seen) == size
    assert max(rows for rows, _ in model.seen) < size
    kinds = [(found["whole"], found["real"]) for _, found in model.seen]
    assert set(kinds) == {("int64", "float64")}
    assert not any(found["code"].startswith(("int", "float")) for _, found in model.seen)
