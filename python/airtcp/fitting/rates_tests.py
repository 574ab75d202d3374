"""Test of a fitted process of rates: statistics that matter to a queue, beside drawn records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from airtcp.fitting.losses_tests import deviation_p_value
from airtcp.fitting.rates_memory import Floats, Ranks, correlations
from airtcp.measured.runs import run_lengths

_WINDOWS = 20  # that a record holds of those looked at, at least
_LOW = (0.05, 0.25, 0.75, 0.95)  # quantiles of the sums in windows
_FEW = 5.0  # mean number of runs, below which those that long are not told apart
_CLASSES = 24  # of runs by their lengths: 1, 2, 4, ... steps and more


def fit_test(ranks: Ranks, bps: Floats, records: Sequence[Floats]) -> float:
    """p value of the hypothesis that the process made the rates; `records` were drawn from it.

    The statistic is the largest deviation, in standard deviations over the draws, of: quantiles of
    the mean rate in windows of 1, 4, 16, ... steps; correlations of ranks 1, 2, 4, ... steps apart;
    numbers of runs below the lower quartile and above the upper one, of 1, 2, 4, ... steps or more;
    the trend; and the asymmetry in time. Draws are not fitted again, so that a true process is
    rejected less often than the level says.
    """
    quartiles = np.quantile(bps, [0.25, 0.75])
    rows = np.array([_summary(ranks, record, quartiles) for record in (bps, *records)])
    runs = slice(0, 2 * _CLASSES)
    kept = rows[:, runs].mean(axis=0) >= _FEW
    return deviation_p_value(np.hstack([np.sqrt(rows[:, runs][:, kept]), rows[:, 2 * _CLASSES :]]))


def _summary(ranks: Ranks, bps: Floats, quartiles: Floats) -> Floats:
    n = len(bps)
    found: list[ArrayLike] = []
    for below in (bps <= quartiles[0], bps >= quartiles[1]):
        lengths = run_lengths(below)
        exact = np.bincount(np.frexp(lengths)[1] - 1, minlength=_CLASSES)[:_CLASSES]
        found.append(np.cumsum(exact[::-1])[::-1])
    scale = max(float(bps.std()), 1e-9)
    size = 1
    while size <= n // _WINDOWS:
        means = bps[: n // size * size].reshape(-1, size).mean(axis=1)
        found.append(np.quantile(means, _LOW) / scale)
        size *= 4
    place = ranks.normal_scores(bps)
    lags = np.array([2.0**k for k in range(24) if 2**k <= n // 10])
    found.append(correlations(place, lags))
    time = np.linspace(-1.0, 1.0, n)
    found.append([float(place @ time) / n])
    for lag in lags[:8].astype(np.int64):
        step = place[lag:] - place[:-lag]
        found.append([float((step**3).mean())])
    return np.concatenate(found)
