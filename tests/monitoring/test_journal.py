"""The journal keeps every whole line, whatever happens to the process that writes."""

import json
import multiprocessing
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.monitoring import JournalWarning, OutcomeJournal, _lines

ROOT = Path(__file__).parents[2]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
BATCH = OutcomeCounts(["a", "b"], [[[[3, 1], [2, 4]]], [[[5, 0], [1, 4]]]])
POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
# One interpreter for all of it: each child is forked, appends without end, and is killed.
KILLS = """
import os, random, signal, sys, time
from skfair_ofi import OutcomeCounts
from skfair_ofi.monitoring import OutcomeJournal
journal = OutcomeJournal(sys.argv[1])
groups = [f"group {i}" for i in range(300)]
for run in range(40):
    ready, told = os.pipe()
    child = os.fork()
    if not child:
        number = 0
        while True:
            batch = OutcomeCounts(groups, [[[[number, run], [0, 0]]]] * 300)
            journal.append(batch, tags={"run": run, "number": number})
            # the parent knows of every append that returned
            os.write(told, b".")
            number += 1
    os.close(told)
    done = len(os.read(ready, 1))
    time.sleep(random.Random(run).uniform(0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(ready, 4096):
        done += len(more)
    os.close(ready)
    print(run, done)
"""


@pytest.fixture
def journal(tmp_path: Path) -> OutcomeJournal:
    """An empty journal."""
    return OutcomeJournal(tmp_path / "outcomes.jsonl")


def edited(**changes: Any) -> dict[str, Any]:
    """Return the content of a line with some keys of its table changed by hand."""
    counts = {**BATCH.to_dict(), **changes}
    return {"skfair_ofi_journal": 1, "time": "2026-03-01T12:00:00Z", "tags": {}, "counts": counts}


@POSIX
def test_killed_at_any_moment(tmp_path: Path) -> None:
    """Killed forty times while appending: each append that returned is there, none is wrong."""
    path = tmp_path / "outcomes.jsonl"
    program = [sys.executable, "-c", KILLS, str(path)]
    ran = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
    returned = dict(tuple(map(int, line.split())) for line in ran.stdout.splitlines())
    entries, faults = OutcomeJournal(path).read()
    assert len(returned) == 40
    assert len(faults) <= 40
    for run, done in returned.items():
        mine = [entry for entry in entries if entry.tags["run"] == run]
        assert [entry.tags["number"] for entry in mine] == list(range(len(mine)))
        # at most one more: written, and killed before it could be told
        assert done <= len(mine) <= done + 1
        assert all(entry.counts.n == 300 * (i + run) for i, entry in enumerate(mine))


def test_cut_at_every_byte(journal: OutcomeJournal) -> None:
    """A last line cut at any byte is skipped and named, and the next append is whole."""
    for _ in range(2):
        journal.append(BATCH, time=NOON)
    content = journal.path.read_bytes()
    start = content.index(b"\n") + 1
    for end in range(start, len(content)):
        journal.path.write_bytes(content[:end])
        entries, faults = journal.read()
        whole = 1 + (end == len(content) - 1)
        assert len(entries) == whole
        assert [(fault.line, fault.torn) for fault in faults] == [(2, True)] * (
            start < end < len(content) - 1
        )
        journal.append(BATCH, time=NOON)
        assert len(journal.read()[0]) == whole + 1
        assert journal.read()[0][-1].counts == BATCH


def append_many(path: Path, writer: int) -> None:
    """Append a hundred lines."""
    for number in range(100):
        OutcomeJournal(path).append(BATCH, tags={"writer": writer, "number": number})


