"""``skfair-ofi flips`` gives the Python functions' numbers, and refuses what it cannot use."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from skfair_ofi import proportionality_report
from skfair_ofi.cli import main

ROLES = ("--group", "race", "--pred", "pred", "--corrected", "corrected")
FORMATS = ("text", "markdown", "html", "json", "csv")

Capsys = pytest.CaptureFixture[str]


def flips(capsys: Capsys, path: Path, *options: str) -> str:
    """Run the sub-command on a file and return what it prints."""
    assert main(["flips", str(path), *options]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def refusal(capsys: Capsys, path: Path | str, *options: str) -> str:
    """Run the sub-command on unusable input and return its one line."""
    assert main(["flips", str(path), *(options or ROLES)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.rstrip("\n").isprintable()
    return captured.err


def report(people: pd.DataFrame, groups: Any = "race", **options: Any) -> dict[str, Any]:
    """Return the report of the Python function, as JSON gives it."""
    options.setdefault("y_true", people["truth"])
    made = proportionality_report(
        y_pred=people["pred"],
        y_corrected=people["corrected"],
        sensitive_features=people[groups],
        source="people.csv",
        **options,
    )
    return json.loads(made.json())


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((), {"y_true": None}),
        (("--truth", "truth"), {}),
        (("--truth", "truth", "--privileged", "a"), {"privileged": "a"}),
        (
            ("--truth", "truth", "--privileged", "a", "--privileged", "c, d"),
            {"privileged": ["a", "c, d"]},
        ),
        (("--truth", "truth", "--favorable", "0"), {"pos_label": 0}),
    ],
)
def test_same_as_python(
    capsys: Capsys,
    people: pd.DataFrame,
    people_file: Path,
    arguments: tuple[str, ...],
    options: dict[str, Any],
) -> None:
    """Every number and sentence is that of ``proportionality_report``."""
    found = json.loads(flips(capsys, people_file, *ROLES, *arguments, "--format", "json"))
    assert found == report(people, **options)


def test_weights(capsys: Capsys, people: pd.DataFrame, people_file: Path) -> None:
    """Weighted counts are those of the Python function, up to the order of summing."""
    arguments = ("--truth", "truth", "--weight", "weight", "--format", "json")
    found = json.loads(flips(capsys, people_file, *ROLES, *arguments))
    wanted = report(people, sample_weight=people["weight"])
    assert found["counting"] == "weighted people"
    for mine, theirs in zip(found["measures"], wanted["measures"], strict=True):
        assert mine["result"]["value"] == pytest.approx(theirs["result"]["value"])


@pytest.mark.parametrize(
    ("texts", "privileged"),
    [
        (["a,1"], [("a", 1)]),
        (["a, 2", '"c, d",1'], [("a", 2), ("c, d", 1)]),
    ],
)
def test_several_features(
    capsys: Capsys,
    people: pd.DataFrame,
    people_file: Path,
    texts: list[str],
    privileged: list[tuple[str, int]],
) -> None:
    """Several groups are crossed; a privileged one has a value for each, as in CSV."""
    chosen = [option for text in texts for option in ("--privileged", text)]
    arguments = ("--group", "sex", "--truth", "truth", "--format", "json", *chosen)
    found = json.loads(flips(capsys, people_file, *ROLES, *arguments))
    assert found == report(people, ["race", "sex"], privileged=privileged)


Writer = Callable[[pd.DataFrame, Path], object]
WRITERS: dict[str, Writer] = {
    "comma.csv": lambda frame, path: frame.to_csv(path, index=False),
    "semicolon.csv": lambda frame, path: frame.to_csv(path, index=False, sep=";"),
    "tab.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "bar.txt": lambda frame, path: frame.to_csv(path, index=False, sep="|"),
    "windows.csv": lambda frame, path: frame.to_csv(path, index=False, lineterminator="\r\n"),
    "mark.csv": lambda frame, path: frame.to_csv(path, index=False, encoding="utf-8-sig"),
    "zipped.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "zipped.csv": lambda frame, path: frame.to_csv(path, index=False, compression="gzip"),
    "people.parquet": lambda frame, path: frame.to_parquet(path, index=False),
    "parquet.csv": lambda frame, path: frame.to_parquet(path, index=False),
    "odd [1] *?'.csv": lambda frame, path: frame.to_csv(path, index=False),
    "floats.csv": lambda frame, path: frame.astype({"pred": float}).to_csv(path, index=False),
    "spaces.csv": lambda frame, path: frame.assign(pred=frame["pred"].map(" {}".format)).to_csv(
        path, index=False
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_kind_of_file(
    capsys: Capsys, people: pd.DataFrame, tmp_path: Path, name: str
) -> None:
    """The contents say what a file is; delimiters, line ends and compression make no difference."""
    WRITERS[name](people, tmp_path / name)
    found = json.loads(
        flips(capsys, tmp_path / name, *ROLES, "--truth", "truth", "--format", "json")
    )
    assert found == {**report(people), "source": name, "facts": found["facts"]}


def test_names_that_differ_in_case(capsys: Capsys, people: pd.DataFrame, tmp_path: Path) -> None:
    """Of two names that differ in case only, the one that is asked for is read."""
    path = tmp_path / "people.csv"
    people.assign(PRED=1, Race="x").to_csv(path, index=False)
    found = json.loads(flips(capsys, path, *ROLES, "--truth", "truth", "--format", "json"))
    assert found == report(people)
    found = json.loads(flips(capsys, path, *ROLES, "--truth", "PRED", "--format", "json"))
    assert found == report(people, y_true=[1] * len(people))


def test_own_encoding_and_missing_values(
    capsys: Capsys, people: pd.DataFrame, tmp_path: Path
) -> None:
    """An encoding and cells that stand for a missing value can be given."""
    path = tmp_path / "people.csv"
    people.replace({"race": {"b": "\u00e9"}}).to_csv(path, index=False, encoding="cp1252")
    arguments = ("--format", "json", "--encoding", "cp1252", "--missing-value", "\u00e9")
    found = json.loads(
        flips(capsys, path, *ROLES, *arguments, "--missing-groups", "drop", "--memory-limit", "1GB")
    )
    assert found["overall"]["n"] == int((people["race"] != "b").sum())


def test_own_delimiter(capsys: Capsys, people: pd.DataFrame, tmp_path: Path) -> None:
    """A delimiter that is not found out can be given."""
    path = tmp_path / "people.csv"
    people.to_csv(path, index=False, sep="~")
    arguments = ("--truth", "truth", "--format", "json", "--delimiter", "~")
    assert json.loads(flips(capsys, path, *ROLES, *arguments)) == report(people)


@pytest.mark.parametrize(
    ("values", "favorable"),
    [
        (("no", "yes"), "yes"),
        (("no", "yes"), "no"),
        (("False", "True"), None),
        (("false", "true"), "false"),
        (("01", "02"), "02"),
        (("-1", "1"), None),
        (("1.0", "0.0"), "1"),
        (("1.0", "0.0"), "1.0"),
        (("x" * 70, "[red]"), "[red]"),
    ],
)
def test_favorable_is_the_text_in_the_file(
    capsys: Capsys,
    people: pd.DataFrame,
    tmp_path: Path,
    values: tuple[str, str],
    favorable: str | None,
) -> None:
    """Labels of any kind are named by what stands in the file."""
    path = tmp_path / "people.csv"
    labels = {
        name: people[name].map(dict(enumerate(values))) for name in ("truth", "pred", "corrected")
    }
    people.assign(**labels).to_csv(path, index=False)
    chosen = () if favorable is None else ("--favorable", favorable)
    found = json.loads(flips(capsys, path, *ROLES, *chosen, "--format", "json"))
    good = people["pred"].map(lambda value: values[value]).eq(favorable or values[1])
    if favorable == "1":
        good = people["pred"].eq(0)
    assert found["overall"]["gained"] == int(
        (~good & (people["pred"] != people["corrected"])).sum()
    )


@pytest.mark.parametrize("favorable", ["1", "True"])
def test_parquet_labels_keep_their_type(
    capsys: Capsys, people: pd.DataFrame, tmp_path: Path, favorable: str
) -> None:
    """Typed labels are shown, and named, as Python shows them."""
    path = tmp_path / "people.parquet"
    kind = int if favorable == "1" else bool
    people.astype({"pred": kind, "corrected": kind}).to_parquet(path)
    found = json.loads(flips(capsys, path, *ROLES, "--favorable", favorable, "--format", "json"))
    assert found["favorable"] == kind(1)


@pytest.mark.parametrize("form", FORMATS)
def test_output_file_is_what_the_screen_gets(
    capsys: Capsys, people_file: Path, tmp_path: Path, form: str
) -> None:
    """``-o`` writes what would be printed, in UTF-8, and prints nothing."""
    printed = flips(capsys, people_file, *ROLES, "--format", form)
    target = tmp_path / "report.out"
    assert flips(capsys, people_file, *ROLES, "--format", form, "-o", str(target)) == ""
    assert target.read_text(encoding="utf-8").rstrip("\n") == printed.rstrip("\n")


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("r.txt", b"Proportionality report\n#"),
        ("r.md", b"# Proportionality report"),
        ("r.HTML", b"<!doctype html>"),
        ("r.json", b"{\n"),
        ("r.csv", b"measure,"),
        ("r.png", b"\x89PNG"),
        ("r.svg", b"<?xml"),
    ],
)
def test_suffix_says_the_form(
    capsys: Capsys, people_file: Path, tmp_path: Path, name: str, start: bytes
) -> None:
    """Without --format, the suffix decides."""
    flips(capsys, people_file, *ROLES, "--output", str(tmp_path / name))
    assert (tmp_path / name).read_bytes()[: len(start)].lower() == start.lower()


def test_nothing_is_overwritten_unasked(capsys: Capsys, people_file: Path, tmp_path: Path) -> None:
    """A file that is there stays as it is without --force, and goes with it."""
    target = tmp_path / "report.md"
    target.write_text("mine", encoding="utf-8")
    line = refusal(capsys, people_file, *ROLES, "-o", str(target))
    assert line.endswith("report.md: --force overwrites it.\n")
    assert target.read_text(encoding="utf-8") == "mine"
    flips(capsys, people_file, *ROLES, "-o", str(target), "--force")
    assert target.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("target", "end"),
    [
        (
            "people.csv",
            "must be another file than the one that is read, got {folder}/people.csv.\n",
        ),
        ("report.pdf", "or --format be given, got {folder}/report.pdf.\n"),
        ("nowhere/report.md", "in a folder that exists, got {folder}/nowhere/report.md.\n"),
        ("folder.md", "must be a file in a folder that exists, got {folder}/folder.md.\n"),
    ],
)
def test_unusable_output(
    capsys: Capsys, people_file: Path, tmp_path: Path, target: str, end: str
) -> None:
    """An output that must not or cannot be written is refused, --force or not."""
    (tmp_path / "folder.md").mkdir()
    before = people_file.read_bytes()
    line = refusal(capsys, people_file, *ROLES, "-o", str(tmp_path / target), "--force")
    assert line.endswith(end.format(folder=tmp_path))
    assert people_file.read_bytes() == before


UNUSABLE: dict[str, tuple[bytes, str]] = {
    "empty.csv": (b"", "it is empty.\n"),
    "blank.csv": (
        b"\nrace,pred,corrected\na,1,0\n",
        "its first line must name the columns, and it is empty.\n",
    ),
    "header.csv": (b"race,pred,corrected\n", "must have at least one row, got none in {path}.\n"),
    "binary.csv": (bytes(range(256)) * 9, "is not UTF-8; give --encoding, such as 'cp1252'.\n"),
    "nul.csv": (b"ra\0ce,pred,corrected\n", "its first line is not UTF-8; give --encoding, "),
    "utf16.csv": (
        "race,pred,corrected\na,1,0\n".encode("utf-16-le"),
        "its first line is not UTF-8; give --encoding, such as 'cp1252'.\n",
    ),
    "latin.csv": (
        "race,pred,corrected\né,1,0\n".encode("latin-1"),
        "line 2 is not UTF-8; give --encoding, such as 'cp1252'.\n",
    ),
    "late_latin.csv": (
        b"race,pred,corrected\n" + b"a,1,0\n" * 9_998 + b"\xe9,1,0\n",
        "line 10000 is not UTF-8; give --encoding, such as 'cp1252'.\n",
    ),
    "cut.csv.gz": (b"\x1f\x8b\x08\x00", "Compressed file ended before the end-of-stream marker"),
    "cut.parquet": (b"PAR1 and no more", "it is not a complete Parquet file.\n"),
    "delimiter.csv": (
        b"race~pred~corrected\na~1~0\n",
        "--group must be a column of {path}, which has 'race~pred~corrected', got 'race'.\n",
    ),
    "header_missing.csv": (b"a,1,0\nb,0,1\n", "which has 'a', '1', '0', got 'race'.\n"),
    "short.csv": (
        b"race,pred,corrected\na,1,0\nb,0\n",
        "line 3 has 2 columns where the first line has 3.\n",
    ),
    "semicolons.csv": (
        b"race,pred,corrected\na;1;0\n",
        "where the first line has 3; another delimiter can be given as --delimiter.\n",
    ),
    "long.csv": (
        b"race,pred,corrected\na,1,0\nb,0,1,1\n",
        "line 3 has 4 columns where the first line has 3.\n",
    ),
    "twice.csv": (
        b"race,pred,pred,corrected\na,1,0,0\n",
        "got 'pred', which 2 columns are called: write 'pred#1' or 'pred#2'.\n",
    ),
    "near.csv": (b"race,Pred ,corrected\na,1,0\n", "got 'pred'. Did you mean 'Pred '?\n"),
    "third.csv": (b"race,pred,corrected\na,1,0\nb,0,2\n", "--corrected has ["),
    "late.csv": (b"race,pred,corrected\n" + b"a,1,0\nb,0,1\n" * 30_000 + b"a,maybe,1\n", "'maybe'"),
    "label.csv": (b"race,pred,corrected\na,1,0\nb,,1\n", "--pred must not contain missing labels"),
    "text.csv": (
        b"race,pred,corrected\na,x,y\nb,y,x\n",
        "outcome, --favorable='x' or --favorable='y'.",
    ),
    "scores.csv": (
        b"race,pred,corrected\n" + b"".join(b"a,0.%d,1\n" % place for place in range(2000, 30_000)),
        "--pred must hold two labels, got column 'pred' with 28,000 values.\n",
    ),
    "names.csv": (
        b"race,pred,corrected\n" + b"".join(b"n%d,0,1\n" % place for place in range(30_000)),
        "--group must hold groups, got column 'race' with 30,000 values.\n",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_unusable_file(capsys: Capsys, tmp_path: Path, name: str) -> None:
    """A file that cannot be used is one clear line and code 2."""
    path = tmp_path / name
    content, end = UNUSABLE[name]
    path.write_bytes(content)
    assert end.format(path=path) in refusal(capsys, path)


@pytest.mark.parametrize(
    ("name", "end"), [("", "is a folder without Parquet files"), ("x.csv", "does not exist")]
)
def test_no_such_file(capsys: Capsys, tmp_path: Path, name: str, end: str) -> None:
    """A folder, and a file that is not there, are told apart."""
    path = tmp_path / name
    assert refusal(capsys, path) == f"skfair-ofi: Cannot read {path}: it {end}.\n"


def test_addresses_are_not_followed(capsys: Capsys) -> None:
    """An address is a file that does not exist: nothing is fetched."""
    assert refusal(capsys, "https://example.com/people.csv").endswith("it does not exist.\n")


@pytest.mark.parametrize(
    ("options", "end"),
    [
        (
            ("--group", "rase", *ROLES[2:]),
            "'corrected', 'weight', got 'rase'. Did you mean 'race'?\n",
        ),
        ((*ROLES, "--truth", "nothing"), "'weight', got 'nothing'.\n"),
        (
            (*ROLES, "--weight", "race"),
            "must hold numbers, got the cell 'b'; cells that stand for a missing",
        ),
        ((*ROLES, "--encoding", "x"), "--encoding must be one that Python knows, got 'x'.\n"),
        (
            (*ROLES, "--memory-limit", "x"),
            "--memory-limit: must be a size such as '1GB', got 'x'",
        ),
        ((*ROLES, "--group", "race"), "must name different columns, got 'race', 'race'.\n"),
        ((*ROLES, "--favorable", "2"), "--favorable must be one of '0', '1', got '2'.\n"),
        (
            (*ROLES, "--privileged", "A"),
            "--privileged must be one of 'a', 'b', 'c, d', got 'A'. Did you mean 'a'?\n",
        ),
        (
            (*ROLES, "--group", "sex", "--privileged", "a"),
            "must give one value for each of race, sex, separated by commas, got 'a'.\n",
        ),
        (
            (*ROLES, "--group", "sex", "--privileged", "a,3"),
            """'b,1', 'b,2', '"c, d",1', '"c, d",2', got 'a,3'. Did you mean 'a,2' or 'a,1'?\n""",
        ),
        ((*ROLES, "--delimiter", "ab"), "must be one character or 'tab', got 'ab'"),
    ],
)
def test_unusable_option(
    capsys: Capsys, people_file: Path, options: tuple[str, ...], end: str
) -> None:
    """An option that does not fit the file says what would, and what was perhaps meant."""
    assert end in refusal(capsys, people_file, *options)


def test_negative_weights(capsys: Capsys, people: pd.DataFrame, tmp_path: Path) -> None:
    """Weights below zero are refused, with the column's name."""
    people.assign(weight=-1.0).to_csv(tmp_path / "people.csv", index=False)
    line = refusal(capsys, tmp_path / "people.csv", *ROLES, "--weight", "weight")
    assert line == "skfair-ofi: --weight (column 'weight') must not be negative, got -1.0.\n"


