"""Look up the external addresses that texts and sources of the project name.

`python scripts/links.py`: a line with file and line for each address that is gone (404 or 410),
and exit code 1 if there is one. An address that does not answer, refuses, or has no network on the
way is counted and named, and is no failure: that says nothing of the address. It takes four minutes
at most; what is not asked by then counts as without an answer. The site's own links and anchors are
checked as it is built, those of other pages by tests/test_links_of_pages.py.
"""

from __future__ import annotations

import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path

ROOT = Path(__file__).parent.parent
PLACES = ("crates", "docs", "python", "scripts", "bench", "examples", "packaging", ".github")
KINDS = {".md", ".py", ".rs", ".toml", ".yml", ".bib", ".j2"}
LEFT_OUT = {"target", "tests"}  # what is built, and what tests make up
GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
ASK_AGAIN = (HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)
AT_ONCE, PATIENCE, IN_ALL = 8, 15.0, 240.0  # seconds
_ADDRESS = re.compile(r"https?://[\w-]+\.[^\s()<>\"'`{}\[\]|\\,]+")
# Machines of examples, names that only name (of XML), and what no server needs to know.
_NOBODYS = re.compile(
    r"https?://(10\.|127\.|192\.168\.|localhost|example\.|www\.w3\.org/(2000|1999))"
)
Places = dict[str, list[str]]


def sources(root: Path) -> Iterator[Path]:
    """The files in which addresses are looked for."""
    yield from sorted(path for path in root.glob("*") if path.suffix in KINDS)
    for place in PLACES:
        found = (path for path in (root / place).rglob("*") if path.suffix in KINDS)
        yield from sorted(path for path in found if not LEFT_OUT.intersection(path.parts))


def addresses(root: Path) -> Places:
    """Each address without its fragment, and where it stands."""
    found: Places = {}
    for path in sources(root):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for address in _ADDRESS.findall(line):
                whole = address.partition("#")[0].rstrip(".;:!?*")
                if not _NOBODYS.match(whole):
                    found.setdefault(whole, []).append(f"{path.relative_to(root)}:{number}")
    return found


def state(address: str, patience: float = PATIENCE) -> str:
    """ "there", "gone" with its code, or why there was no answer."""
    for method in ("HEAD", "GET"):
        asked = urllib.request.Request(
            address, method=method, headers={"User-Agent": "airtcp-links"}
        )
        try:
            with urllib.request.urlopen(asked, timeout=patience):
                return "there"
        except urllib.error.HTTPError as error:
            if error.code in GONE and method == "GET":
                return f"gone: {error.code}"
            if error.code not in (*GONE, *ASK_AGAIN):
                return f"no answer: {error.code}"
        except (OSError, ValueError) as error:
            return f"no answer: {str(error) or type(error).__name__}"
    return "no answer: refuses to say"


def look_up(found: Places, in_all: float = IN_ALL) -> dict[str, str]:
    """The state of each address, as far as time allows."""
    end = time.monotonic() + in_all

    def state_in_time(address: str) -> str:
        left = end - time.monotonic()
        return state(address, min(left, PATIENCE)) if left > 0 else "no answer: no time left"

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(found, pool.map(state_in_time, found), strict=True))


def report(found: Places, states: Mapping[str, str]) -> int:
    """Print what is gone and what did not answer; 1 if anything is gone."""
    gone = [link for link in found if states[link].startswith("gone")]
    silent = [link for link in found if states[link].startswith("no answer")]
    for link in (*gone, *silent):
        for place in found[link]:
            print(f"{place}: {link}: {states[link]}")
    there = len(found) - len(gone) - len(silent)
    print(f"{there} addresses are there, {len(gone)} are gone, {len(silent)} did not answer")
    return int(bool(gone))


def main() -> int:
    """Look up all of them."""
    found = addresses(ROOT)
    return report(found, look_up(found))


# Links from one file of the repository to another.

_LINK = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)|!\[[^\]]*\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} (.+?)(?: *\{ *#([\w-]+) *\})? *$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Anchors of a page: as hosts of repositories make them from headings, and those it names."""
    found: set[str] = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading, named in _HEADING.findall(_FENCE.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        copies = (f"{slug}-{number}" for number in range(1, 1000))
        found.add(slug if slug not in found else next(copy for copy in copies if copy not in found))
        found |= {named} - {""}
    return found


def broken(path: Path) -> Iterator[str]:
    """Relative links of a page that lead nowhere, with their lines."""
    text = _FENCE.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
    text = re.sub(r"`[^`\n]+`", "", text)
    for match in _LINK.finditer(text):
        target = match[1] or match[2]
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        line = text.count("\n", 0, match.start()) + 1
        if not file.exists():
            yield f"{path.name}:{line}: {target}: no such file"
        elif anchor and anchor not in anchors(file.read_text(encoding="utf-8")):
            yield f"{path.name}:{line}: {target}: no such heading"


if __name__ == "__main__":
    sys.exit(main())
