"""Captures of a real sender, replayed by the TCP of profile `linux`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp import _native
from airtcp.errors import ScenarioError, known_name, whole_number
from airtcp.live.capture_files import CONTROLS, captures
from airtcp.support.files import file_name

PROFILES = ("linux",)
CHANGES = ("no-prr", "double-reordering", "no-hystart", "no-undo", "initial-window-3")
MOST_DIFFERENCES = 1000


@dataclass(frozen=True)
class Explained:
    """What a replay found.

    - `capture`: the file, or file and member of a .zip;
    - `facts`: its JSON: `segments` that the kernel sent, how many are `explained`, the
      `differences` with both states, and what was assumed.
    """

    capture: str
    facts: Mapping[str, Any]

    @property
    def segments(self) -> int:
        """Segments that the kernel sent."""
        return int(self.facts["segments"])

    @property
    def explained(self) -> int:
        """How many of them our sender sent as well, at the same time."""
        return int(self.facts["explained"])

    @property
    def agrees(self) -> bool:
        """Whether nothing differs."""
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
) -> Iterator[Explained]:
    """Replay the sender with most data of a capture, of each in a .zip, or of a live run's folder.

    - `profile`: whose TCP: "linux";
    - `control`, `nodelay`, `sndbuf` (bytes), `settings`: of the sender, None: as the capture
      describes itself or the folder says, else CUBIC under the defaults of Linux;
    - `changes`: rules that our sender has otherwise than Linux (`CHANGES`), to see whether the
      capture finds it out;
    - `differences`: the replay ends after so many.

    Raises `InputError`, for what is no capture too.
    """
    known_name("profile", profile, PROFILES)
    if control is not None:
        known_name("control", control, CONTROLS)
    for name in changes:
        known_name("change", name, CHANGES)
    if sndbuf is not None:
        sndbuf = whole_number("sndbuf", sndbuf, 1, (1 << 31) - 1)
    asked: dict[str, Any] = {
        "control": control,
        "nodelay": nodelay,
        "sndbuf": sndbuf,
        "sysctl": list((settings or {}).items()),
        "changes": list(changes),
        "differences": whole_number("differences", differences, 1, 10**6),
    }
    for name, content, said in captures(file_name("capture", capture)):
        try:
            found = _native.replay_capture(content, **asked | {"control": control or said})
        except _native.ScenarioError as error:
            raise ScenarioError(name, *error.args) from None
        yield Explained(name, json.loads(found))
