"""Code, tests and docs cite the decisions in docs/papers by section; each such section exists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAPERS = ROOT / "docs/papers"
PLACES = ("crates", "python", "scripts", "tests", "docs", "bench", "examples")
FILES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "refs.bib")
KINDS = {".rs", ".py", ".md", ".csv", ".toml", ".bib", ".json"}
NUMBERS = r"sections?\s+(\d+(?:(?:,|\s+and|\s+to|,\s+and)\s+\d+)*)"
CITED = re.compile(rf"\b(\w+)\s+reading,\s+{NUMBERS}|docs/papers/(\w+)\.md,\s+{NUMBERS}")
# Phrases that stood for such a page before there was one.
VAGUE = re.compile(
    r"(?i)settled\s+reading|agreed\s+reading|\breadings?\s+of\s+(?:the\s+recorded|the\s+paper|zorzi|elaarag"
    r"|kuusela|chockalingam|lahanas)|\bits\s+readings?\b|[;,\[(]\s*readings?\s+\d"
)
SECOND = re.compile(r"(?i)independent\s+(?:reconstruction|reimplementation|derivation|ns-2\s+runs)")
Section = tuple[str, int]


def written(path: Path) -> str:
    """The text of a file with its comments and string literals as running text."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r'"?\n\s*(?:///?!?/?|#|")?\s*', " ", text)


def sources() -> Iterator[Path]:
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*")):
            if path.suffix in KINDS and path != Path(__file__):
                yield path
    yield from (ROOT / name for name in FILES)


def sections(page: str) -> set[int]:
    path = PAPERS / f"{page}.md"
    if not path.exists():
        return set()
    text = path.read_text(encoding="utf-8")
    return {int(number) for number in re.findall(r"^## (\d+)\. \S", text, re.MULTILINE)}


def cited(text: str) -> set[Section]:
    """Page and section of every citation; "2 to 5" cites both ends and what lies between."""
    found = set()
    for page, numbers, other_page, others in CITED.findall(text):
        for first, last in re.findall(r"(\d+)(?:\s+to\s+(\d+))?", numbers or others):
            span = range(int(first), int(last or first) + 1)
            found |= {(page or other_page, number) for number in span}
    return found


def missing(text: str) -> set[Section]:
    return {(page, number) for page, number in cited(text) if number not in sections(page)}


def test_every_cited_section_exists() -> None:
    texts = {path: written(path) for path in sources()}
    wrong = {str(path.relative_to(ROOT)): missing(text) for path, text in texts.items()}
    assert {path: sorted(found) for path, found in wrong.items() if found} == {}
    citations = [section for text in texts.values() for section in cited(text)]
    assert len(citations) > 50
    assert {page for page, _ in citations} == {path.stem for path in PAPERS.glob("*.md")} - {
        "index",
        "lahanas_sensitivity",
    }


def test_a_reading_is_named_by_its_section() -> None:
    found = {str(path.relative_to(ROOT)): VAGUE.findall(written(path)) for path in sources()}
    assert {path: words for path, words in found.items() if words} == {}


def test_a_second_computation_is_said_where_it_is_described() -> None:
    """Each file that speaks of one cites the section, or is a page of docs/papers itself."""
    for path in sources():
        text = path.read_text(encoding="utf-8")
        if SECOND.search(text) and path.parent != PAPERS:
            linked = re.search(r"\((?:\.\./)?papers/\w+\.md#\d+-", text)
            assert cited(written(path)) or linked, path


def test_sections_are_numbered_in_order() -> None:
    for path in PAPERS.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        numbers = [int(match) for match in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
        assert numbers == list(range(1, len(numbers) + 1)), path


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[lahanas reading, section 3]", set()),
        ("[lahanas reading, sections 1 and 99]", {("lahanas", 99)}),
        ("(docs/papers/elaarag.md, section 90)", {("elaarag", 90)}),
        ("[nobody reading, section 1]", {("nobody", 1)}),
        ("[kuusela reading, sections 10 to 13]", {("kuusela", 12), ("kuusela", 13)}),
    ],
)
def test_a_citation_of_nothing_is_found(text: str, found: set[Section]) -> None:
    assert missing(text) == found


def test_a_citation_may_go_on_in_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "a.rs"
    path.write_text("//! Phases in time [lahanas\n//! reading, section 77].\n", encoding="utf-8")
    assert missing(written(path)) == {("lahanas", 77)}
    text = '    " goodput (docs/papers/kuusela.md,"\n    " section 78)."'
    path.write_text(text, encoding="utf-8")
    assert missing(written(path)) == {("kuusela", 78)}
