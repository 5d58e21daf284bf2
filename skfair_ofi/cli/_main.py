"""The program: its options, its sub-commands, and what becomes of errors."""

import argparse
import contextlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import skfair_ofi
from skfair_ofi._text import printable

from . import (
    _audit_command,
    _correct_command,
    _demo_command,
    _flips_command,
    _measures_command,
    _watch_command,
)
from ._shared import InputError

# What a shell reports of a program that was ended by Ctrl-C, or by writing to a closed pipe.
_INTERRUPTED, _PIPE_CLOSED = 130, 141
_UNUSABLE = 2

_EXAMPLES = """\
examples:
  skfair-ofi demo
  skfair-ofi measures DI
  skfair-ofi flips people.csv --group race --pred y_pred --corrected y_corrected --truth y
  skfair-ofi audit --init people.csv > spec.toml
  skfair-ofi audit people.csv --spec spec.toml
  skfair-ofi watch outcomes.jsonl --bound flip_rate=0.2

exit codes: 0 done, 1 and 3 as "audit --help" and "watch --help" say, 2 input that cannot
be used, 130 interrupted.
"""


_COMMANDS = {
    "demo": _demo_command,
    "flips": _flips_command,
    "correct": _correct_command,
    "audit": _audit_command,
    "watch": _watch_command,
    "measures": _measures_command,
}


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong on one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(_UNUSABLE, f"{self.prog}: {printable(message)} (See {self.prog} --help.)\n")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the program."""
    parser = _Parser(
        prog="skfair-ofi",
        description="Who did the fairness post-processor flip, in which direction, and was it "
        "needed?",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    version = f"%(prog)s {skfair_ofi.__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, command in _COMMANDS.items():
        one = commands.add_parser(
            name,
            help=command.HELP,
            description=command.DESCRIPTION,
            epilog=command.EXAMPLES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_options(one)
        one.set_defaults(run=command.run)
    return parser


def _write_utf8() -> None:
    """Group names are Unicode, whatever the terminal's locale is called."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _run(argv: Sequence[str] | None) -> int:
    try:
        arguments = build_parser().parse_args(argv)
    except SystemExit as stop:
        # after --help, --version and wrong options, when everything has been said
        return stop.code if isinstance(stop.code, int) else _UNUSABLE
    try:
        # Only an audit says more than that all went well.
        return arguments.run(arguments) or 0
    except InputError as error:
        print(f"skfair-ofi: {error}", file=sys.stderr)
        return _UNUSABLE
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - 1 would read as criteria that are not met
        reason = printable(str(error)) or "no reason given"
        print(f"skfair-ofi: unexpected {type(error).__name__}: {reason}", file=sys.stderr)
        if sys.flags.dev_mode:
            traceback.print_exc()
        return _UNUSABLE


def _leave_pipe() -> None:
    """Let the last flush, when Python ends, go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments; None takes those of the program.

    Returns
    -------
    int
        The exit code: 0 done, 1 criteria not met or bounds crossed, 3 some undefined,
        2 input that cannot be used, 130 interrupted, 141 when the output was
        closed, as by ``head``.

    Examples
    --------
    >>> main(["measures", "--format", "csv"])  # doctest: +ELLIPSIS
    name,symbol,kind,family,...
    selection_rate,SR,rate,label,...
    ...
    0
    """
    _write_utf8()
    try:
        code = _run(argv)
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_pipe()
        return _PIPE_CLOSED
    except OSError as error:  # such as a full disk behind the standard output
        print(f"skfair-ofi: the output cannot be written: {error.strerror}.", file=sys.stderr)
        _leave_pipe()
        return _UNUSABLE
    except KeyboardInterrupt:
        print("skfair-ofi: interrupted.", file=sys.stderr)
        return _INTERRUPTED
    return code
