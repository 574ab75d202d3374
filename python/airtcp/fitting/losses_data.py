"""Fates of packets in pieces, on a packet clock or a time clock, as fits of losses read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from airtcp import _native
from airtcp.errors import InputError
from airtcp.measured.measurement import ARRIVED, LOST, QUEUE_LOSS, UNKNOWN, Packets

_FORGETTING_STEPS = 1_000_000  # steps, after which chains of short records have forgotten all
_ROUND_DIGITS = (1, 2, 5)
FEW_PAUSES = 20  # distances unlike the others, below which the clock cannot be told


@dataclass(frozen=True, eq=False)
class Fates:
    """Fates of packets, in pieces that are independent of each other.

    `fate` and `time` (ns) of all, one piece after the other; `starts` has the first of each piece;
    `waits` is True where distances depend on fates, as `Packets.waits` says.
    """

    fate: NDArray[np.int8]
    time: NDArray[np.int64]
    starts: NDArray[np.int64]
    waits: bool = False

    def __len__(self) -> int:
        """Number of packets."""
        return len(self.fate)

    @cached_property
    def known_fates(self) -> NDArray[np.int8]:
        """Fates without those that nobody knows."""
        return np.asarray(self.fate[self.fate != UNKNOWN])

    @property
    def lost_count(self) -> int:
        """Number of packets known to be lost."""
        return int(np.count_nonzero(self.fate == LOST))

    @property
    def longest_gap(self) -> int:
        """Steps after which a chain has forgotten its state, if sojourns are seen in the record."""
        return max(_FORGETTING_STEPS, len(self))

    def select_ranges(self, ranges: Sequence[tuple[int, int]]) -> Fates:
        """Packets of these ranges, each of which begins a piece."""
        kept = [slice(*bounds) for bounds in ranges if bounds[0] < bounds[1]]
        starts, length = [], 0
        for span in kept:
            inside = self.starts[(self.starts > span.start) & (self.starts < span.stop)]
            starts.append(np.r_[span.start, inside] - span.start + length)
            length += span.stop - span.start
        if not kept:
            none = np.zeros(1, dtype=np.int64)
            return Fates(self.fate[:0], self.time[:0], none, self.waits)
        fate = np.concatenate([self.fate[span] for span in kept])
        time = np.concatenate([self.time[span] for span in kept])
        return Fates(fate, time, np.concatenate(starts).astype(np.int64), self.waits)

    def with_fates(self, fate: NDArray[np.int8]) -> Fates:
        """These packets with other fates; unknown fates stay unknown."""
        known = np.where(self.fate == UNKNOWN, self.fate, fate)
        return Fates(known, self.time, self.starts, self.waits)

    def gaps(self, step: int | None) -> NDArray[np.uint32] | None:
        """Steps of a time clock since the packet before; None on the packet clock.

        Gaps longer than `longest_gap` are cut to it. Longer ones carry no more information, and
        simulating a chain over a pause of years, which a damaged stamp can cause, would never end.
        """
        if step is None:
            return None
        gaps = np.diff(self.time // step, prepend=0)
        gaps[self.starts[self.starts < len(gaps)]] = 1  # of no meaning
        return np.minimum(gaps, self.longest_gap).astype(np.uint32)

    def to_native(self, step: int | None) -> _native.Losses:
        """The fates ready for the likelihood of any chain."""
        gaps = self.gaps(step)
        return _native.Losses(
            self.fate.tobytes(),
            None if gaps is None else gaps.tobytes(),
            self.starts.tolist(),
        )

    @cached_property
    def distances(self) -> NDArray[np.int64]:
        """Distances between packets of one piece, in ns."""
        apart = np.diff(self.time)
        inner = np.ones(len(apart), dtype=bool)
        inner[self.starts[(self.starts > 0) & (self.starts < len(self.time))] - 1] = False
        return apart[inner]

    @property
    def median_distance(self) -> float:
        """Median distance between packets of one piece, in ns; 0 for a single packet."""
        return float(np.median(self.distances)) if self.distances.size else 0.0

    def natural_step(self) -> int:
        """A step of the time clock: a round number about as long as a short distance."""
        apart = self.distances[self.distances > 0]
        return 1_000_000 if apart.size == 0 else _round_down(float(np.quantile(apart, 0.1)))

    def common_spacing(self, step: int | None) -> int:
        """Commonest distance between packets in steps."""
        if step is None or self.distances.size == 0:
            return 1
        return max(1, round(self.median_distance / step))

    def is_evenly_spaced(self) -> bool:
        """True if distances vary too little to distinguish a time clock from a packet clock."""
        if self.distances.size == 0:
            return True
        unlike = np.abs(self.distances - self.median_distance) > 0.25 * self.median_distance
        return int(np.count_nonzero(unlike)) < FEW_PAUSES


def fates_of_packets(packets: Packets | Sequence[Packets]) -> Fates:
    """The fates on the link; unknown for packets that a queue dropped, which never met the link."""
    pieces = [packets] if isinstance(packets, Packets) else list(packets)
    pieces = [piece for piece in pieces if len(piece.fate)]
    if not pieces:
        raise InputError("packets: is empty; at least one packet is needed")
    for piece in pieces:
        if len(piece.time) != len(piece.fate) or len(piece.cause) != len(piece.fate):
            raise InputError("packets: columns must be equally long")
        if (np.diff(piece.time) < 0).any():
            raise InputError("packets: times must not fall")
        if not np.isin(piece.fate, (LOST, ARRIVED, UNKNOWN)).all():
            raise InputError("packets: fates must be 1 (lost), 0 (arrived) or -1 (unknown)")
    on_link = [
        np.where(piece.cause == QUEUE_LOSS, UNKNOWN, piece.fate).astype(np.int8) for piece in pieces
    ]
    lengths = [len(fates) for fates in on_link]
    found = Fates(
        np.concatenate(on_link),
        np.concatenate([np.asarray(piece.time, dtype=np.int64) for piece in pieces]),
        np.cumsum([0, *lengths[:-1]]).astype(np.int64),
        any(piece.waits for piece in pieces),
    )
    if not len(found.known_fates):
        raise InputError("packets: no fate is known; at least one must be (1 lost, 0 arrived)")
    return found


def _round_down(value: float) -> int:
    """The largest of 1, 2, 5, 10, 20, ... that is not above a value, and at least 1."""
    power = 10 ** int(np.floor(np.log10(max(value, 1.0))))
    return int(power * max(n for n in _ROUND_DIGITS if n * power <= max(value, 1.0)))
