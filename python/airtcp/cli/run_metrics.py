"""The metrics of a run as columns of its table, each engine's beside the other's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from airtcp.metrics.labels import column_head, readable
from airtcp.support.format import measured, measured_in_short
from airtcp.support.half_width import half_width_of


def metric_columns(
    rows: Sequence[Mapping[str, Any]],
    metrics: Sequence[str],
    engines: Sequence[str],
    *,
    short: bool = False,
) -> dict[str, list[str]]:
    """A column per metric and engine that has a value of it, in units that are easy to read.

    `short`: with fewer digits, and units below the heads.
    """
    columns: dict[str, list[str]] = {}
    others = [name for name in engines if name != "simulation"]
    alone = not any(_has(rows, f"{name}_{metric}") for name in others for metric in metrics)
    for metric in metrics:
        known = [engine for engine in engines if _has(rows, f"{engine}_{metric}")]
        values = [row[f"{engine}_{metric}"] for row in rows for engine in known]
        largest = max((value for value in values if not math.isnan(value)), default=0.0)
        unit, scale = readable(metric, largest)
        name = column_head(metric, unit, "\n" if short else " ")
        for engine in known:
            head = name if alone else f"{engine} {name}"
            columns[head] = [_cell(row, f"{engine}_{metric}", scale, short) for row in rows]
    return columns


def _has(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(name in row and not math.isnan(row[name]) for row in rows)


def _cell(row: Mapping[str, Any], name: str, scale: float, short: bool) -> str:
    half = half_width_of(row, name)
    exact = name.startswith("simulation") and bool(row.get("exact", False))
    said = measured_in_short if short else measured
    few = not math.isnan(row.get(f"{name}_carriers", math.nan))
    return said(row[name] / scale, half / scale, exact=exact, few=few)
