"""Look at what is released: what it says and holds, a wheel's ABI and what that links to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import description
import toolbox
from environment import ROOT

INSIDE = re.compile(r"airtcp/|airtcp-[^/]+\.(dist-info|data/data/share/man/man1)/")
STRAY = re.compile(r"__pycache__|\.pyc$|/tests?/|\.(rs|toml)$")
NEEDED = (
    "airtcp/py.typed",
    "share/man/man1/airtcp-run.1",
    "licenses/LICENSE-MIT",
    "licenses/LICENSE-APACHE",
    "licenses/LICENSES-THIRD-PARTY.txt",
    "sboms/airtcp.cyclonedx.json",
)
# The page of `airtcp explore`, which is built where there is Node.
PAGE = tuple(f"airtcp/explorer/{name}" for name in ("index.html", "page.js", "airtcp.wasm"))
SOURCES = (
    *("LICENSE-MIT", "LICENSE-APACHE", "LICENSES-THIRD-PARTY.txt", "README.md", "Cargo.lock"),
    *(description.FILE, "crates/py/airtcp.cyclonedx.json", "refs.bib"),
)
CONSISTENT = re.compile(r'platform tag:\s+"manylinux_(\d+)_(\d+)_\w+"')


def wheel(path: Path, folders: Iterable[Path], has_page: bool) -> None:
    """Ends the program with a line where a wheel is not fit to be released.

    - `folders`: of the machine that built it, which are nobody's business.
    - `has_page`: true if the page of `airtcp explore` was built for it.
    """
    toolbox.run("twine", "check", "--strict", path)
    toolbox.run("abi3audit", "--strict", path)
    for problem in contents(path, folders, has_page):
        sys.exit(f"error: {path.name} {problem}")


def source(path: Path) -> None:
    """Ends the program with a line where a source distribution is not fit to be released."""
    toolbox.run("twine", "check", "--strict", path)
    for problem in missing(path):
        sys.exit(f"error: {path.name} {problem}")


def missing(path: Path) -> Iterator[str]:
    """Files that a source distribution lacks, of those that a wheel contains beside the code."""
    with tarfile.open(path) as archive:
        there = {name.partition("/")[2] for name in archive.getnames()}
    pages = (manual.relative_to(ROOT).as_posix() for manual in ROOT.glob("installed/data/**/*.1"))
    yield from (f"lacks {file}" for file in [*SOURCES, *pages] if file not in there)


def contents(path: Path, folders: Iterable[Path], has_page: bool) -> Iterator[str]:
    """Files that a wheel lacks, or has in excess."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        for name in names:
            if not INSIDE.match(name) or STRAY.search(name):
                yield f"holds {name}"
            content = archive.read(name)
            yield from (
                f"names {folder} in {name}" for folder in folders if os.fsencode(folder) in content
            )
            if name.endswith(".dist-info/METADATA"):
                yield from (f"refers to {link}" for link in description.relative(content.decode()))
    for ending in [*NEEDED, *(PAGE if has_page else ())]:
        if not any(name.endswith(ending) for name in names):
            yield f"lacks {ending}"


def libraries(path: Path, platform: str) -> None:
    """Ends the program where a wheel needs more of Linux than its name says."""
    command = [toolbox.found("auditwheel"), "show", path]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = CONSISTENT.search(said)
    allowed = re.findall(r"manylinux_(\d+)_(\d+)", platform)[0]
    if not found or tuple(map(int, found.groups())) > tuple(map(int, allowed)):
        sys.exit(f"error: {path.name} needs more than {platform}: {said}")
