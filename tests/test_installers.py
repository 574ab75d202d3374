"""A released wheel by the ways in which people install programs: pipx and uv.

`make wheel-test` names the wheel; without one these tests skip.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = Path(sys.executable).parent
PROGRAMS = "Scripts" if os.name == "nt" else "bin"


def tool(name: str) -> str:
    """Where a tool of releases lies."""
    found = shutil.which(name, path=os.pathsep.join([str(TOOLS), os.environ["PATH"]]))
    if found is None:
        pytest.skip(f"there is no {name}")
    return found


@pytest.fixture
def wheel() -> Path:
    if "AIRTCP_WHEEL" not in os.environ:
        pytest.skip("AIRTCP_WHEEL names no wheel: make wheel-test does")
    return Path(os.environ["AIRTCP_WHEEL"]).resolve()


def run(*words: object, **variables: str) -> str:
    done = subprocess.run(
        list(map(str, words)),
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def runs_the_demo(airtcp: Path, folder: Path) -> None:
    """The program that was installed answers, and its report is there."""
    out = folder / "out"
    said = run(airtcp, "run", ROOT / "examples/pedestrian.toml", "--replications", 2, "--out", out)
    assert "newreno" in said
    assert (out / "report.html").exists()
    assert run(airtcp, "--version").startswith("airtcp ")


def test_pipx_installs_program_and_pages_for_man(wheel: Path, tmp_path: Path) -> None:
    places = {
        "PIPX_HOME": tmp_path / "home",
        "PIPX_BIN_DIR": tmp_path / "bin",
        "PIPX_MAN_DIR": tmp_path / "man",
    }
    given = {name: str(place) for name, place in places.items()}
    run(tool("pipx"), "install", "--quiet", wheel, **given)
    runs_the_demo(tmp_path / "bin" / "airtcp", tmp_path)
    assert (tmp_path / "man/man1/airtcp-run.1").exists()
    run(tool("pipx"), "uninstall", "airtcp", **given)
    assert not list((tmp_path / "bin").iterdir())


def test_uv_installs_the_tool_and_an_extra(wheel: Path, tmp_path: Path) -> None:
    given = places_of_uv(tmp_path)
    run(tool("uv"), "tool", "install", "--quiet", f"airtcp[arrow] @ {wheel.as_uri()}", **given)
    airtcp = tmp_path / "bin" / "airtcp"
    runs_the_demo(airtcp, tmp_path)
    assert "pyarrow none" not in run(airtcp, "report-bug")


def test_uv_runs_it_without_installing(wheel: Path, tmp_path: Path) -> None:
    given = places_of_uv(tmp_path)
    said = run(tool("uv"), "tool", "run", "--quiet", "--from", wheel, "airtcp", "list", **given)
    assert "newreno" in said


def places_of_uv(folder: Path) -> Mapping[str, str]:
    return {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
