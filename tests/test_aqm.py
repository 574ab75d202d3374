"""Queues that drop early, packet by packet beside the pseudocode of their sources.

The transcriptions in `aqm` follow RFC 8289, 8290, 8033, 9332 and Floyd's papers and were written
without sight of ours. For 59 processes of arrivals (overload, bursts, idle times, ramps, 1 to 100
Mbit/s) every packet has the same fate and leaves at the same nanosecond; the random ones draw the
same uniform numbers. With its named departures switched on a transcription equals ns-3 3.44 as well
(`aqm/ns3.csv`, recorded by `aqm/ns3_drive.py`), which is how far the transcriptions can be trusted.
"""

import csv
import os
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import airtcp as at
from airtcp import _native
from airtcp.errors import InputError
from aqm import arrivals, codel, dualpi2, fq_codel, pie, red
from aqm.link import MARK
from aqm.ns3_cases import CASES as NS3_CASES
from aqm.ns3_cases import GRAIN, digest

SEED = 21
MS = 1_000_000
CODEPOINTS = ("not-ect", "ect1", "ect0", "ce")
DUALPI2 = {"Tupdate": 16 * MS, "alpha": 0.16, "beta": 3.2}
RED = {"limit": 999, "max_p": 0.1, "hard_drop": True, "ecn": True}
# Thresholds of 5 and 15 packets of 500 bytes.
BYTE_MODE = RED | {
    "gentle": True,
    "byte_mode": "paper",
    "unit": "bytes",
    "min_th": 2500,
    "max_th": 7500,
    "limit": 60_000,
}
# A limit of ours counts the packet in transmission.
CASES = {
    "codel": ({}, codel, {"maxpacket": 1500, "limit": 999, "ecn": True}),
    "codel, drops": (
        {"mtu": "512B", "ecn": False, "target": "10ms", "interval": "50ms", "packets": 100},
        codel,
        {"limit": 99, "target": 10 * MS, "interval": 50 * MS},
    ),
    "fq-codel": (
        {},
        fq_codel,
        {"maxpacket": 1500, "limit": 10239, "credits_exhausted": "negative"},
    ),
    "fq-codel, short": (
        {"packets": 100, "flows": 4, "ecn": False},
        fq_codel,
        {
            "maxpacket": 1500,
            "limit": 99,
            "credits_exhausted": "negative",
            "flows": 4,
            "ecn": False,
        },
    ),
    "pie": ({"ecn": False}, pie, {"limit": 999, "mean_pktsize": 1024}),
    "pie, marks": ({}, pie, {"limit": 999, "mean_pktsize": 1024, "ecn": True}),
    "pie, options": (
        {"cap": True, "derandomize": True, "target": "20ms"},
        pie,
        {
            "limit": 999,
            "mean_pktsize": 1024,
            "ecn": True,
            "cap_drop": True,
            "derandomize": True,
            "qdelay_ref": 20 * MS,
        },
    ),
    "red": ({"gentle": False}, red, RED),
    "red, gentle": ({}, red, RED | {"gentle": True}),
    "red, drops": (
        {"gentle": False, "ecn": False, "packets": 60, "max_p": 0.02},
        red,
        {"limit": 59, "max_p": 0.02},
    ),
    "red, adaptive": ({"adaptive": True}, red, RED | {"gentle": True, "adapt": True}),
    "red, by size": ({"by_size": True, "gentle": False}, red, RED | {"byte_mode": "paper"}),
    "red, byte mode": (
        {"in_bytes": True, "by_size": True, "max_packet": "1000B", "bytes": "60kB"},
        red,
        BYTE_MODE | {"max_pktsize": 1000},
    ),
    "red, byte mode, adaptive": (
        {"in_bytes": True, "by_size": True, "adaptive": True, "bytes": "60kB"},
        red,
        BYTE_MODE | {"adapt": True},
    ),
    "dualpi2": ({}, dualpi2, DUALPI2),
    "dualpi2, fifo": (
        {"update": "15ms", "alpha": 0.15, "beta": 3.0, "scheduler": "ts-fifo"},
        dualpi2,
        {"scheduler": "ts_fifo"},
    ),
    "dualpi2, step": (
        {
            "range": "0us",
            "threshold": "1ms",
            "th_len": 0,
            "coupling": 1.5,
            "bytes": "60kB",
            "classic_weight": 0.25,
            "p_cmax": 0.1,
            "p_lmax": 0.3,
            "target": "10ms",
        },
        dualpi2,
        DUALPI2
        | {
            "range": 0,
            "minTh": MS,
            "Th_len": 0,
            "k": 1.5,
            "limit": 60_000,
            "weight_c": 0.25,
            "p_Cmax": 0.1,
            "p_Lmax": 0.3,
            "target": 10 * MS,
        },
    ),
}
DRAWING = (pie, red)
NS3 = Path(__file__).parent / "aqm/ns3.csv"


