"""Computing after a signal is told apart from the time that passes."""

from __future__ import annotations

import os
import sys

import pytest

from work import interrupted_at_work

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
    ended = interrupted_at_work([sys.executable, "-c", ANSWERS, after], 0.1)
    assert ended.lines == ["begun\n"]
    assert (ended.code, ended.errors) == (1, "ended\n")
    assert ended.seconds >= 0.9 if after == "computes" else ended.seconds < 0.9
