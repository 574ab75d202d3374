"""Captures of a real sender, replayed by the TCP of profile `linux`."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp import _native
from airtcp.errors import InputError, ScenarioError, known_name, whole_number
from airtcp.live.log import live_meta
from airtcp.support.files import file_name, read_file

PROFILES = ("linux",)
CONTROLS = ("reno", "cubic", "bbr")
CHANGES = ("no-prr", "double-reordering", "no-hystart", "no-undo", "initial-window-3")
SUFFIXES = (".pcap", ".pcapng", ".cap")  # of what is read in a .zip
MOST_BYTES = 1 << 30  # of a capture
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
    for name, content, said in _captures(file_name("capture", capture)):
        try:
            found = _native.replay_capture(content, **asked | {"control": control or said})
        except _native.ScenarioError as error:
            raise ScenarioError(name, *error.args) from None
        yield Explained(name, json.loads(found))


def _captures(path: Path) -> Iterator[tuple[str, bytes, str | None]]:
    """Names, contents, and which congestion control the sender had if a folder says so."""
    if path.is_dir():
        yield _of_run(path)
        return
    if path.suffix.lower() != ".zip":
        yield str(path), read_file(path), None
        return
    read = False
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.filename.lower().endswith(SUFFIXES):
                    continue
                name = f"{path}/{member.filename}"
                if member.file_size > MOST_BYTES:
                    raise InputError(f"{name}: is larger than {MOST_BYTES} bytes")
                read = True
                yield name, archive.read(member), None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{path}: is no .zip that can be read: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    if not read:
        raise InputError(f"{path}: has no capture ({', '.join(SUFFIXES)})")


def _of_run(folder: Path) -> tuple[str, bytes, str | None]:
    """What passed the sender's device in a run of `airtcp live`."""
    meta = live_meta(folder)
    capture = folder / ("far.pcapng" if meta["sender_is_far"] else "near.pcapng")
    named = meta.get("transfer", {}).get("congestion")
    scenario: Mapping[str, Any] = meta["scenario"].get("tcp", {})
    control = named or scenario.get("congestion")
    return str(capture), read_file(capture), control if control in CONTROLS else None
