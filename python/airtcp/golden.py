"""Replays recorded packet traces of ns: ``python -m airtcp.golden DIR``.

`DIR/scenarios.json` says how to play each scenario, `DIR/NAME.csv` holds what was recorded for each
variant. Every sending, ACK and timeout is compared in order, with its time and the state of the
sender; losses as sets. Format and rules: docs/golden.md.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from airtcp import _native
from airtcp.errors import InputError
from airtcp.events import Array, Events
from airtcp.scenario import expand

USAGE = "usage: python -m airtcp.golden DIR"
SCENARIOS = "scenarios.json"
TICK = 0.1  # seconds
MICROSECOND = 1e-6
STATE = ("cwnd", "ssthresh", "dupacks", "backoff", "srtt8", "rttvar4")
COLUMNS = ("variant", "time", "ev", "seq", *STATE)
# Our event table's codes; `D` and `X` are losses of data and of ACKs.
LETTERS = {0: "S", 1: "R", 2: "A", 3: "T", 4: "D", 5: "X"}
LOST = {"D", "X"}


@dataclass(frozen=True)
class Line:
    """One event: time in seconds, letter, packet, and the sender's state after A and T."""

    time: float
    event: str
    packet: int
    state: tuple[float, ...] = ()

    def __str__(self) -> str:
        """As in the recorded files."""
        state = "".join(f",{value:.6g}" for value in self.state)
        return f"{self.time:.6f},{self.event},{self.packet}{state}"

    def agrees(self, other: Line) -> bool:
        """Same event, times to 1 us, window to 6 digits, the rest exactly."""
        if (self.event, self.packet) != (other.event, other.packet):
            return False
        if abs(self.time - other.time) > MICROSECOND:
            return False
        mine, theirs = self.state, other.state
        return len(mine) == len(theirs) and all(map(_same_digits, mine, theirs))


@dataclass(frozen=True)
class Verdict:
    """The outcome of one scenario and variant; `difference` is empty where all agrees."""

    scenario: str
    variant: str
    events: int
    difference: str = ""

    def __str__(self) -> str:
        """One line, or the first difference."""
        said = self.difference or f"agrees ({self.events} events)"
        return f"{self.scenario} {self.variant}: {said}"


def replay(folder: str | Path) -> Iterator[Verdict]:
    """Play every scenario in `folder` for every variant recorded there. Raises `InputError`."""
    folder = Path(folder)
    document = _document(folder / SCENARIOS)
    for scenario in document["scenarios"]:
        name = scenario["name"]
        for variant, recorded in _recorded(folder / f"{name}.csv").items():
            played = play(document, scenario, variant)
            difference = compare(recorded, played)
            yield Verdict(name, variant, len(recorded), difference)


def play(document: Mapping[str, Any], scenario: Mapping[str, Any], variant: str) -> list[Line]:
    """The events of our simulator in one of a folder's scenarios."""
    source = f"{SCENARIOS}: {scenario['name']}"
    (point,) = expand(path_scenario(document, scenario, variant), source)
    events = Events.from_records(_native.trace(point, 1, 0), _native.trace_facts(point))
    return list(_lines(events.columns, float(scenario["end"])))


def compare(recorded: Sequence[Line], played: Sequence[Line]) -> str:
    """The first difference in words, empty if there is none."""
    ours = [line for line in played if line.event not in LOST]
    theirs = [line for line in recorded if line.event not in LOST]
    for number, (mine, their) in enumerate(zip(ours, theirs, strict=False)):
        if not mine.agrees(their):
            return _difference(number, their, mine, ours[:number])
    if len(ours) != len(theirs):
        number = min(len(ours), len(theirs))
        ends = [lines[number] if number < len(lines) else None for lines in (theirs, ours)]
        return _difference(number, ends[0], ends[1], ours[:number])
    return _lost_difference(recorded, played)


def _same_digits(mine: float, their: float) -> bool:
    """Equal as far as six significant digits tell."""
    if their == 0:
        return mine == 0
    digit = 10.0 ** (math.floor(math.log10(abs(their))) - 5)
    return abs(mine - their) <= 0.5000001 * digit


