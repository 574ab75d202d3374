"""Packets that a capture of a run would hold, in the order of a capture, with their numbers.

Two places are watched: the sender sees its data leave and the ACKs come, the receiver sees data
come and its ACKs leave. The simulator has no handshake, but a reader of a capture learns window
scaling, SACK and the first sequence number from one: three packets without duration stand before
the first packet of every flow, at each place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from airtcp import _native
from airtcp.errors import InputError
from airtcp.events.records import CAUSES, CODE_OF_KIND, KINDS, KINDS_WITH_WINDOW, Array
from airtcp.events.table import EventTable

AT_SENDER, AT_RECEIVER = 0, 1
SYN, SYN_ACK, FIRST_ACK = 1, 2, 3  # steps of the handshake; 0 is an event of the run

IP_AND_TCP = 40  # bytes of headers without options
MOST_OPTIONS = 40  # bytes [RFC 9293 3.1]
MOST_BYTES = 65_535  # of an IPv4 packet, and of a window that is not scaled
MOST_SHIFT = 14  # [RFC 7323 2.3]

TIMESTAMPS = 12  # bytes of the option, padded [RFC 7323 appendix A]

# Events of packets to the receiver, and events seen at the sender, in the order of these places.
_OUTWARD_EVENTS = ("send", "resend", "arrive", "probe-send", "probe-arrive")
_AT_SENDER = {"send": 0, "resend": 0, "probe-send": 0, "ack": 1, "probe-ack": 1, "timeout": 2}
_DATA, _ACK, _TIMEOUT = range(3)

HANDSHAKE = "synthetic handshake: it tells window scale, SACK and first sequence number"


@dataclass(frozen=True)
class CapturePackets:
    """The packets of a capture: `row` of the event, `step` of the handshake, `place`, IP `number`.

    `first` is the lowest sequence number, in bytes, of a packet's flow at its place.
    """

    events: EventTable
    row: Array
    step: Array
    place: Array
    first: Array
    number: Array

    @classmethod
    def of(cls, events: EventTable) -> CapturePackets:
        """The packets at both ends, in time order, an ACK before the data that it releases."""
        _check_size(events)
        rows, place = _packets_at_ends(events)
        flow = events.columns["flow"][rows].astype(np.int64)
        _, begins, group = np.unique(2 * flow + place, return_index=True, return_inverse=True)
        first = _first_bytes(events, rows, group, len(begins))
        copies = np.ones(len(rows), dtype=np.int64)
        copies[begins] += 3
        row, place, first = (np.repeat(column, copies) for column in (rows, place, first[group]))
        step = np.zeros(len(row), dtype=np.int8)
        ends = np.cumsum(copies)[begins]
        for behind, flags in ((4, SYN), (3, SYN_ACK), (2, FIRST_ACK)):
            step[ends - behind] = flags
        packets_without_numbers = cls(events, row, step, place, first, np.empty(0))
        return cls(
            events, row, step, place, first, _numbers(2 * place + packets_without_numbers.data)
        )

    def __len__(self) -> int:
        """The number of packets."""
        return len(self.row)

    @property
    def data(self) -> Array:
        """Mask of the packets that travel from the sender to the receiver."""
        event = self.events.columns["event"][self.row]
        carries = np.isin(event, [CODE_OF_KIND[kind] for kind in _OUTWARD_EVENTS])
        carrying: Array = np.where(self.step == 0, carries, self.step != SYN_ACK)
        return carrying

    def part(self, start: int, end: int) -> CapturePackets:
        """The packets from `start` to before `end`."""
        arrays = (self.row, self.step, self.place, self.first, self.number)
        return CapturePackets(self.events, *(array[start:end] for array in arrays))


def payload_bytes(events: EventTable) -> Array:
    """Bytes of payload in a full packet of each flow; headers of counted packets come out of it."""
    payload, header = events.of_flows("payload"), events.of_flows("header")
    inside = np.where(events.of_flows("unit") > 1, 0, np.maximum(0, IP_AND_TCP - header))
    found: Array = payload - inside
    return found


def unit_bytes(events: EventTable, rows: Array | slice | None = None) -> Array:
    """Bytes of payload per unit of sequence numbers of each flow: ns-2 counts packets.

    With `rows`: for the flow of each of these events.
    """
    units: Array = payload_bytes(events) // events.of_flows("unit")
    return units if rows is None else units[events.columns["flow"][rows]]


def has_timestamps(events: EventTable) -> Array:
    """For each flow, true if every segment carries a timestamp."""
    return events.of_flows("timestamps").astype(bool)


def option_bytes(events: EventTable) -> Array:
    """Bytes of TCP options on data of each flow, which make headers as long as in the scenario."""
    surplus = (events.of_flows("header") - IP_AND_TCP) // 4 * 4
    options: Array = np.clip(surplus, 0, MOST_OPTIONS)
    return options


def window_shift(events: EventTable) -> int:
    """The window scale [RFC 7323 2.2] that the largest window needs."""
    return min(MOST_SHIFT, max(0, (largest_window(events) // (MOST_BYTES + 1)).bit_length()))


def largest_window(events: EventTable) -> int:
    """The largest window of all flows, in bytes."""
    windows = events.columns["window"] * unit_bytes(events, slice(None))
    return int(windows.max(initial=0))


def speak_sack(events: EventTable) -> Array:
    """Mask of the flows that agreed on SACK."""
    can, _ = _native.capabilities()
    known = events.facts.get("sacks")  # where it is no matter of the variant
    agreed = np.array(known or [can[variant][0] for variant in events.variants], dtype=bool)
    agreed[events.columns["flow"][events.columns["sack"].any(axis=(1, 2))]] = True
    return agreed


def comments(events: EventTable) -> dict[int, str]:
    """Reasons of retransmissions, which the simulator knows: row -> reason."""
    losses: dict[tuple[int, int], list[str]] = {}
    reasons: dict[int, str] = {}
    given = events.columns
    for row in events.rows("drop", "resend").tolist():
        packet = int(given["flow"][row]), int(given["packet"][row])
        if given["event"][row] == CODE_OF_KIND["drop"]:
            cause, node = CAUSES[given["cause"][row] - 1], given["node"][row]
            losses.setdefault(packet, []).append(f"{cause} after node {node}")
        else:
            lost = losses.pop(packet, [])
            why = f"lost before: {', '.join(lost)}" if lost else "no loss of it was seen"
            reasons[row] = f"retransmission of packet {packet[1]}; {why}"
    return reasons


def _check_size(events: EventTable) -> None:
    limits = MOST_BYTES - IP_AND_TCP - option_bytes(events)
    for payload, most in zip(payload_bytes(events).tolist(), limits.tolist(), strict=True):
        if not 1 <= payload <= most:
            raise InputError(f"payload = {payload} B: an IPv4 packet with TCP holds 1 to {most} B")


def _packets_at_ends(events: EventTable) -> tuple[Array, Array]:
    """(rows, place) of the packets that pass either end."""
    at_end = events.columns["node"] == _receivers(events)[events.columns["flow"]]
    arrived = events.mask("ack-sent", "probe-ack-sent")
    arrived |= events.mask("arrive", "probe-arrive") & at_end
    sender = [kind for kind in _AT_SENDER if kind != "timeout"]
    rows = np.flatnonzero(events.mask(*sender) | arrived)
    order = _order_keys(events)[rows].argsort(kind="stable")
    rows = rows[order]
    return rows, np.where(arrived[rows], AT_RECEIVER, AT_SENDER)


def _receivers(events: EventTable) -> Array:
    """The node where the receiver of each flow is: the last one, unless flows say otherwise."""
    flows, hops = int(events.facts["flows"]), int(events.facts["hops"])
    return np.asarray(events.facts.get("receivers", [hops] * flows))


def _order_keys(events: EventTable) -> Array:
    """A key per row that brings every ACK before the sends it released.

    In the table they stand before it, because it shows the state after them.
    """
    key = 2 * np.arange(len(events))
    time, flow = (events.columns[name] for name in ("time_ns", "flow"))
    event = np.full(len(KINDS), -1)
    event[[CODE_OF_KIND[kind] for kind in _AT_SENDER]] = list(_AT_SENDER.values())
    event = event[events.columns["event"]]
    rows = np.flatnonzero(event >= _DATA)
    rows = rows[flow[rows].argsort(kind="stable")]  # flow by flow, each in its own order
    if not len(rows):
        return key
    row_index = np.arange(len(rows))
    instant = np.ones(len(rows), dtype=bool)  # where another instant, or flow, begins
    instant[1:] = (np.diff(time[rows]) != 0) | (np.diff(flow[rows]) != 0)
    after = np.zeros(len(rows), dtype=bool)  # where an ACK or a timeout has just ended
    after[1:] = event[rows][:-1] >= _ACK
    begin = np.maximum.accumulate(np.where(instant | after, row_index, 0))
    timed_out = event[rows][np.maximum(begin - 1, 0)] == _TIMEOUT
    own = (event[rows] == _ACK) & (instant[begin] | ~timed_out)
    key[rows[own]] = 2 * rows[begin[own]] - 1
    return key


def _first_bytes(events: EventTable, rows: Array, group: Array, groups: int) -> Array:
    """The lower byte of the first data and the first ACK of each group."""
    is_ack = events.mask(*KINDS_WITH_WINDOW)[rows]
    seq = events.columns["seq"][rows] * unit_bytes(events, rows)
    lowest = np.full(groups, np.iinfo(np.int64).max)
    for direction_rows in (is_ack, ~is_ack):
        numbers, index = np.unique(group[direction_rows], return_index=True)
        lowest[numbers] = np.minimum(lowest[numbers], seq[direction_rows][index])
    return lowest


def _numbers(source: Array) -> Array:
    """IP identification: every host counts the packets that it sends."""
    number = np.zeros(len(source), dtype=np.uint16)
    for host in range(4):
        mine = source == host
        number[mine] = np.arange(1, int(mine.sum()) + 1) & 0xFFFF
    return number
