"""Outages in records of packets: runs of losses that are longer than a loss process explains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.measured.measurement import LOST, QUEUE_LOSS, UNKNOWN, Packets
from airtcp.measured.runs import run_bounds as runs_in

SHORTEST_OUTAGE_NS = 200_000_000  # ns
_RECORDS_PER_FALSE_OUTAGE = 1000  # records
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class OutageRule:
    """The rule for outages: runs of losses of at least `packets` packets and `SHORTEST`."""

    packets: int

    @property
    def sentence(self) -> str:
        """The rule as a sentence of an answer."""
        return (
            f"outages are runs of at least {self.packets} losses over at least"
            f" {SHORTEST_OUTAGE_NS / 1e6:g} ms, which geometric bursts fitted to the shorter runs"
            " reach in"
            f" fewer than one of {_RECORDS_PER_FALSE_OUTAGE} such records"
        )

    def runs(self, packets: Packets) -> Ints:
        """Outages as rows of places: the first packet lost, and the one after the last."""
        found = runs_of_losses(packets)
        start, end = run_times(packets, found)
        long = (found[:, 1] - found[:, 0] >= self.packets) & (end - start >= SHORTEST_OUTAGE_NS)
        return np.asarray(found[long])


def outage_rule(pieces: Sequence[Packets]) -> OutageRule:
    """The least length that the bursts of a geometric law do not explain.

    The law is fitted to all runs up to a length, which grows from the shortest run on. It stops
    growing when the next longer run is unexplained: among as many runs, the law reaches its length
    less than once in 1000 records. If the law explains all runs, the rule has the first length that
    it would not explain.
    """
    runs = [runs_of_losses(piece) for piece in pieces]
    lengths = np.sort(
        np.concatenate([bounds[:, 1] - bounds[:, 0] for bounds in runs] or [np.empty(0, int)])
    )
    if not lengths.size:
        return OutageRule(2)
    distinct, counts = np.unique(lengths, return_counts=True)
    total, number = np.cumsum(distinct * counts), np.cumsum(counts)
    longest = 2
    for place, upper in enumerate(distinct):
        # The share of losses that are followed by one more, with a loss of each kind added.
        again = (total[place] - number[place] + 1.0) / (total[place] + 2.0)
        needed = math.log(number[place] * _RECORDS_PER_FALSE_OUTAGE) / -math.log(again)
        longest = max(int(upper) + 1, 1 + math.ceil(needed))
        if place + 1 < len(distinct) and distinct[place + 1] >= longest:
            break
    return OutageRule(longest)


def runs_of_losses(packets: Packets) -> Ints:
    """Runs of losses on the link as rows of places: the first, and the one after the last."""
    lost = (packets.fate == LOST) & (packets.cause != QUEUE_LOSS)
    return np.stack(runs_in(lost), axis=1)


def run_times(packets: Packets, runs: Ints) -> tuple[Ints, Ints]:
    """Starts and ends of runs in ns: the first packet lost, and the first one after the run.

    A run at the end of a record lasts to its last packet, at least.
    """
    time = np.asarray(packets.time, dtype=np.int64)
    last = len(time) - 1
    return time[runs[:, 0]], time[np.minimum(runs[:, 1], last)]


def median_spacing(pieces: Sequence[Packets]) -> float:
    """Median distance between packets in seconds."""
    apart = [np.diff(piece.time) for piece in pieces if len(piece.time) > 1]
    return float(np.median(np.concatenate(apart))) / 1e9 if apart else 0.0


def fates_without_runs(packets: Packets, runs: Ints) -> NDArray[np.int8]:
    """Fates, with the fates in runs set to unknown."""
    fate = np.array(packets.fate, dtype=np.int8)
    for first, end in runs:
        fate[first:end] = UNKNOWN
    return fate
