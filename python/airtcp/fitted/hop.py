"""A hop made of what was measured: its keys, and where each number is from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from airtcp.measured.measurement import ARRIVED, LOST, Intervals, Packets
from airtcp.measured.measurement import QUEUE as QUEUE_LOST

RATE, DELAY, QUEUE = "20Mbps", "20ms", 100  # of links about which a file says nothing
SECOND = 1e9
_WINDOW = 0.1  # seconds, over which a rate is counted
_FEW = 50  # packets, too few to tell a rate
MOST_ENTRIES = 1_000_000  # of a recorded channel


@dataclass(frozen=True)
class Sourced:
    """A value of a scenario, and a comment that says where it is from."""

    value: Any
    said: str


@dataclass(frozen=True)
class Hop:
    """Keys of a hop, and by key the comment above it."""

    keys: Mapping[str, Any]
    comments: Mapping[str, str] = field(default_factory=dict)

    def with_key(self, key: str, value: Any, said: str = "") -> Hop:
        """This hop with one more key, or another value of one."""
        comments = {**self.comments, key: said} if said else self.comments
        return Hop({**self.keys, key: value}, comments)


def rate_of(packets: Packets | None, intervals: Intervals | None) -> Sourced | None:
    """The rate of a link that a record shows; None if it shows none.

    Where packets follow one another closely, the bytes that arrived within windows of 0.1 s: 95 %
    of the windows have less. The link may be faster than its senders were.
    """
    if packets is not None and packets.is_time_measured:
        arrived = (packets.fate == ARRIVED) & (packets.size > 0)
        span = float(packets.time[-1] - packets.time[0]) / SECOND if len(packets.time) else 0.0
        if arrived.sum() < _FEW or span < 10 * _WINDOW or arrived.sum() / span < 5 / _WINDOW:
            return None
        at = (packets.time[arrived] / (_WINDOW * SECOND)).astype(np.int64)
        bits = 8.0 * np.bincount(at, packets.size[arrived]) / _WINDOW
        said = "of its windows of 0.1 s 95 % carried less; the link may be faster than its sender"
        return Sourced(_bps(float(np.quantile(bits, 0.95))), said)
    if intervals is not None and np.isfinite(intervals.received).any():
        known = np.isfinite(intervals.received) & (intervals.length > 0)
        bits = 8.0 * intervals.received[known] / (intervals.length[known] / SECOND)
        said = "of the intervals in the record 95 % carried less; it changes, which this does not"
        return Sourced(_bps(float(np.quantile(bits, 0.95))), said)
    return None


def _bps(rate: float) -> str:
    return f"{rate:.4g}bps" if rate < 1e3 else f"{rate / 1e6:.4g}Mbps"


def recorded_losses(packets: Packets, step: int | None) -> dict[str, Any]:
    """The channel that replays a record from a random start in every run.

    `step`: ns per entry; None: an entry is a packet. A packet speaks for the steps up to the next
    one, but no longer than packets are usually apart: after that, nothing is lost. What a full
    queue dropped never met the link, and is left out.
    """
    known = (packets.fate >= ARRIVED) & (packets.cause != QUEUE_LOST)
    lost = packets.fate[known] == LOST
    channel: dict[str, Any] = {"kind": "trace", "start": "random"}
    if step is None:
        return channel | {"lost": lost[:MOST_ENTRIES].astype(np.int64).tolist()}
    at = (packets.time[known] - packets.time[known][0]) // step
    usual = max(1, int(np.median(np.diff(at)))) if len(at) > 1 else 1
    ends = np.minimum(at + usual, np.append(at[1:], at[-1] + usual))
    entries = np.zeros(min(int(at[-1]) + usual, MOST_ENTRIES), dtype=np.int64)
    for begin, end in zip(at[lost], np.maximum(ends, at + 1)[lost], strict=True):
        entries[begin:end] = 1
    return channel | {"lost": entries.tolist(), "clock": f"{step}ns"}


def longest(pieces: Sequence[Packets]) -> Packets:
    """The piece with most packets."""
    return max(pieces, key=lambda one: len(one.fate))
