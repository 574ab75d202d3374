"""Differences of paired runs, and whether a test can be made of them.

Two alternatives that meet the same random numbers may differ by the same in most runs, or in all:
what would make the difference scatter is rare. A test would take its absence for certainty.
"""

from __future__ import annotations

import numpy as np

from airtcp.stats._checks import Floats
from airtcp.stats.intervals import t_test
from airtcp.stats.rare import most_are_alike

_ROUNDING = 2.0**-46  # of the values: what subtraction leaves of equal differences is below it


def differences(a: Floats, b: Floats) -> Floats:
    """a - b, pair by pair; those that only rounding tells apart are made equal."""
    found: Floats = a - b
    order = np.argsort(found, kind="stable")
    ordered = found[order]
    noise = _ROUNDING * max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    with np.errstate(invalid="ignore"):  # infinite values have no difference
        begins = np.r_[True, ~(np.diff(ordered) <= noise)][: ordered.size]
    found[order] = ordered[begins][np.cumsum(begins) - 1]
    return found


def p_of_differences(rows: Floats, mean: Floats, sd: Floats) -> Floats:
    """Two-sided p values of paired t tests, one per row of `differences`.

    NaN of a single pair, and where most pairs differ by the same and few do not
    (`airtcp.stats.rare`).
    """
    alike = np.array([most_are_alike(row) for row in rows], dtype=bool)
    return np.where(alike, np.nan, t_test(mean, sd, rows.shape[1]))
