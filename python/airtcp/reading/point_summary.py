"""Runs summarised: of every point, and flow, the means of the metrics with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas
from numpy.typing import NDArray

from airtcp.errors import InputError
from airtcp.metrics.layout import Integers, Layout, flow_tcps, layout_of
from airtcp.metrics.parts import add_parts, parts_are_values, run_starts
from airtcp.metrics.ratios import Floats, averaged_ratios, ratios, units_of_point, units_of_rows
from airtcp.metrics.ratios import jain_index as jain
from airtcp.reading.summaries import clip_to_range, may_lack_values
from airtcp.scenario.chance import without_spread_where_exact
from airtcp.scenario.scenario import Point
from airtcp.stats import grouped_means
from airtcp.stats.bounded import bounded_means
from airtcp.support.frame import Frame


def summary(points: Sequence[Point], per_point: Sequence[int], runs: Frame) -> pandas.DataFrame:
    """A row per point and flow; `runs` holds so many replications of each point, in order."""
    layouts = [layout_of(point) for point in points]
    flows = [layout.flows for layout in layouts]
    exact = _repeat_values(_exact_flags(points, per_point, layouts), flows)
    columns = _leading_columns(points, per_point, layouts, flows)
    metrics, groups = metric_values(points, per_point, runs)
    for metric, values_found in metrics.items():
        columns |= _summary_columns(metric, values_found, groups, exact)
    return pandas.DataFrame(columns)


def metric_values(
    points: Sequence[Point], per_point: Sequence[int], runs: Frame, *, averaged: bool = True
) -> tuple[dict[str, Floats], Integers]:
    """Every metric of every run, and the row of the summary that it belongs to; sorted by row.

    With `averaged` the values come from `averaged_ratios`, so their means are ratios of means;
    otherwise each run stands alone. Where no point has several runs, there is a value per part of a
    run (`parts_are_values`).
    """
    layouts = [layout_of(point) for point in points]
    rows = np.multiply([layout.rows for layout in layouts], per_point)
    scales = units_of_rows([units_of_point(point) for point in points], rows)
    groups = _flow_of_row(layouts, rows)
    order = np.argsort(groups, kind="stable")
    counted = {name: runs[name][order] for name in layouts[0].names}
    groups, scales = groups[order], scales[:, order]
    starts = run_starts(_run_of_row(layouts, per_point))
    if starts is not None:
        counted, groups = add_parts(counted, starts), groups[starts]
        scales = scales[:, starts]
    if not averaged:
        return ratios(counted, layouts[0].family, *scales), groups
    parts = _rows_of_single_runs(layouts, per_point)[groups]
    return averaged_ratios(counted, layouts[0].family, groups, *scales, parts=parts), groups


def _rows_of_single_runs(layouts: list[Layout], per_point: Sequence[int]) -> NDArray[np.bool_]:
    """A mask of the rows of the summary whose values are the parts of one run."""
    single = [
        runs == 1 and layout.batches > 1 for layout, runs in zip(layouts, per_point, strict=True)
    ]
    return np.array(_repeat_values(single, [layout.flows for layout in layouts]), dtype=bool)


def independent_values(table: pandas.DataFrame) -> pandas.Series[int]:
    """Number of values behind the interval of each row of a `summary`: runs, or parts of a run."""
    runs = table["replications"]
    if not parts_are_values(runs.tolist()):
        return runs
    counts: pandas.Series[int] = table.get("batches", runs)
    return counts


def fairness(points: Sequence[Point], per_point: Sequence[int], runs: Frame) -> pandas.DataFrame:
    """Jain's index over the flows of each run, a row per point."""
    layouts = [layout_of(point) for point in points]
    if layouts[0].family == "slot":
        raise InputError("fairness: a scenario on slots has one flow")
    ends = np.cumsum(np.multiply([layout.rows for layout in layouts], per_point))[:-1]
    # Packets of different lengths are no common measure.
    of_one_length = all(len(units_of_point(point)) == 1 for point in points)
    rate = "throughput_pps" if of_one_length else "throughput_bps"
    shares = np.split(runs[rate], ends)
    indices = [
        jain(_rates_per_value(share, layout, are_parts=parts_are_values(per_point)))
        for share, layout in zip(shares, layouts, strict=True)
    ]
    columns = _leading_columns(points, per_point, layouts, [1] * len(points))
    groups = np.repeat(np.arange(len(points)), [index.size for index in indices])
    exact = _exact_flags(points, per_point, layouts)
    index_intervals = without_spread_where_exact(
        bounded_means(np.concatenate(indices), groups), exact
    )
    return pandas.DataFrame(columns | _estimate_columns("fairness", index_intervals))


