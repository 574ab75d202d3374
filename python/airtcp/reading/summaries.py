"""Summaries of groups of runs: means or medians with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas
from scipy import special

from airtcp.errors import known_name, real_number, refusal
from airtcp.metrics.table import TABLE
from airtcp.reading.grouping import ReplicationCells, form_cells, refuse_mixed_flows
from airtcp.reading.rows import Floats, Ints, ResultRows
from airtcp.scenario.chance import without_spread_where_exact
from airtcp.stats import grouped_means

ESTIMATES = ("mean", "median")
INTERVAL_COLUMNS = ("sd", "low", "high")


def summary(
    rows: ResultRows,
    metrics: Sequence[str],
    *,
    by: Sequence[str] | None,
    where: Mapping[str, Any] | None,
    confidence: float,
    estimate: str,
    along: str | None = None,
) -> pandas.DataFrame:
    """One row per group: its coordinates, `n`, and for each metric M, M_sd, M_low, M_high.

    `along`: the key of `by` along which groups are joined to a series; None: none are.

    There are further columns if they are needed: `exact`, true for groups without randomness, and
    M_carriers, the number of runs that carry the scatter of a mean if it is so small that the
    interval may miss too often.
    """
    known_name("estimate", estimate, ESTIMATES)
    level = real_number("confidence", confidence, "a probability in (0, 1)")
    if not 0.0 < level < 1.0:
        raise refusal("confidence", confidence, "a probability in (0, 1)")
    if along is not None:
        refuse_mixed_flows(rows.runs, [key for key in by or () if key != along], where)
    cells_found = form_cells(rows.runs, by, where)
    groups, sizes = np.unique(cells_found.group, return_counts=True)  # some may have no value
    columns: dict[str, Any] = {
        str(name): cells_found.table[name] for name in cells_found.table.columns
    }
    columns["n"] = _spread_to_groups(sizes, groups, len(cells_found.table), 0)
    if cells_found.is_exact.any():
        columns["exact"] = cells_found.is_exact
    for metric, of_rows in rows.values(metrics, averaged=estimate == "mean").items():
        columns |= _metric_columns(
            metric, cells_found.values(of_rows), cells_found, level, estimate
        )
    return pandas.DataFrame(columns)


def _metric_columns(
    metric: str, values: Floats, cells_found: ReplicationCells, level: float, estimate: str
) -> dict[str, Floats]:
    """The columns of a metric."""
    group = cells_found.group
    if metric in METRICS_OF_ENDED_RUNS and estimate == "median":
        values = unfinished_as_infinite(values, group)
    if may_lack_values(metric):
        is_known = ~np.isnan(values)
        values, group = values[is_known], group[is_known]
    known = np.unique(group)
    describe = grouped_medians if estimate == "median" else grouped_means
    described = without_spread_where_exact(
        describe(values, group, level), cells_found.is_exact[known], estimate
    )
    described = clip_to_range(metric, described, estimate)
    few = np.isfinite(described.get("carriers", np.nan)).any()
    return {
        metric if part == estimate else f"{metric}_{part}": _spread_to_groups(
            described[part], known, len(cells_found.table), np.nan
        )
        for part in (estimate, *INTERVAL_COLUMNS, *(["carriers"] if few else []))
    }


METRICS_OF_ENDED_RUNS = ("transfer_time",)  # metrics that a run has once it has ended


def unfinished_as_infinite(values: Floats, groups: Ints) -> Floats:
    """The values, with infinity for runs that did not end while others of their group did."""
    ended = np.bincount(groups, ~np.isnan(values))[groups] > 0
    return np.where(np.isnan(values) & ended, np.inf, values)


def may_lack_values(metric: str) -> bool:
    """True if runs without a value say nothing about the metric.

    Such metrics are quantiles of transfers: a run may have no transfer of some size.
    """
    return metric.startswith("completion") and metric.endswith(("median", "p95", "p99"))


def clip_to_range(
    metric: str, estimates_found: Mapping[str, Any], estimate: str = "mean"
) -> dict[str, Any]:
    """Estimates whose intervals do not reach beyond what the metric can be."""
    value, most = estimates_found[estimate], TABLE[metric].most if metric in TABLE else np.inf
    low = np.where(value >= 0.0, np.maximum(estimates_found["low"], 0.0), estimates_found["low"])
    high = np.where(
        value <= most, np.minimum(estimates_found["high"], most), estimates_found["high"]
    )
    return {**estimates_found, "low": low, "high": high}


def _spread_to_groups(values: Any, groups: Ints, number: int, nothing: float) -> Any:
    """Values of the groups that have some, at their places among all of them."""
    if len(groups) == number:
        return values
    every = np.full(number, nothing, dtype=values.dtype)
    every[groups] = values
    return every


def grouped_medians(values: Floats, groups: Ints, confidence: float) -> dict[str, Any]:
    """Median and sd of each group, and the interval of the median between two order statistics.

    The interval needs no distribution of the values: between the k-th smallest and the k-th largest
    of n lies the median with probability 1 - 2 P(Binomial(n, 1/2) < k). k is the largest for which
    that is at least `confidence`; where there is none (n <= 5 at 95 %) the interval is NaN.
    [david2003, 7.1]
    """
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    n = np.diff(starts, append=len(groups))
    ordered = values[np.lexsort((values, groups))]
    unknown = np.isnan(np.add.reduceat(values, starts))
    median = (ordered[starts + (n - 1) // 2] + ordered[starts + n // 2]) / 2.0
    k = _median_depths(n, confidence)
    bounded = (k > 0) & ~unknown
    low = np.where(bounded, ordered[starts + np.maximum(k, 1) - 1], np.nan)
    high = np.where(bounded, ordered[starts + n - np.maximum(k, 1)], np.nan)
    sd = grouped_means(values, groups, confidence)["sd"]
    return {"median": np.where(unknown, np.nan, median), "sd": sd, "low": low, "high": high}


def _median_depths(n: Ints, confidence: float) -> Ints:
    """The largest k with P(Binomial(n, 1/2) < k) <= (1 - confidence) / 2; 0 for none."""
    sizes, place = np.unique(n, return_inverse=True)
    tail = (1.0 - confidence) / 2.0
    depths = [_median_depth(int(size), tail) for size in sizes]
    return np.array(depths, dtype=np.int64)[place]


def _median_depth(n: int, tail: float) -> int:
    k = np.arange(1, n // 2 + 1)
    below = special.bdtr(k - 1.0, n, 0.5)
    return int(np.count_nonzero(below <= tail))
