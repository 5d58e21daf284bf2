"""Reports from AIF360's datasets, read by their attributes; AIF360 is not imported."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skfair_ofi._validation import check_choice
from skfair_ofi.counts import OutcomeCounts
from skfair_ofi.metrics import Bands

from ._proportionality import ProportionalityReport

_NEEDED = ("labels", "favorable_label", "protected_attributes", "protected_attribute_names")
GroupDicts = Sequence[Mapping[str, Any]]


def _check_dataset(name: str, dataset: Any, like: Any) -> Any:
    """Return a dataset that has what is read, and the same people as another."""
    if not all(hasattr(dataset, attribute) for attribute in _NEEDED):
        raise ValueError(
            f"{name} must be an AIF360 BinaryLabelDataset, got {type(dataset).__name__}."
        )
    difference = _other_people(dataset, like)
    if difference:
        raise ValueError(
            f"{name} must hold the same people in the same order as dataset_pred, got {difference}."
        )
    _check_labels(name, dataset, like)
    return dataset


def _other_people(dataset: Any, like: Any) -> str | None:
    """What shows that two datasets do not hold the same people in the same order."""
    sizes = len(like.protected_attributes), len(dataset.protected_attributes)
    if sizes[0] != sizes[1]:
        return f"{sizes[1]} people, not {sizes[0]}"
    if list(dataset.protected_attribute_names) != list(like.protected_attribute_names):
        return f"the protected attributes {list(dataset.protected_attribute_names)!r}"
    names = _difference("instance_names", dataset, like)
    if names or not np.array_equal(dataset.protected_attributes, like.protected_attributes):
        return names or "other protected attributes"
    return _difference("instance_weights", dataset, like)


def _difference(attribute: str, dataset: Any, like: Any) -> str | None:
    """Where an attribute of one value a person differs; None where one dataset lacks it."""
    ours, theirs = getattr(like, attribute, None), getattr(dataset, attribute, None)
    if ours is None or theirs is None:
        return None
    first, second = (np.asarray(values, dtype=object).ravel() for values in (ours, theirs))
    if len(first) != len(second):
        return f"{len(second)} {attribute.replace('_', ' ')}, not {len(first)}"
    rows = np.flatnonzero(first != second)
    if not len(rows):
        return None
    row = int(rows[0])
    words = f"{attribute.replace('_', ' ')} that differ at row {row}"
    return f"{words}: {first[row]!r} and {second[row]!r}"


def _check_labels(name: str, dataset: Any, like: Any) -> None:
    """Check that two datasets mean the same by their labels."""
    for which in ("favorable", "unfavorable"):
        ours, theirs = (getattr(each, f"{which}_label", None) for each in (like, dataset))
        if ours is not None and theirs is not None and ours != theirs:
            raise ValueError(
                f"{name} must have the {which} label of dataset_pred, {ours!r}, got {theirs!r}."
            )
    ours, theirs = (_map_of(each, "label_maps", 0) for each in (like, dataset))
    if ours and theirs and ours != theirs:
        raise ValueError(
            f"{name} must name its labels as dataset_pred does, {ours!r}, got {theirs!r}."
        )


def _map_of(dataset: Any, key: str, place: int) -> dict[float, Any]:
    """Names that a dataset's metadata gives to values, none where it gives none."""
    maps = (getattr(dataset, "metadata", None) or {}).get(key) or []
    return dict(maps[place]) if place < len(maps) else {}


def _names_of(dataset: Any, key: str, place: int) -> dict[float, Any]:
    """Names of the values of an attribute or of the label, where the dataset knows them."""
    names = _map_of(dataset, key, place)
    values = dataset.labels if key == "label_maps" else dataset.protected_attributes[:, place]
    return names if set(np.unique(values).tolist()) <= set(names) else {}


def _named(values: np.ndarray, names: Mapping[float, Any]) -> np.ndarray:
    if not names:
        return values
    distinct, codes = np.unique(values, return_inverse=True)
    named = np.array([names[value] for value in distinct.tolist()], dtype=object)
    return named[codes.ravel()]


@dataclass(frozen=True)
class _Feature:
    """A protected attribute: its name, each person's value, and the names of the values."""

    name: str
    values: np.ndarray
    names: Mapping[float, Any]

    def means(self, part: Hashable, wanted: Any) -> bool:
        """Whether a part of a group's key is the value wanted, by number or by name."""
        return part in (wanted, self.names.get(wanted, wanted))


def _features(dataset: Any, *dicts: GroupDicts | None) -> list[_Feature]:
    """Return the protected attributes that group dictionaries mention, or all."""
    known = list(dataset.protected_attribute_names)
    mentioned = [name for groups in dicts for group in groups or () for name in group]
    for name in mentioned:
        check_choice("protected attribute", name, known)
    return [
        _Feature(
            name,
            dataset.protected_attributes[:, place],
            _names_of(dataset, "protected_attribute_maps", place),
        )
        for place, name in enumerate(known)
        if name in mentioned or not mentioned
    ]


