"""Random scenarios through ns-2 and through the simulator: every packet event must be the same.

``python tests/ns2/differential.py --runs 2000`` plays that many, and prints every difference: the
event, and the instants of both. Half of the scenarios are made of round numbers, so that events
meet.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import airtcp
from airtcp.events.records import CODE_OF_KIND

SCRIPT = Path(__file__).with_name("network.tcl")
VARIANTS = ("tahoe", "reno", "newreno", "sack")
TOLERANCE = 0.501e-6 + 2e-9  # seconds: ns prints microseconds, a trace holds nanoseconds
KINDS = {"send": "+", "resend": "+", "ack-sent": "+", "drop": "d", "ack-drop": "d"} | {
    "arrive": "r",
    "ack-arrive": "r",
    "ack": "r",
}


@dataclass(frozen=True)
class Event:
    """An event of a packet at a node: it joins a queue (+), is dropped (d), has arrived (r)."""

    time: float
    kind: str
    flow: int
    packet: int

    def agrees(self, event: Event) -> bool:
        """True if only the printed digits of the time may differ."""
        same = (self.kind, self.flow, self.packet) == (event.kind, event.flow, event.packet)
        return same and abs(self.time - event.time) <= TOLERANCE


# Events at one place, in their order: (kind, node, whether it is an ACK).
Place = tuple[str, int, bool]
Events = dict[Place, list[Event]]


def scenario(draw: random.Random, two_way: bool = False, access: bool = False) -> dict[str, Any]:
    """A path of 1 to 3 hops and 1 to 6 flows; half of them with round numbers only.

    `two_way`: from any node to any other, at least one each way. `access`: with access delays.
    """
    described = _scenario(draw, two_way)
    round_numbers = described.pop("round")
    delays = [_access(draw, round_numbers) if access else 0 for _ in described["flows"]]
    return described | {"access": delays}


def _access(draw: random.Random, round_numbers: bool) -> float:
    if round_numbers:
        return draw.choice([0, 1, 2, 5, 10, 20, 50]) / 1000
    return draw.choice([0, round(10 ** draw.uniform(-4, -0.5), 6)])


def _scenario(draw: random.Random, two_way: bool) -> dict[str, Any]:
    round_numbers = draw.random() < 0.5
    flows, ssthresh = draw.choice([1, 1, 2, 3, 4, 5, 6]), draw.choice([0, 0, 4, 10])
    described = {
        "round": round_numbers,
        "end": draw.choice([5, 10, 20]),
        "hops": [_hop(draw, round_numbers) for _ in range(draw.randint(1, 3))],
        "size": draw.choice([500, 1000, 1500]) if round_numbers else draw.randint(40, 1500),
        "ssthresh": ssthresh,
        "flows": [_flow(draw, round_numbers) for _ in range(flows)],
    }
    last = len(described["hops"])
    if not two_way:
        return described | {"ways": [(0, last)] * flows}
    described["flows"] += [_flow(draw, round_numbers) for _ in range(2)]
    ways = [tuple(draw.sample(range(last + 1), 2)) for _ in range(flows)]
    return described | {"ways": [*ways, (0, last), (last, 0)]}


def _hop(draw: random.Random, round_numbers: bool) -> tuple[float, float, int]:
    queue = draw.choice([2, 3, 5, 8, 10, 20, 50])
    if round_numbers:
        rate = draw.choice([0.1, 0.2, 0.4, 0.5, 0.8, 1, 1.5, 2, 5, 10]) * 1e6
        return rate, draw.choice([0, 1, 2, 5, 10, 20, 50, 98, 100, 200]) / 1000, queue
    return float(round(10 ** draw.uniform(5, 7))), round(10 ** draw.uniform(-4, -0.5), 6), queue


def _flow(draw: random.Random, round_numbers: bool) -> tuple[str, int, float, int]:
    start = draw.choice([0, 0, 0, 0.1, 0.5, 1]) if round_numbers else round(draw.uniform(0, 2), 6)
    packets = draw.choice([0, 0, 0, 3, 50, 200])
    return draw.choice(VARIANTS), draw.choice([4, 8, 20, 30, 65]), start, packets


def document(described: dict[str, Any]) -> dict[str, Any]:
    """As a document of profile ns2."""
    flows = []
    for (variant, window, start, packets), (here, there), access in zip(
        described["flows"], described["ways"], _accesses(described), strict=True
    ):
        flow = {"variant": variant, "window": window, "start": f"{start!r}s"}
        flow |= {"sender": str(here), "receiver": str(there), "access_delay": f"{access!r}s"}
        flows.append(flow | ({"packets": packets} if packets else {}))
    ssthresh = described["ssthresh"]
    return {
        "profile": "ns2",
        "tcp": {"variant": "reno", "packet": f"{described['size']}B"}
        | ({"ssthresh": ssthresh} if ssthresh else {}),
        "path": {
            "hop": [
                {"rate": f"{rate!r}bps", "delay": f"{delay!r}s", "queue": queue}
                for rate, delay, queue in described["hops"]
            ]
        },
        "flow": flows,
        "stop": {"time": f"{described['end']!r}s", "replications": 1},
    }


def _accesses(described: dict[str, Any]) -> list[float]:
    return described.get("access") or [0] * len(described["flows"])


def by_ns(described: dict[str, Any]) -> Events:
    """The events by ns-2."""
    lines = [f"hop {rate!r} {delay!r} {queue}" for rate, delay, queue in described["hops"]]
    size, ssthresh = described["size"], described["ssthresh"]
    for (variant, window, start, packets), (here, there), access in zip(
        described["flows"], described["ways"], _accesses(described), strict=True
    ):
        lines.append(
            f"flow {variant} {window} {ssthresh} {start!r} {packets} {size} {here} {there} "
            f"{access!r}"
        )
    lines.append(f"end {described['end']!r}")
    with tempfile.TemporaryDirectory() as folder:
        asked, traced = Path(folder, "description"), Path(folder, "trace")
        asked.write_text("\n".join(lines) + "\n", encoding="utf-8")
        command = ["ns", str(SCRIPT), str(asked), str(traced)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return _traced(traced.read_text(encoding="utf-8"), described)


def _traced(text: str, described: dict[str, Any]) -> Events:
    found: Events = {}
    ways, accesses, nodes = described["ways"], _accesses(described), len(described["hops"]) + 1
    for line in text.splitlines():
        kind, time, here, there, protocol, _, _, flow, _, _, packet, _ = line.split()
        is_ack, node = protocol == "ack", int(there if kind == "r" else here)
        sender = ways[int(flow)][0]
        if node >= nodes:
            node = sender  # the sender's own, behind its access
        elif accesses[int(flow)] and node == sender and kind != "d":
            continue  # what comes through the access
        at_end = node == ways[int(flow)][is_ack]
        if kind == "-" or (kind == "+" and not at_end):
            continue  # starts of transmissions, and what was seen to arrive there
        event = Event(float(time), kind, int(flow), int(packet))
        found.setdefault((kind, node, is_ack), []).append(event)
    return found


def by_airtcp(described: dict[str, Any]) -> Events:
    """The events by the simulator."""
    columns = airtcp.trace(document(described)).columns
    found: Events = {}
    codes = {CODE_OF_KIND[name]: (kind, name.startswith("ack")) for name, kind in KINDS.items()}
    for row in np.flatnonzero(np.isin(columns["event"], list(codes))):
        kind, is_ack = codes[int(columns["event"][row])]
        time = int(columns["time_ns"][row]) / 1e9
        event = Event(time, kind, int(columns["flow"][row]), int(columns["packet"][row]))
        found.setdefault((kind, int(columns["node"][row]), is_ack), []).append(event)
    return found


def difference(theirs: Events, ours: Events, described: dict[str, Any]) -> str:
    """The earliest difference in words; empty if there is none.

    A run of the simulator ends when all flows are complete; ns goes on with packets that are
    still on their way.
    """
    end = float(described["end"])
    if all(packets for *_, packets in described["flows"]):
        end = min(end, max(events[-1].time for events in ours.values()) + 2e-6)
    firsts = []
    for place in sorted({*theirs, *ours}):
        said = _first(place, theirs.get(place, []), ours.get(place, []), end)
        if said:
            firsts.append(said)
    return min(firsts)[1] if firsts else ""


def _first(
    place: Place, theirs: list[Event], ours: list[Event], end: float
) -> tuple[float, str] | None:
    for number in range(max(len(theirs), len(ours))):
        their = theirs[number] if number < len(theirs) else None
        mine = ours[number] if number < len(ours) else None
        if their and mine and their.agrees(mine):
            continue
        time = min(event.time for event in (their, mine) if event)
        if time > end - 1e-6:
            return None
        kind, node, is_ack = place
        what = f"{'ACKs' if is_ack else 'data'} {kind} at node {node}, event {number + 1}"
        return time, f"{what}: ns {_shown(their)}, airtcp {_shown(mine)}"
    return None


def _shown(event: Event | None) -> str:
    if event is None:
        return "nothing more"
    return f"flow {event.flow} packet {event.packet} at {event.time!r} s"


def compared(
    seed: int, two_way: bool = False, access: bool = False
) -> tuple[int, dict[str, Any], str]:
    """The scenario of `seed`, how many events ns-2 has, and the first difference."""
    described = scenario(random.Random(seed), two_way, access)
    theirs = by_ns(described)
    said = difference(theirs, by_airtcp(described), described)
    return sum(map(len, theirs.values())), described, said


def differences(
    first: int, runs: int, two_way: bool = False, access: bool = False
) -> Iterator[tuple[int, int, dict[str, Any], str]]:
    """(seed, events, scenario, first difference) of `runs` scenarios from seed `first` on."""
    seeds = range(first, first + runs)
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(compared, seeds, [two_way] * runs, [access] * runs)
        for seed, (events, described, said) in zip(seeds, results, strict=True):
            yield seed, events, described, said


def main() -> int:
    """0 if all are the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1, help="of the first scenario")
    parser.add_argument("--two-way", action="store_true", help="flows in both directions")
    parser.add_argument("--access", action="store_true", help="flows with access delays")
    given = parser.parse_args()
    if shutil.which("ns") is None:
        print("ns-2 is missing: apt-get install ns2", file=sys.stderr)
        return 2
    events = differing = 0
    for seed, number, described, said in differences(
        given.seed, given.runs, given.two_way, given.access
    ):
        events += number
        if said:
            differing += 1
            print(f"scenario {seed}: {said}\n  {described}", flush=True)
    print(f"{given.runs} scenarios, {events} events, {differing} scenarios differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
