"""A classifier that corrects its predictions by group and keeps account of whom it flips.

>>> import numpy as np
>>> from fairlearn.postprocessing import ThresholdOptimizer
>>> rng = np.random.default_rng(0)
>>> group = rng.choice(["a", "b"], 200)
>>> X = rng.normal(size=(200, 2)) + (group == "a")[:, None]
>>> y = (X[:, 0] + rng.normal(size=200) > 0.5).astype(int)
>>> model = CorrectedClassifier(corrector=ThresholdOptimizer(), privileged="a", random_state=0)
>>> outcomes = model.fit(X, y, sensitive_features=group).predict_outcomes(
...     X, sensitive_features=group
... )
>>> int((outcomes.y_pred != outcomes.y_corrected).sum())
37
"""

import warnings
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from skfair_ofi._validation import ColumnNames, check_choice, check_lengths, resolve_privileged
from skfair_ofi.counts import check_weights

from ._applied import AppliedCorrection, Case
from ._base import Params, ask, base_estimator, fit_base, routed, router
from ._correctors import Corrector
from ._log import OutcomeLog
from ._make_corrector import make_corrector
from ._out_of_fold import find_splitter, is_frozen, respond_out_of_fold
from ._people import (
    KnownGroups,
    Members,
    check_features,
    check_target,
    is_countable,
    label_codes,
    order_classes,
)


