"""The metrics of a run as columns of its table, each engine's beside the other's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airtcp.metrics.labels import readable
from airtcp.support.format import measured

if TYPE_CHECKING:
    from airtcp.engines.run import RunResult

USUAL = ("goodput_bps", "delay_first_arrival", "resent_share", "timeouts", "transfer_time")  # paths
ENGINES = ("analysis", "simulation", "live")
_HEADS = {
    "goodput_bps": "goodput",
    "throughput_pps": "packets/s",
    "throughput_bps": "throughput",
    "delay_first_arrival": "delay",
    "resent_share": "resent",
    "transfer_time": "transfer time",
}
_SAID = {
    "goodput_bps": "goodput: payload handed to the application in order.",
    "throughput_pps": "packets/s: packets acknowledged at the sender.",
    "delay_first_arrival": "delay: mean, from a packet's first sending to its first arrival.",
    "resent_share": "resent: the share of the packets sent that were repetitions.",
    "efficiency": "efficiency: the share of the packets sent that were no repetitions.",
}


def main_metric(result: RunResult) -> str:
    """The metric that verdicts in the table are about."""
    usual = "throughput" if result.scenario.family == "slot" else USUAL[0]
    return next(iter(result.metrics), usual)


def metric_columns(
    rows: Sequence[Mapping[str, Any]], metrics: Sequence[str]
) -> dict[str, list[str]]:
    """A column per metric and engine that has a value of it, in units that are easy to read."""
    columns: dict[str, list[str]] = {}
    for metric in metrics:
        known = [engine for engine in ENGINES if _has(rows, f"{engine}_{metric}")]
        values = [row[f"{engine}_{metric}"] for row in rows for engine in known]
        largest = max((value for value in values if not math.isnan(value)), default=0.0)
        unit, scale = readable(metric, largest)
        name = _HEADS.get(metric, metric)
        unit = "" if unit == name else unit
        for engine in known:
            said = name if known == ["simulation"] else f"{engine} {name}"
            head = f"{said} ({unit})" if unit else said
            columns[head] = [_cell(row, f"{engine}_{metric}", scale) for row in rows]
    return columns


def explained(metrics: Sequence[str]) -> str:
    """What the names of the columns mean, where they do not say it."""
    return " ".join(_SAID[metric] for metric in metrics if metric in _SAID)


def _has(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(name in row and not math.isnan(row[name]) for row in rows)


def _cell(row: Mapping[str, Any], name: str, scale: float) -> str:
    low, high = (row.get(f"{name}{end}", float("nan")) for end in ("_low", "_high"))
    exact = name.startswith("simulation") and bool(row.get("exact", False))
    return measured(row[name] / scale, (high - low) / 2.0 / scale, exact=exact)
