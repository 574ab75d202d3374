"""Ask for known weaknesses of what is pinned, of crates and of Python's libraries: on the net.

RustSec and the registry of Python keep the data. A failure to ask is an error.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import toolbox
from environment import ROOT

# Only pinned versions are asked for; strictly, or the tool passes over what it cannot find.
PINNED = ("--strict", "--disable-pip", "--require-hashes", "--progress-spinner", "off")


def main() -> int:
    """Ask both, and fail if either knows a weakness or does not answer."""
    toolbox.install(toolbox.RELEASE)
    asked: list[tuple[str, ...]] = [("cargo-deny", "--locked", "check", "advisories")]
    for file in sorted(ROOT.glob("requirements*.txt")):
        asked.append(("pip-audit", *PINNED, "--requirement", file.name))
    return max(map(answered, asked))


def answered(command: tuple[str, ...]) -> int:
    """1 if a weakness is known, or if nobody answered."""
    try:
        toolbox.run(*command)
    except subprocess.CalledProcessError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
