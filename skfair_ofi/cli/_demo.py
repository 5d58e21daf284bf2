"""``skfair-ofi demo``: two post-processors on COMPAS, and whom each of them flipped."""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skfair_ofi._text import show_count, show_number, show_share
from skfair_ofi.report import FairnessRow, GroupRow, Measured

from ._console import Screen, printable, working
from ._correction import PRIVILEGED, Correction, Experiment
from ._errors import InputError
from ._findings import comparison, findings, spread
from ._output import writing
from ._picture import save_picture

_DESCRIPTION = """\
Correct the predictions of a model of the COMPAS data by fairlearn's ThresholdOptimizer
and by AIF360's EqOddsPostprocessing, and report whom each of them flipped. Favorable
is not to be arrested again within two years; people are grouped by race. Needs no
network and takes some seconds.
"""
_EXAMPLES = """\
examples:
  skfair-ofi demo
  skfair-ofi demo --out reports --random-state 7
"""
_SUFFIXES = (".html", ".json", ".png")
_LARGEST_SEED = 2**32 - 1
# How many more splits are looked at, to say how far one can be trusted.
_OTHERS = 4
# A split in which both flip about as many people as in most others.
_TYPICAL_SPLIT = 2


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _LARGEST_SEED):
        raise argparse.ArgumentTypeError(
            f"must be a whole number from 0 to {_LARGEST_SEED}, got {text!r}"
        )
    return int(text)


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the sub-command to the program."""
    parser = commands.add_parser(
        "demo",
        help="two post-processors on the COMPAS data, and whom each of them flipped",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where to write the reports, replacing those of an earlier run (default: a new "
        "temporary folder)",
    )
    parser.add_argument(
        "--random-state",
        type=_seed,
        default=_TYPICAL_SPLIT,
        metavar="NUMBER",
        help="for the split of the data and the draws of the corrections (default: %(default)s)",
    )
    parser.set_defaults(run=run)


def _folder(path: Path | None) -> Path:
    if path is None:
        return Path(tempfile.mkdtemp(prefix="skfair-ofi-demo-"))
    if path.exists() and not path.is_dir():
        raise InputError(f"--out must be a folder, got the file {printable(str(path))}.")
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    return path


def _save(folder: Path, corrections: Sequence[Correction]) -> list[Path]:
    picture = folder / "flips.png"
    with writing(folder):
        save_picture(corrections, picture)
        reports = [
            correction.report.save(folder / f"{correction.stem}{suffix}")
            for correction in corrections
            for suffix in _SUFFIXES
        ]
    return [picture, *reports]


_INTRODUCTION = (
    "COMPAS: {everyone:,} people of six races. The favorable label is 0, not arrested again within "
    "two years. A logistic regression on sex, age group, number of priors and degree of charge; "
    "it does not get race, the corrections do. Fitted and corrected on {fitted_on:,} people; "
    "all figures are of the {held_out:,} others. Differences are everyone else minus {privileged}."
)


def _introduce(screen: Screen, experiment: Experiment) -> None:
    screen.prose(
        _INTRODUCTION.format(
            everyone=experiment.fitted_on + experiment.held_out,
            fitted_on=experiment.fitted_on,
            held_out=experiment.held_out,
            privileged=PRIVILEGED,
        )
    )


def _marked(measured: Measured, row: FairnessRow) -> str:
    if row.name == "accuracy":
        return f"{show_share(measured.value)} "
    outside = measured.verdict in ("outside bounds", "moderate")
    return show_number(measured.value, row.limits or ()) + ("*" if outside else " ")


def _show_fairness(screen: Screen, corrections: Sequence[Correction]) -> None:
    rows = [
        [
            each[0].title,
            _marked(each[0].before, each[0]),
            *(_marked(row.after, row) for row in each),
        ]
        for each in zip(*(correction.summary.fairness for correction in corrections), strict=True)
    ]
    names = [f"{correction.name} " for correction in corrections]
    screen.heading("Fairness and accuracy before and after")
    screen.table(["Measure", "Before ", *names], rows, numbers=range(1, len(names) + 2))
    screen.prose("* outside its bounds")


def _flips_row(row: GroupRow) -> list[str]:
    return [
        f"{row.name} (privileged)" if row.privileged else row.name,
        *(show_count(count) for count in (row.n, row.gained, row.lost)),
        show_share(row.flip_rate.value),
        show_share(row.harmful_flip_proportion.value),
    ]


def _show_flips(screen: Screen, correction: Correction) -> None:
    summary = correction.summary
    titles = ["Group", "People", "Gained", "Lost", "Flip rate", "Harmful share"]
    rows = [_flips_row(row) for row in (*summary.groups, summary.overall)]
    screen.heading(f"Whom {correction.name} ({correction.library}) flipped")
    screen.table(titles, rows, numbers=range(1, 6), totals=1)


def _show_measures(screen: Screen, corrections: Sequence[Correction]) -> None:
    pairs = zip(*(correction.summary.measures for correction in corrections), strict=True)
    rows = [
        [each[0].title, *(text for row in each for text in _judged(row.result))] for each in pairs
    ]
    titles = [title for correction in corrections for title in (correction.name, "")]
    screen.heading("How evenly the flips fall on the groups")
    screen.table(["Measure", *titles], rows, numbers=range(1, len(titles) + 1, 2))


def _judged(measured: Measured) -> tuple[str, str]:
    return show_number(measured.value), measured.verdict or ""


def _conclude(
    screen: Screen, corrections: Sequence[Correction], others: Sequence[Sequence[Correction]]
) -> None:
    screen.heading("What was found")
    for reading in corrections[0].summary.readings[:1]:
        screen.prose(reading.sentence, bullet="- ")
    for correction in corrections:
        screen.prose(findings(correction), bullet="- ")
    screen.prose(comparison(*corrections), bullet="- ")
    screen.prose(spread(others), bullet="- ")
    notes = [note for correction in corrections for note in correction.summary.notes]
    for note in dict.fromkeys(notes):
        screen.prose(note, bullet="- ")


def run(arguments: argparse.Namespace) -> None:
    """Run the experiment, show what was found, and write the reports."""
    # Loads all of scikit-learn, which the other commands do without.
    from ._experiment import correct_compas  # noqa: PLC0415

    folder = _folder(arguments.out)
    seeds = [(arguments.random_state + step) % (_LARGEST_SEED + 1) for step in range(1 + _OTHERS)]
    with working("Fitting and correcting"):
        experiment, *others = (correct_compas(seed) for seed in seeds)
    with working("Writing reports"):
        paths = _save(folder, experiment.corrections)
    screen = Screen()
    _introduce(screen, experiment)
    _show_fairness(screen, experiment.corrections)
    for correction in experiment.corrections:
        _show_flips(screen, correction)
    _show_measures(screen, experiment.corrections)
    _conclude(screen, experiment.corrections, [other.corrections for other in others])
    screen.heading("Written")
    for path in paths:
        screen.line(f"  {path}")
