"""The wheel, alone in an empty environment without a compiler: its size, and what it runs."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
BUILT = ROOT / "target" / "wheels"

WHOLE = "AIRTCP_WHEEL" in os.environ  # a released wheel: `make wheel-test`
# The interpreters that it is tried with, as in a PATH.
PYTHONS = os.environ.get("AIRTCP_PYTHONS", sys.executable).split(os.pathsep)
TUTORIALS = [f"docs/tutorials/{name}.md" for name in ("teacher", "engineer", "researcher")]
PAGES = ["README.md", "docs/howto/install.md", *TUTORIALS] if WHOLE else ["docs/howto/install.md"]
PROGRAMS = "Scripts" if os.name == "nt" else "bin"  # of an environment
KEPT = ("HOME", "LANG", "SYSTEMROOT", "TEMP")  # variables without which systems do not work
MOST = 450_000_000  # bytes that the wheel and what it needs take
PLAYED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import play
page, here = Path(sys.argv[2]), Path.cwd()
with play.page_commands() as commands:
    print(play.play(page, here, commands), end="")
assert list(play.stale_pictures(page, here)) == []
"""


class Home:
    """An environment with the wheel and what it requires, without a compiler on its path."""

    def __init__(self, wheel: Path, python: str, folder: Path) -> None:
        subprocess.run([python, "-m", "venv", folder], check=True)
        self.bin = folder / PROGRAMS
        before = _size(folder)
        pip = [self.bin / "python", "-m", "pip", "install", "--quiet", "--no-compile"]
        pinned = folder / "pinned.txt"  # without digests: pip would want one of the wheel as well
        text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
        pinned.write_text("\n".join(re.findall(r"^[\w.-]+==\S+", text, re.MULTILINE)), "utf-8")
        only = ["--only-binary", ":all:", "--constraint", pinned]
        subprocess.run([*pip, *only, wheel], check=True)
        self.size = _size(folder) - before

    def run(self, *command: object, cwd: Path) -> str:
        """The output of a command."""
        # Text is UTF-8 on Windows too, as it is in pages.
        given = {"PATH": str(self.bin), "MPLBACKEND": "agg", "PYTHONUTF8": "1"}
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        words = [self.bin / str(command[0]), *map(str, command[1:])]
        told: Any = {"capture_output": True, "encoding": "utf-8"}
        done = subprocess.run(words, cwd=cwd, env=kept | given, check=False, **told)
        assert done.returncode == 0, done.stderr
        return done.stdout


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The wheel that AIRTCP_WHEEL names; else the one that `make dev` has built and installed."""
    if WHOLE:
        return Path(os.environ["AIRTCP_WHEEL"]).resolve()
    built = sorted(BUILT.glob("airtcp-*.whl"), key=lambda path: path.stat().st_mtime)
    assert built, f"no wheel in {BUILT}: run make dev"
    return built[-1]


@pytest.fixture(scope="module", params=PYTHONS)
def home(
    wheel: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Home:
    return Home(wheel, request.param, tmp_path_factory.mktemp("home") / "env")


def test_it_holds_what_a_release_holds(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    assert list(importlib.import_module("wheel_audit").contents(wheel, [], has_page=False)) == []


def test_it_is_small(home: Home) -> None:
    print(f"{home.bin}: {home.size / 1e6:.1f} MB")
    assert home.size < MOST


def test_it_runs_the_demo(home: Home, tmp_path: Path) -> None:
    scenario = tmp_path / "pedestrian.toml"
    scenario.write_bytes((ROOT / "examples/pedestrian.toml").read_bytes())
    few = () if WHOLE else ("--replications", 3)
    said = home.run("airtcp", "run", scenario, *few, "--out", tmp_path / "out", cwd=tmp_path)
    assert "newreno" in said
    assert "<svg" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_it_plays_a_page(name: str, home: Home, tmp_path: Path) -> None:
    page = ROOT / name
    played = home.run("python", "-c", PLAYED, ROOT / "scripts", page, cwd=tmp_path)
    assert played == page.read_text(encoding="utf-8")


def test_it_runs_a_notebook(home: Home, tmp_path: Path) -> None:
    cells = json.loads((ROOT / "docs/notebooks/three_answers.ipynb").read_text("utf-8"))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert "matplotlib_inline" in codes[0]  # Jupyter's own, for the format of its figures
    session = "\n".join(["import airtcp as at", "from airtcp import stats", *codes[1:]])
    said = home.run("python", "-c", session, cwd=tmp_path).splitlines()
    printed = [
        line.rstrip("\n")
        for cell in cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "stream"
        for line in output["text"]
    ]
    assert said == printed
    assert len(said) == 3
