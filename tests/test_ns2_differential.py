"""The time of ns: where events meet, its doubles decide."""

import csv
import os
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "ns2"))
from differential import by_airtcp, differences
from overflows import DROPS, FILE, described

RUNS = int(os.environ.get("AIRTCP_NS2_RUNS", "40"))


def recorded():
    """The rows of the recording."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [
            (float(row["rate"]), float(row["delay"]), int(row["queue"]), row["drops"])
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize(("rate", "delay", "queue", "drops"), recorded())
def test_overflows_on_round_numbers_drop_what_ns_drops(rate, delay, queue, drops):
    """Recorded from ns-2: a packet that meets a full queue exactly as a transmission ends."""
    found = by_airtcp(described(rate, delay, queue)).get(("d", 0, False), [])[:DROPS]
    wanted = [drop.split("@") for drop in drops.split()]
    assert [drop.packet for drop in found] == [int(packet) for packet, _ in wanted]
    times = [float(time) for _, time in wanted]
    assert [drop.time for drop in found] == pytest.approx(times, abs=0.6e-6)


def test_the_recording_holds_overflows():
    """So that the test above cannot pass by having nothing to compare."""
    rows = recorded()
    assert len(rows) == 72
    assert sum(len(drops.split()) for *_, drops in rows) > 400


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
@pytest.mark.parametrize(("two_way", "access"), [(False, False), (True, False), (True, True)])
def test_random_scenarios_are_those_of_an_installed_ns(two_way, access):
    """Every packet event, in order, to the microsecond; AIRTCP_NS2_RUNS says how many runs.

    `two_way`: flows between any two nodes of the path, in both directions. `access`: with
    access delays, in ns links of 10^15 bit/s.
    """
    events = 0
    differing = []
    for seed, number, scenario, said in differences(1, RUNS, two_way, access):
        events += number
        if said:
            differing.append(f"scenario {seed}: {said}\n  {scenario}")
    assert differing == []
    assert events > 500 * RUNS
