"""Captures: by their bytes, and by what tshark finds in them."""

from __future__ import annotations

import io
import json
import shutil
import struct
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from airtcp import Events, InputError, _native
from airtcp.events.records import CODE_OF_KIND
from airtcp.export import pcapng
from airtcp.export.packets import AT_RECEIVER, AT_SENDER, CapturePackets, window_shift
from airtcp.export.pcapng import HEADERS, SNAPLEN, write_pcapng
from traces import MSS, PACKET, blocks, played, written

RUNS = [
    (name, variant)
    for name in ("drop4", "overflow", "cut", "spike")
    for variant in ("tahoe", "reno", "newreno", "sack")
]
SHAKE = 3  # packets of a handshake


class Block(NamedTuple):
    kind: int
    body: bytes


class Packet(NamedTuple):
    interface: int
    time: int
    length: int
    data: bytes
    comment: str

    @property
    def words(self) -> tuple[int, ...]:
        return struct.unpack(f">{HEADERS // 2}H", self.data[:HEADERS].ljust(HEADERS, b"\0"))

    @property
    def header(self) -> int:
        return 20 + 4 * (self.words[16] >> 12)

    @property
    def sequence(self) -> int:
        return self.words[12] << 16 | self.words[13]

    @property
    def acknowledged(self) -> int:
        return self.words[14] << 16 | self.words[15]


def capture(events: Events, snaplen: int | None = SNAPLEN) -> bytes:
    file = io.BytesIO()
    write_pcapng(events, file, snaplen=snaplen)
    return file.getvalue()


def blocks_of(data: bytes) -> Iterator[Block]:
    at = 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, at + length - 4) == (length,)
        yield Block(kind, data[at + 8 : at + length - 4])
        at += length


