"""A run of the emulator, in a process of its own."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp._files import directory, writing
from airtcp.errors import InputError, count, refusal, whole_number
from airtcp.live.log import META
from airtcp.live.worker import answer
from airtcp.simulation import MOST_SEEDS
from airtcp.stats.precision import MOST_REPLICATIONS

if TYPE_CHECKING:
    from airtcp.scenario import Given, Point

SNAP = 128  # bytes of a packet in a capture: headers and options
FATES = {  # as people say them
    "queue": "lost to a full queue",
    "channel": "lost to the channel",
    "gate": "lost as the link went down",
    "forced": "lost as the scenario says",
    "arq": "given up by the link layer",
    "vanished": "lost while the link was down",
}
LONGEST = 1e7  # s of a run
SETTING = re.compile(r"net(\.[A-Za-z0-9_-]+)+")
PATIENCE = 5.0  # s until a server listens


@dataclass(frozen=True)
class LiveReport:
    """How a run of the emulator went; times in seconds.

    - `status`: exit code of the command, 128 + n if signal n ended it, None if it had to be
      killed; `time_over`: whether it was ended because the time was over; `signal`: the signal that
      ended the run, None if none did; `seconds`: its length;
    - `fates`: packets by fate, from the sender's side and back;
    - `packets`: those that left the path; `late`: the share that left more than 1 ms late;
      `lateness`: the 50, 99, 99.9 and 100 % quantiles of how late;
    - `overruns`: packets that a device dropped before they were read, near and far; `refused`:
      packets that a device did not take;
    - `valid`: whether the machine kept up: at most 1 % late, no overrun;
    - `unset`: kernel settings that could not be made, and why; `origin`: CLOCK_MONOTONIC as
      logical time began, `end`: when the log ends, both in ns;
    - `own`: what our own stack did on the near and the far side; None where the kernel's TCP is.
    """

    status: int | None
    time_over: bool
    signal: int | None
    seconds: float
    origin: int
    end: int
    fates: tuple[Mapping[str, int], Mapping[str, int]]
    overruns: tuple[int, int]
    refused: int
    packets: int
    late: float
    lateness: tuple[float, float, float, float]
    valid: bool
    unset: tuple[str, ...]
    own: tuple[Mapping[str, Any] | None, Mapping[str, Any] | None] = (None, None)

    @property
    def exit_code(self) -> int:
        """The command's own for a shell, 124 if the time was over, 128 + n on signal n."""
        if self.signal is not None:
            return 128 + self.signal
        if self.time_over:
            return 124
        return 128 + signal.SIGKILL if self.status is None else self.status

    def lines(self) -> list[str]:
        """The report for people."""
        median, p99, p999, most = (1e3 * one for one in self.lateness)
        lines = [
            f"{name}: {_said(fates)}"
            for name, fates in zip(("to the receiver", "back"), self.fates, strict=True)
        ]
        if self.packets > 0:
            lines.append(
                f"lateness (ms): median {median:.3g}, 99 % {p99:.3g}, 99.9 % {p999:.3g}, most"
                f" {most:.3g}; later than 1 ms: {100 * self.late:.3g} % of"
                f" {count(self.packets, 'packet')}"
            )
        if not self.valid:
            dropped = sum(self.overruns)
            lines.append(
                "INVALID: the machine did not keep up (more than 1 % of the packets late, or"
                f" packets dropped before they were read: {dropped})"
            )
        return lines + [f"not set: {one}" for one in self.unset]


def _said(fates: Mapping[str, int]) -> str:
    told = sorted(fates, key=lambda name: (name != "delivered", name == "on the way"))
    parts = [f"{fates[name]} {FATES.get(name, name)}" for name in told]
    return count(sum(fates.values()), "packet") + (f" ({', '.join(parts)})" if parts else "")


