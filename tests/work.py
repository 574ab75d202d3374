"""Processes judged by what they compute: other work on the machine makes them late, and no longer.

POSIX only.
"""

from __future__ import annotations

import resource
import subprocess
import time

import psutil

ENDED = 60  # seconds for it to end: one that waits in place of computing is found out too


def wait_for_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Wait until a process has computed for so many seconds more."""
    known = psutil.Process(process.pid)
    begun = _computed(known)
    while _computed(known) < begun + seconds:
        assert process.poll() is None, "it ended too early"
        time.sleep(0.01)


def ended_by(process: subprocess.Popen[str], sent: int) -> tuple[str, str, float]:
    """Output, errors and seconds of computing of a process from a signal until it has ended."""
    others = _computed_by_children()
    before = _computed(psutil.Process(process.pid))
    process.send_signal(sent)
    try:
        out, errors = process.communicate(timeout=ENDED)
    finally:
        process.kill()
    return out, errors, _computed_by_children() - others - before


def _computed(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _computed_by_children() -> float:
    """Seconds that children computed which have ended and were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
