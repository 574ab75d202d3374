"""Events for the tests of exports and figures, without the simulator.

`golden` completes a trace recorded from ns-2 (tests/golden/*.csv: what the sender did) with what
the link and the receiver must have done: one hop, drop-tail, forced losses, disconnections, spikes.
`written` is a short one by hand: two hops, bytes, delayed ACKs, SACK blocks, losses of every cause.
"""

from __future__ import annotations

import csv
import json
from collections import deque
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from airtcp.events import CAUSES, CODE, Events

GOLDEN = Path(__file__).parent / "golden"
NS = 1_000_000_000
PACKET, ACK, HEADER = 1000, 40, 40
NEVER = 2**62
TYPES = {
    "time_ns": "int64",
    "flow": "int32",
    "event": "int8",
    "node": "int32",
    "cause": "int8",
    "seq": "int64",
    "length": "int64",
    "packet": "int64",
    "size": "int32",
    "cwnd": "float64",
    "ssthresh": "float64",
    "inflight": "int64",
    "dupacks": "int32",
    "backoff": "int32",
    "rto": "float64",
    "srtt": "float64",
    "rttvar": "float64",
    "window": "int64",
    "sack": "int64",
}
FILLERS: dict[str, Any] = {
    "flow": 0,
    "node": 0,
    "cause": 0,
    "length": 0,
    "size": 0,
    "cwnd": np.nan,
    "ssthresh": np.nan,
    "inflight": -1,
    "dupacks": -1,
    "backoff": -1,
    "rto": np.nan,
    "srtt": np.nan,
    "rttvar": np.nan,
    "window": 0,
    "sack": (),
}
STATE = ("cwnd", "ssthresh", "dupacks", "backoff", "rto", "srtt", "rttvar")
Row = dict[str, Any]


def row(time_ns: int, event: str, **values: Any) -> Row:
    return FILLERS | {"time_ns": time_ns, "event": CODE[event]} | values


def events_of(rows: list[Row], **facts: Any) -> Events:
    """The events as the simulator would hand them over."""
    flat = [[edge for block in one["sack"] for edge in block] for one in rows]
    values = {name: [one[name] for one in rows] for name in TYPES}
    values["sack"] = [edges + [0] * (8 - len(edges)) for edges in flat]
    columns = {
        name: (kind, np.array(values[name], dtype=kind).tobytes()) for name, kind in TYPES.items()
    }
    return Events.from_columns(columns, facts)


@dataclass
class Wire:
    """One direction of a hop (the rules of ns-2): FIFO, drop-tail, spikes, disconnections."""

    rate: float
    delay: float
    limit: int
    size: int
    spikes: list[tuple[float, float]]
    downs: list[tuple[int, int]]
    forced: dict[int, set[int]]
    busy: int = 0
    last: int = 0
    starts: deque[int] = field(default_factory=deque)
    copies: dict[int, int] = field(default_factory=dict)

    def push(self, now: int, number: int, surplus: int = 0) -> tuple[str, int]:
        """(what becomes of it, when)."""
        if any(down <= now < up for down, up in self.downs):
            return "vanished", now
        while self.starts and self.starts[0] <= now:
            self.starts.popleft()
        if self.busy > now and len(self.starts) + 1 >= self.limit:
            return "queue", now
        start = max(now, self.busy)
        airtime = round((self.size + surplus) * 8 * NS / self.rate)
        arrival = start + airtime + self._delay(start)
        if arrival < self.last:
            arrival = self.last + airtime
        cut = next((down for down, _ in self.downs if now < down <= arrival), None)
        if cut is None or start <= cut:
            self.busy = start + airtime
        self.starts.append(start)
        self.last = arrival
        if cut is not None:
            return "gate", cut
        self.copies[number] = self.copies.get(number, 0) + 1
        lost = self.copies[number] in self.forced.get(number, ())
        return ("forced" if lost else "arrive"), arrival

    def _delay(self, start: int) -> int:
        delay = self.delay
        for since, changed in self.spikes:
            if start >= since * NS:
                delay = changed
        return round(delay * NS)


@dataclass
class Receiver:
    """Cumulative ACKs at once, SACK blocks as RFC 2018 says."""

    sack: bool
    next: int = 0
    above: set[int] = field(default_factory=set)
    recent: list[int] = field(default_factory=list)

    def take(self, number: int) -> list[tuple[int, int]]:
        if number >= self.next:
            self.above.add(number)
        while self.next in self.above:
            self.above.remove(self.next)
            self.next += 1
        self.recent = [number, *(one for one in self.recent if one != number)]
        blocks: list[tuple[int, int]] = []
        for one in self.recent if self.sack else ():
            if one in self.above and len(blocks) < 3:
                block = self._run(one)
                blocks += [block] if block not in blocks else []
        return blocks

    def _run(self, number: int) -> tuple[int, int]:
        start = end = number
        while start - 1 in self.above:
            start -= 1
        while end in self.above:
            end += 1
        return start, end


