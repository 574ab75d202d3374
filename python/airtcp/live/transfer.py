"""Transfers of data over the path of a scenario, by the kernel's TCP or our own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.errors import InputError, ScenarioError, known_name, refusal, shown, whole_number
from airtcp.live import endpoint
from airtcp.live.content import expected_digest, write_content
from airtcp.live.controls import refuse_if_unknown
from airtcp.live.folder import opened
from airtcp.live.linux import needs_linux
from airtcp.live.points import (
    congestion_of,
    said_to_live,
    why_no_control,
    why_not_own,
)
from airtcp.live.report import LiveReport
from airtcp.live.session import LONGEST, SNAP, emulated, point_of, program
from airtcp.live.shapes import checked, digest, maybe, parsed, real, table, text, whole
from airtcp.live.transfer_report import INTERRUPTED, NO_CONNECTION, TIME_OVER, TransferReport
from airtcp.live.worker import in_memory
from airtcp.metrics.layout import tcp_of
from airtcp.scenario.scenario import Scenario
from airtcp.support.isolation import helper
from airtcp.support.units import number_of

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Given, Point, Scenario

PATIENCE = 60.0  # s until the receiver listens, which it does
DEADLINE = 20.0  # s that both ends may take besides: to start on a busy machine, and to end
USUAL = 10.0  # s of a transfer without end
OF_SCENARIO = "scenario"
HEADERS = 40  # bytes of IPv4 and TCP in a packet
LARGEST = 1 << 50  # bytes of a transfer
_COUNTED = table(
    dict.fromkeys(endpoint.FIELDS, whole())
    | {"seconds": real(0, 1e9), "handshake": real(0, 1e9), "ending": text},
    frozenset({"total_rto", "handshake"}),  # Linux 6.7; what a sender that was cut off did not time
)
_RECEIVED = table({"bytes": whole(), "sha256": maybe(digest)})


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
    snap: int = SNAP,
) -> TransferReport:
    """Send `size` bytes, or as much as possible in `seconds`, by the kernel's TCP or our own.

    - `size`: None: of the scenario's first flow; 0, or a flow without end: no limit;
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
    needs_linux()
    point = point_of(scenario)
    if stack is None and said_to_live(point.data, "stack") == "airtcp":
        stack = OF_SCENARIO
    point = _with_variant(point, stack)
    own = _own(stack, peer)
    at = 1 if sender == "far" else 0
    if size is None:
        size = flow_size(point)
    size = whole_number("size", size, 0, LARGEST)
    if seconds is None:
        seconds = min(float(number_of(point.data["stop"]["time"])), LONGEST) if size else USUAL
    if not 0 < seconds <= LONGEST:
        raise refusal("seconds", seconds, f"a number above 0, at most {LONGEST:g}")
    for field, value, is_idle in (
        ("congestion", congestion, own[at]),
        ("mtu", mtu, any(own)),
        ("settings", settings or None, all(own)),
    ):
        if value is not None and is_idle:
            raise refusal(field, value, "left out, because our own TCP sends, not the kernel's")
    control = congestion or congestion_of(point.data)
    if congestion is not None:
        refuse_if_unknown("congestion", congestion)
    if why := why_not_own(point.data) if own[at] else why_no_control(control):
        raise InputError(f"live: {why}")
    is_said = own[at] or congestion or said_to_live(point.data, "congestion")
    if not is_said and isinstance(tcp_of(point.data).get("congestion"), dict):
        raise InputError(
            "tcp.congestion: the kernel's congestion control takes no parameters here; name"
            " one in live.congestion"
        )
    window = _window(point.data) if kernel == "scenario" else 0
    warmup = 0.0 if size else float(number_of(point.data["stop"].get("warmup", "0s")))
    with opened(out) as folder, in_memory("content", "counted", "received") as files:
        content, counted, received = (Path(f"/proc/self/fd/{file}") for file in files)
        work = _Work(content, counted, received, own, at, size, seconds, control, window, warmup)
        report = emulated(
            point,
            work.parts(seed),
            seconds=min(seconds + DEADLINE, LONGEST),
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
        if report.status == endpoint.NOT_OFFERED:
            raise InputError(
                f"congestion = {control!r}: the kernel does not allow it for this user"
            )
        found = work.found(point.data, report)
        if folder is not None:
            folder.add({"transfer": found.as_json()})
        return found


@dataclass(frozen=True)
class _Work:
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
        if self.checked:
            write_content(self.content, seed, self.size)
        own: list[Any] = [None, None]
        words = helper(endpoint.__file__)
        command = server = None
        if self.own[self.at]:
            bulk = {"content": str(self.content), "size": self.size or None}
            own[self.at] = {"send": bulk | {"seconds": self.seconds}}
        else:
            words_sent = [repr(self.seconds), str(self.size), repr(self.warmup)]
            words_sent += [self.control, str(self.counted)]
            given = [str(self.content)] if self.checked else []
            command = program(self.at, [*words, "send", *words_sent, *given])
        if self.own[1 - self.at]:
            own[1 - self.at] = "receive"
        else:
            mode = "digest" if self.checked else "count"
            words_read = ["receive", str(self.window), mode, str(self.received)]
            server = program(1 - self.at, [*words, *words_read])
        return {
            "command": command,
            "server": server,
            "patience": PATIENCE,
            "together": self.awaited,
            "own": own,
        }

    @property
    def checked(self) -> bool:
        """True if the content is checked. Between two kernels that would slow them down."""
        return any(self.own)

    @property
    def awaited(self) -> bool:
        """True if the receiver has to report what it read."""
        return self.checked or self.size > 0

    def found(self, data: Mapping[str, Any], report: LiveReport) -> TransferReport:
        """The report, from the sender's counts and the receiver's."""
        header = tcp_of(data).get("header")
        header = HEADERS if header is None else int(number_of(header))
        if self.own[self.at]:
            mine = report.own[self.at]
            counts = _of_own(mine["sent"] if mine else None, header, report)
        elif info := self.counted.read_bytes():
            source = "live: the sender's count"
            counts = _of_kernel(checked(source, _COUNTED, parsed(source, info)), data)
        else:
            raise InputError(f"live: the transfer ended with {report.exit_code} before it counted")
        got = self._got(report)
        if data["profile"] == "linux":
            # There the simulated flow begins with its SYN, too.
            counts["seconds"] += counts["info"].get("handshake", 0.0)
        said = counts.pop("ending") or ("" if counts["sent"] else NO_CONNECTION)
        ending = self._ending(counts["acked"], got, report, said)
        intact = None
        if self.checked and got is not None:
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

    def _got(self, report: LiveReport) -> dict[str, Any] | None:
        """The receiver's count; None if it left none."""
        if theirs := report.own[1 - self.at]:
            return dict(theirs["received"])
        if said := self.received.read_bytes():
            source = "live: the receiver's count"
            found: dict[str, Any] = checked(source, _RECEIVED, parsed(source, said))
            return found
        return None

    def _ending(
        self, acked: int, got: Mapping[str, Any] | None, report: LiveReport, said: str
    ) -> str:
        """The reason why the transfer is incomplete, if it is; `said` is from the sender's TCP."""
        if self.size and got is not None and min(acked, got["bytes"]) >= self.size:
            return ""
        if said:
            return said
        if report.signal is not None:
            return INTERRUPTED if self.size else ""
        over = TIME_OVER if self.size else ""
        return (_of_receiver(acked, got) if self.awaited else "") or over


def _of_receiver(acked: int, got: Mapping[str, Any] | None) -> str:
    """Observations of the receiver beyond the sender's counts; empty for none."""
    if got is None:
        return "the receiver left no count of what it read"
    if got["bytes"] < acked:
        return f"the receiver read {got['bytes']} of those"
    return "the sender closed early" if got.get("ended") else ""


def _of_own(sent: Mapping[str, Any] | None, header: int, report: LiveReport) -> dict[str, Any]:
    """The counts of our stack; its packets are IP packets."""
    if sent is None or (sent["ending"] and sent["sent"] == 0):
        why = sent["ending"] if sent else f"the run ended with {report.exit_code}"
        raise InputError(f"live: no connection: {why}")
    more = (HEADERS - header) * (sent["sent"] + sent["probes"])
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


def _of_kernel(info: dict[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The counts from TCP_INFO."""
    seconds, ending = info.pop("seconds"), info.pop("ending")
    header = _first(data)["header"] or HEADERS
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


def _own(stack: str | None, peer: str | None) -> tuple[bool, bool]:
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
    if stack is None or stack == OF_SCENARIO:
        return point
    key = "congestion" if point.data["profile"] == "linux" else "variant"
    data = dict(point.data) | {"tcp": dict(point.data["tcp"]) | {key: stack}}
    flows = [_without(key, flow) for flow in data.get("flow") or []]
    try:
        return point_scenario(data | ({"flow": flows} if flows else {})).points()[0]
    except ScenarioError as error:
        if error.path != f"tcp.{key}":
            raise
        raise InputError(f"stack = {shown(stack)}: {error.reason}") from None


def _without(name: str, flow: Mapping[str, Any]) -> dict[str, Any]:
    """A flow without a variant, or control, of its own."""
    own = {key: value for key, value in flow.get("tcp", {}).items() if key != name}
    kept = {key: value for key, value in flow.items() if key not in (name, "tcp")}
    return kept | ({"tcp": own} if own else {})


def point_scenario(data: Mapping[str, Any]) -> Scenario:
    """One point as a scenario of its own."""

    return Scenario.from_dict(dict(data))


def flow_size(point: Point) -> int:
    """Bytes that the first flow sends, 0 for one without end."""
    flow, implied = (point.data.get("flow") or [{}])[0], _first(point.data)
    if flow.get("packets") is not None:
        return int(flow["packets"] * _full(implied))
    return int(implied["size"] or 0)


def _window(data: Mapping[str, Any]) -> int:
    """The receiver's window in bytes, as the emulator sets it for the route."""
    implied = _first(data)
    if implied["header"] is not None:
        return int(implied["window"])
    return int(implied["window"] // implied["payload"] * _full(implied))


def _payload(data: Mapping[str, Any], info: Mapping[str, float]) -> int:
    """Payload of a full packet: the scenario's where it gives one, else the kernel's segment."""
    tcp = tcp_of(data)
    if tcp.get("header") is None or tcp.get("spurious") == "eifel":
        return int(info["snd_mss"])
    return _full(_first(data))


def _first(data: Mapping[str, Any]) -> dict[str, Any]:
    """The quantities that a point implies for its first flow."""
    return _native.implied(_native.Point(json.dumps(data)))[0]


def _full(implied: Mapping[str, Any]) -> int:
    """Payload of a full packet in bytes; packets without inner structure have 40 B of headers."""
    header = implied["header"]
    return int(implied["packet"]) - (HEADERS if header is None else int(header))
