"""Reports from AIF360's own datasets."""

from typing import Any

import pandas as pd
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.report import from_aif360, proportionality_report


@pytest.fixture
def people() -> pd.DataFrame:
    """Sixteen people by sex, race, true, predicted and corrected label."""
    return pd.DataFrame(
        {
            "sex": [0.0, 1.0] * 8,
            "race": [0.0, 0.0, 1.0, 1.0] * 4,
            "y_true": [1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0] * 2,
            "y_pred": [0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0] * 2,
            "y_corrected": [1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0] * 2,
        }
    )


def dataset(
    people: pd.DataFrame, label: str, *, favorable: float = 1.0, weights: Any = None, **more: Any
) -> Any:
    """A real BinaryLabelDataset of one of the labels."""
    datasets = pytest.importorskip("aif360.datasets")
    frame = people[["sex", "race", label]].rename(columns={label: "y"})
    if weights is not None:
        frame = frame.assign(w=weights)
        more["instance_weights_name"] = "w"
    return datasets.BinaryLabelDataset(
        df=frame,
        label_names=["y"],
        protected_attribute_names=["sex", "race"],
        favorable_label=favorable,
        unfavorable_label=1.0 - favorable,
        **more,
    )


def test_equals_the_arrays(people: pd.DataFrame) -> None:
    """The datasets give the counts of their arrays."""
    report = from_aif360(
        dataset(people, "y_pred"),
        dataset(people, "y_corrected"),
        dataset_true=dataset(people, "y_true"),
        privileged_groups=[{"sex": 1}],
    )
    expected = proportionality_report(
        people["y_true"],
        people["y_pred"],
        people["y_corrected"],
        sensitive_features=people["sex"],
        privileged=1,
    )
    assert report.counts == expected.counts
    assert report.summary.measures == expected.summary.measures
    assert report.summary.privileged == (1,)


def test_all_attributes_are_crossed(people: pd.DataFrame) -> None:
    """Without group dictionaries, all protected attributes make the groups."""
    report = from_aif360(dataset(people, "y_pred"), dataset(people, "y_corrected"))
    assert report.counts.groups == ((0, 0), (0, 1), (1, 0), (1, 1))
    assert report.counts.feature_names == ("sex", "race")
    assert report.summary.left_out


def test_a_dictionary_may_name_fewer_attributes(people: pd.DataFrame) -> None:
    """A dictionary that does not name an attribute takes all its values."""
    report = from_aif360(
        dataset(people, "y_pred"),
        dataset(people, "y_corrected"),
        privileged_groups=[{"sex": 1, "race": 1}, {"race": 0}],
    )
    assert report.summary.privileged == ((0, 0), (1, 0), (1, 1))


def test_unprivileged_groups_leave_people_out(people: pd.DataFrame) -> None:
    """People in neither list are left out, as AIF360's own measures do."""
    report = from_aif360(
        dataset(people, "y_pred"),
        dataset(people, "y_corrected"),
        privileged_groups=[{"sex": 1, "race": 1}],
        unprivileged_groups=[{"sex": 0, "race": 0}],
    )
    assert set(report.counts.groups) == {(0, 0), (1, 1)}
    assert report.counts.n == 8


def test_names_weights_and_labels(people: pd.DataFrame) -> None:
    """Names of the dataset are used, its weights count, and its favorable label is favorable."""
    metadata = {
        "label_maps": [{1.0: "bad", 0.0: "good"}],
        "protected_attribute_maps": [{1.0: "Male", 0.0: "Female"}],
    }
    options = {"favorable": 0.0, "weights": [2.0] * 16, "metadata": metadata}
    report = from_aif360(
        dataset(people, "y_pred", **options),
        dataset(people, "y_corrected", **options),
        privileged_groups=[{"sex": 1}],
    )
    assert report.counts.groups == ("Female", "Male")
    assert report.counts.labels == ("bad", "good")
    assert report.counts.n == 32
    assert report.summary.privileged == ("Male",)


def test_names_can_be_asked_for(people: pd.DataFrame) -> None:
    """A dictionary may give the name of a value in place of its number."""
    metadata = {"protected_attribute_maps": [{1.0: "Male", 0.0: "Female"}]}
    report = from_aif360(
        dataset(people, "y_pred", metadata=metadata),
        dataset(people, "y_corrected", metadata=metadata),
        privileged_groups=[{"sex": "Male"}],
    )
    assert report.summary.privileged == ("Male",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"dataset_corrected": [1, 0]},
            r"dataset_corrected must be an AIF360 BinaryLabelDataset, got list\.$",
        ),
        (
            {"privileged_groups": [{"age": 1}]},
            r"protected attribute must be one of 'sex', 'race', got 'age'\.$",
        ),
        (
            {"privileged_groups": [{"sex": 7}]},
            r"privileged_groups must match people of the datasets, got \[\{'sex': 7\}\]\.$",
        ),
        (
            {"unprivileged_groups": [{"sex": 0}]},
            r"privileged_groups must be given with unprivileged_groups, got None\.$",
        ),
    ],
)
def test_refusals(people: pd.DataFrame, changes: dict[str, Any], message: str) -> None:
    """What does not fit is refused by the name of the parameter."""
    given = {
        "dataset_pred": dataset(people, "y_pred"),
        "dataset_corrected": dataset(people, "y_corrected"),
    }
    with pytest.raises(ValueError, match=message):
        from_aif360(**{**given, **changes})


def test_other_people_are_refused(people: pd.DataFrame) -> None:
    """Datasets of people in another order are not compared."""
    message = (
        r"dataset_true must hold the same people as dataset_pred, got other protected attributes\.$"
    )
    with pytest.raises(ValueError, match=message):
        from_aif360(
            dataset(people, "y_pred"),
            dataset(people, "y_corrected"),
            dataset_true=dataset(people.iloc[::-1], "y_true"),
        )


def test_other_favorable_labels_are_refused(people: pd.DataFrame) -> None:
    """Datasets that favor different labels are not compared."""
    message = r"dataset_corrected must have the favorable label of dataset_pred, 1\.0, got 0\.0\.$"
    with pytest.raises(ValueError, match=message):
        from_aif360(dataset(people, "y_pred"), dataset(people, "y_corrected", favorable=0.0))


def test_counts_are_whole_without_weights(people: pd.DataFrame) -> None:
    """Weights that are all 1 are no weights, and counts stay whole."""
    report = from_aif360(dataset(people, "y_pred"), dataset(people, "y_corrected"))
    assert isinstance(report.counts, OutcomeCounts)
    assert report.counts.cells.dtype.kind == "i"


def test_level_and_uncertainty(people: pd.DataFrame) -> None:
    """The level of intervals and uncertain verdicts can be asked for."""
    summary = from_aif360(
        dataset(people, "y_pred"), dataset(people, "y_corrected"), level=0.9, uncertain=True
    ).summary
    assert (summary.level, summary.uncertain) == (0.9, True)
