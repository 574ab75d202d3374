"""Intervals of shares whose cases come in clusters and are alike within them.

By Korn and Graubard, "Confidence intervals for proportions with small expected number of positive
counts estimated from survey data", Survey Methodology 24 (1998): the interval of Clopper and
Pearson of as many independent cases as the scatter between clusters is worth.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from airtcp.stats.exact import exact_share_interval

Ints = NDArray[np.int64]


def clustered_error(hits: Ints, cases: Ints) -> float:
    """The standard error of the share of hits, from residuals of clusters; NaN for one cluster."""
    number = int((cases > 0).sum())
    if number < 2:
        return float("nan")
    left = hits - hits.sum() / cases.sum() * cases
    return float(np.sqrt(number / (number - 1) * (left.astype(float) ** 2).sum()) / cases.sum())


def clustered_interval(hits: Ints, cases: Ints) -> tuple[float, float] | None:
    """The 95 % interval of the share of hits; each item of the arrays is a cluster.

    None where all clusters are alike, as where none has a miss: nothing shows their scatter.
    """
    error = clustered_error(hits, cases)
    if not error > 0.0:
        return None
    total = float(cases.sum())
    share = float(hits.sum()) / total
    # Never more than there are; fewer clusters tell their own scatter less well (Student's t).
    worth = min(share * (1.0 - share) / error**2, total)
    number = int((cases > 0).sum())
    worth *= float(stats.t.ppf(0.975, max(total - 1.0, 1.0)) / stats.t.ppf(0.975, number - 1)) ** 2
    return exact_share_interval(share * worth, worth)
