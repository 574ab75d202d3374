"""Differences of paired runs; differences that only rounding separates are made equal.

Two alternatives that meet the same random numbers may differ by the same amount in most runs: such
runs must be recognised as equal, since the event that would make the difference scatter is then
rare (`airtcp.stats.rare`).
"""

from __future__ import annotations

import numpy as np

from airtcp.stats._checks import Floats

_ROUNDING = 2.0**-46  # of the values: what subtraction leaves of equal differences is below it


def differences(a: Floats, b: Floats) -> Floats:
    """a - b, pair by pair; results that only rounding separates are made equal."""
    found: Floats = a - b
    order = np.argsort(found, kind="stable")
    ordered = found[order]
    noise = _ROUNDING * max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    with np.errstate(invalid="ignore"):  # infinite values have no difference
        begins = np.r_[True, ~(np.diff(ordered) <= noise)][: ordered.size]
    found[order] = ordered[begins][np.cumsum(begins) - 1]
    return found
