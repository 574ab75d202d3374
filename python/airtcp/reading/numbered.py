"""Flows and sources of cross-traffic by number, and their differences between points.

Where `count` varies, or cases have flows of their own, flow 1 is another one at another point: of
another table of the scenario, with another TCP. Means over such points would mix them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from airtcp.metrics.layout import flow_tcps, tables_of_flows, tables_of_sources

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Point, Scenario

TCP_KEYS = (
    "tcp",
    "variant",
    "window",
)  # keys of a flow by which its TCP differs from that of others
TABLE_NAMES = {"flow": "flow", "source": "traffic"}  # a key, and the tables that it numbers


@dataclass(frozen=True)
class NumberedFlows:
    """The flows, or the sources of cross-traffic, of a point.

    - `tables`: for each, the index of its table;
    - `tcps`: for each flow, the words that distinguish its TCP; empty if all are equal;
    - `loads`: for each, the other keys of its table, such as the amount of data; empty if cases
      leave the tables alone.
    """

    tables: tuple[int, ...]
    tcps: tuple[str, ...] = ()
    loads: tuple[str, ...] = ()

    @classmethod
    def from_point(cls, point: Point, kind: str, *, by_case: bool) -> NumberedFlows:
        """`kind`: "traffic" for sources, all others for flows; `by_case`: cases have own tables."""
        if kind == "traffic":
            places, names = tables_of_sources(point.data), []
        else:
            places, names = tables_of_flows(point.data), flow_tcps(point)
        loads = (
            _texts_without_tcp(point.data.get(_table_name(kind)) or [{}], places) if by_case else ()
        )
        return cls(places, tuple(names) if any(names) else (), loads)

    def tcp(self, flow: int) -> str:
        """The TCP of a flow, in the words that distinguish it."""
        return self.tcps[flow] if self.tcps else ""


def number_flows(
    scenario: Scenario, hashes: Sequence[str], kind: str
) -> list[NumberedFlows] | None:
    """Flows or sources of each point, given by its hash; None if their numbers identify them."""
    document, key = scenario.to_dict(), _table_name(kind)
    if not _needs_numbers(document, key):
        return None
    by_case = any(_tables(case, key) for case in document.get("case") or ())
    places = {name: place for place, name in enumerate(dict.fromkeys(hashes))}
    flows_of_point: dict[str, NumberedFlows] = {}
    for point in scenario.points():
        if point.hash in places:
            flows_of_point[point.hash] = NumberedFlows.from_point(point, kind, by_case=by_case)
    return [flows_of_point[name] for name in hashes]


def _table_name(kind: str) -> str:
    return "traffic" if kind == "traffic" else "flow"


def _texts_without_tcp(
    tables: Sequence[Mapping[str, Any]], places: Sequence[int]
) -> tuple[str, ...]:
    """Text of the keys of each flow or source without its TCP and `count`, to compare them by."""
    texts = [
        json.dumps({key: table[key] for key in sorted(table.keys() - {*TCP_KEYS, "count"})})
        for table in tables
    ]
    return tuple(texts[place] for place in places)


def _needs_numbers(document: Mapping[str, Any], key: str) -> bool:
    """True if some tables differ in their TCP, or in how many of them there are at a point."""
    cases = document.get("case") or ()
    tables = [table for part in (document, *cases) for table in _tables(part, key)]
    has_own_keys = any(name in table for table in tables for name in TCP_KEYS)
    counts = any(isinstance(table.get("count"), (list, Mapping)) for table in tables)
    return has_own_keys or counts or any(_tables(case, key) for case in cases)


def _tables(part: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The tables of flows or of cross-traffic in a scenario or in a case of it."""
    given = part.get(key) or []
    tables = given if isinstance(given, list) else [given]
    return [table for table in tables if isinstance(table, Mapping)]


def points_that_differ(
    number: int, places: Sequence[tuple[int, NumberedFlows]]
) -> tuple[int, int] | None:
    """Two points at which a number stands for different flows (or sources); None without such.

    `places`: index, and flows or sources, of each point. A flow is the same at two points if it
    comes from one table, and no other flow has its TCP or its load at the other point.
    """
    different: dict[NumberedFlows, int] = {}
    for point, flows in places:
        different.setdefault(flows, point)
    for (first, first_point), (other, second_point) in combinations(different.items(), 2):
        if first.tables[number] != other.tables[number] or _have_changed_places(
            first, other, number
        ):
            return first_point, second_point
    return None


def _have_changed_places(first: NumberedFlows, other: NumberedFlows, number: int) -> bool:
    """True if two flows have changed places between two points."""
    aspects = ((first.tcps, other.tcps), (first.loads, other.loads))
    return any(
        _changed_places(first_names, second_names, number) for first_names, second_names in aspects
    )


def _changed_places(
    first_names: tuple[str, ...], second_names: tuple[str, ...], number: int
) -> bool:
    if not first_names or not second_names or first_names[number] == second_names[number]:
        return False
    return first_names[number] in second_names and second_names[number] in first_names
