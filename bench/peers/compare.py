"""Packets per second of airtcp, ns-2 and ns-3 on the two scenarios of this directory.

One packet is a data packet sent by the sender, repetitions included; its ACK is in the price. Time
is CPU time of the process after set-up. The simulators run in turn, round after round, on whatever
else the machine does; medians and the ratios of the same round are printed. Nothing is traced.
Nothing is installed. `--write FILE` keeps what was measured, with its date and machine: the pages
take their figures from bench/measured.json (`make gen`). `--scaling`: what a packet costs airtcp
alone, by length, by number of flows, with tracing, and on other scenarios.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peers
import scaling

SCENARIOS = {
    "lossy": "1.5 Mbps 1 ms, 1360 B, 1 % of the data packets lost, NewReno, window 24",
    "clean": "1.5 Mbps 10 ms, 0.8 Mbps 100 ms, 1024 B, no losses, Reno, window 50",
}
CHECKED = 1000.0  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="runs of each (5)")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with airtcp")
    parser.add_argument("--ns3", default=sys.executable, help="an interpreter with ns3")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="airtcp, ns-2, 'ns-2 tuned', ns-3"
    )
    parser.add_argument("--seconds", type=float, help="simulated time of each run (by simulator)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="keep the figures as JSON")
    parser.add_argument("--scaling", action="store_true", help="airtcp alone")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds: at least 1")
    try:
        if given.scaling:
            alone = scaling.measure(given.python, given.rounds)
            keep(given.write, {"scaling": circumstances(given.rounds) | alone})
        else:
            keep(given.write, compare(peers_here(given), given.rounds, given.seconds))
    except peers.FailedError as error:
        sys.exit(str(error))


def keep(file: Path | None, measured: dict[str, Any]) -> None:
    """Write it to a file, in place of what was measured of the same before."""
    if file is None:
        return
    before = json.loads(file.read_text("utf-8")) if file.exists() else {}
    file.write_text(json.dumps(before | measured, indent=1) + "\n", "utf-8")


def peers_here(given: argparse.Namespace) -> list[peers.Peer]:
    """The simulators that are here; a line about each that is not."""
    here: list[peers.Peer] = []
    ways: list[Callable[[], list[peers.Peer]]] = [
        lambda: [peers.airtcp_peer(given.python)],
        peers.ns2_peers,
        lambda: [peers.ns3_peer(given.ns3)],
    ]
    for make in ways:
        try:
            here += make()
        except peers.MissingError as missing:
            print(missing, file=sys.stderr)
    here = [peer for peer in here if not given.only or peer.name in given.only]
    if not here:
        sys.exit("nothing to compare")
    return here


def compare(here: list[peers.Peer], rounds: int, seconds: float | None) -> dict[str, Any]:
    """Print what is measured; return it with its date and machine."""
    for peer in here:
        print(f"{peer.name}: {peer.build}")
    scenarios = {}
    for name, words in SCENARIOS.items():
        print(f"\n{name}: {words}")
        check(here, name)
        scenarios[name] = speeds(here, name, rounds, seconds)
    return circumstances(rounds) | {
        "builds": {peer.name: peer.build for peer in here},
        "scenarios": scenarios,
    }


def circumstances(rounds: int) -> dict[str, Any]:
    """When, where and how often it was measured."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return {"date": today, "machine": machine(), "rounds": rounds}


def machine() -> str:
    """The processor by its name, and how many of them there are."""
    lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{os.cpu_count()} x {names[0] if names else 'a processor without a name'}"


def check(here: list[peers.Peer], name: str) -> None:
    """They simulate the same thing: packets acknowledged per second, time of 5000 packets."""
    for peer in here:
        bulk, finite = peer.check(name, CHECKED, 0), peer.check(name, CHECKED, 5000)
        print(
            f"  {peer.name:<10} {bulk.delivered / bulk.time:8.2f} packets delivered/s;"
            f" 5000 packets take {finite.time:.6f} s"
        )


def speeds(
    here: list[peers.Peer], name: str, rounds: int, seconds: float | None
) -> dict[str, dict[str, Any]]:
    """Packets per second of each, and how many times as fast the first is, round by round."""
    rates: dict[str, list[float]] = {peer.name: [] for peer in here}
    for _ in range(rounds):
        for peer in here:
            rates[peer.name].append(peer.run(name, seconds or peer.seconds[name]).rate)
    first = here[0].name
    found: dict[str, dict[str, Any]] = {}
    for rival, values in rates.items():
        found[rival] = {"packets_per_second": spread(values)}
        if rival != first:
            ratios = [a / b for a, b in zip(rates[first], values, strict=True)]
            found[rival]["times_as_fast"] = spread(ratios)
        print(described(rival, first, found[rival]), flush=True)
    return found


def spread(values: list[float]) -> dict[str, float]:
    """Median, least and most, to four digits."""
    found = {"median": statistics.median(values), "least": min(values), "most": max(values)}
    return {name: float(f"{value:.4g}") for name, value in found.items()}


def described(peer: str, first: str, found: dict[str, dict[str, float]]) -> str:
    rate = found["packets_per_second"]
    line = f"  {peer:<10} {rate['median']:12,.0f} packets/s"
    line += f"  ({rate['least']:,.0f} to {rate['most']:,.0f})"
    if peer == first:
        return line
    ratio = found["times_as_fast"]
    line += f"  {first} is {ratio['median']:.2f} times as fast"
    return f"{line} ({ratio['least']:.2f} to {ratio['most']:.2f})"


if __name__ == "__main__":
    main()
