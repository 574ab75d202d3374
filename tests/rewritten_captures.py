"""Captures of the library as other programs would have written them."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

LIBRARY = Path(__file__).parent / "captures"
RAW, ETHERNET, SLL, SLL2 = 101, 1, 113, 276
ENHANCED_PACKET = 6

Packet = tuple[int, bytes]  # time in ns, from the IP header on
SENDER = bytes([10, 77, 0, 1])


def library(group: str) -> Iterator[tuple[str, list[Packet]]]:
    """The names and packets of a group's captures."""
    with zipfile.ZipFile(LIBRARY / f"{group}.zip") as archive:
        for name in archive.namelist():
            yield name, list(packets(archive.read(name)))


def packets(pcapng: bytes) -> Iterator[Packet]:
    """The packets of a pcapng file of ours: one interface, nanoseconds, little-endian."""
    at = 0
    while at < len(pcapng):
        kind, length = struct.unpack_from("<II", pcapng, at)
        if kind == ENHANCED_PACKET:
            high, low, kept = struct.unpack_from("<III", pcapng, at + 12)
            yield high << 32 | low, pcapng[at + 28 : at + 28 + kept]
        at += length


def pcap(
    packets: list[Packet],
    link: int = RAW,
    *,
    before: Callable[[bytes], bytes] = lambda packet: b"",
    order: str = "<",
    nanos: bool = False,
    snaplen: int = 65535,
) -> bytes:
    """A pcap file of packets, each behind the header that `before` makes of it."""
    magic, unit = (0xA1B23C4D, 1) if nanos else (0xA1B2C3D4, 1000)
    parts = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link)]
    for time, packet in packets:
        frame = before(packet) + packet
        kept = frame[:snaplen]
        seconds, rest = divmod(time, 10**9)
        length = len(frame) - len(packet) + ip_length(packet)
        parts.append(struct.pack(order + "IIII", seconds, rest // unit, len(kept), length) + kept)
    return b"".join(parts)


def ip_length(packet: bytes) -> int:
    if packet[0] >> 4 == 6:
        return 40 + int.from_bytes(packet[4:6])
    return int.from_bytes(packet[2:4])


def ether_type(packet: bytes) -> bytes:
    return b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"


def ethernet(packet: bytes) -> bytes:
    return bytes(12) + ether_type(packet)


def tagged(packet: bytes) -> bytes:
    """Ethernet with a VLAN tag."""
    return bytes(12) + b"\x81\x00\x00\x2a" + ether_type(packet)


def cooked(packet: bytes) -> bytes:
    return bytes(14) + ether_type(packet)


def cooked2(packet: bytes) -> bytes:
    return ether_type(packet) + bytes(18)


def tagged_cooked(packet: bytes) -> bytes:
    """Linux cooked, of a device that shows tags of VLANs."""
    return bytes(14) + b"\x81\x00\x00\x2a" + ether_type(packet)


def snap(packet: bytes) -> bytes:
    """IEEE 802.3 with LLC and SNAP."""
    return bytes(12) + struct.pack(">H", ip_length(packet) + 8) + b"\xaa\xaa\3\0\0\0\x08\0"


def behind_extensions(packet: bytes) -> bytes:
    """The packet in IPv6 behind hop-by-hop options and the header of a fragment that is all."""
    six = as_ipv6(packet)
    headers = b"\x2c\0\1\4\0\0\0\0" + b"\6\0\0\0\0\0\0\7"
    length = int.from_bytes(six[4:6]) + len(headers)
    return six[:4] + struct.pack(">HB", length, 0) + six[7:40] + headers + six[40:]


def as_ipv6(packet: bytes) -> bytes:
    """The TCP segment behind an IPv6 header; the MSS option stays as it was."""
    header = (packet[0] & 15) * 4
    length = ip_length(packet) - header
    source, destination = packet[12:16], packet[16:20]
    addresses = bytes(12) + source + bytes(12) + destination
    return b"\x60\0\0\0" + struct.pack(">HBB", length, 6, 64) + addresses + packet[header:]


def is_from_sender(packet: bytes) -> bool:
    return packet[12:16] == SENDER


def merged(packets: list[Packet]) -> list[Packet]:
    """As a device with segmentation offload shows them: segments of one instant that follow one
    another are one."""
    out: list[Packet] = []
    for time, packet in packets:
        if out and is_from_sender(packet) and _continues(out[-1], (time, packet)):
            before = out[-1]
            out[-1] = (before[0], _joined(before[1], packet))
        else:
            out.append((time, packet))
    return out


def _numbers(packet: bytes) -> tuple[int, int, int]:
    """First number, bytes, flags of a segment."""
    header = (packet[0] & 15) * 4
    offset = (packet[header + 12] >> 4) * 4
    seq = int.from_bytes(packet[header + 4 : header + 8])
    return seq, ip_length(packet) - header - offset, packet[header + 13]


def _continues(before: Packet, after: Packet) -> bool:
    if not is_from_sender(before[1]) or after[0] - before[0] > 20_000:
        return False
    (seq, length, flags), (next_seq, more, _) = _numbers(before[1]), _numbers(after[1])
    is_full = length > 0 and length % 1448 * (length % 1460) == 0
    fits = ip_length(before[1]) + more < 65000
    return is_full and fits and more > 0 and flags == 0x10 and seq + length == next_seq


def _joined(before: bytes, after: bytes) -> bytes:
    header = (before[0] & 15) * 4
    length = ip_length(before) + _numbers(after)[1]
    flags = bytes([before[header + 13] | after[header + 13]])
    whole = before[:2] + struct.pack(">H", length) + before[4:]
    return whole[: header + 13] + flags + whole[header + 14 :]


def comment_of(pcapng: bytes) -> bytes:
    """The first comment of a capture of the library: how it was made."""
    length = int.from_bytes(pcapng[26:28], "little")
    return pcapng[28 : 28 + length]


def described(packets: list[Packet], comment: bytes) -> bytes:
    """A pcapng file like those of the library, with its description."""
    option = struct.pack("<HH", 1, len(comment)) + comment + bytes(-len(comment) % 4) + bytes(4)
    section = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + option
    interface = struct.pack("<HHIHHB3xI", RAW, 0, 65535, 9, 1, 9, 0)
    blocks = [_block(0x0A0D0D0A, section), _block(1, interface)]
    for time, packet in packets:
        sizes = struct.pack("<II", len(packet), ip_length(packet))
        body = struct.pack("<III", 0, time >> 32, time & 0xFFFFFFFF) + sizes + packet
        blocks.append(_block(ENHANCED_PACKET, body + bytes(-len(packet) % 4)))
    return b"".join(blocks)


def _block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + length + body + length
