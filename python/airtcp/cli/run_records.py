"""Tables of links and of cross-traffic, below the table of flows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.cli.text import cell_texts, fits, make_table, records
from airtcp.comparison.answer import values_per_row
from airtcp.comparison.calls import DELAY_METRIC, OPINION_METRIC, mark_calls, worst_calls
from airtcp.errors import count
from airtcp.metrics.labels import explain_heads, readable_unit
from airtcp.metrics.owners import OWNER_COLUMN, heads_of_owners, with_owners
from airtcp.metrics.table import DEFAULT_METRICS, metrics_by_kind
from airtcp.support.format import (
    few_mark_lines,
    format_coordinate,
    mean_with_interval,
    short_mean_with_interval,
)
from airtcp.support.half_width import half_width_of_row

if TYPE_CHECKING:
    import pandas
    from rich.table import Table

    from airtcp.engines.run import RunResult
    from airtcp.scenario.axes import TableAxes

RATINGS = ("voice_r", OPINION_METRIC)
BUSY_METRIC, WAIT_METRIC, LOST_METRIC = "utilisation", "mean_sojourn", "link_loss_rate"
IDLE_SHARE = (
    0.05  # a link that is busy for less of the time, where nothing waits or is lost, is no news
)
LEAST_WAIT = 1e-4  # s
MOST_ROWS = 24  # of links on a screen; of more the link where packets wait longest stands alone
MOST_TABLE_ROWS = 40  # rows of a table
SHORT_HEADS = {  # short heads of the metrics that nobody asked for by name
    "utilisation": "busy",
    "mean_sojourn": "wait",
    "mean_queue": "waiting",
    "link_loss_rate": "lost",
    "delivered_bps": "delivered",
    "offered_bps": "offered",
    "lost_share": "lost",
    DELAY_METRIC: "delay",
    OPINION_METRIC: "MOS",
}
TINY_SHARE = 0.001  # below it, in the unit of a column of larger values, digits say nothing
SHORT_LABEL_METRICS = 3  # metrics for which labels become short


@dataclass(frozen=True)
class _RecordRows:
    """Rows of links or of cross-traffic: `kind`; `shown`: heads of the coordinates that vary;
    `words`: heads of metrics, by name; none: their names."""

    kind: str
    table: pandas.DataFrame
    shown: Mapping[str, str]
    words: Mapping[str, str]

    def split_metrics(self, metrics: Sequence[str]) -> list[Sequence[str]]:
        """The metrics, in as many tables as the width of the terminal calls for."""
        parts: list[Sequence[str]] = []
        left = metrics
        while left:
            size = len(left)
            while size > 1 and not fits(self.table_of(left[:size])):
                size -= 1
            parts.append(left[:size])
            left = left[size:]
        return parts

    def widest_table(self, metrics: Sequence[str]) -> Table:
        """The table, with units beside the heads where there is room."""
        wide = self.table_of(metrics, " ")
        return wide if fits(wide, heads=True) else self.table_of(metrics)

    def table_of(self, metrics: Sequence[str], between: str = "\n") -> Table:
        """The table; `between`: a head and its unit."""
        rows, heads = records(self.table.head(MOST_TABLE_ROWS)), {}
        for path, name in self.shown.items():
            if path in self.table and self.table[path].nunique(dropna=False) > 1:
                heads[path] = name
        heads |= heads_of_owners(self.kind, self.table)
        mixed = any(not row.get("exact", False) for row in rows)  # else a line says it of all
        columns = {
            name: [format_coordinate(row[path]) for row in rows] for path, name in heads.items()
        }
        for metric in metrics:
            unit, scale = readable_unit(metric, float(self.table[metric].max()))
            word = self.words.get(metric, metric)
            head = f"{word}{between}({unit})" if unit else word
            columns[head] = [_estimate_cell(row, metric, scale, mixed) for row in rows]
            if self.words and float(self.table[metric].max()) / scale > 100.0 * TINY_SHARE:
                ends = [max(row[metric], row[f"{metric}_high"]) / scale for row in rows]
                pairs = zip(columns[head], ends, strict=True)
                columns[head] = [
                    f"<{TINY_SHARE}" if 0.0 < most < TINY_SHARE else cell_text
                    for cell_text, most in pairs
                ]
        return make_table(list(columns), zip(*columns.values(), strict=True), numbers=len(metrics))


def records_tables(result: RunResult, axes: TableAxes, shown: Mapping[str, str]) -> list[Any]:
    """Lines and tables of what was counted; `shown`: the heads of coordinates that vary."""
    blocks = [
        line for kind in result.records for line in _records_of_kind(result, kind, axes, shown)
    ]
    if blocks:
        blocks.append("--format json and --out have all of these (docs/reference/metrics.md).")
    return blocks


def _records_of_kind(
    result: RunResult, kind: str, axes: TableAxes, shown: Mapping[str, str]
) -> list[Any]:
    """Links or cross-traffic: the metrics that were asked for, or the usual ones that fit."""
    table = with_owners(kind, result.records[kind])
    metrics = [name for name in result.record_metrics if name in metrics_by_kind(kind)]
    words = {} if metrics else SHORT_HEADS
    lines, left = list[str](), list[str]()
    if words:
        metrics, table = _default_metrics(result, kind, table)
        if kind == "links":
            table, left = _busy_rows(
                table, [column for key in shown for column in axes.unfold_key(key)]
            )
            lines = _bottleneck_words(table)
    counted, parts, short = _fit_rows(kind, table, axes, shown=shown, words=words, metrics=metrics)
    left += axes.explanations([*shown]) if short else []
    if words and len(parts) > 1:
        unshown = [name for part in parts[1:] for name in part]
        parts = parts[:1]
        left.append(f"Not shown for lack of width: {', '.join(unshown)}; --metric shows them.")
    kind_name = "Links" if kind == "links" else "Cross-traffic"
    blocks: list[Any] = []
    grids = [counted.widest_table(part) for part in parts]
    for index, part_grid in enumerate(grids):
        head = f"{kind_name}, continued:" if index else " ".join([f"{kind_name}:", *lines])
        blocks += ["", head, "", part_grid]
    if len(table) > MOST_TABLE_ROWS:
        left.append(
            f"... and {count(len(table) - MOST_TABLE_ROWS, 'more row')}; --format json has all."
        )
    shown_names = [name for part in parts for name in part]
    values = int(table["n"].max()) if len(table) else 0
    few = few_mark_lines(cell_texts(*grids), records(table), shown_names, values)
    return [*blocks, *_footer(shown_names, words), *left, *few]


def _fit_rows(
    kind: str,
    table: pandas.DataFrame,
    axes: TableAxes,
    *,
    shown: Mapping[str, str],
    words: Mapping[str, str],
    metrics: Sequence[str],
) -> tuple[_RecordRows, list[Sequence[str]], bool]:
    """The rows to show, their metrics by table, and whether labels are short, for more of them."""
    full = _RecordRows(kind, axes.table(table), shown, words)
    parts = full.split_metrics(metrics)
    if not axes or len(parts[0]) >= min(SHORT_LABEL_METRICS, len(metrics)):
        return full, parts, False
    brief = _RecordRows(kind, axes.table(table, short=True), shown, words)
    fewer = brief.split_metrics(metrics)
    more = len(fewer[0]) > len(parts[0]) or not fits(full.table_of(parts[0]))
    return (brief, fewer, True) if more else (full, parts, False)


def _footer(metrics: Sequence[str], words: Mapping[str, str]) -> list[str]:
    """Metrics by the words for them, and explanations of the ratings of a call."""
    ratings = explain_heads([name for name in metrics if name in RATINGS])
    called = ", ".join(f"{words[name]}: {name}" for name in metrics if name in words)
    return ["", *([f"{called}."] if called else []), *([ratings] if ratings else [])]


def _busy_rows(
    table: pandas.DataFrame, coordinates: Sequence[str]
) -> tuple[pandas.DataFrame, list[str]]:
    """The rows of links that are busy, or where packets wait or are lost; and what is left out.

    The link where packets wait longest comes first. Where many rows are left, each point has the
    one in which packets wait longest.
    """
    owners = ["hop", "direction"]
    worst = table.groupby(owners, sort=False)[[BUSY_METRIC, WAIT_METRIC, LOST_METRIC]].max()
    order = worst.sort_values([WAIT_METRIC, BUSY_METRIC], ascending=False, kind="stable").index
    idle = worst[
        (worst[BUSY_METRIC] < IDLE_SHARE)
        & ~(worst[WAIT_METRIC] > LEAST_WAIT)
        & ~(worst[LOST_METRIC] > 0.0)
    ].index
    shown_links = [link for link in order if link not in set(idle)] or [*order[:1]]
    left, place = [], {link: number for number, link in enumerate(shown_links)}
    numbers = [place.get(link, -1) for link in zip(table["hop"], table["direction"], strict=True)]
    points = [path for path in coordinates if path in table]
    shown_rows = table.assign(place=numbers)[np.array(numbers) >= 0]
    if len(shown_links) < len(order):
        idlers = count(len(order) - len(shown_links), "link")
        left.append(
            f"Not shown: {idlers} with less than {100 * IDLE_SHARE:g} % of the time busy, where"
            " nothing"
            " waits or is lost."
        )
    if not points:
        return shown_rows.sort_values("place", kind="stable").drop(columns="place"), left
    rank = shown_rows.groupby(points, sort=False, dropna=False).ngroup()
    shown_rows = shown_rows.assign(rank=rank).sort_values(["rank", "place"], kind="stable")
    if len(shown_rows) > MOST_ROWS and len(shown_links) > 1:
        most = shown_rows.groupby("rank")[WAIT_METRIC].transform("max")
        first = shown_rows[WAIT_METRIC].eq(most) | most.isna()
        shown_rows = shown_rows[
            first & ~shown_rows.assign(first=first).duplicated(["rank", "first"])
        ]
        left.append(
            "Each point shows the link where packets wait longest; --format json has all links."
        )
    return shown_rows.drop(columns=["place", "rank"]), left


def _bottleneck_words(table: pandas.DataFrame) -> list[str]:
    """Words for the link in which packets wait longest, over all points."""
    if not len(table) or not (table[WAIT_METRIC] > LEAST_WAIT).any():
        return []
    longest = table.loc[table[WAIT_METRIC].idxmax()]
    bottleneck_rows = table[
        (table["hop"] == longest["hop"]) & (table["direction"] == longest["direction"])
    ]
    waits = _range_text(
        1e3 * bottleneck_rows[WAIT_METRIC].min(), 1e3 * bottleneck_rows[WAIT_METRIC].max()
    )
    busy = _range_text(
        100.0 * bottleneck_rows[BUSY_METRIC].min(), 100.0 * bottleneck_rows[BUSY_METRIC].max()
    )
    return [
        f"packets wait longest in {longest[OWNER_COLUMN]}: {waits} ms, busy {busy} % of the time."
    ]


def _range_text(low: float, high: float) -> str:
    ends = list(dict.fromkeys([f"{low:.3g}", f"{high:.3g}"]))
    return " to ".join(ends)


def _default_metrics(
    result: RunResult, kind: str, table: pandas.DataFrame
) -> tuple[list[str], pandas.DataFrame]:
    """The metrics that nobody has to ask for: of calls also their mean opinion score."""
    calls = mark_calls(result) if kind == "traffic" else []
    if len(calls) != len(table) or not any(calls):
        return [*DEFAULT_METRICS[kind]], table
    rated = {
        name: np.where(calls, table[name], np.nan)
        for name in (OPINION_METRIC, f"{OPINION_METRIC}_low", f"{OPINION_METRIC}_high")
    }
    return [OPINION_METRIC, DELAY_METRIC, *DEFAULT_METRICS[kind]], table.assign(**rated)


def call_columns(result: RunResult, *, short: bool) -> dict[str, list[str]]:
    """Columns for the table of flows: delay and opinion of the call understood worst at a point."""
    worst = worst_calls(result)
    if not worst:
        return {}
    unit, scale = readable_unit(
        DELAY_METRIC, max(row[DELAY_METRIC] for row in worst if row is not None)
    )
    between = "\n" if short else " "
    heads = {DELAY_METRIC: f"call delay{between}({unit})", OPINION_METRIC: f"call{between}MOS"}
    return {
        heads[metric]: values_per_row(
            [_metric_cell(row, metric, by) for row in worst], result.rows_per_point
        )
        for metric, by in ((OPINION_METRIC, 1.0), (DELAY_METRIC, scale))
    }


def _metric_cell(row: Mapping[str, Any] | None, metric: str, scale: float) -> str:
    return "-" if row is None else _estimate_cell(row, metric, scale, mixed=True)


def _estimate_cell(row: Mapping[str, Any], metric: str, scale: float, mixed: bool) -> str:
    value, half = row[metric] / scale, half_width_of_row(row, metric) / scale
    exact = row.get("exact", False)
    if exact and not mixed:
        return mean_with_interval(value, math.nan)
    few = not math.isnan(row.get(f"{metric}_carriers", math.nan))
    return short_mean_with_interval(value, half, exact=exact, few=few)