@cache
def golden(name: str, variant: str) -> Events:
    """A recorded run, with the rows that the recording leaves out."""
    document = json.loads((GOLDEN / "scenarios.json").read_text(encoding="utf-8"))
    scenario = next(one for one in document["scenarios"] if one["name"] == name)
    with (GOLDEN / f"{name}.csv").open(encoding="utf-8") as file:
        recorded = [one for one in csv.DictReader(file) if one["variant"] == variant]
    window, (hop,) = scenario["window"], scenario.get("hops", document["common"]["hops"])
    sender = _sender_rows(recorded)
    network = _network_rows(sender, hop, scenario, variant)
    _give_blocks_to_acks(sender, network)
    rows = sorted([*sender, *network], key=lambda one: one["time_ns"])  # stable
    for one in rows:
        if one["event"] in (CODE["ack"], CODE["ack-sent"]):
            one["window"] = window
    return events_of(
        rows,
        unit=1,
        payload=PACKET - HEADER,
        header=HEADER,
        hops=1,
        flows=1,
        profile="ns2",
        variant=variant,
    )


def _sender_rows(recorded: list[dict[str, str]]) -> list[Row]:
    words = {"S": "send", "R": "resend", "A": "ack", "T": "timeout"}
    rows: list[Row] = []
    waiting: list[tuple[Row, int]] = []  # sends, and the highest packet sent by then
    state, highest, last = row(0, "send"), -1, -1
    state = {key: state[key] for key in STATE}
    for one in recorded:
        if one["ev"] not in words:
            continue
        number, event = int(one["seq"]), words[one["ev"]]
        time = round(float(one["time"]) * NS)
        made = row(time, event, seq=number, packet=number)
        if event in ("send", "resend"):
            highest = max(highest, number)
            made |= {"length": 1, "size": PACKET, "inflight": highest - last} | state
            waiting.append((made, highest))
        else:
            state = _state(one)
            last = max(last, number) if event == "ack" else last
            made |= state | {"inflight": highest - last, "size": 0 if event == "timeout" else ACK}
            if event == "ack":
                made["seq"] += 1
                for sent, newest in waiting:  # they show the state after the ACK
                    if sent["time_ns"] == time:
                        sent.update(state, inflight=newest - last)
            waiting.clear()
        rows.append(made)
    return rows


def _state(one: dict[str, str]) -> Row:
    srtt, rttvar = int(one["srtt8"]), int(one["rttvar4"])
    sampled = srtt > 0
    return {
        "cwnd": float(one["cwnd"]),
        "ssthresh": float(one["ssthresh"]),
        "dupacks": int(one["dupacks"]),
        "backoff": int(one["backoff"]),
        "rto": ((8 * rttvar + srtt) >> 3) * 0.1 if sampled else np.nan,
        "srtt": srtt / 80 if sampled else np.nan,
        "rttvar": rttvar / 40 if sampled else np.nan,
    }


def _network_rows(sender: list[Row], hop: list[float], scenario: Any, variant: str) -> list[Row]:
    rate, delay, limit = hop
    instants = [round(one * NS) for one in scenario.get("toggle", [])]
    downs = list(zip(instants[::2], instants[1::2], strict=True))
    shared = (rate, delay, limit)
    out = Wire(*shared, PACKET, scenario.get("spike", []), downs, _forced(scenario, "drop"))
    back = Wire(*shared, ACK, [], downs, _forced(scenario, "ackdrop"))
    receiver, rows = Receiver(variant == "sack"), []
    for sent in sender:
        if sent["event"] > CODE["resend"]:
            continue
        number, data = sent["packet"], {"length": 1, "size": PACKET}
        fate, time = out.push(sent["time_ns"], number)
        if fate in CAUSES:
            cause = CAUSES.index(fate) + 1
            rows.append(row(time, "drop", cause=cause, seq=number, packet=number, **data))
        if fate != "arrive":
            continue
        rows.append(row(time, "arrive", node=1, seq=number, packet=number, **data))
        blocks = receiver.take(number)
        answer = {
            "seq": receiver.next,
            "packet": receiver.next - 1,
            "size": ACK + 8 * len(blocks),
            "sack": blocks,
            "node": 1,
        }
        rows.append(row(time, "ack-sent", **answer))
        fate, time = back.push(time, receiver.next - 1, 8 * len(blocks))
        if fate in CAUSES:
            rows.append(row(time, "ack-drop", cause=CAUSES.index(fate) + 1, **answer))
        elif fate == "arrive":
            rows.append(row(time, "ack-arrive", **answer))
    end = sender[-1]["time_ns"]
    return [one for one in rows if one["time_ns"] <= end]


