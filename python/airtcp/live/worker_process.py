"""The process that runs the emulator: `python -I -S worker_process.py NATIVE PLAN ANSWER FILE...`.

NATIVE is the compiled part of airtcp, PLAN and ANSWER are open files, and so is every FILE, which
the programs of the run inherit. The process has one thread, which user namespaces ask for, and
imports nothing that starts more: of airtcp that part alone, so that it is the same as the caller's.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection
from contextlib import suppress
from importlib import machinery, util
from typing import Any

NATIVE_MODULE = "airtcp._native"


def main(native: str, plan: int, answer: int, *files: int) -> None:
    """Run the plan in one file, write the report or the refusal to the other."""
    compiled = load_native_module(native)
    close_files_to_programs(files)
    with open(plan, encoding="utf-8") as file:
        text = file.read()
    raise_priority()
    try:
        report = {"report": json.loads(compiled.live_run(text))}
    except compiled.ScenarioError as error:
        report = {"refused": error.args[1]}
    os.write(answer, json.dumps(report).encode())


def load_native_module(native: str) -> Any:
    """The compiled part of airtcp in the file `native`."""
    loader = machinery.ExtensionFileLoader(NATIVE_MODULE, native)
    module = util.module_from_spec(machinery.ModuleSpec(NATIVE_MODULE, loader, origin=native))
    loader.exec_module(module)
    return module


def close_files_to_programs(files: Collection[int]) -> None:
    """Let programs inherit stdin, stdout, stderr and `files`, but neither plan nor answer."""
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number not in files:
            with suppress(OSError):  # that of the listing, which is closed
                os.set_inheritable(number, False)


def raise_priority() -> None:
    """Take precedence over ordinary processes, if allowed; the programs of the run do not."""
    with suppress(OSError):
        policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(1))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
