"""Student t intervals of means of independent values, in rows or in groups of any sizes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from airtcp.errors import refusal
from airtcp.stats._checks import CONFIDENCE, Floats, open_probability, series
from airtcp.stats.differences import differences
from airtcp.stats.rare import CarrierSigns, grouped_carriers, grouped_signs


class Interval(NamedTuple):
    """An estimate and the bounds of its confidence interval."""

    value: float
    low: float
    high: float


def mean_intervals(rows: Floats, confidence: float = CONFIDENCE) -> dict[str, Floats]:
    """Compute the mean and its Student interval for each row of independent values.

    Parameters
    ----------
    rows : array_like
        A table with one row of values per mean.
    confidence : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    dict
        The arrays `mean`, `low`, `high` and `sd`, the standard deviation of one value (with n - 1
        in the denominator). With one value per row, `low`, `high` and `sd` are NaN.

    Raises
    ------
    InputError
        If `rows` is not a table, or the confidence is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from airtcp import stats
    >>> stats.mean_intervals(np.array([[1.0, 2.0, 3.0]]))["mean"].tolist()
    [2.0]
    """
    confidence = open_probability("confidence", confidence)
    n = rows.shape[1]
    constant = (rows == rows[:, :1]).all(axis=1)  # no rounding noise where nothing scatters
    mean = np.where(constant, rows[:, 0], rows.mean(axis=1))
    if n == 1:
        unknown = np.full_like(mean, np.nan)
        return {"mean": mean, "sd": unknown, "low": unknown, "high": unknown}
    sd = np.where(constant, 0.0, rows.std(axis=1, ddof=1))
    half = special.stdtrit(n - 1, 0.5 + confidence / 2.0) * sd / np.sqrt(n)
    return {"mean": mean, "sd": sd, "low": mean - half, "high": mean + half}


def grouped_means(
    values: ArrayLike, groups: ArrayLike, confidence: float = CONFIDENCE
) -> dict[str, Any]:
    """Compute means with Student intervals for groups of independent values.

    As `mean_intervals`, for groups of any size; a group with a NaN has the mean NaN.

    Parameters
    ----------
    values : array_like
        All values, group after group.
    groups : array_like
        Number of the group of each value: whole numbers that never decrease.
    confidence : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    dict
        The arrays `group`, `n`, `mean`, `sd`, `low`, `high` and `carriers`. `carriers` is the
        number of runs on which the interval depends, if it is so small that the interval may miss
        too often (`airtcp.stats.rare`), else NaN.

    Raises
    ------
    InputError
        If the lists differ in length, or the groups decrease.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.grouped_means([1, 2, 3, 10, 20], [0, 0, 0, 1, 1])["mean"].tolist()
    [2.0, 15.0]
    """
    confidence = open_probability("confidence", confidence)
    values = series("values", values, 0)
    groups = np.asarray(groups)
    starts = _group_starts(groups, values.size)
    if values.size == 0:
        empty = np.empty(0)
        return {"group": groups, "n": starts} | dict.fromkeys(
            ("mean", "sd", "low", "high", "carriers"), empty
        )
    n = np.diff(starts, append=values.size)
    first = values[starts]
    with np.errstate(invalid="ignore"):  # infinite values have no spread
        constant = np.logical_and.reduceat(values == np.repeat(first, n), starts)
        mean = np.where(constant, first, np.add.reduceat(values, starts) / n)
        squares = np.add.reduceat((values - np.repeat(mean, n)) ** 2, starts)
        sd = np.where(constant, 0.0, np.sqrt(squares / np.maximum(n - 1, 1)))
        sd = np.where(n > 1, sd, np.nan)
        half = special.stdtrit(np.maximum(n - 1, 1), 0.5 + confidence / 2.0) * sd / np.sqrt(n)
        low, high = mean - half, mean + half
    found = {"group": groups[starts], "n": n, "mean": mean, "sd": sd, "low": low, "high": high}
    return found | {"carriers": grouped_carriers(values, starts)}


def t_test(mean: Floats, sd: Floats, n: int) -> Floats:
    """Two-sided p values of the hypotheses that means of `n` values with these `sd` are 0.

    NaN for one value, and where nothing scatters: such values give no hint of how they differ, so
    that no test can be made.
    """
    if n == 1:
        return np.full_like(mean, np.nan)
    error = sd / np.sqrt(n)
    t = np.abs(mean) / np.where(error > 0.0, error, 1.0)
    p: Floats = np.where(error > 0.0, 2.0 * special.stdtr(n - 1, -t), np.nan)
    return p


def paired_tests(first: Floats, other: Floats) -> Floats:
    """Two-sided p values of the hypotheses that paired values, row by row, have equal means.

    The test is Student's t. Where few pairs carry the scatter of skewed differences
    (`airtcp.stats.rare`), the p value is at least that of Hall's test, which allows for the
    skewness [hall1992]. It is NaN where no test can be made: for a single pair, and where the
    differences of all or most pairs are alike. Then the decisive event may not have occurred yet,
    and nothing bounds its weight.
    """
    apart, n = _nonzero_differences(first, other), first.shape[1]
    found = mean_intervals(apart)
    p = t_test(found["mean"], found["sd"], n)
    signs = _signs(apart)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.asarray(found["mean"] / found["sd"])
        corrected = np.abs(hall_transform(ratio, signs.skewness, n))
    allowing = 2.0 * special.stdtr(n - 1, -corrected * np.sqrt(n))
    return np.where(signs.alike, np.nan, np.where(signs.skewed, np.maximum(p, allowing), p))


def paired_signs(first: Floats, other: Floats) -> CarrierSigns:
    """Signs that few pairs carry the scatter of their differences, row by row."""
    return _signs(_nonzero_differences(first, other))


def _nonzero_differences(first: Floats, other: Floats) -> Floats:
    return np.stack([differences(*pair) for pair in zip(first, other, strict=True)])


def _signs(rows: Floats) -> CarrierSigns:
    return grouped_signs(rows.ravel(), np.arange(len(rows)) * rows.shape[1])


def hall_transform(ratio: Floats, skewness: Floats, n: int) -> Floats:
    """Mean over standard deviation of `n` values, corrected for their skewness [hall1992]."""
    cubic = ratio + skewness * ratio**2 / 3.0 + skewness**2 * ratio**3 / 27.0
    found: Floats = cubic + skewness / (6.0 * n)
    return found


def _group_starts(groups: NDArray[Any], size: int) -> NDArray[np.intp]:
    """Index at which each group begins."""
    allowed = "whole numbers that never fall, one for each value"
    if groups.size == 0 == size:
        return np.empty(0, dtype=np.intp)
    if groups.shape != (size,) or groups.dtype.kind not in "iu":
        raise refusal("groups", groups, allowed)
    if (groups[1:] < groups[:-1]).any():
        raise refusal("groups", groups, allowed)
    return np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
