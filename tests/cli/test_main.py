"""The program as a whole: exit codes, streams, pipes, encodings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import skfair_ofi
from skfair_ofi.cli import main

ROOT = Path(__file__).parents[2]
MODULE = (sys.executable, "-W", "error", "-m", "skfair_ofi")


def run_program(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own, without a terminal."""
    return subprocess.run(
        [*MODULE, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments", [["--help"], ["demo", "--help"], ["flips", "--help"], ["measures", "--help"]]
)
def test_help_has_examples(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Every help text ends well and shows commands to copy."""
    assert main(arguments) == 0
    captured = capsys.readouterr()
    assert "examples:\n  skfair-ofi " in captured.out
    assert captured.err == ""


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """The version is the package's."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"skfair-ofi {skfair_ofi.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "end"),
    [
        ([], "are required: COMMAND (See skfair-ofi --help.)\n"),
        (["nonsense"], "(See skfair-ofi --help.)\n"),
        (
            ["measures", "--nonsense"],
            "unrecognized arguments: --nonsense (See skfair-ofi --help.)\n",
        ),
        (["measures", "--kin", "rate"], "arguments: --kin (See skfair-ofi --help.)\n"),
        (["flips", "x.csv"], "--group, --pred, --corrected (See skfair-ofi flips --help.)\n"),
        (
            ["demo", "--random-state", "-1"],
            "must be a whole number from 0 to 4294967295, got '-1' (See skfair-ofi demo --help.)\n",
        ),
        (["demo", "--random-state", "x"], "got 'x' (See skfair-ofi demo --help.)\n"),
    ],
)
def test_wrong_options(arguments: list[str], end: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Options that do not exist or do not fit are one line on the standard error, and code 2."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.endswith(end)


def test_module_runs() -> None:
    """``python -m skfair_ofi`` is the program, and says nothing but what it is asked."""
    result = run_program("measures", "--kind", "rate")
    assert result.returncode == 0
    assert result.stderr == b""
    assert b"\x1b" not in result.stdout


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.slow
def test_output_is_utf8(encoding: str, tmp_path: Path) -> None:
    """The output is UTF-8 whatever the locale is called, and names come out as they are."""
    path = tmp_path / "people.csv"
    path.write_text("g,p,c\nZoë,1,0\n日本,0,1\n", encoding="utf-8")
    options = ("--group", "g", "--pred", "p", "--corrected", "c")
    result = run_program("flips", str(path), *options, PYTHONIOENCODING=encoding)
    assert result.returncode == 0
    assert {"Zoë", "日本"} <= set(result.stdout.decode("utf-8").split())


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.slow
def test_closed_pipe_is_quiet(form: str) -> None:
    """Output that nobody reads, as after ``head``, ends the program without a word."""
    with subprocess.Popen(
        [*MODULE, "measures", "--format", form],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_interrupt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Ctrl-C is one line and the shell's own code for it."""

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("skfair_ofi.cli._measures_command.run", interrupted)
    assert main(["measures"]) == 130
    assert capsys.readouterr().err == "skfair-ofi: interrupted.\n"
