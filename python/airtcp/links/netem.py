"""The lines of tc-netem(8) that stand for a direction of a hop, where there are any.

netem asks its loss model once per packet, before the packet takes any time, so that its channel
stands still while nobody sends; a channel on a clock of its own has no line. Its limit counts the
packets that wait for their delay as well. A hop is therefore two of them, one in the other: the
outer one is transmitter and queue, and counts the packet in transmission as the hop does; the inner
one loses or delays the packets that leave it. netem has no slots: a packet starts when it comes.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.links.rates import rate_of
from airtcp.support.units import base_units_of

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point

DEVICE = "$DEV"
# Chains of states that move per packet if their clock says so.
CHAINS = ("burst", "gilbert-elliott", "rayleigh-two-state", "two-state")
PACKET_CLOCK_NOTE = ' on the slot clock; its chain moves per packet, as with clock = "packet"'
# Settings that netem has nothing for.
KEYS_WITHOUT_NETEM = ("rates", "opportunities", "exit", "marks", "arq", "gate", "drop", "delays")
# netem may mean something else by these.
KEYS_OTHERWISE_IN_NETEM = ("jitter", "reorder", "duplicate")
# Distributions of delays, and how many deviations netem's tables go below the mean.
DELAY_FACTORS = {"uniform": 0.0, "normal": 4.0, "pareto": 2 / 3, "paretonormal": 1.5022}
LONGEST_JITTER = (2**31 - 1) / 1e9  # s, to which the kernel cuts it (netem_change)
UNLIMITED_PACKETS = 1_000_000  # packets
LARGEST_NUMBER = 2**32 - 1  # limit, in packets; a probability of 1
SHORTEST_PACKET_BITS = 320  # bits of a packet, headers alone
ROUNDING_TOLERANCE = 1e-3  # of a rate, which netem has in whole bytes per second
UNLIMITED_RATE = 1e15  # bit/s: packets take no time


def tc_lines(point: Point) -> list[str]:
    """For every hop, forward and back, `tc qdisc add ...`, or a comment that says why not.

    The lines of a direction are for one device, in their order. Slots have no line, and a comment
    says so; the rest of such a hop has. Raises `InputError` if packets on slots cannot be real
    ones.
    """
    lines = []
    for index, hop in enumerate(point.as_path().points()[0].data["path"]["hop"]):
        if hop.get("slotted"):
            lines.append(f"# hop {index}: netem has no slots, a packet starts when it comes")
        back = {key: hop.get(key) for key in ("gate", "delay", "queue")} | rate_of(hop, back=True)
        back |= hop.get("back") or {}
        lines += _direction_lines(f"hop {index}", hop) + _direction_lines(
            f"hop {index}, back", back
        )
    return lines


def _direction_lines(name: str, way: dict[str, Any]) -> list[str]:
    if reason := _reason_without_netem(way):
        return [f"# {name}: {reason}"]
    rate, delay = float(base_units_of(way["rate"])), float(base_units_of(way["delay"]))
    wire = [*_delay_words(delay, way), f"limit {_most_packets_on_wire(rate, delay)}"]
    wire += _loss_words(way.get("channel")) or []
    if rate >= UNLIMITED_RATE:
        return [_line(name, "root netem", *wire)]
    sent = [f"rate {round(rate)}bit", f"limit {_queue_limit(way.get('queue'))}"]
    return [
        _line(f"{name}: transmitter and queue", "root handle 1: netem", *sent),
        _line(f"{name}: losses and delay", "parent 1:1 handle 2: netem", *wire),
    ]


def _line(remark: str, *words: str) -> str:
    return " ".join(["tc qdisc add dev", DEVICE, *words, f" # {remark}"])


def _reason_without_netem(way: dict[str, Any]) -> str:
    """The reason why netem cannot be this direction of a hop; empty if it can."""
    queue = way.get("queue")
    missing = [key for key in KEYS_WITHOUT_NETEM if way.get(key)]
    if not missing and _loss_words(way.get("channel")) is None:
        missing = [f"channel {way['channel']['kind']}"]
        if way["channel"]["kind"] in CHAINS:
            missing[0] += PACKET_CLOCK_NOTE
    if not missing and isinstance(queue, dict) and queue["kind"] != "drop-tail":
        missing = [f"queue {queue['kind']}"]
    if missing:
        return f"netem has nothing for {missing[0]}"
    if other := _key_with_other_meaning(way):
        return f"netem's {other} is another"
    if reason := _reason_against_words(float(base_units_of(way["delay"])), way.get("jitter")):
        return reason
    if isinstance(_queue_limit(queue), str):
        return "netem's queue counts packets, not bytes"
    rate = float(base_units_of(way["rate"]))
    if abs(8 * round(rate / 8) - rate) > ROUNDING_TOLERANCE * rate:
        return f"netem's rates are whole bytes per second, and {way['rate']} is none"
    return ""


def _key_with_other_meaning(way: dict[str, Any]) -> str:
    """The key that netem interprets otherwise: there packets overtake as their delays have it."""
    jitter, reorder = way.get("jitter"), way.get("reorder")
    if jitter and not (_is_of_netem(jitter) and reorder):
        return "jitter"
    if reorder and not (jitter or isinstance(reorder, dict)):
        return "reorder"
    return "duplicate" if way.get("duplicate") else ""


def _is_of_netem(distribution: dict[str, Any]) -> bool:
    """True if netem has this distribution of delays; some others have the same names."""
    return distribution["kind"] in DELAY_FACTORS and (
        distribution["kind"] == "uniform" or "deviation" in distribution
    )


def _reason_against_words(delay: float, distribution: dict[str, Any] | None) -> str:
    """The reason why tc's words for a distribution would mean another delay, or be refused."""
    if distribution is None:
        return ""
    middle, spread = _middle_and_jitter(distribution)
    if spread > LONGEST_JITTER:
        return f"netem's jitter is at most {LONGEST_JITTER}s, and here it is {spread:g}s"
    if delay > 0.0 and middle < DELAY_FACTORS[distribution["kind"]] * spread:
        return "netem cuts delay and jitter together at 0, and this jitter is cut before delay"
    if distribution["kind"] != "uniform" and spread > 0.0 and _micros(delay + middle) == "0":
        return "tc takes no distribution with a delay of 0"
    return ""


