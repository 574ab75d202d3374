"""Captures in pcapng [draft-ietf-opsawg-pcapng]: the packets that tcpdump would see at both ends.

Two interfaces, raw IPv4, nanoseconds since the start of the run. IP and TCP headers are whole,
with right checksums, true windows, timestamps, SACK blocks, probes and sequence numbers modulo
2^32; payload is zeros. The receiver's interface shows other addresses under the same ports, as if
a translator stood between: Wireshark knows conversations by address, not by interface, and would
take every arrival for a retransmission.
"""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

import numpy as np

from airtcp.errors import whole_number
from airtcp.events.records import SACK_BLOCKS, Array
from airtcp.events.table import EventTable
from airtcp.export.packets import (
    AT_RECEIVER,
    AT_SENDER,
    FIRST_ACK,
    HANDSHAKE,
    IP_AND_TCP,
    MOST_BYTES,
    MOST_OPTIONS,
    SYN,
    SYN_ACK,
    TIMESTAMPS,
    CapturePackets,
    comments,
    has_timestamps,
    largest_window,
    option_bytes,
    payload_bytes,
    speak_sack,
    unit_bytes,
    window_shift,
)

SNAPLEN = 96  # bytes kept of a packet: all headers, some payload
HEADERS = 80  # bytes, at most
INTERFACES = {AT_SENDER: "sender", AT_RECEIVER: "receiver"}

_SECTION, _INTERFACE, _PACKET = 0x0A0D0D0A, 1, 6  # types of blocks
_BYTE_ORDER = 0x1A2B3C4D
_RAW_IPV4 = 101  # LINKTYPE_RAW
_COMMENT, _NAME, _APPLICATION, _RESOLUTION = 1, 2, 4, 9  # codes of options
_PACKETS_PER_CHUNK = 50_000  # packets in memory at a time
_FIXED_BYTES = 32  # bytes of a packet's block around the packet

_FIRST_ADDRESS = 0x0A00  # 10.0.place.1 sends, 10.0.place.2 receives
_FIRST_PORT, _FLOWS_PER_PORT, _SERVER_PORT = 49_152, 14_000, 63_152
_FLAGS = {0: 0x10, SYN: 0x02, SYN_ACK: 0x12, FIRST_ACK: 0x10}
_HEADER_WORDS = HEADERS // 2
_OPTIONS = 20  # where they begin, in words
_PROBE_OPTION = 0xFD08  # kind 253, 8 bytes [RFC 6994]
_EXID = 0x4154  # "AT": probes of airtcp (docs/howto/wireshark.md)


def write_pcapng(events: EventTable, file: BinaryIO, *, snaplen: int | None = SNAPLEN) -> None:
    """Write one run as a capture.

    - `snaplen`: bytes kept of a packet, at least 80, so that headers are whole; None: all.

    Raises `InputError` for packets that IPv4 cannot carry.
    """
    bytes_kept = (
        MOST_BYTES if snaplen is None else whole_number("snaplen", snaplen, HEADERS, MOST_BYTES)
    )
    packets, comments_by_row = CapturePackets.of(events), comments(events)
    file.write(_head(events, bytes_kept))
    for start in range(0, len(packets), _PACKETS_PER_CHUNK):
        file.write(
            _blocks(packets.part(start, start + _PACKETS_PER_CHUNK), comments_by_row, bytes_kept)
        )


def _head(events: EventTable, snaplen: int) -> bytes:
    about = "events of a simulation; times count from its start; handshakes are synthetic"
    program = f"airtcp {events.facts.get('airtcp', '')}".strip()
    section = struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1)
    head = _block(_SECTION, section + _options({_COMMENT: about, _APPLICATION: program}))
    for name in INTERFACES.values():
        body = struct.pack("<HHI", _RAW_IPV4, 0, snaplen)
        head += _block(_INTERFACE, body + _options({_NAME: name, _RESOLUTION: b"\x09"}))
    return head


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def _options(values: dict[int, str | bytes]) -> bytes:
    written = b""
    for code, value in values.items():
        content = value.encode() if isinstance(value, str) else value
        written += struct.pack("<HH", code, len(content)) + content + bytes(-len(content) % 4)
    return written + bytes(4)  # end of options


