"""Files that are broken or made to break: one clear line, or the right numbers."""

import bz2
import gzip
import io
import lzma
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skfair_ofi.audit import Audit, SourceError

# Two of three of group a are selected, one of two of group b: DI is 3/4.
PEOPLE = "g,p,name\na,1,x\na,1,y\na,0,z\nb,1,u\nb,0,v\n"
AUDIT: dict[str, Any] = {"positive": "p == 1", "groups": "g", "criteria": ["disparate_impact"]}


def zipped(**files: str) -> bytes:
    """Return a ZIP archive of texts."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def value(path: Any, **fields: Any) -> float:
    """Return disparate impact, and check that nothing was written beside the data."""
    folder = Path(path).parent
    before = sorted(folder.rglob("*"))
    finding = Audit(**{**AUDIT, **fields}).run(path).findings[0]
    assert sorted(folder.rglob("*")) == before
    return finding.value


RIGHT: dict[str, bytes] = {
    "plain": PEOPLE.encode(),
    "no newline at the end": PEOPLE.encode().rstrip(),
    "Windows line ends": PEOPLE.replace("\n", "\r\n").encode(),
    "UTF-8 mark": b"\xef\xbb\xbf" + PEOPLE.encode(),
    "UTF-16": PEOPLE.encode("utf-16"),
    "semicolons": PEOPLE.replace(",", ";").encode(),
    "tabs": PEOPLE.replace(",", "\t").encode(),
    "bars": PEOPLE.replace(",", "|").encode(),
    "semicolons, and commas in quotes": PEOPLE.replace(",", ";")
    .replace("name", '"a,b ""c"", d,e"')
    .encode(),
    "Excel's first line": b"sep=;\n" + PEOPLE.replace(",", ";").encode(),
    "Excel's first line in gzip": gzip.compress(
        b"\xef\xbb\xbfsep=|\r\n" + PEOPLE.replace(",", "|").replace("\n", "\r\n").encode()
    ),
    "a name like one that is made up": PEOPLE.replace("name", "p#1").encode(),
    "gzip": gzip.compress(PEOPLE.encode()),
    "Zstandard": pa.compress(PEOPLE.encode(), "zstd", asbytes=True),
    "UTF-16 in gzip": gzip.compress(PEOPLE.encode("utf-16")),
    "several gzip members": gzip.compress(PEOPLE[:20].encode())
    + gzip.compress(PEOPLE[20:].encode()),
    "quoted": PEOPLE.replace("x", '"x, ""quoted"", \nand two lines"').encode(),
    "formula cells": PEOPLE.replace("x", "=cmd|' /C calc'!A0").encode(),
    "SQL in cells": PEOPLE.replace("x", "'); DROP TABLE people; --").encode(),
    "script in cells": PEOPLE.replace("x", "<script>alert(1)</script>").encode(),
    "empty column name": PEOPLE.replace("name", "").encode(),
    "names twice": PEOPLE.replace("name", "x")
    .replace("\n", ",1\n")
    .replace("x,1", "x,x", 1)
    .encode(),
    "a name with SQL in it": PEOPLE.replace("name", 'x" FROM x; --').encode(),
    "a very long cell": PEOPLE.replace("x", "x" * 100_000).encode(),
    "four thousand columns": (
        "g,p,"
        + ",".join(f"c{i}" for i in range(4000))
        + "\n"
        + "".join(f"{row}{',' * 4000}\n" for row in ("a,1", "a,1", "a,0", "b,1", "b,0"))
    ).encode(),
    "NUL in a cell nobody asks for": PEOPLE.replace("x", "\0").encode(),
    "Latin-1 in a cell nobody asks for": PEOPLE.replace("x", "é").encode("latin-1"),
    "empty lines": PEOPLE.replace("\nb,1", "\n\nb,1").encode(),
    "numbers with signs and exponents": PEOPLE.replace(",1,", ",+1e0,").encode(),
}


@pytest.mark.parametrize("content", RIGHT.values(), ids=RIGHT)
def test_right_numbers(tmp_path: Path, content: bytes) -> None:
    """Odd files that can be read are read right."""
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    assert value(path) == 0.75


BROKEN: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "it is empty"),
    "only a newline": (b"\n", "its first line must name the columns, and it is empty"),
    "one row": (b"g,p\n", "data must have at least one row, got none"),
    "NUL at the end": (
        PEOPLE.encode() + b"\0" * 1000,
        "line 7 has 1 columns where the first line has 3",
    ),
    "Latin-1": (PEOPLE.replace("b,0", "é,0").encode("latin-1"), "UTF-8; give data.encoding"),
    "Latin-1 header": (
        PEOPLE.replace("name", "é").encode("latin-1"),
        "its first line is not UTF-8",
    ),
    "cut UTF-8": (PEOPLE.encode() + "é".encode()[:-1] + b",1,x\n", "is not UTF-8"),
    "UTF-16 without its mark": (PEOPLE.encode("utf-16-le"), "its first line is not UTF-8"),
    "cut UTF-16": (PEOPLE.encode("utf-16")[:-1], "it is not utf-16 text"),
    "UTF-16, half a character": ((PEOPLE + "😀").encode("utf-16")[:-2], "it is not utf-16 text"),
    "cut UTF-8 in gzip": (
        gzip.compress(PEOPLE.encode() + "é".encode()[:-1] + b",1,x\n"),
        "is not UTF-8; give data.encoding",
    ),
    "bzip2": (bz2.compress(PEOPLE.encode()), "compressed by bzip2; unpack it, or compress it by"),
    "xz": (lzma.compress(PEOPLE.encode()), "compressed by xz; unpack it, or compress it by gzip"),
    "name twice, and the made-up name before": (
        b"p#1,g,p,p\n1,a,1,1\n",
        "its header has 'p#1', and 'p' more than once, which would get that name; rename",
    ),
    "name twice, and the made-up name after": (b"g,p,p,p#2\na,1,1,1\n", "its header has 'p#2'"),
    "another delimiter": (PEOPLE.replace(",", "^").encode(), "can be given as data.delimiter"),
    "another delimiter below": (
        b"g,p\na;1\n",
        "line 2 has 1 columns where the first line has 2; another delimiter can be given as",
    ),
    "binary": (bytes(range(256)) * 10, "its first line is not UTF-8"),
    "more columns": (PEOPLE.encode() + b"a,1,x,9\n", "has 4 columns where the first line has 3"),
    "fewer columns": (PEOPLE.encode() + b"a,1\n", "has 2 columns where the first line has 3"),
    "open quote": (PEOPLE.encode() + b'a,1,"x\n', "cannot be read"),
    "text for a number": (
        PEOPLE.replace("a,0", "a,no").encode(),
        "column 'p' must hold numbers, got the cell 'no'",
    ),
    "NA for a number": (PEOPLE.replace("a,0", "a,NA").encode(), "data.missing_values"),
    "column not there": (b"g,q\na,1\n", "Unknown column 'p'"),
    "group not there": (b"h,p\na,1\n", "column must be one of 'h', 'p', got 'g'"),
    "name twice": (b"g,p,p\na,1,1\n", "'p' must be one column, and the header has it 2 times"),
    "group twice": (
        b"g,p,g\na,1,1\n",
        "'g' must be one column, and the header has it more than once",
    ),
    "missing group": (
        PEOPLE.replace("b,0", ",0").encode(),
        "must not be missing, got 1 missing in 5 rows",
    ),
    "all groups missing": (b"g,p\n,1\n,0\n", "must not be missing, got 2 missing in 2 rows"),
    "a group a person": (
        b"g,p\n" + b"".join(b"%d,1\n" % i for i in range(600)),
        "must have at most 500 groups, got 600",
    ),
    "cut gzip": (gzip.compress(PEOPLE.encode())[:-12], "cannot be read"),
    "gzip of nothing": (
        gzip.compress(b""),
        "its first line must name the columns, and it is empty",
    ),
    "no gzip at all": (b"\x1f\x8b" + b"x" * 50, "cannot be read"),
    "ZIP": (zipped(people=PEOPLE), "it is a ZIP archive, or an Office document"),
    "Excel workbook": (
        zipped(**{"[Content_Types].xml": "", "xl/workbook.xml": ""}),
        "an Office document such as an Excel workbook; unpack it, or save it as CSV",
    ),
    "no Zstandard at all": (b"(\xb5/\xfd" + b"x" * 50, "cannot be read"),
    "cut Zstandard": (pa.compress(PEOPLE.encode(), "zstd", asbytes=True)[:-9], "cannot be read"),
    "broken gzip": (
        gzip.compress(PEOPLE.encode())[:12] + b"\xff" * 40,
        "cannot be read",
    ),
    "cut Parquet": (b"PAR1" + b"x" * 50, "it is not a complete Parquet file"),
    "one line without end": (b"g,p," + b"x" * 3_000_000, "its first line is no CSV"),
    "a line of 3 MB": (PEOPLE.encode() + b"a,1," + b"x" * 3_000_000, "is longer than 2 MB"),
}


@pytest.mark.parametrize(("content", "message"), BROKEN.values(), ids=BROKEN)
def test_clear_error(tmp_path: Path, content: bytes, message: str) -> None:
    """Files that cannot be used are refused in one line that says why, by name alone."""
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is checked below
        value(path)
    text = str(caught.value)
    assert message in text
    assert "\n" not in text
    assert len(text) < 500
    assert str(tmp_path) not in text


@pytest.mark.parametrize("content", [PEOPLE.replace("\n", "\r\n", 3), f"{PEOPLE}b,0,w\r\n"])
def test_lines_that_end_in_two_ways(tmp_path: Path, content: str) -> None:
    """Where lines end in CRLF and in LF, the file is read right, as DuckDB once did, or refused."""
    path = tmp_path / "people.csv"
    path.write_bytes(content.encode())
    try:
        assert value(path) == (0.75 if content.count("b,0") == 1 else 0.5)
    except SourceError as error:
        assert str(error).endswith(  # noqa: PT017 - it need not be raised
            "cannot be read: its lines end in more than one way (CRLF, LF or CR), or it is no CSV."
        )


def test_all_missing_is_undefined(tmp_path: Path) -> None:
    """Where no prediction is known, measures are undefined and rows are counted as left out."""
    path = tmp_path / "people.csv"
    path.write_text("g,p\na,\nb,\n")
    result = Audit(**AUDIT).run(path)
    assert (result.findings[0].verdict, result.exit_code) == ("undefined", 3)
    assert dict(result.left_out)["positive"] == 2


def test_one_person(tmp_path: Path) -> None:
    """One row is one group, and there is nothing to compare it with."""
    path = tmp_path / "people.csv"
    path.write_text("g,p\na,1\n")
    finding = Audit(**AUDIT).run(path).findings[0]
    assert finding.sentence == "undefined: only one group, 'a'"


@pytest.mark.parametrize(
    "name", ["*.csv", "[ab].csv", "a?.csv", "it's.csv", "https:.csv", "ü\n.csv"]
)
def test_file_names_are_names(tmp_path: Path, name: str) -> None:
    """A file's name is no pattern, no address and no SQL."""
    (tmp_path / "a.csv").write_text("g,p\na,0\n")
    (tmp_path / "ab.csv").write_text("g,p\na,0\n")
    path = tmp_path / name
    path.write_text(PEOPLE)
    assert value(path) == 0.75


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: folder, "it is a folder without Parquet files"),
        (lambda folder: folder / "absent.csv", "it does not exist"),
        (lambda folder: "https://example.org/people.csv", "it does not exist"),
        (lambda folder: "s3://people/people.csv", "it does not exist"),
        (lambda folder: folder / ("x" * 300), "cannot be read|does not exist"),
        (lambda folder: "nul\0.csv", "must not hold NUL"),
        (lambda folder: os.devnull, "it is no regular file"),
    ],
    ids=["folder", "absent", "address", "bucket", "long name", "NUL", "device"],
)
def test_no_file(tmp_path: Path, make: Callable[[Path], Any], message: str) -> None:
    """What is no file is refused, and nothing is fetched from anywhere."""
    with pytest.raises(SourceError, match=message):
        Audit(**AUDIT).run(make(tmp_path))


