"""The page on scikit-learn: what it says of its own examples."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "scikit-learn.md"
START, *SECTIONS = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
FIRST_BLOCK = SECTIONS[0].split("```")[1]


@pytest.mark.parametrize(
    "section",
    [section for section in SECTIONS[1:] if ">>>" in section],
    ids=lambda section: section.partition("\n")[0],
)
@pytest.mark.slow
def test_sections_run_by_themselves(section: str) -> None:
    """Each section runs after the first block of the page and that of the first section."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    page = f"{START}\n{FIRST_BLOCK}\n{section}".replace("```", "")
    parsed = doctest.DocTestParser().get_doctest(page, {}, "page", None, 0)
    result = doctest.DocTestRunner(optionflags=flags).run(parsed)
    assert result.failed == 0
