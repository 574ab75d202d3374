"""Ask for known weaknesses of what is pinned, of crates and of Python's libraries: on the net.

RustSec and the registry of Python keep the data. What cannot be asked for is an error.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import toolbox

# What is pinned is asked for, nothing else; strictly, or it passes over what it cannot find.
PINNED = ("--strict", "--disable-pip", "--require-hashes", "--progress-spinner", "off")


def main() -> int:
    """Ask both, and fail if either knows a weakness or does not answer."""
    toolbox.install(toolbox.RELEASE)
    asked = [("cargo-deny", "--locked", "check", "advisories")]
    for which in ("", "-dev"):
        asked.append(("pip-audit", *PINNED, "--requirement", f"requirements{which}.txt"))
    return max(map(answered, asked))


def answered(command: tuple[str, ...]) -> int:
    """1 where a weakness is known, or nobody answered."""
    try:
        toolbox.run(*command)
    except subprocess.CalledProcessError:
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
