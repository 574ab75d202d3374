"""Named arrival processes, each the same at every call.

PROCESSES[name]() -> (rate_bps, [Arrival, ...]); names() lists them.

Times are integer ns and odd, and arrival i is at 2i+1 modulo the time of
`grid_bytes` on the link, which divides every size of the process.  An end of
transmission is congruent to the start of its busy period, and no two arrivals
of a process are congruent, so the two never fall together, whatever the queue
does.  Periodic updates at a whole number of us are at even times, where
neither falls.
"""

import math
import random
from functools import partial

from aqm.link import CE, ECT0, ECT1, NOT_ECT, SECOND, Arrival, transmission_ns

MBIT = 1_000_000

FULL = ((1500, 1),)
SMALL = ((40, 1),)
INTERNET = ((40, 5), (100, 1), (580, 2), (1500, 6))
FAST_MIX = ((100, 5), (300, 1), (600, 2), (1500, 6))
VOICE_AND_BULK = ((200, 3), (1500, 2))
THREE = ((300, 1), (900, 1), (1500, 1))

SPARSE = ((40, 1), (80, 1), (120, 1), (160, 1), (200, 1))
SPARSE_100 = ((100, 1), (200, 1))

NOT_CAPABLE = ((NOT_ECT, 1),)
CLASSIC = ((NOT_ECT, 1), (ECT0, 1))
ALL_ECT0 = ((ECT0, 1),)
L4S_HALF = ((NOT_ECT, 1), (ECT1, 1))
EVERY_CODE = ((NOT_ECT, 4), (ECT0, 3), (ECT1, 3), (CE, 1))


def pick(rng, weighted):
    values, weights = zip(*weighted, strict=False)
    return rng.choices(values, weights)[0]


def grid_bytes(packets, rate_bps):
    """The least divisor of all sizes whose time has an odd residue for each
    packet."""
    greatest = math.gcd(*(packet[1] for packet in packets))
    for divisor in range(1, greatest + 1):
        if greatest % divisor == 0 and transmission_ns(divisor, rate_bps) >= 2 * len(packets):
            return divisor
    raise ValueError("too many packets for the sizes: ties are possible")


def off_grid(packets, rate_bps):
    """The times as odd integers, the i-th at 2i+1 modulo the grid's time."""
    modulus = transmission_ns(grid_bytes(packets, rate_bps), rate_bps)
    last, out = 0, []
    for index, packet in enumerate(packets):
        residue = (2 * index + 1) % modulus
        least = max(int(packet[0]), last + 1)
        last = least + (residue - least) % modulus
        out.append(last)
    return out


class Draft:
    """The random parts of one process."""

    def __init__(self, name, rate_mbit, sizes, flows, ecn, per_flow_ecn=True):  # noqa: PLR0917
        self.rng = random.Random(f"airtcp arrivals {name}")
        self.rate_bps = rate_mbit * MBIT
        self.sizes = sizes
        self.flows = flows
        self.ecn = ecn
        self.ecn_of = [pick(self.rng, ecn) for _ in range(flows)]
        self.per_flow_ecn = per_flow_ecn
        self.packets = []  # (ns, size, flow, ecn)

    def mean_ns(self, load):
        """Between arrivals, for `load` times the link's rate."""
        weight = sum(w for _, w in self.sizes)
        mean = sum(size * w for size, w in self.sizes) / weight
        return mean * 8 * SECOND / self.rate_bps / load

    def add(self, time, flow=None, size=None):
        flow = self.rng.randrange(self.flows) if flow is None else flow
        size = pick(self.rng, self.sizes) if size is None else size
        ecn = self.ecn_of[flow] if self.per_flow_ecn else pick(self.rng, self.ecn)
        self.packets.append((time, size, flow, ecn))

    def finish(self):
        self.packets.sort(key=lambda packet: packet[0])
        times = off_grid(self.packets, self.rate_bps)
        rest = (packet[1:] for packet in self.packets)
        return self.rate_bps, [Arrival(t, *r) for t, r in zip(times, rest, strict=False)]


def constant(draft, n, load):
    for i in range(n):
        draft.add(i * draft.mean_ns(load))


