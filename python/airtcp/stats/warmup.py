"""Warm-up removal: finds the place where a series has forgotten how it began.

MSER-5 [White 1997; White, Cobb and Spratt 2000]: leave out as many batches of five from the start
as make the standard error of the mean of the rest smallest. Over several replications the series is
their mean [Welch's procedure, Law 2015, 9.5.1], in which the start stands out from the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from airtcp.errors import refusal, whole_number
from airtcp.stats._checks import Floats

BATCH = 5


@dataclass(frozen=True)
class WarmUp:
    """The point at which the warm-up of a series ends.

    - `observations`: number of observations to leave out at the start, in whole batches;
    - `enough`: true if the smallest standard error lies before the middle of the series. If not,
      the series is too short for a decision, and `observations` is the middle;
    - `mean`: mean of the remaining observations.
    """

    observations: int
    enough: bool
    mean: float


def mser(series: ArrayLike, batch: int = BATCH) -> WarmUp:
    """Find the point at which the warm-up of a series ends (MSER).

    Parameters
    ----------
    series : array_like
        One series, or replications as rows, of which the mean is used.
    batch : int, default 5
        Number of values that are averaged before the search. Values of an incomplete last batch
        count in the mean only.

    Returns
    -------
    WarmUp
        The point of truncation, and the mean of the values after it.

    Raises
    ------
    InputError
        If the series is shorter than four batches, or has values that are not finite.

    Examples
    --------
    >>> from airtcp import stats
    >>> stats.mser([9, 7, 5, 3] + [1, 2] * 20, batch=2).observations
    4
    """
    batch = whole_number("batch", batch, 1, 10**9)
    rows = np.atleast_2d(np.asarray(series, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] < 4 * batch:
        raise refusal("series", series, f"one or more rows of at least {4 * batch} values")
    if not np.isfinite(rows).all():
        raise refusal("series", series, "finite values throughout")
    mean = rows.mean(axis=0)
    number = mean.size // batch
    errors = _squared_errors(mean[: number * batch].reshape(number, batch).mean(axis=1))
    best = int(np.argmin(errors))
    left_out = best * batch
    return WarmUp(left_out, best < errors.size - 1, float(mean[left_out:].mean()))


def _squared_errors(means: Floats) -> Floats:
    """Squared standard error of the mean of all but the first d, for d up to half of them."""
    half = means.size // 2
    centred = means - means[half:].mean()  # so that the differences of squares lose no digits
    left = means.size - np.arange(half + 1)
    total = np.cumsum(centred[::-1])[::-1][: half + 1]
    squares = np.cumsum(centred[::-1] ** 2)[::-1][: half + 1]
    errors: Floats = np.maximum(squares - total**2 / left, 0.0) / left.astype(np.float64) ** 2
    return errors
