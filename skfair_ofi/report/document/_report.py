"""What every report can do: the forms it takes, on the screen and in files."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from skfair_ofi._plotting import save_figure

from ._csv import render_csv
from ._html import render_fragment, render_html
from ._json import render_json
from ._markdown import render_markdown
from ._model import Document
from ._plain_text import render_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Renderer:
    """A form of reports: what its files end in, and what makes one of a report."""

    suffix: str
    render: "Callable[[Report], str]"


# By the names that ``--format`` takes. A new form is a file and a line here.
RENDERERS = {
    "text": Renderer(".txt", render_text),
    "markdown": Renderer(".md", render_markdown),
    "html": Renderer(".html", render_html),
    "json": Renderer(".json", render_json),
    "csv": Renderer(".csv", render_csv),
}


class Report(ABC):
    """What is found, in every form that people read; in a notebook it shows itself."""

    # suffixes of pictures that ``save`` knows, of reports that have one
    pictures: tuple[str, ...] = ()

    @abstractmethod
    def document(self) -> Document:
        """Return sentences, tables and figures, as text, Markdown and HTML show them."""

    @abstractmethod
    def payload(self) -> Any:
        """Return what JSON holds."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a data frame, as CSV holds them."""

    def draw(self) -> "Figure":
        """Return the picture, as a figure that pyplot does not know of."""
        raise NotImplementedError

    def text(self) -> str:
        """Return plain text of 80 columns."""
        return RENDERERS["text"].render(self)

    def markdown(self) -> str:
        """Return Markdown; names are escaped."""
        return RENDERERS["markdown"].render(self)

    def html(self) -> str:
        """Return one self-contained HTML page, without scripts."""
        return RENDERERS["html"].render(self)

    def json(self) -> str:
        """Return strict JSON; undefined and infinite values are spelled out."""
        return RENDERERS["json"].render(self)

    def csv(self) -> str:
        """Return the data frame as CSV, with cells that no spreadsheet takes for formulas."""
        return RENDERERS["csv"].render(self)

    @classmethod
    def list_suffixes(cls) -> tuple[str, ...]:
        """Return what the name of a file may end in, for ``save``."""
        return (*(renderer.suffix for renderer in RENDERERS.values()), *cls.pictures)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the report to a file, in the form that its suffix says.

        Parameters
        ----------
        path : str or path-like
            Where to write: .txt, .md, .html, .json or .csv, and .png or .svg for reports that
            have a picture. The folder must exist; a file that is there is replaced.

        Returns
        -------
        Path
            Where it was written.

        Raises
        ------
        ValueError
            If the suffix is another.
        FileNotFoundError
            If the folder does not exist.

        Examples
        --------
        >>> import tempfile
        >>> from skfair_ofi.report import proportionality_report
        >>> report = proportionality_report(None, [1, 0], [1, 1], sensitive_features=["a", "b"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report.save(f"{folder}/report.md").name
        'report.md'
        """
        target = Path(path)
        suffix, known = target.suffix.lower(), self.list_suffixes()
        if suffix not in known:
            raise ValueError(f"path must end in one of {', '.join(known)}, got {str(target)!r}.")
        if not target.parent.is_dir():
            raise FileNotFoundError(f"path must be in a folder that exists, got {str(target)!r}.")
        if suffix in self.pictures:
            target.write_bytes(save_figure(self.draw, suffix[1:]))
            return target
        (render,) = (each.render for each in RENDERERS.values() if each.suffix == suffix)
        # bytes, so that no platform changes line ends or encoding
        target.write_bytes(render(self).encode())
        return target

    def _repr_html_(self) -> str:
        return render_fragment(self.document())

    def __str__(self) -> str:
        """Return the report as plain text."""
        return self.text()
