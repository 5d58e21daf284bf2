"""``skfair-ofi correct``: correct the scores in a file with the fewest flips."""

# ruff: noqa: S608 - names and values in queries are quoted by _quote and _spell

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import printable
from skfair_ofi._validation import suggest
from skfair_ofi.report import ProportionalityReport

from ._shared import (
    InputError,
    check_target,
    choose_value,
    collect_warnings,
    find_privileged,
    quote_names,
    show_progress,
    translate_errors,
    translate_write_errors,
)

if TYPE_CHECKING:
    from skfair_ofi.postprocessing import CorrectedClassifier

HELP = "correct the scores in a file with the fewest flips"
DESCRIPTION = """\
Correct scores by group so that a fairness constraint holds with the fewest flips, from a CSV
or Parquet file with one row a person: score, group and true label. The rule is fitted on the
file's distinct scores and applied row by row, so the file may be larger than memory. Written
are all columns and y_pred, y_corrected and flip_chance. The rule uses each person's group.
"""
EXAMPLES = """\
examples:
  skfair-ofi correct people.csv --score p --group race --truth hired -o corrected.csv
  skfair-ofi correct people.csv --score p --group race --truth hired \\
      --fairness equalized_odds --tolerance 0.05 --limit harmful_flip_rate=0.02 \\
      -o corrected.csv --report report.html
"""
_WRITTEN = ("y_pred", "y_corrected", "flip_chance")


def _read_limit(text: str) -> tuple[str, float]:
    name, _, level = text.partition("=")
    try:
        return name, float(level)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be MEASURE=NUMBER, got {text!r}") from None


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a CSV or Parquet file")
    columns = parser.add_argument_group("columns")
    columns.add_argument("--score", required=True, metavar="COLUMN", help="higher is better")
    columns.add_argument(
        "--group",
        action="append",
        required=True,
        metavar="COLUMN",
        help="the sensitive feature; repeat it to group by several together",
    )
    columns.add_argument("--truth", required=True, metavar="COLUMN", help="true labels")
    meaning = parser.add_argument_group("what is asked for")
    meaning.add_argument(
        "--threshold",
        type=float,
        default=0.5,
        metavar="SCORE",
        help="lowest score with a favorable prediction (default: %(default)s)",
    )
    meaning.add_argument("--favorable", metavar="LABEL", help="not needed for 0/1")
    meaning.add_argument("--privileged", action="append", default=[], metavar="GROUP")
    meaning.add_argument(
        "--fairness",
        action="append",
        metavar="CONSTRAINT",
        help="such as equalized_odds; may be repeated (default: demographic_parity)",
    )
    meaning.add_argument("--tolerance", type=float, default=0.05, metavar="GAP")
    meaning.add_argument(
        "--limit",
        type=_read_limit,
        action="append",
        default=[],
        metavar="MEASURE=LEVEL",
        help="such as harmful_flip_rate=0.02; may be repeated",
    )
    meaning.add_argument(
        "--single-threshold", action="store_true", help="one threshold a group, and no lottery"
    )
    meaning.add_argument("--seed", type=int, default=0, help="of the lottery (default: 0)")
    output = parser.add_argument_group("output")
    output.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help=".csv or .parquet"
    )
    output.add_argument("--report", type=Path, metavar="FILE", help="the report on who is flipped")
    output.add_argument("--force", action="store_true", help="overwrite files")


