"""Group keys and numbers as words, for every renderer and plot.

Group names come from other people's files. What is shown can be told apart
(an empty name from a missing one, the number 1 from the text 1) and holds
nothing that a terminal acts on; the renderers escape for their own formats.
"""

import math
import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

MISSING = "(missing)"
EMPTY = '"" (empty)'
# Everything that could start markup inside a line; hyphens, dots and parentheses only
# mean something at the start of a line or behind a bracket, which is escaped.
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&!@^=])")
# What JSON has no numbers for.
NOT_FINITE = {"infinite": math.inf, "minus infinity": -math.inf, "undefined": math.nan}
# ratios below this are shown with more digits
_TWICE = 2
# Joiners inside words of Persian, Hindi and of emoji; not printable to Python, yet harmless.
_JOINERS = {0x200C: "", 0x200D: ""}
# First strong isolate and its end: keep right-to-left names from reordering their neighbors.
_ISOLATE, _END = "\u2068", "\u2069"


def _is_plain(text: str) -> bool:
    printable = text.translate(_JOINERS).isprintable()
    return printable and text == text.strip() and text[:1] != '"' and text not in (MISSING, EMPTY)


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    shown = (
        char
        if char.isprintable() or ord(char) in _JOINERS
        else char.encode("unicode_escape").decode()
        for char in escaped
    )
    return f'"{"".join(shown)}"'


def _isolate(text: str) -> str:
    right_to_left = any(unicodedata.bidirectional(char) in ("R", "AL") for char in text)
    return f"{_ISOLATE}{text}{_END}" if right_to_left else text


def strip_isolates(text: str) -> str:
    """Return text without the marks that isolate right-to-left names."""
    return text.replace(_ISOLATE, "").replace(_END, "")


def show_key(key: Hashable, *, quote: bool = False) -> str:
    r"""Return a group key or a label as one line of printable text.

    Examples
    --------
    >>> print(show_key("a|b"), show_key(None), show_key(""), show_key("a\nb"), show_key(1))
    a|b (missing) "" (empty) "a\nb" 1
    >>> print(show_key(("a,b", "c")), "/", show_key(("a", "b,c")))
    "a,b", c / a, "b,c"
    """
    if key is None:
        return MISSING
    if isinstance(key, tuple):
        commas = [quote or (isinstance(part, str) and "," in part) for part in key]
        parts = zip(key, commas, strict=True)
        return ", ".join(show_key(part, quote=comma) for part, comma in parts)
    if key == "":
        return EMPTY
    text = str(key)
    plain = _is_plain(text) and not (quote and isinstance(key, str))
    return _isolate(text if plain else _quote(text))


def show_keys(keys: Iterable[Hashable]) -> tuple[str, ...]:
    """Return keys as text, no two alike: text that looks like another key is quoted.

    Examples
    --------
    >>> print(*show_keys([1, "1", "b"]))
    1 "1" b
    """
    listed = list(keys)
    shown = [show_key(key) for key in listed]
    times = Counter(shown)
    return tuple(
        show_key(key, quote=times[text] > 1) for key, text in zip(listed, shown, strict=True)
    )


def shorten(names: Sequence[str], width: int) -> tuple[str, ...]:
    """Return names of at most a width, still no two alike.

    Examples
    --------
    >>> shorten(["short", "a long name", "a long game"], 8)
    ('short', 'a lo…#1', 'a lo…#2')
    >>> shorten(["short", "a long name"], 8)
    ('short', 'a long …')
    """
    cut = [name if len(name) <= width else f"{_cut(name, width - 1)}…" for name in names]
    times, seen, short = Counter(cut), Counter[str](), []
    for name, text in zip(names, cut, strict=True):
        seen[text] += 1
        same = times[text] > 1
        short.append(f"{_cut(name, width - 4)}…#{seen[text]}" if same else text)
    return tuple(short)


def _cut(name: str, width: int) -> str:
    cut = name[:width]
    return cut + _END if cut.count(_ISOLATE) > cut.count(_END) else cut


def show_count(count: float) -> str:
    """Return a number of people: whole where it is whole, else with one or two decimals.

    Examples
    --------
    >>> show_count(1320), show_count(1320.0), show_count(12.5), show_count(0.04)
    ('1,320', '1,320', '12.5', '0.04')
    """
    if math.isclose(count, round(count), abs_tol=1e-9):
        return f"{round(count):,}"
    if count < 0.1:
        return f"{count:.1g}"
    return f"{count:,.1f}" if count >= 10 else f"{count:.2f}".rstrip("0")