def packets_of(data: bytes) -> list[Packet]:
    found = []
    for kind, body in blocks_of(data):
        if kind != 6:
            continue
        interface, high, low, captured, length = struct.unpack_from("<5I", body)
        rest = body[20 + (captured + 3) // 4 * 4 :]
        comment = ""
        if rest:
            code, size = struct.unpack_from("<HH", rest)
            assert code == 1
            comment = rest[4 : 4 + size].decode()
        content = body[20 : 20 + captured]
        found.append(Packet(interface, high << 32 | low, length, content, comment))
    return found


def checksum(data: bytes) -> int:
    """RFC 1071, word by word."""
    total = sum(struct.unpack(f">{len(data) // 2}H", data[: len(data) // 2 * 2]))
    if len(data) % 2:
        total += data[-1] << 8
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


# By its bytes


def test_the_head_says_what_the_file_holds() -> None:
    first, second, third, *_ = blocks_of(capture(played("drop4", "sack")))
    assert first.kind == 0x0A0D0D0A
    assert first.body[:16] == struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
    assert b"synthetic" in first.body
    for block, name in ((second, b"sender"), (third, b"receiver")):
        assert block.kind == 1
        assert struct.unpack_from("<HHI", block.body) == (101, 0, SNAPLEN)
        assert struct.pack("<HH", 2, len(name)) + name in block.body
        assert struct.pack("<HHB", 9, 1, 9) in block.body  # nanoseconds


def test_every_packet_of_both_ends_is_there_in_time_order() -> None:
    events = played("drop4", "sack")
    packets = packets_of(capture(events))
    times = [packet.time for packet in packets]
    assert times == sorted(times)
    for place, kinds in (
        (AT_SENDER, ("send", "resend", "ack")),
        (AT_RECEIVER, ("arrive", "ack-sent")),
    ):
        mine = [packet.time for packet in packets if packet.interface == place]
        assert mine[SHAKE:] == sorted(events.columns["time_ns"][events.rows(*kinds)].tolist())


@pytest.mark.parametrize("snaplen", [None, 80, 97, SNAPLEN])
def test_checksums_and_lengths(snaplen: int | None) -> None:
    events = blocks(written(), header=52)
    for packet in packets_of(capture(events, snaplen)):
        assert len(packet.data) == min(packet.length, snaplen or 65_535)
        assert packet.words[0] == 0x4500
        assert packet.words[1] == packet.length
        assert checksum(packet.data[:20]) == 0
        whole = packet.data.ljust(packet.length, b"\0")  # the payload is zeros
        assert not any(whole[packet.header :])
        pseudo = whole[12:20] + struct.pack(">HH", 6, packet.length - 20)
        assert checksum(pseudo + whole[20:]) == 0


def test_sizes_are_those_of_the_scenario() -> None:
    for header in (40, 52):
        events = blocks(written(), header=header)
        data = [packet for packet in packets_of(capture(events)) if packet.length > 100]
        assert {packet.length for packet in data} == {MSS + header}
        assert {packet.header for packet in data} == {header}
    lengths = {packet.length for packet in packets_of(capture(played("drop4", "sack")))}
    assert lengths >= {PACKET, 40, 52, 60}


def test_an_ack_stands_before_the_data_it_releases() -> None:
    events = played("drop4", "newreno")
    packets = CapturePackets.of(events)
    kinds = events.columns["event"][packets.row]
    time = events.columns["time_ns"][packets.row]
    at_sender = np.flatnonzero((packets.place == AT_SENDER) & (packets.step == 0))
    for before, after in pairwise(at_sender):
        if kinds[after] == CODE_OF_KIND["ack"]:
            assert time[after] > time[before]


def test_what_a_timeout_sends_stays_before_an_ack_of_the_same_instant() -> None:
    rows = written()
    late = next(row for row in rows if row["event"] == CODE_OF_KIND["timeout"])["time_ns"]
    last = rows[-1]
    assert last["event"] == CODE_OF_KIND["ack"]
    last["time_ns"] = late
    events = blocks(rows)
    packets = CapturePackets.of(events)
    kinds = events.columns["event"][packets.row[packets.place == AT_SENDER]].tolist()
    assert kinds[-2:] == [CODE_OF_KIND["resend"], CODE_OF_KIND["ack"]]


def test_sequence_numbers_wrap() -> None:
    """As they do after 4 GiB: 10^7 packets of a run are 14.6 GB."""
    start = 2**32 // MSS * MSS - 2 * MSS
    early, late = (packets_of(capture(blocks(written(base=base)))) for base in (0, start))
    assert len(early) == len(late)
    for first, second in zip(early, late, strict=True):
        outward = first.data[19] in (2,)  # to .2
        shifted = (first.sequence + start) % 2**32 if outward else first.sequence
        assert second.sequence == shifted
        if first.acknowledged > 1:
            assert second.acknowledged == (first.acknowledged + start) % 2**32


def test_large_windows_are_scaled() -> None:
    rows = written()
    for row in rows:
        if row["window"]:
            row["window"] = 1_000_000 * MSS
    events = blocks(rows)
    shift = window_shift(events)
    assert 1_000_000 * MSS >> shift > 65_535  # beyond what TCP can say: RFC 7323 stops at 14
    assert shift == 14
    for window, expected in ((65_535, 0), (65_536, 1), (131_071, 1), (131_072, 2)):
        for row in rows:
            if row["window"]:
                row["window"] = window
        assert window_shift(blocks(rows)) == expected


def test_every_flow_has_ports_and_a_handshake_of_its_own() -> None:
    flows = [written(flow) for flow in range(3)]
    packets = packets_of(capture(blocks(*flows)))
    handshakes = [packet for packet in packets if "synthetic handshake" in packet.comment]
    assert len(handshakes) == 2 * 3 * SHAKE
    syns = [handshake for handshake in handshakes if handshake.words[16] & 0x3F == 2]
    assert len({(syn.interface, syn.words[10], syn.words[11]) for syn in syns}) == 6


def test_a_handshake_permits_sack_where_the_flow_speaks_it() -> None:
    quiet = [row for row in written(1) if row["event"] == CODE_OF_KIND["send"]]
    for variant, permitted in (("tahoe", {0}), ("sack", {0, 1})):
        events = blocks(written(0), quiet, variant="sack", variants=["sack", variant])
        syns = [packet for packet in packets_of(capture(events)) if packet.words[16] & 0x3F == 2]
        asked = {syn.words[10] - 49_152 for syn in syns if syn.words[25] == 0x0402}
        assert {syn.words[10] - 49_152 for syn in syns} == {0, 1}
        assert asked == permitted


def test_comments_say_why_something_was_sent_again() -> None:
    packets = packets_of(capture(blocks(written())))
    said = [packet.comment for packet in packets if packet.comment.startswith("retransmission")]
    assert said == [
        "retransmission of packet 1; lost before: channel after node 1",
        "retransmission of packet 1; lost before: gate after node 0",
    ]


def test_a_part_of_a_run_begins_where_it_begins() -> None:
    events = played("drop4", "newreno").between(1.0, 2.0)
    packets = packets_of(capture(events))
    first = next(packet for packet in packets if packet.words[16] & 0x3F == 2)
    lowest = min(
        packet.sequence for packet in packets if packet.interface == 0 and packet.length == PACKET
    )
    assert 1 < first.sequence < lowest


def test_packets_that_ipv4_cannot_carry_are_refused() -> None:
    for payload in (0, 65_496):
        with pytest.raises(InputError, match=f"payload = {payload} B"):
            capture(blocks(written(), payload=payload, unit=1))
    with pytest.raises(InputError, match="snaplen"):
        capture(blocks(written()), 79)


def test_a_long_run_is_written_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    events = played("drop4", "sack")
    whole = capture(events)
    monkeypatch.setattr(pcapng, "_PACKETS_PER_CHUNK", 7)
    assert capture(events) == whole


def test_no_events_give_an_empty_capture() -> None:
    assert packets_of(capture(blocks(written()).between(50.0, 60.0))) == []


# By tshark

FIELDS = (
    "frame.interface_id",
    "tcp.analysis.retransmission",
    "tcp.analysis.duplicate_ack",
    "tcp.analysis.bytes_in_flight",
    "tcp.analysis.out_of_order",
    "tcp.analysis.lost_segment",
    "tcp.analysis.ack_lost_segment",
    "tcp.window_size",
    "tcp.seq",
    "tcp.options.sack_le",
    "tcp.options.sack_re",
    "ip.checksum.status",
    "tcp.checksum.status",
    "_ws.malformed",
    "tcp.stream",
)
needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="tshark is not installed: nothing reads the captures"
)


class Seen(NamedTuple):
    """The packets of a run beside what tshark says of each."""

    events: Events
    packets: CapturePackets
    fields: dict[str, np.ndarray]

    def rows(self, place: int, *kinds: str) -> np.ndarray:
        wanted = self.events.mask(*kinds)[self.packets.row]
        return np.flatnonzero((self.packets.place == place) & (self.packets.step == 0) & wanted)


def tshark(events: Events, folder: Path, more: tuple[str, ...] = ()) -> Seen:
    file = folder / "x.pcapng"
    file.write_bytes(capture(events, None))
    checks = [f"-o{name}.check_checksum:TRUE" for name in ("ip", "tcp")]
    command = ["tshark", "-n", "-r", str(file), *checks, "-Tfields"]
    names = (*FIELDS, *more)
    command += [f"-e{name}" for name in names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    table = np.array(lines)
    fields = {name: table[:, column] for column, name in enumerate(names)}
    packets = CapturePackets.of(events)
    assert len(lines) == len(packets)
    assert fields["frame.interface_id"].tolist() == [str(place) for place in packets.place]
    return Seen(events, packets, fields)


def check_form(seen: Seen) -> None:
    assert not seen.fields["_ws.malformed"].astype(bool).any()
    for name in ("ip", "tcp"):
        assert set(seen.fields[f"{name}.checksum.status"]) == {"1"}  # good


@needs_tshark
@pytest.mark.parametrize(("name", "variant"), RUNS)
def test_wireshark_sees_what_the_simulator_did(name: str, variant: str, tmp_path: Path) -> None:
    """On the sender's interface: the same retransmissions, duplicate ACKs, bytes in flight.

    Wireshark's classes fast, spurious and plain retransmission together are our `resend`.
    """
    events = played(name, variant)
    seen = tshark(events, tmp_path)
    check_form(seen)
    sends, resends = seen.rows(AT_SENDER, "send"), seen.rows(AT_SENDER, "resend")
    again = seen.fields["tcp.analysis.retransmission"].astype(bool)
    assert again[resends].all()
    assert not again[sends].any()
    for flag in ("out_of_order", "lost_segment", "ack_lost_segment"):
        raised = seen.fields[f"tcp.analysis.{flag}"].astype(bool)
        assert not raised[np.concatenate([sends, resends])].any()
    _check_duplicates(seen)
    _check_bytes_in_flight(seen)


@needs_tshark
def test_what_wireshark_calls_out_of_order_was_sent_again_soon_after_new_data(
    tmp_path: Path,
) -> None:
    """Its rule: less than 3 ms after the highest sequence number, and not by three duplicates."""
    events = played("fast", "newreno")
    seen = tshark(events, tmp_path)
    check_form(seen)
    sends, resends = seen.rows(AT_SENDER, "send"), seen.rows(AT_SENDER, "resend")
    again, disordered = (
        seen.fields[f"tcp.analysis.{name}"].astype(bool)
        for name in ("retransmission", "out_of_order")
    )
    assert (again | disordered)[resends].all()
    assert not (again | disordered)[sends].any()
    sent_at, resent_at = (events.time[seen.packets.row[rows]] for rows in (sends, resends))
    newest = sent_at[np.searchsorted(sends, resends) - 1]
    soon = resent_at - newest < 0.003
    assert disordered[resends].any()
    assert not (disordered[resends] & ~soon).any()
    _check_duplicates(seen)
    _check_bytes_in_flight(seen)


def _check_duplicates(seen: Seen) -> None:
    """An ACK is a duplicate if the number is that of the one before.

    The first one has none before, and Wireshark asks for data in flight.
    """
    acks = seen.rows(AT_SENDER, "ack")
    rows = seen.packets.row[acks]
    number, flight = (seen.events.columns[name][rows] for name in ("seq", "inflight"))
    expected = np.concatenate([[False], np.diff(number) == 0]) & (flight > 0)
    found = seen.fields["tcp.analysis.duplicate_ack"][acks].astype(bool)
    assert found.tolist() == expected.tolist()


def _check_bytes_in_flight(seen: Seen) -> None:
    """Ours count up to the highest sent; Wireshark takes off what SACK blocks have reported."""
    events, fields = seen.events, seen.fields["tcp.analysis.bytes_in_flight"]
    reported = False
    compared = 0
    for index in seen.rows(AT_SENDER, "send", "resend", "ack").tolist():
        row = seen.packets.row[index]
        if events.columns["event"][row] == CODE_OF_KIND["ack"]:
            reported = bool(events.columns["sack"][row].any())
        elif fields[index] and not reported:
            payload = events.columns["inflight"][row] * (PACKET - 40)
            assert int(fields[index]) == payload
            compared += 1
    assert compared > 50


@needs_tshark
def test_wireshark_reads_windows_sack_blocks_and_sequence_numbers(tmp_path: Path) -> None:
    base = 2**32 // MSS * MSS - 2 * MSS
    events = blocks(written(0), written(1, base=base), header=52)
    seen = tshark(events, tmp_path)
    check_form(seen)
    assert len(set(seen.fields["tcp.stream"])) == 4  # two flows, seen at two places
    acks = np.concatenate([seen.rows(AT_SENDER, "ack"), seen.rows(AT_RECEIVER, "ack-sent")])
    assert set(seen.fields["tcp.window_size"][acks]) == {str(64 * MSS)}
    for index in acks.tolist():
        row = seen.packets.row[index]
        start = base if events.columns["flow"][row] else 0
        used = [block for block in events.columns["sack"][row].tolist() if block[1] > block[0]]
        for side, name in enumerate(("le", "re")):
            edges = ",".join(str(block[side] - start + 1) for block in used)
            assert seen.fields[f"tcp.options.sack_{name}"][index] == edges
    for index in seen.rows(AT_SENDER, "send", "resend").tolist():
        row = seen.packets.row[index]
        start = base if events.columns["flow"][row] else 0
        assert int(seen.fields["tcp.seq"][index]) == events.columns["seq"][row] - start + 1


# With timestamps


@cache
def timed() -> Events:
    """SACK with Eifel: four holes in a window, later a spike of delay; nothing is lost in that."""
    spike = [{"at": "5s", "delay": "3s"}, {"at": "5.2s", "delay": "100ms"}]
    holes = [[number, 1] for number in (30, 32, 34, 36)]
    hop = {"rate": "800kbps", "delay": "100ms", "drop": holes, "delays": spike}
    tcp = {"variant": "sack", "spurious": "eifel", "window": 20, "packet": f"{PACKET}B"}
    document = {"profile": "rfc", "tcp": tcp, "path": {"hop": [hop]}, "stop": {"time": "9s"}}
    (point,) = _native.Points(json.dumps(document))
    return Events.from_records(_native.trace(point, 1, 0), _native.trace_facts(point))


def test_timestamps_are_in_every_header() -> None:
    events = timed()
    assert events.columns["sack"].any()
    assert len(events.rows("timeout"))
    packets = packets_of(capture(events))
    shaking = [packet for packet in packets if "synthetic handshake" in packet.comment]
    assert {packet.header for packet in shaking if packet.words[16] & 0x3F == 0x10} == {52}
    assert {packet.header for packet in shaking if packet.words[16] & 0x3F != 0x10} == {64}
    assert {packet.header for packet in packets if packet.length == PACKET} == {52}
    sizes = set(events.columns["size"][events.rows("ack-sent")].tolist())
    acks = [packet for packet in packets if packet not in shaking and packet.length < PACKET]
    assert {ack.length for ack in acks} == sizes == {52, 64, 72, 80}
    assert {ack.header for ack in acks} == {32 + options for options in (20, 32, 40, 48)}
    assert events.between(2.0, 3.0).columns["stamp"].min() >= 1000


@needs_tshark
def test_tshark_reads_the_timestamps(tmp_path: Path) -> None:
    events = timed()
    value, echo = "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr"
    seen = tshark(events, tmp_path, (value, echo))
    check_form(seen)
    assert not (seen.fields[value] == "").any()
    sent = seen.rows(AT_SENDER, "send", "resend")
    time = events.columns["time_ns"][seen.packets.row]
    assert (seen.fields[value][sent].astype(int) == time[sent] // 1_000_000).all()
    arrived = seen.rows(AT_RECEIVER, "arrive")
    late = time[arrived] // 1_000_000 - seen.fields[value][arrived].astype(int)
    assert late.min() >= 100
    assert late.max() >= 3000
    answered = seen.rows(AT_RECEIVER, "ack-sent")
    stamps = events.columns["stamp"][seen.packets.row]
    assert (seen.fields[echo][answered].astype(int) == stamps[answered]).all()
    assert seen.fields[echo][answered].astype(int).max() > 8000
