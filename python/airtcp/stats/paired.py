"""Two alternatives on common random numbers: their difference, run by run.

Replication r of both meets the same losses, so that the effects of the channel cancel in the
difference and its interval is narrower than that of either mean [Law 2015, 10.2.1 and 11.2].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from airtcp.stats._checks import CONFIDENCE, Floats, pairs
from airtcp.stats.differences import differences
from airtcp.stats.intervals import mean_intervals, paired_tests
from airtcp.stats.ratio import ratio_of_means


@dataclass(frozen=True)
class PairedDifference:
    """One alternative minus the other, in paired runs.

    - `mean`, `sd`: mean and standard deviation of the differences; `low`, `high`: the Student t
      interval of their mean;
    - `p`: two-sided probability of a mean difference at least as far from 0 if there were none;
      NaN where the differences of most pairs are equal (`airtcp.stats.rare`);
    - `relative`: mean of the first alternative divided by the mean of the second, minus 1;
      `relative_low`, `relative_high`: its interval, by `ratio_of_means`; NaN if the second mean is
      0;
    - `variance_reduction`: (var a + var b) / var(a - b), the factor by which independent runs
      would have to be more numerous for the same precision. Infinite if all differences are equal
      but the runs are not;
    - `n`: number of pairs.
    """

    n: int
    mean: float
    sd: float
    low: float
    high: float
    p: float
    relative: float
    relative_low: float
    relative_high: float
    variance_reduction: float


def paired_difference(
    a: ArrayLike, b: ArrayLike, confidence: float = CONFIDENCE
) -> PairedDifference:
    """Compare two lists of paired runs: the mean of a - b, its interval and the paired t test.

    Parameters
    ----------
    a : array_like
        Values of the first alternative.
    b : array_like
        Values of the second alternative in the same replications.
    confidence : float, default 0.95
        Confidence level of the interval.

    Returns
    -------
    PairedDifference
        The mean difference, its interval and p value. For a single pair only `mean` and `relative`
        are known; if a value is NaN, all numbers are NaN.

    Raises
    ------
    InputError
        If the lists differ in length.

    Examples
    --------
    >>> from airtcp import stats
    >>> round(stats.paired_difference([3, 4, 5], [1, 3, 3]).mean, 3)
    1.667
    """
    first, other = pairs(("a", a), ("b", b), 1)
    away = differences(first, other)[np.newaxis, :]
    found = mean_intervals(away, confidence)
    mean, sd, low, high = (float(found[name][0]) for name in ("mean", "sd", "low", "high"))
    relative = (np.nan, np.nan, np.nan)
    if other.mean() != 0.0:
        ratio = ratio_of_means(first, other, confidence)
        relative = (ratio.value - 1.0, ratio.low - 1.0, ratio.high - 1.0)
    p = float(paired_tests(first[np.newaxis, :], other[np.newaxis, :])[0])
    return PairedDifference(
        first.size, mean, sd, low, high, p, *relative, _variance_reduction(first, other, sd)
    )


def _variance_reduction(first: Floats, other: Floats, sd: float) -> float:
    if first.size == 1:
        return np.nan
    both = float(first.var(ddof=1) + other.var(ddof=1))
    if sd == 0.0:
        return np.nan if both == 0.0 else np.inf
    return both / sd**2