def _check_targets(arguments: argparse.Namespace) -> None:
    given = [arguments.file]
    check_target(arguments.output, given, force=arguments.force, suffixes=(".csv", ".parquet"))
    if arguments.report is not None:
        check_target(
            arguments.report,
            [*given, arguments.output],
            force=arguments.force,
            suffixes=ProportionalityReport.list_suffixes(),
            option="--report",
        )


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _spell(value: Any) -> str:
    """Return a value as SQL writes it."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def _spell_number(value: float) -> str:
    return f"'{value!r}'::DOUBLE"


class _Table:
    """A file in DuckDB, and what its columns mean."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        import duckdb

        self.arguments = arguments
        # one thread draws the same lots each time
        self.connection = duckdb.connect(config={"threads": 1})
        path = str(arguments.file)
        reader = "read_parquet" if arguments.file.suffix.lower() == ".parquet" else "read_csv"
        try:
            self.connection.execute(f"CREATE VIEW people AS FROM {reader}({_spell(path)})")
            self.columns = self.connection.sql("FROM people LIMIT 0").columns
        except duckdb.Error as error:
            reason = printable(str(error).splitlines()[0])
            raise InputError(f"Cannot read {printable(path)}: {reason}") from error
        asked = [("--score", arguments.score), ("--truth", arguments.truth)]
        for option, name in [*asked, *(("--group", name) for name in arguments.group)]:
            if name not in self.columns:
                raise InputError(
                    f"{option} must be a column of {printable(path)}, which has "
                    f"{quote_names(self.columns)}, got {name!r}."
                    f"{suggest(name, self.columns)}"
                )
        taken = [name for name in _WRITTEN if name in self.columns]
        if taken:
            raise InputError(f"FILE must not have the columns {quote_names(taken)}, got them.")

    def fit(self) -> "tuple[CorrectedClassifier, Any]":
        """Fit on the distinct rows of score, group and label, which weigh as they are often."""
        # These load scikit-learn, and the other commands must not.
        from skfair_ofi.postprocessing import (  # noqa: PLC0415
            CorrectedClassifier,
            FlipOptimizer,
            ScoreClassifier,
        )

        given = self.arguments
        parts = [f"{_quote(given.score)}::DOUBLE AS score", f"{_quote(given.truth)} AS truth"]
        parts += [f"{_quote(name)} AS group{i}" for i, name in enumerate(given.group)]
        names = [f"group{i}" for i in range(len(given.group))]
        query = f"SELECT {', '.join(parts)}, count(*) AS n FROM people GROUP BY ALL ORDER BY ALL"
        frame = self.connection.execute(query).df()
        for column, option in {"score": "--score", "truth": "--truth"}.items():
            if frame[column].isna().any():
                raise InputError(f"{option} must not have missing values, got some.")
        if frame[names].isna().any(axis=None):
            raise InputError("--group must not have missing values, got some.")
        labels = {value: {str(value)} for value in frame["truth"].unique().tolist()}
        favorable = given.favorable and choose_value("--favorable", given.favorable, labels)
        model = CorrectedClassifier(
            ScoreClassifier("score", threshold=given.threshold, pos_label=favorable or None),
            FlipOptimizer(
                given.fairness or "demographic_parity",
                tolerance=given.tolerance,
                limits=dict(given.limit),
                single_threshold=given.single_threshold,
            ),
            sensitive_features=names,
            pos_label=favorable or None,
        )
        with translate_errors():
            model.fit(frame, frame["truth"], sample_weight=frame["n"])
        return model, model.corrector_

    def _write_chance(self, rules: Any, unfavorable: Any) -> str:
        """Each person's chance of being flipped, by the rules, as SQL."""
        given, score = self.arguments, f"{_quote(self.arguments.score)}::DOUBLE"
        cases = []
        for rule in rules.to_dict("records"):
            key = rule["group"] if len(given.group) > 1 else (rule["group"],)
            where = [
                f"{_quote(name)} = {_spell(value)}"
                for name, value in zip(given.group, key, strict=True)
            ]
            side = "<" if rule["prediction"] == unfavorable else ">="
            where += [
                f"{score} {side} {_spell_number(given.threshold)}",
                f"{score} >= {_spell_number(rule['score_from'])}",
                f"{score} < {_spell_number(rule['score_below'])}",
            ]
            cases.append(f"WHEN {' AND '.join(where)} THEN {_spell_number(rule['chance'])}")
        return f"CASE {' '.join(cases)} ELSE 0.0 END" if cases else "0.0"

    def write(self, model: "CorrectedClassifier", optimizer: Any) -> OutcomeCounts:
        """Write the corrected file, and return the table of what was written."""
        given, (unfavorable, favorable) = self.arguments, model.labels_
        bar = f"{_quote(given.score)}::DOUBLE >= {_spell_number(given.threshold)}"

        def label(condition: str) -> str:
            return f"CASE WHEN {condition} THEN {_spell(favorable)} ELSE {_spell(unfavorable)} END"

        chance = self._write_chance(optimizer.rules_, unfavorable)
        self.connection.execute(f"SELECT setseed({(given.seed % 1000) / 1000})")
        self.connection.execute(
            f"CREATE TEMP VIEW chances AS SELECT *, {bar} AS above, {chance} AS flip_chance "
            "FROM people"
        )
        drawn = label("above <> (random() < flip_chance)")
        query = (
            f"SELECT * EXCLUDE (above, flip_chance), {label('above')} AS y_pred, "
            f"{drawn} AS y_corrected, flip_chance FROM chances"
        )
        form = "PARQUET" if given.output.suffix.lower() == ".parquet" else "CSV, HEADER"
        with translate_write_errors(given.output):
            self.connection.execute(
                f"COPY ({query}) TO {_spell(str(given.output))} (FORMAT {form})"
            )
        reader = "read_parquet" if form == "PARQUET" else "read_csv"
        names = [*given.group, given.truth, "y_pred", "y_corrected"]
        columns = ", ".join(map(_quote, names))
        counted = self.connection.execute(
            f"SELECT {columns}, count(*)::DOUBLE AS n FROM {reader}({_spell(str(given.output))}) "
            "GROUP BY ALL ORDER BY ALL"
        ).df()
        return OutcomeCounts.from_frame(
            counted,
            sensitive_features=given.group if len(given.group) > 1 else given.group[0],
            y_true=given.truth,
            y_pred="y_pred",
            y_corrected="y_corrected",
            sample_weight="n",
            pos_label=favorable,
        )


def _say_rules(optimizer: Any) -> str:
    rules: Sequence[dict[str, Any]] = optimizer.rules_.to_dict("records")
    if not rules:
        return "Nobody is flipped: the constraints hold already."
    lines = [
        f"  {printable(str(rule['group']))}: predicted {rule['prediction']}, score from "
        f"{rule['score_from']:.4g} to below {rule['score_below']:.4g}: "
        + ("flipped" if rule["chance"] == 1 else f"flipped with chance {rule['chance']:.3f}")
        + f" ({rule['flips']:,.1f} of {rule['people']:,.0f} people)"
        for rule in rules
    ]
    return "\n".join(["Rules, which use each person's group:", *lines])


def run(arguments: argparse.Namespace) -> None:
    """Fit, write, and say whom the rules flip."""
    _check_targets(arguments)
    with show_progress(f"Correcting {arguments.file.name}"), collect_warnings() as notes:
        table = _Table(arguments)
        with table.connection:
            model, optimizer = table.fit()
            counts = table.write(model, optimizer)
    privileged = find_privileged(arguments.privileged, counts)
    print(_say_rules(optimizer))
    for note in notes:
        print(printable(note))
    if arguments.report is not None:
        with translate_errors():
            report = ProportionalityReport.from_counts(
                counts, privileged=privileged, source=arguments.file.name, notes=notes
            )
        with translate_write_errors(arguments.report):
            report.save(arguments.report)
