"""Random scenarios on a path or on slots, for tests of what may not change an answer.

Channels, queues and gates come from the examples of the guide, which has one of every kind; so a
new kind is in these tests once it is in the registry.
"""

from __future__ import annotations

import copy
import random
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import airtcp as at
from airtcp import _native
from airtcp.errors import InputError

GUIDE = Path(__file__).parent.parent / "docs/reference"
PROFILES = ("zorzi", "ns2", "rfc", "bsd", "linux")
WORKLOADS = ("bulk", "ends", "arrivals", "think", "video")
VARIANTS = {
    "zorzi": ("oldtahoe", "tahoe", "reno", "newreno", "sack"),
    "ns2": ("tahoe", "reno", "newreno", "sack"),
    "rfc": ("tahoe", "reno", "newreno", "sack"),
    "bsd": ("tahoe", "reno", "tahoe-probing", "adaptive-probing"),
}
Document = dict[str, Any]


@cache
def examples(page: str) -> dict[str, Document]:
    """Of each kind of a page of the guide its first example, as the tables of a document."""
    found: dict[str, Document] = {}
    for block in (GUIDE / f"{page}.md").read_text().split("```toml")[1:]:
        document = tomllib.loads(block.partition("```")[0])
        hop = document.get("path", {}).get("hop", [{}])[0]
        tables = {"channels": document.get("channel"), "queues": hop.get("queue")}
        table = tables.get(page, hop.get("gate"))
        if isinstance(table, dict):
            found.setdefault(table["kind"], table)
    return found


def kinds() -> dict[str, list[str]]:
    """The entries of the registry for each kind that the guide shows."""
    names = _native.registry()
    return {page: [entry[0] for entry in names[page]] for page in ("channels", "queues", "gates")}


def scenario(seed: int, **only: str) -> Document:
    """A valid scenario of few and short runs; `only`: a profile, workload, channel or queue."""
    for attempt in range(500):
        draw = random.Random(seed * 1009 + attempt)
        document = _drawn(draw, only)
        try:
            at.Scenario.from_dict(document)
        except InputError:
            continue
        return document
    raise AssertionError(f"no scenario with {only}")


def every_kind(seed: int) -> Iterator[Document]:
    """A scenario of each profile, workload, channel, queue and gate."""
    for profile in PROFILES:
        yield scenario(seed, profile=profile)
    for workload in WORKLOADS:
        yield scenario(seed, workload=workload)
    for page, key in (("channels", "channel"), ("queues", "queue"), ("gates", "gate")):
        for kind in kinds()[page]:
            if kind in examples(page):
                yield scenario(seed, **{key: kind})


def _drawn(draw: random.Random, only: dict[str, str]) -> Document:
    on_path = {"workload", "queue", "gate"} & only.keys()
    profile = only.get("profile") or draw.choice(PROFILES[1:] if on_path else PROFILES)
    stop = {"replications": 3}
    if profile == "zorzi":
        return {
            "profile": profile,
            "tcp": {"variant": draw.choice(VARIANTS[profile]), "window": draw.choice([4, 16])},
            "channel": _one("channels", only.get("channel"), draw),
            "stop": stop | {"slots": 2000},
        }
    document = {
        "profile": profile,
        "tcp": _tcp(profile, draw),
        "path": {"hop": _hops(draw, only)},
        "flow": _flows(draw, only.get("workload") or draw.choice(WORKLOADS)),
        "stop": stop | {"time": "4s"},
    }
    if draw.random() < 0.4:
        source = {"rate": "100kbps", "packet": "200B", "start": "30ms"}
        document["traffic"] = [source] * draw.choice([1, 2])
    return document


def _one(page: str, kind: str | None, draw: random.Random) -> Document:
    known = examples(page)
    return copy.deepcopy(known[kind or draw.choice(sorted(known))])


def _tcp(profile: str, draw: random.Random) -> Document:
    if profile == "linux":
        return {"congestion": draw.choice(["reno", "cubic", "bbr", "bbr3"])}
    tcp = {"variant": draw.choice(VARIANTS[profile]), "window": draw.choice([8, 40])}
    if profile == "rfc" and draw.random() < 0.5:
        growths = [entry[0] for entry in _native.congestion_controls()["rfc"]]
        tcp["congestion"] = draw.choice(growths)
    return tcp


def _hops(draw: random.Random, only: dict[str, str]) -> list[Document]:
    hops = [
        {"rate": rate, "delay": f"{draw.randint(2, 20)}ms", "queue": draw.choice([10, 30, "20kB"])}
        for rate in draw.choice([["1Mbps"], ["2Mbps", "1.5Mbps"]])
    ]
    if "queue" in only or draw.random() < 0.4:
        hops[0]["queue"] = _one("queues", only.get("queue"), draw)
    if "channel" in only or draw.random() < 0.5:
        hops[-1]["channel"] = _one("channels", only.get("channel"), draw)
    if "gate" in only or draw.random() < 0.2:
        hops[-1]["gate"] = _one("gates", only.get("gate"), draw)
    if draw.random() < 0.2:
        hops[0]["jitter"] = {"kind": "exponential", "mean": "1ms"}
    if draw.random() < 0.2:
        hops[-1]["back"] = {"channel": {"kind": "iid", "loss_rate": 0.02}}
    return hops


def _flows(draw: random.Random, workload: str) -> list[Document]:
    sizes = draw.choice(
        [{"kind": "fixed", "value": "20kB"}, {"kind": "exponential", "mean": "30kB"}]
    )
    gap = {"kind": "exponential", "mean": "300ms"}
    first = {
        "bulk": {},
        "ends": {"packets": draw.randint(20, 100)},
        "arrivals": {"arrivals": gap, "sizes": sizes},
        "think": {"think": gap, "sizes": sizes},
        "video": {"video": {"bitrates": ["200kbps", "500kbps"], "chunk": "1s"}},
    }[workload]
    others = [{"start": f"{7 + 11 * n}ms"} for n in range(draw.choice([0, 1, 2]))]
    return [first, *others]
