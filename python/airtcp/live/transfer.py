"""Transfers of data over the path of a scenario, by the kernel's TCP or our own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.errors import InputError, ScenarioError, known_name, quote_value, refusal, whole_number
from airtcp.live import endpoint
from airtcp.live.content import expected_digest, write_content
from airtcp.live.controls import refuse_if_unknown
from airtcp.live.folder import open_output_folder
from airtcp.live.linux import require_linux
from airtcp.live.points import (
    live_congestion_of,
    reason_against_own_stack,
    reason_without_control,
    value_for_live,
)
from airtcp.live.report import LiveReport
from airtcp.live.session import LONGEST_SECONDS, SNAP_BYTES, point_of, program_plan, run_programs
from airtcp.live.shapes import (
    check_shape,
    digest_shape,
    optional_shape,
    parse_strict_json,
    real_number_shape,
    table_shape,
    text_shape,
    whole_number_shape,
)
from airtcp.live.transfer_report import INTERRUPTED, NO_CONNECTION, TIME_OVER, TransferReport
from airtcp.live.worker import memory_files
from airtcp.metrics.layout import tcp_of
from airtcp.scenario.scenario import Scenario
from airtcp.support.isolation import helper_command
from airtcp.support.units import base_units_of

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Given, Point, Scenario

RECEIVER_START_SECONDS = 60.0  # s until the receiver listens, which it does
EXTRA_SECONDS = 20.0  # s that both ends may take besides: to start on a busy machine, and to end
DEFAULT_SECONDS = 10.0  # s of a transfer without end
SIZE_OF_SCENARIO = "scenario"
HEADER_BYTES = 40  # bytes of IPv4 and TCP in a packet
LARGEST_SIZE = 1 << 50  # bytes of a transfer
_COUNTERS_SHAPE = table_shape(
    dict.fromkeys(endpoint.TCP_INFO_FIELDS, whole_number_shape())
    | {
        "seconds": real_number_shape(0, 1e9),
        "handshake": real_number_shape(0, 1e9),
        "ending": text_shape,
    },
    frozenset({"total_rto", "handshake"}),  # Linux 6.7; what a sender that was cut off did not time
)
_RECEIVED_SHAPE = table_shape(
    {"bytes": whole_number_shape(), "sha256": optional_shape(digest_shape)}
)


def transfer(
    scenario: Given,
    *,
    seconds: float | None = None,
    size: int | None = None,
    stack: str | None = None,
    peer: str | None = None,
    congestion: str | None = None,
    seed: int = 1,
    replication: int = 0,
    sender: str = "near",
    kernel: str = "scenario",
    settings: Mapping[str, str] | None = None,
    mtu: int | None = None,
    out: str | Path | None = None,
    snap: int = SNAP_BYTES,
) -> TransferReport:
    """Send `size` bytes, or as much as possible in `seconds`, by the kernel's TCP or our own.

    - `size`: bytes to send; None: as the scenario's first flow; 0, or a flow without end: no limit;
    - `seconds`: None: the scenario's stop.time where there is a size, else 10;
    - `stack`: our own TCP on the near side, with this variant, or in profile linux this congestion
      control, and the scenario's settings; "scenario": with its own; None: as the scenario's
      live.stack says, else the kernel's TCP on both sides;
    - `peer`: beside `stack`, the TCP on the far side: "airtcp" (as None) for the same, which needs
      no rights, or "kernel";
    - `congestion`: the kernel's algorithm where it sends, "reno", "cubic" or another one that it
      has; None: the scenario's live.congestion, else its `tcp.congestion`;
    - `sender`: "near" or "far"; the rest as in `live`.

    Raises `InputError`, also where the kernel does not grant the rights needed.
    """
    require_linux()
    point = point_of(scenario)
    if stack is None and value_for_live(point.data, "stack") == "airtcp":
        stack = SIZE_OF_SCENARIO
    point = _with_variant(point, stack)
    own = _uses_own_stack(stack, peer)
    at = 1 if sender == "far" else 0
    if size is None:
        size = flow_size(point)
    size = whole_number("size", size, 0, LARGEST_SIZE)
    if seconds is None:
        seconds = (
            min(float(base_units_of(point.data["stop"]["time"])), LONGEST_SECONDS)
            if size
            else DEFAULT_SECONDS
        )
    if not 0 < seconds <= LONGEST_SECONDS:
        raise refusal("seconds", seconds, f"a number above 0, at most {LONGEST_SECONDS:g}")
    for field, value, is_idle in (
        ("congestion", congestion, own[at]),
        ("mtu", mtu, any(own)),
        ("settings", settings or None, all(own)),
    ):
        if value is not None and is_idle:
            raise refusal(field, value, "left out, because our own TCP sends, not the kernel's")
    control = congestion or live_congestion_of(point.data)
    if congestion is not None:
        refuse_if_unknown("congestion", congestion)
    if why := reason_against_own_stack(point.data) if own[at] else reason_without_control(control):
        raise InputError(f"live: {why}")
    is_said = own[at] or congestion or value_for_live(point.data, "congestion")
    if not is_said and isinstance(tcp_of(point.data).get("congestion"), dict):
        raise InputError(
            "tcp.congestion: the kernel's congestion control takes no parameters here; name"
            " one in live.congestion"
        )
    window = _window(point.data) if kernel == "scenario" else 0
    warmup = 0.0 if size else float(base_units_of(point.data["stop"].get("warmup", "0s")))
    with open_output_folder(out) as folder, memory_files("content", "counted", "received") as files:
        content, counted, received = (Path(f"/proc/self/fd/{file}") for file in files)
        work = _TransferPlan(
            content, counted, received, own, at, size, seconds, control, window, warmup
        )
        report = run_programs(
            point,
            work.parts(seed),
            seconds=min(seconds + EXTRA_SECONDS, LONGEST_SECONDS),
            seed=seed,
            replication=replication,
            sender=sender,
            kernel=kernel,
            settings=settings,
            mtu=mtu,
            folder=folder,
            snap=snap,
            files=files,
        )
        if report.status == endpoint.EXIT_CONTROL_NOT_OFFERED:
            raise InputError(
                f"congestion = {control!r}: the kernel does not allow it for this user"
            )
        transfer_report = work.report_of_transfer(point.data, report)
        if folder is not None:
            folder.write_meta({"transfer": transfer_report.as_json()})
        return transfer_report


@dataclass(frozen=True)
class _TransferPlan:
    """The tasks of both sides: `own` has our own stack's by side.

    `at`: the side that sends; `window`: the kernel's; `warmup`: seconds that a sending kernel does
    not count; `content`: the file to send; the kernel's ends write to `counted` and `received`.
    """

    content: Path
    counted: Path
    received: Path
    own: tuple[bool, bool]
    at: int
    size: int
    seconds: float
    control: str
    window: int
    warmup: float

    def parts(self, seed: int) -> dict[str, Any]:
        """Keys of the worker's plan."""
        if self.checks_content:
            write_content(self.content, seed, self.size)
        own: list[Any] = [None, None]
        words = helper_command(endpoint.__file__)
        command = server = None
        if self.own[self.at]:
            bulk = {"content": str(self.content), "size": self.size or None}
            own[self.at] = {"send": bulk | {"seconds": self.seconds}}
        else:
            words_sent = [repr(self.seconds), str(self.size), repr(self.warmup)]
            words_sent += [self.control, str(self.counted)]
            given = [str(self.content)] if self.checks_content else []
            command = program_plan(self.at, [*words, "send", *words_sent, *given])
        if self.own[1 - self.at]:
            own[1 - self.at] = "receive"
        else:
            mode = "digest" if self.checks_content else "count"
            words_read = ["receive", str(self.window), mode, str(self.received)]
            server = program_plan(1 - self.at, [*words, *words_read])
        return {
            "command": command,
            "server": server,
            "patience": RECEIVER_START_SECONDS,
            "together": self.waits_for_receiver,
            "builtin_tasks": own,
        }

    @property
    def checks_content(self) -> bool:
        """True if the content is checked. Between two kernels that would slow them down."""
        return any(self.own)

    @property
    def waits_for_receiver(self) -> bool:
        """True if the receiver has to report what it read."""
        return self.checks_content or self.size > 0

    def report_of_transfer(self, data: Mapping[str, Any], report: LiveReport) -> TransferReport:
        """The report, from the sender's counts and the receiver's."""
        header = tcp_of(data).get("header")
        header = HEADER_BYTES if header is None else int(base_units_of(header))
        if self.own[self.at]:
            mine = report.own[self.at]
            counts = _counts_of_own_stack(mine["sent"] if mine else None, header, report)
        elif info := self.counted.read_bytes():
            source = "live: the sender's count"
            counts = _counts_of_kernel(
                check_shape(source, _COUNTERS_SHAPE, parse_strict_json(source, info)), data
            )
        else:
            raise InputError(
                f"live: the transfer ended with exit code {report.exit_code} before it counted"
            )
        got = self._counts_of_receiver(report)
        if data["profile"] == "linux":
            # There the simulated flow begins with its SYN, too.
            counts["seconds"] += counts["info"].get("handshake", 0.0)
        ending_words = counts.pop("ending") or ("" if counts["sent"] else NO_CONNECTION)
        ending = self._ending(counts["acked"], got, report, ending_words)
        intact = None
        if self.checks_content and got is not None:
            intact = got["sha256"] == expected_digest(self.content, got["bytes"])
        received = None if got is None else got["bytes"]
        return TransferReport(
            **counts,
            size=self.size,
            received=received,
            intact=intact,
            ending=ending,
            report=report,
            congestion="" if self.own[self.at] else self.control,
        )

    def _counts_of_receiver(self, report: LiveReport) -> dict[str, Any] | None:
        """Counts that the receiver wrote; None if it wrote none."""
        if theirs := report.own[1 - self.at]:
            return dict(theirs["received"])
        if report_text := self.received.read_bytes():
            source = "live: the receiver's count"
            count: dict[str, Any] = check_shape(
                source, _RECEIVED_SHAPE, parse_strict_json(source, report_text)
            )
            return count
        return None

    def _ending(
        self, acked: int, got: Mapping[str, Any] | None, report: LiveReport, sender_ending: str
    ) -> str:
        """The reason why the transfer is incomplete, if it is; `sender_ending`: its TCP's."""
        if self.size and got is not None and min(acked, got["bytes"]) >= self.size:
            return ""
        if sender_ending:
            return sender_ending
        if report.signal is not None:
            return INTERRUPTED if self.size else ""
        over = TIME_OVER if self.size else ""
        return (_receiver_remark(acked, got) if self.waits_for_receiver else "") or over


