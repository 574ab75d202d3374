"""Build and test on any system, without make: `python scripts/elsewhere.py`; a quarter of an hour.

The Makefile needs a Unix, and the digests in requirements*.txt are those of what Linux installs.
This makes .venv-elsewhere with the same versions, compiles, and plays the tests of Rust and those
of Python that need nothing of Linux: among them the golden traces, whose digits are the same
everywhere.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".venv-elsewhere"
BIN = FOLDER / ("Scripts" if os.name == "nt" else "bin")
TOOLS = ("maturin", "pytest", "pytest-xdist", "hypothesis", "jsonschema", "packaging")
EXTRAS = "arrow,dask,polars,sql,xarray"
TESTS = (
    *("engines", "results", "results_cli", "results_plot", "scenario", "simulation", "stats"),
    *("events", "exports_of_links", "golden", "other_systems", "path_simulation", "zorzi_model"),
)


def main() -> int:
    """Make the environment, and play the tests in it."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    venv.create(FOLDER, with_pip=True)
    pins = FOLDER / "pins.txt"
    pins.write_text("\n".join(versions()), encoding="utf-8")
    python("-m", "pip", "install", "--quiet", "--constraint", pins, *TOOLS)
    wheels = FOLDER / "wheels"
    python("-m", "maturin", "build", "--quiet", "--profile", "dev", "--out", wheels)
    (wheel,) = wheels.glob("*.whl")
    python("-m", "pip", "install", "--quiet", "--constraint", pins, f"{wheel}[{EXTRAS}]")
    run("cargo", "test", "--workspace", "--exclude", "airtcp-bench", "--quiet")
    python("-m", "pytest", "--numprocesses", "auto", "--dist", "loadfile", *tests())
    return 0


def versions() -> list[str]:
    """The pins of running and development, without their digests."""
    texts = [(ROOT / f"requirements{which}.txt").read_text("utf-8") for which in ("", "-dev")]
    return re.findall(r"^[\w.-]+==\S+", "\n".join(texts), re.MULTILINE)


def tests() -> list[str]:
    """The files of tests that need nothing of Linux."""
    return [f"tests/test_{name}.py" for name in TESTS]


def python(*words: object) -> None:
    """Run the Python of the environment."""
    run(BIN / "python", *words)


def run(*words: object) -> None:
    """Run a program in the repository; the environment's go first, and what fails ends this."""
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    given = os.environ | {"PATH": path, "VIRTUAL_ENV": str(FOLDER)}
    subprocess.run(list(map(str, words)), cwd=ROOT, env=given, check=True)


if __name__ == "__main__":
    sys.exit(main())