def _difference(number: int, recorded: Line | None, ours: Line | None, before: list[Line]) -> str:
    state = next((line for line in reversed(before) if line.state), None)
    said = ["differs at event " + str(number + 1)]
    said += [f"  recorded: {recorded or 'nothing more'}", f"  ours:     {ours or 'nothing more'}"]
    columns = ", ".join(STATE)
    said.append(f"  last state ({columns}): {state or 'initial'}")
    return "\n".join(said)


def _lost_difference(recorded: Sequence[Line], played: Sequence[Line]) -> str:
    theirs, ours = (
        sorted(
            (line for line in lines if line.event in LOST),
            key=lambda line: (line.event, line.packet, round(line.time, 4)),
        )
        for lines in (recorded, played)
    )
    for their, mine in zip(theirs, ours, strict=False):
        if not mine.agrees(their):
            return f"differs in what was lost\n  recorded: {their}\n  ours:     {mine}"
    if len(theirs) != len(ours):
        return f"differs in what was lost: recorded {len(theirs)}, ours {len(ours)}"
    return ""


def _lines(columns: Mapping[str, Array], end: float) -> Iterator[Line]:
    ticks = 8 * columns["srtt"] / TICK, 4 * columns["rttvar"] / TICK
    states = [columns[name] for name in STATE[:4]] + [np.rint(one) for one in ticks]
    for row in np.flatnonzero(columns["event"] <= max(LETTERS)):
        letter, time = LETTERS[int(columns["event"][row])], float(columns["time_ns"][row]) / 1e9
        if time <= end:
            state = tuple(float(one[row]) for one in states) if letter in "AT" else ()
            yield Line(time, letter, int(columns["packet"][row]), state)


def path_scenario(
    document: Mapping[str, Any], scenario: Mapping[str, Any], variant: str
) -> dict[str, Any]:
    """One of a folder's scenarios as a document of profile `ns2`."""
    common = {**document["common"], **scenario}
    tcp = {
        "variant": variant,
        "window": common["window"],
        "ssthresh": common.get("ssthresh", common["window"]),
        "packet": f"{common['packet']}B",
        "ack": f"{common['ack']}B",
        "tick": f"{TICK}s",
        "boot": document["boot_time"],
    }
    hops = [_hop(*hop) for hop in common["hops"]]
    last = hops[-1]
    last["drop"] = common.get("drop", [])
    last["back"] = {"drop": common.get("ackdrop", [])}
    if "toggle" in common:
        toggles = [_seconds(at) for at in common["toggle"]]
        last["gate"] = {"kind": "schedule", "toggles": toggles}
    if "spike" in common:
        last["delays"] = [
            {"at": _seconds(at), "delay": _seconds(delay)} for at, delay in common["spike"]
        ]
    return {
        "profile": "ns2",
        "tcp": tcp,
        "path": {"hop": hops},
        "stop": {"time": _seconds(common["end"]), "replications": 1},
    }


def _hop(rate: float, delay: float, queue: int) -> dict[str, Any]:
    return {"rate": f"{rate!r}bps", "delay": _seconds(delay), "queue": int(queue)}


def _seconds(value: float) -> str:
    return f"{value!r}s"


def _document(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None
    for key in ("common", "boot_time", "scenarios"):
        if key not in document:
            raise InputError(f"{path}: {key}: missing")
    return document


def _recorded(path: Path) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            header = tuple(next(rows, ()))
            if header != COLUMNS:
                raise InputError(f"{path}: line 1: must be {','.join(COLUMNS)}")
            for variant, time, event, packet, *state in rows:
                line = Line(float(time), event, int(packet), tuple(map(float, state)))
                found.setdefault(variant, []).append(line)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from None
    return found


def main(arguments: Sequence[str]) -> int:
    """Replay a folder; 0 if everything agrees, 1 if not, 2 for bad input."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(USAGE, file=sys.stdout if "--help" in arguments else sys.stderr)
        return 0 if "--help" in arguments else 2
    agreed = True
    try:
        for verdict in replay(arguments[0]):
            print(verdict, flush=True)
            agreed = agreed and not verdict.difference
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
