"""What `airtcp timeseries` prints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airtcp.cli.contest_text import NO_CHANCE
from airtcp.cli.text import csv, grid, page, records, to_json
from airtcp.metrics.labels import scaled_label
from airtcp.support.format import measured_in_short

if TYPE_CHECKING:
    import pandas

    from airtcp.simulation.timeseries import TimeSeries

MOST_FLOWS = 6  # with a column each
_KEYS = ["time", "flow", "hop", "direction", "near", "far"]


def timeseries_text(found: TimeSeries, form: str) -> str:
    """A line per bin; or all values, in CSV a line for each."""
    if form == "csv":
        return csv(tidy(found))
    if form == "json":
        tables = {"rates": found.rates, "fairness": found.fairness, "links": found.links}
        facts = {"width": found.width, "end": found.end, "replications": found.replications}
        each = {name: records(table) for name, table in tables.items()}
        return to_json({**facts, "flows": found.flows, **each})
    columns = dict(_columns(found))
    rows = zip(*columns.values(), strict=True)
    return page([grid(list(columns), rows, len(columns)), "", *_remark(found), _footer(found)])


def tidy(found: TimeSeries) -> pandas.DataFrame:
    """A row per bin, flow or link, and metric: its mean, its interval, how many runs have one."""
    import pandas  # noqa: PLC0415  (slow to import)

    parts = []
    for table in (found.rates, found.fairness, found.links):
        keys = [name for name in _KEYS if name in table]
        for metric in [name.removesuffix("_low") for name in table if str(name).endswith("_low")]:
            ends = {f"{metric}_low": "low", f"{metric}_high": "high", metric: "mean"}
            part = table[[*keys, *ends, "n"]].rename(columns=ends)
            parts.append(part.assign(metric=metric))
    every = pandas.concat(parts, ignore_index=True).astype({"flow": "Int64", "hop": "Int64"})
    return every[[*_KEYS, "metric", "mean", "low", "high", "n"]]


def _columns(found: TimeSeries) -> Iterator[tuple[str, list[str]]]:
    yield "time (s)", [f"{time:g}" for time in found.fairness["time"]]
    rates = found.rates
    label, scale = scaled_label("goodput_bps", float(rates["goodput_bps"].max()))
    unit = label.partition("(")[2].rstrip(")")
    if len(found.flows) <= MOST_FLOWS:
        for flow, rows in rates.groupby("flow"):
            yield f"{found.flows[int(flow)]}\n{unit}", _cells(rows, "goodput_bps", scale)
    if len(found.flows) > 1:
        total = rates.groupby("time")["goodput_bps"].sum()
        yield f"all flows\n{unit}", [f"{value / scale:.3g}" for value in total]
        yield "fairness", _cells(found.fairness, "fairness", 1.0)
    link = found.of_link(*found.busiest)
    yield "busy\n%", _cells(link, "utilisation", 0.01)
    yield "queue\npackets", _cells(link, "mean_queue", 1.0)
    yield "sojourn\nms", _cells(link, "mean_sojourn", 1e-3)


def _cells(rows: pandas.DataFrame, metric: str, scale: float) -> list[str]:
    return [_cell(row, metric, scale) for row in records(rows)]


def _cell(row: dict[str, Any], metric: str, scale: float) -> str:
    half = (row[f"{metric}_high"] - row[f"{metric}_low"]) / 2.0
    return measured_in_short(row[metric] / scale, half / scale)


def _remark(found: TimeSeries) -> list[str]:
    """Why there are no intervals, where there are none."""
    if found.chance:
        return [NO_CHANCE]
    few = "One run: no intervals; --replications 2 or more give some."
    return [few] if found.replications == 1 else []


def _footer(found: TimeSeries) -> str:
    n, link = found.replications, found.link_name(*found.busiest)
    sure = f", over {n} replications. ± is half the 95 % confidence interval (Student t)"
    return (
        f"Means over bins of {found.width:g} s, which begin at the time shown"
        f"{sure if n > 1 else ''}. Flows: goodput. fairness: Jain's index over those that take"
        f" part. busy, queue, sojourn: of the busiest link, {link}, part of the time, packets that"
        " wait, time in the queue."
    )
