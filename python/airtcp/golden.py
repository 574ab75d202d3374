"""Replays recorded packet traces of ns: ``python -m airtcp.golden DIR``.

`DIR/scenarios.json` says how to play each scenario, `DIR/NAME.csv` holds the recorded events of
each variant. Every sending, ACK and timeout is compared in order, with its time and the state of
the sender; losses as sets. Format: tests/golden/README.md; proof: docs/evidence/golden.md.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np

from airtcp import _native
from airtcp.errors import InputError, os_reason, refusal
from airtcp.events.records import CODE_OF_KIND, Array
from airtcp.scenario.scenario import Points
from airtcp.simulation.events import Events
from airtcp.support.files import open_regular_file, read_file
from airtcp.terminal import visible_line

USAGE = "usage: python -m airtcp.golden DIR"
SCENARIOS = "scenarios.json"
TICK = 0.1  # seconds
TIME_TOLERANCE = 0.601e-6  # seconds: recorded times have six decimals
WINDOWS = ("cwnd", "ssthresh")
STATE = (*WINDOWS, "dupacks", "backoff", "srtt8", "rttvar4")
COLUMNS = ("variant", "time", "ev", "seq", *STATE)
LETTERS = {"send": "S", "resend": "R", "ack": "A", "timeout": "T", "drop": "D", "ack-drop": "X"}
LETTER_OF_EVENT = {CODE_OF_KIND[kind]: letter for kind, letter in LETTERS.items()}
SHOWING_STATE = {"A", "T"}
LOSS_LETTERS = {"D", "X"}


@dataclass(frozen=True)
class RecordedEvent:
    """One event: time in seconds, letter, packet, and the sender's state after A and T."""

    time: float
    event: str
    packet: int
    state: tuple[float, ...] = ()

    def __str__(self) -> str:
        """The line as in the recorded files."""
        state = "".join(f",{value:.6g}" for value in self.state)
        return f"{self.time:.6f},{self.event},{self.packet}{state}"

    def agrees(self, other: RecordedEvent) -> bool:
        """Same event, times equal in six decimals, windows in six digits, the rest exactly."""
        if (self.event, self.packet) != (other.event, other.packet):
            return False
        if abs(self.time - other.time) > TIME_TOLERANCE or len(self.state) != len(other.state):
            return False
        number = len(WINDOWS)
        windows = zip(self.state[:number], other.state[:number], strict=True)
        return self.state[number:] == other.state[number:] and all(
            _same_digits(*pair) for pair in windows
        )


@dataclass(frozen=True)
class ReplayVerdict:
    """The outcome of one scenario and variant; `difference` is empty where all agrees."""

    scenario: str
    variant: str
    events: int
    difference: str = ""

    def __str__(self) -> str:
        """The outcome in one line, or the first difference."""
        outcome = self.difference or f"agrees ({self.events} events)"
        return f"{self.scenario} {self.variant}: {outcome}"


def replay(folder: str | Path) -> Iterator[ReplayVerdict]:
    """Play every scenario in `folder` for every variant recorded there. Raises `InputError`."""
    folder = Path(folder)
    document = _document(folder / SCENARIOS)
    for scenario in document["scenarios"]:
        name = scenario["name"]
        for variant, recorded in _read_recording(folder / f"{name}.csv").items():
            played = simulate_events(document, scenario, variant)
            difference = compare(recorded, played)
            yield ReplayVerdict(name, variant, len(recorded), difference)


def simulate_events(
    document: Mapping[str, Any], scenario: Mapping[str, Any], variant: str
) -> list[RecordedEvent]:
    """The events of our simulator in one of a folder's scenarios. Raises `InputError`."""
    source = f"{SCENARIOS}: {scenario['name']}"
    (point,) = Points(path_scenario(document, scenario, variant), source)
    try:
        records, facts = _native.trace(point.compiled, 1, 0), _native.trace_facts(point.compiled)
    except _native.ScenarioError as error:
        raise InputError(": ".join((source, *error.args))) from None
    events = Events.from_records(records, facts)
    return list(_parse_lines(events.columns, float({**document["common"], **scenario}["end"])))


def compare(recorded: Sequence[RecordedEvent], played: Sequence[RecordedEvent]) -> str:
    """The first difference in words, empty if there is none."""
    ours = [line for line in played if line.event not in LOSS_LETTERS]
    theirs = [line for line in recorded if line.event not in LOSS_LETTERS]
    for number, (mine, their) in enumerate(zip(ours, theirs, strict=False)):
        if not mine.agrees(their):
            return _difference(number, their, mine, ours[:number])
    if len(ours) != len(theirs):
        number = min(len(ours), len(theirs))
        ends = [lines[number] if number < len(lines) else None for lines in (theirs, ours)]
        return _difference(number, ends[0], ends[1], ours[:number])
    return _lost_difference(recorded, played)


