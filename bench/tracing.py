"""Cost of `airtcp.trace`, without and with links, beside `airtcp.simulate` of the same run.

    python bench/tracing.py

Also the memory it takes. Scenarios of bench/peers, about 10^6 packets, all through the Python API
and each in a process of its own, in turn. Time is CPU time of the process after a short run that
loads everything. The libraries get one thread: threads that idle by spinning would count.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import airtcp

PEERS = Path(__file__).resolve().parent / "peers"
SECONDS = {"lossy": 7_353.0, "clean": 10_240.0}  # simulated: about 10^6 packets sent
TARGET = 3.0
WHAT = ("simulate", "trace", "links")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def run(name: str, seconds: float, what: str) -> None:
    document = tomllib.loads((PEERS / f"{name}.toml").read_text())
    document["stop"]["time"] = f"{seconds:.9f}s"
    scenario = airtcp.Scenario.from_dict(document, source=f"{name}.toml")
    if what == "simulate":
        airtcp.simulate(scenario, replications=1, jobs=1)
    else:
        airtcp.trace(scenario, links=what == "links")


def measure(name: str, what: str) -> None:
    """Print CPU seconds and peak MiB of one run in this process."""
    run(name, 1.0, what)
    begin = time.process_time()
    run(name, SECONDS[name], what)
    cpu = time.process_time() - begin
    print(json.dumps([cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def measured(name: str, what: str) -> tuple[float, float]:
    command = [sys.executable, __file__, "--one", name, what]
    done = subprocess.run(
        command, env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, check=True, text=True
    )
    cpu, peak = json.loads(done.stdout)
    return cpu, peak


def compare(name: str, rounds: int) -> None:
    runs = [{what: measured(name, what) for what in WHAT} for _ in range(rounds)]
    plain = statistics.median(run["simulate"][0] for run in runs)
    for what in WHAT[1:]:
        ratios = [run[what][0] / run["simulate"][0] for run in runs]
        traced = statistics.median(run[what][0] for run in runs)
        peak = max(run[what][1] for run in runs)
        print(
            f"{name}, {what}: simulated {1e3 * plain:.0f} ms, traced {1e3 * traced:.0f} ms:"
            f" {statistics.median(ratios):.2f} times ({min(ratios):.2f} to {max(ratios):.2f};"
            f" target {TARGET:g}), {peak:.0f} MiB at most"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--one", nargs=2, metavar=("SCENARIO", "WHAT"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        name, what = given.one
        measure(name, what)
        return
    for name in SECONDS:
        compare(name, given.rounds)


if __name__ == "__main__":
    main()
