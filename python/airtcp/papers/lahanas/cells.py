"""Cells of the tables: ours, the printed ones, and the range of means of 10 runs.

The paper prints means of 10 runs. Means of 10 of ours, drawn with replacement, say how such means
scatter; `probability_of_printed` is the two-sided probability that one falls at least as far out as
the printed one, which stands for every number that is rounded to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from airtcp.papers.base import interval_of_mean, printed_table
from airtcp.papers.lahanas.study import PROTOCOLS, QUANTITIES, RATES, Floats, LahanasStudy

PRINTED_RUNS = 10
RESAMPLES = 10_000
_TAIL_PERCENT = 2.5  # %, on either side of what 95 % of such means reach
_COLUMNS = {"time_s": "tct_s", "overhead_pct": "overhead_pct"}


@cache
def printed_entries() -> dict[tuple[str, str, int, int], str]:
    """The printed number by quantity, protocol, On length (s) and error rate (%)."""
    return {
        (quantity, row.protocol, int(row.on_s), int(row.error_rate_pct)): getattr(row, column)
        for row in printed_table("lahanas_tables").itertuples()
        for quantity, column in _COLUMNS.items()
    }


def cell_table(
    study: LahanasStudy,
    lengths: Iterable[int],
    protocols: Iterable[str] = PROTOCOLS,
    quantities: Iterable[str] = QUANTITIES,
) -> pd.DataFrame:
    """One row per quantity, On length, protocol and error rate.

    - `printed_table`, a text; `mean` with its 95 % interval `low` to `high`; `sd` of one run;
    `runs`;
    - `ten_low` to `ten_high`: 95 % of the means of 10 runs; `p`: see `probability_of_printed`.
    """
    names, lengths = list(protocols), list(lengths)
    rows = [
        _row(study, quantity, name, on, rate)
        for quantity in quantities
        for on in lengths
        for name in names
        for rate in RATES
    ]
    return pd.DataFrame(rows)


def cell_statistics(study: LahanasStudy, lengths: Iterable[int]) -> pd.DataFrame:
    """Mean and standard deviation of both quantities, one row per cell, for programs."""
    rows = []
    for on in lengths:
        for name in PROTOCOLS:
            for rate in RATES:
                time, overhead = (
                    interval_of_mean(study.values(quantity, name, on, rate))
                    for quantity in QUANTITIES
                )
                rows.append(
                    {
                        "protocol": name,
                        "on_s": on,
                        "error_rate_pct": rate,
                        "runs": study.size,
                        "time_mean_s": time["mean"],
                        "time_sd_s": time["sd"],
                        "overhead_mean_pct": overhead["mean"],
                        "overhead_sd_pct": overhead["sd"],
                    }
                )
    return pd.DataFrame(rows)


def _row(study: LahanasStudy, quantity: str, name: str, on: int, rate: int) -> dict[str, Any]:
    values = study.values(quantity, name, on, rate)
    means = ten_run_means(values, study.seed)
    text = printed_entries()[quantity, name, on, rate]
    low, high = np.percentile(means, [_TAIL_PERCENT, 100.0 - _TAIL_PERCENT])
    return {
        "quantity": quantity,
        "on_s": on,
        "protocol": name,
        "error_rate_pct": rate,
        "printed": text,
        **interval_of_mean(values),
        "runs": values.size,
        "ten_low": float(low),
        "ten_high": float(high),
        "p": probability_of_printed(text, means),
    }


def ten_run_means(values: Floats, seed: int, series: int = 0) -> Floats:
    """Means of 10 of the values, drawn with replacement; the same draws for every cell.

    Draws of another `series` are independent of these.
    """
    means: Floats = values[_draws(values.size, seed, series)].mean(axis=1)
    return means


@cache
def _draws(size: int, seed: int, series: int) -> NDArray[np.intp]:
    numbers = np.random.Generator(np.random.Philox(key=[seed, series]))
    return numbers.integers(size, size=(RESAMPLES, PRINTED_RUNS))


def probability_of_printed(text: str, means: Floats) -> float:
    """Two-sided probability of a mean at least as far out as a printed number, up to rounding."""
    half = 0.5 * 10.0 ** -len(text.partition(".")[2])
    below = float((means <= float(text) + half).mean())
    above = float((means >= float(text) - half).mean())
    return min(1.0, 2.0 * min(below, above))
