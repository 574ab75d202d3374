"""Linux's TCP without SACK beside the simulator's NewReno, where that is granted
(docs/evidence/kernel.md).

Eight emulators at once for 20 s. Of each link: the ratio of the kernel's packets/s to the
simulator's, by pairs of runs over the same sample path, may be away from 1 by `TOLERANCE`; the test
fails if its interval lies beyond that. Such pairs scatter by less than `SCATTER`: the 20 pairs of
30 s in bench/kernel.csv do by 0.03 and 0.07, which is 0.04 and 0.09 for 20 s. With a true ratio
within the tolerance it fails once in 1 / `ALARM` calls at most, with those found there (1.05 and
1.04) never. No timing is asserted, and no run is repeated.
"""

import functools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats

import airtcp
from airtcp.live import TransferReport, live, transfer

RUNS, SECONDS, SEED = 4, 20.0, 3
LEAST = 3  # runs with which the machine kept up
TOLERANCE, ALARM = 0.15, 5e-5  # of a link; both together: 1e-4
SCATTER = {"iid": 0.05, "gilbert-elliott": 0.1}
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


Measured = dict[tuple[str, int], TransferReport]  # by channel and replication


@functools.cache
def missing() -> str:
    """Why the emulator cannot run here; empty if it can."""
    try:
        live(scenario("iid"), ["true"])
    except airtcp.InputError as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def measured() -> Measured:
    if missing():
        pytest.skip(f"not granted here: {missing()}")

    def run(task: tuple[str, int]) -> TransferReport:
        channel, replication = task
        return transfer(scenario(channel), seconds=SECONDS, seed=SEED, replication=replication)

    tasks = [(channel, replication) for channel in CHANNELS for replication in range(RUNS)]
    with ThreadPoolExecutor(len(tasks)) as pool:
        return dict(zip(tasks, pool.map(run, tasks), strict=True))


@pytest.mark.parametrize("channel", CHANNELS)
def test_newreno_of_the_kernel(channel: str, measured: Measured) -> None:
    valid = [i for (name, i), run in measured.items() if name == channel and run.report.valid]
    if len(valid) < LEAST:
        pytest.skip(f"the machine kept up with {len(valid)} of {RUNS} runs only")
    runs = airtcp.simulate(scenario(channel), replications=400, seed=SEED).to_pandas()
    simulated = runs.set_index("replication")["throughput_pps"]
    kernel = np.array([measured[channel, replication].throughput_pps for replication in valid])
    apart = (kernel - simulated[valid].to_numpy()) / simulated.mean()
    half = stats.norm.ppf(1 - ALARM / 2) * SCATTER[channel] / math.sqrt(len(valid))
    assert abs(apart.mean()) <= TOLERANCE + half, f"{apart.mean():+.3f} ± {half:.3f}"


def test_the_kernel_keeps_to_the_window(measured: Measured) -> None:
    assert {run.info["snd_wnd"] for run in measured.values()} == {WINDOW * PAYLOAD}
