"""Losses of a channel on a path in two numbers: how many packets, and how many in a row.

Both hold for packets sent one after the other. Where a channel goes on in time while nobody sends,
a sender that waits meets it later, and so sees shorter runs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from airtcp import _native
from airtcp.support.units import parse_quantity


class PacketLosses(NamedTuple):
    """`rate`: share of packets lost; `burst`: mean run of packets lost one after the other."""

    rate: float
    burst: float


NO_LOSSES = PacketLosses(0.0, 1.0)


def losses_of(channel: Mapping[str, Any] | None, bits: float, airtime: float) -> PacketLosses | str:
    """Losses of packets of `bits` bits that take `airtime` seconds; or why they are unknown."""
    if channel is None:
        return NO_LOSSES
    match channel["kind"]:
        case "iid":
            losses_found: PacketLosses | str = _independent_losses(float(channel["loss_rate"]))
        case "two-state" | "burst" | "rayleigh-two-state" | "gilbert-elliott":
            losses_found = _losses_of_chain(channel)
        case "bit-errors":
            losses_found = _independent_losses(
                -math.expm1(bits * _log_correct_bit(channel["bit_error_rate"]))
            )
        case "states" if channel["clock"] in ("packet", "slot"):
            losses_found = _losses_of_states(channel["loss"], channel["transition"])
        case "sojourn":
            losses_found = _losses_of_sojourns(channel, bits, airtime)
        case "trace" if channel["clock"] == "packet" and channel["repeat"]:
            losses_found = _losses_of_record(channel["lost"], channel.get("block"))
        case "series":
            losses_found = combine_losses(
                losses_of(member, bits, airtime) for member in channel["of"]
            )
        case kind:
            losses_found = f"losses of the kind {kind} have no mean per packet that is known here"
    return losses_found


def combine_losses(parts: Iterable[PacketLosses | str]) -> PacketLosses | str:
    """Losses of independent causes in series: runs of different causes are taken not to meet."""
    known: list[PacketLosses] = []
    for part in parts:
        if isinstance(part, str):
            return part
        known += [part] if part.rate > 0.0 else []
    if not known:
        return NO_LOSSES
    rate = 1.0 - math.prod(1.0 - losses.rate for losses in known)
    if len(known) == 1:
        return known[0]
    return PacketLosses(
        rate,
        sum(losses.rate for losses in known) / sum(losses.rate / losses.burst for losses in known),
    )


def _independent_losses(rate: float) -> PacketLosses:
    return PacketLosses(rate, 1.0 / (1.0 - rate) if rate < 1.0 else math.inf)


def _log_correct_bit(bit_error_rate: float) -> float:
    return math.log1p(-bit_error_rate) if bit_error_rate < 1.0 else -math.inf


def _losses_of_chain(channel: Mapping[str, Any]) -> PacketLosses:
    """A chain with a step per packet: also on the slot clock, where packets follow each other."""
    if (channel.get("h", 0.0), channel.get("k", 1.0)) != (0.0, 1.0):
        return _losses_of_hidden_chain(*(float(channel[key]) for key in ("p", "r", "h", "k")))
    chain = _native.channel_two_state(json.dumps({**channel, "clock": "slot"}))
    assert chain is not None, channel
    p_gb, p_bg = chain
    return PacketLosses(p_gb / (p_gb + p_bg), 1.0 / p_bg if p_bg > 0.0 else math.inf)


def _losses_of_hidden_chain(p: float, r: float, h: float, k: float) -> PacketLosses:
    """Gilbert and Elliott's chain with losses of their own in bad (1 - h) and good (1 - k)."""
    bad = p / (p + r)
    in_bad, in_good = 1.0 - h, 1.0 - k
    rate = bad * in_bad + (1.0 - bad) * in_good
    if rate in (0.0, 1.0):
        return NO_LOSSES if rate == 0.0 else PacketLosses(1.0, math.inf)
    after_bad = (1.0 - r) * in_bad + r * in_good
    after_good = p * in_bad + (1.0 - p) * in_good
    twice = bad * in_bad * after_bad + (1.0 - bad) * in_good * after_good
    return PacketLosses(rate, rate / (rate - twice))


def _losses_of_states(loss: Sequence[float], transition: Sequence[Sequence[float]]) -> PacketLosses:
    """Losses of a chain of states, with a step per packet."""
    lost, rows = np.array(loss), np.array(transition)
    balance = np.vstack([rows.T - np.eye(len(lost)), np.ones(len(lost))])
    shares = np.linalg.lstsq(balance, np.append(np.zeros(len(lost)), 1.0), rcond=None)[0]
    rate = float(shares @ lost)
    twice = float((shares * lost) @ (rows @ lost))
    return (
        PacketLosses(rate, rate / (rate - twice) if rate > twice else math.inf)
        if rate
        else NO_LOSSES
    )


def _losses_of_sojourns(channel: Mapping[str, Any], bits: float, airtime: float) -> PacketLosses:
    """A packet that meets the bad state is lost: 1 - g / (g + b) exp(-1 / g), g and b in packets.

    A run begins where a packet arrives, with the state good at its end, and the next is lost.
    """
    scale = {"bits": bits, "packets": 1.0, "s": airtime}
    good, bad = (_scaled_length(channel[key], scale) for key in ("good", "bad"))
    rate = 1.0 - good / (good + bad) * math.exp(-1.0 / good)
    begins = (1.0 - rate) * -math.expm1(-1.0 / good)
    return PacketLosses(rate, rate / begins if begins > 0.0 else math.inf)


def _scaled_length(text: str, scale: Mapping[str, float]) -> float:
    quantity = parse_quantity(text)
    assert quantity is not None, text
    return float(quantity.number) / scale[quantity.unit]


def _losses_of_record(lost: Sequence[int], block: int | None) -> PacketLosses:
    """A list of fates that repeats, in blocks from independent places of it if there are any."""
    rate = sum(lost) / len(lost)
    if rate in (0.0, 1.0):
        return NO_LOSSES if rate == 0.0 else PacketLosses(1.0, math.inf)
    begins = sum(fate > before for before, fate in zip([lost[-1], *lost], lost, strict=False))
    ends = begins / len(lost)  # a packet lost, the next one not
    if block is not None:
        ends += (rate * (1.0 - rate) - ends) / block  # at the end of a block the next is another's
    return PacketLosses(rate, rate / ends)