def test_ambiguous_label(capsys: Capsys, people: pd.DataFrame, tmp_path: Path) -> None:
    """A text that stands for two values, as 1 and "1" in a typed file, is refused."""
    path = tmp_path / "people.parquet"
    people.astype({"corrected": str}).to_parquet(path)
    line = refusal(capsys, path, *ROLES, "--favorable", "1")
    assert line.endswith("got '1', which stands for 1 and '1': give the columns the same type.\n")


MISSING = b"race,pred,corrected\na,1,0\nb,0,1\n,1,0\n,0,0\nb,1,1\n"


def test_missing_groups_are_left_out(capsys: Capsys, tmp_path: Path) -> None:
    """Rows without a group can be left out, and then the report says so."""
    path = tmp_path / "people.csv"
    path.write_bytes(MISSING)
    found = json.loads(flips(capsys, path, *ROLES, "--missing-groups", "drop", "--format", "json"))
    assert [row["group"] for row in found["groups"]] == ["a", "b"]
    assert found["overall"]["n"] == 3
    assert "2 rows with a missing group are left out." in found["notes"]


def test_missing_groups_are_a_group(capsys: Capsys, tmp_path: Path) -> None:
    """Rows without a group can be a group of their own."""
    path = tmp_path / "people.csv"
    path.write_bytes(MISSING)
    found = json.loads(flips(capsys, path, *ROLES, "--missing-groups", "group", "--format", "json"))
    assert [row["group"] for row in found["groups"]] == ["a", "b", None]
    assert found["overall"]["n"] == 5


