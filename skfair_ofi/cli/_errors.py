"""Input that cannot be used: one clear line, in the words of the command line."""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from skfair_ofi._text import printable

# What the parameters of the Python functions are called here.
_OPTIONS = {
    "sensitive_features": "--group",
    "y_true": "--truth",
    "y_pred": "--pred",
    "y_corrected": "--corrected",
    "sample_weight": "--weight",
    "pos_label": "--favorable",
    "privileged": "--privileged",
    "missing_groups": "--missing-groups",
    "memory_limit": "--memory-limit",
    "bands": "--bound",
}
# Not inside quotes, where the words are somebody's data.
_PARAMETER = re.compile(rf"(?<!['\"\w])({'|'.join(_OPTIONS)})(?!['\"\w])")


class InputError(Exception):
    """The user's input cannot be used; the message says why, on one line."""


def in_options(message: str) -> str:
    """Return a message of the Python functions in the words of the command line.

    Examples
    --------
    >>> in_options("pos_label must be given, for example pos_label='yes'.")
    "--favorable must be given, for example --favorable='yes'."
    """
    return printable(_PARAMETER.sub(lambda found: _OPTIONS[found[0]], message))


@contextmanager
def input_errors(*, specified: bool = False) -> Iterator[None]:
    """Turn a ``ValueError`` about the user's input into an ``InputError``."""
    try:
        yield
    except ValueError as error:
        message = printable(str(error)) if specified else in_options(str(error))
        raise InputError(message) from error


@contextmanager
def caught_warnings() -> Iterator[list[str]]:
    """Collect warnings as lines for the user."""
    lines: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield lines
    lines += [in_options(str(warning.message)) for warning in caught]
