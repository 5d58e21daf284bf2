"""The README tells the truth: its code runs, and its outputs and numbers are the real ones."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from skfair_ofi.cli import main
from skfair_ofi.cli._demo_command import correct_compas
from skfair_ofi.cli._main import build_parser

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCES = re.findall(r"^```(\w+)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", README, re.M | re.S)
PYTHON = [(source, output) for language, source, output in FENCES if language == "python"]
SHELL = [source for language, source, _ in FENCES if language == "sh"]
COMMANDS = [
    shlex.split(line)
    for source in SHELL
    for line in source.replace("\\\n", " ").splitlines()
    if line.startswith("skfair-ofi ")
]


def stripped(text: str) -> list[str]:
    """Lines without spaces at their ends, which Markdown takes for line breaks."""
    return [line.rstrip() for line in text.splitlines()]


@pytest.mark.parametrize(("source", "output"), PYTHON)
def test_python_block(
    source: str,
    output: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each block runs by itself, without a warning, and prints what stands below it."""
    monkeypatch.chdir(tmp_path)
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})  # noqa: S102
    assert output, "every block must show what it prints"
    assert stripped(capsys.readouterr().out) == stripped(output)


def test_blocks_are_short() -> None:
    """A reader takes in each block at a glance: about thirty lines."""
    assert len(PYTHON) >= 3
    assert max(source.count("\n") for source, _ in PYTHON) <= 36


def test_install_commands() -> None:
    """The two commands stand there as the continuous integration runs them."""
    lines = [line for source in SHELL for line in source.splitlines()]
    assert "pip install . && skfair-ofi demo" in lines
    assert "pip install '.[test]' && pytest" in lines


def test_every_fence_is_known() -> None:
    """No block escapes these tests: each is Python, shell, or the output of one."""
    assert README.count("\n```") == 2 * (len(FENCES) + sum(bool(output) for *_, output in FENCES))
    assert {language for language, *_ in FENCES} == {"python", "sh"}


def write_decisions() -> None:
    """Write the file of decisions that the commands read, as the text says how."""
    (source,) = (source for source, _ in PYTHON if '"decisions.csv"' in source)
    exec(compile(source, "README.md", "exec"), {"__name__": "readme"})  # noqa: S102


@pytest.mark.parametrize(
    "command", [parts for parts in COMMANDS if parts[1] != "audit"], ids=" ".join
)
def test_shell_command(command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands on a file run on a file with those columns, and write what they say."""
    monkeypatch.chdir(tmp_path)
    write_decisions()
    assert main(command[1:]) == 0
    assert Path(command[command.index("-o") + 1]).stat().st_size > 1000


def test_audit_in_two_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first command writes what the second reads, which prints what stands below it."""
    monkeypatch.chdir(tmp_path)
    write_decisions()
    commands = [parts[1:] for parts in COMMANDS if parts[1] == "audit"]
    assert [main(command) for command in commands] == [0, 1]
    shown = next(output for language, source, output in FENCES if "audit --init" in source)
    assert shown in capsys.readouterr().out
    assert Path("audit.html").stat().st_size > 1000


def caption_numbers() -> dict[str, Any]:
    """The figures of the demonstration, as the caption of its picture words them."""
    seed = build_parser().parse_args(["demo"]).random_state
    first, second = (report.summary for report in correct_compas(seed).values())
    odds = [
        next(row for row in summary.fairness if row.name == "equalized_odds_difference")
        for summary in (first, second)
    ]
    accuracy = [summary.fairness[0] for summary in (first, second)]
    return {
        "before": f"{odds[0].before.value:.3f}",
        "after": [f"{row.after.value:.3f}" for row in odds],
        "flips": [f"{summary.overall.flips}" for summary in (first, second)],
        "lost": [f"{summary.overall.lost}" for summary in (first, second)],
        "people": f"{first.overall.n:,}",
        "accuracy": [f"{100 * accuracy[0].before.value:.1f}%"]
        + [f"{100 * row.after.value:.1f}%" for row in accuracy],
    }


@pytest.mark.slow
def test_caption_of_the_picture() -> None:
    """The caption's numbers are those that the demonstration finds."""
    found = caption_numbers()
    words = " ".join(README.split("*The demonstration: ")[1].split("*\n")[0].split())
    flipped = (
        "It is {after[0]} after `ThresholdOptimizer`, which flipped {flips[0]} of {people} people "
        "and took the favorable label from {lost[0]} of them, and {after[1]} after "
        "`EqOddsPostprocessing`, which flipped {flips[1]} and took it from {lost[1]}."
    )
    accuracy = "Accuracy fell from {accuracy[0]} to {accuracy[1]} and to {accuracy[2]}."
    for sentence in ("rates was {before} before.", flipped, accuracy):
        assert sentence.format(**found) in words


@pytest.mark.parametrize("target", re.findall(r"\]\((?!https?:|#)([^)]+)\)", README))
def test_linked_file(target: str) -> None:
    """Files that the README links to or shows are there; pictures are small."""
    path = ROOT / target.partition("#")[0]
    assert path.is_file()
    assert path.suffix != ".png" or path.stat().st_size < 150_000


@pytest.mark.parametrize("anchor", re.findall(r"\]\(#([^)]+)\)", README))
def test_linked_heading(anchor: str) -> None:
    """Links inside the README lead to a heading."""
    headings = re.findall(r"^#+ (.*)$", README, re.M)
    slugs = [re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings]
    assert anchor in slugs
