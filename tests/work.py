"""Processes judged by what they compute: other work on the machine makes them late, and no longer.

POSIX only.
"""

from __future__ import annotations

import resource
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import NamedTuple

import psutil

ENDED = 60  # seconds for it to end: one that waits in place of computing is found out too


class Ended(NamedTuple):
    """A process that has ended; `seconds`: how long it still computed after the signal."""

    code: int
    lines: list[str]
    errors: str
    seconds: float


def interrupted_at_work(command: Sequence[str], seconds: float, *, lines: int = 1) -> Ended:
    """Send Ctrl-C to a command that has written so many lines and computed for `seconds` more."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        written = [process.stdout.readline() for _ in range(lines)]
        _wait_for_work(process, seconds)
        errors, computed = ended_by(process, signal.SIGINT)
    return Ended(process.returncode, written, errors, computed)


def ended_by(process: subprocess.Popen[str], sent: int) -> tuple[str, float]:
    """Errors and seconds of computing of a process from a signal until it has ended."""
    others = _computed_by_children()
    before = _computed(psutil.Process(process.pid))
    process.send_signal(sent)
    try:
        _, errors = process.communicate(timeout=ENDED)
    finally:
        process.kill()
    return errors, _computed_by_children() - others - before


def _wait_for_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Wait until a process has computed for so many seconds more."""
    known = psutil.Process(process.pid)
    begun = _computed(known)
    while _computed(known) < begun + seconds:
        assert process.poll() is None, "it ended too early"
        time.sleep(0.01)


def _computed(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _computed_by_children() -> float:
    """Seconds that children computed which have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
