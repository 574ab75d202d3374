"""The process that runs the emulator: `python -m airtcp._live_worker PLAN ANSWER`, two open files.

It has one thread, which user namespaces ask for, and imports nothing that starts more.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress

from airtcp import _native


def main(plan: int, answer: int) -> None:
    """Run the plan in one file, write the report or the refusal to the other."""
    with open(plan, encoding="utf-8") as file:
        text = file.read()
    hurry()
    try:
        report = {"report": json.loads(_native.live_run(text))}
    except _native.ScenarioError as error:
        report = {"refused": error.args[1]}
    os.write(answer, json.dumps(report).encode())


def hurry() -> None:
    """Go before ordinary processes, where that is granted; the programs of the run do not."""
    with suppress(OSError):
        policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(1))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
