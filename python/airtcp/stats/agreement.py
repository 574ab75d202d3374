"""Agreement of intervals with exact values: misses counted, deviations as z scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from airtcp.errors import whole_number
from airtcp.stats._checks import CONFIDENCE, Floats, open_probability


def miss_probability(misses: int, n: int, confidence: float = CONFIDENCE) -> float:
    """Compute the probability that so many of several intervals miss their true values.

    Parameters
    ----------
    misses : int
        Number of intervals that miss.
    n : int
        Number of independent intervals.
    confidence : float, default 0.95
        Confidence level of each interval.

    Returns
    -------
    float
        The probability that at least `misses` of `n` intervals miss, each with probability
        1 - `confidence`.

    Raises
    ------
    InputError
        If a number is out of range.

    Examples
    --------
    >>> from airtcp import stats
    >>> round(stats.miss_probability(3, 20), 3)
    0.075
    """
    n = whole_number("n", n, 0, 10**12)
    misses = whole_number("misses", misses, 0, n)
    confidence = open_probability("confidence", confidence)
    return 1.0 if misses == 0 else float(special.bdtrc(misses - 1, n, 1.0 - confidence))


def too_many_misses(
    misses: int, n: int, confidence: float = CONFIDENCE, level: float = 0.01
) -> bool:
    """Decide whether more intervals miss their true values than chance allows.

    A one-sided binomial test.

    Parameters
    ----------
    misses : int
        Number of intervals that miss.
    n : int
        Number of independent intervals.
    confidence : float, default 0.95
        Confidence level of each interval.
    level : float, default 0.01
        Significance level of the test.

    Returns
    -------
    bool
        True if `misses` or more have a probability below `level`.

    Raises
    ------
    InputError
        If a number is out of range.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.too_many_misses(7, 20)
    True
    """
    return miss_probability(misses, n, confidence) < level


def z_scores(
    mean: ArrayLike, exact: ArrayLike, standard_error: ArrayLike, replications: ArrayLike
) -> Floats:
    """Express distances of means from exact values as standard normal deviates.

    The deviate has the same tail probability as t = (mean - exact) / `standard_error` with
    `replications` - 1 degrees of freedom. So |z| > 1.96 exactly where the 95 % Student interval
    misses `exact`, for any number of replications. Arguments are broadcast.

    Parameters
    ----------
    mean : array_like
        Means.
    exact : array_like
        Values that they are compared with.
    standard_error : array_like
        Standard errors of the means.
    replications : array_like
        Numbers of replications.

    Returns
    -------
    numpy.ndarray
        The deviates, at most 37.5 in size. 0 where mean and exact value agree to rounding and the
        error is known (for one replication only if it is 0). NaN where a value is missing, for one
        replication, and where the runs do not vary.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.z_scores([1.0, 1.2], 1.0, 0.1, 1000).round(2).tolist()
    [0.0, 2.0]
    """
    mean, exact, error, runs = (
        np.asarray(given, dtype=np.float64) for given in (mean, exact, standard_error, replications)
    )
    known = (error > 0.0) & (runs > 1)
    t = (mean - exact) / np.where(known, error, np.nan)
    tail = special.stdtr(np.where(known, runs - 1.0, np.nan), -np.abs(t))
    z = -special.ndtri(np.maximum(tail, np.finfo(np.float64).tiny))
    same = np.isclose(mean, exact, rtol=1e-12, atol=1e-15) & np.isfinite(error)
    same &= (runs > 1) | (error == 0.0)
    scores: Floats = np.where(same, 0.0, np.copysign(z, t))
    return scores
