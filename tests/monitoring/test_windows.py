"""Batches add up by window, and lines that do not go together are named."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.inference import confidence_interval
from skfair_ofi.metrics import Bands
from skfair_ofi.monitoring import OutcomeJournal, SeriesDisplay
from skfair_ofi.monitoring._points import subtract_intervals

START = datetime(2026, 3, 2, tzinfo=UTC)


def batch(groups: Any = ("a", "b"), labels: Any = (0, 1), seed: int = 0) -> OutcomeCounts:
    """Return a table of predicted and corrected labels."""
    cells = np.random.default_rng(seed).integers(5, 50, (len(groups), 1, 2, 2))
    return OutcomeCounts(groups, cells, labels=labels)


@pytest.fixture
def journal(tmp_path: Path) -> OutcomeJournal:
    """Six batches, out of order, two of them at one time, none in the third hour."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    for seed, minutes in enumerate((200, 0, 59, 60, 60, 239)):
        journal.append(batch(seed=seed), time=START + timedelta(minutes=minutes))
    return journal


def test_batches_add_up() -> None:
    """`+=` over batches is the table of everyone: groups and labels may appear later."""
    rng = np.random.default_rng(0)
    groups = np.sort(rng.choice(["a", "b", "c"], 600))
    predicted = np.where(groups == "a", "no", rng.choice(["no", "yes"], 600))
    options = {"pos_label": "yes"}
    counts: Any = 0
    for rows in np.array_split(np.arange(600), 50):
        counts += OutcomeCounts.from_arrays(
            y_pred=predicted[rows], sensitive_features=groups[rows], **options
        )
    whole = OutcomeCounts.from_arrays(y_pred=predicted, sensitive_features=groups, **options)
    assert counts == whole
    assert counts.groups == ("a", "b", "c")


@pytest.mark.parametrize(
    "every",
    ["1h", "60min", "0.5h30min", timedelta(hours=1), pd.Timedelta("1h"), np.timedelta64(1, "h")],
)
def test_windows_of_time(journal: OutcomeJournal, every: Any) -> None:
    """Windows start at whole multiples; each has its batches, and empty ones are there."""
    windows = journal.windows(every)
    assert [window.start for window in windows] == [START + timedelta(hours=i) for i in range(4)]
    assert [window.batches for window in windows] == [2, 2, 0, 2]
    assert windows[0].counts == batch(seed=1) + batch(seed=2)
    assert windows[2].counts.groups == ("a", "b")
    assert windows[2].counts.n == 0


@pytest.mark.parametrize("every", [4, np.int64(4)])
def test_windows_of_batches(journal: OutcomeJournal, every: int) -> None:
    """Windows of four batches go by time, whatever the order in the file."""
    first, second = journal.windows(every)
    assert first.counts == sum(batch(seed=seed) for seed in (1, 2, 3, 4))
    assert (second.batches, second.start) == (2, START + timedelta(minutes=200))


def test_weeks_start_on_monday(journal: OutcomeJournal) -> None:
    """A window of seven days starts at midnight of a Monday."""
    (week,) = journal.windows("7D")
    assert (week.start.weekday(), week.end - week.start) == (0, timedelta(days=7))


@pytest.mark.parametrize(
    ("every", "starts"),
    [
        ("W", ["2026-02-23", "2026-03-02", "2026-03-09"]),
        ("W-THU", ["2026-02-27", "2026-03-06"]),
        ("2W", ["2026-02-16", "2026-03-02"]),
        ("14D", ["2026-02-16", "2026-03-02"]),
        ("MS", ["2026-02-01", "2026-03-01"]),
        ("ME", ["2026-02-01", "2026-03-01"]),
        (pd.offsets.QuarterBegin(startingMonth=1), ["2026-01-01"]),
        ("YE", ["2026-01-01"]),
    ],
)
def test_windows_of_the_calendar(tmp_path: Path, every: Any, starts: list[str]) -> None:
    """Weeks and months are those of the calendar, each ends where the next one starts."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    # the last moment of a month in UTC is in the next one elsewhere
    for time in ("2026-03-01T01:59:59+02:00", "2026-03-05T12:00:00Z", "2026-03-09T00:00:00Z"):
        journal.append(batch(), time=time)
    windows = journal.windows(every)
    assert [window.start.date().isoformat() for window in windows] == starts
    assert [window.end for window in windows[:-1]] == [window.start for window in windows[1:]]
    assert sum(window.batches for window in windows) == 3
    assert windows[0].start <= datetime(2026, 2, 28, 23, 59, 59, tzinfo=UTC) < windows[0].end
    # the same windows, whenever the first line was written
    since = "2026-03-05T00:00:00Z"
    assert [w.start for w in journal.windows(every, since=since)] == [
        window.start for window in windows if window.end.isoformat() > since
    ]


def test_windows_before_the_first_monday(tmp_path: Path) -> None:
    """Times before 1970 have windows as others have."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    journal.append(batch(), time="1969-12-31T12:00:00Z")
    for every, start in (("D", (1969, 12, 31)), ("MS", (1969, 12, 1)), ("W", (1969, 12, 29))):
        (window,) = journal.windows(every)
        assert window.start == datetime(*start, tzinfo=UTC)