def live(
    scenario: Given,
    command: Sequence[str],
    *,
    server: str | None = None,
    seconds: float | None = None,
    seed: int = 1,
    replication: int = 0,
    sender: str = "near",
    kernel: str = "default",
    settings: Mapping[str, str] | None = None,
    mtu: int | None = None,
    out: str | Path | None = None,
    snap: int = SNAP,
) -> LiveReport:
    """Run `command` beside the path of `scenario`, with the far end's address in $AIRTCP_PEER.

    - `scenario`: a path, or a link on slots, which is run as `Point.as_path`; of several points the
      path must be the same;
    - `command`: program and arguments, in the near namespace, with this process's files;
    - `server`: a command for a shell in the far namespace; `command` waits until it listens;
    - `seconds`: the run ends then at the latest; `seed`, `replication`: of the path's streams;
    - `sender`: "near" or "far", the side on which the scenario's sender is: data of the other
      direction meets what the scenario has for acknowledgements;
    - `kernel`: "default", or "scenario" for its TCP settings as far as the kernel has them;
      `settings`: further ones, names as of sysctl(8);
    - `mtu`: in bytes, None: the scenario's packet;
    - `out`: a folder for the log of packets and captures of both sides, of each packet the first
      `snap` bytes.

    Raises `InputError` for bad input and where the kernel does not grant what is needed.
    """
    if not command:
        raise refusal("command", list(command), "a program and its arguments")
    shell = None if server is None else program(1, ["/bin/sh", "-c", server])
    return emulated(
        point_of(scenario),
        {"command": program(0, command), "server": shell},
        seconds=seconds,
        seed=seed,
        replication=replication,
        sender=sender,
        kernel=kernel,
        settings=settings,
        mtu=mtu,
        out=out,
        snap=snap,
    )


def program(side: int, words: Sequence[str]) -> dict[str, Any]:
    """A program on the near (0) or the far (1) side."""
    return {"side": side, "words": list(words)}


def emulated(
    point: Point,
    parts: Mapping[str, Any],
    *,
    seconds: float | None,
    seed: int,
    replication: int,
    sender: str,
    kernel: str,
    settings: Mapping[str, str] | None,
    mtu: int | None,
    out: str | Path | None,
    snap: int,
    files: Sequence[int] = (),
) -> LiveReport:
    """A run of `parts`: what is on the two sides, keys of the worker's plan. Else as in `live`.

    Its programs inherit the open `files`.
    """
    folder = None if out is None else directory(out).absolute()
    seed = whole_number("seed", seed, 0, MOST_SEEDS)
    replication = whole_number("replication", replication, 0, MOST_REPLICATIONS - 1)
    for field, value, allowed in (
        ("sender", sender, ("near", "far")),
        ("kernel", kernel, ("default", "scenario")),
    ):
        if value not in allowed:
            raise refusal(field, value, f"one of {', '.join(allowed)}")
    if seconds is not None and not 0 < seconds <= LONGEST:
        raise refusal("seconds", seconds, f"a number above 0, at most {LONGEST:g}")
    _check_settings(settings or {})
    plan = {
        "scenario": point.data,
        "seed": seed,
        "replication": replication,
        "seconds": seconds,
        "command": None,
        "server": None,
        "patience": PATIENCE,
        "together": False,
        "own": [None, None],
        "sender_is_far": sender == "far",
        "mtu": None if mtu is None else whole_number("mtu", mtu, 68, 65535),
        "alike": kernel == "scenario",
        "settings": list((settings or {}).items()),
        "out": None if folder is None else str(folder),
        "snap": whole_number("snap", snap, 20, 65535),
        "parent": os.getpid(),
        **parts,
    }
    if folder is not None:
        (folder / META).unlink(missing_ok=True)
    report = _report(answer(plan, files))
    if folder is not None:
        _write_meta(folder, plan, report)
    return report


def _check_settings(settings: Mapping[str, str]) -> None:
    """Those under net are a namespace's own; all others are the host's."""
    for name in settings:
        if not SETTING.fullmatch(name):
            raise refusal("settings", name, "a name under net such as net.ipv4.tcp_sack")


def point_of(scenario: Given) -> Point:
    """The point of `scenario` to run, a path; several may differ in their transport only."""
    from airtcp.scenario import scenario_of  # noqa: PLC0415

    points = scenario_of(scenario).points()
    guilty = [path for path in varying(points) if not path.startswith("tcp.")]
    if guilty:
        raise InputError(f"{guilty[0]}: has several values; choose one by --set {guilty[0]}=VALUE")
    return points[0] if points[0].family == "path" else points[0].as_path().points()[0]


def varying(points: Sequence[Point]) -> list[str]:
    """The keys that have several values."""
    first = points[0].coordinates
    return [key for key in first if any(one.coordinates[key] != first[key] for one in points)]


def _report(found: dict[str, Any]) -> LiveReport:
    for name in ("fates", "overruns", "lateness", "unset", "own"):
        found[name] = tuple(found[name])
    return LiveReport(**found)


def _write_meta(folder: Path, plan: Mapping[str, Any], report: LiveReport) -> None:
    kept = {name: plan[name] for name in ("scenario", "seed", "replication", "sender_is_far")}
    with writing(folder / META) as path:
        text = json.dumps(kept | {"report": vars(report)}, indent=1, default=dict)
        path.write_text(text, encoding="utf-8")
