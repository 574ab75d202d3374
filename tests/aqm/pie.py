"""PIE, RFC 8033, transcribed: Appendix A (basic) and B (enhanced).

run(arrivals, rate_bps, draws, ns3=False, **parameters).

Draws: one per call of random() in drop_early, that is
    A: one for each arrival with burst_allowance == 0 that passes the
       work-conserving safeguard (no draw for a tail drop);
    B: one for each arrival, PIE being active, that passes the safeguard and
       has 0.85 <= accu_prob < 8.5 (also while burst_allowance > 0, for B
       calls drop_early before it looks at the allowance).
    draw_first=True: one for each arrival with burst_allowance == 0, before
       the safeguard.
A packet is chosen if u < drop_prob (`u_inclusive`: u <= drop_prob, ns-3).

Delays are seconds, (ns difference)/10^9; times and the allowance are ns.

`appendix="A"` or `"B"` sets the fields that are None:

cap_drop            5.5, p <= 0.02 where drop_prob >= 0.1.    A off, B on
derandomize         5.4.                                      A off, B on
active_inactive     5.3.                                      A off, B on
rate_estimation     5.2, the delay from the departure rate.   A off, B on
decay_below_half    decay by 0.98 when both delays are under QDELAY_REF/2
                    (B), rather than both 0 (A).              A off, B on
unit                of `limit`, the tail drop.  The RFC's are bytes.

Choices the RFC leaves, and departures (`ns3=True` turns on all of `NS3`):

ecn                 MAY (5.1).  A marked packet is enqueued; B's text does not
                    say so.  ecn with A is 5.1's.
accu_reset_on_mark  B resets accu_prob after a mark too (as C would read its
                    braces); its indentation says both.
early_resets_accu   B's drop_early sets accu_prob = 0 at a random DROP, whatever
                    enque then does with it; with both off, a mark leaves
                    accu_prob as it is (ns-3).
deactivates         B's enque tests "drop_prob, qdelay_old and current_qdelay
                    all 0" after the activation, in the same call: "letter".
                    All three are still 0 then, so with rate_estimation PIE
                    never stays active.  "at_update": the test is made at the
                    end of each update instead.
burst_reset         A tests "drop_prob == 0 and both delays < QDELAY_REF/2"
                    "before" the drop test; section 4.4 "after" it.  "never",
                    with burst_states: ns-3.
empty_resets_delay  current_qdelay = 0 when a dequeue leaves the queue empty
                    (ns-3); A keeps the last packet's delay.
first_update        ns of the first calculate_drop_prob (None: t_update; ns-3's
                    is at 0, where it changes nothing).
safeguard           "bytes": byte_length <= 2*mean_pktsize; "packets": at most
                    2 packets (ns-3, with a limit in packets).
burst_holds_zero    drop_prob is set to 0 at an update with allowance left
                    (ns-3).
burst_states        ns-3's: the allowance begins at 0, is filled by the first
                    arrival (in state NO_BURST), and again only after more than
                    1.5 s of calm updates (drop_prob 0, allowance spent, both
                    delays < QDELAY_REF/2), with burst_reset="never".
byte_mode           drop_prob is scaled by size/mean_pktsize (the comment in
                    B's drop_early allows it; ns-3, with a limit in bytes).
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
    qdelay_ref: int = 15 * MS
    max_burst: int = 150 * MS
    alpha: float = 0.125
    beta: float = 1.25
    t_update: int = 15 * MS
    mean_pktsize: int = 1000  # the RFC gives no value
    limit: int = 1000
    limit_unit: str = "packets"  # or "bytes"
    ecn: bool = False
    mark_ecnth: float = 0.1
    dq_threshold: int = 1 << 14
    appendix: str = "A"  # or "B"
    cap_drop: bool | None = None
    derandomize: bool | None = None
    active_inactive: bool | None = None
    rate_estimation: bool | None = None
    decay_below_half: bool | None = None
    accu_reset_on_mark: bool = True
    early_resets_accu: bool = True
    deactivates: str = "letter"  # or "at_update"
    burst_reset: str = "before"  # or "after", "never"
    empty_resets_delay: bool = False
    first_update: int | None = None  # t_update
    safeguard: str = "bytes"  # or "packets"
    draw_first: bool = False
    u_inclusive: bool = False
    burst_holds_zero: bool = False
    burst_states: bool = False
    byte_mode: bool = False

    def __post_init__(self):
        for name in (
            "cap_drop",
            "derandomize",
            "active_inactive",
            "rate_estimation",
            "decay_below_half",
        ):
            if getattr(self, name) is None:
                setattr(self, name, self.appendix == "B")
        if self.first_update is None:
            self.first_update = self.t_update


NS3 = {
    "appendix": "A",
    "cap_drop": True,
    "burst_reset": "never",
    "empty_resets_delay": True,
    "safeguard": "packets",
    "u_inclusive": True,
    "burst_holds_zero": True,
    "burst_states": True,
    "accu_reset_on_mark": False,
    "early_resets_accu": False,
}

# 4.2: below this drop_prob, p is divided by that.
AUTOTUNE = (
    (0.000001, 2048),
    (0.00001, 512),
    (0.0001, 128),
    (0.001, 32),
    (0.01, 8),
    (0.1, 2),
)


def autotuned(p, drop_prob):
    for below, divisor in AUTOTUNE:
        if drop_prob < below:
            return p / divisor
    return p


class RateEstimator:
    """B's deque(): the time to drain DQ_THRESHOLD bytes, averaged."""

    def __init__(self, threshold):
        self.threshold = threshold
        self.restart(0)
        self.in_measurement = False

    def restart(self, now):
        self.in_measurement = True
        self.dq_count = 0
        self.avg_dq_time = 0.0  # seconds
        self.measurement_start = now

    def departed(self, now, size, bytes_left):
        if self.in_measurement:
            self.dq_count += size
            if self.dq_count >= self.threshold:
                self.sample((now - self.measurement_start) / SECOND)
                self.in_measurement = False
        if bytes_left >= self.threshold and not self.in_measurement:
            self.in_measurement = True
            self.measurement_start = now
            self.dq_count = 0

    def sample(self, dq_time):
        if self.avg_dq_time == 0:
            self.avg_dq_time = dq_time
        else:
            weight = self.threshold / 2**16
            self.avg_dq_time = dq_time * weight + self.avg_dq_time * (1 - weight)

    def delay(self, bytes_):
        return bytes_ * self.avg_dq_time / self.threshold


