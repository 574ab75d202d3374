"""Flows and sources of cross-traffic by number, and what a number does not tell.

Where `count` varies, or cases have flows of their own, flow 1 is another one at another point: of
another table of the scenario, with another TCP. Means over such points would mix them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airtcp.metrics.layout import flow_tcps, tables_of_flows, tables_of_sources

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point, Scenario

OWN = ("tcp", "variant", "window")  # keys of a flow by which its TCP differs from that of others
TABLES = {"flow": "flow", "source": "traffic"}  # a key, and the tables that it numbers


@dataclass(frozen=True)
class Numbered:
    """The flows, or the sources of cross-traffic, of a point.

    - `tables`: of each the place of its table;
    - `tcps`: of each flow what its TCP differs in from others; empty where none differs.
    """

    tables: tuple[int, ...]
    tcps: tuple[str, ...] = ()

    @classmethod
    def of(cls, point: Point, kind: str) -> Numbered:
        """`kind`: "traffic" for sources, all others for flows."""
        if kind == "traffic":
            return cls(tables_of_sources(point.data))
        names = flow_tcps(point)
        return cls(tables_of_flows(point.data), tuple(names) if any(names) else ())

    def tcp(self, flow: int) -> str:
        """The TCP of a flow, in the words that tell it from others."""
        return self.tcps[flow] if self.tcps else ""


def numbered(scenario: Scenario, hashes: Sequence[str], kind: str) -> list[Numbered] | None:
    """Of each point, by its name, its flows or sources; None where numbers tell all there is."""
    if not _is_told(scenario.to_dict(), "traffic" if kind == "traffic" else "flow"):
        return None
    places = {name: place for place, name in enumerate(dict.fromkeys(hashes))}
    found: dict[str, Numbered] = {}
    for point in scenario.points():
        if point.hash in places:
            found[point.hash] = Numbered.of(point, kind)
    return [found[name] for name in hashes]


def _is_told(document: Mapping[str, Any], key: str) -> bool:
    """Say that some tables differ in their TCP, or in how many of them there are at a point."""
    cases = document.get("case") or ()
    tables = [table for part in (document, *cases) for table in _tables(part, key)]
    own = any(name in table for table in tables for name in OWN)
    counts = any(isinstance(table.get("count"), (list, Mapping)) for table in tables)
    return own or counts or any(_tables(case, key) for case in cases)


def _tables(part: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The tables of flows or of cross-traffic in a scenario or in a case of it."""
    given = part.get(key) or []
    tables = given if isinstance(given, list) else [given]
    return [table for table in tables if isinstance(table, Mapping)]


def points_that_differ(
    number: int, places: Sequence[tuple[int, Numbered]]
) -> tuple[int, int] | None:
    """Two points at which the flow (or source) of a number is not the same; None: there are none.

    `places`: of each point its place, and its flows or sources. A flow is the same if it is of one
    table, and no other flow has the TCP elsewhere that this one has here.
    """
    first, reference = places[0]
    for point, one in places[1:]:
        if reference.tables[number] != one.tables[number] or _crossed(reference, one, number):
            return first, point
    return None


def _crossed(one: Numbered, other: Numbered, number: int) -> bool:
    """Say that two flows have changed places between two points."""
    if not one.tcps or not other.tcps or one.tcps[number] == other.tcps[number]:
        return False
    return one.tcps[number] in other.tcps and other.tcps[number] in one.tcps
