"""Batch means: an interval from one long run, cut into parts that are nearly independent.

The parts must be long against the memory of the process. The von Neumann ratio, which compares
neighbours with all, tests if they are [von Neumann 1941; Fishman 1978].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from airtcp.errors import refusal, whole_number
from airtcp.stats._checks import CONFIDENCE, Floats
from airtcp.stats._checks import series as checked
from airtcp.stats.intervals import mean_intervals

BATCHES = 20  # 10 to 30 are recommended [Schmeiser 1982]
LEAST_TESTED = 8  # from here on the ratio is near enough to normal
SUSPICIOUS_P_VALUE = 0.1  # p below which parts are called correlated


@dataclass(frozen=True)
class BatchMeans:
    """The mean of a series with an interval from the means of its batches.

    - `mean`, `sd`: mean and standard deviation of the batch means; `low`, `high`: the Student t
      interval of their mean;
    - `batches`: number of batches; `size`: number of observations in each; `dropped`: number of
      observations at the start that fill no batch and are not counted;
    - `correlation`: correlation of neighbouring batches, 1 - half of the von Neumann ratio;
    - `p`: probability of a correlation at least as high if batches were independent. If it is
      small (below 0.1, say), the interval is too narrow: use fewer, longer batches or a longer
      run. NaN for fewer than 8 batches, which are too few for a test, and where all batch means
      are equal.
    """

    mean: float
    sd: float
    low: float
    high: float
    batches: int
    size: int
    dropped: int
    correlation: float
    p: float


def batch_means(
    series: ArrayLike, batches: int = BATCHES, confidence: float = CONFIDENCE
) -> BatchMeans:
    """Cut a stationary series into equal batches and take the batch means as independent.

    Parameters
    ----------
    series : array_like
        Values of the series in order of time.
    batches : int, default 20
        Number of batches. With the length of the series, each value is a batch.
    confidence : float, default 0.95
        Confidence level of the interval.

    Returns
    -------
    BatchMeans
        The mean, its interval and the batch means.

    Raises
    ------
    InputError
        If the series is shorter than the number of batches.

    Examples
    --------
    >>> from airtcp import stats
    >>> found = stats.batch_means([1, 2, 3, 4, 5, 6, 7, 8], batches=4)
    >>> round(found.mean, 2)
    4.5
    """
    batches = whole_number("batches", batches, 2, 10**9)
    found = checked("series", series, 2)
    size, dropped = divmod(found.size, batches)
    if size == 0:
        raise refusal("batches", batches, f"at most {found.size}, the length of the series")
    means = found[dropped:].reshape(batches, size).mean(axis=1)
    described = mean_intervals(means[np.newaxis, :], confidence)
    mean, sd, low, high = (float(described[name][0]) for name in ("mean", "sd", "low", "high"))
    correlation, p = von_neumann(means)
    return BatchMeans(mean, sd, low, high, batches, size, dropped, correlation, p)


def von_neumann(values: Floats) -> tuple[float, float]:
    """Lag-1 correlation by the von Neumann ratio, and its one-sided p value.

    1 - sum (x_i+1 - x_i)^2 / (2 sum (x_i - mean)^2) of n independent normal values has mean 0 and
    variance (n - 2) / (n^2 - 1) [Fishman 1978].
    """
    n = values.size
    spread = float(((values - values.mean()) ** 2).sum())
    if spread == 0.0 or bool((values == values[0]).all()):
        return np.nan, np.nan
    correlation = 1.0 - float((np.diff(values) ** 2).sum()) / (2.0 * spread)
    if n < LEAST_TESTED:
        return correlation, np.nan
    return correlation, float(special.ndtr(-correlation / np.sqrt((n - 2) / (n * n - 1.0))))


def neighbour_test(values: Floats, groups: NDArray[np.int64]) -> float:
    """The least p value of the von Neumann test over groups of parts, corrected for their number.

    `groups` ascend; parts of a group follow each other in time. NaN where no group has enough parts
    that scatter.
    """
    starts = np.flatnonzero(np.diff(groups, prepend=-1))
    found = [von_neumann(part)[1] for part in np.split(values, starts[1:])]
    known = [p for p in found if not np.isnan(p)]
    return min(1.0, min(known) * len(known)) if known else np.nan


def neighbour_text(p: float) -> str:
    """A sentence about the parts of one run, by the p value of `neighbour_test`; "" for NaN."""
    if np.isnan(p):
        return ""
    if p < SUSPICIOUS_P_VALUE:
        return (
            f"Neighbouring parts are correlated (von Neumann's test, p = {p:.2g}): the intervals"
            " are too narrow. Take fewer and longer parts, or several replications."
        )
    return f"Von Neumann's test finds no correlation of neighbouring parts (p = {p:.2g})."