def test_symbolic_links(tmp_path: Path) -> None:
    """A link to a file is the file; one to nothing, or to itself, is refused."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "link.csv").symlink_to(tmp_path / "people.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    assert value(tmp_path / "link.csv") == 0.75
    with pytest.raises(SourceError, match=r"cannot be read"):
        Audit(**AUDIT).run(tmp_path / "loop.csv")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "data must be at least one file, got none"),
        (["people.csv", "other.csv"], "it has other columns than the first file: \\['p', 'q'\\]"),
        (["people.csv", "people.csv"], "data must be different files, got 'people.csv' twice"),
        (["people.csv", "link.csv"], "data must be different files, got 'link.csv' twice"),
        (["people.csv", "people.parquet"], "CSV and Parquet files cannot be mixed"),
    ],
)
def test_files_that_do_not_go_together(tmp_path: Path, names: list[str], message: str) -> None:
    """Several files must have the same columns and one format."""
    (tmp_path / "people.csv").write_text("g,p\na,1\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "people.csv")
    (tmp_path / "other.csv").write_text("g,q\na,1\n")
    pd.DataFrame({"g": ["a"], "p": [1]}).to_parquet(tmp_path / "people.parquet")
    with pytest.raises(SourceError, match=message):
        Audit(**AUDIT).run([tmp_path / name for name in names])


def test_folder_of_parquet(tmp_path: Path) -> None:
    """A folder of Parquet files is one table, with the columns that name its folders."""
    people = pd.read_csv(io.StringIO(PEOPLE.replace("a,", "01,")), dtype={"g": str})
    people.to_parquet(tmp_path / "k=v", partition_cols=["g", "p"])
    assert sorted(path.name for path in (tmp_path / "k=v").iterdir()) == ["g=01", "g=b"]
    assert value(tmp_path / "k=v") == 0.75
    result = Audit(**AUDIT).run(tmp_path / "k=v")
    assert [facts.group for facts in result.groupings[0].groups] == ["01", "b"]
    assert len(result.provenance.files) == 4
    assert result.provenance.files[0].name.startswith("g=01/p=0/")
    with pytest.raises(ValueError, match=r"Unknown column 'k'"):
        Audit(**{**AUDIT, "positive": "k == 'v'"}).run(tmp_path / "k=v")
    file = next((tmp_path / "k=v").glob("g=b/p=1/*.parquet"))
    with pytest.raises(ValueError, match=r"Unknown column 'p'"):
        Audit(**{**AUDIT, "groups": "name"}).run(file)


@pytest.mark.parametrize("limit", ["", "x", "1", "1GB; DROP TABLE x", "-1GB", "1 EB", "9" * 99])
def test_memory_limit_that_is_none(tmp_path: Path, limit: str) -> None:
    """A limit of memory is a number and a unit."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    assert Audit(**AUDIT).run(path, memory_limit="0.5 GiB").findings[0].value == 0.75
    with pytest.raises(SourceError, match=r"^memory_limit must be a size such as '1GB', got '"):
        Audit(**AUDIT).run(path, memory_limit=limit)