def _delay_words(delay: float, way: dict[str, Any]) -> list[str]:
    """Write the delay and its variation; tc refuses words that have no effect."""
    distribution, reorder = way.get("jitter"), way.get("reorder")
    middle, spread = _middle_and_jitter(distribution) if distribution else (0.0, 0.0)
    words = [f"delay {_micros(delay + middle)}us"]
    if distribution and _micros(spread) != "0":
        words.append(f"{_micros(spread)}us")
        words += (
            [_percent_text(distribution["correlation"])] if "correlation" in distribution else []
        )
        words += (
            [] if distribution["kind"] == "uniform" else [f"distribution {distribution['kind']}"]
        )
    if isinstance(reorder, dict) and words[0] != "delay 0us":
        words += _reorder_words(reorder)
    return words


def _reorder_words(reorder: dict[str, Any]) -> list[str]:
    """Write netem's reordering; nothing for a probability that tc rounds to 0."""
    if round(LARGEST_NUMBER * reorder["probability"]) == 0:
        return []
    shares = [reorder["probability"], reorder.get("correlation", 0.0)]
    return ["reorder", *map(_percent_text, shares), f"gap {reorder.get('gap', 1)}"]


def _middle_and_jitter(distribution: dict[str, Any]) -> tuple[float, float]:
    """Return netem's delay and jitter of a distribution, in seconds."""
    if distribution["kind"] != "uniform":
        return float(base_units_of(distribution["mean"])), float(
            base_units_of(distribution["deviation"])
        )
    least, most = (
        float(base_units_of(distribution["min"])),
        float(base_units_of(distribution["max"])),
    )
    return (least + most) / 2, (most - least) / 2


def _queue_limit(queue: dict[str, Any] | str | int | None) -> str | int:
    """The limit of a drop-tail queue, in packets or a text with bytes."""
    if isinstance(queue, dict):
        queue = queue.get("packets", queue.get("bytes"))
    return UNLIMITED_PACKETS if queue is None else queue


def _most_packets_on_wire(rate: float, delay: float) -> int:
    """A limit that all packets on the wire are below, however short they are."""
    most = (
        UNLIMITED_PACKETS
        if rate >= UNLIMITED_RATE
        else math.ceil(rate * delay / SHORTEST_PACKET_BITS) + 1
    )
    return min(max(UNLIMITED_PACKETS, most), LARGEST_NUMBER)


def _micros(seconds: float) -> str:
    return f"{1_000_000 * seconds:.3f}".rstrip("0").rstrip(".")


def _loss_words(channel: dict[str, Any] | None) -> list[str] | None:
    """The words of the loss model; None if netem has no equal one."""
    if channel is None:
        return []
    if channel["kind"] == "iid":
        return [f"loss random {_percent_text(channel['loss_rate'])}"]
    if channel["kind"] == "states":
        return _state_words(channel)
    if channel["kind"] not in CHAINS or channel.get("clock") != "packet":
        return None
    return ["loss gemodel", *map(_percent_text, _gemodel_parameters(channel))]


def _state_words(channel: dict[str, Any]) -> list[str] | None:
    """A chain of two states, or netem's of four: a state has the transitions that netem knows."""
    if channel.get("clock", "packet") != "packet":
        return None
    loss, rows = channel["loss"], channel["transition"]
    if len(loss) == 2:
        return ["loss gemodel", *map(_percent_text, (rows[0][1], rows[1][0], loss[1], loss[0]))]
    has = len(loss) == 4 and list(map(float, loss)) == [0.0, 0.0, 1.0, 1.0]
    if not has or any(rows[i][j] for i, j in ((0, 1), (1, 0), (1, 3), (2, 3))) or rows[3][0] != 1:
        return None
    found = (rows[0][2], rows[2][0], rows[2][1], rows[1][2], rows[0][3])
    return ["loss state", *map(_percent_text, found)]


def _percent_text(probability: float) -> str:
    return f"{100 * probability:.10g}%"


def _gemodel_parameters(channel: dict[str, Any]) -> tuple[float, ...]:
    """p and r of `gemodel`, with 1 - h and 1 - k where both states may lose."""
    if channel["kind"] == "gilbert-elliott":
        return channel["p"], channel["r"], 1.0 - channel.get("h", 0.0), 1.0 - channel.get("k", 1.0)
    chain = _native.channel_two_state(json.dumps({**channel, "clock": "slot"}))
    assert chain is not None, channel
    return chain
