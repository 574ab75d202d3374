"""Bootstrap intervals where Student's t gives none: medians, ratios of skewed values.

Percentiles for the median, whose acceleration the jackknife cannot estimate; bias-corrected and
accelerated for ratios [Efron and Tibshirani 1993, 13 and 14, 11.6]. By SciPy. The resampling is
seeded: the same values give the same interval. Intervals of few values are too narrow: of medians
of fewer than ten, of ratios of fewer than thirty (docs/evidence/promises.md).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from airtcp.errors import refusal, whole_number
from airtcp.stats._checks import CONFIDENCE, Floats, open_probability, pairs, series
from airtcp.stats.intervals import Interval
from airtcp.support.seeds import check_seed

RESAMPLES = 9_999
_AT_ONCE = 1_000_000  # resampled values in memory


def bootstrap_median(
    values: ArrayLike,
    confidence: float = CONFIDENCE,
    *,
    resamples: int = RESAMPLES,
    seed: int = 1,
) -> Interval:
    """Estimate the median of independent values, with a bootstrap interval.

    Equal values give an interval of width 0. A NaN makes all three numbers NaN; a single value has
    bounds of NaN. The work grows with the number of values times `resamples`: seconds for ten
    thousand values.

    Parameters
    ----------
    values : array_like
        Independent values.
    confidence : float, default 0.95
        Confidence level of the interval.
    resamples : int, default 9999
        Number of bootstrap samples.
    seed : int, default 1
        Seed of the resampling.

    Returns
    -------
    Interval
        The median, and the bounds of its interval.

    Raises
    ------
    InputError
        If there are no values, or an argument is out of range.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.bootstrap_median([1, 2, 3, 4, 9], resamples=100).value
    3.0
    """
    asked = _check_settings(confidence, resamples, seed)
    found = series("values", values, 1)
    median = float(np.median(found))
    if found.size > 1 and (found == found[0]).all():
        return Interval(median, median, median)
    return _interval((found,), np.median, median, "percentile", asked)


def bootstrap_ratio(
    above: ArrayLike,
    below: ArrayLike,
    confidence: float = CONFIDENCE,
    *,
    resamples: int = RESAMPLES,
    seed: int = 1,
) -> Interval:
    """Estimate the ratio of the means of independent pairs, with a bootstrap interval.

    Pairs are resampled as pairs. The interval may be asymmetric, unlike that of `ratio_of_means`.
    Proportional values give an interval of width 0; NaN is treated as in `bootstrap_median`.

    Parameters
    ----------
    above : array_like
        Values of the numerator.
    below : array_like
        Values of the denominator, all positive, so that no resample divides by 0.
    confidence : float, default 0.95
        Confidence level of the interval.
    resamples : int, default 9999
        Number of bootstrap samples.
    seed : int, default 1
        Seed of the resampling.

    Returns
    -------
    Interval
        The ratio, and the bounds of its interval.

    Raises
    ------
    InputError
        If the lists differ in length, or a value of `below` is not positive.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.bootstrap_ratio([2, 4, 7], [1, 2, 3], resamples=100).value
    2.1666666666666665
    """
    asked = _check_settings(confidence, resamples, seed)
    numerators, other = pairs(("above", above), ("below", below), 1)
    if (other <= 0.0).any():
        raise refusal("below", float(other[other <= 0.0][0]), "positive throughout")
    ratio = float(numerators.mean() / other.mean())
    if numerators.size > 1 and np.allclose(numerators / other, ratio, rtol=1e-12, atol=0.0):
        return Interval(ratio, ratio, ratio)
    return _interval((numerators, other), _ratio_of_means, ratio, "BCa", asked)


def _ratio_of_means(numerators: Floats, other: Floats, axis: int) -> Any:
    return numerators.mean(axis=axis) / other.mean(axis=axis)


class _ResamplingSettings(NamedTuple):
    """Settings of the resampling, checked."""

    confidence: float
    resamples: int
    seed: int


def _check_settings(confidence: float, resamples: int, seed: int) -> _ResamplingSettings:
    return _ResamplingSettings(
        open_probability("confidence", confidence),
        whole_number("resamples", resamples, 100, 10_000_000),
        check_seed(seed),
    )


def _interval(
    data: tuple[Floats, ...],
    statistic: Callable[..., Any],
    value: float,
    method: str,
    asked: _ResamplingSettings,
) -> Interval:
    size = data[0].size
    if size == 1 or not np.isfinite(value):
        return Interval(value, np.nan, np.nan)
    from scipy import stats  # noqa: PLC0415  (slow to import)

    found = stats.bootstrap(
        data,
        statistic,
        paired=len(data) > 1,
        vectorized=True,
        n_resamples=asked.resamples,
        batch=max(1, _AT_ONCE // size),
        confidence_level=asked.confidence,
        method=method,
        random_state=np.random.default_rng(asked.seed),
    ).confidence_interval
    return Interval(value, float(found.low), float(found.high))
