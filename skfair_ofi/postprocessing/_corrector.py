"""What a post-processor is to us: the `Corrector` base, and what it is given.

A corrector sees three things about people: what the base estimator predicts for them
(`Response`), which groups they are in (`Groups`), and, when fitting, their true
labels. Labels are codes, 1 favorable and 0 unfavorable, whatever the user calls
them. A new rule is one subclass, which goes into `CorrectedClassifier` as it is:

>>> import numpy as np
>>> class Lottery(Corrector):
...     '''Draws winners, and looks at nobody.'''
...
...     randomized = True
...
...     def __init__(self, chance):
...         self.chance = chance
...
...     def fit(self, y_true, response, groups, sample_weight=None):
...         return self
...
...     def correct_proba(self, response, groups):
...         return np.full(len(response), self.chance)
>>> corrector = Lottery(0.25)
>>> corrector.correct(Response([1, 1, 0, 0]), Groups([0, 0, 1, 1], ("a", "b")), random_state=0)
array([0, 0, 0, 0], dtype=int8)
"""

import copy
import warnings
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from ._groups import Groups

# One a person; None where everyone counts alike.
Weights = np.ndarray | None
ScoreMethod = Literal["auto", "predict_proba", "decision_function", "predict"]
_METHODS: tuple[ScoreMethod, ...] = ("predict_proba", "decision_function")

# Adapters by "package.ClassName" of what they adapt, and by what tells it; filled as
# subclasses are defined.
ADAPTERS: dict[str | Callable[[Any], bool], type["Adapter"]] = {}
# An estimate from this many draws has a standard error of at most 0.016.
_DRAWS = 1000
# Repeating rows must not fill the memory: weights that need more are not whole enough.
_MAX_ROWS = 10_000_000


class Response:
    """What a base estimator predicts for some people, each method asked at most once.

    Parameters
    ----------
    predicted : array-like of shape (n_samples,)
        Predicted labels as codes, 1 favorable.
    scores : mapping of str to callable, default=None
        For each method that the estimator has (``"predict_proba"``,
        ``"decision_function"``) a function without arguments that gives the
        score of the favorable label, shape (n_samples,), or the probabilities of the
        unfavorable and the favorable label, shape (n_samples, 2). Called when first
        needed.
    source : str, default="estimator"
        The estimator's name in messages.
    labels : tuple of (unfavorable, favorable), default=(0, 1)
        What the codes stand for, for a rule that has to know.
    folds : ndarray of int of shape (n_samples,), default=None
        The fold in which each person was held out. None where the estimator was
        fitted on these people, or it is not known on whom.

    Examples
    --------
    >>> response = Response([0, 1], {"predict_proba": lambda: np.array([0.2, 0.9])})
    >>> response.score("auto")
    array([0.2, 0.9])
    >>> response.take([1]).score("predict")
    array([1.])
    """

    def __init__(
        self,
        predicted: ArrayLike,
        scores: Mapping[str, Callable[[], np.ndarray]] | None = None,
        *,
        source: str = "estimator",
        labels: tuple[Any, Any] = (0, 1),
        folds: np.ndarray | None = None,
    ) -> None:
        self.predicted = np.asarray(predicted, dtype=np.int8)
        self.source = source
        self.labels = labels
        self.folds = folds
        given = scores or {}
        # In the order in which "auto" prefers them.
        self._scores: dict[ScoreMethod, Any] = {m: given[m] for m in _METHODS if m in given}
        self._known: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.predicted)

    @property
    def methods(self) -> list[ScoreMethod]:
        """Which of ``predict_proba`` and ``decision_function`` the estimator has."""
        return list(self._scores)

    def score(self, method: ScoreMethod = "auto") -> np.ndarray:
        """Return the score of the favorable label, higher is more favorable.

        Parameters
        ----------
        method : {"auto", "predict_proba", "decision_function", "predict"}, default="auto"
            What to ask the estimator; ``"auto"`` takes the first that it has.

        Returns
        -------
        ndarray of shape (n_samples,)
            Probabilities, decision values, or the predicted codes as floats.

        Raises
        ------
        ValueError
            If the estimator does not have the method.
        """
        if method == "auto":
            method = next(iter(self._scores), "predict")
        values = self.given(method)
        return values if values.ndim == 1 else values[:, 1]

    @property
    def probabilities(self) -> np.ndarray:
        """Probabilities of the unfavorable and the favorable label, shape (n_samples, 2).

        As the estimator gave them: one minus the other would differ in the last digit.
        """
        values = self.given("predict_proba")
        return values if values.ndim == 2 else np.column_stack([1.0 - values, values])

    def given(self, method: str) -> np.ndarray:
        """Return what the estimator's method gave, asked once.

        Parameters
        ----------
        method : {"predict_proba", "decision_function", "predict"}
            The method.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, 2)
            Scores of the favorable label, or of both labels.
        """
        if method not in self._known:
            if method == "predict":
                self._known[method] = self.predicted.astype(np.float64)
            elif method in self._scores:
                self._known[method] = np.asarray(self._scores[method]())
            else:
                raise ValueError(f"estimator must have {method}, got {self.source}.")
        return self._known[method]

    def take(self, rows: ArrayLike) -> "Response":
        """Return the response about some of the people.

        Parameters
        ----------
        rows : array-like of int or bool
            Row numbers, or a mask.

        Returns
        -------
        Response
            It asks this one, which asks the estimator once.
        """
        rows = np.asarray(rows)

        def take_part(method: str) -> Callable[[], np.ndarray]:
            return lambda: self.given(method)[rows]

        scores: dict[str, Any] = {method: take_part(method) for method in self._scores}
        return Response(
            self.predicted[rows],
            scores,
            source=self.source,
            labels=self.labels,
            folds=None if self.folds is None else self.folds[rows],
        )


