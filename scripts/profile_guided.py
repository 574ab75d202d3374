"""A profile of what runs most, for a compiler that lays out and inlines code by it.

A build that counts is played with scripts/train.py in an environment of its own. Wheels of this
machine are compiled by it (scripts/wheel.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import toolbox
from environment import ROOT, Environment

FOLDER = ROOT / "target" / "profiled"
TRAINING = ROOT / "scripts" / "train.py"


def recorded(flags: list[str], target: str) -> Path:
    """The profile, recorded anew by a build with some flags of the compiler.

    `target` is named as for the wheel: cargo gives functions other names where it is not, and the
    profile goes by them.
    """
    toolbox.run("rustup", "component", "add", "llvm-tools")
    shutil.rmtree(FOLDER, ignore_errors=True)
    raw, merged = FOLDER / "raw", FOLDER / "airtcp.profdata"
    counting = "\x1f".join([*flags, f"-Cprofile-generate={raw}"])
    words = ["build", "--release", "--locked", "--target", target]
    words += ["--compatibility", "linux", "--out", FOLDER]
    folder = FOLDER / "build"
    toolbox.run("maturin", *words, "--target-dir", folder, CARGO_ENCODED_RUSTFLAGS=counting)
    environment().run("python", TRAINING)
    toolbox.run(str(merger()), "merge", "--output", merged, raw)
    return merged


def environment() -> Environment:
    """A new environment with the wheel that counts."""
    made = Environment(FOLDER / "environment")
    made.make()
    (wheel,) = FOLDER.glob("*.whl")
    made.pip_install(wheel)
    return made


def merger() -> Path:
    """The program that merges profiles, of the compiler's own version of LLVM."""
    words = ["rustc", "--print", "target-libdir"]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    return Path(told).parent / "bin" / ("llvm-profdata" + (".exe" if os.name == "nt" else ""))