def _same_digits(mine: float, their: float) -> bool:
    """True if two numbers agree to six significant digits."""
    if their == 0:
        return mine == 0
    digit = 10.0 ** (math.floor(math.log10(abs(their))) - 5)
    return abs(mine - their) <= 0.5000001 * digit


def _difference(
    number: int,
    recorded: RecordedEvent | None,
    ours: RecordedEvent | None,
    before: list[RecordedEvent],
) -> str:
    state = next((line for line in reversed(before) if line.state), None)
    lines_said = ["differs at event " + str(number + 1)]
    lines_said += [
        f"  recorded: {recorded or 'nothing more'}",
        f"  ours:     {ours or 'nothing more'}",
    ]
    columns = ", ".join(STATE)
    lines_said.append(f"  last state ({columns}): {state or 'initial'}")
    return "\n".join(lines_said)


def _lost_difference(recorded: Sequence[RecordedEvent], played: Sequence[RecordedEvent]) -> str:
    theirs, ours = (
        sorted(
            (line for line in lines if line.event in LOSS_LETTERS),
            key=lambda line: (line.event, line.packet, line.time),
        )
        for lines in (recorded, played)
    )
    for their, mine in zip(theirs, ours, strict=False):
        if not mine.agrees(their):
            return f"differs in what was lost\n  recorded: {their}\n  ours:     {mine}"
    if len(theirs) != len(ours):
        return f"differs in what was lost: recorded {len(theirs)}, ours {len(ours)}"
    return ""


def _parse_lines(columns: Mapping[str, Array], end: float) -> Iterator[RecordedEvent]:
    ticks = 8 * columns["srtt"] / TICK, 4 * columns["rttvar"] / TICK
    states = [columns[name] for name in STATE[:4]] + [np.rint(tick) for tick in ticks]
    for row in np.flatnonzero(np.isin(columns["event"], list(LETTER_OF_EVENT))):
        letter = LETTER_OF_EVENT[int(columns["event"][row])]
        time = float(columns["time_ns"][row]) / 1e9
        if time <= end:
            shown = letter in SHOWING_STATE
            state = tuple(float(column[row]) for column in states) if shown else ()
            yield RecordedEvent(time, letter, int(columns["packet"][row]), state)


@dataclass(frozen=True)
class _ScenarioReader:
    """The description of one scenario; `source` stands in front of every error."""

    source: str
    values: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        if key not in self.values:
            raise InputError(f"{self.source}: {key}: missing")
        return self.values[key]

    def get(self, key: str, default: Any) -> Any:
        """A value that may be absent."""
        return self.values.get(key, default)

    def number(self, key: str) -> float:
        """A finite number."""
        return float(self._checked(key, _is_number(self[key]), "a number"))

    def numbers(self, key: str) -> Any:
        """A list of numbers."""
        values = self[key]
        good = isinstance(values, list) and all(map(_is_number, values))
        return self._checked(key, good, "a list of numbers")

    def tuples(self, key: str, form: str) -> Any:
        """A list of lists of numbers, each with as many numbers as `form` has words."""
        values, width = self[key], len(form.split(","))
        good = isinstance(values, list) and all(
            isinstance(entry, list) and len(entry) == width and all(map(_is_number, entry))
            for entry in values
        )
        return self._checked(key, good, f"a list of [{form}]")

    def _checked(self, key: str, good: bool, allowed: str) -> Any:
        if not good:
            raise refusal(f"{self.source}: {key}", self[key], allowed)
        return self[key]


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max


