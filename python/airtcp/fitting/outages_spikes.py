"""Delay spikes in records of packets: times in which a link held everything, and then let it go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from airtcp.fitting.outages_runs import Ints
from airtcp.measured.measurement import NO_DELAY, Packets

_FEWEST_HELD_PACKETS = 3  # packets that were held together
_FALL_SHARE = 0.75  # of the time passed by which the delay must fall from packet to packet
_LEAST_SPIKE_NS = 100_000_000  # ns
_HEIGHT_IN_WIDTHS = 5.0  # of the body of delays, by which a spike is above it


@dataclass(frozen=True)
class SpikeRule:
    """The rule for spikes among excursions of the delay.

    The delay jumps, from one packet to the next, from its body (below `high`, ns) to above it. Then
    it falls, over at least three packets and down to the body, by at least three quarters of the
    time that has passed, give or take the width of the body: the packets were held, and arrived
    together. Queues fill step by step, and do not show this. `body`: the median delay.
    """

    body: int
    high: int

    @property
    def sentence(self) -> str:
        """The rule as a sentence of an answer."""
        return (
            f"spikes are jumps of the delay above {self.high / 1e6:.4g} ms, followed by at least"
            f" {_FEWEST_HELD_PACKETS} packets whose delay falls as fast as time passes"
        )

    def places(self, packets: Packets) -> Ints:
        """Spikes as rows of places: the first packet held, and the one after the last."""
        known = np.flatnonzero(packets.delay != NO_DELAY)
        delay, time = packets.delay[known], packets.time[known]
        if len(known) < _FEWEST_HELD_PACKETS + 1:
            return np.empty((0, 2), dtype=np.int64)
        above = delay > self.high
        found = []
        for start in np.flatnonzero(above[1:] & ~above[:-1]) + 1:
            stop = int(start) + int(np.argmin(above[start:])) if not above[start:].all() else None
            if stop is None or stop - start < _FEWEST_HELD_PACKETS:
                continue
            held = slice(start, stop)
            line = delay[start] - _FALL_SHARE * (time[held] - time[start])
            if (delay[held] <= line + (self.high - self.body) / _HEIGHT_IN_WIDTHS).all():
                found.append((known[start], known[stop - 1] + 1))
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    def spans(self, packets: Packets) -> Ints:
        """Spikes as rows of start and end in ns.

        A spike is taken to begin half-way between the first packet held and the one before it. It
        ends when that first packet is released, which is the usual delay before its arrival.
        """
        places = self.places(packets)
        first = places[:, 0]
        time = np.asarray(packets.time, dtype=np.int64)
        start = (time[np.maximum(first - 1, 0)] + time[first]) // 2
        end = time[first] + packets.delay[first] - self.body
        return np.column_stack([start, end]).astype(np.int64)


def spike_rule(pieces: Sequence[Packets]) -> SpikeRule | None:
    """The rule for these delays; None without delays."""
    delay = np.concatenate([piece.delay[piece.delay != NO_DELAY] for piece in pieces])
    if not delay.size:
        return None
    body, upper = np.quantile(delay, (0.5, 0.9))
    return SpikeRule(
        int(body), int(body + max(_HEIGHT_IN_WIDTHS * (upper - body), float(_LEAST_SPIKE_NS)))
    )
