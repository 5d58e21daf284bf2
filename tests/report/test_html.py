"""The HTML page: whole, accessible, and deaf to what group names say."""

import re
import subprocess
import sys
from base64 import b64decode
from collections import Counter
from html.parser import HTMLParser

import matplotlib as mpl
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi._text import show_keys
from skfair_ofi.report import ProportionalityReport, summarize

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag, and that it is open."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that closes itself."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost tag, which has to be this one."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text, without that of style sheets."""
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    def count(self, tag: str) -> int:
        """How often a tag is there."""
        return sum(name == tag for name, _ in self.tags)

    def values(self, attribute: str) -> list[str]:
        """All values of an attribute."""
        return [attrs[attribute] or "" for _, attrs in self.tags if attribute in attrs]


@pytest.fixture(scope="module")
def page(paper: OutcomeCounts) -> Page:
    """The page on the published table."""
    return Page(ProportionalityReport(summarize(paper, privileged=1)).html())


@pytest.fixture(scope="module")
def hostile_page(hostile: OutcomeCounts) -> Page:
    """The page on a table of hostile names."""
    title = "</title><script>alert(1)</script>"
    return Page(
        ProportionalityReport(summarize(hostile, title=title, source=title, notes=[title])).html()
    )


def test_tags_are_balanced(page: Page) -> None:
    """Every tag that opens closes, in order."""
    assert page.open == []
    assert page.count("html") == page.count("body") == page.count("h1") == 1


def test_figures_of_the_paper(page: Page) -> None:
    """The published figures are text of the page."""
    text = " ".join(" ".join(page.text).split())
    for figure in ("1,320: 799 in group 0 and 521 in group 1", "2.334", "78.2%", "infinite"):
        assert figure in text
    assert "People in group 0 were flipped 2.3 times as often as people in group 1." in text


def test_verdicts_are_words(page: Page) -> None:
    """A verdict is a word, with a sign that readers aloud skip."""
    text = " ".join(page.text)
    for verdict in ("outside bounds", "within bounds", "moderate"):
        assert verdict in text
    signs = [attrs for tag, attrs in page.tags if tag == "span" and "aria-hidden" in attrs]
    assert len(signs) > 20


def test_tables_are_accessible(page: Page) -> None:
    """Each table has a caption, and each of its headers says what it heads."""
    assert page.count("table") == page.count("caption") == 5
    scopes = Counter(attrs.get("scope") for tag, attrs in page.tags if tag == "th")
    assert set(scopes) == {"col", "row"}
    assert all(attrs.get("role") for tag, attrs in page.tags if tag in ("th", "td", "tr"))


def test_figures_have_labels(page: Page) -> None:
    """Each figure says what it shows, for those who do not see it."""
    figures = [attrs for tag, attrs in page.tags if tag == "img"]
    assert len(figures) == 7
    assert all(attrs["alt"] for attrs in figures)


def test_no_ids(page: Page) -> None:
    """There are no ids, so that two reports can stand on one page."""
    assert page.values("id") == []
    assert page.values("aria-labelledby") == []


@pytest.mark.parametrize("fixture", ["page", "hostile_page"])
def test_self_contained(fixture: str, request: pytest.FixtureRequest) -> None:
    """No script, no handler, and nothing that is fetched."""
    page: Page = request.getfixturevalue(fixture)
    assert page.count("script") == page.count("link") == page.count("svg") == 0
    assert page.count("iframe") == page.count("object") == page.count("a") == 0
    attributes = {name for _, attrs in page.tags for name in attrs}
    assert not any(name.startswith("on") or name == "href" for name in attributes)
    assert all(src.startswith("data:image/svg+xml;base64,") for src in page.values("src"))


def test_hostile_names_are_text(hostile: OutcomeCounts, hostile_page: Page) -> None:
    """Every name is whole in one piece of text, and makes no tag."""
    assert hostile_page.open == []
    for name in show_keys(hostile.groups):
        assert name in hostile_page.text
    allowed = {
        *("html", "head", "meta", "title", "style", "body", "main", "div", "header", "h1", "h2"),
        *("dl", "dt", "dd", "span", "section", "p", "table", "caption", "thead", "tbody", "tr"),
        *("th", "td", "bdi", "figure", "img", "ul", "li"),
    }
    assert {tag for tag, _ in hostile_page.tags} <= allowed


def test_names_in_figures_are_text(hostile: OutcomeCounts) -> None:
    """In figures, too, names are text, dollar signs and all, and nothing is fetched or run."""
    page = Page(ProportionalityReport(summarize(hostile)).html())
    pictures = [b64decode(src.partition(",")[2]).decode() for src in page.values("src")]
    drawn = "".join(pictures)
    for text in ("$x_1$", "a|b", "=cmd()", "שלום עולם", "&lt;script&gt;alert(1", "(missing)"):
        assert text in drawn
    assert "<script" not in drawn
    assert not re.search(r'href="(?!#)', drawn)


def test_the_style_stays_inside(paper: OutcomeCounts) -> None:
    """In a notebook, no rule of the style reaches anything outside the report."""
    fragment = ProportionalityReport(summarize(paper))._repr_html_()
    assert fragment.lstrip().startswith('<div class="skfair-ofi"')
    (style,) = re.findall(r"<style>(.*?)</style>", fragment, flags=re.DOTALL)
    selectors = [rule.strip() for rule in re.findall(r"([^{}]+)\{", style)]
    outside = [rule for rule in selectors if not rule.startswith((".skfair-ofi", "@"))]
    assert outside == []
    assert all(
        part.strip().startswith(".skfair-ofi")
        for rule in selectors
        if not rule.startswith("@")
        for part in re.split(r",(?![^(]*\))", rule)
    )
    assert "<html" not in fragment


def test_pure(paper: OutcomeCounts) -> None:
    """The same summary gives the same bytes, whatever the user's matplotlib settings."""
    plain = ProportionalityReport(summarize(paper)).html()
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "svg.fonttype": "path"}):
        assert ProportionalityReport(summarize(paper)).html() == plain
        assert mpl.rcParams["font.size"] == 30


@pytest.mark.slow
def test_no_pyplot() -> None:
    """The page is drawn without pyplot, so no figure stays open and no backend is chosen."""
    program = (
        "import sys\n"
        "from skfair_ofi.report import proportionality_report\n"
        "proportionality_report(None, [1, 0], [1, 1], sensitive_features=[0, 1]).html()\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "False"


def test_glyphs_that_fonts_lack_are_no_warning() -> None:
    """Names in scripts that the fonts lack are left to the browser, quietly."""
    counts = OutcomeCounts(["日本", "😀"], [[[[5, 1], [1, 5]]]] * 2)
    assert "日本" in ProportionalityReport(summarize(counts)).html()