def test_given_encoding_and_missing_values(tmp_path: Path) -> None:
    """An encoding and marks of missing values that are given are used."""
    path = tmp_path / "people.csv"
    path.write_bytes("g,p\né,1\né,0\nb,NA\nb,1\n".encode("cp1252"))
    result = Audit(**AUDIT, data={"encoding": "cp1252", "missing_values": ["NA"]}).run(path)
    assert [facts.group for facts in result.groupings[0].groups] == ["b", "é"]
    assert dict(result.left_out) == {"positive": 1, "group g": 0}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"quote": ",", "delimiter": ","},
            r"quote must be another than the delimiter, got ',' twice",
        ),
        ({"delimiter": '"'}, r"quote must be another than the delimiter, got '\"' twice\."),
        (
            {"delimiter": "\n"},
            r"delimiter must be a character that text can hold in a line, got '\\n'\.",
        ),
        (
            {"delimiter": "\0"},
            r"delimiter must be a character that text can hold in a line, got '\\x00'\.",
        ),
        ({"delimiter": ",,"}, r"delimiter must be one character, got ',,'\."),
        ({"quote": "\r"}, r"quote must be a character that text can hold in a line, got '\\r'\."),
        ({"quote": "é"}, r"quote must be an ASCII character, got 'é'\."),
        ({"quote": 1}, r"quote must be one character or none, got 1\."),
        (
            {"missing_values": ["\ud800"]},
            r"missing_values must be whole characters, got \['\\ud800",
        ),
        (
            {"missing_values": ["a,b"]},
            r"missing_values must not hold the delimiter or the quote\.$",
        ),
    ],
)
def test_reading_that_cannot_be(tmp_path: Path, data: dict[str, Any], message: str) -> None:
    """Ways of reading that contradict themselves are refused in words, not by the engine."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    with pytest.raises(ValueError, match=message):
        Audit(**AUDIT, data=data).run(path)


def test_wrong_encoding(tmp_path: Path) -> None:
    """Text that is not of the given encoding is refused."""
    path = tmp_path / "people.csv"
    path.write_bytes(PEOPLE.encode() + b"\xff")
    with pytest.raises(SourceError, match=r"line 7 is not UTF-8"):
        Audit(**AUDIT, data={"encoding": "ascii"}).run(path)


def test_names_that_stand_twice_can_be_told_apart(tmp_path: Path) -> None:
    """Of columns with one name, the first is name#1 and the second name#2."""
    path = tmp_path / "people.csv"
    path.write_text("g,p,p\na,1,0\na,0,0\nb,1,1\n")
    assert value(path, positive="col('p#1') == 1") == 0.5
    assert value(path, positive="col('p#2') == 1") == 0.0


