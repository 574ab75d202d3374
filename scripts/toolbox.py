"""The tools of releases, pinned, in an environment of their own, .venv-release, on every system."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from environment import ROOT, Environment

TOOLBOX = Environment(ROOT / ".venv-release")
BIN, run, found = TOOLBOX.bin, TOOLBOX.run, TOOLBOX.found
AUDIT = ROOT / "requirements-audit.txt"
RELEASE = ROOT / "requirements-release.txt"  # includes the other


def install(requirements: Path) -> None:
    """Install the pinned tools of a file, unless they are there."""
    stamp = TOOLBOX.folder / f"{requirements.stem}.sha256"
    digest = hashlib.sha256(AUDIT.read_bytes() + requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    print(f"Installing {requirements.name} into {TOOLBOX.folder.name}", flush=True)
    if not BIN.exists():
        TOOLBOX.make()
    TOOLBOX.pip_install("--require-hashes", "--requirement", requirements)
    stamp.write_text(digest)
