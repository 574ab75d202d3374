"""The memory of a run does not grow with its length: measured in a process of its own."""

import subprocess
import sys

import pytest

# The peak of a run of 600 s, 750 000 packets per direction, beyond that of 60 s: a byte per packet
# and hop would exceed it.
TOLERANCE = 1.0  # MiB

CLASSIC = '{"variant": "sack", "packet": "1000B", "window": 60}'
TCP = {"linux": '{"congestion": "cubic", "packet": "1000B"}'}
SCENARIO = """
import re
import sys
from pathlib import Path

import airtcp

time, look = sys.argv[1:]
hop = {"rate": "10Mbps", "delay": "10ms", "queue": 40}
loss = {"channel": {"kind": "burst", "loss_rate": 0.002, "mean_burst": 2.0}}
document = {
    "profile": "PROFILE",
    "tcp": TCP,
    "path": {"hop": [hop, hop | loss | {"back": loss}, hop]},
    "flow": [
        {"count": 3},
        {"count": 3, "sender": "3", "receiver": "0"},
        {"sender": "2", "receiver": "1", "access_delay": "5ms"},
    ],
    "traffic": [
        {"rate": "2Mbps", "packet": "500B"},
        {
            "rate": "4Mbps", "packet": "500B", "sender": "3", "receiver": "0",
            "on": {"kind": "exponential", "mean": "1s"},
            "off": {"kind": "exponential", "mean": "1s"},
        },
    ],
    "stop": {"time": time, "replications": 1},
}
if look == "trace":
    airtcp.trace(document)
else:
    airtcp.simulate(document, replications=1)
# The peak of this program alone: ru_maxrss also knows that of the one it was forked from.
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def peak(profile: str, time: str, look: str = "") -> float:
    """MiB that a run of so much simulated time needs at most."""
    script = SCENARIO.replace("PROFILE", profile).replace("TCP", TCP.get(profile, CLASSIC))
    command = [sys.executable, "-c", script, time, look]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.parametrize("profile", ["rfc", "ns2", "linux"])
def test_a_run_ten_times_as_long_needs_no_more_memory(profile):
    """Flows in both directions with losses, and cross-traffic."""
    short, long = peak(profile, "60s"), peak(profile, "600s")
    assert long - short < TOLERANCE


def test_a_dead_way_takes_no_memory_per_packet():
    """Nothing of 200 000 and of 2 million datagrams arrives."""
    script = """
import re
import sys
from pathlib import Path

import airtcp

hop = {"rate": "10Mbps", "delay": "10ms", "queue": 2, "channel": {"kind": "iid", "loss_rate": 1.0}}
document = {
    "profile": "rfc",
    "tcp": {"variant": "reno"},
    "path": {"hop": [hop]},
    "flow": [{"start": "1e6s"}],
    "traffic": [{"rate": "8Mbps", "packet": "100B"}],
    "stop": {"time": sys.argv[1], "replications": 1},
}
airtcp.simulate(document, replications=1, links=True)
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024)
"""
    command = [sys.executable, "-c", script]
    peaks = [
        float(subprocess.run([*command, time], capture_output=True, text=True, check=True).stdout)
        for time in ("20s", "200s")
    ]
    assert peaks[1] - peaks[0] < TOLERANCE


def test_what_keeps_its_events_needs_more():
    """So that the test above can fail: a trace of a tenth of that."""
    assert peak("rfc", "60s", "trace") - peak("rfc", "6s", "trace") > 10 * TOLERANCE


SLOTS = """
import resource, sys, airtcp
scenario = airtcp.Scenario.from_dict({
    "profile": "zorzi", "tcp": {"variant": "newreno"},
    "channel": {"kind": "rayleigh-two-state", "doppler": 0.01, "loss_rate": 0.01},
    "stop": {"slots": int(sys.argv[1]), "replications": 1},
})
airtcp.simulate(scenario)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_on_slots_kib(slots: int) -> int:
    command = [sys.executable, "-c", SLOTS, str(slots)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_slots_are_kept_in_no_memory() -> None:
    # A thousand times as many; the allowance is the scatter of the interpreter's own start.
    assert peak_on_slots_kib(50_000_000) < peak_on_slots_kib(50_000) + 4096
