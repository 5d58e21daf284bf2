"""``skfair-ofi flips``: who was flipped, from a file of predictions."""

import argparse
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import list_names, printable
from skfair_ofi._validation import is_missing_group, resolve_labels, sort_keys, suggest
from skfair_ofi.audit import (
    ReadOptions,
    Source,
    SourceError,
    count_columns,
    open_files,
    read_whole_numbers,
)
from skfair_ofi.counts import encode, encode_features, interpret, scatter
from skfair_ofi.report import RENDERERS, ProportionalityReport

from ._shared import (
    InputError,
    add_list,
    add_memory_limit,
    add_output,
    add_privileged,
    check_target,
    choose_value,
    collect_warnings,
    find_privileged,
    quote_names,
    show_progress,
    show_report,
    translate_errors,
    translate_write_errors,
)

HELP = "report whom a correction flipped, from CSV or Parquet files"
DESCRIPTION = """\
Report whom a correction flipped, from CSV or Parquet files with one row a person:
the group, the predicted label and the corrected label, and the true label where it
is known. Several files with the same columns are one, and so are the Parquet files of a
folder; they may be larger than memory. CSV may be compressed by gzip or Zstandard; its
first line names the columns, an empty cell is a missing value, and the delimiter is found
out. Values on the command line are the text that stands in the file.
"""
EXAMPLES = """\
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
# More distinct rows than this are no groups and labels; the columns are wrong.
_MOST_ROWS = 20_000
# As many of several files are named.
_MOST_FILES = 4
# "01" is no number, since it would come out as another text.
_INTEGER = re.compile(r"\s*-?(0|[1-9]\d{0,17})\s*")
_DECIMAL = re.compile(r"\s*-?\d{1,17}(\.\d{1,17})?\s*")
_TRUTH = {"true": True, "false": False}
# What the fields of ``ReadOptions`` are called here.
_READ_OPTIONS = {
    "encoding": "--encoding",
    "delimiter": "--delimiter",
    "missing_values": "--missing-value",
}


def _add_columns(parser: argparse.ArgumentParser) -> None:
    columns = parser.add_argument_group("columns")
    add_list(
        columns,
        "--group",
        required=True,
        metavar="COLUMN",
        help="the sensitive feature, or one of several that people are grouped by together",
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
    add_privileged(meaning)
    meaning.add_argument(
        "--missing-groups",
        choices=("error", "drop", "group"),
        default="error",
        help="rows without a group: refuse the file, leave them out, or count them as a group of "
        "their own (default: %(default)s)",
    )


def _read_character(text: str) -> str:
    mark = {"\\t": "\t", "tab": "\t"}.get(text, text)
    if len(mark) != 1 or mark in '\r\n"' or not mark.isascii():
        raise argparse.ArgumentTypeError(f"must be one character or 'tab', got {text!r}")
    return mark


def _add_reading(parser: "argparse._ActionsContainer") -> None:
    """Add the options that say how CSV is read."""
    parser.add_argument(
        "--delimiter",
        type=_read_character,
        metavar="CHARACTER",
        help="what separates the columns of CSV, where it is none of , ; | and tab",
    )
    parser.add_argument(
        "--encoding", help="of CSV, such as cp1252 (default: UTF-8, or UTF-16 by its mark)"
    )
    add_list(
        parser,
        "--missing-value",
        metavar="TEXT",
        help="a cell of CSV that stands for a missing value, beside empty ones",
    )
    add_memory_limit(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="CSV or Parquet files, or -"
    )
    _add_columns(parser)
    _add_meaning(parser)
    _add_reading(parser.add_argument_group("how files are read"))
    output = parser.add_argument_group("output")
    add_output(output, ProportionalityReport.list_suffixes())
    output.add_argument(
        "--format",
        choices=tuple(RENDERERS),
        help="default: what the suffix of --output says, and text on the screen",
    )


def _show_paths(paths: Sequence[Path]) -> str:
    return list_names([printable(str(path)) for path in paths], _MOST_FILES)


@contextmanager
def _translate_file_errors(paths: Sequence[Path]) -> Iterator[None]:
    """Turn errors of reading files into an ``InputError``."""
    try:
        yield
    except SourceError as error:
        if error.reason is None:
            raise InputError(printable(str(error))) from error
        # An error in the rows of several files does not say in which of them.
        known = len(paths) > 1 and error.name != "data"
        which = error.name if known else _show_paths(paths)
        reason = printable(error.explain(_READ_OPTIONS))
        raise InputError(f"Cannot read {which}: {reason}.") from error


def _check_column(option: str, name: str, columns: Sequence[str], paths: Sequence[Path]) -> None:
    if f"{name}#1" in columns:
        again = re.compile(rf"{re.escape(name)}#\d+")
        times = sum(again.fullmatch(key) is not None for key in columns)
        raise InputError(
            f"{option} must be one column of {_show_paths(paths)}, got {name!r}, which "
            f"{times} columns are called: write '{name}#1' or '{name}#2'."
        )
    if name not in columns:
        raise InputError(
            f"{option} must be a column of {_show_paths(paths)}, which has {quote_names(columns)}, "
            f"got {name!r}.{suggest(name, columns)}"
        )


def _read_labels(columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Return cells of text as labels: numbers or booleans where all of them are that."""
    known = {cell for cells in columns.values() for cell in cells if cell is not None}
    kinds: tuple[tuple[Callable[[str], Any], Callable[[str], Any]], ...] = (
        (_INTEGER.fullmatch, int),
        (_DECIMAL.fullmatch, float),
        (lambda text: text.casefold() in _TRUTH, lambda text: _TRUTH[text.casefold()]),
        (lambda _: True, str),
    )
    read = next(make for fits, make in kinds if all(map(fits, known)))
    return {
        option: [None if cell is None else read(cell) for cell in cells]
        for option, cells in columns.items()
    }


