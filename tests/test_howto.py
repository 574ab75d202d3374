"""How-to pages are short, begin with what one does, and lead on."""

import re
from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parent.parent / "docs/howto").glob("*.md"))
MOST_WORDS = 500


def prose(text: str) -> str:
    """A page without code, tables and the targets of links."""
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^\|.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\]\([^)]*\)", "]", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_begins_with_what_one_does_and_leads_on(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert len(prose(text).split()) <= MOST_WORDS
    assert "```" in text.partition("\n## ")[0]
    assert text.rpartition("\n## ")[2].startswith("See also\n")


def test_code_tables_and_addresses_are_no_prose() -> None:
    text = "One\n\n```sh\ncode code\n```\n\n| a | b |\n\n    ```rust\n    x\n    ```\n[two](u.md)\n"
    assert prose(text).split() == ["One", "[two]"]
