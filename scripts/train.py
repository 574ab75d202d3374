"""Play what a profile-guided build learns from, with the airtcp that is installed.

The compiler lays out and inlines the code that these scenarios run most
(scripts/profile_guided.py). They are the examples, by analysis and one replication, and what those
leave out: one flow on a quiet link, every queue, and every congestion control of Linux. The
scenarios of bench/ are not among them, so that what is measured there is what a user's own scenario
would meet.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import airtcp

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
QUEUES: list[dict[str, Any]] = [
    {"kind": "dualpi2"},
    *(
        {"kind": kind, "packets": 60}
        for kind in ("drop-tail", "head-drop", "codel", "fq-codel", "drr", "pie")
    ),
]
VARIANTS = {"ns2": ("tahoe", "reno", "newreno", "sack"), "rfc": ("reno", "newreno", "sack")}
CONTROLS = ("reno", "cubic", "bbr", "bbr3")


def scenarios() -> Iterator[airtcp.Scenario]:
    """Everything that is played."""
    yield from (airtcp.Scenario.load(file) for file in sorted(EXAMPLES.glob("*.toml")))
    for profile, variants in VARIANTS.items():
        for variant in variants:
            yield from (airtcp.Scenario.from_dict(document) for document in alone(profile, variant))
    for queue in QUEUES:
        yield airtcp.Scenario.from_dict(beside(queue))
    for control in CONTROLS:
        yield airtcp.Scenario.from_dict(linux(control))


def alone(profile: str, variant: str) -> Iterator[dict[str, Any]]:
    """One flow over a hop that loses packets, and over two that do not."""
    channel = {"kind": "iid", "loss_rate": 0.02}
    radio = {"rate": "5Mbps", "delay": "8ms", "queue": 40}
    wire = {"rate": "20Mbps", "delay": "30ms", "queue": 100}
    for hops in ([radio | {"channel": channel}], [wire, radio]):
        yield {
            "profile": profile,
            "tcp": {"variant": variant, "window": 40},
            "path": {"hop": hops},
            "stop": {"time": "1000s"},
        }


def beside(queue: dict[str, Any]) -> dict[str, Any]:
    """Three flows that share a queue, where some packets are lost."""
    channel = {"kind": "iid", "loss_rate": 0.002}
    hop = {"rate": "10Mbps", "delay": "15ms", "queue": queue, "channel": channel}
    return {
        "profile": "rfc",
        "tcp": {"variant": "sack"},
        "path": {"hop": [hop]},
        "flow": [{"count": 3}],
        "stop": {"time": "100s"},
    }


def linux(control: str) -> dict[str, Any]:
    """One flow of Linux over a radio link with bursts of losses."""
    channel = {"kind": "burst", "loss_rate": 0.005, "mean_burst": 3}
    hop = {"rate": "30Mbps", "delay": "25ms", "queue": 150, "channel": channel}
    return {
        "profile": "linux",
        "tcp": {"congestion": control},
        "path": {"hop": [hop]},
        "stop": {"time": "200s"},
    }


def main() -> int:
    """Play them; the compiled part writes its profile as the process ends."""
    for scenario in scenarios():
        airtcp.run(scenario, replications=1)
    airtcp.trace(airtcp.Scenario.load(EXAMPLES / "fig5.toml"), point=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