class Corrector:
    """Base of all correctors: corrects predicted labels by group.

    A subclass defines `fit` and either `correct`, for a rule that follows from its
    input, or `correct_proba`, for a randomized one.

    Attributes
    ----------
    wrapped : object or None
        Another library's post-processor, where an `Adapter` wraps one.
    randomized : bool
        Whether the same person can get different labels.
    needs_groups : bool
        Whether the rule makes no sense without sensitive features.

    Examples
    --------
    >>> class Opposite(Corrector):
    ...     '''Says the opposite of the base estimator.'''
    ...
    ...     def fit(self, y_true, response, groups, sample_weight=None):
    ...         return self
    ...
    ...     def correct(self, response, groups, random_state=None):
    ...         return 1 - response.predicted
    >>> Opposite().correct(Response([1, 0]), Groups(np.array([0, 0]), ("a",)))
    array([0, 1], dtype=int8)
    """

    wrapped: Any = None
    randomized: bool = False
    needs_groups: bool = True
    # Groups that the wrapped object itself calls privileged, set by `fit` where there are any.
    privileged_keys: tuple[Hashable, ...] | None = None

    @property
    def name(self) -> str:
        """Name of the post-processor in messages."""
        return type(self if self.wrapped is None else self.wrapped).__name__

    @property
    def base_estimator(self) -> Any:
        """The estimator that the post-processor itself holds, None where it has none."""
        return None

    @property
    def cv(self) -> Any:
        """How the post-processor itself would hold people out, None where it does not."""
        return None

    def fit(
        self, y_true: np.ndarray, response: Response, groups: Groups, sample_weight: Weights = None
    ) -> Self:
        """Fit the rule.

        Parameters
        ----------
        y_true : ndarray of shape (n_samples,)
            True labels as codes, 1 favorable.
        response : Response
            What the base estimator predicts.
        groups : Groups
            Which group each person is in.
        sample_weight : ndarray of shape (n_samples,), default=None
            Weights, which mean repeated rows. An adapter that cannot use them warns.

        Returns
        -------
        Corrector
            Itself.
        """
        raise NotImplementedError(f"{type(self).__name__} must define fit.")

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Return corrected labels.

        Parameters
        ----------
        response : Response
            What the base estimator predicts.
        groups : Groups
            Which group each person is in.
        random_state : int, RandomState or None, default=None
            Draws of a randomized rule. None is a fresh generator: NumPy's global
            one is never touched.

        Returns
        -------
        ndarray of int8 of shape (n_samples,)
            Codes, 1 favorable.
        """
        favorable = self.correct_proba(response, groups)
        draws = make_generator(random_state).random_sample(len(favorable))
        return (draws < favorable).astype(np.int8)

    def correct_proba(self, response: Response, groups: Groups) -> np.ndarray:
        """Return the probability of the favorable label over the rule's own randomness.

        Parameters
        ----------
        response : Response
            What the base estimator predicts.
        groups : Groups
            Which group each person is in.

        Returns
        -------
        ndarray of float of shape (n_samples,)
            0 or 1 for everyone where the rule is not randomized.
        """
        return self.correct(response, groups).astype(np.float64)


class Adapter(Corrector):
    """Base of adapters of other libraries' post-processors.

    A subclass says in its class statement what it adapts, ``adapts="package.ClassName"`` or
    a function that tells whether an object is one, and is then found by `make_corrector`.

    Parameters
    ----------
    wrapped : object
        The post-processor as its own library makes it. It is never changed.

    Examples
    --------
    >>> from fairlearn.postprocessing import ThresholdOptimizer
    >>> from skfair_ofi.postprocessing import make_corrector
    >>> isinstance(make_corrector(ThresholdOptimizer()), Adapter)
    True
    """

    def __init_subclass__(
        cls, *, adapts: str | Callable[[Any], bool] | None = None, **kwargs: Any
    ) -> None:
        super().__init_subclass__(**kwargs)
        if adapts is not None:
            ADAPTERS[adapts] = cls

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped


class NoCorrection(Corrector):
    """Keeps every predicted label: what `corrector=None` stands for.

    Examples
    --------
    >>> NoCorrection().correct(Response([1, 0]), Groups(np.array([0, 0]), ("a",)))
    array([1, 0], dtype=int8)
    """

    needs_groups = False

    def fit(
        self, y_true: np.ndarray, response: Response, groups: Groups, sample_weight: Weights = None
    ) -> Self:
        """Do nothing; see `Corrector.fit`."""
        return self

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Return the predicted labels; see `Corrector.correct`."""
        return response.predicted


