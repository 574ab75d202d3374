"""Cost of a sweep beside its runs: speed on two cores, time per point, memory.

    python bench/sweep.py speed       a sweep of 10 000 points on one core and on two, in turn
    python bench/sweep.py overhead    processor time per point beside the runs themselves
    python bench/sweep.py memory      the most memory held, for more and more runs of four points

Figures are in bench/README.md.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

import airtcp

SLOTS = 70_000
POINTS: dict[str, Any] = {
    "profile": "zorzi",
    "tcp": {"variant": ["oldtahoe", "tahoe", "reno", "newreno"], "window": [4, 8, 16, 24, 32]},
    "channel": {
        "kind": "rayleigh-two-state",
        "doppler": {"from": 0.005, "to": 0.5, "points": 20, "scale": "log"},
        "loss_rate": {"from": 0.001, "to": 0.3, "points": 25, "scale": "log"},
    },
    "stop": {"slots": SLOTS, "replications": 1},
}
FEW = {
    "profile": "zorzi",
    "tcp": {"variant": ["tahoe", "newreno"], "window": 8},
    "channel": {"kind": "iid", "loss_rate": [0.01, 0.1]},
    "stop": {"slots": 100, "replications": 1},
}


def main() -> None:
    what = sys.argv[1:] or ["speed", "overhead", "memory"]
    for name in what:
        {"speed": speed, "overhead": overhead, "memory": memory}[name]()


HEAD = """
import os, resource, time
import airtcp, airtcp.campaign.dataset, airtcp.simulation.results
from airtcp import _native
os.sched_setaffinity(0, {cores})
out, POINTS, FEW = {folder!r}, {points!r}, {few!r}
"""


def child(cores: Iterable[int], code: str, points: dict[str, Any] = POINTS) -> list[float]:
    """Numbers that some code prints, run by a fresh interpreter on some cores."""
    with tempfile.TemporaryDirectory() as folder:
        head = HEAD.format(cores=set(cores), folder=folder, points=points, few=FEW)
        command = [sys.executable, "-c", head + code]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


SWEPT = """
begun, before = time.perf_counter(), time.process_time()
airtcp.sweep(POINTS, out, jobs={jobs})
print(time.perf_counter() - begun, time.process_time() - before)
"""


def speed() -> None:
    """Wall time of the sweep on one core with one thread, and on two with two, three times each."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    ratios = []
    for _ in range(3):
        one_core, used = child(cores[:1], SWEPT.format(jobs=1))
        two, _ = child(cores, SWEPT.format(jobs=2))
        ratios.append(one_core / two)
        print(
            f"one core {one_core:.1f} s ({used:.1f} s of it used), two {two:.1f} s:"
            f" {one_core / two:.2f}"
        )
    print(f"median ratio {sorted(ratios)[1]:.2f}")


SHORT = POINTS | {"stop": {"slots": 1000, "replications": 1}}
RAN = """
points = airtcp.Scenario.from_dict(POINTS).points()
before = time.process_time()
runner = _native.Runner(1)
for number, point in enumerate(points):
    runner.submit(number, point.compiled, 1, [0])
while runner.wait():
    pass
print(time.process_time() - before)
"""


def overhead() -> None:
    """Processor time of the sweep less that of the same runs alone, on one core, in turn."""
    core = sorted(os.sched_getaffinity(0))[:1]
    points = len(airtcp.Scenario.from_dict(POINTS))
    for _ in range(3):
        _, whole = child(core, SWEPT.format(jobs=1), SHORT)
        (runs,) = child(core, RAN, SHORT)
        beside = (whole - runs) / points * 1000
        print(f"sweep {whole:.2f} s, runs {runs:.2f} s: {beside:.3f} ms beside each point")


FILLED = """
airtcp.sweep(FEW, out, replications={runs}, jobs=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
airtcp.sweep(FEW, out, replications={runs} + 1, jobs=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def memory() -> None:
    """The most memory of a sweep of four points, and after it was gone on with."""
    for runs in (100, 10_000, 100_000, 1_000_000):
        begun = time.perf_counter()
        first, more = child(os.sched_getaffinity(0), FILLED.format(runs=runs // 4))
        took = time.perf_counter() - begun
        print(f"{runs} runs: {first:.0f} MiB, gone on with {more:.0f} MiB ({took:.0f} s)")


if __name__ == "__main__":
    main()
