"""Test of a fitted law of delays: quantiles and correlations of records drawn from it."""

from __future__ import annotations

import numpy as np
from scipy import stats

from airtcp.fitting.delays_data import DelayCells, Floats
from airtcp.fitting.delays_estimate import DelayLaw
from airtcp.fitting.losses_tests import deviation_p_value

_QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


def fit_test(law: DelayLaw, cells: DelayCells, seed: tuple[int, int], draws: int) -> float:
    """p value of the hypothesis that the law made the delays.

    The statistic is the largest deviation, in standard deviations over the draws, of quantiles and
    of correlations of ranks 1, 2, 4, 8, ... packets apart. Draws are not fitted again, so that a
    true law is rejected less often than the level says.
    """
    rng = np.random.default_rng(seed)
    at = np.cumsum(np.where(cells.lag > 0, cells.lag, 1)) - 1
    rows = [_summary(cells.middles[cells.cell])]
    for _ in range(draws):
        drawn = law.simulate(rng, int(at[-1]) + 1)[at]
        rows.append(_summary(cells.with_delays(drawn)))
    return deviation_p_value(np.array(rows))


def _summary(delay: Floats) -> Floats:
    n = len(delay)
    ranks = stats.rankdata(delay)
    ranks = (ranks - ranks.mean()) / max(float(ranks.std()), 1e-12)
    lags = [2**k for k in range(24) if 2**k <= n // 10]
    apart = [float(ranks[lag:] @ ranks[:-lag]) / n for lag in lags]
    return np.concatenate([np.quantile(delay, _QUANTILES), apart])