def show_number(value: float, limits: Iterable[float] = ()) -> str:
    """Return a measured value with three decimals, or with as many as tell it from a limit.

    Examples
    --------
    >>> show_number(0.0973), show_number(float("inf")), show_number(float("nan"))
    ('0.097', 'infinite', 'undefined')
    >>> show_number(0.7996), show_number(0.7996, limits=[0.8])
    ('0.800', '0.7996')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinite" if value > 0 else "minus infinity"
    apart = [limit for limit in limits if not math.isclose(value, limit, rel_tol=1e-9)]
    digits = 3
    while digits < 9 and any(
        (round(value, digits) - limit) * (value - limit) <= 0 for limit in apart
    ):
        digits += 1
    # adding 0.0 turns a rounded -0.0 into 0.0
    return f"{round(value, digits) + 0.0:.{digits}f}"


def show_change(value: float) -> str:
    """Return a change with its sign, or a dash where it is not a finite number.

    Examples
    --------
    >>> show_change(-0.25), show_change(0.0), show_change(float("nan"))
    ('-0.250', '0.000', '–')
    """
    if not math.isfinite(value):
        return "–"
    rounded = round(value, 3) + 0.0
    return f"{rounded:+.3f}" if rounded else "0.000"


def show_share(share: float) -> str:
    """Return a share of people as a percentage, or as undefined.

    Examples
    --------
    >>> show_share(0.17021), show_share(float("nan"))
    ('17.0%', 'undefined')
    """
    return f"{100 * share:.1f}%" if math.isfinite(share) else show_number(share)


def show_range(low: float, high: float, show: Callable[[float], str] = show_number) -> str:
    """Return the ends of an interval as words.

    Examples
    --------
    >>> show_range(-0.05, 0.2), show_range(1.5, math.inf), show_range(0.1, 0.2, show_share)
    ('-0.050 to 0.200', 'from 1.500', '10.0% to 20.0%')
    """
    if math.isinf(high):
        return "any value" if low == -math.inf else f"from {show(low)}"
    return f"up to {show(high)}" if math.isinf(low) else f"{show(low)} to {show(high)}"


def show_times(ratio: float) -> str:
    """Return a ratio as words: how many times as much.

    Examples
    --------
    >>> show_times(2.3337), show_times(1.04)
    ('2.3 times', '1.04 times')
    """
    return f"{ratio:.1f} times" if ratio >= _TWICE else f"{ratio:.3g} times"


def list_names(names: Sequence[str], most: int = 5) -> str:
    """Return names as a list in a sentence, cut where it is long.

    Examples
    --------
    >>> list_names(["a"]), list_names(["a", "b"]), list_names("abcdefgh", most=3)
    ('a', 'a and b', 'a, b, c and 5 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def escape_markdown(text: str) -> str:
    r"""Return text that Markdown shows as it is.

    Examples
    --------
    >>> print(escape_markdown("a|b <script> $x$ http://x"))
    a\|b \<script\> \$x\$ http:\//x
    """
    escaped = _MARKUP.sub(r"\\\1", text)
    return escaped.replace("://", ":\\//").replace("www.", "www\\.")


def show_limits(
    limits: tuple[float, float], bounds: tuple[float, float] = (-math.inf, math.inf)
) -> str:
    """Return a range in words, without the half that a measure of these bounds cannot reach.

    Examples
    --------
    >>> show_limits((-0.1, 0.1)), show_limits((0.8, 1.25)), show_limits((0.9, 1.1), (1, math.inf))
    ('-0.1 to 0.1', '0.8 to 1.25', 'up to 1.1')
    """
    low, high = (f"{limit:.6g}" for limit in limits)
    if limits[0] <= bounds[0]:
        return f"up to {high}"
    return f"from {low}" if limits[1] >= bounds[1] else f"{low} to {high}"


def printable(text: str) -> str:
    r"""Return text on one line, without anything that a terminal acts on.

    Examples
    --------
    >>> print(printable("[red]two\nlines, \x1b[31m"))
    [red]two\nlines, \x1b[31m
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def measure_width(text: str) -> int:
    r"""Return how many columns text takes on a terminal.

    Examples
    --------
    >>> measure_width("abc"), measure_width("日本"), measure_width("e\u0301")
    (3, 4, 1)
    """
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) == "Cf"
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )


def pad_text(text: str, width: int, *, right: bool = False) -> str:
    """Return text with spaces up to a width, at its end or, on the right, before it."""
    space = " " * max(0, width - measure_width(text))
    return space + text if right else text + space


def wrap_text(text: str, width: int, indent: str = "") -> list[str]:
    """Return text as lines of at most a width, each with an indent, not broken at hyphens."""
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
