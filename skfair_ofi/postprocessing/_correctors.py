"""What a post-processor is to us: the `Corrector` base, and how one is found by type.

A corrector sees three things about people: what the base estimator said of them
(`Response`), which groups they are in (`Groups`), and, when fitting, their true
labels. Labels are codes, 1 favorable and 0 unfavorable, whatever the user calls
them. To teach the package a new post-processor, write one subclass that names the
type it adapts; `make_corrector` then finds it, without importing the library that
the type comes from:

>>> import numpy as np
>>> class Lottery:
...     '''A post-processor of some other library: draws winners, looks at nobody.'''
...
...     chance = 0.25
>>> class LotteryCorrector(Corrector, adapts=f"{__name__.split('.')[0]}.Lottery"):
...     randomized = True
...
...     def fit(self, y_true, response, groups, sample_weight=None):
...         return self
...
...     def correct_proba(self, response, groups):
...         return np.full(len(response), self.wrapped.chance)
>>> Lottery.__module__ = __name__
>>> corrector = make_corrector(Lottery())
>>> corrector.correct(Response([1, 1, 0, 0]), Groups([0, 0, 1, 1], ("a", "b")), random_state=0)
array([0, 0, 0, 0], dtype=int8)
>>> del ADAPTERS[f"{__name__.split('.')[0]}.Lottery"]
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

ScoreMethod = Literal["auto", "predict_proba", "decision_function", "predict"]

# Adapters by "package.ClassName" of what they adapt; filled as subclasses are defined.
ADAPTERS: dict[str, type["Corrector"]] = {}


class Response:
    """What a base estimator said about some people, each method asked at most once.

    Parameters
    ----------
    predicted : array-like of shape (n_samples,)
        Predicted labels as codes, 1 favorable.
    scores : mapping of str to callable, default=None
        For each method that the estimator has (``"predict_proba"``,
        ``"decision_function"``) a function without arguments that gives the
        score of the favorable label, shape (n_samples,). Called when first needed.
    source : str, default="estimator"
        The estimator's name in messages.

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
    ) -> None:
        self.predicted = np.asarray(predicted, dtype=np.int8)
        self.source = source
        self._scores = dict(scores or {})
        self._known: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.predicted)

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
        known = [name for name in ("predict_proba", "decision_function") if name in self._scores]
        name = method if method != "auto" else [*known, "predict"][0]
        if name not in self._known:
            self._known[name] = self._ask(name)
        return self._known[name]

    def _ask(self, method: str) -> np.ndarray:
        if method == "predict":
            return self.predicted.astype(np.float64)
        if method not in self._scores:
            raise ValueError(f"estimator must have {method}, got {self.source}.")
        return self._scores[method]()

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

        def part(method: str) -> Callable[[], np.ndarray]:
            return lambda: self.score(method)[rows]  # type: ignore[arg-type]

        scores = {method: part(method) for method in self._scores}
        return Response(self.predicted[rows], scores, source=self.source)


@dataclass(frozen=True)
class Groups:
    """Which group each person is in.

    Parameters
    ----------
    codes : ndarray of int of shape (n_samples,)
        Positions in `keys`.
    keys : tuple of hashable
        The groups known since `fit`; tuples where there are several sensitive features.
    privileged : tuple of hashable, default=None
        The keys of the privileged groups, where they were named.
    names : tuple of str, default=None
        Names of the sensitive features, where known.
    divided : bool, default=True
        False where no sensitive features were given and everyone is one group.

    Examples
    --------
    >>> groups = Groups(np.array([0, 1, 1]), ("a", "b"))
    >>> groups.take([1, 2]).codes
    array([1, 1])
    """

    codes: np.ndarray
    keys: tuple[Hashable, ...]
    privileged: tuple[Hashable, ...] | None = None
    names: tuple[str, ...] | None = None
    divided: bool = True

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: ArrayLike) -> "Groups":
        """Return the groups of some of the people.

        Parameters
        ----------
        rows : array-like of int or bool
            Row numbers, or a mask.

        Returns
        -------
        Groups
            The same keys, fewer people.
        """
        codes = self.codes[np.asarray(rows)]
        return Groups(codes, self.keys, self.privileged, self.names, self.divided)


