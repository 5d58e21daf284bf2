"""``skfair-ofi demo``: two post-processors on COMPAS, and whom each of them flipped."""

import argparse
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from skfair_ofi._text import printable, show_count, show_number, show_share
from skfair_ofi.report import (
    Cell,
    Document,
    FlipsDisplay,
    Measured,
    ProportionalityReport,
    Row,
    Section,
    Summary,
    Table,
)

from ._shared import (
    InputError,
    show_document,
    show_progress,
    translate_write_errors,
)

HELP = "two post-processors on the COMPAS data, and whom each of them flipped"
DESCRIPTION = """\
Correct the predictions of a model of the COMPAS data by fairlearn's ThresholdOptimizer
and by AIF360's EqOddsPostprocessing, and report whom each of them flipped. Favorable
is not to be arrested again within two years; people are grouped by race. Needs no
network and takes some seconds.
"""
EXAMPLES = """\
examples:
  skfair-ofi demo
  skfair-ofi demo --out reports --random-state 7
"""
_PRIVILEGED = "Caucasian"
_LARGEST_SEED = 2**32 - 1
# A split in which both flip about as many people as in most others.
_TYPICAL_SPLIT = 2
Reports = Mapping[str, ProportionalityReport]


def _parse_seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _LARGEST_SEED):
        raise argparse.ArgumentTypeError(
            f"must be a whole number from 0 to {_LARGEST_SEED}, got {text!r}"
        )
    return int(text)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where to write the reports, replacing those of an earlier run (default: a new "
        "temporary folder)",
    )
    parser.add_argument(
        "--random-state",
        type=_parse_seed,
        default=_TYPICAL_SPLIT,
        metavar="NUMBER",
        help="for the split of the data and the draws of the corrections (default: %(default)s)",
    )


def correct_compas(random_state: int) -> Reports:
    """Return a report on each post-processor, by name, of the same people held out of the fit."""
    # scikit-learn as a whole is loaded here only: the other commands do without it.
    from fairlearn.postprocessing import ThresholdOptimizer
    from sklearn import compose, linear_model, model_selection, pipeline, preprocessing  # noqa: PLC0415

    from skfair_ofi.datasets import load_compas  # noqa: PLC0415
    from skfair_ofi.postprocessing import CorrectedClassifier, import_aif360  # noqa: PLC0415

    compas = load_compas()
    X, y = compas.data, compas.target
    # every group in both parts, with both labels
    strata = X["race"] + y.astype(str)
    X_fit, X_test, y_fit, y_test = model_selection.train_test_split(
        X, y, test_size=0.3, stratify=strata, random_state=random_state
    )
    columns = compose.make_column_transformer(
        (preprocessing.OneHotEncoder(drop="if_binary"), ["sex", "age_cat", "c_charge_degree"]),
        (preprocessing.StandardScaler(), ["priors_count"]),
    )
    # Both are told to equalize the odds, each as its own library makes it.
    equalize = import_aif360("aif360.algorithms.postprocessing").EqOddsPostprocessing
    correctors = (
        ThresholdOptimizer(constraints="equalized_odds"),
        equalize([{"race": 0}], [{"race": 1}]),
    )
    reports = {}
    for corrector in correctors:
        model = CorrectedClassifier(
            pipeline.make_pipeline(columns, linear_model.LogisticRegression()),
            corrector,
            sensitive_features="race",
            privileged=_PRIVILEGED,
            pos_label=compas.pos_label,
            random_state=random_state,
        ).fit(X_fit, y_fit)
        source = f"COMPAS, {len(X_test):,} people held out of the fit"
        reports[type(corrector).__name__] = model.report(X_test, y_test, source=source)
    return reports


