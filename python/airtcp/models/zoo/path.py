"""A point on a path in the terms of the formulas, or the reason why it has no such terms.

The formulas know one transfer that never ends over one bottleneck. Of the path they take the round
trip without queueing (every full packet is sent once on every hop, its ACK once on the way back),
the slowest link, and the losses of all channels that data meets. `conditions_of_point` ignores
queues: no formula here has their losses, or the longer round trip that they cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.metrics.layout import tcp_of
from airtcp.models.zoo import linux
from airtcp.models.zoo.losses import PacketLosses, combine_losses, losses_of
from airtcp.models.zoo.model import Conditions
from airtcp.models.zoo.slots import SlottedHop, slots_of
from airtcp.models.zoo.spikes import DelaySpikes, never_lasts, spikes_of
from airtcp.support.units import base_units_of

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point

Table = Mapping[str, Any]
_KEYS_TAKEN_FROM_FORWARD = ("rate", "delay")  # of a way back that says nothing of them
_KEYS_WITHOUT_FORMULA = {  # key of a hop or of its way back -> what no formula has
    "opportunities": "recorded opportunities to send",
    "delays": "changing delays",
    "jitter": "jitter",
    "duplicate": "packets that arrive twice",
    "drop": "forced losses",
}
_PROFILE_REFUSAL = (
    'the formulas assume the timer of RFC 6298 or of Linux: profile = "rfc" or "linux"'
)


@dataclass(frozen=True)
class PathConditions:
    """A point for the formulas; `notes`: aspects that all formulas leave out when they answer."""

    conditions: Conditions
    notes: tuple[str, ...] = ()


def conditions_of_point(point: Point) -> PathConditions | str:
    """The point for the formulas; or the reasons, joined by "; ", why there is none."""
    reasons = [*_missing_aspects(point)]
    if reasons:
        return "; ".join(reasons)
    forward, back = (_without_ineffective_keys(point, way) for way in _links_both_ways(point))
    back = [_without_zero_losses(point, link) for link in back]
    slots = _slots_of_path(point, forward, back)
    spikes_found = _spikes(_gates([*forward, *back]))
    lost = _losses(point, forward) if isinstance(slots, str) else _losses_on(slots)
    reasons = [*_refusals([*forward, *back])]
    reasons += [part for part in (lost, spikes_found) if isinstance(part, str)]
    if isinstance(slots, str) and _needs_slots([*forward, *back]):
        reasons.append(slots)
    if reasons or isinstance(lost, str) or isinstance(spikes_found, str):
        return "; ".join(reasons)
    at = _conditions(point, forward, back, lost)
    at = replace(at, slots=None if isinstance(slots, str) else slots, spikes=spikes_found)
    return PathConditions(at, (*_aspects_left_out(point, back),))


def _missing_aspects(point: Point) -> Iterator[str]:
    """Aspects that the formulas lack, whatever the links are."""
    data, flows = point.data, point.data["flow"]
    if data["profile"] not in ("rfc", "linux"):
        yield f"{_PROFILE_REFUSAL}, not {data['profile']}"
    if len(flows) > 1 or flows[0]["count"] > 1:
        yield "the formulas cover a single flow only"
    elif "sizes" in flows[0]:
        yield "no formula covers a flow of many transfers"
    elif "packets" in flows[0] or "size" in flows[0]:
        yield "no formula covers a flow that ends"
    hops = data["path"]["hop"]
    if any("rates" in way for hop in hops for way in (hop, hop.get("back") or {})):
        yield "the formulas cover no changing rates"
    if data.get("traffic"):
        yield "the formulas cover no cross-traffic"
    if "probing" in _tcp_terms(point).get("variant", ""):
        yield "the formulas cover no probing"


def _tcp_terms(point: Point) -> dict[str, Any]:
    return tcp_of(point.data)


def _links_both_ways(point: Point) -> tuple[list[Table], list[Table]]:
    """The links that data crosses, and the links that ACKs cross."""
    hops = point.data["path"]["hop"]
    crossed: tuple[list[int], list[int]] = _native.trace_ways(point.compiled)["flows"][0]
    links = [dict(hop) for hop in hops] + [_link_back(hop) for hop in reversed(hops)]
    data, acks = ([links[number] for number in way] for way in crossed)
    return data, acks


def _link_back(hop: Table) -> Table:
    shared = {key: hop[key] for key in (*_KEYS_TAKEN_FROM_FORWARD, "gate") if key in hop}
    return {**shared, **hop.get("back", {})}


def _without_ineffective_keys(point: Point, links: list[Table]) -> list[Table]:
    """The links without keys that have no effect there: such keys are no reason to refuse."""
    return [_without_zero_losses(point, _without_zero_jitter(link), ("exit",)) for link in links]


def _without_zero_jitter(link: Table) -> Table:
    idle = "jitter" in link and never_lasts(link["jitter"])
    return {key: value for key, value in link.items() if not (idle and key == "jitter")}


def _without_zero_losses(
    point: Point, link: Table, places: Sequence[str] = ("exit", "channel")
) -> Table:
    """A link without parts that lose no packets."""
    bits = 8.0 * _native.implied(point.compiled)[0]["packet"]
    losses_of_parts = {
        place: losses_of(link[place], bits, bits / _rate(link)) for place in places if place in link
    }
    idle = [
        place
        for place, lost in losses_of_parts.items()
        if not isinstance(lost, str) and lost.rate == 0
    ]
    return {key: value for key, value in link.items() if key not in idle}


def _refusals(links: list[Table]) -> Iterator[str]:
    for key, what in _KEYS_WITHOUT_FORMULA.items():
        if any(link.get(key) for link in links):
            yield f"the formulas cover no {what}"
    if any(isinstance(link.get("reorder"), Mapping) for link in links):
        yield "the formulas cover no reordering"
    gates = _gates(links)
    if len(gates) > 1:
        yield "the formulas cover one gate at most"
    elif gates and not _has_known_holds(gates[0]) and gates[0]["kind"] != "on-off":
        yield "of the gates that lose packets, the formulas cover on-off only"
    elif gates and not _has_known_holds(gates[0]) and not _has_mean_times(gates[0]):
        yield "the formulas cover only outages with exponential lengths and intervals"


def _has_mean_times(gate: Table) -> bool:
    """True if times up and down are given by means and not by distributions."""
    return not any(isinstance(gate[key], Mapping) for key in ("up", "down"))


def _has_known_holds(gate: Table) -> bool:
    """True if a gate holds packets back for times of known distributions."""
    lasting = gate["kind"] in ("on-off", "periodic") and gate["loses"] == "nothing"
    return bool(lasting or gate["kind"] == "spikes")


def _spikes(gates: list[Table]) -> DelaySpikes | str | None:
    return spikes_of(gates[0]) if len(gates) == 1 and _has_known_holds(gates[0]) else None


def _slots_of_path(point: Point, data: list[Table], acks: list[Table]) -> SlottedHop | str:
    (implied,) = _native.implied(point.compiled)
    return slots_of(data, acks, 8.0 * implied["packet"], implied["window"] // implied["payload"])


def _needs_slots(links: list[Table]) -> bool:
    return any(link.get("arq") or link.get("slotted") for link in links)


def _losses_on(slots: SlottedHop) -> PacketLosses:
    """Losses on the link that are left to TCP."""
    from airtcp.models.chockalingam.link import Link  # noqa: PLC0415  (imports SciPy)

    fates = Link(slots.channel, slots.fragments, slots.attempts).fates()
    if not 0.0 < fates.loss_rate < 1.0:
        return PacketLosses(fates.loss_rate, 1.0)
    return PacketLosses(fates.loss_rate, fates.mean_burst)


def _gates(links: list[Table]) -> list[Table]:
    """The gates, each once: both directions of a hop share theirs."""
    distinct = {id(link["gate"]): link["gate"] for link in links if "gate" in link}
    return list(distinct.values())


def _losses(point: Point, links: list[Table]) -> PacketLosses | str:
    """Losses of full packets on the links."""
    bits = 8.0 * _native.implied(point.compiled)[0]["packet"]
    return combine_losses(
        losses_of(link.get(place), bits, bits / _rate(link))
        for link in links
        for place in ("exit", "channel")
    )


def _rate(link: Table) -> float:
    return float(base_units_of(link["rate"]))


def _conditions(
    point: Point, data: list[Table], acks: list[Table], lost: PacketLosses
) -> Conditions:
    (implied,), tcp = _native.implied(point.compiled), _tcp_terms(point)
    rtt = implied["round_trip"]
    tcp_fields = (
        linux.condition_fields(tcp, rtt)
        if point.data["profile"] == "linux"
        else _rfc_terms(tcp, rtt)
    )
    acked = 2.0 if tcp_fields["delayed_ack"] > 0.0 else 1.0  # segments per ACK [RFC 5681, 4.2]
    slowest = min(implied["packet_rate"], acked * implied["ack_rate"])
    return Conditions(
        rtt=rtt,
        loss_rate=lost.rate,
        burst=lost.burst,
        window=implied["window"] // implied["payload"],
        rate=slowest * 8.0 * implied["payload"],
        mss=implied["payload"],
        **tcp_fields,
        **dict[str, Any](_outage_terms(_gates([*data, *acks]))),
    )


def _rfc_terms(tcp: Table, rtt: float) -> dict[str, Any]:
    """The TCP of the RFCs."""
    margin = _seconds(tcp.get("rto_margin", "0s"))
    return {
        "variant": tcp["variant"],
        "timeout": max(_seconds(tcp["min_rto"]), rtt + margin),
        "delayed_ack": _seconds(tcp["delayed_ack"]),
        **_congestion_terms(tcp["congestion"]),
    }


def _seconds(text: str) -> float:
    return float(base_units_of(text))


def _congestion_terms(control: str | Table) -> dict[str, Any]:
    """The congestion control, with its parameters where the formulas know any: CUBIC's."""
    given = {"kind": control} if isinstance(control, str) else dict(control)
    name = given.pop("kind")
    return {"growth": name} | (given if name == "cubic" else {})


def _outage_terms(gates: list[Table]) -> dict[str, float]:
    if not gates or _has_known_holds(gates[0]):
        return {}
    return {key: _seconds(gates[0][key]) for key in ("up", "down")}


def _aspects_left_out(point: Point, acks: list[Table]) -> Iterator[str]:
    if _tcp_terms(point).get("sysctl"):
        yield "settings of the kernel, which the formulas leave out"
    if any("channel" in ack or "exit" in ack for ack in acks):
        yield "losses of ACKs, which the formulas leave out"
