"""A script of ns-2's suite as a scenario of airtcp, and what a run of that did as ns's trace.

`describe` says `Unknown` of what profile `ns2` does not have: those references do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .draws import Draws
from .links import errors_of, queue_of
from .script import Script
from .words import Unknown, rate, seconds, truth

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
NUMBERS = {
    "windowInit_": "window_init",
    "maxburst_": "maxburst",
    "numdupacksFrac_": "numdupacks_frac",
}
TIMES = {"rtxcur_init_": "rtxcur_init", "minrto_": "minrto", "maxrto_": "maxrto"}
#: Settings that profile `ns2` has not, with the value that leaves them out.
ABSENT = {
    "timestamps_": "false",
    "bugFix_ts_": "false",
    "newreno_changes_": "0",
    "max_ssthresh_": "0",
    "overhead_": "0",
}


#: Seconds after which everything that a link carries has arrived.
AFTER = 1.0


@dataclass(frozen=True)
class Described:
    """A scenario, and what is what in it."""

    document: dict[str, Any]
    end: float  #: when the script ends, in seconds; the scenario goes on a little
    nodes: list[str]  #: objects of nodes: their places are ns's numbers
    links: list[tuple[int, int]]  #: of each hop the near and the far node
    flows: list[tuple[int, int, int]]  #: of each flow ns's flow id, sender, receiver


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
    if len(flows) > 1 and any("exit" in hop or "marks" in hop for _, hop in links):
        raise Unknown("losses of one flow of several")
    document = {
        "profile": "ns2",
        "tcp": {"variant": flows[0][1]["tcp"]["variant"], "ack": "40B"},
        "path": {"hop": [hop for _, hop in links]},
        "flow": [flow for _, flow in flows],
        "stop": {"time": f"{script.end + AFTER!r}s", "replications": 1},
    }
    return Described(
        document, script.end, nodes, [ends for ends, _ in links], [ends for ends, _ in flows]
    )


def _agents(script: Script) -> list[tuple[str, float]]:
    """The senders in the order of their creation, each with the phase of its clock.

    A sender draws it twice: as it is created, and as the simulation begins and ns resets it."""
    draws, names = Draws(), script.of("Agent/TCP")
    for _ in names:
        draws()
    at = {name: script.resets.index(script.values[name]["node_"]) for name in names}
    ticks = {name: seconds(script.values[name]["tcpTick_"]) for name in names}
    boots = {name: draws() * ticks[name] for name in sorted(names, key=at.__getitem__)}
    return [(name, boots[name]) for name in names]


def _links(script: Script, nodes: list[str]) -> list[tuple[tuple[int, int], dict[str, Any]]]:
    hops: dict[tuple[int, int], dict[str, Any]] = {}
    for name in script.of("Link"):
        link = script.values[name]
        a, b = nodes.index(link["from"]), nodes.index(link["to"])
        keys = {
            "rate": f"{rate(link['rate'])!r}bps",
            "delay": f"{seconds(link['delay'])!r}s",
            "queue": queue_of(script, link),
        }
        if link["errors"]:
            keys |= errors_of(script, link["errors"].split())
        if (b, a) in hops:
            hops[b, a]["back"] = keys
        else:
            hops[a, b] = {"near": f"n{a}", "far": f"n{b}"} | keys
    return list(hops.items())


def _flow(
    script: Script, agent: str, nodes: list[str], boot: float
) -> tuple[tuple[int, int, int], dict[str, Any]]:
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
    flow = {"sender": f"n{ends[0]}", "receiver": f"n{ends[1]}", "tcp": keys} | _work(
        script, agent, values
    )
    return (int(values["fid_"]), *ends), flow


def _settings(values: dict[str, str], sink: dict[str, str], kind: str) -> dict[str, Any]:
    settings: dict[str, Any] = {
        ours: truth(values[key]) for key, ours in BOOLEANS.items() if key in values
    }
    settings |= {ours: max(int(float(values[key])), 0) for key, ours in NUMBERS.items()}
    settings |= {ours: f"{seconds(values[key])!r}s" for key, ours in TIMES.items()}
    if kind.endswith("DelAck"):
        settings["interval"] = f"{seconds(sink['interval_'])!r}s"
        settings["immediate_ack"] = truth(sink["RFC2581_immediate_ack_"])
        settings["syn_immediate_ack"] = truth(sink["SYN_immediate_ack_"])
    return settings


def _work(script: Script, agent: str, values: dict[str, str]) -> dict[str, Any]:
    """When a flow starts, and how much it sends."""
    of_agent = [command for command in script.done if script.values[command[1]]["agent_"] == agent]
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