def test_group_keys_keep_what_the_file_says(tmp_path: Path) -> None:
    """01 and 1 are two groups; a column of whole numbers has numbers as groups."""
    path = tmp_path / "people.csv"
    path.write_text("g,h,p\n01,3,1\n1,12,1\n")
    result = Audit(**{**AUDIT, "groups": ["g", "h"]}).run(path)
    groups = [[facts.group for facts in grouping.groups] for grouping in result.groupings]
    assert groups == [["01", "1"], [3, 12]]


@pytest.mark.parametrize(
    ("policy", "n", "left_out"), [("drop", [3, 1], 1), ("group", [3, 1, 1], 0)]
)
def test_missing_groups(tmp_path: Path, policy: str, n: list[int], left_out: int) -> None:
    """Rows without a group are left out and counted, or a group of their own."""
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE.replace("b,0", ",0"))
    result = Audit(**AUDIT, missing_groups=policy).run(path)
    assert [facts.n for facts in result.groupings[0].groups] == n
    assert dict(result.left_out)["group g"] == left_out


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (pa.array([[1], [2]]), r"groups: 'g' must hold text, numbers or booleans"),
        (pa.array([1, 2], pa.timestamp("s")), r"groups: 'g' must hold text, numbers or booleans"),
    ],
    ids=["lists", "times"],
)
def test_types_that_are_no_groups(column: pa.Array, message: str) -> None:
    """A frame's columns of lists or times are no groups."""
    with pytest.raises(ValueError, match=message):
        Audit(**AUDIT).run(pa.table({"g": column, "p": [1, 0]}))