def test_since_until_tags(journal: OutcomeJournal) -> None:
    """Since is included, until is not, tags must be the same; the span has all its windows."""
    until = START + timedelta(minutes=60)
    assert journal.windows("1h", until=until)[-1].batches == 2
    since = START - timedelta(hours=2)
    assert [w.batches for w in journal.windows("1h", since=since, until=until)] == [0, 0, 2]
    assert journal.windows(tags={"model": "v2"}) == []


def test_tags_compare_by_value(tmp_path: Path) -> None:
    """1, 1.0 and True are one tag, the text 1 is another; a list asks for any of its values."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    for tag in (1, 1.0, True, "1", 2):
        journal.append(batch(), time=START, tags={"v": tag})

    def found(wanted: Any) -> int:
        return sum(window.batches for window in journal.windows(tags={"v": wanted}))

    assert [found(wanted) for wanted in (1, True, "1", [1, "1"], [3])] == [3, 3, 1, 4, 0]
    with pytest.raises(ValueError, match=r"^tags must be text .*, got 'v': \[1\]\.$"):
        found([[1]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every": 0}, "every must be positive, got 0."),
        ({"every": "-1h"}, "every must be positive, got '-1h'."),
        ({"every": "0MS"}, "every must be positive, got '0MS'."),
        ({"every": "1ns"}, "every must be positive, got '1ns'."),
        *(
            ({"every": every}, "every must be a frequency of pandas, such as .*, got .*.")
            for every in (True, "1 month", "", "nan", "NaT", "24", pd.NaT, None, 1.5, "X")
        ),
        ({"every": np.timedelta64("NaT")}, "every must be a frequency of pandas, such as .*"),
        ({"every": np.timedelta64(3)}, "every must be a frequency of pandas, such as .*"),
        (
            {"every": "MS", "since": "0001-01-01T00:00:00Z", "until": "9999-01-01T00:00:00Z"},
            "every must give at most 100,000 windows, got .*",
        ),
        (
            {"every": "1ms"},
            (
                "every must give at most 100,000 windows, got .* and 14,340,001 from "
                r"2026-03-02T00:00:00Z \(line 2\) to 2026-03-02T03:59:00Z \(line 6\): "
                "take longer ones, or leave out wrong times by since and until."
            ),
        ),
        ({"since": "2026-03-02"}, "since must have a time zone, such as UTC, got '2026-03-02'."),
        ({"since": START, "until": START}, "since must be before until, got .*"),
    ],
)
def test_options_refused(journal: OutcomeJournal, options: Any, message: str) -> None:
    """Options that make no windows are refused."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        journal.windows(**options)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (batch([1, "b"]), None),
        (batch(labels=(2, 1)), "line 7 does not go with line 1: Tables must have the same labels"),
        (batch().over("y_pred"), "line 7 does not go with line 1: Tables must count the same"),
    ],
)
def test_lines_that_do_not_go_together(journal: OutcomeJournal, table: Any, message: Any) -> None:
    """Other labels and other roles are errors that name both lines."""
    journal.append(table, time=START)
    if message is None:
        assert journal.windows("1D")[0].counts.groups == ("a", "b", 1)
        return
    with pytest.raises(ValueError, match=f"^outcomes.jsonl, {message}"):
        journal.windows()


@pytest.mark.parametrize(("first", "second"), [(1, "1"), (1, True), (("x", 1), ("x", "1"))])
def test_groups_of_two_types(tmp_path: Path, first: Any, second: Any) -> None:
    """The number 1 and the text 1 are no two groups, and no one group."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    for group in (first, second):
        journal.append(batch([group, "b"]), time=START)
    with pytest.raises(ValueError, match=r"line 2: groups must have one type, got .* in line 1\.$"):
        journal.windows()


CROSSED = batch((("a", "x"), ("b", "y")))


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            OutcomeCounts(["a"], [[[[9]]]], feature_names=["sex"]),
            OutcomeCounts(["a"], [[[[9]]]], feature_names=["race"]),
            r"Tables must have the same sensitive features, got \('race',\) and \('sex',\)\.",
        ),
        (
            batch(),
            CROSSED,
            r"Tables must have groups of as many sensitive features, got 2 and 1\.",
        ),
    ],
)
def test_lines_of_other_features(tmp_path: Path, first: Any, second: Any, message: str) -> None:
    """Groups of other sensitive features are refused by line, and as a reference."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    journal.append(first, time=START)
    with pytest.raises(ValueError, match=f"^reference does not go with the journal: {message}$"):
        journal.series(["selection_rate"], reference=second)
    journal.append(second, time=START)
    with pytest.raises(ValueError, match=rf"line 2 does not go with line 1: {message}$"):
        journal.windows()


