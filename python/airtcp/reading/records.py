"""Rows of links, or of cross-traffic: each link of a point is looked at as if it were a point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airtcp.metrics import live as _live_metrics
from airtcp.metrics.live import SECTION
from airtcp.metrics.records import KEYS, NAMES
from airtcp.metrics.table import LIVE
from airtcp.reading.rows import Rows, Source


def record_coordinates(kind: str, coordinates: tuple[str, ...]) -> tuple[str, ...]:
    """Columns that tell the rows of a table apart, run by run; `coordinates`: of the points.

    Points that differ only in keys for live runs share their simulated runs.
    """
    if kind == LIVE:
        own = (key for key in _live_metrics.KEYS if SECTION + key not in coordinates)
        return (*coordinates, *own)
    simulated = tuple(path for path in coordinates if not path.startswith(SECTION))
    return (*simulated, *KEYS.get(kind, ()), *NAMES.get(kind, ()))


def record_rows(
    kind: str,
    source: Source,
    coordinates: tuple[str, ...],
    scenario: Callable[[], Any],
    has_exact: bool,
) -> Rows:
    """The rows of "links" or "traffic"; `coordinates` are those of the points."""
    return Rows(source, kind, record_coordinates(kind, coordinates), scenario, has_exact)
