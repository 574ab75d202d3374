"""Ratios of means: of paired runs, of cycles between regenerations, of whole runs.

A throughput over regenerative cycles is E[deliveries of a cycle] / E[length of a cycle], and its
estimate is the ratio of the means, not the mean of the ratios [Crane and Iglehart 1975].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from airtcp.errors import known_name, refusal
from airtcp.stats._checks import CONFIDENCE, Floats, pairs
from airtcp.stats.intervals import Interval, mean_intervals

METHODS = ("classical", "jackknife")


def ratio_of_means(
    above: ArrayLike,
    below: ArrayLike,
    confidence: float = CONFIDENCE,
    method: str = "classical",
) -> Interval:
    """Estimate E[above] / E[below] from independent pairs, with an interval.

    Parameters
    ----------
    above : array_like
        Values of the numerator.
    below : array_like
        Values of the denominator.
    confidence : float, default 0.95
        Confidence level of the interval.
    method : str, default "classical"
        "classical": the ratio of the means, with the Student interval of the residuals
        above - ratio * below, divided by the mean of `below` [Law 2015, 9.5.3; the delta method].
        "jackknife": the mean of the pseudovalues and their interval; less biased for few pairs.

    Returns
    -------
    Interval
        The ratio and the bounds of its interval, which are NaN for a single pair.

    Raises
    ------
    InputError
        If the lists differ in length, or the mean of `below` is 0.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.ratio_of_means([2, 4, 6], [1, 2, 3]).value
    2.0
    """
    known_name("method", method, METHODS)
    numerators, other = pairs(("above", above), ("below", below), 1)
    if other.mean() == 0.0:
        raise refusal("mean of below", 0.0, "another number than 0")
    if method == "jackknife" and numerators.size > 1:
        found = _mean_and_interval(_pseudovalues(numerators, other), confidence)
        return Interval(found["mean"], found["low"], found["high"])
    ratio = float(numerators.mean() / other.mean())
    found = _mean_and_interval((numerators - ratio * other) / other.mean(), confidence)
    return Interval(ratio, ratio + found["low"], ratio + found["high"])


def _pseudovalues(numerators: Floats, other: Floats) -> Floats:
    """n times the ratio of all pairs less n - 1 times the ratio without each."""
    n, above, below = numerators.size, numerators.sum(), other.sum()
    left = below - other
    if (left == 0.0).any():
        raise refusal("mean of below without one pair", 0.0, "another number than 0")
    found: Floats = n * (above / below) - (n - 1) * ((above - numerators) / left)
    return found


def _mean_and_interval(values: Floats, confidence: float) -> dict[str, float]:
    found = mean_intervals(values[np.newaxis, :], confidence)
    return {name: float(row[0]) for name, row in found.items()}
