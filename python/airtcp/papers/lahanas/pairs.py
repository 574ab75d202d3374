"""Two protocols on the same phases: paired differences, and the differences that 10 runs show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from airtcp import stats
from airtcp.papers.base import percent
from airtcp.papers.lahanas.cells import ten_run_means
from airtcp.papers.lahanas.study import LahanasStudy
from airtcp.stats import CONFIDENCE

GRAFTED_PAIRS = (("tahoe-probing", "tahoe"), ("reno-probing", "reno"))  # and into what


def paired_differences(
    study: LahanasStudy,
    quantity: str,
    pairs: Iterable[tuple[str, str]],
    lengths: Iterable[int],
    rates: Iterable[int],
) -> pd.DataFrame:
    """The first of each pair against the second, one row per pair and cell.

    `relative` is the ratio of the means less 1, with its 95 % interval `low` to `high`; `adjusted`
    the p value of the paired difference after Holm, all rows being one family; `sign` is that of
    the difference, 0 where it is not significant.
    """
    rates, lengths = list(rates), list(lengths)
    rows = [
        _difference_row(study, quantity, pair, on, rate)
        for pair in pairs
        for on in lengths
        for rate in rates
    ]
    table = pd.DataFrame(rows)
    table["adjusted"] = stats.holm(table["p"])
    table["sign"] = np.sign(table["relative"]) * (table["adjusted"] <= 1.0 - CONFIDENCE)
    return table


def _difference_row(
    study: LahanasStudy, quantity: str, pair: tuple[str, str], on: int, rate: int
) -> dict[str, Any]:
    first, other = (study.values(quantity, name, on, rate) for name in pair)
    difference = stats.paired_difference(first, other)
    return {
        "one": pair[0],
        "other": pair[1],
        "on_s": on,
        "error_rate_pct": rate,
        "relative": difference.relative,
        "low": difference.relative_low,
        "high": difference.relative_high,
        "p": difference.p,
    }


def ten_run_range(
    study: LahanasStudy, quantity: str, pair: tuple[str, str], on: int, rate: int
) -> tuple[float, float]:
    """Range of 95 % of relative differences between means of 10 runs each, on separate phases."""
    first, other = (
        ten_run_means(study.values(quantity, name, on, rate), study.seed, series)
        for series, name in enumerate(pair)
    )
    low, high = np.percentile(first / other - 1.0, [2.5, 97.5])
    return float(low), float(high)


def span_in_words(differences_found: pd.DataFrame) -> str:
    """The least and the greatest of the differences, in words."""
    least, most = (
        percent(differences_found["relative"].min()),
        percent(differences_found["relative"].max()),
    )
    return least if least == most else f"{least} to {most}"
