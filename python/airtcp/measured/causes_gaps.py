"""Gaps that lost packets leave in the arrivals of others.

Behind a busy bottleneck packets follow one another by the time that each takes to be sent. One that
the link lost had been sent, and leaves a gap as long as itself; one that a queue dropped leaves
none [biaz1999].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.measurement import ARRIVED, LOST, UNKNOWN, Packets

# A gap is the time between two arrivals beyond that of what arrived, in units of what was lost.
_ENDS = (-1.0, -0.25, 0.25, 0.5, 0.75, 1.25, 2.0, 4.0)  # between kinds of gaps
UNSEEN = len(_ENDS) + 1  # kind of gaps that are not known
KINDS = UNSEEN + 1
NO_GAP = (1, 2, 3)  # kinds of gaps shorter than half of what was lost
_CLOSE = 2  # kind of gaps shorter than a quarter of what was lost
_ALONE = 0.62  # share of such gaps from which on a flow has a bottleneck alone
_NEAR = 3  # packets before and behind one, within which arrivals must be known
_BUSY = 0.75  # quantile of delays from which on the bottleneck is taken to be busy
_FEWEST = 50  # neighbouring arrivals that show how fast it is
_ROUND = 1.3  # round trips in which a loss is repaired

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Gaps:
    """Gaps of some packets by their kind; True where an earlier loss was being repaired then.

    A receiver may hold back ACKs meanwhile, so gaps are less informative then.
    """

    kind: NDArray[np.int64]
    repairing: NDArray[np.bool_]


class Arrivals:
    """The arrivals that ACKs show, and the gaps between them."""

    def __init__(self, packets: Packets, measured: NDArray[Any]) -> None:
        """Packets, and the places of those with a delay."""
        self.packets = packets
        size = packets.size.astype(np.float64)
        arrived, self.lost = packets.fate == ARRIVED, np.flatnonzero(packets.fate == LOST)
        self.size = size
        self.served = np.cumsum(np.where(arrived, size, 0.0))
        self.gone = np.cumsum(np.where(packets.fate == LOST, size, 0.0))
        self.unknown = np.cumsum(packets.fate == UNKNOWN)
        self.silent = np.cumsum(arrived & (packets.delay < 0))
        self.round_trip = float(np.median(packets.delay[measured]))
        seen = measured[packets.fate[measured] == ARRIVED]
        at = (packets.time[seen] + packets.delay[seen]).astype(np.float64)
        # Of packets that one ACK acknowledges, the last one caused it.
        caused = np.append(np.diff(at) > 0, True)[: len(at)] & (at >= np.maximum.accumulate(at))
        self.place, self.at = seen[caused], at[caused]
        self.per_byte = self._per_byte()

    def is_alone(self) -> bool:
        """True if, as far as arrivals show, no other packets share the busy bottleneck.

        One behind the other, packets leave no gaps but for noise; where others share the queue they
        come as their senders space them.
        """
        busy = self.place[self.packets.delay[self.place] >= self.round_trip]
        kind = self.if_never_queued(busy).kind
        known = kind[kind != UNSEEN]
        return bool(len(known) >= _FEWEST and (known == _CLOSE).mean() >= _ALONE)

    def around_lost(self, which: Places) -> Gaps:
        """The gaps around packets that were lost."""
        return self._gaps(which, which, np.zeros(len(which)), np.zeros(len(which)))

    def if_lost_behind(self, which: Places) -> Gaps:
        """The gaps around packets that arrived, had they been lost behind the bottleneck."""
        size = self.size[which]
        return self._gaps(which, which, size, size)

    def if_never_queued(self, which: Places) -> Gaps:
        """The gaps just behind packets that arrived, had one more been dropped in front of each."""
        return self._gaps(which - 1, which, np.zeros(len(which)), self.size[which])

    def _gaps(self, ahead: Places, which: Places, less: Floats, lost: Floats) -> Gaps:
        """Gaps between the last arrival up to `ahead` and the first one behind.

        `less` bytes fewer than arrived between them are taken to have arrived, and `lost` more to
        have been lost.
        """
        repairing = self._repairing(which)
        if np.isnan(self.per_byte) or len(self.place) < 2:
            return Gaps(np.full(len(which), UNSEEN), repairing)
        is_between = ahead < which
        before = np.searchsorted(self.place, ahead, side="right") - 1
        before = np.where(is_between, before, np.searchsorted(self.place, ahead) - 1)
        behind = np.searchsorted(self.place, which, side="right")
        behind = np.where(is_between, np.searchsorted(self.place, which), behind)
        known = (before >= 0) & (behind < len(self.place))
        before, behind = (np.clip(place, 0, len(self.place) - 1) for place in (before, behind))
        first, last = self.place[before], self.place[behind]
        served = self.served[last] - self.served[first] - less
        gone = self.gone[last] - self.gone[first] + lost
        known &= (which - first <= _NEAR) & (last - which <= _NEAR) & (gone > 0.0)
        known &= self.unknown[first] == self.unknown[last]
        known &= ~repairing | ~self._held_back(which)
        apart = self.at[behind] - self.at[before] - served * self.per_byte
        ratio = apart / np.maximum(gone * self.per_byte, 1.0)
        return Gaps(np.where(known, np.searchsorted(_ENDS, ratio), UNSEEN), repairing)

    def _per_byte(self) -> float:
        """ns that the busy bottleneck takes per byte; NaN if too few arrivals show it."""
        if len(self.place) < _FEWEST:
            return float("nan")
        first, last = self.place[:-1], self.place[1:]
        served = self.served[last] - self.served[first]
        delay = self.packets.delay[self.place]
        long = delay >= np.quantile(delay, _BUSY)
        used = long[:-1] & long[1:] & (self.gone[first] == self.gone[last]) & (served > 0.0)
        used &= self.unknown[first] == self.unknown[last]
        if used.sum() < _FEWEST:
            return float("nan")
        found = float(np.median(np.diff(self.at)[used] / served[used]))
        return found if found > 0.0 else float("nan")

    def _repairing(self, which: Places) -> NDArray[np.bool_]:
        if not len(self.lost):
            return np.zeros(len(which), dtype=bool)
        last = np.searchsorted(self.lost, which) - 1
        time = self.packets.time
        since = time[which] - time[self.lost[np.maximum(last, 0)]]
        return np.asarray((last >= 0) & (since < _ROUND * self.round_trip))

    def _held_back(self, which: Places) -> NDArray[np.bool_]:
        """True where packets nearby arrived without an ACK of their own."""
        end = len(self.silent) - 1
        before = np.concatenate([[0], self.silent])
        low = before[np.maximum(which - _NEAR, 0)]
        high = self.silent[np.minimum(which + _NEAR, end)]
        own = self.silent[which] - before[which]
        return np.asarray(high - low - own > 0)
