"""What a fitted classifier does with people: predict, correct, count, report."""

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from skfair_ofi._validation import ColumnNames, check_choice, check_lengths, resolve_labels
from skfair_ofi.counts import OutcomeCounts, check_weights, select_columns
from skfair_ofi.report import ProportionalityReport

from ._base import ask, routed
from ._correctors import Corrector, Response
from ._log import OutcomeLog, count_people, report_on
from ._people import KnownGroups, Members, check_features, label_codes, without_columns

_TRAINING = "the people in fit"
_OUT_OF_FOLD = "the people in fit, each predicted by a model that did not see them"
_SINCE_FIT = "everyone in predict since fit"


def _checked(given: Any, people: int, kind: type, name: str) -> np.ndarray:
    """What a rule gave, refused where it is not one label or probability a person."""
    values = np.asarray(given)
    if values.shape != (people,):
        raise ValueError(
            f"{name} must give one value for each of {people} people, got shape {values.shape}."
        )
    if np.issubdtype(kind, np.integer):
        wrong = ~np.isin(values, (0, 1))
    else:  # probabilities may miss their ends by the last digits of a program's solution
        wrong = ~((values >= -1e-6) & (values <= 1 + 1e-6))
    if wrong.any():
        what = "labels 0 and 1" if np.issubdtype(kind, np.integer) else "probabilities"
        raise ValueError(f"{name} must give {what}, got {values[wrong][0]!r}.")
    return values


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


class Case(NamedTuple):
    """People at hand: what the estimator said, and which group each is in.

    A rule that was fitted without groups corrects without them; where groups are given
    later, people are only counted by them.
    """

    response: Response
    members: Members
    given: tuple[KnownGroups, Members] | None = None


