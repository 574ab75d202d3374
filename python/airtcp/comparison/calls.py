"""Calls among the cross-traffic of a run, and the worst of each point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airtcp.metrics.voice import is_call

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult

OPINION_METRIC, DELAY_METRIC = "voice_mos", "delay_median"


def mark_calls(result: RunResult) -> list[bool]:
    """For each row of cross-traffic, true if it is a call; every point must have its rows."""
    return [
        is_call(source)
        for point in result.scenario.points()
        for source in point.data.get("traffic", [])
        for _ in range(int(source["count"]))
    ]


def worst_calls(result: RunResult) -> list[Mapping[str, Any] | None]:
    """The row of the call with the lowest mean opinion score at each point, None where none is.

    Empty if no cross-traffic was counted, or none of it is a call.
    """
    table, calls = result.records.get("traffic"), mark_calls(result)
    if table is None or len(calls) != len(table) or not any(calls):
        return []
    rows = iter(zip(table.to_dict("records"), calls, strict=True))
    worst: list[Mapping[str, Any] | None] = []
    for point in result.scenario.points():
        number = sum(int(source["count"]) for source in point.data.get("traffic", []))
        own = [row for row, is_one in (next(rows) for _ in range(number)) if is_one]
        worst.append(min(own, key=lambda row: row[OPINION_METRIC], default=None))
    return worst
