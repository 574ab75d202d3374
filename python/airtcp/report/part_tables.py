"""The table of a part of a paper on its page: intervals beside their means, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from airtcp.metrics.table import TABLE
from airtcp.plot.style import LEVEL
from airtcp.report.digits import estimate_cells
from airtcp.report.messages import MeanSpread, runs_in_words, sentence_subject
from airtcp.support.half_width import half_width

_COUNT_COLUMNS = ("runs", "replications")
_COORDINATE_METRICS = ("loss_rate",)  # metrics that are coordinates in papers
_MIXED_COLUMNS = (
    "quantity",
    "check",
    "metric",
)  # rows are of different things: none of them is highest
_LEAST_SKEW = 1e-6  # of the interval's width: by how much a mean may lie beside its middle


def table_message(table: pd.DataFrame, unit: tuple[str, float] = ("", 1.0)) -> str:
    """Text under a table: number of runs, kind of intervals, and the highest and lowest mean.

    `unit`: unit of these means in the text, and its size in units of the table.
    """
    measured = _first_measured(table)
    if measured is None:
        return ""
    name, low, high = measured
    counts = next(
        (column for column in (f"{name}_replications", *_COUNT_COLUMNS) if column in table), None
    )
    runs = table[counts].dropna().astype(int).tolist() if counts else []
    parts = [
        f"{sentence_subject(runs_in_words(runs))}, {LEVEL} intervals."
        if runs
        else f"{LEVEL} intervals."
    ]
    if not any(column in table for column in _MIXED_COLUMNS):
        spread = MeanSpread.from_table(table, (name, low, high), _keys(table, name), unit)
        parts.append(spread.sentence(f"“{name.replace('_', ' ')}”"))
    return " ".join(filter(None, parts))


def fold_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """The table with half of each interval behind its mean, in place of both limits."""
    columns: dict[str, Any] = {}
    intervals = {name: limits for name, *limits in _intervals(table)}
    gone = {limit for limits in intervals.values() for limit in limits}
    gone |= {f"{name}_sd" for name in intervals}
    for place, name in enumerate(map(str, table)):
        if name in gone:
            continue
        column = table.iloc[:, place]
        columns[name] = (
            _cells(column, *(table[limit] for limit in intervals[name]))
            if name in intervals
            else column
        )
    return pd.DataFrame(columns, index=table.index)


def _cells(mean: pd.Series[Any], low: pd.Series[Any], high: pd.Series[Any]) -> list[str]:
    halves = half_width(mean, low, high)
    known = halves.where(halves > 0.0)  # what does not scatter may be exact
    return estimate_cells(mean.tolist(), known.tolist())


def _intervals(table: pd.DataFrame) -> list[tuple[str, str, str]]:
    """The columns with an interval around them: name, lower and upper limit."""
    names = list(map(str, table))
    intervals = [(name, f"{name}_low", f"{name}_high") for name in names]
    intervals += [(column, "low", "high") for column, low in pairwise(names) if low == "low"]
    return [
        three for three in intervals if set(three) <= set(names) and _is_symmetric(table, *three)
    ]


def _is_symmetric(table: pd.DataFrame, name: str, low: str, high: str) -> bool:
    """True if the interval reaches equally far to both sides of the value."""
    mean, least, most = (table[column].to_numpy(dtype=float) for column in (name, low, high))
    known = np.isfinite(mean) & np.isfinite(least) & np.isfinite(most)
    off = np.abs(least + most - 2.0 * mean)[known]
    return bool((off <= _LEAST_SKEW * (np.abs(most - least) + np.abs(mean))[known]).all())


def _first_measured(table: pd.DataFrame) -> tuple[str, str, str] | None:
    """The first column with an interval."""
    return next((three for three in _intervals(table) if table[three[0]].notna().any()), None)


def _keys(table: pd.DataFrame, name: str) -> Sequence[str]:
    """The first columns that vary, as many as identify the rows."""
    keys: list[str] = []
    for column in map(str, table):
        if column == name or (column in TABLE and column not in _COORDINATE_METRICS):
            break
        if table[column].nunique(dropna=False) > 1:
            keys.append(column)
        if keys and not table[keys].duplicated().any():
            break
    return keys
