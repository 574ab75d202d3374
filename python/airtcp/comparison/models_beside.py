"""Models of a path beside its simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas

from airtcp.metrics.layout import flows_of
from airtcp.models.zoo import ZOO

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult


def models_beside(result: RunResult) -> pandas.DataFrame:
    """`RunResult.models`."""
    if result.analysis is None or result.scenario.family != "path":
        return pandas.DataFrame()
    table = result.analysis.copy()
    points = result.scenario.points()
    first, row = [], 0
    for point in points:
        first += [row] * len(ZOO)
        row += flows_of(point)
    head = ["simulation_throughput_pps", "simulation_throughput_pps_low"]
    for name in (*head, "simulation_throughput_pps_high"):
        known = name in result.table
        table[name] = result.table[name].to_numpy()[first] if known else math.nan
    ratio = table["throughput_pps"] / table[head[0]].where(table[head[0]] > 0.0)
    table["error_percent"] = 100.0 * (ratio - 1.0)
    return table[table["note"] == ""].drop(columns="note").reset_index(drop=True)
