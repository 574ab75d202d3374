"""One link and one queue, played from a list of arrivals.

A packet taken from the queue at t leaves at t + size*8*10^9/rate_bps.  The
queue is asked for a packet (`dequeue`) at every arrival that finds the link
idle and at every end of a transmission, also when the queue is then empty.

Fates:
    deliver       transmitted, not marked by this queue
    mark          transmitted, and this queue set CE (a packet that arrived
                  with CE and was chosen again is also `mark`)
    drop_enqueue  refused at its arrival
    drop_dequeue  discarded by the AQM while it was being dequeued
    drop_overload discarded from inside the queue at another packet's arrival
                  (FQ-CoDel only, RFC 8290 section 4.1)
"""

from collections import deque
from typing import NamedTuple

NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3  # code points on the wire, RFC 3168

DELIVER = "deliver"
MARK = "mark"
DROP_ENQUEUE = "drop_enqueue"
DROP_DEQUEUE = "drop_dequeue"
DROP_OVERLOAD = "drop_overload"

SECOND = 1_000_000_000
MS = 1_000_000


class Arrival(NamedTuple):
    time: int  # ns
    size: int  # bytes
    flow: int
    ecn: int


class TieError(ValueError):
    """An arrival and an end of transmission at the same nanosecond."""


class Packet:
    __slots__ = ("ecn", "fate", "flow", "index", "size", "tstamp")

    def __init__(self, index, arrival):
        self.index = index
        self.size = arrival.size
        self.flow = arrival.flow
        self.ecn = arrival.ecn
        self.tstamp = arrival.time
        self.fate = DELIVER


class Fifo:
    """Packets in order, with their number and their bytes."""

    def __init__(self):
        self.packets = deque()
        self.bytes = 0

    def __len__(self):
        return len(self.packets)

    def push(self, packet):
        self.packets.append(packet)
        self.bytes += packet.size

    def pop(self):
        if not self.packets:
            return None
        packet = self.packets.popleft()
        self.bytes -= packet.size
        return packet

    def head(self):
        return self.packets[0] if self.packets else None

    def full_for(self, packet, limit, unit):
        """True if `packet` would take the queue over `limit`."""
        if unit == "packets":
            return len(self) + 1 > limit
        return self.bytes + packet.size > limit


def mark_if_capable(packet):
    """Set CE; False where the packet is not ECN-capable."""
    if packet.ecn == NOT_ECT:
        return False
    packet.ecn = CE
    packet.fate = MARK
    return True


def transmission_ns(size, rate_bps):
    time, rest = divmod(size * 8 * SECOND, rate_bps)
    if rest:
        raise ValueError(f"{size} bytes at {rate_bps} bit/s is no whole number of ns")
    return time


class Queue:
    """Interface of a queue for `serve`."""

    tick_at = None  # ns of the next periodic update, or None
    in_service = None  # the packet on the link, set by `serve`

    def enqueue(self, now, packet):
        raise NotImplementedError

    def dequeue(self, now):
        raise NotImplementedError

    def tick(self, now):
        raise NotImplementedError


def serve(arrivals, rate_bps, queue):
    """Play `arrivals` (in order of time); [(fate, departure ns or None)]."""
    packets = [Packet(index, arrival) for index, arrival in enumerate(arrivals)]
    departures = [None] * len(packets)
    coming = 0
    link_free = None  # end of the transmission under way

    def start(now):
        nonlocal link_free
        queue.in_service = packet = queue.dequeue(now)
        link_free = None
        if packet is not None:
            link_free = now + transmission_ns(packet.size, rate_bps)
            departures[packet.index] = link_free

    while coming < len(packets) or link_free is not None:
        arrival = packets[coming].tstamp if coming < len(packets) else None
        now = min(t for t in (arrival, link_free) if t is not None)
        if queue.tick_at is not None and queue.tick_at <= now:
            if queue.tick_at == now:
                raise TieError(f"update and packet event at {now}")
            queue.tick(queue.tick_at)
        elif arrival == link_free:
            raise TieError(f"arrival and end of transmission at {now}")
        elif now == link_free:
            start(now)
        else:
            queue.enqueue(now, packets[coming])
            coming += 1
            if link_free is None:
                start(now)
    return [(packet.fate, departures[packet.index]) for packet in packets]


def with_preset(parameters, preset, wanted, options):
    """`parameters(**options)`, over the values of `preset` where `wanted`."""
    return parameters(**({**preset, **options} if wanted else options))
