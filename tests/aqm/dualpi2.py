"""DualPI2, RFC 9332 Appendix A, transcribed (Figures 2, 3, 5, 7 and 8; with
`passes=1`, Figures 4 and 6).

run(arrivals, rate_bps, draws=None, **parameters).

Draws: none, for recur() is deterministic; with `recur="random"` one for each
call of recur(), TRUE if u < likelihood.

Probabilities are floats, delays are seconds, (ns difference)/10^9; target,
RTT_max, minTh, range, tshift are given in ns.  The update runs at Tupdate,
2*Tupdate, ...; p' is bounded to [0, 1] (A.1, after Figure 8's text).

Choices the RFC leaves:

limit           bytes; None is 250 ms at the link's rate (Figure 2 line 5, the
                link being the fastest).
Tupdate, alpha, beta, p_Cmax   None: lines 11 to 14.  Linux: 16 ms, 0.16, 3.2.
l_delay         lq.time() at line 5b, after lq.dequeue(pkt): "packet", the
                sojourn of pkt (Note a); "head", of the packet then at the
                head, 0 if none (the letter of line 5b).
th_len_counts   lq.len() at line 5a: "after" lq.dequeue(pkt) (the letter, so
                that one more than Th_len must remain) or "before" it.
passes          2, or 1: without Th_len, overload and line 2a (the greater
                of the two delays).
scheduler       not shown in the RFC.  A function of (lq, cq, now) that returns
                "l" or "c", both being non-empty, or a name:
                "wrr_bytes"  credit c: L is served while c <= 0; an L packet
                    adds weight_c*size, a C packet takes (1-weight_c)*size.
                    The credit moves only while both queues wait, and returns
                    to credit_init when both are empty (the Linux note in A.1).
                "wrr_packets"  in each round of 1/weight_c turns, the last is
                    Classic's; turns pass only while both queues wait.
                "ts_fifo"  Figure 10, with tshift.
                "strict"  L first (not recommended; for tests).
weight_c        1/16 (A.2, end).
min_backlog     bytes; p_C and p_CL are not applied while the two queues hold
                less (before the dequeue): Linux uses 2 MTU; 0 is off.
"""

from collections.abc import Callable
from dataclasses import dataclass

from aqm.link import (
    DROP_DEQUEUE,
    DROP_ENQUEUE,
    MS,
    SECOND,
    Fifo,
    Queue,
    mark_if_capable,
    serve,
)


@dataclass
class Parameters:
    limit: int | None = None
    k: float = 2
    target: int = 15 * MS
    RTT_max: int = 100 * MS
    p_Cmax: float | None = None  # noqa: N815
    Tupdate: int | None = None
    alpha: float | None = None
    beta: float | None = None
    minTh: int = 800_000  # noqa: N815
    range: int = 400_000
    Th_len: int = 1
    p_Lmax: float = 1  # noqa: N815
    MTU: int = 1500
    scheduler: str | Callable = "wrr_bytes"
    weight_c: float = 1 / 16
    credit_init: float = 0
    tshift: int = 50 * MS
    l_delay: str = "packet"  # or "head"
    th_len_counts: str = "after"  # or "before"
    passes: int = 2  # or 1
    recur: str = "count"  # or "random"
    min_backlog: int = 0


