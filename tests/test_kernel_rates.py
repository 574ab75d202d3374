"""A rate that steps, met by Linux's TCP over the emulated path and by the simulator.

20 s at 10, 3 and 8 Mbit/s. Packets/s acknowledged and the 95 % quantile of what data packets take
over the link are within `TOLERANCE` in the mean over the runs. The path's time begins before the
kernel's connection does: the simulated flow starts then too. No run is repeated. They come one
after the other, for the cores are few; those with which the machine did not keep up are left out,
and two at least must remain.
"""

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import airtcp
from airtcp.live import live, transfer
from airtcp.live.log import LiveLog

RUNS, VALID, SECONDS, SEED = 3, 2, 20.0, 5
TOLERANCE = 0.03
STEPS = [
    {"at": "0s", "rate": "10Mbps"},
    {"at": "6s", "rate": "3Mbps"},
    {"at": "13s", "rate": "8Mbps"},
]


def scenario(control: str, start: int = 0) -> airtcp.Scenario:
    """Of a flow that starts after so many nanoseconds."""
    hop = {"rates": STEPS, "delay": "20ms", "queue": 60}
    return airtcp.Scenario.from_dict(
        {
            "profile": "linux",
            "tcp": {"congestion": control},
            "path": {"hop": [hop]},
            "flow": [{"start": f"{start}ns"}],
            "stop": {"time": f"{start + round(SECONDS * 1e9)}ns"},
        }
    )


@functools.cache
def missing() -> str:
    """Why the emulator cannot run here; empty if it can."""
    try:
        live(scenario("cubic"), ["true"])
    except airtcp.InputError as error:
        return str(error)
    return ""


class Met(NamedTuple):
    """`start`: ns until the first packet comes; `pps`: packets/s; `quantile`: of delays, in ns."""

    start: int
    pps: float
    quantile: float


def by_the_kernel(control: str, replication: int, folder: Path) -> Met | None:
    """Of one run; None if the machine did not keep up."""
    given = {"seconds": SECONDS, "seed": SEED, "replication": replication}
    run = transfer(scenario(control), out=folder, **given)
    packets = LiveLog(folder).records
    data = (packets["direction"] == 0) & (packets["bits"] > 8000) & (packets["fate"] == 0)
    took = (packets["at"] - packets["arrival"])[data]
    start = int(packets["arrival"].min())
    met = Met(start, run.acked / run.packet / SECONDS, float(np.quantile(took, 0.95)))
    return met if run.report.valid else None


def by_the_simulator(control: str, start: int, replications: int) -> Met:
    """Of a flow that starts when the kernel's did."""
    given = airtcp.simulate(scenario(control, start), replications=replications, seed=SEED)
    runs = given.runs.to_pandas()
    return Met(start, runs["acked"].mean() / SECONDS, runs["delay_p95_ns"].mean())


@pytest.mark.parametrize("control", ["cubic", "bbr"])
def test_a_rate_that_steps_is_met_alike(control: str, tmp_path: Path) -> None:
    if missing():
        pytest.skip(f"not granted here: {missing()}")
    met = [by_the_kernel(control, i, tmp_path / str(i)) for i in range(RUNS)]
    kernel = [run for run in met if run is not None]
    if len(kernel) < VALID:
        pytest.skip(f"the machine kept up with {len(kernel)} of {RUNS} runs, needs {VALID}")
    simulated = [by_the_simulator(control, run.start, 10) for run in kernel]
    apart = np.mean(kernel, axis=0)[1:] / np.mean(simulated, axis=0)[1:] - 1
    assert np.abs(apart).max() <= TOLERANCE, f"{control}: {apart}, {len(kernel)} runs"


def test_rates_that_begin_3_s_later_are_found_out() -> None:
    for control in ("cubic", "bbr"):
        here, there = (by_the_simulator(control, start, 4) for start in (0, 3_000_000_000))
        assert abs(there.pps / here.pps - 1) > TOLERANCE
