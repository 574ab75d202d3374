"""The simulators under comparison: how each is found, described, and run."""

from __future__ import annotations

import json
import math
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Run:
    """Data packets sent, repetitions included, and what they cost."""

    sent: int
    cpu: float  # seconds after set-up
    delivered: int = 0
    time: float = math.nan  # simulated, at the end
    peak_mib: float = math.nan

    @property
    def rate(self) -> float:
        """Packets per second of CPU time."""
        return self.sent / self.cpu


class MissingError(Exception):
    """The peer is not installed; the message says how to get it."""


class FailedError(Exception):
    """A command that ended badly."""


@dataclass(frozen=True)
class Peer:
    name: str
    build: str
    seconds: dict[str, float]  # simulated, so that a run takes a few seconds of CPU time
    run: Callable[[str, float], Run]
    check: Callable[[str, float, int], Run]  # with counters that may cost something


def airtcp_peer(python: str) -> Peer:
    def run(name: str, seconds: float) -> Run:
        return airtcp_run(python, name, seconds)

    def check(name: str, seconds: float, packets: int) -> Run:
        return airtcp_run(python, name, seconds, *_packets(packets), "--trace")

    seconds = {"lossy": 100_000.0, "clean": 100_000.0}
    try:
        program = "from airtcp import _native as n; print(f'{n.__version__}, {n.BUILD}')"
        version = _output([python, "-c", program]).strip()
    except (OSError, FailedError):
        raise MissingError(
            "airtcp is missing: make build, then --python .venv/bin/python"
        ) from None
    return Peer("airtcp", f"airtcp {version}", seconds, run, check)


def needs(python: str, library: str, what: str) -> None:
    """Refuse at once what would fail for want of an optional library."""
    if subprocess.run(
        [python, "-c", f"import {library}"], capture_output=True, check=False
    ).returncode:
        raise FailedError(f"{what} needs {library}: {python} -m pip install {library}")


def airtcp_run(python: str, *arguments: str | float) -> Run:
    """The figures of airtcp_run.py."""
    return _run([python, str(HERE / "airtcp_run.py"), *map(str, arguments)])


def ns2_peers() -> list[Peer]:
    """ns-2 as installed, and with the two settings that make it faster."""
    binary = shutil.which("ns")
    if binary is None:
        raise MissingError("ns-2 is missing: apt-get install ns2")
    asserts = "on" if b"__assert_fail" in Path(binary).read_bytes() else "off"
    version = _output([binary, "-"], "puts [ns-version]\n").strip()
    about = f"ns-2 {version}{_debian('ns2')}, asserts {asserts}"
    seconds = {"lossy": 60_000.0, "clean": 50_000.0}
    return [
        _ns2(binary, "ns-2", "stock", about, seconds),
        _ns2(
            binary,
            "ns-2 tuned",
            "tuned",
            f"{about}; heap scheduler, only the headers used",
            {name: 1.5 * value for name, value in seconds.items()},
        ),
    ]


def _ns2(binary: str, name: str, variant: str, build: str, seconds: dict[str, float]) -> Peer:
    script = [binary, str(HERE / "ns2.tcl")]

    def once(scenario: str, *arguments: str) -> Run:
        return _run([*script, scenario, variant, *arguments])

    def run(scenario: str, length: float) -> Run:
        # Tcl cannot tell CPU time: a run of no length stands for the set-up.
        setup, whole = once(scenario, "0.001"), once(scenario, str(length))
        return Run(whole.sent - setup.sent, whole.cpu - setup.cpu)

    def check(scenario: str, length: float, packets: int) -> Run:
        return once(scenario, str(length), *_packets(packets))

    return Peer(name, build, seconds, run, check)


def ns3_peer(python: str) -> Peer:
    script = [python, str(HERE / "ns3_run.py")]
    try:
        about = json.loads(_output([*script, "about"]))
    except (OSError, FailedError):
        raise MissingError(
            "ns-3 is missing: python3 -m venv DIR && DIR/bin/pip install ns3,"
            " then --ns3 DIR/bin/python"
        ) from None

    def run(name: str, seconds: float) -> Run:
        return _run([*script, name, str(seconds)])

    def check(name: str, seconds: float, packets: int) -> Run:
        return _run([*script, name, str(seconds), *_packets(packets)])

    seconds = {"lossy": 2_500.0, "clean": 2_000.0}
    build = f"ns-3 {about['version']} (wheel), {about['flags']}"
    return Peer("ns-3", build, seconds, run, check)


def _packets(packets: int) -> tuple[str, ...]:
    return (str(packets),) if packets else ()


def _run(command: Sequence[str]) -> Run:
    """The JSON that `command` prints; CPU time of the whole process unless it says its own."""
    before = _children()
    text = _output(command)
    found = json.loads(text)
    return Run(**({"cpu": _children() - before} | found))


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _output(command: Sequence[str], text: str = "") -> str:
    """The output of `command`. Python must not leave compiled files beside the scripts."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise FailedError(f"{' '.join(command)}: exit code {done.returncode}: {last}")
    return done.stdout


def _debian(package: str) -> str:
    """The version of the Debian package, if it is one."""
    query = ["dpkg-query", "-W", "-f", "${Version}", package]
    try:
        return f" (Debian {_output(query)})"
    except (FailedError, OSError):
        return ""
