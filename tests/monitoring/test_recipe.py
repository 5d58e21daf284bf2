"""What a `CorrectedClassifier` does is kept by the journal, in workers as well."""

from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression

from skfair_ofi import CorrectedClassifier, OutcomeCounts
from skfair_ofi.monitoring import OutcomeJournal


def predict_batch(model: CorrectedClassifier, X: np.ndarray, groups: list, path: Path) -> list:
    """Predict a batch and append its table, as the page on monitoring says."""
    outcomes = model.predict_outcomes(X, sensitive_features=groups)
    batch = OutcomeCounts.from_arrays(
        y_pred=outcomes.y_pred,
        y_corrected=outcomes.y_corrected,
        sensitive_features=outcomes.groups,
        pos_label=model.pos_label,
        missing_groups="group",
    )
    OutcomeJournal(path).append(batch)
    return outcomes.y_corrected.tolist()


def test_workers_append(tmp_path: Path) -> None:
    """Batches predicted by two processes are all in the journal, people without a group too."""
    rng = np.random.default_rng(0)
    X, path = rng.normal(size=(80, 2)), tmp_path / "outcomes.jsonl"
    groups = [["a", "b", "b", "a"][i % 4] for i in range(80)]
    model = CorrectedClassifier(LogisticRegression(), unseen_groups="base")
    model.fit(X, (X[:, 0] > 0).astype(int), sensitive_features=groups)
    parts = [(X[i : i + 20], [*groups[i : i + 19], None]) for i in range(0, 80, 20)]
    labels = Parallel(n_jobs=2)(delayed(predict_batch)(model, *part, path) for part in parts)
    counts = sum(entry.counts for entry in OutcomeJournal(path))
    assert counts.n == 80
    assert counts.groups == ("a", "b", None)
    assert counts.cells[..., 1].sum() == sum(map(sum, labels))
    assert model.outcome_log_.counts.n == 0
