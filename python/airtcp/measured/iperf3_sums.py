"""Sums over a whole test of iperf3 of UDP: what the other side received of what this one sent.

A client knows the losses of its datagrams only from the server, which reports sums at the end. They
are in `sum_received`; before iperf 3.7 in `sum`, whose bytes are the bytes sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from airtcp.measured.json_entries import entry_at, number_or_nan

SUMS_REMARK = (
    "losses and bytes are the receiver's sums over the whole test"
    " (iperf3 --get-server-output has its intervals)"
)


class ReceivedSums(NamedTuple):
    """Datagrams sent and lost, bytes that arrived, and the seconds that this took."""

    sent: float
    lost: float
    received: float
    seconds: float


def received_sums(end: Mapping[str, Any], *, both_ways: bool) -> ReceivedSums | None:
    """The sums of the datagrams that this side sent; None if the end does not report them.

    `both_ways`: True for a test with senders on both sides, where `sum` adds up both.
    """
    for key in ("sum_received",) if both_ways else ("sum_received", "sum"):
        sent, lost, size, seconds = (
            number_or_nan(entry_at(end, key, name))
            for name in ("packets", "lost_packets", "bytes", "seconds")
        )
        if sent >= 1.0 and 0.0 <= lost <= sent and size >= 0.0 and 0.0 < seconds < 1e9:
            arrived = size * (1.0 - lost / sent) if key == "sum" else size
            return ReceivedSums(sent, lost, arrived, seconds)
    return None