def test_parquet_types(tmp_path: Path) -> None:
    """Dates and decimals of Parquet are text and numbers."""
    path = tmp_path / "people.parquet"
    dates = pa.array([0, 0, 0, 1, 1], pa.date32())
    decimals = pa.array([1, 1, 0, 1, 0], pa.decimal128(10, 2))
    pq.write_table(pa.table({"g": dates, "p": decimals}), path)
    assert value(path) == 0.75


@pytest.mark.parametrize("frame", [5, [1, 2], {"g": ["a"], "p": [1]}, None])
def test_no_frame(frame: Any) -> None:
    """What is neither a file nor a frame is refused."""
    with pytest.raises(TypeError, match=r"data must be a file or a data frame, got \w+\.$"):
        Audit(**AUDIT).run(frame)


def test_frame_with_a_name_twice() -> None:
    """A frame with two columns of one name is refused."""
    frame = pd.DataFrame([["a", 1, 1]], columns=["g", "p", "p"])
    with pytest.raises(ValueError, match=r"data must have columns of different names"):
        Audit(**AUDIT).run(frame)


def test_mixed_objects() -> None:
    """A pandas column of numbers and text at once is refused."""
    frame = pd.DataFrame({"g": ["a", "b"], "p": [1, "x"]}, dtype=object)
    with pytest.raises(
        ValueError, match=r"Columns must each hold values of one type|got another type"
    ):
        Audit(**AUDIT).run(frame)


