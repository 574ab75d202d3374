"""Rounds that a scheduler computes are those it would go through, one by one.

AIRTCP_FUZZ says for how many random arrivals; `make fuzz` tries many.
"""

import os
import time
from collections import deque

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import airtcp as at
from aqm import fq_codel
from aqm.link import Arrival, Fifo, Queue, serve

CASES = int(os.environ.get("AIRTCP_FUZZ", "300"))
RATE = 8_000_000  # bit/s: a byte takes a microsecond


class Rounds(Queue):
    """Deficit round robin by its paper, round by round [shreedhar1996, figure 2]."""

    def __init__(self, quantum):
        self.quantum, self.flows, self.active = quantum, {}, deque()
        self.deficit, self.is_in_turn = {}, False

    def enqueue(self, now, packet):
        flow = packet.flow
        self.flows.setdefault(flow, Fifo()).push(packet)
        if flow not in self.active:
            self.active.append(flow)
            self.deficit[flow] = 0

    def dequeue(self, now):
        while self.active:
            flow = self.active[0]
            if not self.is_in_turn:
                self.deficit[flow] += self.quantum
                self.is_in_turn = True
            queue = self.flows[flow]
            if queue.head().size <= self.deficit[flow]:
                self.deficit[flow] -= queue.head().size
                sent = queue.pop()
                if not queue:
                    self.active.popleft()
                    self.is_in_turn = False
                return sent
            self.active.rotate(-1)
            self.is_in_turn = False
        return None


# Packets have phases of their own within the microsecond: none meets the end of a transmission.
packets = st.lists(
    st.tuples(st.integers(0, 3000), st.integers(1, 1500), st.integers(0, 4)),
    min_size=1,
    max_size=60,
).map(
    lambda drawn: [
        Arrival(1000 * when + phase, size, flow, 0)
        for phase, (when, size, flow) in enumerate(sorted(drawn))
    ]
)


def departures(queue, arrivals):
    times, sizes, flows, _ = (list(column) for column in zip(*arrivals, strict=True))
    found = at.play_queue(queue, times, sizes, rate=f"{RATE}bps", flows=flows)
    return [None if left < 0 else left for left in found.departures.tolist()]


@settings(max_examples=CASES, deadline=None)
@given(packets, st.integers(1, 60))
def test_deficit_round_robin_sends_what_its_rounds_send(arrivals, quantum):
    by_rounds = [left for _, left in serve(arrivals, RATE, Rounds(quantum))]
    assert departures({"kind": "drr", "quantum": f"{quantum}B"}, arrivals) == by_rounds


@settings(max_examples=CASES, deadline=None)
@given(packets, st.integers(1, 60))
def test_fq_codel_sends_what_its_rounds_send(arrivals, quantum):
    """A short target, so that packets are dropped too while flows owe."""
    ours = {"target": "1ms", "interval": "5ms", "mtu": "1500B", "quantum": f"{quantum}B"}
    rules = {"target": 1_000_000, "interval": 5_000_000, "maxpacket": 1500, "quantum": quantum}
    rounds = fq_codel.run(
        arrivals, RATE, credits_exhausted="negative", limit=10239, ecn=False, **rules
    )
    assert departures({"kind": "fq-codel", "ecn": False, **ours}, arrivals) == [
        left for _, left in rounds
    ]


@pytest.mark.parametrize("kind", ["drr", "fq-codel"])
def test_long_packets_cost_no_round_per_byte(kind):
    """300 packets of 100 MB, a quantum of a byte: 3e10 rounds, of which none is gone through."""
    began = time.process_time()
    found = at.play_queue(
        {"kind": kind, "quantum": "1B"},
        list(range(300)),
        [10**8 - number for number in range(300)],
        rate="100Gbps",
        flows=[number % 7 for number in range(300)],
    )
    assert (found.departures >= 0).any()
    hop = {"rate": "10Gbps", "delay": "1ms", "queue": {"kind": kind, "quantum": "1B"}}
    source = {"rate": "8Gbps", "packet": "100MB", "count": 2}
    path = {"path": {"hop": [hop]}, "traffic": [source], "stop": {"time": "30s"}}
    at.simulate({"profile": "rfc", "tcp": {"variant": "reno"}} | path)
    assert time.process_time() - began < 5.0