def _receiver_remark(acked: int, got: Mapping[str, Any] | None) -> str:
    """Observations of the receiver beyond the sender's counts; empty for none."""
    if got is None:
        return "the receiver left no count of what it read"
    if got["bytes"] < acked:
        return f"the receiver read {got['bytes']} of those"
    return "the sender closed early" if got.get("ended") else ""


def _counts_of_own_stack(
    sent: Mapping[str, Any] | None, header: int, report: LiveReport
) -> dict[str, Any]:
    """The counts of our stack; its packets are IP packets."""
    if sent is None or (sent["ending"] and sent["sent"] == 0):
        why = sent["ending"] if sent else f"the run ended with exit code {report.exit_code}"
        raise InputError(f"live: no connection: {why}")
    more = (HEADER_BYTES - header) * (sent["sent"] + sent["probes"])
    return {
        "tcp": "airtcp",
        "seconds": sent["seconds"],
        "packet": sent["mss"],
        "acked": sent["bytes_acked"],
        "sent": sent["sent"],
        "resent": sent["resent"],
        "sent_bytes": sent["wire_bytes"] + sent["probe_wire_bytes"] - more,
        "timeouts": float(sent["timeouts"]),
        "retransmissions": sent["resent"],
        "probes": sent["probes"],
        "ending": sent["ending"] or "",
        "info": sent,
    }


