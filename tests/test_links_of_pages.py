"""Links of pages outside the site lead somewhere; dead addresses are told from silent ones.

The pages of the site are checked as it is built (`make check`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from modules import module

ROOT = Path(__file__).parent.parent
LINKS = module("links")
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "bench").glob("*.md"),
    *(ROOT / "crates").glob("*/rules/*.md"),
    *(ROOT / "tests").rglob("*.md"),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_pages_outside_the_site_lead_somewhere(page: Path) -> None:
    assert list(LINKS.broken(page)) == []


def test_there_are_such_pages() -> None:
    assert {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "recovery.md"} <= {
        page.name for page in PAGES
    }


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# A `b`, c\n\n## Twice\n\n## Twice\n\n### x { #named }\n")
    good = "[a](other.md) [b](other.md#a-b-c) ![c](other.md) [d](other.md#twice-1) [e](#here)\n"
    good += (
        "[f](other.md#named) [g](https://example.org/none) `[h](none.md)`\n```\n[i](none.md)\n```\n"
    )
    page = tmp_path / "page.md"
    page.write_text("# Here\n\n" + good)
    assert list(LINKS.broken(page)) == []
    page.write_text(good + "\n[j](none.md) [`k`](other.md#none)\n![l](none.svg) [m](#here)\n")
    assert list(LINKS.broken(page)) == [
        "page.md:1: #here: no such heading",
        "page.md:7: none.md: no such file",
        "page.md:7: other.md#none: no such heading",
        "page.md:8: none.svg: no such file",
        "page.md:8: #here: no such heading",
    ]


class Answers(BaseHTTPRequestHandler):
    """A host with a page, one that is gone, one that answers GET alone, and one that is busy."""

    def do_HEAD(self) -> None:
        self.answered({"/there": 200, "/only-get": 405, "/busy": 503, "/gone-by-head": 404})

    def do_GET(self) -> None:
        self.answered({"/there": 200, "/only-get": 200, "/busy": 503, "/gone-by-head": 200})

    def answered(self, codes: dict[str, int]) -> None:
        self.send_response(codes.get(self.path, 404))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("path", "state"),
    [
        ("/there", "there"),
        ("/only-get", "there"),
        ("/gone-by-head", "there"),
        ("/none", "gone: 404"),
        ("/busy", "no answer: 503"),
    ],
)
def test_states_of_addresses(host: str, path: str, state: str) -> None:
    assert LINKS.state(host + path) == state


def test_what_is_gone_fails_with_its_place_and_silence_does_not(
    host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    nobody = "http://127.0.0.1:1/"
    found = {f"{host}/there": ["a.md:1"], f"{host}/none": ["b.py:2", "c.rs:3"], nobody: ["d.md:4"]}
    assert LINKS.report(found, LINKS.look_up(found)) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == [f"b.py:2: {host}/none: gone: 404", f"c.rs:3: {host}/none: gone: 404"]
    assert said[2].startswith(f"d.md:4: {nobody}: no answer: ")
    assert said[3] == "1 addresses are there, 1 are gone, 1 did not answer"
    del found[f"{host}/none"]
    assert LINKS.report(found, LINKS.look_up(found)) == 0


def test_without_time_nothing_is_asked(host: str) -> None:
    gone = f"{host}/none"
    assert LINKS.look_up({gone: ["a.md:1"]}, in_all=0.0) == {gone: "no answer: no time left"}


def test_addresses_are_found_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("x\n[y](https://a.org/b#c) <https://a.org/b>.\n")
    (tmp_path / "b.md").write_text("see https://c.org/d. `http://10.77.0.2:8000/page` http://x\n")
    (tmp_path / "crates/e/tests").mkdir(parents=True)
    (tmp_path / "crates/e/tests/f.rs").write_text("// https://made-up.org\n")
    assert LINKS.addresses(tmp_path) == {
        "https://c.org/d": ["b.md:1"],
        "https://a.org/b": ["docs/a.md:2", "docs/a.md:2"],
    }
    assert {"https://github.com/google/packetdrill"} < set(LINKS.addresses(ROOT))
