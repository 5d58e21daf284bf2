"""``skfair-ofi flips``: who was flipped, from a file of predictions."""

import argparse
from pathlib import Path
from typing import Any

from skfair_ofi._text import printable
from skfair_ofi.report import RENDERERS, ProportionalityReport

from ._console import show_report, working
from ._errors import InputError, caught_warnings, input_errors
from ._output import check_target, writing
from ._people import People, Wanted, privileged_groups
from ._source import add_reading, listed, open_source, read_options

_DESCRIPTION = """\
Report whom a correction flipped, from CSV or Parquet files with one row a person:
the group, the predicted label and the corrected label, and the true label where it
is known. Several files with the same columns are one, and so are the Parquet files of a
folder; they may be larger than memory. CSV may be compressed by gzip, bzip2, xz,
Zstandard or ZIP; its first line names the columns, an empty cell is a missing value,
and the delimiter is found out. Values on the command line are the text that stands in the file.
"""
_EXAMPLES = """\
examples:
  skfair-ofi flips people.csv --group race --pred y_pred --corrected y_corrected
  skfair-ofi flips people.csv --group race --pred before --corrected after \\
      --truth outcome --favorable hired --privileged White -o report.html
  skfair-ofi flips 2026-*.csv --group race --pred y_pred --corrected y_corrected
  skfair-ofi flips people.parquet --group race --group sex --pred p --corrected c \\
      --privileged White,Male --privileged White,Female

Patterns such as 2026-*.csv are for the shell, which makes a list of files of them; in
quotes they are no file.

With several --group options, people are grouped by all of them together, and
--privileged takes one value for each, in the same order, separated by commas; a
value that holds a comma stands in double quotes. Repeat --privileged for several
privileged groups. Without it, all pairs of groups are compared, and the largest gap
is shown.

Which label is favorable decides who counts as harmed. 0/1, False/True and -1/1 need
no --favorable; then 1 or True is taken to be the good outcome for the person. Where
it is not (1 may mean "re-offended"), say so: --favorable 0.
"""


def _add_columns(parser: argparse.ArgumentParser) -> None:
    columns = parser.add_argument_group("columns")
    columns.add_argument(
        "--group",
        action="append",
        required=True,
        metavar="COLUMN",
        help="the sensitive feature; repeat it to group by several together",
    )
    columns.add_argument(
        "--pred", required=True, metavar="COLUMN", help="labels before the correction"
    )
    columns.add_argument(
        "--corrected", required=True, metavar="COLUMN", help="labels after the correction"
    )
    columns.add_argument("--truth", metavar="COLUMN", help="true labels, where they are known")
    columns.add_argument("--weight", metavar="COLUMN", help="how many people each row stands for")


def _add_meaning(parser: argparse.ArgumentParser) -> None:
    meaning = parser.add_argument_group("what values mean")
    meaning.add_argument(
        "--favorable",
        metavar="LABEL",
        help="the label that is the good outcome; not needed for 0/1, False/True, -1/1",
    )
    meaning.add_argument(
        "--privileged",
        action="append",
        default=[],
        metavar="GROUP",
        help="the group that everyone else is compared with; may be repeated",
    )
    meaning.add_argument(
        "--missing-groups",
        choices=("error", "drop", "group"),
        default="error",
        help="rows without a group: refuse the file, leave them out, or count them as a group of "
        "their own (default: %(default)s)",
    )


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the sub-command to the program."""
    parser = commands.add_parser(
        "flips",
        help="report whom a correction flipped, from CSV or Parquet files",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="CSV or Parquet files, or -"
    )
    _add_columns(parser)
    _add_meaning(parser)
    add_reading(parser.add_argument_group("how files are read"))
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=tuple(RENDERERS),
        help="default: what the suffix of --output says, and text on the screen",
    )
    output.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write to a file; its suffix says the form: "
        f"{', '.join(ProportionalityReport.list_suffixes())}",
    )
    output.add_argument("--force", action="store_true", help="overwrite the file of --output")
    parser.set_defaults(run=run)


def _check_output(arguments: argparse.Namespace) -> None:
    """Refuse an output before the file is read, which may take its time."""
    path = arguments.output
    suffixes = ProportionalityReport.list_suffixes()
    if not arguments.format and path.suffix.lower() not in suffixes:
        raise InputError(
            f"--output must end in one of {', '.join(suffixes)}, or --format be given, "
            f"got {printable(str(path))}."
        )
    check_target(path, *arguments.files, force=arguments.force)


def _write(report: ProportionalityReport, arguments: argparse.Namespace) -> None:
    path = arguments.output
    with writing(path):
        if arguments.format:
            content = RENDERERS[arguments.format].render(report)
            path.write_text(content, encoding="utf-8", newline="\n")
        else:
            report.save(path)


def _report(arguments: argparse.Namespace) -> ProportionalityReport:
    roles = {
        "y_true": arguments.truth,
        "y_pred": arguments.pred,
        "y_corrected": arguments.corrected,
    }
    wanted = Wanted(
        arguments.group,
        {role: name for role, name in roles.items() if name is not None},
        arguments.weight,
        arguments.favorable,
        arguments.missing_groups,
    )
    if len(set(wanted.groups)) < len(wanted.groups):
        raise InputError(f"--group must name different columns, got {listed(wanted.groups)}.")
    names = ", ".join(path.name for path in arguments.files)
    with (
        open_source(arguments.files, read_options(arguments), arguments.memory_limit) as source,
        working(f"Reading {names}"),
        caught_warnings() as notes,
    ):
        counts = People(source, wanted).counts()
    privileged = privileged_groups(arguments.privileged, counts)
    with input_errors():
        return ProportionalityReport.from_counts(
            counts, privileged=privileged, source=names, notes=notes
        )


def run(arguments: argparse.Namespace) -> None:
    """Print or write the report."""
    if arguments.output is not None:
        _check_output(arguments)
        _write(_report(arguments), arguments)
        return
    show_report(_report(arguments), arguments.format)