def _count(datasets: Mapping[str, Any], features: Sequence[_Feature]) -> OutcomeCounts:
    first = datasets["y_pred"]
    names = _names_of(first, "label_maps", 0)
    weights = getattr(first, "instance_weights", None)
    labels = {role: _named(dataset.labels.ravel(), names) for role, dataset in datasets.items()}
    return OutcomeCounts.from_arrays(
        labels.get("y_true"),
        labels["y_pred"],
        labels["y_corrected"],
        sensitive_features={
            feature.name: _named(feature.values, feature.names) for feature in features
        },
        sample_weight=None if weights is None or np.all(weights == 1) else weights,
        pos_label=names.get(first.favorable_label, first.favorable_label),
    )


def _matching(
    name: str, counts: OutcomeCounts, features: Sequence[_Feature], dicts: GroupDicts
) -> list[Hashable]:
    """Groups of the table that a list of AIF360's group dictionaries means."""

    def matches(group: Any) -> bool:
        parts = group if len(features) > 1 else (group,)
        own = {feature.name: (feature, part) for feature, part in zip(features, parts, strict=True)}
        return any(
            all(own[key][0].means(own[key][1], value) for key, value in wanted.items())
            for wanted in dicts
        )

    found = [group for group in counts.groups if matches(group)]
    if not found:
        raise ValueError(f"{name} must match people of the datasets, got {list(dicts)!r}.")
    return found


def from_aif360(
    dataset_pred: Any,
    dataset_corrected: Any,
    *,
    dataset_true: Any = None,
    privileged_groups: GroupDicts | None = None,
    unprivileged_groups: GroupDicts | None = None,
    bands: Mapping[str, Bands] | None = None,
    level: float | None = 0.95,
    uncertain: bool = False,
    title: str | None = None,
    source: str | None = None,
) -> ProportionalityReport:
    """Return the report on AIF360 datasets of predicted and of corrected labels.

    Names that a dataset's ``metadata`` gives to the values of protected attributes
    and of the label (``protected_attribute_maps``, ``label_maps``) are used, and
    instance weights are.

    Parameters
    ----------
    dataset_pred, dataset_corrected : BinaryLabelDataset
        The same people, in the same order, with labels before and after the
        correction. Where they have them, ``instance_names`` and
        ``instance_weights`` must agree.
    dataset_true : BinaryLabelDataset, default=None
        The same people, in the same order, with true labels, where they are known.
    privileged_groups : list of dict, default=None
        As AIF360's own methods take them; everyone else is compared with these
        people. None compares all pairs of groups.
    unprivileged_groups : list of dict, default=None
        The people to compare with the privileged ones, where that is not
        everyone else; people in neither are left out.
    bands : mapping of str to Bands, default=None
        Bands by name or symbol of a measure, in place of those of ``METRICS``.
    level : float or None, default=0.95
        Confidence level of the intervals; None leaves them out.
    uncertain : bool, default=False
        Whether a verdict is "uncertain" where its interval spans a bound, and the
        decision a review where one is.
    title, source : str, default=None
        The report's title, and where the data came from.

    Returns
    -------
    ProportionalityReport
        The report. Groups are made of the attributes that the dictionaries
        mention, or of all protected attributes.

    Raises
    ------
    ValueError
        If something is not such a dataset, the datasets hold different people, hold
        them in another order or with other weights, or mean other things by their
        labels, an attribute is not known, no one is privileged,
        ``unprivileged_groups`` comes without ``privileged_groups``, or as in
        ``summarize``.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> def dataset(labels):  # any object with the attributes of a BinaryLabelDataset
    ...     return SimpleNamespace(
    ...         labels=np.array(labels, dtype=float)[:, None],
    ...         favorable_label=1.0,
    ...         protected_attributes=np.array([[0.0], [0.0], [1.0], [1.0]]),
    ...         protected_attribute_names=["sex"],
    ...     )
    >>> from_aif360(dataset([0, 1, 1, 1]), dataset([1, 1, 1, 0]), privileged_groups=[{"sex": 1}])
    ProportionalityReport(people=4, groups=2, flips=2, decision='change the correction')
    """
    if unprivileged_groups is not None and privileged_groups is None:
        raise ValueError("privileged_groups must be given with unprivileged_groups, got None.")
    given = {"y_pred": dataset_pred, "y_corrected": dataset_corrected, "y_true": dataset_true}
    datasets = {
        role: _check_dataset(role.replace("y_", "dataset_"), dataset, dataset_pred)
        for role, dataset in given.items()
        if dataset is not None
    }
    features = _features(dataset_pred, privileged_groups, unprivileged_groups)
    counts = _count(datasets, features)
    privileged = None
    if privileged_groups is not None:
        privileged = _matching("privileged_groups", counts, features, privileged_groups)
    if unprivileged_groups is not None:
        others = _matching("unprivileged_groups", counts, features, unprivileged_groups)
        counts = counts.pick(*dict.fromkeys([*(privileged or []), *others]))
    return ProportionalityReport.from_counts(
        counts,
        privileged=privileged,
        bands=bands,
        level=level,
        uncertain=uncertain,
        title=title,
        source=source,
    )
