"""Rates of a link where its sender kept it busy: samples of the rate, in equal intervals.

While a queue stands, the link serves as fast as it can, and the bytes that leave in an interval are
a sample of its rate. Elsewhere they are what the sender offered. In captures a packet that was sent
before its forerunner had left shows the queue. Counts per interval show none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from airtcp.fitting.capacity import Ints, departures
from airtcp.fitting.rates_data import STEPS, Floats, Rates
from airtcp.measured.measurement import Packets

QUEUE_SIGN = "a packet was sent before the one ahead of it had left the queue"
ENOUGH = 0.9  # of intervals, for the rest not to matter
_PART = 0.1  # of an interval that a queue stands, for its rate then to be that of the interval
_FEW = 20  # intervals
_HELD = 8.0  # departures of an interval on average: fewer show single packets
_NOISES = 10.0  # of single delays, as long as an interval at least


@dataclass(frozen=True, eq=False)
class FilledIntervals:
    """Rates of the intervals that a queue filled, NaN in others."""

    rates: Rates

    @property
    def share(self) -> float:
        """Share of the intervals that were filled."""
        return len(self.rates.known) / len(self.rates.bps)

    @property
    def is_enough(self) -> bool:
        """True if filled intervals are so many that the others could change little."""
        return len(self.rates.known) >= _FEW and self.share >= ENOUGH


def filled_by_packets(packets: Packets) -> FilledIntervals | None:
    """The intervals of a capture in which packets waited for one another for a while.

    None where a capture is too short. The rate counts the time in which they waited. A queue runs
    empty when the link is fast, so requiring a queue all the time would leave out high rates. Gaps
    between departures in which a packet was lost are left out: it may have taken its time on the
    link, or been dropped ahead of it. A gap longer than an interval has intervals in which nothing
    left, of rate 0: the packet at its end takes the airtime of most others there.
    """
    found = departures(packets)
    if found is None:
        return None
    left = np.maximum.accumulate(found.left)
    span = float(left[-1] - left[0])
    least = max(_HELD * span / len(left), _NOISES * found.noise) / 1e6
    every = next((step for step in STEPS if step >= least), STEPS[-1]) * 1_000_000
    number = int(span // every)
    if number < _FEW:
        return None
    gap = np.diff(left)
    took = np.where(found.behind, gap, 0)
    bits = np.where(found.behind, 8.0 * np.diff(found.sums), 0.0)
    edges = left[0] + every * np.arange(number + 1, dtype=np.int64)
    busy = np.diff(np.interp(edges, left, _sums(took)))
    sent = np.diff(np.interp(edges, *_sent_after_waits(left, took, bits, every)))
    bps = np.full(number, np.nan)
    full = busy >= _PART * every
    bps[full] = 1e9 * sent[full] / busy[full]
    return FilledIntervals(Rates(every, bps))


def _sent_after_waits(left: Ints, took: Ints, bits: Floats, every: int) -> tuple[Floats, Floats]:
    """Times and the bits sent up to them: evenly within a gap, at its end if it is long."""
    short = (bits > 0.0) & (took <= every)
    long = np.flatnonzero(took > every)
    per_bit = float(np.median(took[short] / bits[short])) if short.any() else 0.0
    begins = left[1:][long] - np.minimum(per_bit * bits[long], took[long])
    sums = _sums(bits)
    times = np.insert(left.astype(np.float64), long + 1, begins)
    return times, np.insert(sums, long + 1, sums[long])


def _sums(values: Floats) -> Floats:
    found: Floats = np.concatenate([[0.0], np.cumsum(values)])
    return found