def _forced(scenario: Any, key: str) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for number, copy in scenario.get(key, []):
        found.setdefault(number, set()).add(copy)
    return found


def _give_blocks_to_acks(sender: list[Row], network: list[Row]) -> None:
    """The recording has no blocks: each ACK takes those of the one that must be it."""
    arrived = [one for one in network if one["event"] == CODE["ack-arrive"]]
    processed = [one for one in sender if one["event"] == CODE["ack"]]
    assert [one["packet"] for one in processed] == [one["packet"] for one in arrived]
    for ours, theirs in zip(processed, arrived, strict=True):
        assert abs(ours["time_ns"] - theirs["time_ns"]) <= 10_000  # the recording has 1 us
        ours["sack"], ours["size"] = theirs["sack"], theirs["size"]
        network.remove(theirs)


MSS = 1460


def written(flow: int = 0, base: int = 0) -> list[Row]:
    """A few packets of 1460 bytes over two hops, in bytes from `base`: packet 1 is lost, 2 to 5
    arrive above the hole and are reported in SACK blocks, 3 sent by limited transmit.
    """
    ms = 1_000_000
    rows: list[Row] = []

    def data(time: int, event: str, number: int, **values: Any) -> None:
        place = {"seq": base + number * MSS, "packet": base // MSS + number, "length": MSS}
        rows.append(row(time * ms, event, size=MSS + HEADER, **place | values))

    def ack(time: int, event: str, upto: int, *blocks: tuple[int, int], **values: Any) -> None:
        edges = [(base + start * MSS, base + end * MSS) for start, end in blocks]
        place = {"seq": base + upto * MSS, "packet": base // MSS + upto - 1, "sack": edges}
        rows.append(row(time * ms, event, size=ACK, window=64 * MSS, **place | values))

    def state(inflight: int, dupacks: int, cwnd: float, ssthresh: float = np.inf) -> Row:
        counts = {"inflight": inflight, "dupacks": dupacks, "backoff": 1, "rto": 1.0}
        return counts | {"cwnd": cwnd, "ssthresh": ssthresh, "srtt": 0.1, "rttvar": 0.05}

    for number in range(6):
        data(0, "send", number, **state(number + 1, 0, 6.0))
    data(0, "drop", 5, cause=1)
    for number, time in enumerate((10, 20, 30, 40, 50)):
        data(time, "arrive", number, node=1)
    data(31, "drop", 1, node=1, cause=2)
    data(25, "arrive", 0, node=2)
    ack(25, "ack-sent", 1, node=2)
    ack(35, "ack-arrive", 1, node=1)
    data(45, "arrive", 2, node=2)
    ack(45, "ack-sent", 1, (2, 3), node=2)
    data(50, "send", 6, **state(6, 0, 7.0))
    ack(50, "ack", 1, **state(6, 0, 7.0))
    data(55, "arrive", 3, node=2)
    ack(55, "ack-sent", 1, (2, 4), node=2)
    data(60, "arrive", 6, node=1)
    data(65, "arrive", 4, node=2)
    ack(65, "ack-sent", 1, (2, 5), node=2)
    ack(70, "ack-drop", 1, (2, 5), node=2, cause=2)
    ack(70, "ack", 1, (2, 3), **state(6, 1, 7.0))
    data(75, "arrive", 6, node=2)
    ack(75, "ack-sent", 1, (6, 7), (2, 5), node=2)
    ack(80, "ack", 1, (2, 4), **state(6, 2, 7.0))
    data(100, "resend", 1, **state(6, 3, 3.0, 3.0))
    ack(100, "ack", 1, (6, 7), (2, 5), **state(6, 3, 3.0, 3.0))
    data(110, "drop", 1, node=0, cause=3)
    rows.append(row(1100 * ms, "timeout", seq=base + MSS, packet=1, **state(6, 0, 1.0, 3.0)))
    data(1100, "resend", 1, **state(6, 0, 1.0, 3.0))
    data(1110, "arrive", 1, node=1)
    data(1125, "arrive", 1, node=2)
    ack(1125, "ack-sent", 5, (6, 7), node=2)
    ack(1150, "ack", 5, (6, 7), **state(2, 0, 2.0, 3.0))
    for one in rows:
        one["flow"] = flow
    return rows


def blocks(*rows: list[Row], **facts: Any) -> Events:
    """Rows in bytes as events, in time order."""
    merged = sorted((one for some in rows for one in some), key=lambda one: one["time_ns"])
    known = {"unit": MSS, "payload": MSS, "header": HEADER, "hops": 2, "flows": len(rows)}
    return events_of(merged, **known | {"profile": "rfc", "variant": "sack"} | facts)
