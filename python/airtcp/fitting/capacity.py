"""Capacity of a link by trains of packets that waited for one another.

A packet that was sent before the one ahead of it had left the queue leaves right behind it. So the
bytes of a train of such packets, divided by the time between their exits, are the rate of the link
[Dovrolis, Ramanathan and Moore, IEEE/ACM ToN 12(6), 2004]. Without such trains a record shows what
a sender offered, not what the link carries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.delay_noise import delay_noise
from airtcp.measured.measurement import ARRIVED, NO_DELAY, Packets
from airtcp.measured.runs import run_bounds

FEWEST_TRAINS = 5  # trains
SHORTEST_TRAIN, LONGEST_TRAIN = 16, 64  # packets of a train
_TRAIN_QUANTILE = 0.9  # quantile of trains: those in which not all have waited are slower
_BASE_QUANTILE = 0.01  # quantile of delays that is taken for one without a queue
_WAITING_NOISES = 4.0  # noises by which a delay is above the base for its packet to have waited
_PACE_CHANGE = 0.1  # share by which a train of a paced sender is stretched or squeezed
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Capacity:
    """Rate of a link in bit/s, with the 5 and 95 % quantiles of the rates of its trains.

    `rate` is the 90 % quantile: trains in which not all packets waited are slower than the link.
    """

    rate: float
    low: float
    high: float
    trains: int


@dataclass(frozen=True, eq=False)
class Departures:
    """Packets whose delay is known, as they left the queue.

    - `place`: places in the record; `left`: times of leaving (ns, plus the delay behind the queue);
    - `sums`: bytes sent up to each one, packets of unknown delay included;
    - `behind`: for each packet but the first, true if it waited for the one before, and nothing
      between them was lost;
    - `noise`: standard deviation of single delays, ns, from differences of neighbours.
    """

    place: Ints
    left: Ints
    sums: Ints
    behind: NDArray[np.bool_]
    noise: float


def departures(packets: Packets) -> Departures | None:
    """Departures from the queue; None for a record without times or with few delays."""
    chosen = (packets.fate == ARRIVED) & (packets.delay != NO_DELAY) & (packets.size > 0)
    place = np.flatnonzero(chosen)
    if not packets.is_time_measured or len(place) <= FEWEST_TRAINS * SHORTEST_TRAIN:
        return None
    time, delay = packets.time[place], packets.delay[place]
    left = time + delay
    queued = (delay - np.quantile(delay, _BASE_QUANTILE)).astype(np.int64)
    noise = delay_noise(delay)
    behind = (queued[:-1] > np.diff(time)) & (queued[1:] > _WAITING_NOISES * noise)
    gone = np.cumsum(packets.fate != ARRIVED)[place]
    behind &= (np.diff(gone) == 0) & (np.diff(left) >= 0)
    sums = np.cumsum(packets.size, dtype=np.int64)[place]
    return Departures(place, left, sums, behind, noise)


def estimate_capacity(packets: Packets, *, paced: bool = False) -> Capacity | None:
    """The capacity that packets show; None where too few waited.

    `paced`: true for a sender that no acknowledgements clock. A delay that changed elsewhere then
    looks like a queue, so only trains that the link stretched or squeezed count.
    """
    found = departures(packets)
    if found is None:
        return None
    first, last = _trains(found.behind)
    took = (found.left[last] - found.left[first]).astype(np.float64)
    bits = 8.0 * (found.sums[last] - found.sums[first])
    good = (took > 0.0) & (found.place[last] - found.place[first] >= SHORTEST_TRAIN)
    if paced:
        time = packets.time[found.place]
        offered = (time[last] - time[first]).astype(np.float64)
        good &= np.abs(took - offered) > _PACE_CHANGE * np.maximum(took, offered)
    rates = bits[good] / took[good] * 1e9
    if len(rates) < FEWEST_TRAINS:
        return None
    low, rate, high = (
        float(quantile) for quantile in np.quantile(rates, [0.05, _TRAIN_QUANTILE, 0.95])
    )
    return Capacity(rate, low, high, len(rates))


def _trains(behind: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """First and last places of trains; long trains are cut into pieces.

    `behind`: for each packet but the first, true if it waited for the one before.
    """
    first, last = run_bounds(behind)
    pieces = (last - first + LONGEST_TRAIN - 1) // LONGEST_TRAIN
    start = np.repeat(first, pieces)
    nth = np.arange(len(start)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    start = start + nth * LONGEST_TRAIN
    end = np.minimum(start + LONGEST_TRAIN, np.repeat(last, pieces))
    return start, end
