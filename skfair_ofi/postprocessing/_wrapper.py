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
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import check_is_fitted

from skfair_ofi._validation import (
    ColumnNames,
    check_choice,
    check_lengths,
    resolve_labels,
    resolve_privileged,
)
from skfair_ofi.counts import OutcomeCounts, check_weights
from skfair_ofi.report import ProportionalityReport

from ._corrector import Corrector, Response, Weights, make_corrector
from ._estimator import (
    Params,
    ask_estimator,
    check_features,
    choose_estimator,
    find_traits,
    fit_estimator,
    is_frozen,
    make_router,
    route_metadata,
    separate_groups,
)
from ._groups import Groups, check_known, find_groups, match_groups
from ._labels import check_target, encode_labels, is_favorable_known, order_classes
from ._log import OutcomeLog, read_log, report_on
from ._out_of_fold import find_splitter, respond_out_of_fold
from ._outcomes import Outcomes, People, apply_rule, count_people

_POLICIES = ("error", "base")
_TRAINING = "the people in fit"
_OUT_OF_FOLD = "the people in fit, each predicted by a model that did not see them"
_SINCE_FIT = "everyone in predict since fit"


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
        check_choice("unseen_groups", self.unseen_groups, _POLICIES)
        corrector = make_corrector(self.corrector)
        estimator = choose_estimator(self.estimator, corrector)
        self._traits = find_traits(estimator, corrector)
        own = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
        routed = route_metadata(self, "fit", params, **own)
        target = check_target(y)
        weight = None if sample_weight is None else check_weights(sample_weight)
        check_lengths(y=len(target), sample_weight=None if weight is None else len(weight))
        check_features(self, X, reset=True)
        features, inner = separate_groups(
            X, self.sensitive_features, sensitive_features, drop=self.drop_sensitive_features
        )
        self.estimator_ = fit_estimator(estimator, inner, target, routed, weight)
        self._fit_labels(target, divided=features is not None)
        groups = self._fit_groups(features, len(target), weight, corrector)
        rows, response = self._respond(
            inner, target, estimator=estimator, corrector=corrector, routed=routed, weight=weight
        )
        if rows is not None:
            target, groups = target[rows], groups.take(rows)
            weight = None if weight is None else weight[rows]
        self._fit_corrector(corrector, target, response, groups, weight)
        return self

    def _fit_labels(self, y: np.ndarray, *, divided: bool) -> None:
        self.classes_ = np.asarray(getattr(self.estimator_, "classes_", np.unique(y)))
        classes = self.classes_.tolist()
        self.labels_ = order_classes(classes, self.pos_label, divided=divided)
        places = [classes.index(label) if label in classes else 0 for label in self.labels_]
        self._decoded = self.classes_[places]

    def _fit_groups(
        self, features: Any, n_samples: int, weight: Weights, corrector: Corrector
    ) -> Groups:
        groups = find_groups(features, n_samples, weight)
        if features is None and corrector.needs_groups:
            warnings.warn(
                f"No sensitive_features were given, so {corrector.name} sees everyone as one "
                "group.",
                UserWarning,
                stacklevel=3,
            )
        self.groups_, self.sensitive_feature_names_ = groups.keys, groups.names
        self.privileged_ = (
            None if self.privileged is None else resolve_privileged(self.privileged, groups.keys)
        )
        if self.unseen_groups == "error":
            check_known(groups, None if weight is None else weight > 0)
        return replace(groups, privileged=self.privileged_)

    def _respond(
        self,
        inner: Any,
        y: np.ndarray,
        *,
        estimator: Any,
        corrector: Corrector,
        routed: Params,
        weight: Weights,
    ) -> tuple[np.ndarray | None, Response]:
        """Return whom to fit the post-processor on, None for everyone, and the responses."""
        splitter = find_splitter(self.cv, corrector.cv, estimator, y)
        self._out_of_fold = splitter is not None and not is_frozen(estimator)
        self._never_held_out = 0
        if splitter is None:
            return None, ask_estimator(self.estimator_, inner, self.labels_, routed)
        rows, response = respond_out_of_fold(
            estimator, inner, y, splitter, labels=self.labels_, params=routed, sample_weight=weight
        )
        self._never_held_out = len(y) - len(rows)
        return rows, response

    def _fit_corrector(
        self,
        corrector: Corrector,
        y: np.ndarray,
        response: Response,
        groups: Groups,
        weight: Weights,
    ) -> None:
        rows = groups.codes >= 0
        if weight is not None:
            rows &= weight > 0
        self.corrector_ = corrector.fit(
            encode_labels(y, self.labels_, "y")[rows],
            response.take(rows),
            replace(groups.take(rows), unseen=()),
            None if weight is None else weight[rows],
        )
        self.privileged_ = self.privileged_ or corrector.privileged_keys
        groups = replace(groups, privileged=self.privileged_)
        # What `predict` compares other people's groups with holds nobody.
        self._known = replace(groups, codes=groups.codes[:0], unseen=())
        for earlier in ("training_counts_", "outcome_log_"):
            self.__dict__.pop(earlier, None)
        if self.record and is_favorable_known(self.classes_.tolist(), self.pos_label):
            people = People(response, groups, groups)
            corrected = self._correct(people)
            self.training_counts_ = count_people(people, self.labels_, y, corrected, weight)
            self.outcome_log_ = OutcomeLog(self.groups_, self.labels_, groups.names)

    def _gather_people(self, X: Any, sensitive_features: Any, params: Any, method: str) -> People:
        """Return what is known of people before the rule is applied to them."""
        check_is_fitted(self)
        routed = route_metadata(self, method, params, sensitive_features=sensitive_features)
        check_features(self, X, reset=False)
        check_choice("unseen_groups", self.unseen_groups, _POLICIES)
        known = self._known
        features, inner = separate_groups(
            X, self.sensitive_features, sensitive_features, drop=self.drop_sensitive_features
        )
        if features is None and known.divided:
            raise ValueError("sensitive_features must be given as it was to fit, got None.")
        response = ask_estimator(self.estimator_, inner, self.labels_, routed)
        n_samples = len(response.predicted)
        groups = counted = match_groups(known, features, n_samples)
        if groups.unseen and self.unseen_groups == "error":
            check_known(groups)
        if features is not None and not known.divided:
            if self.corrector_.needs_groups:
                raise ValueError(
                    f"sensitive_features must be None as in fit, got {type(features).__name__}."
                )
            counted = find_groups(features, n_samples)
        return People(response, groups, counted)

    def _correct(self, people: People) -> np.ndarray:
        rule = partial(self.corrector_.correct, random_state=self.random_state)
        return apply_rule(people, self.corrector_, rule, np.int8)

    def _estimate(self, people: People) -> np.ndarray:
        return apply_rule(people, self.corrector_, self.corrector_.correct_proba, np.float64)

    def predict(self, X: Any, *, sensitive_features: Any = None, **params: Any) -> np.ndarray:
        """Return corrected labels, and add to the log.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, one row a person. None takes the columns that the constructor
            names; groups that are given take their place. Where `fit` got no groups and
            the rule needs none, they change nothing.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        people = self._gather_people(X, sensitive_features, params, "predict")
        corrected = self._correct(people)
        if self.record and hasattr(self, "outcome_log_"):
            self.outcome_log_.record(people.groups.codes, people.response.predicted, corrected)
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
            Groups, as in `predict`; where `fit` got none and the rule needs none, people
            are listed by them all the same.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        Outcomes
            Arrays `y_pred`, `y_corrected`, `groups`.
        """
        people = self._gather_people(X, sensitive_features, params, "predict")
        corrected = self._decoded[self._correct(people)]
        return Outcomes(self._decoded[people.response.predicted], corrected, people.counted.labels)

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
        people = self._gather_people(X, sensitive_features, params, "predict")
        return self._estimate(people)

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
            Groups, as in `predict`; where `fit` got none and the rule needs none, people
            are counted by them all the same.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which mean repeated rows.
        **params : object
            Further metadata for the base estimator, by scikit-learn's routing.

        Returns
        -------
        OutcomeCounts
            With fractional cells.
        """
        people = self._gather_people(X, sensitive_features, params, "predict")
        resolve_labels({"y": self.classes_.tolist()}, self.pos_label)
        return count_people(people, self.labels_, y, self._estimate(people), sample_weight)

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

        people = self._gather_people(X, sensitive_features, params, "score")
        corrected = self._decoded[self._correct(people)]
        return float(accuracy_score(y, corrected, sample_weight=sample_weight))

    @property
    def training_report_(self) -> ProportionalityReport:
        """The report on the people in `fit`: in-sample, or out of fold. Only with `record`."""
        if not hasattr(self, "training_counts_"):
            check_is_fitted(self)
            resolve_labels({"y": self.classes_.tolist()}, self.pos_label)
            raise AttributeError("training_report_ needs record=True in fit, got record=False.")
        return report_on(
            self.training_counts_,
            self.corrector_,
            self.privileged_,
            never_held_out=self._never_held_out,
            source=_OUT_OF_FOLD if self._out_of_fold else _TRAINING,
            in_sample=not self._out_of_fold,
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
        level: float | None = 0.95,
        uncertain: bool = False,
    ) -> ProportionalityReport:
        """Return the report on who is flipped among some people, or was since `fit`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features), default=None
            Features. None reports on everyone in the log: what `predict` really did.
        y : array-like of shape (n_samples,), default=None
            True labels. Without them the report says what it leaves out.
        sensitive_features : array-like, frame or mapping, default=None
            Groups, as in `predict`; where `fit` got none and the rule needs none, people
            are counted by them all the same.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, which mean repeated rows.
        expected : bool, default=False
            Whether to report the average over the post-processor's own
            randomness (`expected_counts`) instead of what `predict` gives.
        source : str, default=None
            Where the data came from, for the report's first lines.
        level : float or None, default=0.95
            Confidence level of the intervals; None leaves them out.
        uncertain : bool, default=False
            Whether a verdict is "uncertain" where its interval spans a bound, and
            the decision a review where one is.

        Returns
        -------
        ProportionalityReport
            The report.

        Raises
        ------
        ValueError
            If there is nobody to report on, it is not known which label is
            favorable, the level is not between 0 and 1, or None with `uncertain`.
        """
        check_is_fitted(self)
        resolve_labels({"y": self.classes_.tolist()}, self.pos_label)
        if X is None:
            others = (y, sensitive_features, sample_weight)
            counts, unseen = read_log(getattr(self, "outcome_log_", None), others)
            source = _SINCE_FIT if source is None else source
        else:
            people = self._gather_people(X, sensitive_features, {}, "predict")
            unseen = int((people.groups.codes < 0).sum())
            if unseen == len(people.groups):
                raise ValueError(
                    f"sensitive_features must hold some groups that fit saw "
                    f"{list(self.groups_)[:20]}, got none in {unseen} rows, but "
                    f"{list(people.groups.unseen)[:8]}."
                )
            favorable = self._estimate(people) if expected else self._correct(people)
            counts = count_people(people, self.labels_, y, favorable, sample_weight)
        return report_on(
            counts,
            self.corrector_,
            self.privileged_,
            unseen=unseen,
            source=source,
            level=level,
            uncertain=uncertain,
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata is consumed, and reaches the base estimator.

        Returns
        -------
        MetadataRouter
            scikit-learn's description of it.
        """
        estimator = choose_estimator(self.estimator, make_corrector(self.corrector))
        return make_router(self, estimator, self.cv)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        traits = self.__dict__.get("_traits")
        if traits is None:
            corrector = make_corrector(self.corrector)
            traits = find_traits(choose_estimator(self.estimator, corrector), corrector)
        tags.input_tags, tags.non_deterministic = replace(traits[0]), traits[1]
        tags.classifier_tags.multi_class = False
        return tags