def path_scenario(
    document: Mapping[str, Any], scenario: Mapping[str, Any], variant: str
) -> dict[str, Any]:
    """One of a folder's scenarios as a document of profile `ns2`. Raises `InputError`."""
    source = f"{SCENARIOS}: {scenario['name']}"
    given = _ScenarioReader(source, {**document["common"], **scenario})
    tcp = {
        "variant": variant,
        "window": given["window"],
        "ssthresh": given.get("ssthresh", given["window"]),
        "packet": f"{given['packet']}B",
        "ack": f"{given['ack']}B",
        "tick": f"{TICK}s",
        "boot": document["boot_time"],
    }
    hops = [_hop(*hop) for hop in given.tuples("hops", "rate, delay, queue")]
    if not hops:
        raise refusal(f"{given.source}: hops", [], "a list of at least one hop")
    last = hops[-1]
    last["drop"] = given.get("drop", [])
    last["back"] = {"drop": given.get("ackdrop", [])}
    if "toggle" in given.values:
        toggles = [_quantity_in_seconds(at) for at in given.numbers("toggle")]
        last["gate"] = {"kind": "schedule", "toggles": toggles}
    if "spike" in given.values:
        spikes = given.tuples("spike", "time, delay")
        last["delays"] = [
            {"at": _quantity_in_seconds(at), "delay": _quantity_in_seconds(delay)}
            for at, delay in spikes
        ]
    return {
        "profile": "ns2",
        "tcp": tcp,
        "path": {"hop": hops},
        "stop": {"time": _quantity_in_seconds(given.number("end")), "replications": 1},
    }


def _hop(rate: float, delay: float, queue: float) -> dict[str, Any]:
    return {"rate": f"{rate!r}bps", "delay": _quantity_in_seconds(delay), "queue": queue}


def _quantity_in_seconds(value: float) -> str:
    return f"{value!r}s"


def _document(path: Path) -> dict[str, Any]:
    """Content of scenarios.json: at least one scenario, each with a name."""
    try:
        document = json.loads(read_file(path).decode())
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None
    _check_type(document, dict, f"{path}", "a table")
    given = _ScenarioReader(str(path), document)
    _check_type(given["common"], dict, f"{path}: common", "a table")
    _ = given["boot_time"]
    scenarios = given["scenarios"]
    if not isinstance(scenarios, list) or not scenarios:
        raise refusal(f"{path}: scenarios", scenarios, "a list of at least one scenario")
    for index, scenario in enumerate(scenarios):
        where = f"{path}: scenarios[{index}]"
        _check_type(scenario, dict, where, "a table")
        _check_type(_ScenarioReader(where, scenario)["name"], str, f"{where}: name", "a text")
    return given.values  # type: ignore[return-value]


def _check_type(value: object, kind: type, where: str, allowed: str) -> None:
    if not isinstance(value, kind):
        raise refusal(where, value, allowed)


def _read_recording(path: Path) -> dict[str, list[RecordedEvent]]:
    """The lines of a recording by variant, at least one."""
    events_by_variant: dict[str, list[RecordedEvent]] = {}
    try:
        with open_regular_file(path) as opened, TextIOWrapper(opened, "utf-8", newline="") as file:
            rows = csv.reader(file)
            if tuple(next(rows, ())) != COLUMNS:
                raise InputError(f"{path}: line 1: must be {','.join(COLUMNS)}")
            for row in rows:
                variant, line = _parse_line(row, f"{path}: line {rows.line_num}")
                events_by_variant.setdefault(variant, []).append(line)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from None
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None
    if not events_by_variant:
        raise InputError(f"{path}: holds no events")
    return events_by_variant


def _parse_line(row: Sequence[str], where: str) -> tuple[str, RecordedEvent]:
    """(variant, event) of one line of a recording."""
    event = row[2] if len(row) > 2 else ""
    if event not in LETTERS.values():
        raise refusal(f"{where}: ev", event, f"one of {', '.join(LETTERS.values())}")
    columns = COLUMNS if event in SHOWING_STATE else COLUMNS[:4]
    if len(row) != len(columns):
        raise InputError(f"{where}: has {len(row)} values, {event} has {len(columns)}")
    variant, time, _, packet, *state = row
    numbers = (_parse_number(text, name, where) for text, name in zip(state, STATE, strict=False))
    number = _parse_number(packet, "seq", where)
    if not number.is_integer():
        raise refusal(f"{where}: seq", packet, "a whole number")
    return variant, RecordedEvent(
        _parse_number(time, "time", where), event, int(number), tuple(numbers)
    )


def _parse_number(text: str, name: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise refusal(f"{where}: {name}", text, "a number")
    return number


def main(arguments: Sequence[str]) -> int:
    """Replay a folder; 0 if everything agrees, 1 if not, 2 for bad input."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(USAGE, file=sys.stdout if "--help" in arguments else sys.stderr)
        return 0 if "--help" in arguments else 2
    agreed = True
    try:
        for verdict in replay(arguments[0]):
            print(visible_line(str(verdict)), flush=True)
            agreed = agreed and not verdict.difference
    except InputError as error:
        print(visible_line(str(error)), file=sys.stderr)
        return 2
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
