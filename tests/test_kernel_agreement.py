"""Linux's TCP without SACK beside the simulator's NewReno, where that is granted (docs/kernel.md).

Twelve emulators at once for 20 s. Of each link: the ratio of the kernel's packets/s to the
simulator's, by pairs of runs over the same sample path, may be away from 1 by `TOLERANCE`; the test
fails if its interval of confidence 1 - `ALARM` lies beyond that. If the true ratio is within, that
happens once in 1 / `ALARM` calls at most. No timing is asserted, and no run is repeated.
"""

import functools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

import airtcp
from airtcp.live import TransferReport, live, transfer

RUNS, SECONDS, SEED = 6, 20.0, 3
TOLERANCE, ALARM = 0.15, 5e-5  # of a link; both together: 1e-4
LEAST = 4  # valid runs
WINDOW, PAYLOAD = 100, 1460
CHANNELS = {
    "iid": {"kind": "iid", "loss_rate": 0.01},
    "gilbert-elliott": {"kind": "gilbert-elliott", "p": 0.005, "r": 0.25, "h": 0.3},
}


def scenario(channel: str) -> airtcp.Scenario:
    hop = {"rate": "5Mbps", "delay": "20ms", "queue": 100, "channel": CHANNELS[channel]}
    kernel = {"abc_limit": 1000, "rto_margin": "200ms", "min_rto": "200ms", "delayed_ack": "40ms"}
    return airtcp.Scenario.from_dict(
        {
            "profile": "rfc",
            "tcp": {"variant": "newreno", "window": WINDOW, **kernel},
            "path": {"hop": [hop]},
            "stop": {"time": f"{SECONDS}s"},
        }
    )


@functools.cache
def missing() -> str:
    """Why the emulator cannot run here; empty if it can."""
    try:
        live(scenario("iid"), ["true"])
    except airtcp.InputError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def measured() -> dict[str, list[TransferReport]]:
    if missing():
        pytest.skip(f"not granted here: {missing()}")

    def run(task: tuple[str, int]) -> TransferReport:
        channel, replication = task
        point = scenario(channel)
        return transfer(point, seconds=SECONDS, seed=SEED, replication=replication)

    tasks = [(channel, replication) for channel in CHANNELS for replication in range(RUNS)]
    with ThreadPoolExecutor(len(tasks)) as pool:
        found = list(pool.map(run, tasks))
    return {channel: found[i * RUNS : (i + 1) * RUNS] for i, channel in enumerate(CHANNELS)}


@pytest.mark.parametrize("channel", CHANNELS)
def test_newreno_of_the_kernel(channel: str, measured: dict[str, list[TransferReport]]) -> None:
    runs = airtcp.simulate(scenario(channel), replications=400, seed=SEED).to_pandas()
    simulated = runs.set_index("replication")["throughput_pps"]
    valid = [i for i, one in enumerate(measured[channel]) if one.report.valid]
    if len(valid) < LEAST:
        pytest.skip(f"the machine kept up with {len(valid)} of {RUNS} runs only")
    kernel = np.array([measured[channel][i].throughput_pps for i in valid])
    apart = (kernel - simulated[valid].to_numpy()) / simulated.mean()
    half = stats.t.ppf(1 - ALARM / 2, len(valid) - 1) * apart.std(ddof=1) / math.sqrt(len(valid))
    assert abs(apart.mean()) - half <= TOLERANCE, f"{apart.mean():+.3f} ± {half:.3f}"


def test_the_kernel_keeps_to_the_window(measured: dict[str, list[TransferReport]]) -> None:
    offered = [one.info["snd_wnd"] for runs in measured.values() for one in runs]
    assert all(one == WINDOW * PAYLOAD for one in offered), offered
