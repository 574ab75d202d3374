"""Rows of links, or of cross-traffic: each link of a point is looked at as if it were a point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airtcp.metrics import live as _live_metrics
from airtcp.metrics.records import KEYS, NAMES
from airtcp.reading.rows import Rows, Source


def record_coordinates(kind: str, coordinates: tuple[str, ...]) -> tuple[str, ...]:
    """What tells the rows of a table of links or traffic from each other, run by run."""
    if kind == "live":
        return (*coordinates, *_live_metrics.KEYS)
    return (*coordinates, *KEYS[kind], *NAMES[kind])


def record_rows(
    kind: str,
    source: Source,
    coordinates: tuple[str, ...],
    scenario: Callable[[], Any],
    has_exact: bool,
) -> Rows:
    """The rows of "links" or "traffic"; `coordinates` are those of the points."""
    return Rows(source, kind, record_coordinates(kind, coordinates), scenario, has_exact)