def _find_favorable(
    text: str | None, cells: Mapping[str, Sequence[Any]], labels: Mapping[str, Sequence[Any]]
) -> Any:
    """Return the label that is written so: as in the file, or as Python shows it."""
    shown: dict[Any, set[str]] = {}
    for option, column in labels.items():
        for value, cell in set(zip(column, cells[option], strict=True)):
            whole = {str(int(value))} if isinstance(value, float) and value.is_integer() else set()
            # 1, 1.0 and True are one value, with several texts.
            shown.setdefault(value, set()).update({str(value), str(cell).strip(), *whole})
    if text is None:
        return None
    return choose_value("--favorable", text, {key: shown[key] for key in sort_keys(shown)})


def _count_rows(
    source: Source, arguments: argparse.Namespace, asked: Sequence[tuple[str, str]]
) -> tuple[list[list[Any]], dict[str, Any]]:
    """Return the distinct rows of the columns that are asked for, and how many each stands for."""
    weight, titles = arguments.weight, {}
    for option, name in [*asked, *([] if weight is None else [("--weight", weight)])]:
        _check_column(option, name, list(source.columns), arguments.files)
        titles = {"w": f"{option} (column {name!r})"} if option == "--weight" else {}
    with translate_errors(), _translate_file_errors(arguments.files):
        columns, sums = count_columns(source, [name for _, name in asked], weight, titles)
    if not len(sums["n"]):
        where = _show_paths(arguments.files)
        raise InputError(f"FILE must have at least one row, got none in {where}.")
    if len(sums["n"]) > _MOST_ROWS:
        distinct = [len(set(cells)) for cells in columns]
        option, name = asked[distinct.index(max(distinct))]
        what = "hold groups" if option == "--group" else "hold two labels"
        raise InputError(
            f"{option} must {what}, got column {name!r} with {max(distinct):,} values."
        )
    return columns, sums


def _count(source: Source, arguments: argparse.Namespace) -> OutcomeCounts:
    """Count people by group and labels, as an audit counts its distinct rows."""
    given = {
        "y_true": ("--truth", arguments.truth),
        "y_pred": ("--pred", arguments.pred),
        "y_corrected": ("--corrected", arguments.corrected),
    }
    roles = {role: pair for role, pair in given.items() if pair[1] is not None}
    policy = arguments.missing_groups
    asked = [*(("--group", name) for name in arguments.group), *roles.values()]
    columns, sums = _count_rows(source, arguments, asked)
    features = dict(zip(arguments.group, columns, strict=False))
    cells = {asked[place][0]: columns[place] for place in range(len(features), len(asked))}
    labels = cells
    if all(source.columns[name].kind == "cell" for _, name in asked):
        features = {name: read_whole_numbers(column) for name, column in features.items()}
        labels = _read_labels(cells)
    missing = np.array([is_missing_group(key) for key in zip(*features.values(), strict=True)])
    if missing.any() and policy == "error":
        raise InputError(
            f"--group must not contain missing values, got {sums['n'][missing].sum()} missing in "
            f"{sums['n'].sum()} rows. Pass --missing-groups drop or --missing-groups group to "
            "leave them out or to count them as a group."
        )
    # Rows that are left out show no label.
    shown = (sums.get("w", sums["n"]) > 0) & ~(missing & (policy == "drop"))
    seen = {
        option: list(dict.fromkeys(compress(column, shown))) for option, column in labels.items()
    }
    favorable = _find_favorable(arguments.favorable, cells, labels)
    with translate_errors():
        favorable = resolve_labels(seen, favorable, "--favorable")[1]
        # Objects, since NumPy would take whole numbers and None for floats.
        read = [*features.values(), *labels.values()]
        arrays = [np.array(cells, dtype=object) for cells in read]
        groups, _ = encode_features(dict(zip(features, arrays, strict=False)))
        held = map(encode, arrays[len(features) :])
        table = interpret(scatter([groups, *held], sums), tuple(roles), favorable, policy)
    return OutcomeCounts(feature_names=arguments.group, **table)


def _report(arguments: argparse.Namespace) -> ProportionalityReport:
    if len(set(arguments.group)) < len(arguments.group):
        raise InputError(
            f"--group must name different columns, got {quote_names(arguments.group)}."
        )
    with translate_errors(_READ_OPTIONS):
        options = ReadOptions(
            delimiter=arguments.delimiter,
            encoding=arguments.encoding,
            missing_values=arguments.missing_value,
        )
    names = ", ".join(path.name for path in arguments.files)
    with (
        _translate_file_errors(arguments.files),
        show_progress(f"Reading {names}"),
        collect_warnings() as notes,
    ):
        source = open_files(
            arguments.files, options, memory_limit=arguments.memory_limit, hashed=False
        )
        with source.stack:
            counts = _count(source, arguments)
    privileged = find_privileged(arguments.privileged, counts)
    with translate_errors():
        return ProportionalityReport.from_counts(
            counts, privileged=privileged, source=names, notes=notes
        )


def run(arguments: argparse.Namespace) -> None:
    """Print or write the report."""
    form, suffixes = arguments.format, ProportionalityReport.list_suffixes()
    for path in arguments.output:  # before the files are read, which may take its time
        check_target(
            path,
            arguments.files,
            force=arguments.force,
            suffixes=() if form else suffixes,
            unless=", or --format be given",
        )
    report = _report(arguments)
    for path in arguments.output:
        with translate_write_errors(path):
            if form:
                content = RENDERERS[form].render(report)
                path.write_text(content, encoding="utf-8", newline="\n")
            else:
                report.save(path)
    if not arguments.output:
        show_report(report, form)
