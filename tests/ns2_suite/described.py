"""A script of ns-2's suite as a scenario of airtcp, and what a run of that did as ns's trace.

`describe` says `Unknown` of what profile `ns2` does not have: those references do not count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from airtcp import Events

from .draws import Draws
from .plots import Line
from .script import Script

VARIANTS = {
    "Agent/TCP": "tahoe",
    "Agent/TCP/Reno": "reno",
    "Agent/TCP/Newreno": "newreno",
    "Agent/TCP/Sack1": "sack",
}
SINKS = {
    "tahoe": ("Agent/TCPSink", "Agent/TCPSink/DelAck"),
    "reno": ("Agent/TCPSink", "Agent/TCPSink/DelAck"),
    "newreno": ("Agent/TCPSink", "Agent/TCPSink/DelAck"),
    "sack": ("Agent/TCPSink/Sack1", "Agent/TCPSink/Sack1/DelAck"),
}
#: Settings of agents that are keys of `tcp.ns`, by their kind.
BOOLEANS = {
    "syn_": "syn",
    "delay_growth_": "delay_growth",
    "singledup_": "singledup",
    "bugFix_": "bugfix",
    "bugfix_ss_": "bugfix_ss",
    "bugFix_ack_": "bugfix_ack",
    "lessCareful_": "less_careful",
    "exitFastRetrans_": "exit_fast_retrans",
    "precisionReduce_": "precision_reduce",
    "rfc2988_": "rfc2988",
    "timerfix_": "timerfix",
    "slow_start_restart_": "slow_start_restart",
    "partial_ack_": "partial_ack",
    "oldCode_": "old_code",
    "newreno_changes1_": "newreno_changes1",
    "partial_window_deflation_": "partial_window_deflation",
    "exit_recovery_fix_": "exit_recovery_fix",
    "ecn_": "ecn",
    "old_ecn_": "old_ecn",
    "SetCWRonRetransmit_": "set_cwr_on_retransmit",
}
NUMBERS = {"windowInit_": "window_init", "maxburst_": "maxburst", "numdupacksFrac_": "numdupacks_frac"}
TIMES = {"rtxcur_init_": "rtxcur_init", "minrto_": "minrto", "maxrto_": "maxrto"}
#: Settings that profile `ns2` has not, with the value that leaves them out.
ABSENT = {"timestamps_": "false", "bugFix_ts_": "false", "newreno_changes_": "0", "max_ssthresh_": "0", "overhead_": "0"}


class Unknown(Exception):  # noqa: N818
    """What profile `ns2` does not have."""


@dataclass(frozen=True)
class Described:
    """A scenario, and what is what in it."""

    document: dict[str, Any]
    nodes: list[str]  #: objects of nodes: their places are ns's numbers
    links: list[tuple[int, int]]  #: of each hop the near and the far node
    flows: list[tuple[int, int, int]]  #: of each flow ns's flow id, sender, receiver


def truth(text: str) -> bool:
    """Whether Tcl takes `text` for true."""
    return text.lower() in ("1", "true", "yes", "on")


def seconds(text: str) -> float:
    """A time of ns: a number in seconds, or with a unit."""
    value, unit = re.fullmatch(r"([\d.eE+-]+)\s*([a-z]*)", text.strip()).groups()  # type: ignore[union-attr]
    return float(value) * {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6}[unit]


def rate(text: str) -> float:
    """A rate of ns in bits per second."""
    value, unit = re.fullmatch(r"([\d.eE+]+)\s*([A-Za-z]*)", text.strip()).groups()  # type: ignore[union-attr]
    return float(value) * {"": 1.0, "b": 1.0, "k": 1e3, "m": 1e6}[unit.lower()[:1]]


def describe(script: Script) -> Described:
    """The scenario of profile `ns2` that a script describes.

    Raises Unknown for what the profile does not have."""
    if script.calls:
        raise Unknown(f"ns's command {script.calls[0][1]}")
    nodes = script.of("Node")
    links = _links(script, nodes)
    flows = [_flow(script, agent, nodes, boot) for agent, boot in _agents(script)]
    if not flows:
        raise Unknown("no TCP flow")
    for hop, flow in ((hop, flow) for hop in links for flow in flows):
        if len(flows) > 1 and "exit" in hop[1]:
            raise Unknown("losses of one flow of several")
        del flow
    document = {
        "profile": "ns2",
        "tcp": {"variant": flows[0][1]["tcp"]["variant"], "ack": "40B"},
        "path": {"hop": [hop for _, hop in links]},
        "flow": [flow for _, flow in flows],
        "stop": {"time": f"{script.end!r}s", "replications": 1},
    }
    return Described(document, nodes, [ends for ends, _ in links], [ends for ends, _ in flows])


def _agents(script: Script) -> list[tuple[str, float]]:
    """The senders in the order of their creation, each with the phase of its clock: the next draw of ns."""
    draws, agents = Draws(), []
    for name in script.of("Agent/TCP"):
        tick = seconds(script.values[name]["tcpTick_"])
        agents.append((name, draws() * tick))
    return agents


def _links(script: Script, nodes: list[str]) -> list[tuple[tuple[int, int], dict[str, Any]]]:
    hops: dict[tuple[int, int], dict[str, Any]] = {}
    for name in script.of("Link"):
        link = script.values[name]
        a, b = nodes.index(link["from"]), nodes.index(link["to"])
        keys = {"rate": f"{rate(link['rate'])!r}bps", "delay": f"{seconds(link['delay'])!r}s", "queue": _queue(script, link)}
        if link["errors"]:
            keys |= _errors(script, link["errors"])
        if (b, a) in hops:
            hops[b, a]["back"] = keys
        else:
            hops[a, b] = {"near": f"n{a}", "far": f"n{b}"} | keys
    return list(hops.items())


def _queue(script: Script, link: dict[str, str]) -> Any:
    kind, values = script.classes[link["queue"]], script.values[link["queue"]]
    if kind != "Queue/DropTail":
        raise Unknown(f"{kind.removeprefix('Queue/')} queues")
    return int(values["limit_"])


def _errors(script: Script, module: str) -> dict[str, Any]:
    lost: set[int] = set()
    for model in script.values[module]["models"].split():
        values = script.values[model]
        if truth(values.get("delay_pkt_", "0")):
            raise Unknown("an error model that delays packets")
        if truth(values.get("markecn_", "0")):
            raise Unknown("an error model that marks packets")
        if "flows_" in values:
            lost |= _losses(script.classes[model], values)
    if not lost:
        return {}
    fates = [int(n in lost) for n in range(max(lost) + 1)]
    return {"exit": {"kind": "trace", "lost": fates, "repeat": False}}


def _losses(kind: str, values: dict[str, str]) -> set[int]:
    """The packets that an error model takes, counted from 0."""
    if kind == "ErrorModel/List":
        return {int(n) for n in values.get("droplist_", "").replace("{", "").replace("}", "").split()}
    if "offset_" not in values:
        return set()
    offset, period, burst = (int(float(values.get(key, "0"))) for key in ("offset_", "period_", "burstlen_"))
    first = max(offset, 1) - 1
    return {first, *range(first + 1, first + burst)} if period > 5000 else set()


def _flow(script: Script, agent: str, nodes: list[str], boot: float) -> tuple[tuple[int, int, int], dict[str, Any]]:
    values, kind = script.values[agent], script.classes[agent]
    if kind not in VARIANTS:
        raise Unknown(kind.removeprefix("Agent/TCP/"))
    for key, value in ABSENT.items():
        if truth(values.get(key, value)) != truth(value):
            raise Unknown(key)
    peer = values["peer_"]
    sink, variant = script.values[peer], VARIANTS[kind]
    if script.classes[peer] not in SINKS[variant]:
        raise Unknown(script.classes[peer])
    header = 40 if truth(values["useHeaders_"]) else 0
    ends = nodes.index(values["node_"]), nodes.index(sink["node_"])
    keys = {
        "variant": variant,
        "window": int(float(values["window_"])),
        "packet": f"{int(values['packetSize_']) + header}B",
        "tick": f"{seconds(values['tcpTick_'])!r}s",
        "boot": boot,
        "ns": _settings(values, sink, script.classes[peer]),
    }
    flow = {"sender": f"n{ends[0]}", "receiver": f"n{ends[1]}", "tcp": keys} | _work(script, agent, values)
    return (int(values["fid_"]), *ends), flow


def _settings(values: dict[str, str], sink: dict[str, str], kind: str) -> dict[str, Any]:
    settings: dict[str, Any] = {ours: truth(values[key]) for key, ours in BOOLEANS.items() if key in values}
    settings |= {ours: max(int(float(values[key])), 0) for key, ours in NUMBERS.items()}
    settings |= {ours: f"{seconds(values[key])!r}s" for key, ours in TIMES.items()}
    if kind.endswith("DelAck"):
        settings["interval"] = f"{seconds(sink['interval_'])!r}s"
        settings["immediate_ack"] = truth(sink["RFC2581_immediate_ack_"])
        settings["syn_immediate_ack"] = truth(sink["SYN_immediate_ack_"])
    return settings


def _work(script: Script, agent: str, values: dict[str, str]) -> dict[str, Any]:
    """When a flow starts, and how much it sends."""
    of_agent = [one for one in script.done if script.values[one[1]]["agent_"] == agent]
    if len(of_agent) != 1:
        raise Unknown("an application that is told more than once what to do")
    time, application, verb, amounts = of_agent[0]
    if script.classes[application] != "Application/FTP" or verb not in ("start", "produce", "send"):
        raise Unknown(f"{script.classes[application].removeprefix('Application/')} {verb}")
    start = {"start": f"{time!r}s"}
    if verb == "start":
        return start
    amount = int(float(amounts[0]))
    packets = amount if verb == "produce" else -(-amount // int(values["packetSize_"]))
    return start | {"packets": packets + truth(values["syn_"])}  # the SYN is one more


def lines(described: Described, events: Events) -> list[Line]:
    """What a traced run did, as lines of ns's trace: what enters each queue, leaves it, is dropped."""
    table = events.to_pandas()
    starts = events.to_pandas("sojourn")
    names = {int(name[1:]): number for number, name in enumerate(events.links.nodes)}
    found: list[Line] = []
    for hop, ends in enumerate(described.links):
        for direction, (here, there) in (("forward", ends), ("back", ends[::-1])):
            mine = starts[(starts["hop"] == hop) & (starts["direction"] == direction)]
            found += _of_link(described, table, mine, names, here, there)
    return sorted(found, key=lambda line: line.time)


