"""RED, Floyd and Jacobson 1993 (the paper's detailed algorithm), with `gentle`
(Floyd 2000) and Adaptive RED (Floyd, Gummadi and Shenker 2001).

run(arrivals, rate_bps, draws, ns3=False, **parameters).

Draws: one for each arrival with min_th <= avg < max_th ("with probability
p_a"), also where p_a is 0 or 1, and with `gentle` one for each with
max_th <= avg < 2*max_th.  With `efficient` (the paper's last figure): one R
each time count is 0 after the test, in that region.  ns-3 does not draw at
the arrival that first crosses min_th (`first_crossing_exempt`).
A packet is marked if u < p_a (`u_inclusive`: u <= p_a, ns-3).

Choices the papers leave, and departures (`ns3=True` turns on all of `NS3`):

unit                of the queue, min_th, max_th and limit: "packets", "bytes".
queue_includes_service   whether q counts the packet being transmitted.
idle_from           q_time is the time when the queue becomes empty: "empty"
                    (the last packet taken) or "link" (the end of its
                    transmission: ns-3).  With queue_includes_service, "link".
idle_m              m = (time - q_time)/s: "real" or "floor" (ns-3).
idle_counts_arrival m + 1 steps, the arrival's own too (ns-3, ns-2).
recount_idle        where an arrival at an empty queue is dropped, q_time stays,
                    and the next arrival counts the idle time again (the
                    figure's letter); False: it is counted once (ns-3).
s                   ns, the typical transmission time of a small packet; None
                    is mean_pktsize bytes at the link's rate.
ecn, hard_drop      "mark" is a drop unless ecn and the packet is capable.
                    hard_drop: at avg >= max_th always drop (ns-3 default).
forced_resets       the paper sets count to 0 at avg >= max_th, ns-3 leaves it
                    (None), the efficient figure sets -1 (so does 0 here with
                    `efficient`).  `efficient` has no byte_mode.
min_queue           no mark unless q > this (ns-3: 1; paper: none, -1).
wait                ns-2's and ns-3's: p_a = 0 up to count*p_b = 1, then
                    p_b/(2 - count*p_b).
byte_mode           "no"; "paper": p_b *= size/max_pktsize; "ns3": p_a *=
                    size/mean_pktsize, with count in mean packets of bytes.
full_resets         count = 0 at a drop for a full buffer.

Adaptive RED (adapt=True): every `interval` (adapt_on "timer") or at the first
arrival later than that after the last change ("arrival", ns-3): avg over the
target range and max_p <= top: max_p += min(adapt_alpha, max_p/4); under it
and max_p >= bottom: max_p *= adapt_beta.  The range is min_th + 0.4 to 0.6 of
(max_th - min_th).  adapt_strict: max_p < top, > bottom (ns-3).
gentle_max_p        the max_p in gentle's line: "current" or "initial" (ns-3
                    computes the line once).
"""

from dataclasses import dataclass

from aqm.link import (
    DROP_ENQUEUE,
    MS,
    SECOND,
    Fifo,
    Queue,
    mark_if_capable,
    serve,
    with_preset,
)


@dataclass
class Parameters:
    min_th: float = 5.0
    max_th: float = 15.0
    max_p: float = 0.02
    w_q: float = 0.002
    limit: int = 100
    unit: str = "packets"  # or "bytes"
    mean_pktsize: int = 500
    max_pktsize: int = 1500
    s: int | None = None
    ecn: bool = False
    gentle: bool = False
    efficient: bool = False
    hard_drop: bool = False
    queue_includes_service: bool = False
    idle_from: str = "empty"  # or "link"
    idle_m: str = "real"  # or "floor"
    idle_counts_arrival: bool = False
    recount_idle: bool = True
    forced_resets: int | None = 0
    full_resets: bool = False
    min_queue: float = -1
    wait: bool = False
    u_inclusive: bool = False
    first_crossing_exempt: bool = False
    byte_mode: str = "no"  # or "paper", "ns3"
    adapt: bool = False
    adapt_on: str = "timer"  # or "arrival"
    interval: int = 500 * MS
    adapt_alpha: float = 0.01
    adapt_beta: float = 0.9
    top: float = 0.5
    bottom: float = 0.01
    adapt_strict: bool = False
    gentle_max_p: str = "current"  # or "initial"

    def __post_init__(self):
        if self.efficient and self.forced_resets == 0:
            self.forced_resets = -1


NS3 = {
    "gentle": True,
    "hard_drop": True,
    "idle_from": "link",
    "idle_m": "floor",
    "idle_counts_arrival": True,
    "recount_idle": False,
    "forced_resets": None,
    "min_queue": 1,
    "wait": True,
    "u_inclusive": True,
    "first_crossing_exempt": True,
    "adapt_on": "arrival",
    "bottom": 0.0,
    "adapt_strict": True,
    "gentle_max_p": "initial",
}


