"""Say what this environment has in other versions than the pinned ones: `newest.py FILE...`.

`make newest` plays the quick tests with the newest versions that pyproject.toml allows; where one
of them fails, this says which libraries differ from those that the other tests are run with.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import distributions
from pathlib import Path

PIN = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)


def main() -> int:
    """One line: what differs, or that nothing does."""
    pins = dict(PIN.findall("\n".join(Path(name).read_text("utf-8") for name in sys.argv[1:])))
    here = [
        (distribution.metadata["Name"], distribution.version) for distribution in distributions()
    ]
    print(f"Other than pinned: {', '.join(differing(pins.items(), here)) or 'nothing'}.")
    return 0


def differing(pins: Iterable[tuple[str, str]], here: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The libraries that are here in another version than the pinned one, with both versions."""
    versions = {canonical(name): version for name, version in here}
    for name, version in pins:
        found = versions.get(canonical(name), version)
        if found != version:
            yield f"{name} {found} ({version})"


def canonical(name: str) -> str:
    """A name as the registry compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
