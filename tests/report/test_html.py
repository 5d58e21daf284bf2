"""The HTML page: whole, accessible, and deaf to what group names say."""

import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser

import matplotlib as mpl
import pytest

from skfair_ofi import OutcomeCounts
from skfair_ofi.report import show_keys, summarize
from skfair_ofi.report._html import to_fragment, to_html

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
    return Page(to_html(summarize(paper, privileged=1)))


@pytest.fixture(scope="module")
def hostile_page(hostile: OutcomeCounts) -> Page:
    """The page on a table of hostile names."""
    title = "</title><script>alert(1)</script>"
    return Page(to_html(summarize(hostile, title=title, source=title, notes=[title])))


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
    for verdict in ("outside bounds", "within bounds", "disproportionate", "moderate"):
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
    figures = [attrs for tag, attrs in page.tags if tag == "svg"]
    assert len(figures) == 7
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in figures)


def test_ids_are_unique(page: Page) -> None:
    """No id is there twice, and every reference has its id."""
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    referred = [href[1:] for href in page.values("href")] + page.values("aria-labelledby")
    drawn = [style for _, attrs in page.tags for style in attrs.values() if style]
    referred += [name for style in drawn for name in re.findall(r"url\(#([^)]+)\)", style)]
    assert set(referred) <= set(ids)
    assert referred


@pytest.mark.parametrize("fixture", ["page", "hostile_page"])
def test_self_contained(fixture: str, request: pytest.FixtureRequest) -> None:
    """No script, no handler, and nothing that is fetched."""
    page: Page = request.getfixturevalue(fixture)
    assert page.count("script") == page.count("link") == page.count("img") == 0
    assert page.count("iframe") == page.count("object") == page.count("a") == 0
    attributes = {name for _, attrs in page.tags for name in attrs}
    assert not any(name.startswith("on") or name == "src" for name in attributes)
    assert all(href.startswith("#") for href in page.values("href"))


def test_hostile_names_are_text(hostile: OutcomeCounts, hostile_page: Page) -> None:
    """Every name is whole in one piece of text, and makes no tag."""
    assert hostile_page.open == []
    for name in show_keys(hostile.groups):
        assert name in hostile_page.text
    allowed = {
        *("html", "head", "meta", "title", "style", "body", "main", "div", "header", "h1", "h2"),
        *("dl", "dt", "dd", "span", "section", "p", "table", "caption", "thead", "tbody", "tr"),
        *("th", "td", "bdi", "figure", "ul", "li"),
        *("svg", "defs", "g", "path", "text", "tspan", "use", "clippath", "rect", "pattern"),
    }
    assert {tag for tag, _ in hostile_page.tags} <= allowed


def test_names_in_figures_are_text(hostile: OutcomeCounts) -> None:
    """In figures, too, names are text, dollar signs and all."""
    fragment = to_fragment(summarize(hostile))
    drawn = "".join(re.findall(r"<svg.*?</svg>", fragment, flags=re.DOTALL))
    for text in ("$x_1$", "a|b", "=cmd()", "שלום עולם", "&lt;script&gt;alert(1", "(missing)"):
        assert text in drawn
    assert "<style" not in drawn


def test_the_style_stays_inside(paper: OutcomeCounts) -> None:
    """In a notebook, no rule of the style reaches anything outside the report."""
    fragment = to_fragment(summarize(paper))
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


def test_two_reports_share_no_ids(paper: OutcomeCounts) -> None:
    """Two reports can stand on one page."""
    pages = [Page(to_fragment(summarize(paper, privileged=group))) for group in (0, 1)]
    first, second = (set(page.values("id")) for page in pages)
    assert not first & second


def test_pure(paper: OutcomeCounts) -> None:
    """The same summary gives the same bytes, whatever the user's matplotlib settings."""
    plain = to_html(summarize(paper))
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "svg.fonttype": "path"}):
        assert to_html(summarize(paper)) == plain
        assert mpl.rcParams["font.size"] == 30


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
    assert "日本" in to_html(summarize(counts))
