"""Look at what is released: a wheel's description, its ABI, what it holds and what it links to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import toolbox

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
CONSISTENT = re.compile(r'platform tag:\s+"manylinux_(\d+)_(\d+)_\w+"')


def wheel(path: Path, folders: Iterable[Path]) -> None:
    """Ends the program with a line where a wheel is not fit to be released.

    - `folders`: of the machine that built it, which are nobody's business.
    """
    toolbox.run("twine", "check", "--strict", path)
    toolbox.run("abi3audit", "--strict", path)
    for problem in contents(path, folders):
        sys.exit(f"error: {path.name} {problem}")


def contents(path: Path, folders: Iterable[Path]) -> Iterator[str]:
    """What a wheel lacks, or has too much."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        for name in names:
            if not INSIDE.match(name) or STRAY.search(name):
                yield f"holds {name}"
            content = archive.read(name)
            yield from (f"names {one} in {name}" for one in folders if os.fsencode(one) in content)
    for one in NEEDED:
        if not any(name.endswith(one) for name in names):
            yield f"lacks {one}"


def libraries(path: Path, platform: str) -> None:
    """Ends the program where a wheel needs more of Linux than its name says."""
    command = [toolbox.found("auditwheel"), "show", path]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = CONSISTENT.search(said)
    allowed = re.findall(r"manylinux_(\d+)_(\d+)", platform)[0]
    if not found or tuple(map(int, found.groups())) > tuple(map(int, allowed)):
        sys.exit(f"error: {path.name} needs more than {platform}: {said}")
