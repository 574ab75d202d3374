"""A hop made of what was measured: its keys, and where each number is from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from airtcp.measured.measurement import ARRIVED, LOST, Packets
from airtcp.measured.measurement import QUEUE_LOSS as QUEUE_LOST
from airtcp.support.units import base_units_of

# Values for links about which a file says nothing.
ASSUMED_RATE, ASSUMED_DELAY, ASSUMED_QUEUE = "20Mbps", "20ms", 100
NS_PER_SECOND = 1e9
MOST_ENTRIES = 1_000_000  # of a recorded channel


@dataclass(frozen=True)
class FittedHop:
    """Keys of a hop, by key the comment above it, and notes on what was measured or assumed."""

    keys: Mapping[str, Any]
    comments: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def with_key(self, key: str, value: Any, said: str = "") -> FittedHop:
        """This hop with one more key, or another value of one."""
        comments = {**self.comments, key: said} if said else self.comments
        return replace(self, keys={**self.keys, key: value}, comments=comments)

    def without_rate(self) -> FittedHop:
        """This hop without its one rate, and without what was said about it."""
        keys = {key: value for key, value in self.keys.items() if key != "rate"}
        comments = {key: said for key, said in self.comments.items() if key != "rate"}
        return FittedHop(keys, comments)

    @property
    def mean_rate(self) -> float:
        """Mean rate in bit/s: of `rate`, or of the values or levels of `rates`."""
        rates = self.keys.get("rates")
        if rates is None:
            return float(base_units_of(self.keys["rate"]))
        rows = rates.get("levels") or rates["values"]
        weights = [row.get("share", 1.0 / len(rows)) for row in rows]
        return float(np.dot(weights, [float(base_units_of(row["rate"])) for row in rows]))


def recorded_losses(packets: Packets, step: int | None) -> dict[str, Any]:
    """The channel that replays a record from a random start in every run.

    `step`: ns per entry; None: an entry is a packet. A packet stands for the steps up to the next
    one, but for no longer than the usual distance between packets; after that nothing is lost.
    Packets that a full queue dropped never met the link and are left out.
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


def longest_piece(pieces: Sequence[Packets]) -> Packets:
    """The piece with most packets."""
    return max(pieces, key=lambda piece: len(piece.fate))