def draws():
    """The uniform numbers of the queue's stream."""
    known: list[float] = []
    for place in count():
        if place == len(known):
            known = _native.uniform(SEED, "hop0/down/queue", 0, max(4096, 4 * place))
        yield known[place]


def transcribed(module, rate, played, parameters):
    if module in DRAWING:
        return module.run(played, rate, draws(), **parameters)
    return module.run(played, rate, **parameters)


def ours(queue, rate, played):
    times, sizes, flows, codes = zip(*played, strict=True)
    ecn = [CODEPOINTS[code] for code in codes]
    found = at.play_queue(queue, times, sizes, rate=f"{rate}bps", flows=flows, ecn=ecn, seed=SEED)
    return list(zip(*(column.tolist() for column in found), strict=True))


def difference(case, process):
    """The first packet whose fate differs, with both; None if there is none."""
    keys, module, parameters = CASES[case]
    rate, played = arrivals.PROCESSES[process]()
    came = ours({"kind": case.partition(",")[0], **keys}, rate, played)
    for place, (fate, left) in enumerate(transcribed(module, rate, played, parameters)):
        expected = ("drop" in fate, fate == MARK, -1 if left is None else left)
        if came[place] != expected:
            return process, place, came[place], expected
    return None


@pytest.mark.parametrize("case", CASES)
def test_every_packet_fares_as_by_the_pseudocode(case):
    """A third of the processes, in turn so that each meets some cases; AIRTCP_PROCESSES=1: all."""
    assert len(arrivals.PROCESSES) >= 50
    every = int(os.environ.get("AIRTCP_PROCESSES", "3"))
    turn = list(CASES).index(case) % every
    different = [difference(case, process) for process in list(arrivals.PROCESSES)[turn::every]]
    assert [packet for packet in different if packet] == []


@pytest.mark.parametrize(
    ("case", "changed"),
    [
        ("codel", {"above_strict": True, "target": 6 * MS}),
        ("fq-codel", {"quantum": 1500}),
        ("pie", {"beta": 1.3}),
        ("red", {"idle_from": "link"}),
        ("red, byte mode", {"max_pktsize": 1001}),
        ("dualpi2", {"k": 2.01}),
        ("dualpi2", {"th_len_counts": "before"}),
    ],
)
def test_another_rule_is_found_out(case, changed, monkeypatch):
    keys, module, parameters = CASES[case]
    monkeypatch.setitem(CASES, case, (keys, module, parameters | changed))
    assert any(difference(case, process) for process in arrivals.PROCESSES)


def recorded():
    with NS3.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["queue"], row["case"], row["process"]): row["sha256"] for row in rows}


@pytest.mark.parametrize("queue", NS3_CASES)
def test_with_its_departures_the_pseudocode_equals_ns3(queue):
    # In turn, so that each case meets some processes.
    different = [
        (case, process)
        for turn, case in enumerate(NS3_CASES[queue])
        for process in list(arrivals.PROCESSES)[turn::8]
        if ns3_digest(queue, case, process) != recorded()[queue, case, process]
    ]
    assert different == []


def ns3_digest(queue, case, process):
    with np.load(NS3.with_suffix(".npz")) as file:
        uniforms, hashes = file["draws"] * GRAIN, file["hashes"].tolist()
    rate, played = arrivals.PROCESSES[process]()
    parameters = NS3_CASES[queue][case][1]
    if queue == "codel":
        return digest(codel.run(played, rate, ns3=True, **parameters))
    if queue == "fq_codel":
        flows = parameters.get("flows", 1024)
        by_hash = lambda flow: hashes[flow] % flows  # noqa: E731
        return digest(fq_codel.run(played, rate, ns3=True, hash=by_hash, **parameters))
    module = {"pie": pie, "red": red}[queue]
    return digest(module.run(played, rate, uniforms.tolist(), ns3=True, **parameters))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"times": [1, 0]}, "times: must be one list of times that never decrease"),
        ({"times": [0.5, 1.0]}, "times: must be whole numbers from 0 to"),
        ({"sizes": [1250, 0]}, "sizes: must be whole numbers from 1 to"),
        ({"sizes": [1250] * 3}, "sizes: 3 values for 2 packets"),
        ({"ecn": [1, 0]}, "ecn: must be True, False or one of not-ect, ect1"),
        ({"queue": {"kind": "codle"}}, 'did you mean "codel"'),
        ({"queue": [20, 30]}, "queue = [20, 30]: must be one queue without axes"),
        ({"rate": "fast"}, "path.hop[0].rate"),
    ],
)
def test_what_cannot_be_played_is_refused(arguments, message):
    usual = {"queue": 50, "times": [0, 5], "sizes": [1250, 1250], "rate": "10Mbps"}
    with pytest.raises(InputError) as refused:
        at.play_queue(**usual | arguments)
    assert message in str(refused.value)


def test_nothing_arrives():
    assert [len(column) for column in at.play_queue(50, [], [], rate="1Mbps")] == [0, 0, 0]