def _of_link(
    described: Described, table: Any, starts: Any, names: dict[int, int], here: int, there: int
) -> list[Line]:
    came, lost, refused = _entering(described, table, names, here, there)
    queue = sorted((line for line in came if line not in lost | refused), key=lambda line: line.time)
    left = [
        Line("-", t, here, there, line.is_ack, line.flow, line.number, line.sender, line.receiver, line.flags)
        for line, t in zip(queue, np.asarray(starts["time"]), strict=False)
    ]
    drops = [replace(line, event="d") for line in lost | refused]
    return [*queue, *left, *refused, *drops]


def _entering(
    described: Described, table: Any, names: dict[int, int], here: int, there: int
) -> tuple[list[Line], set[Line], set[Line]]:
    """What comes to the link from `here` to `there`; of that, what is lost before the queue, and what the queue drops."""
    routes = _routes(described)
    came: list[Line] = []
    lost: set[Line] = set()
    refused: set[Line] = set()
    for index, (fid, sender, receiver) in enumerate(described.flows):
        for is_ack, (source, target) in ((False, (sender, receiver)), (True, (receiver, sender))):
            way = routes[source, target]
            if (here, there) not in list(zip(way, way[1:], strict=False)):
                continue
            mine = table[table["flow"] == index]
            first = ("ack-sent",) if is_ack else ("send", "resend")
            kinds = first if way[0] == here else (("ack-arrive",) if is_ack else ("arrive",))
            at = mine if way[0] == here else mine[mine["node"] == names[here]]
            drops = mine[(mine["event"] == ("ack-drop" if is_ack else "drop")) & (mine["node"] == names[here])]

            def as_lines(rows: Any, ack: bool = is_ack, ends: tuple[int, ...] = (fid, source, target)) -> list[Line]:
                number, a, b = ends
                pairs = zip(rows["time"], rows["packet"], strict=True)
                return [Line("+", float(t), here, there, ack, number, int(p), a, b) for t, p in pairs]

            came += as_lines(at[at["event"].isin(kinds)])
            lost |= set(as_lines(drops[drops["cause"] == "channel"]))
            refused |= set(as_lines(drops[drops["cause"] == "queue"]))
    return came, lost, refused


def _routes(described: Described) -> dict[tuple[int, int], list[int]]:
    """The nodes on the way from any node to any other (the suite's networks are trees)."""
    neighbours: dict[int, list[int]] = {}
    for a, b in described.links:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    routes = {}
    for start in neighbours:
        ways = [[start]]
        for way in ways:
            routes[start, way[-1]] = way
            ways += [[*way, n] for n in neighbours[way[-1]] if n not in way]
    return routes
