"""The metrics of a run as columns of its table, each engine's beside the other's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airtcp.metrics.labels import column_head
from airtcp.support.format import mean_with_interval, short_mean_with_interval
from airtcp.support.half_width import half_width

if TYPE_CHECKING:
    from airtcp.comparison.answer import Answer
    from airtcp.engines.run import RunResult


def metric_columns(
    result: RunResult,
    rows: Sequence[Mapping[str, Any]],
    metrics: Sequence[str],
    *,
    short: bool = False,
) -> dict[str, list[str]]:
    """A column per metric and engine that has a value of it, in units that are easy to read.

    `short`: with fewer digits, and units below the heads.
    """
    columns: dict[str, list[str]] = {}
    others = [answer for answer in result.answers if not answer.traits.is_leading]
    alone = not any(result.has_metric(answer, metric) for answer in others for metric in metrics)
    for metric in metrics:
        known = [answer for answer in result.answers if result.has_metric(answer, metric)]
        unit, scale = result.unit(metric)
        name = column_head(metric, unit, "\n" if short else " ")
        for answer in known:
            head = name if alone else f"{answer.engine} {name}"
            columns[head] = [_metric_cell(row, answer, metric, scale, short) for row in rows]
    return columns


def _metric_cell(
    row: Mapping[str, Any], answer: Answer, metric: str, scale: float, short: bool
) -> str:
    name = answer.column_names(metric)[0]
    value, low, high = (row.get(each, math.nan) for each in answer.column_names(metric))
    half = half_width(value, low, high)
    exact = answer.traits.is_leading and bool(row.get("exact", False))
    write_estimate = short_mean_with_interval if short else mean_with_interval
    few = not math.isnan(row.get(f"{name}_carriers", math.nan))
    return write_estimate(value / scale, half / scale, exact=exact, few=few)
