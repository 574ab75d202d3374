"""Nothing beside a scenario is executed, by the command or by what it starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from airtcp.support import import_path as _import_path
from airtcp.support import isolation as _isolation
from test_live import missing

EXAMPLES = Path(__file__).parent.parent / "examples"
COMMAND = Path(sys.executable).with_name("airtcp")
TRAP = """
with open({mark!r}, "a") as mark:
    mark.write(__name__ + "\\n")
raise ImportError("a trap")
"""
LIVE = ["live", str(EXAMPLES / "probing.toml"), "--set", "tcp.variant=reno", "--size", "20kB"]


@pytest.fixture(autouse=True)
def _installed() -> None:
    if not COMMAND.exists():
        pytest.skip(f"the command is not at {COMMAND}")


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that a trap writes when it is sprung."""
    return tmp_path / "sprung"


@pytest.fixture
def trapped(tmp_path: Path, mark: Path) -> Path:
    """A folder with a file for every module that could be imported from there."""
    folder = tmp_path / "work"
    folder.mkdir()
    more = {"sitecustomize", "usercustomize", "numpy", "pandas", "matplotlib", "distributed"}
    for name in sys.stdlib_module_names | more:
        (folder / f"{name}.py").write_text(TRAP.format(mark=str(mark)))
    (folder / "airtcp").mkdir()
    (folder / "airtcp" / "__init__.py").write_text(TRAP.format(mark=str(mark)))
    return folder


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *words], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("ends", [["--stack"], ["--stack", "--peer", "kernel"], []], ids=len)
def test_a_live_run_imports_nothing_beside_the_scenario(
    ends: list[str], trapped: Path, mark: Path
) -> None:
    if len(ends) != 1 and missing():
        pytest.skip(f"not granted here: {missing()}")
    done = run(trapped, *LIVE, *ends, "--quiet")
    assert not mark.exists(), mark.read_text()
    assert (done.returncode, done.stderr) == (0, "")


def test_the_workers_of_a_cluster_import_nothing_beside_the_scenario(
    trapped: Path, mark: Path
) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    few = ["--set", "stop.slots=200", "--set", "stop.replications=2", "--set", "tcp.variant=reno"]
    words = ["sweep", str(EXAMPLES / "window.toml"), *few, "--out", "out"]
    done = run(trapped, *words, "--executor", "dask-local:1")
    assert not mark.exists(), mark.read_text()
    assert done.returncode == 0, done.stderr
    assert (trapped / "out" / "manifest.json").exists()


@pytest.mark.parametrize("part", ["", "."])
def test_a_relative_part_of_the_path_does_not_count(part: str, trapped: Path, mark: Path) -> None:
    """But Python and pip's launcher load modules before: those are left out."""
    loaded = subprocess.run(
        [sys.executable, "-c", "import re, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for name in (*loaded, "sitecustomize", "usercustomize"):
        (trapped / f"{name}.py").unlink(missing_ok=True)
    shutil.rmtree(trapped / "airtcp")
    environment = os.environ | {"PYTHONPATH": f"{part}{os.pathsep}{part}"}
    done = subprocess.run(
        [str(COMMAND), "list", "channels"],
        cwd=trapped,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not mark.exists(), mark.read_text()
    assert done.returncode == 0, done.stderr


def test_an_empty_part_of_the_path_is_not_inherited(
    trapped: Path, mark: Path, tmp_path: Path
) -> None:
    script = tmp_path / "helper.py"
    script.write_text("import json, sys; print(json.dumps(sys.path))")
    done = subprocess.run(
        _isolation.helper_command(str(script)),
        cwd=trapped,
        env=os.environ | {"PYTHONPATH": f"{os.pathsep}.{os.pathsep}work"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not mark.exists(), mark.read_text()
    assert str(tmp_path) not in done.stdout


def test_python_m_leaves_the_working_directory(tmp_path: Path, mark: Path) -> None:
    """Modules that Python itself takes from there before are no affair of ours.

    See docs/explanation/live.md.
    """
    for name in ("tomllib", "numpy", "hmac"):  # imported when a scenario is read, and later
        (tmp_path / f"{name}.py").write_text(TRAP.format(mark=str(mark)))
    words = [sys.executable, "-m", "airtcp", "run", str(EXAMPLES / "pedestrian.toml")]
    done = subprocess.run(
        [*words, "--engine", "analysis"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert not mark.exists(), mark.read_text()
    assert done.returncode == 0, done.stderr


def test_a_developer_s_folder_stays_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(_isolation.__file__).parents[2]
    monkeypatch.chdir(home)
    monkeypatch.setattr(sys, "path", [str(home), str(home.parent), "", "lib"])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([".", "lib"]))
    _import_path.leave_working_directory()
    assert sys.path == [str(home), str(home.parent), ""]  # "" is `home` as well
    monkeypatch.chdir(home.parent)
    _import_path.leave_working_directory()
    assert sys.path == [str(home)]


def test_a_working_directory_that_was_removed_is_no_obstacle(tmp_path: Path) -> None:
    line = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" list channels --format json'
    done = subprocess.run(
        ["sh", "-c", line, str(COMMAND)], cwd=tmp_path, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_settings_of_matplotlib_beside_the_scenario_are_passed_over(tmp_path: Path) -> None:
    """They can make it start LaTeX, with commands of theirs."""
    beside, elsewhere = tmp_path / "beside", tmp_path / "elsewhere"
    for folder in (beside, elsewhere):
        folder.mkdir()
    (beside / "matplotlibrc").write_text("text.usetex: True\naxes.labelcolor: red\n")
    words = ["trace", str(EXAMPLES / "fig5.toml"), "--set", "tcp.variant=sack", "-o", "x.svg"]
    for folder in (beside, elsewhere):
        done = run(folder, *words)
        assert done.returncode == 0, done.stderr
    assert (beside / "x.svg").read_bytes() == (elsewhere / "x.svg").read_bytes()
