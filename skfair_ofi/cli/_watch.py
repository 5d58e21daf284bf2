"""``skfair-ofi watch``: the series of a journal of outcomes, against bounds."""

import argparse
import json
import math
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from skfair_ofi._text import printable
from skfair_ofi.monitoring import OutcomeJournal, WatchResult
from skfair_ofi.report import RENDERERS

from ._console import show_report
from ._series import SeriesReport
from ._shared import (
    InputError,
    caught_warnings,
    check_target,
    find_privileged,
    input_errors,
    writing,
)

_DESCRIPTION = """\
Show how measures of a deployed classifier move, from a journal of outcomes (see
OutcomeJournal), by windows of time, with confidence intervals; and say whether one
of them is outside its bounds with certainty, which is where its whole interval is.
"""
_EXAMPLES = """\
examples:
  skfair-ofi watch outcomes.jsonl
  skfair-ofi watch outcomes.jsonl --bound flip_rate=0.2 --every 7D --plot flips.png
  skfair-ofi watch outcomes.jsonl --bound objective_fairness_index=-0.1..0.1 \\
      --privileged White --since 2026-03-01 --reference 4

A bound is NAME=VALUE: the distance from an ideal of 0, a ratio that is taken both
ways (0.8 is 0.8 to 1.25), or the worst value of a rate; or NAME=LOW..HIGH, of which
one may be left out; or NAME alone, for the measure's own acceptable range. Times
without a zone are UTC.

exit codes: 0 nothing outside its bounds with certainty, 1 something is, 3 nothing is
and some of it is undefined, 2 input that cannot be used. Windows without anyone are
not judged, unless all are.
"""
# What the parameters of ``OutcomeJournal.watch`` are called here.
_OPTIONS = {
    "bands": "--bound",
    "every": "--every",
    "level": "--level",
    "measures": "--measure",
    "privileged": "--privileged",
    "reference": "--reference",
    "since": "--since",
    "until": "--until",
}


def _parse_bound(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    low, dots, high = value.partition("..")
    try:
        if not equals:
            return name, None
        if dots:
            return name, tuple(float(end) if end else None for end in (low, high))
        return name, float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be NAME=VALUE, NAME=LOW..HIGH or NAME, got {text!r}"
        ) from None


def _parse_time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be a date or time in ISO 8601, got {text!r}"
        ) from None
    return found if found.utcoffset() is not None else found.replace(tzinfo=UTC)


def _parse_length(text: str) -> str | int:
    return int(text) if text.isascii() and text.isdigit() else text


def _parse_tag(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name, value


def _parse_level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = math.nan
    if not 0 < level < 1:
        raise argparse.ArgumentTypeError(f"must lie between 0 and 1, got {text!r}")
    return level


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the sub-command to the program."""
    parser = commands.add_parser(
        "watch",
        help="show how measures move in a journal of outcomes, and whether bounds are crossed",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, metavar="LOG", help="a journal of outcomes")
    shown = parser.add_argument_group("what is shown")
    _add_windows(shown)
    _add_choice(shown)
    _add_judging(parser.add_argument_group("what is judged"))
    _add_output(parser.add_argument_group("output"))
    parser.set_defaults(run=run)


def _add_windows(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--every",
        type=_parse_length,
        default="1D",
        metavar="LENGTH",
        help="length of a window, such as 15min, 6h, D, W or MS, or a number of batches "
        "(default: %(default)s)",
    )
    group.add_argument("--since", type=_parse_time, metavar="TIME", help="from when")
    group.add_argument("--until", type=_parse_time, metavar="TIME", help="until before when")
    group.add_argument(
        "--tag",
        action="append",
        type=_parse_tag,
        default=[],
        metavar="NAME=VALUE",
        help="only lines with this tag, be it text or a number; may be repeated",
    )


def _add_choice(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--measure",
        action="append",
        metavar="NAME",
        help="the name or symbol of a measure, as in 'skfair-ofi measures'; may be repeated",
    )
    group.add_argument(
        "--privileged",
        action="append",
        default=[],
        metavar="GROUP",
        help="the group that everyone else is compared with; may be repeated. Without it, the "
        "largest gap is shown",
    )
    group.add_argument(
        "--before",
        action="store_true",
        help="let measures of labels read what the model predicted, not what people got",
    )
    group.add_argument(
        "--reference",
        type=int,
        metavar="N",
        help="show changes since the first N windows with people",
    )


def _add_judging(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--bound",
        action="append",
        type=_parse_bound,
        default=[],
        metavar="NAME=VALUE",
        help="see below; may be repeated",
    )
    group.add_argument(
        "--level",
        type=_parse_level,
        default=0.95,
        help="confidence level of all judged intervals together (default: %(default)s)",
    )
    group.add_argument(
        "--adjust",
        choices=("bonferroni", "none"),
        default="bonferroni",
        help="whether the chance of a false alarm is divided among the intervals that are judged "
        "(default: %(default)s)",
    )


def _add_output(group: "argparse._ArgumentGroup") -> None:
    group.add_argument(
        "--format",
        choices=tuple(RENDERERS),
        default="text",
        help="on the screen (default: %(default)s)",
    )
    group.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        help=f"draw the series in a file: {', '.join(SeriesReport.pictures)}",
    )
    group.add_argument("--force", action="store_true", help="overwrite the file of --plot")


def _find_tags(arguments: argparse.Namespace, journal: OutcomeJournal) -> dict[str, Any]:
    """By name, the text that is given and all values of the journal that are written so."""
    texts = dict(arguments.tag)
    wanted: dict[str, list[Any]] = {name: [text] for name, text in texts.items()}
    for entry in journal.read()[0] if wanted else []:
        for name, value in entry.tags.items():
            if not isinstance(value, str) and json.dumps(value) == texts.get(name):
                wanted[name].append(value)
    return wanted


def _watch(arguments: argparse.Namespace) -> WatchResult:
    options: dict[str, Any] = {"since": arguments.since, "until": arguments.until}
    with caught_warnings() as warned, input_errors(_OPTIONS):
        journal = OutcomeJournal(arguments.file)
        try:
            options["tags"] = _find_tags(arguments, journal)
            windows = journal.windows(arguments.every, **options)
        except OSError as error:
            shown = printable(str(journal.path))
            raise InputError(f"Cannot read {shown}: {error.strerror}.") from error
    for line in warned:
        print(f"skfair-ofi: {line}", file=sys.stderr)
    if not windows:
        raise InputError(f"No lines to measure in {printable(arguments.file.name)}.")
    privileged = find_privileged(arguments.privileged, windows[0].counts)
    with caught_warnings(), input_errors(_OPTIONS):
        return journal.watch(
            arguments.measure,
            bands=dict(arguments.bound),
            every=arguments.every,
            level=arguments.level,
            adjust=arguments.adjust,
            privileged=privileged,
            when="before" if arguments.before else "after",
            reference=arguments.reference,
            **options,
        )


def run(arguments: argparse.Namespace) -> int:
    """Show the series, draw it, and say whether a bound is crossed."""
    path = arguments.plot
    if path is not None:
        if path.suffix.lower() not in SeriesReport.pictures:
            raise InputError(
                f"--plot must end in {' or '.join(SeriesReport.pictures)}, "
                f"got {printable(str(path))}."
            )
        check_target(path, arguments.file, force=arguments.force, option="--plot")
    watched = _watch(arguments)
    report = SeriesReport(watched, arguments.file.name, before=arguments.before)
    if path is not None:
        with writing(path):
            report.save(path)
    show_report(report, arguments.format)
    return watched.exit_code
