"""A run of the emulator, in a process of its own."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.errors import InputError, refusal, set_words, whole_number
from airtcp.live.folder import OutputFolder, open_output_folder
from airtcp.live.linux import require_linux
from airtcp.live.records import FORMAT_VERSION
from airtcp.live.report import LiveReport
from airtcp.live.terminal import Terminals, is_terminal_needed
from airtcp.live.user import find_user
from airtcp.live.worker import run_worker
from airtcp.scenario.scenario import scenario_of
from airtcp.support.seeds import check_replication, check_seed

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Given, Point

SNAP_BYTES = 128  # bytes of a packet in a capture: headers and options
LONGEST_SECONDS = 1e7  # s of a run
SYSCTL_NAME = re.compile(r"net(\.[A-Za-z0-9_-]+)+")
SERVER_START_SECONDS = 5.0  # s until a server listens


def live(
    scenario: Given,
    command: Sequence[str],
    *,
    server: str | None = None,
    user: str | None = None,
    env: Sequence[str] = (),
    seconds: float | None = None,
    seed: int = 1,
    replication: int = 0,
    sender: str = "near",
    kernel: str = "default",
    settings: Mapping[str, str] | None = None,
    mtu: int | None = None,
    out: str | Path | None = None,
    snap: int = SNAP_BYTES,
) -> LiveReport:
    """Run `command` beside the path of `scenario`, with the far end's address in $AIRTCP_PEER.

    - `scenario`: a path, or a link on slots, which is run as `Point.as_path`; of several points the
      path must be the same;
    - `command`: program and arguments, in the near namespace, with this process's files;
    - `server`: a command for a shell in the far namespace; `command` waits until it listens;
    - `user`: the name of the user who runs both; None: whoever runs this process, with all rights
      that it has. Another one needs root, and gets a session and, at a terminal, terminals of its
      own, and a small environment;
    - `env`: names of variables of this process that the programs of another user get besides;
    - `seconds`: limit of the run's duration; `seed`, `replication`: seed and replication of the
      path's random streams;
    - `sender`: "near" or "far", the side on which the scenario's sender is: data of the other
      direction meets the scenario's conditions for acknowledgements;
    - `kernel`: "default", or "scenario" for its TCP settings as far as the kernel has them;
      `settings`: further ones, names as of sysctl(8);
    - `mtu`: MTU in bytes; None: the scenario's packet;
    - `out`: a folder for the log of packets and captures of both sides, of each packet the first
      `snap` bytes.

    Raises `InputError` for bad input and where the kernel does not grant the rights needed.
    """
    require_linux()
    if not command:
        raise refusal("command", list(command), "a program and its arguments")
    sides = [list(command)] if server is None else [list(command), ["/bin/sh", "-c", server]]
    who = find_user(user, env)
    with open_output_folder(out) as folder, _terminals(who, len(sides)) as terminals:
        theirs = [None] * len(sides) if terminals is None else terminals.theirs
        programs = [program_plan(*side) for side in zip((0, 1), sides, theirs, strict=False)]
        return run_programs(
            point_of(scenario),
            {"user": who, **dict(zip(("command", "server"), programs, strict=False))},
            seconds=seconds,
            seed=seed,
            replication=replication,
            sender=sender,
            kernel=kernel,
            settings=settings,
            mtu=mtu,
            folder=folder,
            snap=snap,
            terminals=terminals,
        )


@contextmanager
def _terminals(user: dict[str, Any] | None, programs: int) -> Iterator[Terminals | None]:
    """Terminals of their own for programs of another user, if they would otherwise have root's."""
    if user is None or not is_terminal_needed():
        yield None
        return
    terminals = Terminals(programs, user["uid"])
    try:
        yield terminals
    finally:
        terminals.close()


def program_plan(side: int, words: Sequence[str], terminal: int | None = None) -> dict[str, Any]:
    """A program on the near (0) or the far (1) side; `terminal`: open, in place of ours."""
    return {"side": side, "words": list(words), "terminal": terminal}


def run_programs(
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
    folder: OutputFolder | None,
    snap: int,
    files: Sequence[int] = (),
    terminals: Terminals | None = None,
) -> LiveReport:
    """Run the `parts`, keys of the worker's plan for the two sides. Otherwise as in `live`.

    Its programs inherit the open `files`, and have `terminals` in place of that of this process.
    """
    seed = check_seed(seed)
    replication = check_replication(replication)
    for field, value, allowed in (
        ("sender", sender, ("near", "far")),
        ("kernel", kernel, ("default", "scenario")),
    ):
        if value not in allowed:
            raise refusal(field, value, f"one of {', '.join(allowed)}")
    if seconds is not None and not 0 < seconds <= LONGEST_SECONDS:
        raise refusal("seconds", seconds, f"a number above 0, at most {LONGEST_SECONDS:g}")
    _check_settings(settings or {})
    plan = {
        "scenario": point.data,
        "seed": seed,
        "replication": replication,
        "seconds": seconds,
        "command": None,
        "server": None,
        "user": None,
        "patience": SERVER_START_SECONDS,
        "together": False,
        "builtin_tasks": [None, None],
        "sender_is_far": sender == "far",
        "mtu": None if mtu is None else whole_number("mtu", mtu, 68, 65535),
        "alike": kernel == "scenario",
        "settings": list((settings or {}).items()),
        "output_folder": None if folder is None else folder.inherited_path,
        "snap_length": whole_number("snap", snap, 20, 65535),
        "parent": os.getpid(),
        **parts,
    }
    report = run_worker(plan, files, [] if folder is None else [folder.number], terminals)
    if folder is not None:
        kept_plan = {
            name: plan[name] for name in ("scenario", "seed", "replication", "sender_is_far")
        }
        header = {"format": FORMAT_VERSION, "model": _native.MODEL_VERSION}
        folder.write_meta(header | kept_plan | {"report": vars(report)})
    return report


def _check_settings(settings: Mapping[str, str]) -> None:
    """Refuse settings outside net: only settings in net belong to a namespace, not to the host."""
    for name in settings:
        if not SYSCTL_NAME.fullmatch(name):
            raise refusal("settings", name, "a name under net such as net.ipv4.tcp_sack")


def point_of(scenario: Given) -> Point:
    """The point of `scenario` to run, a path; several may differ in their transport only."""

    points = scenario_of(scenario).points()
    guilty = [path for path in varying_keys(points) if not path.startswith(("tcp.", "live."))]
    if guilty:
        raise InputError(f"{guilty[0]}: has several values; choose one by {set_words(guilty[0])}")
    return points[0] if points[0].family == "path" else points[0].as_path().points()[0]


def varying_keys(points: Sequence[Point]) -> list[str]:
    """The keys that have several values."""
    first = points[0].coordinates
    return [key for key in first if any(point.coordinates[key] != first[key] for point in points)]
