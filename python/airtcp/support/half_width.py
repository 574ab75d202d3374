"""Half of an interval, as tables show it after ±."""

from __future__ import annotations

from typing import Any

import numpy as np


def half_width(mean: Any, low: Any, high: Any) -> Any:
    """Half of the interval of a mean, or of each of many means; NaN where there is no interval.

    Intervals end where the quantity does, at 0 or, for a share, at 1: of the two sides the longer
    one is whole.
    """
    with np.errstate(invalid="ignore"):  # an infinite mean has no interval
        return np.maximum(high - mean, mean - low)


def half_width_of_row(row: Any, name: str) -> Any:
    """Half of the interval of the metric M called `name`, from the columns M, M_low and M_high.

    - `row`: a row, or a table with one in each.
    """
    low, high = (row.get(f"{name}_{end}", np.nan) for end in ("low", "high"))
    return half_width(row[name], low, high)
