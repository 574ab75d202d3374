"""Build and test on any system, without make: `python scripts/elsewhere.py`; ten minutes of a core.

The Makefile needs a Unix, and the digests in requirements*.txt are those of what Linux installs.
This makes .venv-elsewhere with the same versions, compiles, and plays the tests of Rust and those
of Python that need nothing of Linux: among them the golden traces, whose digits are the same
everywhere.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from environment import ROOT, Environment, end_with

HERE = Environment(ROOT / ".venv-elsewhere")
TOOLS = ("maturin", "pytest", "pytest-xdist", "hypothesis", "jsonschema", "packaging")
EXTRAS = "arrow,dask,polars,sql,xarray"
TESTS = (
    *("engines", "results", "results_cli", "results_plot", "scenario", "simulation", "stats"),
    *("events", "exports_of_links", "golden", "other_systems", "path_simulation", "zorzi_model"),
)


def main() -> int:
    """Make the environment, and play the tests in it."""
    HERE.make()
    pins = HERE.folder / "pins.txt"
    pins.write_text("\n".join(versions()), encoding="utf-8")
    HERE.pip_install("--constraint", pins, *TOOLS)
    HERE.pip_install("--constraint", pins, f"{wheel()}[{EXTRAS}]")
    HERE.run("cargo", "test", "--workspace", "--exclude", "airtcp-bench", "--quiet")
    HERE.run("python", "-m", "pytest", "--numprocesses", "auto", "--dist", "loadfile", *tests())
    return 0


def wheel() -> Path:
    """A wheel for this system, compiled as for tests."""
    place = HERE.folder / "wheels"
    HERE.run("maturin", "build", "--quiet", "--profile", "dev", "--out", place)
    (found,) = place.glob("*.whl")
    return found


def versions() -> list[str]:
    """The pins of running and development, without their digests."""
    texts = [(ROOT / f"requirements{which}.txt").read_text("utf-8") for which in ("", "-dev")]
    return re.findall(r"^[\w.-]+==\S+", "\n".join(texts), re.MULTILINE)


def tests() -> list[str]:
    """The files of tests that need nothing of Linux."""
    return [f"tests/test_{name}.py" for name in TESTS]


if __name__ == "__main__":
    end_with(main)