def poisson(draft, n, load):
    time = 0.0
    for _ in range(n):
        time += draft.rng.expovariate(1 / draft.mean_ns(load))
        draft.add(time)


def bursts(draft, n, burst, load):
    """`burst` packets at once, at random times, `load` in the mean."""
    time = 0.0
    for i in range(n):
        if i % burst == 0:
            time += draft.rng.expovariate(1 / (draft.mean_ns(load) * burst))
            flow = draft.rng.randrange(draft.flows)
        draft.add(time, flow)


def on_off(draft, n, load, on_ms, off_ms):
    """Poisson at `load` for on_ms, nothing for off_ms, and so on."""
    active = 0.0
    for _ in range(n):
        active += draft.rng.expovariate(1 / draft.mean_ns(load))
        gaps = int(active // (on_ms * 1e6))
        draft.add(active + gaps * off_ms * 1e6)


def ramp(draft, n, first, last):
    """The load goes in a line from `first` to `last` over the n arrivals."""
    time = 0.0
    for i in range(n):
        load = first + (last - first) * i / n
        time += draft.rng.expovariate(1 / draft.mean_ns(load))
        draft.add(time)


def triangle(draft, n, low, high, period):
    """The load goes up and down between `low` and `high`, by arrivals."""
    time = 0.0
    for i in range(n):
        phase = abs((i / period) % 2 - 1)
        load = high - (high - low) * phase
        time += draft.rng.expovariate(1 / draft.mean_ns(load))
        draft.add(time)


def slow_start(draft, n, rtt_ms, top):
    """Windows that double every RTT up to `top` packets, then start again."""
    window, start = 2, 0.0
    while len(draft.packets) < n:
        flow = draft.rng.randrange(draft.flows)
        for i in range(min(window, n - len(draft.packets))):
            draft.add(start + i * draft.mean_ns(4.0), flow)
        window = 2 * window if window < top else 2
        start += rtt_ms * 1e6 * draft.rng.uniform(0.95, 1.05)


def sawtooths(draft, n, rtt_ms, base, top):
    """Each flow's window grows by one an RTT from base to top and halves."""
    windows = [draft.rng.randrange(base, top) for _ in range(draft.flows)]
    starts = [draft.rng.uniform(0, rtt_ms * 1e6) for _ in range(draft.flows)]
    while len(draft.packets) < n:
        flow = min(range(draft.flows), key=starts.__getitem__)
        for i in range(windows[flow]):
            draft.add(starts[flow] + i * draft.mean_ns(2.0), flow)
        windows[flow] = windows[flow] + 1 if windows[flow] < top else base
        starts[flow] += rtt_ms * 1e6
    del draft.packets[n:]


def unequal(draft, n, loads):
    """Flow f is Poisson at loads[f] of the link."""
    times = [0.0] * len(loads)
    for _ in range(n):
        flow = min(range(len(loads)), key=times.__getitem__)
        draft.add(times[flow], flow)
        times[flow] += draft.rng.expovariate(1 / draft.mean_ns(loads[flow]))


def bulk_and_sparse(draft, n, load, sparse_ms, sparse=SPARSE):
    """Flow 0 at `load`; each other flow sends a `sparse` packet every sparse_ms."""
    time = 0.0
    due = [
        draft.rng.uniform(0, sparse_ms * 1e6) if flow else math.inf for flow in range(draft.flows)
    ]
    while len(draft.packets) < n:
        time += draft.rng.expovariate(1 / draft.mean_ns(load))
        while min(due) < time:
            flow = due.index(min(due))
            draft.add(due[flow], flow, pick(draft.rng, sparse))
            due[flow] += sparse_ms * 1e6 * draft.rng.uniform(0.9, 1.1)
        draft.add(time, 0)
    del draft.packets[n:]


def heavy_tail(draft, n, load):
    """Pareto gaps (shape 1.5): long silences among close packets."""
    for time in pareto_times(draft, n, load):
        draft.add(time)


def pareto_times(draft, n, load):
    time = 0.0
    for _ in range(n):
        time += draft.mean_ns(load) / 3 * draft.rng.paretovariate(1.5)
        yield time


def overload_then_idle(draft, n, load, offs_ms):
    """Overload periods with silences of the given lengths between them."""
    per_period = n // (len(offs_ms) + 1)
    time, sent = 0.0, 0
    for off in (*offs_ms, 0):
        last = sent + per_period if off else n
        while sent < last:
            time += draft.rng.expovariate(1 / draft.mean_ns(load))
            draft.add(time)
            sent += 1
        time += off * 1e6


# name: (rate in Mbit/s, sizes, flows, ECN, process, its arguments)
TABLE = {
    # Constant rate
    "constant_1m": (1, FULL, 1, NOT_CAPABLE, constant, (2000, 1.3)),
    "constant_2m": (2, FULL, 1, CLASSIC, constant, (2000, 1.2)),
    "constant_5m": (5, FULL, 4, CLASSIC, constant, (4000, 1.1)),
    "constant_10m": (10, FULL, 1, NOT_CAPABLE, constant, (6000, 1.5)),
    "constant_20m": (20, FULL, 8, EVERY_CODE, constant, (8000, 2.0)),
    "constant_50m": (50, FULL, 1, NOT_CAPABLE, constant, (10000, 1.1)),
    "constant_100m": (100, FULL, 16, CLASSIC, constant, (10000, 1.2)),
    "constant_full": (10, FULL, 1, NOT_CAPABLE, constant, (5000, 1.0)),
    "constant_ect0": (10, FULL, 2, ALL_ECT0, constant, (6000, 1.4)),
    # Poisson, under and over the link's rate
    "poisson_under": (10, INTERNET, 4, CLASSIC, poisson, (5000, 0.8)),
    "poisson_critical": (10, INTERNET, 8, CLASSIC, poisson, (8000, 1.0)),
    "poisson_1m": (1, INTERNET, 2, CLASSIC, poisson, (2000, 1.2)),
    "poisson_2m": (2, INTERNET, 4, EVERY_CODE, poisson, (3000, 1.3)),
    "poisson_5m": (5, THREE, 5, L4S_HALF, poisson, (5000, 1.25)),
    "poisson_10m": (10, INTERNET, 10, EVERY_CODE, poisson, (8000, 1.15)),
    "poisson_20m": (20, FAST_MIX, 16, CLASSIC, poisson, (10000, 1.2)),
    "poisson_20m_tiny": (20, INTERNET, 16, EVERY_CODE, poisson, (4000, 1.2)),
    "poisson_50m": (50, FAST_MIX, 32, EVERY_CODE, poisson, (8000, 1.3)),
    "poisson_100m": (100, FULL, 32, L4S_HALF, poisson, (10000, 1.5)),
    "poisson_flood": (10, FULL, 3, NOT_CAPABLE, poisson, (8000, 4.0)),
    "poisson_small": (2, SMALL, 4, CLASSIC, poisson, (10000, 1.2)),
    # Bursts
    "bursts_10": (10, FULL, 4, CLASSIC, bursts, (5000, 10, 0.7)),
    "bursts_50": (20, FULL, 8, EVERY_CODE, bursts, (8000, 50, 0.8)),
    "bursts_200": (50, FULL, 8, CLASSIC, bursts, (10000, 200, 0.9)),
    "bursts_over": (10, INTERNET, 6, L4S_HALF, bursts, (6000, 30, 1.3)),
    "bursts_1m": (1, THREE, 3, CLASSIC, bursts, (2000, 16, 1.0)),
    "bursts_small": (5, VOICE_AND_BULK, 32, EVERY_CODE, bursts, (6000, 8, 1.1)),
    "bursts_100m": (100, FAST_MIX, 32, CLASSIC, bursts, (4000, 500, 0.9)),
    # On and off
    "on_off_short": (10, FULL, 2, CLASSIC, on_off, (5000, 1.6, 50, 20)),
    "on_off_long": (10, FULL, 4, CLASSIC, on_off, (6000, 2.0, 500, 800)),
    "on_off_mixed": (20, FAST_MIX, 8, EVERY_CODE, on_off, (10000, 1.8, 200, 150)),
    "on_off_1m": (1, FULL, 2, NOT_CAPABLE, on_off, (2000, 2.0, 1000, 700)),
    "on_off_interval": (10, FULL, 1, ALL_ECT0, on_off, (5000, 1.4, 130, 60)),
    "on_off_100m": (100, FULL, 16, L4S_HALF, on_off, (10000, 1.5, 80, 30)),
    "idle_lengths": (
        10,
        FULL,
        4,
        CLASSIC,
        overload_then_idle,
        (8000, 1.5, (1, 10, 100, 400, 1600, 2500, 5000)),
    ),
    "idle_lengths_mixed": (
        5,
        INTERNET,
        6,
        EVERY_CODE,
        overload_then_idle,
        (8000, 1.8, (5, 50, 90, 500, 1700, 3000)),
    ),
    # Ramps
    "ramp_up": (10, FULL, 2, CLASSIC, ramp, (6000, 0.5, 2.0)),
    "ramp_down": (10, FULL, 2, CLASSIC, ramp, (6000, 2.0, 0.5)),
    "ramp_up_50m": (50, FAST_MIX, 12, EVERY_CODE, ramp, (8000, 0.6, 1.6)),
    "ramp_down_2m": (2, THREE, 3, L4S_HALF, ramp, (4000, 1.8, 0.4)),
    "triangle": (20, FULL, 4, CLASSIC, triangle, (10000, 0.6, 1.6, 1500)),
    "triangle_fast": (10, INTERNET, 8, EVERY_CODE, triangle, (8000, 0.4, 2.0, 400)),
    # Slow start and congestion avoidance in shape
    "slow_start_1": (10, FULL, 1, NOT_CAPABLE, slow_start, (5000, 40, 512)),
    "slow_start_8": (20, FULL, 8, CLASSIC, slow_start, (8000, 80, 1024)),
    "slow_start_l4s": (50, FULL, 4, L4S_HALF, slow_start, (10000, 20, 1024)),
    "slow_start_2m": (2, FULL, 2, CLASSIC, slow_start, (2000, 100, 128)),
    "sawtooths_4": (10, FULL, 4, CLASSIC, sawtooths, (8000, 50, 8, 20)),
    "sawtooths_16": (50, FULL, 16, EVERY_CODE, sawtooths, (10000, 60, 10, 30)),
    "sawtooths_l4s": (20, FULL, 6, L4S_HALF, sawtooths, (10000, 30, 6, 14)),
    # Flows of different kinds
    "unequal_2": (10, FULL, 2, CLASSIC, unequal, (6000, (1.0, 0.3))),
    "unequal_8": (
        20,
        FAST_MIX,
        8,
        EVERY_CODE,
        unequal,
        (10000, (1.0, 0.5, 0.25, 0.12, 0.06, 0.03, 0.02, 0.01)),
    ),
    "unequal_sizes": (5, THREE, 4, L4S_HALF, unequal, (5000, (0.6, 0.4, 0.3, 0.2))),
    "bulk_and_voice": (10, FULL, 6, CLASSIC, bulk_and_sparse, (8000, 1.4, 20)),
    "bulk_and_dns": (2, FULL, 32, EVERY_CODE, bulk_and_sparse, (4000, 1.3, 300)),
    "bulk_and_game": (50, FULL, 8, L4S_HALF, bulk_and_sparse, (8000, 1.2, 5, SPARSE_100)),
    # Heavy tails, and one code point per packet rather than per flow
    "heavy_tail": (10, INTERNET, 8, CLASSIC, heavy_tail, (8000, 1.1)),
    "heavy_tail_100m": (100, FAST_MIX, 24, EVERY_CODE, heavy_tail, (4000, 1.3)),
    "mixed_codes": (10, INTERNET, 8, EVERY_CODE, poisson, (8000, 1.4)),
    "mixed_codes_5m": (5, FULL, 3, L4S_HALF, poisson, (4000, 1.2)),
}

CODE_PER_PACKET = {"mixed_codes", "mixed_codes_5m"}


def make(name):
    rate, sizes, flows, ecn, process, arguments = TABLE[name]
    draft = Draft(name, rate, sizes, flows, ecn, name not in CODE_PER_PACKET)
    process(draft, *arguments)
    return draft.finish()


PROCESSES = {name: partial(make, name) for name in TABLE}


def names():
    return list(TABLE)


def draws(name, stream="draws"):
    """Endless uniforms in [0, 1) for one process."""
    rng = random.Random(f"airtcp {stream} {name}")
    while True:
        yield rng.random()