@POSIX
def test_several_processes_at_once(journal: OutcomeJournal) -> None:
    """Four processes append a hundred lines each at once, and all of them are whole."""
    spawn = multiprocessing.get_context("fork")
    writers = [spawn.Process(target=append_many, args=(journal.path, i)) for i in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    entries, faults = journal.read()
    assert faults == []
    found = sorted((entry.tags["writer"], entry.tags["number"]) for entry in entries)
    assert found == [(writer, number) for writer in range(4) for number in range(100)]


def test_without_locks(journal: OutcomeJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no flock, one process appends all the same."""
    monkeypatch.setattr(_lines, "fcntl", None)
    for _ in range(3):
        journal.append(BATCH, time=NOON)
    assert [entry.counts for entry in journal] == [BATCH] * 3


def test_damage_in_the_middle_is_reported(journal: OutcomeJournal) -> None:
    """A line in the middle that is no JSON is skipped with a warning that names it."""
    journal.append(BATCH, time=NOON)
    with journal.path.open("ab") as file:
        file.write(b"\x00\x00\xff\n\n")
    journal.append(BATCH, time=NOON)
    message = "outcomes.jsonl, line 2 was skipped: no line of a journal of outcomes.$"
    with pytest.warns(JournalWarning, match=message):
        assert [entry.line for entry in journal] == [1, 4]


def test_round_trip(journal: OutcomeJournal) -> None:
    """Weights, scores, crossed groups and missing ones come back to the last bit."""
    rng = np.random.default_rng(0)
    table = OutcomeCounts.from_arrays(
        rng.integers(0, 2, 50),
        rng.integers(0, 2, 50),
        sensitive_features={"a": rng.integers(0, 2, 50), "b": ["x\n", "\ud800"] * 25},
        y_score=rng.random(50),
        sample_weight=rng.random(50),
    )
    journal.append(table, tags={"model": "v2", "share": 0.5, "live": True})
    (entry,) = journal
    assert entry.counts == table
    assert entry.tags == {"model": "v2", "share": 0.5, "live": True}
    assert abs(datetime.now(UTC) - entry.time) < timedelta(minutes=1)


def test_only_counts_are_kept(journal: OutcomeJournal) -> None:
    """A line has a version, a time, tags and a table, and nothing else."""
    journal.append(BATCH, time=NOON)
    assert json.loads(journal.path.read_text()) == edited()


@pytest.mark.parametrize(
    "given",
    [
        "2026-03-01T13:00:00+01:00",
        "2026-03-01T12:00:00Z",
        datetime(2026, 3, 1, 7, tzinfo=timezone(timedelta(hours=-5))),
        pd.Timestamp("2026-03-01T12:00:00Z"),
    ],
)
def test_times_are_utc(journal: OutcomeJournal, given: Any) -> None:
    """Times of any zone, and of pandas, are kept as UTC."""
    journal.append(BATCH, time=given)
    (entry,) = journal
    assert (entry.time, type(entry.time)) == (NOON, datetime)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (NOON.replace(tzinfo=None), "must have a time zone, such as UTC, got datetime.datetime"),
        ("2026-03-01", "must have a time zone, such as UTC, got '2026-03-01'.$"),
        ("noon", "must be a datetime or text in ISO 8601, got 'noon'.$"),
        (pd.NaT, "must be a datetime or text in ISO 8601, got NaT.$"),
        (5, "must be a datetime or text in ISO 8601, got 5.$"),
        ("0001-01-01T00:00:00+05:00", "must be a time that UTC can hold, got '0001"),
    ],
)
def test_times_refused(journal: OutcomeJournal, given: Any, message: str) -> None:
    """A time without a zone could be any of 38 hours, and is refused like no time at all."""
    with pytest.raises(ValueError, match=f"^time {message}"):
        journal.append(BATCH, time=given)
    assert not journal.path.exists()


@pytest.mark.parametrize("tags", [{"name": "x" * 201}, {"a": [1]}, {"a": float("nan")}, {1: "a"}])
def test_tags_refused(journal: OutcomeJournal, tags: Any) -> None:
    """Tags are short words and finite numbers: there is no room for rows in them."""
    with pytest.raises(ValueError, match=r"^tags must be text of at most 200 characters or finite"):
        journal.append(BATCH, tags=tags)


def test_tags_must_be_a_mapping(journal: OutcomeJournal) -> None:
    """Tags have names."""
    with pytest.raises(ValueError, match=r"^tags must be a mapping .*, got 'v2'.$"):
        journal.append(BATCH, tags="v2")


def test_append_refuses_rows(journal: OutcomeJournal) -> None:
    """Only a table can be appended."""
    with pytest.raises(TypeError, match=r"^counts must be an OutcomeCounts, got \[1, 0\].$"):
        journal.append([1, 0])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (edited(cells=[[[[3, 1], [2, -4]]]], groups=["a"]), "cells must not be negative, got -4"),
        (edited(cells=[[[["x", 1], [2, 4]]]], groups=["a"]), "cells must hold numbers, got dtype"),
        (edited(cells={}), "counts must be a table of numbers: |cells must"),
        (edited(groups=5), "groups must be a list, got 5.$"),
        (
            edited(groups=[{"a": 1}, "b"]),
            "groups must be text, numbers, true, false or null, got {'a': 1}.$",
        ),
        (edited(groups=["a", 1e999]), "groups must be finite, got inf.$"),
        (edited(labels=[0, 1e999]), "labels must be finite, got inf.$"),
        (edited(feature_names=5), "feature_names must be a list of text or null, got 5.$"),
        ({**edited(), "skfair_ofi_journal": 1.0}, "the format must be version 1, got 1.0.$"),
        (edited(labels=[0]), r"labels must be \(unfavorable, favorable\), got \[0\].$"),
        (edited(rows=[]), "data must have the keys .*"),
        (
            edited(weight_squares=[[[[3, 1], [2, 1e999]]]] * 2),
            "weight_squares must be finite.*inf.$",
        ),
        (
            edited(weight_squares=[[[[3, 1], [2, -1]]]] * 2),
            "weight_squares must not be negative.*-1",
        ),
        ({**edited(), "counts": 3}, "counts must be an object, got 3.$"),
        ({**edited(), "time": "2026-03-01T12:00:00"}, "time must have a time zone.*12:00:00'.$"),
        ({**edited(), "time": 7}, "time must be text, got 7.$"),
        ({**edited(), "tags": [1]}, r"tags must be a mapping.*got \[1\].$"),
        ({**edited(), "rows": 1}, "a line must have the keys .*'rows'.*"),
        ({**edited(), "skfair_ofi_journal": 2}, "the format must be version 1, got 2.$"),
    ],
)
def test_lines_edited_by_hand(journal: OutcomeJournal, content: Any, message: str) -> None:
    """A whole line that says what cannot be is an error that names line and value."""
    journal.append(BATCH, time=NOON)
    with journal.path.open("a") as file:
        file.write(json.dumps(content).replace("Infinity", "1e999") + "\n")
    with pytest.raises(ValueError, match=f"^outcomes.jsonl, line 2: {message}"):
        journal.read()


def test_not_a_number_in_a_line(journal: OutcomeJournal) -> None:
    """NaN, which is no JSON, is refused as a value, with its line."""
    line = json.dumps(edited(weight_squares=[[[[1.0, 1.0], [1.0, float("nan")]]]] * 2))
    journal.path.write_text(line)
    with pytest.raises(ValueError, match=r"line 1: numbers must be finite, got NaN\.$"):
        journal.read()


@pytest.mark.parametrize(
    "content", [b"hello\n", b"\x89PNG\r\n\x1a\n\x00\x01", b'{"time": 1}\n', b"[" * 100_000]
)
def test_not_a_journal(journal: OutcomeJournal, content: bytes) -> None:
    """Another file is refused, and not read as a journal of nothing."""
    journal.path.write_bytes(content)
    message = (
        "^path must be a journal of outcomes, got 'outcomes.jsonl', in which line 1 is no line"
    )
    with pytest.raises(ValueError, match=message):
        journal.read()


def test_line_without_end(journal: OutcomeJournal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line longer than any of a journal is passed over, not read into memory."""
    journal.append(BATCH, time=NOON)
    with journal.path.open("ab") as file:
        file.write(b"x" * 5000 + b"\n")
    journal.append(BATCH, time=NOON)
    monkeypatch.setattr(_lines, "LONGEST", 600)
    entries, faults = journal.read()
    assert [entry.counts for entry in entries] == [BATCH] * 2
    assert [fault.reason for fault in faults] == ["longer than 600 bytes"]


def test_edited_into_no_json(journal: OutcomeJournal) -> None:
    """A whole line that was edited into no JSON is said to be no JSON, and not cut off."""
    journal.append(BATCH, time=NOON)
    journal.append(BATCH, time=NOON)
    first, second = journal.path.read_bytes().splitlines(keepends=True)
    journal.path.write_bytes(first.replace(b'"tags"', b"tags") + second)
    place = first.index(b'"tags"') + 1
    message = f"line 1 was skipped: no JSON from character {place} on.$"
    with pytest.warns(JournalWarning, match=message):
        assert [entry.line for entry in journal] == [2]


@pytest.mark.parametrize("tags", [{}, {"model": "a}"}])
def test_cut_anywhere(journal: OutcomeJournal, tags: dict[str, str]) -> None:
    """Wherever a line was cut, and whatever came behind it, it is said to be cut off."""
    journal.append(BATCH, time=NOON, tags=tags)
    line = journal.path.read_bytes()
    for size in range(1, len(line) - 1):
        journal.path.write_bytes(line[:size] + b"\n" + line)
        entries, faults = journal.read()
        assert len(entries) == 1
        assert faults == [(1, f"cut off after {size} bytes", True)], line[:size]


def test_groups_that_json_cannot_hold(journal: OutcomeJournal) -> None:
    """An infinite group is refused by name before anything is written."""
    with pytest.raises(ValueError, match=r"^groups must be finite, got inf\.$"):
        journal.append(OutcomeCounts([float("inf")], [[[[1]]]]), time=NOON)
    assert not journal.path.exists()


def test_empty_file_folder_and_none(journal: OutcomeJournal) -> None:
    """An empty file holds nothing; a folder and a file that is not there are errors."""
    with pytest.raises(FileNotFoundError):
        journal.read()
    journal.path.write_bytes(b"")
    assert list(journal) == []
    with pytest.raises(ValueError, match=r"^path must be a file, got the folder '.*'.$"):
        OutcomeJournal(journal.path.parent)


def test_only_a_torn_line(journal: OutcomeJournal) -> None:
    """A journal whose first line is torn holds nothing, and says so."""
    journal.append(BATCH, time=NOON)
    journal.path.write_bytes(journal.path.read_bytes()[:100])
    with pytest.warns(JournalWarning, match="line 1 was skipped: cut off after 100 bytes.$"):
        assert list(journal) == []


def test_fsync(tmp_path: Path) -> None:
    """With fsync, lines are the same."""
    journal = OutcomeJournal(str(tmp_path / "o"), fsync=True)
    journal.append(BATCH, time=NOON)
    assert [entry.counts for entry in journal] == [BATCH]
    assert repr(journal).startswith("OutcomeJournal('")


def test_fsync_of_a_new_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is synced when the file is new, and only then."""
    synced: list[bool] = []
    fsync = os.fsync

    def listen(descriptor: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", listen)
    journal = OutcomeJournal(tmp_path / "o", fsync=True)
    for _ in range(2):
        journal.append(BATCH, time=NOON)
    assert synced == ([False, True, False] if hasattr(os, "O_DIRECTORY") else [False, False])