class CorrectedClassifier(AppliedCorrection, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A binary classifier whose predictions a post-processor corrects by group.

    It keeps what the base estimator predicts beside what the post-processor makes
    of it, and counts people by both, so that who was flipped can be reported.

    Parameters
    ----------
    estimator : estimator, default=None
        The base classifier. None takes the post-processor's own (fairlearn's
        ``ThresholdOptimizer(estimator=...)``), or a `LogisticRegression`. A model
        that is fitted already goes into scikit-learn's `FrozenEstimator`.
    corrector : object, default=None
        The post-processor, as its own library makes it: fairlearn's
        ``ThresholdOptimizer``, AIF360's ``EqOddsPostprocessing``,
        ``CalibratedEqOddsPostprocessing`` or ``RejectOptionClassification``, those of
        ``aif360.sklearn``, scikit-learn's ``FixedThresholdClassifier`` or
        ``TunedThresholdClassifierCV``, any object with ``fit`` and
        ``predict(X, sensitive_features=...)``, or a `Corrector`. The object itself is
        not changed. None corrects nothing.
    sensitive_features : str, int or sequence of them, default=None
        Columns of X that make the groups, by name; several give groups that are tuples. X
        must then be a data frame, of any library. Groups that are passed to a method
        take the columns' place there. None: they are passed to `fit` and to every
        other method; where `fit` gets none, everyone is one group.
    privileged : group or collection of groups, default=None
        The privileged groups. AIF360's methods need it, unless their own
        dictionaries sort every group; reports compare everyone else with them.
    pos_label : object, default=None
        The favorable label. None is enough for the labels 0/1, False/True and -1/1.
    unseen_groups : {"error", "base"}, default="error"
        What becomes of people whose group `fit` did not see, or whose group is
        missing: an error, or they keep the base estimator's prediction. They are
        counted, and are no part of tables. People without a group then take no
        part in fitting the post-processor, either.
    record : bool, default=True
        Whether `fit` counts the training outcomes and `predict` adds to a log.
    drop_sensitive_features : bool, default=False
        Whether the base estimator gets X without the columns `sensitive_features`.
    cv : int, splitter, iterable of splits or None, default=None
        Whose predictions the post-processor is fitted on. None does as the wrapped
        library does, which is nearly always to fit it on the base estimator's own
        training data (in-sample): the estimator is at its best there, and fewer people
        seem to need a flip than later do. A number of folds, or a splitter, fits it on
        what models that did not see a person say of that person (out of fold), and the
        estimator on everyone in the end. A model that is fitted already goes into
        `FrozenEstimator`, and is then corrected on data of its own.
    random_state : int, RandomState instance or None, default=None
        Draws of a randomized post-processor, in each call anew: an int gives the
        same draws in the same order for every call. None is fresh randomness;
        AIF360's `seed`, where set, takes its place. NumPy's global generator is
        left as it is.

    Attributes
    ----------
    estimator_ : estimator
        The fitted base classifier.
    corrector_ : Corrector
        The fitted post-processor.
    classes_ : ndarray of shape (2,)
        The labels.
    labels_ : tuple of (unfavorable, favorable)
        The labels by what they mean.
    groups_ : tuple of hashable
        The groups.
    sensitive_feature_names_ : tuple of str or None
        Names of the sensitive features, where they had some.
    privileged_ : tuple of hashable or None
        The privileged groups.
    training_counts_ : OutcomeCounts
        True by predicted by corrected labels of the people in `fit`; with `cv`,
        predicted out of fold. Only with `record`.
    outcome_log_ : OutcomeLog
        Predicted by corrected labels of everyone in `predict`. Only with `record`.
    n_features_in_ : int
        Number of features, sensitive ones included where they are columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, where X has them.

    Notes
    -----
    Sample weights mean repeated rows. They go to the base estimator and to the
    post-processor; where one of them cannot use them, a warning names it.

    With ``cv=None`` the report on the training people is in-sample, and may say that
    fewer people are flipped than later are. With `cv` it is out of fold.

    Examples
    --------
    >>> import pandas as pd
    >>> from fairlearn.postprocessing import ThresholdOptimizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = pd.DataFrame({"score": [1, 2, 3, 4, 1, 2, 3, 4], "group": list("aaaabbbb")})
    >>> y = ["no", "no", "yes", "yes", "no", "no", "no", "yes"]
    >>> model = CorrectedClassifier(
    ...     LogisticRegression(),
    ...     ThresholdOptimizer(constraints="false_positive_rate_parity"),
    ...     sensitive_features="group",
    ...     privileged="a",
    ...     pos_label="yes",
    ...     drop_sensitive_features=True,
    ... )
    >>> model.fit(X, y).predict(X).tolist()
    ['no', 'no', 'yes', 'yes', 'no', 'no', 'no', 'yes']
    >>> model.outcome_log_
    OutcomeLog(n=8, unseen=0)
    """

    def __init__(
        self,
        estimator: Any = None,
        corrector: Any = None,
        *,
        sensitive_features: ColumnNames | None = None,
        privileged: Any = None,
        pos_label: Any = None,
        unseen_groups: Literal["error", "base"] = "error",
        record: bool = True,
        drop_sensitive_features: bool = False,
        cv: Any = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.corrector = corrector
        self.sensitive_features = sensitive_features
        self.privileged = privileged
        self.pos_label = pos_label
        self.unseen_groups = unseen_groups
        self.record = record
        self.drop_sensitive_features = drop_sensitive_features
        self.cv = cv
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        **params: Any,
    ) -> Self:
        """Fit the base estimator, then the post-processor on what it says.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels, of two classes.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, one row a person. None takes the columns that the constructor
            names; groups that are given take their place.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which mean repeated rows.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        CorrectedClassifier
            Itself.

        Raises
        ------
        ValueError
            If a parameter, label, group or weight is not what it must be, or the
            post-processor cannot be fitted on these people; it says which group.
        """
        check_choice("unseen_groups", self.unseen_groups, ("error", "base"))
        corrector = make_corrector(self.corrector)
        estimator = base_estimator(self.estimator, corrector)
        own = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
        asked = routed(self, "fit", params, **own)
        y = check_target(y)
        weight = None if sample_weight is None else check_weights(sample_weight)
        check_lengths(y=len(y), sample_weight=None if weight is None else len(weight))
        check_features(self, X, reset=True)
        features = self._features(X, sensitive_features)
        self.estimator_ = fit_base(estimator, self._inner(X), y, asked, weight)
        self._fit_labels(y, divided=features is not None)
        self._fit_groups(features, weight, corrector)
        members = self._members(features, len(y), None if weight is None else weight > 0)
        rows, case = self._respond(
            X,
            y,
            members=members,
            asked=asked,
            weight=weight,
            estimator=estimator,
            corrector=corrector,
        )
        kept = None if weight is None else weight[rows]
        self._fit_corrector(corrector, case, label_codes(y[rows], self.labels_, "y"), kept)
        return self

    def _respond(
        self,
        X: Any,
        y: np.ndarray,
        *,
        members: Members,
        asked: Params,
        weight: np.ndarray | None,
        estimator: Any,
        corrector: Corrector,
    ) -> tuple[np.ndarray, Case]:
        """Row numbers of the people to fit the post-processor on, and what is said of them."""
        inner = self._inner(X)
        frozen = is_frozen(estimator)
        if frozen and self.cv is not None:
            raise ValueError(
                "cv must be None where the estimator is fitted already: no fold would be kept "
                f"from it, got {self.cv!r}."
            )
        splitter = find_splitter(corrector.cv if self.cv is None else self.cv, y)
        self._out_of_fold = splitter is not None and not frozen
        self._never_held_out = 0
        if splitter is None:
            response = ask(self.estimator_, inner, self.labels_, asked)
            return np.arange(len(y)), Case(response, members)
        rows, response = respond_out_of_fold(
            estimator, inner, y, splitter, labels=self.labels_, params=asked, sample_weight=weight
        )
        self._never_held_out = len(y) - len(rows)
        return rows, Case(response, members.take(rows))

    def _fit_labels(self, y: np.ndarray, *, divided: bool) -> None:
        self.classes_ = np.asarray(getattr(self.estimator_, "classes_", np.unique(y)))
        classes = self.classes_.tolist()
        self.labels_ = order_classes(classes, self.pos_label, divided=divided)
        places = [classes.index(label) if label in classes else 0 for label in self.labels_]
        self._decoded = self.classes_[places]

    def _fit_groups(self, features: Any, weight: np.ndarray | None, corrector: Corrector) -> None:
        if features is None:
            self._known = KnownGroups.undivided()
        else:
            self._known = KnownGroups.seen_in(features, weight)
        if features is None and corrector.needs_groups:
            warnings.warn(
                f"No sensitive_features were given, so {corrector.name} sees everyone as one "
                "group.",
                UserWarning,
                stacklevel=3,
            )
        self.groups_, self.sensitive_feature_names_ = self._known.keys, self._known.names
        self.privileged_ = (
            None if self.privileged is None else resolve_privileged(self.privileged, self.groups_)
        )

    def _fit_corrector(
        self, corrector: Corrector, case: Case, y_true: np.ndarray, weight: np.ndarray | None
    ) -> None:
        rows = case.members.codes >= 0
        if weight is not None:
            rows &= weight > 0
        groups = self._known.as_groups(case.members, rows, self.privileged_)
        kept = None if weight is None else weight[rows]
        self.corrector_ = corrector.fit(y_true[rows], case.response.take(rows), groups, kept)
        self.privileged_ = self.privileged_ or corrector.privileged_keys
        for earlier in ("training_counts_", "outcome_log_"):
            self.__dict__.pop(earlier, None)
        if self.record and is_countable(self.classes_.tolist(), self.pos_label):
            corrected = self._corrected(case)
            self.training_counts_ = self._count(case, y_true, corrected, weight)
            self.outcome_log_ = OutcomeLog(self.groups_, self.labels_, self._known.names)

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        **params: Any,
    ) -> float:
        """Return the accuracy of the corrected labels; the log stays as it is.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, as in `predict`.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        float
            Accuracy.
        """
        # sklearn.metrics loads rich, and importing this package must not.
        from sklearn.metrics import accuracy_score  # noqa: PLC0415

        case = self._consider(X, sensitive_features, params, "score")
        corrected = self._decoded[self._corrected(case)]
        return float(accuracy_score(y, corrected, sample_weight=sample_weight))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata is consumed, and reaches the base estimator.

        Returns
        -------
        MetadataRouter
            scikit-learn's description of it.
        """
        estimator = base_estimator(self.estimator, make_corrector(self.corrector))
        return router(self, estimator, self.cv)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        corrector = make_corrector(self.corrector)
        inner = get_tags(base_estimator(self.estimator, corrector))
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = False
        # The draws of a randomized rule belong to places in the input, not to people.
        tags.non_deterministic = corrector.randomized or inner.non_deterministic
        return tags
