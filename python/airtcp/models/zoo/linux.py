"""A flow of profile `linux` in the terms of the formulas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LEAST_RTO_DEVIATION = 0.2  # s: of the deviation in the timeout [crates/linux/rules/rtt.md rule 7]
_DELAYED_ACK = 0.04  # s: the shortest delay of an ACK [crates/linux/rules/receiver.md rule 8]


def condition_fields(tcp: Mapping[str, Any], rtt: float) -> dict[str, Any]:
    """TCP in the names of `Conditions`, at a round trip of `rtt` s that does not change."""
    return {
        "profile": "linux",
        "variant": "sack" if tcp["sack"] else "newreno",
        "growth": tcp["congestion"],
        "timeout": rtt + _LEAST_RTO_DEVIATION,
        "delayed_ack": _DELAYED_ACK,
    }
