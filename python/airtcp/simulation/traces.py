"""Tracing: one run of the packet-level simulator, event by event."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from airtcp import _native
from airtcp.errors import InputError, count, refusal, set_words
from airtcp.events.link_records import LinkRecords
from airtcp.events.links import Links
from airtcp.metrics.layout import tcp_of
from airtcp.scenario.scenario import Point, Points, scenario_of
from airtcp.simulation.events import Events
from airtcp.support.format import format_coordinate
from airtcp.support.memory import available_memory
from airtcp.support.seeds import check_replication, check_seed

if TYPE_CHECKING:
    from airtcp.scenario.scenario import Given, Scenario


def trace(
    scenario: Given,
    *,
    seed: int = 1,
    replication: int = 0,
    point: int | Point | None = None,
    links: bool = False,
) -> Events:
    """Run one point of a scenario once and keep every event.

    Events may take half of the memory of the machine, or of its control group.

    Parameters
    ----------
    scenario : Scenario, dict, str or Path
        A scenario of a packet-level profile.
    seed : int, default 1
        Seed of all random streams, 0 to 2^64 - 1.
    replication : int, default 0
        Number of the run, as `simulate` counts it.
    point : int or Point, optional
        The case of a sweep: an index into ``scenario.points()``, or one of them. It may be left out
        where there is one.
    links : bool, default False
        Keep events on links as well: queues, sojourns, busy times, drops.

    Returns
    -------
    Events
        The events, a row each.

    Raises
    ------
    InputError
        For an argument or a scenario that is refused, and for a run with too many events.

    Examples
    --------
    >>> import airtcp as at
    >>> link = {"hop": [{"rate": "12Mbps", "delay": "10ms", "queue": 30}]}
    >>> scenario = {"profile": "rfc", "tcp": {"variant": "sack"}, "path": link}
    >>> events = at.trace(scenario | {"flow": [{"packets": 5}], "stop": {"time": "1s"}})
    >>> events.to_pandas()["event"].to_list().count("send")
    5
    """
    scenario = scenario_of(scenario)
    chosen = _chosen_point(scenario, point)
    seed = check_seed(seed)
    replication = check_replication(replication)
    return trace_point(chosen, seed, replication, links=links)


def trace_point(point: Point, seed: int, replication: int, *, links: bool = False) -> Events:
    """Run one point once; `seed` and `replication` are in range."""
    _refuse_arrivals(point)
    try:
        facts: dict[str, Any] = dict(_native.trace_facts(point.compiled))
        records = _native.trace(point.compiled, seed, replication, available_memory() // 2, links)
        ways = _native.trace_ways(point.compiled)
    except _native.ScenarioError as error:
        raise InputError(": ".join(error.args)) from None
    facts |= {
        "airtcp": _native.__version__,
        "model": _native.MODEL_VERSION,
        "seed": seed,
        "replication": replication,
        "dupacks": tcp_of(point.data).get("dupacks", 3),  # Linux: tcp_reordering
        "scenario": json.dumps(point.data, ensure_ascii=False),
        "coordinates": dict(point.coordinates),
    }
    end = records["end"] / 1e9 if links else None
    return Events.from_records(records, facts, Links(LinkRecords(records), **ways, end=end))


def _refuse_arrivals(point: Point) -> None:
    """Refuse a flow of many connections: a trace shows a few."""
    for place, flow in enumerate(point.data.get("flow", [])):
        if "arrivals" in flow:
            raise InputError(
                f"flow[{place}].arrivals: every transfer opens a new connection, but a trace"
                " needs flows with a single one; give start and size, or think"
            )


def _chosen_point(scenario: Scenario, point: int | Point | None) -> Point:
    points = scenario.points()
    if isinstance(point, Point):
        return point
    if point is not None:
        most = len(points) - 1
        if isinstance(point, bool) or not isinstance(point, int) or not 0 <= point <= most:
            raise refusal("point", point, f"one of scenario.points(), or its index, 0 to {most}")
        return points[point]
    if len(points) > 1:
        raise several_points(scenario)
    return points[0]


def several_points(scenario: Scenario, in_python: str = "") -> InputError:
    """The refusal of a sweep where one run is wanted; `in_python`: how one is chosen there."""
    points = scenario.points()
    choice = " ".join(set_words(name, value) for name, value in _distinguishing_coordinates(points))
    return InputError(
        f"scenario: has {count(len(points), 'point')}, but one is needed; choose it by"
        f" {choice} on the command line,"
        f" by {in_python or f'point=0 to {len(points) - 1}'} in Python"
    )


def _distinguishing_coordinates(points: Points) -> list[tuple[str, str]]:
    """The coordinates that vary, with their values at the first point."""
    first, telling = points[0].coordinates, points.representative_points()
    varying = [key for key in first if any(p.coordinates[key] != first[key] for p in telling)]
    chosen = [key for key in varying if first[key] is not None] or list(first)[:1]
    return [_setting(key, format_coordinate(first[key])) for key in chosen]


def _setting(key: str, value: str) -> tuple[str, str]:
    """The option that sets a coordinate, and its value; `kind` sets the whole table.

    The scenario has a list in the table's place.
    """
    table, _, name = key.rpartition(".")
    return (table, f'{{kind="{value}"}}') if name == "kind" else (key, value)
