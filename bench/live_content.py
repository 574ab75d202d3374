"""Our own TCP beside Linux: 5 MB both ways through losses, spikes, disconnections, every variant.

    python bench/live_content.py [--size 5000000] [--at-once 6]

Needs what `airtcp live` needs. Prints a table in Markdown: seconds of every transfer, and whether
what arrived is what was sent, by its SHA-256.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from airtcp import _native
from airtcp.live import TransferReport, transfer

LOSSES = {"kind": "iid", "loss_rate": 0.05}
SPIKES = {
    "kind": "spikes",
    "interval": {"kind": "uniform", "min": "1s", "max": "3s"},
    "duration": {"kind": "uniform", "min": "300ms", "max": "1500ms"},
}
CONDITIONS: dict[str, Mapping[str, Any]] = {
    "5 % lost both ways": {"channel": LOSSES, "back": {"channel": LOSSES}},
    "spikes": {"gate": SPIKES},
    "disconnections": {"gate": {"kind": "on-off", "up": "2s", "down": "0.3s"}},
}


def scenario(variant: str, condition: str) -> dict[str, Any]:
    """A link of 5 Mbit/s under a condition."""
    hop = {"rate": "5Mbps", "delay": "5ms"} | CONDITIONS[condition]
    tcp = {"variant": variant, "window": 64, "min_rto": "200ms", "delayed_ack": "40ms"}
    return {"profile": "rfc", "tcp": tcp, "path": {"hop": [hop]}, "stop": {"time": "1000s"}}


def run(variant: str, condition: str, sender: str, size: int) -> TransferReport:
    """One transfer."""
    given = scenario(variant, condition)
    return transfer(given, stack="scenario", peer="kernel", sender=sender, size=size, seed=7)


def cell_of(found: TransferReport) -> str:
    """A cell."""
    verdict = "" if found.identical and found.complete else " NOT IDENTICAL"
    return f"{found.seconds:.1f}{verdict}"


def variants() -> list[str]:
    """The variants of the profile."""
    names = [name for name, _, _ in _native.registry()["variants"]]
    return [name for name in names if name != "oldtahoe"]  # slots only


def main() -> None:
    """Measure, and print."""
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("--size", type=int, default=5_000_000)
    words.add_argument("--at-once", type=int, default=6)
    asked = words.parse_args()
    cells = [(condition, sender) for condition in CONDITIONS for sender in ("near", "far")]
    heads = [f"{c}, {'to' if s == 'near' else 'from'} Linux, s" for c, s in cells]
    print("| variant | " + " | ".join(heads) + " |")
    print("|" + "---|" * (1 + len(heads)))
    with ThreadPoolExecutor(asked.at_once) as pool:
        rows = [
            (name, [pool.submit(run, name, *cell, asked.size) for cell in cells])
            for name in variants()
        ]
        for name, found in rows:
            row = " | ".join(cell_of(future.result()) for future in found)
            print(f"| `{name}` | {row} |", flush=True)


if __name__ == "__main__":
    main()
