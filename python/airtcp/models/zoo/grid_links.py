"""The links of the grids as documents: the hop and the TCP of a link with given values.

TCP is that of the profile of the grid. A value that a function does not state is the profile's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Link = Mapping[str, float]

_PACKET_BITS, _ACK_BITS = 1500 * 8, 40 * 8
_TIMEOUT = 1.0  # s: the least one of the profile


def _hop(link: Link) -> dict[str, Any]:
    """A hop that holds `pipe` packets per round trip of `rtt`, with a queue for as many."""
    rate = link["pipe"] * _PACKET_BITS / link["rtt"]
    delay = (link["rtt"] - (_PACKET_BITS + _ACK_BITS) / rate) / 2.0
    return {"rate": f"{rate:g}bps", "delay": f"{delay:.9f}s", "queue": max(int(link["pipe"]), 10)}


def _tcp(link: Link) -> dict[str, Any]:
    return {"window": 10_000, "delayed_ack": f"{link['delayed_ack']:g}s"}


def _losses(rate: float, clustering: float, clock: str) -> dict[str, Any]:
    if clustering == 1.0:
        return {"kind": "iid", "loss_rate": rate}
    burst = clustering / (1.0 - rate)
    return {"kind": "burst", "loss_rate": rate, "mean_burst": burst, "clock": clock}


def lossy_link(link: Link) -> tuple[dict[str, Any], dict[str, Any]]:
    """`clustering` 1 means independent losses; more: runs of losses longer by that factor."""
    channel = _losses(link["loss_rate"], link["clustering"], "packet")
    return {**_hop(link), "channel": channel}, _tcp(link)


def lossy_link_of_linux(link: Link) -> tuple[dict[str, Any], dict[str, Any]]:
    """The lossy link without delayed ACKs in its hop; TCP is that of Linux."""
    return lossy_link({**link, "delayed_ack": 0.0})[0], {}


def link_with_outages(link: Link) -> tuple[dict[str, Any], dict[str, Any]]:
    """Exponential times up, of mean `up`, and down, for `down_share` of the time."""
    down = link["up"] * link["down_share"] / (1.0 - link["down_share"])
    gate = {"kind": "on-off", "up": f"{link['up']:g}s", "down": f"{down!r}s"}
    return {**_hop(link), "gate": gate}, _tcp(link)


def link_with_spikes(link: Link) -> tuple[dict[str, Any], dict[str, Any]]:
    """Spikes of `spike` s after exponential intervals of mean `interval`."""
    gate = {
        "kind": "spikes",
        "interval": {"kind": "exponential", "mean": f"{link['interval']:g}s"},
        "duration": {"kind": "fixed", "value": f"{link['spike']:g}s"},
    }
    return {**_hop(link), "gate": gate}, _tcp(link)


def slotted_link(link: Link) -> tuple[dict[str, Any], dict[str, Any]]:
    """`timer` packets take the timeout, an ACK arrives `feedback` packets after its packet."""
    packet = _TIMEOUT / link["timer"]
    hop = {
        "rate": f"{_PACKET_BITS / packet:g}bps",
        "delay": "0s",
        "slotted": True,
        "channel": _losses(link["loss_rate"], link["clustering"], "slot"),
        "back": {"rate": "100Gbps", "delay": f"{link['feedback'] * packet:g}s"},
    }
    return hop, {"window": int(link["window"]), "delayed_ack": "0s"}


def link_with_arq(link: Link) -> tuple[dict[str, Any], dict[str, Any]]:
    """A slot per fragment, of which `fragment_loss` are lost; each is sent `attempts` times."""
    hop, tcp = slotted_link({**link, "feedback": 0.0, "loss_rate": link["fragment_loss"]})
    fragment = 1500 / link["fragments"]
    hop["arq"] = {"fragment": f"{fragment:g}B", "attempts": int(link["attempts"])}
    return hop, tcp
