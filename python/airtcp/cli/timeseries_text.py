"""Text that `airtcp timeseries` prints."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from airtcp.cli.text import cell_texts, fits, make_table, records, render_page, to_csv, to_json
from airtcp.metrics.labels import readable_unit
from airtcp.support.format import few_mark_lines, short_mean_with_interval
from airtcp.support.half_width import half_width_of_row
from airtcp.terminal import Printable, visible_line

if TYPE_CHECKING:
    import pandas
    from rich.table import Table

    from airtcp.simulation.timeseries import TimeSeries

MOST_FLOWS = 6  # with a column each

Columns: TypeAlias = dict[str, list[str]]

_KEY_COLUMNS = ["time", "flow", "hop", "direction", "near", "far"]


def timeseries_text(series: TimeSeries, form: str) -> Printable:
    """A line per bin; or all values, in CSV a line for each."""
    if form == "csv":
        return to_csv(tidy_table(series))
    if form == "json":
        tables = {"rates": series.rates, "fairness": series.fairness, "links": series.links}
        facts = {"width": series.width, "end": series.end, "replications": series.replications}
        each = {name: records(table) for name, table in tables.items()}
        return to_json({**facts, "flows": series.flows, **each})
    choices = _column_choices(series)
    shown = next((columns for columns in choices if fits(_series_table(columns))), choices[-1])
    table = _series_table(shown)
    few = _few_runs_line(series, cell_texts(table))
    last = _footer(series, shown, is_complete=shown is choices[0])
    return render_page([table, "", *_no_intervals_line(series), *few, last])


def _column_choices(series: TimeSeries) -> list[Columns]:
    """Fewer and fewer columns, of which the first that fit are shown; at last without intervals."""
    wide, narrow = (dict(_column_texts(series, intervals=shown)) for shown in (True, False))
    return [shown for columns in (wide, narrow) for shown in _drop_columns(columns)]


def _series_table(shown: Columns) -> Table:
    return make_table(list(shown), zip(*shown.values(), strict=True), len(shown))


def _drop_columns(columns: Columns) -> Iterator[Columns]:
    """All columns; then fewer, without those that may be left out first."""
    yield columns
    left = ["queue", "all flows"]
    yield {
        head: cells for head, cells in columns.items() if head.partition("\n")[0] not in left[:1]
    }
    yield {head: cells for head, cells in columns.items() if head.partition("\n")[0] not in left}


def tidy_table(series: TimeSeries) -> pandas.DataFrame:
    """A row per bin, flow or link, and metric: its mean, its interval, how many runs have one."""
    import pandas  # noqa: PLC0415  (slow to import)

    parts = []
    for table in (series.rates, series.fairness, series.links):
        keys = [name for name in _KEY_COLUMNS if name in table]
        for metric in [name.removesuffix("_low") for name in table if str(name).endswith("_low")]:
            ends = {f"{metric}_low": "low", f"{metric}_high": "high", metric: "mean"}
            few = f"{metric}_carriers"
            ends |= {few: "carriers"} if few in table else {}
            part = table[[*keys, *ends, "n"]].rename(columns=ends)
            parts.append(part.assign(metric=metric))
    all_means = pandas.concat(parts, ignore_index=True).astype({"flow": "Int64", "hop": "Int64"})
    marks = ["carriers"] if "carriers" in all_means else []
    return all_means[[*_KEY_COLUMNS, "metric", "mean", "low", "high", *marks, "n"]]


def _column_texts(series: TimeSeries, *, intervals: bool) -> Iterator[tuple[str, list[str]]]:
    def cells(rows: pandas.DataFrame, metric: str, scale: float) -> list[str]:
        return [_value_cell(row, metric, scale, intervals) for row in records(rows)]

    yield "time (s)", [f"{time:g}" for time in series.fairness["time"]]
    rates = series.rates
    unit, scale = readable_unit("goodput_bps", float(rates["goodput_bps"].max()))
    if len(series.flows) <= MOST_FLOWS:
        for flow, rows in rates.groupby("flow"):
            name = visible_line(series.flows[int(flow)]).replace(", ", "\n")
            yield f"{name}\n{unit}", cells(rows, "goodput_bps", scale)
    if len(series.flows) > 1:
        total = rates.groupby("time")["goodput_bps"].sum()
        yield f"all flows\n{unit}", [f"{value / scale:.3g}" for value in total]
        yield "fairness", cells(series.fairness, "fairness", 1.0)
    link = series.of_link(*series.busiest)
    yield "busy\n%", cells(link, "utilisation", 0.01)
    yield "queue\npackets", cells(link, "mean_queue", 1.0)
    unit, scale = readable_unit("mean_sojourn", float(link["mean_sojourn"].max()))
    yield f"sojourn\n{unit}", cells(link, "mean_sojourn", scale)


def _value_cell(row: dict[str, Any], metric: str, scale: float, interval: bool) -> str:
    if not interval:
        return short_mean_with_interval(row[metric] / scale, math.nan)
    half = half_width_of_row(row, metric)
    few = not math.isnan(row.get(f"{metric}_carriers", math.nan))
    return short_mean_with_interval(row[metric] / scale, half / scale, few=few)


def _no_intervals_line(series: TimeSeries) -> list[str]:
    """Line on the reason why there are no intervals, where there are none."""
    if series.chance:
        return [series.chance]
    few = "One run, so no intervals; use --replications 2 or more."
    return [few] if series.replications == 1 else []


def _few_runs_line(series: TimeSeries, cells: list[str]) -> list[str]:
    """A line on means that few runs carry, where there are some."""
    tables = (series.rates, series.fairness, series.of_link(*series.busiest))
    rows = [row for table in tables for row in records(table)]
    means = {name.removesuffix("_low") for row in rows for name in row if name.endswith("_low")}
    return few_mark_lines(cells, rows, means, series.replications)


_BOTTLENECK_COLUMNS = {  # columns of the bottleneck
    "busy": "share of time",
    "queue": "packets waiting",
    "sojourn": "time in the queue",
}
_SHARE_COLUMNS = ("fairness", "busy")


def _footer(series: TimeSeries, shown: Columns, *, is_complete: bool) -> str:
    """Words on the columns that are shown."""
    heads = [head.partition("\n")[0] for head in shown]
    sure = any("±" in cell for cells in shown.values() for cell in cells)
    notes = [
        f"Means over bins of {series.width:g} s, which begin at the time shown"
        f"{_interval_line(series, heads) if sure else ''}.",
        "Flows: goodput.",
    ]
    if "fairness" in heads:
        notes.append("fairness: Jain's index over the active flows.")
    of_link = [name for name in _BOTTLENECK_COLUMNS if name in heads]
    words = ", ".join(_BOTTLENECK_COLUMNS[name] for name in of_link)
    link = series.link_name(*series.busiest)
    notes.append(f"{', '.join(of_link)}: of the bottleneck, {link}, {words}.")
    if not is_complete:
        notes.append("Columns that do not fit are left out; --format json and csv have all.")
    return " ".join(notes)


def _interval_line(series: TimeSeries, heads: Sequence[str]) -> str:
    interval_words = (
        f", over {series.replications} replications. ±: half the 95 % confidence interval"
        " (Student's t)"
    )
    shares = [name for name in _SHARE_COLUMNS if name in heads]
    lie = "lies" if len(shares) == 1 else "lie"
    return (
        f"{interval_words}, the longer side of that of {' and '.join(shares)},"
        f" which {lie} between 0 and 1"
    )
