"""The wheel, alone in an empty environment without a compiler: its size, and what it runs.

And a run's memory does not grow with its length.
"""

import json
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


WHOLE = "AIRTCP_WHEEL" in os.environ  # a released wheel: `make wheel-test`
TUTORIALS = ("teacher", "engineer", "researcher") if WHOLE else ("teacher",)
MOST = 450_000_000  # bytes that the wheel and what it needs take
PLAYED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import play
page, here = Path(sys.argv[2]), Path.cwd()
sys.stdout.reconfigure(encoding="utf-8")
print(play.play(page, here), end="")
assert list(play.stale_pictures(page, here)) == []
"""


class Home:
    """An environment with the wheel and what it requires, without a compiler on its path."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        self.bin = folder / "bin"
        before = _size(folder)
        pip = [self.bin / "python", "-m", "pip", "install", "--quiet", "--no-compile"]
        pinned = folder / "pinned.txt"  # without digests: pip would want one of the wheel as well
        text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
        pinned.write_text("\n".join(re.findall(r"^[\w.-]+==\S+", text, re.MULTILINE)), "utf-8")
        only = ["--only-binary", ":all:", "--constraint", pinned]
        subprocess.run([*pip, *only, wheel], check=True)
        self.size = _size(folder) - before

    def run(self, *command: object, cwd: Path) -> str:
        """What a command prints."""
        path = {"PATH": str(self.bin), "MPLBACKEND": "agg"}
        kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
        words = [self.bin / str(command[0]), *map(str, command[1:])]
        done = subprocess.run(
            words, cwd=cwd, env=kept | path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


def _size(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """From the wheel that AIRTCP_WHEEL names; else from one in the profile of `make test`."""
    folder = tmp_path_factory.mktemp("wheel")
    if WHOLE:
        return Home(Path(os.environ["AIRTCP_WHEEL"]).resolve(), folder / "env")
    build = [sys.executable, "-m", "maturin", "build", "--quiet", "--profile", "dev"]
    subprocess.run([*build, "--out", folder], cwd=ROOT, check=True)
    (wheel,) = folder.glob("airtcp-*.whl")
    return Home(wheel, folder / "env")


def test_it_is_small(home: Home) -> None:
    assert home.size < MOST


def test_it_runs_the_demo(home: Home, tmp_path: Path) -> None:
    scenario = tmp_path / "pedestrian.toml"
    scenario.write_bytes((ROOT / "examples/pedestrian.toml").read_bytes())
    few = () if WHOLE else ("--replications", 3)
    said = home.run("airtcp", "run", scenario, *few, "--out", tmp_path / "out", cwd=tmp_path)
    assert "newreno" in said
    assert "<svg" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("tutorial", TUTORIALS)
def test_it_plays_a_tutorial(tutorial: str, home: Home, tmp_path: Path) -> None:
    page = ROOT / "docs/tutorials" / f"{tutorial}.md"
    played = home.run("python", "-c", PLAYED, ROOT / "scripts", page, cwd=tmp_path)
    assert played == page.read_text(encoding="utf-8")


def test_it_runs_a_notebook(home: Home, tmp_path: Path) -> None:
    cells = json.loads((ROOT / "docs/notebooks/three_answers.ipynb").read_text("utf-8"))["cells"]
    codes = ["".join(one["source"]) for one in cells if one["cell_type"] == "code"]
    assert "matplotlib_inline" in codes[0]  # Jupyter's own, for the format of its figures
    session = "\n".join(["import airtcp as at", "from airtcp import stats", *codes[1:]])
    said = home.run("python", "-c", session, cwd=tmp_path).splitlines()
    printed = [
        line.rstrip("\n")
        for one in cells
        for output in one.get("outputs", [])
        if output["output_type"] == "stream"
        for line in output["text"]
    ]
    assert said == printed
    assert len(said) == 3


PEAK = """
import resource, sys, airtcp
scenario = airtcp.Scenario.from_dict({
    "profile": "zorzi", "tcp": {"variant": "newreno"},
    "channel": {"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": 0.01},
    "stop": {"slots": int(sys.argv[1]), "replications": 1},
})
airtcp.simulate(scenario)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_memory_kib(slots: int) -> int:
    command = [sys.executable, "-c", PEAK, str(slots)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_memory_does_not_grow_with_a_runs_length() -> None:
    # A thousand times longer; the allowance is the scatter of the interpreter's own start.
    assert peak_memory_kib(50_000_000) < peak_memory_kib(50_000) + 4096
