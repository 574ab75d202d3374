"""Models of a path beside its simulation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas

from airtcp.metrics.layout import flows_of
from airtcp.models.zoo import ZOO
from airtcp.stats.verdict import Estimate, judge

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    table = table.assign(**_judged(result, table["throughput_pps"].tolist(), first))
    return table[table["note"] == ""].drop(columns="note").reset_index(drop=True)


def _judged(
    result: RunResult, values: Sequence[float], rows: Sequence[int]
) -> dict[str, list[str] | list[float]]:
    """What the simulation says of each model's throughput, with the interval of the error."""
    simulated = next((one for one in result._rows if one.engine == "simulation"), None)
    known = None if simulated is None else simulated.estimates["throughput_pps"]
    found = [
        None
        if known is None or not (math.isfinite(value) and known[row].value > 0.0)
        else judge(known[row], Estimate(value))
        for value, row in zip(values, rows, strict=True)
    ]
    ends = {
        f"error_{end}": [math.nan if one is None else 100.0 * getattr(one, end) for one in found]
        for end in ("low", "high")
    }
    return {"verdict": ["" if one is None else one.verdict for one in found], **ends}
