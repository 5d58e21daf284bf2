"""``skfair-ofi audit``: criteria on files of decisions, or on a model, with a verdict."""

import argparse
import hashlib
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from skfair_ofi._text import printable
from skfair_ofi.audit import Audit, draft_spec, load_model
from skfair_ofi.report import RENDERERS, AuditReport

from ._console import show_report
from ._shared import (
    InputError,
    add_memory_limit,
    caught_warnings,
    check_target,
    input_errors,
    writing,
)

_DESCRIPTION = """\
Audit decisions in CSV or Parquet files, or those of a model, by a specification in
TOML: what is a favorable decision, which groups are compared, by which criteria.
Files may be larger than memory; CSV may be compressed by gzip or Zstandard; several files
with the same columns are one, and so are the Parquet files of a folder; - is the standard
input.
"""
_EXAMPLES = """\
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


def add_to(commands: "argparse._SubParsersAction[Any]") -> None:
    """Add the sub-command to the program."""
    parser = commands.add_parser(
        "audit",
        help="check criteria on files of decisions or on a model",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
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
    output.add_argument(
        "-o",
        "--output",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="write to a file; its suffix says the form: "
        f"{', '.join(AuditReport.list_suffixes())}; may be repeated",
    )
    output.add_argument("--force", action="store_true", help="overwrite the files of --output")
    output.add_argument(
        "--format",
        choices=tuple(RENDERERS),
        default="text",
        help="on the screen (default: %(default)s)",
    )
    output.add_argument("--quiet", action="store_true", help="print nothing but errors")
    output.add_argument(
        "--no-time", action="store_true", help="leave out the time: equal input, equal bytes"
    )
    parser.set_defaults(run=run)


def _add_model(parser: argparse.ArgumentParser) -> None:
    model = parser.add_argument_group("model")
    model.add_argument(
        "--model", metavar="MODEL", help="a .skops, .onnx or pickle file, or module:object"
    )
    model.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="TYPE",
        help="a type that a .skops file may hold, such as mine.Scaler; may be repeated",
    )
    model.add_argument(
        "--allow-pickle", action="store_true", help="load a pickle, and run the code in it"
    )


def _check_name(path: Path, suffixes: Sequence[str]) -> None:
    if path.suffix.lower() not in suffixes:
        raise InputError(
            f"--output must end in one of {', '.join(suffixes)}, got {printable(str(path))}."
        )
    if path.is_symlink():
        raise InputError(f"--output must be no symbolic link, got {printable(str(path))}.")


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot work before any file is read."""
    if arguments.spec is None or not arguments.files:
        raise InputError("audit needs FILE and --spec, or --init FILE. (See audit --help.)")
    for path in arguments.output:
        _check_name(path, AuditReport.list_suffixes())
        sources = (arguments.spec, *map(Path, arguments.files))
        check_target(path, *sources, force=arguments.force)


def _command(arguments: argparse.Namespace) -> str:
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


def _sha256(model: str | None) -> str | None:
    """The hash of a model's file; None for what is imported."""
    if model is None or not Path(model).is_file():
        return None
    with Path(model).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _bar() -> Iterator[Callable[[str, float], None] | None]:
    """Show on the standard error how far the run is, where somebody is looking."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    columns = TextColumn("{task.description}", markup=False), BarColumn()
    if not console.is_terminal:
        yield None
        return
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Auditing", total=1.0)

        def show(what: str, share: float) -> None:
            bar.update(task, description=printable(what), completed=share)

        yield show


def _init(arguments: argparse.Namespace) -> int:
    for path in arguments.output:
        _check_name(path, (".toml",))
        check_target(path, Path(arguments.init), force=arguments.force)
    with input_errors():
        draft = draft_spec(arguments.init)
    for path in arguments.output:
        with writing(path):
            path.write_text(draft, encoding="utf-8", newline="\n")
    if not arguments.output:
        sys.stdout.write(draft)
    return 0


def run(arguments: argparse.Namespace) -> int:
    """Run the audit, show and write its report, and say how it went."""
    if arguments.init is not None:
        return _init(arguments)
    _check(arguments)
    with input_errors(), caught_warnings() as warned:
        audit = Audit.from_file(arguments.spec)
        model = None
        if arguments.model is not None:
            sys.path.insert(0, "")
            model = load_model(
                arguments.model, trusted=arguments.trust, allow_pickle=arguments.allow_pickle
            )
        with _bar() as progress:
            result = audit.run(
                arguments.files,
                model,
                no_time=arguments.no_time,
                command=_command(arguments),
                model_sha256=_sha256(arguments.model),
                progress=progress,
                memory_limit=arguments.memory_limit,
            )
    for line in warned:
        print(f"skfair-ofi: {line}", file=sys.stderr)
    report = AuditReport(result)
    for path in arguments.output:
        with writing(path):
            report.save(path)
    if not arguments.quiet:
        show_report(report, arguments.format)
    return result.exit_code