class AppliedCorrection:
    """The part of `CorrectedClassifier` that works on what `fit` found."""

    sensitive_features: ColumnNames | None
    pos_label: Any
    unseen_groups: Literal["error", "base"]
    record: bool
    drop_sensitive_features: bool
    random_state: int | np.random.RandomState | None
    estimator_: Any
    corrector_: Corrector
    classes_: np.ndarray
    labels_: tuple[Any, Any]
    privileged_: tuple[Any, ...] | None
    training_counts_: OutcomeCounts
    outcome_log_: OutcomeLog
    _known: KnownGroups
    _decoded: np.ndarray
    _out_of_fold: bool
    _never_held_out: int

    def _features(self, X: Any, sensitive_features: Any) -> Any:
        """Sensitive features: those passed, else columns of X, else None."""
        if sensitive_features is not None or self.sensitive_features is None:
            return sensitive_features
        return select_columns(X, self.sensitive_features)

    def _inner(self, X: Any) -> Any:
        """X as the base estimator gets it."""
        if not self.drop_sensitive_features:
            return X
        return without_columns(X, self.sensitive_features)

    def _check_countable(self) -> None:
        resolve_labels({"y": self.classes_.tolist()}, self.pos_label)

    def _members(self, features: Any, n_samples: int, present: np.ndarray | None) -> Members:
        check_choice("unseen_groups", self.unseen_groups, ("error", "base"))
        members = self._known.members(features, n_samples)
        if self.unseen_groups == "error":
            self._known.check_known(members, present)
        return members

    def _consider(self, X: Any, sensitive_features: Any, params: Any, method: str) -> Case:
        check_is_fitted(self)
        asked = routed(self, method, params, sensitive_features=sensitive_features)
        check_features(self, X, reset=False)
        features = self._features(X, sensitive_features)
        if features is None and self._known.divided:
            raise ValueError("sensitive_features must be given as it was to fit, got None.")
        response = ask(self.estimator_, self._inner(X), self.labels_, asked)
        members = self._members(features, len(response), None)
        if features is None or self._known.divided:
            return Case(response, members)
        if self.corrector_.needs_groups:
            raise ValueError(
                f"sensitive_features must be None as in fit, got {type(features).__name__}."
            )
        return Case(response, members, self._given(features, len(response)))

    @staticmethod
    def _given(features: Any, n_samples: int) -> tuple[KnownGroups, Members]:
        known = KnownGroups.seen_in(features, None)
        return known, known.members(features, n_samples)

    def _for_known(self, case: Case, rule: Callable[..., np.ndarray], kind: type) -> np.ndarray:
        """Apply a rule to people of known groups; others keep their prediction."""
        rows = case.members.codes >= 0
        result: np.ndarray = case.response.predicted.astype(kind)
        if rows.any():
            response = case.response if rows.all() else case.response.take(rows)
            given = rule(response, self._known.as_groups(case.members, rows, self.privileged_))
            result[rows] = _checked(given, int(rows.sum()), kind, self.corrector_.name)
        return result

    def _corrected(self, case: Case) -> np.ndarray:
        rule = partial(self.corrector_.correct, random_state=self.random_state)
        return self._for_known(case, rule, np.int8)

    def _count(
        self,
        case: Case,
        y_true: np.ndarray | None,
        favorable: np.ndarray,
        weight: np.ndarray | None = None,
    ) -> OutcomeCounts:
        known, members = case.given or (self._known, case.members)
        return count_people(
            known,
            self.labels_,
            members.codes,
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
            names; groups that are given take their place. Where `fit` got no groups and
            the rule needs none, they change nothing.
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
            self.outcome_log_.add(self._count(case._replace(given=None), None, corrected), unseen)
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
        case = self._consider(X, sensitive_features, params, "predict")
        predicted, corrected = case.response.predicted, self._corrected(case)
        _, members = case.given or (self._known, case.members)
        return Outcomes(self._decoded[predicted], self._decoded[corrected], members.labels)

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
        case = self._consider(X, sensitive_features, params, "predict")
        favorable = self._for_known(case, self.corrector_.correct_proba, np.float64)
        return self._table(case, y, favorable, sample_weight)

    @staticmethod
    def _check_given(case: Case) -> None:
        codes = case.given[1].codes if case.given else np.array([0])
        if (codes < 0).any():
            raise ValueError(
                "sensitive_features must not be missing where fit got none, "
                f"got {int((codes < 0).sum())} missing values in {len(codes)} rows."
            )

    def _check_someone(self, case: Case) -> None:
        if (case.members.codes < 0).all():
            raise ValueError(
                f"sensitive_features must hold some groups that fit saw "
                f"{list(self._known.keys)[:20]}, got none in {len(case.response)} rows, but "
                f"{list(dict.fromkeys(case.members.labels))[:8]}."
            )

    def _table(
        self, case: Case, y: Any, favorable: np.ndarray, sample_weight: Any = None
    ) -> OutcomeCounts:
        self._check_countable()
        self._check_given(case)
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
        """The report on the people in `fit`: in-sample, or out of fold. Only with `record`."""
        if not hasattr(self, "training_counts_"):
            check_is_fitted(self)
            self._check_countable()
            raise AttributeError("report_ needs record=True in fit, got record=False.")
        return report_on(
            self.training_counts_,
            self.corrector_,
            self.privileged_,
            _OUT_OF_FOLD if self._out_of_fold else _TRAINING,
            in_sample=not self._out_of_fold,
            never_held_out=self._never_held_out,
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
        self._check_countable()
        if X is None:
            given = (y, sensitive_features, sample_weight)
            return self._logged_report(source, given, level=level, uncertain=uncertain)
        case = self._consider(X, sensitive_features, {}, "predict")
        self._check_someone(case)
        if expected:
            favorable = self._for_known(case, self.corrector_.correct_proba, np.float64)
        else:
            favorable = self._corrected(case)
        counts = self._table(case, y, favorable, sample_weight)
        strangers = int((case.members.codes < 0).sum())
        return report_on(
            counts,
            self.corrector_,
            self.privileged_,
            source,
            strangers=strangers,
            level=level,
            uncertain=uncertain,
        )

    def _logged_report(
        self, source: str | None, without_x: tuple[Any, ...], **options: Any
    ) -> ProportionalityReport:
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
            **options,
        )