def test_lines_without_names_go_with_any(tmp_path: Path) -> None:
    """A table that does not name its features goes with one that does."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    named = OutcomeCounts(["a"], [[[[9], [1]]]], feature_names=["sex"])
    for table in (OutcomeCounts(["a"], [[[[9], [1]]]]), named):
        journal.append(table, time=START)
    assert journal.windows()[0].counts.n == 20


def test_series(journal: OutcomeJournal) -> None:
    """Values and intervals are those of the window's table; empty windows have a reason."""
    found = journal.series(["flip_rate_difference", "disparate_impact"], every="1h")
    windows = journal.windows("1h")
    for row in found.itertuples():
        place = row.Index % 4
        counts = windows[place].counts
        table = counts if row.measure == "flip_rate_difference" else counts.after
        interval = confidence_interval(table, row.measure)
        expected = (interval.estimate, interval.low, interval.high)
        assert (row.value, row.low, row.high) == pytest.approx(expected, nan_ok=True)
        assert row.people == counts.n
    assert "no people in group 'a'" in found["reason"][2]
    assert found["reason"][0] is None
    assert journal.series(["flip_rate"], every=6)["reason"].tolist() == [None]
    before = journal.series(["disparate_impact"], every="1h", when="before")
    assert before["value"][0] == confidence_interval(windows[0].counts, "disparate_impact").estimate


def test_change_covers() -> None:
    """Of windows alike, the change is 0 within 95% intervals about nineteen times in twenty."""
    rng = np.random.default_rng(0)
    tables = [
        OutcomeCounts(["a"], [[[[300 - flips, flips], [0, 0]]]])
        for flips in rng.binomial(300, 0.1, 1000)
    ]
    intervals = [confidence_interval(table, "flip_rate") for table in tables]
    changes = [
        subtract_intervals(*pair) for pair in zip(intervals[::2], intervals[1::2], strict=True)
    ]
    assert 0.93 <= np.mean([0 in change for change in changes]) <= 0.97


def test_change_from_a_table(journal: OutcomeJournal) -> None:
    """A table, such as the one of the training people, can be the reference."""
    found = journal.series(["flip_rate"], every=6, reference=batch(seed=9))
    rates = [found["value"][0], confidence_interval(batch(seed=9), "flip_rate").estimate]
    assert found["change"][0] == pytest.approx(rates[0] - rates[1])


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (0, "reference must be a number of windows or an OutcomeCounts, got 0."),
        (3, "reference must leave a window to compare, got 3 of 3 with people."),
        (batch(labels=(2, 1)), "reference does not go with the journal: Tables must .*"),
    ],
)
def test_reference_refused(journal: OutcomeJournal, reference: Any, message: str) -> None:
    """A reference is some of the windows, or a table of the same labels."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        journal.series(["flip_rate"], every="1h", reference=reference)


def test_unknown_privileged_group(journal: OutcomeJournal) -> None:
    """A group that nobody is in is refused, also by measures that do not look at it."""
    message = r"^privileged must be one of the groups \['a', 'b'\], got 'zz'\.$"
    with pytest.raises(ValueError, match=message):
        journal.series(["flip_rate"], privileged="zz")
    with pytest.raises(ValueError, match=message):
        journal.watch(["flip_rate"], privileged="zz")


def test_empty_series(tmp_path: Path) -> None:
    """Nothing in the journal is an error for whoever asks for measures."""
    journal = OutcomeJournal(tmp_path / "o")
    journal.path.touch()
    with pytest.raises(ValueError, match=r"^path must hold lines to measure, got none in 'o'\.$"):
        journal.series()
    with pytest.raises(ValueError, match=r"^path must hold lines to measure, got none in 'o'\."):
        journal.watch()


def test_nothing_to_measure(tmp_path: Path) -> None:
    """Tables of true labels alone have no measure of their own."""
    journal = OutcomeJournal(tmp_path / "o")
    journal.append(OutcomeCounts(["a"], [[[[5]], [[7]]]]), time=START)
    with pytest.raises(ValueError, match=r"^measures must be given for .* count \('y_true',\)\.$"):
        journal.series()


def test_many_windows_share_the_level(tmp_path: Path) -> None:
    """Of 40 journals of 20 days at the bound, few raise a false alarm; unadjusted, many do."""
    alarms = dict.fromkeys(("bonferroni", "none"), 0)
    rng = np.random.default_rng(1)
    for number in range(40):
        journal = OutcomeJournal(tmp_path / f"{number}.jsonl")
        for day in range(20):
            flips = rng.binomial(500, 0.1)
            counts = OutcomeCounts(["a"], [[[[500 - flips, flips], [0, 0]]]])
            journal.append(counts, time=START + timedelta(days=day))
        for adjust in alarms:
            found = journal.watch(bands={"flip_rate": 0.1}, adjust=adjust)
            alarms[adjust] += found.exit_code
    assert alarms["bonferroni"] <= 5
    assert alarms["none"] >= 10


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"flip_rate": np.inf}, "bands must be finite for flip_rate, got inf."),
        ({"flip_rate": (np.inf, None)}, r"bands must be \(lowest, highest\), got \(inf, .*"),
        ({"flip_rate": "x"}, "bands must hold numbers, got 'x' for flip_rate."),
        ({"flip_rate": (0.2, 0.1)}, r"bands must be \(lowest, highest\), got \(0.2, 0.1\) for .*"),
        ({"flip_rate": (None, None)}, r"bands must be \(lowest, highest\), got .*"),
        ({"flip_rate": (1,)}, r"bands must be \(lowest, highest\), got \(1,\) for flip_rate."),
        ({"selection_rate": 0.5}, "bands must be a lowest and a highest value for .*, got 0.5."),
        (
            {"flip_rate_difference": -1},
            "bands must be at least 0 for flip_rate_difference, .*-1.0.",
        ),
        ({"disparate_impact": 0}, "bands must be above 0 for disparate_impact, got 0.0."),
        ({"selection_rate": None}, "bands must be given for selection_rate, which has none of.*"),
        (["flip_rate"], r"bands must be a mapping of measures to ranges, got \['flip_rate'\]."),
        (
            {"flip_rat": 0.2},
            "bands must name a measure, got 'flip_rat'. Did you mean .*",
        ),
    ],
)
def test_bounds_refused(journal: OutcomeJournal, bounds: Any, message: str) -> None:
    """What is no range is refused."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        journal.watch(bands=bounds)