def make_generator(random_state: Any) -> np.random.RandomState:
    """Return a generator of random numbers that is not NumPy's global one."""
    if random_state is None:
        return np.random.RandomState()
    generator: np.random.RandomState = check_random_state(random_state)
    return generator


def average_draws(draw: Callable[[int], np.ndarray], source: str) -> np.ndarray:
    """Return the proportion of favorable labels among many draws, with a warning."""
    warnings.warn(
        f"{source} does not give its probabilities: they are estimated from {_DRAWS} draws.",
        UserWarning,
        stacklevel=3,
    )
    total = sum(np.asarray(draw(seed), dtype=np.float64) for seed in range(_DRAWS))
    return np.asarray(total / _DRAWS)


def count_repetitions(sample_weight: np.ndarray) -> np.ndarray | None:
    """Return how often each row must be repeated to stand for its weight.

    A common factor of the weights changes no threshold, so it is divided out.

    Examples
    --------
    >>> count_repetitions(np.array([0.5, 1.5, 0.0]))
    array([1, 3, 0])
    >>> count_repetitions(np.array([1.0, np.pi])) is None
    True
    """
    positive = sample_weight[sample_weight > 0]
    for unit in (positive.min(initial=np.inf), 1.0):
        times = np.rint(sample_weight / unit)
        if np.allclose(times * unit, sample_weight, rtol=1e-9, atol=0):
            integers = times.astype(np.int64)
            return integers if integers.sum() <= _MAX_ROWS else None
    return None


def repeat_rows(sample_weight: np.ndarray, name: str) -> np.ndarray:
    """Return row numbers, each as often as its weight says, or once with a warning.

    Examples
    --------
    >>> repeat_rows(np.array([0.5, 1.5, 0.0]), "ThresholdOptimizer")
    array([0, 1, 1, 1])
    """
    times = count_repetitions(sample_weight)
    if times is not None:
        return np.repeat(np.arange(len(times)), times)
    warnings.warn(
        f"{name} cannot use these sample weights, which are no multiples of a common "
        "unit: its thresholds are fitted without them.",
        UserWarning,
        stacklevel=3,
    )
    return np.arange(len(sample_weight))


def find_one_sided(
    y_true: np.ndarray, sides: np.ndarray, n_sides: int, sample_weight: Weights = None
) -> dict[int, int]:
    """Return the groups whose true labels are all alike, or that have nobody."""
    people = np.bincount(2 * sides + y_true, weights=sample_weight, minlength=2 * n_sides)
    lacking = people.reshape(n_sides, 2) == 0
    return {int(side): int(np.argmax(lacking[side])) for side in np.flatnonzero(lacking.any(1))}


def make_corrector(obj: Any) -> Corrector:
    """Return the adapter of a post-processor.

    The type is recognized by name, so a library that is not loaded stays unloaded. An
    object of no known type is taken by what it can do: see `PredictCorrector`.

    Parameters
    ----------
    obj : object or None
        A fairlearn ``ThresholdOptimizer``; an AIF360 ``EqOddsPostprocessing``,
        ``CalibratedEqOddsPostprocessing`` or ``RejectOptionClassification``, or, from
        ``aif360.sklearn``, a ``CalibratedEqualizedOdds`` or ``RejectOptionClassifier``;
        a scikit-learn ``FixedThresholdClassifier`` or ``TunedThresholdClassifierCV``; an
        object with ``fit`` and ``predict(X, sensitive_features=...)``; a `Corrector`, of
        which a new one is made; or None, for no correction.

    Returns
    -------
    Corrector
        A new adapter around the object, not fitted.

    Raises
    ------
    TypeError
        If no adapter is known for the type.

    Examples
    --------
    >>> make_corrector(None).name
    'NoCorrection'
    >>> from fairlearn.postprocessing import ThresholdOptimizer
    >>> make_corrector(ThresholdOptimizer()).name
    'ThresholdOptimizer'
    """
    if obj is None:
        return NoCorrection()
    if isinstance(obj, Corrector):  # fitting changes it, so a new one
        own: Corrector = clone(obj) if hasattr(obj, "get_params") else copy.copy(obj)
        return own
    for base in type(obj).__mro__:
        adapter = ADAPTERS.get(f"{base.__module__.partition('.')[0]}.{base.__name__}")
        if adapter is not None:
            return adapter(obj)
    for adapts, adapter in ADAPTERS.items():
        if callable(adapts) and adapts(obj):
            return adapter(obj)
    names = sorted(name for name in ADAPTERS if isinstance(name, str))
    raise TypeError(
        f"corrector must be None, a Corrector, one of {names} or an "
        f"object with fit and predict(X, sensitive_features=...), got {obj!r}."
    )