def _blocks(packets: CapturePackets, comments_by_row: dict[int, str], snaplen: int) -> Any:
    """Enhanced Packet Blocks, one after the other."""
    words, header, total = _headers(packets)
    captured = np.minimum(total, snaplen)
    texts = _texts(packets, comments_by_row)
    size = _FIXED_BYTES + (captured + 3) // 4 * 4
    for index, text in texts.items():
        size[index] += len(text)
    begin = np.concatenate([[0], np.cumsum(size)])
    buffer = np.zeros(begin[-1], dtype=np.uint8)
    _frame(buffer, begin, packets, captured, total)
    half = buffer.view(">u2")
    for word in range(_HEADER_WORDS):
        chosen = header > 2 * word
        half[begin[:-1][chosen] // 2 + 14 + word] = words[chosen, word]
    for index, text in texts.items():
        end = begin[index + 1] - 4
        buffer[end - len(text) : end] = np.frombuffer(text, dtype=np.uint8)
    return buffer.data


def _frame(
    buffer: Array, begin: Array, packets: CapturePackets, captured: Array, total: Array
) -> None:
    """Write the fields around each packet: type, lengths, interface, time."""
    time = packets.events.columns["time_ns"][packets.row]
    quad, size = buffer.view("<u4"), np.diff(begin)
    fields = (_PACKET, size, packets.place, time >> 32, time & 0xFFFFFFFF, captured, total)
    for place, values in enumerate(fields):
        quad[begin[:-1] // 4 + place] = values
    quad[begin[1:] // 4 - 1] = size


def _texts(packets: CapturePackets, comments_by_row: dict[int, str]) -> dict[int, bytes]:
    """Comments, as options, by the index of the packet."""
    shaking = np.flatnonzero(packets.step)
    texts = dict.fromkeys(shaking.tolist(), _options({_COMMENT: HANDSHAKE}))
    if comments_by_row:
        at_sender = (packets.step == 0) & (packets.place == AT_SENDER)
        marked = np.flatnonzero(at_sender & np.isin(packets.row, list(comments_by_row)))
        for index in marked.tolist():
            texts[index] = _options({_COMMENT: comments_by_row[int(packets.row[index])]})
    return texts


def _headers(packets: CapturePackets) -> tuple[Array, Array, Array]:
    """(words of IP and TCP headers, their bytes, bytes of the whole packets)."""
    words = np.zeros((len(packets), _HEADER_WORDS), dtype=np.int64)
    header = IP_AND_TCP + _write_options(words, packets)
    plain = packets.data & (packets.step == 0)
    length = packets.events.columns["length"][packets.row] * _unit_bytes(packets)
    total = header + np.where(plain, length, 0)
    _write_tcp(words, packets, header)
    _write_ip(words, packets, total)
    pseudo = words[:, 6:10].sum(axis=1) + 6 + total - 20
    words[:, 18] = _checksum(words[:, 10:].sum(axis=1) + pseudo)
    words[:, 5] = _checksum(words[:, :10].sum(axis=1))
    return words, header, total


def _write_ip(words: Array, packets: CapturePackets, total: Array) -> None:
    outward = packets.data
    words[:, 0] = 0x4500  # version 4, no options
    words[:, 1] = total
    words[:, 2] = packets.number
    words[:, 3] = 0x4000  # do not fragment
    words[:, 4] = 64 << 8 | 6  # time to live, TCP
    words[:, 6] = words[:, 8] = _FIRST_ADDRESS
    words[:, 7] = packets.place << 8 | np.where(outward, 1, 2)
    words[:, 9] = packets.place << 8 | np.where(outward, 2, 1)


def _write_tcp(words: Array, packets: CapturePackets, header: Array) -> None:
    outward, step = packets.data, packets.step
    client, server = _ports(packets.events.columns["flow"][packets.row])
    words[:, 10] = np.where(outward, client, server)
    words[:, 11] = np.where(outward, server, client)
    sequence, acknowledged = _numbers(packets)
    _write_long(words, 12, sequence)
    _write_long(words, 14, acknowledged)
    flags = np.array([_FLAGS[code] for code in range(4)])[step]
    words[:, 16] = (header - 20) // 4 << 12 | flags
    words[:, 17] = _windows(packets)


def _ports(flow: Array) -> tuple[Array, Array]:
    """A pair of ports for every flow, outside the ports that dissectors know."""
    return _FIRST_PORT + flow % _FLOWS_PER_PORT, _SERVER_PORT + flow // _FLOWS_PER_PORT


def _unit_bytes(packets: CapturePackets) -> Array:
    """Bytes per unit of sequence numbers, of each packet."""
    return unit_bytes(packets.events, packets.row)


def _numbers(packets: CapturePackets) -> tuple[Array, Array]:
    """(sequence number, acknowledgement): the first byte has number 1, the receiver sends none."""
    outward, step, first = packets.data, packets.step, packets.first
    seq = packets.events.columns["seq"][packets.row] * _unit_bytes(packets)
    ours = np.select([step == SYN, step == 0], [first, seq + 1], first + 1)
    sequence = np.where(outward, ours, np.where(step == 0, 1, 0))
    acknowledged = np.where(outward, np.where(step == SYN, 0, 1), ours)
    return sequence, acknowledged


def _windows(packets: CapturePackets) -> Array:
    """The window field: true and scaled for the receiver, as large as possible for the sender."""
    events = packets.events
    window = events.columns["window"][packets.row] * _unit_bytes(packets) >> window_shift(events)
    offered = np.where(
        packets.step == SYN_ACK, largest_window(events), window
    )  # never scaled in a SYN
    return np.where(packets.data, MOST_BYTES, np.minimum(offered, MOST_BYTES))


def _write_long(words: Array, place: int, values: Array) -> None:
    """Write the lower 32 bits of values."""
    words[:, place] = values >> 16 & 0xFFFF
    words[:, place + 1] = values & 0xFFFF


def _write_options(words: Array, packets: CapturePackets) -> Array:
    """Write the options of TCP; returns their bytes."""
    events, step = packets.events, packets.step
    size = np.zeros(len(packets), dtype=np.int64)
    shaking = (step == SYN) | (step == SYN_ACK)
    scale, flow = window_shift(events), events.columns["flow"][packets.row]
    sack = speak_sack(events)[flow[shaking]]
    words[shaking, _OPTIONS : _OPTIONS + 5] = (0x0204, 0, 0x0103, 0x0300 | scale, 0x0101)
    words[shaking, _OPTIONS + 1] = payload_bytes(events)[flow[shaking]]
    words[shaking, _OPTIONS + 5] = np.where(sack, 0x0402, 0x0101)  # permitted [RFC 2018 2], or not
    words[step == SYN, _OPTIONS + 3] = 0x0300
    size[shaking] = 12
    padding = option_bytes(events)[flow]
    probe = events.columns["probe"][packets.row] * (step == 0)
    plain = packets.data & (step == 0) & (probe == 0)
    for word in range(MOST_OPTIONS // 2):
        words[plain & (padding > 2 * word), _OPTIONS + word] = 0x0101
    size[plain] = padding[plain]
    own = np.flatnonzero(~packets.data & (step == 0))
    begin = np.full(len(own), _OPTIONS)
    stamped = has_timestamps(events)[flow]
    if stamped.any():
        _write_timestamps(words, packets, size, np.flatnonzero(stamped))
        size[stamped & (step != 0)] += TIMESTAMPS
        size[own] += TIMESTAMPS * stamped[own]
        begin += TIMESTAMPS // 2 * stamped[own]
    blocks = events.columns["sack"][packets.row[own]] * _unit_bytes(packets)[own, None, None]
    size[own] += _write_sack(words, own, blocks, begin)
    size[probe > 0] = _write_probe(words, packets, probe)
    return size


def _write_probe(words: Array, packets: CapturePackets, probe: Array) -> int:
    """The option of probes and their answers; returns its bytes.

    After the ExID: one byte, 1 to 4 for PROBE1, PROBE1_ACK, PROBE2, PROBE2_ACK, and the probe's
    number in three.
    """
    some = probe > 0
    kind = 2 * probe[some] - packets.data[some]
    number = packets.events.columns["probe_number"][packets.row[some]] & 0xFFFFFF
    words[some, _OPTIONS] = _PROBE_OPTION
    words[some, _OPTIONS + 1] = _EXID
    words[some, _OPTIONS + 2] = kind << 8 | number >> 16
    words[some, _OPTIONS + 3] = number & 0xFFFF
    return 8


def _write_timestamps(words: Array, packets: CapturePackets, size: Array, here: Array) -> None:
    """Timestamps [RFC 7323 3.2] of the packets `here`.

    They stand first, but in a SYN after its other options. The clock of the receiver stands at 0:
    data travels one way, so nothing depends on it.
    """
    at = _OPTIONS + np.where((packets.step == SYN) | (packets.step == SYN_ACK), size // 2, 0)
    stamp = packets.events.columns["stamp"][packets.row]
    values = (
        (0x0101, 0x080A),
        np.where(packets.data, [stamp >> 16, stamp & 0xFFFF], 0),
        np.where(packets.data | (packets.step == SYN), 0, [stamp >> 16, stamp & 0xFFFF]),
    )
    for place, value in enumerate(value for pair in values for value in pair):
        words[here, at[here] + place] = value[here] if isinstance(value, np.ndarray) else value


def _write_sack(words: Array, own: Array, sack: Array, begin: Array) -> Array:
    """SACK blocks [RFC 2018 3] of the packets `own` from words `begin`; returns their bytes."""
    blocks = (sack[:, :, 1] > sack[:, :, 0]).sum(axis=1)  # the used ones come first
    edges = sack + 1
    some = blocks > 0
    words[own[some], begin[some]] = 0x0101
    words[own[some], begin[some] + 1] = 0x0500 | (2 + 8 * blocks[some])
    for block in range(SACK_BLOCKS):
        with_it = blocks > block
        for side in range(2):
            if not with_it.any():
                break  # and beside timestamps there is no room for a fourth
            place = begin[with_it] + 2 + 4 * block + 2 * side
            values = edges[with_it, block, side]
            words[own[with_it], place] = values >> 16 & 0xFFFF
            words[own[with_it], place + 1] = values & 0xFFFF
    return np.where(some, 4 + 8 * blocks, 0)


def _checksum(total: Array) -> Array:
    """The Internet checksum [RFC 1071] of a sum of words."""
    folded = (total & 0xFFFF) + (total >> 16)
    folded = (folded & 0xFFFF) + (folded >> 16)
    return ~folded & 0xFFFF
