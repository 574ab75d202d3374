"""The segments of a capture that `airtcp live --out` wrote, as a table."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.errors import InputError
from airtcp.live.capture_files import MOST_BYTES
from airtcp.support.files import file_name, read_file

if TYPE_CHECKING:
    import pandas

_SECTION_BLOCK, _PACKET_BLOCK = 0x0A0D0D0A, 6  # types of blocks [draft-ietf-opsawg-pcapng]
_LITTLE_ENDIAN_MAGIC = 0x1A2B3C4D
_FIXED_BYTES = 28  # bytes of a packet's block before the packet
_SYN, _ACK = 0x02, 0x10


def sequence(capture: str | Path) -> pandas.DataFrame:
    """A row per TCP segment of the connection that the capture begins with.

    - `time`: s since the first SYN; `sent`: true if the end that sent that SYN sent the segment;
    - `first`: number of its first byte, 0 for the first byte of data; `length`: bytes of data;
    - `again`: true for data that had been sent before; `ack`: the number expected next.

    Raises `InputError` for a file that is not a capture of `airtcp live`.
    """
    import pandas  # noqa: PLC0415  (slow to import)

    path = file_name("capture", capture)
    content = read_file(path, MOST_BYTES)
    try:
        segments = pandas.DataFrame(_first_connection(_segments(content)), columns=_COLUMNS)
    except (struct.error, IndexError, ValueError) as error:
        raise InputError(f"{path}: is not a capture of airtcp live: {error}") from None
    data = segments["sent"] & (segments["length"] > 0)
    ends = (segments["first"] + segments["length"]).where(data)
    segments["again"] = data & (segments["first"] < ends.cummax().shift(fill_value=0.0).ffill())
    return segments


_COLUMNS = ("time", "sent", "first", "length", "ack")
_Segment = tuple[int, tuple[int, int], tuple[int, int], int, int]


def _segments(content: bytes) -> Iterator[_Segment]:
    """Nanoseconds, ports, numbers, flags and bytes of data of each segment."""
    if struct.unpack_from("<I4xI", content) != (_SECTION_BLOCK, _LITTLE_ENDIAN_MAGIC):
        raise ValueError("it is not a little-endian pcapng file")
    place = 0
    while place < len(content):
        kind, size = struct.unpack_from("<II", content, place)
        if size < 12 or place + size > len(content):
            raise ValueError(f"the block at byte {place} cannot have {size} bytes")
        if kind == _PACKET_BLOCK:
            high, low = struct.unpack_from("<II", content, place + 12)
            yield (
                high << 32 | low,
                *_parse_headers(content[place + _FIXED_BYTES : place + size - 4]),
            )
        place += size


def _parse_headers(packet: bytes) -> tuple[tuple[int, int], tuple[int, int], int, int]:
    """Fields of the headers of a raw IPv4 packet with TCP."""
    if packet[0] >> 4 != 4 or packet[9] != 6:
        raise ValueError("a packet is not TCP over IPv4")
    network = 4 * (packet[0] & 15)
    (total_length,) = struct.unpack_from(">H", packet, 2)
    source, target, seq, ack, words, flags = struct.unpack_from(">HHIIBB", packet, network)
    length = total_length - network - 4 * (words >> 4)
    return (source, target), (seq, ack), flags, length


def _first_connection(segments: Iterator[_Segment]) -> Iterator[tuple[float, bool, int, int, int]]:
    """The first connection, with numbers that count from the first byte of data of either end."""
    begin, ports, first = 0, (0, 0), [0, 0]
    for number, (time, ends, (seq, ack), flags, length) in enumerate(segments):
        if number == 0:
            if flags & (_SYN | _ACK) != _SYN:
                raise ValueError("it does not begin with a SYN")
            begin, ports = time, ends
        sent = ends == ports
        if not sent and ends != ports[::-1]:
            continue
        if flags & _SYN:
            first[not sent] = seq + 1
        at = ((seq - first[not sent] + 1) & 0xFFFF_FFFF) - 1
        acked = (ack - first[sent]) & 0xFFFF_FFFF if flags & _ACK and not flags & _SYN else 0
        yield (time - begin) / 1e9, sent, at, length, acked
