"""Cost of a run besides its simulation on a Dask cluster: client, scheduler, worker, disk.

CPU time of each process, so that other work on the machine shows little. Runs of one slot: what is
measured is everything but the simulation. `python bench/cluster.py [runs]`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

import airtcp
from airtcp import _native
from airtcp.campaign.executor import Task
from airtcp.cluster import executor as _dask
from airtcp.cluster.pack import VERSIONS, pack_tasks, run_pack

PORT = 18786
EXAMPLES = Path(__file__).parent.parent / "examples"
SLOTS = {"window.toml": {"stop.slots": 100_000}, "handover.toml": {"stop.time": "100s"}}


def trivial(points: int, replications: int) -> dict[str, Any]:
    """Runs of one slot."""
    rates = {"from": 0.001, "to": 0.1, "points": points, "scale": "log"}
    return {
        "profile": "zorzi",
        "tcp": {"variant": "newreno", "window": 8},
        "channel": {"kind": "iid", "loss_rate": rates},
        "stop": {"slots": 1, "replications": replications},
    }


@contextmanager
def cluster() -> Iterator[tuple[psutil.Process, psutil.Process]]:
    """A scheduler and a worker of one thread, each a process of its own."""
    address = f"tcp://127.0.0.1:{PORT}"
    common = ["--no-dashboard", "--no-show"]
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", str(PORT), *common]
    worker = ["worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    started = [subprocess.Popen([*dask, *command], **quiet) for command in (scheduler, worker)]
    try:
        time.sleep(10)
        yield psutil.Process(started[0].pid), psutil.Process(started[1].pid)
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


def cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def swept(points: int, replications: int, processes: list[psutil.Process]) -> None:
    """A sweep on the cluster: CPU time per run of each process, bytes per run of each file."""
    runs = points * replications
    with tempfile.TemporaryDirectory() as out:
        before, begin = [cpu(process) for process in processes], time.perf_counter()
        airtcp.sweep(trivial(points, replications), out, executor=f"dask:tcp://127.0.0.1:{PORT}")
        wall = time.perf_counter() - begin
        used = [cpu(process) - old for process, old in zip(processes, before, strict=True)]
        data = sum(file.stat().st_size for file in Path(out).glob("data/*"))
        journal = sum(file.stat().st_size for file in Path(out).glob("runs.sqlite*"))
    costs = "  ".join(
        f"{name} {1e6 * seconds / runs:7.1f}"
        for name, seconds in zip(("client", "scheduler", "worker"), used, strict=True)
    )
    print(f"{points:7} points x {replications:5}:  us of CPU per run: {costs}", end="  ")
    print(f"bytes per run: journal {journal / runs:.0f}, Parquet {data / runs:.0f}  ({wall:.0f} s)")


def alone(runs: int, processes: list[psutil.Process]) -> None:
    """Measure the cost of a Dask task: packs of one run."""
    most, _dask._MOST_TASKS_PER_PACK = _dask._MOST_TASKS_PER_PACK, 1
    print("packs of one run:")
    swept(10, runs // 10, processes)
    _dask._MOST_TASKS_PER_PACK = most


def simulated(file: str, runs: int = 40) -> None:
    """CPU time of a run of an example, on a thread of this process."""
    scenario = airtcp.Scenario.load(EXAMPLES / file)
    for key, value in SLOTS[file].items():
        scenario = scenario.replace(key, value)
    points = scenario.points()
    begin = time.process_time()
    for number in range(runs):
        task = Task(0, points[number % len(points)].json, 1, number)
        run_pack(pack_tasks([task]), VERSIONS, 1.0)
    seconds = (time.process_time() - begin) / runs
    print(f"{file} with {SLOTS[file]}: {1e3 * seconds:.2f} ms of CPU per run, mean of its points")


def packs(runs: int = 20_000) -> None:
    """Measure the cost that a worker adds to a run."""
    json = airtcp.Scenario.from_dict(trivial(2, 1)).points()[0].json
    pack = pack_tasks([Task(0, json, 1, number) for number in range(runs)])
    begin = time.process_time()
    run_pack(pack, VERSIONS, 1e9)
    seconds = (time.process_time() - begin) / runs
    print(
        f"a worker's run of one slot: {1e6 * seconds:.1f} us of CPU; {len(pack) / runs:.0f} bytes"
    )


def main() -> None:
    """All of it."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(f"airtcp {_native.__version__}")
    for file in SLOTS:
        simulated(file)
    packs()
    with cluster() as processes:
        everybody = [psutil.Process(), *processes]
        swept(10, 100, everybody)  # imports, connections
        alone(1000, everybody)
        for points in (10, runs // 100, runs // 5):
            swept(points, runs // points, everybody)


if __name__ == "__main__":
    main()
