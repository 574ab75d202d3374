"""The scenarios to count: documents, and two lengths whose difference is one stretch of a run."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PEERS = Path(__file__).resolve().parent.parent / "peers"


@dataclass(frozen=True)
class Scenario:
    """A document, and the lengths of its two runs in seconds or slots."""

    document: dict[str, Any]
    lengths: tuple[int, int]
    traced: bool = False

    def of_length(self, length: int) -> dict[str, Any]:
        """The document of a run so long."""
        slots = self.document["profile"] == "zorzi"
        return self.document | {"stop": {"slots": length} if slots else {"time": f"{length}s"}}


def of_peers(name: str) -> dict[str, Any]:
    """A scenario that is compared with ns-2 and ns-3."""
    return tomllib.loads((PEERS / f"{name}.toml").read_text("utf-8"))


def linux(control: str) -> dict[str, Any]:
    """One flow of Linux where one packet in a hundred is lost."""
    channel = {"kind": "iid", "loss_rate": 0.01}
    hop = {"rate": "50Mbps", "delay": "20ms", "queue": 200, "channel": channel}
    return {"profile": "linux", "tcp": {"congestion": control}, "path": {"hop": [hop]}}


def cell(flows: int) -> dict[str, Any]:
    """Many flows over one queue that gives each its turn."""
    hop = {"rate": "1Gbps", "delay": "10ms", "queue": {"kind": "fq-codel"}}
    return {
        "profile": "rfc",
        "tcp": {"variant": "newreno"},
        "path": {"hop": [hop]},
        "flow": [{"count": flows}],
    }


def steady(link: dict[str, Any]) -> dict[str, Any]:
    """One flow that its window limits, over a link with or without rates that change."""
    hop = {"delay": "10ms", "queue": 100} | link
    tcp = {"variant": "newreno", "window": 64}
    return {"profile": "rfc", "tcp": tcp, "path": {"hop": [hop]}}


# Ten times a second another rate, of which the mean is that of `rate`.
RATES = {"kind": "steps", "values": "0 9990000\n100000000 10010000", "end": "repeat"}


def two_way() -> dict[str, Any]:
    """A flow each way, whose data meets the ACKs of the other."""
    return {
        "profile": "rfc",
        "tcp": {"variant": "newreno"},
        "path": {"hop": [{"rate": "10Mbps", "delay": "10ms", "queue": 50}]},
        "flow": [{}, {"sender": "1", "receiver": "0"}],
    }


def slots() -> dict[str, Any]:
    """A packet a slot, one in a hundred lost."""
    return {
        "profile": "zorzi",
        "tcp": {"variant": "newreno", "window": 24},
        "channel": {"kind": "iid", "loss_rate": 0.01},
    }


SCENARIOS = {
    "lossy": Scenario(of_peers("lossy"), (50, 250)),
    "clean": Scenario(of_peers("clean"), (50, 250)),
    "linux-cubic": Scenario(linux("cubic"), (10, 70)),
    "linux-bbr": Scenario(linux("bbr"), (2, 6)),
    "fq-codel-1000": Scenario(cell(1000), (1, 2)),
    "two-way": Scenario(two_way(), (5, 20)),
    "traced": Scenario(of_peers("lossy"), (50, 250), traced=True),
    "rate": Scenario(steady({"rate": "10Mbps"}), (10, 50)),
    "rates": Scenario(steady({"rates": RATES}), (10, 50)),
    "slots": Scenario(slots(), (10_000, 40_000)),
}

# Instructions that a packet may cost more in the first than in the second.
BESIDE = {"rates": ("rate", 10.0)}
