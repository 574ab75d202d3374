"""Rows of links, or of cross-traffic: each link of a point is looked at as if it were a point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from airtcp.campaign.kept_runs import RunStorage
from airtcp.metrics.records import RECORD_KEYS, RECORD_NODES
from airtcp.reading.rows import ResultRows, TableSource
from airtcp.scenario.scenario import changes_runs


def record_coordinates(kind: str, coordinates: tuple[str, ...]) -> tuple[str, ...]:
    """Columns that identify a row of each run; `coordinates`: the coordinates of points.

    Points that differ only in keys for other engines share their simulated runs.
    """
    simulated = tuple(path for path in coordinates if changes_runs(path))
    return (*simulated, *RECORD_KEYS.get(kind, ()), *RECORD_NODES.get(kind, ()))


def measured_coordinates(
    storage: RunStorage, hears: str, coordinates: tuple[str, ...]
) -> tuple[str, ...]:
    """Columns that identify the runs of an engine; `hears`: prefix of the keys for it alone.

    Its own keys that are axes of the scenario are there already.
    """
    heard = tuple(
        path for path in coordinates if changes_runs(path) or (hears and path.startswith(hears))
    )
    return (
        *heard,
        *(key for key in storage.key_columns if not hears or hears + key not in coordinates),
    )


def record_rows(
    kind: str,
    source: TableSource,
    coordinates: tuple[str, ...],
    scenario: Callable[[], Any],
    has_exact: bool,
) -> ResultRows:
    """The rows of "links" or "traffic"; `coordinates`: the coordinates of points."""
    return ResultRows(source, kind, record_coordinates(kind, coordinates), scenario, has_exact)
