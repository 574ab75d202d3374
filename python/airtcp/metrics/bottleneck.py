"""The bottleneck of a path: the busiest one, or one that makes packets wait longer.

A token bucket and a gate hold packets back while the transmitter is idle: such a link is never
busy, and yet packets wait there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pandas

LinkPlace = tuple[int, str]  # hop and direction


def links_that_hold(data: Mapping[str, Any]) -> frozenset[LinkPlace]:
    """The links of a point on a path that hold packets back while they are idle."""
    links_found: set[LinkPlace] = set()
    for number, hop in enumerate(data["path"]["hop"]):
        back = hop.get("back", {})
        queues = {"forward": hop.get("queue"), "back": back.get("queue", hop.get("queue"))}
        links_found |= {
            (number, way)
            for way, queue in queues.items()
            if "gate" in hop or _shapes_traffic(queue)
        }
    return frozenset(links_found)


def _shapes_traffic(queue: object) -> bool:
    return (
        isinstance(queue, Mapping)
        and queue.get("kind") == "token-bucket"
        and queue.get("excess", "wait") == "wait"
    )


def bottleneck(
    busy: pandas.Series, waiting: pandas.Series, holds: Collection[LinkPlace]
) -> LinkPlace:
    """The busiest link, unless more packets wait at a link that holds packets back.

    `busy` and `waiting` (shares of time, mean numbers of packets) by hop and direction.
    """
    first: LinkPlace = busy.idxmax()
    others = waiting[[place in holds for place in waiting.index]]
    longest = first if others.empty else others.idxmax()
    hop, direction = longest if waiting[longest] > waiting[first] else first
    return int(hop), str(direction)