class RedQueue(Queue):
    def __init__(self, p, rate_bps, draws):
        self.p = p
        self.draws = draws
        self.fifo = Fifo()
        self.s = p.s if p.s is not None else p.mean_pktsize * 8 * SECOND / rate_bps
        self.avg = 0.0
        self.count = -1
        self.count_bytes = 0
        self.q_time = 0
        self.idle = True
        self.max_p = p.max_p
        self.R = None
        self.above_min = False
        self.last_set = 0
        if p.adapt and p.adapt_on == "timer":
            self.tick_at = p.interval

    def q(self):
        in_service = self.in_service if self.p.queue_includes_service else None
        if self.p.unit == "bytes":
            return self.fifo.bytes + (in_service.size if in_service else 0)
        return len(self.fifo) + (1 if in_service else 0)

    # Arrival

    def enqueue(self, now, packet):
        q = self.q()
        self.average(now, q)
        self.adapt_at_arrival(now)
        fate = self.decide(packet, q)
        if fate == "keep" or self.may_mark(fate, packet):
            self.push(packet)
        else:
            packet.fate = DROP_ENQUEUE

    def push(self, packet):
        if self.fifo.full_for(packet, self.p.limit, self.p.unit):
            packet.fate = DROP_ENQUEUE
            if self.p.full_resets:
                self.count = 0
        else:
            self.fifo.push(packet)
            self.idle = False

    def may_mark(self, fate, packet):
        if not self.p.ecn or (fate == "forced" and self.p.hard_drop):
            return False
        return mark_if_capable(packet)

    def average(self, now, q):
        w_q = self.p.w_q
        if self.idle:
            self.avg *= (1 - w_q) ** self.idle_steps(now)
            if self.p.idle_counts_arrival:
                self.avg += w_q * q
            self.idle = self.p.recount_idle
        else:
            self.avg = (1 - w_q) * self.avg + w_q * q

    def idle_steps(self, now):
        m = (now - self.q_time) / self.s
        if self.p.idle_m == "floor":
            m = int(m)
        return m + 1 if self.p.idle_counts_arrival else m

    # The decision

    def decide(self, packet, q):
        if self.p.first_crossing_exempt:
            return self.decide_ns3(packet, q)
        if self.avg < self.p.min_th or q <= self.p.min_queue:
            self.count = -1
            return "keep"
        if self.avg >= self.forced_th():
            if self.p.forced_resets is not None:
                self.count = self.p.forced_resets
            return "forced"
        self.count += 1
        if self.efficient_marks() if self.p.efficient else self.marks(packet):
            return "early"
        return "keep"

    def decide_ns3(self, packet, q):
        """ns-3's count: it runs on, and is 1 at the exempt crossing."""
        self.count += 1
        self.count_bytes += packet.size
        if self.avg < self.p.min_th or q <= self.p.min_queue:
            self.above_min = False
            return "keep"
        if self.avg >= self.forced_th():
            if self.p.forced_resets is not None:
                self.count = self.p.forced_resets
            return "forced"
        if not self.above_min:
            self.above_min = True
            self.count, self.count_bytes = 1, packet.size
            return "keep"
        return "early" if self.marks(packet) else "keep"

    def forced_th(self):
        return 2 * self.p.max_th if self.p.gentle else self.p.max_th

    def marks(self, packet):
        u = next(self.draws)
        p_a = self.p_a(self.p_b(packet), packet)
        if u <= p_a if self.p.u_inclusive else u < p_a:
            self.count, self.count_bytes = 0, 0
            return True
        return False

    def p_b(self, packet):
        p = self.p
        if p.gentle and self.avg >= p.max_th:
            max_p = p.max_p if p.gentle_max_p == "initial" else self.max_p
            p_b = max_p + (1 - max_p) * (self.avg - p.max_th) / p.max_th
        else:
            p_b = self.max_p * (self.avg - p.min_th) / (p.max_th - p.min_th)
        if p.byte_mode == "paper":
            p_b *= packet.size / p.max_pktsize
        return min(p_b, 1.0)

    def p_a(self, p_b, packet):
        count = self.count
        if self.p.byte_mode == "ns3":
            count = self.count_bytes // self.p.mean_pktsize
        p_a = spread(p_b, count, self.p.wait)
        if self.p.byte_mode == "ns3" and p_a < 1:
            p_a = p_a * packet.size / self.p.mean_pktsize
        return min(p_a, 1.0)

    def efficient_marks(self):
        """The paper's last figure: one R for each marked packet."""
        p_b = self.p_b(None)
        marked = False
        if self.count > 0 and p_b > 0 and self.count >= round(self.R / p_b):
            marked = True
            self.count = 0
        if self.count == 0:
            self.R = next(self.draws)
        return marked

    # Departure

    def dequeue(self, now):
        packet = self.fifo.pop()
        link_idle = packet is None
        taken_last = packet is not None and not len(self.fifo)
        if self.p.queue_includes_service or self.p.idle_from == "link":
            becomes_empty = link_idle
        else:
            becomes_empty = taken_last
        if becomes_empty:
            self.idle = True
            self.q_time = now
        return packet

    # Adaptive RED

    def tick(self, now):
        self.tick_at = now + self.p.interval
        self.adapt_max_p()

    def adapt_at_arrival(self, now):
        if not self.p.adapt or self.p.adapt_on != "arrival":
            return
        if now > self.last_set + self.p.interval and self.adapt_max_p():
            self.last_set = now

    def adapt_max_p(self):
        p = self.p
        part = 0.4 * (p.max_th - p.min_th)
        over, under = self.avg > p.max_th - part, self.avg < p.min_th + part
        if over and within(self.max_p, p.top, p.adapt_strict):
            self.max_p += min(p.adapt_alpha, self.max_p / 4)
            return True
        if under and within(p.bottom, self.max_p, p.adapt_strict):
            self.max_p *= p.adapt_beta
            return True
        return False


def within(low, high, strict):
    return low < high if strict else low <= high


def spread(p_b, count, wait):
    """p_a from p_b: the paper's, or with `wait` ns-2's."""
    spent = count * p_b
    if not wait:
        return p_b / (1 - spent) if spent < 1 else 1.0
    if spent < 1:
        return 0.0
    return p_b / (2 - spent) if spent < 2 else 1.0


def run(arrivals, rate_bps, draws, ns3=False, **parameters):
    p = with_preset(Parameters, NS3, ns3, parameters)
    return serve(arrivals, rate_bps, RedQueue(p, rate_bps, iter(draws)))