def _counts_of_kernel(info: dict[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The counts from TCP_INFO."""
    seconds, ending = info.pop("seconds"), info.pop("ending")
    header = _first_flow_quantities(data)["header"] or HEADER_BYTES
    return {
        "tcp": "kernel",
        "seconds": seconds,
        "packet": _payload(data, info),
        "acked": info["bytes_acked"],
        "sent": info["bytes_sent"],
        "resent": info["bytes_retrans"],
        "sent_bytes": info["bytes_sent"] + header * info["data_segs_out"],
        "timeouts": info.get("total_rto", math.nan),
        "retransmissions": info["total_retrans"],
        "probes": 0,
        "ending": ending,
        "info": info,
    }


def _uses_own_stack(stack: str | None, peer: str | None) -> tuple[bool, bool]:
    """For each side, true if our own TCP is there."""
    if peer is not None:
        known_name("peer", peer, ("airtcp", "kernel"))
        if stack is None:
            raise refusal(
                "peer", peer, "left out, because both ends use the kernel's TCP without stack"
            )
    return stack is not None, stack is not None and peer != "kernel"


def _with_variant(point: Point, stack: str | None) -> Point:
    """The point with the variant of our stack; in profile linux the congestion control."""
    if stack is None or stack == SIZE_OF_SCENARIO:
        return point
    key = "congestion" if point.data["profile"] == "linux" else "variant"
    data = dict(point.data) | {"tcp": dict(point.data["tcp"]) | {key: stack}}
    flows = [_without_variant(key, flow) for flow in data.get("flow") or []]
    try:
        return point_scenario(data | ({"flow": flows} if flows else {})).points()[0]
    except ScenarioError as error:
        if error.path != f"tcp.{key}":
            raise
        raise InputError(f"stack = {quote_value(stack)}: {error.reason}") from None


def _without_variant(name: str, flow: Mapping[str, Any]) -> dict[str, Any]:
    """A flow without a variant, or control, of its own."""
    own = {key: value for key, value in flow.get("tcp", {}).items() if key != name}
    other_keys = {key: value for key, value in flow.items() if key not in (name, "tcp")}
    return other_keys | ({"tcp": own} if own else {})


def point_scenario(data: Mapping[str, Any]) -> Scenario:
    """One point as a scenario of its own."""

    return Scenario.from_dict(dict(data))


def flow_size(point: Point) -> int:
    """Bytes that the first flow sends, 0 for one without end."""
    flow, implied = (point.data.get("flow") or [{}])[0], _first_flow_quantities(point.data)
    if flow.get("packets") is not None:
        return int(flow["packets"] * _full_payload(implied))
    return int(implied["size"] or 0)


def _window(data: Mapping[str, Any]) -> int:
    """The receiver's window in bytes, as the emulator sets it for the route."""
    implied = _first_flow_quantities(data)
    if implied["header"] is not None:
        return int(implied["window"])
    return int(implied["window"] // implied["payload"] * _full_payload(implied))


def _payload(data: Mapping[str, Any], info: Mapping[str, float]) -> int:
    """Payload of a full packet: the scenario's where it gives one, else the kernel's segment."""
    tcp = tcp_of(data)
    if tcp.get("header") is None or tcp.get("spurious") == "eifel":
        return int(info["snd_mss"])
    return _full_payload(_first_flow_quantities(data))


def _first_flow_quantities(data: Mapping[str, Any]) -> dict[str, Any]:
    """The quantities that a point implies for its first flow."""
    return _native.implied(_native.Point(json.dumps(data)))[0]


def _full_payload(implied: Mapping[str, Any]) -> int:
    """Payload of a full packet in bytes; packets without inner structure have 40 B of headers."""
    header = implied["header"]
    return int(implied["packet"]) - (HEADER_BYTES if header is None else int(header))
