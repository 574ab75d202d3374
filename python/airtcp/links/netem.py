"""The line of tc-netem(8) that stands for a direction of a hop, where there is one.

netem asks its loss model once per packet, so that its channel stands still while nobody sends; a
channel on a clock of its own has no line. Its queue counts packets that wait for their delay as
well, and is left as it is where the scenario has none. It has no slots: a packet starts when it
comes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airtcp.support.units import number_of

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point

DEVICE = "$DEV"
WITHOUT = ("opportunities", "exit", "arq", "gate", "drop", "delays")  # what netem has nothing for
OTHERWISE = ("jitter", "reorder", "duplicate")  # what netem means something else by
UNLIMITED = 1_000_000  # packets
AT_ONCE = 1e15  # bit/s: packets take no time


def tc_lines(point: Point) -> list[str]:
    """For every hop, forward and back, `tc qdisc add ...`, or a comment that says why not.

    Slots have no line, and a comment says so; the rest of such a hop has. Raises `InputError` if
    packets on slots cannot be real ones.
    """
    lines = []
    for index, hop in enumerate(point.as_path().points()[0].data["path"]["hop"]):
        if hop.get("slotted"):
            lines.append(f"# hop {index}: netem has no slots, a packet starts when it comes")
        back = {"gate": hop.get("gate"), "rate": hop["rate"], "delay": hop["delay"]}
        back |= {"queue": hop.get("queue")} | (hop.get("back") or {})
        lines += [_line(f"hop {index}", hop), _line(f"hop {index}, back", back)]
    return lines


def _line(name: str, way: dict[str, Any]) -> str:
    missing = [key for key in WITHOUT if way.get(key)]
    loss = _loss(way.get("channel"))
    if missing or loss is None:
        what = missing[0] if missing else f"channel {way['channel']['kind']}"
        return f"# {name}: netem has nothing for {what}"
    others = [key for key in OTHERWISE if way.get(key)]
    if others:
        return f"# {name}: netem's {others[0]} is another"
    words = ["tc qdisc add dev", DEVICE, "root netem", f"delay {_micros(way['delay'])}us"]
    rate = number_of(way["rate"])
    words += [f"rate {round(rate)}bit"] if rate < AT_ONCE else []
    limit = way.get("queue")
    if isinstance(limit, dict):
        if limit["kind"] != "drop-tail":
            return f"# {name}: netem has nothing for queue {limit['kind']}"
        limit = limit.get("packets", limit.get("bytes"))
    if isinstance(limit, str):
        return f"# {name}: netem's queue counts packets, not bytes"
    words += [f"limit {UNLIMITED if limit is None else limit}"]
    return " ".join([*words, *loss, f" # {name}"])


def _micros(text: str) -> str:
    return f"{1_000_000 * number_of(text):.3f}".rstrip("0").rstrip(".")


def _loss(channel: dict[str, Any] | None) -> list[str] | None:
    """The words of the loss model; None if netem has none that is the same."""
    if channel is None:
        return []
    if channel["kind"] == "iid":
        return [f"loss random {_percent(channel['loss_rate'])}"]
    if channel["kind"] != "gilbert-elliott" or channel.get("clock") != "packet":
        return None
    values = [channel["p"], channel["r"], 1.0 - channel.get("h", 0.0), 1.0 - channel.get("k", 1.0)]
    return ["loss gemodel", *map(_percent, values)]


def _percent(probability: float) -> str:
    return f"{100 * probability:.10g}%"
