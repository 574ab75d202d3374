"""Tables of links and of cross-traffic, below that of the flows of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from airtcp.cli.text import cells_of, fits, grid, records
from airtcp.metrics.labels import DIRECTIONS, explained, units
from airtcp.metrics.records import KEYS, NAMES
from airtcp.metrics.table import DEFAULT, metrics_by_kind
from airtcp.metrics.voice import is_call
from airtcp.support.format import coordinate, few_said, measured
from airtcp.support.half_width import half_width_of

if TYPE_CHECKING:
    import pandas
    from rich.table import Table

    from airtcp.engines.run import RunResult

OPINION = "voice_mos"
RATINGS = ("voice_r", OPINION)


def records_tables(result: RunResult, shown: Mapping[str, str]) -> list[Any]:
    """Lines and tables of what was counted; `shown`: the heads of coordinates that vary."""
    found = [line for kind in result.records for line in _of_kind(result, kind, shown)]
    if found:
        found.append("--format json and --out have all metrics of these (docs/metrics.md).")
    return found


def _of_kind(result: RunResult, kind: str, shown: Mapping[str, str]) -> list[Any]:
    """Links or cross-traffic: the metrics that were asked for, or the usual ones."""
    table = result.records[kind]
    metrics = [name for name in result.record_metrics if name in metrics_by_kind(kind)]
    if not metrics:
        metrics, table = _usual(result, kind, table)
    said = "Links" if kind == "links" else "Cross-traffic"
    found: list[Any] = []
    parts = _record_parts(kind, table, shown, metrics)
    grids = [_record_grid(kind, table, shown, part) for part in parts]
    for index, one in enumerate(grids):
        head = f"{said}, continued:" if index else f"{said}:"
        found += ["", head, "", one]
    values = int(table["n"].max()) if len(table) else 0
    few = few_said(cells_of(*grids), records(table), metrics, values)
    return [*found, *_footer(kind, metrics), *few]


def _footer(kind: str, metrics: Sequence[str]) -> list[str]:
    """Units, what directions are, and what a rating of a call is."""
    ratings = explained([name for name in metrics if name in RATINGS])
    lines = [f"{units(metrics)}." if units(metrics) else "", ratings]
    return ["", *filter(None, lines), *([DIRECTIONS] if kind == "links" else [])]


def _usual(
    result: RunResult, kind: str, table: pandas.DataFrame
) -> tuple[list[str], pandas.DataFrame]:
    """The metrics that nobody has to ask for: of calls also their mean opinion score."""
    calls = _calls(result) if kind == "traffic" else []
    if len(calls) != len(table) or not any(calls):
        return [*DEFAULT[kind]], table
    rated = {
        name: np.where(calls, table[name], np.nan)
        for name in (OPINION, f"{OPINION}_low", f"{OPINION}_high")
    }
    return [*DEFAULT[kind], OPINION], table.assign(**rated)


def _calls(result: RunResult) -> list[bool]:
    """Say of each row of cross-traffic if it is a call, where every point has its rows."""
    return [
        is_call(source)
        for point in result.scenario.points()
        for source in point.data.get("traffic", [])
        for _ in range(int(source["count"]))
    ]


def _record_parts(
    kind: str, table: pandas.DataFrame, shown: Mapping[str, str], metrics: Sequence[str]
) -> list[Sequence[str]]:
    """The metrics, in as many tables as the width of the terminal calls for."""
    parts: list[Sequence[str]] = []
    left = metrics
    while left:
        size = len(left)
        while size > 1 and not fits(_record_grid(kind, table, shown, left[:size])):
            size -= 1
        parts.append(left[:size])
        left = left[size:]
    return parts


def _record_grid(
    kind: str, table: pandas.DataFrame, shown: Mapping[str, str], metrics: Sequence[str]
) -> Table:
    rows = records(table)
    known = {path: name for path, name in shown.items() if path in table}
    heads = {path: name for path, name in known.items() if table[path].nunique(dropna=False) > 1}
    heads |= {name: name for name in (*KEYS[kind], *NAMES[kind])}
    mixed = any(not row.get("exact", False) for row in rows)  # else a line says it of all
    columns = {name: [coordinate(row[path]) for row in rows] for path, name in heads.items()}
    columns |= {metric: [_estimate(row, metric, mixed) for row in rows] for metric in metrics}
    return grid(list(columns), zip(*columns.values(), strict=True), numbers=len(metrics))


def _estimate(row: Mapping[str, Any], metric: str, mixed: bool) -> str:
    half = half_width_of(row, metric)
    exact = row.get("exact", False)
    if exact and not mixed:
        return measured(row[metric], math.nan)
    few = not math.isnan(row.get(f"{metric}_carriers", math.nan))
    return measured(row[metric], half, exact=exact, few=few)
