"""How many calls of this package's own functions four journeys take, beside the former figures.

A call counts where Python enters a function of the package that has a name: no comprehension, which
newer Pythons do not enter, and nothing that NumPy does inside. Each journey runs once before it is
counted, so that what is loaded late is loaded. The former calls are those of the code before its
rebuilding, by this script; a first count, on other people, had found 67, 103, 22,594 and 1,980.

    python -m benchmarks.calls [--quick]
"""

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from fairlearn.postprocessing import ThresholdOptimizer  # noqa: TID253
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import skfair_ofi
from benchmarks import _bench
from skfair_ofi.cli import main as run_command

HERE = str(Path(skfair_ofi.__file__).parent)
# What the code before its rebuilding took (commit 3afc810), and what a journey may take.
FORMER = {"measure": 65, "predict": 95, "report with HTML": 23_044, "audit": 3_110}
MOST = {"measure": 60, "predict": 60, "report with HTML": 10_000}

HEAD = ("journey", "calls", "functions", "modules", "deepest", "former calls", "at most")
WIDTHS = (16, 7, 9, 7, 7, 12, 7)


class Walk(NamedTuple):
    """How a call went through the package."""

    calls: int
    functions: int
    modules: int
    deepest: int


def count_calls(call: Callable[[], Any]) -> Walk:
    """Return how often functions of the package are entered, how many of them, and how deep."""
    entered: list[tuple[str, int]] = []
    depth = deepest = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal depth, deepest
        code = frame.f_code
        own = code.co_filename.startswith(HERE) and not code.co_name.startswith("<")
        if not own or event not in ("call", "return"):
            return
        if event == "return":
            depth -= 1
            return
        depth += 1
        deepest = max(deepest, depth)
        entered.append((code.co_filename, code.co_firstlineno))

    call()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return Walk(len(entered), len(set(entered)), len({file for file, _ in entered}), deepest)


def make_people(rows: int, groups: int) -> dict[str, np.ndarray]:
    """Return labels of people in a few groups, before and after a correction."""
    group = _bench.group_column("object", rows, groups)
    y_pred = _bench.labels(rows, 1)
    y_corrected = _bench.corrected(y_pred, np.unique(group, return_inverse=True)[1])
    return {
        "y_true": _bench.labels(rows, 0),
        "y_pred": y_pred,
        "y_corrected": y_corrected,
        "sensitive_features": group,
    }


def make_predict(people: Mapping[str, np.ndarray]) -> Callable[[], Any]:
    """Return a call of `predict` of a fitted wrapper, with the groups in a column."""
    x = people["y_pred"] + np.random.default_rng(4).normal(size=len(people["y_pred"]))
    X = pd.DataFrame({"x": x, "group": people["sensitive_features"]})
    model = skfair_ofi.CorrectedClassifier(
        make_pipeline(make_column_transformer(("passthrough", ["x"])), LogisticRegression()),
        ThresholdOptimizer(),
        sensitive_features="group",
        random_state=0,
    )
    return partial(model.fit(X, people["y_true"]).predict, X)


def make_audit(people: Mapping[str, np.ndarray], folder: Path) -> Callable[[], Any]:
    """Return a call of the command line that audits a file by the specification it drafts."""
    file, spec = folder / "people.csv", folder / "audit.toml"
    columns = {"actual": "y_true", "predicted": "y_pred", "race": "sensitive_features"}
    pd.DataFrame({name: people[role] for name, role in columns.items()}).to_csv(file, index=False)

    def quietly(*arguments: object) -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            run_command(list(map(str, arguments)))

    quietly("audit", "--init", file, "-o", spec)
    return partial(quietly, "audit", file, "--spec", spec)


def find_journeys(folder: Path, rows: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the journeys by name."""
    three, two = make_people(rows, 3), make_people(rows, 2)
    labels = {name: two[name] for name in ("y_true", "y_pred", "sensitive_features")}
    yield "measure", partial(skfair_ofi.objective_fairness_index, **labels)
    yield "predict", make_predict(two)
    yield "report with HTML", lambda: skfair_ofi.proportionality_report(**three).html()
    yield "audit", make_audit(two, folder)


def main() -> None:
    """Print the calls of each journey."""
    given = _bench.options(__doc__ or "")
    _bench.print_head(HEAD, WIDTHS)
    with tempfile.TemporaryDirectory() as folder:
        for name, call in find_journeys(Path(folder), 200 if given.quick else 2000):
            most = f"{MOST[name]:,}" if name in MOST else "-"
            cells = [*count_calls(call), FORMER[name]]
            _bench.print_row([name, *(f"{cell:,}" for cell in cells), most], WIDTHS)


if __name__ == "__main__":
    main()
