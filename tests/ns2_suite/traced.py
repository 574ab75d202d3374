"""Events of a traced run in the format of ns: lines about packets at queues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

from airtcp import Events

from .described import Described
from .plots import Line

#: ns's letters for what a packet says about congestion.
LETTERS = {"CE": "E", "CWR": "A", "CE CWR": "EA", "ECE": "C"}


def lines(described: Described, events: Events) -> list[Line]:
    """Lines of a traced run: packets that enter each queue, leave it, or are dropped."""
    table = events.to_pandas()
    starts = events.to_pandas("sojourn")
    names = {int(name[1:]): number for number, name in enumerate(events.links.nodes)}
    found: list[Line] = []
    for hop, ends in enumerate(described.links):
        keys = described.document["path"]["hop"][hop]
        for direction, (here, there) in (("forward", ends), ("back", ends[::-1])):
            link = Link(described, table, names, here, there)
            mine = starts[(starts["hop"] == hop) & (starts["direction"] == direction)]
            one_way = keys if direction == "forward" else keys.get("back", {})
            found += link.lines(list(mine["time"]), one_way.get("marks", {}).get("lost", []))
    done = [line for line in found if line.time <= described.end]
    return sorted(done, key=lambda line: line.time)


class Link:
    """The link from one node to another, as the events of a run tell of it."""

    def __init__(
        self, described: Described, table: Any, names: dict[int, int], here: int, there: int
    ) -> None:
        self._ends, self._names, self._table = (here, there), names, table
        self._ways = list(_ways(described, here, there))

    def lines(self, starts: list[float], marks: list[int]) -> list[Line]:
        """All its lines, where transmissions start at `starts`.

        The packets of which `marks` has a 1 are marked before they come to the queue."""
        came, lost, refused = self._came(), self._drops("channel"), self._drops("queue")
        offered = sorted((line for line in came if line not in lost), key=_order)
        # Queues keep the order and nothing is lost behind them: the first that enter leave.
        queue = [line for line in offered if line not in refused]
        flags = [arrival.flags for arrival in self._arrivals()]
        left = [
            replace(line, event="-", time=t, flags=flags[k] if k < len(flags) else line.flags)
            for k, (line, t) in enumerate(zip(queue, starts, strict=False))
        ]
        marked = {line for line, mark in zip(offered, marks, strict=False) if mark}
        for k, queued in enumerate(queue):
            if queued in marked and k < len(left):
                queue[k] = replace(queued, flags=left[k].flags)
        drops = [replace(line, event="d") for line in lost | refused]
        return [*queue, *left, *refused, *drops]

    def _came(self) -> list[Line]:
        here = self._ends[0]
        found = []
        for index, is_ack, way, fid in self._ways:
            if way[0] == here:
                kinds = ("ack-sent",) if is_ack else ("send", "resend")
                found += self._as_lines(self._rows(index, kinds), is_ack, way, fid)
            else:
                found += self._arrived(index, is_ack, way, fid, here)
        return found

    def _arrivals(self) -> list[Line]:
        found = []
        for index, is_ack, way, fid in self._ways:
            found += self._arrived(index, is_ack, way, fid, self._ends[1])
        return sorted(found, key=_order)

    def _arrived(self, index: int, is_ack: bool, way: list[int], fid: int, at: int) -> list[Line]:
        if is_ack and at == way[-1]:
            return self._as_lines(self._rows(index, ("ack",)), is_ack, way, fid)
        rows = self._rows(index, ("ack-arrive",) if is_ack else ("arrive",))
        return self._as_lines(rows[rows["node"] == self._names[at]], is_ack, way, fid)

    def _drops(self, cause: str) -> set[Line]:
        found: list[Line] = []
        for index, is_ack, way, fid in self._ways:
            rows = self._rows(index, ("ack-drop",) if is_ack else ("drop",))
            here = rows[(rows["node"] == self._names[self._ends[0]]) & (rows["cause"] == cause)]
            found += self._as_lines(here, is_ack, way, fid)
        return set(found)

    def _rows(self, flow: int, kinds: tuple[str, ...]) -> Any:
        return self._table[(self._table["flow"] == flow) & self._table["event"].isin(kinds)]

    def _as_lines(self, rows: Any, is_ack: bool, way: list[int], fid: int) -> list[Line]:
        (here, there), ends = self._ends, (way[0], way[-1])
        ecn = rows["ecn"].astype(object)
        columns = zip(rows["time"], rows["packet"], ecn, rows.index, strict=True)
        return [
            Line("+", t, here, there, is_ack, fid, int(p), *ends, LETTERS.get(ecn, ""), row)
            for t, p, ecn, row in columns
        ]


def _order(line: Line) -> tuple[float, int]:
    return line.time, line.row


def _ways(
    described: Described, here: int, there: int
) -> Iterator[tuple[int, bool, list[int], int]]:
    """Packets that cross the link: flow, whether they are ACKs, their way, ns's flow id."""
    routes = _routes(described)
    for index, (fid, sender, receiver) in enumerate(described.flows):
        for is_ack, ends in ((False, (sender, receiver)), (True, (receiver, sender))):
            if (here, there) in pairwise(routes[ends]):
                yield index, is_ack, routes[ends], fid


def _routes(described: Described) -> dict[tuple[int, int], list[int]]:
    """The nodes on the way from any node to any other (the suite's networks are trees)."""
    neighbours: dict[int, list[int]] = {}
    for a, b in described.links:
        neighbours.setdefault(a, []).append(b)
        neighbours.setdefault(b, []).append(a)
    routes = {}
    for start in neighbours:
        ways = [[start]]
        for way in ways:
            routes[start, way[-1]] = way
            ways += [[*way, n] for n in neighbours[way[-1]] if n not in way]
    return routes
