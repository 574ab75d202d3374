"""Every code block of the README and the docs runs, and what the pages show is what comes out.

The rules are those of scripts/play.py: the blocks of a page are run in their order, in one folder.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from airtcp import Scenario, _native
from airtcp.engines import REGISTRY
from airtcp.scenario.tables import FILE_DESCRIPTIONS, LIST_COLUMNS
from modules import module

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "docs/notebooks"  # whose pages are made for the site
DOCS = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent != NOTEBOOKS]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]


play = module("play")


@pytest.fixture(scope="module")
def commands() -> Iterator[Any]:
    with play.page_commands() as process:
        yield process


def blocks(page: Path, language: str) -> list[str]:
    found = play.BLOCK.findall(page.read_text(encoding="utf-8"))
    return [code for tag, _, code in found if tag == language]


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


def runs_something(page: Path) -> bool:
    shell = any(play.lines_to_run(code) for code in blocks(page, "sh"))
    return shell or bool(blocks(page, "python"))


@pytest.mark.parametrize("page", list(filter(runs_something, PAGES)), ids=page_id)
def test_pages_run_and_show_what_comes_out(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert play.play(page, tmp_path, commands) == page.read_text(encoding="utf-8")
    assert list(play.stale_pictures(page, tmp_path)) == []


def test_pages_have_code() -> None:
    assert sum(runs_something(page) for page in PAGES) > 5
    assert any(play.PICTURE.findall(page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")], ids=page_id)
def test_scenarios_in_pages_load(page: Path) -> None:
    for code in blocks(page, "toml"):
        for fragment in fragments(code):
            document = tomllib.loads(fragment)
            if "profile" in document:
                assert Scenario.from_dict(document).points()


def fragments(code: str) -> list[str]:
    """A block of lines that each stand for themselves (channels in a line), or the whole block."""
    lines = [line for line in code.splitlines() if line.strip()]
    keys = [line.partition(" =")[0] for line in lines]
    return lines if len(set(keys)) < len(keys) and set(keys) <= {"channel", "gate"} else [code]


def test_an_output_may_be_shortened(tmp_path: Path) -> None:
    assert play.output_on_page("a\n...\nd\n", "a\nb\nc\nd \n") == "a\n...\nd\n"
    assert play.output_on_page("a\n...\n", "a\n") == "a\n...\n"
    assert play.output_on_page("a\n...\ne\n", "a\nb\nd\n") == "a\nb\nd\n"


def test_what_a_page_shows_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commands: Any
) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(6 * 7)\n```\n\n```text\n41\n```\n", encoding="utf-8")
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert "```text\n42\n```" in play.play(page, folder, commands)


LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


PROFILED = ["docs/explanation/scenarios.md", "docs/explanation/variants.md"]


@pytest.mark.parametrize("page", PROFILED)
def test_every_profile_is_named(page: str) -> None:
    profiles = [name for name, _, _ in _native.registry()["profiles"]]
    assert [name for name in profiles if f"`{name}`" not in text_of(page)] == []


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/evidence/comparison.md"])
def test_every_engine_is_named(page: str) -> None:
    several = ("both", "all")
    said = text_of(page).partition("## Start")[0].lower()  # where a page says what this is
    assert [
        engine
        for engine in REGISTRY
        if engine not in several and not re.search(rf"\b{engine}\b", said)
    ] == []


def test_every_file_that_a_scenario_reads_is_named() -> None:
    said = text_of("docs/explanation/scenarios.md")
    assert [kind for kind in LIST_COLUMNS if f'kind = "{kind}", file = ' not in said] == []
    assert [key for key in FILE_DESCRIPTIONS if f'`{key} = "' not in said] == []


def clicks() -> dict[Path, int]:
    """Pages of the docs, with how many links lead there from the first page."""
    first = ROOT / "docs/index.md"
    found, ring = {first: 0}, [first]
    while ring:
        targets = [
            (page.parent / link).resolve()
            for page in ring
            for link in LINK.findall(page.read_text(encoding="utf-8"))
        ]
        here = found[ring[0]] + 1
        ring = [page for page in dict.fromkeys(targets) if page in DOCS and page not in found]
        found |= dict.fromkeys(ring, here)
    return found


def test_every_page_is_three_clicks_from_the_first_at_most() -> None:
    found = clicks()
    assert [page_id(page) for page in DOCS if found.get(page, 9) > 3] == []


NEAR = ["howto/fit", "howto/add_control", "explanation/statistics", "tutorials/server"]


@pytest.mark.parametrize("page", [*NEAR, "howto/call", "howto/cite", "evidence/index"])
def test_what_newcomers_ask_is_one_click_from_the_first_page(page: str) -> None:
    assert clicks()[ROOT / f"docs/{page}.md"] == 1


def test_speeds_are_those_that_were_measured() -> None:
    """Speeds beside other tools are in every page as docs/evidence/performance.md has them."""
    measured = re.findall(
        r"^\| ns-\S.*?\| ([\d.]+)[^|]*\| ([\d.]+)", text_of("docs/evidence/performance.md"), re.M
    )
    assert len(measured) >= 3
    ordered = [tuple(sorted(pair, key=float)) for pair in measured[:3]]
    for page in ("README.md", "docs/evidence/comparison.md"):
        said = re.sub(r"\s+", " ", text_of(page))
        assert re.findall(r"([\d.]+) to ([\d.]+) times", said) == ordered
