"""Captures of simulated connections, and the true fates of their transmissions."""

from __future__ import annotations

import io
import json
import struct
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from airtcp import Events, _native
from airtcp.events.records import CAUSES, CODE_OF_KIND
from airtcp.export.pcapng import write_pcapng

SENDER, RECEIVER = 0, 1  # interfaces of the export
_INTERFACE, _PACKET = 1, 6  # types of blocks


class Truth(NamedTuple):
    """The transmissions of data in the order in which they were sent."""

    time: NDArray[np.int64]  # ns
    fate: NDArray[np.int8]  # 1: lost, 0: arrived, -1: on the way at the end
    cause: NDArray[np.int8]  # of losses, 0: the link's, 1: the queue's; -1: none


def played(document: dict[str, Any], seed: int) -> Events:
    """A run of a scenario."""
    (point,) = _native.Points(json.dumps(document))
    return Events.from_records(_native.trace(point, seed, 0), _native.trace_facts(point))


def capture(events: Events, interface: int | None = None) -> bytes:
    """The run as pcapng, as one of both ends or, with None, both see it."""
    file = io.BytesIO()
    write_pcapng(events, file)
    content = file.getvalue()
    if interface is None:
        return content
    kept, at = b"", 0
    parts = []
    while at < len(content):
        kind, length, place = struct.unpack_from("<III", content, at)
        if kind != _PACKET or place == interface:
            parts.append(content[at : at + length])
        at += length
    return kept.join(parts)


def truth(events: Events) -> Truth:
    """The fates of the transmissions of the first flow."""
    columns = events.columns
    kind, node = columns["event"], columns["node"]
    own = columns["flow"] == 0
    sent = np.flatnonzero(own & np.isin(kind, [CODE_OF_KIND["send"], CODE_OF_KIND["resend"]]))
    last = int(events.facts["hops"])
    ended = own & (
        (kind == CODE_OF_KIND["drop"]) | ((kind == CODE_OF_KIND["arrive"]) & (node == last))
    )
    waiting: dict[int, list[int]] = {}
    fate = np.full(len(sent), -1, dtype=np.int8)
    cause = np.full(len(sent), -1, dtype=np.int8)
    number = {row: nth for nth, row in enumerate(sent.tolist())}
    for row in np.flatnonzero(ended | np.isin(np.arange(len(kind)), sent)).tolist():
        key = int(columns["seq"][row])
        if row in number:
            waiting.setdefault(key, []).append(number[row])
            continue
        copies = waiting[key]
        is_drop = kind[row] == CODE_OF_KIND["drop"]
        # A full queue drops what has just come to it, a link and a manager of queues what is first.
        at_once = is_drop and columns["time_ns"][sent[copies[-1]]] == columns["time_ns"][row]
        nth = copies.pop(-1 if at_once else 0)
        fate[nth] = is_drop
        if is_drop:
            cause[nth] = CAUSES[columns["cause"][row] - 1] == "queue"
    return Truth(columns["time_ns"][sent], fate, cause)