def derive(p, rate_bps):
    """Figure 2, lines 5 and 11 to 14."""
    if p.limit is None:
        p.limit = rate_bps // 8 // 4
    if p.p_Cmax is None:
        p.p_Cmax = min(1 / p.k**2, 1)
    if p.Tupdate is None:
        p.Tupdate = min(p.target, p.RTT_max // 3)
    rtt_max = p.RTT_max / SECOND
    if p.alpha is None:
        p.alpha = 0.1 * (p.Tupdate / SECOND) / rtt_max**2
    if p.beta is None:
        p.beta = 0.3 / rtt_max
    return p


def sojourn(packet, now):
    """Seconds; 0 where there is no packet."""
    return (now - packet.tstamp) / SECOND if packet is not None else 0.0


class WrrBytes:
    def __init__(self, weight_c, credit_init):
        self.weight_c = weight_c
        self.credit_init = self.credit = credit_init

    def __call__(self, lq, cq, now):
        if self.credit <= 0:
            self.credit += self.weight_c * lq.head().size
            return "l"
        self.credit -= (1 - self.weight_c) * cq.head().size
        return "c"

    def link_idle(self):
        self.credit = self.credit_init


class WrrPackets:
    def __init__(self, weight_c):
        self.round = round(1 / weight_c)
        self.turn = 0

    def __call__(self, lq, cq, now):
        self.turn = (self.turn + 1) % self.round
        return "c" if self.turn == 0 else "l"

    def link_idle(self):
        self.turn = 0


def ts_fifo(tshift):
    """Figure 10, line 28 on."""

    def scheduler(lq, cq, now):
        l_wait, c_wait = now - lq.head().tstamp, now - cq.head().tstamp
        return "l" if l_wait + tshift >= c_wait else "c"

    return scheduler


def scheduler_of(p):
    if callable(p.scheduler):
        return p.scheduler
    return {
        "wrr_bytes": WrrBytes(p.weight_c, p.credit_init),
        "wrr_packets": WrrPackets(p.weight_c),
        "ts_fifo": ts_fifo(p.tshift),
        "strict": lambda lq, cq, now: "l",
    }[p.scheduler]


class DualPi2Queue(Queue):
    def __init__(self, p, draws):
        self.p = p
        self.draws = draws
        self.lq, self.cq = Fifo(), Fifo()
        self.lq.count = self.cq.count = 0.0
        self.scheduler = scheduler_of(p)
        self.p_prime = self.p_CL = self.p_C = 0.0
        self.prevq = 0.0
        self.tick_at = p.Tupdate

    def enqueue(self, now, pkt):
        """Figure 3"""
        if self.lq.bytes + self.cq.bytes + self.p.MTU > self.p.limit:
            pkt.fate = DROP_ENQUEUE
        elif pkt.ecn % 2 == 1:
            self.lq.push(pkt)
        else:
            self.cq.push(pkt)

    def dequeue(self, now):
        """Figure 7"""
        while self.lq.bytes + self.cq.bytes > 0:
            applied = self.lq.bytes + self.cq.bytes >= self.p.min_backlog
            if self.schedule(now) == "l":
                pkt = self.lq.pop()
                kept = self.l4s_aqm(pkt, now, applied)
            else:
                pkt = self.cq.pop()
                kept = self.classic_aqm(pkt, applied)
            if kept:
                return pkt
            pkt.fate = DROP_DEQUEUE
        if hasattr(self.scheduler, "link_idle"):
            self.scheduler.link_idle()
        return None

    def schedule(self, now):
        if not len(self.lq):
            return "c"
        if not len(self.cq):
            return "l"
        return self.scheduler(self.lq, self.cq, now)

    def l4s_aqm(self, pkt, now, applied):
        """Lines 4b to 8j; False to drop."""
        p_CL = self.p_CL if applied else 0.0
        if self.p.passes == 1 or p_CL < self.p.p_Lmax:
            p_L = max(self.native(pkt, now), p_CL)
            if self.recur(self.lq, p_L):
                mark_if_capable(pkt)
            return True
        if self.recur(self.lq, self.p_C):
            return False
        if self.recur(self.lq, p_CL):
            mark_if_capable(pkt)
        return True

    def native(self, pkt, now):
        """p'_L, lines 5a to 5d."""
        length = len(self.lq) + (self.p.th_len_counts == "before")
        if self.p.passes == 2 and length <= self.p.Th_len:
            return 0.0
        measured = pkt if self.p.l_delay == "packet" else self.lq.head()
        return self.laqm(now - measured.tstamp if measured else 0)

    def laqm(self, qdelay):
        """Figure 5, in ns."""
        if qdelay >= self.p.minTh + self.p.range:
            return 1.0
        if qdelay > self.p.minTh:
            return (qdelay - self.p.minTh) / self.p.range
        return 0.0

    def classic_aqm(self, pkt, applied):
        """Lines 11 to 17; False to drop."""
        if not applied or not self.recur(self.cq, self.p_C):
            return True
        if self.p.passes == 2 and self.p_C >= self.p.p_Cmax:
            return False
        return mark_if_capable(pkt)

    def recur(self, q, likelihood):
        if self.p.recur == "random":
            return next(self.draws) < likelihood
        q.count += likelihood
        if q.count > 1:
            q.count -= 1
            return True
        return False

    def tick(self, now):
        """Figure 8"""
        self.tick_at = now + self.p.Tupdate
        curq = sojourn(self.cq.head(), now)
        if self.p.passes == 2:
            curq = max(curq, sojourn(self.lq.head(), now))
        target = self.p.target / SECOND
        p_prime = self.p_prime + self.p.alpha * (curq - target) + self.p.beta * (curq - self.prevq)
        self.p_prime = min(max(p_prime, 0.0), 1.0)
        self.p_CL = self.p.k * self.p_prime
        self.p_C = self.p_prime**2
        self.prevq = curq


def run(arrivals, rate_bps, draws=None, **parameters):
    p = derive(Parameters(**parameters), rate_bps)
    return serve(arrivals, rate_bps, DualPi2Queue(p, iter(draws or ())))
