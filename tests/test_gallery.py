"""The gallery in the docs has every part of every paper, and no figure that is not shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from airtcp.papers import PAPERS, paper

GALLERY = Path(__file__).parent.parent / "docs/gallery"
AGAIN = "run `make gallery`"


@pytest.mark.parametrize("name", PAPERS)
def test_every_part_has_a_section(name: str) -> None:
    text = (GALLERY / f"{name}.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## .* \{ #([\w-]+) \}$", text, flags=re.MULTILINE)
    assert [section for section in sections if section != "whole"] == list(paper(name).parts), AGAIN
    for part in paper(name).parts:
        assert f"`airtcp reproduce {name}/{part}`" in text, AGAIN


def test_every_figure_is_shown_and_there() -> None:
    shown = set()
    for page in GALLERY.glob("*.md"):
        shown |= set(re.findall(r"\]\(([\w-]+\.svg)\)", page.read_text(encoding="utf-8")))
    assert shown == {path.name for path in GALLERY.glob("*.svg")}, AGAIN


def test_the_index_counts_the_verdicts_of_the_pages() -> None:
    index = (GALLERY / "index.md").read_text(encoding="utf-8")
    for name in PAPERS:
        text = (GALLERY / f"{name}.md").read_text(encoding="utf-8")
        rows = [line.split(" | ")[0].strip("|* ") for line in text.splitlines()]
        counts = " | ".join(str(rows.count(word)) for word in ("holds", "partly", "fails"))
        assert re.search(rf"\]\({name}\.md\) \| {re.escape(counts)} \|", index), AGAIN