@pytest.mark.parametrize("column", ["g", "p"])
def test_lone_surrogates(column: str) -> None:
    """Half a character, which pandas takes in columns of objects, is refused with its name."""
    frame = pd.DataFrame({"g": ["a", "b"], "p": ["x", "y"], "free": ["\ud800", "z"]}, dtype=object)
    assert Audit(**{**AUDIT, "positive": "p == 'x'"}).run(frame).exit_code == 1
    frame[column] = pd.Series(["\udc80", "y"], dtype=object)
    message = r"must hold text that UTF-8 can write, got a lone surrogate '\\udc80' in a cell\.$"
    with pytest.raises(ValueError, match=message):
        Audit(**{**AUDIT, "positive": "p == 'x'"}).run(frame)


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0, None], [1.0, float("inf")]])
def test_weights_that_are_no_weights(weights: list[float]) -> None:
    """Weights are finite, known and not negative."""
    frame = pd.DataFrame({"g": ["a", "b"], "p": [1, 1], "w": weights})
    with pytest.raises(ValueError, match=r"weight must (not|be)"):
        Audit(**AUDIT, weight="w").run(frame)


def test_weights_are_repeated_rows() -> None:
    """A weight is a number of people, in sizes and measures."""
    frame = pd.DataFrame({"g": list("aabb"), "p": [1, 0, 1, 0], "w": [3, 1, 1, 1]})
    repeated = frame.loc[frame.index.repeat(frame["w"])]
    weighted = Audit(**AUDIT, weight="w").run(frame)
    value = Audit(**AUDIT).run(repeated).findings[0].value
    assert weighted.findings[0].value == pytest.approx(value, rel=1e-9)
    assert [facts.n for facts in weighted.groupings[0].groups] == [4, 2]


def test_data_are_not_changed() -> None:
    """The frame that was given is what it was."""
    frame = pd.DataFrame({"g": list("aabb"), "p": [1, 0, 1, 0]})
    before = frame.copy(deep=True)
    Audit(**AUDIT).run(frame)
    pd.testing.assert_frame_equal(frame, before)