class BurstStates:
    """ns-3's: when the allowance is renewed."""

    NO_BURST, IN_BURST_PROTECTING, IN_BURST = range(3)
    RESET_SECONDS = 1.5

    def __init__(self, t_update):
        self.state = self.NO_BURST
        self.calm = 0
        self.calm_needed = int(self.RESET_SECONDS / (t_update / SECOND))

    def renew(self):
        """True if the spent allowance is filled again."""
        if self.state != self.NO_BURST:
            return False
        self.state = self.IN_BURST_PROTECTING
        return True

    def update(self, calm):
        if not calm:
            if self.state == self.IN_BURST:
                self.calm = 0
        elif self.state == self.IN_BURST_PROTECTING:
            self.state = self.IN_BURST
            self.calm = 0
        elif self.state == self.IN_BURST:
            self.calm += 1
            if self.calm > self.calm_needed:
                self.calm = 0
                self.state = self.NO_BURST


class PieQueue(Queue):
    def __init__(self, p, draws):
        self.p = p
        self.draws = draws
        self.fifo = Fifo()
        self.ref = p.qdelay_ref / SECOND
        self.active = not p.active_inactive
        self.burst_allowance = 0 if p.burst_states else p.max_burst
        self.drop_prob = 0.0
        self.accu_prob = 0.0
        self.qdelay_old = 0.0
        self.current_qdelay = 0.0
        self.last_timestamp = 0
        self.rate = RateEstimator(p.dq_threshold)
        self.bursts = BurstStates(p.t_update)
        self.tick_at = p.first_update

    # Arrival

    def enqueue(self, now, packet):
        if self.fifo.full_for(packet, self.p.limit, self.p.limit_unit):
            packet.fate = DROP_ENQUEUE
            self.accu_prob = 0.0
        else:
            self.admit(packet)
        if self.p.active_inactive:
            self.switch_active(now)

    def admit(self, packet):
        if self.p.burst_reset == "before" and not self.p.active_inactive:
            self.renew_burst_allowance()
        if self.chosen(packet):
            self.signal(packet)
        else:
            self.fifo.push(packet)
        if self.p.burst_reset == "after" and not self.p.active_inactive:
            self.renew_burst_allowance()

    def renew_burst_allowance(self):
        if self.drop_prob == 0 and self.calm():
            self.burst_allowance = self.p.max_burst

    def calm(self):
        half = self.ref / 2
        return self.current_qdelay < half and self.qdelay_old < half

    def chosen(self, packet):
        if self.p.appendix == "B":
            return self.active and self.drop_early(packet) and self.burst_allowance == 0
        if self.burst_allowance > 0:
            return False
        if self.p.burst_states and self.bursts.renew():
            self.burst_allowance = self.p.max_burst
        return self.drop_early(packet)

    def signal(self, packet):
        may_mark = self.p.ecn and self.drop_prob < self.p.mark_ecnth
        if may_mark and mark_if_capable(packet):
            self.fifo.push(packet)
            if self.p.accu_reset_on_mark:
                self.accu_prob = 0.0
        else:
            packet.fate = DROP_ENQUEUE
            self.accu_prob = 0.0

    def drop_early(self, packet):
        u = next(self.draws) if self.p.draw_first else None
        if self.work_conserving():
            return False
        if self.p.derandomize:
            return self.derandomized(packet, u)
        return self.coin(packet, u)

    def work_conserving(self):
        if self.qdelay_old < self.ref / 2 and self.drop_prob < 0.2:
            return True
        if self.p.safeguard == "packets":
            return len(self.fifo) <= 2
        return self.fifo.bytes <= 2 * self.p.mean_pktsize

    def derandomized(self, packet, u):
        """B's drop_early, from "Random drop"."""
        if self.drop_prob == 0:
            self.accu_prob = 0.0
        self.accu_prob += self.drop_prob
        if self.accu_prob < 0.85:
            return False
        if self.accu_prob >= 8.5:
            return True
        if self.coin(packet, u):
            if self.p.early_resets_accu:
                self.accu_prob = 0.0
            return True
        return False

    def coin(self, packet, u):
        if u is None:
            u = next(self.draws)
        prob = self.drop_prob
        if self.p.byte_mode:
            prob = prob * packet.size / self.p.mean_pktsize
        return u <= prob if self.p.u_inclusive else u < prob

    def switch_active(self, now):
        """B's enque, its last two paragraphs; 5.3."""
        third = self.p.limit / 3
        length = self.fifo.bytes if self.p.limit_unit == "bytes" else len(self.fifo)
        if not self.active and length >= third:
            self.active = True
            self.qdelay_old = 0.0
            self.drop_prob = 0.0
            self.rate.restart(now)
            self.last_timestamp = now
            self.burst_allowance = self.p.max_burst
            self.accu_prob = 0.0
        if self.p.deactivates == "letter":
            self.deactivate_if_idle()

    def deactivate_if_idle(self):
        if self.drop_prob == 0 and self.qdelay_old == 0 and self.current_qdelay == 0:
            self.active = False
            self.rate.in_measurement = False

    # Departure

    def dequeue(self, now):
        packet = self.fifo.pop()
        if packet is None:
            return None
        if self.p.rate_estimation:
            self.rate.departed(now, packet.size, self.fifo.bytes)
        else:
            self.current_qdelay = (now - packet.tstamp) / SECOND
            if self.p.empty_resets_delay and not len(self.fifo):
                self.current_qdelay = 0.0
        return packet

    # Update

    def tick(self, now):
        self.tick_at = now + self.p.t_update
        due = self.active and now - self.last_timestamp >= self.p.t_update
        if due or not self.p.active_inactive:
            self.calculate_drop_prob(now)

    def calculate_drop_prob(self, now):
        if self.p.rate_estimation:
            self.current_qdelay = self.rate.delay(self.fifo.bytes)
        if self.p.burst_holds_zero and self.burst_allowance > 0:
            self.drop_prob, p = 0.0, 0.0
        else:
            p = self.adjustment()
        self.drop_prob += p
        if self.decays():
            self.drop_prob *= 0.98
        self.drop_prob = min(max(self.drop_prob, 0.0), 1.0)
        self.burst_allowance = max(0, self.burst_allowance - self.p.t_update)
        if self.p.burst_states:
            calm = self.calm() and self.drop_prob == 0 and self.burst_allowance == 0
            self.bursts.update(calm)
        self.qdelay_old = self.current_qdelay
        self.last_timestamp = now
        if self.p.active_inactive and self.p.deactivates == "at_update":
            self.deactivate_if_idle()

    def adjustment(self):
        """4.2, 5.5"""
        p = self.p.alpha * (self.current_qdelay - self.ref) + self.p.beta * (
            self.current_qdelay - self.qdelay_old
        )
        p = autotuned(p, self.drop_prob)
        if self.p.cap_drop and self.drop_prob >= 0.1 and p > 0.02:
            p = 0.02
        return p

    def decays(self):
        if self.p.decay_below_half:
            return self.calm()
        return self.current_qdelay == 0 and self.qdelay_old == 0


def run(arrivals, rate_bps, draws, ns3=False, **parameters):
    p = with_preset(Parameters, NS3, ns3, parameters)
    return serve(arrivals, rate_bps, PieQueue(p, iter(draws)))