def save_picture(reports: Reports, path: Path) -> None:
    """Draw the flips of some corrections side by side, with one scale."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.9 * len(reports), 3.9), dpi=130, layout="constrained")
    panels = figure.subplots(1, len(reports), squeeze=False)[0]
    for axes, (name, report) in zip(panels, reports.items(), strict=True):
        FlipsDisplay.from_summary(report.summary).plot(axes)
        # above the words that say which side is which
        axes.set_title(name, loc="left", pad=22, fontsize=10.5, fontweight="bold")
    reach = max(axes.get_xlim()[1] for axes in panels)
    for axes in panels:
        axes.set_xlim(-reach, reach)
    figure.savefig(path)


def _save(folder: Path, reports: Reports) -> list[Path]:
    with translate_write_errors(folder):
        save_picture(reports, folder / "flips.png")
        saved = [
            report.save(folder / f"{name.lower()}{suffix}")
            for name, report in reports.items()
            for suffix in (".html", ".json", ".png")
        ]
    return [folder / "flips.png", *saved]


def describe_correction(name: str, summary: Summary) -> str:
    """Return what one correction did, in sentences made of its numbers."""
    overall = summary.overall
    rows = {row.name: row for row in summary.fairness}
    accuracy, odds = rows["accuracy"], rows["equalized_odds_difference"]
    return (
        f"{name} flipped {show_count(overall.flips)} of {show_count(overall.n)} people "
        f"({show_share(overall.flip_rate.value)}): {show_count(overall.gained)} gained the "
        f"favorable label and {show_count(overall.lost)} lost it. It was asked for equal odds, "
        f"whose gap went from {show_number(odds.before.value)} to "
        f"{show_number(odds.after.value)}; accuracy went from {show_share(accuracy.before.value)} "
        f"to {show_share(accuracy.after.value)}, since {show_count(overall.made_wrong or 0)} flips "
        f"made a right prediction wrong and {show_count(overall.put_right or 0)} put a wrong one "
        f"right. The figures lead to: {summary.decision.outcome} (rule: {summary.decision.rule})."
    )


def _show_measured(measured: Measured, show: Callable[[float], str]) -> Cell:
    outside = measured.verdict in ("outside bounds", "moderate")
    return Cell(f"{show(measured.value)}{'*' if outside else ' '}")


def _build_fairness(reports: Reports) -> Section:
    """Fairness and accuracy before the corrections, which is the same for all, and after each."""
    rows = []
    for same in zip(*(report.summary.fairness for report in reports.values()), strict=True):
        show = show_share if same[0].name == "accuracy" else show_number
        measured = (same[0].before, *(row.after for row in same))
        rows.append(Row((Cell(same[0].title), *(_show_measured(one, show) for one in measured))))
    title = "Fairness and accuracy before and after"
    table = Table(title, ("Measure", "Before", *reports), tuple(rows))
    return Section(title, ("A star is outside its bounds.",), (table,))


def _build_flips(name: str, report: ProportionalityReport) -> Section:
    sections = {section.title: section for section in report.document().sections}
    return replace(sections["Who was flipped"], title=f"Whom {name} flipped", figures=())


def build_document(reports: Reports) -> Document:
    """Return what the corrections did, side by side."""
    summaries = {name: report.summary for name, report in reports.items()}
    first, *_ = summaries.values()
    facts = (
        ("Model", "a logistic regression; it does not get race, the corrections do"),
        ("Favorable label", "0, not arrested again within two years"),
        ("People", f"{show_count(first.overall.n)} held out of the fit"),
        ("Differences", f"everyone else minus {_PRIVILEGED}"),
        ("One split", "is one draw: --random-state gives another"),
    )
    found = [reading.sentence for reading in first.readings[:1]]
    found += [describe_correction(name, summary) for name, summary in summaries.items()]
    found += dict.fromkeys(note for summary in summaries.values() for note in summary.notes)
    sections = (
        _build_fairness(reports),
        *(_build_flips(name, report) for name, report in reports.items()),
        Section("What was found", items=tuple(found)),
    )
    return Document("Two corrections of one model of COMPAS", facts, sections)


def run(arguments: argparse.Namespace) -> None:
    """Run the experiment, show what was found, and write the reports."""
    folder = arguments.out or Path(tempfile.mkdtemp(prefix="skfair-ofi-demo-"))
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out must be a folder, got the file {printable(str(folder))}.")
    with translate_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with show_progress("Fitting and correcting"):
        reports = correct_compas(arguments.random_state)
    with show_progress("Writing reports"):
        paths = _save(folder, reports)
    show_document(build_document(reports))
    print("\nWritten", *(f"  {printable(str(path))}" for path in paths), sep="\n")
