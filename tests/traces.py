"""Events for the tests of exports and figures.

`played` is a run of the simulator: one hop, four ways to lose packets, that of ns-2. `written` is a
short one by hand: two hops, bytes, SACK blocks, losses of every cause.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np

from airtcp import Events, _native
from airtcp.events.records import CODE_OF_KIND

PACKET, ACK, HEADER = 1000, 40, 40
MSS = 1460
_DOWN = {"kind": "schedule", "toggles": ["1.5s", "1.8s", "4.1s", "4.2s"]}
_SPIKE = [{"at": "1.5s", "delay": "1.2s"}, {"at": "1.7s", "delay": "100ms"}]
_LOSSES = {"kind": "iid", "loss_rate": 0.02}
SCENARIOS: dict[str, tuple[int, str, dict[str, Any]]] = {  # window, end, the hop
    "drop4": (28, "4s", {"drop": [[14, 1], [24, 1], [26, 1], [28, 1]]}),  # [Fall & Floyd 1996]
    "overflow": (50, "8s", {"queue": 12}),
    "cut": (40, "6.5s", {"gate": _DOWN}),
    "spike": (20, "4.5s", {"delays": _SPIKE}),
    "fast": (200, "4s", {"rate": "10Mbps", "delay": "20ms", "channel": _LOSSES}),
}
TYPES = {
    "time_ns": "int64",
    "flow": "int32",
    "event": "int8",
    "node": "int16",
    "cause": "int8",
    "seq": "int64",
    "length": "int32",
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
    "probe": "int32",
    "probe_number": "int32",
    "ecn": "int8",
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
    "probe": 0,
    "probe_number": 0,
    "ecn": 0,
}
Row = dict[str, Any]


def row(time_ns: int, event: str, **values: Any) -> Row:
    return FILLERS | {"time_ns": time_ns, "event": CODE_OF_KIND[event]} | values


def events_of(rows: list[Row], **facts: Any) -> Events:
    """The events as the simulator would hand them over."""
    flat = [[edge for block in entry["sack"] for edge in block] for entry in rows]
    values = {name: [entry[name] for entry in rows] for name in TYPES}
    values["sack"] = [edges + [0] * (8 - len(edges)) for edges in flat]
    columns = {name: np.array(values[name], dtype=kind) for name, kind in TYPES.items()}
    columns["sack"] = columns["sack"].reshape(-1, 4, 2)
    return Events(columns, facts)


def document(name: str, variant: str | list[str]) -> dict[str, Any]:
    """One of `SCENARIOS`."""
    window, end, extra = SCENARIOS[name]
    hop = {"rate": "800kbps", "delay": "100ms", "queue": 100} | extra
    return {
        "profile": "ns2",
        "tcp": {"variant": variant, "window": window, "packet": f"{PACKET}B", "ack": f"{ACK}B"},
        "path": {"hop": [hop]},
        "stop": {"time": end, "replications": 1},
    }


@cache
def played(name: str, variant: str) -> Events:
    """A run of one of `SCENARIOS`."""
    (point,) = _native.Points(json.dumps(document(name, variant)))
    return Events.from_records(_native.trace(point, 1, 0), _native.trace_facts(point))


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
    for entry in rows:
        entry["flow"] = flow
    return rows


def blocks(*rows: list[Row], **facts: Any) -> Events:
    """Rows in bytes as events, in time order."""
    merged = sorted(
        (entry for flow_rows in rows for entry in flow_rows), key=lambda entry: entry["time_ns"]
    )
    known = {"unit": MSS, "payload": MSS, "header": HEADER, "hops": 2, "flows": len(rows)}
    return events_of(merged, **known | {"profile": "rfc", "variant": "sack"} | facts)
