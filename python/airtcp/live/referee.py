"""The kernel as referee: its packets under forced losses, beside the simulator's packets.

`judge` sends the packets of one flow twice, over the kernel's TCP with the settings of the scenario
and in the simulator, and compares the sent packets and their order. Packets have the numbers of
`path.hop.drop`. The comparison is about numbers and their order, not about times.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp import _native
from airtcp.errors import InputError, refusal
from airtcp.live.log import LiveLog
from airtcp.live.points import KERNEL_VARIANTS
from airtcp.live.session import point_of
from airtcp.live.transfer import transfer
from airtcp.live.transfer_report import TransferReport
from airtcp.metrics.layout import flows_of, tcp_of
from airtcp.simulation.traces import trace_point

if TYPE_CHECKING:
    from pathlib import Path

    from airtcp.events.table import EventTable
    from airtcp.scenario.scenario import Given, Point

# Linux, net.ipv4: what no scenario says, and its default may be another on the machine at hand.
SYSCTLS = {
    "net.ipv4.tcp_reordering": "3",  # duplicate ACKs before a fast retransmit [RFC 5681 3.2]
    "net.ipv4.tcp_slow_start_after_idle": "1",  # as the simulator [RFC 5681 4.1]
    "net.ipv4.tcp_autocorking": "0",
    "net.ipv4.tcp_early_retrans": "3",  # tail loss probes [RFC 8985 7]
    "net.ipv4.tcp_recovery": "1",  # RACK [RFC 8985 6]
}
SYSCTLS_WITHOUT_PROBES = {"net.ipv4.tcp_early_retrans": "0"}  # no tail loss probes


@dataclass(frozen=True)
class SentPackets:
    """The data packets that a sender sent.

    - `numbers`: numbers of the packets, from 0, in the order in which they were sent;
    - `timeouts`: expiries of the retransmission timer; NaN where the kernel does not count them.
    """

    numbers: tuple[int, ...]
    timeouts: float

    @property
    def is_retransmission(self) -> tuple[bool, ...]:
        """For each packet sent, true if it was a further copy."""
        sent_before: set[int] = set()
        again = []
        for number in self.numbers:
            again.append(number in sent_before)
            sent_before.add(number)
        return tuple(again)

    @property
    def retransmitted_numbers(self) -> tuple[int, ...]:
        """The retransmitted packets, in order."""
        both = zip(self.numbers, self.is_retransmission, strict=True)
        return tuple(number for number, again in both if again)


@dataclass(frozen=True)
class RefereeRuling:
    """One flow under forced losses: the packets of the simulator (`ours`) and of the `kernel`.

    - `log`: log of the kernel's packets; `report`: report of its transfer.
    """

    ours: SentPackets
    kernel: SentPackets
    log: LiveLog
    report: TransferReport

    @property
    def same_sends(self) -> bool:
        """True if both sent the same packets, new ones too, in the same order."""
        return self.ours.numbers == self.kernel.numbers

    @property
    def same_order(self) -> bool:
        """True if both retransmitted the same packets in the same order."""
        return self.ours.retransmitted_numbers == self.kernel.retransmitted_numbers

    @property
    def same_set(self) -> bool:
        """True if both retransmitted the same packets, in any order and any number of times."""
        return set(self.ours.retransmitted_numbers) == set(self.kernel.retransmitted_numbers)

    @property
    def first_difference(self) -> str:
        """Description of the first retransmission that differs; empty if none does."""
        pairs = zip_longest(self.ours.retransmitted_numbers, self.kernel.retransmitted_numbers)
        for place, (ours, kernel) in enumerate(pairs, 1):
            if ours != kernel:
                differences = [
                    f"{who} {_packet_words(sends)}"
                    for who, sends in (("ours", ours), ("kernel", kernel))
                ]
                return f"retransmission {place}: {', '.join(differences)}"
        return ""


def judge(
    scenario: Given,
    *,
    settings: Mapping[str, str] | None = None,
    seconds: float = 60.0,
    out: str | Path | None = None,
) -> RefereeRuling:
    """Send the flow of `scenario` over the kernel's TCP and in the simulator.

    - `scenario`: one point of profile `linux`, or of profile `rfc` with variant `newreno` (the
      kernel without SACK) or `sack`; with forced losses, and one flow that ends (`flow.packets`);
    - `settings`: kernel settings in addition to `SYSCTLS` and the scenario's; `seconds`: time limit
      of the kernel's transfer;
    - `out`: a folder for log and captures.

    Raises `InputError`, also where the kernel does not grant the rights needed, and where it cut a
    packet in two: the numbers of packets would mean something else.
    """
    point = point_of(scenario)
    size = _size(point)
    with tempfile.TemporaryDirectory() as folder:
        report = transfer(
            scenario,
            seconds=seconds,
            size=size,
            settings=SYSCTLS | dict(settings or {}),
            out=out or folder,
        )
        log = LiveLog(out or folder)
    if report.info["bytes_acked"] < size:
        raise InputError(f"seconds = {seconds:g}: the kernel needed longer; allow more")
    ours = sent_packets_of_trace(trace_point(point, 1, 0))
    return RefereeRuling(ours, sent_packets_of_log(log, report.timeouts), log, report)


def sent_packets_of_trace(events: EventTable) -> SentPackets:
    """The packets of the sender in a traced run with one flow."""
    rows = events.rows("send", "resend")
    numbers = tuple(int(packet) for packet in events.columns["packet"][rows])
    return SentPackets(numbers, len(events.rows("timeout")))


def sent_packets_of_log(log: LiveLog, timeouts: float) -> SentPackets:
    """The packets of the sender in a logged transfer; `timeouts` is not in the log."""
    records = log.records
    data = records[(records["direction"] == 0) & (records["number"] >= 0)]
    data = data[np.argsort(data["id"])]
    cut = data["number"][data["bits"] != data["bits"].max(initial=0)]
    if len(cut):
        raise InputError(
            f"live: the kernel cut packet {cut[0]}; its window may have been too small"
        )
    return SentPackets(tuple(int(number) for number in data["number"]), timeouts)


def _size(point: Point) -> int:
    """Payload of the flow in bytes; refuses flows that cannot be compared."""
    data: Mapping[str, Any] = point.data
    profile, flow = data["profile"], (data.get("flow") or [{}])[0]
    if profile not in ("rfc", "linux"):
        raise InputError(
            f"profile {profile}: the kernel can be compared only with profiles rfc and linux"
        )
    if profile == "rfc" and (variant := tcp_of(data)["variant"]) not in KERNEL_VARIANTS:
        raise refusal("tcp.variant", variant, f"one of {', '.join(KERNEL_VARIANTS)}")
    hops = data["path"]["hop"]
    if not any(hop.get("drop") or (hop.get("back") or {}).get("drop") for hop in hops):
        raise InputError(
            "path.hop.drop: is empty; give at least one forced loss, so that packets are numbered"
        )
    if flow.get("packets") is None or flows_of(point) != 1:
        raise InputError("flow.packets: is missing; give it for a single flow")
    return int(_native.implied(point.compiled)[0]["size"])


def _packet_words(number: int | None) -> str:
    return "none" if number is None else f"packet {number}"
