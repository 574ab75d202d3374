"""Artefacts of captures, put into 50 of the library: named, and not blamed on the sender."""

from __future__ import annotations

import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from airtcp.errors import InputError
from airtcp.live.captures import ReplayExplanation, explain
from rewritten_captures import (
    LIBRARY,
    Packet,
    comment_of,
    described,
    is_from_sender,
    packets,
    pcap,
)

NUMBER = 50
SNAP = 60  # bytes of raw IP: the handshake's options are whole, SACK blocks are not

Change = Callable[[list[Packet], random.Random], list[Packet]]


def drawn() -> list[tuple[str, bytes]]:
    every = []
    for group in ("links", "forced", "receivers", "writes"):
        with zipfile.ZipFile(LIBRARY / f"{group}.zip") as archive:
            every += [(f"{group}-{name}", archive.read(name)) for name in archive.namelist()]
    return random.Random(43).sample(every, NUMBER)


def segment(packet: bytes) -> tuple[int, int]:
    """First number of a segment, and bytes of data."""
    header = (packet[0] & 15) * 4
    offset = (packet[header + 12] >> 4) * 4
    (length,) = struct.unpack_from(">H", packet, 2)
    return int.from_bytes(packet[header + 4 : header + 8]), length - header - offset


def has_stamps(capture: list[Packet]) -> bool:
    return all(b"\x08\x0a" in packet[40:60] for _, packet in capture[:2])


def data(capture: list[Packet]) -> list[int]:
    """Places of the sender's segments with data, but the first."""
    places = [
        at
        for at, (_, packet) in enumerate(capture)
        if is_from_sender(packet) and segment(packet)[1] > 0
    ]
    return places[1:]


def twice(capture: list[Packet], draw: random.Random) -> list[Packet]:
    return [record for t, p in capture for record in ((t, p), (t + draw.randrange(200, 20_000), p))]


def routed(capture: list[Packet], draw: random.Random) -> list[Packet]:
    """On two interfaces of a router, which counts the second down."""
    both = [
        record
        for t, p in capture
        for record in ((t, p), (t + draw.randrange(200, 20_000), p[:8] + bytes([p[8] - 1]) + p[9:]))
    ]
    return sorted(both, key=lambda packet: packet[0])


def some_twice(capture: list[Packet], draw: random.Random) -> list[Packet]:
    both = [
        record
        for t, p in capture
        for record in ((t, p), (t + draw.randrange(200, 20_000), p))[: 1 + (draw.random() < 0.3)]
    ]
    return sorted(both, key=lambda packet: packet[0])


def swapped(capture: list[Packet], draw: random.Random) -> list[Packet]:
    every = range(3, len(capture) - 1)
    at = draw.choice([at for at in every if capture[at][0] < capture[at + 1][0]])
    return [*capture[:at], capture[at + 1], capture[at], *capture[at + 2 :]]


def behind(capture: list[Packet], draw: random.Random) -> list[Packet]:
    """Three records lie up to eight places late."""
    out = list(capture)
    for _ in range(3):
        at = draw.randrange(3, len(out) - 12)
        out.insert(at + draw.randrange(2, 9), out.pop(at))
    return out


def without(places: int) -> Change:
    def change(capture: list[Packet], draw: random.Random) -> list[Packet]:
        gone = set(draw.sample(data(capture), places))
        return [record for at, record in enumerate(capture) if at not in gone]

    return change


def without_a_stretch(capture: list[Packet], draw: random.Random) -> list[Packet]:
    at = draw.choice(data(capture)[:-8])
    return capture[:at] + capture[at + 8 :]


def step(seconds: float) -> Change:
    def change(capture: list[Packet], draw: random.Random) -> list[Packet]:
        at = draw.choice(data(capture)[5:-4])  # the sender's segments on both sides tell it
        by = int(seconds * 1e9)
        return [(t + by * (place >= at), p) for place, (t, p) in enumerate(capture)]

    return change


CHANGES: dict[str, tuple[str, Change, float]] = {
    "twice": ("recorded-twice", twice, 0.98),
    "routed": ("recorded-twice", routed, 0.98),
    "some twice": ("recorded-twice", some_twice, 0.98),
    "swapped": ("out-of-order", swapped, 0.98),
    "behind": ("out-of-order", behind, 0.98),
    "one lacks": ("not-captured", without(1), 0.95),
    "five lack": ("not-captured", without(5), 0.85),
    "eight in a row lack": ("not-captured", without_a_stretch, 0.6),
    "10 s back": ("clock-step", step(-10), 0.75),
    "0.5 s back": ("clock-step", step(-0.5), 0.75),
}


def named(
    content: bytes, folder: Path, suffix: str, control: str | None = None
) -> tuple[ReplayExplanation, list[str]]:
    file = folder / f"one{suffix}"
    file.write_bytes(content)
    (found,) = explain(file, control=control, differences=1)
    return found, [fact["kind"] for fact in found.facts["artefacts"]]


