"""``skfair-ofi audit``: criteria on files of decisions, or on a model, with a verdict."""

import argparse
import hashlib
import shlex
import sys
from pathlib import Path

from skfair_ofi.audit import Audit, AuditResult, draft_spec, load_model
from skfair_ofi.report import AuditReport

from ._shared import (
    InputError,
    add_format,
    add_list,
    add_memory_limit,
    add_output,
    check_target,
    collect_warnings,
    show_progress,
    show_report,
    translate_errors,
    translate_write_errors,
)

HELP = "check criteria on files of decisions or on a model"
DESCRIPTION = """\
Audit decisions in CSV or Parquet files, or those of a model, by a specification in
TOML: what is a favorable decision, which groups are compared, by which criteria.
Files may be larger than memory; CSV may be compressed by gzip or Zstandard; several files
with the same columns are one, and so are the Parquet files of a folder; - is the standard
input.
"""
EXAMPLES = """\
examples:
  skfair-ofi audit --init people.csv -o spec.toml
  skfair-ofi audit people.csv --spec spec.toml
  skfair-ofi audit people.csv --spec spec.toml -o report.html -o report.json
  skfair-ofi audit people.csv --spec spec.toml --model classifier.skops

With --model, the specification can use the columns prediction and probability. A
model file can hold code: .onnx never does, of .skops only the types named by --trust
are loaded, module:object is imported from where you are, and a pickle runs whatever
its author put into it, so it needs --allow-pickle.

exit codes: 0 all criteria met, 1 some not met, 3 some undefined and none failed,
2 input that cannot be used.
"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="CSV or Parquet files, or -")
    parser.add_argument("--spec", type=Path, metavar="FILE", help="the specification, in TOML")
    parser.add_argument(
        "--init",
        metavar="FILE",
        help="look at a file, and print or write a specification to start from",
    )
    add_memory_limit(parser)
    _add_model(parser)
    output = parser.add_argument_group("output")
    add_output(output, AuditReport.list_suffixes())
    add_format(output)
    output.add_argument("--quiet", action="store_true", help="print nothing but errors")
    output.add_argument(
        "--no-time", action="store_true", help="leave out the time: equal input, equal bytes"
    )


def _add_model(parser: argparse.ArgumentParser) -> None:
    model = parser.add_argument_group("model")
    model.add_argument(
        "--model", metavar="MODEL", help="a .skops, .onnx or pickle file, or module:object"
    )
    add_list(
        model,
        "--trust",
        metavar="TYPE",
        help="a type that a .skops file may hold, such as mine.Scaler",
    )
    model.add_argument(
        "--allow-pickle", action="store_true", help="load a pickle, and run the code in it"
    )


def _spell_command(arguments: argparse.Namespace) -> str:
    """The command as it can be repeated, with file names without folders."""
    parts = [*(Path(name).name or name for name in arguments.files), "--spec", arguments.spec.name]
    if arguments.model:
        parts += ["--model", Path(arguments.model).name]
    for name in arguments.trust:
        parts += ["--trust", name]
    if arguments.allow_pickle:
        parts.append("--allow-pickle")
    if arguments.memory_limit is not None:
        parts += ["--memory-limit", arguments.memory_limit]
    return f"skfair-ofi audit {shlex.join(parts)}"


def _hash_file(model: str | None) -> str | None:
    """The hash of a model's file; None for what is imported."""
    if model is None or not Path(model).is_file():
        return None
    with Path(model).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_draft(arguments: argparse.Namespace) -> int:
    """Write a specification to start from, or show it."""
    for path in arguments.output:
        check_target(path, [Path(arguments.init)], force=arguments.force, suffixes=[".toml"])
    with translate_errors():
        draft = draft_spec(arguments.init)
    for path in arguments.output:
        with translate_write_errors(path):
            path.write_text(draft, encoding="utf-8", newline="\n")
    if not arguments.output:
        sys.stdout.write(draft)
    return 0


def _run_audit(arguments: argparse.Namespace) -> AuditResult:
    audit = Audit.from_file(arguments.spec)
    model = None
    if arguments.model is not None:
        sys.path.insert(0, "")
        model = load_model(
            arguments.model, trusted=arguments.trust, allow_pickle=arguments.allow_pickle
        )
    with show_progress("Auditing") as progress:
        return audit.run(
            arguments.files,
            model,
            no_time=arguments.no_time,
            command=_spell_command(arguments),
            model_sha256=_hash_file(arguments.model),
            progress=progress,
            memory_limit=arguments.memory_limit,
        )


def run(arguments: argparse.Namespace) -> int:
    """Run the audit, show and write its report, and say how it went."""
    if arguments.init is not None:
        return _write_draft(arguments)
    if arguments.spec is None or not arguments.files:
        raise InputError("audit needs FILE and --spec, or --init FILE. (See audit --help.)")
    sources, suffixes = [arguments.spec, *map(Path, arguments.files)], AuditReport.list_suffixes()
    for path in arguments.output:
        check_target(path, sources, force=arguments.force, suffixes=suffixes)
    with translate_errors(), collect_warnings() as warned:
        result = _run_audit(arguments)
    for line in warned:
        print(f"skfair-ofi: {line}", file=sys.stderr)
    report = AuditReport(result)
    for path in arguments.output:
        with translate_write_errors(path):
            report.save(path)
    if not arguments.quiet:
        show_report(report, arguments.format)
    return result.exit_code
