"""Computing after a signal is told apart from the time that passes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from work import ended_by, wait_for_work

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
ANSWERS = """
import signal, sys, time
def answer(*_):
    if sys.argv[1] == "computes":
        begun = time.process_time()
        while time.process_time() < begun + 1.0:
            pass
    else:
        time.sleep(1.0)
    sys.exit("ended")
signal.signal(signal.SIGINT, answer)
print("begun", flush=True)
while True:
    pass
"""


@pytest.mark.parametrize("after", ["computes", "sleeps"])
def test_work_after_a_signal_is_counted_and_waiting_is_not(after: str) -> None:
    command = [sys.executable, "-c", ANSWERS, after]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        wait_for_work(process, 0.1)
        _, errors, seconds = ended_by(process, signal.SIGINT)
    assert (process.returncode, errors) == (1, "ended\n")
    assert seconds >= 0.9 if after == "computes" else seconds < 0.9
