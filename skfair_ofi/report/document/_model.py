"""What every report builds and every renderer lays out: sentences, tables and figures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from skfair_ofi.metrics import Tone, Verdict, tone_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In place of a value that says nothing.
NONE = "–"
# How verdicts and decisions are shown, whatever the format; those on ranges as they are judged.
TONES: dict[str, Tone] = {
    **{verdict: tone_of(verdict) for verdict in get_args(Verdict)},
    **dict.fromkeys(("met", "accept", "no flips", "no harmful flips"), "good"),
    **dict.fromkeys(("uncertain", "review"), "middling"),
    **dict.fromkeys(("not met", "change the correction", "change the model"), "bad"),
}


def get_tone(verdict: str) -> Tone:
    """Return "good", "middling", "bad" or "unknown" for a verdict or a decision."""
    return TONES.get(verdict, "unknown")


@dataclass(frozen=True)
class Cell:
    """A cell of a table: text, and what stands beside and below it."""

    text: str
    verdict: str | None = None
    note: str = ""
    interval: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table, with a sentence that stands below it."""

    cells: tuple[Cell, ...]
    detail: str = ""
    total: bool = False


@dataclass(frozen=True)
class Table:
    """A table; all columns but the first hold numbers, except those named in ``words``."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    words: tuple[str, ...] = ()

    @property
    def of_groups(self) -> bool:
        """Whether the rows are named by groups."""
        return self.columns[0] == "Group"


@dataclass(frozen=True)
class Figure:
    """A drawing on one pair of axes, drawn when a renderer needs it."""

    draw: "Callable[[Axes], None]"
    size: tuple[float, float]
    # what it shows, for those who do not see it
    alt: str


@dataclass(frozen=True)
class Section:
    """A section; one that has figures only is left out where there are no pictures."""

    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    items: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    # what the section comes to, shown before its sentences where there are colors
    verdict: str | None = None

    @property
    def has_text(self) -> bool:
        """Whether there is anything but figures."""
        return bool(self.paragraphs or self.tables or self.items)


@dataclass(frozen=True)
class Document:
    """A report as a title, facts to know before any number, and sections.

    Parameters
    ----------
    title : str
        The title.
    facts : tuple of (str, str)
        Terms and what they are.
    sections : tuple of Section
        Sentences, tables and figures.
    outcome : str, default=None
        What it comes to; the fact that says so is shown in its color.
    groups : tuple of str, default=()
        Names of groups, which tables of text may cut and which are then listed whole.

    Examples
    --------
    >>> Document("A report", (("People", "12"),), ()).facts
    (('People', '12'),)
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    outcome: str | None = None
    groups: tuple[str, ...] = ()