@pytest.mark.parametrize("change", CHANGES)
def test_artefacts_are_named_and_the_sender_is_explained(change: str, tmp_path: Path) -> None:
    """At least 95 % named, and with what they hide put right a stated share explained whole."""
    kind, make, share = CHANGES[change]
    hits, whole = 0, 0
    for name, content in drawn():
        draw = random.Random(f"{change} {name}")
        changed = described(make(list(packets(content)), draw), comment_of(content))
        found, kinds = named(changed, tmp_path, ".pcapng")
        hits += kind in kinds
        whole += found.agrees
    assert hits >= 0.95 * NUMBER
    assert whole >= share * NUMBER


def test_a_step_forward_is_named_where_timestamps_or_a_silence_tell(tmp_path: Path) -> None:
    """Without timestamps, 50 ms more are a delay like another."""
    counts = {True: [0, 0], False: [0, 0]}
    for seconds, without_stamps in ((0.05, False), (5.0, True)):
        for name, content in drawn():
            capture = list(packets(content))
            if not (has_stamps(capture) or without_stamps):
                continue
            draw = random.Random(f"{seconds} {name}")
            changed = described(step(seconds)(capture, draw), comment_of(content))
            _, kinds = named(changed, tmp_path, ".pcapng")
            counts[without_stamps][0] += "clock-step" in kinds
            counts[without_stamps][1] += 1
    (short, of_short), (long, of_long) = counts[False], counts[True]
    assert of_short >= 20
    assert short >= 0.95 * of_short
    assert long >= 0.9 * of_long


@pytest.mark.parametrize("seconds", [10.0, 2.0, 0.05, -0.05, -2.0])
def test_a_step_at_any_record_is_named(seconds: float, tmp_path: Path) -> None:
    """The first and last records too; what is less than a timeout only where timestamps show it."""
    hits, every = 0, 0
    for name, content in drawn():
        capture = list(packets(content))
        if 0 < seconds < 1 and not has_stamps(capture):
            continue
        at = random.Random(f"{seconds} anywhere {name}").randrange(1, len(capture))
        by = int(seconds * 1e9)
        stepped = [(t + by * (place >= at), p) for place, (t, p) in enumerate(capture)]
        _, kinds = named(described(stepped, comment_of(content)), tmp_path, ".pcapng")
        hits, every = hits + ("clock-step" in kinds), every + 1
    assert every >= 30
    assert hits >= 0.95 * every


def test_it_is_said_by_how_much_a_clock_may_have_been_set_unseen(tmp_path: Path) -> None:
    said = "without timestamps nothing shows it"
    for _, content in drawn()[:12]:
        found, _ = named(content, tmp_path, ".pcapng")
        lines = [line for line in found.facts["assumed"] if line.endswith(said)]
        assert len(lines) == (not has_stamps(list(packets(content))))


def test_files_that_end_early_or_late_are_named(tmp_path: Path) -> None:
    hits = {"cut-short": 0, "trailing-bytes": 0}
    for at, (name, content) in enumerate(drawn()):
        draw = random.Random(name)
        whole = content if at % 2 else pcap(list(packets(content)), nanos=True)
        tails = (bytes(draw.randrange(1, 300)), draw.randbytes(200), b"somebody's text\n")
        start = list(packets(content))[: draw.randrange(20, 60)]
        cut = pcap(start, nanos=True)[: -draw.randrange(1, 40)]
        control = next(variant for variant in ("reno", "cubic", "bbr") if f"-{variant}" in name)
        for kind, changed in (("cut-short", cut), ("trailing-bytes", whole + tails[at % 3])):
            _, kinds = named(changed, tmp_path, ".pcap", control)
            hits[kind] += kind in kinds
    assert hits["cut-short"] >= 0.95 * NUMBER
    assert hits["trailing-bytes"] >= 0.95 * NUMBER


def test_snap_lengths_that_cut_options_are_named(tmp_path: Path) -> None:
    cut_ones = 0
    for _, content in drawn():
        capture = list(packets(content))
        short = [(time, packet[:SNAP]) for time, packet in capture]
        _, kinds = named(described(short, comment_of(content)), tmp_path, ".pcapng")
        is_cut = any(20 + (packet[32] >> 4) * 4 > SNAP for _, packet in capture)
        assert ("snap-length" in kinds) == is_cut
        cut_ones += is_cut
    assert cut_ones >= 5
    with pytest.raises(InputError, match="options of the handshake are cut"):
        named(described([(t, p[:44]) for t, p in capture], b"{}"), tmp_path, ".pcapng")


def test_untouched_captures_have_none() -> None:
    """Of all 381, at most one in a hundred."""
    every = [
        explained
        for file in sorted(LIBRARY.glob("*.zip"))
        for explained in explain(file, differences=1)
    ]
    assert len(every) == 381
    assert sum(bool(explained.facts["artefacts"]) for explained in every) <= 3
