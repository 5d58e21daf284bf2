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
    """Datasets of other people, by their attributes or number, are not compared."""
    same = r"^dataset_true must hold the same people in the same order as dataset_pred, got "
    given = dataset(people, "y_pred"), dataset(people, "y_corrected")
    others = people.assign(sex=1.0 - people["sex"])
    with pytest.raises(ValueError, match=same + r"other protected attributes\.$"):
        from_aif360(*given, dataset_true=dataset(others, "y_true"))
    with pytest.raises(ValueError, match=same + r"9 people, not 16\.$"):
        from_aif360(*given, dataset_true=dataset(people.head(9), "y_true"))


def test_other_attributes_are_refused(people: pd.DataFrame) -> None:
    """Attributes of other names are not compared, even where their values agree."""
    renamed = dataset(people, "y_corrected")
    renamed.protected_attribute_names = ["race", "sex"]
    message = (
        r"^dataset_corrected must hold the same people in the same order as dataset_pred, got the "
        r"protected attributes \['race', 'sex'\]\.$"
    )
    with pytest.raises(ValueError, match=message):
        from_aif360(dataset(people, "y_pred"), renamed)


def test_another_order_is_refused(people: pd.DataFrame) -> None:
    """The same people in another order are refused, even where their attributes agree."""
    alike = people.assign(sex=1.0, race=0.0)
    order = [1, 0, *range(2, 16)]
    message = (
        r"^dataset_corrected must hold the same people in the same order as dataset_pred, got "
        r"instance names that differ at row 0: '0' and '1'\.$"
    )
    with pytest.raises(ValueError, match=message):
        from_aif360(dataset(alike, "y_pred"), dataset(alike, "y_pred").subset(order))


def test_other_weights_are_refused(people: pd.DataFrame) -> None:
    """One person has one weight."""
    weights = [1.0] * 15 + [2.5]
    message = (
        r"^dataset_corrected must hold the same people in the same order as dataset_pred, got "
        r"instance weights that differ at row 15: 1\.0 and 2\.5\.$"
    )
    with pytest.raises(ValueError, match=message):
        from_aif360(dataset(people, "y_pred"), dataset(people, "y_corrected", weights=weights))


def test_lists_of_another_length_are_refused(people: pd.DataFrame) -> None:
    """A dataset whose names are not one a person is refused."""
    broken = dataset(people, "y_corrected")
    broken.instance_names = ["0"]
    message = (
        r"^dataset_corrected must hold the same people in the same order as dataset_pred, got "
        r"1 instance names, not 16\.$"
    )
    with pytest.raises(ValueError, match=message):
        from_aif360(dataset(people, "y_pred"), broken)


def test_names_and_weights_may_be_absent(people: pd.DataFrame) -> None:
    """Names and weights are compared where both datasets have them."""
    bare = dataset(people, "y_corrected")
    del bare.instance_names, bare.instance_weights
    assert from_aif360(dataset(people, "y_pred"), bare).counts.n == 16


def test_other_favorable_labels_are_refused(people: pd.DataFrame) -> None:
    """Datasets that favor different labels are not compared."""
    message = r"dataset_corrected must have the favorable label of dataset_pred, 1\.0, got 0\.0\.$"
    with pytest.raises(ValueError, match=message):
        from_aif360(dataset(people, "y_pred"), dataset(people, "y_corrected", favorable=0.0))


def test_other_unfavorable_labels_are_refused(people: pd.DataFrame) -> None:
    """Datasets that mean other things by the unfavorable label are not compared."""
    other = dataset(people, "y_corrected")
    other.unfavorable_label = 2.0
    message = (
        r"^dataset_corrected must have the unfavorable label of dataset_pred, 0\.0, got 2\.0\.$"
    )
    with pytest.raises(ValueError, match=message):
        from_aif360(dataset(people, "y_pred"), other)


def test_other_names_of_labels_are_refused(people: pd.DataFrame) -> None:
    """Datasets that give the labels other names are not compared; no names are no contradiction."""
    maps = [{"label_maps": [{1.0: first, 0.0: second}]} for first, second in ("yn", "ny")]
    named, otherwise = (dataset(people, "y_pred", metadata=each) for each in maps)
    message = (
        r"^dataset_corrected must name its labels as dataset_pred does, \{1\.0: 'y', 0\.0: 'n'\}, "
        r"got \{1\.0: 'n', 0\.0: 'y'\}\.$"
    )
    with pytest.raises(ValueError, match=message):
        from_aif360(named, otherwise)
    assert from_aif360(named, dataset(people, "y_corrected")).counts.labels == ("n", "y")


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