def test_missing_group_can_be_privileged(capsys: Capsys, tmp_path: Path) -> None:
    """The group of those without one is named as reports name it."""
    path = tmp_path / "people.csv"
    path.write_bytes(MISSING)
    arguments = ("--missing-groups", "group", "--privileged", "(missing)", "--format", "json")
    assert json.loads(flips(capsys, path, *ROLES, *arguments))["privileged"] == [None]


def test_missing_groups_are_refused(capsys: Capsys, tmp_path: Path) -> None:
    """By default rows without a group are refused, with what to do about it."""
    path = tmp_path / "people.csv"
    path.write_bytes(MISSING)
    assert refusal(capsys, path) == (
        "skfair-ofi: --group must not contain missing values, got 2 missing in 5 rows. Pass "
        "--missing-groups drop or --missing-groups group to leave them out or to count them "
        "as a group.\n"
    )


HOSTILE = [
    "<script>alert(1)</script>",
    "[red]x[/red]",
    "[/]",
    "\x1b[31mred\x1b[0m",
    "two\nlines",
    "=cmd()",
    "@SUM(1)",
    "a|b",
    "nan",
    "שלום",
    "x" * 300,
]


@pytest.fixture
def hostile_file(people: pd.DataFrame, tmp_path: Path, name: str) -> Path:
    """The people, one of their groups renamed."""
    path = tmp_path / "people.csv"
    people.assign(race=people["race"].replace("a", name)).to_csv(path, index=False)
    return path


