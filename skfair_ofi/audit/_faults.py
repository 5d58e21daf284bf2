"""All that is wrong with a specification, collected before anything is raised."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class SpecError(ValueError):
    """A specification that cannot be used.

    Parameters
    ----------
    faults : sequence of str
        What is wrong, one sentence each.

    Attributes
    ----------
    faults : tuple of str
        The same.
    """

    def __init__(self, faults: list[str]) -> None:
        self.faults = tuple(faults)
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        listed = " ".join(f"({place}) {fault}" for place, fault in enumerate(faults, start=1))
        super().__init__(f"The audit has {count}: {faults[0] if len(faults) == 1 else listed}")


class Faults:
    """Collects faults by the field that they are in."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, field: str, message: str) -> None:
        """Note a fault."""
        self.found.append(f"{field}: {message.removeprefix(f'{field} ')}")

    def _note(self, field: str, error: Exception) -> None:
        if isinstance(error, SpecError):
            self.found += [f"{field}: {fault}" for fault in error.faults]
        else:
            self.add(field, str(error))

    @contextmanager
    def of(self, field: str) -> Iterator[None]:
        """Note a ``ValueError`` or ``TypeError`` as a fault of a field, and go on."""
        try:
            yield
        except (TypeError, ValueError) as error:
            self._note(field, error)

    def attempt(self, field: str, default: T, function: Callable[[], T]) -> T:
        """Return what a function returns, or note its fault and return the default."""
        try:
            return function()
        except (TypeError, ValueError) as error:
            self._note(field, error)
            return default

    def check(self) -> None:
        """Raise all faults, if there are any."""
        if self.found:
            raise SpecError(self.found)
