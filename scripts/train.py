"""Play what a profile-guided build learns from, with the airtcp that is installed.

The compiler lays out and inlines the code that these scenarios run most
(scripts/profile_guided.py). They are the examples, by analysis and one replication, and what those
leave out: every queue, and every congestion control of Linux. The scenarios of bench/ are not among
them, so that what is measured there is what a user's own scenario would meet.
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
CONTROLS = ("reno", "cubic", "bbr", "bbr3")


def scenarios() -> Iterator[airtcp.Scenario]:
    """Everything that is played."""
    yield from (airtcp.Scenario.load(file) for file in sorted(EXAMPLES.glob("*.toml")))
    for queue in QUEUES:
        yield airtcp.Scenario.from_dict(beside(queue))
    for control in CONTROLS:
        yield airtcp.Scenario.from_dict(linux(control))


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
        "stop": {"time": "60s"},
    }


def main() -> int:
    """Play them; the compiled part writes its profile as the process ends."""
    for scenario in scenarios():
        airtcp.run(scenario, replications=1)
    airtcp.trace(airtcp.Scenario.load(EXAMPLES / "fig5.toml"), point=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