@pytest.mark.parametrize("bound", [0.8, 1.25, (0.8, 1.25), Bands((0.8, 1.25), (0.5, 2.0)), None])
def test_symbols_and_bands(journal: OutcomeJournal, bound: Any) -> None:
    """A symbol names a measure, and a ratio's bound goes both ways however it is given."""
    watched = journal.watch(bands={"DI": bound}, every=1)
    assert watched.bands == {"disparate_impact": (0.8, 1.25)}
    assert watched.bands["disparate_impact"].contains(0.8 - 1e-14)
    assert watched.verdicts == journal.watch(bands={"disparate_impact": None}, every=1).verdicts


def test_the_end_of_an_interval_at_a_bound(journal: OutcomeJournal) -> None:
    """Ends at a bound but for the last digits of a float are within it."""
    (low, high), *_ = journal.series(["flip_rate"], every=6)[["low", "high"]].to_numpy()
    watched = journal.watch(bands={"flip_rate": (low * (1 + 1e-14), high * (1 - 1e-14))}, every=6)
    assert watched.verdicts == ("within bounds",)


def test_display_of_an_instant(tmp_path: Path) -> None:
    """A single batch stands in the middle of a day, and near bounds do not overprint."""
    journal = OutcomeJournal(tmp_path / "outcomes.jsonl")
    journal.append(batch(), time=START)
    watched = journal.watch(bands={"flip_rate": (0.5, 0.501)}, every=1)
    (ax,) = SeriesDisplay(watched).plot().axes_
    low, high = ax.get_xlim()
    assert high - low == pytest.approx(1)
    ax.figure.draw_without_rendering()
    first, second = (text.get_window_extent() for text in ax.texts)
    assert first.y1 <= second.y0 + 1
    assert "no people" not in ax.get_xlabel()


def test_display_of_nobody(journal: OutcomeJournal) -> None:
    """Windows without anyone and undefined ones are marked apart, in the words of the table."""
    journal.append(batch(["c"]), time=START + timedelta(hours=5))
    watched = journal.watch(["flip_rate_difference"], every="1h")
    (ax,) = SeriesDisplay(watched).plot().axes_
    assert ax.get_xlabel().endswith("\nGray x: undefined, gray dot: no people")


def test_display(journal: OutcomeJournal) -> None:
    """A panel a measure, with bound lines that say what they are."""
    bounds = {"flip_rate": 0.05, "disparate_impact": 0.8}
    display = SeriesDisplay(journal.watch(bands=bounds, every="1h")).plot()
    assert len(display.axes_) == 2
    shown = {text.get_text() for ax in display.axes_ for text in ax.texts}
    assert shown == {"highest 0.050", "lowest 0.800", "highest 1.250"}
    assert len(display.frame()) == 8
