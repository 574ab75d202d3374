"""Data over the kernel's TCP and the path of a scenario: what the kernel makes of it."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp._units import number_of
from airtcp.errors import InputError
from airtcp.live import endpoint
from airtcp.live.session import SNAP, LiveReport, live, point_of

if TYPE_CHECKING:
    from airtcp.scenario import Given

DEADLINE = 5.0  # s that both ends may take besides: to start, and to end


@dataclass(frozen=True)
class TransferReport:
    """A transfer over the kernel's TCP, by TCP_INFO at the sender.

    - `seconds`: from the end of the handshake to the last count; `packet`: payload of a full
      packet in bytes; `info`: what the kernel counted;
    - `report`: how the emulator fared.
    """

    seconds: float
    packet: int
    info: Mapping[str, float]
    report: LiveReport

    @property
    def goodput_bps(self) -> float:
        """Payload acknowledged, in bit/s."""
        return 8.0 * self.info["bytes_acked"] / self.seconds

    @property
    def throughput_pps(self) -> float:
        """Full packets acknowledged per second."""
        return self.info["bytes_acked"] / self.packet / self.seconds

    @property
    def efficiency(self) -> float:
        """Share of the payload sent that was no repetition."""
        return 1.0 - self.info["bytes_retrans"] / max(self.info["bytes_sent"], 1)

    @property
    def timeouts(self) -> float:
        """Expiries of the retransmission timer; NaN where the kernel does not count them."""
        return self.info.get("total_rto", float("nan"))

    def __str__(self) -> str:
        """In one line."""
        return (
            f"{self.goodput_bps / 1e6:.4g} Mbit/s, {self.throughput_pps:.4g} packets/s,"
            f" efficiency {self.efficiency:.4g}, {self.timeouts:g} timeouts,"
            f" in {self.seconds:.4g} s"
        )


def transfer(
    scenario: Given,
    *,
    seconds: float = 10.0,
    size: int = 0,
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
    """Send over the kernel's TCP for `seconds`, or `size` bytes if they take less.

    - `congestion`: the kernel's algorithm, "reno", "cubic" or what else it has; None: the
      scenario's law of growth;
    - the rest as in `live`.

    Raises `InputError`, also where the kernel does not grant what is needed.
    """
    if sender != "near":
        raise InputError("sender = 'far': the built-in transfer sends from the near side")
    point = point_of(scenario)
    growth = congestion or point.data["tcp"].get("growth") or "reno"
    window = _window(point.data) if kernel == "scenario" else 0
    program = [sys.executable, endpoint.__file__]
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "info.json"
        report = live(
            point_scenario(point.data),
            [*program, "send", repr(seconds), str(size), growth, str(answer)],
            server=shlex.join([*program, "receive", str(window)]),
            seconds=seconds + DEADLINE,
            seed=seed,
            replication=replication,
            kernel=kernel,
            settings=settings,
            mtu=mtu,
            out=out,
            snap=snap,
        )
        if report.status == endpoint.NOT_OFFERED:
            raise InputError(f"congestion = {growth!r}: the kernel does not offer it to this user")
        if not answer.exists():
            raise InputError(f"live: the transfer ended with {report.exit_code} before it counted")
        info: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return TransferReport(info.pop("seconds"), _payload(point.data, info), info, report)


def point_scenario(data: Mapping[str, Any]) -> Any:
    """One point as a scenario of its own."""
    from airtcp.scenario import Scenario  # noqa: PLC0415

    return Scenario.from_dict(dict(data))


def _window(data: Mapping[str, Any]) -> int:
    """The receiver's window in bytes, as the emulator sets it for the route."""
    tcp = data["tcp"]
    window = (data.get("flow") or [{}])[0].get("window", tcp["window"])
    if not isinstance(window, int):
        return int(number_of(window))
    return int(window * (number_of(tcp["packet"]) - number_of(tcp.get("header") or "40B")))


def _payload(data: Mapping[str, Any], info: Mapping[str, float]) -> int:
    """Payload of a full packet: the scenario's where it says so, else the kernel's segment."""
    header = data["tcp"].get("header")
    if header is None or data["tcp"].get("spurious") == "eifel":
        return int(info["snd_mss"])
    return int(number_of(data["tcp"]["packet"]) - number_of(header))
