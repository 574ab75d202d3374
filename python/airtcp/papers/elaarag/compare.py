"""Printed numbers of one simulation each, against the distribution of single runs.

A printed number that is one run more of the same simulation lies from the mean of n runs by
sd sqrt(1 + 1/n) times Student's t with n - 1 degrees of freedom. `z` is that deviation as a
standard normal deviate; beyond 1.96 lies one number in twenty.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from airtcp import stats
from airtcp.papers.base import Verdict, interval_of_mean, judge_alike, printed_table
from airtcp.stats import z_scores

Floats = NDArray[np.float64]

RECONSTRUCTION_NOTE = (
    " The independent reconstruction is a separate program (docs/papers/elaarag.md, section 9)."
)
INSIDE_Z, FAR_OUTSIDE_Z = 1.96, 3.0  # |z|


def printed_entries(name: str) -> pd.DataFrame:
    """Printed numbers of the paper, as texts; empty where there is none."""
    return printed_table(f"elaarag_{name}").fillna("")


def parse_printed(text: str) -> float:
    """A printed number; NaN where there is none."""
    return float(text) if text else float("nan")


def signed_number(value: float, digits: int) -> str:
    """A number with its sign, for a sentence."""
    return f"{value:+.{digits}f}".replace("-", "\N{MINUS SIGN}")


def mean_and_interval(values: Any) -> dict[str, float]:
    """Mean, sd and 95 % interval of the mean of independent values, and how many they are."""
    return interval_of_mean(values) | {"runs": float(np.size(values))}


def place_of_single_run(value: float, values: Any) -> dict[str, float]:
    """Place of one further run in the distribution of `values`: `z`, and the share `below` it."""
    row = np.asarray(values, dtype=np.float64)
    estimate = mean_and_interval(row)
    spread = estimate["sd"] * np.sqrt(1.0 + 1.0 / row.size)
    z = float(z_scores(value, estimate["mean"], spread, row.size))
    return estimate | {"z": z, "below": float((row < value).mean())}


def reference_z(estimate: dict[str, float], mean: str, sd: str, runs: int) -> float:
    """Standard errors between our mean and that of an independent reconstruction of `runs` runs.

    [elaarag reading, section 9]
    """
    error = np.hypot(estimate["sd"] / np.sqrt(estimate["runs"]), parse_printed(sd) / np.sqrt(runs))
    return float((estimate["mean"] - parse_printed(mean)) / error)


def comparison_row(line: Any, values: Any, reference_runs: int) -> dict[str, Any]:
    """One row of a table: a line of a file of printed numbers against the runs."""
    columns = place_of_single_run(float(line.printed), values)
    return {
        "printed": line.printed,
        "mean": columns["mean"],
        "low": columns["low"],
        "high": columns["high"],
        "sd": columns["sd"],
        "runs": int(columns["runs"]),
        "z": columns["z"],
        "below": columns["below"],
        "verdict": "agrees" if abs(columns["z"]) <= INSIDE_Z else "differs",
        "reference": parse_printed(line.reference),
        "reference_z": reference_z(columns, line.reference, line.reference_sd, reference_runs),
    }


def judge_single_runs(z: ArrayLike) -> Verdict:
    """Holds if every |z| is below 1.96, partly if below 3."""
    return judge_alike(z, INSIDE_Z, FAR_OUTSIDE_Z)


SINGLE_RUNS_RULE = (
    "every printed number lies within the 95 % interval of a single run, |z| <= 1.96 (partly:"
    " |z| <= 3)"
)


def ratio_of_means(above: Any, below: Any) -> dict[str, float]:
    """The ratio of the means of paired runs with its 95 % interval."""
    ratio, low, high = stats.ratio_of_means(above, below)
    return {"ratio": ratio, "low": low, "high": high}
