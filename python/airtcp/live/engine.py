"""The third engine: the kernel's TCP over the emulated path, for every point of a scenario."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airtcp._units import number_of
from airtcp.campaign.layout import flows_of
from airtcp.errors import InputError
from airtcp.live.transfer import TransferReport, point_scenario, transfer

if TYPE_CHECKING:
    import pandas

    from airtcp._progress import Report
    from airtcp.scenario import Point, Scenario

METRICS: dict[str, Callable[[TransferReport], float]] = {
    "throughput_pps": lambda run: run.throughput_pps,
    "goodput_bps": lambda run: run.goodput_bps,
    "efficiency": lambda run: run.efficiency,
    "timeouts": lambda run: run.timeouts,
}
VARIANTS = ("newreno", "sack")  # the kernel's loss recovery without and with SACK


def answer(
    scenario: Scenario,
    replications: int,
    seed: int,
    report: Report,
) -> pandas.DataFrame:
    """A row per point: `live_M` with `live_M_low`, `live_M_high` for every metric, `live_valid`.

    A point takes `replications` times its stop.time, in real time. `live_valid` is the share of the
    runs with which the machine kept up; `live_note` says why there is no answer. Raises
    `InputError`.
    """
    import pandas  # noqa: PLC0415

    points = scenario.points()
    if points[0].family != "path":
        raise InputError(
            f"engine = 'live': no kernel has the idealised TCP of profile {scenario.profile};"
            " `airtcp live` runs real ones over its link (docs/live.md)"
        )
    rows = []
    for index, point in enumerate(points):
        runs = []
        for replication in range(replications if not missing(point) else 0):
            report(f"live, point {index + 1}", index + replication / replications, len(points))
            runs.append(_run(point, seed, replication))
        rows.append(_row(runs, missing(point)))
    return pandas.DataFrame(rows)


def missing(point: Point) -> str:
    """Why the kernel cannot answer for a point; empty if it can."""
    variant = point.data["tcp"]["variant"]
    if variant not in VARIANTS:
        return f"the kernel has no {variant}"
    return "" if flows_of(point) == 1 else "the transfer over the kernel has one flow"


def _run(point: Point, seed: int, replication: int) -> TransferReport:
    flow = (point.data.get("flow") or [{}])[0]
    seconds = float(number_of(point.data["stop"]["time"]))
    return transfer(
        point_scenario(point.data),
        seconds=seconds,
        size=_size(point, flow),
        seed=seed,
        replication=replication,
    )


def _size(point: Point, flow: dict[str, Any]) -> int:
    """Bytes to send, 0 for a flow without end."""
    if flow.get("size") is not None:
        return int(number_of(flow["size"]))
    if flow.get("packets") is None:
        return 0
    tcp = point.data["tcp"]
    header = number_of(tcp.get("header") or "40B")
    return int(flow["packets"] * (number_of(tcp["packet"]) - header))


def _row(runs: list[TransferReport], note: str) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415

    from airtcp.stats import grouped_means  # noqa: PLC0415

    row: dict[str, Any] = {}
    for name, metric in METRICS.items():
        values = np.array([metric(run) for run in runs] or [math.nan])
        found = grouped_means(values, np.zeros(len(values), dtype=int))
        for part, column in (("", "mean"), ("_low", "low"), ("_high", "high")):
            row[f"live_{name}{part}"] = found[column][0]
    row["live_valid"] = sum(run.report.valid for run in runs) / len(runs) if runs else math.nan
    return row | {"live_note": note}