def _rates_per_value(rates: Floats, layout: Layout, *, are_parts: bool) -> Floats:
    """The rates of flows (columns) in each run, or in each part of a single one."""
    parts = rates.reshape(-1, layout.batches, layout.flows)
    rates_found: Floats = parts[0] if are_parts else parts.mean(axis=1)
    return rates_found


def _exact_flags(
    points: Sequence[Point], per_point: Sequence[int], layouts: list[Layout]
) -> list[bool]:
    """Flags of the points that have one value only; parts of a run, if they are values, scatter."""
    are_whole_runs = not parts_are_values(per_point)
    return [
        not point.is_random and (are_whole_runs or layout.batches == 1)
        for point, layout in zip(points, layouts, strict=True)
    ]


def _leading_columns(
    points: Sequence[Point], per_point: Sequence[int], layouts: list[Layout], repeats: list[int]
) -> dict[str, Any]:
    """Coordinates, the flow if there are several, and the number of values."""
    columns: dict[str, Any] = {
        path: _repeat_values([point.coordinates[path] for point in points], repeats)
        for path in points[0].coordinates
    }
    if max(repeats) > 1:
        columns["flow"] = [flow for number in repeats for flow in range(number)]
        names = [name for point in points for name in flow_tcps(point)]
        columns |= {"flow_tcp": names} if any(names) else {}
    columns["replications"] = _repeat_values(list(per_point), repeats)
    exact = _exact_flags(points, per_point, layouts)
    if any(exact):
        columns["exact"] = _repeat_values(exact, repeats)
    if any(layout.batches > 1 for layout in layouts):
        columns["batches"] = _repeat_values([layout.batches for layout in layouts], repeats)
    return columns


def _repeat_values(values: list[Any], repeats: list[int]) -> list[Any]:
    return [value for value, times in zip(values, repeats, strict=True) for _ in range(times)]


def _flow_of_row(layouts: list[Layout], rows: Integers) -> Integers:
    """Number of the flow of each row of runs, counted over all points."""
    flows = np.array([layout.flows for layout in layouts])
    first = np.cumsum(flows) - flows
    begin = np.cumsum(rows) - rows
    within = np.arange(rows.sum()) - np.repeat(begin, rows)
    numbers: Integers = np.repeat(first, rows) + within % np.repeat(flows, rows)
    return numbers


def _run_of_row(layouts: list[Layout], per_point: Sequence[int]) -> Integers:
    """Number of the run of each row, sorted by flow, or of its part where parts are values.

    A flow's rows follow each other run by run, and in a run part by part.
    """
    if parts_are_values(per_point):
        return np.arange(sum(layout.rows for layout in layouts))
    lengths = [
        length
        for layout, runs in zip(layouts, per_point, strict=True)
        for length in _parts_per_value(layout, runs)
    ]
    return np.repeat(np.arange(len(lengths)), lengths)


def _parts_per_value(layout: Layout, runs: int) -> list[int]:
    """Number of rows that make up each run of the flows of a point, in the order of runs."""
    return [layout.batches] * runs * layout.flows


def _summary_columns(
    metric: str, values: Floats, groups: Integers, exact: Sequence[bool]
) -> dict[str, Any]:
    """Mean, sd and interval of each group under the names of a summary.

    Where some mean hangs on few runs, `carriers` is their number.
    """
    if may_lack_values(metric):
        return _estimate_columns(metric, _summary_of_known(metric, values, groups, exact))
    return _estimate_columns(
        metric,
        clip_to_range(metric, without_spread_where_exact(grouped_means(values, groups), exact)),
    )


def _estimate_columns(metric: str, estimates_found: Mapping[str, Any]) -> dict[str, Any]:
    few = np.isfinite(estimates_found.get("carriers", np.nan)).any()
    parts = ["sd", "low", "high", *(["carriers"] if few else [])]
    return {metric: estimates_found["mean"]} | {
        f"{metric}_{part}": estimates_found[part] for part in parts
    }


def _summary_of_known(
    metric: str, values: Floats, groups: Integers, exact: Sequence[bool]
) -> dict[str, Any]:
    """Mean, sd and interval of each group over its known values; NaN for groups without any."""
    is_known = ~np.isnan(values)
    known = np.unique(groups[is_known])
    part = grouped_means(values[is_known], groups[is_known])
    part = clip_to_range(metric, without_spread_where_exact(part, np.asarray(exact)[known]))
    names = ("mean", "sd", "low", "high", "carriers")
    columns = {name: np.full(len(exact), np.nan) for name in names}
    for name, column in columns.items():
        column[known] = part[name]
    return columns
