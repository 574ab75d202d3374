"""Points in which nothing is random: one run is all there is, and what it counts is exact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from airtcp.errors import count


def exact_points_line(
    exact: int, points: int, replications: int | None, parts: int = 1, ordered: bool = False
) -> str:
    """The line that says why `exact` of the points have one run each; empty for none.

    `replications`: how many were asked for, None where a precision was; `parts` of a run;
    `ordered`: whether another order of the flows may give other values.
    """
    if not exact:
        return ""
    where = "in this scenario" if exact == points else f"at {exact} of {count(points, 'point')}"
    runs = "one run" if points == 1 else "one run per point" if exact == points else "one run each"
    instead = f"{replications} replications" if replications else "a search for a precision"
    asked = "" if replications == 1 else f" instead of {instead}"
    values = "; its values are exact" if parts == 1 else ""  # parts still differ in time
    values += " for this order of its flows" if values and ordered else ""
    return f"Nothing is random {where}: {runs}{asked}{values}."


def without_spread_where_exact(
    estimates_found: Mapping[str, Any], exact: ArrayLike, estimate: str = "mean"
) -> dict[str, Any]:
    """Estimates with their intervals; where a value is `exact` it has no spread and no interval."""
    value, sure = estimates_found[estimate], np.asarray(exact, dtype=bool)
    certain = {"sd": np.where(np.isnan(value), np.nan, 0.0), "low": value, "high": value}
    certain |= {"carriers": np.full(value.shape, np.nan)} if "carriers" in estimates_found else {}
    return {
        **estimates_found,
        **{name: np.where(sure, certain[name], estimates_found[name]) for name in certain},
    }