class Corrector:
    """Base of all adapters: corrects predicted labels by group.

    A subclass names the type that it adapts in its class statement, as
    ``adapts="package.ClassName"``, and defines `fit` and either `correct`, for a
    rule that follows from its input, or `correct_proba`, for a randomized one.

    Parameters
    ----------
    wrapped : object
        The post-processor as its own library makes it. It is never changed.

    Attributes
    ----------
    randomized : bool
        Whether the same person can get different labels.
    needs_groups : bool
        Whether the rule makes no sense without sensitive features.
    """

    randomized: ClassVar[bool] = False
    needs_groups: ClassVar[bool] = True
    # Groups that the wrapped object itself calls privileged, set by `fit` where there are any.
    privileged_keys: tuple[Hashable, ...] | None = None

    def __init_subclass__(cls, *, adapts: str | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if adapts is not None:
            ADAPTERS[adapts] = cls

    def __init__(self, wrapped: Any = None) -> None:
        self.wrapped = wrapped

    @property
    def name(self) -> str:
        """Name of the post-processor in messages."""
        return type(self if self.wrapped is None else self.wrapped).__name__

    @property
    def base_estimator(self) -> Any:
        """The estimator that the post-processor itself holds, None where it has none."""
        return None

    def fit(
        self,
        y_true: np.ndarray,
        response: Response,
        groups: Groups,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Fit the rule.

        Parameters
        ----------
        y_true : ndarray of shape (n_samples,)
            True labels as codes, 1 favorable.
        response : Response
            What the base estimator said.
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
            What the base estimator said.
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
        draws = random_generator(random_state).random_sample(len(favorable))
        return (draws < favorable).astype(np.int8)

    def correct_proba(self, response: Response, groups: Groups) -> np.ndarray:
        """Return the probability of the favorable label over the rule's own randomness.

        Parameters
        ----------
        response : Response
            What the base estimator said.
        groups : Groups
            Which group each person is in.

        Returns
        -------
        ndarray of float of shape (n_samples,)
            0 or 1 for everyone where the rule is not randomized.
        """
        return self.correct(response, groups).astype(np.float64)


class NoCorrection(Corrector):
    """Keeps every predicted label: what `corrector=None` stands for.

    Parameters
    ----------
    wrapped : None
        There is nothing to wrap.

    Examples
    --------
    >>> NoCorrection().correct(Response([1, 0]), Groups(np.array([0, 0]), ("a",)))
    array([1, 0], dtype=int8)
    """

    needs_groups = False

    def fit(
        self,
        y_true: np.ndarray,
        response: Response,
        groups: Groups,
        sample_weight: np.ndarray | None = None,
    ) -> Self:
        """Do nothing; see `Corrector.fit`."""
        return self

    def correct(self, response: Response, groups: Groups, random_state: Any = None) -> np.ndarray:
        """Return the predicted labels; see `Corrector.correct`."""
        return response.predicted


def random_generator(random_state: Any, default: int | None = None) -> np.random.RandomState:
    """Return a generator of random numbers that is not NumPy's global one.

    Parameters
    ----------
    random_state : int, RandomState or None
        As everywhere in scikit-learn, but None is a fresh generator.
    default : int, default=None
        The seed where `random_state` is None.

    Returns
    -------
    RandomState
        The generator; a given one is used as it is.
    """
    if random_state is None:
        return np.random.RandomState(default)
    generator: np.random.RandomState = check_random_state(random_state)
    return generator


def one_sided_groups(
    y_true: np.ndarray, sides: np.ndarray, n_sides: int, sample_weight: np.ndarray | None = None
) -> dict[int, int]:
    """Return the groups whose true labels are all alike, or that have nobody.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,)
        True labels as codes.
    sides : ndarray of int of shape (n_samples,)
        The group of each person.
    n_sides : int
        How many groups there are.
    sample_weight : ndarray of shape (n_samples,), default=None
        People of weight 0 do not count.

    Returns
    -------
    dict of int to int
        For each such group the code that it lacks.
    """
    seen = np.bincount(2 * sides + y_true, weights=sample_weight, minlength=2 * n_sides)
    lacking = seen.reshape(n_sides, 2) == 0
    return {int(side): int(np.argmax(lacking[side])) for side in np.flatnonzero(lacking.any(1))}


def make_corrector(obj: Any) -> Corrector:
    """Return the adapter of a post-processor.

    The type is recognized by name, so a library that is not loaded stays unloaded.

    Parameters
    ----------
    obj : object or None
        A fairlearn ``ThresholdOptimizer``; an AIF360 ``EqOddsPostprocessing``,
        ``CalibratedEqOddsPostprocessing`` or ``RejectOptionClassification``; a
        `Corrector`, of which a new one is made; or None, for no correction.

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
    if isinstance(obj, Corrector):
        return type(obj)(obj.wrapped)
    for base in type(obj).__mro__:
        adapter = ADAPTERS.get(f"{base.__module__.partition('.')[0]}.{base.__name__}")
        if adapter is not None:
            return adapter(obj)
    known = sorted(ADAPTERS)
    raise TypeError(f"corrector must be None, a Corrector or one of {known}, got {obj!r}.")
