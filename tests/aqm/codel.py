"""CoDel, RFC 8289 section 5, transcribed.  No random draws.

run(arrivals, rate_bps, ns3=False, **parameters); the parameters are the
fields of `Parameters`.  Times are integer ns.

Choices the RFC leaves, and the departures ns-3 (and Linux) make; each is a
field, and `ns3=True` turns on all of `NS3`:

maxpacket           section 5.3 writes 512 and says SHOULD be the MTU; ns-3's
                    MinBytes is 1500.
ecn, after_mark     the RFC says only that marking instead "may be
                    reasonable".  `after_mark="return"`: the marked packet
                    stands for the dropped one in `count` and `drop_next` and
                    is returned at once (Linux, ns-3).  `"loop"`: the `while`
                    goes on with the same packet until drop_next > now.
mark_from           in drop state the next time after a mark is control_law of
                    "drop_next", as after a drop (Linux), or of "now" (ns-3).
rounding            of INTERVAL/sqrt(count) to the integer time_t: "floor"
                    (C++ conversion), "nearest", or "none" (a real clock).
above_strict        ok_to_drop needs now > first_above_time (ns-3), RFC: >=.
backlog_strict      below if bytes() < maxpacket (ns-3), RFC: <=.
clock_shift         the clock is ns >> clock_shift: 0, ns-3: 10.  The sojourn
                    is the ns difference, shifted (ns-3).
inverse_sqrt        "exact", or "newton16": 1/sqrt(count) in 16 bits, one
                    Newton step at each change of count, set to 0xffff when
                    count becomes 1 (Linux, ns-3).
ce_threshold        RFC 8290 section 5.2.7: mark an ECT packet whose sojourn
                    is over it; None is off.  ce_needs_ecn: only with `ecn`
                    (ns-3; Linux marks without).
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from aqm.link import (
    DROP_DEQUEUE,
    DROP_ENQUEUE,
    MARK,
    MS,
    Fifo,
    Packet,
    Queue,
    mark_if_capable,
    serve,
    with_preset,
)


@dataclass
class Parameters:
    target: int = 5 * MS
    interval: int = 100 * MS
    maxpacket: int = 512
    limit: int = 1000
    limit_unit: str = "packets"  # or "bytes"
    ecn: bool = False
    ce_threshold: int | None = None
    ce_needs_ecn: bool = False
    after_mark: str = "return"  # or "loop"
    mark_from: str = "drop_next"  # or "now"
    rounding: str = "floor"  # or "nearest", "none"
    above_strict: bool = False
    backlog_strict: bool = False
    clock_shift: int = 0
    inverse_sqrt: str = "exact"  # or "newton16"


NS3 = {
    "maxpacket": 1500,
    "ce_needs_ecn": True,
    "mark_from": "now",
    "above_strict": True,
    "backlog_strict": True,
    "clock_shift": 10,
    "inverse_sqrt": "newton16",
}


class ExactLaw:
    """control_law, section 5.6, with a real square root."""

    def __init__(self, interval, rounding):
        self.interval = interval
        self.round = {"floor": math.floor, "nearest": round, "none": float}[rounding]

    def restart(self):
        pass

    def count_changed(self, count):
        pass

    def after(self, time, count):
        return time + self.round(self.interval / math.sqrt(count))


class Newton16Law:
    """control_law with 1/sqrt(count) kept as a 16-bit fraction.

    One step of y <- y*(3 - count*y*y)/2 at each change of count.
    """

    ONE = 0xFFFF

    def __init__(self, interval):
        self.interval = interval
        self.y = 0

    def restart(self):
        self.y = self.ONE

    def count_changed(self, count):
        y = self.y << 16  # 0.32 fixed point
        square = (y * y) >> 32
        quarter = ((3 << 32) - count * square) >> 2
        self.y = ((quarter * y) >> 31) >> 16

    def after(self, time, count):
        return time + ((self.interval * (self.y << 16)) >> 32)


def control_law_of(p):
    if p.inverse_sqrt == "newton16":
        return Newton16Law(p.interval >> p.clock_shift)
    return ExactLaw(p.interval >> p.clock_shift, p.rounding)


class DodequeueResult(NamedTuple):
    p: Packet | None
    ok_to_drop: bool


class Codel:
    """codel_queue_t over `fifo`; `bytes_` is queue_t::bytes()."""

    def __init__(self, p, fifo, bytes_):
        self.p = p
        self.fifo = fifo
        self.bytes_ = bytes_
        self.law = control_law_of(p)
        # 5.2 Per-queue state
        self.first_above_time = 0
        self.drop_next = 0
        self.count = 0
        self.lastcount = 0
        self.dropping = False

    def dequeue(self, now_ns):
        """5.5; returns the packet and the packets it dropped before it."""
        now = now_ns >> self.p.clock_shift
        dropped = []
        r = self.dodequeue(now, now_ns)
        if self.dropping:
            if not r.ok_to_drop:
                self.dropping = False
            r = self.drop_while_due(now, now_ns, r, dropped)
        elif r.ok_to_drop:
            r = self.enter_drop_state(now, now_ns, r, dropped)
        self.mark_over_ce_threshold(now_ns, r.p)
        return r.p, dropped

    def drop_while_due(self, now, now_ns, r, dropped):
        while now >= self.drop_next and self.dropping:
            self.count += 1
            self.law.count_changed(self.count)
            if self.mark(r.p):
                since = now if self.p.mark_from == "now" else self.drop_next
                self.drop_next = self.law.after(since, self.count)
                if self.p.after_mark == "return":
                    break
                continue
            dropped.append(r.p)
            r = self.dodequeue(now, now_ns)
            if not r.ok_to_drop:
                self.dropping = False
            else:
                self.drop_next = self.law.after(self.drop_next, self.count)
        return r

    def enter_drop_state(self, now, now_ns, r, dropped):
        if not self.mark(r.p):
            dropped.append(r.p)
            r = self.dodequeue(now, now_ns)
        self.dropping = True
        delta = self.count - self.lastcount
        recent = now - self.drop_next < 16 * (self.p.interval >> self.p.clock_shift)
        if delta > 1 and recent:
            self.count = delta
            self.law.count_changed(self.count)
        else:
            self.count = 1
            self.law.restart()
        self.drop_next = self.law.after(now, self.count)
        self.lastcount = self.count
        return r

    def dodequeue(self, now, now_ns):
        """5.6, tracking whether the sojourn time is above TARGET."""
        packet = self.fifo.pop()
        if packet is None:
            self.first_above_time = 0
            return DodequeueResult(None, False)
        ok_to_drop = False
        if self.below(now_ns, packet):
            self.first_above_time = 0
        elif self.first_above_time == 0:
            self.first_above_time = now + (self.p.interval >> self.p.clock_shift)
        else:
            ok_to_drop = self.above_long_enough(now)
        return DodequeueResult(packet, ok_to_drop)

    def below(self, now_ns, packet):
        sojourn_time = (now_ns - packet.tstamp) >> self.p.clock_shift
        if sojourn_time < self.p.target >> self.p.clock_shift:
            return True
        if self.p.backlog_strict:
            return self.bytes_() < self.p.maxpacket
        return self.bytes_() <= self.p.maxpacket

    def above_long_enough(self, now):
        if self.p.above_strict:
            return now > self.first_above_time
        return now >= self.first_above_time

    def mark(self, packet):
        return self.p.ecn and mark_if_capable(packet)

    def mark_over_ce_threshold(self, now_ns, packet):
        shift = self.p.clock_shift
        if packet is None or self.p.ce_threshold is None or packet.fate == MARK:
            return
        if self.p.ce_needs_ecn and not self.p.ecn:
            return
        if (now_ns - packet.tstamp) >> shift > self.p.ce_threshold >> shift:
            mark_if_capable(packet)


class CodelQueue(Queue):
    def __init__(self, p):
        self.p = p
        self.fifo = Fifo()
        self.codel = Codel(p, self.fifo, lambda: self.fifo.bytes)

    def enqueue(self, now, packet):
        """5.4; drops at a full buffer are not counted by CoDel."""
        if self.fifo.full_for(packet, self.p.limit, self.p.limit_unit):
            packet.fate = DROP_ENQUEUE
        else:
            self.fifo.push(packet)

    def dequeue(self, now):
        packet, dropped = self.codel.dequeue(now)
        for gone in dropped:
            gone.fate = DROP_DEQUEUE
        return packet


def run(arrivals, rate_bps, ns3=False, **parameters):
    p = with_preset(Parameters, NS3, ns3, parameters)
    return serve(arrivals, rate_bps, CodelQueue(p))
