"""Captures of a real sender, replayed by the TCP of profile `linux`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp import _native
from airtcp.errors import InputError, ScenarioError, known_name, whole_number
from airtcp.live.capture_files import EXPLAINED_CONTROLS, captures
from airtcp.support.files import file_name

EXPLAINED_PROFILES = ("linux",)
RULE_CHANGES = ("no-prr", "double-reordering", "no-hystart", "no-undo", "initial-window-3")
MOST_DIFFERENCES = 100


@dataclass(frozen=True)
class ReplayExplanation:
    """Result of a replay.

    - `capture`: the file, or file and member of a .zip;
    - `facts`: its JSON: `segments` that the kernel sent, how many are `explained`, the
      `differences` with both states, and the assumptions.
    """

    capture: str
    facts: Mapping[str, Any]

    @property
    def segments(self) -> int:
        """Segments that the kernel sent."""
        return int(self.facts["segments"])

    @property
    def explained(self) -> int:
        """Number of them that our sender sent as well, at the same time."""
        return int(self.facts["explained"])

    @property
    def agrees(self) -> bool:
        """True if nothing differs."""
        return not self.facts["differences"]


def explain(
    capture: str | Path,
    *,
    profile: str = "linux",
    control: str | None = None,
    nodelay: bool | None = None,
    sndbuf: int | None = None,
    settings: Mapping[str, str] | None = None,
    changes: Sequence[str] = (),
    differences: int = MOST_DIFFERENCES,
    connection: int | None = None,
    report: Callable[[str, int, int], object] | None = None,
    refused: Callable[[str, InputError], object] | None = None,
) -> Iterator[ReplayExplanation]:
    """Replay the sender with most data of a capture, of each in a .zip, or of a live run's folder.

    - `profile`: whose TCP: "linux";
    - `control`: congestion control of the sender, None: as the capture or the folder says, else
      the one of `CONTROLS` that explains most; `facts["tried"]` has how far each came;
    - `nodelay`, `sndbuf` (bytes), `settings`: of the sender, None: as the capture describes itself,
      else the defaults of Linux;
    - `changes`: rules that our sender has otherwise than Linux (`RULE_CHANGES`), to see whether the
      capture finds it out;
    - `differences`: the replay ends after that many;
    - `connection`: its number in the file, from 0, None: the one with most data that can be
      replayed;
    - `report`: called now and then with the capture, the furthest segment and the number of
      segments;
    - `refused`: called with a capture that cannot be replayed and why, after which the next ones of
      a .zip follow; None: the error is raised.

    Raises `InputError`, also for a file that is not a capture.
    """
    known_name("profile", profile, EXPLAINED_PROFILES)
    if control is not None:
        known_name("control", control, EXPLAINED_CONTROLS)
    for name in changes:
        known_name("change", name, RULE_CHANGES)
    if sndbuf is not None:
        sndbuf = whole_number("sndbuf", sndbuf, 1, (1 << 31) - 1)
    asked: dict[str, Any] = {
        "control": control,
        "nodelay": nodelay,
        "sndbuf": sndbuf,
        "sysctl": list((settings or {}).items()),
        "changes": list(changes),
        "differences": whole_number("differences", differences, 1, 10**6),
        "connection": None
        if connection is None
        else whole_number("connection", connection, 0, 10**6),
    }
    for name, content, named_control in captures(file_name("capture", capture), refused):
        asked |= {
            "control": control or named_control,
            "report": _progress_for_capture(name, report),
        }
        try:
            explained = _native.replay_capture(content, **asked)
        except _native.ScenarioError as error:
            why = ScenarioError(name, *error.args)
            if refused is None:
                raise why from None
            refused(name, why)
            continue
        yield ReplayExplanation(name, json.loads(explained))


def _progress_for_capture(
    name: str, report: Callable[[str, int, int], object] | None
) -> Callable[[int, int, int], object] | None:
    if report is None:
        return None
    return lambda furthest, segments, trials: report(
        f"{name}: {trials} trials" if trials > 1 else name, furthest, segments
    )
