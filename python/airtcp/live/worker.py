"""The process that runs the emulator: `python -m airtcp.live.worker PLAN ANSWER`, two open files.

It has one thread, which user namespaces ask for, and imports nothing that starts more.
"""

from __future__ import annotations

import json
import os
import sys

from airtcp import _native


def main(plan: int, answer: int) -> None:
    """Run the plan in one file, write the report or the refusal to the other."""
    with open(plan, encoding="utf-8") as file:
        text = file.read()
    try:
        report = {"report": json.loads(_native.live_run(text))}
    except _native.ScenarioError as error:
        report = {"refused": error.args[1]}
    os.write(answer, json.dumps(report).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