def acting(text: str, name: str) -> set[str]:
    """Characters that a terminal could act on, but for the marks around right-to-left names."""
    allowed = {"\n", "\u2068", "\u2069"} if name == "שלום" else {"\n"}
    return {char for char in text if not char.isprintable()} - allowed


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.slow
def test_hostile_group_names(capsys: Capsys, hostile_file: Path, form: str, name: str) -> None:
    """Group names of other people's files act on nothing: no terminal, browser or spreadsheet."""
    text = flips(capsys, hostile_file, *ROLES, "--format", form, "--privileged", name)
    assert acting(text, name) == set()
    if form == "html":
        assert "<script" not in text
    if form == "json":
        assert name in [row["group"] for row in json.loads(text)["groups"]]
    if form == "csv":
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        numbers = [cell for cell in cells if cell[:1] in "=+-@" and cell]
        assert all(float(cell) for cell in numbers)


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.slow
def test_hostile_group_names_on_a_narrow_terminal(
    capsys: Capsys, monkeypatch: pytest.MonkeyPatch, hostile_file: Path, name: str
) -> None:
    """So it is where tables become lists."""
    monkeypatch.setenv("COLUMNS", "40")
    assert acting(flips(capsys, hostile_file, *ROLES), name) == set()


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_terminal_of_any_width(
    capsys: Capsys, monkeypatch: pytest.MonkeyPatch, people_file: Path, width: int
) -> None:
    """On a terminal of a width nothing is wider, cut, or left out."""
    monkeypatch.setenv("COLUMNS", str(width))
    text = flips(capsys, people_file, *ROLES, "--truth", "truth", "--privileged", "a")
    assert max(map(len, text.splitlines())) <= width
    found = json.loads(
        flips(
            capsys, people_file, *ROLES, "--truth", "truth", "--privileged", "a", "--format", "json"
        )
    )
    words = " ".join(text.split())
    for row in found["measures"]:
        assert f"{row['result']['value']:.3f} {row['result']['verdict']}" in words
        low, high = row["result"]["interval"]["low"], row["result"]["interval"]["high"]
        ends = f"from {low:.3f}" if high == "infinite" else f"{low:.3f} to {high:.3f}"
        assert ends in words
    for group in found["groups"]:
        assert f"{group['n']}" in words
    assert " ".join(found["decision"]["reasons"][0].split()) in words.replace("- ", "")


