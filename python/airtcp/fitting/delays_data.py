"""Delays of packets as fits read them: cells of the file's resolution, and their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.measurement import NO_DELAY, Packets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Of the middle half of the delays, below which a resolution tells no more.
_FINEST_RESOLUTION = 0.005
_FEWEST_DELAYS = 5  # delays of one power of ten, too few to see their resolution


@dataclass(frozen=True, eq=False)
class DelayCells:
    """Delays in ms, each known up to the resolution of its file.

    - `low`, `high`: ends of the cells in which delays are, increasing;
    - `cell`: the cell of each delay, in the order of the packets; `weight`: number of delays of
      each cell;
    - `lag`: packets from the delay before to this one, 0 at the start of a piece.
    """

    low: Floats
    high: Floats
    cell: Ints
    lag: Ints

    def __len__(self) -> int:
        """Number of delays."""
        return len(self.cell)

    @property
    def weight(self) -> Floats:
        """Number of delays of each cell."""
        return np.bincount(self.cell, minlength=len(self.low)).astype(np.float64)

    @property
    def middles(self) -> Floats:
        """Middles of the cells."""
        return np.asarray(0.5 * (self.low + self.high))

    @property
    def occupied(self) -> Ints:
        """Cells with delays."""
        return np.unique(self.cell)

    @cached_property
    def edges(self) -> tuple[Floats, Ints, Ints]:
        """Ends of all cells, increasing, and the places of lower and upper ends among them."""
        ends, place = np.unique(np.round(np.r_[self.low, self.high], 9), return_inverse=True)
        low, high = np.split(place.ravel(), 2)
        return np.asarray(ends, np.float64), low.astype(np.int64), high.astype(np.int64)

    def covering(self, delay: Floats) -> DelayCells:
        """Cells without a gap, each of one or more of this resolution, with all these delays."""
        unit = np.interp(delay, self.middles, self.high - self.low)
        high = np.unique(np.round((np.round(delay / unit) + 0.5) * unit, 9))
        low = np.r_[high[0] - unit[0], high[:-1]]
        none = np.zeros(0, np.int64)
        return DelayCells(low, high, none, none)

    def select_ranges(self, ranges: Sequence[tuple[int, int]]) -> DelayCells:
        """Delays of these ranges, each of which begins a piece."""
        lags = []
        for start, end in ranges:
            lag = self.lag[start:end].copy()
            lag[:1] = 0
            lags.append(lag)
        cell = np.concatenate([self.cell[start:end] for start, end in ranges])
        return DelayCells(self.low, self.high, cell, np.concatenate(lags))

    def with_delays(self, delay: Floats) -> Floats:
        """Other delays as this file would show them: the middle of the cell that each is in."""
        unit = np.interp(delay, self.middles, self.high - self.low)
        return np.asarray(np.round(delay / unit) * unit)


def delay_cells(pieces: Sequence[Packets]) -> DelayCells:
    """Delays of pieces that are independent of each other."""
    places = [np.flatnonzero(piece.delay != NO_DELAY) for piece in pieces]
    delay = np.concatenate([piece.delay[at] for piece, at in zip(pieces, places, strict=True)])
    lag = np.concatenate([np.diff(at, prepend=at[:1]) for at in places])
    unit = resolutions(delay).astype(np.float64)
    quarter, three = np.quantile(delay, (0.25, 0.75))
    unit = np.maximum(unit, _FINEST_RESOLUTION * float(three - quarter))
    number = np.round(delay / unit)
    middle, cell = np.unique(number * unit, return_inverse=True)
    width = np.zeros(len(middle))
    width[cell] = unit
    return DelayCells((middle - width / 2.0) / 1e6, (middle + width / 2.0) / 1e6, cell.ravel(), lag)


def resolutions(delay: Ints) -> Ints:
    """Resolution of each delay in ns: a power of ten that divides all delays of its magnitude.

    Delays between one power of ten and the next have one magnitude, since ping prints three digits
    (iputils, `ping_common.c`). If a magnitude has few delays, their resolution is at most that of
    the next shorter ones.
    """
    power = np.where(delay > 0, np.floor(np.log10(np.maximum(delay, 1))), 0).astype(np.int64)
    unit = np.ones(len(delay), dtype=np.int64)
    shorter = 0
    for exponent in np.unique(power):
        mine = power == exponent
        found = 1
        while found < 10**9 and not (delay[mine] % (found * 10)).any():
            found *= 10
        if np.count_nonzero(mine) < _FEWEST_DELAYS and shorter:
            found = min(found, shorter)
        unit[mine] = shorter = found
    return unit
