"""On macOS and Windows all but live runs: every module loads, and `live` says that it needs Linux.

The system is played, in a process of its own: what is loaded of airtcp meets the name of the other
system, and neither modules nor functions nor signals that Python has on Linux alone. Libraries that
others wrote are loaded before, as on the system that is here.
"""

import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from airtcp.cli.main import main
from modules import module

ROOT = Path(__file__).parent.parent
SYSTEM = """
import json, os, platform, signal, sys
import click, jinja2, matplotlib.pyplot, numpy, pandas, rich.console, rich.table, scipy.stats
import distributed, pyarrow, scipy.integrate, scipy.linalg, scipy.optimize, scipy.special
import asyncio, ctypes, multiprocessing, pkgutil, sqlite3, subprocess, tempfile, zipfile
import duckdb, hypothesis, io, polars, pytest, xarray
from click.testing import CliRunner
from importlib import import_module

NOT_ON_WINDOWS = {
    "modules": ["fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"],
    "os": [
        "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "WNOHANG", "fchown", "fork", "geteuid",
        "getgrouplist", "getpgrp", "getuid", "killpg", "openpty", "pread", "pwrite", "setsid",
        "tcgetpgrp", "tcsetpgrp",
    ],
    "signal": [
        "SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGTSTP",
        "SIGTTIN", "SIGTTOU", "SIGUSR1", "SIGWINCH", "SIG_BLOCK", "SIG_SETMASK",
        "pthread_sigmask", "setitimer",
    ],
}
NOT_ON_MACOS = {
    "modules": [],
    "os": [
        "memfd_create", "pidfd_open", "sched_getaffinity", "sched_setaffinity",
        "sched_setscheduler", "SCHED_RESET_ON_FORK", "SCHED_FIFO", "pipe2", "setns", "unshare",
    ],
    "signal": ["SIGRTMIN", "SIGPWR"],
}
SYSTEMS = {"win32": (NOT_ON_WINDOWS, NOT_ON_MACOS), "darwin": (NOT_ON_MACOS,)}

name = sys.argv[1]
for absent in SYSTEMS[name]:
    for one in absent["modules"]:
        sys.modules[one] = None
    for module in (os, signal):
        for one in absent[module.__name__]:
            if hasattr(module, one):
                delattr(module, one)
sys.platform = name
platform.system = lambda: {"win32": "Windows", "darwin": "Darwin"}[name]
"""
PLAYED = f"""{SYSTEM}
import airtcp

from airtcp.cli.main import main

OF_THE_WORKER = "airtcp.live.worker_process"  # which Linux alone starts
for one in pkgutil.walk_packages(airtcp.__path__, "airtcp."):
    if one.name not in ("airtcp.__main__", OF_THE_WORKER):
        import_module(one.name)
loaded = [one for one in sys.modules if one.startswith("airtcp.")]
told = [CliRunner().invoke(main, words) for words in json.load(sys.stdin)]
told = [(one.exit_code, one.stdout, one.stderr) for one in told]
json.dump({{"loaded": loaded, "told": told}}, sys.__stdout__)
"""
# Python on Windows has a class of its own for consoles, which pytest looks for there.
TESTED = f"""{SYSTEM}
if name == "win32":
    io._WindowsConsoleIO = type("_WindowsConsoleIO", (), {{}})
sys.path.insert(0, "tests")
loaded_before = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
sys.exit(pytest.main(["-p", "no:cacheprovider", *loaded_before, *sys.argv[2:]]))
"""
SYSTEMS = {"win32": "Windows", "darwin": "Darwin"}


LIVE = [
    ["live", "examples/pedestrian.toml"],
    ["live", "examples/pedestrian.toml", "--", "true"],
    ["live", "examples/probing.toml", "--stack"],
    ["live", "examples/handover.toml", "--out", "out/other", "--for", "1s"],
    ["run", "examples/handover.toml", "--engine", "live"],
    ["run", "examples/handover.toml", "--engine", "all"],
]
ONE = ["--set", "channel.loss_rate=0.01", "--set", "tcp.variant=newreno"]
FEW = ["examples/pedestrian.toml", "--replications", "2", "--set", "stop.slots=2000", *ONE]


@pytest.mark.skipif(sys.platform == "linux", reason="Linux has live runs")
def test_live_here_needs_linux_in_a_line() -> None:
    for words in LIVE:
        told = CliRunner().invoke(main, words)
        line = f"error: live: needs Linux, but this is {platform.system()}\n"
        assert (told.exit_code, told.stdout, told.stderr) == (2, "", line), words


@pytest.mark.skipif(sys.platform != "linux", reason="other systems are played on Linux alone")
@pytest.mark.parametrize("system", SYSTEMS)
def test_all_but_live_is_there(system: str, tmp_path: Path) -> None:
    rest = [
        ["sweep", *FEW, "--out", str(tmp_path / "sweep")],
        ["results", str(tmp_path / "sweep")],
        ["run", *FEW, "--out", str(tmp_path / "run")],
        ["report-bug"],
    ]
    found = played(system, [*LIVE, *rest])
    assert len(found["loaded"]) > 300
    for words, told in zip(LIVE, found["told"], strict=False):
        line = f"error: live: needs Linux, but this is {SYSTEMS[system]}\n"
        assert told == [2, "", line], words
    for words, (code, said, _) in zip(rest, found["told"][len(LIVE) :], strict=True):
        assert code == 0, words
        assert said, words
    assert (tmp_path / "run/report.html").exists()
    assert f"system     {SYSTEMS[system]} " in found["told"][-1][1]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems are played on Linux alone")
@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("win32", ["--collect-only", *module("elsewhere").tests()]),
        ("darwin", ["tests/test_engines.py"]),  # live is one of the engines
    ],
)
def test_what_is_tested_there_needs_nothing_of_linux(system: str, words: list[str]) -> None:
    command = [sys.executable, "-c", TESTED, system, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def played(system: str, commands: list[list[str]]) -> Any:
    done = subprocess.run(
        [sys.executable, "-c", PLAYED, system],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
