"""Say whether a release may go out: `python scripts/release.py TAG [DIST]`.

The tag, Cargo.toml, CITATION.cff and the first section of CHANGELOG.md with a version must agree.
With DIST that folder must hold the source distribution and every wheel of .github/wheels.json, and
nothing else. On stdout: what the changelog says about the version.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import wheel
from environment import ROOT

SECTION = re.compile(r"^## (\S+) - (\d{4}-\d\d-\d\d)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
UNRELEASED = re.compile(r"^## Unreleased\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def main() -> int:
    """Print the faults, or the notes of the release."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tag", metavar="TAG")
    parser.add_argument("dist", metavar="DIST", nargs="?", type=Path)
    given = parser.parse_args()
    wrong = list(disagreeing(given.tag, ROOT))
    if given.dist is not None:
        wrong += held(given.dist)
    for line in wrong:
        print(f"error: {line}", file=sys.stderr)
    if not wrong:
        print(notes(ROOT)[1].strip())
    return int(bool(wrong))


def disagreeing(tag: str, root: Path) -> Iterator[str]:
    """Places with another version than in Cargo.toml, and changes that no version has."""
    version = wheel.version(root)
    if tag != f"v{version}":
        yield f"the tag is {tag}, Cargo.toml says {version}: expected v{version}"
    cited = re.findall(
        r"^version: (\S+)$", (root / "CITATION.cff").read_text("utf-8"), re.MULTILINE
    )
    if cited != [version]:
        yield f"CITATION.cff has version {', '.join(cited) or 'none'}, Cargo.toml says {version}"
    changed, text = notes(root)
    if changed != version or not text.strip():
        yield f"CHANGELOG.md: expected a section '## {version} - DATE' that is first and not empty"
    unreleased = UNRELEASED.search((root / "CHANGELOG.md").read_text("utf-8"))
    # Headings alone are a form that waits for changes.
    if unreleased and re.search(r"^(?!#)\S", unreleased[1], re.MULTILINE):
        yield f"CHANGELOG.md: what is under Unreleased is in no section of {version}"


def notes(root: Path) -> tuple[str, str]:
    """The first version in the changelog, and what it says about that."""
    found = SECTION.search((root / "CHANGELOG.md").read_text("utf-8"))
    return (found[1], found[3]) if found and _is_day(found[2]) else ("", "")


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def held(folder: Path) -> Iterator[str]:
    """Faults of a folder with the files of a release."""
    if folder.is_dir():
        yield from missing_or_unexpected(path.name for path in folder.iterdir())
    else:
        yield f"{folder}: no such folder"


def missing_or_unexpected(names: Iterable[str]) -> Iterator[str]:
    """Files of a release that a folder lacks, and files that do not belong to one."""
    there = set(names)
    expected = {wheel.file_name(entry["platform"]) for entry in wheel.listed()}
    expected.add(f"airtcp-{wheel.version()}.tar.gz")
    yield from (f"missing: {name}" for name in sorted(expected - there))
    yield from (f"unexpected: {name}" for name in sorted(there - expected))


if __name__ == "__main__":
    sys.exit(main())
