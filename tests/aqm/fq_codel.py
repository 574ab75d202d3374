"""FQ-CoDel, RFC 8290 section 4, transcribed over codel.CoDel.  No draws.

run(arrivals, rate_bps, ns3=False, hash=None, **parameters).  `hash` takes the
flow id to a queue number; None is `flow % flows` (perfect hashing).

Choices and departures; `ns3=True` turns on all of `NS3`.  Everything CoDel's
(see codel.py) is a field here too.

ecn                 on by default (section 5.2.6).
credits_exhausted   "nonpositive": section 3, "zero or less", and 4.2's
                    parenthesis "at least a quantum" (Linux, ns-3).
                    "negative": 4.2's words "a negative number of credits".
overload_drop       when the packets queued are over `limit`, from the head of
                    the queue with most bytes: "half_packets" (4.1: half of
                    its packets, at most `drop_batch`), "half_bytes" (until
                    half its bytes or `drop_batch` packets: Linux, ns-3), or
                    "one".
half_rounds         of an odd number of packets: "down" or "up"; at least one
                    packet always goes.
fattest_tie         among queues of equal bytes: "number" (lowest queue
                    number, Linux) or "creation" (first used, ns-3).
emptied_new         a queue of the new list found empty: "always" moves to the
                    end of the old list (4.2); "if_old" only where the old
                    list is not empty, else it becomes inactive (Linux).
backlog             CoDel's bytes(): "flow" (the selected queue, ns-3) or
                    "total" (all queues, Linux).
flow_limit          `limit` is also each queue's own: a packet is refused
                    (`drop_enqueue`) where its queue holds that many (ns-3, whose
                    flows are CoDel discs of the same MaxSize).
overload_counts     add the overload drops to the flow's CoDel count (Linux).

The packets that an overload drops have the fate `drop_overload`; the one that
arrives may be among them only if it is at the head of its queue.
"""

from collections import deque
from dataclasses import dataclass

from aqm import codel
from aqm.link import DROP_DEQUEUE, DROP_ENQUEUE, DROP_OVERLOAD, Fifo, Queue, serve, with_preset


@dataclass
class Parameters(codel.Parameters):
    limit: int = 10240  # packets, over all queues
    ecn: bool = True
    quantum: int = 1514
    flows: int = 1024
    drop_batch: int = 64
    credits_exhausted: str = "nonpositive"  # or "negative"
    overload_drop: str = "half_packets"  # or "half_bytes", "one"
    half_rounds: str = "down"  # or "up"
    fattest_tie: str = "number"  # or "creation"
    emptied_new: str = "always"  # or "if_old"
    backlog: str = "flow"  # or "total"
    overload_counts: bool = False
    flow_limit: bool = False


NS3 = dict(
    codel.NS3,
    overload_drop="half_bytes",
    fattest_tie="creation",
    flow_limit=True,
)


class Flow:
    def __init__(self, number, p, total_bytes):
        self.number = number
        self.fifo = Fifo()
        self.credits = 0
        self.active = False

        def own_bytes():
            return self.fifo.bytes

        bytes_ = total_bytes if p.backlog == "total" else own_bytes
        self.codel = codel.Codel(p, self.fifo, bytes_)


class FqCodelQueue(Queue):
    def __init__(self, p, hash):
        self.p = p
        self.hash = hash
        self.by_number = {}  # in order of creation
        self.new = deque()
        self.old = deque()
        self.packets = 0

    def total_bytes(self):
        return sum(flow.fifo.bytes for flow in self.by_number.values())

    def flow_of(self, packet):
        number = self.hash(packet.flow)
        if number not in self.by_number:
            self.by_number[number] = Flow(number, self.p, self.total_bytes)
        return self.by_number[number]

    def enqueue(self, now, packet):
        """4.1"""
        flow = self.flow_of(packet)
        if self.p.flow_limit and len(flow.fifo) >= self.p.limit:
            packet.fate = DROP_ENQUEUE
            return
        flow.fifo.push(packet)
        self.packets += 1
        if not flow.active:
            flow.active = True
            flow.credits = self.p.quantum
            self.new.append(flow)
        if self.packets > self.p.limit:
            self.drop_from(self.fattest())

    def fattest(self):
        flows = list(self.by_number.values())
        if self.p.fattest_tie == "number":
            flows.sort(key=lambda flow: flow.number)
        return max(flows, key=lambda flow: flow.fifo.bytes)  # the first of equals

    def drop_from(self, flow):
        """4.1, the last paragraph."""
        enough = self.overload_quota(flow)
        dropped, length = 0, 0
        while not enough(dropped, length):
            packet = flow.fifo.pop()
            packet.fate = DROP_OVERLOAD
            dropped += 1
            length += packet.size
        self.packets -= dropped
        if self.p.overload_counts:
            flow.codel.count += dropped

    def overload_quota(self, flow):
        if self.p.overload_drop == "half_bytes":
            half_bytes = flow.fifo.bytes // 2
            batch = self.p.drop_batch
            return lambda n, size: n > 0 and (n >= batch or size >= half_bytes)
        if self.p.overload_drop == "one":
            return lambda n, size: n >= 1
        half = (len(flow.fifo) + (self.p.half_rounds == "up")) // 2
        wanted = max(1, min(half, self.p.drop_batch))
        return lambda n, size: n >= wanted

    def dequeue(self, now):
        """4.2"""
        while self.new or self.old:
            of = self.new if self.new else self.old
            flow = of[0]
            if self.exhausted(flow):
                flow.credits += self.p.quantum
                self.old.append(of.popleft())
                continue
            packet = self.dequeue_from(flow, now)
            if packet is not None:
                flow.credits -= packet.size
                return packet
            self.retire(flow, of)
        return None

    def exhausted(self, flow):
        if self.p.credits_exhausted == "negative":
            return flow.credits < 0
        return flow.credits <= 0

    def dequeue_from(self, flow, now):
        before = len(flow.fifo)
        packet, dropped = flow.codel.dequeue(now)
        for gone in dropped:
            gone.fate = DROP_DEQUEUE
        self.packets -= before - len(flow.fifo)
        return packet

    def retire(self, flow, of):
        """The selected queue is empty."""
        of.popleft()
        if of is self.new and (self.p.emptied_new == "always" or self.old):
            self.old.append(flow)
        else:
            flow.active = False


def run(arrivals, rate_bps, ns3=False, hash=None, **parameters):
    p = with_preset(Parameters, NS3, ns3, parameters)
    if hash is None:

        def hash(flow):
            return flow % p.flows

    return serve(arrivals, rate_bps, FqCodelQueue(p, hash))
