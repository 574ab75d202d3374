"""The tools of releases, pinned, in an environment of their own, .venv-release, on every system."""

from __future__ import annotations

import hashlib
import os
import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".venv-release"
BIN = FOLDER / ("Scripts" if os.name == "nt" else "bin")
AUDIT = ROOT / "requirements-audit.txt"
RELEASE = ROOT / "requirements-release.txt"  # includes the other


def install(requirements: Path) -> None:
    """Install the pinned tools of a file into `BIN`, unless they are there."""
    stamp = FOLDER / f"{requirements.stem}.sha256"
    digest = hashlib.sha256(AUDIT.read_bytes() + requirements.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    print(f"Installing {requirements.name} into {FOLDER.name}", flush=True)
    if not BIN.exists():
        venv.create(FOLDER, with_pip=True)
    quietly = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    run("python", "-m", "pip", *quietly, "--require-hashes", "--requirement", requirements)
    stamp.write_text(digest)


def run(program: str, *words: object, **environment: str) -> None:
    """Run a program of the tools, or of the machine, in the repository; the tools go first."""
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    command = [found(program), *map(str, words)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"PATH": path} | environment, check=True)


def found(program: str) -> str:
    """Where a tool lies, or its name if it is the machine's."""
    for name in (program, f"{program}.exe"):
        if (BIN / name).exists():
            return str(BIN / name)
    return program
