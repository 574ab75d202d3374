"""Captures as other programs write them, which say nothing of the host: that is inferred."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from airtcp.errors import InputError
from airtcp.live.captures import explain
from rewritten_captures import (
    ETHERNET,
    SLL,
    SLL2,
    Packet,
    as_ipv6,
    behind_extensions,
    cooked,
    cooked2,
    ethernet,
    ip_length,
    is_from_sender,
    library,
    merged,
    pcap,
    snap,
    tagged,
    tagged_cooked,
)

CONTROLS = ("reno", "cubic", "bbr")
Writer = Callable[[list[Packet]], bytes]


def control_of(name: str) -> str:
    return next(control for control in CONTROLS if f"-{control}" in name)


def share(group: str, write: Writer, tmp_path: Path, stride: int) -> float:
    """Of every so manieth capture of a group, how many are explained to the last segment."""
    every = list(library(group))[::stride]
    whole = 0
    for name, packets in every:
        file = tmp_path / "one.pcap"
        file.write_bytes(write(packets))
        (found,) = explain(file, control=control_of(name), differences=1)
        whole += found.agrees
    return whole / len(every)


WRITERS: dict[str, Writer] = {
    "microseconds": pcap,
    "nanoseconds, big-endian": lambda packets: pcap(packets, nanos=True, order=">"),
    "Ethernet, headers only": lambda packets: pcap(packets, ETHERNET, before=ethernet, snaplen=94),
    "VLAN": lambda packets: pcap(packets, ETHERNET, before=tagged),
    "VLAN, Linux cooked": lambda packets: pcap(packets, SLL, before=tagged_cooked),
    "SNAP": lambda packets: pcap(packets, ETHERNET, before=snap),
    "Linux cooked": lambda packets: pcap(packets, SLL, before=cooked),
    "Linux cooked 2": lambda packets: pcap(packets, SLL2, before=cooked2),
    "offload": lambda packets: pcap(merged(packets)),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_links_and_forced_losses_are_explained(writer: str, tmp_path: Path) -> None:
    stride = 7 if writer == "microseconds" else 19
    assert share("links", WRITERS[writer], tmp_path, stride) >= 0.9
    assert share("forced", WRITERS[writer], tmp_path, stride) >= 0.9


def test_small_writes_are_inferred(tmp_path: Path) -> None:
    assert share("writes", pcap, tmp_path, 3) >= 0.75


@pytest.mark.parametrize("rewrite", [as_ipv6, behind_extensions])
def test_ipv6_is_read(rewrite: Callable[[bytes], bytes], tmp_path: Path) -> None:
    name, packets = next(library("forced"))
    file = tmp_path / "six.pcap"
    file.write_bytes(pcap([(time, rewrite(packet)) for time, packet in packets]))
    (found,) = explain(file, control=control_of(name), differences=1)
    assert found.segments > 50
    assert found.agrees


def test_without_the_handshake_a_capture_is_refused(tmp_path: Path) -> None:
    _, packets = next(library("forced"))
    file = tmp_path / "middle.pcap"
    file.write_bytes(pcap(packets[10:]))
    with pytest.raises(InputError, match=r"middle.pcap.*has no handshake"):
        list(explain(file))


def test_data_in_the_syn_are_refused_by_name(tmp_path: Path) -> None:
    _, packets = next(library("forced"))
    time, syn = packets[0]
    fast = syn[:2] + (ip_length(syn) + 100).to_bytes(2) + syn[4:]
    answer = packets[1][1]
    number = (int.from_bytes(answer[28:32]) + 100).to_bytes(4)
    answered = (packets[1][0], answer[:28] + number + answer[32:])
    file = tmp_path / "fast.pcap"
    file.write_bytes(pcap([(time, fast), answered, *packets[2:]]))
    with pytest.raises(InputError, match=r"begins with data in its SYN \(TCP Fast Open\)"):
        list(explain(file))


def test_a_capture_of_the_receivers_end_is_refused(tmp_path: Path) -> None:
    """Packets of the sender come one way later; packets to it left one way earlier."""
    _, packets = next(library("forced"))
    way = (packets[1][0] - packets[0][0]) // 2
    moved = [(time + (way if is_from_sender(packet) else -way), packet) for time, packet in packets]
    far = sorted(moved, key=lambda packet: packet[0])
    file = tmp_path / "far.pcap"
    file.write_bytes(pcap(far))
    with pytest.raises(InputError, match=r"far.pcap.*was taken at the receiver's end"):
        list(explain(file))
