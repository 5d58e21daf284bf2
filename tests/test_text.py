"""Group keys and numbers as words."""

import math
from collections.abc import Hashable

import pytest

from skfair_ofi._text import (
    list_names,
    shorten,
    show_change,
    show_count,
    show_key,
    show_keys,
    show_number,
    show_range,
    show_share,
    show_times,
    strip_isolates,
)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("African-American", "African-American"),
        (0, "0"),
        (True, "True"),
        (None, "(missing)"),
        ("", '"" (empty)'),
        ("(missing)", '"(missing)"'),
        ('"" (empty)', r'"\"\" (empty)"'),
        ("nan", "nan"),
        ("a\nb", r'"a\nb"'),
        (r"a\nb", r"a\nb"),
        ("\x1b[31mred", r'"\x1b[31mred"'),
        (" padded ", '" padded "'),
        ("\u202eevil", r'"\u202eevil"'),
        ("שלום", "\u2068שלום\u2069"),  # noqa: RUF001
        ("نیم\u200cفاصله", "\u2068نیم\u200cفاصله\u2069"),  # noqa: RUF001
        (("f", "b"), "f, b"),
        (("a,b", "c"), '"a,b", c'),
        (("a", "b,c"), 'a, "b,c"'),
        (("a", None, 1), "a, (missing), 1"),
    ],
)
def test_show_key(key: Hashable, text: str) -> None:
    """A key is shown unchanged where it is plain, and so that it can be told apart where not."""
    assert show_key(key) == text


def test_shown_keys_are_printable() -> None:
    """Nothing that is shown can move a cursor, ring a bell or break a line."""
    text = show_key("".join(map(chr, range(0x2100))))
    assert strip_isolates(text).replace("\u200c", "").replace("\u200d", "").isprintable()


def test_lone_surrogates_are_escaped() -> None:
    """Bytes that were no UTF-8 are shown as escapes, which every encoding knows."""
    assert show_key("caf\udce9") == r'"caf\udce9"'


def test_keys_that_look_alike_are_told_apart() -> None:
    """The number 1 and the text 1 are two groups, and are shown as two."""
    assert show_keys([1, "1", 2]) == ("1", '"1"', "2")


def test_shorten_keeps_names_apart() -> None:
    """Names that are the same where they are cut get numbers, within the width."""
    short = shorten(["x" * 300, "x" * 299 + "y", "z"], 20)
    assert len(set(short)) == 3
    assert max(map(len, short)) <= 20


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (1320, "1,320"),
        (12.5, "12.5"),
        (1234.56, "1,234.6"),
        (3.25, "3.25"),
        (0.1 + 0.2, "0.3"),
        (0.004, "0.004"),
        (3.0, "3"),
    ],
)
def test_show_count(count: float, text: str) -> None:
    """Whole numbers are shown whole, fractions with what they need."""
    assert show_count(count) == text


@pytest.mark.parametrize(
    ("value", "limits", "text"),
    [
        (0.0973, (), "0.097"),
        (-0.0001, (), "0.000"),
        (math.inf, (), "infinite"),
        (-math.inf, (), "minus infinity"),
        (math.nan, (), "undefined"),
        (0.7996, (0.8, 1.25), "0.7996"),
        (0.8, (0.8, 1.25), "0.800"),
        (0.1 + 0.7, (0.8, 1.25), "0.800"),
        (0.30001, (0.3,), "0.30001"),
    ],
)
def test_show_number(value: float, limits: tuple[float, ...], text: str) -> None:
    """A value just outside a limit is not shown as the limit."""
    assert show_number(value, limits) == text


@pytest.mark.parametrize(
    ("change", "text"),
    [(0.25, "+0.250"), (-0.25, "-0.250"), (0.0, "0.000"), (-1e-9, "0.000"), (math.nan, "–")],
)
def test_show_change(change: float, text: str) -> None:
    """A change has its sign, none where it is nothing, and a dash where it is not known."""
    assert show_change(change) == text


def test_shares_and_ratios() -> None:
    """Shares are percentages; ratios near 1 have the digits that tell them from it."""
    assert [show_share(share) for share in (0.1702, math.nan)] == ["17.0%", "undefined"]
    assert [show_times(ratio) for ratio in (2.3337, 1.25, 1.0)] == [
        "2.3 times",
        "1.25 times",
        "1 times",
    ]


@pytest.mark.parametrize(
    ("names", "text"),
    [(["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_listing(names: list[str], text: str) -> None:
    """Names are listed as in a sentence."""
    assert list_names(names) == text


def test_long_listings_are_cut() -> None:
    """A long list says how many it does not name."""
    assert list_names(list("abcdefgh"), most=3) == "a, b, c and 5 more"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-0.05, 0.2, "-0.050 to 0.200"),
        (1.5, math.inf, "from 1.500"),
        (-math.inf, 1.5, "up to 1.500"),
        (-math.inf, math.inf, "any value"),
    ],
)
def test_ranges(low: float, high: float, text: str) -> None:
    """Ends of intervals are said in words, infinite ones left out."""
    assert show_range(low, high) == text