def test_reading_leaves_nothing_behind(
    capsys: Capsys, monkeypatch: pytest.MonkeyPatch, people_file: Path, tmp_path: Path
) -> None:
    """Nothing is written to the folder one works in."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    flips(capsys, people_file, *ROLES)
    assert list(folder.iterdir()) == []


def test_several_files(capsys: Capsys, people: pd.DataFrame, tmp_path: Path) -> None:
    """Several files of the same columns are one, in whatever form each of them is."""
    whole, first, second = (tmp_path / name for name in ("all.csv", "1.csv", "2.csv"))
    people.to_csv(whole, index=False)
    people[:100].to_csv(first, index=False)
    people[100:].to_csv(second, index=False)
    assert main(["flips", str(first), str(second), *ROLES, "--format", "csv"]) == 0
    assert capsys.readouterr().out == flips(capsys, whole, *ROLES, "--format", "csv")


def test_several_files_that_do_not_go_together(
    capsys: Capsys, people: pd.DataFrame, tmp_path: Path
) -> None:
    """The file at fault is named; so are all files where a column is in none of them."""
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    people.to_csv(first, index=False)
    people.rename(columns={"pred": "p"}).to_csv(second, index=False)
    message = "Cannot read '2.csv': it has other columns than the first file"
    assert message in refusal(capsys, first, str(second), *ROLES)
    people.to_csv(second, index=False)
    wrong = ("--group", "rac", *ROLES[2:])
    assert f"a column of {first} and {second}, which has" in refusal(
        capsys, first, str(second), *wrong
    )
    assert "is read" in refusal(capsys, first, str(second), *ROLES, "-o", str(second))


def test_patterns_are_for_the_shell(capsys: Capsys, people: pd.DataFrame, tmp_path: Path) -> None:
    """A pattern in quotes is the name of a file that is not there."""
    people.to_csv(tmp_path / "1.csv", index=False)
    assert "it does not exist" in refusal(capsys, tmp_path / "*.csv")
