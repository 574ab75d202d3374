"""Look at what the project is made of and at what it would release: `audit.py`; half a minute.

- workflows, by actionlint, which Go builds: where there is no Go, a line says that it is left out;
- crates, by cargo-deny (deny.toml), and the lists of what the compiled part contains;
- the wheel that was built last, by twine and abi3audit, and the source distribution.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import toolbox
import wheel_audit
from environment import ROOT, Environment, end_with

ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
# It runs for a moment: compiled without optimisation it is there in half the time.
FAST = ("-gcflags=all=-N -l", "-ldflags=-s -w")
WHEELS = ROOT / "target" / "wheels"


def main() -> int:
    """Stop at the first thing that is wrong."""
    toolbox.install(toolbox.AUDIT)
    workflows()
    crates()
    distributions()
    return 0


def workflows() -> None:
    """Check the workflows."""
    there = toolbox.BIN / f"actionlint{'.exe' if os.name == 'nt' else ''}"
    if not there.exists():
        if not shutil.which("go"):
            print("There is no go: the workflows are not checked")
            return
        flags = {"GOBIN": str(toolbox.BIN), "CGO_ENABLED": "0"}
        toolbox.run("go", "install", *FAST, ACTIONLINT, **flags)
    toolbox.run("actionlint")


def crates() -> None:
    """Check licences, sources and duplicates of crates, and what is said about them."""
    toolbox.run("cargo-deny", "--locked", "check", "bans", "licenses", "sources")
    toolbox.run("python", "scripts/contents.py", "--check")


def distributions() -> None:
    """Check the wheel that was built last, in whatever profile, and the source."""
    wheels = sorted(WHEELS.glob("airtcp-*.whl"), key=lambda wheel: wheel.stat().st_mtime)
    if not wheels:
        sys.exit(f"error: no wheel in {WHEELS.relative_to(ROOT)}: run make build")
    wheel_audit.wheel(wheels[-1], [], has_page=False)
    with tempfile.TemporaryDirectory() as folder:
        toolbox.run(maturin(), "sdist", "--out", folder)
        (source,) = Path(folder).iterdir()
        wheel_audit.source(source)


def maturin() -> str:
    """The maturin of the development environment."""
    return Environment(ROOT / ".venv").found("maturin")


if __name__ == "__main__":
    end_with(main)
