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
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from skfair_ofi._counts import OutcomeCounts
from skfair_ofi._validation import (
    check_choice,
    check_lengths,
    check_weights,
    columns_of,
    resolve_labels,
    resolve_privileged,
)
from skfair_ofi.report import ProportionalityReport

from ._base import Params, ask, base_estimator, fit_base, routed, router
from ._correctors import Corrector, Response, make_corrector
from ._log import OutcomeLog, count_people, report_on
from ._people import (
    KnownGroups,
    Members,
    check_features,
    check_target,
    is_countable,
    label_codes,
    order_classes,
    without_columns,
)

_TRAINING = "the people in fit"
_SINCE_FIT = "everyone in predict since fit"


class Outcomes(NamedTuple):
    """Predicted beside corrected labels.

    Parameters
    ----------
    y_pred : ndarray of shape (n_samples,)
        What the base estimator predicts.
    y_corrected : ndarray of shape (n_samples,)
        What the post-processor makes of it.
    groups : ndarray of object of shape (n_samples,)
        Group keys; tuples where there are several sensitive features.
    """

    y_pred: np.ndarray
    y_corrected: np.ndarray
    groups: np.ndarray


class _Case(NamedTuple):
    """People at hand: what the estimator said, and which group each is in."""

    response: Response
    members: Members


class CorrectedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
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
        ``CalibratedEqOddsPostprocessing`` or ``RejectOptionClassification``, or a
        `Corrector`. It is fitted on the same people as the base estimator, and the
        object itself is not changed. None corrects nothing.
    sensitive_features : str or sequence of str, default=None
        Columns of X that make the groups; several give groups that are tuples. X
        must then be a data frame, of any library. None: they are passed to `fit`
        and to every other method; where `fit` gets none, everyone is one group.
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
    privileged_ : tuple of hashable or None
        The privileged groups.
    training_counts_ : OutcomeCounts
        True by predicted by corrected labels of the people in `fit`. Only with
        `record`.
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

    A post-processor fitted on the base estimator's training data sees it at its
    best, and may flip more people later than `report_` says.

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
        sensitive_features: str | Sequence[str] | None = None,
        privileged: Any = None,
        pos_label: Any = None,
        unseen_groups: Literal["error", "base"] = "error",
        record: bool = True,
        drop_sensitive_features: bool = False,
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
            names.
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
        case = self._case(X, features, asked, None if weight is None else weight > 0)
        self._fit_corrector(corrector, case, label_codes(y, self.labels_, "y"), weight)
        return self

    def _features(self, X: Any, sensitive_features: Any) -> Any:
        """Sensitive features: those passed, else columns of X, else None."""
        if sensitive_features is not None or self.sensitive_features is None:
            return sensitive_features
        return columns_of(X, self.sensitive_features)

    def _inner(self, X: Any) -> Any:
        """X as the base estimator gets it."""
        if not self.drop_sensitive_features:
            return X
        return without_columns(X, self.sensitive_features)

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
        self.groups_ = self._known.keys
        self.privileged_ = (
            None if self.privileged is None else resolve_privileged(self.privileged, self.groups_)
        )

    def _fit_corrector(
        self, corrector: Corrector, case: _Case, y_true: np.ndarray, weight: np.ndarray | None
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

    def _check_countable(self) -> None:
        resolve_labels({"y": self.classes_.tolist()}, self.pos_label)

    def _case(
        self, X: Any, features: Any, asked: Params, present: np.ndarray | None = None
    ) -> _Case:
        response = ask(self.estimator_, self._inner(X), self.labels_, asked)
        members = self._known.members(features, len(response))
        if self.unseen_groups == "error":
            self._known.check_known(members, present)
        return _Case(response, members)

    def _consider(self, X: Any, sensitive_features: Any, params: Any, method: str) -> _Case:
        check_is_fitted(self)
        asked = routed(self, method, params, sensitive_features=sensitive_features)
        check_features(self, X, reset=False)
        features = self._features(X, sensitive_features)
        if features is None and self._known.divided:
            raise ValueError("sensitive_features must be given as it was to fit, got None.")
        if features is not None and not self._known.divided and self.corrector_.needs_groups:
            raise ValueError(f"sensitive_features must be None as in fit, got {features!r}.")
        return self._case(X, features, asked)

    def _for_known(self, case: _Case, rule: Callable[..., np.ndarray], kind: type) -> np.ndarray:
        """Apply a rule to people of known groups; others keep their prediction."""
        rows = case.members.codes >= 0
        result: np.ndarray = case.response.predicted.astype(kind)
        if rows.any():
            response = case.response if rows.all() else case.response.take(rows)
            result[rows] = rule(
                response, self._known.as_groups(case.members, rows, self.privileged_)
            )
        return result

    def _corrected(self, case: _Case) -> np.ndarray:
        rule = partial(self.corrector_.correct, random_state=self.random_state)
        return self._for_known(case, rule, np.int8)

    def _count(
        self,
        case: _Case,
        y_true: np.ndarray | None,
        favorable: np.ndarray,
        weight: np.ndarray | None = None,
    ) -> OutcomeCounts:
        return count_people(
            self._known,
            self.labels_,
            case.members.codes,
            y_true=y_true,
            predicted=case.response.predicted,
            favorable=favorable,
            sample_weight=weight,
        )

    def predict(self, X: Any, *, sensitive_features: Any = None, **params: Any) -> np.ndarray:
        """Return corrected labels, and add to the log.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, one row a person. None takes the columns that the constructor
            names.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        case = self._consider(X, sensitive_features, params, "predict")
        corrected = self._corrected(case)
        if self.record and hasattr(self, "outcome_log_"):
            unseen = int((case.members.codes < 0).sum())
            self.outcome_log_.add(self._count(case, None, corrected), unseen)
        labels: np.ndarray = self._decoded[corrected]
        return labels

    def predict_outcomes(
        self, X: Any, *, sensitive_features: Any = None, **params: Any
    ) -> Outcomes:
        """Return predicted labels, corrected labels and groups; the log stays as it is.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, as in `predict`.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        Outcomes
            Arrays `y_pred`, `y_corrected`, `groups`.
        """
        case = self._consider(X, sensitive_features, params, "predict")
        predicted, corrected = case.response.predicted, self._corrected(case)
        return Outcomes(self._decoded[predicted], self._decoded[corrected], case.members.labels)

    def corrected_proba(
        self, X: Any, *, sensitive_features: Any = None, **params: Any
    ) -> np.ndarray:
        """Return the probability of the favorable corrected label.

        Over the post-processor's own randomness, not the model's belief: 0 or 1
        for everyone where the rule is not randomized.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, as in `predict`.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        ndarray of float of shape (n_samples,)
            Probabilities.
        """
        case = self._consider(X, sensitive_features, params, "predict")
        return self._for_known(case, self.corrector_.correct_proba, np.float64)

    def expected_counts(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        **params: Any,
    ) -> OutcomeCounts:
        """Return the table averaged over the post-processor's own randomness.

        Exact, from the rule's probabilities: it does not depend on a seed. People
        of unseen or missing groups are left out.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,), default=None
            True labels, where they are known.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, as in `predict`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which mean repeated rows.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        OutcomeCounts
            With fractional cells.
        """
        case = self._consider(X, sensitive_features, params, "predict")
        favorable = self._for_known(case, self.corrector_.correct_proba, np.float64)
        return self._table(case, y, favorable, sample_weight)

    def _table(
        self, case: _Case, y: Any, favorable: np.ndarray, sample_weight: Any = None
    ) -> OutcomeCounts:
        self._check_countable()
        y_true = None if y is None else label_codes(y, self.labels_, "y")
        weight = None if sample_weight is None else check_weights(sample_weight)
        check_lengths(
            X=len(favorable),
            y=None if y_true is None else len(y_true),
            sample_weight=None if weight is None else len(weight),
        )
        return self._count(case, y_true, favorable, weight)

    @property
    def report_(self) -> ProportionalityReport:
        """The report on the people in `fit`, marked as in-sample. Only with `record`."""
        if not hasattr(self, "training_counts_"):
            check_is_fitted(self)
            self._check_countable()
            raise AttributeError("report_ needs record=True in fit, got record=False.")
        return report_on(
            self.training_counts_, self.corrector_, self.privileged_, _TRAINING, in_sample=True
        )

    def report(
        self,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        sensitive_features: Any = None,
        sample_weight: ArrayLike | None = None,
        expected: bool = False,
        source: str | None = None,
    ) -> ProportionalityReport:
        """Return the report on who is flipped among some people, or was since `fit`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), default=None
            Features. None reports on everyone in the log: what `predict` really did.
        y : array-like of shape (n_samples,), default=None
            True labels. Without them the report says what it leaves out.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, as in `predict`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which mean repeated rows.
        expected : bool, default=False
            Whether to report the average over the post-processor's own
            randomness (`expected_counts`) instead of what `predict` gives.
        source : str, default=None
            Where the data came from, for the report's first lines.

        Returns
        -------
        ProportionalityReport
            The report.

        Raises
        ------
        ValueError
            If there is nobody to report on, or it is not known which label is
            favorable.
        """
        check_is_fitted(self)
        self._check_countable()
        if X is None:
            return self._logged_report(source, y, sensitive_features, sample_weight)
        case = self._consider(X, sensitive_features, {}, "predict")
        if expected:
            favorable = self._for_known(case, self.corrector_.correct_proba, np.float64)
        else:
            favorable = self._corrected(case)
        counts = self._table(case, y, favorable, sample_weight)
        strangers = int((case.members.codes < 0).sum())
        return report_on(counts, self.corrector_, self.privileged_, source, strangers=strangers)

    def _logged_report(self, source: str | None, *without_x: Any) -> ProportionalityReport:
        if any(given is not None for given in without_x):
            raise ValueError(
                "X must be given with y, sensitive_features and sample_weight, got None."
            )
        log = getattr(self, "outcome_log_", None)
        if log is None or not log.counts.n:
            raise ValueError(
                "X must be given where predict has recorded nobody since fit, got None."
            )
        return report_on(
            log.counts,
            self.corrector_,
            self.privileged_,
            _SINCE_FIT if source is None else source,
            strangers=log.unseen,
        )

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
        return router(self, base_estimator(self.estimator, make_corrector(self.corrector)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        corrector = make_corrector(self.corrector)
        inner = get_tags(base_estimator(self.estimator, corrector))
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = False
        # The draws of a randomized rule belong to places in the input, not to people.
        tags.non_deterministic = corrector.randomized or inner.non_deterministic
        return tags
