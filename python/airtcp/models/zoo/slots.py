"""A path whose losses go by slots: one hop on which a slot is a transmission.

[zorzi] and [chockalingam] know such a link alone: its two-state channel moves in every slot, also
while nobody sends, and what it delivers is acknowledged at once. A hop with `slotted` is that,
whatever its channel. Where losses are independent, it makes no difference when transmissions start.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airtcp import _native
from airtcp.scenario.two_state import TwoState
from airtcp.support.units import base_units_of

Table = Mapping[str, Any]
_CHAINS = ("iid", "two-state", "burst", "rayleigh-two-state", "gilbert-elliott")


@dataclass(frozen=True, kw_only=True)
class SlottedHop:
    """A single hop.

    - `slot_seconds`: length of a slot; `channel`: its losses, a step per slot;
    - `slotted`: true if transmissions wait for the next slot;
    - `fragments`: number of fragments of a packet, one per slot; `attempts`: number of times that
      the link sends each.
    """

    slot_seconds: float
    channel: TwoState
    slotted: bool = True
    fragments: int = 1
    attempts: int = 1

    @property
    def packet_seconds(self) -> float:
        """Seconds of the transmission of a packet."""
        return self.slot_seconds * self.fragments

    @property
    def retransmits(self) -> bool:
        """True if the link layer does more than send packets once."""
        return self.fragments > 1 or self.attempts > 1


def slots_of(data: list[Table], acks: list[Table], packet: float, queued: int) -> SlottedHop | str:
    """The slots of the hop that data and ACKs cross, or the reason why that is no link on slots.

    `packet`: bits of a packet; `queued`: the most packets that may wait for the link.
    """
    if len(data) != 1 or len(acks) != 1:
        return "the formulas on slots cover a single hop only"
    hop, back = data[0], acks[0]
    reasons = {
        "losses of ACKs": any(key in back for key in ("channel", "exit", "arq")),
        "losses at a node": "exit" in hop,
        "a queue that overflows": not _queue_holds(hop.get("queue"), queued),
    }
    missing = [what for what, holds in reasons.items() if holds]
    if missing:
        return f"the formulas on slots do not cover {' or '.join(missing)}"
    chain = _chain(hop)
    if chain is None:
        return "the formulas on slots need losses that form a two-state chain on slots"
    slotted, rate = bool(hop.get("slotted")), float(base_units_of(hop["rate"]))
    if "arq" not in hop:
        return SlottedHop(slot_seconds=packet / rate, channel=chain, slotted=slotted)
    return _slots_with_arq(hop["arq"], packet, rate, chain, slotted=slotted)


def _queue_holds(queue: object, packets: int) -> bool:
    return queue is None or (isinstance(queue, int) and queue >= packets)


def _chain(hop: Table) -> TwoState | None:
    """The losses of the hop's channel, if that is a chain with one step per slot of the hop."""
    channel = hop.get("channel")
    if channel is None or channel["kind"] not in _CHAINS:
        return None
    if channel["kind"] != "iid" and not (hop.get("slotted") and channel["clock"] == "slot"):
        return None
    chain = _native.channel_two_state(json.dumps(channel))
    return None if chain is None else TwoState(p_gb=chain[0], p_bg=chain[1])


def _slots_with_arq(
    arq: Table, packet: float, rate: float, chain: TwoState, *, slotted: bool
) -> SlottedHop | str:
    if "feedback_delay" in arq or arq.get("feedback_loss", 0.0) > 0.0:
        return "the formulas on slots cover no link layer whose feedback is late or lost"
    fragment, more = (
        8.0 * float(base_units_of(arq.get(key, "0B"))) for key in ("fragment", "overhead")
    )
    again = arq.get("count") == "retransmissions"
    return SlottedHop(
        slot_seconds=(fragment + more) / rate,
        channel=chain,
        slotted=slotted,
        fragments=math.ceil(packet / fragment),
        attempts=arq["attempts"] + again,
    )
