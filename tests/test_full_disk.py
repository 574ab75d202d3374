"""A sweep on a disk that fills up: one clear line, and it goes on when there is room."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import airtcp
from airtcp import Scenario, simulate
from airtcp.cli.main import main
from airtcp.papers import PAPERS
from campaigns import kept

SCENARIO = Scenario.from_dict(
    {
        "profile": "zorzi",
        "tcp": {"variant": ["tahoe", "newreno"], "window": 8},
        "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
        "stop": {"slots": 1000, "replications": 2000},
    }
)
NO_ROOM = "No space left on device"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 400 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(place)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs the right to mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def grown(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)


def sweep(file: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "airtcp", "sweep", str(file), "--out", str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.toml"
    path.write_text(SCENARIO.to_toml(), encoding="utf-8")
    return path


def test_a_journal_on_a_full_disk(disk: Path, file: Path) -> None:
    journal = disk / "runs.sqlite"
    done = sweep(file, disk)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: {journal}: {NO_ROOM}\n"
    again = sweep(file, disk)  # it is refused again, or gets on a little
    assert (again.returncode, again.stderr.count("\n")) == (1, 1)
    grown(disk)
    left = kept(journal)
    assert left
    found = airtcp.sweep(file, disk)
    assert found.problems == ()
    assert found.runs.equals(simulate(SCENARIO).runs)
    assert kept(journal).items() >= left.items()


def test_a_dataset_on_a_full_disk(disk: Path, file: Path) -> None:
    """The runs fit, the tables do not."""
    fewer = ["--replications", "500"]
    grown(disk)
    command = [sys.executable, "-m", "airtcp", "run", str(file), "--engine", "simulation"]
    subprocess.run([*command, *fewer, "--out", str(disk)], check=True, capture_output=True)
    for path in (disk / "data").iterdir():
        path.unlink()
    used = sum(path.stat().st_blocks * 512 for path in disk.rglob("*"))
    (disk / "else").write_bytes(bytes(1000))
    subprocess.run(["mount", "-o", f"remount,size={used + 8192}", str(disk)], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "airtcp", "sweep", str(file), *fewer, "--out", str(disk)],
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(f": {NO_ROOM}\n")
    assert done.stderr.count("\n") == 1
    assert not list(disk.rglob("*.part"))
    grown(disk)
    found = airtcp.sweep(file, disk, replications=500)
    assert found.problems == ()
    assert found.runs.equals(simulate(SCENARIO, replications=500).runs)


# Files of other commands

PAPER = '''"""A paper with a file of every kind."""

import pandas as pd
from matplotlib.figure import Figure

from airtcp.papers.base import Judgement, Paper, Part, Reproduction, statement


def part(study):
    table = pd.DataFrame({"seed": [study.seed]})
    figure = Figure()
    figure.add_subplot().plot([1, 2])
    return Reproduction(title="One", table=table, tables={"more": table}, figure=figure)


@statement(name="c", where="w", text="t", rule="r")
def claim(table):
    return Judgement(verdict="holds", finding="f", numbers={})


PARTS = {"fig1": Part(part, (claim,))}
PAPER = Paper(title="T", summary="S.", references=("airtcp",), parts=PARTS)
'''
FILES = ["fig1.svg", "fig1.csv", "fig1-more.csv", "fig1-claims.csv", "fig1.html"]


ROOT = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="makes a device that is full"
)


def refused(name: str, out: Path, *words: str) -> None:
    """The command says that there is no room for a file of that name in its folder."""
    out.mkdir()
    os.mknod(out / name, stat.S_IFCHR | 0o666, os.stat("/dev/full").st_rdev)
    result = CliRunner().invoke(main, [*words, "--out", str(out)])
    line = f"error: {out / name}: {NO_ROOM}\n"
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", line)


@ROOT
def test_every_file_of_a_reproduction_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full_paper.py").write_text(PAPER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(PAPERS, "full", "full_paper")
    for name in FILES:
        refused(name, tmp_path / name, "reproduce", "full/fig1")
    for name in ("claims.csv", "report.html"):
        refused(name, tmp_path / name, "reproduce", "full")
    monkeypatch.setattr("airtcp.papers.PAPERS", {"full": "full_paper"})
    refused("index.html", tmp_path / "all", "reproduce")


@ROOT
@pytest.mark.parametrize("name", ["throughput.svg", "report.html", "table.csv", "scenario.toml"])
def test_every_file_of_a_run_is_named(name: str, file: Path, tmp_path: Path) -> None:
    refused(name, tmp_path / "out", "run", str(file), "--replications", "2")
